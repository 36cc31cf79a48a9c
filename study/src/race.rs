//! Contestants on the same messages: everybody is verified, warmed up, timed in turns, and verified
//! again.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use manyhash_measure::timing::{self, Probe, Sample};

use crate::measured::Measured;
use crate::session::Session;

/// How somebody hashes, in this process or in another.
pub trait Runner {
    /// All digests of one call, one after the other.
    fn digests(&mut self) -> Result<Vec<u8>>;
    /// The average of so many calls. `round` differs from sample to sample: it sets the depth of
    /// the stack.
    fn sample(&mut self, probe: Option<Probe>, calls: u64, round: usize) -> Result<Sample>;
}

/// Someone who hashes.
pub struct Contestant<'a> {
    /// For tables.
    pub name: String,
    runner: Box<dyn Runner + 'a>,
    /// What the digests must be; `None`: nobody knows.
    expected: Option<Vec<u8>>,
}

impl<'a> Contestant<'a> {
    pub fn new(name: impl Into<String>, runner: impl Runner + 'a) -> Self {
        Self { name: name.into(), runner: Box::new(runner), expected: None }
    }

    /// In this process. `call` appends the digests of all messages to what it is given, which is empty.
    pub fn local(name: impl Into<String>, call: impl FnMut(&mut Vec<u8>) + 'a) -> Self {
        Self::new(name, Local::new(call))
    }

    /// One that is verified whenever it is asked for its digests.
    pub fn expecting(self, expected: Vec<u8>) -> Self {
        Self { expected: Some(expected), ..self }
    }

    /// # Errors
    /// If they are wrong.
    pub fn digests(&mut self) -> Result<Vec<u8>> {
        let digests = self.runner.digests()?;
        ensure!(self.expected.as_ref().is_none_or(|expected| *expected == digests), "{}: wrong digests", self.name);
        Ok(digests)
    }

    /// A sample of one call without a probe.
    pub fn sample_once(&mut self, round: usize) -> Result<Sample> {
        self.runner.sample(None, 1, round)
    }

    /// How many calls fill so long a sample, by the shortest of some: one of them may have been interrupted.
    fn calls_per_sample(&mut self, sample: Duration) -> Result<u64> {
        let (begin, mut shortest_ns) = (Instant::now(), f64::INFINITY);
        for calls in 1..=10 {
            shortest_ns = shortest_ns.min(self.sample_once(0)?.call_ns);
            if calls >= 3 && begin.elapsed() > 2 * sample {
                break;
            }
        }
        Ok((sample.as_nanos() as f64 / shortest_ns.max(1.0)).ceil() as u64)
    }
}

/// Appends the digests of all messages.
type Call<'a> = dyn FnMut(&mut Vec<u8>) + 'a;

/// A function that appends the digests of all messages to a buffer.
pub struct Local<'a> {
    call: Box<Call<'a>>,
    digests: Vec<u8>,
}

impl<'a> Local<'a> {
    pub fn new(call: impl FnMut(&mut Vec<u8>) + 'a) -> Self {
        Self { call: Box::new(call), digests: Vec::new() }
    }

    fn call(&mut self) {
        self.digests.clear();
        (self.call)(black_box(&mut self.digests));
        black_box(&self.digests);
    }
}

impl Runner for Local<'_> {
    fn digests(&mut self) -> Result<Vec<u8>> {
        self.call();
        Ok(self.digests.clone())
    }
    fn sample(&mut self, probe: Option<Probe>, calls: u64, round: usize) -> Result<Sample> {
        Ok(timing::sample(probe, calls, round, || self.call()))
    }
}

/// Runs a race: everybody hashes so many bytes in a call, and calls so often before anything is timed;
/// less often in a quick run. The results are in the order of the contestants.
///
/// # Errors
/// If digests are wrong: there is nothing to be said about the speed of wrong digests.
pub fn race(session: &Session, bytes: usize, warm_up_calls: u64, contestants: &mut [Contestant<'_>]) -> Result<Vec<Measured>> {
    let effort = session.effort;
    let warm_up_calls = if session.quick { warm_up_calls.min(3) } else { warm_up_calls };
    let mut calls = Vec::new();
    for contestant in &mut *contestants {
        contestant.digests()?;
        if warm_up_calls > 0 {
            contestant.runner.sample(None, warm_up_calls, 0)?;
        }
        calls.push(contestant.calls_per_sample(effort.sample)?);
    }
    let mut samples: Vec<Vec<Sample>> = vec![Vec::new(); contestants.len()];
    let begin = Instant::now();
    for round in 0..effort.samples {
        if round >= effort.fewest_samples && begin.elapsed() > effort.race {
            break;
        }
        for turn in timing::turns(round, contestants.len()) {
            samples[turn].push(contestants[turn].runner.sample(session.probe, calls[turn], round)?);
        }
    }
    verified(session, bytes, contestants, samples)
}

/// What samples of contestants say, if all are still right.
pub fn verified(session: &Session, bytes: usize, contestants: &mut [Contestant<'_>], samples: Vec<Vec<Sample>>) -> Result<Vec<Measured>> {
    let measured = |(contestant, samples): (&mut Contestant<'_>, Vec<Sample>)| {
        contestant.digests()?;
        Ok(Measured { name: contestant.name.clone(), bytes: bytes as f64, samples, tsc_ghz: session.tsc_ghz })
    };
    contestants.iter_mut().zip(samples).map(measured).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quick() -> Session {
        Session::begin(true, None, None).unwrap()
    }

    #[test]
    fn a_wrong_digest_ends_the_race() {
        let mut contestants = [(7, "right"), (8, "wrong")]
            .map(|(digest, name)| Contestant::local(name, move |digests| digests.push(digest)).expecting(vec![7]));
        assert_eq!(race(&quick(), 1, 1, &mut contestants).unwrap_err().to_string(), "wrong: wrong digests");
        let mut calls = 0;
        let tired = Contestant::local("tired", move |digests| {
            calls += 1;
            digests.push(if calls < 5 { 7 } else { 8 });
        });
        assert!(race(&quick(), 1, 3, &mut [tired.expecting(vec![7])]).is_err(), "digests that go wrong on the way are noticed");
    }

    #[test]
    fn everybody_is_warmed_up_and_gets_as_many_samples() {
        let (session, calls) = (quick(), std::cell::Cell::new(0));
        let one = Contestant::local("one", |digests| {
            calls.set(calls.get() + 1);
            digests.push(1);
        });
        let mut contestants = [one.expecting(vec![1]), Contestant::local("other", |digests| digests.push(2))];
        let measured = race(&session, 100, 2, &mut contestants).unwrap();
        assert_eq!([0, 1].map(|i| measured[i].name.as_str()), ["one", "other"]);
        assert_eq!(measured[0].samples.len(), measured[1].samples.len());
        assert!((session.effort.fewest_samples..=session.effort.samples).contains(&measured[0].samples.len()));
        drop(contestants);
        assert!(calls.get() > 2 + 2 + measured[0].samples.len());
    }
}
