//! The algorithm that the name of a manifest says, for its lines without a tag: `SHA3-256SUMS`, `photos.sm3`.

use manyhash::AnyAlgorithm;

/// Returns the algorithm at the end of a file's name. It may have `sum` or `sums` and `.txt` behind it, and begins where
/// the name does, or behind a full stop, a hyphen, an underscore or a blank. The longest one counts.
pub(crate) fn algorithm_of(file_name: &str) -> Option<AnyAlgorithm> {
    let name = file_name.to_ascii_lowercase();
    let name = name.strip_suffix(".txt").unwrap_or(&name);
    let name = name.strip_suffix('s').and_then(|name| name.strip_suffix("sum")).or_else(|| name.strip_suffix("sum")).unwrap_or(name);
    let name = name.trim_end_matches(SEPARATORS);
    let starts = name.match_indices(SEPARATORS).map(|(separator, _)| separator + 1);
    std::iter::once(0).chain(starts).find_map(|start| of(name.get(start..)?))
}

const SEPARATORS: [char; 4] = ['.', '-', '_', ' '];

fn of(name: &str) -> Option<AnyAlgorithm> {
    // As in `b2sum`.
    if name == "b2" { Some(AnyAlgorithm::Blake2b) } else { AnyAlgorithm::by_name(name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_manifests_say_their_algorithms() {
        for (name, algorithm) in [
            ("SHA3-256SUMS", AnyAlgorithm::Sha3_256),
            ("SHA256SUMS", AnyAlgorithm::Sha256),
            ("SHA512SUM", AnyAlgorithm::Sha512),
            ("sm3sums.txt", AnyAlgorithm::Sm3),
            ("sm3sum.TXT", AnyAlgorithm::Sm3),
            ("photos.sm3", AnyAlgorithm::Sm3),
            ("release-1.0-blake2s.txt", AnyAlgorithm::Blake2s),
            ("release_1.0_SHA512-256SUMS", AnyAlgorithm::Sha512_256),
            ("x.sha3-256", AnyAlgorithm::Sha3_256),
            ("a keccak256-sums", AnyAlgorithm::Keccak256),
            ("B2SUMS", AnyAlgorithm::Blake2b),
            ("x.b2", AnyAlgorithm::Blake2b),
        ] {
            assert_eq!(algorithm_of(name), Some(algorithm), "{name}");
        }
        for name in ["", "SUMS", "sums.txt", "-", "checksums", "sha3-256.list", "sha256x", "xsha256", "\u{e9}sums", "photos"] {
            assert_eq!(algorithm_of(name), None, "{name}");
        }
    }
}
