//! SHA-3 (FIPS 202) and what Keccak was before it became the standard: the sponge on Keccak-f[1600].
//! Section numbers are those of FIPS 202.
//!
//! A word of the state is what the standard calls a lane: its A[x, y] is `state[x + 5 * y]`.
//! Operations per block and lane, with three-operand logic: 24 rounds of 100, of which 29 are
//! rotations, and as many to absorb the block as it has words.

use super::ending::Sponge;
use super::{Compression, SelfTested, algorithm};
use crate::isa::{ByteOrder, Count, Task, Token, Words};

// Two bits tell a hash function from the others, and the padding begins with a one bit (6.1).
algorithm! {
    /// SHA3-224, with a digest of 224 bits.
    Sha3_224, names("SHA3-224", "SHA3-224", "sha3-224", "sha3_224", None, false), 28, Sha3_224Compression, [0; 26]
}
algorithm! {
    /// SHA3-256, with a digest of 256 bits.
    Sha3_256, names("SHA3-256", "SHA3-256", "sha3-256", "sha3_256", None, false), 32, Sha3_256Compression, [0; 26]
}
algorithm! {
    /// SHA3-384, with a digest of 384 bits.
    Sha3_384, names("SHA3-384", "SHA3-384", "sha3-384", "sha3_384", None, false), 48, Sha3_384Compression, [0; 26]
}
algorithm! {
    /// SHA3-512, with a digest of 512 bits.
    Sha3_512, names("SHA3-512", "SHA3-512", "sha3-512", "sha3_512", None, false), 64, Sha3_512Compression, [0; 26]
}
algorithm! {
    /// Keccak-256 as it was submitted to NIST's competition, and as Ethereum has it: SHA3-256
    /// without the two bits that tell it from other functions.
    Keccak256, names("Keccak-256", "Keccak-256", "keccak256", "keccak256", None, false), 32, Sha3_256Compression, padding_with(0x01, SHA3)
}

/// The byte after a message of a hash function: two bits that tell it from others, and the first bit of the
/// padding (6.1).
pub(crate) const SHA3: u8 = 0x06;
/// The byte after a message of a function with output of any length, whose four bits these are (6.2).
pub(crate) const SHAKE: u8 = 0x1F;

/// Returns the state before a message that the byte `first` follows, for a compression function with another
/// `FIRST`.
pub(crate) const fn padding_with(first: u8, usual: u8) -> [u64; 26] {
    let mut state = [0; 26];
    state[Sponge::<0>::ADDED] = (first ^ usual) as u64;
    state
}

/// Absorbs blocks of `RATE` words; the rest of the state is the capacity (4). `FIRST` is the byte
/// after a message, unless its start says another ([`Sponge`]). The permutation has 24 rounds, or the last
/// 12 of them in TurboSHAKE (RFC 9861, 2.2).
#[derive(Clone, Copy, Debug)]
pub struct Keccak<const RATE: usize, const FIRST: u8, const ROUNDS: usize = 24>;

/// Names the compression functions: a rate in words, which is that of the standard (6.1), the first
/// byte of the padding, rounds, the name of those that cost as much, and what the self-test finds.
macro_rules! keccak {
    ($($Compression:ident, $name:literal, $rate:literal, $first:literal, $rounds:literal, $costs_of:literal, $known:expr;)*) => { $(
        #[doc = concat!("The compression function `", $name, "`.")]
        pub type $Compression = Keccak<$rate, $first, $rounds>;

        impl SelfTested for $Compression {
            const KNOWN: [u64; 2] = $known;
        }

        impl Compression for $Compression {
            type Word = u64;
            type State = Count<26>;
            type Block = Count<$rate>;
            type Ending = Sponge<$first>;
            const NAME: &'static str = $name;
            /// Nearly all of the time is the permutation's.
            const COSTS_OF: &'static str = $costs_of;
            const BYTE_ORDER: ByteOrder = ByteOrder::Little;
            const WANTS_WAVES: bool = false;

            #[inline(always)]
            fn compress<V: Words<Word = u64>>(isa: V::Isa, state: &mut [V; 26], block: [V; $rate]) {
                let state = state.first_chunk_mut().expect("25 words and one");
                for (word, block) in state.iter_mut().zip(block) {
                    *word = word.xor(block);
                }
                // AVX2 took 22 % longer through memory, AVX-512 5 % less.
                if V::SHARES_CODE { isa.run(Permutation::<V, $rounds>(state)) } else { permute::<V, $rounds>(isa, state) }
            }
        }
    )* };
}
keccak! {
    Sha3_224Compression, "sha3_224", 18, 0x06, 24, "sha3_256", [0xCEB9_E022_DBAF_C2F7, 0xA85E_5E19_B610_417C];
    Sha3_256Compression, "sha3_256", 17, 0x06, 24, "sha3_256", [0x91D5_22C8_7BDD_DD73, 0x582E_249B_4994_9302];
    Sha3_384Compression, "sha3_384", 13, 0x06, 24, "sha3_256", [0x2EC7_27D0_F525_EB5A, 0x149D_5780_55F6_27E8];
    Sha3_512Compression, "sha3_512", 9, 0x06, 24, "sha3_256", [0x6F20_BF17_BC48_E474, 0x9688_9A88_C60B_B04D];
    // Beside those of hash functions, the rate of SHAKE128 (6.2); and those of RFC 9861.
    Shake128Compression, "shake128", 21, 0x1F, 24, "sha3_256", [0x619A_B35D_99AA_EB20, 0x8D28_053E_C9D8_43E8];
    TurboShake128Compression, "turboshake128", 21, 0x1F, 12, "turboshake", [0x8EC4_4CDF_C04C_C9D5, 0x774A_4E3C_6FA3_698B];
    TurboShake256Compression, "turboshake256", 17, 0x1F, 12, "turboshake", [0x65D4_1CDF_1D4D_EC9B, 0xDAEF_6F05_C63E_760E];
}

/// Keccak-f on every lane, which is compiled once for an instruction set, and not for each rate. The
/// state goes through memory: 50 instructions beside some 1,600.
struct Permutation<'a, V, const ROUNDS: usize>(&'a mut [V; 25]);

impl<V: Words<Word = u64>, const ROUNDS: usize> Task<V::Isa> for Permutation<'_, V, ROUNDS> {
    type Output = ();
    #[inline(always)]
    fn run(self, isa: V::Isa) {
        permute::<V, ROUNDS>(isa, self.0);
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

/// Theta: what column `$x` takes from the columns beside it (3.2.1). Two operations on two words and one on three take less time than two
/// on three: SHA3-256 by AVX-512 0.96 times as much (Zen 4, where fewer of the latter start in a cycle; by llvm-mca 1.04 on Golden Cove).
macro_rules! theta {
    ($a:ident, $($x:literal)+) => {{
        let parity = [$(V::xor3($a[$x].xor($a[$x + 5]), $a[$x + 10].xor($a[$x + 15]), $a[$x + 20])),+];
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

/// Keccak-p[1600, ROUNDS]: the last rounds of Keccak-f on every lane (3.3, 3.4).
#[inline(always)]
fn permute<V: Words<Word = u64>, const ROUNDS: usize>(isa: V::Isa, state: &mut [V; 25]) {
    let mut a = *state;
    for constant in &ROUND_CONSTANTS[24 - ROUNDS..] {
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
