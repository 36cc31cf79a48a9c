//! Figures 4.6 and 4.7: one message and several at once, of SHA-1 and SHA-256, and of SHA-384 and
//! SHA-512, in registers of 32, 64 and 128 bits; then what came after 2004.

use anyhow::Result;
use manyhash::{Sha1, Sha256, Sha512};

use super::subject::{Subject, fastest};
use crate::claims::Metrics;
use crate::contestants::{Raced, Who};
use crate::measured::Measured;
use crate::messages::Layout;
use crate::model::{Figure, Source};
use crate::rows::{Kind, LEAST, RATE};
use crate::session::Session;
use manyhash_scalar::Variants;

/// As many messages as the widest of all computes at once.
const MESSAGES: usize = 32;
/// Bytes of all messages from memory: as long as the paper's file.
const MEMORY_BYTES: usize = 400_000_000;
const QUICK_MEMORY_BYTES: usize = 1 << 20;
/// Bytes of all messages in the second-level cache of most CPUs.
const CACHED_BYTES: usize = 512 << 10;

/// Registers, as tables name them, and what computes in them.
pub type Registers = (&'static str, Who);

/// One message in general-purpose registers of 32 bits, in pairs of them for longer words.
pub const BITS_32: Registers = ("32-bit", Who::Scalar32);
pub const MMX: Registers = ("64-bit (MMX)", Who::Mmx);
/// The paper's XMM registers, with manyhash's code.
pub const XMM: Registers = ("128-bit (XMM)", Who::Backend("sse2"));
/// Registers that hold a word of 64 bits.
pub const BITS_64: Registers = ("64-bit", Who::Scalar);
const XMM_OF_AVX512: Registers = ("128-bit (XMM of AVX-512)", Who::Backend("avx512-128"));
const YMM: Registers = ("256-bit (AVX2)", Who::Backend("avx2"));
const ZMM: Registers = ("512-bit (AVX-512)", Who::Backend("avx512"));
const TWO_WAVES: Registers = ("512-bit (AVX-512) in two waves", Who::Backend("avx512x2"));
const SHA: Registers = ("SHA extensions", Who::Backend("sha-ni"));
const SHA_INTERLEAVED: Registers = ("SHA extensions (interleaved)", Who::Backend("sha-ni-x2"));

/// Who takes part, the three of the paper first.
pub const WITH_32_BIT_WORDS: &[Registers] = &[BITS_32, MMX, XMM, XMM_OF_AVX512, YMM, ZMM, TWO_WAVES, SHA, SHA_INTERLEAVED];
pub const WITH_64_BIT_WORDS: &[Registers] = &[BITS_32, MMX, XMM, BITS_64, XMM_OF_AVX512, YMM, ZMM, TWO_WAVES];

/// Races messages of so many bytes in sum.
fn race<S: Subject>(session: &Session, all: &[Registers], bytes: usize, warm_up_calls: u64) -> Result<Raced> {
    let who: Vec<Who> = all.iter().map(|(_, who)| *who).collect();
    // Two lines more than a power of two: lanes that begin at the same place of a page would push
    // each other out of the cache.
    Raced::of::<S>(session, &who, &Layout::equal(MESSAGES, bytes / MESSAGES + 128), warm_up_calls)
}

/// Races messages in the cache. Who is not there goes to the figure's missing.
pub fn cached<S: Subject>(session: &Session, figure: &mut Figure, all: &[Registers]) -> Result<Raced> {
    for (name, who) in all {
        figure.missing.extend(who.missing::<S>().map(|why| format!("{}, {name}: {why}", S::NAME)));
    }
    race::<S>(session, all, CACHED_BYTES, 20)
}

/// Adds what a function's races give, the paper's rates and speed-ups beside ours; returns what was
/// raced from memory.
fn add<S: Subject>(session: &Session, figure: &mut Figure, all: &[Registers], paper: &[[f64; 2]; 3]) -> Result<Raced> {
    const TIMES: &str = "times the rate of one message in 32-bit registers";
    let cached = cached::<S>(session, figure, all)?;
    let memory = race::<S>(session, all, if session.quick { QUICK_MEMORY_BYTES } else { MEMORY_BYTES }, 0)?;
    for (i, (name, who)) in all.iter().enumerate() {
        let name = match who.streams::<S>() {
            Some(1) => format!("{name}, 1 message"),
            Some(streams) => format!("{name}, {streams} messages"),
            None => (*name).into(),
        };
        for (raced, case, set) in [(&memory, "memory", "memory"), (&cached, "the cache", "the cache")] {
            let set = format!("{} of messages in {set}", S::NAME);
            figure.put((&set, case), name.as_str(), RATE, Source::Ours, raced.value(*who, Measured::mb_per_s));
            figure.put((&set, case), name.as_str(), TIMES, Source::Ours, raced.over(*who, BITS_32.1));
            if case == "memory" {
                figure.put((&set, case), name.as_str(), RATE, Source::Paper, paper.get(i).map(|paper| paper[0]));
                figure.put((&set, case), name.as_str(), TIMES, Source::Paper, paper.get(i).map(|paper| paper[1]));
            } else {
                figure.put((&set, case), name.as_str(), LEAST, Source::Ours, raced.value(*who, Measured::least_tsc_cycles_per_byte));
            }
        }
    }
    figure.picture(&format!("{} of messages in memory", S::NAME), TIMES, Kind::Bars, &[]);
    Ok(memory)
}

/// The scalar variant that was chosen: "SHA-1: 5 rounds and redefined functions".
fn chosen<F: Variants>(session: &Session, openssl: &str) -> Result<String> {
    Ok(format!("{}: {}", F::NAME, fastest::<F>(session, openssl)?.name()))
}

/// MB/s and speed-ups as figure 4.6 has them, of the first three rows: not all are rounded as we would.
const PAPER_SHA_1: [[f64; 2]; 3] = [[87.12, 1.000], [128.46, 1.474], [143.09, 1.642]];
const PAPER_SHA_256: [[f64; 2]; 3] = [[48.88, 1.000], [73.22, 1.498], [83.81, 1.715]];
/// SHA-384 and SHA-512 in figure 4.7.
const PAPER_SHA_512: [[f64; 2]; 3] = [[38.26, 1.000], [55.71, 1.456], [88.02, 2.301]];

/// Measures figure 4.6.
pub fn sha1_and_sha256(session: &Session) -> Result<Figure> {
    let mut figure = Figure::default();
    let sha1 = add::<Sha1>(session, &mut figure, WITH_32_BIT_WORDS, &PAPER_SHA_1)?;
    let sha256 = add::<Sha256>(session, &mut figure, WITH_32_BIT_WORDS, &PAPER_SHA_256)?;
    let chosen = [chosen::<manyhash_scalar::Sha1>(session, "SHA1")?, chosen::<manyhash_scalar::Sha256>(session, "SHA256")?];
    figure.said.push(("chosen", chosen.join("; ")));
    figure.metrics = metrics_4_6(&sha1, &sha256);
    Ok(figure)
}

fn metrics_4_6(sha1: &Raced, sha256: &Raced) -> Metrics {
    let mut metrics = Metrics::default();
    for (metric, one, other) in
        [("MMX over 32-bit", MMX, BITS_32), ("XMM over 32-bit", XMM, BITS_32), ("two at once", BITS_32, MMX), ("XMM over MMX", XMM, MMX)]
    {
        let messages = if metric == "two at once" { 2.0 } else { 1.0 };
        let of = |raced: &Raced| raced.over(one.1, other.1).map(|times| messages * times);
        metrics.each(metric, [("SHA-1", of(sha1)), ("SHA-256", of(sha256))]);
    }
    metrics
}

/// Measures figure 4.7.
pub fn sha512(session: &Session) -> Result<Figure> {
    let mut figure = Figure::default();
    let raced = add::<Sha512>(session, &mut figure, WITH_64_BIT_WORDS, &PAPER_SHA_512)?;
    let chosen = [chosen::<manyhash_scalar::Sha512Pairs>(session, "SHA512")?, chosen::<manyhash_scalar::Sha512>(session, "SHA512")?];
    figure.said.push(("chosen", chosen.join("; ")));
    figure.metrics = metrics_4_7(&raced);
    Ok(figure)
}

fn metrics_4_7(raced: &Raced) -> Metrics {
    let mut metrics = Metrics::default();
    metrics.set("MMX over 32-bit", raced.over(MMX.1, BITS_32.1));
    metrics.set("XMM over MMX", raced.over(XMM.1, MMX.1));
    metrics.set("64-bit over 32-bit", raced.over(BITS_64.1, BITS_32.1));
    metrics
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::verdicts;
    use crate::contestants::at_rates;
    use crate::model::Verdict::{DoesNot, Holds, NotMeasured};

    fn raced(all: &[Registers], rates: &[f64]) -> Raced {
        at_rates(&all.iter().map(|(_, who)| *who).zip(rates.iter().copied()).collect::<Vec<_>>())
    }

    #[test]
    fn verdicts_follow_the_values() {
        for (rates, expected) in [
            (&[100.0, 150.0, 300.0][..], [Holds; 4]),
            (&[100.0, 80.0, 160.0], [DoesNot, Holds, DoesNot, DoesNot]),
            (&[100.0, 80.0, 70.0], [DoesNot; 4]),
            (&[100.0], [NotMeasured; 4]),
        ] {
            let raced = raced(WITH_32_BIT_WORDS, rates);
            assert_eq!(verdicts("2004-4.6", &metrics_4_6(&raced, &raced)), expected);
        }
        for (rates, expected) in [
            (&[100.0, 150.0, 400.0, 300.0][..], [Holds, Holds, Holds]),
            (&[100.0, 150.0, 120.0, 90.0], [Holds, DoesNot, DoesNot]),
            (&[100.0, 90.0, 95.0], [DoesNot, Holds, NotMeasured]),
        ] {
            assert_eq!(verdicts("2004-4.7", &metrics_4_7(&raced(WITH_64_BIT_WORDS, rates))), expected);
        }
    }

    #[test]
    fn the_papers_speed_ups_are_those_of_its_rates() {
        for paper in [PAPER_SHA_1, PAPER_SHA_256, PAPER_SHA_512] {
            assert!(paper.iter().all(|[rate, speed_up]| (rate / paper[0][0] - speed_up).abs() < 0.001), "{paper:?}");
        }
    }
}
