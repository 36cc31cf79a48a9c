//! AMD's Zen 2.
//!
//! **Modelled, not measured**, by llvm-mca for `znver2` at 3 GHz. Kernels of the SHA
//! extensions have the cycles of `zen-5`, whose unit is the most like.
//!
//! Written by `vectors/modelled_costs.py`, which says how, but for BLAKE2b and SM3. These are Zen 4's
//! figures, each times what the same kernel of BLAKE2s or SHA-256 takes here as a share of what it takes
//! there.
//!
//! BLAKE3's figures are estimates: 0.71 of BLAKE2s', for 7 rounds in place of 10. TurboSHAKE's are 0.51 of SHA3-256's,
//! for 12 rounds in place of 24.
//! `avx` is taken to cost what `avx2` does: as many operations, on half as many bits.
//! `bmi2-avx2` is taken to cost what `bmi2` does.

use super::{BESIDES, Family};

pub(super) const ZEN_2: Family = Family {
    name: "zen-2",
    besides: BESIDES,
    colliding: &[],
    table: &[
        ("md5", "portable", 113_000),
        ("md5", "portable-x2", 127_000),
        ("md5", "sse2", 208_000),
        ("md5", "sse2x2", 245_000),
        ("md5", "avx", 179_000),
        ("md5", "avx2", 179_000),
        ("md5", "avx2x2", 256_000),
        ("sha1", "portable", 125_000),
        ("sha1", "avx-scalar", 92_000),
        ("sha1", "bmi2", 84_000),
        ("sha1", "sse2", 246_000),
        ("sha1", "avx", 217_000),
        ("sha1", "avx2", 217_000),
        ("sha1", "sha-ni", 40_700),
        ("sha1", "sha-ni-x2", 44_800),
        ("sha1", "sha-ni-x3", 53_200),
        ("sha1", "sha-ni-x4", 62_500),
        ("sha256", "portable", 299_000),
        ("sha256", "avx-scalar", 239_000),
        ("sha256", "bmi2", 203_000),
        ("sha256", "sse2", 487_000),
        ("sha256", "avx", 476_000),
        ("sha256", "avx2", 476_000),
        ("sha256", "sha-ni", 42_400),
        ("sha256", "sha-ni-x2", 60_100),
        ("sha256", "sha-ni-x3", 77_200),
        ("sha256", "sha-ni-x4", 97_000),
        ("sha512", "portable", 377_000),
        ("sha512", "avx-scalar", 414_000),
        ("sha512", "bmi2", 356_000),
        ("sha512", "bmi2-avx2", 356_000),
        ("sha512", "sse2", 611_000),
        ("sha512", "avx", 547_000),
        ("sha512", "avx2", 547_000),
        ("sha3_256", "portable", 572_000),
        ("sha3_256", "sse2", 719_000),
        ("sha3_256", "avx", 597_000),
        ("sha3_256", "avx2", 597_000),
        ("turboshake", "portable", 292_000),
        ("turboshake", "sse2", 367_000),
        ("turboshake", "avx", 304_000),
        ("turboshake", "avx2", 304_000),
        ("blake2s", "portable", 134_000),
        ("blake2s", "sse2", 365_000),
        ("blake2s", "avx", 297_000),
        ("blake2s", "avx2", 297_000),
        ("blake2b", "portable", 173_000),
        ("blake2b", "sse2", 400_000),
        ("blake2b", "avx", 324_000),
        ("blake2b", "avx2", 324_000),
        ("blake3", "portable", 95_000),
        ("blake3", "sse2", 259_000),
        ("blake3", "avx", 211_000),
        ("blake3", "avx2", 211_000),
        ("sm3", "portable", 315_000),
        ("sm3", "sse2", 503_000),
        ("sm3", "avx", 492_000),
        ("sm3", "avx2", 492_000),
    ],
};
