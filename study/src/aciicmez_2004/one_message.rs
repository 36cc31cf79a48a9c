//! Section 3.3: SIMD inside one message. How many rounds' worth of each operation could be computed at once, and what comes of it: the
//! message schedule in vectors beside rounds in scalar registers.

mod parallelism;

use anyhow::Result;
use manyhash::backend::Backend;
use manyhash::{Sha1, Sha256, Sha512};

use super::subject::Subject;
use crate::claims::Metrics;
use crate::contestants::{AVX_SCALAR, OPENSSL_N_SMS, OPENSSL_SCALAR, OPENSSL_TODAY, OWN_SCALAR_ROUNDS, Raced, Who};
use crate::measured::Measured;
use crate::messages::Layout;
use crate::model::{Figure, Source};
use crate::openssl_worker::Variant;
use crate::rows::{Kind, RATE};
use crate::session::Session;
use parallelism::ALGORITHMS;

/// Long enough that the message's end does not count, and in the first cache.
const MESSAGE_BYTES: usize = 16 << 10;
const SSSE3: Who = Who::OpenSsl(Variant::OneBlockSsse3);
/// Who makes the schedule in scalar registers.
const SCALAR: [Who; 2] = [Who::Scalar, OPENSSL_SCALAR];

const ONE_BLOCK: &str = "one block";
/// Beside rounds that rotate with `rorx`.
const ONE_BLOCK_BMI2: &str = "one block with BMI2";
const SEVERAL_BLOCKS: &str = "several blocks";
/// Where the schedule is made, the name, and who does so.
const METHODS: [(&str, &str, Who); 10] = [
    ("", "scalar: our code of section 4.1", SCALAR[0]),
    ("", "scalar: OpenSSL", SCALAR[1]),
    (ONE_BLOCK, "one block in XMM: OpenSSL (SSSE3)", SSSE3),
    (ONE_BLOCK, "one block in XMM: OpenSSL (AVX)", Who::OpenSsl(Variant::OneBlockAvx)),
    (ONE_BLOCK, "one block in XMM: manyhash (avx-scalar)", AVX_SCALAR),
    (ONE_BLOCK_BMI2, "one block in XMM: manyhash (bmi2)", OWN_SCALAR_ROUNDS),
    (ONE_BLOCK_BMI2, "one block in XMM: manyhash (bmi2-avx512)", Who::Backend("bmi2-avx512")),
    (SEVERAL_BLOCKS, "two blocks in YMM: OpenSSL n-SMS (AVX2)", OPENSSL_N_SMS),
    ("", "SHA extensions: manyhash (sha-ni)", Who::Backend("sha-ni")),
    ("", "SHA extensions: OpenSSL today", OPENSSL_TODAY),
];

/// Whether there never was such code for the algorithm, on any CPU.
fn is_no_code<S: Subject>(who: Who) -> bool {
    let has_kernel = |name| Backend::known().iter().any(|known| known.name() == name && known.lanes_of::<S>().is_some());
    match who {
        Who::Backend(name) => !has_kernel(name),
        SSSE3 | OPENSSL_TODAY => S::NAME == "SHA-512",
        _ => false,
    }
}

/// Why the method cannot be had here.
fn missing<S: Subject>(who: Who) -> Option<String> {
    let lacks_sha = who == OPENSSL_TODAY && !manyhash_measure::machine::features().contains(&"sha");
    if lacks_sha { Some("this CPU has no SHA extensions".into()) } else { who.missing::<S>() }
}

fn race<S: Subject>(session: &Session, figure: &mut Figure) -> Result<Raced> {
    const SET: &str = "One message of 16 KiB, by where its message schedule is made";
    let mut here = Vec::new();
    for (_, name, who) in METHODS.into_iter().filter(|method| !is_no_code::<S>(method.2)) {
        match missing::<S>(who) {
            None => here.push(who),
            Some(why) => figure.miss(&[format!("{name}: {why}")]),
        }
    }
    let raced = Raced::of::<S>(session, &here, &Layout::equal(1, MESSAGE_BYTES), 500)?;
    for (_, name, who) in METHODS {
        figure.put((SET, S::NAME), name, RATE, who.source(), raced.value(who, Measured::mb_per_s));
        figure.put((SET, S::NAME), name, "times as fast as the faster scalar code", who.source(), raced.speed_up(&[who], &SCALAR));
    }
    figure.pictures.clear();
    figure.picture(SET, RATE, Kind::Bars, &[]);
    Ok(raced)
}

pub fn measure(session: &Session) -> Result<Figure> {
    let mut figure = Figure::default();
    for algorithm in &ALGORITHMS {
        let set = format!(
            "{} ({}): words of {} bits of an operation that can be computed at once, derived from its recurrence",
            algorithm.name, algorithm.place, algorithm.word_bits
        );
        for operation in algorithm.operations {
            let at = (set.as_str(), "");
            figure.put(at, operation.formula, "XMM", Source::Paper, operation.paper.map(|level| level as f64));
            for (what, bits) in [("XMM", 128), ("MMX", 64), ("YMM", 256), ("ZMM", 512)] {
                figure.put(at, operation.formula, what, Source::Ours, algorithm.parallelism_in(operation, bits) as f64);
            }
            figure.put(at, operation.formula, "registers of any size", Source::Ours, algorithm.parallelism(operation) as f64);
        }
    }
    let raced = [race::<Sha1>(session, &mut figure)?, race::<Sha256>(session, &mut figure)?, race::<Sha512>(session, &mut figure)?];
    figure.metrics = metrics(|kind, algorithm| {
        let who: Vec<Who> = METHODS.into_iter().filter(|method| method.0 == kind).map(|method| method.2).collect();
        raced[algorithm].speed_up(&who, &SCALAR)
    });
    Ok(figure)
}

/// By how many times as fast as the faster scalar code the fastest of a kind is, for an algorithm;
/// what is not there is not judged.
fn metrics(speed_up: impl Fn(&str, usize) -> Option<f64>) -> Metrics {
    let mut metrics = Metrics::default();
    let one_block = ["SHA-1", "SHA-256"].into_iter().enumerate().filter_map(|(i, name)| Some((name, Some(speed_up(ONE_BLOCK, i)?))));
    metrics.each("one block in XMM", one_block);
    let mut vectors = Vec::new();
    for kind in [ONE_BLOCK, ONE_BLOCK_BMI2, SEVERAL_BLOCKS] {
        for (i, name) in ["SHA-1", "SHA-256", "SHA-512"].into_iter().enumerate() {
            vectors.extend(speed_up(kind, i).map(|times| (format!("{name}, {kind}"), Some(times))));
        }
    }
    metrics.each("vectors", vectors);
    metrics
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::verdicts;
    use crate::model::Verdict::{DoesNot, Holds, NotMeasured};

    #[test]
    fn verdicts_follow_the_values() {
        for (one, several, expected) in
            [(Some(1.3), Some(1.4), [DoesNot, Holds]), (Some(0.9), Some(0.9), [Holds, DoesNot]), (None, Some(0.9), [NotMeasured, DoesNot])]
        {
            let metrics = metrics(|kind, _| if kind == ONE_BLOCK { one } else { several });
            assert_eq!(verdicts("2004-3.3", &metrics), expected);
        }
    }
}
