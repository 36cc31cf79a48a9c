//! BLAKE2s with digests of 256 bits and no key (RFC 7693). Section numbers are those of the RFC.

use super::blake2::{SIGMA, blake2, quarter_rounds, rounds};
use super::ending::Counted;
use super::{Compression, algorithm};
use crate::isa::{ByteOrder, Count, Words};

algorithm! {
    /// BLAKE2s with a digest of 256 bits and no key. It has no HMAC here, because BLAKE2s has a
    /// keyed mode of its own (2.9).
    // The initial value includes the parameters: a digest of 32 bytes, no key, fan-out and depth 1
    // (2.5, 2.8). The count and the flags follow it.
    Blake2s, names("BLAKE2s", "BLAKE2s", "blake2s", "blake2s", None, false), 32, Blake2sCompression, [
        INITIAL[0] ^ 0x01010020, INITIAL[1], INITIAL[2], INITIAL[3], INITIAL[4], INITIAL[5], INITIAL[6], INITIAL[7], 0, 0, 0, 0,
    ]
}

/// The initial value without parameters, which is the one of SHA-256 (2.6).
pub(crate) const INITIAL: [u32; 8] = [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19];

/// The compression function of BLAKE2s. [`Counted`] describes the words behind the chaining value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blake2sCompression;

blake2!(Blake2sCompression, u32, 31, "blake2s", [0xF2BF_1C5C_2BB9_E94E, 0x5EBC_1F88_F59C_C266], INITIAL, [16 12 8 7], 0 1 2 3 4 5 6 7 8 9);
