//! SHA3-256 (FIPS 202): the sponge on Keccak-f[1600], with blocks of 136 bytes. Section numbers are
//! those of FIPS 202.
//!
//! A word of the state is what the standard calls a lane: its A[x, y] is `state[x + 5 * y]`.
//! Operations per block and lane, with three-operand logic: 24 rounds of 66, of which 29 are
//! rotations, and 17 to absorb the block.

use super::ending::Sponge;
use super::{Compression, SelfTested, algorithm};
use crate::isa::{ByteOrder, Count, Words};

algorithm! {
    /// SHA3-256, with a digest of 256 bits.
    // Two bits tell a hash function from the others, and the padding begins with a one bit (6.1).
    Sha3_256, names("SHA3-256", "SHA3-256", "sha3-256", "sha3_256", None, false), 32, Sha3_256Compression, [0; 25]
}

/// The compression function of SHA3-256. It absorbs a block of 1088 bits; the other 512 bits of the
/// state are the capacity.
#[derive(Clone, Copy, Debug)]
pub struct Sha3_256Compression;

impl SelfTested for Sha3_256Compression {
    const KNOWN: [u64; 2] = [0xE8F6_692D_8542_691B, 0x582E_249B_4994_9302];
}

impl Compression for Sha3_256Compression {
    type Word = u64;
    type State = Count<25>;
    type Block = Count<17>;
    type Ending = Sponge<0x06>;
    const NAME: &'static str = "sha3_256";
    const BYTE_ORDER: ByteOrder = ByteOrder::Little;
    const WANTS_WAVES: bool = false;

    #[inline(always)]
    fn compress<V: Words<Word = u64>>(isa: V::Isa, state: &mut [V; 25], block: [V; 17]) {
        macro_rules! absorb { ($($i:literal)*) => { $(state[$i] = state[$i].xor(block[$i]);)* } }
        absorb!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
        permute(isa, state);
    }
}

/// The constants of iota, one a round (3.2.5).
static ROUND_CONSTANTS: [u64; 24] = [
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

/// Theta: what column `$x` takes from the columns beside it (3.2.1).
macro_rules! theta {
    ($a:ident, $($x:literal)+) => {{
        let parity = [$(V::xor3(V::xor3($a[$x], $a[$x + 5], $a[$x + 10]), $a[$x + 15], $a[$x + 20])),+];
        [$(parity[($x + 4) % 5].xor(parity[($x + 1) % 5].rotate_right::<63>())),+]
    }};
}

/// The end of theta, rho and pi: word `$from`, rotated left by `$left` bits, moves to its place in
/// the list (3.2.2, 3.2.3).
macro_rules! rho_pi {
    ($a:ident $theta:ident, $($from:literal << $left:literal)+) => {
        [$($a[$from].xor($theta[$from % 5]).rotate_right::<{ (64 - $left) % 64 }>()),+]
    };
}

/// Chi on the row that begins with word `$row` (3.2.4).
macro_rules! chi {
    ($b:ident, $($row:literal)+) => {
        [$(
            V::xor_and_not($b[$row], $b[$row + 1], $b[$row + 2]),
            V::xor_and_not($b[$row + 1], $b[$row + 2], $b[$row + 3]),
            V::xor_and_not($b[$row + 2], $b[$row + 3], $b[$row + 4]),
            V::xor_and_not($b[$row + 3], $b[$row + 4], $b[$row]),
            V::xor_and_not($b[$row + 4], $b[$row], $b[$row + 1]),
        )+]
    };
}

/// Keccak-f[1600]: 24 rounds on every lane (3.3, 3.4).
#[inline(always)]
fn permute<V: Words<Word = u64>>(isa: V::Isa, state: &mut [V; 25]) {
    let mut a = *state;
    for constant in &ROUND_CONSTANTS {
        let theta = theta!(a, 0 1 2 3 4);
        let b = rho_pi!(a theta,
            0 << 0 6 << 44 12 << 43 18 << 21 24 << 14
            3 << 28 9 << 20 10 << 3 16 << 45 22 << 61
            1 << 1 7 << 6 13 << 25 19 << 8 20 << 18
            4 << 27 5 << 36 11 << 10 17 << 15 23 << 56
            2 << 62 8 << 55 14 << 39 15 << 41 21 << 2);
        a = chi!(b, 0 5 10 15 20);
        a[0] = a[0].xor(V::splat(isa, *constant));
    }
    *state = a;
}
