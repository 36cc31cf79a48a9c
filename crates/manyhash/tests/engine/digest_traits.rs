//! `Hasher` where the traits of the crate `digest` are asked for.

use crate::support::{paint, reference_hmac};
use digest::{Digest, FixedOutputReset, KeyInit, Mac};
use hkdf::GenericHkdf;
use hmac::SimpleHmac;
use manyhash::{Algorithm, DigestMany, Hasher, OneByOne, hash};

fn of_two_pieces<D: Digest>(one: &[u8], other: &[u8]) -> Vec<u8> {
    D::new().chain_update(one).chain_update(other).finalize().to_vec()
}

fn check<A: Algorithm>()
where
    Hasher<A>: Digest + FixedOutputReset,
{
    let expected = hash::<A>(b"one and other").as_ref().to_vec();
    assert_eq!(of_two_pieces::<Hasher<A>>(b"one and", b" other"), expected, "{}", A::NAME);
    assert_eq!(<Hasher<A> as Digest>::output_size(), A::DIGEST_BYTES);
    let mut hasher = Hasher::<A>::new();
    for _ in 0..2 {
        Digest::update(&mut hasher, b"one and other");
        assert_eq!(Digest::finalize_reset(&mut hasher).to_vec(), expected, "{}, after a reset too", A::NAME);
    }
}

macro_rules! every_algorithm { ([] $($Algorithm:ident)*) => { $(check::<manyhash::$Algorithm>();)* } }

#[test]
fn a_hasher_is_a_digest() {
    manyhash::for_each_algorithm!(every_algorithm []);
}

fn is_taken_for_hmac_and_hkdf<A: Algorithm>()
where
    Hasher<A>: digest::common::BlockSizeUser + Digest + FixedOutputReset + Clone,
{
    for key_bytes in [0, 20, A::BLOCK_BYTES, A::BLOCK_BYTES + 1] {
        let (key, message) = (paint(1, key_bytes), paint(2, 500));
        let mut mac = <SimpleHmac<Hasher<A>> as KeyInit>::new_from_slice(&key).expect("a key of any length");
        mac.update(&message);
        let expected = reference_hmac::<A>().tag(&key, &message);
        assert_eq!(mac.finalize().into_bytes().to_vec(), expected, "{}, a key of {key_bytes} bytes", A::NAME);
    }
    if !A::HAS_HMAC {
        return;
    }
    let mut expanded = vec![0; 2 * A::DIGEST_BYTES + 3];
    GenericHkdf::<SimpleHmac<Hasher<A>>>::new(Some(b"salt"), b"secret").expand(b"info", &mut expanded).expect("few bytes");
    let key = manyhash::hmac::hkdf_extract::<A>(b"salt", b"secret");
    let expected = manyhash::hmac::hkdf_expand(&[key], &["info"], expanded.len()).expect("few bytes");
    assert_eq!([expanded], *expected, "{}", A::NAME);
}

macro_rules! hmac_of_every_algorithm { ([] $($Algorithm:ident)*) => { $(is_taken_for_hmac_and_hkdf::<manyhash::$Algorithm>();)* } }

#[test]
fn rustcrypto_makes_hmac_and_hkdf_of_a_hasher() {
    manyhash::for_each_algorithm!(hmac_of_every_algorithm []);
}

fn messages() -> Vec<Vec<u8>> {
    (0..70).map(|i| paint(i, (i * 37) % 300)).collect()
}

fn one_by_one<D: Digest>(messages: &[Vec<u8>]) -> Vec<digest::Output<D>> {
    messages.iter().map(D::digest).collect()
}

fn many_are_as_one_by_one<A: Algorithm>()
where
    Hasher<A>: DigestMany + Digest,
{
    for count in [0, 1, 2, 70] {
        let messages = &messages()[..count];
        assert_eq!(Hasher::<A>::digest_many(messages), one_by_one::<Hasher<A>>(messages), "{}, {count}", A::NAME);
    }
}

macro_rules! many_of_every_algorithm { ([] $($Algorithm:ident)*) => { $(many_are_as_one_by_one::<manyhash::$Algorithm>();)* } }

#[test]
fn many_digests_come_from_one_call() {
    manyhash::for_each_algorithm!(many_of_every_algorithm []);
}

#[test]
fn another_hash_function_is_one_of_many_messages() {
    let messages = messages();
    let expected = Hasher::<manyhash::Sha256>::digest_many(&messages);
    assert_eq!(OneByOne::<sha2::Sha256>::digest_many(&messages), expected);
    assert_eq!(one_by_one::<OneByOne<sha2::Sha256>>(&messages), expected);
    assert_eq!(of_two_pieces::<OneByOne<sha2::Sha256>>(b"one and", b" other"), hash::<manyhash::Sha256>(b"one and other"));
    is_reset::<OneByOne<sha2::Sha256>>();
}

fn is_reset<D: Digest + FixedOutputReset>() {
    let mut hasher = D::new_with_prefix(b"dropped");
    Digest::reset(&mut hasher);
    for _ in 0..2 {
        Digest::update(&mut hasher, b"abc");
        assert_eq!(Digest::finalize_reset(&mut hasher), D::digest(b"abc"));
    }
}

#[test]
#[should_panic(expected = "2 messages")]
fn room_for_fewer_digests_than_messages_is_refused() {
    let mut digests = [Default::default(); 1];
    OneByOne::<sha2::Sha256>::digest_many_into(&["one", "two"], &mut digests);
}
