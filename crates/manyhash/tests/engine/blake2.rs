//! BLAKE2 with parameters, beside the official vectors of keys and what Python's hashlib computed.

use crate::support::backends::do_as_the_environment_says;
use crate::support::hex;
use manyhash::blake2::{Blake2, Node, ParameterError, Parameters};
use manyhash::{Blake2b, Blake2s, hash};

/// The BLAKE2 authors' known answers: the digest of the bytes 0, 1, ... of each length up to 255, under the key of bytes 0, 1, ... of the
/// longest length. `folded` is the digest of all 256 digests one after the other, by Python's hashlib.
fn known_answers<A: Blake2>(first: &str, last: &str, folded: &str) {
    let bytes: Vec<u8> = (0..=255).collect();
    let keyed = Parameters::<A>::new().key(&bytes[..A::MOST_KEY_BYTES]).unwrap();
    let messages: Vec<&[u8]> = (0..256).map(|length| &bytes[..length]).collect();
    let tags = keyed.hash_many(&messages);
    assert_eq!(hex(&tags[..A::DIGEST_BYTES]), first);
    assert_eq!(hex(&tags[255 * A::DIGEST_BYTES..]), last);
    assert_eq!(hex(hash::<A>(&tags).as_ref()), folded);
    for (message, tag) in messages.iter().zip(tags.chunks(A::DIGEST_BYTES)) {
        assert_eq!(keyed.hash(message), tag);
        let mut hasher = keyed.hasher();
        message.chunks(7).for_each(|piece| hasher.update(piece));
        assert_eq!(hasher.finalize(), tag);
    }
}

#[test]
fn tags_of_blake2b() {
    do_as_the_environment_says();
    known_answers::<Blake2b>(
        "10ebb67700b1868efb4417987acf4690ae9d972fb7a590c2f02871799aaa4786b5e996e8f0f4eb981fc214b005f42d2ff4233499391653df7aefcbc13fc51568",
        "142709d62e28fcccd0af97fad0f8465b971e82201dc51070faa0372aa43e92484be1c1e73ba10906d5d1853db6a4106e0a7bf9800d373d6dee2d46d62ef2a461",
        "79a51f891c56679c1fff4cff93a7f1ed2922d668560b880f2debecf630d3cdaff59d3bb380d18c3c24d91e214c20085e6b4b081adccb8fc3025a96e520eb7c34",
    );
}

#[test]
fn tags_of_blake2s() {
    do_as_the_environment_says();
    known_answers::<Blake2s>(
        "48a8997da407876b3d79c0d92325ad3b89cbb754d86ab71aee047ad345fd2c49",
        "3fb735061abc519dfe979e54c1ee5bfad0a9d858b3315bad34bde999efd724dd",
        "2582f7b18a91f66ef22aa9455384ada69b2590306a6470ee8588df75ee982f02",
    );
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
