//! The finalists of the SHA-3 competition beside SHA-2: many messages, which Gueron & Krasnov 2012
//! leave open (section 5), and one message in tree mode (Gueron 2013, figure 5).

use anyhow::Result;
use manyhash::backend::Backend;
use manyhash::{Algorithm, Sha256, Sha512};
use manyhash_finalists::function::{Function, LaneKernel};

use crate::aciicmez_2004::subject::Subject;
use crate::claims::Metrics;
use crate::contestants::{BEST_THEN, LANES_THEN, OPENSSL_N_SMS, OPENSSL_TODAY, OWN_SCALAR_ROUNDS, Who};
use crate::gueron_2013::CHOICES;
use crate::gueron_2013::over_linear::OverLinear;
use crate::measured::{Measured, fastest};
use crate::messages::{Layout, Messages};
use crate::model::{Figure, Source};
use crate::openssl_worker::{self, Input, Variant, Worker};
use crate::race::{Contestant, race};
use crate::rows::{Kind, MEDIAN};
use crate::session::Session;

/// Registers of 128, 256 and 512 bits, with the instructions of their time and of AVX-512.
const BACKENDS: [(&str, &str); 6] = [
    ("avx", "128 bits (avx)"),
    ("sse2", "128 bits (sse2)"),
    ("avx512-128", "128 bits (avx512-128)"),
    ("avx2", "256 bits (avx2)"),
    ("avx512-256", "256 bits (avx512-256)"),
    ("avx512", "512 bits (avx512)"),
];
const NARROW: &str = BACKENDS[0].1;
const WIDE: &str = BACKENDS[3].1;

const LINEAR: &str = "linear";
const LINEAR_TODAY: &str = "linear, OpenSSL today";
const LINEAR_THEN: &str = "linear, as then";
const TWO_SLICES: &str = "2 slices over linear";
/// Kinds of code for one message: as it was then, as it is now, slices one after the other, and at
/// once.
const KINDS: [&str; 7] = [LINEAR_THEN, LINEAR, TWO_SLICES, "j = 2", "j = 4", "j = 8", "j = 16"];

/// Keccak[1088] but for a byte of padding.
const SHA3: &str = "SHA3-256";
const KECCAK: &str = "Keccak[1088]";
const BLAKE: &str = "BLAKE-256";
const LONG_BLAKE: &str = "BLAKE-512";

/// Somebody: the function, the kind of code, and the name.
type Key = (&'static str, &'static str, String);

/// Whose code a kind is.
fn source(kind: &str) -> Source {
    if kind.starts_with(LINEAR) { Source::Peer } else { Source::Ours }
}

/// Who hashes the same messages.
struct Field<'a> {
    session: &'a Session,
    messages: &'a Messages,
    slices: &'a [&'a [u8]],
    keys: Vec<Key>,
    contestants: Vec<Contestant<'a>>,
}

impl<'a> Field<'a> {
    fn of(session: &'a Session, messages: &'a Messages, slices: &'a [&'a [u8]]) -> Self {
        Self { session, messages, slices, keys: Vec::new(), contestants: Vec::new() }
    }

    fn add(&mut self, function: &'static str, kind: &'static str, name: &str, contestant: Contestant<'a>, expected: Vec<u8>) {
        self.keys.push((function, kind, format!("{function} {name}")));
        self.contestants.push(contestant.expecting(expected));
    }

    fn add_who<A: Subject>(&mut self, kind: &'static str, by: &str, who: Who) -> Result<()> {
        if who.missing::<A>().is_none() {
            let contestant = who.on_messages::<A>(self.session, self.messages.layout(), self.slices)?;
            self.add(A::NAME, kind, &format!("{by}{}", who.name::<A>()), contestant, who.expected::<A>(self.slices)?);
        }
        Ok(())
    }

    /// A function of all messages by code in this process.
    fn add_local(
        &mut self,
        (function, kind, name): (&'static str, &'static str, &str),
        expected: &[u8],
        mut hash: impl FnMut(&[&[u8]], &mut Vec<u8>) + 'a,
    ) {
        let slices = self.slices;
        self.add(function, kind, name, Contestant::local(name, move |digests| hash(slices, digests)), expected.to_vec());
    }

    /// SHA-3 by OpenSSL, in assembly; the crate's code must agree.
    fn add_sha3(&mut self, kind: &'static str, by_crate: &Function) -> Result<()> {
        let expected = openssl_worker::digests(SHA3, self.slices)?;
        anyhow::ensure!(by_linear(by_crate, self.slices) == expected, "{SHA3}: the crate sha3 and OpenSSL disagree");
        let worker = Worker::start(self.session, Variant::Today, SHA3, Input::Messages(self.messages.layout().clone(), None))?;
        self.add(SHA3, kind, "linear by OpenSSL today", worker, expected);
        Ok(())
    }

    fn race(mut self, warm_up_calls: u64) -> Result<Raced> {
        let measured = race(self.session, self.messages.layout().total_bytes(), warm_up_calls, &mut self.contestants)?;
        Ok(Raced(self.keys.into_iter().zip(measured).collect()))
    }
}

fn by_linear(function: &Function, messages: &[&[u8]]) -> Vec<u8> {
    let mut digests = Vec::new();
    messages.iter().for_each(|message| (function.linear)(message, &mut digests));
    digests
}

struct Raced(Vec<(Key, Measured)>);

impl Raced {
    /// The fastest code of these functions and kinds.
    fn best(&self, functions: &[&str], kinds: &[&str]) -> Option<&Measured> {
        let is_it = |row: &&(Key, Measured)| functions.contains(&row.0.0) && kinds.contains(&row.0.1);
        fastest(self.0.iter().filter(is_it).map(|row| &row.1))
    }

    fn named(&self, name: &str) -> Option<&Measured> {
        self.0.iter().find(|row| row.0.2 == name).map(|row| &row.1)
    }

    fn functions(&self) -> Vec<&'static str> {
        let mut functions: Vec<&'static str> = self.0.iter().map(|row| row.0.0).collect();
        functions.dedup();
        functions
    }
}

fn over(one: Option<&Measured>, other: Option<&Measured>) -> Option<f64> {
    Some(one?.speed_up_over(other?))
}

/// Whether lanes pay for functions that use SIMD instructions inside one message already: 256 KB in
/// messages of 4 KiB, the second case of the paper's figure 2.
pub fn simultaneous(session: &Session) -> Result<Figure> {
    const SET: &str = "4 KiB messages, linear and in lanes";
    let messages: Messages = Layout::equal(64, 4096).fill()?;
    let (slices, functions) = (messages.slices(), Function::all());
    let mut field = Field::of(session, &messages, &slices);
    macro_rules! sha2 { ($($Sha:ident)*) => { $(
        for (kind, who) in [(LINEAR_TODAY, OPENSSL_TODAY), (LINEAR, OPENSSL_N_SMS), (LINEAR, OWN_SCALAR_ROUNDS)] {
            field.add_who::<$Sha>(kind, "", who)?;
        }
        for (backend, kind) in BACKENDS {
            field.add_who::<$Sha>(kind, "", Who::Backend(backend))?;
        }
    )* } }
    sha2!(Sha256 Sha512);
    for function in functions.iter().filter(|function| function.name != KECCAK) {
        let (name, linear) = (function.name, function.linear);
        if name == SHA3 {
            field.add_sha3(LINEAR_TODAY, function)?;
        }
        let expected = by_linear(function, &slices);
        let by_crate = move |slices: &[&[u8]], digests: &mut Vec<u8>| slices.iter().for_each(|message| linear(message, digests));
        field.add_local((name, LINEAR, LINEAR), &expected, by_crate);
        for kernel in &function.kernels {
            if let Some((_, kind)) = BACKENDS.iter().find(|(backend, _)| *backend == kernel.backend) {
                field.add_local((name, kind, kind), &expected, move |slices, digests| kernel.hash_many(slices, digests));
            }
        }
    }
    let raced = field.race(500)?;
    let mut figure = Figure::default();
    let linear_of = |function: &str| {
        let is_sha2 = [Sha256::NAME, Sha512::NAME].contains(&function);
        raced.best(&[function], if is_sha2 { &[LINEAR] } else { &[LINEAR, LINEAR_TODAY] })
    };
    let gain = |function: &str, kind: &str| over(raced.best(&[function], &[kind]), linear_of(function));
    let kinds = [LINEAR, LINEAR_TODAY].into_iter().chain(BACKENDS.map(|backend| backend.1));
    for kind in kinds {
        for function in raced.functions() {
            let cycles = raced.best(&[function], &[kind]).and_then(Measured::tsc_cycles_per_byte);
            figure.put((SET, kind), function, MEDIAN, source(kind), cycles);
            figure.put((SET, kind), function, "times as fast as the fastest linear code", source(kind), gain(function, kind));
        }
    }
    figure.picture(SET, "times as fast as the fastest linear code", Kind::Bars, &[]);
    figure.missing.extend(BACKENDS.iter().filter_map(|backend| Some(format!("lanes: {}", Backend::by_name(backend.0).err()?))));
    let (keccak, sha) = (gain(SHA3, NARROW), gain(Sha256::NAME, NARROW));
    let both = keccak.zip(sha);
    let label = both.map_or(String::new(), |(keccak, sha)| format!("{keccak:.2} times linear code for Keccak, {sha:.2} for SHA-256"));
    figure.metrics.each("Keccak beside SHA-256", [(label, both.map(|(keccak, sha)| keccak / sha))]);
    figure.metrics.each("Keccak in 128 bits", [("128 bits", keccak)]);
    figure.metrics.each("Keccak in 256 bits", [("256 bits", gain(SHA3, WIDE))]);
    let finalists = [BLAKE, LONG_BLAKE, SHA3, "Skein-512", "JH-256", "Groestl-256"];
    let lanes: Vec<&str> = BACKENDS.iter().map(|backend| backend.1).collect();
    figure.metrics.each("BLAKE in 128 bits", [(BLAKE, gain(BLAKE, NARROW))]);
    figure.metrics.each("best lanes", finalists.map(|function| (function, over(raced.best(&[function], &lanes), linear_of(function)))));
    Ok(figure)
}

/// The kind of code that has this number of lanes.
fn of_lanes(lanes: usize) -> &'static str {
    KINDS[2 + lanes.ilog2() as usize]
}

impl<'a> Field<'a> {
    /// A finalist: linear, two slices one after the other, and 2, 4, 8, 16 at once where there are
    /// as many lanes.
    fn add_trees(&mut self, function: &'a Function) {
        let (name, linear, message) = (function.name, function.linear, self.slices[0]);
        let over = |lanes| OverLinear::new(lanes, function.word_bytes);
        let expected = |lanes: usize| {
            let mut expected = Vec::new();
            over(lanes).hash(message, &mut expected, linear);
            expected
        };
        let by = format!("linear by {}", function.linear_name);
        self.add_local((name, LINEAR, &by), &by_linear(function, &[message]), move |slices, digests| linear(slices[0], digests));
        let mut two = over(2);
        self.add_local((name, TWO_SLICES, TWO_SLICES), &expected(2), move |slices, digests| two.hash(slices[0], digests, linear));
        for lanes in [2, 4, 8, 16] {
            let narrowest = function.kernels.iter().map(|kernel| kernel.lanes).filter(|of_kernel| *of_kernel >= lanes).min();
            // Two slices of 32-bit words leave half of the narrowest register idle; more than twice
            // as many lanes are not worth a look.
            let fitting = |kernel: &&LaneKernel| Some(kernel.lanes) == narrowest && kernel.lanes <= 2 * lanes;
            for kernel in function.kernels.iter().filter(fitting) {
                let by = format!("j = {lanes} ({})", kernel.backend);
                let (mut over, mut of_slices) = (over(lanes), Vec::new());
                // Slices are read where they lie if there is a lane for each, and copied apart otherwise.
                let tree = move |slices: &[&[u8]], digests: &mut Vec<u8>| {
                    of_slices.clear();
                    if kernel.lanes == lanes {
                        kernel.hash_dealt(slices[0], &mut of_slices);
                    } else {
                        let apart: Vec<&[u8]> = over.deal(slices[0]).iter().map(Vec::as_slice).collect();
                        kernel.hash_many(&apart, &mut of_slices);
                    }
                    linear(&of_slices, digests);
                };
                self.add_local((name, of_lanes(lanes), &by), &expected(lanes), tree);
            }
        }
    }
}

impl Metrics {
    fn faster<const N: usize>(&mut self, metric: &'static str, pairs: [(Option<&Measured>, Option<&Measured>); N]) {
        let compared = |(of, base): (Option<&Measured>, Option<&Measured>)| {
            let names = of.zip(base).map_or(String::new(), |(of, base)| format!("{} over {}", of.name, base.name));
            (names, over(of, base))
        };
        self.each(metric, pairs.map(compared));
    }
}

/// Figure 5 of Gueron 2013: an 8 KiB message by SHA-256 and the finalists, linear and in tree mode.
pub fn tree_mode(session: &Session) -> Result<Figure> {
    const SET: &str = "A message of 8 KiB, linear and in tree mode: the fastest code of each kind";
    let messages = Layout::equal(1, 8192).fill()?;
    let (slices, functions) = (messages.slices(), Function::all());
    let mut field = Field::of(session, &messages, &slices);
    for who in BEST_THEN {
        field.add_who::<Sha256>(LINEAR_THEN, "linear by ", who)?;
    }
    for who in [OPENSSL_N_SMS, OPENSSL_TODAY] {
        field.add_who::<Sha256>(LINEAR, "linear by ", who)?;
    }
    let of_4 = ["avx512-128", "sha-ni-x4", "sha-ni-sms-x4", "sha-ni-sms256-x4"].map(|backend| Who::Lanes(4, backend));
    let others = [(2, "sha-ni-x2"), (8, "avx2"), (8, "avx512-256"), (16, "avx512"), (16, "avx512-lean")];
    let others = others.map(|(lanes, backend)| Who::Lanes(lanes, backend));
    let lanes = LANES_THEN.into_iter().chain(of_4).chain(others).chain([Who::Choice(2)]).chain(CHOICES[..3].iter().copied());
    for who in lanes {
        field.add_who::<Sha256>(of_lanes(who.j()), "", who)?;
    }
    for function in functions.iter().filter(|function| function.name != SHA3) {
        field.add_trees(function);
    }
    // The same permutation with another byte of padding, in assembly.
    let sha3 = functions.iter().find(|function| function.name == SHA3).expect("one of them");
    field.add_sha3(LINEAR, sha3)?;
    let mut raced = field.race(25_000)?;
    raced.0.iter_mut().for_each(|(key, measured)| measured.name.clone_from(&key.2));
    let mut figure = Figure::default();
    let with_sha3 = |function: &'static str| if function == KECCAK { vec![KECCAK, SHA3] } else { vec![function] };
    let linear = |function: &'static str| raced.best(&with_sha3(function), &[LINEAR, LINEAR_THEN]);
    let by_avx = LANES_THEN.map(|who| raced.named(&format!("{} {}", Sha256::NAME, who.name::<Sha256>())));
    let papers_sha256 = fastest(by_avx.into_iter().flatten());
    let functions: Vec<&'static str> = raced.functions().into_iter().filter(|function| *function != SHA3).collect();
    for function in &functions {
        for kind in KINDS {
            let best = if kind == LINEAR { linear(function) } else { raced.best(&[function], &[kind]) };
            figure.put((SET, kind), *function, MEDIAN, source(kind), best.and_then(Measured::tsc_cycles_per_byte));
        }
    }
    for function in &functions {
        let set = format!("{function} of a message of 8 KiB");
        let at = (set.as_str(), "8 KiB");
        for ((_, kind, name), measured) in raced.0.iter().filter(|row| with_sha3(function).contains(&row.0.0)) {
            let source = source(kind);
            figure.measured(at, name, source, measured);
            figure.put(at, name, "times as fast as its fastest linear code", source, over(Some(measured), linear(function)));
            figure.put(at, name, "times as fast as the paper's 4 lanes of SHA-256", source, over(Some(measured), papers_sha256));
        }
    }
    figure.picture(SET, MEDIAN, Kind::Bars, &[]);
    let two = |function: &str| raced.named(&format!("{function} j = 2 (avx)"));
    let then = raced.best(&[Sha256::NAME], &[LINEAR_THEN]);
    let finalists = raced.best(&[BLAKE, LONG_BLAKE, KECCAK], &KINDS[3..]);
    let metrics = &mut figure.metrics;
    metrics.faster("tree mode over linear", [(papers_sha256, then), (two(BLAKE), linear(BLAKE)), (two(KECCAK), linear(KECCAK))]);
    metrics.faster("SHA-256 over the finalists", [(papers_sha256, two(BLAKE)), (papers_sha256, two(KECCAK))]);
    metrics.faster("BLAKE-512 over linear", [(raced.best(&[LONG_BLAKE], &["j = 4"]), linear(LONG_BLAKE))]);
    metrics.faster("best finalist over SHA-256", [(finalists, raced.best(&[Sha256::NAME], &KINDS[3..]))]);
    Ok(figure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_of_some_functions_and_kinds_is_found() {
        let row = |function, kind, ns| ((function, kind, format!("{function} {kind}")), Measured::synthetic("", 64, ns));
        let raced = Raced(vec![row(KECCAK, LINEAR, 9.0), row(SHA3, LINEAR, 8.0), row(KECCAK, "j = 2", 4.0)]);
        assert_eq!(raced.best(&[KECCAK, SHA3], &[LINEAR]).map(Measured::median_ns), Some(8.0));
        assert_eq!(over(raced.named("Keccak[1088] j = 2"), raced.best(&[SHA3], &[LINEAR])), Some(2.0));
        assert_eq!(over(raced.named("nobody"), None), None);
        assert_eq!([2, 4, 8, 16].map(of_lanes), ["j = 2", "j = 4", "j = 8", "j = 16"]);
    }
}
