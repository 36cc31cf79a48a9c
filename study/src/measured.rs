//! How long something took: the papers' way, the least of several averages, and ours, the median.

use manyhash_measure::timing::{self, Sample};

/// Samples of one contestant.
#[derive(Clone, Debug)]
pub struct Measured {
    /// As the figure names it.
    pub name: String,
    /// What one call hashes.
    pub bytes: f64,
    /// In the order they were taken; each is the average of as many calls as fill it.
    pub samples: Vec<Sample>,
    /// Cycles of the time-stamp counter in a nanosecond; `None` where there is no such counter.
    pub tsc_ghz: Option<f64>,
}

impl Measured {
    /// The least sample, in nanoseconds a call: "the minimum result was recorded" (Gueron 2013, section 3).
    pub fn least_ns(&self) -> f64 {
        self.samples.iter().map(|sample| sample.call_ns).fold(f64::INFINITY, f64::min)
    }

    /// The median of the samples on a quiet core, or of all where fewer than three were quiet, in nanoseconds a call.
    pub fn median_ns(&self) -> f64 {
        let of = |samples: Vec<&Sample>| timing::median(samples.iter().map(|sample| sample.call_ns));
        let quiet: Vec<&Sample> = self.samples.iter().filter(|sample| sample.is_quiet()).collect();
        let median = if quiet.len() >= 3 { of(quiet) } else { of(self.samples.iter().collect()) };
        median.expect("something was measured")
    }

    /// Millions of bytes a second, by the median.
    pub fn mb_per_s(&self) -> f64 {
        1000.0 * self.bytes / self.median_ns()
    }

    /// Cycles of the time-stamp counter for a byte, by the least sample, as the papers count them.
    pub fn least_tsc_cycles_per_byte(&self) -> Option<f64> {
        Some(self.least_ns() * self.tsc_ghz? / self.bytes)
    }

    /// The same by the median.
    pub fn tsc_cycles_per_byte(&self) -> Option<f64> {
        Some(self.median_ns() * self.tsc_ghz? / self.bytes)
    }

    /// Cycles of the core for a byte, by the median and by the clock that was measured beside the samples; `None` where it was not.
    pub fn core_cycles_per_byte(&self) -> Option<f64> {
        let clock_ghz = timing::median(self.samples.iter().filter_map(|sample| sample.clock_ghz))?;
        Some(self.median_ns() * clock_ghz / self.bytes)
    }

    /// How many times as fast as `other`, by the medians and byte for byte.
    pub fn speed_up_over(&self, other: &Self) -> f64 {
        self.mb_per_s() / other.mb_per_s()
    }
}

/// The fastest by the medians, byte for byte; `None` of none.
pub fn fastest<'a>(all: impl IntoIterator<Item = &'a Measured>) -> Option<&'a Measured> {
    all.into_iter().max_by(|one, other| one.mb_per_s().total_cmp(&other.mb_per_s()))
}

/// "3.40 to 3.60", or one number if they are the same.
pub fn range(values: &[f64], digits: usize) -> String {
    let (least, most) =
        values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| (least.min(*value), most.max(*value)));
    let (least, most) = (format!("{least:.digits$}"), format!("{most:.digits$}"));
    if least == most { least } else { format!("{least} to {most}") }
}

/// "3.40 times", or that it was not measured.
pub fn times(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "not measured".into(), |ratio| format!("{ratio:.2} times"))
}

/// "25,000".
pub fn thousands(number: u64) -> String {
    if number < 1000 { number.to_string() } else { format!("{},{:03}", thousands(number / 1000), number % 1000) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(call_ns: &[f64]) -> Measured {
        let sample = |call_ns: &f64| Sample { process: 0, call_ns: *call_ns, overlap: None, cpu_share: None, clock_ghz: Some(4.0) };
        Measured { name: "one".into(), bytes: 10.0, samples: call_ns.iter().map(sample).collect(), tsc_ghz: Some(2.0) }
    }

    #[test]
    fn the_papers_take_the_least_and_we_the_median() {
        let measured = measured(&[30.0, 10.0, 20.0]);
        assert_eq!((measured.least_ns(), measured.median_ns()), (10.0, 20.0));
        assert_eq!(measured.mb_per_s(), 500.0);
        assert_eq!(measured.least_tsc_cycles_per_byte(), Some(2.0));
        assert_eq!(measured.tsc_cycles_per_byte(), Some(4.0));
        assert_eq!(measured.core_cycles_per_byte(), Some(8.0));
    }

    #[test]
    fn a_speed_up_is_byte_for_byte() {
        let (one, mut two) = (measured(&[10.0]), measured(&[10.0]));
        two.bytes = 20.0;
        assert_eq!(two.speed_up_over(&one), 2.0);
    }

    #[test]
    fn the_fastest_is_so_by_its_median_and_byte_for_byte() {
        let (mut one, two) = (measured(&[10.0]), measured(&[1.0, 9.0, 9.0]));
        assert_eq!(fastest([&one, &two]).unwrap().median_ns(), 9.0);
        one.bytes = 20.0;
        assert_eq!(fastest([&one, &two]).unwrap().median_ns(), 10.0);
        assert!(fastest([]).is_none());
    }

    #[test]
    fn a_range_of_one_value_is_that_value() {
        assert_eq!(range(&[2.0, 1.0, 3.0], 1), "1.0 to 3.0");
        assert_eq!(range(&[2.001, 2.0], 2), "2.00");
        assert_eq!(range(&[-1.0, -2.0], 1), "-2.0 to -1.0");
        assert_eq!((times(Some(2.0)), times(None)), ("2.00 times".to_string(), "not measured".to_string()));
    }
}
