//! Manifests of every form, as the command reads them. What is read and written again means the
//! same.

use crate::choices::Choices;
use manyhash::AnyAlgorithm;
use manyhash_cli::hazmat::{Line, Style, manifest_lines, sum_line};
use std::path::Path;

/// Paths that decide on forms: bags say their algorithm in their name.
const PATHS: [&str; 5] = ["SHA256SUMS", "manifest-sha256.txt", "tagmanifest-sha512_256.txt", "x-1.dist-info/RECORD", "a.md5sums"];

const STYLES: [Style; 4] = [Style::Text, Style::Binary, Style::Tag, Style::Json];

/// Reads a manifest, writes what it says in each style, and reads that.
///
/// The first byte chooses the manifest's name and whether it is read as GNU's commands do, the
/// second one the algorithm that is asked for; all others are the manifest.
pub fn target(data: &[u8]) {
    let choices = &mut Choices::new(data);
    let (kind, wanted): (u8, u8) = (choices.any(), choices.any());
    let is_gnu = kind & 0x80 != 0;
    let path = Path::new(PATHS[usize::from(kind & 0x7f) % PATHS.len()]);
    let wanted = usize::from(wanted) % (AnyAlgorithm::ALL.len() + 1);
    // GNU's commands are of one algorithm each.
    let wanted = AnyAlgorithm::ALL.get(wanted).copied().or(is_gnu.then_some(AnyAlgorithm::Sha256));
    let text = choices.rest();

    let lines = manifest_lines(path, is_gnu, wanted, text);
    assert!(lines.is_sorted_by_key(|line| line.0), "numbers of lines grow");
    let mut together: [Vec<u8>; 4] = Default::default();
    let mut entries = Vec::new();
    for (number, line) in lines {
        match line {
            Line::Comment | Line::Malformed => {}
            Line::Unhashed(name) => assert!(!name.is_empty() && !name.contains(&0), "line {number} has an impossible name"),
            Line::Entry { algorithm, digest, name, size_bytes } => {
                let is_b2sum = is_gnu && wanted == Some(AnyAlgorithm::Blake2b) && algorithm == AnyAlgorithm::Blake2b256;
                let is_wanted = is_b2sum || wanted.is_none_or(|wanted| wanted == algorithm);
                assert!(is_wanted, "line {number}: another algorithm than the one asked for");
                assert!(!name.contains(&0), "line {number} has an impossible name");
                // A tag may say another length of BLAKE2b.
                if algorithm == AnyAlgorithm::Blake2b && digest.len() != algorithm.digest_bytes() {
                    assert!((1..algorithm.digest_bytes()).contains(&digest.len()), "line {number}");
                    continue;
                }
                assert_eq!(digest.len(), algorithm.digest_bytes(), "line {number}");
                // No file has such a name, and lines without a tag can't have it.
                if name.is_empty() {
                    continue;
                }
                for (style, together) in STYLES.into_iter().zip(&mut together) {
                    let line = sum_line(style, &name, algorithm, &digest, size_bytes.unwrap_or(0)).expect("lines of one digest");
                    together.extend(&line);
                    written(style, &line, algorithm, &digest, &name);
                }
                entries.push((algorithm, digest, name));
            }
        }
    }
    // Tags and JSON say the algorithm, so that such a manifest may have several.
    for (style, text) in STYLES.into_iter().zip(&together).skip(2) {
        let read: Vec<_> = manifest_lines(Path::new("m"), false, None, text).into_iter().map(|(_, line)| of_entry(line)).collect();
        let is_right = read.len() == entries.len() && read.iter().zip(&entries).all(|(read, entry)| read.as_ref() == Some(entry));
        assert!(is_right, "{style:?}: {}", text.escape_ascii());
    }
}

fn of_entry(line: Line) -> Option<(AnyAlgorithm, Vec<u8>, Vec<u8>)> {
    match line {
        Line::Entry { algorithm, digest, name, .. } => Some((algorithm, digest, name)),
        _ => None,
    }
}

/// A line that `sum` wrote is read as what was written, by us and by GNU's rules.
fn written(style: Style, line: &[u8], algorithm: AnyAlgorithm, digest: &[u8], name: &[u8]) {
    for is_gnu in [false, true] {
        if is_gnu && style == Style::Json {
            continue;
        }
        let mut read = manifest_lines(Path::new("m"), is_gnu, Some(algorithm), line);
        let read = (read.len() == 1).then(|| read.remove(0).1).and_then(of_entry);
        let expected = (algorithm, digest.to_vec(), name.to_vec());
        assert_eq!(read, Some(expected), "{style:?}, GNU: {is_gnu}: {}", line.escape_ascii());
    }
}
