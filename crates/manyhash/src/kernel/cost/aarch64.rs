//! The tables of AArch64, all of them modelled. Nobody who builds manyhash has measured on these CPUs.

mod apple_m;
mod cortex_a72;
mod neoverse_n1;
mod neoverse_n2;
mod neoverse_v1;
mod neoverse_v2;

use super::Family;
use crate::isa::cpu::{Cpu, Maker};
use apple_m::APPLE_M;
use cortex_a72::CORTEX_A72;
use neoverse_n1::NEOVERSE_N1;
use neoverse_n2::NEOVERSE_N2;
use neoverse_v1::NEOVERSE_V1;
use neoverse_v2::NEOVERSE_V2;

/// Every family, for tests.
#[cfg(test)]
pub(crate) const FAMILIES: [&Family; 6] = [&NEOVERSE_V2, &NEOVERSE_V1, &NEOVERSE_N2, &NEOVERSE_N1, &CORTEX_A72, &APPLE_M];

/// Returns the family of a CPU, or the nearest one there is a table for. Arm's numbers of cores are those of their technical reference
/// manuals.
pub(super) fn family_of(cpu: Cpu) -> &'static Family {
    match (cpu.maker, cpu.model) {
        (Maker::Apple, _) => &APPLE_M,
        // Neoverse N1; Cortex-A76, A77, A78, A76AE, A78AE and A78C.
        (Maker::Arm, 0xD0C | 0xD0B | 0xD0D | 0xD0E | 0xD41 | 0xD42 | 0xD4B) => &NEOVERSE_N1,
        // Neoverse V1; Cortex-X1, X1C and X2.
        (Maker::Arm, 0xD40 | 0xD44 | 0xD4C | 0xD48) => &NEOVERSE_V1,
        // Neoverse N2 and N3; Cortex-A710, A715, A720 and A725.
        (Maker::Arm, 0xD49 | 0xD8E | 0xD47 | 0xD4D | 0xD81 | 0xD87) => &NEOVERSE_N2,
        // All before the Cortex-A76; Cortex-A65AE, A510 and A520.
        (Maker::Arm, ..=0xD0A | 0xD43 | 0xD46 | 0xD80) => &CORTEX_A72,
        // Neoverse V2 and V3; Cortex-X3, X4 and X925; what came later, and others' cores.
        _ => &NEOVERSE_V2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpus_have_their_families() {
        for (maker, model, name) in [
            (Maker::Arm, 0xD4F, "neoverse-v2"),
            (Maker::Arm, 0xD84, "neoverse-v2"),
            (Maker::Arm, 0xD40, "neoverse-v1"),
            (Maker::Arm, 0xD49, "neoverse-n2"),
            (Maker::Arm, 0xD0C, "neoverse-n1"),
            (Maker::Arm, 0xD08, "cortex-a72"),
            (Maker::Arm, 0xD03, "cortex-a72"),
            (Maker::Arm, 0xD05, "cortex-a72"),
            (Maker::Apple, 0x022, "apple-m"),
            (Maker::Other, 0xD0C, "neoverse-v2"),
        ] {
            assert_eq!(family_of(Cpu { maker, family: 0, model }).name, name, "{maker:?} {model:#x}");
        }
    }
}
