//! What a step of each kernel costs: the tables the schedule decides by, a file for each family of
//! CPUs.
//!
//! Ratios matter, and beside them only what planning (`schedule/mod.rs`) and bookkeeping
//! (`schedule/route.rs`) are taken to cost. Which table is used depends on the CPU's maker, family and
//! model. Nothing is measured at run time: a machine makes the same choices every time.
//!
//! A measured table is the least of several runs of `manyhash bench --calibrate`. Families that
//! nobody had have tables that `vectors/modelled_costs.py` made from a model of the CPU; their files
//! say so. Those of x86-64 are here, those of AArch64 in `cost/aarch64.rs`. Other architectures have only scalar code, and
//! the table of a CPU of x86-64.

#![cfg_attr(any(target_arch = "aarch64", target_arch = "wasm32"), allow(dead_code, reason = "the tables of x86-64"))]

#[cfg(target_arch = "aarch64")]
mod aarch64;
mod golden_cove;
mod ice_lake;
mod skylake;
#[cfg(target_arch = "wasm32")]
mod wasm32;
mod zen_1;
mod zen_2;
mod zen_3;
mod zen_4;
mod zen_5;

use crate::isa::cpu;
#[cfg(not(any(target_arch = "aarch64", target_arch = "wasm32")))]
use {
    crate::isa::cpu::{Cpu, Maker},
    golden_cove::GOLDEN_COVE,
    ice_lake::ICE_LAKE,
    skylake::SKYLAKE,
    zen_1::ZEN_1,
    zen_2::ZEN_2,
    zen_3::ZEN_3,
    zen_4::ZEN_4,
    zen_5::ZEN_5,
};

/// Compression function, backend, and picoseconds for one block in each lane, with messages of 16 KiB
/// in cache.
type Table = [(&'static str, &'static str, u32)];

/// Costs of a family of CPUs.
pub(crate) struct Family {
    /// Its name, also in `vectors/schedule-bounds.txt`.
    pub(crate) name: &'static str,
    /// What all but compressing takes.
    besides: Besides,
    table: &'static Table,
    /// Of those in `table`, backends whose step takes longer if their lanes collide: if all read from one set of the first cache, as they do
    /// where messages begin at the same place of a page. The time is for 64 messages of 64 KiB, which the second cache does not have. It is
    /// also taken for ragged messages that are more than that has.
    colliding: &'static Table,
}

/// What a few short messages take besides compressing, which decides whether they share lanes, in picoseconds.
#[derive(Clone, Copy)]
pub(crate) struct Besides {
    /// What all else of `schedule/bookkeeping.rs` takes, in percent of what is said there.
    percent: u32,
    /// A message alone, if others come before and after it: what its beginning and its end take beyond its blocks.
    pub(crate) alone_ps: u64,
    /// A set of messages of equally many blocks on a kernel that pads in registers, and each of its messages.
    pub(crate) alike_ps: (u64, u64),
    /// A set of them on a kernel that pads in memory, besides the ends of its messages.
    pub(crate) set_in_memory_ps: u64,
    /// A set of them on a kernel that has registers for each message, and each of its messages.
    pub(crate) apart_ps: (u64, u64),
    /// The same if they end one after the other: the CPU does not foresee when.
    pub(crate) apart_ragged_ps: (u64, u64),
    /// Weighing the ways of messages that differ in blocks, and each of them.
    pub(crate) weighing_ps: (u64, u64),
    /// A message that takes its turn among others of equally many blocks, in up to four lanes or in more.
    pub(crate) turn_ps: (u64, u64),
    /// A message that takes its turn while others are on their way: lanes stop at the end of its whole blocks and at its end.
    pub(crate) ragged_turn_ps: u64,
}

/// What these take on Zen 5, and on all CPUs where nobody measured them.
pub(crate) const BESIDES: Besides = Besides {
    percent: 100,
    alone_ps: 0,
    alike_ps: (100_000, 8_000),
    set_in_memory_ps: 60_000,
    apart_ps: (35_000, 16_000),
    apart_ragged_ps: (100_000, 21_000),
    weighing_ps: (0, 25_000),
    turn_ps: (20_000, 20_000),
    ragged_turn_ps: 75_000,
};

#[cfg(all(test, target_arch = "aarch64"))]
pub(crate) use aarch64::FAMILIES;
/// Every family, for tests.
#[cfg(all(test, target_arch = "wasm32"))]
pub(crate) const FAMILIES: [&Family; 1] = [&wasm32::WEB_ASSEMBLY];
/// Every family, for tests.
#[cfg(all(test, not(any(target_arch = "aarch64", target_arch = "wasm32"))))]
pub(crate) const FAMILIES: [&Family; 8] = [&ZEN_5, &ZEN_4, &GOLDEN_COVE, &ZEN_1, &ZEN_2, &ZEN_3, &SKYLAKE, &ICE_LAKE];

/// Returns the family of this CPU, or the nearest one there is a table for.
pub(crate) fn family() -> &'static Family {
    family_of(cpu::identify())
}

#[cfg(target_arch = "aarch64")]
use aarch64::family_of;

/// Returns the only family there is: a module is not told which CPU it runs on.
#[cfg(target_arch = "wasm32")]
fn family_of(_cpu: cpu::Cpu) -> &'static Family {
    &wasm32::WEB_ASSEMBLY
}

/// Returns the family of a CPU, or the nearest one there is a table for.
#[cfg(not(any(target_arch = "aarch64", target_arch = "wasm32")))]
fn family_of(cpu: Cpu) -> &'static Family {
    match (cpu.maker, cpu.family, cpu.model) {
        (Maker::Amd, 0x17, 0x30..) => &ZEN_2,
        // Zen 1, Hygon's CPUs after it, and all before.
        (Maker::Amd, ..=0x18, _) => &ZEN_1,
        // Genoa; Raphael and Phoenix; Bergamo. Others of this number are Zen 3.
        (Maker::Amd, 0x19, 0x10..=0x1F | 0x60..=0x7F | 0xA0..=0xAF) => &ZEN_4,
        (Maker::Amd, 0x19, _) => &ZEN_3,
        (Maker::Amd, ..) => &ZEN_5,
        // Cannon Lake, Ice Lake, Tiger Lake and Rocket Lake.
        (Maker::Intel, 6, 0x66 | 0x6A | 0x6C | 0x7D | 0x7E | 0x8C | 0x8D | 0x9D | 0xA7) => &ICE_LAKE,
        // Sapphire Rapids, whose number is lower than those of older CPUs.
        (Maker::Intel, 6, 0x8F) => &GOLDEN_COVE,
        // Skylake, Kaby Lake, Coffee Lake and Comet Lake, and all before. The Atoms among them have
        // other cores, but no table is nearer.
        (Maker::Intel, 6, ..=0x96 | 0x9E | 0xA5 | 0xA6) => &SKYLAKE,
        // Emerald and Granite Rapids; Alder, Raptor and Meteor Lake, whose P cores have the same
        // units without AVX-512. Nobody modelled their E cores, nor what came later.
        (Maker::Intel, ..) => &GOLDEN_COVE,
        _ => &ZEN_5,
    }
}

impl Family {
    /// Returns the cost of a step of a backend for a compression function, in picoseconds of a CPU whose bookkeeping takes as long as
    /// `schedule/bookkeeping.rs` says: only ratios matter. A kernel that the table lacks is taken to cost 150 ns, and 10 ns more for each
    /// lane.
    pub(crate) fn picoseconds(&self, compression: &str, backend: &str, lanes: usize) -> u32 {
        let guess = || 150_000 + 10_000 * u32::try_from(lanes).expect("few lanes");
        self.beside_bookkeeping(self.listed(compression, backend).unwrap_or_else(guess))
    }

    /// Returns that cost where lanes collide, if it is another one.
    pub(crate) fn colliding_picoseconds(&self, compression: &str, backend: &str) -> Option<u32> {
        find(self.colliding, compression, backend).map(|cost_ps| self.beside_bookkeeping(cost_ps))
    }

    /// Returns a cost in picoseconds of a CPU whose bookkeeping takes as long as is said.
    fn beside_bookkeeping(&self, cost_ps: u32) -> u32 {
        (u64::from(cost_ps) * 100 / u64::from(self.besides.percent)) as u32
    }

    /// Returns what a few short messages take besides compressing.
    pub(crate) fn besides(&self) -> &Besides {
        &self.besides
    }

    /// Returns the cost that the table has for a step of a backend. Tables may lack backends that no
    /// CPU of the family can run.
    pub(crate) fn listed(&self, compression: &str, backend: &str) -> Option<u32> {
        find(self.table, compression, backend)
    }
}

/// Returns the cost that a table has.
fn find(table: &Table, compression: &str, backend: &str) -> Option<u32> {
    table.iter().find(|(one, other, _)| *one == compression && *other == backend).map(|(_, _, cost)| *cost)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(not(any(target_arch = "aarch64", target_arch = "wasm32")))]
    fn cpus_have_their_families() {
        for (maker, family, model, name) in [
            (Maker::Amd, 0x15, 0x02, "zen-1"),
            (Maker::Amd, 0x17, 0x01, "zen-1"),
            (Maker::Amd, 0x17, 0x18, "zen-1"),
            (Maker::Amd, 0x17, 0x31, "zen-2"),
            (Maker::Amd, 0x17, 0x71, "zen-2"),
            (Maker::Amd, 0x18, 0x00, "zen-1"),
            (Maker::Amd, 0x19, 0x01, "zen-3"),
            (Maker::Amd, 0x19, 0x21, "zen-3"),
            (Maker::Amd, 0x19, 0x50, "zen-3"),
            (Maker::Amd, 0x19, 0x11, "zen-4"),
            (Maker::Amd, 0x19, 0x61, "zen-4"),
            (Maker::Amd, 0x19, 0xA0, "zen-4"),
            (Maker::Amd, 0x1A, 0x02, "zen-5"),
            (Maker::Intel, 6, 85, "skylake"),
            (Maker::Intel, 6, 94, "skylake"),
            (Maker::Intel, 6, 158, "skylake"),
            (Maker::Intel, 6, 106, "ice-lake"),
            (Maker::Intel, 6, 141, "ice-lake"),
            (Maker::Intel, 6, 167, "ice-lake"),
            (Maker::Intel, 6, 143, "golden-cove"),
            (Maker::Intel, 6, 151, "golden-cove"),
            (Maker::Intel, 6, 183, "golden-cove"),
            (Maker::Intel, 6, 207, "golden-cove"),
            (Maker::Intel, 6, 173, "golden-cove"),
            (Maker::Other, 0, 0, "zen-5"),
        ] {
            assert_eq!(family_of(Cpu { maker, family, model }).name, name, "{maker:?} {family:#x} {model:#x}");
        }
    }

    #[test]
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64", all(target_arch = "wasm32", target_feature = "simd128")))]
    fn tables_have_every_kernel_once() {
        use crate::algorithm::Compression;
        use crate::kernel::Kernel;
        use crate::kernel::list::kernels;
        /// Features that no CPU of a family has. Its table has no kernels that need them.
        const LACKING: [(&str, &str); 9] = [
            ("zen-1", "avx512"),
            ("zen-2", "avx512"),
            ("zen-3", "avx512"),
            ("skylake", "sha"),
            ("neoverse-n1", "sha3"),
            ("neoverse-n1", "sm4"),
            ("cortex-a72", "sha3"),
            ("cortex-a72", "sm4"),
            ("apple-m", "sm4"),
        ];

        fn expected<C: Compression>(family: &Family) -> Vec<(&'static str, &'static str)> {
            let lacks = |feature: &str| LACKING.iter().any(|(name, start)| *name == family.name && feature.starts_with(start));
            let can_run = |kernel: &Kernel<C>| !kernel.shape.features.iter().any(|feature| lacks(feature));
            kernels::<C>().iter().filter(|kernel| can_run(kernel)).map(|kernel| (C::COSTS_OF, kernel.name)).collect()
        }
        for family in FAMILIES {
            let mut listed: Vec<(&str, &str)> = family.table.iter().map(|(compression, backend, _)| (*compression, *backend)).collect();
            macro_rules! all { ($($Compression:path)*) => { [$(expected::<$Compression>(family)),*].concat() } }
            let mut expected = for_each_compression!(all);
            listed.sort_unstable();
            expected.sort_unstable();
            expected.dedup();
            assert_eq!(listed, expected, "{}", family.name);
        }
    }
}
