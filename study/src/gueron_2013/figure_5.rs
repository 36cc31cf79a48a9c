//! Figure 5: SHA-256 beside the finalists BLAKE and Keccak, linear and in tree mode, for an 8 KiB message.

use anyhow::Result;
use manyhash::Sha256;
use manyhash::backend::Backend;
use manyhash::tree::JLanes;

use super::expecting::Expecting;
use super::field::warm_up_calls;
use super::over_linear::OverLinear;
use super::presentation::{MEDIAN_LABEL, length, maybe, method, without_empty_columns};
use crate::finalists::function::{Function, LaneKernel};
use crate::finalists::linear::Linear;
use crate::measured::{Measured, fastest, times};
use crate::messages::{Layout, Messages};
use crate::model::{Bars, Cell, Claim, Figure, Plot, Source, Table};
use crate::openssl_worker::{self, EvpDigest, Variant, Worker};
use crate::race::{Contestant, Local, Rules, race};
use crate::session::Session;

const BYTES: usize = 8192;
const SHA256: &str = "SHA-256";
const KECCAK: &str = "Keccak[1088]";
const BLAKE: &str = "BLAKE-256";
const LONG_BLAKE: &str = "BLAKE-512";
/// Keccak[1088] but for a byte of padding.
const SHA3: &str = "SHA3-256";
/// The paper's 4 lanes of SHA-256.
const PAPERS_SHA256: &str = "SHA-256 j = 4 (sse2)";
/// For tables and the picture.
const FUNCTIONS: [&str; 4] = [SHA256, BLAKE, LONG_BLAKE, KECCAK];

/// Backends for lanes of SHA-256, the paper's first: as much choice as the finalists have, and SHA extensions.
const SHA256_LANES: [(usize, &str); 10] = [
    (4, "sse2"),
    (4, "avx512-128"),
    (2, "sha-ni-x2"),
    (4, "sha-ni-x4"),
    (4, "sha-ni-sms-x4"),
    (4, "sha-ni-sms256-x4"),
    (8, "avx2"),
    (8, "avx512-256"),
    (16, "avx512"),
    (16, "avx512-lean"),
];

/// How a contestant reads its message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    /// As it is, with instructions of the paper's time.
    LinearThen,
    /// As it is, with whatever there is today.
    Linear,
    /// So many slices, one after the other.
    Over(usize),
    /// So many slices at once.
    Lanes(usize),
}

/// Who takes part, with everybody's function and mode.
#[derive(Default)]
struct Field<'a> {
    keys: Vec<(&'static str, Mode)>,
    contestants: Vec<Box<dyn Contestant + 'a>>,
}

impl<'a> Field<'a> {
    fn add(&mut self, function: &'static str, mode: Mode, contestant: Box<dyn Contestant + 'a>, expected: &[u8]) {
        self.keys.push((function, mode));
        self.contestants.push(Expecting::boxed(contestant, expected.to_vec()));
    }

    /// SHA-256: linear as at the paper's time and as it is now, 4 lanes as the paper's, and lanes of manyhash's choice.
    fn add_sha256(&mut self, session: &Session, messages: &'a Messages) -> Result<()> {
        let message = messages.slices()[0];
        let linear = openssl_worker::digests("SHA256", &[message])?;
        if Variant::NSms.missing().is_none() {
            self.add(SHA256, Mode::LinearThen, Worker::start(session, Variant::NSms, "SHA256", messages.layout())?, &linear);
        }
        self.add(SHA256, Mode::Linear, Worker::start(session, Variant::Today, "SHA256", messages.layout())?, &linear);
        let mut modes = Vec::new();
        for (lanes, name) in SHA256_LANES {
            let Ok(backend) = Backend::by_name(name) else { continue };
            modes.push((lanes, format!("SHA-256 j = {lanes} ({name})"), JLanes::<Sha256>::new(lanes)?.on_backend(backend)?));
        }
        for lanes in [2, 4, 8, 16] {
            modes.push((lanes, format!("SHA-256 j = {lanes} (manyhash's choice)"), JLanes::new(lanes)?));
        }
        for (lanes, name, mode) in modes {
            let (mut openssl, mut expected) = (EvpDigest::new("SHA256")?, Vec::new());
            OverLinear::new(lanes, 4).hash(message, &mut expected, |slice, digests| openssl.hash(slice, digests));
            let contestant = Local::boxed(name, move |digests| digests.extend_from_slice(&mode.hash(message)));
            self.add(SHA256, Mode::Lanes(lanes), contestant, &expected);
        }
        Ok(())
    }

    /// A finalist: linear, two slices one after the other, and 2, 4, 8, 16 at once where there are as many lanes.
    fn add_finalist(&mut self, function: &Function, messages: &'a Messages) {
        let message = messages.slices()[0];
        let (name, linear, word_bytes) = (function.name, function.linear, function.word_bytes);
        let over = |lanes| {
            let mut expected = Vec::new();
            OverLinear::new(lanes, word_bytes).hash(message, &mut expected, linear);
            expected
        };
        let mut expected = Vec::new();
        linear(message, &mut expected);
        let contestant = Local::boxed(format!("{name} linear by {}", function.linear_name), move |digests| linear(message, digests));
        self.add(name, Mode::Linear, contestant, &expected);
        let mut two = OverLinear::new(2, word_bytes);
        let contestant = Local::boxed(format!("{name} 2 slices over linear"), move |digests| two.hash(message, digests, linear));
        self.add(name, Mode::Over(2), contestant, &over(2));
        for lanes in [2, 4, 8, 16] {
            let narrowest = function.kernels.iter().map(|kernel| kernel.lanes).filter(|of_kernel| *of_kernel >= lanes).min();
            // Two slices of 32-bit words leave half of the narrowest register idle; more than twice as many lanes are not worth a look.
            let fitting = |kernel: &&LaneKernel| Some(kernel.lanes) == narrowest && kernel.lanes <= 2 * lanes;
            for kernel in function.kernels.iter().filter(fitting).cloned() {
                let label = format!("{name} j = {lanes} ({})", kernel.backend);
                let mut tree = Tree { kernel, over: OverLinear::new(lanes, word_bytes), lanes, linear, digests: Vec::new() };
                let contestant = Local::boxed(label, move |digests| tree.hash(message, digests));
                self.add(name, Mode::Lanes(lanes), contestant, &over(lanes));
            }
        }
    }
}

/// j-lanes hashing of a finalist.
struct Tree {
    kernel: LaneKernel,
    over: OverLinear,
    lanes: usize,
    linear: Linear,
    digests: Vec<u8>,
}

impl Tree {
    /// Slices are read where they lie if there is a lane for each, and copied apart otherwise.
    fn hash(&mut self, message: &[u8], digests: &mut Vec<u8>) {
        self.digests.clear();
        if self.kernel.lanes == self.lanes {
            self.kernel.hash_dealt(message, &mut self.digests);
        } else {
            let slices: Vec<&[u8]> = self.over.deal(message).iter().map(Vec::as_slice).collect();
            self.kernel.hash_many(&slices, &mut self.digests);
        }
        (self.linear)(&self.digests, digests);
    }
}

/// Whether what hashes by `row` is shown with `function`.
fn is_of(function: &str, row: &str) -> bool {
    row == function || function == KECCAK && row == SHA3
}

/// What was measured.
struct Raced {
    rows: Vec<(&'static str, Mode, Measured)>,
}

impl Raced {
    fn best(&self, function: &str, is_meant: impl Fn(Mode) -> bool) -> Option<&Measured> {
        fastest(self.rows.iter().filter(|row| row.0 == function && is_meant(row.1)).map(|row| &row.2))
    }

    fn named(&self, name: &str) -> Option<&Measured> {
        self.rows.iter().map(|row| &row.2).find(|measured| measured.name == name)
    }

    /// The fastest linear code of a function today.
    fn linear(&self, function: &str) -> Option<&Measured> {
        let linear = self.rows.iter().filter(|row| is_of(function, row.0) && matches!(row.1, Mode::Linear | Mode::LinearThen));
        fastest(linear.map(|row| &row.2))
    }

    fn best_lanes(&self, function: &str) -> Option<&Measured> {
        self.best(function, |mode| matches!(mode, Mode::Lanes(_)))
    }
}

/// How many times as fast one is as the other, and the same in words with their names.
struct Comparison {
    ratio: Option<f64>,
    words: String,
}

impl Comparison {
    fn new(of: Option<&Measured>, base: Option<&Measured>) -> Self {
        let Some((of, base)) = of.zip(base) else { return Self { ratio: None, words: "one of them was not measured".into() } };
        let ratio = of.speed_up_over(base);
        Self { ratio: Some(ratio), words: format!("{} is {} as fast as {}", of.name, times(Some(ratio)), base.name) }
    }

    fn is_faster(&self) -> Option<bool> {
        self.ratio.map(|ratio| ratio > 1.0)
    }
}

/// Races.
pub fn measure(session: &Session) -> Result<Figure> {
    let messages = Layout::equal(1, BYTES).fill()?;
    let mut field = Field::default();
    field.add_sha256(session, &messages)?;
    for function in [Function::blake256(), Function::blake512(), Function::keccak256()] {
        field.add_finalist(&function, &messages);
    }
    // The same permutation with another byte of padding, in assembly.
    let worker = Worker::start(session, Variant::Today, "SHA3-256", messages.layout())?;
    field.add(SHA3, Mode::Linear, worker, &openssl_worker::digests("SHA3-256", &[messages.slices()[0]])?);
    let Field { keys, mut contestants } = field;
    let rules = Rules { bytes: BYTES, expected: None, warm_up_calls: warm_up_calls(BYTES) };
    let measured = race(session, rules, &mut contestants)?;
    let rows = keys.into_iter().zip(measured).map(|((function, mode), measured)| {
        // Workers are named by what OpenSSL they are.
        let by_openssl = measured.name.starts_with("OpenSSL").then(|| format!("{function} linear by {}", measured.name));
        (function, mode, Measured { name: by_openssl.unwrap_or(measured.name), ..measured })
    });
    let method = format!(
        "{} BLAKE is the finalist (14 and 16 rounds), not BLAKE2; its linear code is the crate blake-hash, which uses SIMD instructions inside \
         one message. Keccak[1088] is linear by the crate sha3, which is scalar, and by OpenSSL's assembly as SHA3-256, which is the same but \
         for a byte of padding: the faster one counts as its linear code. Lanes of both are this study's own. Tree mode is j-lanes for all: \
         slices dealt out word by word, and wrapped by the linear code (of Keccak the crate's), that of SHA-256 by manyhash. The paper's trees \
         for BLAKE and Keccak are those of SUPERCOP, with j = 2. Two slices of BLAKE-256 leave half of a register idle. The text has no \
         values of this figure.",
        method(session, &[BYTES])
    );
    let figure = figure(&Raced { rows: rows.collect() });
    Ok(Figure { method, missing: missing(), ..figure })
}

/// Lanes that this CPU lacks, and why.
fn missing() -> Vec<String> {
    let lanes = SHA256_LANES.iter().filter_map(|(_, name)| Some(format!("lanes: {}", Backend::by_name(name).err()?)));
    let mut missing: Vec<String> = lanes.collect();
    missing.extend(Variant::NSms.missing().map(|missing| format!("{}: {missing}", Variant::NSms.name())));
    missing
}

fn figure(raced: &Raced) -> Figure {
    // The paper's registers have 128 bits, and its instructions no rotation.
    let papers_sha256 = raced.named(PAPERS_SHA256);
    let two = |function| raced.named(&format!("{function} j = 2 (sse2)"));
    let then = raced.best(SHA256, |mode| mode == Mode::LinearThen);
    let improves = [
        Comparison::new(papers_sha256, then),
        Comparison::new(two(BLAKE), raced.linear(BLAKE)),
        Comparison::new(two(KECCAK), raced.linear(KECCAK)),
    ];
    let all_improve: Option<Vec<bool>> = improves.iter().map(Comparison::is_faster).collect();
    let all_improve = all_improve.map(|all| all.into_iter().all(|improves| improves));
    let (blake, keccak) = (Comparison::new(papers_sha256, two(BLAKE)), Comparison::new(papers_sha256, two(KECCAK)));
    let is_fastest = blake.is_faster().zip(keccak.is_faster()).map(|(blake, keccak)| blake && keccak);
    let long_blake = Comparison::new(raced.best(LONG_BLAKE, |mode| mode == Mode::Lanes(4)), raced.linear(LONG_BLAKE));
    let finalists = [BLAKE, LONG_BLAKE, KECCAK].into_iter().filter_map(|function| raced.best_lanes(function));
    let advantage = Comparison::new(fastest(finalists), raced.best_lanes(SHA256));
    let improvements = improves.iter().map(|comparison| comparison.words.as_str()).collect::<Vec<_>>().join("; ");
    let claims = vec![
        Claim::new(
            "Tree mode improves the performance of all three: SHA-256 (j = 4), BLAKE-256 and Keccak (j = 2) in 128-bit registers",
            "section 3, figure 5",
            "shown in a picture only",
            improvements,
            all_improve,
        ),
        Claim::new(
            "In 128-bit registers, SHA-256 with j = 4 is the fastest of the three in tree mode, BLAKE-256 and Keccak having j = 2",
            "section 3, figure 5",
            "shown in a picture only",
            format!("{}; {}", blake.words, keccak.words),
            is_fastest,
        ),
        Claim::new(
            "Four lanes of BLAKE-512 are no faster than its linear implementation, which uses SIMD instructions already",
            "section 3, figure 5",
            "no value",
            long_blake.words.clone(),
            long_blake.is_faster().map(|faster| !faster),
        ),
        Claim::new(
            "Tree mode gives neither BLAKE nor Keccak an advantage over SHA-256 (the best j and registers of each)",
            "section 3, a comment on the SHA3 finalists",
            "shown in a picture only",
            advantage.words.clone(),
            advantage.is_faster().map(|faster| !faster),
        ),
    ];
    Figure {
        tables: tables(raced),
        plots: vec![plot(raced)],
        still_holds: still_holds(is_fastest, all_improve, &advantage),
        changed: changed(&long_blake, &advantage),
        claims,
        ..Figure::default()
    }
}

/// Kinds of code, as the first table and the picture have them.
const MODES: [(&str, Mode); 7] = [
    ("linear, as then", Mode::LinearThen),
    ("linear", Mode::Linear),
    ("2 slices over linear", Mode::Over(2)),
    ("j = 2", Mode::Lanes(2)),
    ("j = 4", Mode::Lanes(4)),
    ("j = 8", Mode::Lanes(8)),
    ("j = 16", Mode::Lanes(16)),
];

/// Cycles per byte of the fastest of a kind.
fn best_cycles(raced: &Raced, function: &str, mode: Mode) -> Option<f64> {
    let measured = if mode == Mode::Linear { raced.linear(function) } else { raced.best(function, |of| of == mode) };
    measured.and_then(Measured::tsc_cycles_per_byte)
}

fn tables(raced: &Raced) -> Vec<Table> {
    let mut summary = Table::new(
        format!("A message of {}: cycles per byte (median, time-stamp counter) of the fastest code of each kind", length(BYTES)),
        std::iter::once("function").chain(MODES.map(|mode| mode.0)),
    );
    for function in FUNCTIONS {
        summary.row(std::iter::once(Cell::from(function)).chain(MODES.map(|(_, mode)| maybe(best_cycles(raced, function, mode)))));
    }
    let mut tables = vec![without_empty_columns(summary)];
    for function in FUNCTIONS {
        let mut table = Table::new(
            format!("{function} of a message of {}", length(BYTES)),
            [
                "implementation",
                "least (C/B)",
                "median (C/B)",
                "median (C/B, core cycles)",
                "MB/s",
                "times as fast as its fastest linear code",
                "times as fast as the paper's 4 lanes of SHA-256",
            ],
        );
        for (_, _, measured) in raced.rows.iter().filter(|row| is_of(function, row.0)) {
            let over = |base: Option<&Measured>| maybe(base.map(|base| measured.speed_up_over(base)));
            table.row([
                measured.name.as_str().into(),
                maybe(measured.least_tsc_cycles_per_byte()),
                maybe(measured.tsc_cycles_per_byte()),
                maybe(measured.core_cycles_per_byte()),
                Cell::three_digits(measured.mb_per_s()),
                over(raced.linear(function)),
                over(raced.named(PAPERS_SHA256)),
            ]);
        }
        tables.push(without_empty_columns(table));
    }
    tables
}

fn plot(raced: &Raced) -> Plot {
    let bars = |(name, mode): (&str, Mode)| Bars {
        name: name.into(),
        source: if matches!(mode, Mode::Linear | Mode::LinearThen) { Source::Peer } else { Source::Ours },
        values: FUNCTIONS.iter().map(|function| best_cycles(raced, function, mode)).collect(),
    };
    Plot::Bars {
        title: format!("A message of {}, linear and in tree mode: the fastest code of each kind", length(BYTES)),
        y_label: MEDIAN_LABEL.into(),
        categories: FUNCTIONS.map(String::from).to_vec(),
        series: MODES.into_iter().map(bars).filter(|bars| bars.values.iter().any(Option::is_some)).collect(),
    }
}

fn still_holds(is_fastest: Option<bool>, all_improve: Option<bool>, advantage: &Comparison) -> String {
    let stays_ahead = match advantage.ratio {
        Some(ratio) if ratio <= 1.0 => {
            Some(format!("with the best j of each, the fastest finalist is {} as fast as SHA-256", times(Some(ratio))))
        }
        _ => None,
    };
    match (is_fastest, stays_ahead) {
        (Some(true), Some(stays_ahead)) => {
            format!(
                "SHA-256 still is the fastest of the three in tree mode, with the paper's registers and j as with today's: {stays_ahead}."
            )
        }
        (Some(true), None) => "SHA-256 still is the fastest of the three with the paper's registers and j.".into(),
        (_, Some(stays_ahead)) => format!("SHA-256 still stays ahead in tree mode: {stays_ahead}."),
        (_, None) if all_improve == Some(true) => "Tree mode still improves all three.".into(),
        (None, None) => "Nothing of it could be judged: this machine lacks the paper's registers.".into(),
        (Some(false), None) => "Nothing of it holds here: a finalist is faster than SHA-256 in tree mode.".into(),
    }
}

fn changed(long_blake: &Comparison, advantage: &Comparison) -> String {
    let ahead = match advantage.ratio {
        Some(ratio) if ratio > 1.0 => " With the best j of each, a finalist is ahead of SHA-256 now.",
        _ => "",
    };
    match long_blake.ratio {
        Some(ratio) if ratio > 1.0 => format!(
            "BLAKE-512 in 4 lanes, which the paper could not make faster than linear, now is {} as fast: its words have 64 bits, so that 4 \
             lanes take registers of 256 bits, which calculate with integers since AVX2.{ahead}",
            times(Some(ratio))
        ),
        _ if ahead.is_empty() => "Nothing that the paper says of the order of the three has changed here.".into(),
        _ => ahead.trim_start().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::presentation::tests::{check_words, measured};
    use super::*;
    use crate::model::Verdict::{self, DoesNot, Holds, NotMeasured};

    fn raced(rows: &[(&'static str, Mode, &str, f64)]) -> Raced {
        Raced { rows: rows.iter().map(|(function, mode, name, ns)| (*function, *mode, measured(name, BYTES, *ns))).collect() }
    }

    fn verdicts(figure: &Figure) -> Vec<Verdict> {
        figure.claims.iter().map(|claim| claim.verdict).collect()
    }

    #[test]
    fn sentences_say_what_was_measured() {
        let with = |sha256: f64, long_blake: f64, sha3: f64| {
            let figure = figure(&raced(&[
                (SHA256, Mode::LinearThen, "SHA-256 linear by OpenSSL n-SMS (AVX2)", 90.0),
                (SHA256, Mode::Linear, "SHA-256 linear by OpenSSL today", 20.0),
                (SHA256, Mode::Lanes(4), PAPERS_SHA256, sha256),
                (BLAKE, Mode::Linear, "BLAKE-256 linear by blake-hash", 90.0),
                (BLAKE, Mode::Lanes(2), "BLAKE-256 j = 2 (sse2)", 80.0),
                (LONG_BLAKE, Mode::Linear, "BLAKE-512 linear by blake-hash", 70.0),
                (LONG_BLAKE, Mode::Lanes(4), "BLAKE-512 j = 4 (avx2)", long_blake),
                (KECCAK, Mode::Linear, "Keccak[1088] linear by sha3", 99.0),
                (SHA3, Mode::Linear, "SHA3-256 linear by OpenSSL today", sha3),
                (KECCAK, Mode::Lanes(2), "Keccak[1088] j = 2 (sse2)", 85.0),
            ]));
            check_words(&figure);
            figure
        };
        let then = with(50.0, 71.0, 90.0);
        assert_eq!(verdicts(&then), [Holds; 4]);
        assert!(then.changed.starts_with("Nothing that the paper says") && then.still_holds.contains("as with today's"));
        let today = with(50.0, 35.0, 90.0);
        assert_eq!(verdicts(&today), [Holds, Holds, DoesNot, DoesNot]);
        assert!(today.changed.contains("2.00 times") && today.changed.contains("ahead of SHA-256 now"), "{}", today.changed);
        let slow = with(95.0, 71.0, 90.0);
        assert_eq!(verdicts(&slow), [DoesNot, DoesNot, Holds, DoesNot]);
        assert!(slow.still_holds.starts_with("Nothing of it holds here"));
    }

    #[test]
    fn keccaks_lanes_are_judged_by_the_faster_of_its_linear_codes() {
        let rows = |sha3| {
            figure(&raced(&[
                (SHA256, Mode::LinearThen, "SHA-256 linear by OpenSSL n-SMS (AVX2)", 90.0),
                (SHA256, Mode::Lanes(4), PAPERS_SHA256, 50.0),
                (BLAKE, Mode::Linear, "BLAKE-256 linear by blake-hash", 90.0),
                (BLAKE, Mode::Lanes(2), "BLAKE-256 j = 2 (sse2)", 80.0),
                (KECCAK, Mode::Linear, "Keccak[1088] linear by sha3", 99.0),
                (KECCAK, Mode::Lanes(2), "Keccak[1088] j = 2 (sse2)", 85.0),
                (SHA3, Mode::Linear, "SHA3-256 linear by OpenSSL today", sha3),
                (LONG_BLAKE, Mode::Linear, "BLAKE-512 linear by blake-hash", 70.0),
            ]))
        };
        assert_eq!((verdicts(&rows(90.0))[0], verdicts(&rows(80.0))[0]), (Holds, DoesNot));
        assert!(rows(80.0).claims[0].here.contains("as fast as SHA3-256 linear by OpenSSL today"));
    }

    #[test]
    fn what_was_not_measured_is_not_judged() {
        let rows = FUNCTIONS.map(|function| (function, Mode::Linear, "linear", 10.0));
        let figure = figure(&raced(&rows));
        check_words(&figure);
        assert_eq!(verdicts(&figure), [NotMeasured; 4]);
    }
}
