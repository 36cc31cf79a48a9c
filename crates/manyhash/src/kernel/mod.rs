//! Floor 3, kernels: a compression function on an instruction set, behind a function pointer.
//!
//! A [`Kernel`] advances some messages together by whole blocks. It does not know where messages
//! begin and end. [`list`] has all kernels, and [`cost`] the time that a step of each takes on each
//! CPU.

#[cfg(debug_assertions)]
pub(crate) mod broken;
#[cfg(feature = "hazmat")]
pub(crate) mod calls;
pub(crate) mod chains;
pub(crate) mod cost;
mod in_lanes;
pub(crate) mod list;
pub(crate) mod nodes;
mod one_message;
pub(crate) mod per_message;
#[cfg(feature = "hazmat")]
pub(crate) mod recording;
pub(crate) mod self_test;
pub(crate) mod shape;
pub(crate) mod short;
pub(crate) mod start;
pub(crate) mod states;

use crate::algorithm::ending::{End, Ending};
use crate::algorithm::{ChainingOf, Compression, VectorOf};
use crate::isa::{Blocks, Dealt, Isa, MAX_LANES, Task, Token, Words, cpu};
use in_lanes::{Lanes, Source};
use one_message::OneMessage;
use per_message::{Interleaved, InterleavedDealt, PerMessage, PerMessageDealt};
use shape::{Kind, Shape};
use states::States;

pub(crate) type Advance<C> = fn(&mut States<'_, C>, &Blocks<'_>);
/// Compresses two pieces of one message, each whole blocks or nothing. The second one is its end, if
/// there is an `End`. They are not in an array: arguments of a function are in registers.
type CompressOne<C> = fn(&mut ChainingOf<C>, &[u8], &[u8], Option<&End>);
type AdvanceDealt<C> = fn(&mut States<'_, C>, &Dealt<'_>);
/// Goes on with a chain in each lane: see `chains.rs`.
pub(crate) type GoOn<C> = for<'a> fn(chains::Links<'a, C>);
/// Hashes a node of a tree in each lane: see `nodes.rs`.
pub(crate) type HashNodes<C> = for<'a> fn(nodes::Nodes<'a, '_, C>);
/// Hashes whole short messages with registers for each, and returns the steps: see `per_message/short.rs`.
pub(crate) type HashApart<C> = for<'a> fn(per_message::short::Apart<'a, '_, C>) -> u64;
/// The code of a kernel for short messages: see `short.rs`.
struct Short<C: Compression> {
    in_lanes: for<'a> fn(short::InLanes<'a, '_, C>),
    in_turns: for<'a> fn(short::InTurns<'a, '_, C>) -> u64,
}

/// The code of a kernel for chains.
#[derive(Clone, Copy)]
pub(crate) struct Chains<C: Compression> {
    /// The code.
    pub(crate) go_on: GoOn<C>,
    /// Whether it has the blocks of messages in rows, a word of every lane after the other, or as bytes, one message
    /// after the other.
    pub(crate) is_in_lanes: bool,
    /// Whether there is other code for long runs of plain chains. It knows the padding and is three times as long: after other code it takes
    /// 0.19 us longer to begin, and then saves 12 ns a link (SHA-256 in two waves, Zen 5).
    pub(crate) has_long_code: bool,
}

impl<C: Compression> Chains<C> {
    /// Returns the code of a kernel that keeps each of `N` messages in registers, if `C` wants it.
    #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code, reason = "no such kernels yet"))]
    fn per_message<I: PerMessage<C>, const N: usize>() -> Option<Self> {
        if const { C::WANTS_CHAINS } {
            let go_on: GoOn<C> = |task| run::<I, _>(chains::LinksPerMessage::<C, N>(task));
            Some(Self { go_on, is_in_lanes: false, has_long_code: false })
        } else {
            None
        }
    }
}

impl<C: Compression> Clone for Short<C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Compression> Copy for Short<C> {}

/// The cost of copying a dealt message word by word, in picoseconds a byte, measured on Golden
/// Cove.
const COPY_PS_PER_BYTE: u32 = 250;

/// The most blocks that a short run may have.
pub(crate) const SHORT_BLOCKS: u64 = 16;

/// The runs that a kernel is good for. Others are left to other kernels, if there are any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runs {
    Any,
    /// Only those of more than [`SHORT_BLOCKS`] blocks take the time that the kernel's cost says.
    Long,
    /// Only those of up to [`SHORT_BLOCKS`] blocks.
    Short,
}

impl Runs {
    /// Returns whether long runs, or short ones, are among them.
    pub(crate) fn are(self, long: bool) -> bool {
        self != if long { Self::Short } else { Self::Long }
    }
}

/// One kernel of the compression function `C`.
#[derive(Clone, Copy)]
pub(crate) struct Kernel<C: Compression> {
    /// The backend's name.
    pub(crate) name: &'static str,
    /// The number of messages that it advances together.
    pub(crate) lanes: usize,
    /// The facts that describe it.
    pub(crate) shape: Shape,
    /// The time of a step, which is one block in each lane, in picoseconds.
    pub(crate) cost_ps: u32,
    /// The same where its lanes collide: see [`cost::Family`].
    colliding_ps: Option<u32>,
    /// What a few short messages take besides compressing.
    pub(crate) besides: &'static cost::Besides,
    /// The runs that it is good for.
    pub(crate) runs: Runs,
    detect: fn() -> bool,
    advance: Advance<C>,
    /// The same for one message, if the kernel is for one.
    one: Option<CompressOne<C>>,
    dealt: Option<AdvanceDealt<C>>,
    short: Option<Short<C>>,
    apart: Option<HashApart<C>>,
    nodes: Option<HashNodes<C>>,
    chains: Option<Chains<C>>,
}

impl<C: Compression> Kernel<C> {
    /// Makes the kernel in the lanes of an instruction set.
    fn in_lanes<I: Isa>(name: &'static str) -> Self {
        let lanes = VectorOf::<C, I>::LANES;
        assert!(lanes <= MAX_LANES);
        Self {
            name,
            lanes,
            shape: Shape::in_lanes::<C, I>(),
            cost_ps: cost::family().picoseconds(C::COSTS_OF, name, lanes),
            colliding_ps: cost::family().colliding_picoseconds(C::COSTS_OF, name),
            besides: cost::family().besides(),
            runs: Runs::Any,
            detect: is_usable::<I>,
            advance: |states, blocks| {
                run::<I, _>(Lanes { states, source: Source::Apart(blocks) });
            },
            one: if const { VectorOf::<C, I>::LANES == 1 } {
                Some(|state, body, end, at_end| run::<I, _>(one_message::InLane::<C>(OneMessage { state, body, end, at_end })))
            } else {
                None
            },
            dealt: Some(|states, dealt| {
                run::<I, _>(Lanes { states, source: Source::Dealt(dealt) });
            }),
            apart: None,
            // Constant conditions: no code is made of what is not there.
            short: if const { VectorOf::<C, I>::PADS && C::Ending::IN_REGISTERS } {
                Some(Short { in_lanes: |task| run::<I, _>(task), in_turns: |task| run::<I, _>(task) })
            } else {
                None
            },
            nodes: if const { C::Ending::COUNTER.is_some() && VectorOf::<C, I>::LANES > 1 } {
                Some(|task| run::<I, _>(task))
            } else {
                None
            },
            chains: if const { C::WANTS_CHAINS && VectorOf::<C, I>::PADS } {
                Some(Chains { go_on: |task| run::<I, _>(task), is_in_lanes: true, has_long_code: chains::has_long_code::<I, C>() })
            } else {
                None
            },
        }
    }

    /// Makes the kernel that computes one message in registers, as `kind` says, in vectors of up to
    /// `vector_bits` bits.
    #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code, reason = "no such kernels yet"))]
    fn one_message<I: PerMessage<C>>(name: &'static str, kind: Kind, vector_bits: usize) -> Self {
        Self {
            name,
            lanes: 1,
            shape: Shape::per_message::<I>(kind, vector_bits, 1),
            cost_ps: cost::family().picoseconds(C::COSTS_OF, name, 1),
            colliding_ps: None,
            besides: cost::family().besides(),
            runs: Runs::Any,
            detect: is_usable::<I>,
            advance: |states, blocks| {
                let mut state = states.column(0);
                let body = blocks.bytes(0, 0, blocks.len_bytes());
                run::<I, _>(one_message::InRegisters::<C>(OneMessage { state: &mut state, body, end: &[], at_end: None }));
                states.set_column(0, &state);
            },
            one: Some(|state, body, end, at_end| run::<I, _>(one_message::InRegisters::<C>(OneMessage { state, body, end, at_end }))),
            dealt: None,
            short: None,
            apart: None,
            nodes: None,
            chains: Chains::per_message::<I, 1>(),
        }
    }

    /// Makes the kernel that interleaves `N` messages, each in registers of its own. It computes as
    /// `kind` says, in vectors of up to `vector_bits` bits.
    #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code, reason = "no such kernels yet"))]
    fn per_message<I: PerMessage<C>, const N: usize>(name: &'static str, kind: Kind, vector_bits: usize) -> Self {
        Self {
            name,
            lanes: N,
            shape: Shape::per_message::<I>(kind, vector_bits, N),
            cost_ps: cost::family().picoseconds(C::COSTS_OF, name, N),
            colliding_ps: None,
            besides: cost::family().besides(),
            runs: Runs::Any,
            detect: is_usable::<I>,
            advance: |states, blocks| {
                run::<I, _>(Interleaved::<C, N> { states, blocks });
            },
            one: None,
            dealt: None,
            short: None,
            apart: if const { !C::Ending::MARKS_END } {
                Some(|task| run::<I, _>(per_message::short::InRegisters::<C, N>(task)))
            } else {
                None
            },
            nodes: None,
            chains: Chains::per_message::<I, N>(),
        }
    }

    /// Makes the kernel that interleaves `N` messages, which may also be the lanes of one that is
    /// dealt out.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "no other such kernels yet"))]
    fn per_message_and_dealt<I: PerMessageDealt<C, N>, const N: usize>(name: &'static str, kind: Kind, vector_bits: usize) -> Self {
        let dealt: AdvanceDealt<C> = |states, dealt| {
            run::<I, _>(InterleavedDealt::<C, N> { states, dealt });
        };
        Self { dealt: Some(dealt), ..Self::per_message::<I, N>(name, kind, vector_bits) }
    }

    /// Restricts the kernel to runs of more than [`SHORT_BLOCKS`] blocks: not to chains, whose runs have one.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "no such kernel yet"))]
    fn only_long(self) -> Self {
        Self { runs: Runs::Long, apart: None, chains: None, ..self }
    }

    /// Returns this kernel with its cost for a message dealt out to lanes. If it has no code for
    /// that, the cost includes copying the words of each lane together.
    pub(crate) fn for_dealt(&self) -> Self {
        let copied_bytes = if self.has_dealt() || self.lanes == 1 { 0 } else { self.lanes * C::BLOCK_BYTES };
        self.with_cost(self.cost_ps + copied_bytes as u32 * COPY_PS_PER_BYTE)
    }

    /// Returns this kernel with another cost of a step, in picoseconds.
    pub(crate) fn with_cost(&self, cost_ps: u32) -> Self {
        Self { cost_ps, ..*self }
    }

    /// Returns whether a step takes longer where lanes collide.
    pub(crate) fn collides(&self) -> bool {
        self.colliding_ps.is_some()
    }

    /// Returns this kernel with what a step costs where lanes collide.
    pub(crate) fn for_colliding(&self) -> Self {
        self.with_cost(self.colliding_ps.unwrap_or(self.cost_ps))
    }

    /// Returns whether this CPU can run the kernel.
    pub(crate) fn is_supported(&self) -> bool {
        (self.detect)()
    }

    /// Compresses every block of `blocks` into the first columns of `states`. Panics if the CPU
    /// lacks the instruction set, or if there are fewer lanes or columns than the kernel has lanes.
    #[inline]
    pub(crate) fn advance(&self, states: &mut States<C>, blocks: &Blocks) {
        (self.advance)(states, blocks);
    }

    /// Returns the kernel's code for nodes of trees, if it has any.
    #[inline]
    pub(crate) fn hash_nodes(&self) -> Option<HashNodes<C>> {
        self.nodes
    }

    /// Returns the kernel's code for one message, if it is for one.
    #[inline]
    pub(crate) fn compress_one(&self) -> Option<CompressOne<C>> {
        self.one
    }

    /// Returns whether the kernel has code for a message dealt out to lanes.
    pub(crate) fn has_dealt(&self) -> bool {
        self.dealt.is_some()
    }

    /// Compresses every block of `dealt` into the first columns of `states`. Panics if the CPU
    /// lacks the instruction set, if [`has_dealt`](Self::has_dealt) is false, if there are fewer
    /// columns than the kernel has lanes, or if there is not a whole vector behind the beginning of
    /// each row.
    #[inline]
    pub(crate) fn advance_dealt(&self, states: &mut States<C>, dealt: &Dealt) {
        (self.dealt.expect("asked for only if it is there"))(states, dealt);
    }

    /// Returns whether the kernel has code for short messages, in lanes or apart.
    pub(crate) fn has_short(&self) -> bool {
        self.short.is_some() || self.apart.is_some()
    }

    /// Hashes a whole message in every lane. Panics if the CPU lacks the instruction set, if
    /// [`has_short`](Self::has_short) is false, or if there are fewer lanes or rows than the kernel has
    /// lanes.
    #[inline]
    pub(crate) fn hash_in_lanes(&self, task: short::InLanes<'_, '_, C>) {
        (self.short.expect("asked for only if it is there").in_lanes)(task);
    }

    /// Hashes more whole messages than lanes, and returns the steps that it took. Panics as
    /// [`hash_in_lanes`](Self::hash_in_lanes) does, and if there is no room for a message.
    #[inline]
    pub(crate) fn hash_in_turns(&self, task: short::InTurns<'_, '_, C>) -> u64 {
        (self.short.expect("asked for only if it is there").in_turns)(task)
    }

    /// Returns the kernel's code for short messages with registers for each, if it has any.
    #[inline]
    pub(crate) fn hash_apart(&self) -> Option<HashApart<C>> {
        self.apart
    }

    /// Returns the kernel's code for chains, if it has any.
    pub(crate) fn chains(&self) -> Option<Chains<C>> {
        self.chains
    }

    /// Returns a kernel with the name, lanes and cost of this one that computes nothing and records
    /// what it is asked for.
    #[cfg(feature = "hazmat")]
    pub(crate) fn recording(&self) -> Self {
        Self {
            advance: |_, blocks| recording::record(blocks),
            one: None,
            dealt: None,
            short: None,
            apart: None,
            nodes: None,
            chains: None,
            ..*self
        }
    }

    /// Returns this kernel without its code: it computes nothing, so that digests would be wrong.
    #[cfg(debug_assertions)]
    pub(crate) fn broken(&self) -> Self {
        Self { advance: |_, _| {}, one: None, dealt: None, short: None, apart: None, nodes: None, chains: None, ..*self }
    }

    /// Returns this kernel with other code, for tests.
    #[cfg(test)]
    pub(crate) fn with_code(&self, advance: Advance<C>) -> Self {
        Self { advance, ..*self }
    }

    /// Returns this kernel with another cost where its lanes collide, for tests.
    #[cfg(test)]
    pub(crate) fn colliding(&self, colliding_ps: u32) -> Self {
        Self { colliding_ps: Some(colliding_ps), ..*self }
    }

    /// Makes a kernel that computes nothing, for tests of schedules.
    #[cfg(test)]
    pub(crate) fn model(name: &'static str, lanes: usize, cost_ps: u32) -> Self {
        let shape = Shape::in_lanes::<C, crate::isa::Portable>();
        Self {
            name,
            lanes,
            shape,
            cost_ps,
            colliding_ps: None,
            besides: &cost::BESIDES,
            runs: Runs::Any,
            detect: || true,
            advance: |_, _| {},
            one: None,
            dealt: None,
            short: None,
            apart: None,
            nodes: None,
            chains: None,
        }
    }
}

/// Whether kernels of an instruction set have code in this build. In unit tests only those have that are tested there: with
/// the others, the compiler takes almost twice as long. They are tested from outside, in `tests/engine` and `crates/prove`.
const fn has_code<I: Token>() -> bool {
    match I::FEATURES {
        [first, ..] if cfg!(test) => matches!(first.as_bytes(), b"sha"),
        _ => true,
    }
}

/// Returns whether this CPU has an instruction set that is not left out.
fn is_usable<I: Token>() -> bool {
    has_code::<I>() && I::detect().is_some() && !cpu::is_left_out(I::FEATURES)
}

/// Runs a task on a kernel's instruction set. Panics if the CPU lacks it.
#[inline(always)]
fn run<I: Token, T: Task<I>>(task: T) -> T::Output {
    if const { has_code::<I>() } {
        I::detect().expect("a kernel is used only where its instruction set is").run(task)
    } else {
        unreachable!("a kernel is used only if it has code")
    }
}
