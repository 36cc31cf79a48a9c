//! Arm's Cortex-A72; the nearest for all that came before the A76, and for small cores.
//!
//! **Modelled, not measured**, by llvm-mca for `cortex-a72` at 3 GHz.
//! Written by `vectors/modelled_costs_aarch64.py`, which says how.

use crate::kernel::cost::{BESIDES, Family};

pub(super) const CORTEX_A72: Family = Family {
    name: "cortex-a72",
    besides: BESIDES,
    colliding: &[],
    table: &[
        ("md5", "portable", 106_000),
        ("md5", "portable-x2", 187_000),
        ("md5", "neon", 349_000),
        ("md5", "neonx2", 372_000),
        ("md5", "neonx5", 553_000),
        ("sha1", "portable", 165_000),
        ("sha1", "neon", 247_000),
        ("sha1", "neonx2", 439_000),
        ("sha1", "sha-ce", 48_700),
        ("sha1", "sha-ce-x2", 52_300),
        ("sha1", "sha-ce-x3", 76_700),
        ("sha1", "sha-ce-x4", 102_000),
        ("sha1", "sha-ce-x8-beside-neon", 410_000),
        ("sha256", "portable", 219_000),
        ("sha256", "neon", 492_000),
        ("sha256", "neonx2", 973_000),
        ("sha256", "sha-ce", 51_700),
        ("sha256", "sha-ce-x2", 67_300),
        ("sha256", "sha-ce-x3", 101_000),
        ("sha256", "sha-ce-x4", 134_000),
        ("sha512", "portable", 331_000),
        ("sha512", "neon", 618_000),
        ("sha512", "neonx2", 1_230_000),
        ("sha3_256", "portable", 567_000),
        ("sha3_256", "neon", 743_000),
        ("blake2s", "portable", 200_000),
        ("blake2s", "neon", 321_000),
        ("blake2b", "portable", 240_000),
        ("blake2b", "neon", 375_000),
        ("blake3", "portable", 140_000),
        ("blake3", "neon", 223_000),
        ("sm3", "portable", 294_000),
        ("sm3", "neon", 542_000),
        ("turboshake", "portable", 289_000),
        ("turboshake", "neon", 379_000),
    ],
};
