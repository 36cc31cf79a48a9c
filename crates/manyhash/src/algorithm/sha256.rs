//! SHA-224 and SHA-256 (FIPS 180-4, sections 6.2 and 6.3).

use super::ending::MerkleDamgard;
use super::sha2::sha2;
use super::{Compression, MAX_ROUNDS, algorithm};
use crate::isa::{ByteOrder, Count, Words};

algorithm! {
    /// SHA-224, with a digest of 224 bits.
    // Initial value: the second 32 bits of the fractional parts of the square roots of the 9th to
    // 16th primes (5.3.2).
    Sha224, names("SHA-224", "SHA224", "sha224", "sha224", Some("sha224sum"), true), 28, Sha256Compression, [
        0xC1059ED8, 0x367CD507, 0x3070DD17, 0xF70E5939, 0xFFC00B31, 0x68581511, 0x64F98FA7, 0xBEFA4FA4,
    ]
}

algorithm! {
    /// SHA-256, with a digest of 256 bits.
    // Initial value: the first 32 bits of the fractional parts of the square roots of the first
    // eight primes (5.3.3).
    Sha256, names("SHA-256", "SHA256", "sha256", "sha256", Some("sha256sum"), true), 32, Sha256Compression, [
        0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19,
    ]
}

/// The compression function of SHA-224 and SHA-256.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sha256Compression;

sha2!(Sha256Compression, u32, "sha256", [0xF752_32FC_090F_D075, 0xB6B3_D7D8_47AE_A3DE], ROUND_CONSTANTS, 2 13 22, 6 11 25, 7 18 3, 17 19 10);

/// FIPS 180-4, section 4.2.2: the first 32 bits of the fractional parts of the cube roots of the
/// first 64 primes.
pub(crate) static ROUND_CONSTANTS: [[u32; 16]; 4] = [
    [
        0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5,
        0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174,
    ],
    [
        0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
        0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967,
    ],
    [
        0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
        0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
    ],
    [
        0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3,
        0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208, 0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2,
    ],
];
