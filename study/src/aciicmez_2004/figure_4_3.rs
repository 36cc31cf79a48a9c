//! Figure 4.3: the scalar code beside public implementations, of which each hashes one message.

use anyhow::Result;
use manyhash::{Sha1, Sha256, Sha512};

use super::public::Library;
use super::subject::{Subject, effort};
use crate::claims::Metrics;
use crate::contestants::{OPENSSL_N_SMS, OPENSSL_SCALAR, OPENSSL_TODAY, Raced, Who};
use crate::measured::{Measured, list};
use crate::messages::Layout;
use crate::model::{Figure, Source};
use crate::rows::{Kind, RATE};
use crate::session::Session;

const MESSAGE_BYTES: usize = 4 << 20;
const QUICK_MESSAGE_BYTES: usize = 64 << 10;

const FUNCTIONS: [&str; 3] = ["SHA-1", "SHA-256", "SHA-512"];
const MBED_TLS: Who = Who::Library(Library::MbedTls);
const CRYPTOPP: Who = Who::Library(Library::CryptoPp);

/// Rows: the name, who it is here, and the paper's MB/s for the functions.
type Row = (&'static str, Option<Who>, [Option<f64>; FUNCTIONS.len()]);

const ROWS: [Row; 10] = [
    ("our code in registers of a word's size", Some(Who::Scalar), [Some(87.12), Some(48.88), None]),
    ("our code in 32-bit registers", Some(Who::Scalar32), [None, None, Some(38.26)]),
    ("Gladman", None, [Some(76.66), Some(43.52), Some(24.33)]),
    ("mbed TLS (paper: Devine)", Some(MBED_TLS), [None, Some(43.19), None]),
    ("Crypto++", Some(CRYPTOPP), [Some(67.45), Some(23.90), None]),
    ("OpenSSL scalar", Some(OPENSSL_SCALAR), [None; 3]),
    ("OpenSSL n-SMS (AVX2)", Some(OPENSSL_N_SMS), [None; 3]),
    ("OpenSSL today", Some(OPENSSL_TODAY), [None; 3]),
    ("RustCrypto", Some(Who::RustCrypto), [None; 3]),
    ("manyhash", Some(Who::Manyhash), [None; 3]),
];
/// The rows of code by others.
const PUBLIC: std::ops::Range<usize> = 2..9;

/// The paper's own code; its SHA-512 is in 32-bit registers.
const PAPER_OURS: [f64; FUNCTIONS.len()] = [87.12, 48.88, 38.26];

/// MB/s of each function, a value for each row that is there.
type Rates = [[Option<f64>; ROWS.len()]; FUNCTIONS.len()];

/// The rates of one function.
fn rates<S: Subject>(session: &Session) -> Result<[Option<f64>; ROWS.len()]> {
    // Registers of 32 bits have a row where they are not those of a word's size.
    let is_row = |who: &Who| *who != Who::Scalar32 || S::BLOCK_BYTES == 128;
    let all: Vec<Who> = ROWS.iter().filter_map(|(_, who, _)| *who).filter(is_row).collect();
    let layout = Layout::equal(1, if session.quick { QUICK_MESSAGE_BYTES } else { MESSAGE_BYTES });
    let raced = Raced::of::<S>(session, &all, &layout, 3)?;
    Ok(ROWS.map(|(_, who, _)| raced.value(who?, Measured::mb_per_s)))
}

/// Measures the figure.
pub fn measure(session: &Session) -> Result<Figure> {
    let rates: Rates = [rates::<Sha1>(session)?, rates::<Sha256>(session)?, rates::<Sha512>(session)?];
    let mut missing = vec!["Gladman's code: in no package of Debian's, nor is it a crate".to_string()];
    missing.extend(ROWS.iter().filter_map(|(name, who, _)| Some(format!("{name}: {}", (*who)?.missing::<Sha256>()?))));
    let names: Vec<String> = [Library::CryptoPp, Library::MbedTls].into_iter().filter_map(Library::version).collect();
    let mut figure = Figure {
        method: format!(
            "One message of {} KiB; the paper: a file of 400 MB in memory. {} Our code is the fastest variant of section 4.1 on this \
             machine; relative values are to it, in the paper to its own (for SHA-512 that in 32-bit registers). The paper has Crypto++ 5.1. \
             Peers here: {}; OpenSSL in processes that hide instructions of the CPU from it; RustCrypto's crates sha1 and sha2 choose by \
             the CPU, and so does Crypto++.",
            (if session.quick { QUICK_MESSAGE_BYTES } else { MESSAGE_BYTES }) >> 10,
            effort(session),
            if names.is_empty() { "no library of 2004".into() } else { list(&names) },
        ),
        missing,
        metrics: metrics(&rates),
        ..Figure::default()
    };
    const SET: &str = "One message: our scalar code and public implementations";
    const RELATIVE: &str = "times the rate of our scalar code";
    for (function, case) in FUNCTIONS.into_iter().enumerate() {
        for (row, (name, who, paper)) in ROWS.iter().enumerate() {
            let source = who.map_or(Source::Peer, Who::source);
            figure.put((SET, case), *name, RATE, source, rates[function][row]);
            figure.put((SET, case), *name, RATE, Source::Paper, paper[function]);
            figure.put((SET, case), *name, RELATIVE, source, relative(&rates, function, row));
            figure.put((SET, case), *name, RELATIVE, Source::Paper, paper_relative(function, row));
        }
    }
    figure.picture(SET, RELATIVE, Kind::Bars, &[]);
    Ok(figure)
}

fn paper_relative(function: usize, row: usize) -> Option<f64> {
    Some(ROWS[row].2[function]? / PAPER_OURS[function])
}

fn relative(rates: &Rates, function: usize, row: usize) -> Option<f64> {
    Some(rates[function][row]? / rates[function][0]?)
}

fn metrics(rates: &Rates) -> Metrics {
    let mut metrics = Metrics::default();
    let best = |(function, name): (usize, &&str)| {
        let public = PUBLIC.filter_map(|row| Some((ROWS[row].0, relative(rates, function, row)?)));
        let (row, times) = public.max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some((format!("{row}, {name}"), Some(times)))
    };
    metrics.each("fastest public code", FUNCTIONS.iter().enumerate().filter_map(best));
    // The paper has Devine's code for SHA-256 only.
    metrics.set("mbed TLS", ROWS.iter().position(|row| row.1 == Some(MBED_TLS)).and_then(|row| relative(rates, 1, row)));
    metrics
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::{judge, verdicts};
    use crate::model::Verdict::{DoesNot, Holds, NotMeasured};

    #[test]
    fn a_faster_library_is_named_and_a_slower_one_is_not() {
        let mut rates: Rates = [[Some(100.0); ROWS.len()]; FUNCTIONS.len()];
        rates[1][3] = Some(85.0);
        assert_eq!(verdicts("2004-4.3", &metrics(&rates)), [Holds, Holds]);
        rates[0][7] = Some(245.0);
        // manyhash is nobody's peer here.
        rates[2][9] = Some(900.0);
        assert_eq!(verdicts("2004-4.3", &metrics(&rates)), [DoesNot, Holds]);
        let here = judge("2004-4.3", &metrics(&rates)).unwrap().swap_remove(0).here;
        assert!(here.starts_with("2.45 (OpenSSL today, SHA-1), "), "{here}");
        assert_eq!(verdicts("2004-4.3", &metrics(&[[None; ROWS.len()]; FUNCTIONS.len()])), [NotMeasured; 2]);
    }
}
