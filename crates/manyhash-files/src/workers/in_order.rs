//! One file after the other, each from beginning to end: what disks with moving parts need, and
//! several algorithms over each byte.
//!
//! Files gather in one buffer, whole, and are hashed together when it is full, so that lanes are
//! full too. A file larger than the buffer is hashed alone, piece by piece.

use super::feed::{Feed, Sharing};
use super::{HashContents, Hashing, Shared};
use crate::algorithms::{Algorithms, Digests};
use crate::order::window::Job;
use crate::read::JobReader;
use std::io::{self, Read};
use std::ops::Range;

/// The most bytes of a worker's buffer.
const BUFFER_BYTES: usize = 16 << 20;

/// Bytes of a piece of a file that is larger than the buffer: several algorithms find it in the
/// cache.
const PIECE_BYTES: usize = 256 << 10;

/// Hashes files from `job` on as long as they have the same algorithms. Gives back a job with other
/// algorithms, or nothing when none are left.
pub fn serve(shared: &Shared, job: Job) -> Option<Job> {
    let algorithms = job.algorithms;
    let buffer = vec![0; BUFFER_BYTES.min(shared.buffer_bytes())];
    let hash_contents = match &shared.settings.hashing {
        Hashing::Contents(hash) => Some(&**hash),
        _ => None,
    };
    let mut batch = Batch { algorithms, hash_contents, buffer, filled: 0, messages: Vec::new() };
    let mut first = job;
    loop {
        let feed = Feed::new(shared, first, Sharing::ByNumber);
        while let Some(reader) = feed.next() {
            batch.read(reader, &feed);
        }
        batch.hash(&feed);
        match feed.next_job() {
            Some(job) if job.algorithms == algorithms => first = job,
            other => return other,
        }
    }
}

/// Files read but not yet hashed.
struct Batch<'a> {
    algorithms: Algorithms,
    /// The function that hashes if there are no algorithms.
    hash_contents: Option<&'a HashContents>,
    buffer: Vec<u8>,
    filled: usize,
    /// The files in the buffer, and where their bytes are in it.
    messages: Vec<(JobReader, Range<usize>)>,
}

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
        let piece_bytes = PIECE_BYTES.min(self.buffer.len());
        let mut hash_rest = || -> io::Result<()> {
            while !reader.has_ended() {
                let bytes = reader.read(&mut self.buffer[..piece_bytes])?;
                hashers.update(&self.buffer[..bytes]);
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
        for ((reader, _), digests) in self.messages.drain(..).zip(digests) {
            feed.finished(reader, Ok(digests));
        }
        self.filled = 0;
    }
}
