//! What the figures of the paper share: who hashes one message, how they race, and how that is
//! shown.

use anyhow::Result;
use manyhash::Sha256;

use super::updates;
use crate::claims::Metrics;
pub use crate::contestants::{OPENSSL_N_SMS, OPENSSL_SCALAR, OPENSSL_TODAY, OWN_SCALAR_ROUNDS, Raced, Who};
use crate::measured::{Measured, thousands};
use crate::messages::Layout;
use crate::model::{Bars, Cell, Plot, Source, Table, over_paper};
use crate::session::Session;

/// Linear code with SHA extensions that is not OpenSSL's.
pub const OWN_SHA_NI: Who = Who::Backend("sha-ni");
/// All linear code.
pub const LINEAR: [Who; 5] = [OPENSSL_SCALAR, OPENSSL_N_SMS, OPENSSL_TODAY, OWN_SCALAR_ROUNDS, OWN_SHA_NI];
/// The best serial implementation of the paper's time, and ours with instructions of that time.
pub const BEST_THEN: [Who; 2] = [OPENSSL_N_SMS, OWN_SCALAR_ROUNDS];
/// What the paper proposes: 4 lanes in 128-bit registers with rotations by shifts.
pub const PAPERS_LANES: Who = Who::Lanes(4, "sse2");
/// j-lanes as manyhash does it unless told otherwise, for every j that is measured.
pub const CHOICES: [Who; 4] = [Who::Choice(4), Who::Choice(8), Who::Choice(16), Who::Choice(32)];

/// The label of pictures of medians.
pub const MEDIAN_LABEL: &str = "cycles per byte (median, time-stamp counter)";

/// Calls before anything is timed: the paper's 25,000, but no more than hash as much as these do of
/// 8 KiB.
pub fn warm_up_calls(bytes: usize) -> u64 {
    (25_000 * 8192 / bytes as u64).min(25_000)
}

/// All of `field` hash a message of `bytes` bytes by SHA-256, linear or in j lanes.
pub fn race(session: &Session, bytes: usize, field: &[Who]) -> Result<Raced> {
    Raced::of::<Sha256>(session, field, &Layout::equal(1, bytes), warm_up_calls(bytes))
}

/// The name of one of them.
pub fn name(who: Who) -> String {
    who.name::<Sha256>()
}

/// What all figures of the paper have in common, for messages of these lengths, shortest first.
pub fn method(session: &Session, lengths: &[usize]) -> String {
    let calls = |bytes: &usize| format!("{} calls of {}", thousands(warm_up_calls(*bytes)), length(*bytes));
    let warm_up = match lengths {
        _ if session.quick => "next to nothing".to_string(),
        [first, .., last] => format!("{} to {}", calls(first), calls(last)),
        _ => lengths.iter().map(calls).collect(),
    };
    format!(
        "One message in memory; padding and wrapping are counted, as in the paper. The paper: 25,000 calls to warm up, the average of \
         100,000 calls, five times, the least of the five. Here: to warm up, {warm_up}; then contestants in turn, {}, each the average of \
         its calls; \"least\" is the paper's value, \"median\" ours, which ratios of two contestants are made of. Cycles (C/B: cycles per \
         byte) are those of the time-stamp counter, as in the paper. There Turbo Boost was switched off and they were cycles of the core; \
         these are given too, where they could be measured beside the samples. OpenSSL runs in processes of its own, told by \
         OPENSSL_ia32cap that the CPU lacks what came later: \"scalar\" is about what 1.0.1c had for such a CPU, \"n-SMS\" what 1.0.2 \
         brought. A name in parentheses after j is the backend that all lanes were forced to; wrapping is always left to manyhash, as \
         lanes are for \"manyhash's choice\".",
        session.effort.in_words()
    )
}

/// "8 KiB".
pub fn length(bytes: usize) -> String {
    if bytes.is_multiple_of(1 << 20) { format!("{} MiB", bytes >> 20) } else { format!("{} KiB", bytes >> 10) }
}

/// A value with three significant digits, if it is there.
pub fn maybe(value: Option<f64>) -> Cell {
    value.into()
}

/// A table without the rows and columns that have no values.
pub fn without_empty_columns(table: Table) -> Table {
    table.without_gaps(1)
}

/// What the paper says of somebody, in cycles per byte.
pub type Paper = fn(Who) -> Option<f64>;

/// Everybody of a race, with what the paper says of them.
pub fn table(raced: &Raced, paper: Paper) -> Table {
    let over = |who: Who, base| raced.over(who, base).into();
    Table::of(
        format!("SHA-256 of a message of {}", length(raced.bytes())),
        1,
        &raced.rows,
        &[
            ("implementation", &|(who, _)| name(*who).into()),
            ("paper (C/B)", &|(who, _)| Cell::maybe(paper(*who), 2)),
            ("least (C/B)", &|(_, measured)| measured.least_tsc_cycles_per_byte().into()),
            ("here / paper", &|(who, measured)| over_paper(measured.least_tsc_cycles_per_byte(), paper(*who))),
            ("median (C/B)", &|(_, measured)| measured.tsc_cycles_per_byte().into()),
            ("median (C/B, core cycles)", &|(_, measured)| measured.core_cycles_per_byte().into()),
            ("MB/s", &|(_, measured)| measured.mb_per_s().into()),
            ("Updates", &|(who, _)| Cell::number(updates::of_j_lanes(raced.bytes(), who.j()) as f64, 0)),
            ("times as fast as OpenSSL scalar", &|(who, _)| over(*who, OPENSSL_SCALAR)),
            ("times as fast as OpenSSL n-SMS", &|(who, _)| over(*who, OPENSSL_N_SMS)),
            ("times as fast as OpenSSL today", &|(who, _)| over(*who, OPENSSL_TODAY)),
        ],
    )
}

/// Ratios beside the paper's: names, the paper's values, this run's. No table where none was
/// measured.
pub fn ratios(title: &str, ratios: Vec<(String, f64, Option<f64>)>) -> Option<Table> {
    ratios.iter().any(|ratio| ratio.2.is_some()).then(|| {
        Table::of(
            title,
            1,
            ratios.into_iter().filter(|ratio| ratio.2.is_some()),
            &[
                ("ratio", &|ratio| ratio.0.clone().into()),
                ("paper", &|ratio| ratio.1.into()),
                ("here", &|ratio| ratio.2.into()),
                ("here / paper", &|ratio| over_paper(ratio.2, Some(ratio.1))),
            ],
        )
    })
}

/// Those of `field` who took part as bars in cycles per byte: by the medians, or, as the paper has
/// them, by the least samples beside the paper's values.
pub fn bars(raced: &Raced, field: &[Who], paper: Option<Paper>) -> Plot {
    let field: Vec<Who> = field.iter().copied().filter(|who| raced.get(*who).is_some()).collect();
    let (value, label): (fn(&Measured) -> Option<f64>, _) = match paper {
        None => (Measured::tsc_cycles_per_byte, MEDIAN_LABEL),
        Some(_) => (Measured::least_tsc_cycles_per_byte, "cycles per byte (least, time-stamp counter)"),
    };
    let of =
        |name: &str, source| Bars::new(name, source, field.iter().map(|who| raced.value(*who, value).filter(|_| who.source() == source)));
    let paper = paper.map(|paper| Bars::new("the paper (Ivy Bridge)", Source::Paper, field.iter().map(|who| paper(*who))));
    let here = [of("OpenSSL", Source::Peer), of("manyhash", Source::Ours)];
    Plot::bars(
        format!("SHA-256 of a message of {}", length(raced.bytes())),
        label,
        field.iter().map(|who| name(*who)),
        paper.into_iter().chain(here),
    )
}

impl Metrics {
    /// In each of these races, how many times as fast as the fastest of `base` the fastest of `of`
    /// is.
    pub fn speed_ups<'a>(&mut self, metric: &'static str, races: impl IntoIterator<Item = &'a Raced>, of: &[Who], base: &[Who]) {
        let compared = |raced: &Raced| {
            let names = raced.fastest(of).zip(raced.fastest(base)).map(|(one, other)| format!("{} over {}", name(one.0), name(other.0)));
            (format!("at {}, {}", length(raced.bytes()), names.unwrap_or_default()), raced.speed_up(of, base))
        };
        self.each(metric, races.into_iter().map(compared));
    }
}

/// A race in which a call of each took the nanoseconds beside it.
#[cfg(test)]
pub fn raced(bytes: usize, call_ns: &[(Who, f64)]) -> Raced {
    let rows = call_ns.iter().map(|(who, call_ns)| (*who, Measured::synthetic(&name(*who), bytes, *call_ns))).collect();
    Raced { rows, missing: Vec::new() }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::model::Figure;

    /// As if a call of somebody had taken `call_ns` nanoseconds.
    pub fn measured(name: &str, bytes: usize, call_ns: f64) -> Measured {
        Measured::synthetic(name, bytes, call_ns)
    }

    /// What is agreed on about the words and tables of a figure, whatever its values.
    pub fn check_words(figure: &Figure) {
        for text in [&figure.still_holds, &figure.changed].into_iter().filter(|text| !text.is_empty()) {
            let sentences: Vec<&str> = text.split_inclusive(". ").collect();
            assert!(sentences.len() <= 2 && text.ends_with('.') && !text.contains("NaN"), "{text}");
        }
        for table in &figure.tables {
            assert!(!table.columns[0].is_empty() && !table.rows.is_empty(), "{}", table.title);
            for column in 0..table.columns.len() {
                assert!(table.rows.iter().any(|row| !matches!(row[column], Cell::Absent)), "{}: {}", table.title, table.columns[column]);
            }
        }
    }

    #[test]
    fn lengths_have_their_units() {
        assert_eq!([8 << 10, 132 << 10, 1 << 20].map(length), ["8 KiB", "132 KiB", "1 MiB"]);
    }
}
