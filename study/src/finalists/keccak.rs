//! Keccak with a rate of 1088 bits and digests of 256, in lanes: as it was in the SHA-3 competition, and as FIPS 202 has it, which differ
//! in a byte of padding. Section numbers are those of FIPS 202.

use manyhash::hazmat::{ByteOrder, Words};

use super::lanes::{LaneHash, MOST_WORDS};

/// Keccak[1088] whose padding begins with the byte `FIRST`.
pub struct Keccak<const FIRST: u8>;
/// As it was submitted.
pub type Keccak256 = Keccak<0x01>;
/// The standard: two bits more say that it is a hash function (6.1).
pub type Sha3 = Keccak<0x06>;

/// ι, round by round (3.2.5).
const ROUND_CONSTANTS: [u64; 24] = [
    0x0000000000000001,
    0x0000000000008082,
    0x800000000000808A,
    0x8000000080008000,
    0x000000000000808B,
    0x0000000080000001,
    0x8000000080008081,
    0x8000000000008009,
    0x000000000000008A,
    0x0000000000000088,
    0x0000000080008009,
    0x000000008000000A,
    0x000000008000808B,
    0x800000000000008B,
    0x8000000000008089,
    0x8000000000008003,
    0x8000000000008002,
    0x8000000000000080,
    0x000000000000800A,
    0x800000008000000A,
    0x8000000080008081,
    0x8000000000008080,
    0x0000000080000001,
    0x8000000080008008,
];

/// θ: what column `$x` gets, from those to its left and right (3.2.1).
macro_rules! theta {
    ($state:ident, $($x:literal)+) => {{
        let columns = [$(V::xor3(V::xor3($state[$x], $state[$x + 5], $state[$x + 10]), $state[$x + 15], $state[$x + 20])),+];
        [$(columns[($x + 4) % 5].xor(columns[($x + 1) % 5].rotate_right::<63>())),+]
    }};
}

/// The end of θ, ρ and π: word `$from` of the state, rotated to the left by `$left`, goes to where it is listed (3.2.2, 3.2.3).
macro_rules! moved {
    ($state:ident $theta:ident, $($from:literal <<< $left:literal)+) => {
        [$($state[$from].xor($theta[$from % 5]).rotate_right::<{ (64 - $left) % 64 }>()),+]
    };
}

/// χ, row by row (3.2.4).
macro_rules! chi {
    ($moved:ident, $($row:literal)+) => {
        [$(
            $moved[$row].xor($moved[$row + 1].not().and($moved[$row + 2])),
            $moved[$row + 1].xor($moved[$row + 2].not().and($moved[$row + 3])),
            $moved[$row + 2].xor($moved[$row + 3].not().and($moved[$row + 4])),
            $moved[$row + 3].xor($moved[$row + 4].not().and($moved[$row])),
            $moved[$row + 4].xor($moved[$row].not().and($moved[$row + 1])),
        )+]
    };
}

impl<const FIRST: u8> LaneHash for Keccak<FIRST> {
    type Word = u64;
    type State<V: Copy> = [V; 25];
    const BYTE_ORDER: ByteOrder = ByteOrder::Little;
    const BLOCK_BYTES: usize = 136;
    const DIGEST_BYTES: usize = 32;

    #[inline(always)]
    fn initial<V: Words<Word = u64>>(isa: V::Isa) -> [V; 25] {
        [V::splat(isa, 0); 25]
    }

    /// Absorbs a block: Keccak-f[1600] of it and the state (4, algorithm 8).
    #[inline(always)]
    fn take<V: Words<Word = u64>>(isa: V::Isa, state: &mut [V; 25], block: &[V; MOST_WORDS], _: [V; 2]) {
        let mut next = *state;
        for (word, of_block) in next.iter_mut().zip(block) {
            *word = word.xor(*of_block);
        }
        for constant in ROUND_CONSTANTS {
            let theta = theta!(next, 0 1 2 3 4);
            let moved = moved!(next theta,
                0 <<< 0 6 <<< 44 12 <<< 43 18 <<< 21 24 <<< 14
                3 <<< 28 9 <<< 20 10 <<< 3 16 <<< 45 22 <<< 61
                1 <<< 1 7 <<< 6 13 <<< 25 19 <<< 8 20 <<< 18
                4 <<< 27 5 <<< 36 11 <<< 10 17 <<< 15 23 <<< 56
                2 <<< 62 8 <<< 55 14 <<< 39 15 <<< 41 21 <<< 2);
            next = chi!(moved, 0 5 10 15 20);
            next[0] = next[0].xor(V::splat(isa, constant));
        }
        *state = next;
    }

    /// Keccak counts nothing.
    fn counter(_: u64, _: u64) -> [u64; 2] {
        [0; 2]
    }

    /// pad10*1 (5.1).
    fn pad(_: u64, rest: &mut Vec<u8>) {
        rest.push(FIRST);
        rest.resize(rest.len().next_multiple_of(Self::BLOCK_BYTES), 0);
        *rest.last_mut().expect("a byte of padding at least") |= 0x80;
    }
}
