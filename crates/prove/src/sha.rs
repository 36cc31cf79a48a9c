//! The SHA extensions: Intel's manual, volume 2, and FIPS 180-4 for the functions in them.

use crate::Stop;
use crate::machine::Machine;
use crate::vector::{immediate, set, source};
use crate::words::Word;
use iced_x86::{Instruction, Register};

/// The constants of SHA-1's rounds (FIPS 180-4, 4.2.1).
const SHA1_CONSTANTS: [u64; 4] = [0x5A82_7999, 0x6ED9_EBA1, 0x8F1B_BCDC, 0xCA62_C1D6];

/// Executes an instruction of the SHA extensions.
pub fn execute(machine: &mut Machine, instruction: &Instruction, name: &str) -> Result<(), Stop> {
    let words = |words: Vec<Word>| <[Word; 4]>::try_from(words).map_err(|_| Stop::not_yet("words of another width"));
    // Words stand from the lowest to the highest.
    let one = words(machine.vector(instruction.op0_register(), 16))?;
    let other = words(source(machine, instruction, 1, 16, 16)?)?;
    let result = match name {
        "sha256rnds2" => sha256_rounds(one, other, words(machine.vector(Register::XMM0, 16))?),
        "sha256msg1" => {
            let next = [one[1], one[2], one[3], other[0]];
            std::array::from_fn(|i| one[i].plus(small_sigma(next[i], 7, 18, 3)))
        }
        "sha256msg2" => {
            let w16 = one[0].plus(small_sigma(other[2], 17, 19, 10));
            let w17 = one[1].plus(small_sigma(other[3], 17, 19, 10));
            [w16, w17, one[2].plus(small_sigma(w16, 17, 19, 10)), one[3].plus(small_sigma(w17, 17, 19, 10))]
        }
        "sha1nexte" => [other[0], other[1], other[2], other[3].plus(one[3].rotate_right(2))],
        "sha1msg1" => [one[0].xor(other[2]), one[1].xor(other[3]), one[2].xor(one[0]), one[3].xor(one[1])],
        "sha1msg2" => {
            let rotated = |word: Word| word.rotate_right(31);
            let w16 = rotated(one[3].xor(other[2]));
            [rotated(one[0].xor(w16)), rotated(one[1].xor(other[0])), rotated(one[2].xor(other[1])), w16]
        }
        "sha1rnds4" => sha1_rounds(one, other, immediate(instruction) & 3),
        _ => return Err(Stop::NotYet(format!("instruction {name}"))),
    };
    set(machine, instruction, result.to_vec(), 4)
}

/// The lower-case sigmas.
fn small_sigma(word: Word, one: u32, two: u32, shift: u32) -> Word {
    word.rotate_right(one).xor(word.rotate_right(two)).xor(word.shift_right(shift))
}

/// The upper-case sigmas.
fn big_sigma(word: Word, one: u32, two: u32, three: u32) -> Word {
    word.rotate_right(one).xor(word.rotate_right(two)).xor(word.rotate_right(three))
}

fn choose(x: Word, y: Word, z: Word) -> Word {
    x.and(y).xor(x.complement().and(z))
}

fn majority(x: Word, y: Word, z: Word) -> Word {
    x.and(y).xor(x.and(z)).xor(y.and(z))
}

fn sha256_rounds(cdgh: [Word; 4], abef: [Word; 4], words: [Word; 4]) -> [Word; 4] {
    let [mut f, mut e, mut b, mut a] = abef;
    let [mut h, mut g, mut d, mut c] = cdgh;
    for word in &words[..2] {
        let t1 = choose(e, f, g).plus(big_sigma(e, 6, 11, 25)).plus(*word).plus(h);
        let t2 = majority(a, b, c).plus(big_sigma(a, 2, 13, 22));
        (h, g, f, e) = (g, f, e, t1.plus(d));
        (d, c, b, a) = (c, b, a, t1.plus(t2));
    }
    let _ = (c, d, g, h);
    [f, e, b, a]
}

fn sha1_rounds(abcd: [Word; 4], words: [Word; 4], function: usize) -> [Word; 4] {
    let [mut d, mut c, mut b, mut a] = abcd;
    // The first of the words includes e.
    let mut e = Word::Number(0);
    for word in words.iter().rev() {
        let chosen = match function {
            0 => choose(b, c, d),
            2 => majority(b, c, d),
            _ => b.xor(c).xor(d),
        };
        let next = chosen.plus(a.rotate_right(27)).plus(*word).plus(e).plus(Word::Number(SHA1_CONSTANTS[function]));
        (e, d, c, b, a) = (d, c, b.rotate_right(2), a, next);
    }
    [d, c, b, a]
}
