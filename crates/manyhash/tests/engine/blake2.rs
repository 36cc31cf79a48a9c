//! BLAKE2 with parameters, beside the official vectors of keys and what Python's hashlib computed.

use crate::support::backends::do_as_the_environment_says;
use crate::support::{hex, rsp};
use manyhash::blake2::{Blake2, Node, ParameterError, Parameters};
use manyhash::{Blake2b, Blake2s, hash};

/// A column of the BLAKE2 authors' known answers: the digests of the bytes 0, 1, ... of each length up to 255. Columns are BLAKE2b, BLAKE2s,
/// BLAKE2bp, BLAKE2sp, and behind each of them the same under the key of bytes 0, 1, ... of the longest length.
pub fn known_answers(column: usize) -> Vec<String> {
    let text = std::fs::read_to_string(rsp::vectors_folder().join("blake2/known-answers.txt")).expect("the authors' vectors");
    let answers: Vec<String> = text.lines().map(|line| line.split(' ').nth(1 + column).expect("a column").to_owned()).collect();
    assert_eq!(answers.len(), 256);
    answers
}

/// Gives a message to `take` in pieces of so many bytes.
pub fn in_pieces(message: &[u8], piece_bytes: usize, take: impl FnMut(&[u8])) {
    message.chunks(piece_bytes).for_each(take);
}

fn answers_of_the_authors<A: Blake2>(column: usize) {
    let bytes: Vec<u8> = (0..=255).collect();
    let messages: Vec<&[u8]> = (0..256).map(|length| &bytes[..length]).collect();
    let keyed = Parameters::<A>::new().key(&bytes[..A::MOST_KEY_BYTES]).unwrap();
    for (column, parameters) in [(column, Parameters::new()), (column + 1, keyed)] {
        let expected = known_answers(column);
        assert_eq!(hex(&parameters.hash_many(&messages)), expected.concat(), "{parameters:?}: all together");
        for (message, expected) in messages.iter().zip(&expected) {
            assert_eq!(hex(&parameters.hash(message)), *expected, "{parameters:?}: {} bytes", message.len());
            let mut hasher = parameters.hasher();
            in_pieces(message, 7, |piece| hasher.update(piece));
            assert_eq!(hex(&hasher.finalize()), *expected, "{parameters:?}: {} bytes in pieces", message.len());
        }
    }
}

#[test]
fn the_authors_known_answers() {
    do_as_the_environment_says();
    answers_of_the_authors::<Blake2b>(0);
    answers_of_the_authors::<Blake2s>(2);
}

#[test]
fn the_plain_parameters_are_the_algorithm() {
    do_as_the_environment_says();
    assert_eq!(Parameters::<Blake2b>::new().hash(b"abc"), hash::<Blake2b>(b"abc"));
    assert_eq!(Parameters::<Blake2s>::default().key(b"").unwrap().hash(b"abc"), hash::<Blake2s>(b"abc"));
}

/// By Python's hashlib: digest_size, salt, person, and the nodes of a tree.
#[test]
fn every_parameter_counts() {
    do_as_the_environment_says();
    let all = Parameters::<Blake2b>::new().digest_bytes(20).unwrap().salt(b"salt").unwrap().personal(b"a person").unwrap();
    assert_eq!(hex(&all.hash(b"abc")), "008f2ddc367c72f93bd37319ed37752f5c580cbf");
    let all = Parameters::<Blake2s>::new().digest_bytes(20).unwrap().salt(b"salt").unwrap().personal(b"a person").unwrap();
    assert_eq!(hex(&all.hash(b"abc")), "3713368aee6c4e9d30a8e65c497d9461d66c1844");
    let mut node = Node { fan_out: 3, depth: 4, leaf_bytes: 4096, offset: 0x0102_0304_0506, level: 1, inner_bytes: 32, is_last: false };
    assert_eq!(
        hex(&Parameters::<Blake2b>::new().node(node).unwrap().hash(b"abc")),
        "0184f226771dd74aedf301ec49ae1d8056b11ee55f36d1c8bb899d3b2fa35f226f0967535e03b46d17288b6d1641c8e4c9c95c36f688a8c99ac2828f27fe46b6"
    );
    assert_eq!(
        hex(&Parameters::<Blake2s>::new().node(node).unwrap().hash(b"abc")),
        "7dc9a7cb73332fae572318765e0f9a18d7bc2bcbb9fa032a7ecfb194a20893df"
    );
    node.is_last = true;
    let long = [7; 1000];
    assert_eq!(
        hex(&Parameters::<Blake2b>::new().node(node).unwrap().hash(&long)),
        "d208bca55e7a5161d5a35d4a06f90c23dec7bd8fa1e1d8362d79c76835ef12c55ee92a912c3d7658786adde84c11e64082b1e9887333c869dbb6741234c13511"
    );
    assert_eq!(
        hex(&Parameters::<Blake2s>::new().node(node).unwrap().hash_many(&[&long[..], b""])[..32]),
        "b765337ca0f277776dafc80bacb517736567bdc636817108554191b4d7f34641"
    );
}

#[test]
fn what_is_too_long_is_named() {
    do_as_the_environment_says();
    let refused = |result: Result<Parameters<Blake2s>, ParameterError>| result.map(drop).unwrap_err().to_string();
    let plain = Parameters::<Blake2s>::new;
    assert_eq!(refused(plain().digest_bytes(0)), "digest_bytes is 0; it must be 1 to 32");
    assert_eq!(refused(plain().digest_bytes(33)), "digest_bytes is 33; it must be 1 to 32");
    assert_eq!(refused(plain().key(&[1; 33])), "the length of key is 33; it must be 0 to 32");
    assert_eq!(refused(plain().salt(&[1; 9])), "the length of salt is 9; it must be 0 to 8");
    assert_eq!(refused(plain().personal(&[1; 9])), "the length of personal is 9; it must be 0 to 8");
    let node = Node { fan_out: 2, depth: 2, leaf_bytes: 0, offset: 1 << 48, level: 0, inner_bytes: 32, is_last: false };
    assert_eq!(refused(plain().node(node)), "offset is 281474976710656; it must be 0 to 281474976710655");
    assert_eq!(refused(plain().node(Node { offset: 0, depth: 0, ..node })), "depth is 0; it must be 1 to 255");
    assert_eq!(refused(plain().node(Node { offset: 0, inner_bytes: 33, ..node })), "inner_bytes is 33; it must be 0 to 32");
    let text = format!("{:?}", plain().key(b"secret").unwrap());
    assert_eq!(text, "Parameters { algorithm: \"BLAKE2s\", digest_bytes: 32, key_bytes: 6, .. }");
}
