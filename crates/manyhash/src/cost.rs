//! What a step of each shape costs: the table the scheduler decides by.
//!
//! Only ratios matter, and only for what to do with few messages. The figures were measured with `manyhash-bench` (`bench/`) on one
//! family of CPUs, AMD Zen 5; on others they are an estimate with the same order. A shape the table lacks is taken to cost
//! 150 ns, and 10 ns more for each lane.

/// Picoseconds for one block in each lane, measured on Zen 5 at about 4.1 GHz, 16 KiB messages in cache: compression function, backend, cost.
const MEASURED: &[(&str, &str, u32)] = &[
    ("sha1", "portable", 54_000),
    ("sha1", "sse2", 128_000),
    ("sha1", "avx2", 127_000),
    ("sha1", "avx512", 83_000),
    ("sha1", "avx512x2", 124_000),
    ("sha1", "sha-ni", 29_800),
    ("sha1", "sha-ni-x2", 32_800),
    ("sha1", "sha-ni-x3", 38_900),
    ("sha1", "sha-ni-x4", 45_700),
    ("sha256", "portable", 121_000),
    ("sha256", "bmi2", 91_000),
    ("sha256", "bmi2-avx512", 90_000),
    ("sha256", "sse2", 264_000),
    ("sha256", "avx2", 256_000),
    ("sha256", "avx512", 149_000),
    ("sha256", "avx512x2", 253_000),
    ("sha256", "sha-ni", 31_000),
    ("sha256", "sha-ni-x2", 44_000),
    ("sha256", "sha-ni-x3", 56_500),
    ("sha256", "sha-ni-x4", 71_000),
    ("sha512", "portable", 148_000),
    ("sha512", "bmi2", 123_000),
    ("sha512", "bmi2-avx512", 116_000),
    ("sha512", "sse2", 332_000),
    ("sha512", "avx2", 312_000),
    ("sha512", "avx512", 182_000),
    ("sha512", "avx512x2", 310_000),
];

/// The cost of a step of a backend for a compression function, in picoseconds.
pub(crate) fn picoseconds(compression: &str, backend: &str, lanes: usize) -> u32 {
    let measured = MEASURED.iter().find(|(one, other, _)| *one == compression && *other == backend);
    measured.map_or_else(|| 150_000 + 10_000 * u32::try_from(lanes).expect("few lanes"), |(_, _, cost)| *cost)
}
