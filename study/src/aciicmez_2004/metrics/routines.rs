//! The compression functions whose instructions are counted.

use std::hint::black_box;

use manyhash::backend::Backend;
use manyhash::hazmat::{Blocks, Kernel};

use crate::aciicmez_2004::counting::Routine;
use crate::aciicmez_2004::scalar::{HashFunction, Sha1, Sha256, Sha512, Sha512Pairs, Variants};
use crate::messages::{Layout, Messages};

/// Message blocks of each lane in a call.
const BLOCKS: usize = 64;

/// All that this CPU can run, each named by [`name`].
pub fn routines() -> Vec<Routine> {
    let mut routines = vec![
        scalar::<Sha1>("SHA-1", "scalar"),
        scalar::<Sha256>("SHA-256", "scalar"),
        scalar::<Sha512Pairs>("SHA-512", "scalar"),
        scalar::<Sha512>("SHA-512", "scalar, 64-bit"),
    ];
    #[cfg(target_arch = "x86_64")]
    routines.extend(mmx());
    for (code, backend) in [("XMM", "sse2"), ("YMM", "avx2")] {
        routines.extend(lanes::<manyhash::Sha1>(code, backend));
        routines.extend(lanes::<manyhash::Sha256>(code, backend));
        routines.extend(lanes::<manyhash::Sha512>(code, backend));
    }
    routines
}

/// "SHA-256, XMM".
pub fn name(function: &str, code: &str) -> String {
    format!("{function}, {code}")
}

fn scalar<F: Variants>(function: &str, code: &str) -> Routine {
    let messages = messages(1, F::BLOCK_BYTES);
    let compress = F::unrolled().pop().expect("all rounds written out").compress;
    let mut state = F::INITIAL;
    let message = messages.slices()[0].to_vec();
    routine(function, code, 1, F::BLOCK_BYTES, move || compress(black_box(&mut state), &message))
}

#[cfg(target_arch = "x86_64")]
fn mmx() -> [Routine; 3] {
    use crate::aciicmez_2004::mmx::{TwoLanes, compress_sha512, compress_two};
    let both = |word: u32| u64::from(word) | u64::from(word) << 32;
    let (mut sha_1, mut sha_256, mut sha_512) = (Sha1::INITIAL.map(both), Sha256::INITIAL.map(both), Sha512::INITIAL);
    let two = |messages: &Messages| [0, 1].map(|lane| messages.slices()[lane].to_vec());
    let (lanes_1, lanes_256, message_512) = (two(&messages(2, 64)), two(&messages(2, 64)), messages(1, 128).slices()[0].to_vec());
    [
        routine("SHA-1", "MMX", 2, 64, move || {
            compress_two(TwoLanes::Sha1, black_box(&mut sha_1), [&lanes_1[0], &lanes_1[1]]);
        }),
        routine("SHA-256", "MMX", 2, 64, move || {
            compress_two(TwoLanes::Sha256, black_box(&mut sha_256), [&lanes_256[0], &lanes_256[1]]);
        }),
        routine("SHA-512", "MMX", 1, 128, move || compress_sha512(black_box(&mut sha_512), &message_512)),
    ]
}

/// manyhash's lanes; `None` if this CPU lacks the instructions.
fn lanes<A: manyhash::Algorithm>(code: &str, backend: &str) -> Option<Routine> {
    let kernel = Kernel::<A>::of(Backend::by_name(backend).ok()?).ok()?;
    let lanes = kernel.lanes();
    let messages = messages(lanes, A::BLOCK_BYTES);
    let mut states = kernel.states();
    Some(routine(A::NAME, code, lanes, A::BLOCK_BYTES, move || {
        let slices = messages.slices();
        kernel.update(black_box(&mut states), &Blocks::new(lanes, slices[0].len(), |lane| slices[lane]));
    }))
}

/// Each of them begins on a cache line.
fn messages(lanes: usize, block_bytes: usize) -> Messages {
    Layout::equal(lanes, BLOCKS * block_bytes).fill().expect("a few kilobytes of memory")
}

fn routine(function: &str, code: &str, lanes: usize, block_bytes: usize, call: impl FnMut() + 'static) -> Routine {
    let blocks = lanes * BLOCKS;
    Routine { name: name(function, code), bytes: blocks * block_bytes, blocks, call: Box::new(call) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_routine_has_a_name_of_its_own_and_whole_blocks() {
        let routines = routines();
        let mut names: Vec<&str> = routines.iter().map(|routine| routine.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), routines.len());
        assert!(routines.len() >= if cfg!(target_arch = "x86_64") { 10 } else { 4 });
        for mut routine in routines {
            assert_eq!(routine.bytes % routine.blocks, 0, "{}", routine.name);
            (routine.call)();
        }
    }
}
