//! WebAssembly, wherever it runs: nothing tells which CPU that is.
//!
//! **Taken from a native table, not measured**: scalar code and SSE2 of Zen 5. V8 makes of a module's vectors about the instructions that
//! the compiler makes of SSE2, and the shares are what decides.

use crate::kernel::cost::Family;

pub(super) const WEB_ASSEMBLY: Family = Family {
    name: "web-assembly",
    table: &[
        ("md5", "portable", 72_200),
        ("md5", "portable-x2", 76_400),
        ("md5", "simd128", 178_000),
        ("md5", "simd128x2", 182_000),
        ("sha1", "portable", 53_000),
        ("sha1", "simd128", 131_000),
        ("sha256", "portable", 119_000),
        ("sha256", "simd128", 279_000),
        ("sha512", "portable", 162_000),
        ("sha512", "simd128", 340_000),
        ("sha3_256", "portable", 246_000),
        ("sha3_256", "simd128", 368_000),
        ("turboshake", "portable", 125_000),
        ("turboshake", "simd128", 188_000),
        ("blake2s", "portable", 68_100),
        ("blake2s", "simd128", 178_000),
        ("blake2b", "portable", 81_300),
        ("blake2b", "simd128", 191_000),
        ("blake3", "portable", 48_400),
        ("blake3", "simd128", 126_000),
        ("sm3", "portable", 111_000),
        ("sm3", "simd128", 297_000),
    ],
};
