//! AMD's Zen 3.
//!
//! **Modelled, not measured**, by llvm-mca for `znver3` at 3 GHz. Kernels of the SHA
//! extensions have the cycles of `zen-5`, whose unit is the most like.
//!
//! Written by `vectors/modelled_costs.py`, which says how, but for BLAKE2b and SM3. These are Zen 4's
//! figures, each times what the same kernel of BLAKE2s or SHA-256 takes here as a share of what it takes
//! there.
//!
//! BLAKE3's figures are estimates: 0.71 of BLAKE2s', for 7 rounds in place of 10. TurboSHAKE's are 0.51 of SHA3-256's,
//! for 12 rounds in place of 24.
//! `avx` is taken to cost what `avx2` does: as many operations, on half as many bits.

use super::Family;

pub(super) const ZEN_3: Family = Family {
    name: "zen-3",
    besides_percent: 100,
    table: &[
        ("md5", "portable", 102_000),
        ("md5", "portable-x2", 111_000),
        ("md5", "sse2", 141_000),
        ("md5", "sse2x2", 178_000),
        ("md5", "avx", 128_000),
        ("md5", "avx2", 128_000),
        ("md5", "avx2x2", 164_000),
        ("sha1", "portable", 82_200),
        ("sha1", "avx-scalar", 69_700),
        ("sha1", "bmi2", 62_000),
        ("sha1", "sse2", 161_000),
        ("sha1", "avx", 157_000),
        ("sha1", "avx2", 157_000),
        ("sha1", "sha-ni", 40_700),
        ("sha1", "sha-ni-x2", 44_800),
        ("sha1", "sha-ni-x3", 53_200),
        ("sha1", "sha-ni-x4", 62_500),
        ("sha256", "portable", 195_000),
        ("sha256", "avx-scalar", 146_000),
        ("sha256", "bmi2", 133_000),
        ("sha256", "sse2", 318_000),
        ("sha256", "avx", 320_000),
        ("sha256", "avx2", 320_000),
        ("sha256", "sha-ni", 42_400),
        ("sha256", "sha-ni-x2", 60_100),
        ("sha256", "sha-ni-x3", 77_200),
        ("sha256", "sha-ni-x4", 97_000),
        ("sha512", "portable", 245_000),
        ("sha512", "avx-scalar", 266_000),
        ("sha512", "bmi2", 234_000),
        ("sha512", "sse2", 396_000),
        ("sha512", "avx", 379_000),
        ("sha512", "avx2", 379_000),
        ("sha3_256", "portable", 375_000),
        ("sha3_256", "sse2", 501_000),
        ("sha3_256", "avx", 466_000),
        ("sha3_256", "avx2", 466_000),
        ("turboshake", "portable", 191_000),
        ("turboshake", "sse2", 256_000),
        ("turboshake", "avx", 238_000),
        ("turboshake", "avx2", 238_000),
        ("blake2s", "portable", 118_000),
        ("blake2s", "sse2", 227_000),
        ("blake2s", "avx", 231_000),
        ("blake2s", "avx2", 231_000),
        ("blake2b", "portable", 152_000),
        ("blake2b", "sse2", 249_000),
        ("blake2b", "avx", 252_000),
        ("blake2b", "avx2", 252_000),
        ("blake3", "portable", 84_000),
        ("blake3", "sse2", 161_000),
        ("blake3", "avx", 164_000),
        ("blake3", "avx2", 164_000),
        ("sm3", "portable", 206_000),
        ("sm3", "sse2", 328_000),
        ("sm3", "avx", 331_000),
        ("sm3", "avx2", 331_000),
    ],
};
