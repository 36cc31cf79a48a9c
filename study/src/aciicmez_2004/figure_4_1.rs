//! Section 4.1 with figure 4.1: what each technique is worth.

use anyhow::Result;

use super::scalar::{PREFETCH_DISTANCES, Sha1, Sha256, Sha512, Sha512Pairs, Variants};
use super::subject::{CACHED_MESSAGE_BYTES, bytes_from_memory, race_variants};
use crate::model::{Figure, Source};
use crate::rows::{Kind, RATE};
use crate::session::Session;

/// What was measured of one hash function, in MB/s.
struct Techniques {
    name: &'static str,
    /// In the order of [`Variants::unrolled`]: each unrolling with the functions of FIPS 180, then
    /// redefined.
    unrolled: Vec<f64>,
    prefetching: Vec<f64>,
}

impl Techniques {
    fn measure<F: Variants>(session: &Session, openssl: &str) -> Result<Self> {
        let unrolled = race_variants(session, openssl, &F::unrolled(), CACHED_MESSAGE_BYTES, 50)?;
        let prefetching = race_variants(session, openssl, &F::prefetching(), bytes_from_memory(session), 0)?;
        Ok(Self { name: F::NAME, unrolled, prefetching })
    }

    fn rate(&self, unrolled: usize, redefined: bool) -> f64 {
        self.unrolled[2 * unrolled + usize::from(redefined)]
    }

    /// What the best of the longer loops gains over a round at a time, with redefined functions.
    fn gain_by_unrolling(&self) -> f64 {
        (1..4).map(|i| self.rate(i, true)).fold(0.0, f64::max) / self.rate(0, true)
    }

    /// What redefined functions gain, all rounds written out.
    fn gain_by_functions(&self) -> f64 {
        self.rate(3, true) / self.rate(3, false)
    }

    /// What the best distance gains over none.
    fn gain_by_prefetching(&self) -> f64 {
        self.prefetching[1..].iter().copied().fold(0.0, f64::max) / self.prefetching[0]
    }
}

/// The instruction is of x86; elsewhere the code that asks for it does nothing.
const HAS_PREFETCH: bool = cfg!(target_arch = "x86_64");

const CACHED: &str = "Scalar code from the cache, by rounds written out in the loop and by boolean functions";
const PREFETCHED: &str = "Scalar code from main memory, by how far ahead lines of the message are prefetched";
const UNROLLED: [&str; 4] = ["1", "as many as variables (5 or 8)", "twice as many (10 or 16)", "all"];

pub fn measure(session: &Session) -> Result<Figure> {
    let all = [
        Techniques::measure::<Sha1>(session, "SHA1")?,
        Techniques::measure::<Sha256>(session, "SHA256")?,
        Techniques::measure::<Sha512Pairs>(session, "SHA512")?,
        Techniques::measure::<Sha512>(session, "SHA512")?,
    ];
    let mut figure =
        Figure { missing: if HAS_PREFETCH { Vec::new() } else { vec!["prefetch: PREFETCHT0 is of x86".into()] }, ..Figure::default() };
    figure.said.extend(
        [("cached", CACHED_MESSAGE_BYTES >> 10), ("memory", bytes_from_memory(session) >> 20)]
            .map(|(name, value)| (name, value.to_string())),
    );
    for one in &all {
        for (i, rounds) in UNROLLED.into_iter().enumerate() {
            for (redefined, functions) in [(false, "FIPS 180"), (true, "figure 4.1")] {
                let who = format!("rounds written out: {rounds}; functions of {functions}");
                figure.put((CACHED, one.name), who, RATE, Source::Ours, one.rate(i, redefined));
            }
        }
        for (i, distance) in PREFETCH_DISTANCES.into_iter().enumerate() {
            let who = if distance == 0 { "not prefetched".to_string() } else { format!("{distance} bytes ahead") };
            figure.put((PREFETCHED, one.name), who, RATE, Source::Ours, HAS_PREFETCH.then(|| one.prefetching[i]));
        }
    }
    figure.picture(CACHED, RATE, Kind::Bars, &[]);
    figure.picture(PREFETCHED, RATE, Kind::Bars, &[]);
    let mut publish =
        |metric, gain: fn(&Techniques) -> Option<f64>| figure.metrics.each(metric, all.iter().map(|one| (one.name, gain(one))));
    publish("unrolling", |one| Some(one.gain_by_unrolling()));
    publish("redefined functions", |one| Some(one.gain_by_functions()));
    publish("prefetching", |one| HAS_PREFETCH.then(|| one.gain_by_prefetching()));
    publish("all rounds", |one| Some(one.rate(3, true) / one.rate(1, true)));
    Ok(figure)
}
