//! Kernels of the SHA extensions clean upper halves of registers that foreign code left dirty: on Golden Cove they would be 200 times slower.
//!
//! SAFETY, for every block of this file: AVX2 was found.

use crate::algorithm::{Compression, WordOf};
use crate::lanes::{Blocks, MAX_LANES};
use crate::shape::Shape;
use crate::states::States;
use core::arch::asm;

/// Fills all sixteen registers of 256 bits with ones, as foreign code does that does not clean up behind it.
#[inline(never)]
fn make_dirty() {
    // SAFETY: AVX2; what it overwrites is said.
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

/// How many of the sixteen registers have upper halves other than zero.
#[inline(never)]
fn dirty_registers() -> usize {
    let mut registers = [[0_u128; 2]; 16];
    // SAFETY: AVX2; sixteen registers of 32 bytes find room.
    unsafe {
        asm!(
            "vmovdqu [{0}], ymm0", "vmovdqu [{0} + 32], ymm1", "vmovdqu [{0} + 64], ymm2", "vmovdqu [{0} + 96], ymm3",
            "vmovdqu [{0} + 128], ymm4", "vmovdqu [{0} + 160], ymm5", "vmovdqu [{0} + 192], ymm6", "vmovdqu [{0} + 224], ymm7",
            "vmovdqu [{0} + 256], ymm8", "vmovdqu [{0} + 288], ymm9", "vmovdqu [{0} + 320], ymm10", "vmovdqu [{0} + 352], ymm11",
            "vmovdqu [{0} + 384], ymm12", "vmovdqu [{0} + 416], ymm13", "vmovdqu [{0} + 448], ymm14", "vmovdqu [{0} + 480], ymm15",
            in(reg) registers.as_mut_ptr(),
            options(nostack, preserves_flags)
        );
    }
    registers.iter().filter(|[_, upper]| *upper != 0).count()
}

/// Runs a kernel for one block in each lane after foreign code; says how many registers are dirty before and behind it.
fn dirty_around<C: Compression>(shape: &Shape<C>) -> (usize, usize) {
    let zeros = [0; 128];
    let mut rows = C::filled([WordOf::<C>::default(); MAX_LANES]);
    let mut states = States::<C>::of_rows(&mut rows);
    let blocks = Blocks::new(shape.lanes, C::BLOCK_BYTES, |_| &zeros);
    make_dirty();
    let before = dirty_registers();
    shape.advance(&mut states, &blocks);
    (before, dirty_registers())
}

fn kernels_clean<C: Compression>() -> usize {
    let kernels = C::shapes().all.iter().filter(|shape| shape.name.starts_with("sha-ni"));
    let (supported, lacking): (Vec<&Shape<C>>, Vec<&Shape<C>>) = kernels.partition(|shape| shape.is_supported());
    lacking.iter().for_each(|shape| println!("SKIPPED: {}/{}: this CPU lacks it", C::NAME, shape.name));
    for shape in &supported {
        let (before, behind) = dirty_around(shape);
        println!("{}/{}: {before} dirty registers, then {behind}", C::NAME, shape.name);
        assert_eq!((before, behind), (16, 0), "{}/{}", C::NAME, shape.name);
    }
    supported.len()
}

#[test]
fn kernels_of_the_sha_extensions_clean_upper_halves() {
    if !std::arch::is_x86_feature_detected!("avx2") {
        println!("SKIPPED: no upper halves to make dirty: this CPU lacks AVX2");
        return;
    }
    let kernels =
        kernels_clean::<crate::algorithm::sha1::Sha1Compression>() + kernels_clean::<crate::algorithm::sha256::Sha256Compression>();
    let required = std::env::var("MANYHASH_REQUIRE_BACKENDS").unwrap_or_default();
    assert!(kernels > 0 || !required.contains("sha-ni"), "no kernel of the SHA extensions was tested");
}
