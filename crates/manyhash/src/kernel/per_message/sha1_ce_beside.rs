//! SHA-1 with the instructions of AArch64 beside lanes of vectors. A CPU has one unit for these instructions and up to four for
//! vectors, most of which idle meanwhile. This kernel compresses four messages in lanes, and between their rounds does rounds of eight
//! others by the instructions. Every unit has work: 0.78 cycles a byte, where the instructions take 1.13 and lanes 1.30 (llvm-mca,
//! Neoverse V2). With six others it takes 0.81, with ten 0.83.
//!
//! SHA-256 has no such kernel. Its unit does one block in 56 cycles, a vector one in 780: four lanes beside sixteen messages took 1.02
//! cycles a byte, and the instructions take 0.88.

use super::sha1_ce::{Block, GROUPS, State};
use crate::algorithm::sha1::Sha1Compression;
use crate::algorithm::{Beside, Compression};
use crate::isa::aarch64::instructions::Sha32;
use crate::isa::{Blocks, WordCount, Words};
#[cfg(target_arch = "aarch64")]
use crate::isa::{Includes, Isa, Neon, ShaCe, ShaCeNeon, aarch64};

/// The messages in lanes. They come first.
const IN_LANES: usize = 4;
/// The messages that the instructions do at a time.
const AT_A_TIME: usize = 2;
/// How often they do so many beside one block of each lane.
const TURNS: usize = 4;
/// All messages.
pub(crate) const MESSAGES: usize = IN_LANES + AT_A_TIME * TURNS;

/// Compresses every block of the messages into their states.
#[inline(always)]
pub(crate) fn compress<V: Words<Word = u32>, Q: Sha32>(lanes: V::Isa, rounds: Q::Isa, states: &mut [[u32; 5]; MESSAGES], blocks: &Blocks) {
    let (in_lanes, others) = states.split_at_mut(IN_LANES);
    let mut words: [V; 5] =
        std::array::from_fn(|word| V::read(lanes, &std::array::from_fn::<u32, IN_LANES, _>(|lane| in_lanes[lane][word])));
    let mut beside = OtherMessages::<Q> {
        rounds,
        states: std::array::from_fn(|turn| std::array::from_fn(|message| State::load(rounds, &others[AT_A_TIME * turn + message]))),
        blocks,
        at: 0,
        block: None,
    };
    while beside.at < blocks.len_bytes() {
        let block = <Sha1Compression as Compression>::Block::load::<V>(lanes, Sha1Compression::BYTE_ORDER, blocks, 0, beside.at);
        Sha1Compression::compress_beside(lanes, &mut words, &mut { block }, &mut beside);
        beside.at += Sha1Compression::BLOCK_BYTES;
    }
    for (word, vector) in words.into_iter().enumerate() {
        let mut of_lanes = [0; IN_LANES];
        vector.write(&mut of_lanes);
        for (state, value) in in_lanes.iter_mut().zip(of_lanes) {
            state[word] = value;
        }
    }
    for (state, other) in others.iter_mut().zip(beside.states.as_flattened()) {
        *state = other.store();
    }
}

/// The messages beside those in lanes.
struct OtherMessages<'a, 'b, Q: Sha32> {
    rounds: Q::Isa,
    states: [[State<Q>; AT_A_TIME]; TURNS],
    blocks: &'a Blocks<'b>,
    /// The byte that the block begins at.
    at: usize,
    /// The block of the messages whose turn it is.
    block: Option<Block<Q, AT_A_TIME>>,
}

impl<Q: Sha32> Beside for OtherMessages<'_, '_, Q> {
    /// One group of the instructions stands before each round: as many groups as there are rounds.
    #[inline(always)]
    fn before_round<const ROUND: usize, V: Words>(&mut self, word: V) -> V {
        const { assert!(TURNS * GROUPS == 80) };
        let (turn, group) = const { (ROUND / GROUPS, ROUND % GROUPS) };
        if group == 0 {
            let first_lane = IN_LANES + AT_A_TIME * turn;
            self.block = Some(Block::begin(self.rounds, &self.states[turn], self.blocks, first_lane, self.at));
        }
        if let Some(block) = &mut self.block {
            block.group(self.rounds, group);
            block.keep_in_order();
            if group == GROUPS - 1 {
                block.add_to(&mut self.states[turn]);
            }
        }
        // Without order, the compiler puts all rounds in lanes behind all others.
        word.in_order()
    }
}

/// Some messages in lanes, and others by instructions beside them: all of them at once.
#[cfg(target_arch = "aarch64")]
impl super::PerMessage<Sha1Compression> for ShaCeNeon {
    type State = [u32; 5];
    #[inline(always)]
    fn load(self, state: &[u32; 5]) -> [u32; 5] {
        *state
    }
    #[inline(always)]
    fn store(self, state: &[u32; 5]) -> [u32; 5] {
        *state
    }
    #[inline(always)]
    fn compress<const N: usize>(self, states: &mut [[u32; 5]; N], blocks: &Blocks) {
        let (lanes, rounds): (Neon, ShaCe) = (self.included(), self.included());
        let states = states.first_chunk_mut().expect("a state for each message");
        compress::<<Neon as Isa>::U32, aarch64::sha::Quad>(lanes, rounds, states, blocks);
    }
}
