//! Tests that kernels of the SHA extensions clean upper halves of registers that foreign code left
//! dirty. On Golden Cove they would be 200 times slower otherwise.

use crate::algorithm::{Compression, WordOf};
use crate::isa::x86_64::upper_halves::{dirty_registers, make_dirty};
use crate::isa::{Avx2, Blocks, MAX_LANES, Token};
use crate::kernel::Kernel;
use crate::kernel::list::kernels;
use crate::kernel::states::States;

/// Runs a kernel for one block in each lane after foreign code. Returns how many registers are
/// dirty before and after it.
fn dirty_around<C: Compression>(isa: Avx2, kernel: &Kernel<C>) -> (usize, usize) {
    let zeros = [0; 128];
    let mut rows = C::filled([WordOf::<C>::default(); MAX_LANES]);
    let mut states = States::<C>::of_rows(&mut rows);
    let blocks = Blocks::new(kernel.lanes, C::BLOCK_BYTES, |_| &zeros);
    make_dirty(isa);
    let before = dirty_registers(isa);
    kernel.advance(&mut states, &blocks);
    (before, dirty_registers(isa))
}

fn kernels_clean<C: Compression>(isa: Avx2) -> usize {
    let all = kernels::<C>();
    let sha = all.iter().filter(|kernel| kernel.shape.features.contains(&"sha"));
    let (supported, lacking): (Vec<&Kernel<C>>, Vec<&Kernel<C>>) = sha.partition(|kernel| kernel.is_supported());
    lacking.iter().for_each(|kernel| println!("SKIPPED: {}/{}: this CPU lacks it", C::NAME, kernel.name));
    for kernel in &supported {
        let (before, behind) = dirty_around(isa, kernel);
        println!("{}/{}: {before} dirty registers, then {behind}", C::NAME, kernel.name);
        assert_eq!((before, behind), (16, 0), "{}/{}", C::NAME, kernel.name);
    }
    supported.len()
}

#[test]
fn kernels_of_the_sha_extensions_clean_upper_halves() {
    let Some(isa) = Avx2::detect() else {
        println!("SKIPPED: no upper halves to make dirty: this CPU lacks AVX2");
        return;
    };
    macro_rules! count { ($($Compression:path)*) => { 0 $(+ kernels_clean::<$Compression>(isa))* } }
    let kernels = for_each_compression!(count);
    let has_extensions = std::fs::read_to_string("/proc/cpuinfo").is_ok_and(|info| info.contains(" sha_ni "));
    assert!(kernels > 0 || !has_extensions, "no kernel of the SHA extensions was tested");
}
