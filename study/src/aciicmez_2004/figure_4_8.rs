//! Figure 4.8: all of them, relative to the scalar code.

use anyhow::Result;

use super::public::{self, Library};
use super::streams::{self, From, Registers, Row, WITH_32_BIT_WORDS, WITH_64_BIT_WORDS};
use super::subject::{Sha1, Sha256, Sha512, Subject, expected, fastest, in_registers};
use crate::messages::Layout;
use crate::model::{Bars, Cell, Claim, Figure, Plot, Source, Table};
use crate::race::{Contestant, Local, Rules, race};
use crate::session::Session;

/// What a line of the figure is.
enum Line {
    /// Not to be had today.
    PaperOnly,
    Library(fn() -> Option<Library>),
    /// Of the words of 32 bits, and of 64.
    Registers(Registers),
}

const fn of(name: &'static str, paper: [Option<f64>; 3], line: Line) -> (&'static str, [Option<f64>; 3], Line) {
    (name, paper, line)
}

const LINES: [(&str, [Option<f64>; 3], Line); 11] = [
    of("Gladman", [Some(0.88), Some(0.89), Some(0.64)], Line::PaperOnly),
    of("Devine; today mbed TLS", [None, Some(0.88), None], Line::Library(public::mbedtls)),
    of("Crypto++ 5.1; today's", [Some(0.77), Some(0.49), None], Line::Library(public::cryptopp)),
    of("our code (1 stream, 32-bit)", [Some(1.0); 3], Line::Registers(Registers::Bits32)),
    of("our code (2, 2, 1 streams, MMX)", [Some(1.47), Some(1.50), Some(1.46)], Line::Registers(Registers::Mmx)),
    of("our code (4, 4, 2 streams, XMM)", [Some(1.64), Some(1.72), Some(2.30)], Line::Registers(Registers::Backend("sse2"))),
    of("1 stream, 64-bit registers", [None; 3], Line::Registers(Registers::Bits64)),
    of("1 stream, SHA extensions", [None; 3], Line::Registers(Registers::Backend("sha-ni"))),
    of("8, 8, 4 streams, AVX2", [None; 3], Line::Registers(Registers::Backend("avx2"))),
    of("16, 16, 8 streams, AVX-512", [None; 3], Line::Registers(Registers::Backend("avx512"))),
    of("32, 32, 16 streams, AVX-512, two waves", [None; 3], Line::Registers(Registers::Backend("avx512x2"))),
];

/// The lines of one function, relative to the scalar code in 32-bit registers.
fn lines<S: Subject>(session: &Session, all: &[Registers], missing: &mut Vec<String>) -> Result<Vec<Option<f64>>> {
    let rows = streams::measure::<S>(session, all, From::Cache, missing)?;
    let by_library = libraries::<S>(session)?;
    let value = |line: &Line| match line {
        Line::PaperOnly => None,
        Line::Library(library) => {
            let name = (library()?.name)();
            by_library.iter().find(|(library, _)| *library == name).map(|(_, times)| *times)
        }
        Line::Registers(registers) => speed_up(&rows, *registers),
    };
    Ok(LINES.iter().map(|(_, _, line)| value(line)).collect())
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
    let functions = ["SHA-1", "SHA-256", "SHA-512"];
    let columns = functions.iter().flat_map(|function| [format!("{function}, paper"), format!("{function}, here")]);
    let mut table = Table::new("Times our scalar code in 32-bit registers", std::iter::once(String::new()).chain(columns));
    for (i, (name, paper, _)) in LINES.iter().enumerate() {
        let values = (0..3).flat_map(|function| [Cell::maybe(paper[function], 2), Cell::maybe(here[function][i], 2)]);
        table.row(std::iter::once(Cell::from(*name)).chain(values));
    }
    let series = (0..3).flat_map(|function| {
        let bars = |whose: &str, source, values| Bars { name: format!("{}, {whose}", functions[function]), source, values };
        [
            bars("paper", Source::Paper, LINES.iter().map(|(_, paper, _)| paper[function]).collect()),
            bars("here", Source::Ours, here[function].clone()),
        ]
    });
    let plots = vec![Plot::Bars {
        title: "Relative performance".into(),
        y_label: "times our scalar code, 32-bit registers".into(),
        categories: LINES.iter().map(|(name, _, _)| name.to_string()).collect(),
        series: series.collect(),
    }];
    let at = |registers: Registers| {
        LINES.iter().position(|(_, _, line)| matches!(line, Line::Registers(one) if *one == registers)).expect("a line of the figure")
    };
    let (mmx, xmm) = (at(Registers::Mmx), at(Registers::Backend("sse2")));
    let several: Option<Vec<f64>> = here.iter().flat_map(|lines| [lines[mmx], lines[xmm]]).collect();
    let range = |values: &[f64]| {
        let (least, most) = values.iter().fold((f64::INFINITY, 0.0_f64), |(least, most), value| (least.min(*value), most.max(*value)));
        format!("{least:.3} to {most:.3} times")
    };
    let shown = several.as_ref().map_or("not measured".into(), |values| range(values));
    let all_gain = several.as_ref().map(|values| values.iter().all(|value| *value > 1.0));
    let today: Vec<f64> = ["avx2", "avx512", "avx512x2"]
        .iter()
        .flat_map(|name| here.iter().map(|lines| lines[at(Registers::Backend(name))]))
        .flatten()
        .collect();
    let claims = vec![Claim::new(
        "2 or 4 independent messages at once (SHA-512: 1 or 2) are significantly faster than one",
        "abstract, figure 4.8",
        "1.456 to 2.301 times",
        shown.clone(),
        all_gain,
    )];
    Ok(Figure {
        method: format!(
            "{} Here all from the cache: relative values are those of the code and not of the memory; SHA-512 is relative to pairs of 32-bit \
             registers, as in the paper. The libraries hash one message of {} KiB.",
            streams::method(session),
            super::subject::CACHED_MESSAGE_BYTES >> 10
        ),
        tables: vec![table],
        plots,
        still_holds: match all_gain {
            Some(true) => format!("MMX and XMM registers gain for every function: {shown} the scalar code."),
            Some(false) => format!("MMX and XMM registers do not gain for every function: {shown} the scalar code."),
            None => "MMX and XMM registers were not measured here.".into(),
        },
        changed: if today.is_empty() {
            "This CPU has no registers wider than the paper's.".into()
        } else {
            format!(
                "Registers of 256 and 512 bits, where they are there, reach {} the scalar code: each instruction does more lanes, and \
                 AVX-512 rotates in one instruction and computes any boolean function of three words in another.",
                range(&today)
            )
        },
        claims,
        missing,
        ..Figure::default()
    })
}
