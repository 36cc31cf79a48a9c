//! Figure 4.8: all of them, relative to the scalar code.

use anyhow::Result;
use manyhash::{Sha1, Sha256, Sha512};

use super::public::Library;
use super::streams::{self, Registers, Streams, WITH_32_BIT_WORDS, WITH_64_BIT_WORDS};
use super::subject::{CACHED_MESSAGE_BYTES, Subject};
use crate::claims::Metrics;
use crate::contestants::{Raced, Who};
use crate::messages::Layout;
use crate::model::{Figure, Source};
use crate::rows::{Kind, TIMES};
use crate::session::Session;

/// A line of the figure.
struct Line {
    name: &'static str,
    /// The paper's values for SHA-1, SHA-256 and SHA-512.
    paper: [Option<f64>; 3],
    /// Who stands for it here, if anybody does today.
    here: Option<Who>,
}

const FUNCTIONS: [&str; 3] = ["SHA-1", "SHA-256", "SHA-512"];
const LIBRARIES: [Who; 2] = [Who::Library(Library::MbedTls), Who::Library(Library::CryptoPp)];

const fn today(name: &'static str, here: Who) -> Line {
    Line { name, paper: [None; 3], here: Some(here) }
}

const LINES: [Line; 11] = [
    Line { name: "Gladman", paper: [Some(0.88), Some(0.89), Some(0.64)], here: None },
    Line { paper: [None, Some(0.88), None], ..today("mbed TLS (paper: Devine)", LIBRARIES[0]) },
    Line { paper: [Some(0.77), Some(0.49), None], ..today("Crypto++", LIBRARIES[1]) },
    Line { paper: [Some(1.0); 3], ..today("our code in 32-bit registers (1 message)", streams::BITS_32.1) },
    Line { paper: [Some(1.47), Some(1.50), Some(1.46)], ..today("our code in MMX registers (2 messages; SHA-512: 1)", streams::MMX.1) },
    Line { paper: [Some(1.64), Some(1.72), Some(2.30)], ..today("our code in XMM registers (4 messages; SHA-512: 2)", streams::XMM.1) },
    today("64-bit registers (1 message)", streams::BITS_64.1),
    today("SHA extensions (1 message)", Who::Backend("sha-ni")),
    today("AVX2 (8 messages; SHA-512: 4)", Who::Backend("avx2")),
    today("AVX-512 (16 messages; SHA-512: 8)", Who::Backend("avx512")),
    today("AVX-512 in two waves (32 messages; SHA-512: 16)", Who::Backend("avx512x2")),
];
const MMX: usize = 4;
const XMM: usize = 5;

/// A value for each line that is there, of each function.
type Values = [[Option<f64>; LINES.len()]; FUNCTIONS.len()];

/// The lines of one function, relative to the scalar code in 32-bit registers: the libraries on one
/// message, all else on many.
fn lines<S: Subject>(session: &Session, all: &'static [Registers], missing: &mut Vec<String>) -> Result<[Option<f64>; LINES.len()]> {
    let streams = Streams::measure::<S>(session, all, false, missing)?;
    let one_message = [&[streams::BITS_32.1], &LIBRARIES[..]].concat();
    let libraries = Raced::of::<S>(session, &one_message, &Layout::equal(1, CACHED_MESSAGE_BYTES), 20)?;
    let value = |line: &Line| {
        let raced = if LIBRARIES.contains(&line.here?) { &libraries } else { &streams.cached };
        raced.over(line.here?, streams::BITS_32.1)
    };
    Ok(LINES.each_ref().map(value))
}

/// Measures the figure.
pub fn measure(session: &Session) -> Result<Figure> {
    let mut missing = vec!["Gladman's code: in no package of Debian's, nor is it a crate".to_string()];
    missing.extend(LIBRARIES.iter().filter_map(|who| Some(format!("{}: {}", who.name::<Sha1>(), who.missing::<Sha1>()?))));
    let here = [
        lines::<Sha1>(session, WITH_32_BIT_WORDS, &mut missing)?,
        lines::<Sha256>(session, WITH_32_BIT_WORDS, &mut missing)?,
        lines::<Sha512>(session, WITH_64_BIT_WORDS, &mut missing)?,
    ];
    let mut figure = Figure {
        method: format!(
            "{} Relative values are then those of the code and not of the memory; SHA-512 is relative to pairs of 32-bit registers, as \
             in the paper, which has Crypto++ 5.1. The libraries hash one message of {} KiB.",
            streams::method(session),
            CACHED_MESSAGE_BYTES >> 10
        ),
        missing,
        metrics: metrics(&here),
        ..Figure::default()
    };
    const SET: &str = "Rates relative to our scalar code for one message in 32-bit registers";
    for (function, case) in FUNCTIONS.into_iter().enumerate() {
        for (line, here) in LINES.iter().zip(here[function]) {
            figure.put((SET, case), line.name, TIMES, line.here.map_or(Source::Peer, Who::source), here);
            figure.put((SET, case), line.name, TIMES, Source::Paper, line.paper[function]);
        }
    }
    figure.picture(SET, TIMES, Kind::Bars, &[]);
    Ok(figure)
}

fn metrics(here: &Values) -> Metrics {
    let mut metrics = Metrics::default();
    // SHA-512 in MMX registers is one message.
    let several = [(0, MMX), (1, MMX), (0, XMM), (1, XMM), (2, XMM)];
    metrics.each("several messages", several.map(|(function, line)| (FUNCTIONS[function], here[function][line])));
    metrics
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::verdicts;
    use crate::model::Verdict::{DoesNot, Holds, NotMeasured};

    #[test]
    fn all_that_hash_several_messages_decide_the_claim() {
        assert!(LINES[MMX].here == Some(Who::Mmx) && LINES[XMM].here == Some(streams::XMM.1));
        let mut values = [[Some(2.0); LINES.len()]; FUNCTIONS.len()];
        let verdict = |values: &Values| verdicts("2004-4.8", &metrics(values))[0];
        // One message is not several.
        values[2][MMX] = Some(0.5);
        assert_eq!(verdict(&values), Holds);
        values[0][MMX] = Some(0.75);
        assert_eq!(verdict(&values), DoesNot);
        assert_eq!(verdict(&[[None; LINES.len()]; FUNCTIONS.len()]), NotMeasured);
    }
}
