//! Readers of messages that may be trees of chunks. The chunks of a long message fill the lanes by
//! themselves, so it is read alone, piece by piece. Short ones are read whole, and share the lanes.

use super::{Lend, ReadAt};
use crate::algorithm::{CompressionOf, digest};
use crate::algorithms::Algorithm;
use crate::in_pieces::InPieces;
use crate::kernel::start::Start;
use crate::schedule::compiled::Compiled;
use crate::schedule::digests::Digests;
use crate::schedule::messages::Slice;
use crate::schedule::mix::Mix;
use std::io;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The most bytes of a long message that are read before they are hashed. They are in the second cache
/// then.
const PIECE_BYTES: usize = 256 << 10;

/// The chunks of a subtree that a thread reads and hashes: they stay in its second cache.
const SHARED_CHUNKS: usize = 128;

/// What may be used at once.
#[derive(Clone, Copy)]
pub(super) struct Room {
    /// How many readers may be open.
    pub(super) most_open: usize,
    /// The bytes of messages that may be in memory.
    pub(super) bytes: usize,
    /// How many threads share what is lent of a long message.
    pub(super) threads: usize,
}

/// Hashes every reader to its end.
pub(super) fn hash<A: Algorithm, R: Lend>(
    mix: &Mix<CompressionOf<A>>,
    start: &Start<CompressionOf<A>>,
    room: Room,
    mut readers: impl Iterator<Item = (R, u64)>,
    mut finished: impl FnMut(R, io::Result<A::Digest>),
) {
    let mut short = Short::<A, R> { mix, start, threads: room.threads, memory: vec![0; room.bytes], filled: 0, read: Vec::new() };
    loop {
        match readers.next() {
            Some((reader, _)) => {
                short.take(reader, &mut finished);
                if short.read.len() == room.most_open {
                    short.hash(&mut finished);
                }
            }
            None if short.read.is_empty() => return,
            // One may come after these.
            None => short.hash(&mut finished),
        }
    }
}

/// Short messages that were read and are not hashed yet.
struct Short<'a, A: Algorithm, R> {
    mix: &'a Mix<CompressionOf<A>>,
    start: &'a Start<CompressionOf<A>>,
    threads: usize,
    memory: Vec<u8>,
    filled: usize,
    /// The readers, and where their messages are in `memory`.
    read: Vec<(R, Range<usize>)>,
}

impl<A: Algorithm, R: Lend> Short<'_, A, R> {
    /// Reads a message to its end, or if it is long, hashes it.
    fn take(&mut self, mut reader: R, finished: &mut impl FnMut(R, io::Result<A::Digest>)) {
        let mut first = self.filled;
        loop {
            if self.filled == self.memory.len() {
                if first == 0 {
                    return self.hash_long(reader, None, finished);
                }
                // The memory begins anew with what is read of this message.
                let moved = first..self.filled;
                self.filled = first;
                self.hash(finished);
                self.filled = moved.len();
                self.memory.copy_within(moved, 0);
                first = 0;
            }
            match next_of(&mut reader, &mut self.memory[self.filled..]) {
                Ok(Next::Lent(lent)) => {
                    let moved = first..self.filled;
                    self.filled = first;
                    self.hash(finished);
                    self.filled = moved.len();
                    self.memory.copy_within(moved, 0);
                    return self.hash_long(reader, Some(lent), finished);
                }
                Ok(Next::Read(0)) => return self.read.push((reader, first..self.filled)),
                Ok(Next::Read(bytes)) => self.filled += bytes,
                Err(error) => {
                    self.filled = first;
                    return finished(reader, Err(error));
                }
            }
        }
    }

    /// Hashes a message piece by piece, and leaves the memory empty. What is in the memory is its
    /// beginning, and `lent` comes next.
    fn hash_long(&mut self, mut reader: R, lent: Option<R::Lent>, finished: &mut impl FnMut(R, io::Result<A::Digest>)) {
        let mut message = InPieces::starting(*self.start);
        message.update_on(self.mix, &self.memory[..self.filled]);
        self.filled = 0;
        if let Some(lent) = lent {
            message.update_on_threads(self.mix, lent.as_ref(), self.threads);
        }
        let piece_bytes = self.memory.len().min(PIECE_BYTES);
        let piece = &mut self.memory[..piece_bytes];
        let mut filled = 0;
        let result = loop {
            if filled == 0 && self.threads > 1 {
                match reader
                    .share()
                    .and_then(|source| source.map(|source| share(self.mix, &mut message, &*source, self.threads)).transpose())
                {
                    Ok(None) => {}
                    Ok(Some(())) => continue,
                    Err(error) => break Err(error),
                }
            }
            match next_of(&mut reader, &mut piece[filled..]) {
                Ok(Next::Lent(lent)) => {
                    message.update_on(self.mix, &piece[..std::mem::take(&mut filled)]);
                    message.update_on_threads(self.mix, lent.as_ref(), self.threads);
                }
                Ok(Next::Read(0)) => {
                    message.update_on(self.mix, &piece[..filled]);
                    break Ok(digest::<A>(message.finish_on(self.mix)));
                }
                Ok(Next::Read(bytes)) => {
                    filled += bytes;
                    if filled == piece.len() {
                        message.update_on(self.mix, piece);
                        filled = 0;
                    }
                }
                Err(error) => break Err(error),
            }
        };
        finished(reader, result);
    }

    /// Hashes the messages that were read, and leaves the memory empty.
    fn hash(&mut self, finished: &mut impl FnMut(R, io::Result<A::Digest>)) {
        let messages: Vec<&[u8]> = self.read.iter().map(|(_, range)| &self.memory[range.clone()]).collect();
        let mut digests = vec![A::ZERO; messages.len()];
        <CompressionOf<A>>::hash_many(self.mix, &self.start.into(), &Slice(&messages), &mut Digests::of::<A>(&mut digests), None);
        self.filled = 0;
        for ((reader, _), digest) in self.read.drain(..).zip(digests) {
            finished(reader, Ok(digest));
        }
    }
}

/// Appends what `source` has to a message. Threads read and hash whole subtrees of it.
fn share<C: Compiled>(mix: &Mix<C>, message: &mut InPieces<C>, source: &dyn ReadAt, threads: usize) -> io::Result<()> {
    let (bytes, subtree_bytes) = (source.bytes(), SHARED_CHUNKS * C::CHUNK_BYTES);
    if bytes == 0 {
        return Err(io::Error::other(super::LENT_TOO_LITTLE));
    }
    let mut buffer = vec![0; subtree_bytes];
    let mut here = |message: &mut InPieces<C>, position, end: u64| {
        let part = &mut buffer[..(end - position) as usize];
        source.read_at(position, part)?;
        message.update_on(mix, part);
        Ok::<_, io::Error>(())
    };
    let begin = bytes.min(message.bytes.next_multiple_of(subtree_bytes as u64) - message.bytes);
    here(message, 0, begin)?;
    let subtrees = (bytes - begin) / subtree_bytes as u64;
    let buffers = Mutex::new(Vec::new());
    message.push_subtrees(mix, SHARED_CHUNKS, subtrees as usize, threads, |i, halves| {
        let free = || buffers.lock().unwrap_or_else(PoisonError::into_inner);
        let buffer = free().pop();
        let mut buffer = buffer.unwrap_or_else(|| vec![0; subtree_bytes]);
        source.read_at(begin + (i * subtree_bytes) as u64, &mut buffer)?;
        let halves = halves(&buffer);
        free().push(buffer);
        Ok::<_, io::Error>(halves)
    })?;
    here(message, begin + subtrees * subtree_bytes as u64, bytes)
}

/// What comes next of a message.
enum Next<L> {
    Lent(L),
    /// So many bytes are in the buffer; none, if the message has ended.
    Read(usize),
}

/// Takes the next bytes of a message.
fn next_of<R: Lend>(reader: &mut R, buffer: &mut [u8]) -> io::Result<Next<R::Lent>> {
    if let Some(lent) = reader.lend(0)? {
        return if lent.as_ref().is_empty() { Err(io::Error::other(super::LENT_TOO_LITTLE)) } else { Ok(Next::Lent(lent)) };
    }
    loop {
        match reader.read(buffer) {
            Ok(bytes) if bytes > buffer.len() => return Err(io::Error::other(super::READ_TOO_MUCH)),
            Ok(bytes) => return Ok(Next::Read(bytes)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
