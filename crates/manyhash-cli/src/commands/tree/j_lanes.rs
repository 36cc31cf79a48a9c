//! `tree j-lanes`: words of each file dealt out to lanes, and the digest of the lanes' digests.

use super::small_files::{self, Alone, Input, Mode};
use super::{Call, changed};
use crate::exit::Outcome;
use crate::flags::LanesArguments;
use crate::text::lines::line;
use manyhash::tree::JLanes;
use manyhash::{Algorithm, with_algorithm};
use manyhash_files::in_turns;
use manyhash_files::read::pieces;
use manyhash_files::threads::unpoisoned;
use std::io::{self, Read, Seek};
use std::path::Path;
use std::sync::{Arc, Mutex};

pub(crate) fn run(call: &Call<'_>, arguments: LanesArguments) -> Outcome {
    with_algorithm!(arguments.algorithm, A => print::<A>(call, arguments))
}

fn print<A: Algorithm>(call: &Call<'_>, arguments: LanesArguments) -> Outcome {
    let LanesArguments { lanes, separated, files, .. } = arguments;
    let mode = JLanes::<A>::new(lanes)?;
    small_files::run(call, Arc::new(if separated { mode.separated() } else { mode }), files)
}

impl<A: Algorithm> Mode for JLanes<A> {
    fn of_contents(&self, contents: &[&[u8]]) -> Vec<Vec<u8>> {
        contents.iter().map(|content| self.hash(content).as_ref().to_vec()).collect()
    }

    fn of_input(&self, input: Input<'_>, work: &Alone) -> io::Result<(Vec<u8>, u64)> {
        let expected_bytes = input.bytes()?;
        let (digest, bytes) = match input {
            Input::File(mut file) => {
                file.rewind()?;
                hash(self, &mut file, work)?
            }
            Input::Stream(stream) => hash(self, stream, work)?,
        };
        if expected_bytes.is_none_or(|expected_bytes| bytes == expected_bytes) {
            Ok((digest.as_ref().to_vec(), bytes))
        } else {
            Err(changed())
        }
    }

    fn line(&self, path: &Path, _: u64, digest: &[u8]) -> io::Result<Vec<u8>> {
        Ok(line(&const_hex::encode(digest), path))
    }
}

/// The bytes that are read at once, which are enough to share out among threads.
const PIECE_BYTES: usize = 4 << 20;
/// The number of reading threads. While one has its piece hashed, the other reads on.
const READERS: usize = 2;

/// Returns the digest of all of `input`, and its length in bytes.
fn hash<A: Algorithm>(mode: &JLanes<A>, input: &mut (dyn Read + Send), work: &Alone) -> io::Result<(A::Digest, u64)> {
    let mut hasher = mode.clone().on_threads(work.workers.saturating_sub(READERS - 1)).hasher();
    let mut bytes = 0;
    read_ahead(input, &mut |piece| {
        hasher.update(piece);
        bytes += piece.len() as u64;
        work.reading.read(piece.len());
    })?;
    Ok((hasher.finalize(), bytes))
}

/// Reads all of `input`. `take` gets each piece while the next one is being read.
fn read_ahead(input: &mut (dyn Read + Send), take: &mut (dyn FnMut(&[u8]) + Send)) -> io::Result<()> {
    let mut pieces = pieces(input);
    // Buffers are used again, because fresh memory costs more than reading into it.
    let buffers = Mutex::new(Vec::new());
    let next = |_: &mut ()| {
        let mut piece = unpoisoned(buffers.lock()).pop().unwrap_or_else(|| vec![0; PIECE_BYTES]);
        let read = pieces(&mut piece)?;
        Some(read.map(|count| {
            piece.truncate(count);
            piece
        }))
    };
    let take = |piece: io::Result<Vec<u8>>| {
        let piece = piece?;
        take(&piece);
        unpoisoned(buffers.lock()).push(piece);
        Ok(())
    };
    in_turns(READERS, 0, || (), next, |(), piece, give| give(vec![piece]), take)
}

#[cfg(test)]
mod tests {
    use super::*;
    use manyhash::Sha256;
    use manyhash_files::Reading;
    use manyhash_files::Totals;

    fn alone() -> Alone {
        Alone { workers: 2, reading: Reading::begin(&Arc::<Totals>::default(), Path::new("f"), 0) }
    }

    #[test]
    fn a_stream_has_the_digest_of_its_content() {
        let content: Vec<u8> = (0..9_000_000_u32).map(|i| ((i * 167) >> 7) as u8).collect();
        for lanes in [1, 16, 100] {
            let mode = JLanes::<Sha256>::new(lanes).unwrap();
            for bytes in [0, 1, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 2 * PIECE_BYTES, content.len()] {
                let content = &content[..bytes];
                assert_eq!(hash(&mode, &mut &content[..], &alone()).unwrap(), (mode.hash(content), bytes as u64), "{lanes} {bytes}");
            }
        }
    }

    #[test]
    fn an_error_of_the_stream_ends_it() {
        struct Broken(usize);
        impl Read for Broken {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let count = self.0.min(buffer.len());
                self.0 -= count;
                if count == 0 { Err(io::Error::other("broken")) } else { Ok(count) }
            }
        }
        let mode = JLanes::<Sha256>::new(16).unwrap();
        for bytes in [0, PIECE_BYTES, 5 * PIECE_BYTES + 1] {
            assert_eq!(hash(&mode, &mut Broken(bytes), &alone()).unwrap_err().to_string(), "broken");
        }
    }
}
