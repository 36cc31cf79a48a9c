//! Shapes: a compression function's kernels, each an instruction set and a number of messages it advances together.

#[cfg(all(test, target_arch = "x86_64", target_os = "linux"))]
mod census;

use crate::algorithm::{Compression, WordOf};
use crate::cost;
use crate::isa::{self, Task};
use crate::lanes::{Blocks, Isa, MAX_LANES, Word, Words};
use crate::short;
use crate::solo::Solo;
use crate::states::States;

type HashShort<C> = fn(&short::Batch<'_, '_, C>, &mut States<'_, C>);

/// One kernel of the compression function `C`.
#[derive(Clone, Copy)]
pub(crate) struct Shape<C: Compression> {
    /// The backend's name.
    pub(crate) name: &'static str,
    /// Messages it advances together.
    pub(crate) lanes: usize,
    /// Picoseconds a step takes: one block in each lane. Only ratios matter.
    pub(crate) cost_ps: u32,
    detect: fn() -> bool,
    advance: fn(&mut States<'_, C>, &Blocks<'_>),
    short: Option<HashShort<C>>,
}

impl<C: Compression> Shape<C> {
    /// The lanes of an instruction set.
    pub(crate) fn lanes<I: Isa>(name: &'static str) -> Self {
        let lanes = <<WordOf<C> as Word>::Vector<I> as Words>::LANES;
        assert!(lanes <= MAX_LANES);
        let advance = |states: &mut States<C>, blocks: &Blocks| {
            let isa = I::detect().expect("a shape is used only where its instruction set is");
            isa.run(Lanes { states, blocks });
        };
        let short = |batch: &short::Batch<C>, states: &mut States<C>| {
            let isa = I::detect().expect("a shape is used only where its instruction set is");
            isa.run(short::Run { batch, states });
        };
        let pads = <<WordOf<C> as Word>::Vector<I> as Words>::PADS;
        Self {
            name,
            lanes,
            cost_ps: cost::picoseconds(C::NAME, name, lanes),
            detect: || I::detect().is_some(),
            advance,
            short: pads.then_some(short),
        }
    }

    /// `N` messages interleaved, each in registers of its own.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "no other solo kernels yet"))]
    pub(crate) fn solo<I: Solo<C>, const N: usize>(name: &'static str) -> Self {
        let advance = |states: &mut States<C>, blocks: &Blocks| {
            let isa = I::detect().expect("a shape is used only where its instruction set is");
            isa.run(Interleaved::<C, N> { states, blocks });
        };
        Self { name, lanes: N, cost_ps: cost::picoseconds(C::NAME, name, N), detect: || I::detect().is_some(), advance, short: None }
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

    /// Whether it has a kernel for short messages.
    pub(crate) fn has_short(&self) -> bool {
        self.short.is_some()
    }

    /// Hashes a whole message in every lane; the final states come into the first columns of `states`. Panics if the CPU lacks the
    /// instruction set, if [`has_short`](Self::has_short) is false, or if there are fewer lanes or columns than the shape has.
    #[inline]
    pub(crate) fn hash_short(&self, batch: &short::Batch<'_, '_, C>, states: &mut States<'_, C>) {
        (self.short.expect("asked for only if it is there"))(batch, states);
    }

    /// A shape that computes nothing, for tests of schedules.
    #[cfg(test)]
    pub(crate) fn model(name: &'static str, lanes: usize, cost_ps: u32) -> Self {
        Self { name, lanes, cost_ps, detect: || true, advance: |_, _| {}, short: None }
    }
}

struct Lanes<'a, 's, 'b, C: Compression> {
    states: &'a mut States<'s, C>,
    blocks: &'a Blocks<'b>,
}

impl<I: Isa, C: Compression> Task<I> for Lanes<'_, '_, '_, C> {
    type Output = ();
    #[inline(always)]
    fn run(self, isa: I) {
        let mut state = C::filled(<WordOf<C> as Word>::Vector::<I>::splat(isa, WordOf::<C>::default()));
        for (i, vector) in state.as_mut().iter_mut().enumerate() {
            *vector = Words::read(isa, self.states.row(i));
        }
        let mut at = 0;
        while at < self.blocks.len_bytes() {
            let words = Words::load_block(isa, C::BYTE_ORDER, self.blocks, 0, at);
            C::compress(isa, &mut state, words);
            at += C::BLOCK_BYTES;
        }
        for (i, vector) in state.as_ref().iter().enumerate() {
            vector.write(self.states.row_mut(i));
        }
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
        Self { automatic: Plan::new(supported), forced, all }
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

/// The shapes a schedule may use.
pub(crate) struct Plan<C: Compression> {
    /// The shapes, in no order.
    pub(crate) shapes: Vec<Shape<C>>,
    /// Index of the one that advances most messages for its time.
    pub(crate) widest: usize,
    /// Index of the best for 0, 1, 2, ... messages of one length.
    best_for: Vec<usize>,
}

impl<C: Compression> Plan<C> {
    /// Panics if there are no shapes.
    pub(crate) fn new(shapes: Vec<Shape<C>>) -> Self {
        let best = |messages: usize| {
            let rate = |shape: &usize| messages.min(shapes[*shape].lanes) as f64 / f64::from(shapes[*shape].cost_ps);
            (0..shapes.len()).max_by(|one, other| rate(one).total_cmp(&rate(other))).expect("the portable shape is always there")
        };
        let best_for = (0..=MAX_LANES).map(best).collect();
        Self { widest: best(usize::MAX), best_for, shapes }
    }

    /// The shape that advances most messages for its time.
    pub(crate) fn widest_shape(&self) -> &Shape<C> {
        &self.shapes[self.widest]
    }

    /// Index of the shape that advances most of so many messages for its time.
    #[inline]
    pub(crate) fn best_for(&self, messages: usize) -> usize {
        self.best_for[messages.min(MAX_LANES)]
    }

    /// The shape for one message alone.
    #[inline]
    pub(crate) fn single(&self) -> &Shape<C> {
        &self.shapes[self.best_for[1]]
    }
}
