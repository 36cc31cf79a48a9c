//! A contestant with digests of its own: linear and j-lanes digests of the same message differ, and
//! they race each other.

use std::time::Duration;

use anyhow::{Result, ensure};
use manyhash_measure::timing::{Probe, Sample};

use crate::race::Contestant;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::race::Local;

    #[test]
    fn wrong_digests_are_told() {
        let says_1 = || Local::boxed("one", |digests| digests.push(1));
        assert_eq!(Expecting::boxed(says_1(), vec![1]).digests().unwrap(), [1]);
        assert!(Expecting::boxed(says_1(), vec![2]).digests().unwrap_err().to_string().contains("one"));
    }
}
