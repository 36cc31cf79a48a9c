//! AMD's Zen 5: measured at 4.1 GHz (family 26, model 2), but for what follows.
//!
//! - `avx512-lean`, the narrower kernels of AVX-512 and `sha-ni-sms` are estimates: SHA instructions
//!   take three times as long beside used upper halves, latency is the limit of one wave there,
//!   whatever its length, and the units of the SHA extensions do not wait for one another.
//! - SHA-2 on `sse2` and `avx2` was measured with one addition more a round than it has now.
//! - All of MD5 is an estimate: `avx512x2` and `avx512x4` from the speed of a prototype, the others
//!   from the length of their chain of operations, each of which takes two cycles in lanes and one
//!   in scalar registers.
//! - `bmi2` is an estimate: the former kernel of that name, which was measured, times what Zen 4
//!   gained. So is `bmi2-avx512`: 6.4 cycles a round, because its sums wait in vectors, at two cycles
//!   an operation.
//! - SHA3-256, BLAKE2 and SM3 are estimates: Zen 4's figures, each times what the same kernel of
//!   SHA-512 or SHA-256 takes here as a share of what it takes there (BLAKE2b: of BLAKE2s).

use super::Family;

pub(super) const ZEN_5: Family = Family {
    name: "zen-5",
    table: &[
        ("md5", "portable", 75_000),
        ("md5", "portable-x2", 80_000),
        ("md5", "sse2", 172_000),
        ("md5", "sse2x2", 190_000),
        ("md5", "avx2", 172_000),
        ("md5", "avx2x2", 190_000),
        ("md5", "avx512-128", 130_000),
        ("md5", "avx512-256", 130_000),
        ("md5", "avx512", 130_000),
        ("md5", "avx512x2", 142_000),
        ("md5", "avx512x4", 185_000),
        ("sha1", "portable", 54_000),
        ("sha1", "sse2", 128_000),
        ("sha1", "avx2", 127_000),
        ("sha1", "avx512-128", 87_000),
        ("sha1", "avx512-256", 87_000),
        ("sha1", "avx512", 83_000),
        ("sha1", "avx512x2", 124_000),
        ("sha1", "sha-ni", 29_800),
        ("sha1", "sha-ni-x2", 32_800),
        ("sha1", "sha-ni-x3", 38_900),
        ("sha1", "sha-ni-x4", 45_700),
        ("sha256", "portable", 121_000),
        ("sha256", "bmi2", 83_000),
        ("sha256", "bmi2-avx512", 100_000),
        ("sha256", "sse2", 264_000),
        ("sha256", "avx2", 256_000),
        ("sha256", "avx512-128", 157_000),
        ("sha256", "avx512-256", 157_000),
        ("sha256", "avx512", 149_000),
        ("sha256", "avx512-lean", 157_000),
        ("sha256", "avx512x2", 253_000),
        ("sha256", "sha-ni", 31_000),
        ("sha256", "sha-ni-x2", 44_000),
        ("sha256", "sha-ni-x3", 56_500),
        ("sha256", "sha-ni-x4", 71_000),
        ("sha256", "sha-ni-sms-x2", 46_000),
        ("sha256", "sha-ni-sms-x4", 75_000),
        ("sha256", "sha-ni-sms256-x4", 213_000),
        ("sha512", "portable", 148_000),
        ("sha512", "bmi2", 112_000),
        ("sha512", "bmi2-avx512", 125_000),
        ("sha512", "sse2", 332_000),
        ("sha512", "avx2", 312_000),
        ("sha512", "avx512-128", 192_000),
        ("sha512", "avx512-256", 192_000),
        ("sha512", "avx512", 182_000),
        ("sha512", "avx512-lean", 192_000),
        ("sha512", "avx512x2", 310_000),
        ("sha3_256", "portable", 228_000),
        ("sha3_256", "sse2", 370_000),
        ("sha3_256", "avx2", 360_000),
        ("sha3_256", "avx512-128", 212_000),
        ("sha3_256", "avx512-256", 216_000),
        ("sha3_256", "avx512", 219_000),
        ("blake2s", "portable", 75_000),
        ("blake2s", "sse2", 168_000),
        ("blake2s", "avx2", 162_000),
        ("blake2s", "avx512-128", 136_000),
        ("blake2s", "avx512-256", 137_000),
        ("blake2s", "avx512", 125_000),
        ("blake2b", "portable", 96_600),
        ("blake2b", "sse2", 184_000),
        ("blake2b", "avx2", 177_000),
        ("blake2b", "avx512-128", 164_000),
        ("blake2b", "avx512-256", 164_000),
        ("blake2b", "avx512", 148_000),
        ("sm3", "portable", 128_000),
        ("sm3", "sse2", 273_000),
        ("sm3", "avx2", 264_000),
        ("sm3", "avx512-128", 184_000),
        ("sm3", "avx512-256", 183_000),
        ("sm3", "avx512", 148_000),
    ],
};
