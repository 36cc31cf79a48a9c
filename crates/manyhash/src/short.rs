//! Short messages: as many of the same number of blocks as a shape has lanes go from the initial value to their digests in one run.
//!
//! No slots, no midstates: the lanes stay in step. Padding is made in registers, by masked loads. A last block that all lanes share,
//! as after messages of one length that is whole blocks, has its schedule computed once for all batches.

use crate::algorithm::{Algorithm, ChainingOf, Compression, CompressionOf, MAX_ROUNDS, WordOf, digest};
use crate::isa::Task;
use crate::lanes::{ByteOrder, Isa, MAX_LANES, Whole, Word, Words};
use crate::many::Messages;
use crate::shape::Shape;
use crate::states::States;

/// Messages of more blocks have little to gain.
pub(crate) const MAX_BLOCKS: u64 = 64;

/// What the kernel gets.
pub(crate) struct Batch<'a, 'm, C: Compression> {
    initial: &'a ChainingOf<C>,
    messages: &'a Whole<'m>,
    /// Of every message, padding included.
    blocks: usize,
    /// The last block's schedule, if all lanes share it.
    shared_end: Option<&'a [WordOf<C>; MAX_ROUNDS]>,
}

/// The kernel: leaves the final states in the first columns.
pub(crate) struct Run<'a, 'm, 's, C: Compression> {
    pub(crate) batch: &'a Batch<'a, 'm, C>,
    pub(crate) states: &'a mut States<'s, C>,
}

impl<I: Isa, C: Compression> Task<I> for Run<'_, '_, '_, C> {
    type Output = ();
    #[inline(always)]
    fn run(self, isa: I) {
        let Batch { initial, messages, blocks, shared_end } = *self.batch;
        let mut state = C::filled(<WordOf<C> as Word>::Vector::<I>::splat(isa, WordOf::<C>::default()));
        for (vector, word) in state.as_mut().iter_mut().zip(initial.as_ref()) {
            *vector = Words::splat(isa, *word);
        }
        let mut bits = [WordOf::<C>::default(); MAX_LANES];
        for (lane, bits) in bits[..<WordOf<C> as Word>::Vector::<I>::LANES].iter_mut().enumerate() {
            *bits = WordOf::<C>::from(8 * messages.bytes(lane));
        }
        let whole = messages.blocks(0, messages.fewest_bytes() - messages.fewest_bytes() % C::BLOCK_BYTES);
        let made = if shared_end.is_some() { blocks - 1 } else { blocks };
        for block in 0..made {
            let at = block * C::BLOCK_BYTES;
            let mut words = if at < whole.len_bytes() {
                Words::load_block(isa, C::BYTE_ORDER, &whole, 0, at)
            } else {
                Words::load_padded(isa, C::BYTE_ORDER, messages, 0, at)
            };
            if block == blocks - 1 {
                words[length_word::<C>()] = Words::read(isa, &bits);
            }
            C::compress(isa, &mut state, words);
        }
        if let Some(expanded) = shared_end {
            C::compress_constant(isa, &mut state, expanded);
        }
        for (i, vector) in state.as_ref().iter().enumerate() {
            vector.write(self.states.row_mut(i));
        }
    }
}

/// The word of the last block that has the lower bits of the length.
const fn length_word<C: Compression>() -> usize {
    match C::BYTE_ORDER {
        ByteOrder::Big => 15,
        ByteOrder::Little => 14,
    }
}

/// Hashes messages `indices(0..count)`, all of `blocks` blocks, a multiple of the shape's lanes.
pub(crate) fn hash<A: Algorithm>(
    shape: &Shape<CompressionOf<A>>,
    messages: &(impl Messages + ?Sized),
    digests: &mut [A::Digest],
    blocks: u64,
    count: usize,
    index: impl Fn(usize) -> usize,
) {
    let bytes = messages.message(index(0)).len();
    let ends_alike = bytes.is_multiple_of(A::BLOCK_BYTES) && (1..count).all(|i| messages.message(index(i)).len() == bytes);
    let shared_end = ends_alike.then(|| shared_end::<CompressionOf<A>>(bytes));
    let mut rows = CompressionOf::<A>::filled([WordOf::<CompressionOf<A>>::default(); MAX_LANES]);
    let mut states = States::of_rows(&mut rows);
    for first in (0..count).step_by(shape.lanes) {
        let whole = Whole::new(shape.lanes, |lane| messages.message(index(first + lane)));
        let batch = Batch { initial: &A::INITIAL, messages: &whole, blocks: blocks as usize, shared_end: shared_end.as_ref() };
        shape.hash_short(&batch, &mut states);
        for lane in 0..shape.lanes {
            digests[index(first + lane)] = digest::<A>(&states.column(lane));
        }
    }
}

/// The schedule of the block after a message of `bytes` bytes, which are whole blocks.
fn shared_end<C: Compression>(bytes: usize) -> [WordOf<C>; MAX_ROUNDS] {
    let mut words = [WordOf::<C>::default(); 16];
    words[0] = WordOf::<C>::first_bit(C::BYTE_ORDER);
    words[length_word::<C>()] = WordOf::<C>::from((bytes as u32).wrapping_mul(8));
    C::expand(words)
}
