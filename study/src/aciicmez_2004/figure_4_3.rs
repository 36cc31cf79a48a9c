//! Figure 4.3: the scalar code beside public implementations, of which each hashes one message.

use anyhow::Result;

use super::public::{self, Library};
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
    paper: [Option<f64>; 3],
}

const ROWS: [Row; 10] = [
    Row { name: "our code, registers of a word's size", paper: [Some(87.12), Some(48.88), None] },
    Row { name: "our code, 32-bit registers", paper: [None, None, Some(38.26)] },
    Row { name: "Gladman", paper: [Some(76.66), Some(43.52), Some(24.33)] },
    Row { name: "Devine; today mbed TLS", paper: [None, Some(43.19), None] },
    Row { name: "Crypto++ 5.1; today's", paper: [Some(67.45), Some(23.90), None] },
    Row { name: "OpenSSL, scalar (as 1.0.1)", paper: [None; 3] },
    Row { name: "OpenSSL, n-SMS (AVX2)", paper: [None; 3] },
    Row { name: "OpenSSL, as it is today", paper: [None; 3] },
    Row { name: "RustCrypto sha1, sha2", paper: [None; 3] },
    Row { name: "manyhash, one message", paper: [None; 3] },
];

/// What code for one CPU without SHA extensions is compared with: scalar code in C, as in 2004.
const C_LIBRARY: usize = 3;
const SCALAR_OPENSSL: usize = 5;
const N_SMS: usize = 6;

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
        if has_scalar_openssl() { Some(worker(OpenSsl::Scalar)?) } else { None },
        if has_n_sms(session) { Some(worker(OpenSsl::NSms)?) } else { None },
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

/// Instructions are hidden from it on x86 only.
fn has_scalar_openssl() -> bool {
    cfg!(target_arch = "x86_64")
}

/// It is for AVX2.
fn has_n_sms(session: &Session) -> bool {
    has_scalar_openssl() && session.machine.features.contains(&"avx2")
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
    let functions = ["SHA-1", "SHA-256", "SHA-512"];
    let here = [contest::<Sha1>(session)?, contest::<Sha256>(session)?, contest::<Sha512>(session)?];
    let rate = |function: usize, row: usize| here[function][row].as_ref().map(Measured::mb_per_s);
    let ours = |function: usize| rate(function, 0).expect("always measured");
    // The paper's own SHA-512 is in 32-bit registers.
    let paper_ours = [87.12, 48.88, 38.26];

    let columns = |first: &'static str| {
        let pair = |function: &&str| [format!("{function}, paper"), format!("{function}, here")];
        std::iter::once(first.to_string()).chain(functions.iter().flat_map(pair))
    };
    let mut raw = Table::new("MB/s", columns(""));
    let mut relative = Table::new("Relative to our code: the paper's to its own, ours to registers of a word's size", columns(""));
    for (i, row) in ROWS.iter().enumerate() {
        let cells = |paper: &dyn Fn(usize) -> Option<f64>, here: &dyn Fn(usize) -> Option<f64>| {
            let pairs = (0..3).flat_map(|function| [Cell::maybe(paper(function), 2), Cell::maybe(here(function), 2)]);
            std::iter::once(Cell::from(row.name)).chain(pairs).collect::<Vec<_>>()
        };
        raw.row(cells(&|function| row.paper[function], &|function| rate(function, i)));
        relative.row(cells(&|function| Some(row.paper[function]? / paper_ours[function]), &|function| {
            Some(rate(function, i)? / ours(function))
        }));
    }
    let bars =
        |paper: bool, function: usize| Bars {
            name: format!("{}, {}", functions[function], if paper { "paper" } else { "here" }),
            source: if paper { Source::Paper } else { Source::Peer },
            values: (0..ROWS.len())
                .map(|row| {
                    if paper {
                        Some(ROWS[row].paper[function]? / paper_ours[function])
                    } else {
                        Some(rate(function, row)? / ours(function))
                    }
                })
                .collect(),
        };
    let plots = vec![Plot::Bars {
        title: "Public implementations, relative to our scalar code".into(),
        y_label: "times our scalar code".into(),
        categories: ROWS.iter().map(|row| row.name.to_string()).collect(),
        series: (0..3).flat_map(|function| [bars(true, function), bars(false, function)]).collect(),
    }];

    let mut missing = vec!["Gladman's code: in no package of Debian's, nor is it a crate".to_string()];
    for (library, name, package) in [(public::cryptopp(), "Crypto++", "libcrypto++-dev"), (public::mbedtls(), "mbed TLS", "libmbedtls-dev")]
    {
        if library.is_none() {
            missing.push(format!("{name}: not there when the study was built (Debian: {package})"));
        }
    }
    for (is_there, row) in [(has_scalar_openssl(), SCALAR_OPENSSL), (has_n_sms(session), N_SMS)] {
        if !is_there {
            missing.push(format!("{}: this CPU has no such instructions to use or to hide", ROWS[row].name));
        }
    }
    let names: Vec<String> = [public::cryptopp(), public::mbedtls()].into_iter().flatten().map(|library| (library.name)()).collect();

    let best = |function: usize| (2..ROWS.len()).filter_map(|row| Some((row, rate(function, row)?))).max_by(|a, b| a.1.total_cmp(&b.1));
    let winners: Vec<String> = (0..3)
        .filter_map(|function| {
            let (row, rate) = best(function)?;
            Some(format!("{}: {} with {:.2}", functions[function], ROWS[row].name, rate / ours(function)))
        })
        .collect();
    let none_is_faster = (0..3).all(|function| best(function).is_none_or(|(_, rate)| rate <= ours(function)));
    let against = |row: usize| -> Option<Vec<f64>> { (0..3).map(|function| Some(rate(function, row)? / ours(function))).collect() };
    let listed = |values: Option<Vec<f64>>| {
        values.map_or("not measured".into(), |values| values.iter().map(|value| format!("{value:.2}")).collect::<Vec<_>>().join(", "))
    };
    let c_is_slower = against(C_LIBRARY).map(|values| values.iter().all(|value| *value < 1.0));
    let inside: Option<Vec<f64>> = (0..3).map(|function| Some(rate(function, N_SMS)? / rate(function, SCALAR_OPENSSL)?)).collect();
    let gains_inside = inside.as_ref().map(|values| values.iter().any(|value| *value > 1.02));
    let claims = vec![
        Claim::new(
            "No public implementation of one message is faster than the scalar code",
            "section 4.2, figure 4.3",
            "0.49 to 0.89 of it",
            format!("the fastest, relative to ours: {}", winners.join("; ")),
            Some(none_is_faster),
        ),
        Claim::new(
            "Devine's code (today mbed TLS, in C) is slower than the scalar code",
            "section 4.2, figure 4.3",
            "0.88 of it for SHA-256",
            format!("SHA-1, SHA-256, SHA-512: {}", listed(against(C_LIBRARY))),
            c_is_slower,
        ),
        Claim::new(
            "Vector instructions inside one message do not make it faster",
            "section 4.2",
            "none of its trials did",
            format!("OpenSSL's n-SMS over its scalar code, SHA-1, SHA-256, SHA-512: {}", listed(inside.clone())),
            gains_inside.map(|gains| !gains),
        ),
    ];
    Ok(Figure {
        method: format!(
            "One message of {} KiB; the paper: a file of 400 MB in memory. {} Our code is the fastest variant of section 4.1 on this \
             machine. Peers: {}; OpenSSL in processes that hide instructions of the CPU from it; RustCrypto's crates choose by the CPU, and \
             so does Crypto++.",
            (if session.quick { QUICK_MESSAGE_BYTES } else { MESSAGE_BYTES }) >> 10,
            super::subject::effort(session),
            if names.is_empty() { "no library of 2004".into() } else { names.join(", ") },
        ),
        tables: vec![raw, relative],
        plots,
        still_holds: match (c_is_slower, gains_inside) {
            (Some(true), _) => "Portable C, as in mbed TLS, is still slower than code that is written with the CPU in mind.".into(),
            (_, Some(false)) => "Vector instructions inside one message still gain nothing.".into(),
            _ => "Nothing of the order that the figure shows was seen in this run.".into(),
        },
        changed: if none_is_faster {
            "Nothing that was measured here is faster than scalar code: this CPU, or these libraries, are without SHA extensions.".into()
        } else {
            format!(
                "The fastest, relative to our scalar code: {}. SHA extensions, where CPU and library have them, do rounds of SHA-1 and \
                 SHA-256 in single instructions; rotations without a destroyed source and message schedules in vector registers help the \
                 rest.",
                winners.join("; ")
            )
        },
        claims,
        missing,
        ..Figure::default()
    })
}
