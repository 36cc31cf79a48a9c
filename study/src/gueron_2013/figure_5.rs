//! Figure 5: SHA-256 beside the finalists BLAKE and Keccak, linear and in tree mode, for an 8 KiB message.

use anyhow::Result;
use manyhash::Sha256;
use manyhash::backend::Backend;
use manyhash::tree::JLanes;

use super::expecting::Expecting;
use super::field::METHOD;
use super::over_linear::OverLinear;
use crate::finalists::function::Function;
use crate::finalists::lanes::LaneKernel;
use crate::finalists::linear::{Linear, by_openssl};
use crate::measured::Measured;
use crate::messages::{Layout, Messages};
use crate::model::{Bars, Cell, Claim, Figure, Plot, Source, Table};
use crate::openssl_worker::{EvpDigest, Variant, Worker};
use crate::race::{Contestant, Local, Rules, race};
use crate::session::Session;

const BYTES: usize = 8192;
const SHA256: &str = "SHA-256";
const KECCAK: &str = "Keccak[1088]";
const BLAKE: &str = "BLAKE-256";
const LONG_BLAKE: &str = "BLAKE-512";
/// For the table and the picture.
const FUNCTIONS: [&str; 4] = [SHA256, BLAKE, LONG_BLAKE, KECCAK];

/// Backends for lanes of SHA-256, the paper's first: as much choice as the finalists have, and SHA extensions.
const SHA256_LANES: [(usize, &str); 9] = [
    (4, "sse2"),
    (4, "avx512-128"),
    (2, "sha-ni-x2"),
    (4, "sha-ni-x4"),
    (4, "sha-ni-sms-x4"),
    (8, "avx2"),
    (8, "avx512-256"),
    (16, "avx512"),
    (16, "avx512-lean"),
];

/// How a contestant reads its message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
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

    /// SHA-256: linear as at the paper's time and as it is now, 4 lanes as the paper's, and lanes left alone.
    fn add_sha256(&mut self, session: &Session, messages: &'a Messages) -> Result<()> {
        let message = messages.slices()[0];
        let linear = by_openssl("SHA256", &[message])?;
        if cfg!(target_arch = "x86_64") {
            self.add(SHA256, Mode::Linear, Worker::start(session, Variant::NSms, "SHA256", messages.layout())?, &linear);
        }
        self.add(SHA256, Mode::Linear, Worker::start(session, Variant::Today, "SHA256", messages.layout())?, &linear);
        let mut modes = Vec::new();
        for (lanes, name) in SHA256_LANES {
            let Ok(backend) = Backend::by_name(name) else { continue };
            modes.push((lanes, format!("SHA-256, {lanes} lanes, {name}"), JLanes::<Sha256>::new(lanes)?.on_backend(backend)?));
        }
        for lanes in [2, 4, 8, 16] {
            modes.push((lanes, format!("SHA-256, {lanes} lanes, left alone"), JLanes::new(lanes)?));
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
        let contestant = Local::boxed(format!("{name}, linear ({})", function.linear_name), move |digests| linear(message, digests));
        self.add(name, Mode::Linear, contestant, &expected);
        let mut two = OverLinear::new(2, word_bytes);
        let contestant = Local::boxed(format!("{name}, 2 slices over linear"), move |digests| two.hash(message, digests, linear));
        self.add(name, Mode::Over(2), contestant, &over(2));
        for lanes in [2, 4, 8, 16] {
            let narrowest = function.kernels.iter().map(|kernel| kernel.lanes).filter(|of_kernel| *of_kernel >= lanes).min();
            // Two slices of 32-bit words leave half of the narrowest register idle; more than twice as many lanes are not worth a look.
            let fitting = |kernel: &&LaneKernel| Some(kernel.lanes) == narrowest && kernel.lanes <= 2 * lanes;
            for kernel in function.kernels.iter().filter(fitting).copied() {
                let mut tree = Tree { kernel, over: OverLinear::new(lanes, word_bytes), lanes, linear, digests: Vec::new() };
                let contestant =
                    Local::boxed(format!("{name}, {lanes} lanes, {}", kernel.backend), move |digests| tree.hash(message, digests));
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

/// What was measured.
struct Raced {
    rows: Vec<(&'static str, Mode, Measured)>,
}

impl Raced {
    fn best(&self, function: &str, is_meant: impl Fn(Mode) -> bool) -> Option<&Measured> {
        let meant = self.rows.iter().filter(|row| row.0 == function && is_meant(row.1));
        meant.map(|row| &row.2).min_by(|a, b| a.median_ns().total_cmp(&b.median_ns()))
    }

    fn named(&self, name: &str) -> Option<&Measured> {
        self.rows.iter().map(|row| &row.2).find(|measured| measured.name == name)
    }

    fn best_lanes(&self, function: &str) -> Option<&Measured> {
        self.best(function, |mode| matches!(mode, Mode::Lanes(_)))
    }
}

/// How many times as fast one is as the other, with their names.
fn ratio(of: Option<&Measured>, base: Option<&Measured>) -> (Option<f64>, String) {
    match (of, base) {
        (Some(of), Some(base)) => {
            let ratio = of.speed_up_over(base);
            (Some(ratio), format!("{}: {ratio:.2} times {}", of.name, base.name))
        }
        _ => (None, "one of them was not measured".into()),
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
    field.add("SHA3-256", Mode::Linear, worker, &by_openssl("SHA3-256", &[messages.slices()[0]])?);
    let Field { keys, mut contestants } = field;
    let rules = Rules { bytes: BYTES, expected: None, warm_up_calls: 25_000 };
    let measured = race(session, rules, &mut contestants)?;
    let raced = Raced { rows: keys.into_iter().zip(measured).map(|((function, mode), measured)| (function, mode, measured)).collect() };
    Ok(figure(&raced))
}

/// Lanes that this CPU lacks, and why.
fn missing() -> Vec<String> {
    let lanes = SHA256_LANES.iter().filter_map(|(_, name)| Some(format!("lanes: {}", Backend::by_name(name).err()?)));
    let mut missing: Vec<String> = lanes.collect();
    if !cfg!(target_arch = "x86_64") {
        missing.push("OpenSSL's n-SMS code can be asked for on x86-64 only".into());
    }
    missing
}

fn figure(raced: &Raced) -> Figure {
    let cycles = |measured: Option<&Measured>| measured.and_then(Measured::tsc_cycles_per_byte);
    let modes: [(&str, Mode); 6] = [
        ("linear", Mode::Linear),
        ("2 slices over linear", Mode::Over(2)),
        ("j = 2", Mode::Lanes(2)),
        ("j = 4", Mode::Lanes(4)),
        ("j = 8", Mode::Lanes(8)),
        ("j = 16", Mode::Lanes(16)),
    ];
    let best = |function: &str, mode: Mode| cycles(raced.best(function, |of| of == mode));
    let mut table = Table::new("Cycles per byte, median, the fastest of each kind", std::iter::once("").chain(modes.map(|mode| mode.0)));
    for function in FUNCTIONS {
        table.row(std::iter::once(Cell::from(function)).chain(modes.map(|(_, mode)| Cell::maybe(best(function, mode), 2))));
    }
    let mut all = Table::new("All of them", ["", "least (C/B)", "median (C/B)", "median (core C/B)", "MB/s"]);
    for (function, _, measured) in &raced.rows {
        // Workers are named by what OpenSSL they are.
        let name =
            if measured.name.starts_with("OpenSSL") { format!("{function}, linear ({})", measured.name) } else { measured.name.clone() };
        all.row([
            name.into(),
            Cell::maybe(measured.least_tsc_cycles_per_byte(), 2),
            Cell::maybe(measured.tsc_cycles_per_byte(), 2),
            Cell::maybe(measured.core_cycles_per_byte(), 2),
            Cell::number(measured.mb_per_s(), 0),
        ]);
    }
    let bars = |(name, mode): (&str, Mode)| Bars {
        name: name.into(),
        source: if mode == Mode::Linear { Source::Peer } else { Source::Ours },
        values: FUNCTIONS.iter().map(|function| best(function, mode)).collect(),
    };
    let n_sms = raced.named(Variant::NSms.name());
    let papers_sha256 = raced.named("SHA-256, 4 lanes, sse2");
    // The paper's registers have 128 bits, and its instructions no rotation.
    let two = |function| raced.named(&format!("{function}, 2 lanes, sse2"));
    let linear = |function| raced.best(function, |mode| mode == Mode::Linear);
    let improves = [ratio(papers_sha256, n_sms), ratio(two(BLAKE), linear(BLAKE)), ratio(two(KECCAK), linear(KECCAK))];
    let fastest_tree = [two(BLAKE), two(KECCAK)].into_iter().flatten().min_by(|a, b| a.median_ns().total_cmp(&b.median_ns()));
    let fastest = ratio(papers_sha256, fastest_tree);
    let long_blake = ratio(raced.best(LONG_BLAKE, |mode| mode == Mode::Lanes(4)), linear(LONG_BLAKE));
    let wide = [BLAKE, LONG_BLAKE, KECCAK].into_iter().filter_map(|function| raced.best_lanes(function));
    let widest = wide.min_by(|a, b| a.median_ns().total_cmp(&b.median_ns()));
    let advantage = ratio(widest, raced.best_lanes(SHA256));
    let keccak = ratio(raced.best_lanes(KECCAK), raced.best_lanes(SHA256));
    let all_improve = improves.iter().map(|(ratio, _)| ratio.map(|ratio| ratio > 1.0)).collect::<Option<Vec<bool>>>();
    let claims = vec![
        Claim::new(
            "in 128-bit registers, tree mode improves SHA-256 (j = 4), BLAKE-256 and Keccak (j = 2)",
            "section 3, figure 5",
            "a picture",
            improves.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("; "),
            all_improve.map(|all| all.into_iter().all(|improves| improves)),
        ),
        Claim::new(
            "in 128-bit registers, 4-lanes SHA-256 is the fastest of the three (j = 4 against j = 2)",
            "section 3, figure 5",
            "a picture",
            fastest.1.clone(),
            fastest.0.map(|ratio| ratio > 1.0),
        ),
        Claim::new(
            "4 lanes do not make BLAKE-512 faster than its linear implementation, which uses SIMD already",
            "section 3, figure 5",
            "could not get it to perform better",
            long_blake.1.clone(),
            long_blake.0.map(|ratio| ratio <= 1.0),
        ),
        Claim::new(
            "j-lanes do not give SHA-3 an advantage over SHA-256 (the best j of each, Keccak)",
            "section 3, a comment on the SHA3 finalists",
            "does not",
            keccak.1.clone(),
            keccak.0.map(|ratio| ratio <= 1.0),
        ),
        Claim::new(
            "j-lanes do not give any of BLAKE and Keccak an advantage over SHA-256 (the best j of each)",
            "section 3, a comment on the SHA3 finalists",
            "does not",
            advantage.1.clone(),
            advantage.0.map(|ratio| ratio <= 1.0),
        ),
    ];
    let holds = |ratio: Option<f64>, yes: &str, no: &str| match ratio {
        Some(ratio) if ratio > 1.0 => yes.to_string(),
        Some(_) => no.to_string(),
        None => String::new(),
    };
    let still_holds = format!(
        "{} ({}).",
        holds(
            fastest.0,
            "With the paper's registers and j, SHA-256 is still the fastest of the three",
            "With the paper's registers and j, SHA-256 is not the fastest of the three any more"
        ),
        fastest.1
    );
    let changed = format!(
        "{} ({}): what lanes gain depends on the length of registers and on rotations, which had no instruction of their own then. {} \
         ({}).",
        holds(
            long_blake.0,
            "4 lanes of BLAKE-512, which the paper could not make faster than linear, now are",
            "4 lanes of BLAKE-512 are still no faster than linear"
        ),
        long_blake.1,
        holds(
            advantage.0,
            "With the best j of each, one of the finalists is ahead of SHA-256",
            "With the best j of each, SHA-256 stays ahead of the finalists"
        ),
        advantage.1
    );
    Figure {
        method: format!(
            "{METHOD} BLAKE is the finalist (14 and 16 rounds), not BLAKE2; its linear code is the crate blake-hash, with SIMD inside the \
             message. Keccak[1088] is linear by the crate sha3, and by OpenSSL's assembly as SHA3-256, which is the same but for a byte of \
             padding. Lanes of both are this study's own. Tree mode is j-lanes for all: slices dealt out word by word, and wrapped by the \
             linear code, that of SHA-256 by manyhash's fastest. The paper's trees for BLAKE and Keccak are those of SUPERCOP, with j = 2. \
             Two slices of BLAKE-256 leave half of a register idle. The text has no values of this figure."
        ),
        tables: vec![table, all],
        plots: vec![Plot::Bars {
            title: "8 KiB, linear and in j lanes".into(),
            y_label: "cycles per byte".into(),
            categories: FUNCTIONS.map(String::from).to_vec(),
            series: modes.into_iter().map(bars).collect(),
        }],
        still_holds,
        changed,
        claims,
        missing: missing(),
        ..Figure::default()
    }
}
