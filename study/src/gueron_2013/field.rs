//! Who hashes one message by SHA-256 in figures 1 to 4, linear and in j lanes, and how they race.

use anyhow::Result;
use manyhash::Sha256;
use manyhash::backend::Backend;
use manyhash::tree::JLanes;

use super::expecting::Expecting;
use super::over_linear::OverLinear;
use super::updates;
use crate::finalists::linear::by_openssl;
use crate::measured::Measured;
use crate::messages::{Layout, Messages};
use crate::model::{Bars, Cell, Claim, Plot, Source, Table};
use crate::openssl_worker::{EvpDigest, Variant, Worker};
use crate::race::{Contestant, Local, Rules, race};
use crate::session::Session;

/// SHA-256's words.
const WORD_BYTES: usize = 4;

/// What all figures of the paper have in common.
pub const METHOD: &str = "One message in memory; padding and wrapping are counted, as in the paper. The paper: 25,000 calls to warm up, \
     the average of 100,000 calls, five times, the least of the five. Here: 25,000 calls to warm up, or as many as hash 200 MB; then each \
     contestant in turn, at least five times, for as many calls as fill 3 ms; \"least\" is the paper's figure, \"median\" ours. Cycles are \
     those of the time-stamp counter, as in the paper. There Turbo Boost was switched off and they were cycles of the core; these are \
     given too, by the frequency that was measured beside the samples. OpenSSL runs in processes of its own, told by OPENSSL_ia32cap that \
     the CPU lacks what came later: \"scalar\" is what 1.0.1c had for such a CPU, \"n-SMS\" what 1.0.2 brought.";

/// A way to hash one message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Who {
    /// Linear, by OpenSSL.
    OpenSsl(Variant),
    /// Linear, by a backend of manyhash.
    Linear(&'static str),
    /// So many slices, one after the other, by OpenSSL.
    OverOpenSsl(usize, Variant),
    /// So many slices, one after the other, by a backend of manyhash.
    OverLinear(usize, &'static str),
    /// So many lanes on one backend.
    Lanes(usize, &'static str),
    /// So many lanes, left alone.
    LeftAlone(usize),
}

/// OpenSSL 1.0.1c, about.
pub const SCALAR: Who = Who::OpenSsl(Variant::Scalar);
/// The best serial implementation of the paper's time, as OpenSSL took it over.
pub const N_SMS: Who = Who::OpenSsl(Variant::NSms);
/// OpenSSL as it is.
pub const TODAY: Who = Who::OpenSsl(Variant::Today);
/// Linear code that is not OpenSSL's: n-SMS, and SHA extensions.
pub const OWN_N_SMS: Who = Who::Linear("bmi2");
/// Linear, with SHA extensions.
pub const OWN_SHA_NI: Who = Who::Linear("sha-ni");
/// What the paper proposes: 4 lanes in 128-bit registers with rotations by shifts.
pub const PAPERS_LANES: Who = Who::Lanes(4, "sse2");
/// As the engine does it, for every j that is measured.
pub const LEFT_ALONE: [Who; 4] = [Who::LeftAlone(4), Who::LeftAlone(8), Who::LeftAlone(16), Who::LeftAlone(32)];

impl Who {
    /// For tables.
    pub fn name(self) -> String {
        match self {
            Self::OpenSsl(variant) => variant.name().into(),
            Self::Linear("bmi2") => "manyhash, n-SMS (bmi2)".into(),
            Self::Linear(backend) => format!("manyhash, linear ({backend})"),
            Self::OverOpenSsl(lanes, variant) => format!("{lanes}-lanes over {}", variant.name()),
            Self::OverLinear(lanes, backend) => format!("{lanes}-lanes over {}", Self::Linear(backend).name()),
            Self::Lanes(lanes, backend) => format!("{lanes}-lanes, {backend}"),
            Self::LeftAlone(lanes) => format!("{lanes}-lanes, left alone"),
        }
    }

    /// j; 1 for linear.
    pub fn lanes(self) -> usize {
        match self {
            Self::OpenSsl(_) | Self::Linear(_) => 1,
            Self::OverOpenSsl(lanes, _) | Self::OverLinear(lanes, _) | Self::Lanes(lanes, _) | Self::LeftAlone(lanes) => lanes,
        }
    }

    fn source(self) -> Source {
        if matches!(self, Self::OpenSsl(_) | Self::OverOpenSsl(..)) { Source::Peer } else { Source::Ours }
    }

    /// Why it can't be had on this machine, if it can't.
    fn missing(self) -> Option<String> {
        match self {
            Self::OpenSsl(variant) | Self::OverOpenSsl(_, variant) => (variant != Variant::Today && !cfg!(target_arch = "x86_64"))
                .then(|| format!("{}: OpenSSL can be told to use older code on x86-64 only", self.name())),
            Self::Linear(backend) | Self::OverLinear(_, backend) | Self::Lanes(_, backend) => {
                let missing = match Backend::by_name(backend) {
                    Ok(backend) if backend.supports::<Sha256>() => None,
                    Ok(_) => Some("it has no SHA-256".to_string()),
                    Err(error) => Some(error.to_string()),
                };
                missing.map(|missing| format!("{}: {missing}", self.name()))
            }
            Self::LeftAlone(_) => None,
        }
    }

    fn contestant<'a>(self, session: &Session, messages: &'a Messages) -> Result<Box<dyn Contestant + 'a>> {
        let message = messages.slices()[0];
        let mode = |lanes| JLanes::<Sha256>::new(lanes).expect("few lanes");
        Ok(match self {
            Self::OpenSsl(variant) => Worker::start(session, variant, "SHA256", messages.layout())?,
            Self::OverOpenSsl(lanes, variant) => Worker::start_j_lanes(session, variant, "SHA256", messages.layout(), (lanes, WORD_BYTES))?,
            Self::Linear(backend) => {
                let mut linear = linear(Backend::by_name(backend)?);
                Local::boxed(self.name(), move |digests| linear(message, digests))
            }
            Self::OverLinear(lanes, backend) => {
                let (mut linear, mut over) = (linear(Backend::by_name(backend)?), OverLinear::new(lanes, WORD_BYTES));
                Local::boxed(self.name(), move |digests| over.hash(message, digests, &mut linear))
            }
            Self::Lanes(lanes, backend) => {
                let mode = mode(lanes).on_backend(Backend::by_name(backend)?)?;
                Local::boxed(self.name(), move |digests| digests.extend_from_slice(&mode.hash(message)))
            }
            Self::LeftAlone(lanes) => {
                let mode = mode(lanes);
                Local::boxed(self.name(), move |digests| digests.extend_from_slice(&mode.hash(message)))
            }
        })
    }
}

/// Plain SHA-256 by a backend of one message at once.
fn linear(backend: Backend) -> impl FnMut(&[u8], &mut Vec<u8>) {
    move |message, digests| {
        let digest = backend.hash_many::<Sha256>(&[message]).expect("asked before whether it can");
        digests.extend_from_slice(&digest[0]);
    }
}

/// What came out of a race.
pub struct Raced {
    bytes: usize,
    rows: Vec<(Who, Measured)>,
    /// Who could not take part, and why.
    pub missing: Vec<String>,
}

impl Raced {
    /// All of these hash a message of so many bytes. Each is verified against OpenSSL, which hashes slices that are cut by definition.
    pub fn of(session: &Session, bytes: usize, field: &[Who]) -> Result<Self> {
        let messages = Layout::equal(1, bytes).fill()?;
        let missing: Vec<String> = field.iter().filter_map(|who| who.missing()).collect();
        let field: Vec<Who> = field.iter().copied().filter(|who| who.missing().is_none()).collect();
        let mut contestants = Vec::new();
        for who in &field {
            let expected = expected(messages.slices()[0], who.lanes())?;
            contestants.push(Expecting::boxed(who.contestant(session, &messages)?, expected));
        }
        let rules = Rules { bytes, expected: None, warm_up_calls: (200_000_000 / bytes as u64).min(25_000) };
        let measured = race(session, rules, &mut contestants)?;
        Ok(Self { bytes, rows: field.into_iter().zip(measured).collect(), missing })
    }

    /// Bytes of the message.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// What was measured of one of them.
    pub fn get(&self, who: Who) -> Option<&Measured> {
        self.rows.iter().find(|row| row.0 == who).map(|row| &row.1)
    }

    /// The fastest of these that took part.
    pub fn fastest(&self, of: &[Who]) -> Option<(Who, &Measured)> {
        let took_part = self.rows.iter().filter(|row| of.contains(&row.0));
        took_part.min_by(|a, b| a.1.median_ns().total_cmp(&b.1.median_ns())).map(|row| (row.0, &row.1))
    }

    /// How many times as fast as the fastest of `base` the fastest of `of` is.
    pub fn speed_up(&self, of: &[Who], base: &[Who]) -> Option<f64> {
        Some(self.fastest(of)?.1.speed_up_over(self.fastest(base)?.1))
    }

    /// All of them, with what the paper says in cycles per byte.
    pub fn table(&self, paper: impl Fn(Who) -> Option<f64>) -> Table {
        let columns = [
            "",
            "paper (C/B)",
            "least (C/B)",
            "median (C/B)",
            "median (core C/B)",
            "MB/s",
            "Updates",
            "times OpenSSL, scalar",
            "times OpenSSL, n-SMS",
        ];
        let mut table = Table::new(format!("SHA-256 of a message of {}", kibibytes(self.bytes)), columns);
        for (who, measured) in &self.rows {
            let times = |base| Cell::maybe(self.get(base).map(|base| measured.speed_up_over(base)), 2);
            table.row([
                who.name().into(),
                Cell::maybe(paper(*who), 2),
                Cell::maybe(measured.least_tsc_cycles_per_byte(), 2),
                Cell::maybe(measured.tsc_cycles_per_byte(), 2),
                Cell::maybe(measured.core_cycles_per_byte(), 2),
                Cell::number(measured.mb_per_s(), 0),
                Cell::number(updates::of_j_lanes(self.bytes, who.lanes()) as f64, 0),
                times(SCALAR),
                times(N_SMS),
            ]);
        }
        table
    }

    /// These as bars, in cycles per byte, by the medians.
    pub fn bars(&self, title: impl Into<String>, field: &[Who], paper: impl Fn(Who) -> Option<f64>) -> Plot {
        let value = |who: &Who, source| self.get(*who).filter(|_| who.source() == source).and_then(Measured::tsc_cycles_per_byte);
        let of = |source| field.iter().map(|who| value(who, source)).collect();
        let mut series = vec![
            Bars { name: "other libraries".into(), source: Source::Peer, values: of(Source::Peer) },
            Bars { name: "manyhash".into(), source: Source::Ours, values: of(Source::Ours) },
        ];
        let papers: Vec<Option<f64>> = field.iter().map(|who| paper(*who)).collect();
        if papers.iter().any(Option::is_some) {
            series.insert(0, Bars { name: "the paper (Ivy Bridge)".into(), source: Source::Paper, values: papers });
        }
        Plot::Bars {
            title: title.into(),
            y_label: "cycles per byte".into(),
            categories: field.iter().map(|who| who.name()).collect(),
            series,
        }
    }

    /// A claim about a ratio: holds if it is at least so much.
    pub fn claim(&self, text: impl Into<String>, place: &'static str, paper: &str, of: &[Who], base: &[Who], at_least: f64) -> Claim {
        let ratio = self.speed_up(of, base);
        let here = match (self.fastest(of), self.fastest(base), ratio) {
            (Some(of), Some(base), Some(ratio)) => {
                format!("{ratio:.2} times, {}: {} over {}", kibibytes(self.bytes), of.0.name(), base.0.name())
            }
            _ => "one of them is missing".into(),
        };
        Claim::new(text, place, paper, here, ratio.map(|ratio| ratio >= at_least))
    }
}

/// "8 KiB".
pub fn kibibytes(bytes: usize) -> String {
    format!("{} KiB", bytes >> 10)
}

/// A ratio as a sentence has it.
pub fn times(ratio: Option<f64>) -> String {
    ratio.map_or("not measured".into(), |ratio| format!("{ratio:.2} times"))
}

/// The digest by definition, by OpenSSL.
fn expected(message: &[u8], lanes: usize) -> Result<Vec<u8>> {
    if lanes == 1 {
        return by_openssl("SHA256", &[message]);
    }
    let (mut openssl, mut digest) = (EvpDigest::new("SHA256")?, Vec::new());
    OverLinear::new(lanes, WORD_BYTES).hash(message, &mut digest, |slice, digests| openssl.hash(slice, digests));
    Ok(digest)
}

/// The goal: the best of j = 4, 8, 16, 32 against OpenSSL, at every length that was measured from 64 KiB on.
pub fn goals(races: &[Raced]) -> Vec<Claim> {
    let long: Vec<&Raced> = races.iter().filter(|raced| raced.bytes >= 64 << 10).collect();
    let goal = |base: Who| {
        let ratios: Option<Vec<f64>> = long.iter().map(|raced| raced.speed_up(&LEFT_ALONE, &[base])).collect();
        let ratios = ratios.filter(|ratios| !ratios.is_empty());
        let of = |raced: &&Raced| {
            let best = raced.fastest(&LEFT_ALONE).map_or(String::new(), |(who, _)| format!(" ({})", who.name()));
            format!("{} at {}{best}", times(raced.speed_up(&LEFT_ALONE, &[base])), kibibytes(raced.bytes))
        };
        Claim::new(
            format!("j-lanes, with the best j of 4, 8, 16, 32, is at least 2.53 times as fast as {}", base.name()),
            "goal",
            "2.45 (8 KiB), up to 2.53 (figure 3), over OpenSSL 1.0.1c",
            long.iter().map(of).collect::<Vec<_>>().join("; "),
            ratios.map(|ratios| ratios.iter().all(|ratio| *ratio >= 2.53)),
        )
    };
    if long.is_empty() { Vec::new() } else { vec![goal(TODAY), goal(SCALAR)] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_there_has_the_digest_of_the_definition() {
        let session = Session::begin(true, None, None).expect("a session");
        let field = [OWN_N_SMS, OWN_SHA_NI, Who::OverLinear(4, "bmi2"), PAPERS_LANES, Who::Lanes(8, "avx2"), Who::Linear("portable")];
        let field: Vec<Who> = field.into_iter().chain(LEFT_ALONE).collect();
        for bytes in [2048, 2049, 2053] {
            let raced = Raced::of(&session, bytes, &field).expect("every digest is right");
            assert_eq!(raced.rows.len() + raced.missing.len(), field.len());
            assert!(raced.get(Who::LeftAlone(16)).is_some() && raced.speed_up(&LEFT_ALONE, &[Who::Linear("portable")]).is_some());
        }
    }

    #[test]
    fn who_is_missing_is_not_measured_and_claims_say_so() {
        let session = Session::begin(true, None, None).expect("a session");
        let nobody = Who::Lanes(4, "no such backend");
        let raced = Raced::of(&session, 2048, &[nobody, Who::LeftAlone(4)]).expect("the others race");
        assert!(raced.get(nobody).is_none() && raced.missing.len() == 1);
        let claim = raced.claim("it is fast", "nowhere", "1", &[nobody], &[Who::LeftAlone(4)], 1.0);
        assert_eq!(claim.verdict, crate::model::Verdict::NotMeasured);
    }
}
