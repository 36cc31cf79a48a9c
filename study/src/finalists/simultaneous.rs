//! The question that Gueron & Krasnov 2012 left open (section 5): whether S-HASH pays for finalists of the SHA-3 competition that use SIMD
//! instructions inside one message already.

use anyhow::Result;
use manyhash::backend::Backend;
use manyhash::{Algorithm, Sha256, Sha512};

use super::function::Function;
use super::linear::{self, by_openssl};
use crate::gueron_2013::expecting::Expecting;
use crate::measured::Measured;
use crate::messages::{Layout, Messages};
use crate::model::{Bars, Cell, Claim, Figure, Plot, Source, Table};
use crate::openssl_worker::{EvpDigest, Variant, Worker};
use crate::race::{Contestant, Local, Rules, race};
use crate::session::Session;

/// 256 KB of 4 KiB messages: the second of the paper's cases (figure 2).
const MESSAGES: usize = 64;
const MESSAGE_BYTES: usize = 4096;
/// Registers of 128, 256 and 512 bits, with the instructions of their time and with those of AVX-512.
const BACKENDS: [&str; 5] = ["sse2", "avx512-128", "avx2", "avx512-256", "avx512"];

/// Whose code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Code {
    Linear,
    OpenSsl,
    Lanes(&'static str),
}

#[derive(Default)]
struct Field<'a> {
    keys: Vec<(&'static str, Code)>,
    contestants: Vec<Box<dyn Contestant + 'a>>,
}

impl<'a> Field<'a> {
    fn add(&mut self, function: &'static str, code: Code, expected: &[u8], call: impl FnMut(&mut Vec<u8>) + 'a) {
        self.keys.push((function, code));
        self.contestants.push(Expecting::boxed(Local::boxed(format!("{function}, {code:?}"), call), expected.to_vec()));
    }

    fn add_openssl(&mut self, function: &'static str, algorithm: &str, messages: &'a [&'a [u8]]) -> Result<Vec<u8>> {
        let expected = by_openssl(algorithm, messages)?;
        let mut digest = EvpDigest::new(algorithm)?;
        self.add(function, Code::OpenSsl, &expected, move |digests| messages.iter().for_each(|message| digest.hash(message, digests)));
        Ok(expected)
    }

    /// SHA-2: n-SMS by OpenSSL and by the engine, and lanes.
    fn add_sha2<A: Algorithm>(&mut self, session: &Session, algorithm: &str, layout: &Layout, messages: &'a [&'a [u8]]) -> Result<()> {
        let expected = self.add_openssl(A::NAME, algorithm, messages)?;
        if cfg!(target_arch = "x86_64") {
            let worker = Worker::start(session, Variant::NSms, algorithm, layout)?;
            self.keys.push((A::NAME, Code::Linear));
            self.contestants.push(Expecting::boxed(worker, expected.clone()));
        }
        let codes = std::iter::once((Code::Linear, "bmi2")).chain(BACKENDS.map(|backend| (Code::Lanes(backend), backend)));
        for (code, name) in codes {
            let Ok(backend) = Backend::by_name(name) else { continue };
            if backend.supports::<A>() {
                self.add(A::NAME, code, &expected, move |digests| {
                    let of_messages = backend.hash_many::<A>(messages).expect("asked before whether it can");
                    of_messages.iter().for_each(|digest| digests.extend_from_slice(digest.as_ref()));
                });
            }
        }
        Ok(())
    }

    fn add_finalist(&mut self, function: &Function, messages: &'a [&'a [u8]]) {
        let (name, linear) = (function.name, function.linear);
        let mut expected = Vec::new();
        messages.iter().for_each(|message| linear(message, &mut expected));
        self.add(name, Code::Linear, &expected, move |digests| messages.iter().for_each(|message| linear(message, digests)));
        for kernel in function.kernels.iter().copied().filter(|kernel| BACKENDS.contains(&kernel.backend)) {
            self.add(name, Code::Lanes(kernel.backend), &expected, move |digests| kernel.hash_many(messages, digests));
        }
    }
}

struct Raced {
    rows: Vec<(&'static str, Code, Measured)>,
}

impl Raced {
    /// The fastest of these.
    fn fastest(&self, function: &str, is_meant: impl Fn(Code) -> bool) -> Option<&Measured> {
        let meant = self.rows.iter().filter(|row| row.0 == function && is_meant(row.1));
        meant.map(|row| &row.2).min_by(|a, b| a.median_ns().total_cmp(&b.median_ns()))
    }

    fn get(&self, function: &str, code: Code) -> Option<&Measured> {
        self.fastest(function, |of| of == code)
    }

    fn best_lanes(&self, function: &str) -> Option<&Measured> {
        self.fastest(function, |code| matches!(code, Code::Lanes(_)))
    }

    /// What lanes gain over linear code.
    fn gain(&self, function: &str, lanes: Option<&Measured>) -> Option<f64> {
        Some(lanes?.speed_up_over(self.get(function, Code::Linear)?))
    }

    fn functions(&self) -> Vec<&'static str> {
        let mut functions: Vec<&'static str> = self.rows.iter().map(|row| row.0).collect();
        functions.dedup();
        functions
    }
}

/// Races.
pub fn measure(session: &Session) -> Result<Figure> {
    let messages: Messages = Layout::equal(MESSAGES, MESSAGE_BYTES).fill()?;
    let slices = messages.slices();
    let mut field = Field::default();
    field.add_sha2::<Sha256>(session, "SHA256", messages.layout(), &slices)?;
    field.add_sha2::<Sha512>(session, "SHA512", messages.layout(), &slices)?;
    field.add_finalist(&Function::blake256(), &slices);
    field.add_finalist(&Function::blake512(), &slices);
    let sha3 = field.add_openssl("SHA3-256", "SHA3-256", &slices)?;
    let mut by_crate = Vec::new();
    slices.iter().for_each(|message| linear::sha3_256(message, &mut by_crate));
    anyhow::ensure!(by_crate == sha3, "SHA3-256: the crate sha3 and OpenSSL disagree");
    field.add_finalist(&Function::sha3_256(), &slices);
    let Field { keys, mut contestants } = field;
    let rules = Rules { bytes: messages.total_bytes(), expected: None, warm_up_calls: 500 };
    let measured = race(session, rules, &mut contestants)?;
    let rows = keys.into_iter().zip(measured).map(|((function, code), measured)| (function, code, measured)).collect();
    Ok(figure(&Raced { rows }))
}

fn figure(raced: &Raced) -> Figure {
    let headings = [
        "linear",
        "linear, OpenSSL today",
        "128 bits, sse2",
        "128 bits, avx512-128",
        "256 bits, avx2",
        "256 bits, avx512-256",
        "512 bits, avx512",
    ];
    let codes: Vec<Code> = [Code::Linear, Code::OpenSsl].into_iter().chain(BACKENDS.map(Code::Lanes)).collect();
    let functions = raced.functions();
    let columns = || std::iter::once("").chain(headings);
    let mut cycles = Table::new("Cycles per byte, median", columns());
    let mut times = Table::new("How many times as fast as linear", columns());
    for function in &functions {
        let of = |code: &Code| raced.get(function, *code);
        let name = || std::iter::once(Cell::from(*function));
        cycles.row(name().chain(codes.iter().map(|code| Cell::maybe(of(code).and_then(Measured::tsc_cycles_per_byte), 2))));
        times.row(name().chain(codes.iter().map(|code| Cell::maybe(raced.gain(function, of(code)), 2))));
    }
    let bars = |(code, heading): (&Code, &str)| Bars {
        name: heading.into(),
        source: if matches!(code, Code::Lanes(_)) { Source::Ours } else { Source::Peer },
        values: functions.iter().map(|function| raced.get(function, *code).and_then(Measured::tsc_cycles_per_byte)).collect(),
    };
    let best = |function: &str| raced.gain(function, raced.best_lanes(function));
    let narrow = |function: &str| raced.gain(function, raced.get(function, Code::Lanes("sse2")));
    let text = |gain: Option<f64>| gain.map_or("not measured".into(), |gain| format!("{gain:.2} times linear"));
    let pays = |function: &'static str| {
        Claim::new(
            format!("S-HASH pays for {function} although its linear code uses SIMD already"),
            "section 5, an open question",
            "\"an interesting study to carry out\"",
            format!("in 128-bit registers {}, at best {}", text(narrow(function)), text(best(function))),
            best(function).map(|gain| gain > 1.0),
        )
    };
    let less = narrow("BLAKE-256").zip(narrow("SHA-256"));
    let claims = vec![
        pays("BLAKE-256"),
        pays("BLAKE-512"),
        Claim::new(
            "a finalist that uses SIMD already gains less from S-HASH than SHA-256 does (BLAKE-256, 128-bit registers)",
            "section 5",
            "\"a delicate tradeoff\"",
            format!("BLAKE-256 {}, SHA-256 {}", text(narrow("BLAKE-256")), text(narrow("SHA-256"))),
            less.map(|(blake, sha)| blake < sha),
        ),
        Claim::new(
            "the remark on SHA-512 holds for Keccak, whose words have 64 bits: fewer lanes in a register, and a gain all the same",
            "section 5",
            "\"holds similarly\"",
            format!("SHA3-256 at best {}, SHA-512 {}", text(best("SHA3-256")), text(best("SHA-512"))),
            best("SHA3-256").zip(best("SHA-512")).map(|(keccak, sha)| keccak > 1.0 && sha > 1.0),
        ),
    ];
    let delicate = match narrow("BLAKE-256") {
        Some(gain) if gain > 1.0 => format!("In 128-bit registers BLAKE-256 gains {gain:.2} times its linear SIMD code"),
        Some(gain) => {
            format!("In 128-bit registers BLAKE-256 in lanes is {gain:.2} times as fast as its linear SIMD code, so that nothing is gained")
        }
        None => "BLAKE-256 in 128-bit registers was not measured".into(),
    };
    let fastest = functions.iter().filter_map(|function| Some((*function, raced.best_lanes(function)?)));
    let fastest = fastest.min_by(|a, b| a.1.median_ns().total_cmp(&b.1.median_ns()));
    Figure {
        method: format!(
            "{MESSAGES} messages of {MESSAGE_BYTES} bytes, as in the second case of figure 2. 500 calls to warm up, as there; then each \
             contestant in turn, the median. Linear: SHA-2 by n-SMS, the faster of OpenSSL's and manyhash's, BLAKE by blake-hash, with the \
             columns of its state in the lanes of a register, SHA3-256 by sha3, which is scalar. Lanes: SHA-2 by manyhash, the finalists \
             by this study's kernels over the same vectors; 32-bit words have 4, 8, 16 lanes, 64-bit words 2, 4, 8."
        ),
        tables: vec![cycles, times],
        plots: vec![Plot::Bars {
            title: "4 KiB messages, linear and in lanes".into(),
            y_label: "cycles per byte".into(),
            categories: functions.iter().map(ToString::to_string).collect(),
            series: codes.iter().zip(headings).map(bars).collect(),
        }],
        still_holds: format!(
            "{delicate}. The four columns of one message fill such a register as well as four messages do; but then each operation waits \
             for the one before, and columns must be moved to diagonals and message words gathered, where lanes have four columns to go on \
             with, and move nothing."
        ),
        changed: format!(
            "Longer registers settle it, as one message has no more columns than four, and any number of lanes can be filled: at best {} \
             for BLAKE-256, {} for BLAKE-512, {} for SHA3-256; the fastest of all in lanes is {}.",
            text(best("BLAKE-256")),
            text(best("BLAKE-512")),
            text(best("SHA3-256")),
            fastest.map_or("nobody", |(function, _)| function)
        ),
        claims,
        missing: BACKENDS.iter().filter_map(|backend| Some(format!("lanes: {}", Backend::by_name(backend).err()?))).collect(),
        ..Figure::default()
    }
}
