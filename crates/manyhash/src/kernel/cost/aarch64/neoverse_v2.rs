//! Arm's Neoverse V2; the nearest for the V1 and V3, the Cortex-X and Apple's cores.
//!
//! **Modelled, not measured**, by llvm-mca for `neoverse-v2` at 3 GHz.
//!
//! Written by `vectors/modelled_costs_aarch64.py`, which says how, but for TurboSHAKE: 0.51 of SHA3-256, for 12 rounds in
//! place of 24.

use crate::kernel::cost::Family;

pub(super) const NEOVERSE_V2: Family = Family {
    name: "neoverse-v2",
    table: &[
        ("md5", "portable", 97_000),
        ("md5", "portable-x2", 96_700),
        ("md5", "neon", 274_000),
        ("md5", "neonx2", 286_000),
        ("md5", "neonx5", 331_000),
        ("md5", "neon-sha3", 273_000),
        ("sha1", "portable", 55_200),
        ("sha1", "neon", 213_000),
        ("sha1", "neonx2", 238_000),
        ("sha1", "neon-sha3", 213_000),
        ("sha1", "sha-ce", 41_000),
        ("sha1", "sha-ce-x2", 57_300),
        ("sha1", "sha-ce-x3", 77_700),
        ("sha1", "sha-ce-x4", 110_000),
        ("sha256", "portable", 115_000),
        ("sha256", "neon", 350_000),
        ("sha256", "neonx2", 537_000),
        ("sha256", "neon-sha3", 316_000),
        ("sha256", "sha-ce", 32_700),
        ("sha256", "sha-ce-x2", 37_300),
        ("sha256", "sha-ce-x3", 69_700),
        ("sha256", "sha-ce-x4", 90_000),
        ("sha512", "portable", 142_000),
        ("sha512", "neon", 442_000),
        ("sha512", "neonx2", 690_000),
        ("sha512", "neon-sha3", 357_000),
        ("sha512", "sha512-ce", 98_000),
        ("sha512", "sha512-ce-x2", 120_000),
        ("sha3_256", "portable", 174_000),
        ("sha3_256", "neon", 420_000),
        ("sha3_256", "neon-sha3", 544_000),
        ("turboshake", "portable", 88_900),
        ("turboshake", "neon", 214_000),
        ("turboshake", "neon-sha3", 277_000),
        ("blake2b", "portable", 96_700),
        ("blake2b", "neon", 300_000),
        ("blake2b", "neon-sha3", 141_000),
        ("blake2s", "portable", 80_700),
        ("blake2s", "neon", 244_000),
        ("blake2s", "neon-sha3", 245_000),
        ("blake3", "portable", 57_500),
        ("blake3", "neon", 172_000),
        ("blake3", "neon-sha3", 172_000),
        ("sm3", "portable", 145_000),
        ("sm3", "neon", 448_000),
        ("sm3", "neon-sha3", 428_000),
        ("sm3", "sm3-ce", 109_000),
        ("sm3", "sm3-ce-x2", 145_000),
        ("sm3", "sm3-ce-x3", 218_000),
        ("sm3", "sm3-ce-x4", 294_000),
    ],
};
