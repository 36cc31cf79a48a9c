//! Contestants on the same messages: everybody is verified, warmed up, timed in turns, and verified
//! again.

use std::hint::black_box;
use std::time::Duration;

use anyhow::{Result, ensure};
use manyhash_measure::timing::{self, Probe, Sample};

use crate::measured::Measured;
use crate::session::Session;

/// Someone who hashes, in this process or in another.
pub trait Contestant {
    /// For tables.
    fn name(&self) -> &str;
    /// All digests of one call, one after the other.
    fn digests(&mut self) -> Result<Vec<u8>>;
    /// So many calls that nobody times.
    fn warm_up(&mut self, calls: u64) -> Result<()>;
    /// How many calls fill so long a sample.
    fn calls_per_sample(&mut self, sample: Duration) -> Result<u64>;
    /// The average of so many calls. `round` differs from sample to sample: it sets the depth of
    /// the stack.
    fn sample(&mut self, probe: Option<Probe>, calls: u64, round: usize) -> Result<Sample>;
}

/// Appends the digests of all messages.
type Call<'a> = dyn FnMut(&mut Vec<u8>) + 'a;

/// A contestant in this process: a function that appends the digests of all messages to a buffer.
pub struct Local<'a> {
    name: String,
    call: Box<Call<'a>>,
    digests: Vec<u8>,
}

impl<'a> Local<'a> {
    /// Of this name. `call` appends the digests of all messages to what it is given, which is
    /// empty.
    pub fn new(name: impl Into<String>, call: impl FnMut(&mut Vec<u8>) + 'a) -> Self {
        Self { name: name.into(), call: Box::new(call), digests: Vec::new() }
    }

    /// The same, ready for [`race`].
    pub fn boxed(name: impl Into<String>, call: impl FnMut(&mut Vec<u8>) + 'a) -> Box<dyn Contestant + 'a> {
        Box::new(Self::new(name, call))
    }

    fn call(&mut self) {
        self.digests.clear();
        (self.call)(black_box(&mut self.digests));
        black_box(&self.digests);
    }
}

impl Contestant for Local<'_> {
    fn name(&self) -> &str {
        &self.name
    }
    fn digests(&mut self) -> Result<Vec<u8>> {
        self.call();
        Ok(self.digests.clone())
    }
    fn warm_up(&mut self, calls: u64) -> Result<()> {
        (0..calls).for_each(|_| self.call());
        Ok(())
    }
    fn calls_per_sample(&mut self, sample: Duration) -> Result<u64> {
        Ok(timing::calls_per_sample(sample, || self.call()))
    }
    fn sample(&mut self, probe: Option<Probe>, calls: u64, round: usize) -> Result<Sample> {
        Ok(timing::sample(probe, calls, round, || self.call()))
    }
}

/// A contestant that is verified whenever it is asked for its digests, whatever the others compute.
pub struct Expecting<'a> {
    contestant: Box<dyn Contestant + 'a>,
    expected: Vec<u8>,
}

impl<'a> Expecting<'a> {
    /// The contestant, and what its digests must be.
    pub fn boxed(contestant: Box<dyn Contestant + 'a>, expected: Vec<u8>) -> Box<dyn Contestant + 'a> {
        Box::new(Self { contestant, expected })
    }
}

impl Contestant for Expecting<'_> {
    fn name(&self) -> &str {
        self.contestant.name()
    }
    fn digests(&mut self) -> Result<Vec<u8>> {
        let digests = self.contestant.digests()?;
        ensure!(digests == self.expected, "{}: wrong digests", self.name());
        Ok(digests)
    }
    fn warm_up(&mut self, calls: u64) -> Result<()> {
        self.contestant.warm_up(calls)
    }
    fn calls_per_sample(&mut self, sample: Duration) -> Result<u64> {
        self.contestant.calls_per_sample(sample)
    }
    fn sample(&mut self, probe: Option<Probe>, calls: u64, round: usize) -> Result<Sample> {
        self.contestant.sample(probe, calls, round)
    }
}

/// How a race is run.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    /// What one call hashes, in bytes.
    pub bytes: usize,
    /// What everybody's digests must be; `None`: contestants compute different things, and nobody
    /// is verified.
    pub expected: Option<&'a [u8]>,
    /// Calls before anything is timed; fewer in a quick run.
    pub warm_up_calls: u64,
}

/// Runs a race. The results are in the order of the contestants.
///
/// # Errors
/// If digests are wrong: there is nothing to be said about the speed of wrong digests.
pub fn race(session: &Session, rules: Rules<'_>, contestants: &mut [Box<dyn Contestant + '_>]) -> Result<Vec<Measured>> {
    let verify = |contestant: &mut Box<dyn Contestant + '_>| -> Result<()> {
        let digests = contestant.digests()?;
        ensure!(rules.expected.is_none_or(|expected| expected == digests), "{}: wrong digests", contestant.name());
        Ok(())
    };
    let effort = session.effort;
    let mut calls = Vec::new();
    for contestant in &mut *contestants {
        verify(contestant)?;
        contestant.warm_up(if session.quick { rules.warm_up_calls.min(3) } else { rules.warm_up_calls })?;
        calls.push(contestant.calls_per_sample(effort.sample)?);
    }
    let mut samples: Vec<Vec<Sample>> = vec![Vec::new(); contestants.len()];
    let begin = std::time::Instant::now();
    for round in 0..effort.samples {
        if round >= effort.fewest_samples && begin.elapsed() > effort.race {
            break;
        }
        // Another one starts each time, and every second round runs backwards: nobody always
        // follows the same neighbour.
        for turn in 0..contestants.len() {
            let turn = if round.is_multiple_of(2) { turn } else { contestants.len() - 1 - turn };
            let turn = (turn + round) % contestants.len();
            samples[turn].push(contestants[turn].sample(session.probe, calls[turn], round)?);
        }
    }
    for contestant in &mut *contestants {
        verify(contestant)?;
    }
    let measured = |(contestant, samples): (&mut Box<dyn Contestant + '_>, Vec<Sample>)| Measured {
        name: contestant.name().to_string(),
        bytes: rules.bytes as f64,
        samples,
        tsc_ghz: session.tsc_ghz,
    };
    Ok(contestants.iter_mut().zip(samples).map(measured).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quick() -> Session {
        Session::begin(true, None, None).unwrap()
    }

    #[test]
    fn contestants_with_digests_of_their_own_are_verified_too() {
        let says_1 = || Local::boxed("one", |digests| digests.push(1));
        assert_eq!(Expecting::boxed(says_1(), vec![1]).digests().unwrap(), [1]);
        assert!(Expecting::boxed(says_1(), vec![2]).digests().unwrap_err().to_string().contains("one"));
    }

    #[test]
    fn a_wrong_digest_ends_the_race() {
        let mut contestants = [Local::boxed("right", |digests| digests.push(7)), Local::boxed("wrong", |digests| digests.push(8))];
        let rules = Rules { bytes: 1, expected: Some(&[7]), warm_up_calls: 1 };
        let error = race(&quick(), rules, &mut contestants).unwrap_err();
        assert_eq!(error.to_string(), "wrong: wrong digests");
    }

    #[test]
    fn digests_that_go_wrong_on_the_way_are_noticed() {
        let mut calls = 0;
        let mut contestants = [Local::boxed("tired", move |digests| {
            calls += 1;
            digests.push(if calls < 5 { 7 } else { 8 });
        })];
        let rules = Rules { bytes: 1, expected: Some(&[7]), warm_up_calls: 3 };
        assert!(race(&quick(), rules, &mut contestants).is_err());
    }

    #[test]
    fn everybody_is_warmed_up_and_gets_as_many_samples() {
        let session = quick();
        let calls = std::cell::Cell::new(0);
        let mut contestants = [
            Local::boxed("one", |digests| {
                calls.set(calls.get() + 1);
                digests.push(1);
            }),
            Local::boxed("other", |digests| digests.push(1)),
        ];
        let rules = Rules { bytes: 100, expected: Some(&[1]), warm_up_calls: 2 };
        let measured = race(&session, rules, &mut contestants).unwrap();
        let names: Vec<&str> = measured.iter().map(|measured| measured.name.as_str()).collect();
        assert_eq!(names, ["one", "other"]);
        assert_eq!(measured[0].samples.len(), measured[1].samples.len());
        assert!((session.effort.fewest_samples..=session.effort.samples).contains(&measured[0].samples.len()));
        drop(contestants);
        assert!(calls.get() > 2 + 2 + measured[0].samples.len());
    }
}
