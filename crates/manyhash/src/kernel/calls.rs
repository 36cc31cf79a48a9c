//! Calls of every kernel, each with the memory that it reads and writes, for a program that follows
//! their instructions one by one: `crates/prove`. Nothing of it is compiled into other programs.

use super::chains::{self, Links, Place, pad};
use super::list::kernels;
use super::nodes::{NODE_LANES, Nodes, Numbers as NodeNumbers};
use super::per_message::short::{Apart, ROOM_BLOCKS};
use super::short::{DigestBlock, InLanes, InTurns, LaneStarts, LaneStates, ShortMessages, shared_end};
use super::states::States;
use super::{HashApart, Kernel};
use crate::algorithm::ending::{Ending, block_count};
use crate::algorithm::{ChainingOf, Compression, MAX_BLOCK_BYTES, MAX_ROUNDS, WordOf};
use crate::isa::{Blocks, ByteOrder, Dealt, FirstByte, MAX_LANES, Rooms, Row, Whole, Word};
use std::any::Any;
use std::mem::MaybeUninit;
use std::ops::Range;

/// The entry of a kernel that is called, and with what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Whole blocks of a message in each lane.
    Blocks,
    /// Whole blocks of one message in two pieces.
    One,
    /// Whole blocks of one message that is dealt out to the lanes.
    Dealt,
    /// Whole messages that end after equally many blocks.
    Together,
    /// Whole messages that end after different numbers of blocks.
    Ragged,
    /// The same, and nine more than lanes, which go on with them.
    Refilled,
    /// Whole messages that are whole blocks, so that all lanes share the last one.
    SharedEnd,
    /// Ragged messages whose digests are hashed once more, as HMAC does.
    Twice,
    /// Two links of a chain in each lane.
    Chained,
    /// Two links of a plain chain in each lane.
    ChainedPlainly,
    /// The same by the code for many links.
    ChainedLong,
    /// Nodes of trees.
    Nodes,
}

impl Form {
    /// All forms.
    pub const ALL: [Self; 12] = [
        Self::Blocks,
        Self::One,
        Self::Dealt,
        Self::Together,
        Self::Ragged,
        Self::Refilled,
        Self::SharedEnd,
        Self::Twice,
        Self::Chained,
        Self::ChainedPlainly,
        Self::ChainedLong,
        Self::Nodes,
    ];

    /// Returns whether the call goes on with chains.
    pub fn is_chained(self) -> bool {
        self == Self::Chained || self.is_plain()
    }

    fn is_plain(self) -> bool {
        matches!(self, Self::ChainedPlainly | Self::ChainedLong)
    }
}

/// The messages that wait for lanes in [`Form::Refilled`].
const WAITING: usize = 9;

/// The words of many states in memory.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// The address of word 0 in lane 0.
    pub address: usize,
    /// The bytes from a word to the next of the same lane.
    pub next_word: usize,
    /// The bytes from a lane to the next.
    pub next_lane: usize,
}

/// A function, its argument, and where in memory what lies.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The name of the compression function.
    pub compression: &'static str,
    /// The name of the kernel.
    pub kernel: &'static str,
    /// The entry that is called.
    pub form: Form,
    /// The lanes of the kernel, or its messages if they are more.
    pub lanes: usize,
    /// The bytes of a word.
    pub word_bytes: usize,
    /// The words of a state.
    pub state_words: usize,
    /// The bytes of a block.
    pub block_bytes: usize,
    /// The order of the bytes of words in messages and digests.
    pub order: ByteOrder,
    /// The address of the function to call, which has one argument and C's calling convention.
    pub entry: usize,
    /// Its argument.
    pub argument: usize,
    /// Memory that the call may read, whatever is in it.
    pub objects: Vec<Range<usize>>,
    /// The states of the lanes, before the call and after it.
    pub states: Table,
    /// The first of two words of `states` that are elsewhere, and where: the numbers of nodes.
    pub numbers: Option<(usize, Table)>,
    /// The states that digests are hashed from, in [`Form::Twice`].
    pub outer_states: Table,
    /// The pieces of each lane's message.
    pub messages: Vec<Vec<Range<usize>>>,
    /// The bytes that states before the call stand for.
    pub start_bytes: usize,
    /// Memory for final states, for a row a lane, and for chains.
    pub memory: [Range<usize>; 3],
    /// Where in its block a digest is put, if chains go on.
    pub value: Range<usize>,
    /// The digest of each lane, in the forms that hash whole messages.
    pub digests: Vec<Range<usize>>,
    /// The bytes of a digest that is hashed once more, in [`Form::Twice`].
    pub digest_bytes: usize,
}

/// A call of a kernel, with the memory that it reads and writes.
pub struct Call {
    /// The function, its argument, and where in memory what lies.
    pub layout: Layout,
    memory: Box<dyn Any>,
    run: fn(&mut dyn Any),
}

impl Call {
    /// Returns a call of every entry of every kernel that this CPU has; the name of the kernel where
    /// it has not.
    pub fn all() -> Vec<Result<Self, String>> {
        let mut calls = Vec::new();
        macro_rules! all { ($($Compression:path)*) => { $(add::<$Compression>(&mut calls);)* } }
        for_each_compression!(all);
        calls
    }

    /// Lets the CPU do the call.
    pub fn run(&mut self) {
        (self.run)(&mut *self.memory);
    }
}

/// A function of a kernel, for a program that decodes it.
#[derive(Clone, Debug)]
pub struct Code {
    /// Its name, which no other has: `sha256/avx512x2`, `sha256/avx512x2 short`, `sha256/avx512x2 short in turns`, `sha256/avx512x2 dealt`.
    pub name: String,
    /// The name of the kernel's backend.
    pub backend: &'static str,
    /// Its address in this process.
    pub address: usize,
}

impl Code {
    /// Returns the functions of every kernel that hash blocks and messages, also of kernels that this CPU lacks.
    pub fn all() -> Vec<Self> {
        let mut all = Vec::new();
        macro_rules! add { ($($Compression:path)*) => { $(add_code::<$Compression>(&mut all);)* } }
        for_each_compression!(add);
        all
    }
}

fn add_code<C: Compression>(all: &mut Vec<Code>) {
    for Kernel { name: backend, advance, dealt, short, apart, .. } in kernels::<C>() {
        let mut add = |what, address| all.push(Code { name: format!("{}/{backend}{what}", C::NAME), backend, address });
        add("", advance as usize);
        if let Some(dealt) = dealt {
            add(" dealt", dealt as usize);
        }
        if let Some(short) = short {
            add(" short", short.in_lanes as usize);
            add(" short in turns", short.in_turns as usize);
        }
        if let Some(apart) = apart {
            add(" short apart", apart as usize);
        }
    }
}

fn add<C: Compression>(calls: &mut Vec<Result<Call, String>>) {
    for kernel in kernels::<C>() {
        if kernel.is_supported() {
            calls.extend(Form::ALL.into_iter().filter(|form| has(&kernel, *form)).map(|form| Ok(call(kernel, form))));
        } else {
            calls.push(Err(format!("{}/{}", C::NAME, kernel.name)));
        }
    }
}

/// Returns whether a kernel has such an entry.
fn has<C: Compression>(kernel: &Kernel<C>, form: Form) -> bool {
    match form {
        Form::Blocks => true,
        Form::One => kernel.one.is_some(),
        Form::Dealt => kernel.has_dealt(),
        Form::Together | Form::Ragged | Form::Refilled => kernel.has_short(),
        Form::SharedEnd => kernel.short.is_some() && C::HAS_CONSTANT_BLOCKS,
        // BLAKE2s has keys of its own.
        Form::Twice => kernel.has_short() && !C::Ending::MARKS_END,
        Form::Chained | Form::ChainedPlainly => kernel.chains().is_some(),
        Form::ChainedLong => kernel.chains().is_some_and(|code| code.has_long_code),
        Form::Nodes => kernel.nodes.is_some(),
    }
}

/// Everything that a call reads and writes.
struct Memory<C: Compression> {
    kernel: Kernel<C>,
    states: Vec<WordOf<C>>,
    messages: Vec<Vec<u8>>,
    start: ChainingOf<C>,
    starts: LaneStates<C>,
    numbers: NodeNumbers<C>,
    outer_starts: LaneStates<C>,
    finals: LaneStates<C>,
    digests: [Row; MAX_LANES + WAITING],
    rows: [Row; MAX_LANES],
    /// The blocks of the longest message, padding included.
    blocks: usize,
    shared_end: Option<[WordOf<C>; MAX_ROUNDS]>,
    digest_block: DigestBlock<C>,
    chains: Box<chains::Memory<C>>,
    place: Place<C>,
}

/// Returns the rows of those messages that are in lanes from the beginning.
fn first_rows(digests: &mut [Row; MAX_LANES + WAITING]) -> &mut [Row; MAX_LANES] {
    digests.first_chunk_mut().expect("there are more")
}

/// The whole blocks that a call compresses in each lane.
const BLOCKS: usize = 2;

impl<C: Compression> Memory<C> {
    /// The columns of the table: one more than lanes, which no call may change.
    fn columns(&self) -> usize {
        self.kernel.lanes + 1
    }

    fn table(&mut self) -> States<'_, C> {
        let columns = self.columns();
        States::of_columns(&mut self.states, columns)
    }
}

/// Any bytes, always the same: a sequence that looks random (Knuth, The Art of Computer Programming,
/// 3.3.4).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 ^ self.0 >> 29
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next() as u8).collect()
    }

    fn state<C: Compression>(&mut self) -> ChainingOf<C> {
        let mut state = C::filled(WordOf::<C>::default());
        state.as_mut().iter_mut().for_each(|word| *word = Word::low(self.next()));
        if C::Ending::MARKS_END {
            C::Ending::take_back_mark(&mut state);
        }
        state
    }

    fn states<C: Compression>(&mut self) -> LaneStates<C> {
        let mut rows = C::filled([WordOf::<C>::default(); MAX_LANES]);
        let mut states = States::<C>::of_rows(&mut rows);
        (0..MAX_LANES).for_each(|lane| states.set_column(lane, &self.state::<C>()));
        rows
    }
}

/// Returns the length in bytes of the message of a lane.
fn message_bytes<C: Compression>(form: Form, lane: usize) -> usize {
    let (block, added) = (C::BLOCK_BYTES, C::Ending::FEWEST_BYTES);
    let most = |blocks: usize| blocks * block - added;
    match form {
        Form::Blocks | Form::One | Form::Dealt | Form::Nodes => BLOCKS * block,
        // From the fewest bytes that need two blocks to the most.
        Form::Together => most(1) + 1 + lane * 7 % block,
        // None, one block, two and three, with ends anywhere. Where an end has at least one byte of its
        // message, there is none without a byte behind the block that it starts from.
        Form::Ragged | Form::Refilled | Form::Twice => {
            let none = usize::from(C::Ending::HOLDS_BACK);
            let ends = [none, 3 + lane % block, most(1), most(1) + 1, block, block + lane % block, most(3) - lane % block];
            ends[lane % ends.len()]
        }
        Form::SharedEnd | Form::Chained | Form::ChainedPlainly | Form::ChainedLong => block,
    }
}

fn call<C: Compression>(kernel: Kernel<C>, form: Form) -> Call {
    let mut numbers = Numbers(1);
    let lanes = kernel.lanes + if form == Form::Refilled { WAITING } else { 0 };
    let messages: Vec<Vec<u8>> = match form {
        // The words of lanes alternate.
        Form::Dealt => vec![numbers.bytes(lanes * BLOCKS * C::BLOCK_BYTES)],
        _ => (0..lanes).map(|lane| numbers.bytes(message_bytes::<C>(form, lane))).collect(),
    };
    let blocks = messages.iter().map(|message| block_count::<C>(message.len() as u64) as usize).max().expect("a lane");
    let mut memory = Memory::<C> {
        kernel,
        states: vec![WordOf::<C>::default(); (kernel.lanes + 1) * C::STATE_WORDS],
        messages,
        start: numbers.state::<C>(),
        starts: numbers.states::<C>(),
        numbers: [[(); NODE_LANES]; 2].map(|lanes| lanes.map(|()| Word::low(numbers.next()))),
        outer_starts: numbers.states::<C>(),
        finals: numbers.states::<C>(),
        digests: [[0; 64]; MAX_LANES + WAITING],
        rows: [[0; 64]; MAX_LANES],
        blocks,
        shared_end: (form == Form::SharedEnd).then(|| shared_end::<C>(2 * C::BLOCK_BYTES as u64)),
        digest_block: DigestBlock::new(digest_bytes::<C>(), C::BLOCK_BYTES as u64, C::Ending::FIRST),
        chains: Box::new(chains::Memory::new()),
        place: Place::new(value::<C>(form)),
    };
    for (block, message) in memory.chains.bytes.iter_mut().zip(&memory.messages).filter(|_| form.is_chained()) {
        block[..message.len()].copy_from_slice(message);
        if form.is_plain() {
            pad::<C>(block);
        }
    }
    (0..=kernel.lanes).for_each(|lane| memory.table().set_column(lane, &numbers.state::<C>()));
    describe(Box::new(memory), form)
}

/// Returns where the digests of a chain are put: from the middle of a word on, unless it is plain.
fn value<C: Compression>(form: Form) -> Range<usize> {
    let first = if form.is_plain() { 0 } else { 3 };
    first..first + C::DIGEST_WORDS * size_of::<WordOf<C>>()
}

/// Returns the bytes of the digests that are hashed once more: those of an algorithm that has `C`.
fn digest_bytes<C: Compression>() -> usize {
    (C::DIGEST_WORDS * size_of::<WordOf<C>>()).min(32)
}

/// Tells where everything lies.
fn describe<C: Compression>(memory: Box<Memory<C>>, form: Form) -> Call {
    let (lanes, word_bytes) = (memory.messages.len().max(memory.kernel.lanes), size_of::<WordOf<C>>());
    let argument = std::ptr::from_ref(&*memory) as usize;
    let range = |bytes: &[u8]| bytes.as_ptr() as usize..bytes.as_ptr() as usize + bytes.len();
    let rows =
        |rows: &LaneStates<C>| Table { address: rows.as_ref().as_ptr() as usize, next_word: word_bytes * MAX_LANES, next_lane: word_bytes };
    let states = match form {
        Form::Blocks | Form::Dealt => {
            Table { address: memory.states.as_ptr() as usize, next_word: word_bytes * memory.columns(), next_lane: word_bytes }
        }
        Form::Ragged | Form::Twice => rows(&memory.starts),
        _ => Table { address: memory.start.as_ref().as_ptr() as usize, next_word: word_bytes, next_lane: 0 },
    };
    let number_table = Table { address: memory.numbers.as_ptr() as usize, next_word: word_bytes * NODE_LANES, next_lane: word_bytes };
    let numbers = C::Ending::COUNTER.filter(|_| form == Form::Nodes).map(|first| (first, number_table));
    let messages = match form {
        Form::Dealt => {
            let all = range(&memory.messages[0]);
            (0..lanes)
                .map(|lane| all.clone().skip(lane * word_bytes).step_by(lanes * word_bytes).map(|at| at..at + word_bytes).collect())
                .collect()
        }
        Form::Chained => memory.chains.bytes[..lanes].iter().map(|block| vec![range(&block[..C::BLOCK_BYTES])]).collect(),
        // What is behind the digest is always the same.
        Form::ChainedPlainly | Form::ChainedLong => {
            memory.chains.bytes[..lanes].iter().map(|block| vec![range(&block[value::<C>(form)])]).collect()
        }
        _ => memory.messages.iter().map(|message| vec![range(message)]).collect(),
    };
    let is_short = !matches!(form, Form::Blocks | Form::One | Form::Dealt);
    let finals = memory.finals.as_ref().as_ptr() as usize;
    let rows_of_lanes = memory.rows.as_ptr() as usize;
    let headers = memory.messages.as_ptr() as usize;
    let chains = std::ptr::from_ref(&*memory.chains) as usize;
    let (entry, run) = entry::<C>(form);
    let layout = Layout {
        compression: C::NAME,
        kernel: memory.kernel.name,
        form,
        lanes,
        word_bytes,
        state_words: C::STATE_WORDS,
        block_bytes: C::BLOCK_BYTES,
        order: C::BYTE_ORDER,
        entry,
        argument,
        objects: vec![argument..argument + size_of::<Memory<C>>(), headers..headers + size_of_val(&*memory.messages)],
        states,
        numbers,
        outer_states: rows(&memory.outer_starts),
        messages,
        start_bytes: if is_short { C::BLOCK_BYTES } else { 0 },
        memory: [
            finals..finals + size_of::<LaneStates<C>>(),
            rows_of_lanes..rows_of_lanes + size_of_val(&memory.rows),
            chains..chains + size_of::<chains::Memory<C>>(),
        ],
        value: value::<C>(form),
        digests: if is_short { memory.digests[..lanes].iter().map(|row| range(row)).collect() } else { Vec::new() },
        digest_bytes: digest_bytes::<C>(),
    };
    Call { layout, memory, run }
}

/// Returns the address of the function that calls an entry, and a function that lets the CPU do so.
fn entry<C: Compression>(form: Form) -> (usize, fn(&mut dyn Any)) {
    macro_rules! entries { ($($form:ident = $function:ident)*) => { match form { $(
        Form::$form => ($function::<C> as *const () as usize, |memory| $function::<C>(memory.downcast_mut().expect("its memory"))),
    )* } } }
    entries!(Blocks = blocks One = one Dealt = dealt Together = together Ragged = ragged Refilled = refilled SharedEnd = together Twice = twice Chained = chained ChainedPlainly = chained_plainly ChainedLong = chained_long Nodes = nodes)
}

extern "C" fn blocks<C: Compression>(memory: &mut Memory<C>) {
    let columns = memory.columns();
    let Memory { kernel, states, messages, .. } = memory;
    let mut states = States::<C>::of_columns(states, columns);
    kernel.advance(&mut states, &Blocks::new(kernel.lanes, BLOCKS * C::BLOCK_BYTES, |lane| &messages[lane]));
}

extern "C" fn one<C: Compression>(memory: &mut Memory<C>) {
    let (body, end) = memory.messages[0].split_at(C::BLOCK_BYTES);
    memory.kernel.one.expect("asked for only if it is there")(&mut memory.start, body, end, None);
}

extern "C" fn dealt<C: Compression>(memory: &mut Memory<C>) {
    let columns = memory.columns();
    let Memory { kernel, states, messages, .. } = memory;
    let mut states = States::<C>::of_columns(states, columns);
    let dealt = Dealt { bytes: &messages[0], row_bytes: kernel.lanes * size_of::<WordOf<C>>(), blocks: BLOCKS };
    kernel.advance_dealt(&mut states, &dealt);
}

extern "C" fn together<C: Compression>(memory: &mut Memory<C>) {
    let Memory { kernel, messages: bytes, start, digests, blocks, shared_end, .. } = memory;
    let messages = &ShortMessages {
        midstates: LaneStarts::Same(start),
        start_bytes: C::BLOCK_BYTES as u64,
        first: FirstByte::of(C::Ending::FIRST),
        outer: None,
    };
    if let Some(hash_apart) = kernel.hash_apart() {
        return hash_in_rooms(hash_apart, messages, bytes, digests);
    }
    let whole = &mut Whole::new(kernel.lanes, |lane| &bytes[lane]);
    let shared_end = shared_end.as_ref();
    kernel.hash_in_lanes(InLanes {
        messages,
        whole,
        blocks: *blocks,
        shared_end,
        finals: None,
        whole_states: false,
        rows: first_rows(digests),
    });
}

extern "C" fn ragged<C: Compression>(memory: &mut Memory<C>) {
    hash_ragged(memory, false);
}

extern "C" fn refilled<C: Compression>(memory: &mut Memory<C>) {
    let Memory { kernel, messages: bytes, start, digests, rows, .. } = memory;
    let messages = &ShortMessages {
        midstates: LaneStarts::Same(start),
        start_bytes: C::BLOCK_BYTES as u64,
        first: FirstByte::of(C::Ending::FIRST),
        outer: None,
    };
    if let Some(hash_apart) = kernel.hash_apart() {
        return hash_in_rooms(hash_apart, messages, bytes, digests);
    }
    let (own, others) = bytes.split_at(kernel.lanes);
    let whole = &mut Whole::new(kernel.lanes, |lane| &own[lane]);
    let waiting: [&[u8]; WAITING] = std::array::from_fn(|i| &others[i][..]);
    kernel.hash_in_turns(InTurns { messages, whole, own: kernel.lanes, waiting: &waiting, fewest: 0, left: &mut [], rows, ended: digests });
}

extern "C" fn twice<C: Compression>(memory: &mut Memory<C>) {
    hash_ragged(memory, true);
}

extern "C" fn chained<C: Compression>(memory: &mut Memory<C>) {
    go_on(memory, Form::Chained);
}

extern "C" fn chained_plainly<C: Compression>(memory: &mut Memory<C>) {
    go_on(memory, Form::ChainedPlainly);
}

extern "C" fn chained_long<C: Compression>(memory: &mut Memory<C>) {
    go_on(memory, Form::ChainedLong);
}

#[inline(always)]
fn go_on<C: Compression>(memory: &mut Memory<C>, form: Form) {
    let Memory { kernel, start, digests, chains, place, .. } = memory;
    let code = kernel.chains().expect("asked for only if it is there");
    (code.go_on)(Links {
        links: 2,
        starts: LaneStarts::Same(start),
        outer: None,
        place,
        count: None,
        count_bytes: 0..0,
        memory: chains,
        from_bytes: true,
        to_rows: true,
        sums: false,
        is_plain: form.is_plain(),
        is_long: form == Form::ChainedLong,
    });
    for (lane, digest) in digests.iter_mut().enumerate().take(kernel.lanes) {
        let value = value::<C>(form);
        let value = if code.is_in_lanes { &chains.rows[lane][..value.len()] } else { &chains.bytes[lane][value] };
        digest[..value.len()].copy_from_slice(value);
    }
}

extern "C" fn nodes<C: Compression>(memory: &mut Memory<C>) {
    let Memory { kernel, messages, start, numbers, digests, .. } = memory;
    let blocks = &Blocks::new(kernel.lanes, BLOCKS * C::BLOCK_BYTES, |lane| &messages[lane]);
    let rows = digests.first_chunk_mut().expect("there are more");
    kernel.nodes.expect("asked for only if it is there")(Nodes {
        start,
        numbers: Some(numbers),
        blocks,
        later: Some(&[&[]; NODE_LANES]),
        rows,
    });
}

#[inline(always)]
fn hash_ragged<C: Compression>(memory: &mut Memory<C>, twice: bool) {
    let Memory { kernel, messages: bytes, starts, outer_starts, finals, digests, blocks, digest_block, .. } = memory;
    let messages = &ShortMessages {
        midstates: LaneStarts::Each(starts),
        start_bytes: C::BLOCK_BYTES as u64,
        first: FirstByte::of(C::Ending::FIRST),
        outer: twice.then_some((LaneStarts::Each(outer_starts), &*digest_block)),
    };
    if let Some(hash_apart) = kernel.hash_apart() {
        return hash_in_rooms(hash_apart, messages, bytes, digests);
    }
    let whole = &mut Whole::new(kernel.lanes, |lane| &bytes[lane]);
    kernel.hash_in_lanes(InLanes {
        messages,
        whole,
        blocks: *blocks,
        shared_end: None,
        finals: Some(&mut finals.as_mut().as_flattened_mut()[..C::STATE_WORDS * kernel.lanes]),
        whole_states: true,
        rows: first_rows(digests),
    });
}

/// Hashes whole messages with registers for each, and leaves their digests in rows.
#[inline(always)]
fn hash_in_rooms<C: Compression>(hash_apart: HashApart<C>, common: &ShortMessages<'_, C>, bytes: &[Vec<u8>], digests: &mut [Row]) {
    /// The most messages: those of four lanes, and others that wait.
    const MOST: usize = 4 + WAITING;
    let mut memory = [const { MaybeUninit::uninit() }; MOST * ROOM_BLOCKS * MAX_BLOCK_BYTES];
    let mut rooms = Rooms::new(&mut memory);
    let messages: [&[u8]; MOST] = std::array::from_fn(|i| bytes.get(i).map_or(&[][..], |bytes| bytes));
    hash_apart(Apart { common, messages: &messages[..bytes.len()], rooms: &mut rooms });
    for (digest, room) in digests.iter_mut().zip(rooms.all().chunks_exact(ROOM_BLOCKS * C::BLOCK_BYTES)).take(bytes.len()) {
        *digest = *room.first_chunk().expect("a block");
    }
}
