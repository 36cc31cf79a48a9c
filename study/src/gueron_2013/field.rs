//! Who hashes one message by SHA-256 in figures 1 to 4, linear and in j lanes, and how they race. `presentation.rs` shows it.

use anyhow::Result;
use manyhash::Sha256;
use manyhash::backend::Backend;
use manyhash::tree::JLanes;

use super::expecting::Expecting;
use super::over_linear::OverLinear;
use crate::measured::Measured;
use crate::messages::{Layout, Messages};
use crate::model::Source;
use crate::openssl_worker::{self, EvpDigest, Variant, Worker};
use crate::race::{Contestant, Local, Rules, race};
use crate::session::Session;

/// SHA-256's words.
const WORD_BYTES: usize = 4;

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
    /// So many lanes, on whatever manyhash chooses.
    Choice(usize),
}

/// OpenSSL 1.0.1c, about: what the paper calls OpenSSL.
pub const SCALAR: Who = Who::OpenSsl(Variant::Scalar);
/// n-SMS, as OpenSSL took it over.
pub const N_SMS: Who = Who::OpenSsl(Variant::NSms);
/// OpenSSL as it is.
pub const TODAY: Who = Who::OpenSsl(Variant::Today);
/// n-SMS that is not OpenSSL's.
pub const OWN_N_SMS: Who = Who::Linear("bmi2");
/// Linear with SHA extensions, and not OpenSSL's.
pub const OWN_SHA_NI: Who = Who::Linear("sha-ni");
/// All linear code.
pub const LINEAR: [Who; 5] = [SCALAR, N_SMS, TODAY, OWN_N_SMS, OWN_SHA_NI];
/// The best serial implementation of the paper's time.
pub const BEST_THEN: [Who; 2] = [N_SMS, OWN_N_SMS];
/// What the paper proposes: 4 lanes in 128-bit registers with rotations by shifts.
pub const PAPERS_LANES: Who = Who::Lanes(4, "sse2");
/// j-lanes as manyhash does it unless told otherwise, for every j that is measured.
pub const CHOICES: [Who; 4] = [Who::Choice(4), Who::Choice(8), Who::Choice(16), Who::Choice(32)];

impl Who {
    /// For tables.
    pub fn name(self) -> String {
        match self {
            Self::OpenSsl(variant) => variant.name().into(),
            Self::Linear("bmi2") => "manyhash n-SMS (bmi2)".into(),
            Self::Linear(backend) => format!("manyhash linear ({backend})"),
            Self::OverOpenSsl(lanes, variant) => format!("j = {lanes} over {}", variant.name()),
            Self::OverLinear(lanes, backend) => format!("j = {lanes} over {}", Self::Linear(backend).name()),
            Self::Lanes(lanes, backend) => format!("j = {lanes} ({backend})"),
            Self::Choice(lanes) => format!("j = {lanes} (manyhash's choice)"),
        }
    }

    /// j; 1 for linear.
    pub fn lanes(self) -> usize {
        match self {
            Self::OpenSsl(_) | Self::Linear(_) => 1,
            Self::OverOpenSsl(lanes, _) | Self::OverLinear(lanes, _) | Self::Lanes(lanes, _) | Self::Choice(lanes) => lanes,
        }
    }

    /// Whose code it is.
    pub fn source(self) -> Source {
        if matches!(self, Self::OpenSsl(_) | Self::OverOpenSsl(..)) { Source::Peer } else { Source::Ours }
    }

    /// Why it can't be had on this machine, if it can't.
    fn missing(self) -> Option<String> {
        match self {
            Self::OpenSsl(variant) | Self::OverOpenSsl(_, variant) => {
                variant.missing().map(|missing| format!("{}: {missing}", self.name()))
            }
            Self::Linear(backend) | Self::OverLinear(_, backend) | Self::Lanes(_, backend) => {
                let missing = match Backend::by_name(backend) {
                    Ok(backend) if backend.supports::<Sha256>() => None,
                    Ok(_) => Some("it has no SHA-256".to_string()),
                    Err(error) => Some(error.to_string()),
                };
                missing.map(|missing| format!("{}: {missing}", self.name()))
            }
            Self::Choice(_) => None,
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
            Self::Choice(lanes) => {
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

/// Calls before anything is timed: the paper's 25,000, but no more than hash as much as these do of 8 KiB.
pub fn warm_up_calls(bytes: usize) -> u64 {
    (25_000 * 8192 / bytes as u64).min(25_000)
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
        let rules = Rules { bytes, expected: None, warm_up_calls: warm_up_calls(bytes) };
        let measured = race(session, rules, &mut contestants)?;
        Ok(Self { bytes, rows: field.into_iter().zip(measured).collect(), missing })
    }

    /// As if somebody had taken so many nanoseconds.
    #[cfg(test)]
    pub fn synthetic(bytes: usize, rows: &[(Who, f64)]) -> Self {
        let rows = rows.iter().map(|(who, call_ns)| (*who, super::presentation::tests::measured(&who.name(), bytes, *call_ns))).collect();
        Self { bytes, rows, missing: Vec::new() }
    }

    /// Bytes of the message.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Everybody who took part.
    pub fn rows(&self) -> &[(Who, Measured)] {
        &self.rows
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
}

/// The digest by definition, by OpenSSL.
fn expected(message: &[u8], lanes: usize) -> Result<Vec<u8>> {
    if lanes == 1 {
        return openssl_worker::digests("SHA256", &[message]);
    }
    let (mut openssl, mut digest) = (EvpDigest::new("SHA256")?, Vec::new());
    OverLinear::new(lanes, WORD_BYTES).hash(message, &mut digest, |slice, digests| openssl.hash(slice, digests));
    Ok(digest)
}

#[cfg(test)]
mod tests {
    use super::super::presentation;
    use super::*;

    #[test]
    fn whoever_is_there_has_the_digest_of_the_definition() {
        let session = Session::begin(true, None, None).expect("a session");
        let field = [OWN_N_SMS, OWN_SHA_NI, Who::OverLinear(4, "bmi2"), PAPERS_LANES, Who::Lanes(8, "avx2"), Who::Linear("portable")];
        let field: Vec<Who> = field.into_iter().chain(CHOICES).collect();
        for bytes in [2048, 2049, 2053] {
            let raced = Raced::of(&session, bytes, &field).expect("every digest is right");
            assert_eq!(raced.rows.len() + raced.missing.len(), field.len());
            assert!(raced.get(Who::Choice(16)).is_some() && raced.speed_up(&CHOICES, &[Who::Linear("portable")]).is_some());
        }
    }

    #[test]
    fn who_is_missing_is_not_measured_and_claims_say_so() {
        let session = Session::begin(true, None, None).expect("a session");
        let nobody = Who::Lanes(4, "no such backend");
        let raced = Raced::of(&session, 2048, &[nobody, Who::Choice(4)]).expect("the others race");
        assert!(raced.get(nobody).is_none() && raced.missing.len() == 1);
        let claim = presentation::claim(&raced, ("It is fast", "nowhere", "1"), (&[nobody], &[Who::Choice(4)]), 1.0);
        assert_eq!(claim.verdict, crate::model::Verdict::NotMeasured);
    }
}
