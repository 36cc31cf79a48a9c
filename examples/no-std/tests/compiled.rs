//! What was compiled in is all there is, and it is right.

use manyhash::backend::Backend;
use manyhash::{AnyAlgorithm, ForAlgorithm, Algorithm, hash, hash_many, tree};

/// Batches beside one message after the other.
struct Compare<'a>(&'a [Vec<u8>]);

impl ForAlgorithm for Compare<'_> {
    type Output = ();
    fn run<A: Algorithm>(self) {
        let one_by_one: Vec<A::Digest> = self.0.iter().map(|message| hash::<A>(message)).collect();
        assert_eq!(hash_many::<A>(self.0), one_by_one, "{}", A::NAME);
    }
}

#[test]
fn nothing_is_detected() {
    let names: Vec<String> = Backend::supported().iter().map(ToString::to_string).collect();
    assert!(names.contains(&"portable".into()));
    for (name, compiled) in [("sse2", cfg!(target_feature = "sse2")), ("avx2", cfg!(target_feature = "avx2")), ("neon", cfg!(target_feature = "neon"))] {
        assert_eq!(names.contains(&name.into()), compiled, "{name} of {names:?}");
    }
}

#[test]
fn batches_are_right() {
    let messages: Vec<Vec<u8>> = (0..300).map(|bytes| (0..bytes).map(|i| (i * bytes) as u8).collect()).collect();
    for algorithm in AnyAlgorithm::ALL {
        algorithm.with(Compare(&messages));
    }
    let images: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
    assert_eq!(no_std::digests_of_pieces(&images, 37), no_std::digests(&images));
    // FIPS 180-4's example, and RFC 4231, test case 2.
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    assert_eq!(hex(&no_std::digests(&[b"abc"])[0]), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    let tags = no_std::tags(b"Jefe", &[b"what do ya want for nothing?"]);
    assert_eq!(hex(&tags[0]), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    // `git hash-object` of 100,000 bytes `x`.
    assert_eq!(hex(&tree::git::blob_ids::<manyhash::Sha1>(&["x".repeat(100_000)])[0]), GIT_ID);
}

const GIT_ID: &str = "56e0448612acbb706b96b7e8e46a210f15386a38";
