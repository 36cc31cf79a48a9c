//! How messages end: what follows their last byte, and what the last compression is told.
//!
//! | ending | of | what |
//! |---|---|---|
//! | [`MerkleDamgard`] | MD5, SHA-1, SHA-2 | a one bit, zeros, the length in bits (FIPS 180-4, section 5.1) |
//! | [`Sponge`] | SHA-3 | some bits, zeros, a one bit (FIPS 202, section 5.1) |
//! | [`Counted`] | BLAKE2 | zeros; the state counts bytes and knows which block is the last one (RFC 7693, section 3.3) |
//! | [`Node`] | BLAKE3 | zeros; the state knows how many bytes the last block has, and its flags ("BLAKE3", section 2.4) |

use super::{BlockOf, ChainingOf, Compression, CompressionOf, StateOf, WordOf, blake3};
use crate::isa::{ByteOrder, Word, WordCount, Words};
use alloc::vec::Vec;

/// The way in which the messages of a compression function `C` end.
pub trait Ending<C: Compression>: 'static {
    /// The byte that follows the message, or 0 if none is required. A state may say another.
    const FIRST: u8;
    /// The smallest number of bytes that are put after a message.
    const FEWEST_BYTES: usize;
    /// True if the state is told before the end of a message. The end is then a run of its own: the
    /// one or two blocks behind the `whole_bytes` of the message.
    const MARKS_END: bool = false;
    /// True if nothing need follow a message, so that its end has at least one of its bytes (if it
    /// has any). Whole blocks then wait until it is known that more bytes follow.
    const HOLDS_BACK: bool = Self::MARKS_END && Self::FEWEST_BYTES == 0;
    /// How many words of a state are for the ending alone: the last ones.
    const STATE_WORDS: usize = 0;
    /// The first of two words of a state that number its message, the lower word first, if any do.
    const COUNTER: Option<usize> = None;
    /// True if [`finish_in_lanes`](Self::finish_in_lanes) is implemented.
    const IN_REGISTERS: bool = true;
    /// Returns the byte that follows a message which starts from `state`.
    #[inline(always)]
    fn first(_state: &ChainingOf<C>) -> u8 {
        Self::FIRST
    }
    /// Completes `end`, the last whole blocks of a message of `message_bytes` bytes. It has the
    /// [first](Self::first) byte and zeros behind the message already.
    fn finish(end: &mut [u8], message_bytes: u64);
    /// Tells a state that the next blocks are the end of its message.
    fn mark_end(_state: &mut ChainingOf<C>, _end: End) {}
    /// Takes [`mark_end`](Self::mark_end) back, so that a message may start from this final state.
    fn take_back_mark(_state: &mut ChainingOf<C>) {}
    /// What [`finish_in_lanes`](Self::finish_in_lanes) must be told of a message of `message_bytes`
    /// bytes, which are fewer than 2^29.
    fn length(message_bytes: u32) -> WordOf<C>;
    /// Does in registers what [`finish`](Self::finish) and [`mark_end`](Self::mark_end) do, in the
    /// lanes where all bits of `ends` are set; in the others, no bit is. There `block` is the last
    /// block of the message, with its rest, the [first](Self::first) byte and zeros, and `length` is what
    /// [`length`](Self::length) returned for it.
    fn finish_in_lanes<V: Words<Word = WordOf<C>>>(isa: V::Isa, state: &mut StateOf<C, V>, block: &mut BlockOf<C, V>, ends: V, length: V);
}

/// Returns word `i` of the block of a message that is a digest of all words that `C` has for it: a one behind the digest, and at the end
/// its length in bits (FIPS 180-4, section 5.1).
#[inline(always)]
pub(crate) fn padding_word<C: Compression>(i: usize) -> WordOf<C> {
    const { assert!(!C::WANTS_CHAINS || matches!(C::BYTE_ORDER, ByteOrder::Big)) };
    let bits = 8 * C::DIGEST_WORDS * size_of::<WordOf<C>>();
    if i == C::DIGEST_WORDS {
        WordOf::<C>::TOP_BIT
    } else if i + 1 == C::Block::COUNT {
        Word::low(bits as u64)
    } else {
        Word::low(0)
    }
}

/// Writes what stands behind a digest in the block of a message that is nothing else.
#[inline(always)]
pub(crate) fn pad_digest<C: Compression, V: Words<Word = C::Word>>(isa: V::Isa, block: &mut BlockOf<C, V>) {
    macro_rules! pad { ($($i:literal)*) => { $(
        if const { $i >= C::DIGEST_WORDS && $i < C::Block::COUNT } {
            block.as_mut()[$i] = V::splat(isa, padding_word::<C>($i));
        }
    )* } }
    pad!(4 5 6 7 8 9 10 11 12 13 14 15);
}

/// The end of a message, as the state is told of it.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// Bytes of the message, including those that the state it started from has taken.
    pub message_bytes: u64,
    /// How many of these bytes are in the end.
    pub rest_bytes: usize,
}

/// A one bit, zeros, and the length in bits in the last `LENGTH_BYTES` bytes: FIPS 180-4, section
/// 5.1; RFC 1321, sections 3.1 and 3.2.
#[derive(Debug)]
pub struct MerkleDamgard<const LENGTH_BYTES: usize>;

impl<C: Compression, const LENGTH_BYTES: usize> Ending<C> for MerkleDamgard<LENGTH_BYTES> {
    const FIRST: u8 = 0x80;
    const FEWEST_BYTES: usize = 1 + LENGTH_BYTES;

    #[inline(always)]
    fn finish(end: &mut [u8], message_bytes: u64) {
        // FIPS 180-4 allows 2^64 - 1 bits for blocks of 64 bytes, so more than 2^61 bytes are never
        // seen.
        let bits = u128::from(message_bytes) * 8;
        let start = end.len() - LENGTH_BYTES;
        match C::BYTE_ORDER {
            ByteOrder::Big => end[start..].copy_from_slice(&bits.to_be_bytes()[16 - LENGTH_BYTES..]),
            ByteOrder::Little => end[start..].copy_from_slice(&bits.to_le_bytes()[..LENGTH_BYTES]),
        }
    }

    #[inline(always)]
    fn length(message_bytes: u32) -> WordOf<C> {
        WordOf::<C>::from(8 * message_bytes)
    }

    /// The lower bits of the length are in the last word, or in the last but one if the least
    /// significant byte comes first.
    #[inline(always)]
    fn finish_in_lanes<V: Words<Word = WordOf<C>>>(_: V::Isa, _: &mut StateOf<C, V>, block: &mut BlockOf<C, V>, ends: V, length: V) {
        let from_end = if matches!(C::BYTE_ORDER, ByteOrder::Big) { 1 } else { 2 };
        let word = &mut block.as_mut()[C::Block::COUNT - from_end];
        *word = V::choose(ends, length, *word);
    }
}

/// The byte `FIRST`, zeros, and a one bit, which is the highest of the last byte: FIPS 202, section
/// 5.1 and B.2. `FIRST` has the bits that tell functions apart, and the first one bit of the
/// padding. If the state has a word behind the 25 of Keccak, this word is what is added to `FIRST`,
/// modulo 2: functions that differ in these bits only share all their code.
#[derive(Debug)]
pub struct Sponge<const FIRST: u8>;

impl<const FIRST: u8> Sponge<FIRST> {
    /// Index of the word that is added to `FIRST`.
    pub(crate) const ADDED: usize = 25;
}

impl<C: Compression, const FIRST: u8> Ending<C> for Sponge<FIRST> {
    const FIRST: u8 = FIRST;
    const FEWEST_BYTES: usize = 1;
    const STATE_WORDS: usize = C::STATE_WORDS - Self::ADDED;

    #[inline(always)]
    fn first(state: &ChainingOf<C>) -> u8 {
        let mut added = [0; 8];
        if let Some(word) = state.as_ref().get(Self::ADDED) {
            word.write_bytes(ByteOrder::Little, 0, &mut added);
        }
        FIRST ^ added[0]
    }

    #[inline(always)]
    fn finish(end: &mut [u8], _: u64) {
        // Eight bytes at a time, for `end_in`.
        let last = end.last_chunk_mut::<8>().expect("a block");
        *last = (u64::from_le_bytes(*last) | 1 << 63).to_le_bytes();
    }

    #[inline(always)]
    fn length(_: u32) -> WordOf<C> {
        WordOf::<C>::default()
    }

    #[inline(always)]
    fn finish_in_lanes<V: Words<Word = WordOf<C>>>(isa: V::Isa, _: &mut StateOf<C, V>, block: &mut BlockOf<C, V>, ends: V, _: V) {
        let last = &mut block.as_mut()[C::Block::COUNT - 1];
        *last = last.xor(ends.and(V::splat(isa, WordOf::<C>::TOP_BIT)));
    }
}

/// Zeros, and none of them if a message is whole blocks. Behind the chaining value, the state has
/// four words: a count of bytes, its lower word first, to which each compression but the last adds
/// a block; a flag that is set for the last block (RFC 7693, section 3.3); and one that is set for the
/// last node of a level, if the message is a node of a tree ("BLAKE2", section 2.10).
#[derive(Debug)]
pub struct Counted;

impl Counted {
    /// Index of the lower word of the count: the chaining value of BLAKE2 is eight words.
    pub(crate) const COUNT: usize = 8;
    /// Index of the flag of the last block, which comes after the two words of the count.
    pub(crate) const FLAG: usize = Self::COUNT + 2;
    /// Index of the flag of a level's last node.
    pub(crate) const LAST_NODE: usize = Self::FLAG + 1;
}

impl<C: Compression> Ending<C> for Counted {
    const FIRST: u8 = 0;
    const FEWEST_BYTES: usize = 0;
    const STATE_WORDS: usize = Self::LAST_NODE + 1 - Self::COUNT;
    const MARKS_END: bool = true;

    #[inline(always)]
    fn finish(_: &mut [u8], _: u64) {}

    #[inline(always)]
    fn mark_end(state: &mut ChainingOf<C>, end: End) {
        let state = state.as_mut();
        state[Self::COUNT] = WordOf::<C>::low(end.message_bytes);
        state[Self::COUNT + 1] = WordOf::<C>::high(end.message_bytes);
        state[Self::FLAG] = WordOf::<C>::ONES;
    }

    fn take_back_mark(state: &mut ChainingOf<C>) {
        state.as_mut()[Self::COUNT..=Self::LAST_NODE].fill(WordOf::<C>::default());
    }

    #[inline(always)]
    fn length(message_bytes: u32) -> WordOf<C> {
        WordOf::<C>::from(message_bytes)
    }

    #[inline(always)]
    fn finish_in_lanes<V: Words<Word = WordOf<C>>>(_: V::Isa, state: &mut StateOf<C, V>, _: &mut BlockOf<C, V>, ends: V, length: V) {
        let state = state.as_mut();
        state[Self::COUNT] = V::choose(ends, length, state[Self::COUNT]);
        // The upper word of the length is zero, and so is the flag of lanes that go on.
        state[Self::COUNT + 1] = state[Self::COUNT + 1].and(ends.not());
        state[Self::FLAG] = ends;
    }
}

/// Zeros, and none of them if a message is whole blocks. The message is a node of BLAKE3's tree: a
/// chunk, or the chaining values of two children ("BLAKE3", sections 2.4 and 2.5). Behind the chaining
/// value, the state has seven words: a counter, its lower word first; the flags of the next block; flags
/// that the last block has besides; what must be added to the bytes of a full block to get those of the
/// next one, modulo 2^32; all ones if the next block is the last one; and all ones if the result is to
/// be the lower two rows after the rounds, and not the chaining value. The upper half of the output is
/// these with the chaining value before them exclusive-ored, which a kernel need not keep (2 to 5 % of its time).
#[derive(Debug)]
pub struct Node;

impl Node {
    /// Index of the lower word of the counter.
    pub(crate) const COUNTER: usize = 8;
    /// Index of the flags of the next block.
    pub(crate) const FLAGS: usize = Self::COUNTER + 2;
    /// Index of the flags that the last block has besides.
    pub(crate) const LAST_FLAGS: usize = Self::FLAGS + 1;
    /// Index of what is added to the bytes of a full block.
    const ADDED_BYTES: usize = Self::LAST_FLAGS + 1;
    /// Index of the flag of the last block.
    pub(crate) const IS_LAST: usize = Self::ADDED_BYTES + 1;
    /// Index of the flag of the upper half.
    pub(crate) const IS_UPPER: usize = Self::IS_LAST + 1;
}

impl<C: Compression> Ending<C> for Node {
    const FIRST: u8 = 0;
    const FEWEST_BYTES: usize = 0;
    const STATE_WORDS: usize = Self::IS_UPPER + 1 - Self::COUNTER;
    const COUNTER: Option<usize> = Some(Self::COUNTER);
    const MARKS_END: bool = true;

    #[inline(always)]
    fn finish(_: &mut [u8], _: u64) {}

    #[inline(always)]
    fn mark_end(state: &mut ChainingOf<C>, end: End) {
        let state = state.as_mut();
        state[Self::ADDED_BYTES] = <Self as Ending<C>>::length(end.message_bytes as u32);
        state[Self::IS_LAST] = WordOf::<C>::ONES;
    }

    fn take_back_mark(state: &mut ChainingOf<C>) {
        let state = state.as_mut();
        state[Self::COUNTER..=Self::IS_UPPER].fill(WordOf::<C>::default());
        state[Self::FLAGS] = WordOf::<C>::from(blake3::CHUNK_START);
        state[Self::LAST_FLAGS] = WordOf::<C>::from(blake3::CHUNK_END | blake3::ROOT);
    }

    /// Returns what makes the bytes of a full block those of the last one.
    #[inline(always)]
    fn length(message_bytes: u32) -> WordOf<C> {
        let block_bytes = C::BLOCK_BYTES as u32;
        let last_bytes = if message_bytes == 0 { 0 } else { (message_bytes - 1) % block_bytes + 1 };
        WordOf::<C>::from(last_bytes.wrapping_sub(block_bytes))
    }

    #[inline(always)]
    fn finish_in_lanes<V: Words<Word = WordOf<C>>>(_: V::Isa, state: &mut StateOf<C, V>, _: &mut BlockOf<C, V>, ends: V, length: V) {
        let state = state.as_mut();
        state[Self::ADDED_BYTES] = V::choose(ends, length, state[Self::ADDED_BYTES]);
        // The flag of lanes that go on is zero.
        state[Self::IS_LAST] = ends;
    }
}

/// The ending of algorithm `A`.
pub(crate) type EndingOf<A> = <CompressionOf<A> as Compression>::Ending;

/// Room for the bytes of a block.
pub(crate) type BlockBytes<C> = BlockOf<C, [u8; 8]>;
/// Room for the bytes of two blocks.
pub(crate) type TwoBlocks<C> = BlockOf<C, [u8; 16]>;

/// `N` zeros for each word of a block.
pub(crate) fn zeros<C: Compression, const N: usize>() -> BlockOf<C, [u8; N]> {
    C::Block::filled([0; N])
}

/// The last one or two blocks of a message: the bytes after those that were compressed where they
/// lie, and what the ending adds.
#[derive(Clone, Copy)]
pub(crate) struct Tail<C: Compression> {
    bytes: TwoBlocks<C>,
    len_bytes: usize,
    end: End,
}

impl<C: Compression> Tail<C> {
    /// Creates a tail that has no blocks yet.
    #[inline(always)]
    pub(crate) fn empty() -> Self {
        Self { bytes: zeros::<C, 16>(), len_bytes: 0, end: End { message_bytes: 0, rest_bytes: 0 } }
    }

    /// Ends a message of `message_bytes` bytes whose last ones are `rest`: less than a block, or
    /// more if they leave room in the second block for what the ending adds. The byte `first`
    /// follows it.
    #[inline]
    pub(crate) fn set(&mut self, rest: &[u8], message_bytes: u64, first: u8) {
        let two_blocks = &mut self.bytes.as_mut().as_flattened_mut()[..2 * C::BLOCK_BYTES];
        two_blocks.fill(0);
        self.len_bytes = end_in::<C>(two_blocks, rest, message_bytes, first);
        self.end = End { message_bytes, rest_bytes: rest.len() };
    }

    /// Returns where the message ends.
    #[inline]
    pub(crate) fn end(&self) -> End {
        self.end
    }

    /// Returns where the message ends, if that comes after the first `blocks` blocks.
    pub(crate) fn end_after(&self, blocks: usize) -> Option<End> {
        let whole_bytes = whole_bytes::<C>(self.end.rest_bytes);
        let end = End { rest_bytes: self.end.rest_bytes - whole_bytes, ..self.end };
        (blocks * C::BLOCK_BYTES == whole_bytes).then_some(end)
    }

    /// Returns the bytes of the tail's blocks.
    #[inline]
    pub(crate) fn blocks(&self) -> &[u8] {
        &self.bytes.as_ref().as_flattened()[..self.len_bytes]
    }
}

/// Ends a message of `message_bytes` bytes whose last ones are `rest`: less than a block, or more if
/// they leave room in the second block for what the ending adds. The byte `first` follows it. `zeros`
/// has room for two blocks. Returns the bytes of the blocks.
///
/// Every aligned eight bytes are written by one store, or by one store over zeros. A kernel that
/// reads eight of them at a time gets them from the store buffer. If it had to wait until smaller
/// stores have left that buffer, one short message could not begin before the one before it has
/// ended.
#[inline(always)]
pub(crate) fn end_in<C: Compression>(zeros: &mut [u8], rest: &[u8], message_bytes: u64, first: u8) -> usize {
    let len = padded_bytes::<C>(rest.len());
    let end = &mut zeros[..len];
    let (whole, partial) = rest.split_at(rest.len() - rest.len() % 8);
    copy_words(whole, end);
    let bits = 8 * partial.len();
    let bytes = match rest.last_chunk::<8>() {
        Some(last) => u64::from_le_bytes(*last) >> 8 >> (56 - bits),
        None => few_bytes(partial),
    };
    if let Some(word) = end[whole.len()..].first_chunk_mut::<8>() {
        *word = (bytes | u64::from(first) << bits).to_le_bytes();
    }
    C::Ending::finish(end, message_bytes);
    len
}

/// Ends a message of `message_bytes` bytes whose last ones are a digest of `digest_bytes` bytes, that
/// of a final state. Does what [`end_in`] does, without reading what was just written.
#[inline(always)]
pub(crate) fn end_of_digest_in<C: Compression>(
    zeros: &mut [u8],
    state: &ChainingOf<C>,
    digest_bytes: usize,
    message_bytes: u64,
    first: u8,
) -> usize {
    let len = padded_bytes::<C>(digest_bytes);
    let end = &mut zeros[..len];
    let (words, _) = end.as_chunks_mut::<8>();
    let (word_bytes, first) = (size_of::<WordOf<C>>(), u64::from(first));
    for (i, word) in words.iter_mut().enumerate().take(digest_bytes / 8 + 1) {
        let mut bytes = [0; 8];
        for (j, word) in state.as_ref().iter().skip(i * 8 / word_bytes).take(8 / word_bytes).enumerate() {
            word.write_bytes(C::BYTE_ORDER, j * word_bytes, &mut bytes);
        }
        let kept = digest_bytes - i * 8;
        let value = u64::from_le_bytes(bytes);
        *word = if kept >= 8 { value } else { value & !(u64::MAX << (8 * kept)) | first << (8 * kept) }.to_le_bytes();
    }
    C::Ending::finish(end, message_bytes);
    len
}

/// Copies words of eight bytes to the beginning of `to`, less than two blocks of them: two pieces of
/// a length that the compiler knows, which overlap. A call of `memcpy` takes longer.
#[inline(always)]
fn copy_words(from: &[u8], to: &mut [u8]) {
    let to = &mut to[..from.len()];
    macro_rules! pieces { ($($bytes:literal)*) => { $(
        if from.len() <= 2 * $bytes {
            if let (Some(first), Some(last)) = (from.first_chunk::<$bytes>(), from.last_chunk::<$bytes>()) {
                to[..$bytes].copy_from_slice(first);
                to[from.len() - $bytes..].copy_from_slice(last);
            }
            return;
        }
    )* } }
    pieces!(8 16 32 64);
    to.copy_from_slice(from);
}

/// Returns fewer than eight bytes as the lower bytes of a number.
#[inline(always)]
fn few_bytes(bytes: &[u8]) -> u64 {
    let count = bytes.len();
    match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        (Some(first), Some(last)) => u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << (8 * (count - 4)),
        _ if count == 0 => 0,
        _ => [0, count / 2, count - 1].into_iter().fold(0, |sum, i| sum | u64::from(bytes[i]) << (8 * i)),
    }
}

/// Ends a message of `message_bytes` bytes, the last `rest_bytes` of which are in `buffer` already, with
/// `first` behind it. Returns the bytes of all these blocks.
#[inline]
pub(crate) fn pad<C: Compression>(buffer: &mut [u8], rest_bytes: usize, message_bytes: u64, first: u8) -> usize {
    let len = padded_bytes::<C>(rest_bytes);
    buffer[rest_bytes..len].fill(0);
    if C::Ending::FEWEST_BYTES > 0 {
        buffer[rest_bytes] = first;
    }
    C::Ending::finish(&mut buffer[..len], message_bytes);
    len
}

/// Ends a message of `message_bytes` bytes with `first` behind it. `end` has its last bytes, any number of
/// them.
pub(crate) fn padded<C: Compression>(end: &mut Vec<u8>, message_bytes: u64, first: u8) {
    let rest_bytes = end.len();
    end.resize(padded_bytes::<C>(rest_bytes), 0);
    pad::<C>(end, rest_bytes, message_bytes, first);
}

/// Bytes of the blocks that the last `rest_bytes` bytes of a message fill together with what its
/// ending adds.
#[inline]
pub(crate) fn padded_bytes<C: Compression>(rest_bytes: usize) -> usize {
    (rest_bytes + C::Ending::FEWEST_BYTES).max(1).next_multiple_of(C::BLOCK_BYTES)
}

/// Returns how many of the first `bytes` bytes of a message are blocks that can be compressed
/// whether or not more bytes follow.
#[inline]
pub(crate) fn whole_bytes<C: Compression>(bytes: usize) -> usize {
    let bytes = if C::Ending::HOLDS_BACK { bytes.saturating_sub(1) } else { bytes };
    bytes - bytes % C::BLOCK_BYTES
}

/// How many leading bytes of a message can be compressed in place, if it has at least
/// `fewest_bytes` bytes and takes `blocks` blocks. Zero for messages of one or two blocks: copying
/// a block into the tail is cheaper than a second run.
#[inline]
pub(crate) fn body_bytes<C: Compression>(fewest_bytes: usize, blocks: u64) -> usize {
    if blocks <= 2 && !C::Ending::MARKS_END { 0 } else { whole_bytes::<C>(fewest_bytes) }
}

/// Blocks to compress for a message of `message_bytes` bytes (Gueron & Krasnov 2012, equation 1,
/// for any block and ending).
#[inline]
pub(crate) fn block_count<C: Compression>(message_bytes: u64) -> u64 {
    let (block, added) = (C::BLOCK_BYTES as u64, C::Ending::FEWEST_BYTES as u64);
    if added == 0 {
        return message_bytes.div_ceil(block).max(1);
    }
    message_bytes / block + if message_bytes % block + added <= block { 1 } else { 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lengths around those that other libraries got wrong, and around what the standard allows for
    /// blocks of 64 bytes.
    const TOTALS: [u64; 13] = [
        0,
        (1 << 29) - 1,
        1 << 29,
        (1 << 29) + 63,
        (1 << 32) - 1,
        1 << 32,
        (1 << 32) + 56,
        1 << 35,
        (1 << 61) - 1,
        1 << 61,
        (1 << 61) + 119,
        (1 << 63) + 1,
        u64::MAX,
    ];

    fn every_total_ends<C: Compression>() {
        for total in TOTALS {
            let whole = if C::Ending::HOLDS_BACK { total.saturating_sub(1) } else { total } / C::BLOCK_BYTES as u64;
            let rest = vec![0xAB; (total - whole * C::BLOCK_BYTES as u64) as usize];
            let mut tail = Tail::<C>::empty();
            tail.set(&rest, total, C::Ending::FIRST);
            let mut end = rest.clone();
            padded::<C>(&mut end, total, C::Ending::FIRST);
            assert_eq!(tail.blocks(), end, "{} {total}", C::NAME);
            assert_eq!(block_count::<C>(total) - whole, (end.len() / C::BLOCK_BYTES) as u64, "{} {total}", C::NAME);
            assert_eq!(end.get(rest.len()).copied().unwrap_or_default() & C::Ending::FIRST, C::Ending::FIRST);
            if C::Ending::FIRST == 0x80 {
                length_is_written::<C>(total, &end[rest.len() + 1..]);
            }
        }
    }

    /// Checks the length in bits: modulo 2^64 in eight bytes (RFC 1321, 3.2), all of it in sixteen.
    fn length_is_written<C: Compression>(total: u64, zeros_and_length: &[u8]) {
        let (zeros, length) = zeros_and_length.split_at(zeros_and_length.len() - C::BLOCK_BYTES / 8);
        assert!(zeros.iter().all(|byte| *byte == 0));
        let mut length = length.to_vec();
        if C::BYTE_ORDER == ByteOrder::Little {
            length.reverse();
        }
        let written = length.iter().fold(0u128, |sum, byte| sum << 8 | u128::from(*byte));
        let bits = u128::from(total) * 8;
        assert_eq!(written, if C::BLOCK_BYTES == 64 { bits % (1 << 64) } else { bits }, "{} {total}", C::NAME);
    }

    #[test]
    fn messages_of_any_length_are_ended() {
        macro_rules! all { ($($Compression:path)*) => { $(every_total_ends::<$Compression>();)* } }
        for_each_compression!(all);
    }
}
