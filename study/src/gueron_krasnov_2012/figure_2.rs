//! Figure 2 (section 4.2): messages of 4 KiB from the caches and from memory; and the same for SHA-512, which the paper leaves out
//! (section 5).

use anyhow::Result;
use manyhash::backend::Backend;
use manyhash::{Algorithm, Sha256, Sha512};

use super::algorithm_1::{N_SMS, serial_end};
use super::contestants::{OPENSSL_N_SMS, OPENSSL_THEN, OPENSSL_TODAY, Raced, S_HASH, Who, missing, race_messages};
use super::{GOAL_OVER_N_SMS, OVER_N_SMS, OVER_OPENSSL, over_paper, percent_slower, three_digits, what_holds};
use crate::measured::thousands;
use crate::measured::{Measured, fastest, range};
use crate::messages::Layout;
use crate::model::{Bars, Cell, Claim, Figure, Plot, Source, Table};
use crate::session::Session;

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
/// Warm-up of a quick run, as [`crate::race`] has it.
const QUICK_WARM_UP_CALLS: u64 = 3;
/// "we ran the hash, in a loop, 500 times".
const WARM_UP_CALLS: u64 = 500;
/// What warming up hashes at most: 500 times 32 MB would take minutes for each contestant.
const WARM_UP_BYTES: u64 = 128 << 20;
/// "Roughly the same", and "some small performance degradation", are taken to be no more than this share.
const ROUGHLY: f64 = 0.10;

/// Everybody. Who lacks an algorithm or instructions is named as missing.
const ALL: [Who; 14] = [
    OPENSSL_THEN,
    OPENSSL_N_SMS,
    OPENSSL_TODAY,
    Who::Forced(N_SMS),
    S_HASH,
    Who::SHash("avx512-128", N_SMS),
    Who::Forced("sse2"),
    Who::Forced("avx2"),
    Who::Forced("avx512"),
    Who::Forced("avx512x2"),
    Who::Forced("sha-ni"),
    Who::Forced("sha-ni-x4"),
    Who::Forced("sha-ni-sms256-x4"),
    Who::Manyhash,
];
/// What the papers print of one message and of S-HASH: contestants and cycles a byte.
type OfPaper<'a> = &'a [(Who, f64)];

/// The cases: those of [`CASES`], and perhaps a larger one.
struct Cases(Vec<(String, Raced)>);

impl Cases {
    fn measure<A: Algorithm>(session: &Session) -> Result<Self> {
        let cases = CASES.map(|(messages, place)| (messages, place.to_string()));
        let race = |(messages, place): (usize, String)| {
            let messages = if session.quick { messages.min(QUICK_MESSAGES) } else { messages };
            let layout = Layout::equal(messages, MESSAGE_BYTES);
            let warm_up_calls = (WARM_UP_BYTES / layout.total_bytes() as u64).clamp(3, WARM_UP_CALLS);
            let name = format!("{} ({place})", size(layout.total_bytes()));
            Ok((name, race_messages::<A>(session, &ALL, &layout, warm_up_calls)?))
        };
        Ok(Self(cases.into_iter().chain(beyond_caches(session)).map(race).collect::<Result<_>>()?))
    }

    /// Those who took part in all of them.
    fn all(&self) -> Vec<Who> {
        self.0[0].1.all.iter().map(|(who, _)| *who).collect()
    }

    /// A value for each case; `None` if one of them has none.
    fn each(&self, value: impl Fn(&Raced) -> Option<f64>) -> Option<Vec<f64>> {
        self.0.iter().map(|(_, raced)| value(raced)).collect()
    }

    fn speed_ups(&self, one: Who, other: Who) -> Option<Vec<f64>> {
        self.each(|raced| raced.speed_up(one, other))
    }

    /// A value for each case; `None` where nobody has any.
    fn table<A: Algorithm>(&self, value: &str, measure: impl Fn(&Measured) -> Option<f64>) -> Option<Table> {
        let columns = ["implementation"].into_iter().chain(self.0.iter().map(|(name, _)| name.as_str()));
        let mut table = Table::new(format!("{} of messages of 4 KiB: {value}", A::NAME), columns);
        let mut is_empty = true;
        for who in self.all() {
            let values: Vec<_> = self.0.iter().map(|(_, raced)| raced.of(who).and_then(&measure)).collect();
            is_empty &= values.iter().all(Option::is_none);
            table.row([Cell::from(who.name::<A>())].into_iter().chain(values.into_iter().map(three_digits)));
        }
        (!is_empty).then_some(table)
    }

    /// The papers' cycles, with what they print and the ratio.
    fn least_table<A: Algorithm>(&self, paper: OfPaper<'_>) -> Table {
        let first = &self.0[0];
        let names = self.0.iter().map(|(name, _)| name.clone());
        let ratio = format!("here / paper, {}", size(CASES[0].0 * MESSAGE_BYTES));
        let columns = ["implementation".to_string(), "paper, C/B".into()].into_iter().chain(names).chain([ratio]);
        let title = format!("{} of messages of 4 KiB: cycles of the time-stamp counter per byte, least sample, as in the papers", A::NAME);
        let mut table = Table::new(title, columns);
        for who in self.all() {
            let of_paper = paper.iter().find(|(other, _)| *other == who).map(|(_, value)| *value);
            let values = self.0.iter().map(|(_, raced)| three_digits(raced.least_cycles_per_byte(who)));
            let ratio = over_paper(first.1.least_cycles_per_byte(who), of_paper);
            table.row([who.name::<A>().into(), Cell::maybe(of_paper, 2)].into_iter().chain(values).chain([ratio]));
        }
        table
    }

    /// Ratios of rates, with what the paper prints: if it prints any.
    fn speed_up_table<A: Algorithm>(&self, pairs: &[(Who, Who, Option<f64>)]) -> Table {
        let is_in_paper = pairs.iter().any(|(_, _, paper)| paper.is_some());
        let mut columns: Vec<String> = vec!["one over another".into()];
        columns.extend(is_in_paper.then(|| "paper".into()));
        columns.extend(self.0.iter().map(|(name, _)| name.clone()));
        columns.extend(is_in_paper.then(|| format!("here / paper, {}", size(CASES[0].0 * MESSAGE_BYTES))));
        let mut table = Table::new(format!("{} of messages of 4 KiB: how many times as fast, by the medians", A::NAME), columns);
        for (one, other, paper) in pairs {
            let mut row: Vec<Cell> = vec![format!("{} over {}", one.name::<A>(), other.name::<A>()).into()];
            row.extend(is_in_paper.then(|| Cell::maybe(*paper, 2)));
            row.extend(self.0.iter().map(|(_, raced)| three_digits(raced.speed_up(*one, *other))));
            row.extend(is_in_paper.then(|| over_paper(self.0[0].1.speed_up(*one, *other), *paper)));
            table.row(row);
        }
        table
    }

    /// Bars of cycles a byte; the paper's values are the same in each of its cases, as its text gives them.
    fn plot<A: Algorithm>(&self, title: String, paper: &[(&str, f64)], who: &[Who]) -> Plot {
        let of_paper = paper.iter().map(|(name, value)| Bars {
            name: format!("paper: {name}"),
            source: Source::Paper,
            values: (0..self.0.len()).map(|case| (case < CASES.len()).then_some(*value)).collect(),
        });
        let here = who.iter().filter(|who| self.all().contains(who)).map(|who| Bars {
            name: who.name::<A>(),
            source: who.source(),
            values: self.0.iter().map(|(_, raced)| raced.of(*who).and_then(Measured::tsc_cycles_per_byte)).collect(),
        });
        let y_label = if paper.is_empty() {
            "cycles of the time-stamp counter per byte (median)"
        } else {
            "cycles of the time-stamp counter per byte (here: median; paper: its own clock)"
        };
        let series = of_paper.chain(here).collect();
        let categories = self.0.iter().map(|(name, _)| name.clone()).collect();
        Plot::Bars { title, y_label: y_label.into(), categories, series }
    }

    fn figure<A: Algorithm>(&self, session: &Session, paper: OfPaper<'_>, of_paper: &str) -> Figure {
        let others = [
            self.table::<A>("cycles of the time-stamp counter per byte, median", Measured::tsc_cycles_per_byte),
            self.table::<A>(
                "cycles of the core per byte, median, by the clock measured beside the samples",
                Measured::core_cycles_per_byte,
            ),
            self.table::<A>("MB/s, median", |measured| Some(measured.mb_per_s())),
        ];
        Figure {
            method: method::<A>(session, of_paper),
            tables: [self.least_table::<A>(paper)].into_iter().chain(others.into_iter().flatten()).collect(),
            missing: missing(self.0.iter().map(|(_, raced)| raced)),
            ..Figure::default()
        }
    }
}

/// "16 KiB".
fn size(bytes: usize) -> String {
    if bytes < 1 << 20 { format!("{} KiB", bytes >> 10) } else { format!("{} MiB", bytes >> 20) }
}

/// How many messages are twice this CPU's last cache, where that is more than the paper's memory case.
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
        format!(
            "In this quick run there are no more than {} messages, and {QUICK_WARM_UP_CALLS} calls to warm up",
            thousands(QUICK_MESSAGES as u64)
        )
    } else {
        format!("As in the paper, {WARM_UP_CALLS} calls to warm up, but no more of them than hash {}", size(WARM_UP_BYTES as usize))
    };
    let (fewest, most) = (session.effort.fewest_samples, session.effort.samples);
    let serial_end = match serial_end::<A>() {
        N_SMS => format!("manyhash's n-SMS ({N_SMS})"),
        other => format!("{other} code, for this CPU lacks what n-SMS takes"),
    };
    format!(
        "Messages of {} bytes, one after the other in memory: as many as the paper chose for the caches of its CPU (L1 32 KB, L2 256 KB, L3 \
         6 MB) and for memory; {here}. {warm_up}; padding is counted, as there. The least of {fewest} to {most} samples beside their \
         median. {of_paper} The paper's CPU was held at the frequency of its time-stamp counter; where the core's is another, cycles of both \
         are given. OpenSSL hashes one message after the other; its older code is that of today's library, told that the CPU lacks what came \
         later. S-HASH is Algorithm 1 over our kernels; its serial end is {serial_end}.",
        thousands(MESSAGE_BYTES as u64)
    )
}

/// Levels and bytes of a CPU's caches for data, as Linux tells them.
fn caches(cpu: usize) -> Vec<(u32, usize)> {
    let mut caches = Vec::new();
    for index in 0.. {
        let read = |name: &str| std::fs::read_to_string(format!("/sys/devices/system/cpu/cpu{cpu}/cache/index{index}/{name}"));
        let (Ok(level), Ok(kind), Ok(size)) = (read("level"), read("type"), read("size")) else { break };
        let kilobytes = size.trim().strip_suffix('K').and_then(|size| size.parse::<usize>().ok());
        if let (false, Ok(level), Some(kilobytes)) = (kind.trim() == "Instruction", level.trim().parse(), kilobytes) {
            caches.push((level, kilobytes << 10));
        }
    }
    caches
}

/// Why a backend is fast: what its name stands for.
fn cause(backend: &str) -> &'static str {
    const CAUSES: [(&str, &str); 6] = [
        ("sha-ni-sms", "SHA extensions on several messages in turn, with their message schedules in vectors beside"),
        ("sha-ni-x", "SHA extensions on several messages in turn"),
        ("sha-ni", "SHA extensions"),
        ("avx512", "lanes of AVX-512, with rotations and three-operand logic in one instruction each"),
        ("avx2", "lanes of 256 bits"),
        ("sse2", "lanes of 128 bits"),
    ];
    CAUSES.iter().find(|(name, _)| backend.starts_with(name)).map_or("the best for this CPU", |(_, cause)| cause)
}

/// Figure 2.
pub fn sha256(session: &Session) -> Result<Figure> {
    let cases = Cases::measure::<Sha256>(session)?;
    let of_paper = "The paper's values of OpenSSL 1.0.1 and of n-SMS are those of one buffer of 8 KB in the cache; its preprint has 11.58 C/B \
                    for n-SMS, and 2.25 times. Its S-HASH has one value for all cases.";
    let mut figure = cases.figure::<Sha256>(session, &[(OPENSSL_THEN, 17.55), (OPENSSL_N_SMS, 11.47), (S_HASH, 5.18)], of_paper);
    figure.tables.push(cases.speed_up_table::<Sha256>(&[
        (S_HASH, OPENSSL_THEN, Some(OVER_OPENSSL)),
        (S_HASH, OPENSSL_N_SMS, Some(OVER_N_SMS)),
        (S_HASH, OPENSSL_TODAY, None),
        (Who::Manyhash, OPENSSL_THEN, None),
        (Who::Manyhash, OPENSSL_N_SMS, None),
        (Who::Manyhash, OPENSSL_TODAY, None),
        (OPENSSL_N_SMS, OPENSSL_THEN, None),
        (OPENSSL_TODAY, OPENSSL_THEN, None),
    ]));
    let paper = [("OpenSSL 1.0.1 (one 8 KB buffer)", 17.55), ("n-SMS (one 8 KB buffer)", 11.47), ("S-HASH", 5.18)];
    let all_time = [OPENSSL_THEN, OPENSSL_N_SMS, OPENSSL_TODAY, S_HASH, Who::Manyhash];
    let lanes = ["sse2", "avx2", "avx512", "avx512x2", "sha-ni", "sha-ni-x4", "sha-ni-sms256-x4"].map(Who::Forced);
    let lanes = lanes.into_iter().chain([Who::Manyhash]).collect::<Vec<_>>();
    figure.plots.push(cases.plot::<Sha256>("SHA-256 of messages of 4 KiB: then and now".into(), &paper, &all_time));
    figure.plots.push(cases.plot::<Sha256>("SHA-256 of messages of 4 KiB: 4, 8, 16 and 32 lanes, and SHA-NI".into(), &[], &lanes));
    figure.claims = claims(&cases);
    (figure.still_holds, figure.changed) = sentences(&cases, session.machine.features.contains(&"sha"));
    Ok(figure)
}

fn is_more_than_1(ratios: &[f64]) -> bool {
    ratios.iter().all(|ratio| *ratio > 1.0)
}

/// By what share S-HASH with 4 buffers is slower than in the best cache: in the worst cache, and in the largest set.
fn spread(cases: &Cases) -> Option<(f64, f64)> {
    let all: Vec<&Measured> = cases.0.iter().map(|(_, raced)| raced.of(S_HASH)).collect::<Option<_>>()?;
    let best = fastest(all[..IN_CACHES].iter().copied())?;
    let slower = |one: &Measured| best.speed_up_over(one) - 1.0;
    Some((all[..IN_CACHES].iter().map(|one| slower(one)).fold(0.0, f64::max), slower(all[all.len() - 1])))
}

fn sentences(cases: &Cases, has_sha_extensions: bool) -> (String, String) {
    let (Some(over_openssl), Some(over_n_sms)) = (cases.speed_ups(S_HASH, OPENSSL_THEN), cases.speed_ups(S_HASH, OPENSSL_N_SMS)) else {
        let lacking = "The paper's contestants are not all there on this machine: see what is missing.".to_string();
        return (lacking, String::new());
    };
    let mut holds = Vec::new();
    let mut otherwise = Vec::new();
    for (ratios, other) in [(over_openssl, "OpenSSL's scalar code"), (over_n_sms, "its n-SMS")] {
        let list = if is_more_than_1(&ratios) { &mut holds } else { &mut otherwise };
        list.push(format!("{} times as fast as {other}", range(&ratios, 2)));
    }
    let otherwise = format!("S-HASH with 4 buffers is {}", otherwise.join(", and "));
    let mut still = what_holds("S-HASH with 4 buffers is still faster wherever the data lies: ", &holds, &otherwise);
    if spread(cases).is_some_and(|(caches, memory)| caches.max(memory) <= ROUGHLY) && !holds.is_empty() {
        still.push_str(" Caches and memory still give roughly the same rate.");
    }
    let list = |one, other| range(&cases.speed_ups(one, other).unwrap_or_default(), 2);
    let extensions = if has_sha_extensions {
        format!(
            "The SHA extensions make OpenSSL today {} times as fast as its scalar code; S-HASH with 4 buffers, with two shifts and an or for \
             each rotation, is {} times as fast as that.",
            list(OPENSSL_TODAY, OPENSSL_THEN),
            list(S_HASH, OPENSSL_TODAY)
        )
    } else {
        format!("This CPU has no SHA extensions: S-HASH with 4 buffers is {} times as fast as OpenSSL today.", list(S_HASH, OPENSSL_TODAY))
    };
    (still, format!("{extensions} {}", of_manyhash::<Sha256>(cases)))
}

/// What manyhash prefers, and what that gives.
fn of_manyhash<A: Algorithm>(cases: &Cases) -> String {
    let best = Backend::best::<A>().name();
    cases.speed_ups(Who::Manyhash, OPENSSL_TODAY).map_or_else(String::new, |ratios| {
        let (why, ratios) = (cause(best), range(&ratios, 2));
        format!("For many messages manyhash prefers {best} here ({why}): it is {ratios} times as fast as OpenSSL today.")
    })
}

fn claims(cases: &Cases) -> Vec<Claim> {
    let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
    let shown = |ratios: &Option<Vec<f64>>| ratios.as_ref().map_or("not measured".into(), |ratios| format!("{} times", range(ratios, 2)));
    let speed_up = |text: String, place, paper: f64, one: Who, other: Who, first: usize| {
        let ratios = cases.speed_ups(one, other).map(|ratios| ratios[first..].to_vec());
        let holds = ratios.as_ref().map(|ratios| least(ratios) >= paper);
        Claim::new(text, place, format!("{paper} times"), shown(&ratios), holds)
    };
    let s_hash = |paper, other, name| {
        let text = format!("S-HASH with 4 buffers is {paper} times as fast as {name}, from every cache and from memory");
        speed_up(text, "section 4.2", paper, S_HASH, other, 0)
    };
    let goal = |ratio, other: Who| {
        let text =
            format!("manyhash, its own choice, is {ratio} times as fast as {} on 64 messages of 4 KiB and more", other.name::<Sha256>());
        speed_up(text, "goal", ratio, Who::Manyhash, other, MANY_MESSAGES)
    };
    let (caches, memory) = spread(cases).unzip();
    let over_openssl = cases.speed_ups(S_HASH, OPENSSL_THEN);
    let n_sms = cases.speed_ups(OPENSSL_N_SMS, OPENSSL_THEN);
    const IN_A_PICTURE: &str = "shown in a picture only";
    vec![
        s_hash(OVER_OPENSSL, OPENSSL_THEN, "OpenSSL's scalar code"),
        s_hash(OVER_N_SMS, OPENSSL_N_SMS, "n-SMS"),
        Claim::new(
            "All three cache levels give S-HASH roughly the same performance (no more than 10 % apart)",
            "section 4.2, figure 2",
            IN_A_PICTURE,
            percent_slower(caches),
            caches.map(|share| share <= ROUGHLY),
        ),
        Claim::new(
            "From memory S-HASH loses only little against the best cache (no more than 10 %)",
            "section 4.2, figure 2",
            IN_A_PICTURE,
            percent_slower(memory),
            memory.map(|share| share <= ROUGHLY),
        ),
        Claim::new(
            "Four buffers do not reach four times the rate of one message of OpenSSL's scalar code",
            "section 5",
            format!("{OVER_OPENSSL} times"),
            shown(&over_openssl),
            over_openssl.as_ref().map(|ratios| ratios.iter().all(|ratio| *ratio < 4.0)),
        ),
        Claim::new(
            "The n-SMS method makes one message faster than OpenSSL's scalar code",
            "section 1",
            "11.47 after 17.55 C/B",
            shown(&n_sms),
            n_sms.as_ref().map(|ratios| is_more_than_1(ratios)),
        ),
        goal(OVER_OPENSSL, OPENSSL_TODAY),
        goal(GOAL_OVER_N_SMS, OPENSSL_N_SMS),
    ]
}

/// The same for SHA-512.
pub fn sha512(session: &Session) -> Result<Figure> {
    let cases = Cases::measure::<Sha512>(session)?;
    let of_paper = "The paper has one value, for one message by n-SMS, and does not say its length.";
    let mut figure = cases.figure::<Sha512>(session, &[(OPENSSL_N_SMS, 8.72)], of_paper);
    // There are no kernels to be missed.
    figure.missing.retain(|missing| !missing.contains("sha-ni"));
    figure.tables.push(cases.speed_up_table::<Sha512>(&[
        (S_HASH, OPENSSL_THEN, None),
        (S_HASH, OPENSSL_N_SMS, None),
        (Who::Manyhash, OPENSSL_THEN, None),
        (Who::Manyhash, OPENSSL_N_SMS, None),
        (Who::Manyhash, OPENSSL_TODAY, None),
    ]));
    let shown = [OPENSSL_THEN, OPENSSL_N_SMS, S_HASH, Who::Forced("avx2"), Who::Forced("avx512"), Who::Forced("avx512x2"), Who::Manyhash];
    figure.plots.push(cases.plot::<Sha512>("SHA-512 of messages of 4 KiB".into(), &[("n-SMS, one message", 8.72)], &shown));
    let over_n_sms = cases.speed_ups(S_HASH, OPENSSL_N_SMS);
    let pays = over_n_sms.as_ref().map(|ratios| ratios.iter().any(|ratio| *ratio > 1.0));
    figure.claims = vec![Claim::new(
        "S-HASH with 2 buffers does not pay for SHA-512: n-SMS is as fast with one message or faster",
        "section 5",
        "expected, no value",
        over_n_sms.as_ref().map_or("not measured".into(), |ratios| format!("{} times n-SMS", range(ratios, 2))),
        pays.map(|pays| !pays),
    )];
    figure.still_holds = over_n_sms.zip(pays).map_or_else(String::new, |(ratios, pays)| {
        let ratios = range(&ratios, 2);
        if pays {
            format!("Nothing of it holds here: two lanes of SHA-512 in 128 bits are {ratios} times as fast as n-SMS.")
        } else {
            format!("Two lanes of SHA-512 in 128 bits still do not pay: they are {ratios} times as fast as n-SMS.")
        }
    });
    let extension = match session.machine.features.contains(&"sha512") {
        true => " This CPU has instructions for SHA-512, which manyhash does not use.",
        false if cfg!(target_arch = "x86_64") => " This CPU has no instructions for SHA-512.",
        false => "",
    };
    figure.changed = format!("{}{extension}", of_manyhash::<Sha512>(&cases));
    Ok(figure)
}

#[cfg(test)]
mod tests {
    use super::super::contestants::at_rates;
    use super::*;
    use crate::model::Verdict;

    /// Cases in which OpenSSL's scalar code has a rate of 100 and the others have these.
    fn cases(s_hash: [f64; 4], n_sms: f64, today: f64, manyhash: f64) -> Cases {
        let raced = |s_hash| {
            let rates = [(S_HASH, s_hash), (OPENSSL_N_SMS, n_sms), (OPENSSL_TODAY, today), (Who::Manyhash, manyhash)];
            at_rates(&[&[(OPENSSL_THEN, 100.0)], &rates[..]].concat())
        };
        Cases(s_hash.map(|rate| (String::new(), raced(rate))).into())
    }

    fn verdicts(cases: &Cases) -> Vec<Verdict> {
        claims(cases).into_iter().map(|claim| claim.verdict).collect()
    }

    #[test]
    fn the_papers_own_values_hold() {
        use Verdict::{DoesNot, Holds};
        let cases = cases([343.0, 342.0, 342.0, 342.0], 152.5, 100.0, 342.0);
        assert_eq!(verdicts(&cases), [Holds, Holds, Holds, Holds, Holds, Holds, Holds, DoesNot]);
        let (still, changed) = sentences(&cases, false);
        assert!(still.starts_with("S-HASH with 4 buffers is still faster wherever the data lies: 3.42 to 3.43 times as fast"), "{still}");
        assert!(still.ends_with("roughly the same rate."), "{still}");
        assert!(changed.starts_with("This CPU has no SHA extensions"), "{changed}");
        assert!(changed.contains(Backend::best::<Sha256>().name()), "{changed}");
    }

    #[test]
    fn what_does_not_hold_is_not_said_to() {
        use Verdict::DoesNot;
        let cases = cases([90.0, 80.0, 90.0, 70.0], 99.0, 400.0, 400.0);
        let (still, changed) = sentences(&cases, true);
        assert!(
            still.starts_with("Nothing of it holds here: S-HASH with 4 buffers is 0.70 to 0.90 times as fast as OpenSSL's scalar code"),
            "{still}"
        );
        assert!(changed.starts_with("The SHA extensions make OpenSSL today 4.00 times as fast"), "{changed}");
        let verdicts = verdicts(&cases);
        assert_eq!((&verdicts[..4], verdicts[5]), (&[DoesNot; 4][..], DoesNot));
    }

    #[test]
    fn who_is_not_there_is_not_judged() {
        let cases = Cases(CASES.map(|_| (String::new(), at_rates(&[(OPENSSL_TODAY, 1.0), (Who::Manyhash, 4.0)]))).into());
        let verdicts = verdicts(&cases);
        assert_eq!(verdicts[..6], [Verdict::NotMeasured; 6]);
        assert_eq!(verdicts[6], Verdict::Holds);
        assert!(sentences(&cases, true).0.contains("not all there"));
    }

    #[test]
    fn every_backend_that_may_be_the_best_has_a_cause() {
        assert!(cause("sha-ni-sms256-x4").contains("beside"));
        assert_ne!(cause("sha-ni-x4"), cause("sha-ni"));
        assert!(cause("avx512x2").contains("AVX-512"));
        assert_eq!(cause("portable"), "the best for this CPU");
    }
}
