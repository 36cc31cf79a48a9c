//! BLAKE2b with digests of 512 or 256 bits and no key (RFC 7693). Section numbers are those of the RFC.

use super::blake2::{SIGMA, blake2, quarter_rounds, rounds};
use super::ending::Counted;
use super::{Compression, algorithm};
use crate::isa::{ByteOrder, Count, Words};

algorithm! {
    /// BLAKE2b with a digest of 512 bits and no key. `b2sum` prints these. It has no HMAC here,
    /// because BLAKE2b has a keyed mode of its own (2.9).
    // The initial value includes the parameters: a digest of 64 bytes, no key, fan-out and depth 1
    // (2.5, 2.8). The count and the flags follow it.
    Blake2b, names("BLAKE2b", "BLAKE2b", "blake2b", "blake2b", Some("b2sum"), false), 64, Blake2bCompression, [
        INITIAL[0] ^ 0x01010040, INITIAL[1], INITIAL[2], INITIAL[3], INITIAL[4], INITIAL[5], INITIAL[6], INITIAL[7], 0, 0, 0, 0,
    ]
}

algorithm! {
    /// BLAKE2b with a digest of 256 bits and no key, which `b2sum -l 256` prints. It is not the beginning of
    /// the digest of 512 bits. [`blake2`](crate::blake2) has all other lengths.
    // A digest of 32 bytes, and otherwise as above.
    Blake2b256, names("BLAKE2b-256", "BLAKE2b-256", "blake2b-256", "blake2b256", None, false), 32, Blake2bCompression, [
        INITIAL[0] ^ 0x01010020, INITIAL[1], INITIAL[2], INITIAL[3], INITIAL[4], INITIAL[5], INITIAL[6], INITIAL[7], 0, 0, 0, 0,
    ]
}

/// The initial value without parameters, which is the one of SHA-512 (2.6).
pub(crate) const INITIAL: [u64; 8] = [
    0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
    0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179,
];

/// The compression function of BLAKE2b. [`Counted`] describes the words behind the chaining value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blake2bCompression;

blake2!(Blake2bCompression, u64, 63, "blake2b", [0xFCFE_90A8_E292_7E70, 0x0E18_9098_190D_A045], INITIAL, [32 24 16 63], 0 1 2 3 4 5 6 7 8 9 0 1);
