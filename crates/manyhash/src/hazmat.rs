//! The parts beneath [`hash_many`](crate::hash_many), for studying it: vectors of lanes on every
//! instruction set, the kernels of the algorithms, and the schedule. They need the feature `hazmat`
//! and may change in any version.
//!
//! - [`Words`] is a vector of one word for each lane, [`Isa`] names the two vectors of an
//!   instruction set, and a [`Token`] proves that the CPU has it. Work generic over `Isa` is a
//!   [`Task`], and `token.run(task)` runs it with the instruction set's features switched on.
//! - [`Kernel`] compresses blocks of several messages at once: the "S-UPDATE" of Gueron & Krasnov
//!   2012.
//! - [`schedule`] says which lanes are busy when.
//! - [`Call`] is a call of a kernel with its memory, for a program that follows instructions, and [`Code`] is a function of a
//!   kernel, for one that decodes them.
//! - [`Lanes`] hashes with any [`Compression`] function, also one that is no algorithm of this
//!   crate, written once, in safe code.
//!
//! ```
//! use manyhash::hazmat::{Isa, Portable, Task, Token, Words};
//! struct Sum([u32; 2]);
//! impl<I: Isa> Task<I> for Sum {
//!     type Output = u32;
//!     #[inline(always)]
//!     fn run(self, isa: I) -> u32 {
//!         let mut lanes = vec![0; I::U32::LANES];
//!         I::U32::splat(isa, self.0[0]).add(I::U32::splat(isa, self.0[1])).write(&mut lanes);
//!         lanes[0]
//!     }
//! }
//! assert_eq!(Portable::detect().unwrap().run(Sum([1, 2])), 3);
//! ```

use crate::algorithm::ending::{EndingOf, block_count, padded};
use crate::algorithm::{CompressionOf, digest};
use crate::algorithms::Algorithm;
use crate::backend::{Backend, BackendError};
use crate::kernel::list::kernels;
use crate::kernel::start::Start;
use crate::kernel::states::States;
use crate::kernel::{self, recording};
use crate::many;
use crate::schedule::compiled::Compiled;
use crate::schedule::digests::Digests;
use crate::schedule::messages::Slice;
use crate::schedule::mix::Mix;
use crate::schedule::route;
use crate::tree::dealt::DealtHasher;

pub use crate::algorithm::ending::{Counted, End, Ending, MerkleDamgard, Sponge};
pub use crate::algorithm::keccak::Sha3_256Compression;
pub use crate::algorithm::{BlockOf, ChainingOf, Compression, MAX_ROUNDS, StateOf, WordOf};
#[cfg(target_arch = "x86_64")]
pub use crate::isa::{Avx, Avx2, Avx512, Avx512Half, Avx512Quarter, Sse2};
pub use crate::isa::{Blocks, ByteOrder, Count, FirstByte, Isa, MAX_LANES, Portable, Task, Token, Two, Word, WordCount, Words};
#[cfg(target_arch = "aarch64")]
pub use crate::isa::{Neon, NeonSha3};
pub use crate::kernel::calls::{Call, Code, Form, Layout, Table};

/// A backend's kernel for the algorithm `A`: it compresses one block of each of several messages at
/// once, "S-UPDATE".
///
/// ```
/// use manyhash::{Sha256, backend::Backend, hash, hazmat::{Blocks, Kernel, final_blocks}};
/// let kernel = Kernel::<Sha256>::of(Backend::by_name("portable").unwrap()).unwrap();
/// let mut states = kernel.states();
/// let last = final_blocks::<Sha256>(b"abc", 3);
/// kernel.update(&mut states, &Blocks::new(kernel.lanes(), last.len(), |_lane| &last));
/// assert_eq!(states.digest(0), hash::<Sha256>(b"abc"));
/// ```
#[derive(Clone, Copy)]
pub struct Kernel<A: Algorithm> {
    kernel: kernel::Kernel<CompressionOf<A>>,
}

impl<A: Algorithm> Kernel<A> {
    /// Returns the kernel of `backend`.
    ///
    /// # Errors
    /// Fails if the backend has none for `A`, or if this CPU lacks it.
    pub fn of(backend: Backend) -> Result<Self, BackendError> {
        Ok(Self { kernel: *backend.mix::<A>()?.widest_kernel() })
    }

    /// Returns how many messages the kernel advances together.
    pub fn lanes(&self) -> usize {
        self.kernel.lanes
    }

    /// Returns a chaining value for each lane, all of them initial.
    pub fn states(&self) -> LaneStates<A> {
        let lanes = self.lanes();
        let mut states = LaneStates { words: vec![Default::default(); lanes * A::INITIAL.as_ref().len()], lanes };
        (0..lanes).for_each(|lane| states.start(lane));
        states
    }

    /// Compresses the next blocks of each lane's message. `states` may have more lanes than the
    /// kernel; then the first ones advance.
    ///
    /// # Panics
    /// Panics if there are fewer lanes than the kernel has, or if the bytes in a lane are not whole
    /// blocks.
    pub fn update(&self, states: &mut LaneStates<A>, blocks: &Blocks) {
        assert!(blocks.len_bytes().is_multiple_of(A::BLOCK_BYTES), "not whole blocks: {} bytes", blocks.len_bytes());
        self.kernel.advance(&mut states.table(), blocks);
    }
}

/// The chaining values of as many messages as a [`Kernel`] has lanes.
#[derive(Clone)]
pub struct LaneStates<A: Algorithm> {
    words: Vec<WordOf<CompressionOf<A>>>,
    lanes: usize,
}

impl<A: Algorithm> LaneStates<A> {
    fn table(&mut self) -> States<'_, CompressionOf<A>> {
        States::of_columns(&mut self.words, self.lanes)
    }

    /// Begins a new message in a lane. Panics if there is no such lane.
    pub fn start(&mut self, lane: usize) {
        self.table().set_column(lane, &A::INITIAL);
    }

    /// Tells a lane's state that the [`final_blocks`] of a message of `message_bytes` bytes come next.
    /// Most algorithms need not know. Panics if there is no such lane.
    pub fn mark_end(&mut self, lane: usize, message_bytes: u64) {
        let rest_bytes = rest_bytes::<A>(message_bytes);
        self.table().mark_end(lane, End { message_bytes, rest_bytes });
    }

    /// Exchanges the messages of two lanes, because a kernel of fewer lanes advances only the first
    /// ones. Panics if there is no such lane.
    pub fn swap(&mut self, lane: usize, other: usize) {
        self.table().swap_columns(lane, other);
    }

    /// Returns the digest that a lane's state stands for. Panics if there is no such lane.
    pub fn digest(&mut self, lane: usize) -> A::Digest {
        digest::<A>(&self.table().column(lane))
    }
}

/// Returns the blocks to compress for a message of `message_bytes` bytes, padding included: the
/// number of "Updates" (Gueron & Krasnov 2012, equation 1).
pub fn updates<A: Algorithm>(message_bytes: u64) -> u64 {
    block_count::<CompressionOf<A>>(message_bytes)
}

/// Returns how many bytes of a message its [`final_blocks`] have.
fn rest_bytes<A: Algorithm>(message_bytes: u64) -> usize {
    let rest_bytes = (message_bytes % A::BLOCK_BYTES as u64) as usize;
    let is_held_back = EndingOf::<A>::HOLDS_BACK && message_bytes > 0 && rest_bytes == 0;
    if is_held_back { A::BLOCK_BYTES } else { rest_bytes }
}

/// Returns the last block or two of a message of `message_bytes` bytes: `rest`, the bytes after its
/// last whole block, padded. Where padding has no byte of its own, as in BLAKE2, `rest` is a block if
/// the message is whole blocks.
///
/// # Panics
/// Panics if `rest` does not have exactly those bytes.
pub fn final_blocks<A: Algorithm>(rest: &[u8], message_bytes: u64) -> Vec<u8> {
    assert_eq!(rest.len(), rest_bytes::<A>(message_bytes), "bytes after the last whole block");
    let mut blocks = rest.to_vec();
    padded::<CompressionOf<A>>(&mut blocks, message_bytes, EndingOf::<A>::first(&A::INITIAL));
    blocks
}

/// The compression function `C` in the lanes of one backend, under the schedule that this crate's
/// algorithms have.
pub struct Lanes<C: Compression> {
    mix: Mix<C>,
    initial: ChainingOf<C>,
    digest_bytes: usize,
}

impl<C: Compression> Lanes<C> {
    /// Returns the compression function in the lanes of each backend that this CPU can run,
    /// narrowest first. Messages start at `initial`; a digest is the first `digest_bytes` bytes of
    /// a state.
    ///
    /// # Panics
    /// Panics if `digest_bytes` is 0, more than 64, or more than a state has.
    pub fn all(initial: ChainingOf<C>, digest_bytes: usize) -> Vec<Self> {
        let most = C::DIGEST_WORDS * size_of::<WordOf<C>>();
        assert!((1..=most).contains(&digest_bytes), "digests of {digest_bytes} bytes; 1 to {most} can be had");
        let kernels = kernels::<C>().into_iter().filter(kernel::Kernel::is_supported);
        kernels.map(|kernel| Self { mix: Mix::new(vec![kernel]), initial, digest_bytes }).collect()
    }

    /// Returns the backend's name.
    pub fn backend(&self) -> &'static str {
        self.mix.widest_kernel().name
    }

    /// Returns the number of lanes.
    pub fn lanes(&self) -> usize {
        self.mix.widest_kernel().lanes
    }

    /// Returns the digest of each message, one after the other.
    pub fn hash_many(&self, messages: &[impl AsRef<[u8]>]) -> Vec<u8> {
        let mut digests = vec![0; messages.len() * self.digest_bytes];
        let start = Start { state: self.initial, bytes: 0 };
        route::hash_many(&self.mix, &(&start).into(), &Slice(messages), &mut Digests::new(&mut digests, self.digest_bytes), None);
        digests
    }

    /// Deals one message out word by word, like cards, to as many slices as there are lanes (Gueron
    /// 2013, definition 1). Returns the digest of each slice, one after the other.
    pub fn hash_dealt(&self, message: &[u8]) -> Vec<u8> {
        let mut digests = vec![0; self.lanes() * self.digest_bytes];
        let start = Start { state: self.initial, bytes: 0 };
        let mut slices = DealtHasher::new(&self.mix, &start, self.lanes(), 1);
        slices.update(message);
        slices.finalize(&mut Digests::new(&mut digests, self.digest_bytes));
        digests
    }
}

/// Work that a schedule does without a break: some blocks in each lane of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The number of lanes of the kernel.
    pub lanes: usize,
    /// The number of lanes that have a message.
    pub busy_lanes: usize,
    /// The blocks that are compressed in each of them.
    pub blocks: u64,
    /// The time of the run, by this CPU's table of costs, in picoseconds.
    pub cost_ps: u64,
}

/// Returns what [`hash_many`](crate::hash_many) does with messages of these lengths on this CPU,
/// run after run; nothing is computed. Short messages are shown in the way they go where padding is
/// made in memory.
///
/// # Panics
/// Panics if the lengths add up to more bytes than there can be memory for, because messages of
/// zeros are made.
pub fn schedule<A: Algorithm>(message_bytes: &[usize]) -> Vec<Run> {
    let kernels = &<CompressionOf<A>>::mixes().automatic.kernels;
    let mix = Mix::new(kernels.iter().map(kernel::Kernel::recording).collect());
    // Each message has an address of its own. An idle lane shows by the address that it shares with
    // the first one.
    let zeros = vec![0; message_bytes.iter().map(|bytes| bytes + 1).sum()];
    let mut rest = zeros.as_slice();
    let messages: Vec<&[u8]> = message_bytes.iter().map(|bytes| &rest.split_off(..bytes + 1).expect("summed up")[..*bytes]).collect();
    let mut digests = vec![A::ZERO; messages.len()];
    recording::start();
    many::hash_on::<A>(&mix, &Slice(&messages), &mut digests);
    let cost_ps =
        |lanes: usize| kernels.iter().filter(|kernel| kernel.lanes == lanes).map(|kernel| kernel.cost_ps).min().expect("a kernel's lanes");
    let run = |(lanes, busy_lanes, bytes): (usize, usize, usize)| {
        let blocks = (bytes / A::BLOCK_BYTES) as u64;
        Run { lanes, busy_lanes, blocks, cost_ps: blocks * u64::from(cost_ps(lanes)) }
    };
    recording::finish().into_iter().map(run).collect()
}
