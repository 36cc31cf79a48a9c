//! One message, with its schedule made in scalar registers, in vectors of one block, in lanes of
//! several blocks, and by SHA extensions.

use anyhow::Result;
use manyhash::backend::Backend;
use manyhash::{Sha1, Sha256, Sha512};

use crate::aciicmez_2004::subject::{self, Subject};
use crate::claims::Metrics;
use crate::contestants::{OPENSSL_N_SMS, OPENSSL_SCALAR, OPENSSL_TODAY, OWN_SCALAR_ROUNDS, Raced, Who};
use crate::measured::Measured;
use crate::messages::Layout;
use crate::model::{Bars, Figure, Plot, Table};
use crate::openssl_worker::Variant;
use crate::session::Session;

/// Long enough that the message's end does not count, and in the first cache.
const MESSAGE_BYTES: usize = 16 << 10;
const ALGORITHMS: [&str; 3] = ["SHA-1", "SHA-256", "SHA-512"];

const SSSE3: Who = Who::OpenSsl(Variant::OneBlockSsse3);
const SHA_NI: Who = Who::Backend("sha-ni");

/// Who makes the schedule in scalar registers.
const SCALAR: [Who; 2] = [Who::Scalar, OPENSSL_SCALAR];
/// Who makes that of one block at a time in a vector.
const ONE_BLOCK: [Who; 2] = [SSSE3, Who::OpenSsl(Variant::OneBlockAvx)];
/// Who does so beside rounds that rotate with `rorx`.
const ONE_BLOCK_BMI2: [Who; 2] = [OWN_SCALAR_ROUNDS, Who::Backend("bmi2-avx512")];
/// Who makes those of several blocks in lanes.
const SEVERAL_BLOCKS: [Who; 1] = [OPENSSL_N_SMS];

const METHODS: [(&str, Who); 9] = [
    ("scalar: our code of section 4.1", SCALAR[0]),
    ("scalar: OpenSSL", SCALAR[1]),
    ("one block in XMM: OpenSSL (SSSE3)", ONE_BLOCK[0]),
    ("one block in XMM: OpenSSL (AVX)", ONE_BLOCK[1]),
    ("one block in XMM: manyhash (bmi2)", ONE_BLOCK_BMI2[0]),
    ("one block in XMM: manyhash (bmi2-avx512)", ONE_BLOCK_BMI2[1]),
    ("two blocks in YMM: OpenSSL n-SMS (AVX2)", SEVERAL_BLOCKS[0]),
    ("SHA extensions: manyhash (sha-ni)", SHA_NI),
    ("SHA extensions: OpenSSL today", OPENSSL_TODAY),
];

const METHOD: &str = "One message of 16 KiB, in the first cache; the paper hashed files of 400 MB from memory and says of SIMD inside a \
message only that it gained nothing. OpenSSL's code for older CPUs runs in processes of their own (OPENSSL_ia32cap). Levels of parallelism \
are derived from the recurrences, by a program, and not measured.";

/// Whether there never was such code for the algorithm, on any CPU.
fn is_no_code<S: Subject>(who: Who) -> bool {
    let has_kernel =
        |name| Backend::known().iter().find(|backend| backend.name() == name).is_none_or(|known| known.lanes_of::<S>().is_some());
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
    let mut here = Vec::new();
    for (name, who) in METHODS.into_iter().filter(|(_, who)| !is_no_code::<S>(*who)) {
        match missing::<S>(who).map(|why| format!("{name}: {why}")) {
            None => here.push(who),
            Some(why) if !figure.missing.contains(&why) => figure.missing.push(why),
            Some(_) => {}
        }
    }
    Raced::of::<S>(session, &here, &Layout::equal(1, MESSAGE_BYTES), 500)
}

/// Adds what was measured to the figure.
pub fn measure(session: &Session, figure: &mut Figure) -> Result<()> {
    let raced = [race::<Sha1>(session, figure)?, race::<Sha256>(session, figure)?, race::<Sha512>(session, figure)?];
    figure.method = format!("{METHOD} {}", subject::effort(session));
    let table = |title: &str, value: &dyn Fn(&Who, &&Raced) -> Option<f64>| {
        let title = format!("One message of {} KiB: {title}", MESSAGE_BYTES >> 10);
        Table::grid(title, "where the schedule is made", METHODS, ALGORITHMS.into_iter().zip(&raced), value)
    };
    figure.tables.extend([
        table("MB/s, by where the message schedule is made", &|who, raced| raced.value(*who, Measured::mb_per_s)),
        table("speed-up over the faster scalar code, by where the message schedule is made", &|who, raced| {
            raced.speed_up(&[*who], &SCALAR)
        }),
    ]);
    let bars = |(name, who): (&str, Who)| Bars::new(name, who.source(), raced.iter().map(|raced| raced.value(who, Measured::mb_per_s)));
    figure.plots.push(Plot::bars("One message, by where its message schedule is made", "MB/s, median", ALGORITHMS, METHODS.map(bars)));
    figure.metrics = metrics(|who, algorithm| raced[algorithm].speed_up(who, &SCALAR));
    Ok(())
}

/// By how many times as fast as the faster scalar code the fastest of some is, for an algorithm;
/// what is not there is not judged.
fn metrics(speed_up: impl Fn(&[Who], usize) -> Option<f64>) -> Metrics {
    let mut metrics = Metrics::default();
    let of = |who: &'static [Who], how: &'static str| {
        let speed_up = &speed_up;
        ALGORITHMS.iter().enumerate().filter_map(move |(i, name)| Some((format!("{name}{how}"), Some(speed_up(who, i)?))))
    };
    metrics.each("one block in XMM", of(&ONE_BLOCK, "").filter(|(label, _)| label != "SHA-512"));
    let one_block = of(&ONE_BLOCK, ", one block").chain(of(&ONE_BLOCK_BMI2, ", one block with BMI2"));
    metrics.each("vectors", one_block.chain(of(&SEVERAL_BLOCKS, ", several blocks")));
    metrics
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::verdicts;
    use crate::model::Verdict::{DoesNot, Holds, NotMeasured};

    #[test]
    fn everybody_has_a_row_of_a_name_without_commas() {
        assert!(METHODS.iter().all(|(name, _)| !name.contains(',')));
    }

    #[test]
    fn verdicts_follow_the_values() {
        for (one, several, expected) in [
            (Some(1.3), Some(1.4), [DoesNot, Holds]),
            (Some(1.0), Some(1.4), [Holds, Holds]),
            (Some(0.9), Some(0.9), [Holds, DoesNot]),
            (None, Some(0.9), [NotMeasured, DoesNot]),
            (None, None, [NotMeasured, NotMeasured]),
        ] {
            let metrics = metrics(|who, _| if who == ONE_BLOCK { one } else { several });
            assert_eq!(verdicts("2004-3.3", &metrics), expected);
        }
    }
}
