//! Aciicmez 2004, section 4.1: SHA-1, SHA-256 and SHA-512 in general-purpose registers, with the paper's techniques to choose from, as the
//! four basic blocks of section 4.2.
//!
//! The paper's code is assembly for a CPU with eight 32-bit registers; this one is Rust for whatever there is, and the compiler is kept
//! from using vectors and from joining 32-bit registers.
#![deny(unsafe_code)]

#[allow(unsafe_code, reason = "assembly and intrinsics")]
mod registers;
pub mod sha;
pub mod word;

use std::hint::black_box;

use manyhash::Algorithm;
use manyhash::hazmat::final_blocks;

use registers::prefetch;
pub use sha::{Sha1, Sha256, Sha512, Sha512Pairs};
use word::Word;

/// A loop that is written out; an iterator would leave it to the compiler how far.
/// `$body` for `$i` from 0 to `$count - 1`, one after the other; at most 80 times. `$count` is known when it is compiled.
macro_rules! unrolled {
    ($count:expr, $i:ident => $body:expr) => {
        unrolled!(@tens $count, $i, $body, 0 10 20 30 40 50 60 70)
    };
    (@tens $count:expr, $i:ident, $body:expr, $($tens:literal)*) => { $(
        if $tens < $count {
            unrolled!(@ones $count, $i, $body, $tens, 0 1 2 3 4 5 6 7 8 9);
        }
    )* };
    (@ones $count:expr, $i:ident, $body:expr, $tens:literal, $($ones:literal)*) => { $(
        if $tens + $ones < $count {
            let $i: usize = $tens + $ones;
            $body;
        }
    )* };
}

/// A hash function of the SHA family, in registers of some size.
pub trait HashFunction: Copy + 'static {
    /// A register, or a pair.
    type Word: Word;
    /// The state variables A, B, C and so on: also the state between blocks.
    type Variables: Copy + AsRef<[Self::Word]> + AsMut<[Self::Word]>;
    /// The message schedule W of a block, a word for each round.
    type Schedule: Copy + AsRef<[Self::Word]> + AsMut<[Self::Word]>;
    /// Who pads messages.
    type Padding: Algorithm;

    /// With the registers, where there is a choice.
    const NAME: &'static str;
    /// The initial hash value.
    const INITIAL: Self::Variables;
    /// Nothing in it yet.
    const EMPTY_SCHEDULE: Self::Schedule;
    /// Parts of the main rounds that differ in their boolean function.
    const PHASES: usize;
    /// As many as rounds.
    const CONSTANTS: &'static [Self::Word];
    /// In a block.
    const BLOCK_BYTES: usize = 16 * Self::Word::BYTES;
    /// In a compression.
    const ROUNDS: usize = Self::CONSTANTS.len();

    /// The word that follows on these 16 words of the schedule.
    fn scheduled(w: &[Self::Word]) -> Self::Word;
    /// A round that leaves the variables where they are: `turn` rounds ago A was at 0, and the names have moved since.
    fn round<const REDEFINED: bool>(variables: &mut Self::Variables, turn: usize, phase: usize, constant: Self::Word, w: Self::Word);
}

/// BB1: retrieves the message block and swaps its bytes.
#[inline(always)]
fn bb1_retrieve_block<F: HashFunction>(schedule: &mut F::Schedule, block: &[u8]) {
    let words = &mut schedule.as_mut()[..16];
    let block = &block[..F::BLOCK_BYTES];
    unrolled!(16, t => words[t] = F::Word::from_message(&block[t * F::Word::BYTES..(t + 1) * F::Word::BYTES]).pinned());
}

/// BB2: the rest of the message schedule, `UNROLL` words at a time.
#[inline(always)]
fn bb2_schedule<F: HashFunction, const UNROLL: usize>(schedule: &mut F::Schedule) {
    /// One pass of the loop, on the words that have been made last.
    #[inline(always)]
    fn pass<F: HashFunction, const WORDS: usize>(last: &mut [F::Word]) {
        unrolled!(WORDS, t => last[t + 16] = F::scheduled(&last[t..t + 16]).pinned());
    }
    let schedule = schedule.as_mut();
    // The words to make are a multiple of 16 and not of the unrolled rounds.
    match UNROLL {
        1 => (0..black_box(F::ROUNDS - 16)).for_each(|done| pass::<F, 1>(&mut schedule[done..][..17])),
        _ if UNROLL < 20 => (0..black_box(F::ROUNDS / 16 - 1)).for_each(|passes| pass::<F, 16>(&mut schedule[passes * 16..][..32])),
        _ if F::ROUNDS == 64 => pass::<F, 48>(&mut schedule[..64]),
        _ => pass::<F, 64>(&mut schedule[..80]),
    }
}

/// BB3: the main rounds, `UNROLL` of them written out: one, which moves the variables, or a multiple of their number, which renames them.
/// A loop is no longer than a phase.
#[inline(always)]
fn bb3_rounds<F: HashFunction, const UNROLL: usize, const REDEFINED: bool>(variables: &mut F::Variables, schedule: &F::Schedule) {
    let rounds = F::ROUNDS / F::PHASES;
    unrolled!(F::PHASES, phase => {
        let (constants, w) = (&F::CONSTANTS[phase * rounds..][..rounds], &schedule.as_ref()[phase * rounds..][..rounds]);
        phase_rounds::<F, UNROLL, REDEFINED>(variables, phase, constants, w);
    });
}

#[inline(always)]
fn phase_rounds<F: HashFunction, const UNROLL: usize, const REDEFINED: bool>(
    variables: &mut F::Variables,
    phase: usize,
    constants: &[F::Word],
    w: &[F::Word],
) {
    let rounds = F::ROUNDS / F::PHASES;
    if UNROLL >= rounds {
        unrolled!(F::ROUNDS / F::PHASES, i => F::round::<REDEFINED>(variables, i, phase, constants[i], w[i]));
        return;
    }
    // The compiler must not know how often, or it writes a short loop out by itself.
    let rounds = black_box(rounds);
    for (constants, w) in constants[..rounds].chunks_exact(UNROLL).zip(w[..rounds].chunks_exact(UNROLL)) {
        unrolled!(UNROLL, i => F::round::<REDEFINED>(variables, i, phase, constants[i], w[i]));
        if UNROLL == 1 {
            let variables = variables.as_mut();
            let first = variables[variables.len() - 1].pinned();
            (1..variables.len()).rev().for_each(|i| variables[i] = variables[i - 1].pinned());
            variables[0] = first;
        }
    }
}

/// BB4: updates the state by the variables, and retrieves it into them for the next block.
#[inline(always)]
fn bb4_update<F: HashFunction>(state: &mut F::Variables, variables: &mut F::Variables) {
    for (word, variable) in state.as_mut().iter_mut().zip(variables.as_mut()) {
        *word = word.plus(*variable).pinned();
        *variable = *word;
    }
}

/// Whole blocks of one message: `UNROLL` rounds in a loop (1, a multiple of the number of variables, or [`FULLY`]), boolean functions
/// `REDEFINED` as in figure 4.1 or not, and lines fetched `PREFETCH` bytes ahead (0: none).
#[inline(never)]
pub fn compress<F: HashFunction, const UNROLL: usize, const REDEFINED: bool, const PREFETCH: usize>(
    state: &mut F::Variables,
    blocks: &[u8],
) {
    let mut schedule = F::EMPTY_SCHEDULE;
    let mut variables = *state;
    for block in blocks.chunks_exact(F::BLOCK_BYTES) {
        if PREFETCH > 0 {
            prefetch(block, PREFETCH);
        }
        bb1_retrieve_block::<F>(&mut schedule, block);
        bb2_schedule::<F, UNROLL>(&mut schedule);
        bb3_rounds::<F, UNROLL, REDEFINED>(&mut variables, &schedule);
        bb4_update::<F>(state, &mut variables);
    }
}

/// Whole blocks with those basic blocks whose bits are set in `PARTS`, BB1 the lowest. What a block left out would have made is there from
/// before: words of the message, the schedule, the state.
///
/// The compiler is not told what is in the schedule, or it would see that it stays the same.
#[inline(never)]
pub fn compress_parts<F: HashFunction, const PARTS: u8>(state: &mut F::Variables, blocks: &[u8]) {
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

/// All rounds of a phase written out: 80, or four times 20.
pub const FULLY: usize = 80;

/// [`compress`], compiled with some choice of techniques.
#[derive(Clone, Copy)]
pub struct Variant<F: HashFunction> {
    /// Rounds written out in a loop; [`FULLY`]: there is no loop.
    pub unroll: usize,
    /// Whether the boolean functions are figure 4.1's.
    pub redefined: bool,
    /// How many bytes ahead lines are fetched; 0: not at all.
    pub prefetch: usize,
    /// Updates the state by whole blocks.
    pub compress: Compress<F>,
}

/// What computes the state after blocks: [`compress`] or [`compress_parts`].
pub type Compress<F> = fn(&mut <F as HashFunction>::Variables, &[u8]);

impl<F: HashFunction> Variant<F> {
    /// Appends the digest of a message.
    pub fn hash(&self, message: &[u8], digest: &mut Vec<u8>) {
        let mut hashing = self.begin();
        hashing.update(message);
        hashing.finish_to(digest);
    }

    /// A message that comes in parts.
    pub fn begin(&self) -> Hashing<F> {
        Hashing { compress: self.compress, state: F::INITIAL, bytes: 0, rest: Vec::new() }
    }

    /// "5 rounds and redefined functions".
    pub fn name(&self) -> String {
        let rounds = match self.unroll {
            1 => "1 round".into(),
            FULLY => "all rounds".into(),
            rounds => format!("{rounds} rounds"),
        };
        let functions = if self.redefined { "redefined functions" } else { "functions of FIPS 180" };
        let ahead = if self.prefetch > 0 { format!(" and lines fetched {} bytes ahead", self.prefetch) } else { String::new() };
        format!("{rounds} and {functions}{ahead}")
    }
}

/// A message that comes in parts: whole blocks, but for the last part.
pub struct Hashing<F: HashFunction> {
    compress: Compress<F>,
    state: F::Variables,
    bytes: u64,
    /// After the last whole block.
    rest: Vec<u8>,
}

impl<F: HashFunction> Hashing<F> {
    /// The next part. Panics if the one before was not whole blocks.
    pub fn update(&mut self, part: &[u8]) {
        assert!(self.rest.is_empty() || part.is_empty(), "a part in the middle of a block");
        let (blocks, rest) = part.split_at(part.len() - part.len() % F::BLOCK_BYTES);
        (self.compress)(&mut self.state, blocks);
        self.rest.extend_from_slice(rest);
        self.bytes += part.len() as u64;
    }

    /// Appends the digest.
    pub fn finish_to(mut self, digest: &mut Vec<u8>) {
        (self.compress)(&mut self.state, &final_blocks::<F::Padding>(&self.rest, self.bytes));
        self.state.as_ref().iter().for_each(|word| word.append_to(digest));
    }
}

/// What is compiled for each hash function, and here: in whatever calls it, it would be compiled once more.
pub trait Variants: HashFunction + Sized {
    /// Unrolled by 1, by the number of variables, by twice that (the paper does not tell its steps) and fully; boolean functions as in
    /// FIPS 180 and redefined.
    fn unrolled() -> Vec<Variant<Self>>;
    /// Fully unrolled, redefined; each of [`PREFETCH_DISTANCES`].
    fn prefetching() -> Vec<Variant<Self>>;
    /// [`compress_parts`]: the whole, without each of the four basic blocks, each alone.
    fn parts() -> [Compress<Self>; 9];
}

/// In bytes ahead; 0: none.
pub const PREFETCH_DISTANCES: [usize; 5] = [0, 64, 128, 256, 512];

macro_rules! variants {
    ($Function:ident, $variables:literal, $twice:literal) => {
        impl Variants for $Function {
            #[inline(never)]
            fn unrolled() -> Vec<Variant<Self>> {
                variants!(@ 1, false, 0; 1, true, 0; $variables, false, 0; $variables, true, 0; $twice, false, 0; $twice, true, 0;
                    FULLY, false, 0; FULLY, true, 0)
            }
            #[inline(never)]
            fn prefetching() -> Vec<Variant<Self>> {
                variants!(@ FULLY, true, 0; FULLY, true, 64; FULLY, true, 128; FULLY, true, 256; FULLY, true, 512)
            }
            #[inline(never)]
            fn parts() -> [Compress<Self>; 9] {
                variants!(parts: 15 14 13 11 7 1 2 4 8)
            }
        }
    };
    (parts: $($parts:literal)*) => {
        [$(compress_parts::<Self, $parts>),*]
    };
    (@ $($unroll:expr, $redefined:literal, $prefetch:literal);*) => {
        vec![$(Variant {
            unroll: $unroll,
            redefined: $redefined,
            prefetch: $prefetch,
            compress: compress::<Self, { $unroll }, $redefined, $prefetch>,
        }),*]
    };
}
variants!(Sha1, 5, 10);
variants!(Sha256, 8, 16);
variants!(Sha512, 8, 16);
variants!(Sha512Pairs, 8, 16);
