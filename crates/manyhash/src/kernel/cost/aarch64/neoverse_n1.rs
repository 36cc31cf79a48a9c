//! Arm's Neoverse N1; the nearest for the Cortex-A76 to A78.
//!
//! **Modelled, not measured**, by llvm-mca for `neoverse-n1` at 3 GHz.
//! Written by `vectors/modelled_costs_aarch64.py`, which says how.

use crate::kernel::cost::{BESIDES, Family};

pub(super) const NEOVERSE_N1: Family = Family {
    name: "neoverse-n1",
    besides: BESIDES,
    colliding: &[],
    table: &[
        ("md5", "portable", 97_000),
        ("md5", "portable-x2", 125_000),
        ("md5", "neon", 230_000),
        ("md5", "neonx2", 249_000),
        ("md5", "neonx5", 484_000),
        ("sha1", "portable", 110_000),
        ("sha1", "neon", 204_000),
        ("sha1", "neonx2", 459_000),
        ("sha1", "sha-ce", 34_300),
        ("sha1", "sha-ce-x2", 48_000),
        ("sha1", "sha-ce-x3", 72_000),
        ("sha1", "sha-ce-x4", 96_700),
        ("sha1", "sha-ce-x8-beside-neon", 380_000),
        ("sha256", "portable", 196_000),
        ("sha256", "neon", 470_000),
        ("sha256", "neonx2", 972_000),
        ("sha256", "sha-ce", 32_700),
        ("sha256", "sha-ce-x2", 38_000),
        ("sha256", "sha-ce-x3", 57_000),
        ("sha256", "sha-ce-x4", 78_700),
        ("sha512", "portable", 251_000),
        ("sha512", "neon", 590_000),
        ("sha512", "neonx2", 1_230_000),
        ("sha3_256", "portable", 380_000),
        ("sha3_256", "neon", 782_000),
        ("blake2s", "portable", 134_000),
        ("blake2s", "neon", 284_000),
        ("blake2b", "portable", 161_000),
        ("blake2b", "neon", 310_000),
        ("blake3", "portable", 93_700),
        ("blake3", "neon", 184_000),
        ("sm3", "portable", 220_000),
        ("sm3", "neon", 476_000),
        ("turboshake", "portable", 194_000),
        ("turboshake", "neon", 399_000),
    ],
};
