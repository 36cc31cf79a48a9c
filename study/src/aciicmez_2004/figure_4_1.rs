//! Section 4.1 with figure 4.1: what each technique is worth.

use anyhow::Result;

use super::subject::{CACHED_MESSAGE_BYTES, bytes_from_memory, race_variants};
use crate::model::{Figure, Source};
use crate::rows::{Kind, RATE};
use crate::session::Session;
use manyhash_scalar::{HashFunction, PREFETCH_DISTANCES, Sha1, Sha256, Sha512, Sha512Pairs, Variants};

/// The instruction is of x86; elsewhere the code that asks for it does nothing.
const HAS_PREFETCH: bool = cfg!(target_arch = "x86_64");

const CACHED: &str = "Scalar code from the cache, by rounds written out in the loop and by boolean functions";
const PREFETCHED: &str = "Scalar code from main memory, by how far ahead lines of the message are prefetched";
const UNROLLED: [&str; 4] = ["1", "as many as variables (5 or 8)", "twice as many (10 or 16)", "all"];
/// What is judged of each hash function.
const GAINS: [&str; 4] = ["unrolling", "redefined functions", "prefetching", "all rounds"];

pub fn measure(session: &Session) -> Result<Figure> {
    let mut figure = Figure::default();
    if !HAS_PREFETCH {
        figure.missing.push("prefetch: PREFETCHT0 is of x86".into());
    }
    figure.said.push(("cached", (CACHED_MESSAGE_BYTES >> 10).to_string()));
    figure.said.push(("memory", (bytes_from_memory(session) >> 20).to_string()));
    let gains = [
        (Sha1::NAME, rates::<Sha1>(session, &mut figure, "SHA1")?),
        (Sha256::NAME, rates::<Sha256>(session, &mut figure, "SHA256")?),
        (Sha512Pairs::NAME, rates::<Sha512Pairs>(session, &mut figure, "SHA512")?),
        (Sha512::NAME, rates::<Sha512>(session, &mut figure, "SHA512")?),
    ];
    figure.picture(CACHED, RATE, Kind::Bars, &[]);
    figure.picture(PREFETCHED, RATE, Kind::Bars, &[]);
    for (i, metric) in GAINS.into_iter().enumerate() {
        figure.metrics.each(metric, gains.map(|(name, gains)| (name, gains[i])));
    }
    Ok(figure)
}

/// Adds the rates of a hash function, and returns its [`GAINS`].
fn rates<F: Variants>(session: &Session, figure: &mut Figure, openssl: &str) -> Result<[Option<f64>; 4]> {
    // Each unrolling has the functions of FIPS 180 and then the redefined ones.
    let cached = race_variants(session, openssl, &F::unrolled(), CACHED_MESSAGE_BYTES, 50)?;
    for (pair, rounds) in cached.chunks(2).zip(UNROLLED) {
        for (rate, functions) in pair.iter().zip(["FIPS 180", "figure 4.1"]) {
            let who = format!("rounds written out: {rounds}; functions of {functions}");
            figure.put((CACHED, F::NAME), who, RATE, Source::Ours, *rate);
        }
    }
    let prefetched = race_variants(session, openssl, &F::prefetching(), bytes_from_memory(session), 0)?;
    for (rate, distance) in prefetched.iter().zip(PREFETCH_DISTANCES) {
        let who = if distance == 0 { "not prefetched".to_string() } else { format!("{distance} bytes ahead") };
        figure.put((PREFETCHED, F::NAME), who, RATE, Source::Ours, HAS_PREFETCH.then_some(*rate));
    }
    let redefined = [1, 3, 5, 7].map(|i| cached[i]);
    let best = |rates: &[f64]| rates.iter().copied().fold(0.0, f64::max);
    Ok([
        // The best of the longer loops over a round at a time.
        Some(best(&redefined[1..]) / redefined[0]),
        // All rounds written out.
        Some(redefined[3] / cached[6]),
        // The best distance over none.
        HAS_PREFETCH.then(|| best(&prefetched[1..]) / prefetched[0]),
        // Over as many as variables.
        Some(redefined[3] / redefined[1]),
    ])
}
