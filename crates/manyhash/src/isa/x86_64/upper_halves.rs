//! The upper halves of vector registers, for tests of the kernels that must not meet dirty ones.
//!
//! SAFETY, for every block of this file: [`Avx2::detect`](crate::isa::Avx2) found AVX2.

use crate::isa::Avx2;
use core::arch::asm;
use core::mem::MaybeUninit;

/// Fills all sixteen registers of 256 bits with ones, as foreign code does that leaves them dirty.
#[inline(never)]
pub(crate) fn make_dirty(_: Avx2) {
    // SAFETY: AVX2 is there; the registers that are overwritten are declared.
    unsafe {
        asm!(
            "vpcmpeqd ymm0, ymm0, ymm0", "vmovdqa ymm1, ymm0", "vmovdqa ymm2, ymm0", "vmovdqa ymm3, ymm0",
            "vmovdqa ymm4, ymm0", "vmovdqa ymm5, ymm0", "vmovdqa ymm6, ymm0", "vmovdqa ymm7, ymm0",
            "vmovdqa ymm8, ymm0", "vmovdqa ymm9, ymm0", "vmovdqa ymm10, ymm0", "vmovdqa ymm11, ymm0",
            "vmovdqa ymm12, ymm0", "vmovdqa ymm13, ymm0", "vmovdqa ymm14, ymm0", "vmovdqa ymm15, ymm0",
            out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
            out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _, out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
            options(nomem, nostack, preserves_flags)
        );
    }
}

/// Returns how many of the sixteen registers have upper halves other than zero.
#[inline(never)]
pub(crate) fn dirty_registers(_: Avx2) -> usize {
    // Zeros would be written by a function of the C library, which cleans the upper halves on some machines.
    let mut registers = MaybeUninit::<[[u128; 2]; 16]>::uninit();
    // SAFETY: AVX2 is there; the buffer has room for sixteen registers of 32 bytes, and is filled with them.
    let registers = unsafe {
        asm!(
            "vmovdqu [{0}], ymm0", "vmovdqu [{0} + 32], ymm1", "vmovdqu [{0} + 64], ymm2", "vmovdqu [{0} + 96], ymm3",
            "vmovdqu [{0} + 128], ymm4", "vmovdqu [{0} + 160], ymm5", "vmovdqu [{0} + 192], ymm6", "vmovdqu [{0} + 224], ymm7",
            "vmovdqu [{0} + 256], ymm8", "vmovdqu [{0} + 288], ymm9", "vmovdqu [{0} + 320], ymm10", "vmovdqu [{0} + 352], ymm11",
            "vmovdqu [{0} + 384], ymm12", "vmovdqu [{0} + 416], ymm13", "vmovdqu [{0} + 448], ymm14", "vmovdqu [{0} + 480], ymm15",
            in(reg) registers.as_mut_ptr(),
            options(nostack, preserves_flags)
        );
        registers.assume_init()
    };
    registers.iter().filter(|[_, upper]| *upper != 0).count()
}
