//! Figure 4.3: the scalar code beside public implementations, of which each hashes one message.

use anyhow::Result;

use super::public::{self, Library};
use super::shown::{self, cell, number, or_not_measured, ratio, without_gaps};
use super::subject::{Sha1, Sha256, Sha512, Slices, Subject, expected, fastest, in_registers};
use crate::measured::Measured;
use crate::messages::Layout;
use crate::model::{Bars, Cell, Claim, Figure, Plot, Source, Table};
use crate::openssl_worker::{Variant as OpenSsl, Worker};
use crate::race::{Contestant, Local, Rules, race};
use crate::session::Session;

const MESSAGE_BYTES: usize = 4 << 20;
const QUICK_MESSAGE_BYTES: usize = 64 << 10;

/// Rows, in the order of the contestants: the name, and the paper's MB/s for SHA-1, SHA-256 and SHA-512.
struct Row {
    name: &'static str,
    paper: [Option<f64>; FUNCTIONS.len()],
}

const FUNCTIONS: [&str; 3] = ["SHA-1", "SHA-256", "SHA-512"];

const ROWS: [Row; 10] = [
    Row { name: "our code in registers of a word's size", paper: [Some(87.12), Some(48.88), None] },
    Row { name: "our code in 32-bit registers", paper: [None, None, Some(38.26)] },
    Row { name: "Gladman", paper: [Some(76.66), Some(43.52), Some(24.33)] },
    Row { name: "mbed TLS (paper: Devine)", paper: [None, Some(43.19), None] },
    Row { name: "Crypto++", paper: [Some(67.45), Some(23.90), None] },
    Row { name: "OpenSSL scalar", paper: [None; 3] },
    Row { name: "OpenSSL n-SMS (AVX2)", paper: [None; 3] },
    Row { name: "OpenSSL today", paper: [None; 3] },
    Row { name: "RustCrypto", paper: [None; 3] },
    Row { name: "manyhash", paper: [None; 3] },
];

const MBED_TLS: usize = 3;
const SCALAR_OPENSSL: usize = 5;
const N_SMS: usize = 6;
/// Those by others.
const PUBLIC: std::ops::Range<usize> = 2..9;

/// The paper's own code; its SHA-512 is in 32-bit registers.
const PAPER_OURS: [f64; FUNCTIONS.len()] = [87.12, 48.88, 38.26];

/// MB/s of each function, a value for each row that is there.
type Rates = [[Option<f64>; ROWS.len()]; FUNCTIONS.len()];

/// Of one function: a value for each row.
fn contest<S: Subject>(session: &Session) -> Result<Vec<Option<Measured>>> {
    let layout = Layout::equal(1, if session.quick { QUICK_MESSAGE_BYTES } else { MESSAGE_BYTES });
    let messages = layout.fill()?;
    let slices = messages.slices();
    let message = slices[0];
    let library = |library: Option<Library>| {
        library.map(|library| Local::boxed("", move |digests| (library.hash)(S::DIGEST_BYTES, message, digests)))
    };
    let native = fastest::<S::Native>(session, S::OPENSSL)?;
    let worker = |variant| Worker::start(session, variant, S::OPENSSL, &layout);
    let mut rows: Vec<Option<Box<dyn Contestant + '_>>> = vec![
        Some(in_registers("", native, &slices)),
        narrow::<S>(session, &slices)?,
        None,
        library(public::mbedtls()),
        library(public::cryptopp()),
        if OpenSsl::Scalar.missing().is_none() { Some(worker(OpenSsl::Scalar)?) } else { None },
        if OpenSsl::NSms.missing().is_none() { Some(worker(OpenSsl::NSms)?) } else { None },
        Some(worker(OpenSsl::Today)?),
        Some(Local::boxed("", |digests| S::rustcrypto(message, digests))),
        Some(Local::boxed("", |digests| digests.extend_from_slice(manyhash::hash::<S::Algorithm>(message).as_ref()))),
    ];
    let there: Vec<bool> = rows.iter().map(Option::is_some).collect();
    let mut contestants: Vec<_> = rows.drain(..).flatten().collect();
    let expected = expected(S::OPENSSL, &slices)?;
    let rules = Rules { bytes: message.len(), expected: Some(&expected), warm_up_calls: 3 };
    let mut measured = race(session, rules, &mut contestants)?.into_iter();
    Ok(there.into_iter().map(|there| if there { measured.next() } else { None }).collect())
}

/// Where that is something else than the native registers.
fn narrow<'a, S: Subject>(session: &Session, messages: Slices<'a>) -> Result<Option<Box<dyn Contestant + 'a>>> {
    if std::any::TypeId::of::<S::Narrow>() == std::any::TypeId::of::<S::Native>() {
        return Ok(None);
    }
    Ok(Some(in_registers("", fastest::<S::Narrow>(session, S::OPENSSL)?, messages)))
}

/// Measures it.
pub fn measure(session: &Session) -> Result<Figure> {
    let measured = [contest::<Sha1>(session)?, contest::<Sha256>(session)?, contest::<Sha512>(session)?];
    let rates: Rates = measured.map(|rows| std::array::from_fn(|row| rows[row].as_ref().map(Measured::mb_per_s)));

    let mut missing = vec!["Gladman's code: in no package of Debian's, nor is it a crate".to_string()];
    for (library, name, package) in [(public::cryptopp(), "Crypto++", "libcrypto++-dev"), (public::mbedtls(), "mbed TLS", "libmbedtls-dev")]
    {
        if library.is_none() {
            missing.push(format!("{name}: not there when the study was built (Debian: {package})"));
        }
    }
    for (variant, row) in [(OpenSsl::Scalar, SCALAR_OPENSSL), (OpenSsl::NSms, N_SMS)] {
        missing.extend(variant.missing().map(|why| format!("{}: {why}", ROWS[row].name)));
    }
    let names: Vec<String> = [public::cryptopp(), public::mbedtls()].into_iter().flatten().map(|library| (library.name)()).collect();
    let mut figure = Figure {
        method: format!(
            "One message of {} KiB; the paper: a file of 400 MB in memory. {} Our code is the fastest variant of section 4.1 on this \
             machine; relative values are to it, in the paper to its own (for SHA-512 that in 32-bit registers). The paper has Crypto++ 5.1. \
             Peers here: {}; OpenSSL in processes that hide instructions of the CPU from it; RustCrypto's crates sha1 and sha2 choose by \
             the CPU, and so does Crypto++.",
            (if session.quick { QUICK_MESSAGE_BYTES } else { MESSAGE_BYTES }) >> 10,
            super::subject::effort(session),
            if names.is_empty() { "no library of 2004".into() } else { shown::list(&names) },
        ),
        tables: (0..FUNCTIONS.len()).map(|function| table(function, &rates)).collect(),
        plots: vec![plot(&rates)],
        missing,
        ..Figure::default()
    };
    judge(&mut figure, &rates);
    Ok(figure)
}

fn paper_relative(function: usize, row: usize) -> Option<f64> {
    Some(ROWS[row].paper[function]? / PAPER_OURS[function])
}

fn relative(rates: &Rates, function: usize, row: usize) -> Option<f64> {
    Some(rates[function][row]? / rates[function][0]?)
}

fn table(function: usize, rates: &Rates) -> Table {
    let mut table = Table::new(
        format!("{} of one message: our scalar code and public implementations, MB/s", FUNCTIONS[function]),
        ["implementation", "paper", "here", "here / paper", "paper: relative to our code", "here: relative to our code"],
    );
    for (row, Row { name, paper }) in ROWS.iter().enumerate() {
        table.row([
            Cell::from(*name),
            Cell::maybe(paper[function], 2),
            cell(rates[function][row]),
            ratio(rates[function][row], paper[function]),
            Cell::maybe(paper_relative(function, row), 2),
            cell(relative(rates, function, row)),
        ]);
    }
    without_gaps(table, 1)
}

fn plot(rates: &Rates) -> Plot {
    let series = (0..FUNCTIONS.len()).flat_map(|function| {
        let bars = |whose: &str, source, value: &dyn Fn(usize) -> Option<f64>| Bars {
            name: format!("{}, {whose}", FUNCTIONS[function]),
            source,
            values: (0..ROWS.len()).map(value).collect(),
        };
        [
            bars("paper", Source::Paper, &|row| paper_relative(function, row)),
            bars("here", Source::Peer, &|row| relative(rates, function, row)),
        ]
    });
    Plot::Bars {
        title: "One message: public implementations, relative to our scalar code".into(),
        y_label: "times the rate of our scalar code, median".into(),
        categories: ROWS.iter().map(|row| row.name.to_string()).collect(),
        series: series.collect(),
    }
}

fn judge(figure: &mut Figure, rates: &Rates) {
    let best = |function: usize| {
        let relative = PUBLIC.filter_map(|row| Some((ROWS[row].name, relative(rates, function, row)?)));
        relative.max_by(|a, b| a.1.total_cmp(&b.1))
    };
    let winners: Vec<(usize, &str, f64)> =
        (0..FUNCTIONS.len()).filter_map(|function| best(function).map(|(name, times)| (function, name, times))).collect();
    let faster: Vec<String> = winners
        .iter()
        .filter(|(.., times)| *times > 1.0)
        .map(|(function, name, times)| format!("{name} {} times ({})", number(*times), FUNCTIONS[*function]))
        .collect();
    let fastest: Vec<(&str, f64)> = winners.iter().map(|(function, _, times)| (FUNCTIONS[*function], *times)).collect();
    // The paper has Devine's code for SHA-256 only.
    let devine = relative(rates, 1, MBED_TLS);
    figure.claims = vec![
        Claim::new(
            "No public implementation of one message is faster than the scalar code",
            "section 4.2, figure 4.3",
            "0.49 to 0.89 times as fast",
            format!("the fastest {} times as fast", shown::of_each(&fastest)),
            (!winners.is_empty()).then_some(faster.is_empty()),
        ),
        Claim::new(
            "Devine's SHA-256 in C (today mbed TLS) is slower than the scalar code",
            "section 4.2, figure 4.3",
            "0.88 times as fast",
            or_not_measured(devine.map(|devine| format!("{} times as fast", number(devine)))),
            devine.map(|devine| devine < 1.0),
        ),
    ];
    figure.still_holds = match devine {
        Some(devine) if devine < 1.0 => format!(
            "Devine's code, mbed TLS today, is still slower than our scalar code for SHA-256: {} of its rate, where it was 0.88.",
            number(devine)
        ),
        _ if faster.is_empty() => "No public implementation that was measured is faster than our scalar code.".into(),
        _ => "Nothing of it holds here: public implementations of one message are faster than our scalar code.".into(),
    };
    figure.changed = if faster.is_empty() {
        "Nothing has changed: this CPU, or these libraries, are without SHA extensions and vectors for one message.".into()
    } else {
        format!(
            "Public code is faster than our scalar code now: {}. SHA extensions, where CPU and library have them, do several rounds in one \
             instruction; elsewhere vectors make the message schedule, or instructions keep their sources.",
            shown::list(&faster)
        )
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aciicmez_2004::shown::assert_is_readable;
    use crate::model::Verdict::{DoesNot, Holds, NotMeasured};

    fn judged(rates: &Rates) -> (Figure, Vec<crate::model::Verdict>) {
        let mut figure = Figure::default();
        judge(&mut figure, rates);
        let verdicts = figure.claims.iter().map(|claim| claim.verdict).collect();
        (figure, verdicts)
    }

    #[test]
    fn a_faster_library_is_named_and_a_slower_one_is_not() {
        let mut rates: Rates = [[Some(100.0); ROWS.len()]; FUNCTIONS.len()];
        rates[1][MBED_TLS] = Some(85.0);
        let (slower, verdicts) = judged(&rates);
        assert_eq!(verdicts, [Holds, Holds]);
        assert!(slower.still_holds.contains("0.85") && slower.changed.starts_with("Nothing has changed"), "{}", slower.still_holds);
        rates[0][7] = Some(245.0);
        // manyhash is nobody's peer here.
        rates[2][9] = Some(900.0);
        let (faster, verdicts) = judged(&rates);
        assert_eq!(verdicts, [DoesNot, Holds]);
        assert!(faster.changed.contains("now: OpenSSL today 2.45 times (SHA-1). "), "{}", faster.changed);
        for figure in [slower, faster] {
            assert_is_readable(&figure.changed);
        }
    }

    #[test]
    fn what_is_not_there_is_not_judged() {
        let (figure, verdicts) = judged(&[[None; ROWS.len()]; FUNCTIONS.len()]);
        assert_eq!(verdicts, [NotMeasured, NotMeasured]);
        assert_eq!(figure.claims[1].here, "not measured");
    }

    #[test]
    fn tables_compare_what_both_have() {
        let table = table(1, &[[Some(50.0); ROWS.len()]; FUNCTIONS.len()]);
        let gladman = table.rows.iter().find(|row| row[0].text() == "Gladman").expect("a row");
        assert_eq!(gladman.iter().map(Cell::text).collect::<Vec<_>>(), ["Gladman", "43.52", "50.0", "1.15", "0.89", "1.00"]);
    }
}
