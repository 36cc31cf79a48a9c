//! `Hasher` where the traits of the crate `digest` are asked for.
#![cfg(feature = "digest")]

use crate::support::{paint, reference_hmac};
use digest::{Digest, FixedOutputReset, KeyInit, Mac};
use hkdf::GenericHkdf;
use hmac::SimpleHmac;
use manyhash::{Algorithm, Hasher, hash};

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
