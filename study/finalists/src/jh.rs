//! JH-256 in lanes, as it was in the final round of the SHA-3 competition (Wu, "The Hash Function JH",
//! 16 January 2011). The reference for its results is the crate jh. Section numbers are those of the
//! submission.
//!
//! The 256 elements of four bits are in bit slices: a word has a bit of 64 of them, so that boolean
//! operations are all S-boxes at once. The elements keep their places from round to round as far as they
//! can, and the permutation of a round is an exchange of neighbours at another distance in each of seven
//! rounds.

use manyhash::hazmat::{BlockOf, ByteOrder, Compression, Count, Ending, StateOf, WordOf, Words};

/// The rounds of the function E8 (5.2).
const ROUNDS: usize = 42;

/// The constants of rounds (3.3.3), bit by bit where the round has the element that the bit is for: of the
/// elements with even numbers, and of those with odd ones. The tests make them anew.
const CONSTANTS: [[u64; 4]; ROUNDS] = [
    [0x67F8_15DF_A2DE_D572, 0x5715_23B7_0A15_847B, 0xF687_5A4D_90D6_AB81, 0x402B_D1C3_C54F_9F4E],
    [0x9CFA_455C_E03A_98EA, 0x9A99_B266_99D2_C503, 0x8A53_BBF2_B496_0266, 0x31A2_DB88_1A14_56B5],
    [0xDB0E_199A_5C5A_A303, 0x1044_C187_0AB2_3F40, 0x1D95_9E84_8019_051C, 0xDCCD_E75E_ADEB_336F],
    [0x416B_BF02_9213_BA10, 0xD027_BBF7_1565_78DC, 0x5078_AA37_3981_2C0A, 0xD391_0041_D2BF_1A3F],
    [0x907E_CCF6_0D5A_2D42, 0xCE97_C092_9C9F_62DD, 0xAC44_2BC7_0BA7_5C18, 0x23FC_C663_D665_DFD1],
    [0x1AB8_E09E_036C_6E97, 0xA8EC_6C44_7E45_0521, 0xFA61_8E5D_BB03_F1EE, 0x9781_8394_B297_96FD],
    [0x2F30_03DB_3785_8E4A, 0x956A_9FFB_2D8D_672A, 0x6C69_B8F8_8173_FE8A, 0x1442_7FC0_4672_C78A],
    [0xC45E_C7BD_8F15_F4C5, 0x80BB_118F_A76F_4475, 0xBC88_E4AE_B775_DE52, 0xF4A3_A698_1E00_B882],
    [0x1563_A3A9_338F_F48E, 0x89F9_B7D5_2456_5FAA, 0xFDE0_5A7C_20ED_F1B6, 0x362C_4206_5AE9_CA36],
    [0x3D98_FE4E_4335_29CE, 0xA74B_9A73_74F9_3A53, 0x8681_4E6F_591F_F5D0, 0x9F5A_D8AF_81AD_9D0E],
    [0x6A62_34EE_6706_05A7, 0x2717_B96E_BE28_0B8B, 0x3F10_80C6_2607_7447, 0x7B48_7EC6_6F7E_A0E0],
    [0xC0A4_F84A_A50A_550D, 0x9EF1_8E97_9FE7_E391, 0xD48D_6050_8172_7686, 0x62B0_E5F3_415A_9E7E],
    [0x7A20_5440_EC1F_9FFC, 0x84C9_F4CE_001A_E4E3, 0xD895_FA9D_F594_D74F, 0xA554_C324_117E_2E55],
    [0x286E_FEBD_2872_DF5B, 0xB2C4_A50F_E27F_F578, 0x2ED3_49EE_EF7C_8905, 0x7F59_28EB_8593_7E44],
    [0x4A31_24B3_3769_5F70, 0x65E4_D61D_F128_865E, 0xE720_B951_0477_1BC7, 0x8A87_D423_E843_FE74],
    [0xF294_7692_A3E8_297D, 0xC1D9_309B_097A_CBDD, 0xE01B_DC5B_FB30_1B1D, 0xBF82_9CF2_4F49_24DA],
    [0xFFBF_70B4_31BA_E7A4, 0x48BC_F8DE_0544_320D, 0x39D3_BB53_32FC_AE3B, 0xA08B_29E0_C1C3_9F45],
    [0x0F09_AEF7_FD05_C9E5, 0x34F1_9042_1234_7094, 0x95ED_44E3_01B7_71A2, 0x4A98_2F4F_368E_3BE9],
    [0x15F6_6CA0_631D_4088, 0xFFAF_5287_4B44_C147, 0x30C6_0AE2_F14A_BB7E, 0xE68C_6ECC_C5B6_7046],
    [0x00CA_4FBD_56A4_D5A4, 0xAE18_3EC8_4B84_9DDA, 0xADD1_6430_45CE_5773, 0x6725_5C14_68CE_A6E8],
    [0x16E1_0ECB_F28C_DAA3, 0x9A99_949A_5806_E933, 0x7B84_6FC2_20B2_601F, 0x1885_D1A0_7FAC_CED1],
    [0xD319_DD8D_A15B_5932, 0x46B4_A5AA_C01C_9A50, 0xBA6B_04E4_6763_3D9F, 0x7EEE_560B_AB19_CAF6],
    [0x7421_28A9_EA79_B11F, 0xEE51_363B_35F7_BDE9, 0x76D3_5075_5AAC_571D, 0x0170_7DA3_FEC2_463A],
    [0x42D8_A498_AFC1_35F7, 0x7967_6B9E_20EC_ED78, 0xA8DB_3AEA_1563_8341, 0x832C_8332_4D3B_C3FA],
    [0xF347_271C_1F3B_40A7, 0x9A76_2DB7_34F0_4059, 0xFD4F_21D2_6C4E_3EE7, 0xEF59_57DC_398D_FDB8],
    [0xDAEB_492B_490C_9B8D, 0x0D70_F368_49D7_A25B, 0x8455_8D7A_D0AE_3B7D, 0x658E_F8E4_F0E9_A5F5],
    [0x533B_1036_F4A2_B8A0, 0x5AEC_3E75_9E07_A80C, 0x4F88_E856_9294_6891, 0x4CBC_BAF8_555C_B05B],
    [0x7B94_87F3_993B_BBE3, 0x5D1C_6B72_D6F4_DA75, 0x6DB3_34DC_28AC_AE64, 0x71DB_28B8_50A5_346C],
    [0x2A51_8D10_F2E2_61F8, 0xFC75_DD59_3364_DBE3, 0xA23F_CE43_F1BC_AC1C, 0xB043_E802_3CD1_BB67],
    [0x75A1_2988_CA5B_0A33, 0x5C53_16B4_4D19_347F, 0x1E4D_790E_C394_3B92, 0x3FAF_EEB6_D775_7479],
    [0x2139_1ABE_F7D4_A8EA, 0x5127_234C_097E_F45C, 0xD23C_32BA_5324_A326, 0xADD5_A66D_4A17_A344],
    [0x08C9_F2AF_A63E_1DB5, 0x563C_6B91_983D_5983, 0x4D60_8672_A17C_F84C, 0xF6C7_6E08_CC3E_E246],
    [0x5E76_BCB1_B333_982F, 0x2AE6_C4EF_A566_D62B, 0x36D4_C1BE_E8B6_F406, 0x6321_EFBC_1582_EE74],
    [0x69C9_53F4_0D4E_C1FD, 0x2658_5806_C45A_7DA7, 0x16FA_E006_1614_C17E, 0x3F9D_6328_3DAF_907E],
    [0x0CD2_9B00_E3F2_C9D2, 0x300C_D4B7_30CE_AA5F, 0x9832_E0F2_1651_2A74, 0x9AF8_CEE3_D830_EB0D],
    [0x9279_F1B5_7B9E_C54B, 0xD368_8604_6EE6_51FF, 0x3167_96E6_574D_239B, 0x0575_0A17_F3A6_E6CC],
    [0xCE6C_3213_D981_76B1, 0x62A2_05F8_8452_173C, 0x4715_4778_B3CB_2BF4, 0x486A_9323_8254_46FF],
    [0x6565_5E4E_0758_DF38, 0x8E50_86FC_897C_FCF2, 0x86CA_0BD0_442E_7031, 0x4E47_7830_A209_40F0],
    [0x8338_F7D1_39EE_A065, 0xBD3A_2CE4_37E9_5EF7, 0x6FF8_1301_26B2_9721, 0xE7DE_9FEF_D1ED_44A3],
    [0xD992_2576_15DF_A08B, 0xBE42_DC12_F6F7_853C, 0x7EB0_27AB_7CEC_A7D8, 0xDEA8_3EAA_DA7D_8D53],
    [0xD869_02BD_93CE_25AA, 0xF908_731A_FD43_F65A, 0xA519_4A17_DAEF_5FC0, 0x6A21_FD4C_3366_4D97],
    [0x7015_41DB_3198_B435, 0x9B54_CDED_BB0F_1EEA, 0x7240_9751_A163_D09A, 0xE26F_4791_BF9D_75F6],
];

/// The S-box that the constant chooses for each element (3.2.1), on the four bits of elements, highest first.
macro_rules! substitute {
    ($constant:ident $a:ident $b:ident $c:ident $d:ident) => {
        let not_d = $d.not();
        let flipped = $a.xor($c.not().and($constant));
        let kept = $constant.xor(flipped.and($b));
        let a = flipped.xor($c.and(not_d));
        let d = not_d.xor($b.not().and($c));
        let b = $b.xor(a.and($c));
        let c = $c.xor(d.not().and(a));
        // b or d.
        $a = a.xor(b.xor(b.not().and(d)));
        $d = d.xor(b.and(c));
        $b = b.xor(kept.and($a));
        $c = c.xor(kept);
    };
}

/// The linear transformation of pairs of elements (3.2.2): on the bits of the even ones, and of the odd ones.
macro_rules! mix {
    ($a:ident $b:ident $c:ident $d:ident, $e:ident $f:ident $g:ident $h:ident) => {
        $e = $e.xor($b);
        $f = $f.xor($c);
        $g = V::xor3($g, $a, $d);
        $h = $h.xor($a);
        $a = $a.xor($f);
        $b = $b.xor($g);
        $c = V::xor3($c, $e, $h);
        $d = $d.xor($e);
    };
}

/// Exchanges bits at the distance `$by`, the lower ones of which `$mask` has.
macro_rules! exchange {
    ($isa:ident $by:literal $mask:literal $($word:ident)+) => {
        let mask = V::splat($isa, $mask);
        $( $word = $word.and(mask).rotate_right::<{ 64 - $by }>().xor($word.shift_right::<$by>().and(mask)); )+
    };
}

/// The words of a half of the elements: their bits, highest first, of even ones and then of odd ones.
type Half<V> = [V; 8];

/// A round without its permutation.
#[inline(always)]
fn round<V: Words<Word = u64>>(isa: V::Isa, half: Half<V>, constants: [u64; 2]) -> Half<V> {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = half;
    let [even, odd] = [V::splat(isa, constants[0]), V::splat(isa, constants[1])];
    substitute!(even a b c d);
    substitute!(odd e f g h);
    mix!(a b c d, e f g h);
    [a, b, c, d, e, f, g, h]
}

/// A round with a permutation inside of words.
macro_rules! round {
    ($isa:ident $halves:ident $number:expr, $by:literal $mask:literal) => {
        let constants = &CONSTANTS[$number];
        let [a, b, c, d, mut e, mut f, mut g, mut h] = round($isa, $halves[0], [constants[0], constants[2]]);
        exchange!($isa $by $mask e f g h);
        $halves[0] = [a, b, c, d, e, f, g, h];
        let [a, b, c, d, mut e, mut f, mut g, mut h] = round($isa, $halves[1], [constants[1], constants[3]]);
        exchange!($isa $by $mask e f g h);
        $halves[1] = [a, b, c, d, e, f, g, h];
    };
}

/// JH-256. The words of its state are those of the submission, but the last four come first, because they
/// are the digest.
#[derive(Clone, Copy, Debug)]
pub struct Jh256;

impl Jh256 {
    /// The state before the first block (4.3).
    pub const INITIAL: [u64; 16] = [
        0x6C0D_8EAC_2D27_5E5C,
        0x0F7A_0557_C650_8451,
        0xEA12_2470_67D3_E47B,
        0x69D7_1CD3_13AB_E389,
        0xEBD3_202C_41A3_98EB,
        0xC145_B29C_7BBE_CD92,
        0xFAC7_D460_9151_931C,
        0x038A_507E_D682_0026,
        0x45B9_2677_269E_23A4,
        0x7794_1AD4_481A_FBE0,
        0x7A17_6B02_26AB_B5CD,
        0xA82F_FF0F_4224_F056,
        0x754D_2E7F_8996_A371,
        0x62E2_7DF7_0849_141D,
        0x948F_2476_F795_7627,
        0x6C29_8047_57B6_D587,
    ];
}

impl Compression for Jh256 {
    type Word = u64;
    type State = Count<16>;
    type Block = Count<8>;
    type Ending = JhEnding;
    const NAME: &'static str = "jh-256";
    const BYTE_ORDER: ByteOrder = ByteOrder::Little;
    const WANTS_WAVES: bool = false;

    /// The function F8 (5.1).
    #[inline(always)]
    fn compress<V: Words<Word = u64>>(isa: V::Isa, state: &mut [V; 16], block: [V; 8]) {
        let [m0, m1, m2, m3, m4, m5, m6, m7] = block;
        let [l0, l1, l2, l3, h0, h1, h2, h3, h4, h5, h6, h7, k0, k1, k2, k3] = *state;
        // Successive pairs of words are the two halves: of a bit of even elements, and of the same bit of odd ones.
        let mut halves = [
            [h0.xor(m0), h4.xor(m4), k0, l0, h2.xor(m2), h6.xor(m6), k2, l2],
            [h1.xor(m1), h5.xor(m5), k1, l1, h3.xor(m3), h7.xor(m7), k3, l3],
        ];
        for seven in 0..ROUNDS / 7 {
            round!(isa halves 7 * seven, 1 0x5555_5555_5555_5555);
            round!(isa halves 7 * seven + 1, 2 0x3333_3333_3333_3333);
            round!(isa halves 7 * seven + 2, 4 0x0F0F_0F0F_0F0F_0F0F);
            round!(isa halves 7 * seven + 3, 8 0x00FF_00FF_00FF_00FF);
            round!(isa halves 7 * seven + 4, 16 0x0000_FFFF_0000_FFFF);
            round!(isa halves 7 * seven + 5, 32 0x0000_0000_FFFF_FFFF);
            // The last exchange is that of the halves.
            let constants = &CONSTANTS[7 * seven + 6];
            let [a, b, c, d, e, f, g, h] = round(isa, halves[0], [constants[0], constants[2]]);
            let [p, q, r, s, t, u, v, w] = round(isa, halves[1], [constants[1], constants[3]]);
            halves = [[a, b, c, d, t, u, v, w], [p, q, r, s, e, f, g, h]];
        }
        let [[h0, h4, k0, l0, h2, h6, k2, l2], [h1, h5, k1, l1, h3, h7, k3, l3]] = halves;
        *state = [
            l0.xor(m4),
            l1.xor(m5),
            l2.xor(m6),
            l3.xor(m7),
            h0,
            h1,
            h2,
            h3,
            h4,
            h5,
            h6,
            h7,
            k0.xor(m0),
            k1.xor(m1),
            k2.xor(m2),
            k3.xor(m3),
        ];
    }
}

/// The ending of JH: a one bit, zeros, and the length in bits in 16 bytes; a whole block of them at least (4.1).
pub struct JhEnding;

impl Ending<Jh256> for JhEnding {
    const FIRST: u8 = 0x80;
    const FEWEST_BYTES: usize = Jh256::BLOCK_BYTES;
    const IN_REGISTERS: bool = false;

    fn finish(end: &mut [u8], message_bytes: u64) {
        let length = end.last_chunk_mut::<16>().expect("a block");
        *length = (8 * u128::from(message_bytes)).to_be_bytes();
    }

    fn length(_: u32) -> WordOf<Jh256> {
        unreachable!("not in registers")
    }

    fn finish_in_lanes<V: Words<Word = u64>>(_: V::Isa, _: &mut StateOf<Jh256, V>, _: &mut BlockOf<Jh256, V>, _: V, _: V) {
        unreachable!("not in registers")
    }
}

#[cfg(test)]
mod tests {
    use super::{CONSTANTS, ROUNDS};

    /// The S-box that is chosen by a constant of zeros (3.2.1).
    const S0: [u8; 16] = [9, 0, 4, 11, 13, 12, 3, 15, 1, 10, 2, 6, 7, 5, 8, 14];
    /// The first constant, half a byte an element: the fraction of the square root of 2 (3.3.3).
    const FIRST: &str = "6a09e667f3bcc908b2fb1366ea957d3e3adec17512775099da2f590b0667322a";

    /// Returns where the permutation of a round (3.2.3) takes each of `N` elements from.
    fn permutation<const N: usize>() -> [usize; N] {
        let swapped = |i: usize| if i % 4 >= 2 { i ^ 1 } else { i };
        let gathered = |i: usize| if i < N / 2 { swapped(2 * i) } else { swapped(2 * (i - N / 2) + 1) };
        std::array::from_fn(|i| if i < N / 2 { gathered(i) } else { gathered(i ^ 1) })
    }

    /// A round of the constants (3.3.3).
    fn next(constant: [u8; 64]) -> [u8; 64] {
        let doubled = |element: u8| (element << 1) ^ if element & 8 == 0 { 0 } else { 0x13 };
        let mut mixed = constant.map(|element| S0[usize::from(element)]);
        for pair in mixed.as_chunks_mut::<2>().0 {
            pair[1] ^= doubled(pair[0]);
            pair[0] ^= doubled(pair[1]);
        }
        permutation().map(|from| mixed[from])
    }

    /// The bit of a word that has bit `i` of sixteen bytes.
    fn place(i: usize) -> (usize, usize) {
        (i / 64, i % 64 / 8 * 8 + 7 - i % 8)
    }

    #[test]
    fn constants_are_those_of_the_definition() {
        let mut constant = [0; 64];
        for (element, digit) in constant.iter_mut().zip(FIRST.chars()) {
            *element = digit.to_digit(16).expect("a digit") as u8;
        }
        // The word and the bit in which the round finds each element: grouping (4.4) puts neighbours at one place.
        let mut places: [(usize, usize); 256] = std::array::from_fn(|element| place(element / 2));
        for (round, words) in CONSTANTS.iter().enumerate() {
            let mut expected = [0; 4];
            for (element, (word, bit)) in places.iter().enumerate() {
                let of_element = u64::from(constant[element / 4] >> (3 - element % 4) & 1);
                expected[2 * (element % 2) + word] |= of_element << bit;
            }
            assert_eq!(*words, expected, "round {round}");
            constant = next(constant);
            // Odd elements are exchanged.
            let moved: [(usize, usize); 256] = std::array::from_fn(|element| match (element % 2, round % 7) {
                (0, _) => places[element],
                (_, 6) => (1 - places[element].0, places[element].1),
                (_, by) => (places[element].0, places[element].1 ^ 1 << by),
            });
            places = permutation().map(|from| moved[from]);
        }
        assert_eq!(CONSTANTS.len(), ROUNDS);
    }
}
