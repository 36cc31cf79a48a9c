//! SHA-1 (FIPS 180-4, section 6.1).

use super::HashFunction;
use super::functions::{choose, majority, parity};
use super::word::Word;

/// In 32-bit registers.
pub enum Sha1 {}

impl HashFunction for Sha1 {
    type Word = u32;
    type Variables = [u32; 5];
    type Schedule = [u32; 80];

    const NAME: &'static str = "SHA-1";
    const INITIAL: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    const EMPTY_SCHEDULE: [u32; 80] = [0; 80];
    const PHASES: usize = 4;
    /// By the phase, and not by the round.
    const CONSTANTS: &'static [u32] = &[0; 80];

    fn final_blocks(rest: &[u8], message_bytes: u64) -> Vec<u8> {
        manyhash::hazmat::final_blocks::<manyhash::Sha1>(rest, message_bytes)
    }

    #[inline(always)]
    fn scheduled(w: &[u32]) -> u32 {
        w[13].xor(w[8]).xor(w[2]).xor(w[0]).rotate_left(1)
    }

    #[inline(always)]
    fn round<const REDEFINED: bool>(variables: &mut [u32; 5], turn: usize, phase: usize, _constant: u32, w: u32) {
        let at = |letter: usize| (5 - turn % 5 + letter) % 5;
        let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(at);
        let (x, y, z) = (variables[b], variables[c], variables[d]);
        let (function, constant) = match phase {
            0 => (choose::<_, REDEFINED>(x, y, z), 0x5a82_7999),
            1 => (parity(x, y, z), 0x6ed9_eba1),
            2 => (majority::<_, REDEFINED>(x, y, z), 0x8f1b_bcdc),
            _ => (parity(x, y, z), 0xca62_c1d6),
        };
        let sum = variables[e].plus(constant).plus(w).plus(function);
        variables[e] = variables[a].rotate_left(5).plus(sum);
        variables[b] = variables[b].rotate_left(30);
    }
}
