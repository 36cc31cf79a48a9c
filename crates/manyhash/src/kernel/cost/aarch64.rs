//! The tables of AArch64: one, which is modelled. Nobody who builds manyhash has measured on these CPUs.

mod neoverse_v2;

use super::Family;
use crate::isa::cpu::Cpu;
use neoverse_v2::NEOVERSE_V2;

/// Every family, for tests.
#[cfg(test)]
pub(crate) const FAMILIES: [&Family; 1] = [&NEOVERSE_V2];

/// Returns the family of a CPU, or the nearest one there is a table for. All have that of the Neoverse V2:
/// `cpu` tells the others apart once they have tables.
pub(super) fn family_of(_cpu: Cpu) -> &'static Family {
    &NEOVERSE_V2
}
