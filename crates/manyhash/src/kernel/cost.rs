//! What a step of each kernel costs: the tables the schedule decides by.
//!
//! Ratios matter, and beside them only what planning (`schedule/mod.rs`) and bookkeeping (`schedule/route.rs`) are
//! taken to cost. A new table is the
//! least of several runs of `manyhash-bench calibrate` (`bench/`); which one is used depends on the CPU's maker and its family. Nothing is measured at
//! run time: a machine makes the same choices every time. A kernel a table lacks is taken to cost 150 ns, and 10 ns more for each lane.

use crate::isa::cpu::{self, Maker};

/// Compression function, backend, and picoseconds for one block in each lane, measured with messages of 16 KiB in cache.
type Table = [(&'static str, &'static str, u32)];

/// Costs of a family of CPUs.
pub(crate) struct Family {
    /// Its name, also in `vectors/schedule-bounds.txt`.
    pub(crate) name: &'static str,
    table: &'static Table,
}

/// AMD from Zen 5 on: measured on Zen 5 (family 26, model 2) at 4.1 GHz, but for `avx512-lean`, the narrower kernels of AVX-512 and
/// `sha-ni-sms`. These are estimates: SHA instructions take three times as long beside used upper halves, latency is the limit of one wave there, whatever its length, and the units of the SHA extensions
/// do not wait for one another. SHA-2 on `sse2` and `avx2` was measured with one addition more a round than it has now. All of MD5 is
/// an estimate: `avx512x2` and `avx512x4` from the speed of a prototype, the others from the length of their chain of operations, each
/// of which takes two cycles in lanes and one in scalar registers. `bmi2` is an estimate: the former kernel of that name, which was measured,
/// times what Zen 4 gained. So is `bmi2-avx512`: 6.4 cycles a round, for its sums wait in vectors, at two cycles an operation. SHA3-256 and BLAKE2s are estimates too: Zen 4's figures, each times what
/// the same kernel of SHA-512 or SHA-256 takes here as a share of what it takes there.
const ZEN: Family = Family {
    name: "zen",
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
    ],
};

/// AMD before Zen 5: measured on Zen 4 (family 25, model 17) at 3.7 GHz. Its vector units are half as wide as AVX-512's registers, and
/// the SHA extensions are as fast as all of them.
const ZEN_4: Family = Family {
    name: "zen-4",
    table: &[
        ("md5", "portable", 83_600),
        ("md5", "portable-x2", 88_800),
        ("md5", "sse2", 104_000),
        ("md5", "sse2x2", 127_000),
        ("md5", "avx2", 105_000),
        ("md5", "avx2x2", 135_000),
        ("md5", "avx512-128", 99_600),
        ("md5", "avx512-256", 101_000),
        ("md5", "avx512", 120_000),
        ("md5", "avx512x2", 181_000),
        ("md5", "avx512x4", 311_000),
        ("sha1", "portable", 74_800),
        ("sha1", "sse2", 124_000),
        ("sha1", "avx2", 122_000),
        ("sha1", "avx512-128", 75_500),
        ("sha1", "avx512-256", 78_100),
        ("sha1", "avx512", 144_000),
        ("sha1", "avx512x2", 280_000),
        ("sha1", "sha-ni", 33_300),
        ("sha1", "sha-ni-x2", 41_900),
        ("sha1", "sha-ni-x3", 48_900),
        ("sha1", "sha-ni-x4", 55_900),
        ("sha256", "portable", 167_000),
        ("sha256", "bmi2", 121_000),
        ("sha256", "bmi2-avx512", 103_000),
        ("sha256", "sse2", 278_000),
        ("sha256", "avx2", 274_000),
        ("sha256", "avx512-128", 144_000),
        ("sha256", "avx512-256", 147_000),
        ("sha256", "avx512", 293_000),
        ("sha256", "avx512-lean", 279_000),
        ("sha256", "avx512x2", 557_000),
        ("sha256", "sha-ni", 35_500),
        ("sha256", "sha-ni-x2", 40_300),
        ("sha256", "sha-ni-x3", 58_000),
        ("sha256", "sha-ni-x4", 72_700),
        ("sha256", "sha-ni-sms-x2", 44_700),
        ("sha256", "sha-ni-sms-x4", 81_400),
        ("sha256", "sha-ni-sms256-x4", 56_300),
        ("sha512", "portable", 210_000),
        ("sha512", "bmi2", 157_000),
        ("sha512", "bmi2-avx512", 128_000),
        ("sha512", "sse2", 352_000),
        ("sha512", "avx2", 334_000),
        ("sha512", "avx512-128", 180_000),
        ("sha512", "avx512-256", 182_000),
        ("sha512", "avx512", 366_000),
        ("sha512", "avx512-lean", 348_000),
        ("sha512", "avx512x2", 691_000),
        ("sha3_256", "portable", 324_000),
        ("sha3_256", "sse2", 393_000),
        ("sha3_256", "avx2", 386_000),
        ("sha3_256", "avx512-128", 199_000),
        ("sha3_256", "avx512-256", 202_000),
        ("sha3_256", "avx512", 438_000),
        ("blake2s", "portable", 104_000),
        ("blake2s", "sse2", 177_000),
        ("blake2s", "avx2", 173_000),
        ("blake2s", "avx512-128", 125_000),
        ("blake2s", "avx512-256", 128_000),
        ("blake2s", "avx512", 214_000),
    ],
};

/// Intel: measured on Emerald Rapids (family 6, model 207, Golden Cove cores) at 3.0 GHz, but for SHA3-256 and BLAKE2s, which are estimates
/// as Zen 5's are, and so is `bmi2`. `bmi2-avx512` is an estimate too: 7 cycles a round, because its operations share five ports.
const GOLDEN_COVE: Family = Family {
    name: "golden-cove",
    table: &[
        ("md5", "portable", 103_000),
        ("md5", "portable-x2", 114_000),
        ("md5", "sse2", 146_000),
        ("md5", "sse2x2", 195_000),
        ("md5", "avx2", 147_000),
        ("md5", "avx2x2", 188_000),
        ("md5", "avx512-128", 87_600),
        ("md5", "avx512-256", 92_900),
        ("md5", "avx512", 111_000),
        ("md5", "avx512x2", 186_000),
        ("md5", "avx512x4", 378_000),
        ("sha1", "portable", 98_700),
        ("sha1", "sse2", 184_000),
        ("sha1", "avx2", 182_000),
        ("sha1", "avx512-128", 106_000),
        ("sha1", "avx512-256", 111_000),
        ("sha1", "avx512", 169_000),
        ("sha1", "avx512x2", 346_000),
        ("sha1", "sha-ni", 41_400),
        ("sha1", "sha-ni-x2", 71_200),
        ("sha1", "sha-ni-x3", 113_000),
        ("sha1", "sha-ni-x4", 155_000),
        ("sha256", "portable", 227_000),
        ("sha256", "bmi2", 155_000),
        ("sha256", "bmi2-avx512", 149_000),
        ("sha256", "sse2", 403_000),
        ("sha256", "avx2", 401_000),
        ("sha256", "avx512-128", 202_000),
        ("sha256", "avx512-256", 209_000),
        ("sha256", "avx512", 336_000),
        ("sha256", "avx512-lean", 319_000),
        ("sha256", "avx512x2", 666_000),
        ("sha256", "sha-ni", 44_400),
        ("sha256", "sha-ni-x2", 75_400),
        ("sha256", "sha-ni-x3", 113_000),
        ("sha256", "sha-ni-x4", 151_000),
        ("sha256", "sha-ni-sms-x2", 67_800),
        ("sha256", "sha-ni-sms-x4", 133_000),
        ("sha256", "sha-ni-sms256-x4", 17_000_000),
        ("sha512", "portable", 307_000),
        ("sha512", "bmi2", 203_000),
        ("sha512", "bmi2-avx512", 187_000),
        ("sha512", "sse2", 510_000),
        ("sha512", "avx2", 485_000),
        ("sha512", "avx512-128", 253_000),
        ("sha512", "avx512-256", 260_000),
        ("sha512", "avx512", 422_000),
        ("sha512", "avx512-lean", 405_000),
        ("sha512", "avx512x2", 820_000),
        ("sha3_256", "portable", 474_000),
        ("sha3_256", "sse2", 570_000),
        ("sha3_256", "avx2", 560_000),
        ("sha3_256", "avx512-128", 280_000),
        ("sha3_256", "avx512-256", 289_000),
        ("sha3_256", "avx512", 504_000),
        ("blake2s", "portable", 141_000),
        ("blake2s", "sse2", 257_000),
        ("blake2s", "avx2", 253_000),
        ("blake2s", "avx512-128", 175_000),
        ("blake2s", "avx512-256", 182_000),
        ("blake2s", "avx512", 246_000),
    ],
};

/// Every family, for tests.
#[cfg(test)]
pub(crate) const FAMILIES: [&Family; 3] = [&ZEN, &ZEN_4, &GOLDEN_COVE];

/// The family of this CPU, or the nearest one there is a table for.
pub(crate) fn family() -> &'static Family {
    /// The first of AMD's families that begins with Zen 5.
    const ZEN_5: u32 = 26;
    match cpu::maker() {
        Maker::Intel => &GOLDEN_COVE,
        Maker::Amd { family } if family < ZEN_5 => &ZEN_4,
        _ => &ZEN,
    }
}

impl Family {
    /// The cost of a step of a backend for a compression function, in picoseconds.
    pub(crate) fn picoseconds(&self, compression: &str, backend: &str, lanes: usize) -> u32 {
        let measured = self.table.iter().find(|(one, other, _)| *one == compression && *other == backend);
        measured.map_or_else(|| 150_000 + 10_000 * u32::try_from(lanes).expect("few lanes"), |(_, _, cost)| *cost)
    }
}
