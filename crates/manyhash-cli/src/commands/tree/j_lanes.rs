//! `tree j-lanes`: words of each file dealt out to lanes, and the digest of the lanes' digests.

use std::io::{self, Read, Seek};
use std::path::Path;
use std::sync::mpsc;
use std::thread;

use manyhash::tree::JLanes;
use manyhash::{Algorithm, ForAlgorithm};
use manyhash_files::read::filling;
use manyhash_files::threads;

use crate::exit::Outcome;
use crate::flags::LanesArguments;

use super::small_files::{self, Alone, Input, Mode};
use super::{Call, changed, line};

/// Runs `manyhash tree j-lanes`.
pub fn run(call: &Call<'_>, arguments: LanesArguments) -> Outcome {
    arguments.algorithm.with(Print { call, arguments })
}

struct Print<'a> {
    call: &'a Call<'a>,
    arguments: LanesArguments,
}

impl ForAlgorithm for Print<'_> {
    type Output = Outcome;

    fn run<A: Algorithm>(self) -> Outcome {
        let Self { call, arguments: LanesArguments { lanes, separated, files, .. } } = self;
        let mode = JLanes::<A>::new(lanes).expect("the number was looked at");
        small_files::run(call, &if separated { mode.separated() } else { mode }, files)
    }
}

impl<A: Algorithm> Mode for JLanes<A> {
    type Found = A::Digest;

    fn of_contents(&self, contents: &[&[u8]]) -> Vec<io::Result<A::Digest>> {
        contents.iter().map(|content| Ok(self.hash(content))).collect()
    }

    fn of_input(&self, input: Input<'_>, work: &Alone) -> io::Result<A::Digest> {
        let expected_bytes = input.bytes()?;
        let (digest, bytes) = match input {
            Input::File(mut file) => {
                file.rewind()?;
                hash(self, &mut file, work)?
            }
            Input::Stream(stream) => hash(self, stream, work)?,
        };
        if expected_bytes.is_none_or(|expected_bytes| bytes == expected_bytes) { Ok(digest) } else { Err(changed()) }
    }

    fn line(&self, path: &Path, digest: A::Digest) -> Vec<u8> {
        line(&const_hex::encode(digest.as_ref()), path)
    }
}

/// Bytes read at once: enough to share out among threads.
const PIECE_BYTES: usize = 4 << 20;
/// Pieces in memory: one is hashed, the others are read or wait.
const PIECES: usize = 3;

/// The digest of all that is in `input`, which another thread reads ahead if there is one to be had, and how many bytes it is.
fn hash<A: Algorithm, R: Read + Send + ?Sized>(mode: &JLanes<A>, input: &mut R, work: &Alone) -> io::Result<(A::Digest, u64)> {
    // The thread that reads is one of them.
    let mut hasher = mode.clone().on_threads(work.workers.saturating_sub(1)).hasher();
    let mut bytes = 0;
    let mut update = |piece: &[u8]| {
        hasher.update(piece);
        bytes += piece.len() as u64;
        work.reading.read(piece.len());
    };
    thread::scope(|scope| {
        let (give_back, free) = mpsc::channel::<Vec<u8>>();
        let (give, pieces) = mpsc::channel();
        for _ in 0..PIECES {
            give_back.send(Vec::new()).expect("somebody waits for it");
        }
        let read_ahead = move |input: &mut R| {
            for mut piece in free {
                piece.resize(PIECE_BYTES, 0);
                let read = filling(input, &mut piece).map(|count| piece.truncate(count));
                let is_last = read.is_err() || piece.len() < PIECE_BYTES;
                if give.send(read.map(|()| piece)).is_err() || is_last {
                    return;
                }
            }
        };
        if let Err((input, _)) = threads::start_scoped(scope, "reader", input, read_ahead) {
            return each_piece(input, &mut update);
        }
        for piece in pieces {
            let piece = piece?;
            update(&piece);
            // Nobody may want it any more.
            let _ = give_back.send(piece);
        }
        Ok(())
    })?;
    Ok((hasher.finalize(), bytes))
}

/// Reads all of `input` on this thread, which `take` gets piece by piece.
fn each_piece(input: &mut (impl Read + ?Sized), take: &mut impl FnMut(&[u8])) -> io::Result<()> {
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let count = filling(input, &mut piece)?;
        take(&piece[..count]);
        if count < PIECE_BYTES {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

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
