//! Figure 2 (section 4.2): SHA-256 of messages of 4 KiB from the caches and from memory; and of
//! SHA-512, which the paper leaves out (section 5).

use anyhow::Result;
use manyhash::{Algorithm, Sha256, Sha512};

use super::algorithm_1::{SCALAR_ROUNDS, serial_end};
use crate::aciicmez_2004::subject::Subject;
use crate::contestants::{OPENSSL_N_SMS, OPENSSL_SCALAR, OPENSSL_TODAY, OWN_SCALAR_ROUNDS, Raced, S_HASH, Who, missing};
use crate::measured::{Measured, fastest, thousands};
use crate::messages::Layout;
use crate::model::{Bars, Cell, Figure, Plot, Source, Table, over_paper};
use crate::session::{Session, caches};

const MESSAGE_BYTES: usize = 4096;
/// How many messages, and where the paper has them.
const CASES: [(usize, &str); 4] = [(4, "paper: L1"), (64, "paper: L2"), (512, "paper: L3"), (8192, "paper: memory")];
/// The first of them that lie in a cache of the paper's CPU.
const IN_CACHES: usize = 3;
/// The first case whose messages fill the widest lanes: the goals are for it and the larger ones.
const MANY_MESSAGES: usize = 1;
/// The most that is hashed where twice the last cache is more than the paper's memory case.
const MOST_BYTES: usize = 512 << 20;
/// The largest in a quick run.
const QUICK_MESSAGES: usize = 1024;
/// "we ran the hash, in a loop, 500 times".
const WARM_UP_CALLS: u64 = 500;
/// What warming up hashes at most: 500 times 32 MB would take minutes for each contestant.
const WARM_UP_BYTES: u64 = 128 << 20;

/// Everybody. Who lacks an algorithm or instructions is named as missing.
const ALL: [Who; 14] = [
    OPENSSL_SCALAR,
    OPENSSL_N_SMS,
    OPENSSL_TODAY,
    OWN_SCALAR_ROUNDS,
    S_HASH,
    Who::SHash("avx512-128", SCALAR_ROUNDS),
    Who::Backend("sse2"),
    Who::Backend("avx2"),
    Who::Backend("avx512"),
    Who::Backend("avx512x2"),
    Who::Backend("sha-ni"),
    Who::Backend("sha-ni-x4"),
    Who::Backend("sha-ni-sms256-x4"),
    Who::Manyhash,
];
/// What the papers print of one message and of S-HASH: contestants and cycles a byte.
type OfPaper<'a> = &'a [(Who, f64)];

/// The cases: those of [`CASES`], and perhaps a larger one.
struct Cases(Vec<(String, Raced)>);

impl Cases {
    fn measure<S: Subject>(session: &Session) -> Result<Self> {
        let cases = CASES.map(|(messages, place)| (messages, place.to_string()));
        let race = |(messages, place): (usize, String)| {
            let messages = if session.quick { messages.min(QUICK_MESSAGES) } else { messages };
            let layout = Layout::equal(messages, MESSAGE_BYTES);
            let warm_up_calls = (WARM_UP_BYTES / layout.total_bytes() as u64).clamp(3, WARM_UP_CALLS);
            let name = format!("{} ({place})", size(layout.total_bytes()));
            Ok((name, Raced::of::<S>(session, &ALL, &layout, warm_up_calls)?))
        };
        Ok(Self(cases.into_iter().chain(beyond_caches(session)).map(race).collect::<Result<_>>()?))
    }

    /// The contestants that took part in all cases.
    fn all(&self) -> Vec<Who> {
        self.0[0].1.rows.iter().map(|(who, _)| *who).collect()
    }

    /// The cases as columns.
    fn columns(&self) -> impl Iterator<Item = (&str, &Raced)> {
        self.0.iter().map(|(name, raced)| (name.as_str(), raced))
    }

    /// By the name of each case from `first` on, how many times as fast one is as another.
    fn speed_ups(&self, one: Who, other: Who, first: usize) -> impl Iterator<Item = (String, Option<f64>)> {
        self.0[first..].iter().map(move |(name, raced)| (name.clone(), raced.over(one, other)))
    }

    /// A value for each contestant and case.
    fn table<S: Subject>(&self, value: &str, measure: impl Fn(&Measured) -> Option<f64>) -> Table {
        let rows = self.all().into_iter().map(|who| (who.name::<S>(), who));
        let title = format!("{} of messages of 4 KiB: {value}", S::NAME);
        Table::grid(title, "implementation", rows, self.columns(), |who, raced| raced.value(*who, &measure))
    }

    /// Values of the cases, with the paper's before them and the ratio to the first case after
    /// them.
    fn beside_paper<R: Copy>(
        &self,
        (title, name, paper_heading): (String, &str, &str),
        rows: impl IntoIterator<Item = (String, R, Option<f64>)>,
        here: impl Fn(&Raced, R) -> Option<f64>,
    ) -> Table {
        let ratio = format!("here / paper, {}", size(CASES[0].0 * MESSAGE_BYTES));
        let names = self.0.iter().map(|(name, _)| name.clone());
        let mut table = Table::new(title, [name.to_string(), paper_heading.into()].into_iter().chain(names).chain([ratio]));
        for (name, row, paper) in rows {
            let values = self.0.iter().map(|(_, raced)| here(raced, row).into());
            let ratio = over_paper(here(&self.0[0].1, row), paper);
            table.row([name.into(), Cell::maybe(paper, 2)].into_iter().chain(values).chain([ratio]));
        }
        table.without_gaps(1)
    }

    /// The papers' cycles, with what they print and the ratio.
    fn least_table<S: Subject>(&self, paper: OfPaper<'_>) -> Table {
        let title = format!("{} of messages of 4 KiB: cycles of the time-stamp counter per byte, least sample, as in the papers", S::NAME);
        let of_paper = |who| paper.iter().find(|(other, _)| *other == who).map(|(_, value)| *value);
        let rows = self.all().into_iter().map(|who| (who.name::<S>(), who, of_paper(who)));
        self.beside_paper((title, "implementation", "paper, C/B"), rows, |raced, who| raced.value(who, Measured::least_tsc_cycles_per_byte))
    }

    /// Ratios of rates, with what the paper prints.
    fn speed_up_table<S: Subject>(&self, pairs: &[(Who, Who, Option<f64>)]) -> Table {
        let title = format!("{} of messages of 4 KiB: how many times as fast, by the medians", S::NAME);
        let name = |one: Who, other: Who| format!("{} over {}", one.name::<S>(), other.name::<S>());
        let rows = pairs.iter().map(|(one, other, paper)| (name(*one, *other), (*one, *other), *paper));
        self.beside_paper((title, "one over another", "paper"), rows, |raced, (one, other)| raced.over(one, other))
    }

    /// Bars of cycles a byte; the paper's values are the same in each of its cases, as its text
    /// gives them.
    fn plot<S: Subject>(&self, title: &str, paper: &[(&str, f64)], who: &[Who]) -> Plot {
        let in_paper = |value: f64| (0..self.0.len()).map(move |case| (case < CASES.len()).then_some(value));
        let of_paper = paper.iter().map(|(name, value)| Bars::new(format!("paper: {name}"), Source::Paper, in_paper(*value)));
        let of = |who: &Who| {
            let values = self.0.iter().map(|(_, raced)| raced.value(*who, Measured::tsc_cycles_per_byte));
            Bars::new(who.name::<S>(), who.source(), values)
        };
        let here = who.iter().filter(|who| self.all().contains(who)).map(of);
        let here_and_there = if paper.is_empty() { "median" } else { "here: median; paper: its own clock" };
        let y_label = format!("cycles of the time-stamp counter per byte ({here_and_there})");
        Plot::bars(title, y_label, self.columns().map(|(name, _)| name), of_paper.chain(here))
    }

    fn figure<S: Subject>(&self, session: &Session, paper: OfPaper<'_>, of_paper: &str) -> Figure {
        let tables = [
            self.least_table::<S>(paper),
            self.table::<S>("cycles of the time-stamp counter per byte, median", Measured::tsc_cycles_per_byte),
            self.table::<S>(
                "cycles of the core per byte, median, by the clock measured beside the samples",
                Measured::core_cycles_per_byte,
            ),
            self.table::<S>("MB/s, median", |measured| Some(measured.mb_per_s())),
        ];
        Figure {
            method: method::<S>(session, of_paper),
            tables: tables.into_iter().filter(|table| !table.rows.is_empty()).collect(),
            missing: missing(self.0.iter().map(|(_, raced)| raced)),
            ..Figure::default()
        }
    }
}

/// "16 KiB".
fn size(bytes: usize) -> String {
    if bytes < 1 << 20 { format!("{} KiB", bytes >> 10) } else { format!("{} MiB", bytes >> 20) }
}

/// How many messages are twice this CPU's last cache, where that is more than the paper's memory
/// case.
fn beyond_caches(session: &Session) -> Option<(usize, String)> {
    let (level, bytes) = caches(session.machine.pinned_to.unwrap_or(0)).into_iter().max()?;
    let messages = (2 * bytes).min(MOST_BYTES) / MESSAGE_BYTES;
    let place = if 2 * bytes > MOST_BYTES { format!("L{level} here: {}", size(bytes)) } else { format!("twice the L{level} here") };
    (!session.quick && messages > CASES[CASES.len() - 1].0).then_some((messages, place))
}

fn method<A: Algorithm>(session: &Session, of_paper: &str) -> String {
    let caches = caches(session.machine.pinned_to.unwrap_or(0));
    let caches: Vec<String> = caches.into_iter().map(|(level, bytes)| format!("L{level} {}", size(bytes))).collect();
    let here = if caches.is_empty() { "the system does not tell this CPU's".into() } else { format!("here: {}", caches.join(", ")) };
    let warm_up = if session.quick {
        format!("In this quick run there are no more than {QUICK_MESSAGES} messages, and 3 calls to warm up")
    } else {
        format!("As in the paper, {WARM_UP_CALLS} calls to warm up, but no more of them than hash {}", size(WARM_UP_BYTES as usize))
    };
    let serial_end = match serial_end::<A>() {
        SCALAR_ROUNDS => format!("manyhash's code for one message ({SCALAR_ROUNDS}), in place of n-SMS"),
        other => format!("{other} code, for this CPU lacks what {SCALAR_ROUNDS} takes"),
    };
    format!(
        "Messages of {} bytes, one after the other in memory: as many as the paper chose for the caches of its CPU (L1 32 KB, L2 256 KB, L3 \
         6 MB) and for memory; {here}. {warm_up}; padding is counted, as there. The least of {} to {} samples beside their median. {of_paper} \
         The paper's CPU was held at the frequency of its time-stamp counter; where the core's is another, cycles of both are given. OpenSSL \
         hashes one message after the other; its older code is that of today's library, told that the CPU lacks what came later. S-HASH is \
         Algorithm 1 over our kernels; its serial end is {serial_end}.",
        thousands(MESSAGE_BYTES as u64),
        session.effort.fewest_samples,
        session.effort.samples
    )
}

/// Figure 2.
pub fn sha256(session: &Session) -> Result<Figure> {
    let cases = Cases::measure::<Sha256>(session)?;
    let of_paper = "The paper's values of OpenSSL 1.0.1 and of n-SMS are those of one buffer of 8 KB in the cache; its preprint has 11.58 C/B \
                    for n-SMS, and 2.25 times. Its S-HASH has one value for all cases.";
    let mut figure = cases.figure::<Sha256>(session, &[(OPENSSL_SCALAR, 17.55), (OPENSSL_N_SMS, 11.47), (S_HASH, 5.18)], of_paper);
    figure.tables.push(cases.speed_up_table::<Sha256>(&[
        (S_HASH, OPENSSL_SCALAR, Some(3.42)),
        (S_HASH, OPENSSL_N_SMS, Some(2.24)),
        (S_HASH, OPENSSL_TODAY, None),
        (Who::Manyhash, OPENSSL_SCALAR, None),
        (Who::Manyhash, OPENSSL_N_SMS, None),
        (Who::Manyhash, OPENSSL_TODAY, None),
        (OPENSSL_N_SMS, OPENSSL_SCALAR, None),
        (OPENSSL_TODAY, OPENSSL_SCALAR, None),
    ]));
    let paper = [("OpenSSL 1.0.1 (one 8 KB buffer)", 17.55), ("n-SMS (one 8 KB buffer)", 11.47), ("S-HASH", 5.18)];
    let all_time = [OPENSSL_SCALAR, OPENSSL_N_SMS, OPENSSL_TODAY, S_HASH, Who::Manyhash];
    figure.plots.push(cases.plot::<Sha256>("SHA-256 of messages of 4 KiB: then and now", &paper, &all_time));
    figure.plots.push(cases.plot::<Sha256>("SHA-256 of messages of 4 KiB: 4, 8, 16 and 32 lanes, and SHA-NI", &[], &ALL[6..]));
    publish(&cases, &mut figure);
    Ok(figure)
}

/// By what percentage S-HASH with 4 buffers is slower than in the best cache: in the worst cache,
/// and in the largest set.
fn spread(cases: &Cases) -> Option<(f64, f64)> {
    let all: Vec<&Measured> = cases.0.iter().map(|(_, raced)| raced.get(S_HASH)).collect::<Option<_>>()?;
    let best = fastest(all[..IN_CACHES].iter().copied())?;
    let slower = |one: &Measured| 100.0 * (best.speed_up_over(one) - 1.0);
    Some((all[..IN_CACHES].iter().map(|one| slower(one)).fold(0.0, f64::max), slower(all[all.len() - 1])))
}

fn publish(cases: &Cases, figure: &mut Figure) {
    let (caches, memory) = spread(cases).unzip();
    figure.metrics.set("slower in another cache", caches);
    figure.metrics.set("slower from memory", memory);
    for (metric, one, other, first) in [
        ("S-HASH over OpenSSL scalar", S_HASH, OPENSSL_SCALAR, 0),
        ("S-HASH over n-SMS", S_HASH, OPENSSL_N_SMS, 0),
        ("n-SMS over OpenSSL scalar", OPENSSL_N_SMS, OPENSSL_SCALAR, 0),
        ("manyhash over OpenSSL today", Who::Manyhash, OPENSSL_TODAY, MANY_MESSAGES),
        ("manyhash over n-SMS", Who::Manyhash, OPENSSL_N_SMS, MANY_MESSAGES),
    ] {
        figure.metrics.each(metric, cases.speed_ups(one, other, first));
    }
}

/// Figure 2 for SHA-512.
pub fn sha512(session: &Session) -> Result<Figure> {
    let cases = Cases::measure::<Sha512>(session)?;
    let of_paper = "The paper has one value, for one message by n-SMS, and does not say its length.";
    let mut figure = cases.figure::<Sha512>(session, &[(OPENSSL_N_SMS, 8.72)], of_paper);
    // There are no kernels to be missed.
    figure.missing.retain(|missing| !missing.contains("sha-ni"));
    figure.tables.push(cases.speed_up_table::<Sha512>(&[
        (S_HASH, OPENSSL_SCALAR, None),
        (S_HASH, OPENSSL_N_SMS, None),
        (Who::Manyhash, OPENSSL_SCALAR, None),
        (Who::Manyhash, OPENSSL_N_SMS, None),
        (Who::Manyhash, OPENSSL_TODAY, None),
    ]));
    let vectors = ["avx2", "avx512", "avx512x2"].map(Who::Backend);
    let shown: Vec<Who> = [OPENSSL_SCALAR, OPENSSL_N_SMS, S_HASH].into_iter().chain(vectors).chain([Who::Manyhash]).collect();
    figure.plots.push(cases.plot::<Sha512>("SHA-512 of messages of 4 KiB", &[("n-SMS, one message", 8.72)], &shown));
    figure.metrics.each("S-HASH over n-SMS", cases.speed_ups(S_HASH, OPENSSL_N_SMS, 0));
    Ok(figure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims;
    use crate::contestants::at_rates;
    use crate::model::Verdict::{self, DoesNot, Holds, NotMeasured};

    /// Cases in which OpenSSL's scalar code has a rate of 100 and the others have these.
    fn cases(s_hash: [f64; 4], n_sms: f64, today: f64, manyhash: f64) -> Cases {
        let raced = |s_hash| {
            let rates = [(S_HASH, s_hash), (OPENSSL_N_SMS, n_sms), (OPENSSL_TODAY, today), (Who::Manyhash, manyhash)];
            at_rates(&[&[(OPENSSL_SCALAR, 100.0)], &rates[..]].concat())
        };
        Cases(s_hash.map(|rate| (String::new(), raced(rate))).into())
    }

    fn verdicts(cases: &Cases) -> Vec<Verdict> {
        let mut figure = Figure::default();
        publish(cases, &mut figure);
        claims::verdicts("2012-2", &figure.metrics)
    }

    #[test]
    fn verdicts_follow_the_values() {
        let papers = cases([343.0, 342.0, 342.0, 342.0], 152.5, 100.0, 342.0);
        assert_eq!(verdicts(&papers), [Holds, Holds, Holds, Holds, Holds, Holds, Holds, DoesNot]);
        let slow = verdicts(&cases([90.0, 80.0, 90.0, 70.0], 99.0, 400.0, 400.0));
        assert_eq!((&slow[..4], slow[5]), (&[DoesNot; 4][..], DoesNot));
    }

    #[test]
    fn who_is_not_there_is_not_judged() {
        let cases = Cases(CASES.map(|_| (String::new(), at_rates(&[(OPENSSL_TODAY, 1.0), (Who::Manyhash, 4.0)]))).into());
        let verdicts = verdicts(&cases);
        assert_eq!(verdicts[..6], [NotMeasured; 6]);
        assert_eq!(verdicts[6], Holds);
    }
}
