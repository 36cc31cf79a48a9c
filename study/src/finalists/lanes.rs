//! A hash function in lanes: message i in lane i of a vector, as S-HASH has it, or the words of one message dealt out to the lanes, as
//! j-lanes hashing has it.
//!
//! Lanes advance together over the blocks that all of them have; what is left is padded in memory, and each lane's digest is taken where
//! its message ends.

use std::marker::PhantomData;

use manyhash::hazmat::{Blocks, ByteOrder, Isa, MAX_LANES, Portable, Task, Token, Word, Words};

/// Words of the longest block: those of Keccak[1088].
pub const MOST_WORDS: usize = 17;

/// A hash function that takes one block after the other: what lanes ask of it.
pub trait LaneHash: 'static {
    /// What it computes with.
    type Word: Word;
    /// What is between two blocks.
    type State<V: Copy>: AsRef<[V]>;
    /// How bytes become words, and words digests.
    const BYTE_ORDER: ByteOrder;
    /// Bytes of a block: sixteen words, or seventeen.
    const BLOCK_BYTES: usize;
    /// Bytes of a digest: those of the state's first words.
    const DIGEST_BYTES: usize;

    /// Before the first block.
    fn initial<V: Words<Word = Self::Word>>(isa: V::Isa) -> Self::State<V>;
    /// Takes a block. `counter`: what [`counter`](Self::counter) says for each lane.
    fn take<V: Words<Word = Self::Word>>(isa: V::Isa, state: &mut Self::State<V>, block: &[V; MOST_WORDS], counter: [V; 2]);
    /// What block number `block` of a message of so many bytes is told of its place, low word first.
    fn counter(message_bytes: u64, block: u64) -> [Self::Word; 2];
    /// Appends the padding of a message of `message_bytes` bytes to the rest after its last whole blocks.
    fn pad(message_bytes: u64, rest: &mut Vec<u8>);
}

/// What lanes read.
#[derive(Clone, Copy)]
enum Input<'a> {
    /// A message in each lane, at most as many as there are lanes; lanes without one do the last again.
    Apart(&'a [&'a [u8]]),
    /// One message, dealt out word by word: word i is in lane i modulo the number of lanes.
    Dealt(&'a [u8]),
}

/// Hashes as many messages as there are lanes.
struct InLanes<'a, H> {
    input: Input<'a>,
    digests: &'a mut Vec<u8>,
    hash: PhantomData<H>,
}

impl<I: Isa, H: LaneHash> Task<I> for InLanes<'_, H> {
    type Output = ();
    #[inline(always)]
    fn run(self, isa: I) {
        hash::<H, <H::Word as Word>::Vector<I>>(isa, self.input, self.digests);
    }
}

#[inline(always)]
fn hash<H: LaneHash, V: Words<Word = H::Word>>(isa: V::Isa, input: Input<'_>, digests: &mut Vec<u8>) {
    let (common, whole, ends) = begin::<H, V>(input);
    let most_blocks = ends.iter().map(|end| end.blocks::<H>()).max().expect("a lane");
    let first_digest = digests.len();
    digests.resize(first_digest + ends.len() * H::DIGEST_BYTES, 0);
    let mut state = H::initial::<V>(isa);
    for block in 0..common + most_blocks {
        let (words, counter) = if block < common {
            let words = match input {
                Input::Apart(_) => read::<H, V>(isa, &whole, block * H::BLOCK_BYTES),
                Input::Dealt(message) => read_rows::<H, V>(isa, &message[block * H::BLOCK_BYTES * V::LANES..]),
            };
            let [low, high] = H::counter((block as u64 + 1) * H::BLOCK_BYTES as u64, block as u64);
            (words, [V::splat(isa, low), V::splat(isa, high)])
        } else {
            let of_lane = |lane: usize| &ends[lane.min(ends.len() - 1)];
            let blocks = Blocks::new(V::LANES, H::BLOCK_BYTES, |lane| of_lane(lane).block::<H>(block - common));
            let mut low = [H::Word::default(); MAX_LANES];
            let mut high = low;
            for (lane, (low, high)) in low.iter_mut().zip(&mut high).take(V::LANES).enumerate() {
                [*low, *high] = H::counter(of_lane(lane).message_bytes, block as u64);
            }
            (read::<H, V>(isa, &blocks, 0), [V::read(isa, &low), V::read(isa, &high)])
        };
        H::take(isa, &mut state, &words, counter);
        for (lane, _) in ends.iter().enumerate().filter(|(_, end)| common + end.blocks::<H>() == block + 1) {
            let digest = &mut digests[first_digest + lane * H::DIGEST_BYTES..][..H::DIGEST_BYTES];
            write_digest::<H, V>(state.as_ref(), lane, digest);
        }
    }
}

/// What is left of a lane's message after the blocks that all lanes have, padded.
struct End {
    bytes: Vec<u8>,
    message_bytes: u64,
}

impl End {
    fn new<H: LaneHash>(mut rest: Vec<u8>, message_bytes: usize) -> Self {
        H::pad(message_bytes as u64, &mut rest);
        Self { bytes: rest, message_bytes: message_bytes as u64 }
    }

    fn blocks<H: LaneHash>(&self) -> usize {
        self.bytes.len() / H::BLOCK_BYTES
    }

    /// One of its blocks; the last again for a lane that has none any more.
    fn block<H: LaneHash>(&self, block: usize) -> &[u8] {
        &self.bytes[block.min(self.blocks::<H>() - 1) * H::BLOCK_BYTES..]
    }
}

/// How many blocks all lanes have, these blocks, and what follows them in each lane.
fn begin<H: LaneHash, V: Words<Word = H::Word>>(input: Input<'_>) -> (usize, Blocks<'_>, Vec<End>) {
    match input {
        Input::Apart(messages) => {
            assert!((1..=V::LANES).contains(&messages.len()), "a message for each lane");
            let common = messages.iter().map(|message| message.len() / H::BLOCK_BYTES).min().expect("a message");
            let common_bytes = common * H::BLOCK_BYTES;
            let whole = Blocks::new(V::LANES, common_bytes, |lane| messages[lane.min(messages.len() - 1)]);
            let end = |message: &&[u8]| End::new::<H>(message[common_bytes..].to_vec(), message.len());
            (common, whole, messages.iter().map(end).collect())
        }
        Input::Dealt(message) => {
            let common = message.len() / (H::BLOCK_BYTES * V::LANES);
            let common_bytes = common * H::BLOCK_BYTES;
            let mut rests = vec![Vec::new(); V::LANES];
            for (i, word) in message[common_bytes * V::LANES..].chunks(size_of::<H::Word>()).enumerate() {
                rests[i % V::LANES].extend_from_slice(word);
            }
            let end = |rest: Vec<u8>| {
                let slice_bytes = common_bytes + rest.len();
                End::new::<H>(rest, slice_bytes)
            };
            (common, Blocks::new(V::LANES, 0, |_| message), rests.into_iter().map(end).collect())
        }
    }
}

/// The words of a block of each lane.
#[inline(always)]
fn read<H: LaneHash, V: Words<Word = H::Word>>(isa: V::Isa, blocks: &Blocks, at: usize) -> [V; MOST_WORDS] {
    let word_bytes = size_of::<H::Word>();
    let mut words = [V::splat(isa, H::Word::default()); MOST_WORDS];
    words[..16].copy_from_slice(&V::load_block(isa, H::BYTE_ORDER, blocks, 0, at));
    if H::BLOCK_BYTES > 16 * word_bytes {
        let mut last = [H::Word::default(); MAX_LANES];
        for (lane, word) in last[..V::LANES].iter_mut().enumerate() {
            *word = H::Word::from_bytes(H::BYTE_ORDER, blocks.bytes(lane, at + 16 * word_bytes, word_bytes));
        }
        words[16] = V::read(isa, &last);
    }
    words
}

/// The same of a message that is dealt out: rows of a word for each lane.
#[inline(always)]
fn read_rows<H: LaneHash, V: Words<Word = H::Word>>(isa: V::Isa, rows: &[u8]) -> [V; MOST_WORDS] {
    let word_bytes = size_of::<H::Word>();
    let mut words = [V::splat(isa, H::Word::default()); MOST_WORDS];
    for (row, word) in words[..H::BLOCK_BYTES / word_bytes].iter_mut().enumerate() {
        *word = V::read_bytes(isa, H::BYTE_ORDER, &rows[row * V::LANES * word_bytes..]);
    }
    words
}

#[inline(always)]
fn write_digest<H: LaneHash, V: Words<Word = H::Word>>(state: &[V], lane: usize, digest: &mut [u8]) {
    let word_bytes = size_of::<H::Word>();
    for (word, at) in state.iter().zip((0..H::DIGEST_BYTES).step_by(word_bytes)) {
        let mut of_lanes = [H::Word::default(); MAX_LANES];
        word.write(&mut of_lanes);
        of_lanes[lane].write_bytes(H::BYTE_ORDER, at, digest);
    }
}

/// A hash function in the lanes of one instruction set.
#[derive(Clone, Copy)]
pub struct LaneKernel {
    /// As the engine names its backends.
    pub backend: &'static str,
    /// Messages at once.
    pub lanes: usize,
    many: fn(&[&[u8]], &mut Vec<u8>),
    dealt: fn(&[u8], &mut Vec<u8>),
}

impl LaneKernel {
    /// Those of this CPU, narrowest first.
    pub fn all<H: LaneHash>() -> Vec<Self> {
        let mut all = Vec::new();
        macro_rules! add { ($($Isa:ident $backend:literal),+) => { $(
            if $Isa::detect().is_some() {
                let lanes = <<H::Word as Word>::Vector<$Isa> as Words>::LANES;
                all.push(Self { backend: $backend, lanes, many: many::<H, $Isa>, dealt: dealt::<H, $Isa> });
            }
        )+ } }
        add!(Portable "portable");
        #[cfg(target_arch = "x86_64")]
        {
            use manyhash::hazmat::{Avx2, Avx512, Avx512Half, Avx512Quarter, Sse2};
            add!(Sse2 "sse2", Avx512Quarter "avx512-128", Avx2 "avx2", Avx512Half "avx512-256", Avx512 "avx512");
        }
        all
    }

    /// Appends the digest of each message.
    pub fn hash_many(&self, messages: &[&[u8]], digests: &mut Vec<u8>) {
        (self.many)(messages, digests);
    }

    /// Appends the digest of each slice of a message that is dealt out to as many slices as there are lanes.
    pub fn hash_dealt(&self, message: &[u8], digests: &mut Vec<u8>) {
        (self.dealt)(message, digests);
    }
}

const FOUND: &str = "only those that were found are listed";

fn many<H: LaneHash, I: Isa>(messages: &[&[u8]], digests: &mut Vec<u8>) {
    let isa = I::detect().expect(FOUND);
    for messages in messages.chunks(<H::Word as Word>::Vector::<I>::LANES) {
        isa.run(InLanes::<H> { input: Input::Apart(messages), digests, hash: PhantomData });
    }
}

fn dealt<H: LaneHash, I: Isa>(message: &[u8], digests: &mut Vec<u8>) {
    I::detect().expect(FOUND).run(InLanes::<H> { input: Input::Dealt(message), digests, hash: PhantomData });
}
