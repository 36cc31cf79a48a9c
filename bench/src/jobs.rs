//! `jobs`: streams fed in pieces, in turns, beside the same bytes at once.

use std::io::{self, Write};
use std::time::Duration;

use anyhow::Result;
use bytes::Bytes;
use manyhash::jobs::{Job, Jobs};
use manyhash::{Algorithm, Hasher};

use crate::contest::{self, Cell};
use crate::peers::openssl::EvpDigest;
use crate::peers::{self, ForLineup, Lineup, Peer, Standing};
use crate::report;
use crate::run::{Run, RunArguments};
use crate::workloads::{LINE_BYTES, Placement, Workload};
use manyhash_measure::Buffer;

const KIB: usize = 1 << 10;
const STREAMS: usize = 64;
const PIECE_BYTES: usize = 4 * KIB;
/// Name, description and the bytes of each stream; `--quick` takes the last only.
const WORKLOADS: [(&str, &str, usize); 2] =
    [("1 MiB", "64 streams of 1 MiB in pieces of 4 KiB", 1024 * KIB), ("64 KiB", "64 streams of 64 KiB in pieces of 4 KiB", 64 * KIB)];

/// Runs the mode.
pub fn run(arguments: &RunArguments) -> Result<()> {
    let algorithms = arguments.algorithms()?;
    let run = Run::begin(arguments, Duration::from_millis(2), Duration::from_secs(20))?;
    let out = &mut io::stdout().lock();
    run.header(out)?;
    let workloads = if arguments.quick { &WORKLOADS[1..] } else { &WORKLOADS[..] };
    let mut cells: Vec<Cell> = Vec::new();
    for algorithm in algorithms {
        for &workload in workloads {
            let cell = peers::with(algorithm, Measure { workload, run: &run })?;
            report::block(out, std::slice::from_ref(&cell))?;
            out.flush()?;
            cells.push(cell);
        }
    }
    writeln!(out, "\nours/peer: how many times as fast as a row `jobs` was; of `hash_many`, what gathering pieces leaves.")?;
    report::clocks(out, cells.iter().flat_map(|cell| &cell.rows))?;
    run.finish(out, "cells", &cells)
}

struct Measure<'a> {
    workload: (&'static str, &'static str, usize),
    run: &'a Run,
}

impl ForLineup for Measure<'_> {
    type Output = Cell;
    fn run<A: Algorithm<Digest = [u8; N]>, const N: usize>(self, mut lineup: Lineup<N>) -> Result<Cell> {
        let Self { workload: (name, description, bytes), run } = self;
        // A line more from stream to stream: what equal addresses modulo 4 KiB cost is another
        // question.
        let workload = Workload::equal(name, description, STREAMS, bytes, bytes + LINE_BYTES);
        let buffer = workload.buffer()?;
        let placement = Placement::Aligned;
        lineup.peers = vec![
            borrowed::<A, N>().standing(Standing::Ours),
            shared::<A, N>(&workload, placement)?.standing(Standing::OursOtherwise),
            copied::<A, N>().standing(Standing::OursOtherwise),
            Peer::batch("hash_many", |streams, digests| manyhash::hash_many_into::<A>(streams, digests)).standing(Standing::OursOtherwise),
            hashers::<A, N>().standing(Standing::OursOtherwise),
            contexts(A::NAME)?,
        ];
        contest::run(&mut lineup, &workload, placement, &workload.slices(&buffer, placement), run.probe, run.effort)
    }
}

/// Bytes of a stream that arrive in a round.
fn piece(round: usize) -> std::ops::Range<usize> {
    round * PIECE_BYTES..(round + 1) * PIECE_BYTES
}

fn rounds(streams: &[&[u8]]) -> usize {
    streams.iter().map(|stream| stream.len() / PIECE_BYTES).max().unwrap_or(0)
}

/// In every round a piece of every stream arrives, then what fills the lanes is computed; at the
/// end all that is left.
fn through_jobs<A: Algorithm<Digest = [u8; N]>, P: AsRef<[u8]>, const N: usize>(
    jobs: &Jobs<A, usize, P>,
    rounds: usize,
    piece_of: impl Fn(usize, usize) -> P,
    digests: &mut [[u8; N]],
) {
    let mut open: Vec<Job<A, usize, P>> = (0..digests.len()).map(|stream| jobs.open(stream)).collect();
    let mut place = |stream: usize, digest| digests[stream] = digest;
    for round in 0..rounds {
        for (stream, job) in open.iter_mut().enumerate() {
            job.feed(piece_of(stream, round));
        }
        if round + 1 == rounds {
            open.drain(..).for_each(Job::finish);
        }
        jobs.run_full_lanes(&mut place);
    }
    jobs.flush(place);
}

/// Pieces as slices. The streams live no longer than a call, so every call pays for new `Jobs`.
fn borrowed<A: Algorithm<Digest = [u8; N]>, const N: usize>() -> Peer<N> {
    Peer::batch("jobs", |streams, digests| {
        let jobs = Jobs::<A, usize, &[u8]>::new();
        through_jobs(&jobs, rounds(streams), |stream, round| &streams[stream][piece(round)], digests);
    })
}

/// The memory that `Bytes` share.
struct Owner(Buffer);

impl AsRef<[u8]> for Owner {
    fn as_ref(&self) -> &[u8] {
        self.0.bytes()
    }
}

/// Pieces as `Bytes`: of the same content and layout, in a buffer of their own, a count raised for
/// each.
fn shared<A: Algorithm<Digest = [u8; N]>, const N: usize>(workload: &Workload, placement: Placement) -> Result<Peer<N>> {
    let owner = Owner(workload.buffer()?);
    let start = owner.0.bytes().as_ptr() as usize;
    let spans: Vec<_> = workload.slices(&owner.0, placement).iter().map(|s| (s.as_ptr() as usize - start, s.len())).collect();
    let all = Bytes::from_owner(owner);
    let streams: Vec<Bytes> = spans.into_iter().map(|(start, bytes)| all.slice(start..start + bytes)).collect();
    let jobs = Jobs::<A, usize, Bytes>::new();
    Ok(Peer::batch("jobs, Bytes", move |messages, digests| {
        through_jobs(&jobs, rounds(messages), |stream, round| streams[stream].slice(piece(round)), digests);
    }))
}

/// Pieces as vectors, into which they are copied first: a reader that gives its memory away.
fn copied<A: Algorithm<Digest = [u8; N]>, const N: usize>() -> Peer<N> {
    let jobs = Jobs::<A, usize>::new();
    Peer::batch("jobs, copied to Vec", move |streams, digests| {
        through_jobs(&jobs, rounds(streams), |stream, round| streams[stream][piece(round)].to_vec(), digests);
    })
}

/// A `Hasher` for each stream, in the same order of pieces.
fn hashers<A: Algorithm<Digest = [u8; N]>, const N: usize>() -> Peer<N> {
    Peer::batch("Hasher each", |streams, digests| {
        let mut hashers = vec![Hasher::<A>::new(); streams.len()];
        for round in 0..rounds(streams) {
            for (hasher, stream) in hashers.iter_mut().zip(streams) {
                hasher.update(&stream[piece(round)]);
            }
        }
        for (hasher, digest) in hashers.into_iter().zip(digests) {
            *digest = hasher.finalize();
        }
    })
}

/// An OpenSSL context for each stream, in the same order of pieces.
fn contexts<const N: usize>(algorithm: &str) -> Result<Peer<N>> {
    let mut contexts = (0..STREAMS).map(|_| EvpDigest::new(algorithm)).collect::<Result<Vec<_>>>()?;
    Ok(Peer::batch("openssl EVP each", move |streams, digests| {
        contexts.iter_mut().for_each(EvpDigest::start);
        for round in 0..rounds(streams) {
            for (context, stream) in contexts.iter_mut().zip(streams) {
                context.update(&stream[piece(round)]);
            }
        }
        for (context, digest) in contexts.iter_mut().zip(digests) {
            *digest = context.finish();
        }
    }))
}
