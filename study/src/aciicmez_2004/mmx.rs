//! The 64-bit registers MM0 to MM7, as in 2004: two messages of SHA-1 or SHA-256, a 32-bit lane each, or one of SHA-512.
//!
//! All of a compression is assembly, because compilers no longer keep values in these registers. As in the paper: state variables and
//! schedule are in memory where eight registers do not suffice, a rotation is two shifts and an or, bytes are swapped in general-purpose
//! registers, and the boolean functions are figure 4.1's. The paper's own code is not public.

use super::scalar::HashFunction;
use super::scalar::sha2::{SHA_256_CONSTANTS, SHA_512_CONSTANTS};
use super::scalar::{Sha1, Sha256, Sha512};

/// A word of each of two lanes, the first one in the lower half.
const fn both(word: u32) -> u64 {
    word as u64 | (word as u64) << 32
}

/// One for each phase.
static SHA_1: [u64; 4] = [both(0x5a82_7999), both(0x6ed9_eba1), both(0x8f1b_bcdc), both(0xca62_c1d6)];

static SHA_256: [u64; 64] = {
    let mut constants = [0; 64];
    let mut i = 0;
    while i < 64 {
        constants[i] = both(SHA_256_CONSTANTS[i]);
        i += 1;
    }
    constants
};

static SHA_512: [u64; 80] = SHA_512_CONSTANTS;

/// BB1 of two lanes, unless there are no more blocks: swaps 16 words of each in EAX and R10D and joins them. R8 and R9 point to the blocks.
macro_rules! retrieve_two_lanes {
    () => {
        ".irp word, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        mov eax, [r8 + 4 * \\word]
        mov r10d, [r9 + 4 * \\word]
        bswap eax
        bswap r10d
        movd mm6, eax
        movd mm7, r10d
        punpckldq mm6, mm7
        movq [rsp + 8 * \\word], mm6
        .endr"
    };
}

/// BB1 of one lane of 64-bit words: swaps their halves and joins them. R8 points to the block.
macro_rules! retrieve_one_lane {
    () => {
        ".irp word, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        mov eax, [r8 + 8 * \\word]
        mov r10d, [r8 + 8 * \\word + 4]
        bswap eax
        bswap r10d
        movd mm6, r10d
        movd mm7, eax
        punpckldq mm6, mm7
        movq [rsp + 8 * \\word], mm6
        .endr"
    };
}

/// Compresses `blocks` blocks of each of two messages. `state` has a word of each lane in each of its words.
///
/// # Safety
/// `lanes` are addresses of `blocks` blocks each, `constants` is [`SHA_1`].
#[unsafe(naked)]
unsafe extern "sysv64" fn study_mmx_sha1(state: *mut u64, lanes: *const *const u8, blocks: usize, constants: *const u64) {
    core::arch::naked_asm!(
        // Each function of figure 4.1, in MM6.
        ".macro study_choose b, c, d
        movq mm6, \\c
        pxor mm6, \\d
        pand mm6, \\b
        pxor mm6, \\d
        .endm
        .macro study_parity b, c, d
        movq mm6, \\b
        pxor mm6, \\c
        pxor mm6, \\d
        .endm
        .macro study_majority b, c, d
        movq mm6, \\b
        movq mm7, \\b
        por mm6, \\d
        pand mm7, \\d
        pand mm6, \\c
        por mm6, mm7
        .endm",
        // A round; it is the names of the registers that move.
        ".macro study_round function, a, b, c, d, e, word
        movq mm5, \\a
        paddd \\e, [r11 + 8 * \\word]
        study_\\function \\b, \\c, \\d
        movq mm7, \\a
        pslld mm5, 5
        psrld mm7, 27
        paddd \\e, [rcx]
        por mm5, mm7
        paddd \\e, mm6
        movq mm7, \\b
        pslld \\b, 30
        psrld mm7, 2
        paddd \\e, mm5
        por \\b, mm7
        .endm",
        // 20 rounds, five at a time. RCX points to their constant.
        ".macro study_phase function
        mov eax, 4
        5:
        study_round \\function, mm0, mm1, mm2, mm3, mm4, 0
        study_round \\function, mm4, mm0, mm1, mm2, mm3, 1
        study_round \\function, mm3, mm4, mm0, mm1, mm2, 2
        study_round \\function, mm2, mm3, mm4, mm0, mm1, 3
        study_round \\function, mm1, mm2, mm3, mm4, mm0, 4
        add r11, 40
        dec eax
        jnz 5b
        add rcx, 8
        .endm",
        "sub rsp, 648",
        "test rdx, rdx",
        "jz 9f",
        "mov r8, [rsi]",
        "mov r9, [rsi + 8]",
        "movq mm0, [rdi]",
        "movq mm1, [rdi + 8]",
        "movq mm2, [rdi + 16]",
        "movq mm3, [rdi + 24]",
        "movq mm4, [rdi + 32]",
        "2:",
        retrieve_two_lanes!(),
        // BB2, 16 words at a time.
        "mov r11, rsp
        mov eax, 4
        3:
        .irp word, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        movq mm5, [r11 + 8 * \\word + 104]
        pxor mm5, [r11 + 8 * \\word + 64]
        pxor mm5, [r11 + 8 * \\word + 16]
        pxor mm5, [r11 + 8 * \\word]
        movq mm6, mm5
        pslld mm5, 1
        psrld mm6, 31
        por mm5, mm6
        movq [r11 + 8 * \\word + 128], mm5
        .endr
        add r11, 128
        dec eax
        jnz 3b",
        // BB3.
        "mov r11, rsp
        study_phase choose
        study_phase parity
        study_phase majority
        study_phase parity
        sub rcx, 32",
        // BB4.
        "paddd mm0, [rdi]
        paddd mm1, [rdi + 8]
        paddd mm2, [rdi + 16]
        paddd mm3, [rdi + 24]
        paddd mm4, [rdi + 32]
        movq [rdi], mm0
        movq [rdi + 8], mm1
        movq [rdi + 16], mm2
        movq [rdi + 24], mm3
        movq [rdi + 32], mm4",
        "add r8, 64",
        "add r9, 64",
        "dec rdx",
        "jnz 2b",
        // The registers are the x87's, which the calling convention wants empty.
        "emms",
        "9:",
        "add rsp, 648",
        "ret",
        ".purgem study_choose",
        ".purgem study_parity",
        ".purgem study_majority",
        ".purgem study_round",
        ".purgem study_phase",
    )
}

/// SHA-256 and SHA-512 differ in the size of the word, in what they rotate by, in the number of rounds and in how a block is retrieved.
macro_rules! sha2 {
    (
        bits: $bits:literal, plus: $plus:literal, left: $left:literal, right: $right:literal, passes_of_16: $passes:literal,
        retrieve: $retrieve:expr, block_bytes: $block_bytes:literal,
        big_sigma_0: $a0:literal $a1:literal $a2:literal, big_sigma_1: $e0:literal $e1:literal $e2:literal,
        small_sigma_0: $x0:literal $x1:literal $x2:literal, small_sigma_1: $y0:literal $y1:literal $y2:literal $(,)?
    ) => {
        core::arch::naked_asm!(
            concat!(
                ".macro study_rotate to, from, bits, free
                movq \\to, \\from
                movq \\free, \\from
                ",
                $right,
                " \\to, \\bits
                ",
                $left,
                " \\free, ",
                $bits,
                " - \\bits
                por \\to, \\free
                .endm
                .macro study_big_sigma to, from, one, two, three, free, other
                study_rotate \\to, \\from, \\one, \\free
                study_rotate \\other, \\from, \\two, \\free
                pxor \\to, \\other
                study_rotate \\other, \\from, \\three, \\free
                pxor \\to, \\other
                .endm
                .macro study_small_sigma to, from, one, two, three, free, other
                study_rotate \\to, \\from, \\one, \\free
                study_rotate \\other, \\from, \\two, \\free
                pxor \\to, \\other
                movq \\other, \\from
                ",
                $right,
                " \\other, \\three
                pxor \\to, \\other
                .endm"
            ),
            // A round. The variables are in memory, behind the schedule; A is in MM0 and E in MM1, too. R11 points to the word of the
            // schedule, R10 to the constant.
            concat!(
                ".macro study_round b, c, d, f, g, h, word
                movq mm2, [rsp + 640 + 8 * \\h]
                ",
                $plus,
                " mm2, [r11 + 8 * \\word]
                ",
                $plus,
                " mm2, [r10 + 8 * \\word]
                study_big_sigma mm3, mm1, ",
                $e0,
                ", ",
                $e1,
                ", ",
                $e2,
                ", mm5, mm4
                movq mm6, [rsp + 640 + 8 * \\g]
                movq mm7, [rsp + 640 + 8 * \\f]
                pxor mm7, mm6
                pand mm7, mm1
                pxor mm7, mm6
                ",
                $plus,
                " mm2, mm3
                ",
                $plus,
                " mm2, mm7
                movq mm1, [rsp + 640 + 8 * \\d]
                ",
                $plus,
                " mm1, mm2
                movq [rsp + 640 + 8 * \\d], mm1
                study_big_sigma mm3, mm0, ",
                $a0,
                ", ",
                $a1,
                ", ",
                $a2,
                ", mm5, mm4
                movq mm6, [rsp + 640 + 8 * \\c]
                movq mm7, mm6
                por mm6, mm0
                pand mm7, mm0
                pand mm6, [rsp + 640 + 8 * \\b]
                por mm6, mm7
                ",
                $plus,
                " mm2, mm3
                ",
                $plus,
                " mm2, mm6
                movq mm0, mm2
                movq [rsp + 640 + 8 * \\h], mm0
                .endm"
            ),
            "sub rsp, 712",
            "test rdx, rdx",
            "jz 9f",
            "mov r8, [rsi]",
            "mov r9, [rsi + 8]",
            ".irp letter, 0, 1, 2, 3, 4, 5, 6, 7
            movq mm0, [rdi + 8 * \\letter]
            movq [rsp + 640 + 8 * \\letter], mm0
            .endr",
            "2:",
            $retrieve,
            // BB2, 16 words at a time.
            concat!(
                "mov r11, rsp
                mov eax, ",
                $passes,
                " - 1
                3:
                .irp word, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
                movq mm0, [r11 + 8 * \\word + 112]
                movq mm1, [r11 + 8 * \\word + 8]
                study_small_sigma mm2, mm0, ",
                $y0,
                ", ",
                $y1,
                ", ",
                $y2,
                ", mm4, mm3
                study_small_sigma mm5, mm1, ",
                $x0,
                ", ",
                $x1,
                ", ",
                $x2,
                ", mm7, mm6
                ",
                $plus,
                " mm2, [r11 + 8 * \\word + 72]
                ",
                $plus,
                " mm5, [r11 + 8 * \\word]
                ",
                $plus,
                " mm2, mm5
                movq [r11 + 8 * \\word + 128], mm2
                .endr
                add r11, 128
                dec eax
                jnz 3b"
            ),
            // BB3, 8 rounds at a time.
            concat!(
                "mov r11, rsp
                mov r10, rcx
                mov eax, 2 * ",
                $passes,
                "
                movq mm0, [rsp + 640]
                movq mm1, [rsp + 640 + 32]
                4:
                study_round 1, 2, 3, 5, 6, 7, 0
                study_round 0, 1, 2, 4, 5, 6, 1
                study_round 7, 0, 1, 3, 4, 5, 2
                study_round 6, 7, 0, 2, 3, 4, 3
                study_round 5, 6, 7, 1, 2, 3, 4
                study_round 4, 5, 6, 0, 1, 2, 5
                study_round 3, 4, 5, 7, 0, 1, 6
                study_round 2, 3, 4, 6, 7, 0, 7
                add r11, 64
                add r10, 64
                dec eax
                jnz 4b"
            ),
            // BB4.
            concat!(
                ".irp letter, 0, 1, 2, 3, 4, 5, 6, 7
                movq mm0, [rsp + 640 + 8 * \\letter]
                ",
                $plus,
                " mm0, [rdi + 8 * \\letter]
                movq [rdi + 8 * \\letter], mm0
                movq [rsp + 640 + 8 * \\letter], mm0
                .endr"
            ),
            concat!("add r8, ", $block_bytes),
            concat!("add r9, ", $block_bytes),
            "dec rdx",
            "jnz 2b",
            "emms",
            "9:",
            "add rsp, 712",
            "ret",
            ".purgem study_rotate",
            ".purgem study_big_sigma",
            ".purgem study_small_sigma",
            ".purgem study_round",
        )
    };
}

/// As [`study_mmx_sha1`].
///
/// # Safety
/// `lanes` are addresses of `blocks` blocks each, `constants` is [`SHA_256`].
#[unsafe(naked)]
unsafe extern "sysv64" fn study_mmx_sha256(state: *mut u64, lanes: *const *const u8, blocks: usize, constants: *const u64) {
    sha2!(
        bits: "32", plus: "paddd", left: "pslld", right: "psrld", passes_of_16: "4",
        retrieve: retrieve_two_lanes!(), block_bytes: "64",
        big_sigma_0: "2" "13" "22", big_sigma_1: "6" "11" "25",
        small_sigma_0: "7" "18" "3", small_sigma_1: "17" "19" "10",
    )
}

/// Compresses `blocks` blocks of one message; there is a second address, which is not used.
///
/// # Safety
/// `lanes` are two addresses, the first one of `blocks` blocks, `constants` is [`SHA_512`].
#[unsafe(naked)]
unsafe extern "sysv64" fn study_mmx_sha512(state: *mut u64, lanes: *const *const u8, blocks: usize, constants: *const u64) {
    sha2!(
        bits: "64", plus: "paddq", left: "psllq", right: "psrlq", passes_of_16: "5",
        retrieve: retrieve_one_lane!(), block_bytes: "128",
        big_sigma_0: "28" "34" "39", big_sigma_1: "14" "18" "41",
        small_sigma_0: "1" "8" "7", small_sigma_1: "19" "61" "6",
    )
}

type Routine = unsafe extern "sysv64" fn(*mut u64, *const *const u8, usize, *const u64);

/// Two messages of SHA-1 or SHA-256: their states, word by word, the first message's in the lower half.
pub fn compress_two<const WORDS: usize>(function: TwoLanes, state: &mut [u64; WORDS], lanes: [&[u8]; 2]) {
    let (routine, constants, words): (Routine, &[u64], usize) = match function {
        TwoLanes::Sha1 => (study_mmx_sha1, &SHA_1, 5),
        TwoLanes::Sha256 => (study_mmx_sha256, &SHA_256, 8),
    };
    assert_eq!(WORDS, words, "words of state");
    assert_eq!(lanes[0].len(), lanes[1].len(), "lanes of different lengths");
    let addresses = lanes.map(<[u8]>::as_ptr);
    // SAFETY: both lanes have so many blocks, the state has as many words as the function, and the constants are its own. Every x86-64
    // has MMX.
    unsafe { routine(state.as_mut_ptr(), addresses.as_ptr(), lanes[0].len() / 64, constants.as_ptr()) }
}

/// What two lanes compute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TwoLanes {
    /// SHA-1.
    Sha1,
    /// SHA-256.
    Sha256,
}

/// One message of SHA-512.
pub fn compress_sha512(state: &mut [u64; 8], blocks: &[u8]) {
    let addresses = [blocks.as_ptr(); 2];
    // SAFETY: there are so many blocks, SHA-512 has eight words of state, and the constants are its own. PADDQ is of SSE2, which every
    // x86-64 has, as it has MMX.
    unsafe { study_mmx_sha512(state.as_mut_ptr(), addresses.as_ptr(), blocks.len() / 128, SHA_512.as_ptr()) }
}

/// Appends the digests of two messages of the same length.
///
/// # Panics
/// If they are not.
pub fn hash_two(function: TwoLanes, messages: [&[u8]; 2], digests: &mut Vec<u8>) {
    match function {
        TwoLanes::Sha1 => two::<Sha1, 5>(function, Sha1::INITIAL, messages, digests),
        TwoLanes::Sha256 => two::<Sha256, 8>(function, Sha256::INITIAL, messages, digests),
    }
}

fn two<F: HashFunction, const WORDS: usize>(function: TwoLanes, initial: [u32; WORDS], messages: [&[u8]; 2], digests: &mut Vec<u8>) {
    let bytes = messages[0].len();
    assert_eq!(bytes, messages[1].len(), "messages of different lengths");
    let whole = bytes - bytes % F::BLOCK_BYTES;
    let mut state = initial.map(both);
    compress_two(function, &mut state, messages.map(|message| &message[..whole]));
    let last = messages.map(|message| F::final_blocks(&message[whole..], bytes as u64));
    compress_two(function, &mut state, [&last[0], &last[1]]);
    for lane in 0..2 {
        state.iter().for_each(|word| digests.extend_from_slice(&((word >> (32 * lane)) as u32).to_be_bytes()));
    }
}

/// Appends the digest of a message.
pub fn hash_sha512(message: &[u8], digests: &mut Vec<u8>) {
    let (blocks, rest) = message.split_at(message.len() - message.len() % Sha512::BLOCK_BYTES);
    let mut state = Sha512::INITIAL;
    compress_sha512(&mut state, blocks);
    compress_sha512(&mut state, &Sha512::final_blocks(rest, message.len() as u64));
    state.iter().for_each(|word| digests.extend_from_slice(&word.to_be_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lengths around the edges of blocks, and several blocks.
    fn lengths(block: usize) -> impl Iterator<Item = usize> {
        (0..=2 * block + 1).chain([5 * block - 1, 6 * block])
    }

    fn messages(bytes: usize) -> [Vec<u8>; 2] {
        [3, 5].map(|step| (0..bytes).map(|i| (i * step + i / 251 + step) as u8).collect())
    }

    #[test]
    fn each_of_two_lanes_has_its_own_digest() {
        for bytes in lengths(64) {
            let messages = messages(bytes);
            for (function, reference) in [
                (TwoLanes::Sha1, (|message| reference::sha1(message).to_vec()) as fn(&[u8]) -> Vec<u8>),
                (TwoLanes::Sha256, |message| reference::sha256(message).to_vec()),
            ] {
                let mut digests = Vec::new();
                hash_two(function, [&messages[0], &messages[1]], &mut digests);
                assert_eq!(digests, [reference(&messages[0]), reference(&messages[1])].concat(), "{function:?}, {bytes} bytes");
            }
        }
    }

    #[test]
    fn one_lane_of_64_bits_is_sha_512() {
        for bytes in lengths(128) {
            let mut digest = Vec::new();
            hash_sha512(&messages(bytes)[0], &mut digest);
            assert_eq!(digest, reference::sha512(&messages(bytes)[0]), "{bytes} bytes");
        }
    }

    /// Its stack of registers would be full without EMMS, and what it loads not a number.
    #[test]
    fn floating_point_on_the_x87_works_afterwards() {
        let one_and_one = || {
            let mut sum = 0f64;
            // SAFETY: three instructions that leave the stack of the x87 as it was and write to `sum`.
            unsafe {
                core::arch::asm!(
                    "fld1", "fadd st(0), st(0)", "fstp qword ptr [{}]", in(reg) &raw mut sum,
                    out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _, out("st(4)") _, out("st(5)") _, out("st(6)") _,
                    out("st(7)") _, options(nostack)
                );
            }
            sum
        };
        let messages = messages(100);
        for function in [TwoLanes::Sha1, TwoLanes::Sha256] {
            hash_two(function, [&messages[0], &messages[1]], &mut Vec::new());
            assert_eq!(one_and_one(), 2.0, "{function:?}");
        }
        hash_sha512(&messages[0], &mut Vec::new());
        assert_eq!(one_and_one(), 2.0, "SHA-512");
    }
}
