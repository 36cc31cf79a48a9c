//! Functions that are compiled in this crate, once for each compression function, and not in the
//! crates that use it.
//!
//! Doors are generic over the algorithm, and generic code is compiled in the crate that calls it,
//! with the caller's optimisation, which may be none. Therefore all work that takes time is behind
//! the functions of [`Compiled`].

use super::alone::Midstate;
use super::chains::{self, Chains};
use super::chunks::{self, Pair, Stack, Trees, Value};
use super::digests::Digests;
use super::framed::{self, Around};
use super::messages::Messages;
#[cfg(feature = "hmac")]
use super::messages::Which;
use super::mix::{Mix, Mixes, Usage};
use super::opened::{self, Head};
use super::{Extent, Memory, Supply};
use super::{alone, route, squeeze};
use crate::algorithm::{ChainingOf, SelfTested};
use crate::isa::OnceLock;
#[cfg(feature = "hmac")]
use crate::kernel::start::Starts;
use crate::kernel::start::{Passes, Start};
use alloc::vec::Vec;

/// A compression function with all functions that are compiled for it.
pub(crate) trait Compiled: SelfTested {
    /// Returns the kernels of the compression function; the CPU is asked once.
    fn mixes() -> &'static Mixes<Self>;
    /// Returns the mix of one kernel alone: see [`Mixes::forced`].
    fn forced(kernel: usize) -> Option<&'static Mix<Self>>;
    /// Returns the names of the kernels that can be used: see [`Mixes::usable`].
    fn usable() -> Vec<&'static str>;
    /// Returns the mix for a message dealt out to lanes: see [`Mixes::automatic_dealt`].
    fn automatic_dealt() -> &'static Mix<Self>;
    /// Hashes a batch: see [`route::hash_many`], and [`chunks::hash_many`] for trees.
    fn hash_many(mix: &Mix<Self>, passes: &Passes<'_, Self>, messages: &dyn Messages, digests: &mut Digests<'_>, usage: Option<&mut Usage>);
    /// Hashes a batch with bytes around each message: see [`framed::hash_many`].
    fn hash_framed(mix: &Mix<Self>, around: Around<'_, '_, Self>, messages: &dyn Messages, digests: &mut Digests<'_>);
    /// Hashes a batch in which each message has a head of its own: see [`opened::hash_many`].
    fn hash_opened(mix: &Mix<Self>, start: &Start<Self>, head: Head<'_>, messages: &dyn Messages, digests: &mut Digests<'_>);
    /// Hashes all digests once more: see [`route::hash_digests`].
    #[cfg(feature = "hmac")]
    fn hash_digests(mix: &Mix<Self>, starts: Starts<'_, Self>, digests: &mut Digests<'_>, usage: &mut Usage);
    /// Hashes digests again and again: see [`chains::run`].
    fn run_chains(mix: &Mix<Self>, chains: &Chains<'_, Self>, values: &mut [u8], sums: Option<&mut [u8]>);
    /// Hashes one message: see [`alone::hash`], and [`chunks::hash_many`] for a tree.
    fn hash_alone(mix: &Mix<Self>, inner: Midstate<'_, Self>, outer: Option<Midstate<'_, Self>>, message: &[u8], digest: &mut [u8]);
    /// Returns the values beneath the root of a subtree: see [`chunks::halves`].
    fn halves(trees: Trees<'_, Self>, chunks: &[u8], first_chunk: u64) -> Pair;
    /// Adds a subtree to a tree that grows: see [`Stack::push`].
    fn push(trees: Trees<'_, Self>, stack: &mut Stack, value: &Value, chunks: u64);
    /// Adds a subtree by its halves: see [`Stack::push_halves`].
    fn push_halves(trees: Trees<'_, Self>, stack: &mut Stack, halves: &Pair, chunks: u64);
    /// Returns the block of the root: see [`Stack::root`].
    fn root(trees: Trees<'_, Self>, stack: &mut Stack, last: Option<&Value>) -> Pair;
    /// Compresses blocks of one message: see [`alone::compress`].
    fn compress_alone(mix: &Mix<Self>, state: &mut ChainingOf<Self>, blocks: &[u8]);
    /// Writes the output of final states: see [`squeeze::squeeze`].
    fn squeeze(mix: &Mix<Self>, states: &[u8], output: &mut [u8], output_bytes: usize);
    /// Runs a schedule: see [`super::run`].
    fn run(memory: &mut Memory<Self>, mix: &Mix<Self>, extent: Extent, supply: &mut dyn Supply<Self>, usage: &mut Usage);
}

macro_rules! compiled { ($($Compression:path)*) => { $(
    impl Compiled for $Compression {
        fn mixes() -> &'static Mixes<Self> {
            static MIXES: OnceLock<Mixes<$Compression>> = OnceLock::new();
            MIXES.get_or_init(Mixes::detect)
        }
        fn forced(kernel: usize) -> Option<&'static Mix<Self>> {
            Self::mixes().forced(kernel)
        }
        fn usable() -> Vec<&'static str> {
            Self::mixes().usable()
        }
        fn automatic_dealt() -> &'static Mix<Self> {
            Self::mixes().automatic_dealt()
        }
        fn hash_many(
            mix: &Mix<Self>,
            passes: &Passes<'_, Self>,
            messages: &dyn Messages,
            digests: &mut Digests<'_>,
            usage: Option<&mut Usage>,
        ) {
            if chunks::has_tree::<Self>(messages) {
                return chunks::hash_many(mix, passes, messages, digests);
            }
            route::hash_many(mix, passes, messages, digests, usage);
        }
        fn hash_framed(mix: &Mix<Self>, around: Around<'_, '_, Self>, messages: &dyn Messages, digests: &mut Digests<'_>) {
            if const { Self::HAS_CHUNKS } && !around.is_nothing() {
                return chunks::hash_framed(mix, around, messages, digests);
            }
            if chunks::has_tree::<Self>(messages) {
                return chunks::hash_many(mix, &around.passes, messages, digests);
            }
            framed::hash_many(mix, around, messages, digests);
        }
        fn hash_opened(mix: &Mix<Self>, start: &Start<Self>, head: Head<'_>, messages: &dyn Messages, digests: &mut Digests<'_>) {
            opened::hash_many(mix, start, None, head, messages, digests);
        }
        #[cfg(feature = "hmac")]
        fn hash_digests(mix: &Mix<Self>, starts: Starts<'_, Self>, digests: &mut Digests<'_>, usage: &mut Usage) {
            route::hash_digests(mix, starts, (Which::From(0), digests.count()), digests, usage);
        }
        fn run_chains(mix: &Mix<Self>, chains: &Chains<'_, Self>, values: &mut [u8], sums: Option<&mut [u8]>) {
            chains::run(mix, chains, values, sums);
        }
        fn hash_alone(mix: &Mix<Self>, inner: Midstate<'_, Self>, outer: Option<Midstate<'_, Self>>, message: &[u8], digest: &mut [u8]) {
            if const { Self::HAS_CHUNKS } && message.len() > Self::CHUNK_BYTES {
                return chunks::hash(Trees { mix, start: inner.0 }, message, digest);
            }
            alone::hash(mix, inner, outer, message, digest);
        }
        fn halves(trees: Trees<'_, Self>, chunks: &[u8], first_chunk: u64) -> Pair {
            if const { Self::HAS_CHUNKS } { chunks::halves(trees, chunks, first_chunk) } else { unreachable!("no message is a tree") }
        }
        fn push(trees: Trees<'_, Self>, stack: &mut Stack, value: &Value, chunks: u64) {
            if const { Self::HAS_CHUNKS } {
                stack.push(trees, value, chunks);
            }
        }
        fn push_halves(trees: Trees<'_, Self>, stack: &mut Stack, halves: &Pair, chunks: u64) {
            if const { Self::HAS_CHUNKS } {
                stack.push_halves(trees, halves, chunks);
            }
        }
        fn root(trees: Trees<'_, Self>, stack: &mut Stack, last: Option<&Value>) -> Pair {
            if const { Self::HAS_CHUNKS } { stack.root(trees, last) } else { unreachable!("no message is a tree") }
        }
        fn compress_alone(mix: &Mix<Self>, state: &mut ChainingOf<Self>, blocks: &[u8]) {
            alone::compress(mix, state, blocks);
        }
        fn squeeze(mix: &Mix<Self>, states: &[u8], output: &mut [u8], output_bytes: usize) {
            squeeze::squeeze(mix, states, output, output_bytes);
        }
        fn run(memory: &mut Memory<Self>, mix: &Mix<Self>, extent: Extent, supply: &mut dyn Supply<Self>, usage: &mut Usage) {
            super::run(memory, mix, extent, supply, usage);
        }
    }
)* } }
for_each_compression!(compiled);
