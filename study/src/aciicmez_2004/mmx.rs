//! The 64-bit registers MM0 to MM7, as in 2004: two messages of SHA-1 or SHA-256, a 32-bit lane each, or one of SHA-512.
//!
//! All of a compression is assembly, because compilers no longer keep values in these registers. As in the paper: state variables and
//! schedule are in memory where eight registers do not suffice, a rotation is two shifts and an or, bytes are swapped in general-purpose
//! registers, and the boolean functions are figure 4.1's. The paper's own code is not public.

use manyhash::hazmat::final_blocks;

use manyhash_scalar::sha::{SHA_256_CONSTANTS, SHA_512_CONSTANTS};
use manyhash_scalar::{HashFunction, Sha1, Sha256, Sha512};

/// Words of two lanes, the first one in the lower half.
const fn both<const N: usize>(words: [u32; N]) -> [u64; N] {
    let (mut of_both, mut i) = ([0; N], 0);
    while i < N {
        of_both[i] = words[i] as u64 | (words[i] as u64) << 32;
        i += 1;
    }
    of_both
}

/// Compresses blocks of each of two messages (SHA-512: of one; there is a second address, which is not used). `state` has a word of each
/// lane in each of its words.
type Routine = unsafe extern "sysv64" fn(state: *mut u64, lanes: *const *const u8, blocks: usize, constants: *const u64);

#[derive(Clone, Copy)]
pub struct Mmx {
    /// Messages that it hashes at once.
    pub lanes: usize,
    pub block_bytes: usize,
    pub initial: &'static [u64],
    constants: &'static [u64],
    routine: Routine,
    final_blocks: fn(&[u8], u64) -> Vec<u8>,
}

pub const SHA_1: Mmx = Mmx {
    lanes: 2,
    block_bytes: 64,
    initial: &both(Sha1::INITIAL),
    // One for each phase.
    constants: &both([0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6]),
    routine: study_mmx_sha1,
    final_blocks: final_blocks::<manyhash::Sha1>,
};
pub const SHA_256: Mmx = Mmx {
    initial: &both(Sha256::INITIAL),
    constants: &both(SHA_256_CONSTANTS),
    routine: study_mmx_sha256,
    final_blocks: final_blocks::<manyhash::Sha256>,
    ..SHA_1
};
pub const SHA_512: Mmx = Mmx {
    lanes: 1,
    block_bytes: 128,
    initial: &Sha512::INITIAL,
    constants: &SHA_512_CONSTANTS,
    routine: study_mmx_sha512,
    final_blocks: final_blocks::<manyhash::Sha512>,
};
pub const ALL: [Mmx; 3] = [SHA_1, SHA_256, SHA_512];

impl Mmx {
    /// Compresses whole blocks of as many messages as there are lanes.
    ///
    /// # Panics
    /// If the messages differ in length, or the state is another function's.
    pub fn compress(self, state: &mut [u64], messages: &[&[u8]]) {
        let bytes = messages[0].len();
        assert!(messages.len() == self.lanes && state.len() == self.initial.len() && messages.iter().all(|message| message.len() == bytes));
        let addresses = [messages[0].as_ptr(), messages[self.lanes - 1].as_ptr()];
        // SAFETY: all lanes have so many blocks, the state has as many words as the function, and the constants are its own. Every x86-64
        // has MMX, and SSE2, of which is PADDQ.
        unsafe { (self.routine)(state.as_mut_ptr(), addresses.as_ptr(), bytes / self.block_bytes, self.constants.as_ptr()) }
    }

    /// Appends the digests of messages, of which as many as lanes have the same length.
    pub fn hash(self, messages: &[&[u8]], digests: &mut Vec<u8>) {
        for messages in messages.chunks(self.lanes) {
            let bytes = messages[0].len();
            let whole = bytes - bytes % self.block_bytes;
            let mut state = self.initial.to_vec();
            self.compress(&mut state, &messages.iter().map(|message| &message[..whole]).collect::<Vec<_>>());
            let last: Vec<Vec<u8>> = messages.iter().map(|message| (self.final_blocks)(&message[whole..], bytes as u64)).collect();
            self.compress(&mut state, &last.iter().map(Vec::as_slice).collect::<Vec<_>>());
            for lane in 0..self.lanes {
                // Of two lanes, the first one's word is the lower half.
                let half = |word: &u64| ((word >> (32 * lane)) as u32).to_be_bytes();
                match self.lanes {
                    1 => state.iter().for_each(|word| digests.extend_from_slice(&word.to_be_bytes())),
                    _ => state.iter().for_each(|word| digests.extend_from_slice(&half(word))),
                }
            }
        }
    }
}

/// A routine around what a function has of its own: macros, how the state is loaded, a word of the schedule, the rounds, how the state is
/// updated, and the macros' names. R8 points to the block, of two lanes to the first one's, and R9 to the other's.
macro_rules! routine {
    ($macros:literal $load:literal $scheduled:literal $rounds:literal $update:literal $names:literal $($difference:ident = $value:literal),+) => {
        core::arch::naked_asm!(
            $macros,
            r"
            sub rsp, 712
            test rdx, rdx
            jz 9f
            mov r8, [rsi]
            mov r9, [rsi + 8]",
            $load,
            // BB1: swaps the halves of 16 words in EAX and R10D and joins them. Words of 64 bits are of one block, words of 32 bits of two.
            r"
            2:
            .irp word, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
            .if {bits} == 32
            mov eax, [r8 + 4 * \word]
            mov r10d, [r9 + 4 * \word]
            .else
            mov eax, [r8 + 8 * \word + 4]
            mov r10d, [r8 + 8 * \word]
            .endif
            bswap eax
            bswap r10d
            movd mm6, eax
            movd mm7, r10d
            punpckldq mm6, mm7
            movq [rsp + 8 * \word], mm6
            .endr",
            // BB2, 16 words at a time.
            r"
            mov r11, rsp
            mov eax, {rounds} / 16 - 1
            3:
            .irp word, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
            $scheduled,
            r"
            .endr
            add r11, 128
            dec eax
            jnz 3b
            mov r11, rsp",
            // BB3 and BB4. The registers are the x87's, which the calling convention wants empty.
            $rounds,
            $update,
            r"
            add r8, 2 * {bits}
            add r9, 2 * {bits}
            dec rdx
            jnz 2b
            emms
            9:
            add rsp, 712
            ret",
            concat!(".irp name, ", $names),
            r"
            .purgem study_\name
            .endr",
            $($difference = const $value),+
        )
    };
}

/// # Safety
/// `lanes` are addresses of `blocks` blocks each, `constants` are SHA-1's.
#[unsafe(naked)]
unsafe extern "sysv64" fn study_mmx_sha1(state: *mut u64, lanes: *const *const u8, blocks: usize, constants: *const u64) {
    // Each function of figure 4.1, in MM6. In a round it is the names of the registers that move. A phase has 20 rounds, five at a time;
    // RCX points to their constant.
    routine!(
        r"
        .macro study_choose b, c, d
        movq mm6, \c
        pxor mm6, \d
        pand mm6, \b
        pxor mm6, \d
        .endm
        .macro study_parity b, c, d
        movq mm6, \b
        pxor mm6, \c
        pxor mm6, \d
        .endm
        .macro study_majority b, c, d
        movq mm6, \b
        movq mm7, \b
        por mm6, \d
        pand mm7, \d
        pand mm6, \c
        por mm6, mm7
        .endm
        .macro study_round function, a, b, c, d, e, word
        movq mm5, \a
        paddd \e, [r11 + 8 * \word]
        study_\function \b, \c, \d
        movq mm7, \a
        pslld mm5, 5
        psrld mm7, 27
        paddd \e, [rcx]
        por mm5, mm7
        paddd \e, mm6
        movq mm7, \b
        pslld \b, 30
        psrld mm7, 2
        paddd \e, mm5
        por \b, mm7
        .endm
        .macro study_phase function
        mov eax, 4
        5:
        study_round \function, mm0, mm1, mm2, mm3, mm4, 0
        study_round \function, mm4, mm0, mm1, mm2, mm3, 1
        study_round \function, mm3, mm4, mm0, mm1, mm2, 2
        study_round \function, mm2, mm3, mm4, mm0, mm1, 3
        study_round \function, mm1, mm2, mm3, mm4, mm0, 4
        add r11, 40
        dec eax
        jnz 5b
        add rcx, 8
        .endm"
        r"
        .irp letter, 0, 1, 2, 3, 4
        movq mm\letter, [rdi + 8 * \letter]
        .endr"
        r"
        movq mm5, [r11 + 8 * \word + 104]
        pxor mm5, [r11 + 8 * \word + 64]
        pxor mm5, [r11 + 8 * \word + 16]
        pxor mm5, [r11 + 8 * \word]
        movq mm6, mm5
        pslld mm5, 1
        psrld mm6, 31
        por mm5, mm6
        movq [r11 + 8 * \word + 128], mm5"
        r"
        study_phase choose
        study_phase parity
        study_phase majority
        study_phase parity
        sub rcx, 32"
        r"
        .irp letter, 0, 1, 2, 3, 4
        paddd mm\letter, [rdi + 8 * \letter]
        movq [rdi + 8 * \letter], mm\letter
        .endr"
        "choose, parity, majority, round, phase"
        bits = 32, rounds = 80
    )
}

/// SHA-256 and SHA-512 differ in the size of the word, in what they rotate by, in the number of rounds and in how a block is retrieved.
///
/// In a round the variables are in memory, behind the schedule; A is in MM0 and E in MM1, too. R11 points to the word of the schedule, R10
/// to the constant. There are 8 rounds at a time.
macro_rules! sha2 {
    ($($difference:ident = $value:literal),+) => {
        routine!(
            r"
            .macro study_by_size of_32, of_64, to, from
            .if {bits} == 32
            \of_32 \to, \from
            .else
            \of_64 \to, \from
            .endif
            .endm
            .macro study_plus to, from
            study_by_size paddd, paddq, \to, \from
            .endm
            .macro study_right to, bits
            study_by_size psrld, psrlq, \to, \bits
            .endm
            .macro study_rotate to, from, bits, free
            movq \to, \from
            movq \free, \from
            study_right \to, \bits
            study_by_size pslld, psllq, \free, {bits}-\bits
            por \to, \free
            .endm
            .macro study_two_rotations to, from, one, two, free, other
            study_rotate \to, \from, \one, \free
            study_rotate \other, \from, \two, \free
            pxor \to, \other
            .endm
            .macro study_big_sigma to, from, one, two, three, free, other
            study_two_rotations \to, \from, \one, \two, \free, \other
            study_rotate \other, \from, \three, \free
            pxor \to, \other
            .endm
            .macro study_small_sigma to, from, one, two, three, free, other
            study_two_rotations \to, \from, \one, \two, \free, \other
            movq \other, \from
            study_right \other, \three
            pxor \to, \other
            .endm
            .macro study_round b, c, d, f, g, h, word
            movq mm2, [rsp + 640 + 8 * \h]
            study_plus mm2, [r11+8*\word]
            study_plus mm2, [r10+8*\word]
            study_big_sigma mm3, mm1, {e0}, {e1}, {e2}, mm5, mm4
            movq mm6, [rsp + 640 + 8 * \g]
            movq mm7, [rsp + 640 + 8 * \f]
            pxor mm7, mm6
            pand mm7, mm1
            pxor mm7, mm6
            study_plus mm2, mm3
            study_plus mm2, mm7
            movq mm1, [rsp + 640 + 8 * \d]
            study_plus mm1, mm2
            movq [rsp + 640 + 8 * \d], mm1
            study_big_sigma mm3, mm0, {a0}, {a1}, {a2}, mm5, mm4
            movq mm6, [rsp + 640 + 8 * \c]
            movq mm7, mm6
            por mm6, mm0
            pand mm7, mm0
            pand mm6, [rsp + 640 + 8 * \b]
            por mm6, mm7
            study_plus mm2, mm3
            study_plus mm2, mm6
            movq mm0, mm2
            movq [rsp + 640 + 8 * \h], mm0
            .endm"
            r"
            .irp letter, 0, 1, 2, 3, 4, 5, 6, 7
            movq mm0, [rdi + 8 * \letter]
            movq [rsp + 640 + 8 * \letter], mm0
            .endr"
            r"
            movq mm0, [r11 + 8 * \word + 112]
            movq mm1, [r11 + 8 * \word + 8]
            study_small_sigma mm2, mm0, {y0}, {y1}, {y2}, mm4, mm3
            study_small_sigma mm5, mm1, {x0}, {x1}, {x2}, mm7, mm6
            study_plus mm2, [r11+8*\word+72]
            study_plus mm5, [r11+8*\word]
            study_plus mm2, mm5
            movq [r11 + 8 * \word + 128], mm2"
            r"
            mov r10, rcx
            mov eax, {rounds} / 8
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
            r"
            .irp letter, 0, 1, 2, 3, 4, 5, 6, 7
            movq mm0, [rsp + 640 + 8 * \letter]
            study_plus mm0, [rdi+8*\letter]
            movq [rdi + 8 * \letter], mm0
            movq [rsp + 640 + 8 * \letter], mm0
            .endr"
            "by_size, plus, right, rotate, two_rotations, big_sigma, small_sigma, round"
            $($difference = $value),+
        )
    };
}

/// # Safety
/// `lanes` are addresses of `blocks` blocks each, `constants` are SHA-256's.
#[unsafe(naked)]
unsafe extern "sysv64" fn study_mmx_sha256(state: *mut u64, lanes: *const *const u8, blocks: usize, constants: *const u64) {
    sha2!(bits = 32, rounds = 64, a0 = 2, a1 = 13, a2 = 22, e0 = 6, e1 = 11, e2 = 25, x0 = 7, x1 = 18, x2 = 3, y0 = 17, y1 = 19, y2 = 10)
}

/// # Safety
/// `lanes` are two addresses, the first one of `blocks` blocks, `constants` are SHA-512's.
#[unsafe(naked)]
unsafe extern "sysv64" fn study_mmx_sha512(state: *mut u64, lanes: *const *const u8, blocks: usize, constants: *const u64) {
    sha2!(bits = 64, rounds = 80, a0 = 28, a1 = 34, a2 = 39, e0 = 14, e1 = 18, e2 = 41, x0 = 1, x1 = 8, x2 = 7, y0 = 19, y1 = 61, y2 = 6)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Its stack of registers would be full without EMMS, and what it loads not a number.
    #[test]
    fn floating_point_on_the_x87_works_afterwards() {
        for function in ALL {
            function.hash(&[&[7; 100], &[8; 100]], &mut Vec::new());
            let mut sum = 0f64;
            // SAFETY: three instructions that leave the stack of the x87 as it was and write to `sum`.
            unsafe {
                core::arch::asm!(
                    "fld1", "fadd st(0), st(0)", "fstp qword ptr [{}]", in(reg) &raw mut sum,
                    out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _, out("st(4)") _, out("st(5)") _, out("st(6)") _,
                    out("st(7)") _, options(nostack)
                );
            }
            assert_eq!(sum, 2.0);
        }
    }
}
