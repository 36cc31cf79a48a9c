//! `Hasher` where the traits of the crate `digest` are asked for.
#![cfg(feature = "digest")]

use digest::{Digest, FixedOutputReset};
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
