//! BLAKE2bp and BLAKE2sp: the authors' known answers, and vectors of longer messages and of every parameter.

use crate::blake2::{in_pieces, known_answers};
use crate::support::backends::{do_as_the_environment_says, forced_backend_lacks};
use crate::support::{Random, hex, paint, records};
use manyhash::blake2::{Blake2, Parallel, Parameters};
use manyhash::{Blake2b, Blake2s};

fn plain<A: Blake2>() -> Parallel<A> {
    Parallel::new(Parameters::new())
}

/// Hashes one message in pieces of so many bytes.
fn by_pieces<A: Blake2>(mode: &Parallel<A>, message: &[u8], piece_bytes: usize) -> Vec<u8> {
    let mut hasher = mode.hasher();
    in_pieces(message, piece_bytes, |piece| hasher.update(piece));
    hasher.finalize()
}

fn answers_of_the_authors<A: Blake2>(column: usize) {
    let bytes: Vec<u8> = (0..=255).collect();
    let messages: Vec<&[u8]> = (0..256).map(|length| &bytes[..length]).collect();
    let keyed = Parallel::<A>::new(Parameters::new().key(&bytes[..A::MOST_KEY_BYTES]).unwrap());
    for (column, mode) in [(column, plain::<A>()), (column + 1, keyed)] {
        let expected = known_answers(column);
        for (message, expected) in messages.iter().zip(&expected) {
            assert_eq!(hex(&mode.hash(message)), *expected, "{mode:?}: {} bytes", message.len());
            assert_eq!(hex(&by_pieces(&mode, message, 7)), *expected, "{mode:?}: {} bytes in pieces", message.len());
        }
        assert_eq!(hex(&mode.hash_many(&messages)), expected.concat(), "{mode:?}: all together");
    }
}

#[test]
fn the_authors_known_answers() {
    do_as_the_environment_says();
    answers_of_the_authors::<Blake2b>(4);
    answers_of_the_authors::<Blake2s>(6);
}

/// What a record says of a message.
struct Case<A: Blake2> {
    mode: Parallel<A>,
    message: Vec<u8>,
    digest: Vec<u8>,
}

fn cases<A: Blake2>(name: &str) -> Vec<Case<A>> {
    let of = |record: &records::Record| {
        let bytes = |name: &str| paint(0, record.text(name).parse().expect("a length"));
        let digest = record.bytes("digest");
        let parameters = Parameters::new().digest_bytes(digest.len()).unwrap().key(&bytes("key_bytes")).unwrap();
        let parameters = parameters.salt(&bytes("salt_bytes")).unwrap().personal(&bytes("person_bytes")).unwrap();
        Case { mode: Parallel::new(parameters), message: bytes("message_bytes"), digest }
    };
    records::read("blake2/parallel.txt").iter().filter(|record| record.text("function") == name).map(of).collect()
}

fn longer_messages_of<A: Blake2>(name: &str) {
    let cases = cases::<A>(name);
    assert_eq!(cases.len(), 23 * 3);
    for Case { mode, message, digest } in &cases {
        assert_eq!(hex(&mode.hash(message)), hex(digest), "{mode:?}: {} bytes", message.len());
        for piece_bytes in [1, 64, 100, 128, 512, 513, 3000, message.len().max(1)] {
            assert_eq!(hex(&by_pieces(mode, message, piece_bytes)), hex(digest), "{mode:?}: {} bytes by {piece_bytes}", message.len());
        }
        // Beside messages of other lengths.
        let messages: Vec<&[u8]> = cases.iter().map(|case| &case.message[..]).collect();
        let place = messages.iter().position(|other| other == message).expect("itself");
        let together = mode.hash_many(&messages);
        assert_eq!(hex(&together[place * digest.len()..][..digest.len()]), hex(digest), "{mode:?}: among others");
    }
}

#[test]
fn longer_messages_and_every_parameter() {
    if forced_backend_lacks::<Blake2b>() && forced_backend_lacks::<Blake2s>() {
        return;
    }
    longer_messages_of::<Blake2b>("BLAKE2bp");
    longer_messages_of::<Blake2s>("BLAKE2sp");
}

fn batches_of<A: Blake2>(random: &mut Random, seed: u64) {
    let text = paint(4, 30_000);
    let keyed = Parallel::<A>::new(Parameters::new().digest_bytes(20).unwrap().key(b"secret").unwrap());
    for mode in [plain(), keyed] {
        for _ in 0..20 {
            let count = random.one_of(&[0, 1, 2, 3, 9, 40, 1030]);
            let longest = if count > 1000 { 700 } else { random.one_of(&[1, 130, 600, 5000, 30_000]) };
            let messages: Vec<&[u8]> = (0..count).map(|_| &text[..random.below(longest)]).collect();
            let (digests, digest_bytes) = (mode.hash_many(&messages), mode.hash(b"").len());
            assert_eq!(digests.len(), count * digest_bytes);
            for (i, (message, digest)) in messages.iter().zip(digests.chunks(digest_bytes)).enumerate() {
                let pieces = by_pieces(&mode, message, 1 + random.below(3000));
                assert_eq!(hex(digest), hex(&pieces), "{mode:?}, seed {seed}: message {i} of {count}, {} bytes", message.len());
            }
        }
    }
}

/// Many messages beside the same messages in pieces, which are hashed in another order, and of which the vectors above say that they are right.
#[test]
fn random_batches() {
    if forced_backend_lacks::<Blake2b>() && forced_backend_lacks::<Blake2s>() {
        return;
    }
    let (seed, mut random) = Random::replayable(0xB2);
    batches_of::<Blake2b>(&mut random, seed);
    batches_of::<Blake2s>(&mut random, seed);
}

#[test]
fn a_node_is_replaced_and_a_key_is_not_shown() {
    do_as_the_environment_says();
    let node = manyhash::blake2::Node { fan_out: 9, depth: 3, leaf_bytes: 7, offset: 5, level: 1, inner_bytes: 3, is_last: true };
    let other = Parallel::<Blake2s>::new(Parameters::new().node(node).unwrap());
    assert_eq!(other.hash(b"abc"), plain::<Blake2s>().hash(b"abc"));
    assert_eq!((Parallel::<Blake2b>::LEAVES, Parallel::<Blake2s>::LEAVES), (4, 8));
    let keyed = Parallel::<Blake2b>::new(Parameters::new().key(b"secret").unwrap());
    assert_eq!(
        format!("{keyed:?}"),
        "Parallel { parameters: Parameters { algorithm: \"BLAKE2b\", digest_bytes: 64, key_bytes: 6, .. }, .. }"
    );
    assert_eq!(format!("{:?}", keyed.hasher()), "ParallelHasher { algorithm: \"BLAKE2b\", .. }");
}

#[test]
#[should_panic(expected = "2 messages have digests of 128 bytes, and there is room for 127")]
fn room_must_fit() {
    do_as_the_environment_says();
    plain::<Blake2b>().hash_many_into(&["", "a"], &mut [0; 127]);
}
