//! Shapes: a compression function's kernels, each an instruction set and a number of messages it advances together.

#[cfg(all(test, target_arch = "x86_64", target_os = "linux"))]
mod census;

use crate::algorithm::{Compression, WordOf};
use crate::cost;
use crate::isa::{self, Task, Token};
use crate::lanes::{Blocks, Dealt, Isa, MAX_LANES, Row, Word, Words, sixteen};
use crate::short;
use crate::solo::Solo;
use crate::states::States;

type AdvanceDealt<C> = fn(&mut States<'_, C>, &Dealt<'_>);
type HashShort<C> = fn(&short::Batch<'_, '_, C>, &mut [Row; MAX_LANES]);

/// What copying a dealt message word by word costs, in picoseconds a byte: measured on Golden Cove.
const COPY_PS_PER_BYTE: u32 = 250;

/// Blocks of a short run, at most.
pub(crate) const SHORT_BLOCKS: u64 = 16;

/// One kernel of the compression function `C`.
#[derive(Clone, Copy)]
pub(crate) struct Shape<C: Compression> {
    /// The backend's name.
    pub(crate) name: &'static str,
    /// Messages it advances together.
    pub(crate) lanes: usize,
    /// Picoseconds a step takes: one block in each lane.
    pub(crate) cost_ps: u32,
    /// Whether only runs of more than [`SHORT_BLOCKS`] blocks take that time, and shorter ones should be left to others.
    only_long: bool,
    detect: fn() -> bool,
    advance: fn(&mut States<'_, C>, &Blocks<'_>),
    dealt: Option<AdvanceDealt<C>>,
    short: Option<HashShort<C>>,
}

impl<C: Compression> Shape<C> {
    /// The lanes of an instruction set.
    pub(crate) fn lanes<I: Isa>(name: &'static str) -> Self {
        let lanes = <<WordOf<C> as Word>::Vector<I> as Words>::LANES;
        assert!(lanes <= MAX_LANES);
        let advance = |states: &mut States<C>, blocks: &Blocks| {
            token::<I>().run(Lanes { states, blocks });
        };
        let dealt = |states: &mut States<C>, dealt: &Dealt| {
            token::<I>().run(DealtLanes { states, dealt });
        };
        let short = |batch: &short::Batch<C>, digests: &mut [Row; MAX_LANES]| {
            token::<I>().run(short::Run { batch, digests });
        };
        let pads = <<WordOf<C> as Word>::Vector<I> as Words>::PADS;
        Self {
            name,
            lanes,
            cost_ps: cost::family().picoseconds(C::NAME, name, lanes),
            only_long: false,
            detect: || I::detect().is_some(),
            advance,
            dealt: Some(dealt),
            short: pads.then_some(short),
        }
    }

    /// `N` messages interleaved, each in registers of its own.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "no other solo kernels yet"))]
    pub(crate) fn solo<I: Solo<C>, const N: usize>(name: &'static str) -> Self {
        let advance = |states: &mut States<C>, blocks: &Blocks| {
            token::<I>().run(Interleaved::<C, N> { states, blocks });
        };
        Self {
            name,
            lanes: N,
            cost_ps: cost::family().picoseconds(C::NAME, name, N),
            only_long: false,
            detect: || I::detect().is_some(),
            advance,
            dealt: None,
            short: None,
        }
    }

    /// With its cost for a message dealt out to lanes: without a kernel for that, words are copied to where each lane has its own.
    fn for_dealt(&self) -> Self {
        let copied_bytes = if self.has_dealt() || self.lanes == 1 { 0 } else { self.lanes * C::BLOCK_BYTES };
        Self { cost_ps: self.cost_ps + copied_bytes as u32 * COPY_PS_PER_BYTE, ..*self }
    }

    /// The same, for long runs only.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "no such kernel yet"))]
    pub(crate) fn only_long(self) -> Self {
        Self { only_long: true, ..self }
    }

    /// Whether this CPU can run it.
    pub(crate) fn is_supported(&self) -> bool {
        (self.detect)()
    }

    /// Compresses every block of `blocks` into the first columns of `states`. Panics if the CPU lacks the instruction set, or if
    /// there are fewer lanes or columns than the shape has.
    #[inline]
    pub(crate) fn advance(&self, states: &mut States<C>, blocks: &Blocks) {
        (self.advance)(states, blocks);
    }

    /// Whether it has a kernel for a message dealt out to lanes.
    pub(crate) fn has_dealt(&self) -> bool {
        self.dealt.is_some()
    }

    /// Compresses every block of `dealt` into the first columns of `states`. Panics if the CPU lacks the instruction set, if
    /// [`has_dealt`](Self::has_dealt) is false, if there are fewer columns than the shape has lanes, or if there is not a whole vector behind
    /// the beginning of each row.
    #[inline]
    pub(crate) fn advance_dealt(&self, states: &mut States<C>, dealt: &Dealt) {
        (self.dealt.expect("asked for only if it is there"))(states, dealt);
    }

    /// Whether it has a kernel for short messages, which pads in registers.
    pub(crate) fn has_short(&self) -> bool {
        self.short.is_some()
    }

    /// Hashes a whole message in every lane; the final states come into the first of `digests`. Panics if the CPU lacks the instruction
    /// set, if [`has_short`](Self::has_short) is false, or if there are fewer lanes than the shape has.
    #[inline]
    pub(crate) fn hash_short(&self, batch: &short::Batch<'_, '_, C>, digests: &mut [Row; MAX_LANES]) {
        (self.short.expect("asked for only if it is there"))(batch, digests);
    }

    /// The same, but it computes nothing: what it is asked for is remembered.
    #[cfg(feature = "kernels")]
    pub(crate) fn recording(&self) -> Self {
        Self { advance: |_, blocks| crate::kernels::recording::record(blocks), dealt: None, short: None, ..*self }
    }

    /// A shape that computes nothing, for tests of schedules.
    #[cfg(test)]
    pub(crate) fn model(name: &'static str, lanes: usize, cost_ps: u32) -> Self {
        Self { name, lanes, cost_ps, only_long: false, detect: || true, advance: |_, _| {}, dealt: None, short: None }
    }
}

/// The token of a shape's instruction set. Panics if the CPU lacks it.
#[inline(always)]
fn token<I: Token>() -> I {
    I::detect().expect("a shape is used only where its instruction set is")
}

struct Lanes<'a, 's, 'b, C: Compression> {
    states: &'a mut States<'s, C>,
    blocks: &'a Blocks<'b>,
}

impl<I: Isa, C: Compression> Task<I> for Lanes<'_, '_, '_, C> {
    type Output = ();
    #[inline(always)]
    fn run(self, isa: I) {
        let mut state = self.states.read(isa);
        let mut at = 0;
        while at < self.blocks.len_bytes() {
            let words = Words::load_block(isa, C::BYTE_ORDER, self.blocks, 0, at);
            C::compress(isa, &mut state, words);
            at += C::BLOCK_BYTES;
        }
        self.states.write(&state);
    }
}

struct DealtLanes<'a, 's, 'b, C: Compression> {
    states: &'a mut States<'s, C>,
    dealt: &'a Dealt<'b>,
}

impl<I: Isa, C: Compression> Task<I> for DealtLanes<'_, '_, '_, C> {
    type Output = ();
    #[inline(always)]
    fn run(self, isa: I) {
        let mut state = self.states.read(isa);
        for block in 0..self.dealt.blocks {
            let rows = self.dealt.rows(block, <WordOf<C> as Word>::Vector::<I>::LANES * size_of::<WordOf<C>>());
            macro_rules! words { ($($i:literal)*) => { [$(Words::read_bytes(isa, C::BYTE_ORDER, rows.vector($i))),*] } }
            C::compress(isa, &mut state, sixteen!(words));
        }
        self.states.write(&state);
    }
}

struct Interleaved<'a, 's, 'b, C: Compression, const N: usize> {
    states: &'a mut States<'s, C>,
    blocks: &'a Blocks<'b>,
}

impl<I: Solo<C>, C: Compression, const N: usize> Task<I> for Interleaved<'_, '_, '_, C, N> {
    type Output = ();
    #[inline(always)]
    fn run(self, isa: I) {
        let mut states = [isa.load(&self.states.column(0)); N];
        for (message, state) in states.iter_mut().enumerate() {
            *state = isa.load(&self.states.column(message));
        }
        isa.compress(&mut states, self.blocks);
        for (message, state) in states.iter().enumerate() {
            self.states.set_column(message, &isa.store(state));
        }
    }
}

/// Every shape of a compression function that this CPU can run, and what to do with them.
pub(crate) struct Shapes<C: Compression> {
    /// All there are, whatever the CPU, narrowest lanes first.
    pub(crate) all: Vec<Shape<C>>,
    /// The mixture of shapes used when nobody forces one.
    pub(crate) automatic: Plan<C>,
    /// The same for a message dealt out to lanes: see [`Shape::for_dealt`].
    pub(crate) automatic_dealt: Plan<C>,
    /// For each of `all`, it alone; `None` if the CPU lacks it.
    pub(crate) forced: Vec<Option<Plan<C>>>,
}

impl<C: Compression> Shapes<C> {
    /// Asks the CPU. Not cheap: see [`cache!`].
    pub(crate) fn detect() -> Self {
        let mut all = isa::lane_shapes::<C>();
        all.extend(C::solo_shapes());
        let supported: Vec<_> = all.iter().copied().filter(Shape::is_supported).collect();
        let forced = all.iter().map(|shape| shape.is_supported().then(|| Plan::new(vec![*shape]))).collect();
        let dealt = supported.iter().map(Shape::for_dealt).collect();
        Self { automatic_dealt: Plan::new(dealt), automatic: Plan::new(supported), forced, all }
    }
}

/// Defines `Compression::shapes`: a generic function can't have a static of its own.
macro_rules! cache {
    ($Compression:ident) => {
        fn shapes() -> &'static $crate::shape::Shapes<Self> {
            static SHAPES: std::sync::OnceLock<$crate::shape::Shapes<$Compression>> = std::sync::OnceLock::new();
            SHAPES.get_or_init($crate::shape::Shapes::detect)
        }
    };
}
pub(crate) use cache;

/// More shapes than any compression function has.
const MAX_SHAPES: usize = 24;

/// What was done: for each shape of a plan, steps run, a block in each of its lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) steps: [u64; MAX_SHAPES],
}

/// The shapes a schedule may use.
pub(crate) struct Plan<C: Compression> {
    /// The shapes, in no order.
    pub(crate) shapes: Vec<Shape<C>>,
    /// Index of the one that advances most messages for its time in long runs.
    pub(crate) widest: usize,
    /// The same for short runs.
    widest_short: usize,
    /// The cheapest way to advance 0, 1, 2, ... messages by a block each, in short runs and in long ones.
    cheapest: [Vec<Cheapest>; 2],
}

/// A way to advance some messages by a block each: a step of a shape, then the cheapest way for those left.
#[derive(Clone, Copy, Default)]
struct Cheapest {
    shape: usize,
    cost_ps: u64,
}

impl<C: Compression> Plan<C> {
    /// Panics if there are no shapes, or more than [`MAX_SHAPES`].
    pub(crate) fn new(shapes: Vec<Shape<C>>) -> Self {
        assert!(shapes.len() <= MAX_SHAPES);
        let usable = |long: bool| {
            let is_usable = |shape: &usize| long || !shapes[*shape].only_long || shapes.len() == 1;
            (0..shapes.len()).filter(is_usable).collect::<Vec<usize>>()
        };
        let cheapest = [false, true].map(|long| {
            let usable = usable(long);
            let mut cheapest = vec![Cheapest::default()];
            for messages in 1..=MAX_LANES {
                let first = |shape: usize| {
                    let Shape { lanes, cost_ps, .. } = &shapes[shape];
                    Cheapest { shape, cost_ps: u64::from(*cost_ps) + cheapest[messages - messages.min(*lanes)].cost_ps }
                };
                let best = usable.iter().map(|shape| first(*shape)).min_by_key(|way| (way.cost_ps, usize::MAX - shapes[way.shape].lanes));
                cheapest.push(best.expect("the portable shape is always there"));
            }
            cheapest
        });
        let rate = |shape: &usize| shapes[*shape].lanes as f64 / f64::from(shapes[*shape].cost_ps);
        let widest = |long| usable(long).into_iter().max_by(|one, other| rate(one).total_cmp(&rate(other))).expect("a shape");
        Self { widest: widest(true), widest_short: widest(false), cheapest, shapes }
    }

    /// The shape that advances most messages for its time in long runs.
    #[inline]
    pub(crate) fn widest_shape(&self) -> &Shape<C> {
        &self.shapes[self.widest]
    }

    /// The shape that advances most messages for its time in runs of so many blocks.
    #[inline]
    pub(crate) fn widest_for(&self, blocks: u64) -> &Shape<C> {
        &self.shapes[self.widest_index(blocks)]
    }

    #[inline]
    fn widest_index(&self, blocks: u64) -> usize {
        if blocks > SHORT_BLOCKS { self.widest } else { self.widest_short }
    }

    /// Index of the shape to begin with when so many messages of so many blocks are to be done one set of lanes after the other.
    #[inline]
    pub(crate) fn best_for(&self, messages: usize, blocks: u64) -> usize {
        self.cheapest[usize::from(blocks > SHORT_BLOCKS)].get(messages).map_or_else(|| self.widest_index(blocks), |way| way.shape)
    }

    /// Picoseconds to advance so many messages by a block each, one set of lanes after the other, in runs of so many blocks.
    #[inline]
    pub(crate) fn cost_ps(&self, messages: usize, blocks: u64) -> u64 {
        match self.cheapest[usize::from(blocks > SHORT_BLOCKS)].get(messages) {
            Some(way) => way.cost_ps,
            None => u64::from(self.widest_for(blocks).cost_ps) * messages.div_ceil(self.widest_for(blocks).lanes) as u64,
        }
    }

    /// The least picoseconds a block can take while no more than so many messages advance.
    pub(crate) fn least_ps_per_block(&self, messages: usize) -> f64 {
        let cost = |shape: &Shape<C>| f64::from(shape.cost_ps) / messages.min(shape.lanes) as f64;
        self.shapes.iter().map(cost).fold(f64::INFINITY, f64::min)
    }

    /// The shape for one message alone.
    #[inline]
    pub(crate) fn single(&self) -> &Shape<C> {
        &self.shapes[self.best_for(1, 1)]
    }
}
