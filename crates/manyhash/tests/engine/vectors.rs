//! Official vectors, NIST's where it has them, through every door: the reference, `hash`,
//! `hash_many`, `Hasher`, and every backend this CPU can run.
//!
//! The procedures are those of "The Secure Hash Algorithm Validation System (SHAVS)", 6.2 to 6.4.

use crate::support::backends::{doors_not_forced, forced_backend_lacks, report_doors};
use crate::support::{assert_digests, records, rsp};
use manyhash::{Algorithm, Hasher};

/// Through every door; `count` vectors are in the file.
fn messages<A: Algorithm>(kind: &str, count: usize) {
    let (file, text) = rsp::read(A::NAME, kind);
    let vectors = rsp::parse_messages(&text, A::DIGEST_BYTES).unwrap_or_else(|error| panic!("{file}: {error}"));
    assert_eq!(vectors.len(), count, "{file}: number of vectors");
    let (messages, expected): (Vec<_>, Vec<_>) = vectors.into_iter().map(|vector| (vector.message, vector.digest)).unzip();

    let reference = crate::support::expected::<A>(&messages);
    for (index, (digest, expected)) in reference.iter().zip(&expected).enumerate() {
        assert_eq!(digest, expected, "{file}: the reference, message {index}");
    }
    let check = |digests: &[A::Digest], door: &str| {
        assert_digests::<A>(digests, &expected, &messages, &format!("{file}, {door}"));
    };
    check(&messages.iter().map(|message| manyhash::hash::<A>(message)).collect::<Vec<_>>(), "hash");
    check(&messages.iter().map(|message| in_pieces::<A>(message)).collect::<Vec<_>>(), "Hasher");
    for door in doors_not_forced::<A>() {
        check(&door.hash_many::<A>(&messages), door.name());
    }
}

/// Through a `Hasher`, in pieces of uneven sizes with empty ones between.
fn in_pieces<A: Algorithm>(message: &[u8]) -> A::Digest {
    let mut hasher = Hasher::<A>::new();
    let mut rest = message;
    for size in [1, 0, 3, 64, 7, 129, 0, 55, 256, 1000].into_iter().cycle() {
        let (piece, after) = rest.split_at(rest.len().min(size));
        hasher.update(piece);
        rest = after;
        if rest.is_empty() {
            break;
        }
    }
    hasher.finalize()
}

fn short_messages<A: Algorithm>() {
    report_doors::<A>();
    messages::<A>("ShortMsg", A::BLOCK_BYTES + 1);
}
manyhash::for_each_algorithm!(per_algorithm[short_messages]);

fn long_messages<A: Algorithm>() {
    messages::<A>("LongMsg", if is_sha3::<A>() { 100 } else { A::BLOCK_BYTES });
}
manyhash::for_each_algorithm!(per_algorithm[long_messages]);

/// Checks messages and their digests in hexadecimal digits through every door.
fn suite<A: Algorithm>(suite: &[(&str, &str)]) {
    if forced_backend_lacks::<A>() {
        return;
    }
    let (messages, expected): (Vec<&str>, Vec<&str>) = suite.iter().copied().unzip();
    for door in doors_not_forced::<A>() {
        let digests: Vec<String> = door.hash_many::<A>(&messages).iter().map(|digest| crate::support::hex(digest.as_ref())).collect();
        assert_eq!(digests, expected, "{}", door.name());
    }
}

/// The test suite of RFC 1321, A.5.
#[test]
fn md5_suite() {
    suite::<manyhash::Md5>(&[
        ("", "d41d8cd98f00b204e9800998ecf8427e"),
        ("a", "0cc175b9c0f1b6a831c399e269772661"),
        ("abc", "900150983cd24fb0d6963f7d28e17f72"),
        ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
        ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"),
        ("12345678901234567890123456789012345678901234567890123456789012345678901234567890", "57edf4a22be3c955ac49da2e2107b67a"),
    ]);
}

/// The examples of GM/T 0004-2012, appendix A.
#[test]
fn sm3_examples() {
    suite::<manyhash::Sm3>(&[
        ("abc", "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0"),
        (
            "abcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcd",
            "debe9ff92275b8a138604889c18e5a4d6fdb70e5387e5765293dcba39c0c5732",
        ),
    ]);
}

/// Steps from one checkpoint of the Monte Carlo test to the next.
const STEPS: usize = 1000;

/// Whether the procedures are those of "The Secure Hash Algorithm-3 Validation System (SHA3VS)".
fn is_sha3<A: Algorithm>() -> bool {
    A::NAME.starts_with("SHA3-")
}

/// Digests of three digests, of one by SHA3VS, over and over: once as SHAVS writes it, through `hash`, and then with
/// all 100 stretches between checkpoints side by side as one batch. A stretch begins with the
/// checkpoint before it, so the batch does the same work, with other bytes in every lane.
fn monte_carlo<A: Algorithm>() {
    let (file, text) = rsp::read(A::NAME, "Monte");
    let rsp::MonteCarlo { seed, checkpoints } =
        rsp::parse_monte_carlo(&text, A::DIGEST_BYTES).unwrap_or_else(|error| panic!("{file}: {error}"));
    assert_eq!(checkpoints.len(), 100, "{file}: number of checkpoints");

    let digests = steps_by_hash::<A>(&file, &seed, &checkpoints);

    for door in doors_not_forced::<A>() {
        let starts = [&seed].into_iter().chain(&checkpoints).take(checkpoints.len());
        let mut stretches: Vec<Vec<u8>> = starts.map(|start| start.repeat(digests)).collect();
        for _ in 0..STEPS {
            let next = door.hash_many::<A>(&stretches);
            for (last, digest) in stretches.iter_mut().zip(next) {
                shift::<A>(last, digest.as_ref());
            }
        }
        for (count, (last, checkpoint)) in stretches.iter().zip(&checkpoints).enumerate() {
            assert_eq!(&last[(digests - 1) * A::DIGEST_BYTES..], checkpoint, "{file}, {}: COUNT = {count}", door.name());
        }
    }
}
manyhash::for_each_algorithm!(per_algorithm[monte_carlo]);

/// The steps as SHAVS writes them. Returns how many digests each is made of.
fn steps_by_hash<A: Algorithm>(file: &str, seed: &[u8], checkpoints: &[Vec<u8>]) -> usize {
    let digests = if is_sha3::<A>() { 1 } else { 3 };
    let mut start = seed.to_vec();
    for (count, checkpoint) in checkpoints.iter().enumerate() {
        let mut last = start.repeat(digests);
        for _ in 0..STEPS {
            let digest = manyhash::hash::<A>(&last);
            shift::<A>(&mut last, digest.as_ref());
        }
        start = last.split_off((digests - 1) * A::DIGEST_BYTES);
        assert_eq!(&start, checkpoint, "{file}, hash: COUNT = {count}");
    }
    digests
}

/// NIST's vectors of the Automated Cryptographic Validation Protocol: a message, and a Monte Carlo test from another seed
/// than that of the response files.
fn acvp<A: Algorithm>() {
    let records = records::read("acvp/hash.txt");
    let of_mine = records.iter().filter(|record| record.has(A::NAME));
    let mut count = 0;
    for record in of_mine {
        let (case, expected) = (record.text("case"), record.bytes(A::NAME));
        if record.has("seed") {
            let checkpoints: Vec<Vec<u8>> = expected.chunks(A::DIGEST_BYTES).map(<[u8]>::to_vec).collect();
            assert_eq!(checkpoints.len(), 100, "{case}");
            steps_by_hash::<A>(case, &record.bytes("seed"), &checkpoints);
        } else {
            let message = record.bytes("message");
            assert_eq!(crate::support::expected::<A>(&[&message]), [&expected[..]], "{case}, the reference");
            assert_eq!(manyhash::hash::<A>(&message).as_ref(), expected, "{case}, hash");
            for door in doors_not_forced::<A>() {
                assert_eq!(door.hash_many::<A>(&[&message])[0].as_ref(), expected, "{case}, {}", door.name());
            }
        }
        count += 1;
    }
    assert_eq!(count, if has_acvp::<A>() { 2 } else { 0 }, "{}: number of vectors", A::NAME);
}

/// Returns whether the package has vectors of the algorithm: SHA-2 and SHA3-256.
pub fn has_acvp<A: Algorithm>() -> bool {
    A::NAME == "SHA3-256" || A::NAME.starts_with("SHA-") && A::NAME != "SHA-1"
}
manyhash::for_each_algorithm!(per_algorithm[acvp]);

/// Digests in a row lose the first and gain a last.
fn shift<A: Algorithm>(last: &mut [u8], digest: &[u8]) {
    last.copy_within(A::DIGEST_BYTES.., 0);
    let kept = last.len() - A::DIGEST_BYTES;
    last[kept..].copy_from_slice(digest);
}

/// Folders without the three files of each algorithm.
const OTHER_FOLDERS: [&str; 7] = ["acvp", "blake2", "blake3", "pycryptodome", "remote-apis", "rfc", "xkcp"];

/// The files are those that `vectors/SOURCES.md` lists, byte for byte, and none else.
#[test]
fn files_are_unmodified() {
    let vectors = rsp::vectors_folder();
    let sources = std::fs::read_to_string(vectors.join("SOURCES.md")).expect("vectors/SOURCES.md");
    let listed: Vec<(&str, &str)> = sources
        .lines()
        .filter_map(|line| line.split_once("  "))
        .filter(|(digest, _)| digest.len() == 64 && digest.bytes().all(|digit| digit.is_ascii_hexdigit()))
        .collect();
    for (digest, path) in &listed {
        let bytes = std::fs::read(vectors.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert_eq!(&crate::support::hex(&reference::sha256(&bytes)), digest, "{path} was changed");
    }
    let mut listed: Vec<String> = listed.into_iter().map(|(_, path)| path.to_owned()).filter(|path| path.contains('/')).collect();
    let folders = rsp::FOLDERS.iter().chain(&OTHER_FOLDERS);
    let files = |folder: &str| std::fs::read_dir(vectors.join(folder)).unwrap_or_else(|error| panic!("vectors/{folder}: {error}"));
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("an entry").file_name().into_string().expect("UTF-8");
    let mut present: Vec<String> = folders.flat_map(|folder| files(folder).map(move |entry| format!("{folder}/{}", name(entry)))).collect();
    listed.sort_unstable();
    present.sort_unstable();
    assert_eq!(present, listed);
    macro_rules! count { ([] $($Algorithm:ident)*) => { [$(stringify!($Algorithm)),*].len() } }
    present.retain(|path| !OTHER_FOLDERS.iter().any(|folder| path.split('/').next() == Some(folder)) && !path.contains("SHAKE"));
    assert_eq!(present.len(), 3 * manyhash::for_each_algorithm!(count []), "three files for each algorithm");
}

/// What the reader of response files must not let pass.
mod damaged_files {
    use super::rsp::{parse_messages, parse_monte_carlo};

    const GOOD: &str = "# comment\r\n\r\n[L = 2]\r\n\r\n\
                        Len = 0\r\nMsg = 00\r\nMD = beef\r\n\r\n\
                        Len = 16\r\nMsg = 0102\r\nMD = cafe\r\n";

    #[test]
    fn a_good_file_is_read() {
        let vectors = parse_messages(GOOD, 2).expect("good");
        assert_eq!(vectors.len(), 2);
        assert_eq!((&vectors[0].message[..], &vectors[0].digest[..]), (&[][..], &[0xbe, 0xef][..]));
        assert_eq!((&vectors[1].message[..], &vectors[1].digest[..]), (&[1, 2][..], &[0xca, 0xfe][..]));
    }

    #[test]
    fn damage_is_told_by_line() {
        for (good, damaged, error) in [
            ("[L = 2]", "[L = 3]", "line 3: \"[L = 3]\" is not \"[L = 2]\""),
            ("Len = 16", "Len = 24", "line 10: Msg has 16 bits, Len says 24"),
            ("Len = 16", "Len = x", "line 9: Len \"x\": invalid digit found in string"),
            ("Msg = 0102", "Msg = 01g2", "line 10: Msg \"01g2\" is not hexadecimal"),
            ("Msg = 0102", "Msg = 010", "line 10: Msg \"010\" is not hexadecimal"),
            ("MD = cafe", "MD = cafe00", "line 11: MD has 3 bytes, not 2"),
            ("MD = cafe", "", "the file ends before MD"),
            ("MD = beef", "", "line 9: \"Len = 16\" is not \"MD\""),
        ] {
            assert_eq!(parse_messages(&GOOD.replace(good, damaged), 2).expect_err(damaged), error);
        }
        assert_eq!(parse_messages("", 2).expect_err("empty"), "the file ends before [L = 2]");
    }

    #[test]
    fn a_missing_checkpoint_is_told() {
        let text = "[L = 1]\nSeed = 00\nCOUNT = 0\nMD = 01\nCOUNT = 2\nMD = 02\n";
        assert_eq!(parse_monte_carlo(text, 1).expect_err("count"), "line 5: COUNT is 2, not 1");
        assert_eq!(parse_monte_carlo(&text.replace("= 2", "= 1"), 1).expect("good").checkpoints, [[1], [2]]);
        assert_eq!(parse_monte_carlo(&text.replace("= 00", "= 0000"), 1).expect_err("seed"), "line 2: Seed has 2 bytes, not 1");
    }
}
