//! Figure 5: SHA-256 beside the finalists BLAKE and Keccak, linear and in tree mode, for an 8 KiB
//! message.

use anyhow::Result;
use manyhash::Sha256;

use super::expecting::Expecting;
use super::over_linear::OverLinear;
use super::presentation::{CHOICES, MEDIAN_LABEL, OPENSSL_N_SMS, OPENSSL_TODAY, PAPERS_LANES, Who, length, method, name, warm_up_calls};
use crate::claims::Metrics;
use crate::contestants;
use crate::finalists::function::{Function, LaneKernel};
use crate::finalists::linear::Linear;
use crate::measured::{Measured, fastest};
use crate::messages::{Layout, Messages};
use crate::model::{Bars, Figure, Plot, Source, Table};
use crate::openssl_worker::{self, Variant, Worker};
use crate::race::{Contestant, Local, Rules, race};
use crate::session::Session;

const BYTES: usize = 8192;
const SHA256: &str = "SHA-256";
const KECCAK: &str = "Keccak[1088]";
const BLAKE: &str = "BLAKE-256";
const LONG_BLAKE: &str = "BLAKE-512";
/// Keccak[1088] but for a byte of padding.
const SHA3: &str = "SHA3-256";
/// The finalists that the paper leaves out.
const SKEIN: &str = "Skein-512";
const JH: &str = "JH-256";
const GROESTL: &str = "Groestl-256";
/// The functions of tables and of the picture.
const FUNCTIONS: [&str; 7] = [SHA256, BLAKE, LONG_BLAKE, KECCAK, SKEIN, JH, GROESTL];

/// Kinds of code, as the first table and the picture have them: as it was then, as it is now,
/// slices one after the other, and at once.
const KINDS: [&str; 7] = [LINEAR_THEN, LINEAR, TWO_SLICES, "j = 2", "j = 4", "j = 8", "j = 16"];
const LINEAR_THEN: &str = "linear, as then";
const LINEAR: &str = "linear";
const TWO_SLICES: &str = "2 slices over linear";

/// SHA-256 linear, in the paper's lanes, in those of other backends (as much choice as the
/// finalists have, and SHA extensions), and as manyhash chooses.
fn sha256() -> impl Iterator<Item = Who> {
    let of_4 = ["avx512-128", "sha-ni-x4", "sha-ni-sms-x4", "sha-ni-sms256-x4"].map(|backend| Who::Lanes(4, backend));
    let others = [(2, "sha-ni-x2"), (8, "avx2"), (8, "avx512-256"), (16, "avx512"), (16, "avx512-lean")];
    let others = others.map(|(lanes, backend)| Who::Lanes(lanes, backend));
    let choices = [Who::Choice(2)].into_iter().chain(CHOICES[..3].iter().copied());
    [OPENSSL_N_SMS, OPENSSL_TODAY, PAPERS_LANES].into_iter().chain(of_4).chain(others).chain(choices)
}

/// Appends the digest of a message.
type Hash = Box<dyn FnMut(&[u8], &mut Vec<u8>)>;

/// Who takes part: everybody's function, kind and name.
#[derive(Default)]
struct Field<'a> {
    keys: Vec<(&'static str, &'static str, String)>,
    contestants: Vec<Box<dyn Contestant + 'a>>,
}

impl<'a> Field<'a> {
    fn add(&mut self, function: &'static str, kind: &'static str, name: &str, contestant: Box<dyn Contestant + 'a>, expected: Vec<u8>) {
        self.keys.push((function, kind, format!("{function} {name}")));
        self.contestants.push(Expecting::boxed(contestant, expected));
    }

    fn add_sha256(&mut self, session: &Session, messages: &'a Messages, slices: &'a [&'a [u8]]) -> Result<()> {
        for who in sha256().filter(|who| who.missing::<Sha256>().is_none()) {
            let (kind, by) = match who {
                OPENSSL_N_SMS => (LINEAR_THEN, "linear by "),
                OPENSSL_TODAY => (LINEAR, "linear by "),
                _ => (of_lanes(who.j()), ""),
            };
            let contestant = who.on_messages::<Sha256>(session, messages.layout(), slices)?;
            self.add(SHA256, kind, &format!("{by}{}", name(who)), contestant, who.expected::<Sha256>(slices)?);
        }
        Ok(())
    }

    /// A finalist: linear, two slices one after the other, and 2, 4, 8, 16 at once where there are
    /// as many lanes.
    fn add_finalist(&mut self, function: &Function, message: &'a [u8]) {
        let (name, linear, word_bytes) = (function.name, function.linear, function.word_bytes);
        let mut add = |kind, by: &str, lanes: usize, mut hash: Hash| {
            let mut expected = Vec::new();
            match lanes {
                1 => linear(message, &mut expected),
                _ => OverLinear::new(lanes, word_bytes).hash(message, &mut expected, linear),
            }
            self.add(name, kind, by, Local::boxed(format!("{name} {by}"), move |digests| hash(message, digests)), expected);
        };
        add(LINEAR, &format!("linear by {}", function.linear_name), 1, Box::new(linear));
        let mut two = OverLinear::new(2, word_bytes);
        add(TWO_SLICES, TWO_SLICES, 2, Box::new(move |message, digests| two.hash(message, digests, linear)));
        for lanes in [2, 4, 8, 16] {
            let narrowest = function.kernels.iter().map(|kernel| kernel.lanes).filter(|of_kernel| *of_kernel >= lanes).min();
            // Two slices of 32-bit words leave half of the narrowest register idle; more than twice
            // as many lanes are not worth a look.
            let fitting = |kernel: &&LaneKernel| Some(kernel.lanes) == narrowest && kernel.lanes <= 2 * lanes;
            for kernel in function.kernels.iter().filter(fitting).cloned() {
                let name = format!("j = {lanes} ({})", kernel.backend);
                let mut tree = Tree { kernel, over: OverLinear::new(lanes, word_bytes), lanes, linear, digests: Vec::new() };
                let hash = Box::new(move |message: &[u8], digests: &mut Vec<u8>| tree.hash(message, digests));
                add(of_lanes(lanes), &name, lanes, hash);
            }
        }
    }
}

/// The kind of code that has this number of lanes.
fn of_lanes(lanes: usize) -> &'static str {
    KINDS[2 + lanes.ilog2() as usize]
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

/// What was measured, by function and kind.
type Raced = contestants::Raced<(&'static str, &'static str)>;

impl Raced {
    fn named(&self, name: &str) -> Option<&Measured> {
        self.rows.iter().map(|row| &row.1).find(|measured| measured.name == name)
    }

    /// The fastest code of a function and kind. All of its linear code counts as that of today.
    fn best(&self, function: &str, kind: &str) -> Option<&Measured> {
        let is_it = |(of, other): (&str, &str)| match kind {
            LINEAR => is_of(function, of) && [LINEAR, LINEAR_THEN].contains(&other),
            _ => of == function && other == kind,
        };
        fastest(self.rows.iter().filter(|row| is_it(row.0)).map(|row| &row.1))
    }

    fn best_lanes(&self, function: &str) -> Option<&Measured> {
        fastest(KINDS[3..].iter().filter_map(|kind| self.best(function, kind)))
    }
}

impl Metrics {
    /// How many times as fast one is as the other, for each pair.
    fn faster<const N: usize>(&mut self, metric: &'static str, pairs: [(Option<&Measured>, Option<&Measured>); N]) {
        let compared = |(of, base): (Option<&Measured>, Option<&Measured>)| {
            let both = of.zip(base);
            let names = both.map_or(String::new(), |(of, base)| format!("{} over {}", of.name, base.name));
            (names, both.map(|(of, base)| of.speed_up_over(base)))
        };
        self.each(metric, pairs.map(compared));
    }
}

/// Measures the figure.
pub fn measure(session: &Session) -> Result<Figure> {
    let messages = Layout::equal(1, BYTES).fill()?;
    let slices = messages.slices();
    let mut field = Field::default();
    field.add_sha256(session, &messages, &slices)?;
    let papers = [Function::blake256(), Function::blake512(), Function::keccak256()];
    for function in papers.into_iter().chain([Function::skein512(), Function::jh256(), Function::groestl256()]) {
        field.add_finalist(&function, slices[0]);
    }
    // The same permutation with another byte of padding, in assembly.
    let worker = Worker::start(session, Variant::Today, SHA3, messages.layout())?;
    field.add(SHA3, LINEAR, &format!("linear by {}", name(OPENSSL_TODAY)), worker, openssl_worker::digests(SHA3, &slices)?);
    let Field { keys, mut contestants } = field;
    let rules = Rules { bytes: BYTES, expected: None, warm_up_calls: warm_up_calls(BYTES) };
    let measured = race(session, rules, &mut contestants)?;
    let rows = keys.into_iter().zip(measured).map(|((function, kind, name), measured)| ((function, kind), Measured { name, ..measured }));
    let missing = sha256().filter_map(|who| Some(format!("{}: {}", name(who), who.missing::<Sha256>()?))).collect();
    let method = format!(
        "{} BLAKE is the finalist (14 and 16 rounds), not BLAKE2; its linear code is the crate blake-hash, which uses SIMD instructions inside \
         one message. Keccak[1088] is linear by the crate sha3, which is scalar, and by OpenSSL's assembly as SHA3-256, which is the same but \
         for a byte of padding: the faster one counts as its linear code. Skein-512, JH-256 and \
         Groestl-256, which the paper leaves out and no claim is about, are linear by the crates skein (scalar), jh (bit slices in registers of \
         128 bits) and groestl (tables, no AES instructions). Lanes of all finalists are this study's own. Tree mode is j-lanes for all: \
         slices dealt out word by word, and wrapped by the linear code (of Keccak the crate's), that of SHA-256 by manyhash. The paper's trees \
         for BLAKE and Keccak are those of SUPERCOP, with j = 2. Two slices of BLAKE-256 leave half of a register idle. The text has no \
         values of this figure.",
        method(session, &[BYTES])
    );
    Ok(Figure { method, missing, ..figure(&Raced { rows: rows.collect(), missing: Vec::new() }) })
}

fn figure(raced: &Raced) -> Figure {
    let mut figure = Figure { tables: tables(raced), plots: vec![plot(raced)], ..Figure::default() };
    // The paper's registers have 128 bits, and its instructions no rotation.
    let papers_sha256 = raced.named(&papers_sha256());
    let two = |function| raced.named(&format!("{function} j = 2 (sse2)"));
    let linear = |function| raced.best(function, LINEAR);
    let then = raced.best(SHA256, LINEAR_THEN);
    let finalists = fastest([BLAKE, LONG_BLAKE, KECCAK].into_iter().filter_map(|function| raced.best_lanes(function)));
    let metrics = &mut figure.metrics;
    metrics.faster("tree mode over linear", [(papers_sha256, then), (two(BLAKE), linear(BLAKE)), (two(KECCAK), linear(KECCAK))]);
    metrics.faster("SHA-256 over the finalists", [(papers_sha256, two(BLAKE)), (papers_sha256, two(KECCAK))]);
    metrics.faster("BLAKE-512 over linear", [(raced.best(LONG_BLAKE, "j = 4"), linear(LONG_BLAKE))]);
    metrics.faster("best finalist over SHA-256", [(finalists, raced.best_lanes(SHA256))]);
    figure
}

/// The name of the paper's 4 lanes of SHA-256.
fn papers_sha256() -> String {
    format!("{SHA256} {}", name(PAPERS_LANES))
}

/// Cycles per byte of the fastest of a kind.
fn best_cycles(raced: &Raced, function: &str, kind: &str) -> Option<f64> {
    raced.best(function, kind).and_then(Measured::tsc_cycles_per_byte)
}

fn tables(raced: &Raced) -> Vec<Table> {
    let message = format!("message of {}", length(BYTES));
    let title = format!("A {message}: cycles per byte (median, time-stamp counter) of the fastest code of each kind");
    let (rows, columns) = (FUNCTIONS.map(|function| (function, function)), KINDS.map(|kind| (kind, kind)));
    let mut tables = vec![Table::grid(title, "function", rows, columns, |function, kind| best_cycles(raced, function, kind))];
    for function in FUNCTIONS.into_iter().filter(|function| raced.rows.iter().any(|row| is_of(function, row.0.0))) {
        let over = |measured: &Measured, base: Option<&Measured>| base.map(|base| measured.speed_up_over(base)).into();
        tables.push(Table::of(
            format!("{function} of a {message}"),
            1,
            raced.rows.iter().filter(|row| is_of(function, row.0.0)).map(|row| &row.1),
            &[
                ("implementation", &|measured| measured.name.as_str().into()),
                ("least (C/B)", &|measured| measured.least_tsc_cycles_per_byte().into()),
                ("median (C/B)", &|measured| measured.tsc_cycles_per_byte().into()),
                ("median (C/B, core cycles)", &|measured| measured.core_cycles_per_byte().into()),
                ("MB/s", &|measured| measured.mb_per_s().into()),
                ("times as fast as its fastest linear code", &|measured| over(measured, raced.best(function, LINEAR))),
                ("times as fast as the paper's 4 lanes of SHA-256", &|measured| over(measured, raced.named(&papers_sha256()))),
            ],
        ));
    }
    tables
}

fn plot(raced: &Raced) -> Plot {
    let bars = |kind: &str| {
        let source = if kind.starts_with(LINEAR) { Source::Peer } else { Source::Ours };
        Bars::new(kind, source, FUNCTIONS.map(|function| best_cycles(raced, function, kind)))
    };
    let series = KINDS.into_iter().map(bars).filter(|bars| bars.values.iter().any(Option::is_some));
    let title = format!("A message of {}, linear and in tree mode: the fastest code of each kind", length(BYTES));
    Plot::bars(title, MEDIAN_LABEL, FUNCTIONS, series)
}

#[cfg(test)]
mod tests {
    use super::super::presentation::tests::check_words;
    use super::*;
    use crate::claims;
    use crate::model::Verdict::{DoesNot, Holds, NotMeasured};

    /// A race of these: function, kind, name and nanoseconds.
    fn raced(rows: &[(&'static str, &'static str, &str, f64)]) -> Raced {
        let rows = rows
            .iter()
            .map(|(function, kind, name, ns)| ((*function, *kind), Measured::synthetic(&format!("{function} {name}"), BYTES, *ns)));
        Raced { rows: rows.collect(), missing: Vec::new() }
    }

    fn with(sha256: f64, long_blake: f64, sha3: f64, keccak: f64) -> Figure {
        let figure = figure(&raced(&[
            (SHA256, LINEAR_THEN, "linear by OpenSSL n-SMS (AVX2)", 90.0),
            (SHA256, LINEAR, "linear by OpenSSL today", 20.0),
            (SHA256, "j = 4", "j = 4 (sse2)", sha256),
            (BLAKE, LINEAR, "linear by blake-hash", 90.0),
            (BLAKE, "j = 2", "j = 2 (sse2)", 80.0),
            (LONG_BLAKE, LINEAR, "linear by blake-hash", 70.0),
            (LONG_BLAKE, "j = 4", "j = 4 (avx2)", long_blake),
            (KECCAK, LINEAR, "linear by sha3", 99.0),
            (SHA3, LINEAR, "linear by OpenSSL today", sha3),
            (KECCAK, "j = 2", "j = 2 (sse2)", keccak),
        ]));
        check_words(&figure);
        figure
    }

    #[test]
    fn verdicts_follow_the_values() {
        let verdicts = |figure: Figure| claims::verdicts("2013-5", &figure.metrics);
        assert_eq!(verdicts(with(50.0, 71.0, 90.0, 85.0)), [Holds; 4]);
        assert_eq!(verdicts(with(50.0, 35.0, 90.0, 85.0)), [Holds, Holds, DoesNot, DoesNot]);
        assert_eq!(verdicts(with(95.0, 71.0, 90.0, 85.0)), [DoesNot, DoesNot, Holds, DoesNot]);
        let linear_alone = figure(&raced(&FUNCTIONS.map(|function| (function, LINEAR, "linear", 10.0))));
        check_words(&linear_alone);
        assert_eq!(verdicts(linear_alone), [NotMeasured; 4]);
    }

    #[test]
    fn keccaks_lanes_are_judged_by_the_faster_of_its_linear_codes() {
        let claim = |sha3| claims::judge("2013-5", &with(50.0, 71.0, sha3, 85.0).metrics).unwrap().swap_remove(0);
        assert_eq!((claim(90.0).verdict, claim(80.0).verdict), (Holds, DoesNot));
        assert!(claim(80.0).here.contains("over SHA3-256 linear by OpenSSL today"), "{}", claim(80.0).here);
    }
}
