//! How long something took: the papers' way, the least of several averages, and ours, the median.

use manyhash_measure::timing::{self, Sample};

#[derive(Clone, Debug)]
pub struct Measured {
    /// As the figure names it.
    pub name: String,
    pub bytes: f64,
    /// In the order they were taken; each is the average of as many calls as fill it.
    pub samples: Vec<Sample>,
    /// Cycles of the time-stamp counter in a nanosecond; `None` where there is no such counter.
    pub tsc_ghz: Option<f64>,
}

impl Measured {
    /// The least sample, in nanoseconds a call: "the minimum result was recorded" (Gueron 2013,
    /// section 3).
    pub fn least_ns(&self) -> f64 {
        self.samples.iter().map(|sample| sample.call_ns).fold(f64::INFINITY, f64::min)
    }

    /// The median of the samples on a quiet core, or of all where fewer than three were quiet, in
    /// nanoseconds a call.
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

    /// Cycles of the time-stamp counter for a byte, by the median.
    pub fn tsc_cycles_per_byte(&self) -> Option<f64> {
        Some(self.median_ns() * self.tsc_ghz? / self.bytes)
    }

    /// Cycles of the core for a byte, by the median and by the clock that was measured beside the
    /// samples; `None` where it was not.
    pub fn core_cycles_per_byte(&self) -> Option<f64> {
        let clock_ghz = timing::median(self.samples.iter().filter_map(|sample| sample.clock_ghz))?;
        Some(self.median_ns() * clock_ghz / self.bytes)
    }

    /// As if the only sample of a call had taken `call_ns` nanoseconds.
    #[cfg(test)]
    pub fn synthetic(name: &str, bytes: usize, call_ns: f64) -> Self {
        let sample = Sample { process: 0, call_ns, overlap: None, cpu_share: None, clock_ghz: Some(3.0) };
        Self { name: name.into(), bytes: bytes as f64, samples: vec![sample], tsc_ghz: Some(2.0) }
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

/// Digits after the point that make three significant ones; none for zero, or where there are three
/// before it.
pub fn digits(value: f64) -> u8 {
    match value.abs() {
        0.0 | 99.95.. => 0,
        9.995.. => 1,
        0.9995.. => 2,
        _ => 3,
    }
}

/// A value for a sentence, with three significant digits: "0.572", "1,920".
pub fn number(value: f64) -> String {
    let text = format!("{value:.*}", usize::from(digits(value)));
    if value < 1000.0 { text } else { thousands(value.round() as u64) }
}

/// "a, b and c".
pub fn list<T: AsRef<str>>(items: &[T]) -> String {
    match items {
        [] => "nothing".into(),
        [one] => one.as_ref().into(),
        [begin @ .., last] => format!("{} and {}", begin.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", "), last.as_ref()),
    }
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
    fn numbers_are_written_as_readers_expect_them() {
        assert_eq!([7, 999, 1000, 25_000, 1_048_576].map(thousands), ["7", "999", "1,000", "25,000", "1,048,576"]);
        assert_eq!(
            [0.25, 1.0, 9.996, 45.67, -3.25, 1876.03, 12_345.0].map(number),
            ["0.250", "1.00", "10.0", "45.7", "-3.25", "1,876", "12,345"]
        );
        assert_eq!([&["a"][..], &["a", "b", "c"]].map(list), ["a", "a, b and c"]);
    }
}
