//! One message, with its schedule made in scalar registers, in vectors of one block, in lanes of several blocks, and by SHA extensions.

use anyhow::Result;
use manyhash::backend::Backend;

use crate::aciicmez_2004::shown::{self, NO_VALUE, cell, without_gaps};
use crate::aciicmez_2004::subject::{self, Subject, in_registers};
use crate::measured::{self, Measured};
use crate::messages::Layout;
use crate::model::{Bars, Cell, Claim, Figure, Plot, Source, Table};
use crate::openssl_worker::{EvpDigest, Variant, Worker};
use crate::race::{Contestant, Local, Rules, race};
use crate::session::Session;

/// Long enough that the message's end does not count, and in the first cache.
const MESSAGE_BYTES: usize = 16 << 10;
const ALGORITHMS: [&str; 3] = ["SHA-1", "SHA-256", "SHA-512"];

/// How the message schedule is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Scalar,
    OneBlock,
    SeveralBlocks,
    Extensions,
}

/// Who takes part.
#[derive(Clone, Copy)]
enum Method {
    /// The four basic blocks of section 4.2.
    BasicBlocks,
    OpenSsl(Variant),
    Manyhash(&'static str),
}

const METHODS: [(Method, Kind, &str); 9] = [
    (Method::BasicBlocks, Kind::Scalar, "scalar: our code of section 4.1"),
    (Method::OpenSsl(Variant::Scalar), Kind::Scalar, "scalar: OpenSSL"),
    (Method::OpenSsl(Variant::OneBlockSsse3), Kind::OneBlock, "one block in XMM: OpenSSL (SSSE3)"),
    (Method::OpenSsl(Variant::OneBlockAvx), Kind::OneBlock, "one block in XMM: OpenSSL (AVX)"),
    (Method::OpenSsl(Variant::NSms), Kind::SeveralBlocks, "two blocks in YMM: OpenSSL n-SMS (AVX2)"),
    (Method::Manyhash("bmi2"), Kind::SeveralBlocks, "several blocks in YMM: manyhash (bmi2)"),
    (Method::Manyhash("bmi2-avx512"), Kind::SeveralBlocks, "several blocks in ZMM: manyhash (bmi2-avx512)"),
    (Method::Manyhash("sha-ni"), Kind::Extensions, "SHA extensions: manyhash (sha-ni)"),
    (Method::OpenSsl(Variant::Today), Kind::Extensions, "SHA extensions: OpenSSL today"),
];

const METHOD: &str = "One message of 16 KiB, in the first cache; the paper hashed files of 400 MB from memory and says of SIMD inside a \
message only that it gained nothing. OpenSSL's code for older CPUs runs in processes of their own (OPENSSL_ia32cap). Levels of parallelism \
are derived from the recurrences, by a program, and not measured.";

/// What this CPU cannot do of it, for an algorithm: `Some(None)`: it never could.
fn lacks(method: Method, kind: Kind, algorithm: &str) -> Option<Option<String>> {
    match method {
        Method::BasicBlocks => None,
        Method::Manyhash(name) => {
            let supports = |backend: &Backend| match algorithm {
                "SHA-1" => backend.lanes_of::<manyhash::Sha1>().is_some(),
                "SHA-256" => backend.lanes_of::<manyhash::Sha256>().is_some(),
                _ => backend.lanes_of::<manyhash::Sha512>().is_some(),
            };
            match Backend::known().iter().find(|backend| backend.name() == name) {
                Some(backend) if !supports(backend) => Some(None),
                _ => Backend::by_name(name).err().map(|error| Some(error.to_string())),
            }
        }
        Method::OpenSsl(variant) => {
            let never = if algorithm == "SHA-512" { kind == Kind::Extensions || variant == Variant::OneBlockSsse3 } else { false };
            if never {
                return Some(None);
            }
            if kind == Kind::Extensions && !manyhash_measure::machine::features().contains(&"sha") {
                return Some(Some("this CPU has no SHA extensions".into()));
            }
            variant.missing().map(Some)
        }
    }
}

fn contestant<'a>(
    session: &Session,
    method: Method,
    algorithm: &str,
    layout: &Layout,
    messages: subject::Slices<'a>,
) -> Result<Box<dyn Contestant + 'a>> {
    fn basic_blocks<'a, S: Subject>(session: &Session, messages: subject::Slices<'a>) -> Result<Box<dyn Contestant + 'a>> {
        Ok(in_registers("basic blocks", subject::fastest::<S::Native>(session, S::OPENSSL)?, messages))
    }
    fn manyhash_on<'a, A: manyhash::Algorithm>(name: &'static str, message: &'a [u8]) -> Result<Box<dyn Contestant + 'a>> {
        let backend = Backend::by_name(name)?;
        Ok(Local::boxed(name, move |digest| {
            digest.extend_from_slice(backend.hash_many::<A>(&[message]).expect("a kernel for it")[0].as_ref());
        }))
    }
    let message = messages[0];
    match (method, algorithm) {
        (Method::BasicBlocks, "SHA-1") => basic_blocks::<subject::Sha1>(session, messages),
        (Method::BasicBlocks, "SHA-256") => basic_blocks::<subject::Sha256>(session, messages),
        (Method::BasicBlocks, _) => basic_blocks::<subject::Sha512>(session, messages),
        (Method::Manyhash(name), "SHA-1") => manyhash_on::<manyhash::Sha1>(name, message),
        (Method::Manyhash(name), "SHA-256") => manyhash_on::<manyhash::Sha256>(name, message),
        (Method::Manyhash(name), _) => manyhash_on::<manyhash::Sha512>(name, message),
        (Method::OpenSsl(variant), _) => Worker::start(session, variant, &algorithm.replace('-', ""), layout),
    }
}

/// Everybody who can run, by method and algorithm.
type Results = Vec<[Option<Measured>; ALGORITHMS.len()]>;

/// Adds what was measured to the figure.
pub fn measure(session: &Session, figure: &mut Figure) -> Result<()> {
    let layout = Layout::equal(1, MESSAGE_BYTES);
    let messages = layout.fill()?;
    let slices = messages.slices();
    let message = slices[0];
    let mut results: Results = METHODS.iter().map(|_| Default::default()).collect();
    for (column, algorithm) in ALGORITHMS.iter().enumerate() {
        let mut expected = Vec::new();
        EvpDigest::new(&algorithm.replace('-', ""))?.hash(message, &mut expected);
        let (mut contestants, mut rows) = (Vec::new(), Vec::new());
        for (row, (method, kind, name)) in METHODS.iter().enumerate() {
            match lacks(*method, *kind, algorithm) {
                None => {
                    contestants.push(contestant(session, *method, algorithm, &layout, &slices)?);
                    rows.push(row);
                }
                Some(Some(why)) => {
                    let missing = format!("{name}: {why}");
                    if !figure.missing.contains(&missing) {
                        figure.missing.push(missing);
                    }
                }
                Some(None) => {}
            }
        }
        let rules = Rules { bytes: MESSAGE_BYTES, expected: Some(&expected), warm_up_calls: 500 };
        for (row, measured) in rows.into_iter().zip(race(session, rules, &mut contestants)?) {
            results[row][column] = Some(measured);
        }
    }
    figure.method = format!("{METHOD} {}", subject::effort(session));
    figure.tables.extend([
        table(&results, "MB/s, by where the message schedule is made", |measured, _| measured.mb_per_s()),
        table(&results, "speed-up over the faster scalar code, by where the message schedule is made", over),
    ]);
    figure.plots.push(plot(&results));
    judge(figure, &results);
    Ok(())
}

fn over(measured: &Measured, scalar: &Measured) -> f64 {
    measured.speed_up_over(scalar)
}

/// The fastest of a kind, for an algorithm.
fn fastest(results: &Results, kind: Kind, column: usize) -> Option<&Measured> {
    let of_kind = results.iter().zip(METHODS).filter(|(_, (_, other, _))| *other == kind);
    measured::fastest(of_kind.filter_map(|(row, _)| row[column].as_ref()))
}

fn speed_up(results: &Results, kind: Kind, column: usize) -> Option<f64> {
    Some(fastest(results, kind, column)?.speed_up_over(fastest(results, Kind::Scalar, column)?))
}

fn table(results: &Results, title: &str, of: impl Fn(&Measured, &Measured) -> f64) -> Table {
    let mut table = Table::new(
        format!("One message of {} KiB: {title}", MESSAGE_BYTES >> 10),
        ["where the schedule is made"].iter().chain(&ALGORITHMS).copied(),
    );
    for ((_, _, name), row) in METHODS.iter().zip(results) {
        let value = |(column, measured): (usize, &Option<Measured>)| {
            let scalar = fastest(results, Kind::Scalar, column);
            cell(measured.as_ref().zip(scalar).map(|(measured, scalar)| of(measured, scalar)))
        };
        table.row([Cell::from(*name)].into_iter().chain(row.iter().enumerate().map(value)));
    }
    without_gaps(table, 1)
}

fn plot(results: &Results) -> Plot {
    let bars = |((method, _, name), row): (&(Method, Kind, &str), &[Option<Measured>; 3])| Bars {
        name: (*name).into(),
        source: if matches!(method, Method::OpenSsl(_)) { Source::Peer } else { Source::Ours },
        values: row.iter().map(|measured| measured.as_ref().map(Measured::mb_per_s)).collect(),
    };
    Plot::Bars {
        title: "One message, by where its message schedule is made".into(),
        y_label: "MB/s, median".into(),
        categories: ALGORITHMS.map(String::from).to_vec(),
        series: METHODS.iter().zip(results).map(bars).collect(),
    }
}

fn judge(figure: &mut Figure, results: &Results) {
    judge_speed_ups(figure, |kind, column| speed_up(results, kind, column));
}

/// By how many times as fast as the faster scalar code each kind is.
fn judge_speed_ups(figure: &mut Figure, speed_up: impl Fn(Kind, usize) -> Option<f64>) {
    const GAIN: f64 = 1.02;
    let speed_ups = |kind| -> Vec<(&str, f64)> {
        ALGORITHMS.iter().enumerate().filter_map(|(column, algorithm)| Some((*algorithm, speed_up(kind, column)?))).collect()
    };
    let times = |speed_ups: &[(&str, f64)]| {
        if speed_ups.is_empty() { "not measured".into() } else { shown::of_each(speed_ups) + " times the faster scalar code" }
    };
    let (one, several) = (speed_ups(Kind::OneBlock), speed_ups(Kind::SeveralBlocks));
    let gains = |speed_ups: &[(&str, f64)]| speed_ups.iter().any(|(_, times)| *times > GAIN);
    let most_of = |speed_ups: &[(&str, f64)], of: &str| {
        speed_ups.iter().filter(|(algorithm, _)| *algorithm == of).map(|(_, times)| *times).reduce(f64::max)
    };
    let of_32_bits: Vec<_> = one.iter().filter(|(algorithm, _)| *algorithm != "SHA-512").copied().collect();
    let vectors: Vec<_> = one.iter().chain(&several).copied().collect();
    figure.claims = vec![
        Claim::new(
            "XMM registers do not make hashing one message of SHA-1 or SHA-256 faster",
            "section 4.2",
            NO_VALUE,
            times(&of_32_bits),
            (!of_32_bits.is_empty()).then(|| !gains(&of_32_bits)),
        ),
        Claim::new(
            "The same ideas gain on a platform with faster SIMD instructions",
            "section 4.2",
            NO_VALUE,
            format!("one block in XMM: {}; several blocks in wider registers: {}", times(&one), times(&several)),
            (!vectors.is_empty()).then(|| gains(&vectors)),
        ),
    ];
    figure.still_holds = if vectors.is_empty() {
        "Nothing of it could be judged: no code with its schedule in vectors could be run here.".into()
    } else if !of_32_bits.is_empty() && !gains(&of_32_bits) {
        format!("One message in XMM registers is still no faster than in scalar code: {} times as fast.", shown::of_each(&of_32_bits))
    } else if gains(&vectors) {
        let most = ALGORITHMS.into_iter().filter_map(|name| Some((name, most_of(&vectors, name)?)));
        let gained: Vec<_> = most.filter(|one| gains(&[*one])).collect();
        format!(
            "Vectors inside one message gain with faster SIMD instructions, as the paper expects: up to {} times the scalar code.",
            shown::of_each(&gained)
        )
    } else {
        format!("Nothing of it holds here: vectors gain nothing, {} times the faster scalar code.", shown::of_each(&vectors))
    };
    let how_much = if gains(&vectors) {
        "The schedule in vectors beside scalar rounds gains here, since vector units have free places while the rounds wait."
    } else if vectors.is_empty() {
        "OpenSSL's and manyhash's code for vectors could not be run here."
    } else {
        "The schedule in vectors beside scalar rounds gains nothing here either: the rounds are the longest chain, and not the schedule."
    };
    let most = |kind, column| speed_up(kind, column).unwrap_or(0.0);
    let extensions_lead = speed_ups(Kind::Extensions).iter().all(|(algorithm, times)| {
        let column = ALGORITHMS.iter().position(|other| other == algorithm).expect("one of them");
        *times > GAIN && *times > most(Kind::OneBlock, column) && *times > most(Kind::SeveralBlocks, column)
    });
    let sha = if speed_ups(Kind::Extensions).is_empty() || !extensions_lead {
        " SHA-1's schedule is made four words at a time today, by a recurrence put into itself that the paper does not have."
    } else {
        " The SHA extensions, made for one message, gain more than any vectors do, because they shorten the chain of the rounds."
    };
    figure.changed = format!("{how_much}{sha}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aciicmez_2004::shown::assert_is_readable;
    use crate::model::Verdict::{self, DoesNot, Holds, NotMeasured};

    fn judged(one: Option<f64>, several: Option<f64>, extensions: Option<f64>) -> (Figure, Vec<Verdict>) {
        let mut figure = Figure::default();
        judge_speed_ups(&mut figure, |kind, column| match kind {
            Kind::Scalar => Some(1.0),
            Kind::OneBlock => one,
            Kind::SeveralBlocks => several,
            Kind::Extensions => extensions.filter(|_| column < 2),
        });
        for text in [&figure.still_holds, &figure.changed] {
            assert_is_readable(text);
        }
        let verdicts = figure.claims.iter().map(|claim| claim.verdict).collect();
        (figure, verdicts)
    }

    #[test]
    fn verdicts_and_sentences_follow_the_values() {
        let (figure, verdicts) = judged(Some(1.3), Some(1.4), Some(2.0));
        assert_eq!(verdicts, [DoesNot, Holds]);
        assert!(figure.still_holds.contains("as the paper expects: up to 1.40 (SHA-1), "), "{}", figure.still_holds);
        assert!(figure.changed.contains("gains here") && figure.changed.contains("more than any vectors"), "{}", figure.changed);
        let (figure, verdicts) = judged(Some(1.0), Some(1.4), Some(1.2));
        assert_eq!(verdicts, [Holds, Holds]);
        assert!(!figure.changed.contains("more than any vectors"), "{}", figure.changed);
        assert!(
            figure.still_holds.ends_with("no faster than in scalar code: 1.00 (SHA-1) and 1.00 (SHA-256) times as fast."),
            "{}",
            figure.still_holds
        );
        assert_eq!(judged(Some(0.9), Some(0.9), None).1, [Holds, DoesNot]);
        let (figure, verdicts) = judged(None, Some(0.9), None);
        assert_eq!(verdicts, [NotMeasured, DoesNot]);
        assert!(figure.still_holds.starts_with("Nothing of it holds here"), "{}", figure.still_holds);
        let (figure, verdicts) = judged(None, None, None);
        assert_eq!(verdicts, [NotMeasured, NotMeasured]);
        assert!(figure.still_holds.starts_with("Nothing of it could be judged"), "{}", figure.still_holds);
    }

    #[test]
    fn everybody_has_a_row_of_a_name_without_commas() {
        assert!(METHODS.iter().all(|(.., name)| !name.contains(',')));
    }
}
