//! WebAssembly, wherever it runs: nothing tells which CPU that is.
//!
//! Measured on Zen 5 in V8 (Node.js 20), beside other work: the least of seven calls with 64 messages of 16 KiB, by
//! `crates/manyhash-wasm/bench/backends.mjs`; but for TurboSHAKE, which is 0.51 of SHA3-256, for 12 rounds in place of 24.

use crate::kernel::cost::{BESIDES, Family};

pub(super) const WEB_ASSEMBLY: Family = Family {
    name: "web-assembly",
    besides: BESIDES,
    colliding: &[],
    table: &[
        ("md5", "portable", 95_200),
        ("md5", "portable-x2", 173_000),
        ("md5", "simd128", 232_000),
        ("md5", "simd128x2", 412_000),
        ("sha1", "portable", 67_500),
        ("sha1", "simd128", 184_000),
        ("sha256", "portable", 132_000),
        ("sha256", "simd128", 327_000),
        ("sha512", "portable", 186_000),
        ("sha512", "simd128", 422_000),
        ("sha3_256", "portable", 288_000),
        ("sha3_256", "simd128", 422_000),
        ("turboshake", "portable", 147_000),
        ("turboshake", "simd128", 215_000),
        ("blake2s", "portable", 77_800),
        ("blake2s", "simd128", 207_000),
        ("blake2b", "portable", 95_800),
        ("blake2b", "simd128", 224_000),
        ("blake3", "portable", 76_100),
        ("blake3", "simd128", 187_000),
        ("sm3", "portable", 133_000),
        ("sm3", "simd128", 340_000),
    ],
};
