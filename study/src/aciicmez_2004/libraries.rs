//! Figures 4.3 and 4.8: the scalar code beside public implementations of one message, and several
//! messages at once relative to it.

use anyhow::Result;
use manyhash::{Sha1, Sha256, Sha512};

use super::public::Library;
use super::streams::{self, BITS_32, BITS_64, MMX, Registers, WITH_32_BIT_WORDS, WITH_64_BIT_WORDS, XMM};
use super::subject::{CACHED_MESSAGE_BYTES, Subject};
use crate::claims::Metrics;
use crate::contestants::{OPENSSL_N_SMS, OPENSSL_SCALAR, OPENSSL_TODAY, Raced, Who};
use crate::measured::{Measured, list};
use crate::messages::Layout;
use crate::model::{Figure, Source};
use crate::rows::{Kind, RATE, TIMES};
use crate::session::Session;

const FUNCTIONS: [&str; 3] = ["SHA-1", "SHA-256", "SHA-512"];
const MBED_TLS: Who = Who::Library(Library::MbedTls);
const CRYPTOPP: Who = Who::Library(Library::CryptoPp);
const GLADMAN: &str = "Gladman's code: in no package of Debian's, nor is it a crate";

/// The name, who it is here, and the paper's values for the functions.
type Row = (&'static str, Option<Who>, [Option<f64>; FUNCTIONS.len()]);

/// Figure 4.3, in MB/s.
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

/// Adds a value of each row for each function, beside the paper's.
fn put(figure: &mut Figure, set: &str, what: &str, rows: &[Row], here: impl Fn(usize, Who) -> Option<f64>) {
    for (function, case) in FUNCTIONS.into_iter().enumerate() {
        for (name, who, paper) in rows {
            let source = who.map_or(Source::Peer, Who::source);
            figure.beside((set, case), *name, what, source, who.and_then(|who| here(function, who)), paper[function]);
        }
    }
}

fn race<S: Subject>(session: &Session) -> Result<Raced> {
    // Registers of 32 bits have a row where they are not those of a word's size.
    let is_row = |who: &Who| *who != Who::Scalar32 || S::BLOCK_BYTES == 128;
    let all: Vec<Who> = ROWS.iter().filter_map(|row| row.1).filter(is_row).collect();
    Raced::of::<S>(session, &all, &Layout::equal(1, if session.quick { 64 << 10 } else { 4 << 20 }), 3)
}

/// Measures figure 4.3.
pub fn one_message(session: &Session) -> Result<Figure> {
    const SET: &str = "One message: our scalar code and public implementations";
    const RELATIVE: &str = "times the rate of our scalar code";
    let raced = [race::<Sha1>(session)?, race::<Sha256>(session)?, race::<Sha512>(session)?];
    let mut figure = Figure { missing: vec![GLADMAN.into()], ..Figure::default() };
    figure.missing.extend(ROWS.iter().filter_map(|(name, who, _)| Some(format!("{name}: {}", (*who)?.missing::<Sha256>()?))));
    let names: Vec<String> = [Library::CryptoPp, Library::MbedTls].into_iter().filter_map(Library::version).collect();
    figure.said.push(("libraries", if names.is_empty() { "no library of 2004".into() } else { list(&names) }));
    let relative = |function: usize, who: Who| raced[function].over(who, Who::Scalar);
    put(&mut figure, SET, RATE, &ROWS, |function, who| raced[function].value(who, Measured::mb_per_s));
    // The paper's own code is one of the first two rows.
    let of_ours = |function: usize, rate: f64| Some(rate / ROWS[0].2[function].or(ROWS[1].2[function])?);
    let relative_rows =
        ROWS.map(|(name, who, paper)| (name, who, [0, 1, 2].map(|function| paper[function].and_then(|rate| of_ours(function, rate)))));
    put(&mut figure, SET, RELATIVE, &relative_rows, relative);
    figure.picture(SET, RELATIVE, Kind::Bars, &[]);
    figure.metrics = metrics_4_3(relative);
    Ok(figure)
}

/// By how many times as fast as our code somebody hashes a function.
fn metrics_4_3(relative: impl Fn(usize, Who) -> Option<f64>) -> Metrics {
    let mut metrics = Metrics::default();
    let best = |(function, name): (usize, &&str)| {
        let public = ROWS.iter().filter_map(|(row, who, _)| Some((row, who.filter(|who| who.source() == Source::Peer)?)));
        let public = public.filter_map(|(row, who)| Some((row, relative(function, who)?)));
        let (row, times) = public.max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some((format!("{row}, {name}"), Some(times)))
    };
    metrics.each("fastest public code", FUNCTIONS.iter().enumerate().filter_map(best));
    // The paper has Devine's code for SHA-256 only.
    metrics.set("mbed TLS", relative(1, MBED_TLS));
    metrics
}

/// Figure 4.8, relative to our code in 32-bit registers.
const LINES: [Row; 11] = [
    ("Gladman", None, [Some(0.88), Some(0.89), Some(0.64)]),
    ("mbed TLS (paper: Devine)", Some(MBED_TLS), [None, Some(0.88), None]),
    ("Crypto++", Some(CRYPTOPP), [Some(0.77), Some(0.49), None]),
    ("our code in 32-bit registers (1 message)", Some(BITS_32.1), [Some(1.0); 3]),
    ("our code in MMX registers (2 messages; SHA-512: 1)", Some(MMX.1), [Some(1.47), Some(1.50), Some(1.46)]),
    ("our code in XMM registers (4 messages; SHA-512: 2)", Some(XMM.1), [Some(1.64), Some(1.72), Some(2.30)]),
    ("64-bit registers (1 message)", Some(BITS_64.1), [None; 3]),
    ("SHA extensions (1 message)", Some(Who::Backend("sha-ni")), [None; 3]),
    ("AVX2 (8 messages; SHA-512: 4)", Some(Who::Backend("avx2")), [None; 3]),
    ("AVX-512 (16 messages; SHA-512: 8)", Some(Who::Backend("avx512")), [None; 3]),
    ("AVX-512 in two waves (32 messages; SHA-512: 16)", Some(Who::Backend("avx512x2")), [None; 3]),
];

/// The libraries on one message, and all else on many.
fn races<S: Subject>(session: &Session, figure: &mut Figure, all: &[Registers]) -> Result<[Raced; 2]> {
    let one_message = Layout::equal(1, CACHED_MESSAGE_BYTES);
    let libraries = Raced::of::<S>(session, &[BITS_32.1, MBED_TLS, CRYPTOPP], &one_message, 20)?;
    Ok([libraries, streams::cached::<S>(session, figure, all)?])
}

/// Measures figure 4.8.
pub fn all(session: &Session) -> Result<Figure> {
    const SET: &str = "Rates relative to our scalar code for one message in 32-bit registers";
    let mut figure = Figure { missing: vec![GLADMAN.into()], ..Figure::default() };
    let libraries = [MBED_TLS, CRYPTOPP].into_iter();
    figure.missing.extend(libraries.filter_map(|who| Some(format!("{}: {}", who.name::<Sha1>(), who.missing::<Sha1>()?))));
    let raced = [
        races::<Sha1>(session, &mut figure, WITH_32_BIT_WORDS)?,
        races::<Sha256>(session, &mut figure, WITH_32_BIT_WORDS)?,
        races::<Sha512>(session, &mut figure, WITH_64_BIT_WORDS)?,
    ];
    let relative = |function: usize, who: Who| {
        let [libraries, others] = &raced[function];
        if [MBED_TLS, CRYPTOPP].contains(&who) { libraries } else { others }.over(who, BITS_32.1)
    };
    put(&mut figure, SET, TIMES, &LINES, relative);
    figure.picture(SET, TIMES, Kind::Bars, &[]);
    figure.metrics = metrics_4_8(relative);
    Ok(figure)
}

fn metrics_4_8(relative: impl Fn(usize, Who) -> Option<f64>) -> Metrics {
    let mut metrics = Metrics::default();
    // SHA-512 in MMX registers is one message.
    let several = [(0, MMX), (1, MMX), (0, XMM), (1, XMM), (2, XMM)];
    metrics.each("several messages", several.map(|(function, registers)| (FUNCTIONS[function], relative(function, registers.1))));
    metrics
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::{judge, verdicts};
    use crate::model::Verdict::{DoesNot, Holds, NotMeasured};

    #[test]
    fn a_faster_library_is_named_and_a_slower_one_is_not() {
        let slower = |function, who| Some(if (function, who) == (1, MBED_TLS) { 0.85 } else { 1.0 });
        assert_eq!(verdicts("2004-4.3", &metrics_4_3(slower)), [Holds, Holds]);
        // manyhash is nobody's peer here.
        let faster = |function, who| match (function, who) {
            (0, OPENSSL_TODAY) => Some(2.45),
            (2, Who::Manyhash) => Some(9.0),
            _ => slower(function, who),
        };
        assert_eq!(verdicts("2004-4.3", &metrics_4_3(faster)), [DoesNot, Holds]);
        let here = judge("2004-4.3", &metrics_4_3(faster)).unwrap().swap_remove(0).here;
        assert!(here.starts_with("2.45 (OpenSSL today, SHA-1), "), "{here}");
        assert_eq!(verdicts("2004-4.3", &metrics_4_3(|_, _| None)), [NotMeasured; 2]);
    }

    #[test]
    fn all_that_hash_several_messages_decide_the_claim() {
        // One message is not several.
        let one = |function, who| Some(if (function, who) == (2, MMX.1) { 0.5 } else { 2.0 });
        assert_eq!(verdicts("2004-4.8", &metrics_4_8(one)), [Holds]);
        assert_eq!(
            verdicts("2004-4.8", &metrics_4_8(|function, who| if function == 0 { Some(0.75) } else { one(function, who) })),
            [DoesNot]
        );
        assert_eq!(verdicts("2004-4.8", &metrics_4_8(|_, _| None)), [NotMeasured]);
    }
}
