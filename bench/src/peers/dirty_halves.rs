//! What code of others does that uses 256-bit registers and does not clean up behind it: isa-l's
//! managers, some compilers of their own.
#![allow(unsafe_code)]

use std::arch::{asm, is_x86_feature_detected};

/// Whether this CPU has such registers.
pub fn is_possible() -> bool {
    is_x86_feature_detected!("avx2")
}

/// Leaves ones in the upper halves of three registers. Panics where that is not possible.
pub fn make() {
    assert!(is_possible());
    // SAFETY: AVX2 is there; what it overwrites is said.
    unsafe {
        asm!(
            "vpcmpeqd ymm0, ymm0, ymm0",
            "vmovdqa ymm7, ymm0",
            "vmovdqa ymm15, ymm0",
            out("xmm0") _, out("xmm7") _, out("xmm15") _,
            options(nomem, nostack, preserves_flags)
        );
    }
}
