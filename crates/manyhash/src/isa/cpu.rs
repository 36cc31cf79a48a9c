//! Which CPU this is, for choices that depend on the family and not on the instruction set, and
//! which of its features are not to be used.

use std::sync::OnceLock;

/// Features that are not used although the CPU may have them. It is set when it is first asked for.
static LEFT_OUT: OnceLock<Vec<String>> = OnceLock::new();

/// Leaves out, from now on, every feature whose name is in the list or begins with a name in it.
/// Returns `false` if the features in use were asked for before, or if others were left out.
pub(crate) fn leave_out(features: Vec<String>) -> bool {
    LEFT_OUT.get_or_init(|| features.clone()) == &features
}

/// Returns whether one of these features is left out.
pub(crate) fn is_left_out(features: &[&str]) -> bool {
    let left_out = LEFT_OUT.get_or_init(Vec::new);
    features.iter().any(|feature| left_out.iter().any(|name| feature.starts_with(name.as_str())))
}

/// The maker of a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Maker {
    /// Intel.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "made for x86-64 only"))]
    Intel,
    /// AMD, with the family number of the CPU.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "made for x86-64 only"))]
    Amd { family: u32 },
    /// Any other maker.
    Other,
}

/// Returns the maker of this CPU. It is asked once: a virtual machine may take many microseconds to
/// answer.
pub(crate) fn maker() -> Maker {
    static MAKER: OnceLock<Maker> = OnceLock::new();
    *MAKER.get_or_init(ask_maker)
}

fn ask_maker() -> Maker {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::__cpuid;
        #[allow(unused_unsafe, reason = "safe since Rust 1.94")]
        // SAFETY: every x86-64 has CPUID, and its leaves 0 and 1.
        let (vendor, version) = unsafe { (__cpuid(0), __cpuid(1)) };
        // The name is in ebx, edx, ecx. The family is in bits 8 to 11 of eax; what exceeds 15 is in
        // bits 20 to 27.
        match [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes).as_flattened() {
            b"GenuineIntel" => Maker::Intel,
            b"AuthenticAMD" => Maker::Amd { family: (version.eax >> 8 & 0xF) + (version.eax >> 20 & 0xFF) },
            _ => Maker::Other,
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    Maker::Other
}
