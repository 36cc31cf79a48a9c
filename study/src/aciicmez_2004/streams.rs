//! Several messages at once, in the registers of 2004 and in today's: what figures 4.6 to 4.8
//! measure.

use anyhow::Result;

use super::scalar::{HashFunction, Variants};
use super::subject::{Subject, effort, fastest};
use crate::contestants::{Raced, Who};
use crate::measured::Measured;
use crate::messages::Layout;
use crate::model::{Figure, Source};
use crate::rows::{Kind, LEAST, RATE};
use crate::session::Session;

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
/// The paper's MMX code.
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
/// Who takes part where words have 64 bits.
pub const WITH_64_BIT_WORDS: &[Registers] = &[BITS_32, MMX, XMM, BITS_64, XMM_OF_AVX512, YMM, ZMM, TWO_WAVES];

/// A function's races.
pub struct Streams {
    /// The function.
    name: &'static str,
    all: &'static [Registers],
    /// Messages that each computes at once.
    streams: Vec<Option<usize>>,
    /// From main memory; empty where only the cache is asked for.
    pub memory: Raced,
    /// From the cache.
    pub cached: Raced,
}

impl Streams {
    /// Races all of `all` from the cache, and from main memory too if asked. What is not there goes
    /// to `missing`.
    pub fn measure<S: Subject>(session: &Session, all: &'static [Registers], from_memory: bool, missing: &mut Vec<String>) -> Result<Self> {
        let who: Vec<Who> = all.iter().map(|(_, who)| *who).collect();
        for (name, who) in all {
            missing.extend(who.missing::<S>().map(|why| format!("{}, {name}: {why}", S::NAME)));
        }
        // Two lines more than a power of two: lanes that begin at the same place of a page would
        // push each other out of the cache.
        let race = |bytes, warm_up| Raced::of::<S>(session, &who, &Layout::equal(MESSAGES, bytes / MESSAGES + 128), warm_up);
        let cached = race(CACHED_BYTES, 20)?;
        let memory = match from_memory {
            true => race(if session.quick { QUICK_MEMORY_BYTES } else { MEMORY_BYTES }, 0)?,
            false => Raced { rows: Vec::new(), missing: Vec::new() },
        };
        Ok(Self { name: S::NAME, all, streams: who.iter().map(|who| who.streams::<S>()).collect(), memory, cached })
    }

    /// How much faster one message after the other or several at once are in these registers than
    /// in those of 32 bits, from memory.
    pub fn speed_up(&self, who: Who) -> Option<f64> {
        self.memory.over(who, BITS_32.1)
    }

    /// Adds the paper's values beside ours, as figures 4.6 and 4.7 have them; and ours from the cache.
    pub fn publish(&self, figure: &mut Figure, paper: &Paper) {
        const TIMES: &str = "times the rate of one message in 32-bit registers";
        let (memory, cached) = (format!("{} of messages in memory", self.name), format!("{} of messages in the cache", self.name));
        for (i, ((name, who), streams)) in self.all.iter().zip(&self.streams).enumerate() {
            let name = match streams {
                Some(1) => format!("{name}, 1 message"),
                Some(streams) => format!("{name}, {streams} messages"),
                None => (*name).into(),
            };
            let (in_memory, in_cache) = ((memory.as_str(), "memory"), (cached.as_str(), "the cache"));
            figure.put(in_memory, name.as_str(), RATE, Source::Ours, self.memory.value(*who, Measured::mb_per_s));
            figure.put(in_memory, name.as_str(), RATE, Source::Paper, paper.rates.get(i).copied());
            figure.put(in_memory, name.as_str(), TIMES, Source::Ours, self.speed_up(*who));
            figure.put(in_memory, name.as_str(), TIMES, Source::Paper, paper.speed_ups.get(i).copied());
            figure.put(in_cache, name.as_str(), RATE, Source::Ours, self.cached.value(*who, Measured::mb_per_s));
            figure.put(in_cache, name.as_str(), TIMES, Source::Ours, self.cached.over(*who, BITS_32.1));
            figure.put(in_cache, name, LEAST, Source::Ours, self.cached.value(*who, Measured::least_tsc_cycles_per_byte));
        }
        figure.picture(&memory, TIMES, Kind::Bars, &[]);
    }
}

/// How messages were hashed, for the figures' methods.
pub fn method(session: &Session) -> String {
    format!(
        "{MESSAGES} messages of one length (the paper: messages of the same size too), as many at once as there are lanes, until all are \
         done. {} The scalar code is the fastest variant of section 4.1 on this machine; MMX is assembly with the paper's techniques, with \
         eight MMX registers as in 2004; XMM and the wider registers are manyhash's backends. From the cache: {} KiB in all.",
        effort(session),
        CACHED_BYTES >> 10
    )
}

/// Where the other messages were.
pub fn from_memory(session: &Session) -> String {
    let memory = if session.quick { "1 MiB in all in this quick run (the paper: 400 MB)" } else { "400 MB in all, as in the paper" };
    format!("From memory: {memory}. From the disk: figure 4.2.")
}

/// The scalar variant that was chosen: "SHA-1: 5 rounds and redefined functions".
pub fn chosen<F: Variants>(session: &Session, openssl: &str) -> Result<String> {
    Ok(format!("{}: {}", <F as HashFunction>::NAME, fastest::<F>(session, openssl)?.name()))
}

/// A function's values in the paper, for the first three rows.
pub struct Paper {
    /// MB/s.
    pub rates: [f64; 3],
    /// Speed-ups as printed: they are not all rounded as we would.
    pub speed_ups: [f64; 3],
}

/// SHA-1 in figure 4.6.
pub const PAPER_SHA_1: Paper = Paper { rates: [87.12, 128.46, 143.09], speed_ups: [1.000, 1.474, 1.642] };
/// SHA-256 in figure 4.6.
pub const PAPER_SHA_256: Paper = Paper { rates: [48.88, 73.22, 83.81], speed_ups: [1.000, 1.498, 1.715] };
/// SHA-384 and SHA-512 in figure 4.7.
pub const PAPER_SHA_512: Paper = Paper { rates: [38.26, 55.71, 88.02], speed_ups: [1.000, 1.456, 2.301] };

/// Rows as if they had been measured, from memory and from the cache, with these MB/s.
#[cfg(test)]
pub fn of_rates<S: Subject>(all: &'static [Registers], rates: &[f64]) -> Streams {
    let raced = crate::contestants::at_rates(&all.iter().map(|(_, who)| *who).zip(rates.iter().copied()).collect::<Vec<_>>());
    let streams = all.iter().map(|(_, who)| who.streams::<S>()).collect();
    Streams { name: S::NAME, all, streams, memory: raced.clone(), cached: raced }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_speed_ups_are_those_of_its_rates() {
        for paper in [PAPER_SHA_1, PAPER_SHA_256, PAPER_SHA_512] {
            for (rate, speed_up) in paper.rates.iter().zip(paper.speed_ups) {
                assert!((rate / paper.rates[0] - speed_up).abs() < 0.001, "{rate}: {speed_up}");
            }
        }
    }
}
