//! Figure 4.8: all of them, relative to the scalar code.

use anyhow::Result;

use super::public::{self, Library};
use super::shown::{self, cell, or_not_measured, ratio, without_gaps};
use super::streams::{self, From, Registers, Row, WITH_32_BIT_WORDS, WITH_64_BIT_WORDS};
use super::subject::{Sha1, Sha256, Sha512, Subject, expected, fastest, in_registers};
use crate::messages::Layout;
use crate::model::{Bars, Cell, Claim, Figure, Plot, Source, Table};
use crate::race::{Contestant, Local, Rules, race};
use crate::session::Session;

/// A line of the figure.
struct Line {
    name: &'static str,
    /// For SHA-1, SHA-256 and SHA-512.
    paper: [Option<f64>; 3],
    here: Here,
}

/// Who stands for it here.
enum Here {
    /// Not to be had today.
    Nobody,
    Library(fn() -> Option<Library>),
    /// Of the words of 32 bits, and of 64.
    Registers(Registers),
}

const FUNCTIONS: [&str; 3] = ["SHA-1", "SHA-256", "SHA-512"];

const LINES: [Line; 11] = [
    Line { name: "Gladman", paper: [Some(0.88), Some(0.89), Some(0.64)], here: Here::Nobody },
    Line { name: "mbed TLS (paper: Devine)", paper: [None, Some(0.88), None], here: Here::Library(public::mbedtls) },
    Line { name: "Crypto++", paper: [Some(0.77), Some(0.49), None], here: Here::Library(public::cryptopp) },
    Line { name: "our code in 32-bit registers (1 message)", paper: [Some(1.0); 3], here: Here::Registers(Registers::Bits32) },
    Line {
        name: "our code in MMX registers (2 messages; SHA-512: 1)",
        paper: [Some(1.47), Some(1.50), Some(1.46)],
        here: Here::Registers(Registers::Mmx),
    },
    Line {
        name: "our code in XMM registers (4 messages; SHA-512: 2)",
        paper: [Some(1.64), Some(1.72), Some(2.30)],
        here: Here::Registers(Registers::Backend("sse2")),
    },
    Line { name: "64-bit registers (1 message)", paper: [None; 3], here: Here::Registers(Registers::Bits64) },
    Line { name: "SHA extensions (1 message)", paper: [None; 3], here: Here::Registers(Registers::Backend("sha-ni")) },
    Line { name: "AVX2 (8 messages; SHA-512: 4)", paper: [None; 3], here: Here::Registers(Registers::Backend("avx2")) },
    Line { name: "AVX-512 (16 messages; SHA-512: 8)", paper: [None; 3], here: Here::Registers(Registers::Backend("avx512")) },
    Line {
        name: "AVX-512 in two waves (32 messages; SHA-512: 16)",
        paper: [None; 3],
        here: Here::Registers(Registers::Backend("avx512x2")),
    },
];

/// A value for each line that is there, of each function.
type Values = [[Option<f64>; LINES.len()]; FUNCTIONS.len()];

/// The lines of one function, relative to the scalar code in 32-bit registers.
fn lines<S: Subject>(session: &Session, all: &[Registers], missing: &mut Vec<String>) -> Result<[Option<f64>; LINES.len()]> {
    let rows = streams::measure::<S>(session, all, From::Cache, missing)?;
    let by_library = libraries::<S>(session)?;
    let value = |line: &Line| match line.here {
        Here::Nobody => None,
        Here::Library(library) => {
            let name = (library()?.name)();
            by_library.iter().find(|(library, _)| *library == name).map(|(_, times)| *times)
        }
        Here::Registers(registers) => speed_up(&rows, registers),
    };
    Ok(LINES.each_ref().map(value))
}

fn speed_up(rows: &[Row], registers: Registers) -> Option<f64> {
    streams::cached_speed_up(rows, streams::index(rows, registers)?)
}

/// The public libraries that are there: a name, and how fast relative to the scalar code on the same message.
fn libraries<S: Subject>(session: &Session) -> Result<Vec<(String, f64)>> {
    let messages = Layout::equal(1, super::subject::CACHED_MESSAGE_BYTES).fill()?;
    let slices = messages.slices();
    let message = slices[0];
    let expected = expected(S::OPENSSL, &slices)?;
    let mut contestants: Vec<Box<dyn Contestant + '_>> = vec![in_registers("", fastest::<S::Narrow>(session, S::OPENSSL)?, &slices)];
    for library in [public::mbedtls(), public::cryptopp()].into_iter().flatten() {
        contestants.push(Local::boxed((library.name)(), move |digests| (library.hash)(S::DIGEST_BYTES, message, digests)));
    }
    let measured = race(session, Rules { bytes: message.len(), expected: Some(&expected), warm_up_calls: 20 }, &mut contestants)?;
    let (ours, theirs) = measured.split_first().expect("ours is there");
    Ok(theirs.iter().map(|theirs| (theirs.name.clone(), theirs.speed_up_over(ours))).collect())
}

/// Measures it.
pub fn measure(session: &Session) -> Result<Figure> {
    let mut missing = vec!["Gladman's code: in no package of Debian's, nor is it a crate".to_string()];
    for (library, name) in [(public::mbedtls(), "mbed TLS"), (public::cryptopp(), "Crypto++")] {
        if library.is_none() {
            missing.push(format!("{name}: not there when the study was built"));
        }
    }
    let here = [
        lines::<Sha1>(session, WITH_32_BIT_WORDS, &mut missing)?,
        lines::<Sha256>(session, WITH_32_BIT_WORDS, &mut missing)?,
        lines::<Sha512>(session, WITH_64_BIT_WORDS, &mut missing)?,
    ];
    let mut figure = Figure {
        method: format!(
            "{} {} Relative values are then those of the code and not of the memory; SHA-512 is relative to pairs of 32-bit registers, as \
             in the paper, which has Crypto++ 5.1. The libraries hash one message of {} KiB.",
            streams::method(session),
            streams::places(session, From::Cache),
            super::subject::CACHED_MESSAGE_BYTES >> 10
        ),
        tables: (0..FUNCTIONS.len()).map(|function| table(function, &here)).collect(),
        plots: vec![plot(&here)],
        missing,
        ..Figure::default()
    };
    judge(&mut figure, &here);
    Ok(figure)
}

fn table(function: usize, here: &Values) -> Table {
    let title = format!("{}: rate relative to our scalar code for one message in 32-bit registers", FUNCTIONS[function]);
    let mut table = Table::new(title, ["implementation", "paper", "here", "here / paper"]);
    for (line, value) in LINES.iter().zip(here[function]) {
        let paper = line.paper[function];
        table.row([Cell::from(line.name), Cell::maybe(paper, 2), cell(value), ratio(value, paper)]);
    }
    without_gaps(table, 1)
}

fn plot(here: &Values) -> Plot {
    let series = (0..FUNCTIONS.len()).flat_map(|function| {
        let bars = |whose: &str, source, values| Bars { name: format!("{}, {whose}", FUNCTIONS[function]), source, values };
        [
            bars("paper", Source::Paper, LINES.iter().map(|line| line.paper[function]).collect()),
            bars("here", Source::Ours, here[function].to_vec()),
        ]
    });
    Plot::Bars {
        title: "Public libraries, MMX, XMM and wider registers, relative to our scalar code".into(),
        y_label: "times the rate of our scalar code in 32-bit registers, median".into(),
        categories: LINES.iter().map(|line| line.name.to_string()).collect(),
        series: series.collect(),
    }
}

fn at(registers: Registers) -> usize {
    LINES.iter().position(|line| matches!(line.here, Here::Registers(one) if one == registers)).expect("a line of the figure")
}

fn judge(figure: &mut Figure, here: &Values) {
    let (mmx, xmm) = (at(Registers::Mmx), at(Registers::Backend("sse2")));
    let of_line = |line: usize| here.iter().filter_map(move |values| values[line]);
    // SHA-512 in MMX registers is one message.
    let several: Option<Vec<f64>> = [here[0][mmx], here[1][mmx], here[0][xmm], here[1][xmm], here[2][xmm]].into_iter().collect();
    let all_gain = several.as_ref().map(|values| values.iter().all(|value| *value > 1.0));
    figure.claims = vec![Claim::new(
        "2 or 4 independent messages at once are hashed significantly faster than one",
        "abstract, section 5",
        "1.474 to 2.301 times",
        or_not_measured(several.clone().and_then(shown::range).map(|range| format!("{range} times"))),
        all_gain,
    )];
    let gains = |line: usize| of_line(line).count() == FUNCTIONS.len() && of_line(line).all(|value| value > 1.0);
    let by = |line: usize| shown::range(of_line(line)).unwrap_or_default();
    figure.still_holds = match (gains(mmx), gains(xmm)) {
        (true, true) => {
            format!("Both MMX registers ({} times) and XMM registers ({} times) still gain for every function.", by(mmx), by(xmm))
        }
        (false, true) => format!("XMM registers still gain for every function: {} times the rate of the scalar code.", by(xmm)),
        (true, false) => format!("MMX registers still gain for every function: {} times the rate of the scalar code.", by(mmx)),
        (false, false) if several.is_none() => "Nothing of it could be measured here: these registers are missing.".into(),
        (false, false) => "Nothing of it holds here: neither MMX nor XMM registers gain for every function.".into(),
    };
    let lost: Vec<&str> =
        FUNCTIONS.into_iter().zip(here).filter(|(_, values)| values[mmx].is_some_and(|value| value < 1.0)).map(|(name, _)| name).collect();
    let first =
        if lost.is_empty() { String::new() } else { format!("MMX registers are slower than the scalar code for {}. ", shown::list(&lost)) };
    let wider = ["avx2", "avx512", "avx512x2"].map(|name| at(Registers::Backend(name)));
    let second = match shown::range(wider.into_iter().flat_map(of_line)) {
        Some(range) => format!(
            "Wider registers reach {range} times the scalar code: they hold more lanes, and AVX-512, where it is there, rotates in one instruction."
        ),
        None => "This CPU has no registers wider than the paper's.".into(),
    };
    figure.changed = first + &second;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aciicmez_2004::shown::assert_is_readable;
    use crate::model::Verdict::{self, DoesNot, Holds, NotMeasured};

    fn judged(values: &Values) -> (Figure, Verdict) {
        let mut figure = Figure::default();
        judge(&mut figure, values);
        for text in [&figure.still_holds, &figure.changed] {
            assert_is_readable(text);
        }
        let verdict = figure.claims[0].verdict;
        (figure, verdict)
    }

    #[test]
    fn verdicts_and_sentences_follow_the_values() {
        let mut values = [[Some(2.0); LINES.len()]; FUNCTIONS.len()];
        let (figure, verdict) = judged(&values);
        assert_eq!(verdict, Holds);
        assert!(figure.still_holds.starts_with("Both") && figure.changed.starts_with("Wider"), "{}", figure.changed);
        values[0][at(Registers::Mmx)] = Some(0.75);
        let (figure, verdict) = judged(&values);
        assert_eq!(verdict, DoesNot);
        assert!(figure.still_holds.starts_with("XMM") && figure.changed.contains("code for SHA-1. "), "{}", figure.changed);
        values[0][at(Registers::Backend("sse2"))] = Some(0.75);
        assert!(judged(&values).0.still_holds.starts_with("Nothing of it holds here"));
        assert_eq!(judged(&[[None; LINES.len()]; FUNCTIONS.len()]).1, NotMeasured);
    }

    /// One message is not several.
    #[test]
    fn sha_512_in_mmx_registers_does_not_decide_the_claim() {
        let mut values = [[Some(2.0); LINES.len()]; FUNCTIONS.len()];
        values[2][at(Registers::Mmx)] = Some(0.5);
        assert_eq!(judged(&values).1, Holds);
    }
}
