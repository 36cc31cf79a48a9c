//! What a step of each shape costs: the table the scheduler decides by.
//!
//! Only ratios matter, and only for what to do with few messages. The figures were measured with `manyhash-bench` (`bench/`) on one
//! family of CPUs, AMD Zen 5; on others they are an estimate with the same order. A shape the table lacks is taken to cost what its
//! neighbours suggest: so much for each algorithm's portable block, less the more lanes share it.

/// Picoseconds for one block in each lane, measured on Zen 5 at 3.8 GHz: compression function, backend, cost.
const MEASURED: &[(&str, &str, u32)] = &[
    ("sha1", "portable", 90_000),
    ("sha1", "sse2", 180_000),
    ("sha1", "avx2", 180_000),
    ("sha1", "avx512", 95_000),
    ("sha1", "avx512x2", 145_000),
    ("sha1", "sha-ni", 33_000),
    ("sha1", "sha-ni-x2", 37_500),
    ("sha1", "sha-ni-x3", 44_500),
    ("sha1", "sha-ni-x4", 50_000),
    ("sha256", "portable", 130_000),
    ("sha256", "sse2", 300_000),
    ("sha256", "avx2", 300_000),
    ("sha256", "avx512", 170_000),
    ("sha256", "avx512x2", 290_000),
    ("sha256", "sha-ni", 34_600),
    ("sha256", "sha-ni-x2", 48_000),
    ("sha256", "sha-ni-x3", 62_000),
    ("sha256", "sha-ni-x4", 77_000),
    ("sha512", "portable", 165_000),
    ("sha512", "sse2", 390_000),
    ("sha512", "avx2", 390_000),
    ("sha512", "avx512", 210_000),
    ("sha512", "avx512x2", 350_000),
    ("sha512", "bmi2", 120_000),
];

/// The cost of a step of a backend for a compression function, in picoseconds.
pub(crate) fn picoseconds(compression: &str, backend: &str, lanes: usize) -> u32 {
    let measured = MEASURED.iter().find(|(one, other, _)| *one == compression && *other == backend);
    measured.map_or_else(|| 150_000 + 10_000 * u32::try_from(lanes).expect("few lanes"), |(_, _, cost)| *cost)
}
