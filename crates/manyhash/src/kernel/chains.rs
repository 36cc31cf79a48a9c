//! The kernels of chains: in every lane a digest becomes part of the next message, again and again,
//! in one run.
//!
//! A message of a chain is one block. In lanes, a digest does not leave its registers but to be put into
//! its block, which stays in memory, a row a word: loads are free beside the rounds. A digest may begin
//! at any byte of its block, because what comes before it need not be whole words (FIPS 205, section
//! 11.2: 22 bytes). Kernels with registers for each message have blocks as bytes.
//!
//! A chain is **plain** if each message is a digest and nothing else. Then the compiler knows the padding, and leaves out what it can compute. In one
//! wave, digests stay in registers. Two waves have their words in memory, and for long runs code of their own.

use super::per_message::{ChainBlocks, PerMessage, load_states};
use super::short::{DigestBlock, LaneStarts, LaneStates};
use super::states::States;
use crate::algorithm::ending::{pad_digest, padding_word};
use crate::algorithm::{BlockOf, ChainingOf, Compression, MAX_BLOCK_BYTES, StateOf, VectorOf, WordOf, write_digest};
use crate::isa::{Blocks, ByteOrder, Isa, MAX_LANES, Row, Task, Word, WordCount, Words};
use std::ops::Range;

/// One block for each lane, with a row for each word.
type LaneBlocks<C> = BlockOf<C, [WordOf<C>; MAX_LANES]>;

/// The most words of a block that may have bytes of one digest: it begins in the middle of a word.
const MOST_WORDS: usize = 9;

/// Where in its block a digest lies.
#[derive(Clone)]
pub(crate) struct Place<C: Compression> {
    /// Its bytes.
    bytes: Range<usize>,
    /// The first word that has bytes of it, and the number of words that have.
    first_word: usize,
    words: usize,
    /// Whether it is whole words, each in the place of one.
    is_whole: bool,
    /// By how many bits words are rotated to the right, so that their bytes move to where they lie.
    rotated: u32,
    /// The bits of a rotated word that stay in the word; the others belong to the next one.
    staying: WordOf<C>,
    /// The bits of each word of a state that are put into the block.
    kept: [WordOf<C>; 8],
    /// The bits of these words of the block that are not of the digest.
    beside: [WordOf<C>; MOST_WORDS],
}

impl<C: Compression> Place<C> {
    /// Describes the first bytes of digests, put at `bytes` of blocks. Panics if a block or a digest has
    /// not that many. Not inlined: unrolled, it is 4 KB of code, and the self-test has several.
    #[inline(never)]
    pub(crate) fn new(bytes: Range<usize>) -> Self {
        let word_bytes = size_of::<WordOf<C>>();
        assert!(bytes.len() <= C::DIGEST_WORDS * word_bytes && bytes.end <= C::BLOCK_BYTES);
        // The bits of word `i` whose bytes are among `bytes`.
        let mask = |i: usize, bytes: Range<usize>| {
            let mut mask = [0; 8];
            for (byte, at) in mask.iter_mut().zip(i * word_bytes..(i + 1) * word_bytes) {
                *byte = if bytes.contains(&at) { 0xFF } else { 0 };
            }
            WordOf::<C>::from_bytes(C::BYTE_ORDER, &mask)
        };
        let (first_word, before) = (bytes.start / word_bytes, bytes.start % word_bytes);
        let rotated = match C::BYTE_ORDER {
            ByteOrder::Big => 8 * before,
            ByteOrder::Little => 8 * (word_bytes - before) % (8 * word_bytes),
        };
        Self {
            first_word,
            words: (before + bytes.len()).div_ceil(word_bytes),
            is_whole: before == 0 && bytes.len().is_multiple_of(word_bytes),
            rotated: rotated as u32,
            staying: mask(0, before..word_bytes),
            kept: std::array::from_fn(|i| mask(i, 0..bytes.len())),
            beside: std::array::from_fn(|i| mask(first_word + i, bytes.clone()).xor_bytes(0xFF)),
            bytes,
        }
    }
}

/// What lanes have in memory.
pub(crate) struct Memory<C: Compression> {
    /// The blocks of the next messages as bytes.
    pub(crate) bytes: ChainBlocks,
    /// The same in lanes.
    blocks: LaneBlocks<C>,
    /// The words of these blocks that get bytes of a digest, with zeros in its place.
    beside: [[WordOf<C>; MAX_LANES]; MOST_WORDS],
    /// The last digests in lanes: the first words of each state.
    pub(crate) digests: LaneStates<C>,
    /// The last digests as bytes.
    pub(crate) rows: [Row; MAX_LANES],
    /// The sums of the digests so far, modulo 2 bit by bit: in lanes, and as bytes.
    pub(crate) sums: LaneStates<C>,
    pub(crate) sum_rows: [Row; MAX_LANES],
}

impl<C: Compression> Memory<C> {
    pub(crate) fn new() -> Self {
        let zeros = [WordOf::<C>::default(); MAX_LANES];
        Self {
            bytes: [[0; MAX_BLOCK_BYTES]; MAX_LANES],
            blocks: C::Block::filled(zeros),
            beside: [zeros; MOST_WORDS],
            digests: C::filled(zeros),
            rows: [[0; 64]; MAX_LANES],
            sums: C::filled(zeros),
            sum_rows: [[0; 64]; MAX_LANES],
        }
    }

    /// Puts the block of a lane, which is there as bytes, where lanes have theirs: the words that have bytes of `own`, which are the first,
    /// or of the digest. What else is in blocks is the same for all chains, and in the lane already.
    pub(crate) fn set_lane(&mut self, lane: usize, own: Range<usize>, place: &Place<C>) {
        let word_bytes = size_of::<WordOf<C>>();
        let changed = own.start / word_bytes..place.bytes.end.div_ceil(word_bytes);
        let words = self.bytes[lane][changed.start * word_bytes..].chunks_exact(word_bytes);
        for (row, word) in self.blocks.as_mut()[changed].iter_mut().zip(words) {
            row[lane] = WordOf::<C>::from_bytes(C::BYTE_ORDER, word);
        }
        let mut without = self.bytes[lane];
        without[place.bytes.clone()].fill(0);
        let words = without[place.first_word * word_bytes..].chunks_exact(word_bytes);
        for (row, word) in self.beside[..place.words].iter_mut().zip(words) {
            row[lane] = WordOf::<C>::from_bytes(C::BYTE_ORDER, word);
        }
    }

    /// Erases what the first `lanes` lanes had in memory, and their sums, if there are sums: it may be secret.
    #[cfg(feature = "hmac")]
    pub(crate) fn erase(&mut self, lanes: usize, sums: bool) {
        fn erase_words<C: Compression>(rows: &mut [[WordOf<C>; MAX_LANES]], lanes: usize) {
            rows.iter_mut().for_each(|row| Word::erase(&mut row[..lanes]));
        }
        zeroize::Zeroize::zeroize(self.bytes[..lanes].as_flattened_mut());
        zeroize::Zeroize::zeroize(self.rows[..lanes].as_flattened_mut());
        erase_words::<C>(self.blocks.as_mut(), lanes);
        erase_words::<C>(&mut self.beside, lanes);
        erase_words::<C>(self.digests.as_mut(), lanes);
        if sums {
            zeroize::Zeroize::zeroize(self.sum_rows[..lanes].as_flattened_mut());
            erase_words::<C>(self.sums.as_mut(), lanes);
        }
    }
}

/// A second pass over each digest (HMAC).
pub(crate) struct SecondPass<'a, C: Compression> {
    pub(crate) starts: &'a LaneStates<C>,
    /// The block of a digest in lanes, and as bytes.
    pub(crate) block: &'a DigestBlock<C>,
    pub(crate) bytes: &'a [u8; MAX_BLOCK_BYTES],
}

/// The task: it goes on with the chain in every lane by `links` links.
pub(crate) struct Links<'a, C: Compression> {
    pub(crate) links: u64,
    /// The states that messages start from. They have been told that the end comes next, if they must be.
    pub(crate) starts: LaneStarts<'a, C>,
    pub(crate) outer: Option<SecondPass<'a, C>>,
    pub(crate) place: &'a Place<C>,
    /// The word of the block that counts, if one does, and what each link adds to it.
    pub(crate) count: Option<(usize, WordOf<C>)>,
    /// The bytes of the block that count.
    pub(crate) count_bytes: Range<usize>,
    pub(crate) memory: &'a mut Memory<C>,
    /// Whether lanes begin with blocks that are there as bytes.
    pub(crate) from_bytes: bool,
    /// Whether the last digests are wanted as bytes.
    pub(crate) to_rows: bool,
    /// Whether each digest is also added to the sums.
    pub(crate) sums: bool,
    /// Whether chains are plain, all from one start.
    pub(crate) is_plain: bool,
    /// Whether there are so many links of plain chains that code [for long runs](super::Chains::has_long_code) pays.
    pub(crate) is_long: bool,
}

/// Writes what stands behind the digest in the block of a plain chain.
pub(crate) fn pad<C: Compression>(block: &mut [u8]) {
    let block = &mut block[..C::BLOCK_BYTES];
    (C::DIGEST_WORDS..C::Block::COUNT).for_each(|i| padding_word::<C>(i).write_bytes(C::BYTE_ORDER, i * size_of::<WordOf<C>>(), block));
}

impl<I: Isa, C: Compression> Task<I> for Links<'_, C> {
    type Output = ();
    #[inline(always)]
    fn run(self, isa: I) {
        let Self { links, starts, outer, place, count, memory, from_bytes, to_rows, sums, is_plain, is_long, .. } = self;
        if let (true, LaneStarts::Same(start)) = (is_plain, &starts) {
            return go_on_plainly::<I, C>(isa, (links, is_long), start, memory, from_bytes, to_rows);
        }
        if from_bytes {
            let words = load_blocks::<I, C>(isa, &memory.bytes);
            C::Block::write(&words, memory.blocks.as_mut().as_flattened_mut(), MAX_LANES);
            macro_rules! beside { ($($i:literal)*) => { $(
                if let (true, Some(row)) = ($i < place.words, memory.blocks.as_ref().get(place.first_word + $i)) {
                    let word: VectorOf<C, I> = Words::read(isa, row);
                    word.and(Words::splat(isa, place.beside[$i])).write(&mut memory.beside[$i]);
                }
            )* } }
            beside!(0 1 2 3 4 5 6 7 8);
        }
        let mut state = starts.read(isa);
        let passes = if outer.is_some() { 2 } else { 1 };
        for _ in 0..links {
            for pass in 0..passes {
                let words = match &outer {
                    Some(outer) if pass == 1 => {
                        let words = outer.block.block(isa, &state);
                        state = C::State::read(isa, outer.starts.as_ref().as_flattened(), MAX_LANES);
                        words
                    }
                    _ => {
                        state = starts.read(isa);
                        C::Block::read(isa, memory.blocks.as_ref().as_flattened(), MAX_LANES)
                    }
                };
                C::compress(isa, &mut state, words);
            }
            if let Some((word, added)) = count {
                let beside = word.wrapping_sub(place.first_word);
                let row = if beside < place.words { memory.beside.get_mut(beside) } else { memory.blocks.as_mut().get_mut(word) };
                if let Some(row) = row {
                    let counted: VectorOf<C, I> = Words::read(isa, row);
                    counted.add(Words::splat(isa, added)).write(row);
                }
            }
            if sums {
                macro_rules! sums { ($($i:literal)*) => { $(
                    if const { $i < C::DIGEST_WORDS } {
                        let row = &mut memory.sums.as_mut()[$i];
                        let sum: VectorOf<C, I> = Words::read(isa, row);
                        sum.xor(state.as_ref()[$i]).write(row);
                    }
                )* } }
                sums!(0 1 2 3 4 5 6 7);
            }
            put::<I, C>(isa, place, &state, memory);
        }
        C::State::write(&state, memory.digests.as_mut().as_flattened_mut(), MAX_LANES);
        if to_rows {
            Words::write_rows(&state.as_ref()[..C::DIGEST_WORDS], C::BYTE_ORDER, &mut memory.rows);
        }
    }
}

#[inline(always)]
fn load_blocks<I: Isa, C: Compression>(isa: I, bytes: &ChainBlocks) -> BlockOf<C, VectorOf<C, I>> {
    let blocks = Blocks::new(VectorOf::<C, I>::LANES, C::BLOCK_BYTES, |lane| &bytes[lane]);
    C::Block::load(isa, C::BYTE_ORDER, &blocks, 0, 0)
}

/// Whether plain chains have code of their own for long runs.
pub(super) const fn has_long_code<I: Isa, C: Compression>() -> bool {
    C::HAS_TURNS && VectorOf::<C, I>::WAVES > 1
}

/// Goes on with a plain chain in every lane. Padding that the compiler knows saves 3 to 8 % of the time (Zen 4: 15.9 ns a link in
/// `avx512-lean`, 17.4 for a block).
#[inline(always)]
fn go_on_plainly<I: Isa, C: Compression>(
    isa: I,
    (links, is_long): (u64, bool),
    start: &ChainingOf<C>,
    memory: &mut Memory<C>,
    from_bytes: bool,
    to_rows: bool,
) {
    let zero: VectorOf<C, I> = Words::splat(isa, WordOf::<C>::default());
    let mut message = C::Block::filled(zero);
    macro_rules! set_digest { ($of:ident: $($i:literal)*) => { $(
        if const { $i < C::DIGEST_WORDS } {
            message.as_mut()[$i] = $of.as_ref()[$i];
        }
    )* } }
    let first: BlockOf<C, VectorOf<C, I>> = if from_bytes {
        load_blocks::<I, C>(isa, &memory.bytes)
    } else {
        C::Block::read(isa, memory.blocks.as_ref().as_flattened(), MAX_LANES)
    };
    set_digest!(first: 0 1 2 3 4 5 6 7);
    let start = C::State::splat(isa, start);
    if const { has_long_code::<I, C>() } && !is_long {
        for _ in 0..links {
            let mut state = start;
            pad_digest::<C, VectorOf<C, I>>(isa, &mut message);
            C::compress_in_place(isa, &mut state, &mut message);
            set_digest!(state: 0 1 2 3 4 5 6 7);
        }
    } else {
        for _ in 0..links {
            let mut state = start;
            C::compress_digest(isa, &mut state, &mut message);
            set_digest!(state: 0 1 2 3 4 5 6 7);
        }
    }
    let digest = &message.as_ref()[..C::DIGEST_WORDS];
    if to_rows {
        Words::write_rows(digest, C::BYTE_ORDER, &mut memory.rows);
    } else {
        macro_rules! write { ($($i:literal)*) => { $(
            if const { $i < C::DIGEST_WORDS } {
                digest[$i].write(&mut memory.blocks.as_mut()[$i]);
                digest[$i].write(&mut memory.digests.as_mut()[$i]);
            }
        )* } }
        write!(0 1 2 3 4 5 6 7);
    }
}

/// Puts the digest of each lane into its block.
#[inline(always)]
fn put<I: Isa, C: Compression>(isa: I, place: &Place<C>, state: &StateOf<C, VectorOf<C, I>>, memory: &mut Memory<C>) {
    if place.is_whole {
        macro_rules! write { ($($i:literal)*) => { $(
            if const { $i < C::DIGEST_WORDS } && $i < place.words {
                if let Some(row) = memory.blocks.as_mut().get_mut(place.first_word + $i) {
                    state.as_ref()[$i].write(row);
                }
            }
        )* } }
        write!(0 1 2 3 4 5 6 7);
        return;
    }
    let zero: VectorOf<C, I> = Words::splat(isa, WordOf::<C>::default());
    let mut words = [zero; MOST_WORDS];
    macro_rules! keep { ($($i:literal)*) => { $(
        if const { $i < C::DIGEST_WORDS } {
            words[$i] = state.as_ref()[$i].and(Words::splat(isa, place.kept[$i]));
        }
    )* } }
    keep!(0 1 2 3 4 5 6 7);
    let staying = Words::splat(isa, place.staying);
    // From the last word on, so that the one before is still as it was.
    macro_rules! move_over { ($by:literal $($i:literal)*) => {
        $(if const { $i <= C::DIGEST_WORDS } {
            let (its_own, before) = (words[$i].rotate_right::<$by>(), words[$i - 1].rotate_right::<$by>());
            words[$i] = VectorOf::<C, I>::choose(staying, its_own, before);
        })*
        words[0] = words[0].rotate_right::<$by>().and(staying);
    } }
    macro_rules! rotate { ($($by:literal)*) => { $(
        if const { $by < 8 * size_of::<WordOf<C>>() } && place.rotated == $by {
            move_over!($by 8 7 6 5 4 3 2 1);
        }
    )* } }
    rotate!(8 16 24 32 40 48 56);
    macro_rules! write { ($($i:literal)*) => { $(
        if const { $i < C::DIGEST_WORDS + 1 } && $i < place.words {
            if let Some(row) = memory.blocks.as_mut().get_mut(place.first_word + $i) {
                let beside: VectorOf<C, I> = Words::read(isa, &memory.beside[$i]);
                beside.xor(words[$i]).write(row);
            }
        }
    )* } }
    write!(0 1 2 3 4 5 6 7 8);
}

/// The same task for `N` messages that have registers of their own. Their blocks are bytes, before it and
/// after it.
pub(super) struct LinksPerMessage<'a, C: Compression, const N: usize>(pub(super) Links<'a, C>);

impl<I: PerMessage<C>, C: Compression, const N: usize> Task<I> for LinksPerMessage<'_, C, N> {
    type Output = ();
    #[inline(always)]
    fn run(self, isa: I) {
        let Links { links, starts, outer, place, count_bytes, memory, sums, is_plain, .. } = self.0;
        if let (true, LaneStarts::Same(start)) = (is_plain, &starts) {
            return isa.go_on::<N>(links, isa.load(start), &mut memory.bytes);
        }
        let starts: [I::State; N] = match starts {
            LaneStarts::Same(state) => [isa.load(state); N],
            LaneStarts::Each(rows) => load_states(isa, &States::<C>::of_rows(&mut { *rows })),
        };
        let mut outer = outer.map(|outer| {
            let starts: [I::State; N] = load_states(isa, &States::<C>::of_rows(&mut { *outer.starts }));
            (starts, [*outer.bytes; N])
        });
        for _ in 0..links {
            let mut states = starts;
            // Blocks may be written from wider registers, here and below.
            isa.prepare();
            isa.compress(&mut states, &Blocks::new(N, C::BLOCK_BYTES, |lane| &memory.bytes[lane]));
            if let Some((starts, blocks)) = &mut outer {
                for (block, state) in blocks.iter_mut().zip(&states) {
                    write_digest::<C>(&isa.store(state), &mut block[..place.bytes.len()]);
                }
                states = *starts;
                isa.prepare();
                isa.compress(&mut states, &Blocks::new(N, C::BLOCK_BYTES, |lane| &blocks[lane]));
            }
            for (lane, state) in states.iter().enumerate() {
                let (block, state) = (&mut memory.bytes[lane], isa.store(state));
                write_digest::<C>(&state, &mut block[place.bytes.clone()]);
                add(&mut block[count_bytes.clone()], 1);
                if sums {
                    let sum = memory.sum_rows[lane].iter_mut();
                    sum.zip(&block[place.bytes.clone()]).for_each(|(sum, byte)| *sum ^= byte);
                }
            }
        }
    }
}

/// Returns the word of the block that has the last of the bytes that count, if any do, and what a link adds
/// to it.
pub(crate) fn counting_word<C: Compression>(count: Range<usize>) -> Option<(usize, WordOf<C>)> {
    let last = count.last()?;
    let word_bytes = size_of::<WordOf<C>>();
    let mut one = [0; 8];
    one[last % word_bytes] = 1;
    Some((last / word_bytes, WordOf::<C>::from_bytes(C::BYTE_ORDER, &one)))
}

/// Adds to a number of which the most significant byte comes first, modulo what it has room for.
#[inline(always)]
pub(crate) fn add(number: &mut [u8], added: u64) {
    let mut carry = added;
    for byte in number.iter_mut().rev() {
        if carry == 0 {
            break;
        }
        let sum = (carry & 0xFF) + u64::from(*byte);
        *byte = sum as u8;
        carry = (carry >> 8) + (sum >> 8);
    }
}
