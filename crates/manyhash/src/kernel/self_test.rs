//! The self-test of a kernel: before it is first used, every lane of it hashes two blocks whose result
//! is known.
//!
//! Libraries that were proved or tested gave wrong digests where a compiler or a CPU was wrong. A
//! kernel that fails here is left out, so that digests stay right, and `backend::health` says so. The
//! known results are of this library's tests, not of the machine: [`SelfTested::KNOWN`].

use super::chains::{Links, Memory, Place, add, counting_word, pad};
use super::nodes::{NODE_LANES, Nodes, Numbers};
use super::per_message::short::{Apart, ROOM_BLOCKS};
use super::short::{InLanes, InTurns, LaneStarts, ShortMessages, shared_end};
use super::states::States;
use super::{Chains, Kernel};
use crate::algorithm::ending::{End, Ending};
use crate::algorithm::{Compression, MAX_BLOCK_BYTES, MAX_DIGEST_BYTES, SelfTested, WordOf, write_digest};
use crate::isa::{Blocks, ByteOrder, Dealt, FirstByte, MAX_LANES, OnceLock, Rooms, Whole, Word};
use alloc::{boxed::Box, vec::Vec};
use std::mem::MaybeUninit;
use std::ops::Range;

/// The number of different messages. Lanes next to each other, and lanes that are a power of two
/// apart, have different ones.
const MESSAGES: usize = 5;

/// The blocks of each message.
const BLOCKS: usize = 2;

/// A kernel that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) backend: &'static str,
    pub(crate) compression: &'static str,
}

/// The kernels that failed: there are fewer than 512 of all compression functions.
static FAILURES: [OnceLock<Failure>; 512] = [const { OnceLock::new() }; 512];

/// Returns the kernels of this process that failed until now.
pub(crate) fn failures() -> Vec<Failure> {
    FAILURES.iter().map_while(OnceLock::get).copied().collect()
}

/// Returns whether a test of the kernel failed until now.
pub(crate) fn has_failed<C: Compression>(kernel: &Kernel<C>) -> bool {
    failures().contains(&Failure { backend: kernel.name, compression: C::NAME })
}

/// Tests a kernel, and remembers it if it fails. Panics if the CPU lacks the instruction set.
pub(crate) fn passes<C: SelfTested>(kernel: &Kernel<C>) -> bool {
    remembered(kernel, is_right(kernel))
}

/// Tests the code of a kernel for a message dealt out to lanes, if it has any, and remembers it if it
/// fails. Panics if the CPU lacks the instruction set.
pub(crate) fn passes_dealt<C: SelfTested>(kernel: &Kernel<C>) -> bool {
    !kernel.has_dealt() || remembered(kernel, is_right_dealt(kernel))
}

fn remembered<C: Compression>(kernel: &Kernel<C>, is_right: bool) -> bool {
    let failure = Failure { backend: kernel.name, compression: C::NAME };
    if !is_right {
        let place = FAILURES.iter().find(|place| *place.get_or_init(|| failure) == failure);
        assert!(place.is_some(), "more kernels than there are");
    }
    is_right
}

/// What was found for each message, as one number.
#[derive(Default)]
struct Results([Option<u64>; MESSAGES]);

impl Results {
    /// Takes what a lane found for a message. Returns whether other lanes found the same.
    fn agree(&mut self, message: usize, found: u64) -> bool {
        *self.0[message].get_or_insert(found) == found
    }

    /// Returns one number for all; `None` if a message had no lane.
    fn all(&self) -> Option<u64> {
        self.0.iter().try_fold(0, |all, result| result.map(|result| mixed(all, result)))
    }
}

/// Adds a number to others that are one number already.
fn mixed(all: u64, next: u64) -> u64 {
    (all.rotate_left(23) ^ next).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The messages.
struct Bytes([[u8; BLOCKS * MAX_BLOCK_BYTES]; MESSAGES]);

impl Bytes {
    /// Makes them of a sequence that looks random (Knuth, The Art of Computer Programming, 3.3.4).
    fn new() -> Self {
        let mut bytes = [[0; BLOCKS * MAX_BLOCK_BYTES]; MESSAGES];
        let mut last = 1u64;
        for bytes in bytes.as_flattened_mut().chunks_mut(8) {
            last = last.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            bytes.copy_from_slice(&(last ^ last >> 29).to_be_bytes()[..bytes.len()]);
        }
        Self(bytes)
    }

    /// Returns the whole blocks of a message.
    fn blocks<C: Compression>(&self, message: usize) -> &[u8] {
        &self.0[message][..BLOCKS * C::BLOCK_BYTES]
    }

    /// Returns a message that ends within its first block or within its second.
    fn ragged<C: Compression>(&self, message: usize) -> &[u8] {
        &self.0[message][..(message % BLOCKS) * C::BLOCK_BYTES + 3 + message]
    }
}

/// The runs that give each message a lane: the message of lane i in run r is (i + r) mod [`MESSAGES`].
fn runs(lanes: usize) -> std::ops::Range<usize> {
    0..MESSAGES.saturating_sub(lanes) + 1
}

/// Returns a state as one number.
fn number_of_state<C: Compression>(state: &[WordOf<C>]) -> u64 {
    state.iter().fold(0, |all, word| {
        let mut bytes = [0; 8];
        word.write_bytes(ByteOrder::Little, 0, &mut bytes);
        mixed(all, u64::from_le_bytes(bytes))
    })
}

fn is_right<C: SelfTested>(kernel: &Kernel<C>) -> bool {
    let bytes = Bytes::new();
    let mut results = Results::default();
    let whole = runs(kernel.lanes).all(|run| {
        let mut rows = C::filled([WordOf::<C>::default(); MAX_LANES]);
        let mut states = States::<C>::of_rows(&mut rows);
        let blocks = |lane| bytes.blocks::<C>((lane + run) % MESSAGES);
        kernel.advance(&mut states, &Blocks::new(kernel.lanes, BLOCKS * C::BLOCK_BYTES, blocks));
        agree(&mut results, kernel.lanes, run, &states)
    });
    let one = kernel.compress_one().is_none_or(|compress_one| {
        (0..MESSAGES).all(|message| {
            let mut state = C::filled(WordOf::<C>::default());
            let (first, second) = bytes.blocks::<C>(message).split_at(C::BLOCK_BYTES);
            compress_one(&mut state, first, second, None);
            results.agree(message, number_of_state::<C>(state.as_ref()))
        })
    });
    let [states, digests] = C::KNOWN;
    let digests = !kernel.has_short() || number_of_digests(kernel, &bytes) == Some(digests) && shares_ends(kernel, &bytes);
    whole && one && results.all() == Some(states) && digests && goes_on_with_chains(kernel, &bytes) && hashes_nodes(kernel, &bytes)
}

/// Returns whether the code for nodes, if there is any, does what the kernel, which is right, does with whole blocks whose
/// last one is marked: with numbers, and without.
fn hashes_nodes<C: SelfTested>(kernel: &Kernel<C>, bytes: &Bytes) -> bool {
    let (Some(hash_nodes), Some(counter)) = (kernel.hash_nodes(), C::Ending::COUNTER) else { return true };
    let message = |lane: usize| bytes.blocks::<C>(lane % MESSAGES);
    let start = C::filled(WordOf::<C>::default());
    let message_bytes = BLOCKS * C::BLOCK_BYTES;
    let mut numbers: Numbers<C> = [[WordOf::<C>::default(); NODE_LANES]; 2];
    for (word, numbers) in numbers.iter_mut().enumerate() {
        let number = |lane: usize| WordOf::<C>::from(7 * lane as u32 + word as u32);
        numbers.iter_mut().enumerate().for_each(|(lane, place)| *place = number(lane));
    }
    [None, Some(&numbers)].into_iter().all(|numbers| {
        let mut rows = [[0; MAX_DIGEST_BYTES]; NODE_LANES];
        hash_nodes(Nodes {
            start: &start,
            numbers,
            blocks: &Blocks::new(kernel.lanes, message_bytes, message),
            later: None,
            rows: &mut rows,
        });
        let mut states = C::filled([WordOf::<C>::default(); MAX_LANES]);
        let mut states = States::<C>::of_rows(&mut states);
        for lane in 0..kernel.lanes {
            let mut state = start;
            numbers.iter().for_each(|numbers| (0..2).for_each(|word| state.as_mut()[counter + word] = numbers[word][lane]));
            states.set_column(lane, &state);
        }
        kernel.advance(&mut states, &Blocks::new(kernel.lanes, C::BLOCK_BYTES, message));
        for lane in 0..kernel.lanes {
            let mut state = states.column(lane);
            C::Ending::mark_end(&mut state, End { message_bytes: message_bytes as u64, rest_bytes: C::BLOCK_BYTES });
            states.set_column(lane, &state);
        }
        kernel.advance(&mut states, &Blocks::new(kernel.lanes, C::BLOCK_BYTES, |lane| &message(lane)[C::BLOCK_BYTES..]));
        (0..kernel.lanes).zip(&rows).all(|(lane, row)| {
            let mut value = [0; MAX_DIGEST_BYTES];
            let value = &mut value[..C::DIGEST_WORDS * size_of::<WordOf<C>>()];
            write_digest::<C>(&states.column(lane), value);
            row[..value.len()] == *value
        })
    })
}

/// Returns whether the code for chains, if there is any, does what the kernel, which is right, does with
/// block after block: with plain chains, and with digests that begin in the middle of a word, between words that count.
fn goes_on_with_chains<C: SelfTested>(kernel: &Kernel<C>, bytes: &Bytes) -> bool {
    let digest_bytes = C::DIGEST_WORDS * size_of::<WordOf<C>>();
    let Some(code) = kernel.chains() else { return true };
    let plain = (0..digest_bytes, 0..0);
    goes_on(kernel, code, bytes, plain.clone(), false)
        && (!code.has_long_code || goes_on(kernel, code, bytes, plain, true))
        && goes_on(kernel, code, bytes, (3..digest_bytes - 1, 2..3), false)
}

/// Returns whether it does with these bytes of a digest and of a number. Chains whose digest is at the beginning are plain.
fn goes_on<C: SelfTested>(
    kernel: &Kernel<C>,
    code: Chains<C>,
    bytes: &Bytes,
    (value, count): (Range<usize>, Range<usize>),
    is_long: bool,
) -> bool {
    const LINKS: u64 = 3;
    let is_plain = value.start == 0;
    let start = C::filled(WordOf::<C>::default());
    let mut memory = Box::new(Memory::<C>::new());
    for (lane, block) in memory.bytes.iter_mut().enumerate().take(kernel.lanes) {
        block[..C::BLOCK_BYTES].copy_from_slice(&bytes.blocks::<C>(lane % MESSAGES)[..C::BLOCK_BYTES]);
        block[count.clone()].fill(0);
        if is_plain {
            pad::<C>(block);
        }
    }
    let mut right = memory.bytes;
    for _ in 0..LINKS {
        let mut rows = C::filled([WordOf::<C>::default(); MAX_LANES]);
        let mut states = States::<C>::of_rows(&mut rows);
        kernel.advance(&mut states, &Blocks::new(kernel.lanes, C::BLOCK_BYTES, |lane| &right[lane]));
        for (lane, block) in right.iter_mut().enumerate().take(kernel.lanes) {
            write_digest::<C>(&states.column(lane), &mut block[value.clone()]);
            add(&mut block[count.clone()], 1);
        }
    }
    (code.go_on)(Links {
        links: LINKS,
        starts: LaneStarts::Same(&start),
        outer: None,
        place: &Place::new(value.clone()),
        count: counting_word::<C>(count.clone()),
        count_bytes: count,
        memory: &mut memory,
        from_bytes: true,
        to_rows: true,
        sums: false,
        is_plain,
        is_long,
    });
    let found = |lane: usize| if code.is_in_lanes { &memory.rows[lane][..value.len()] } else { &memory.bytes[lane][value.clone()] };
    (0..kernel.lanes).all(|lane| *found(lane) == right[lane][value.clone()])
}

/// Gives what the lanes of a run found to the results. Returns whether all agree.
fn agree<C: Compression>(results: &mut Results, lanes: usize, run: usize, states: &States<'_, C>) -> bool {
    (0..lanes).all(|lane| results.agree((lane + run) % MESSAGES, number_of_state::<C>(states.column(lane).as_ref())))
}

/// Returns the digests of the ragged messages as one number; `None` if lanes do not agree.
fn number_of_digests<C: Compression>(kernel: &Kernel<C>, bytes: &Bytes) -> Option<u64> {
    let mut results = Results::default();
    let start = C::filled(WordOf::<C>::default());
    let mut finals = C::filled([WordOf::<C>::default(); MAX_LANES]);
    let (mut rows, mut ended) = ([[0; MAX_DIGEST_BYTES]; MAX_LANES], [[0; MAX_DIGEST_BYTES]; MAX_LANES + MESSAGES]);
    let first = FirstByte::of(C::Ending::FIRST);
    let messages = &ShortMessages { midstates: LaneStarts::Same(&start), start_bytes: 0, first, outer: None };
    let do_agree = runs(kernel.lanes).all(|run| {
        let message = |place: usize| bytes.ragged::<C>((place + run) % MESSAGES);
        // Those that come behind the lanes show that lanes go on.
        let count = kernel.lanes + MESSAGES;
        let mut agree = |place: usize, row: &[u8]| results.agree((place + run) % MESSAGES, number_of_digest::<C>(row));
        if let Some(hash_apart) = kernel.hash_apart() {
            let found: [&[u8]; MAX_LANES + MESSAGES] = std::array::from_fn(message);
            let mut memory = [const { MaybeUninit::uninit() }; (MAX_LANES + MESSAGES) * ROOM_BLOCKS * MAX_BLOCK_BYTES];
            let mut rooms = Rooms::new(&mut memory);
            hash_apart(Apart { common: messages, messages: &found[..count], rooms: &mut rooms });
            return rooms.all().chunks_exact(ROOM_BLOCKS * C::BLOCK_BYTES).take(count).enumerate().all(|(place, room)| agree(place, room));
        }
        let whole = &mut Whole::new(kernel.lanes, message);
        let finals = Some(&mut finals.as_mut().as_flattened_mut()[..C::STATE_WORDS * kernel.lanes]);
        kernel.hash_in_lanes(InLanes { messages, whole, blocks: BLOCKS, shared_end: None, finals, whole_states: false, rows: &mut rows });
        let waiting: [&[u8]; MESSAGES] = std::array::from_fn(|i| message(kernel.lanes + i));
        let found = rows;
        whole.set(kernel.lanes, message);
        let (own, left) = (kernel.lanes, &mut []);
        kernel.hash_in_turns(InTurns { messages, whole, own, waiting: &waiting, fewest: 0, left, rows: &mut rows, ended: &mut ended });
        let found = found[..kernel.lanes].iter().enumerate().all(|(lane, row)| agree(lane, row));
        found && ended[..count].iter().enumerate().all(|(place, row)| agree(place, row))
    });
    results.all().filter(|_| do_agree)
}

/// Returns whether messages of one block whose end is shared have the digests that they have with an end each.
fn shares_ends<C: Compression>(kernel: &Kernel<C>, bytes: &Bytes) -> bool {
    if !C::HAS_CONSTANT_BLOCKS || kernel.hash_apart().is_some() {
        return true;
    }
    let start = C::filled(WordOf::<C>::default());
    let first = FirstByte::of(C::Ending::FIRST);
    let messages = &ShortMessages { midstates: LaneStarts::Same(&start), start_bytes: 0, first, outer: None };
    let whole = &mut Whole::new(kernel.lanes, |lane| &bytes.blocks::<C>(lane % MESSAGES)[..C::BLOCK_BYTES]);
    let mut digests = |shared_end| {
        let mut rows = [[0; MAX_DIGEST_BYTES]; MAX_LANES];
        kernel.hash_in_lanes(InLanes { messages, whole, blocks: 2, shared_end, finals: None, whole_states: false, rows: &mut rows });
        rows
    };
    digests(Some(&shared_end::<C>(C::BLOCK_BYTES as u64)))[..kernel.lanes] == digests(None)[..kernel.lanes]
}

/// Returns the digest at the beginning of `row` as one number.
fn number_of_digest<C: Compression>(row: &[u8]) -> u64 {
    let digest = &row[..C::DIGEST_WORDS * size_of::<WordOf<C>>()];
    digest.iter().fold(0, |all, byte| mixed(all, u64::from(*byte)))
}

fn is_right_dealt<C: SelfTested>(kernel: &Kernel<C>) -> bool {
    let bytes = Bytes::new();
    let mut results = Results::default();
    let word_bytes = size_of::<WordOf<C>>();
    runs(kernel.lanes).all(|run| {
        let mut dealt = Vec::with_capacity(kernel.lanes * BLOCKS * C::BLOCK_BYTES);
        for word in (0..BLOCKS * C::BLOCK_BYTES).step_by(word_bytes) {
            for lane in 0..kernel.lanes {
                dealt.extend_from_slice(&bytes.blocks::<C>((lane + run) % MESSAGES)[word..word + word_bytes]);
            }
        }
        let mut rows = C::filled([WordOf::<C>::default(); MAX_LANES]);
        let mut states = States::<C>::of_rows(&mut rows);
        kernel.advance_dealt(&mut states, &Dealt { bytes: &dealt, row_bytes: kernel.lanes * word_bytes, blocks: BLOCKS });
        agree(&mut results, kernel.lanes, run, &states)
    }) && results.all() == Some(C::KNOWN[0])
}

/// Returns what [`SelfTested::KNOWN`] must be, by functions for one message: one compresses whole
/// blocks, one writes a digest, both from a state of zeros.
#[cfg(test)]
pub(crate) fn known<C: SelfTested>(
    compress: impl Fn(&mut crate::algorithm::ChainingOf<C>, &[u8]),
    hash: impl Fn(&crate::algorithm::ChainingOf<C>, &[u8], &mut [u8]),
) -> [u64; 2] {
    let bytes = Bytes::new();
    let (mut states, mut digests) = (Results::default(), Results::default());
    for message in 0..MESSAGES {
        let mut state = C::filled(WordOf::<C>::default());
        compress(&mut state, bytes.blocks::<C>(message));
        assert!(states.agree(message, number_of_state::<C>(state.as_ref())));
        let mut digest = [0; MAX_DIGEST_BYTES];
        let digest_bytes = C::DIGEST_WORDS * size_of::<WordOf<C>>();
        hash(&C::filled(WordOf::<C>::default()), bytes.ragged::<C>(message), &mut digest[..digest_bytes]);
        assert!(digests.agree(message, number_of_digest::<C>(&digest)));
    }
    [states.all().expect("all messages"), digests.all().expect("all messages")]
}
