//! SHA-1, SHA-256 and SHA-512 (FIPS 180-4, sections 6.1, 6.2 and 6.4).

use super::HashFunction;
use super::word::{Pair, Word, choose, majority};

/// SHA-1 in 32-bit registers.
#[derive(Clone, Copy)]
pub enum Sha1 {}

impl HashFunction for Sha1 {
    type Word = u32;
    type Variables = [u32; 5];
    type Schedule = [u32; 80];
    type Padding = manyhash::Sha1;

    const NAME: &'static str = "SHA-1";
    const INITIAL: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    const EMPTY_SCHEDULE: [u32; 80] = [0; 80];
    const PHASES: usize = 4;
    /// By the phase, and not by the round.
    const CONSTANTS: &'static [u32] = &[0; 80];

    #[inline(always)]
    fn scheduled(w: &[u32]) -> u32 {
        (w[13] ^ w[8] ^ w[2] ^ w[0]).rotate_left(1)
    }

    #[inline(always)]
    fn round<const REDEFINED: bool>(variables: &mut [u32; 5], turn: usize, phase: usize, _constant: u32, w: u32) {
        let at = |letter: usize| (5 - turn % 5 + letter) % 5;
        let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(at);
        let (x, y, z) = (variables[b], variables[c], variables[d]);
        let (function, constant) = match phase {
            0 => (choose::<_, REDEFINED>(x, y, z), 0x5a82_7999),
            1 => (x ^ y ^ z, 0x6ed9_eba1),
            2 => (majority::<_, REDEFINED>(x, y, z), 0x8f1b_bcdc),
            _ => (x ^ y ^ z, 0xca62_c1d6),
        };
        let sum = variables[e].plus(constant).plus(w).plus(function);
        variables[e] = variables[a].rotate_left(5).plus(sum);
        variables[b] = variables[b].rotate_left(30);
    }
}

/// What the functions of FIPS 180-4, sections 4.1.2 and 4.1.3, rotate by; the last one of the small sigmas is a shift.
struct Amounts {
    big_sigma_0: [u32; 3],
    big_sigma_1: [u32; 3],
    small_sigma_0: [u32; 3],
    small_sigma_1: [u32; 3],
}

const SHA_256: Amounts =
    Amounts { big_sigma_0: [2, 13, 22], big_sigma_1: [6, 11, 25], small_sigma_0: [7, 18, 3], small_sigma_1: [17, 19, 10] };
const SHA_512: Amounts =
    Amounts { big_sigma_0: [28, 34, 39], big_sigma_1: [14, 18, 41], small_sigma_0: [1, 8, 7], small_sigma_1: [19, 61, 6] };

#[inline(always)]
fn big_sigma<W: Word>(x: W, amounts: [u32; 3]) -> W {
    x.rotate_right(amounts[0]) ^ x.rotate_right(amounts[1]) ^ x.rotate_right(amounts[2])
}

#[inline(always)]
fn small_sigma<W: Word>(x: W, amounts: [u32; 3]) -> W {
    x.rotate_right(amounts[0]) ^ x.rotate_right(amounts[1]) ^ x.shift_right(amounts[2])
}

#[inline(always)]
fn scheduled<W: Word>(w: &[W], amounts: &Amounts) -> W {
    small_sigma(w[14], amounts.small_sigma_1).plus(w[9]).plus(small_sigma(w[1], amounts.small_sigma_0)).plus(w[0])
}

#[inline(always)]
fn round<W: Word, const REDEFINED: bool>(variables: &mut [W; 8], turn: usize, constant: W, w: W, amounts: &Amounts) {
    let at = |letter: usize| (8 - turn % 8 + letter) % 8;
    let [a, b, c, d, e, f, g, h] = [0, 1, 2, 3, 4, 5, 6, 7].map(at);
    let chosen = choose::<_, REDEFINED>(variables[e], variables[f], variables[g]);
    let t1 = variables[h].plus(constant).plus(w).plus(big_sigma(variables[e], amounts.big_sigma_1)).plus(chosen);
    let t2 = big_sigma(variables[a], amounts.big_sigma_0).plus(majority::<_, REDEFINED>(variables[a], variables[b], variables[c]));
    variables[d] = variables[d].plus(t1);
    variables[h] = t1.plus(t2);
}

macro_rules! sha2 {
    ($(#[$about:meta])* $Name:ident, $name:literal, $Word:ty, $rounds:literal, $initial:expr, $constants:expr, $amounts:ident, $Padding:ident) => {
        $(#[$about])*
        #[derive(Clone, Copy)]
        pub enum $Name {}

        impl HashFunction for $Name {
            type Word = $Word;
            type Variables = [$Word; 8];
            type Schedule = [$Word; $rounds];
            type Padding = manyhash::$Padding;

            const NAME: &'static str = $name;
            const INITIAL: [$Word; 8] = $initial;
            const EMPTY_SCHEDULE: Self::Schedule = [<$Word>::ZERO; $rounds];
            const PHASES: usize = 1;
            const CONSTANTS: &'static [$Word] = &$constants;

            #[inline(always)]
            fn scheduled(w: &[$Word]) -> $Word {
                scheduled(w, &$amounts)
            }

            #[inline(always)]
            fn round<const REDEFINED: bool>(variables: &mut [$Word; 8], turn: usize, _phase: usize, constant: $Word, w: $Word) {
                round::<_, REDEFINED>(variables, turn, constant, w, &$amounts);
            }
        }
    };
}
sha2!(
    /// SHA-256 in 32-bit registers.
    Sha256, "SHA-256", u32, 64, SHA_256_INITIAL, SHA_256_CONSTANTS, SHA_256, Sha256
);
sha2!(
    /// SHA-512 in 64-bit registers, which the paper's CPU did not have.
    Sha512, "SHA-512 in 64-bit registers", u64, 80, SHA_512_INITIAL, SHA_512_CONSTANTS, SHA_512, Sha512
);
sha2!(
    /// SHA-512 in 32-bit registers, a pair of them for a word.
    Sha512Pairs, "SHA-512 in 32-bit registers", Pair, 80, pairs(SHA_512_INITIAL), pairs(SHA_512_CONSTANTS), SHA_512, Sha512
);

const fn pairs<const N: usize>(words: [u64; N]) -> [Pair; N] {
    let mut pairs = [Pair::ZERO; N];
    let mut i = 0;
    while i < N {
        pairs[i] = Pair::new(words[i]);
        i += 1;
    }
    pairs
}

const SHA_256_INITIAL: [u32; 8] = [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

const SHA_512_INITIAL: [u64; 8] = [
    0x6a09_e667_f3bc_c908,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1,
    0x9b05_688c_2b3e_6c1f,
    0x1f83_d9ab_fb41_bd6b,
    0x5be0_cd19_137e_2179,
];

/// SHA-256's are the upper halves of SHA-512's first 64: both are from the cube roots of the same primes.
pub const SHA_256_CONSTANTS: [u32; 64] = {
    let mut constants = [0; 64];
    let mut i = 0;
    while i < 64 {
        constants[i] = (SHA_512_CONSTANTS[i] >> 32) as u32;
        i += 1;
    }
    constants
};

/// FIPS 180-4, section 4.2.3.
#[rustfmt::skip]
pub const SHA_512_CONSTANTS: [u64; 80] = [
    0x428a_2f98_d728_ae22, 0x7137_4491_23ef_65cd, 0xb5c0_fbcf_ec4d_3b2f, 0xe9b5_dba5_8189_dbbc,
    0x3956_c25b_f348_b538, 0x59f1_11f1_b605_d019, 0x923f_82a4_af19_4f9b, 0xab1c_5ed5_da6d_8118,
    0xd807_aa98_a303_0242, 0x1283_5b01_4570_6fbe, 0x2431_85be_4ee4_b28c, 0x550c_7dc3_d5ff_b4e2,
    0x72be_5d74_f27b_896f, 0x80de_b1fe_3b16_96b1, 0x9bdc_06a7_25c7_1235, 0xc19b_f174_cf69_2694,
    0xe49b_69c1_9ef1_4ad2, 0xefbe_4786_384f_25e3, 0x0fc1_9dc6_8b8c_d5b5, 0x240c_a1cc_77ac_9c65,
    0x2de9_2c6f_592b_0275, 0x4a74_84aa_6ea6_e483, 0x5cb0_a9dc_bd41_fbd4, 0x76f9_88da_8311_53b5,
    0x983e_5152_ee66_dfab, 0xa831_c66d_2db4_3210, 0xb003_27c8_98fb_213f, 0xbf59_7fc7_beef_0ee4,
    0xc6e0_0bf3_3da8_8fc2, 0xd5a7_9147_930a_a725, 0x06ca_6351_e003_826f, 0x1429_2967_0a0e_6e70,
    0x27b7_0a85_46d2_2ffc, 0x2e1b_2138_5c26_c926, 0x4d2c_6dfc_5ac4_2aed, 0x5338_0d13_9d95_b3df,
    0x650a_7354_8baf_63de, 0x766a_0abb_3c77_b2a8, 0x81c2_c92e_47ed_aee6, 0x9272_2c85_1482_353b,
    0xa2bf_e8a1_4cf1_0364, 0xa81a_664b_bc42_3001, 0xc24b_8b70_d0f8_9791, 0xc76c_51a3_0654_be30,
    0xd192_e819_d6ef_5218, 0xd699_0624_5565_a910, 0xf40e_3585_5771_202a, 0x106a_a070_32bb_d1b8,
    0x19a4_c116_b8d2_d0c8, 0x1e37_6c08_5141_ab53, 0x2748_774c_df8e_eb99, 0x34b0_bcb5_e19b_48a8,
    0x391c_0cb3_c5c9_5a63, 0x4ed8_aa4a_e341_8acb, 0x5b9c_ca4f_7763_e373, 0x682e_6ff3_d6b2_b8a3,
    0x748f_82ee_5def_b2fc, 0x78a5_636f_4317_2f60, 0x84c8_7814_a1f0_ab72, 0x8cc7_0208_1a64_39ec,
    0x90be_fffa_2363_1e28, 0xa450_6ceb_de82_bde9, 0xbef9_a3f7_b2c6_7915, 0xc671_78f2_e372_532b,
    0xca27_3ece_ea26_619c, 0xd186_b8c7_21c0_c207, 0xeada_7dd6_cde0_eb1e, 0xf57d_4f7f_ee6e_d178,
    0x06f0_67aa_7217_6fba, 0x0a63_7dc5_a2c8_98a6, 0x113f_9804_bef9_0dae, 0x1b71_0b35_131c_471b,
    0x28db_77f5_2304_7d84, 0x32ca_ab7b_40c7_2493, 0x3c9e_be0a_15c9_bebc, 0x431d_67c4_9c10_0d4c,
    0x4cc5_d4be_cb3e_42b6, 0x597f_299c_fc65_7e2a, 0x5fcb_6fab_3ad6_faec, 0x6c44_198c_4a47_5817,
];
