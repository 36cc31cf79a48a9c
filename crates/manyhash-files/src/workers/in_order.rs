//! One file after the other, each from beginning to end: what disks with moving parts need, and
//! several algorithms over each byte.
//!
//! Files gather in one buffer, whole, and are hashed together, so that lanes are full too: when it
//! holds what a cache does, or if a disk is what takes longest, when it is full. A file larger than
//! the buffer is hashed alone, piece by piece.

use super::feed::{Feed, Sharing, Taking};
use super::{HashContents, Hashing, Shared};
use crate::algorithms::{Algorithms, Digests};
use crate::order::window::Job;
use crate::read::{Disk, Giving, JobReader, at_most, filled};
use std::io::{self, Read};
use std::ops::Range;

/// The most bytes of a worker's buffer.
const BUFFER_BYTES: usize = 16 << 20;

/// The bytes that gather before they are hashed: they are still in the core's cache.
const CACHED_BYTES: usize = 1 << 20;

/// Bytes of a piece of a file that is larger than the buffer: several algorithms find it in the
/// cache.
const PIECE_BYTES: usize = 256 << 10;

/// Hashes files from `job` on as long as they have the same algorithms. Gives back a job with other
/// algorithms, or for lanes, or nothing when none are left. `buffer` is the worker's, empty at
/// first.
pub fn serve(shared: &Shared, job: Job, disk: &Disk, buffer: &mut Vec<u8>) -> Option<Job> {
    let algorithms = job.algorithms;
    let taking = Taking { sharing: Sharing::ByNumber, giving: Giving::Copied };
    if buffer.is_empty() {
        *buffer = vec![0; BUFFER_BYTES.min(shared.buffer_bytes())];
    }
    let hash_contents = match &shared.settings.hashing {
        Hashing::Contents(hash) => Some(&**hash),
        _ => None,
    };
    let mut batch = Batch { algorithms, hash_contents, buffer, filled: 0, messages: Vec::new() };
    let mut first = job;
    loop {
        let feed = Feed::new(shared, first, taking, disk);
        while let Some(reader) = feed.next() {
            if batch.filled >= CACHED_BYTES && !disk.may_be_slow() {
                batch.hash(&feed);
            }
            batch.read(reader, &feed);
        }
        batch.hash(&feed);
        match feed.next_job() {
            Some(job) if job.algorithms == algorithms && !shared.is_for_lanes(&job, disk) => first = job,
            other => return other,
        }
    }
}

/// Files read but not yet hashed.
struct Batch<'a> {
    algorithms: Algorithms,
    /// The function that hashes if there are no algorithms.
    hash_contents: Option<&'a HashContents>,
    buffer: &'a mut [u8],
    filled: usize,
    /// The files in the buffer, and where their bytes are in it.
    messages: Vec<(JobReader, Range<usize>)>,
}

#[expect(clippy::indexing_slicing, reason = "`filled` is at most the length of the buffer, and the range of each message at most `filled`")]
impl Batch<'_> {
    /// Reads a file to its end. First hashes what is in the buffer, if the file does not fit beside
    /// it.
    fn read(&mut self, mut reader: JobReader, feed: &Feed) {
        let expected_bytes = usize::try_from(reader.job().size_bytes).unwrap_or(usize::MAX);
        if expected_bytes > self.buffer.len() - self.filled {
            self.hash(feed);
        }
        if expected_bytes > self.buffer.len() {
            return self.read_long(reader, feed);
        }
        let mut start = self.filled;
        while !reader.has_ended() {
            if self.filled == self.buffer.len() {
                if start == 0 {
                    return self.read_long(reader, feed);
                }
                // The file grew: the buffer begins anew with what is read of it.
                self.filled = start;
                let moved = start..self.buffer.len();
                self.hash(feed);
                self.filled = moved.len();
                self.buffer.copy_within(moved, 0);
                start = 0;
            }
            match reader.read(&mut self.buffer[self.filled..]) {
                Ok(bytes) => self.filled += bytes,
                Err(error) => {
                    self.filled = start;
                    return feed.finished(reader, Err(error));
                }
            }
        }
        reader.close();
        self.messages.push((reader, start..self.filled));
    }

    /// Hashes a file of which the buffer has the first `filled` bytes, and nothing else, piece by
    /// piece to its end.
    fn read_long(&mut self, mut reader: JobReader, feed: &Feed) {
        assert!(self.hash_contents.is_none(), "contents fit the buffer");
        let mut hashers = self.algorithms.hashers();
        for piece in self.buffer[..self.filled].chunks(PIECE_BYTES) {
            hashers.update(piece);
        }
        self.filled = 0;
        let piece = at_most(self.buffer, PIECE_BYTES);
        let mut hash_rest = || -> io::Result<()> {
            while !reader.has_ended() {
                let bytes = reader.read(piece)?;
                hashers.update(filled(piece, bytes)?);
            }
            Ok(())
        };
        let result = hash_rest();
        feed.finished(reader, result.map(|()| hashers.finalize()));
    }

    /// Hashes all files of the buffer.
    fn hash(&mut self, feed: &Feed) {
        let messages: Vec<&[u8]> = self.messages.iter().map(|(_, range)| &self.buffer[range.clone()]).collect();
        let digests = match self.hash_contents {
            Some(hash) => hash(&messages).into_iter().map(Digests::of_contents).collect(),
            None => self.algorithms.hash_many(&messages),
        };
        feed.finished_together(self.messages.drain(..).zip(digests).map(|((reader, _), digests)| (reader, Ok(digests))));
        self.filled = 0;
    }
}
