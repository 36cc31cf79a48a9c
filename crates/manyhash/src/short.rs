//! Short messages of the same number of blocks: as many as a shape has lanes go from the initial value to their digests together.
//!
//! Any shape will do. No slots, no midstates, no plan: the lanes stay in step. Where the instruction set has masked loads, padding is made
//! in registers, in one run, and a last block that all lanes share, as after messages of one length that is whole blocks, has its schedule
//! computed once for all batches. Elsewhere the end is padded in memory, and is a run of its own where there are more than two blocks.
//! Where digests are hashed once more (HMAC), the state becomes the next block without leaving its registers.
//! Which messages come here, and which are better off in the schedule, is decided in `many.rs`.

use crate::algorithm::{Algorithm, ChainingOf, Compression, CompressionOf, MAX_ROUNDS, Sealed, WordOf, digest};
use crate::isa::Task;
use crate::lanes::{Blocks, ByteOrder, Isa, MAX_LANES, Row, Whole, Word, Words, sixteen};
use crate::many::Messages;
use crate::padding::{Tail, body_bytes};
use crate::shape::{Plan, Shape, Usage};
use crate::start::{Passes, Starts};
use crate::states::States;

/// Messages of more blocks have little to gain.
pub(crate) const MAX_BLOCKS: u64 = 128;

/// More bytes before a message, and its length would not fit into the word that is written here.
pub(crate) const MOST_START_BYTES: u64 = 1 << 28;

/// The states that the messages in the lanes start from.
#[derive(Clone, Copy)]
enum LaneStarts<'a, C: Compression> {
    /// One for all.
    Same(&'a ChainingOf<C>),
    /// One for each: a row a word.
    Each(&'a C::State<[WordOf<C>; MAX_LANES]>),
}

impl<C: Compression> LaneStarts<'_, C> {
    /// A vector a word.
    #[inline(always)]
    fn read<I: Isa>(&self, isa: I) -> C::State<<WordOf<C> as Word>::Vector<I>> {
        let mut state = C::filled(Words::splat(isa, WordOf::<C>::default()));
        match self {
            Self::Same(midstate) => {
                for (vector, word) in state.as_mut().iter_mut().zip(midstate.as_ref()) {
                    *vector = Words::splat(isa, *word);
                }
            }
            Self::Each(rows) => {
                for (vector, row) in state.as_mut().iter_mut().zip(rows.as_ref()) {
                    *vector = Words::read(isa, row);
                }
            }
        }
        state
    }
}

/// What the kernel gets.
pub(crate) struct Batch<'a, 'm, C: Compression> {
    midstates: LaneStarts<'a, C>,
    /// Bytes that each midstate stands for.
    start_bytes: u64,
    messages: &'a Whole<'m>,
    /// Of every message, padding included.
    blocks: usize,
    /// The last block's schedule, if all lanes share it.
    shared_end: Option<&'a [WordOf<C>; MAX_ROUNDS]>,
    /// If digests are hashed once more: from where, and how a state becomes a block.
    outer: Option<(LaneStarts<'a, C>, &'a DigestBlock<C>)>,
}

/// The one block of a message that is a digest: the bits of the state that are in it, and the padding.
struct DigestBlock<C: Compression> {
    kept: [WordOf<C>; 16],
    padding: [WordOf<C>; 16],
}

impl<C: Compression> DigestBlock<C> {
    /// Of digests of `digest_bytes` bytes, after `start_bytes` bytes.
    fn new(digest_bytes: usize, start_bytes: u64) -> Self {
        let words = |bytes: &[u8]| std::array::from_fn(|i| WordOf::<C>::from_bytes(C::BYTE_ORDER, &bytes[i * size_of::<WordOf<C>>()..]));
        let mut kept = [0; 128];
        kept[..digest_bytes].fill(0xFF);
        let mut padding = Tail::EMPTY;
        padding.set::<C>(&[0; 64][..digest_bytes], start_bytes + digest_bytes as u64);
        Self { kept: words(&kept), padding: words(padding.blocks()) }
    }

    /// The block of each lane's digest.
    #[inline(always)]
    fn words<I: Isa>(&self, isa: I, state: &C::State<<WordOf<C> as Word>::Vector<I>>) -> [<WordOf<C> as Word>::Vector<I>; 16] {
        macro_rules! words { ($($i:literal)*) => { [$(
            if $i < C::STATE_WORDS {
                state.as_ref()[$i % C::STATE_WORDS].and(Words::splat(isa, self.kept[$i])).xor(Words::splat(isa, self.padding[$i]))
            } else {
                Words::splat(isa, self.padding[$i])
            }
        ),*] } }
        sixteen!(words)
    }
}

/// The kernel, where padding is made in registers: leaves the final state of lane i in `digests[i]`.
pub(crate) struct Run<'a, 'm, C: Compression> {
    pub(crate) batch: &'a Batch<'a, 'm, C>,
    pub(crate) digests: &'a mut [Row; MAX_LANES],
}

impl<I: Isa, C: Compression> Task<I> for Run<'_, '_, C> {
    type Output = ();
    #[inline(always)]
    fn run(self, isa: I) {
        let Batch { midstates, start_bytes, messages, blocks, shared_end, outer } = *self.batch;
        let mut state = midstates.read(isa);
        let mut bits = [WordOf::<C>::default(); MAX_LANES];
        for (lane, bits) in bits[..<WordOf<C> as Word>::Vector::<I>::LANES].iter_mut().enumerate() {
            *bits = WordOf::<C>::from(8 * (start_bytes as u32 + messages.bytes(lane)));
        }
        let all_blocks = if outer.is_some() { blocks + 1 } else { blocks };
        for block in 0..all_blocks {
            if let (Some(expanded), true) = (shared_end, block == blocks - 1) {
                C::compress_constant(isa, &mut state, expanded);
                continue;
            }
            let words = match outer {
                Some((midstates, digest_block)) if block == blocks => {
                    let words = digest_block.words(isa, &state);
                    state = midstates.read(isa);
                    words
                }
                _ => {
                    let at = block * C::BLOCK_BYTES;
                    let mut words = if at + C::BLOCK_BYTES <= messages.blocks().len_bytes() {
                        Words::load_block(isa, C::BYTE_ORDER, messages.blocks(), 0, at)
                    } else {
                        Words::load_padded(isa, C::BYTE_ORDER, messages, 0, at)
                    };
                    if block == blocks - 1 {
                        words[length_word::<C>()] = Words::read(isa, &bits);
                    }
                    words
                }
            };
            C::compress(isa, &mut state, words);
        }
        Words::write_rows(state.as_ref(), C::BYTE_ORDER, self.digests);
    }
}

/// The word of the last block that has the lower bits of the length.
const fn length_word<C: Compression>() -> usize {
    match C::BYTE_ORDER {
        ByteOrder::Big => 15,
        ByteOrder::Little => 14,
    }
}

/// Messages of one number of blocks.
#[derive(Clone, Copy)]
pub(crate) struct Group<'a> {
    /// Of each message, padding included.
    pub(crate) blocks: u64,
    /// Messages.
    pub(crate) count: usize,
    /// Their indices; `None`: they are the first.
    pub(crate) indices: Option<&'a [usize]>,
}

impl Group<'_> {
    /// Index of message `i` of the group.
    #[inline(always)]
    fn index(&self, i: usize) -> usize {
        self.indices.map_or(i, |indices| indices[i])
    }
}

/// Memory for the final states that a kernel leaves, which the next group may use again: to make it takes as long as a block of many messages.
pub(crate) type Rows = Option<[Row; MAX_LANES]>;

/// Hashes a group of messages from where they start; adds the steps to `usage`.
pub(crate) fn hash<A: Algorithm>(
    plan: &Plan<CompressionOf<A>>,
    passes: Passes<'_, CompressionOf<A>>,
    messages: &impl Messages,
    digests: &mut [A::Digest],
    group: Group<'_>,
    rows: &mut Rows,
    usage: &mut Usage,
) {
    let Group { blocks, count, .. } = group;
    // Computed only where it is used often enough.
    let alike_bytes = (count >= plan.widest_for(blocks).lanes && plan.widest_for(blocks).has_short()).then(|| {
        let bytes = messages.message(group.index(0)).len();
        let alike = bytes.is_multiple_of(A::BLOCK_BYTES) && (1..count).all(|i| messages.message(group.index(i)).len() == bytes);
        alike.then_some(bytes as u64)
    });
    let mut together = Together::<A>::new(passes, group, alike_bytes.flatten(), rows);
    let mut first = 0;
    while first < count {
        let best = plan.best_for(count - first, blocks);
        let shape = &plan.shapes[best];
        usage.steps[best] += blocks + u64::from(passes.outer.is_some());
        let lanes = shape.lanes.min(count - first);
        // A lane without a message does the work of the first one again.
        let message = |lane: usize| messages.message(group.index(first + if lane < lanes { lane } else { 0 }));
        let at = Place { shape, first, lanes };
        if shape.has_short() {
            together.pad_in_registers(at, &Whole::new(shape.lanes, message), digests);
        } else if shape.lanes <= 4 {
            pad_in_memory::<A>(passes, group, at, &slices::<4>(shape.lanes, message)[..shape.lanes], digests);
        } else {
            pad_in_memory::<A>(passes, group, at, &slices::<MAX_LANES>(shape.lanes, message)[..shape.lanes], digests);
        }
        first += lanes;
    }
}

/// The message of each lane, behind which nothing is.
#[inline(always)]
fn slices<'a, const N: usize>(lanes: usize, message: impl Fn(usize) -> &'a [u8]) -> [&'a [u8]; N] {
    let mut slices: [&[u8]; N] = [&[]; N];
    slices[..lanes].iter_mut().enumerate().for_each(|(lane, slice)| *slice = message(lane));
    slices
}

/// Which messages of a group are in the lanes of which shape.
#[derive(Clone, Copy)]
struct Place<'a, C: Compression> {
    shape: &'a Shape<C>,
    /// The first of them.
    first: usize,
    /// Lanes with a message of their own, the first ones.
    lanes: usize,
}

/// What the lanes of a group have in common where padding is made in registers, and memory for them. Like [`pad_in_memory`], it does not know
/// how the caller has its messages, so that it is compiled once for each algorithm.
struct Together<'s, 'g, 'r, A: Algorithm> {
    passes: Passes<'s, CompressionOf<A>>,
    group: Group<'g>,
    /// The last block's schedule, if all lanes share it.
    shared_end: Option<[WordOf<CompressionOf<A>>; MAX_ROUNDS]>,
    digest_block: Option<DigestBlock<CompressionOf<A>>>,
    rows: &'r mut Rows,
    own_inner: OwnStarts<CompressionOf<A>>,
    own_outer: OwnStarts<CompressionOf<A>>,
}

/// The midstates of the messages in the lanes, a row a word, once they are asked for.
type OwnStarts<C> = Option<<C as Compression>::State<[WordOf<C>; MAX_LANES]>>;

impl<'s, 'g, 'r, A: Algorithm> Together<'s, 'g, 'r, A> {
    /// For the messages of `group`, which are all whole blocks of `alike_bytes` bytes if that is said. Made where it is used: to move it costs
    /// 0.3 us.
    #[inline(always)]
    fn new(passes: Passes<'s, CompressionOf<A>>, group: Group<'g>, alike_bytes: Option<u64>, rows: &'r mut Rows) -> Self {
        Self {
            passes,
            group,
            shared_end: alike_bytes.map(|bytes| shared_end::<CompressionOf<A>>(passes.inner.bytes() + bytes)),
            digest_block: passes.outer.map(|outer| DigestBlock::new(A::DIGEST_BYTES, outer.bytes())),
            rows,
            own_inner: None,
            own_outer: None,
        }
    }

    /// Hashes the messages in the lanes of a shape that pads in registers.
    fn pad_in_registers(&mut self, at: Place<'_, CompressionOf<A>>, messages: &Whole<'_>, digests: &mut [A::Digest]) {
        let (Passes { inner, outer }, group, lanes) = (self.passes, self.group, at.lanes);
        let index = |lane: usize| group.index(at.first + lane);
        let midstates = lane_starts::<CompressionOf<A>>(&inner, lanes, index, &mut self.own_inner);
        let outer = outer.as_ref().zip(self.digest_block.as_ref());
        let outer = outer.map(|(outer, block)| (lane_starts::<CompressionOf<A>>(outer, lanes, index, &mut self.own_outer), block));
        let (shared_end, start_bytes) = (self.shared_end.as_ref(), inner.bytes());
        let batch = Batch { midstates, start_bytes, messages, blocks: group.blocks as usize, shared_end, outer };
        let rows = self.rows.get_or_insert([[0; 64]; MAX_LANES]);
        at.shape.hash_short(&batch, rows);
        for (lane, row) in rows[..lanes].iter().enumerate() {
            digests[index(lane)].as_mut().copy_from_slice(&row[..A::DIGEST_BYTES]);
        }
    }
}

/// Hashes the messages in the lanes of any shape.
fn pad_in_memory<A: Algorithm>(
    Passes { inner, outer }: Passes<'_, CompressionOf<A>>,
    group: Group<'_>,
    at: Place<'_, CompressionOf<A>>,
    messages: &[&[u8]],
    digests: &mut [A::Digest],
) {
    let batch = PaddedInMemory { inner, outer, shape: at.shape, lanes: at.lanes, blocks: group.blocks as usize };
    let (index, message) = (|lane: usize| group.index(at.first + lane), |lane: usize| messages[lane]);
    let finish = |lane: usize, digest: A::Digest| digests[index(lane)] = digest;
    match at.shape.lanes {
        1 => batch.hash::<A, 1>(index, message, finish),
        2 => batch.hash::<A, 2>(index, message, finish),
        3..=4 => batch.hash::<A, 4>(index, message, finish),
        5..=8 => batch.hash::<A, 8>(index, message, finish),
        9..=16 => batch.hash::<A, 16>(index, message, finish),
        _ => batch.hash::<A, MAX_LANES>(index, message, finish),
    }
}

/// Where the messages that `index` gives for each lane start; if they have their own, put together in `own`.
fn lane_starts<'a, C: Compression>(
    starts: &'a Starts<'_, C>,
    lanes: usize,
    index: impl Fn(usize) -> usize,
    own: &'a mut OwnStarts<C>,
) -> LaneStarts<'a, C> {
    match starts {
        Starts::Same(start) => LaneStarts::Same(&start.state),
        Starts::Each { .. } => {
            let own = own.get_or_insert_with(|| C::filled([WordOf::<C>::default(); MAX_LANES]));
            set_rows(own, starts, lanes, index);
            LaneStarts::Each(own)
        }
    }
}

/// A batch for a shape that can't pad in registers.
struct PaddedInMemory<'a, 's, C: Compression> {
    inner: Starts<'s, C>,
    outer: Option<Starts<'s, C>>,
    shape: &'a Shape<C>,
    /// Lanes with a message of their own.
    lanes: usize,
    /// Of every message, padding included.
    blocks: usize,
}

impl<C: Compression> PaddedInMemory<'_, '_, C> {
    /// `N`: room for so many lanes, at least those of the shape.
    #[inline]
    fn hash<'m, A: Algorithm + Sealed<Compression = C>, const N: usize>(
        &self,
        index: impl Fn(usize) -> usize,
        message: impl Fn(usize) -> &'m [u8],
        mut finish: impl FnMut(usize, A::Digest),
    ) {
        let mut rows = C::filled([WordOf::<C>::default(); N]);
        set_rows(&mut rows, &self.inner, self.lanes, &index);
        let mut states = States::of_rows(&mut rows);
        let fewest_bytes = (0..self.lanes).map(|lane| message(lane).len()).min().expect("a message");
        let body_bytes = body_bytes::<C>(fewest_bytes, self.blocks as u64);
        if body_bytes > 0 {
            self.shape.advance(&mut states, &Blocks::new(self.shape.lanes, body_bytes, &message));
        }
        let mut tails = [Tail::EMPTY; N];
        for (lane, tail) in tails[..self.lanes].iter_mut().enumerate() {
            let message = message(lane);
            tail.set::<C>(&message[body_bytes..], self.inner.bytes() + message.len() as u64);
        }
        let tail = |lane: usize| tails[if lane < self.lanes { lane } else { 0 }].blocks();
        let tail_bytes = (self.blocks * A::BLOCK_BYTES).checked_sub(body_bytes).expect("messages stay as they are");
        self.shape.advance(&mut states, &Blocks::new(self.shape.lanes, tail_bytes, tail));
        if let Some(outer) = &self.outer {
            for (lane, tail) in tails[..self.lanes].iter_mut().enumerate() {
                let inner = digest::<A>(&states.column(lane));
                tail.set::<C>(inner.as_ref(), outer.bytes() + A::DIGEST_BYTES as u64);
            }
            set_rows(&mut rows, outer, self.lanes, &index);
            states = States::of_rows(&mut rows);
            let tail = |lane: usize| tails[if lane < self.lanes { lane } else { 0 }].blocks();
            self.shape.advance(&mut states, &Blocks::new(self.shape.lanes, A::BLOCK_BYTES, tail));
        }
        for lane in 0..self.lanes {
            finish(lane, digest::<A>(&states.column(lane)));
        }
    }
}

/// Where the messages that `index` gives for each lane start.
#[inline]
fn set_rows<C: Compression, const N: usize>(
    rows: &mut C::State<[WordOf<C>; N]>,
    starts: &Starts<'_, C>,
    lanes: usize,
    index: impl Fn(usize) -> usize,
) {
    match starts {
        Starts::Same(start) => {
            for (row, initial) in rows.as_mut().iter_mut().zip(start.state.as_ref()) {
                row.fill(*initial);
            }
        }
        Starts::Each { state, .. } => {
            let mut states = States::<C>::of_rows(rows);
            (0..lanes).for_each(|lane| states.set_column(lane, state(index(lane))));
        }
    }
}

/// The schedule of the block after a message of `bytes` bytes, which are whole blocks.
fn shared_end<C: Compression>(bytes: u64) -> [WordOf<C>; MAX_ROUNDS] {
    let mut words = [WordOf::<C>::default(); 16];
    words[0] = WordOf::<C>::first_bit(C::BYTE_ORDER);
    words[length_word::<C>()] = WordOf::<C>::from((bytes as u32).wrapping_mul(8));
    C::expand(words)
}
