//! What the standards say, by the reference on expressions.

use crate::words::{Byte, Word, bits, bytes_of, ones, words_of};
use manyhash::hazmat::ByteOrder;
use std::marker::PhantomData;
use std::ops::{BitAnd, BitOr, BitXor, Not};

/// A word of the reference, in the place of a `Plain`.
#[derive(Clone, Copy)]
struct Exact<Plain>(Word, PhantomData<Plain>);

macro_rules! exact {
    ($($plain:ident)*) => { $(
        impl BitXor for Exact<$plain> {
            type Output = Self;
            fn bitxor(self, other: Self) -> Self {
                Self(self.0.xor(other.0), PhantomData)
            }
        }

        impl BitAnd for Exact<$plain> {
            type Output = Self;
            fn bitand(self, other: Self) -> Self {
                Self(self.0.and(other.0), PhantomData)
            }
        }

        impl BitOr for Exact<$plain> {
            type Output = Self;
            fn bitor(self, other: Self) -> Self {
                Self(self.0.or(other.0), PhantomData)
            }
        }

        impl Not for Exact<$plain> {
            type Output = Self;
            fn not(self) -> Self {
                Self(self.0.complement(), PhantomData)
            }
        }

        impl reference::Word for Exact<$plain> {
            type Plain = $plain;
            fn constant(plain: $plain) -> Self {
                Self(Word::Number(plain.into()), PhantomData)
            }
            fn plus(self, other: Self) -> Self {
                Self(self.0.plus(other.0), PhantomData)
            }
            fn rotl(self, by: u32) -> Self {
                self.rotr((bits() - by) % bits())
            }
            fn rotr(self, by: u32) -> Self {
                Self(self.0.rotate_right(by % bits()), PhantomData)
            }
            fn shr(self, by: u32) -> Self {
                Self(self.0.shift_right(by), PhantomData)
            }
        }
    )* };
}
exact!(u32 u64);

fn exact<Plain: Copy, const N: usize>(words: &[Word]) -> [Exact<Plain>; N] {
    std::array::from_fn(|i| Exact(words[i], PhantomData))
}

/// The words of BLAKE2's state behind the chaining value: a count of bytes, and two flags.
const COUNT: usize = 8;
const FLAG: usize = 10;

/// Compresses a block by the reference. Returns `false` if there is none of this name.
pub fn compress(compression: &str, state: &mut [Word], block: &[Word]) -> bool {
    macro_rules! plain {
        ($function:ident, $plain:ident) => {{
            let block: Vec<Exact<$plain>> = block.iter().map(|word| Exact(*word, PhantomData)).collect();
            let mut words = exact(state);
            reference::compression::$function(&mut words, &block);
            state.iter_mut().zip(words).for_each(|(word, after)| *word = after.0);
        }};
    }
    match compression {
        "md5" => plain!(md5, u32),
        "sha1" => plain!(sha1, u32),
        "sha256" => plain!(sha256, u32),
        "sha512" => plain!(sha512, u64),
        "sm3" => plain!(sm3, u32),
        _ if is_sponge(compression) => sponge(compression, state, block),
        "blake2b" => blake2(state, block, reference::compression::blake2b::<Exact<u64>>),
        "blake2s" => blake2(state, block, reference::compression::blake2s::<Exact<u32>>),
        "blake3" => blake3(state, block),
        _ => return false,
    }
    true
}

/// Word i of the state is the lane A\[i mod 5, i / 5\] of FIPS 202, 3.1.2.
fn sponge(compression: &str, state: &mut [Word], block: &[Word]) {
    let block: Vec<Exact<u64>> = block.iter().map(|word| Exact(*word, PhantomData)).collect();
    let mut lanes = std::array::from_fn(|x| std::array::from_fn(|y| Exact(state[x + 5 * y], PhantomData)));
    match compression.starts_with("turbo") {
        true => reference::compression::turbo_shake(&mut lanes, &block),
        false => reference::compression::sha3(&mut lanes, &block),
    }
    state[..25].iter_mut().enumerate().for_each(|(i, word)| *word = lanes[i % 5][i / 5].0);
}

/// Returns whether a compression function is one of BLAKE2.
fn is_counted(compression: &str) -> bool {
    compression.starts_with("blake2")
}

/// Returns whether a compression function is that of SHA-3, or of what differs from it in rate and padding only.
fn is_sponge(compression: &str) -> bool {
    ["sha3_", "shake", "turboshake"].iter().any(|start| compression.starts_with(start))
}

/// Returns the first byte of a sponge's padding: a suffix, and a one bit (FIPS 202, 6.1, 6.2 and 5.1).
fn first_padding_byte(compression: &str) -> u8 {
    match compression {
        _ if compression.contains("shake") => 0x1F,
        _ => 0x06,
    }
}

/// The compression function of BLAKE2: state, block, count, and the flags of the last block and the last node.
type Blake2<W> = fn(&mut [W; 8], &[W], [W; 2], [bool; 2]);

/// The state has the count of bytes before the block, unless the flag is set: then the block is the
/// last one, and the count includes it.
fn blake2<W: Copy>(state: &mut [Word], block: &[Word], compress: Blake2<Exact<W>>) {
    let block: Vec<Exact<W>> = block.iter().map(|word| Exact(*word, PhantomData)).collect();
    let is_set = |word: &Word| *word == Word::Number(ones());
    let (is_last, is_last_node) = (is_set(&state[FLAG]), is_set(&state[FLAG + 1]));
    if !is_last {
        let low = state[COUNT].plus(Word::Number(2 * u64::from(bits())));
        // A carry of so few bytes turns the highest bit from one to zero.
        let carry = state[COUNT].and(low.complement()).shift_right(bits() - 1);
        (state[COUNT], state[COUNT + 1]) = (low, state[COUNT + 1].plus(carry));
    }
    let mut words = exact(state);
    compress(&mut words, &block, exact(&state[COUNT..FLAG]), [is_last, is_last && is_last_node]);
    state.iter_mut().zip(words).for_each(|(word, after)| *word = after.0);
}

/// The words of BLAKE3's state behind the chaining value: a counter of two words, the flags of the next block and those that the last one has
/// besides; what is added to the bytes of a full block, whether the next block is the last one, and whether the upper half is asked for.
const FLAGS: usize = 10;
const ADDED_BYTES: usize = 12;
const IS_LAST: usize = 13;

/// The flag of a chunk's first block is taken back behind it.
fn blake3(state: &mut [Word], block: &[Word]) {
    assert_eq!(state[IS_LAST + 1], Word::Number(0), "the chaining value is asked for");
    let block: Vec<Exact<u32>> = block.iter().map(|word| Exact(*word, PhantomData)).collect();
    let last_flags = state[FLAGS + 1].and(state[IS_LAST]);
    let [block_bytes, flags] = exact(&[Word::Number(64).plus(state[ADDED_BYTES]), state[FLAGS].xor(last_flags)]);
    let output = reference::compression::blake3(&exact(state), &block, exact(&state[COUNT..FLAGS]), block_bytes, flags);
    state[..8].iter_mut().zip(output).for_each(|(word, after)| *word = after.0);
    state[FLAGS] = state[FLAGS].and(Word::Number(1).complement());
}

/// Returns how many of the first words of a state before a block may be anything, if they are not all
/// of `words`. `is_message`: a whole message follows, and not blocks of one.
pub fn free_words(compression: &str, words: usize, is_message: bool) -> usize {
    match compression {
        "blake3" => ADDED_BYTES,
        _ if is_counted(compression) && is_message => COUNT,
        _ if is_counted(compression) => FLAG,
        _ => words,
    }
}

/// Returns the words of bytes in the order of an algorithm.
pub fn words_in(order: ByteOrder, bytes: &[Byte]) -> Vec<Word> {
    words_of(&ordered(order, bytes))
}

/// Returns the bytes of words in the order of an algorithm.
pub fn bytes_in(order: ByteOrder, words: &[Word]) -> Vec<Byte> {
    ordered(order, &bytes_of(words))
}

fn ordered(order: ByteOrder, bytes: &[Byte]) -> Vec<Byte> {
    match order {
        ByteOrder::Little => bytes.to_vec(),
        ByteOrder::Big => bytes.chunks(crate::words::word_bytes()).flat_map(|word| word.iter().rev().copied()).collect(),
    }
}

/// Hashes a message from a state that stands for `start_bytes` bytes before it. Returns the final
/// state, or `None` if there is no such function.
pub fn hash(
    compression: &str,
    order: ByteOrder,
    block_bytes: usize,
    start: &[Word],
    start_bytes: usize,
    message: &[Byte],
) -> Option<Vec<Word>> {
    let mut state = start.to_vec();
    let padded = padded(compression, block_bytes, start_bytes, message);
    let blocks = padded.len() / block_bytes;
    for (i, block) in padded.chunks(block_bytes).enumerate() {
        if is_counted(compression) && i + 1 == blocks {
            // RFC 7693, 3.3.
            state[COUNT] = Word::Number((start_bytes + message.len()) as u64);
            state[COUNT + 1] = Word::Number(0);
            state[FLAG] = Word::Number(ones());
        }
        if compression == "blake3" && i + 1 == blocks {
            // "BLAKE3", 2.4.
            let bytes = message.len() - i * block_bytes;
            state[ADDED_BYTES] = Word::Number(u64::from((bytes as u32).wrapping_sub(64)));
            state[IS_LAST] = Word::Number(ones());
        }
        if !compress(compression, &mut state, &words_in(order, block)) {
            return None;
        }
    }
    Some(state)
}

/// Pads a message as its standard says.
fn padded(compression: &str, block_bytes: usize, start_bytes: usize, message: &[Byte]) -> Vec<Byte> {
    let mut padded = message.to_vec();
    let zeros = |padded: &mut Vec<Byte>, bytes: usize| padded.resize(padded.len().next_multiple_of(block_bytes) - bytes, Byte::Number(0));
    let bits = 8 * (start_bytes + message.len()) as u64;
    match compression {
        // RFC 7693, 3.3.
        // "BLAKE3", 2.4.
        "blake3" => padded.resize(message.len().max(1).next_multiple_of(block_bytes), Byte::Number(0)),
        _ if is_counted(compression) => padded.resize(message.len().max(1).next_multiple_of(block_bytes), Byte::Number(0)),
        _ if is_sponge(compression) => {
            // One byte may have both ends of the padding.
            padded.push(Byte::Number(first_padding_byte(compression)));
            zeros(&mut padded, 0);
            let last = padded.last_mut().expect("a byte of padding");
            *last = Byte::Number(last.number().expect("a byte of padding") | 0x80);
        }
        // FIPS 180-4, 5.1; RFC 1321, 3.2, where the least byte of the length comes first.
        _ => {
            let length_bytes = block_bytes / 8;
            padded.push(Byte::Number(0x80));
            let end = (padded.len() + length_bytes).next_multiple_of(block_bytes);
            padded.resize(end - 8, Byte::Number(0));
            let length = if compression == "md5" { bits.to_le_bytes() } else { bits.to_be_bytes() };
            padded.extend(length.map(Byte::Number));
        }
    }
    padded
}
