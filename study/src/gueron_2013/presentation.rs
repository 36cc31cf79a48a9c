//! How the figures of the paper are shown: what was done, tables, pictures, and claims about ratios.

use super::field::{CHOICES, N_SMS, Raced, SCALAR, TODAY, Who, warm_up_calls};
use super::updates;
use crate::measured::thousands;
use crate::measured::{Measured, times};
use crate::model::{Bars, Cell, Claim, Plot, Source, Table};
use crate::session::Session;

/// For pictures of medians.
pub const MEDIAN_LABEL: &str = "cycles per byte (median, time-stamp counter)";

/// What all figures of the paper have in common, for messages of these lengths, shortest first.
pub fn method(session: &Session, lengths: &[usize]) -> String {
    let effort = session.effort;
    let calls = |bytes: &usize| format!("{} calls of {}", thousands(warm_up_calls(*bytes)), length(*bytes));
    let warm_up = match lengths {
        _ if session.quick => "next to nothing".to_string(),
        [first, .., last] => format!("{} to {}", calls(first), calls(last)),
        _ => lengths.iter().map(calls).collect(),
    };
    format!(
        "One message in memory; padding and wrapping are counted, as in the paper. The paper: 25,000 calls to warm up, the average of \
         100,000 calls, five times, the least of the five. Here: to warm up, {warm_up}; then contestants in turn, {} to {} samples, each \
         the average of as many calls as fill {:.1} ms; \"least\" is the paper's value, \"median\" ours, which ratios of two contestants are \
         made of. Cycles (C/B: cycles per byte) are those of the time-stamp counter, as in the paper. There Turbo Boost was switched off \
         and they were cycles of the core; these are given too, where they could be measured beside the samples. OpenSSL runs in processes \
         of its own, told by OPENSSL_ia32cap that the CPU lacks what came later: \"scalar\" is about what 1.0.1c had for such a CPU, \
         \"n-SMS\" what 1.0.2 brought. A name in parentheses after j is the backend that all lanes were \
         forced to; wrapping is always left to manyhash, as lanes are for \"manyhash's choice\".",
        effort.fewest_samples,
        effort.samples,
        effort.sample.as_secs_f64() * 1000.0
    )
}

/// "8 KiB".
pub fn length(bytes: usize) -> String {
    if bytes.is_multiple_of(1 << 20) { format!("{} MiB", bytes >> 20) } else { format!("{} KiB", bytes >> 10) }
}

/// A value with three significant digits, if it is there.
pub fn maybe(value: Option<f64>) -> Cell {
    value.map_or(Cell::Absent, Cell::three_digits)
}

/// A table without the columns that have nothing in any row.
pub fn without_empty_columns(table: Table) -> Table {
    let is_there = |column: &usize| *column == 0 || table.rows.iter().any(|row| !matches!(row[*column], Cell::Absent));
    let kept: Vec<usize> = (0..table.columns.len()).filter(is_there).collect();
    let mut fewer = Table::new(table.title.clone(), kept.iter().map(|column| table.columns[*column].clone()));
    for row in &table.rows {
        fewer.row(kept.iter().map(|column| row[*column].clone()));
    }
    fewer
}

/// What the paper says of somebody, in cycles per byte.
pub type Paper = fn(Who) -> Option<f64>;

/// Everybody of a race, with what the paper says of them.
pub fn table(raced: &Raced, paper: Paper) -> Table {
    let columns = [
        "implementation",
        "paper (C/B)",
        "least (C/B)",
        "here / paper",
        "median (C/B)",
        "median (C/B, core cycles)",
        "MB/s",
        "Updates",
        "times as fast as OpenSSL scalar",
        "times as fast as OpenSSL n-SMS",
        "times as fast as OpenSSL today",
    ];
    let mut table = Table::new(format!("SHA-256 of a message of {}", length(raced.bytes())), columns);
    for (who, measured) in raced.rows() {
        let over = |base| maybe(raced.speed_up(&[*who], &[base]));
        let least = measured.least_tsc_cycles_per_byte();
        table.row([
            who.name().into(),
            Cell::maybe(paper(*who), 2),
            maybe(least),
            maybe(least.zip(paper(*who)).map(|(here, paper)| here / paper)),
            maybe(measured.tsc_cycles_per_byte()),
            maybe(measured.core_cycles_per_byte()),
            Cell::three_digits(measured.mb_per_s()),
            Cell::number(updates::of_j_lanes(raced.bytes(), who.lanes()) as f64, 0),
            over(SCALAR),
            over(N_SMS),
            over(TODAY),
        ]);
    }
    without_empty_columns(table)
}

/// A ratio that the paper gives a value for, and where: for [`ratios`].
pub struct PaperRatio {
    /// What is compared.
    pub name: String,
    /// The paper's value.
    pub paper: f64,
    /// This run's.
    pub here: Option<f64>,
}

/// Ratios beside the paper's.
pub fn ratios(title: impl Into<String>, ratios: impl IntoIterator<Item = PaperRatio>) -> Table {
    let mut table = Table::new(title, ["ratio", "paper", "here", "here / paper"]);
    for PaperRatio { name, paper, here } in ratios {
        table.row([name.into(), Cell::three_digits(paper), maybe(here), maybe(here.map(|here| here / paper))]);
    }
    table
}

/// Those of `field` who took part as bars in cycles per byte, by the medians.
pub fn bars(raced: &Raced, field: &[Who]) -> Plot {
    bars_of(raced, field, Measured::tsc_cycles_per_byte, MEDIAN_LABEL, &[])
}

/// The same by the least samples, as the paper has them, beside the paper's values.
pub fn bars_beside_paper(raced: &Raced, field: &[Who], paper: Paper, papers_name: &str) -> Plot {
    let label = "cycles per byte (least, time-stamp counter)";
    bars_of(raced, field, Measured::least_tsc_cycles_per_byte, label, &[(papers_name, paper)])
}

fn bars_of(raced: &Raced, field: &[Who], value: fn(&Measured) -> Option<f64>, label: &str, papers: &[(&str, Paper)]) -> Plot {
    let field: Vec<Who> = field.iter().copied().filter(|who| raced.get(*who).is_some()).collect();
    let value = |who: &Who, source| raced.get(*who).filter(|_| who.source() == source).and_then(value);
    let of = |source| field.iter().map(|who| value(who, source)).collect();
    let papers = papers.iter().map(|(name, paper)| Bars {
        name: (*name).into(),
        source: Source::Paper,
        values: field.iter().map(|who| paper(*who)).collect(),
    });
    let here = [
        Bars { name: "OpenSSL".into(), source: Source::Peer, values: of(Source::Peer) },
        Bars { name: "manyhash".into(), source: Source::Ours, values: of(Source::Ours) },
    ];
    Plot::Bars {
        title: format!("SHA-256 of a message of {}", length(raced.bytes())),
        y_label: label.into(),
        categories: field.iter().map(|who| who.name()).collect(),
        series: papers.chain(here).collect(),
    }
}

/// What the fastest of `of` is beside the fastest of `base`: "j = 4 (sse2) is 2.40 times as fast as OpenSSL scalar (as 1.0.1)".
pub fn comparison(raced: &Raced, of: &[Who], base: &[Who]) -> String {
    match (raced.fastest(of), raced.fastest(base)) {
        (Some(fastest), Some(slower)) => {
            let ratio = times(raced.speed_up(of, base));
            format!("at {} {} is {ratio} as fast as {}", length(raced.bytes()), fastest.0.name(), slower.0.name())
        }
        _ => "one of them was not measured".into(),
    }
}

/// A claim about a ratio: holds if it is at least so much.
pub fn claim(raced: &Raced, (text, place, paper): (&str, &'static str, &str), (of, base): (&[Who], &[Who]), at_least: f64) -> Claim {
    let ratio = raced.speed_up(of, base);
    Claim::new(text, place, paper, comparison(raced, of, base), ratio.map(|ratio| ratio >= at_least))
}

/// A goal of the project: at each of these lengths the best j, on manyhash's choice, at least so many times as fast as OpenSSL today.
pub fn goal(text: &str, races: &[(&Raced, f64)]) -> Claim {
    let here: Vec<String> = races.iter().map(|(raced, _)| comparison(raced, &CHOICES, &[TODAY])).collect();
    let here = if here.is_empty() { "not measured".into() } else { here.join("; ") };
    let holds = races.iter().map(|(raced, at_least)| Some(raced.speed_up(&CHOICES, &[TODAY])? >= *at_least));
    let holds: Option<Vec<bool>> = holds.collect();
    let paper = "2.45 at 8 KiB and up to 2.53 at 128 KiB, over OpenSSL 1.0.1c";
    Claim::new(text, "goal", paper, here, holds.filter(|holds| !holds.is_empty()).map(|holds| holds.into_iter().all(|holds| holds)))
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::model::{Figure, Verdict};
    use manyhash_measure::timing::Sample;

    /// As if a call of somebody had taken so many nanoseconds.
    pub fn measured(name: &str, bytes: usize, call_ns: f64) -> Measured {
        let sample = Sample { process: 0, call_ns, overlap: None, cpu_share: None, clock_ghz: Some(3.0) };
        Measured { name: name.into(), bytes: bytes as f64, samples: vec![sample], tsc_ghz: Some(2.0) }
    }

    /// What is agreed on about the words of a figure, whatever its values.
    pub fn check_words(figure: &Figure) {
        for text in [&figure.still_holds, &figure.changed] {
            let sentences: Vec<&str> = text.split_inclusive(". ").collect();
            assert!(sentences.len() <= 2 && text.ends_with('.'), "{text}");
            for sentence in sentences {
                assert!(sentence.split_whitespace().count() <= 45 && sentence.starts_with(char::is_uppercase), "{sentence}");
                assert!(!sentence.contains("NaN") && !sentence.contains(" ,") && !sentence.contains("  "), "{sentence}");
            }
        }
        for claim in &figure.claims {
            assert!(claim.text.starts_with(char::is_uppercase) && !claim.text.ends_with('.'), "{}", claim.text);
            assert!(!claim.paper.is_empty() && !claim.here.is_empty(), "{}", claim.text);
        }
        for table in &figure.tables {
            assert!(!table.columns[0].is_empty() && !table.rows.is_empty(), "{}", table.title);
            for column in 0..table.columns.len() {
                assert!(table.rows.iter().any(|row| !matches!(row[column], Cell::Absent)), "{}: {}", table.title, table.columns[column]);
            }
        }
    }

    #[test]
    fn numbers_are_written_as_readers_expect_them() {
        assert_eq!([7, 999, 1000, 25_000, 1_048_576].map(thousands), ["7", "999", "1,000", "25,000", "1,048,576"]);
        assert_eq!(
            [0.0, 0.5716, 1.0, 9.996, 12.872, 99.94, 384.4, 4441.2].map(|value| Cell::three_digits(value).text()),
            ["0", "0.572", "1.00", "10.00", "12.9", "99.9", "384", "4441"]
        );
        assert_eq!([8 << 10, 132 << 10, 1 << 20].map(length), ["8 KiB", "132 KiB", "1 MiB"]);
    }

    #[test]
    fn columns_with_nothing_in_them_are_left_out() {
        let mut table = Table::new("x", ["name", "empty", "half"]);
        table.row(["one".into(), Cell::Absent, Cell::Absent]);
        table.row(["two".into(), Cell::Absent, Cell::number(1.0, 0)]);
        let table = without_empty_columns(table);
        assert_eq!(table.columns, ["name", "half"]);
        assert_eq!(table.rows[1].iter().map(Cell::text).collect::<Vec<_>>(), ["two", "1"]);
    }

    #[test]
    fn a_goal_is_judged_at_every_length_by_its_own_bound() {
        let raced = |bytes, ns| Raced::synthetic(bytes, &[(TODAY, 250.0), (CHOICES[0], ns), (CHOICES[1], 200.0)]);
        let (short, long) = (raced(64 << 10, 101.0), raced(128 << 10, 98.5));
        let verdict = |races: &[(&Raced, f64)]| goal("It is fast", races).verdict;
        assert_eq!(verdict(&[(&short, 2.45), (&long, 2.53)]), Verdict::Holds);
        assert_eq!(verdict(&[(&short, 2.53), (&long, 2.53)]), Verdict::DoesNot);
        assert_eq!(verdict(&[]), Verdict::NotMeasured);
        let without = Raced::synthetic(64 << 10, &[(CHOICES[0], 1.0)]);
        assert_eq!(verdict(&[(&short, 2.45), (&without, 2.45)]), Verdict::NotMeasured);
        assert!(goal("It is fast", &[(&short, 2.45)]).here.contains("j = 4 (manyhash's choice) is 2.48 times as fast as OpenSSL today"));
    }
}
