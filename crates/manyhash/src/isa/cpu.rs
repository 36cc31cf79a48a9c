//! Which CPU this is, for choices that depend on the family and not on the instruction set, and which
//! of its features are not to be used.

use super::OnceLock;
use alloc::{string::String, vec::Vec};

/// Features that are not used although the CPU may have them. It is set when it is first asked for.
static LEFT_OUT: OnceLock<Vec<String>> = OnceLock::new();

/// What tells which features the CPU has, without the standard library.
#[cfg(not(feature = "std"))]
static TOLD: OnceLock<fn(&str) -> bool> = OnceLock::new();

/// Hands in a detection of features, which this library has none of without the feature `std`: `has` tells whether the CPU has a
/// feature, by the name that the compiler has for it (`avx2`, `sha3`). Call it before the first hash. Features that the program was
/// compiled with need not be told.
///
/// Returns `false`, and changes nothing, if there is a detection already.
///
/// # Safety
/// `has` may return `true` only for features that the CPU has and the system lets programs use (for AVX: what `XCR0` says).
#[cfg(not(feature = "std"))]
pub unsafe fn detect_by(has: fn(&str) -> bool) -> bool {
    let mut is_first = false;
    TOLD.get_or_init(|| {
        is_first = true;
        has
    });
    is_first
}

/// Returns whether the program said that the CPU has a feature.
#[cfg(not(feature = "std"))]
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code, reason = "nothing is detected there"))]
pub(super) fn is_told(feature: &str) -> bool {
    TOLD.get().is_some_and(|has| has(feature))
}

/// Features of x86-64 of which every CPU with one has those before it.
const SUCCESSIVE: [&str; 6] = ["sse2", "ssse3", "sse4.1", "avx", "avx2", "avx512"];

/// Leaves out, from now on, the features of these names and those that need them. Returns `false` if
/// the features in use were asked for before, or if others were left out.
pub(crate) fn leave_out(features: Vec<String>) -> bool {
    LEFT_OUT.get_or_init(|| features.clone()) == &features
}

/// Returns whether one of these features is left out.
pub(crate) fn is_left_out(features: &[&str]) -> bool {
    let left_out = LEFT_OUT.get_or_init(Vec::new);
    left_out.iter().any(|name| features.iter().any(|feature| needs(feature, name)))
}

/// Returns whether CPUs have `feature` only if they have `other`, or if it is a part of it.
fn needs(feature: &str, other: &str) -> bool {
    let place = |feature: &str| SUCCESSIVE.iter().rposition(|name| feature.starts_with(name));
    feature == other || SUCCESSIVE.contains(&other) && place(feature) >= place(other)
}

/// Returns what may be left out: features, with one name for all of AVX-512.
pub(crate) fn names_to_leave_out() -> Vec<&'static str> {
    let mut names: Vec<&str> = super::ALL_FEATURES.iter().map(|&name| if name.starts_with("avx512") { "avx512" } else { name }).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The maker of a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "each architecture has makers of its own")]
pub(crate) enum Maker {
    /// Intel.
    Intel,
    /// AMD, or Hygon, whose CPUs are AMD's.
    Amd,
    /// Arm, or who makes CPUs of Arm's cores.
    Arm,
    /// Apple.
    Apple,
    /// Any other maker.
    Other,
}

/// Who made a CPU, and the numbers that say which one it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cpu {
    pub(crate) maker: Maker,
    /// The number of the family, if the maker numbers them.
    pub(crate) family: u32,
    pub(crate) model: u32,
}

/// Returns which CPU this is. It is asked once: a virtual machine may take many microseconds to
/// answer.
pub(crate) fn identify() -> Cpu {
    static CPU: OnceLock<Cpu> = OnceLock::new();
    *CPU.get_or_init(ask)
}

fn ask() -> Cpu {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::__cpuid;
        #[allow(unused_unsafe, reason = "safe since Rust 1.94")]
        // SAFETY: every x86-64 has CPUID, and its leaves 0 and 1.
        let (vendor, version) = unsafe { (__cpuid(0), __cpuid(1)) };
        // The name is in ebx, edx, ecx.
        let maker = match [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes).as_flattened() {
            b"GenuineIntel" => Maker::Intel,
            b"AuthenticAMD" | b"HygonGenuine" => Maker::Amd,
            _ => Maker::Other,
        };
        // The family is in bits 8 to 11 of eax, and what exceeds 15 in bits 20 to 27. The model is in
        // bits 4 to 7, and its upper half in bits 16 to 19.
        let family = (version.eax >> 8 & 0xF) + (version.eax >> 20 & 0xFF);
        let model = (version.eax >> 4 & 0xF) + (version.eax >> 12 & 0xF0);
        Cpu { maker, family, model }
    }
    // Programs may not ask the CPU itself, but Linux shows what its register says.
    #[cfg(all(target_arch = "aarch64", any(target_os = "linux", target_os = "android"), feature = "std"))]
    {
        let register = std::fs::read_to_string("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1");
        register.ok().and_then(|register| arm_cpu(&register)).unwrap_or(UNKNOWN)
    }
    #[cfg(all(target_arch = "aarch64", target_vendor = "apple"))]
    {
        Cpu { maker: Maker::Apple, ..UNKNOWN }
    }
    #[cfg(not(any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", any(all(any(target_os = "linux", target_os = "android"), feature = "std"), target_vendor = "apple"))
    )))]
    UNKNOWN
}

/// A CPU of which nothing is known.
#[cfg_attr(target_arch = "x86_64", allow(dead_code, reason = "each of them says what it is"))]
const UNKNOWN: Cpu = Cpu { maker: Maker::Other, family: 0, model: 0 };

/// Returns which CPU the register MIDR_EL1 describes, as Linux writes it: `0x00000000410fd4f0`. The
/// implementer is in bits 24 to 31, and its number of the core in bits 4 to 15 (Arm Architecture
/// Reference Manual, DDI 0487, D23.2).
#[cfg(any(test, all(target_arch = "aarch64", any(target_os = "linux", target_os = "android"), feature = "std")))]
fn arm_cpu(register: &str) -> Option<Cpu> {
    let bits = u64::from_str_radix(register.trim().strip_prefix("0x")?, 16).ok()?;
    let maker = match bits >> 24 & 0xFF {
        // Arm, and Microsoft, whose CPUs have the numbers of Arm's cores.
        0x41 | 0x6D => Maker::Arm,
        0x61 => Maker::Apple,
        _ => Maker::Other,
    };
    Some(Cpu { maker, family: 0, model: (bits >> 4 & 0xFFF) as u32 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_register_of_arm_tells_the_core() {
        let arm = |model| Some(Cpu { maker: Maker::Arm, family: 0, model });
        assert_eq!(arm_cpu("0x00000000410fd4f0\n"), arm(0xD4F), "Neoverse V2");
        assert_eq!(arm_cpu("0x413fd0c1\n"), arm(0xD0C), "Neoverse N1");
        assert_eq!(arm_cpu("0x00000000610f0221"), Some(Cpu { maker: Maker::Apple, family: 0, model: 0x022 }));
        assert_eq!(arm_cpu("0x00000000481fd010").map(|cpu| cpu.maker), Some(Maker::Other));
        for wrong in ["", "\n", "410fd4f0", "0x", "0xno"] {
            assert_eq!(arm_cpu(wrong), None, "{wrong:?}");
        }
    }
}
