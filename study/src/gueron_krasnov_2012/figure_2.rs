//! Figure 2 (section 4.2): messages of 4 KiB from the caches and from memory; and the same for SHA-512, which the paper leaves out
//! (section 5).

use anyhow::Result;
use manyhash::{Algorithm, Sha256, Sha512};

use super::algorithm_1::N_SMS;
use super::contestants::{OPENSSL_N_SMS, OPENSSL_THEN, OPENSSL_TODAY, Raced, S_HASH, Who, missing, race_messages};
use super::{OVER_N_SMS, OVER_OPENSSL};
use crate::measured::{Measured, range};
use crate::messages::Layout;
use crate::model::{Bars, Cell, Claim, Figure, Plot, Source, Table};
use crate::session::Session;

const MESSAGE_BYTES: usize = 4096;
/// How many messages, and where the paper has them.
const CASES: [(usize, &str); 4] =
    [(4, "16 KB (first cache)"), (64, "256 KB (second cache)"), (512, "2 MB (third cache)"), (8192, "32 MB (memory)")];
/// The largest in a quick run.
const QUICK_MESSAGES: usize = 1024;
/// "we ran the hash, in a loop, 500 times".
const WARM_UP_CALLS: u64 = 500;
/// What warming up hashes at most: 500 times 32 MB would take minutes for each contestant.
const WARM_UP_BYTES: u64 = 128 << 20;
/// "Roughly the same", and "some small performance degradation", are taken to be no more than this share.
const ROUGHLY: f64 = 0.10;

/// Everybody. Who lacks an algorithm or instructions is named as missing.
const ALL: [Who; 13] = [
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
    Who::Manyhash,
];

/// The cases in the order of [`CASES`].
struct Cases(Vec<(&'static str, Raced)>);

impl Cases {
    fn measure<A: Algorithm>(session: &Session) -> Result<Self> {
        let race = |(messages, name): (usize, &'static str)| {
            let messages = if session.quick { messages.min(QUICK_MESSAGES) } else { messages };
            let layout = Layout::equal(messages, MESSAGE_BYTES);
            let warm_up_calls = (WARM_UP_BYTES / layout.total_bytes() as u64).clamp(3, WARM_UP_CALLS);
            Ok((name, race_messages::<A>(session, &ALL, &layout, warm_up_calls)?))
        };
        Ok(Self(CASES.into_iter().map(race).collect::<Result<_>>()?))
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

    fn table<A: Algorithm>(&self, title: &str, paper: impl Fn(Who) -> Cell, value: impl Fn(&Measured) -> Option<f64>, digits: u8) -> Table {
        let mut table = Table::new(title, ["", "paper"].into_iter().chain(self.0.iter().map(|(name, _)| *name)));
        for who in self.all() {
            let values = self.0.iter().map(|(_, raced)| Cell::maybe(raced.of(who).and_then(&value), digits));
            table.row([who.name::<A>().into(), paper(who)].into_iter().chain(values));
        }
        table
    }

    fn speed_up_table<A: Algorithm>(&self, pairs: &[(Who, Who, Option<f64>)]) -> Table {
        let mut table = Table::new("times as fast (medians)", ["", "paper"].into_iter().chain(self.0.iter().map(|(name, _)| *name)));
        for (one, other, paper) in pairs {
            let values = self.0.iter().map(|(_, raced)| Cell::maybe(raced.speed_up(*one, *other), 2));
            let name = format!("{} over {}", one.name::<A>(), other.name::<A>());
            table.row([name.into(), Cell::maybe(*paper, 2)].into_iter().chain(values));
        }
        table
    }

    /// Bars of cycles a byte; the paper's values are the same in every case, as its text gives them.
    fn plot<A: Algorithm>(&self, title: String, paper: &[(&str, f64)], who: &[Who]) -> Plot {
        let of_paper = paper.iter().map(|(name, value)| Bars {
            name: format!("paper: {name}"),
            source: Source::Paper,
            values: vec![Some(*value); self.0.len()],
        });
        let here = who.iter().filter(|who| self.all().contains(who)).map(|who| Bars {
            name: who.name::<A>(),
            source: who.source(),
            values: self.0.iter().map(|(_, raced)| raced.of(*who).and_then(Measured::tsc_cycles_per_byte)).collect(),
        });
        let series = of_paper.chain(here).collect();
        let categories = self.0.iter().map(|(name, _)| name.to_string()).collect();
        Plot::Bars { title, y_label: "cycles per byte (median)".into(), categories, series }
    }

    fn figure<A: Algorithm>(&self, session: &Session, paper: &[(Who, f64)]) -> Figure {
        let of_paper = |who| Cell::maybe(paper.iter().find(|(other, _)| *other == who).map(|(_, value)| *value), 2);
        Figure {
            method: method(session),
            tables: vec![
                self.table::<A>(
                    "cycles per byte of the time-stamp counter, least sample (as in the papers)",
                    of_paper,
                    Measured::least_tsc_cycles_per_byte,
                    2,
                ),
                self.table::<A>("the same, median", |_| Cell::Absent, Measured::tsc_cycles_per_byte, 2),
                self.table::<A>(
                    "cycles of the core per byte, median, by the clock measured beside the samples",
                    |_| Cell::Absent,
                    Measured::core_cycles_per_byte,
                    2,
                ),
                self.table::<A>("MB/s, median", |_| Cell::Absent, |measured| Some(measured.mb_per_s()), 0),
            ],
            missing: missing(self.0.iter().map(|(_, raced)| raced)),
            ..Figure::default()
        }
    }
}

fn method(session: &Session) -> String {
    let caches = caches(session.machine.pinned_to.unwrap_or(0));
    let here = caches.map_or_else(|| "the system does not tell this CPU's caches".into(), |caches| format!("here: {caches}"));
    let quick = if session.quick { " This quick run has no more than 1024 messages." } else { "" };
    format!(
        "4, 64, 512 and 8192 messages of {MESSAGE_BYTES} bytes, one after the other in memory, which the paper chose to lie in the caches \
         of its CPU (32 KB, 256 KB, 6 MB) and in memory; {here}. As in the paper: 500 calls to warm up, but no more of them than hash 128 \
         MiB, and padding is counted. The least of the samples beside their median. The paper's CPU was held at the frequency of its \
         time-stamp counter; where the core's is another, cycles of both are given. OpenSSL hashes one message after the other; its older \
         code is that of today's library, told that the CPU lacks what came later. Algorithm 1 is ours, over our kernels, and ends with \
         n-SMS.{quick}"
    )
}

/// The caches of a CPU as Linux names them: "L1 32K, L2 1024K, L3 32768K".
fn caches(cpu: usize) -> Option<String> {
    let mut caches = Vec::new();
    for index in 0.. {
        let read = |name: &str| std::fs::read_to_string(format!("/sys/devices/system/cpu/cpu{cpu}/cache/index{index}/{name}"));
        let (Ok(level), Ok(kind), Ok(size)) = (read("level"), read("type"), read("size")) else { break };
        if kind.trim() != "Instruction" {
            caches.push(format!("L{} {}", level.trim(), size.trim()));
        }
    }
    (!caches.is_empty()).then(|| caches.join(", "))
}

/// Figure 2.
pub fn sha256(session: &Session) -> Result<Figure> {
    let cases = Cases::measure::<Sha256>(session)?;
    let mut figure = cases.figure::<Sha256>(session, &[(OPENSSL_THEN, 17.55), (OPENSSL_N_SMS, 11.58), (S_HASH, 5.18)]);
    figure.tables.push(cases.speed_up_table::<Sha256>(&[
        (S_HASH, OPENSSL_THEN, Some(OVER_OPENSSL)),
        (S_HASH, OPENSSL_N_SMS, Some(OVER_N_SMS)),
        (S_HASH, OPENSSL_TODAY, None),
        (Who::Manyhash, OPENSSL_THEN, None),
        (Who::Manyhash, OPENSSL_N_SMS, None),
        (Who::Manyhash, OPENSSL_TODAY, None),
        (OPENSSL_TODAY, OPENSSL_THEN, None),
    ]));
    let paper = [("OpenSSL 1.0.1 (8 KB)", 17.55), ("n-SMS (8 KB)", 11.58), ("S-HASH", 5.18)];
    let all_time = [OPENSSL_THEN, OPENSSL_N_SMS, OPENSSL_TODAY, S_HASH, Who::Manyhash];
    let lanes = ["sse2", "avx2", "avx512", "avx512x2", "sha-ni", "sha-ni-x4"].map(Who::Forced);
    let lanes = lanes.into_iter().chain([Who::Manyhash]).collect::<Vec<_>>();
    figure.plots.push(cases.plot::<Sha256>("SHA-256 of messages of 4 KiB: then and now".into(), &paper, &all_time));
    figure.plots.push(cases.plot::<Sha256>("SHA-256 of messages of 4 KiB: 4, 8, 16 and 32 lanes, and SHA-NI".into(), &[], &lanes));
    figure.claims = claims(&cases);
    (figure.still_holds, figure.changed) = sentences(session, &cases);
    Ok(figure)
}

fn sentences(session: &Session, cases: &Cases) -> (String, String) {
    let (Some(over_openssl), Some(over_n_sms)) = (cases.speed_ups(S_HASH, OPENSSL_THEN), cases.speed_ups(S_HASH, OPENSSL_N_SMS)) else {
        let lacking = "The paper's contestants are not all there on this machine: see what is missing.".to_string();
        return (lacking, String::new());
    };
    let is_faster = over_n_sms.iter().all(|ratio| *ratio > 1.0);
    let still = format!(
        "Four lanes of 128 bits are {} times as fast as OpenSSL's scalar code and {} times as fast as its n-SMS{}.",
        range(&over_openssl, 2),
        range(&over_n_sms, 2),
        if is_faster { ", wherever the data lies" } else { ", so that they are not always faster any more" }
    );
    let today = cases.speed_ups(OPENSSL_TODAY, OPENSSL_THEN).unwrap_or_default();
    let sse2 = cases.speed_ups(S_HASH, OPENSSL_TODAY).unwrap_or_default();
    let manyhash = cases.speed_ups(Who::Manyhash, OPENSSL_TODAY).unwrap_or_default();
    let extensions = if session.machine.features.contains(&"sha") {
        format!(
            "OpenSSL has the SHA extensions here, which make one message {} times as fast as its scalar code: four lanes of 128 bits, with \
             two shifts and an or for each rotation, are {} times as fast as that.",
            range(&today, 2),
            range(&sse2, 2)
        )
    } else {
        format!("This CPU has no SHA extensions: four lanes of 128 bits are {} times as fast as OpenSSL today.", range(&sse2, 2))
    };
    let wider = if session.machine.features.contains(&"avx512f") {
        "with AVX-512 (16 lanes, rotations and three-operand logic in one instruction each)"
    } else {
        "with the lanes this CPU has"
    };
    let first = manyhash.first().copied().unwrap_or_default();
    let changed = format!(
        "{extensions} Left alone, {wider}, manyhash is {} times as fast as OpenSSL today from 64 messages on, and {first:.2} times with 4, \
         which do not fill wide lanes: there it takes the best shape for four.",
        range(&manyhash[1..], 2)
    );
    (still, changed)
}

fn claims(cases: &Cases) -> Vec<Claim> {
    let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
    let speed_up = |text: &str, place, paper: f64, one: Who, other: Who, sizes: std::ops::Range<usize>| {
        let ratios = cases.speed_ups(one, other).map(|ratios| ratios[sizes].to_vec());
        let here = ratios.as_ref().map_or("not measured".into(), |ratios| format!("{} times (medians)", range(ratios, 2)));
        Claim::new(text, place, format!("{paper} times"), here, ratios.map(|ratios| least(&ratios) >= paper))
    };
    let cycles = cases.each(|raced| raced.least_cycles_per_byte(S_HASH));
    let shown = cycles.as_ref().map_or("not measured".into(), |cycles| format!("{} cycles a byte", range(cycles, 2)));
    let spread = cycles.as_ref().map(|cycles| {
        let (fewest, most) = (least(&cycles[..3]), cycles[..3].iter().copied().fold(0.0, f64::max));
        (most / fewest - 1.0, cycles[3] / fewest - 1.0)
    });
    let percent = |share: Option<f64>| share.map_or("not measured".into(), |share| format!("{:.1} % more", 100.0 * share));
    let (caches, memory) = (spread.map(|(caches, _)| caches), spread.map(|(_, memory)| memory));
    vec![
        speed_up("S-HASH with 4 buffers over OpenSSL's scalar code", "section 4.2", OVER_OPENSSL, S_HASH, OPENSSL_THEN, 0..4),
        speed_up("S-HASH with 4 buffers over n-SMS", "section 4.2", OVER_N_SMS, S_HASH, OPENSSL_N_SMS, 0..4),
        Claim::new(
            "S-HASH with 4 buffers takes about 5.2 cycles a byte or fewer, from every cache and from memory",
            "section 5",
            "5.18",
            shown,
            cycles.map(|cycles| cycles.iter().all(|cycles| *cycles < 5.25)),
        ),
        Claim::new(
            "All three cache levels give roughly the same performance (S-HASH, 4 buffers; no more than 10 % apart)",
            "section 4.2, figure 2",
            "roughly the same",
            format!("the slowest takes {}", percent(caches)),
            caches.map(|share| share <= ROUGHLY),
        ),
        Claim::new(
            "From memory there is only some small degradation (no more than 10 % against the best cache)",
            "section 4.2, figure 2",
            "some small",
            format!("{} from the largest set", percent(memory)),
            memory.map(|share| share <= ROUGHLY),
        ),
        speed_up(
            "manyhash left alone over OpenSSL today, 64, 512 and 8192 messages of 4 KiB",
            "goal",
            OVER_OPENSSL,
            Who::Manyhash,
            OPENSSL_TODAY,
            1..4,
        ),
        speed_up(
            "manyhash left alone over n-SMS, 64, 512 and 8192 messages of 4 KiB",
            "goal",
            OVER_N_SMS,
            Who::Manyhash,
            OPENSSL_N_SMS,
            1..4,
        ),
    ]
}

/// The same for SHA-512.
pub fn sha512(session: &Session) -> Result<Figure> {
    let cases = Cases::measure::<Sha512>(session)?;
    let mut figure = cases.figure::<Sha512>(session, &[(OPENSSL_N_SMS, 8.72)]);
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
    figure.plots.push(cases.plot::<Sha512>("SHA-512 of messages of 4 KiB".into(), &[("n-SMS", 8.72)], &shown));
    let over_n_sms = cases.speed_ups(S_HASH, OPENSSL_N_SMS);
    let n_sms = cases.each(|raced| raced.least_cycles_per_byte(OPENSSL_N_SMS));
    figure.claims = vec![
        Claim::new(
            "SHA-512 of one message is already fast with n-SMS: 8.72 cycles a byte or fewer",
            "section 5",
            "8.72",
            n_sms.as_ref().map_or("not measured".into(), |cycles| format!("{} cycles a byte", range(cycles, 2))),
            n_sms.map(|cycles| cycles.iter().all(|cycles| *cycles <= 8.72)),
        ),
        Claim::new(
            "S-HASH with 2 buffers is less attractive for SHA-512: it gains less over n-SMS than the 2.25 times of SHA-256 with 4",
            "section 5",
            "not studied for that reason",
            over_n_sms.as_ref().map_or("not measured".into(), |ratios| format!("{} times n-SMS", range(ratios, 2))),
            over_n_sms.as_ref().map(|ratios| ratios.iter().all(|ratio| *ratio < OVER_N_SMS)),
        ),
    ];
    figure.still_holds = over_n_sms.map_or_else(String::new, |ratios| {
        let slower = ratios.iter().all(|ratio| *ratio < 1.0);
        let words =
            if slower { "slower than one message after the other" } else { "little to be gained, or less than by four lanes of SHA-256" };
        format!("Two lanes of 64-bit words in 128 bits are {} times as fast as n-SMS: {words}.", range(&ratios, 2))
    });
    let extension = if session.machine.features.contains(&"sha512") {
        "This CPU has instructions for SHA-512, which manyhash does not use"
    } else {
        "This CPU has no instructions for SHA-512 as it may have for SHA-256"
    };
    figure.changed = cases.speed_ups(Who::Manyhash, OPENSSL_TODAY).map_or_else(String::new, |ratios| {
        format!(
            "Registers of 256 and 512 bits have 4 and 8 lanes. {extension}: left alone, manyhash is {} times as fast as OpenSSL today from \
             64 messages on, and {:.2} times with 4.",
            range(&ratios[1..], 2),
            ratios[0]
        )
    });
    Ok(figure)
}
