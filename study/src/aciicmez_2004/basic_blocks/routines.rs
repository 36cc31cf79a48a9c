//! The scalar compression function with some of its basic blocks.

use std::hint::black_box;

use crate::aciicmez_2004::counting::Routine;
use crate::aciicmez_2004::scalar::{
    FULLY, HashFunction, Sha1, Sha256, Sha512, Sha512Pairs, bb1_retrieve_block, bb2_schedule, bb3_rounds, bb4_update,
};

/// Message blocks in a call.
pub const BLOCKS: usize = 64;
/// BB1 to BB4, each a bit.
pub const ALL: u8 = 0b1111;

/// The functions of the figure, as its table names them. The paper's SHA-512 is that in 32-bit registers.
pub const FUNCTIONS: [&str; 4] = [Sha1::NAME, Sha256::NAME, Sha512Pairs::NAME, Sha512::NAME];

/// Whole blocks with those basic blocks whose bits are set. What a block left out would have made is there from before: words of the
/// message, the schedule, the state.
///
/// The compiler is not told what is in the schedule, or it would see that it stays the same.
#[inline(never)]
fn compress<F: HashFunction, const PARTS: u8>(state: &mut F::Variables, blocks: &[u8]) {
    let mut schedule = F::EMPTY_SCHEDULE;
    let mut variables = *state;
    for block in blocks.chunks_exact(F::BLOCK_BYTES) {
        if PARTS & 1 != 0 {
            bb1_retrieve_block::<F>(&mut schedule, block);
        }
        let schedule = black_box(&mut schedule);
        if PARTS & 2 != 0 {
            bb2_schedule::<F, FULLY>(schedule);
        }
        let schedule = black_box(schedule);
        if PARTS & 4 != 0 {
            bb3_rounds::<F, FULLY, true>(&mut variables, schedule);
        }
        if PARTS & 8 != 0 {
            bb4_update::<F>(state, &mut variables);
        }
    }
    black_box((&variables, state));
}

/// Names of what is left of a function: "SHA-1, whole", "SHA-1, without BB1", "SHA-1, BB1 alone".
pub fn name(function: &str, parts: u8) -> String {
    let basic_block = |bits: u8| bits.trailing_zeros() + 1;
    match parts {
        ALL => format!("{function}, whole"),
        alone if alone.is_power_of_two() => format!("{function}, BB{} alone", basic_block(alone)),
        parts => format!("{function}, without BB{}", basic_block(!parts & ALL)),
    }
}

/// All parts that are measured: whole, without each basic block, each alone.
pub const PARTS: [u8; 9] = [ALL, ALL & !1, ALL & !2, ALL & !4, ALL & !8, 1, 2, 4, 8];

/// Every part of every function.
pub fn routines() -> Vec<Routine> {
    fn all_of<F: HashFunction>(routines: &mut Vec<Routine>) {
        let functions = [
            compress::<F, { PARTS[0] }>,
            compress::<F, { PARTS[1] }>,
            compress::<F, { PARTS[2] }>,
            compress::<F, { PARTS[3] }>,
            compress::<F, { PARTS[4] }>,
            compress::<F, { PARTS[5] }>,
            compress::<F, { PARTS[6] }>,
            compress::<F, { PARTS[7] }>,
            compress::<F, { PARTS[8] }>,
        ];
        for (parts, compress) in PARTS.into_iter().zip(functions) {
            let blocks: Vec<u8> = (0..BLOCKS * F::BLOCK_BYTES).map(|i| (i * 167 + i / 256) as u8).collect();
            let mut state = F::INITIAL;
            routines.push(Routine {
                name: name(F::NAME, parts),
                bytes: blocks.len(),
                blocks: BLOCKS,
                call: Box::new(move || compress(black_box(&mut state), black_box(&blocks))),
            });
        }
    }
    let mut routines = Vec::new();
    all_of::<Sha1>(&mut routines);
    all_of::<Sha256>(&mut routines);
    all_of::<Sha512Pairs>(&mut routines);
    all_of::<Sha512>(&mut routines);
    routines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_left_out_is_the_whole_function() {
        fn check<F: HashFunction>(hash: fn(&[u8]) -> Vec<u8>) {
            let message: Vec<u8> = (0..3 * F::BLOCK_BYTES).map(|i| (i * 7) as u8).collect();
            let mut state = F::INITIAL;
            compress::<F, ALL>(&mut state, &message);
            compress::<F, ALL>(&mut state, &F::final_blocks(&[], message.len() as u64));
            let mut digest = Vec::new();
            state.as_ref().iter().for_each(|word| crate::aciicmez_2004::scalar::word::Word::append_to(*word, &mut digest));
            assert_eq!(digest, hash(&message), "{}", F::NAME);
        }
        check::<Sha1>(|message| reference::sha1(message).to_vec());
        check::<Sha256>(|message| reference::sha256(message).to_vec());
        check::<Sha512>(|message| reference::sha512(message).to_vec());
        check::<Sha512Pairs>(|message| reference::sha512(message).to_vec());
    }

    #[test]
    fn every_part_has_its_name() {
        let names = PARTS.map(|parts| name("SHA-1", parts));
        assert_eq!(names[0], "SHA-1, whole");
        assert_eq!(names[2], "SHA-1, without BB2");
        assert_eq!(names[8], "SHA-1, BB4 alone");
        assert_eq!(routines().len(), 4 * PARTS.len());
    }
}
