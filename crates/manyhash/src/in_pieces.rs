//! A message that arrives in pieces, for all that takes such messages.

#[cfg(feature = "hmac")]
use crate::algorithm::WordOf;
use crate::algorithm::ending::{BlockBytes, Ending, Tail, whole_bytes, zeros};
use crate::algorithm::{ChainingOf, TreeNode, write_digest};
use crate::backend;
#[cfg(feature = "hmac")]
use crate::isa::Word;
use crate::kernel::start::Start;
use crate::schedule::chunks::{GROUP_CHUNKS, Pair, Stack, Trees, VALUE_BYTES};
use crate::schedule::compiled::Compiled;
use crate::schedule::mix::Mix;
use crate::threads;
use alloc::boxed::Box;
use core::convert::Infallible;

/// What returns the values beneath the root of a subtree of these bytes.
pub(crate) type Halves<'a> = &'a dyn Fn(&[u8]) -> Pair;

/// A state, and the bytes that do not fill a block yet.
#[derive(Clone)]
pub(crate) struct InPieces<C: Compiled> {
    state: ChainingOf<C>,
    /// The bytes that have not been compressed yet are the first `rest_bytes` of these.
    rest: BlockBytes<C>,
    rest_bytes: usize,
    /// Bytes of the message, those before its start included.
    pub(crate) bytes: u64,
    /// What comes before the chunk that the state is of, if long messages are trees of chunks.
    before: Option<Box<Before<C>>>,
}

/// The chunks of a message before the current one.
#[derive(Clone)]
struct Before<C: Compiled> {
    /// The state that the message would begin with, were it one chunk.
    start: ChainingOf<C>,
    stack: Stack,
}

impl<C: Compiled> Before<C> {
    fn bytes(&self) -> u64 {
        self.stack.chunks * C::CHUNK_BYTES as u64
    }
}

impl<C: Compiled> InPieces<C> {
    /// Begins a message from `start`, which stands for the bytes before it.
    pub(crate) fn starting(start: Start<C>) -> Self {
        let before = C::HAS_CHUNKS.then(|| Box::new(Before { start: start.state, stack: Stack::default() }));
        Self { state: start.state, rest: zeros::<C, 8>(), rest_bytes: 0, bytes: start.bytes, before }
    }

    /// Appends a piece to the message.
    #[inline]
    pub(crate) fn update(&mut self, piece: &[u8]) {
        self.update_on(backend::mix_of(), piece);
    }

    /// Appends a piece to the message, on the kernels of `mix`.
    #[inline]
    pub(crate) fn update_on(&mut self, mix: &Mix<C>, piece: &[u8]) {
        self.update_on_threads(mix, piece, 1);
    }

    /// Appends a piece to the message, on the kernels of `mix`, and its whole subtrees on up to `threads`
    /// threads, if there are several.
    pub(crate) fn update_on_threads(&mut self, mix: &Mix<C>, mut piece: &[u8], threads: usize) {
        if !C::HAS_CHUNKS {
            return self.absorb(mix, piece);
        }
        while !piece.is_empty() {
            // A chunk is never ended before more of the message comes: it could be the root.
            if self.chunk_bytes() == C::CHUNK_BYTES as u64 {
                self.end_chunk(mix);
            }
            let begun = self.chunk_bytes() as usize;
            let Some(before) = &self.before else { return };
            let chunks = if begun == 0 { before.stack.next_chunks::<C>(piece.len()) } else { 0 };
            if chunks == 0 {
                let (now, later) = piece.split_at(piece.len().min(C::CHUNK_BYTES - begun));
                self.absorb(mix, now);
                piece = later;
                continue;
            }
            // The largest subtrees go out to threads together.
            let subtrees = if chunks == GROUP_CHUNKS && threads > 1 { piece.len() / (chunks * C::CHUNK_BYTES) } else { 1 };
            let (now, later) = piece.split_at(subtrees * chunks * C::CHUNK_BYTES);
            let subtree_bytes = chunks * C::CHUNK_BYTES;
            let hash = |i: usize, halves: Halves<'_>| Ok::<_, Infallible>(halves(&now[i * subtree_bytes..][..subtree_bytes]));
            let Ok(()) = self.push_subtrees(mix, chunks, subtrees, threads, hash);
            piece = later;
        }
    }

    /// Appends `subtrees` subtrees of so many chunks, on up to `threads` threads. If there are any, the message has whole ones
    /// of them so far. `hash` gets the number of a subtree, and what makes its halves of its bytes. Its first error ends the
    /// message.
    pub(crate) fn push_subtrees<E: Send>(
        &mut self,
        mix: &Mix<C>,
        chunks: usize,
        subtrees: usize,
        threads: usize,
        hash: impl Fn(usize, Halves<'_>) -> Result<Pair, E> + Sync,
    ) -> Result<(), E> {
        if subtrees == 0 {
            return Ok(());
        }
        if self.chunk_bytes() == C::CHUNK_BYTES as u64 {
            self.end_chunk(mix);
        }
        let Some(before) = &mut self.before else { return Ok(()) };
        let (trees, first) = (Trees { mix, start: &before.start }, before.stack.chunks);
        let hash = |i: usize| hash(i, &|bytes| C::halves(trees, bytes, first + (i * chunks) as u64));
        for halves in threads::map(threads, (0..subtrees).collect(), hash) {
            C::push_halves(trees, &mut before.stack, &halves?, chunks as u64);
        }
        self.bytes += (subtrees * chunks * C::CHUNK_BYTES) as u64;
        self.begin_chunk();
        Ok(())
    }

    /// Appends a piece to the chain of blocks.
    fn absorb(&mut self, mix: &Mix<C>, mut piece: &[u8]) {
        self.bytes += piece.len() as u64;
        let kept = self.rest_bytes;
        if kept > 0 {
            let (completing, later) = piece.split_at(piece.len().min(C::BLOCK_BYTES - kept));
            let rest = self.rest.as_mut().as_flattened_mut();
            rest[kept..kept + completing.len()].copy_from_slice(completing);
            self.rest_bytes += completing.len();
            if whole_bytes::<C>(self.rest_bytes + later.len()) == 0 {
                return;
            }
            C::compress_alone(mix, &mut self.state, &rest[..C::BLOCK_BYTES]);
            piece = later;
        }
        let (blocks, rest) = piece.split_at(whole_bytes::<C>(piece.len()));
        if !blocks.is_empty() {
            C::compress_alone(mix, &mut self.state, blocks);
        }
        self.rest.as_mut().as_flattened_mut()[..rest.len()].copy_from_slice(rest);
        self.rest_bytes = rest.len();
    }

    /// Returns how many bytes the chain of blocks has: those of the message, or those of a chunk.
    fn chunk_bytes(&self) -> u64 {
        self.bytes - self.before.as_ref().map_or(0, |before| before.bytes())
    }

    /// Begins the chunk behind all others.
    fn begin_chunk(&mut self) {
        let Some(before) = &self.before else { return };
        self.state = C::node(&before.start, TreeNode::Chunk(before.stack.chunks));
        self.rest_bytes = 0;
    }

    /// Ends the current chunk, which is not the root, and begins the one after it.
    fn end_chunk(&mut self, mix: &Mix<C>) {
        let value = self.chunk_value(mix);
        if let Some(Before { start, stack }) = self.before.as_deref_mut() {
            C::push(Trees { mix, start }, stack, &value, 1);
        }
        self.begin_chunk();
    }

    /// Ends the current chunk, which is not the root.
    fn chunk_value(&mut self, mix: &Mix<C>) -> [u8; VALUE_BYTES] {
        if let Some(before) = &self.before
            && before.stack.chunks == 0
        {
            // It began as the only one.
            self.state = C::node(&self.state, TreeNode::Chunk(0));
        }
        let mut value = [0; VALUE_BYTES];
        let bytes = self.chunk_bytes();
        write_digest::<C>(self.end(mix, bytes), &mut value);
        value
    }

    /// Returns the state before the last blocks of the message, and the bytes of these blocks. No more of the
    /// message may come.
    pub(crate) fn last_blocks(&mut self, mix: &Mix<C>) -> (&ChainingOf<C>, &[u8]) {
        if self.before.as_ref().is_some_and(|before| before.stack.chunks > 0) {
            let value = (self.chunk_bytes() > 0).then(|| self.chunk_value(mix));
            if let Some(mut before) = self.before.take() {
                let pair = C::root(Trees { mix, start: &before.start }, &mut before.stack, value.as_ref());
                self.state = C::node(&before.start, TreeNode::Root);
                self.rest.as_mut().as_flattened_mut()[..pair.len()].copy_from_slice(&pair);
                (self.rest_bytes, self.bytes) = (pair.len(), pair.len() as u64);
            }
        }
        (&self.state, &self.rest.as_ref().as_flattened()[..self.rest_bytes])
    }

    /// Pads and returns the final state. The message then has no more use.
    #[inline]
    pub(crate) fn finish(&mut self) -> &ChainingOf<C> {
        self.finish_on(backend::mix_of())
    }

    /// Pads and returns the final state, on the kernels of `mix`.
    pub(crate) fn finish_on(&mut self, mix: &Mix<C>) -> &ChainingOf<C> {
        if C::HAS_CHUNKS {
            self.last_blocks(mix);
        }
        self.end(mix, self.bytes)
    }

    /// Pads the chain of blocks, which has `bytes` bytes, and returns its final state.
    fn end(&mut self, mix: &Mix<C>, bytes: u64) -> &ChainingOf<C> {
        let mut tail = Tail::<C>::empty();
        tail.set(&self.rest.as_ref().as_flattened()[..self.rest_bytes], bytes, C::Ending::first(&self.state));
        C::Ending::mark_end(&mut self.state, tail.end());
        C::compress_alone(mix, &mut self.state, tail.blocks());
        &self.state
    }

    /// Overwrites the state and the bytes that are kept with zeros.
    #[cfg(feature = "hmac")]
    pub(crate) fn erase(&mut self) {
        WordOf::<C>::erase(self.state.as_mut());
        zeroize::Zeroize::zeroize(self.rest.as_mut().as_flattened_mut());
        if let Some(before) = &mut self.before {
            WordOf::<C>::erase(before.start.as_mut());
        }
    }
}
