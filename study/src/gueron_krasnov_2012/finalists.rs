//! The question that Gueron & Krasnov 2012 left open (section 5): whether S-HASH pays for finalists
//! of the SHA-3 competition that use SIMD instructions inside one message already.

use super::function::Function;
use super::linear;
use crate::gueron_2013::expecting::Expecting;
use crate::gueron_2013::presentation::{MEDIAN_LABEL, maybe, without_empty_columns};
use crate::measured::{Measured, fastest, times};
use crate::messages::{Layout, Messages};
use crate::model::{Bars, Cell, Claim, Figure, Plot, Source, Table};
use crate::openssl_worker::{self, EvpDigest, Variant, Worker};
use crate::race::{Contestant, Local, Rules, race};
use crate::session::Session;
use anyhow::Result;
use manyhash::backend::Backend;
use manyhash::{Algorithm, Sha256, Sha512};

/// The second of the paper's cases (figure 2): 256 KB in messages of 4 KiB.
const MESSAGES: usize = 64;
const MESSAGE_BYTES: usize = 4096;
/// The paper's "500 loops".
const WARM_UP_CALLS: u64 = 500;
/// Registers of 128, 256 and 512 bits, with the instructions of their time and of AVX-512.
const BACKENDS: [&str; 5] = ["sse2", "avx512-128", "avx2", "avx512-256", "avx512"];

const NARROW: Code = Code::Lanes("sse2");
const WIDE: Code = Code::Lanes("avx2");

/// The finalists of the competition.
const FINALISTS: [&str; 6] = ["BLAKE-256", "BLAKE-512", "SHA3-256", "Skein-512", "JH-256", "Groestl-256"];

/// The code that computes a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Code {
    /// Linear code that any CPU of the papers' time or a little later can run.
    Linear,
    /// OpenSSL's linear code of today.
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
        let expected = openssl_worker::digests(algorithm, messages)?;
        let mut digest = EvpDigest::new(algorithm)?;
        self.add(function, Code::OpenSsl, &expected, move |digests| messages.iter().for_each(|message| digest.hash(message, digests)));
        Ok(expected)
    }

    /// Adds SHA-2: n-SMS by OpenSSL, scalar rounds by the engine, and lanes.
    fn add_sha2<A: Algorithm>(&mut self, session: &Session, algorithm: &str, layout: &Layout, messages: &'a [&'a [u8]]) -> Result<()> {
        let expected = self.add_openssl(A::NAME, algorithm, messages)?;
        if Variant::NSms.missing().is_none() {
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
        for kernel in function.kernels.iter().filter(|kernel| BACKENDS.contains(&kernel.backend)).cloned() {
            self.add(name, Code::Lanes(kernel.backend), &expected, move |digests| kernel.hash_many(messages, digests));
        }
    }
}

struct Raced {
    rows: Vec<(&'static str, Code, Measured)>,
}

impl Raced {
    /// Returns the fastest code of `function` among those that `is_meant` selects.
    fn fastest(&self, function: &str, is_meant: impl Fn(Code) -> bool) -> Option<&Measured> {
        fastest(self.rows.iter().filter(|row| row.0 == function && is_meant(row.1)).map(|row| &row.2))
    }

    fn get(&self, function: &str, code: Code) -> Option<&Measured> {
        self.fastest(function, |of| of == code)
    }

    fn best_lanes(&self, function: &str) -> Option<&Measured> {
        self.fastest(function, |code| matches!(code, Code::Lanes(_)))
    }

    /// Returns the code that lanes are compared with. It is the fastest linear code without
    /// instructions made for the function, which only OpenSSL's SHA-2 has.
    fn linear(&self, function: &str) -> Option<&Measured> {
        let is_sha2 = [Sha256::NAME, Sha512::NAME].contains(&function);
        self.fastest(function, |code| code == Code::Linear || code == Code::OpenSsl && !is_sha2)
    }

    /// Returns how many times as fast as linear code `measured` is.
    fn gain(&self, function: &str, measured: Option<&Measured>) -> Option<f64> {
        Some(measured?.speed_up_over(self.linear(function)?))
    }

    /// Returns the gain of the paper's registers, of 128 bits.
    fn narrow(&self, function: &str) -> Option<f64> {
        self.gain(function, self.get(function, NARROW))
    }

    /// Returns the gain of the next registers, of 256 bits.
    fn wide(&self, function: &str) -> Option<f64> {
        self.gain(function, self.get(function, WIDE))
    }

    fn functions(&self) -> Vec<&'static str> {
        let mut functions: Vec<&'static str> = self.rows.iter().map(|row| row.0).collect();
        functions.dedup();
        functions
    }
}

/// Races all codes, and returns the figure.
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
    for function in [Function::skein512(), Function::jh256(), Function::groestl256()] {
        field.add_finalist(&function, &slices);
    }
    let Field { keys, mut contestants } = field;
    let rules = Rules { bytes: messages.total_bytes(), expected: None, warm_up_calls: WARM_UP_CALLS };
    let measured = race(session, rules, &mut contestants)?;
    let rows = keys.into_iter().zip(measured).map(|((function, code), measured)| (function, code, measured)).collect();
    let method = format!(
        "{MESSAGES} messages of {MESSAGE_BYTES} bytes, as in the second case of figure 2. {}; then contestants in turn, {} to {} samples of at \
         least {:.1} ms each, the median. Linear: SHA-2 by OpenSSL's n-SMS or manyhash's bmi2, the faster; BLAKE by the crate blake-hash, with \
         the columns of its state in the lanes of a register; SHA3-256 by the crate sha3 and Skein-512 by the crate skein, which are scalar; JH-256 by the \
         crate jh, with bit slices in registers of 128 bits; Groestl-256 by the crate groestl, with tables, and not by AES instructions, which \
         are faster. Gains are over the fastest linear \
         code of a function, for SHA-2 without OpenSSL today, which may use instructions made for it. Lanes: SHA-2 by manyhash, the finalists \
         by this study's kernels over the same vectors; 32-bit words have 4, 8, 16 lanes, 64-bit words 2, 4, 8. The study of BLAKE itself the \
         paper left to others (\"an interesting study to carry out\"): the first two tables are its results.",
        if session.quick { "Next to no warm-up".into() } else { format!("{WARM_UP_CALLS} calls to warm up, as there") },
        session.effort.fewest_samples,
        session.effort.samples,
        session.effort.sample.as_secs_f64() * 1000.0
    );
    let missing = BACKENDS.iter().filter_map(|backend| Some(format!("lanes: {}", Backend::by_name(backend).err()?)));
    let n_sms = Variant::NSms.missing().map(|missing| format!("{}: {missing}", Variant::NSms.name()));
    Ok(Figure { method, missing: missing.chain(n_sms).collect(), ..figure(&Raced { rows }) })
}

/// Whether lanes are of use in 256-bit registers but not in narrower ones.
fn wide_only(raced: &Raced, function: &str) -> Option<bool> {
    Some(raced.narrow(function)? <= 1.0 && raced.wide(function)? > 1.0)
}

fn figure(raced: &Raced) -> Figure {
    let gains = |functions: &[&str], gain: &dyn Fn(&str) -> Option<f64>| {
        functions.iter().map(|function| format!("{function} {}", times(gain(function)))).collect::<Vec<_>>().join(", ")
    };
    let narrow = |function: &str| raced.narrow(function);
    let wide = |function: &str| raced.wide(function);
    let claims = vec![
        Claim::new(
            "For Keccak, whose words have 64 bits, S-HASH is less attractive in 128-bit registers: it gains less than for SHA-256",
            "section 5",
            "expected, no value",
            format!("as fast as linear: {}", gains(&["SHA3-256", "SHA-256"], &narrow)),
            narrow("SHA3-256").zip(narrow("SHA-256")).map(|(keccak, sha)| keccak < sha),
        ),
        Claim::new(
            "For Keccak, as for SHA-512, S-HASH becomes useful with 256-bit registers only",
            "section 5",
            "expected, no value",
            format!("as fast as linear: 128 bits: {}; 256 bits: {}", gains(&["SHA3-256"], &narrow), gains(&["SHA3-256"], &wide)),
            wide_only(raced, "SHA3-256"),
        ),
    ];
    Figure {
        tables: tables(raced),
        plots: vec![plot(raced)],
        still_holds: still_holds(raced),
        changed: changed(raced),
        claims,
        ..Figure::default()
    }
}

/// Returns the codes compared, with their headings.
fn codes() -> Vec<(Code, &'static str)> {
    let lanes = ["128 bits (sse2)", "128 bits (avx512-128)", "256 bits (avx2)", "256 bits (avx512-256)", "512 bits (avx512)"];
    let linear = [(Code::Linear, "linear"), (Code::OpenSsl, "linear, OpenSSL today")];
    linear.into_iter().chain(BACKENDS.map(Code::Lanes).into_iter().zip(lanes)).collect()
}

fn tables(raced: &Raced) -> Vec<Table> {
    let table = |title: &str, value: &dyn Fn(&str, Option<&Measured>) -> Option<f64>| {
        let mut table = Table::new(title, std::iter::once("function").chain(codes().into_iter().map(|code| code.1)));
        for function in raced.functions() {
            let cells = codes().into_iter().map(|(code, _)| maybe(value(function, raced.get(function, code))));
            table.row(std::iter::once(Cell::from(function)).chain(cells));
        }
        without_empty_columns(table)
    };
    vec![
        table("4 KiB messages, linear and in lanes: cycles per byte (median, time-stamp counter)", &|_, measured| {
            measured?.tsc_cycles_per_byte()
        }),
        table("4 KiB messages: how many times as fast as the fastest linear code", &|function, measured| raced.gain(function, measured)),
    ]
}

fn plot(raced: &Raced) -> Plot {
    let functions = raced.functions();
    let bars = |(code, heading): (Code, &str)| Bars {
        name: heading.into(),
        source: if matches!(code, Code::Lanes(_)) { Source::Ours } else { Source::Peer },
        values: functions.iter().map(|function| raced.get(function, code).and_then(Measured::tsc_cycles_per_byte)).collect(),
    };
    Plot::Bars {
        title: "4 KiB messages, linear and in lanes".into(),
        y_label: MEDIAN_LABEL.into(),
        categories: functions.iter().map(ToString::to_string).collect(),
        series: codes().into_iter().map(bars).filter(|bars| bars.values.iter().any(Option::is_some)).collect(),
    }
}

fn still_holds(raced: &Raced) -> String {
    let Some((keccak, sha)) = raced.narrow("SHA3-256").zip(raced.narrow("SHA-256")) else {
        return "Nothing of it could be judged: this machine lacks the paper's registers or linear code of its time.".into();
    };
    if keccak >= sha {
        return format!(
            "Nothing of it holds here: in 128-bit registers Keccak is {} as fast as linear and SHA-256 {}.",
            times(Some(keccak)),
            times(Some(sha))
        );
    }
    format!(
        "Words of 64 bits still halve the lanes and with them the gain: in 128-bit registers Keccak is {} as fast as linear and SHA-256 {}.",
        times(Some(keccak)),
        times(Some(sha))
    )
}

/// Returns the answer to the question that the paper left open.
fn changed(raced: &Raced) -> String {
    let Some(narrow) = raced.narrow("BLAKE-256") else {
        return "Nothing has been measured of what has changed: this machine lacks the paper's registers.".into();
    };
    let best = raced.gain("BLAKE-256", raced.best_lanes("BLAKE-256"));
    let question = if narrow > 1.0 {
        format!(
            "The paper's open question has an answer: SIMD instructions gain more across messages than inside one, BLAKE-256 in 4 lanes of 128 \
             bits being {} as fast as its linear code.",
            times(Some(narrow))
        )
    } else {
        format!(
            "The paper's open question has an answer: in 128-bit registers BLAKE-256 gains nothing from lanes, which are {} as fast as its \
             linear code.",
            times(Some(narrow))
        )
    };
    let others = others(raced);
    match best {
        Some(best) if best > narrow.max(1.0) => format!(
            "{question} Longer registers and rotations widen the gap to {}, as one message has four columns and no more{}{others}.",
            times(Some(best)),
            if others.is_empty() { "" } else { "; " }
        ),
        _ if !others.is_empty() => format!("{question} In comparison, {others}."),
        _ => question,
    }
}

/// Returns what the best lanes are worth for the finalists other than BLAKE-256, or nothing if that was not measured.
fn others(raced: &Raced) -> String {
    let gain = |function: &&str| Some(format!("{function} {}", times(Some(raced.gain(function, raced.best_lanes(function))?))));
    let gains: Vec<String> = FINALISTS[1..].iter().filter_map(gain).collect();
    if gains.is_empty() { String::new() } else { format!("best lanes of other finalists, as fast as linear code: {}", gains.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gueron_2013::presentation::tests::{check_words, measured};
    use crate::model::Verdict::{self, DoesNot, Holds, NotMeasured};

    fn of(rows: &[(&'static str, Code, f64)]) -> Figure {
        let rows = rows.iter().map(|(function, code, ns)| (*function, *code, measured(function, MESSAGES * MESSAGE_BYTES, *ns)));
        let figure = figure(&Raced { rows: rows.collect() });
        check_words(&figure);
        figure
    }

    fn verdicts(figure: &Figure) -> Vec<Verdict> {
        figure.claims.iter().map(|claim| claim.verdict).collect()
    }

    #[test]
    fn sentences_say_what_was_measured() {
        let with = |keccak: f64, blake: f64| {
            of(&[
                ("SHA-256", Code::Linear, 100.0),
                ("SHA-256", Code::OpenSsl, 20.0),
                ("SHA-256", NARROW, 50.0),
                ("BLAKE-256", Code::Linear, 100.0),
                ("BLAKE-256", NARROW, blake),
                ("BLAKE-256", WIDE, 40.0),
                ("SHA3-256", Code::Linear, 100.0),
                ("SHA3-256", Code::OpenSsl, 80.0),
                ("SHA3-256", NARROW, keccak),
                ("SHA3-256", WIDE, 40.0),
            ])
        };
        let expected = with(85.0, 110.0);
        assert_eq!(verdicts(&expected), [Holds; 2]);
        assert!(expected.still_holds.contains("Keccak is 0.94 times") && expected.changed.contains("gains nothing"));
        assert!(
            expected.changed.ends_with("; best lanes of other finalists, as fast as linear code: SHA3-256 2.00 times."),
            "{}",
            expected.changed
        );
        let other = with(30.0, 50.0);
        assert_eq!(verdicts(&other), [DoesNot; 2]);
        assert!(other.still_holds.starts_with("Nothing of it holds here"));
        assert!(other.changed.contains("being 2.00 times") && other.changed.contains("to 2.50 times"), "{}", other.changed);
    }

    #[test]
    fn lanes_are_compared_with_the_fastest_linear_code_that_is_like_them() {
        // OpenSSL's SHA-3 is faster than the crate's. Its SHA-256 may use SHA extensions, and the
        // other functions have no such instructions.
        let raced = [("SHA3-256", 80.0), ("SHA-256", 20.0)].map(|(function, openssl)| {
            let rows = [(Code::Linear, 100.0), (Code::OpenSsl, openssl), (NARROW, 50.0)];
            let rows = rows.map(|(code, ns)| (function, code, measured(function, 64, ns)));
            Raced { rows: rows.into_iter().collect() }.narrow(function).expect("measured")
        });
        assert!((raced[0] - 1.6).abs() < 1e-9 && (raced[1] - 2.0).abs() < 1e-9, "{raced:?}");
    }

    #[test]
    fn what_was_not_measured_is_not_judged() {
        let nothing = of(&[("SHA3-256", Code::Linear, 100.0), ("SHA3-256", Code::OpenSsl, 80.0)]);
        assert_eq!(verdicts(&nothing), [NotMeasured; 2]);
    }
}
