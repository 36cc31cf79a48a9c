//! Figure 3: messages of 2 KiB to 128 KiB.

use anyhow::Result;

use super::presentation::{
    BEST_THEN, CHOICES, LINEAR, MEDIAN_LABEL, OPENSSL_SCALAR, OPENSSL_TODAY, PAPERS_LANES, Raced, Who, length, method, name, race, ratios,
};
use crate::measured::Measured;
use crate::model::{Cell, Figure, Line, Plot, Source, Table};
use crate::session::Session;

/// The last is the abstract's: "132 KB".
const LENGTHS: [usize; 8] = [2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, LONGEST_OF_FIGURE, 132 << 10];
/// Enough to see that it works.
const QUICK_LENGTHS: [usize; 3] = [2 << 10, 64 << 10, LONGEST_OF_FIGURE];
/// Up to here section 3 speaks of figure 3.
const LONGEST_OF_FIGURE: usize = 128 << 10;
/// 4 lanes in vectors of 4 words as the engine does best on CPUs with SHA extensions and AVX-512.
const FORCED: Who = Who::Lanes(4, "sha-ni-sms256-x4");

/// A ratio of which the paper gives the least and the most.
struct Ratio {
    base: &'static [Who],
    /// The base's name where there are several.
    name: &'static str,
    least: f64,
    most: f64,
    metrics: [&'static str; 2],
}

const RATIOS: [Ratio; 2] = [
    Ratio {
        base: &BEST_THEN,
        name: "the best linear implementation of the time (n-SMS)",
        least: 1.55,
        most: 2.0,
        metrics: ["least over n-SMS", "most over n-SMS"],
    },
    Ratio {
        base: &[OPENSSL_SCALAR],
        name: "OpenSSL (1.0.1, scalar)",
        least: 1.97,
        most: 2.53,
        metrics: ["least over OpenSSL scalar", "most over OpenSSL scalar"],
    },
];

/// Measures the figure: a race at each length.
pub fn measure(session: &Session) -> Result<Figure> {
    let lengths: &[usize] = if session.quick { &QUICK_LENGTHS } else { &LENGTHS };
    let races = lengths.iter().map(|bytes| race(session, *bytes, &field())).collect::<Result<Vec<Raced>>>()?;
    let method = format!(
        "{} The text has ratios only: section 3 those that are judged here, of 2 to 128 KB; the abstract says 132 KB, 1.5 to 1.97, and about \
         2 to about 2.5.",
        method(session, lengths)
    );
    Ok(Figure { method, missing: races[0].missing.clone(), ..figure(&races) })
}

fn field() -> Vec<Who> {
    LINEAR.into_iter().chain([PAPERS_LANES, FORCED]).chain(CHOICES).collect()
}

/// The least and the most that the paper's 4 lanes are faster, over the lengths of the paper's
/// figure.
fn range(races: &[Raced], base: &[Who]) -> Option<(f64, f64)> {
    let races = races.iter().filter(|raced| raced.bytes() <= LONGEST_OF_FIGURE);
    let ratios: Vec<f64> = races.map(|raced| raced.speed_up(&[PAPERS_LANES], base)).collect::<Option<_>>()?;
    Some((ratios.iter().copied().fold(f64::INFINITY, f64::min), ratios.iter().copied().fold(0.0, f64::max)))
}

fn figure(races: &[Raced]) -> Figure {
    let mut figure = Figure { tables: tables(races), plots: plots(races), ..Figure::default() };
    for Ratio { base, metrics: [least, most], .. } in RATIOS {
        let (at_least, at_most) = range(races, base).unzip();
        figure.metrics.each(least, [("at least", at_least)]);
        figure.metrics.each(most, [("at most", at_most)]);
    }
    let (long, short): (Vec<&Raced>, Vec<&Raced>) =
        races.iter().filter(|raced| raced.bytes() >= 64 << 10).partition(|raced| raced.bytes() >= LONGEST_OF_FIGURE);
    figure.metrics.speed_ups("best j at 64 KiB", short, &CHOICES, &[OPENSSL_TODAY]);
    figure.metrics.speed_ups("best j from 128 KiB on", long, &CHOICES, &[OPENSSL_TODAY]);
    figure
}

/// The columns of tables by length.
fn by_length(races: &[Raced]) -> impl Iterator<Item = (String, &Raced)> {
    races.iter().map(|raced| (length(raced.bytes()), raced))
}

fn tables(races: &[Raced]) -> Vec<Table> {
    let cycles = |title: &str, value: fn(&Measured) -> Option<f64>| {
        let rows = field().into_iter().map(|who| (name(who), who));
        Table::grid(title, "implementation", rows, by_length(races), |who, raced| raced.value(*who, value))
    };
    let over = |name: &str| format!("{} over {name}", self::name(PAPERS_LANES));
    let headings = ["ratio".to_string(), "paper".into()].into_iter().chain(by_length(races).map(|(length, _)| length));
    let mut gains = Table::new("How many times as fast, by the length of the message", headings);
    let mut row = |name: String, paper: Cell, value: &dyn Fn(&Raced) -> Cell| {
        gains.row([name.into(), paper].into_iter().chain(races.iter().map(value)))
    };
    for Ratio { base, name, least, most, .. } in &RATIOS {
        row(over(name), format!("{least} to {most}").into(), &|raced| raced.speed_up(&[PAPERS_LANES], base).into());
    }
    let (scalar, today) = (name(OPENSSL_SCALAR), name(OPENSSL_TODAY));
    for (name, base) in [(scalar.as_str(), &[OPENSSL_SCALAR][..]), (&today, &[OPENSSL_TODAY]), ("the fastest linear code", &LINEAR)] {
        row(format!("the best j (manyhash's choice) over {name}"), Cell::Absent, &|raced| raced.speed_up(&CHOICES, base).into());
    }
    row("the best j".into(), Cell::Absent, &|raced| Cell::maybe(raced.fastest(&CHOICES).map(|(who, _)| who.j() as f64), 0));
    let ends = RATIOS.iter().flat_map(|ratio| {
        let (least, most) = range(races, ratio.base).unzip();
        [(format!("{}, least", over(ratio.name)), ratio.least, least), (format!("{}, most", over(ratio.name)), ratio.most, most)]
    });
    let tables = [
        cycles("Cycles per byte by the length of the message: median, time-stamp counter", Measured::tsc_cycles_per_byte),
        cycles(
            "Cycles per byte by the length of the message: least, time-stamp counter, as the paper takes it",
            Measured::least_tsc_cycles_per_byte,
        ),
        gains,
    ];
    let tables = tables.into_iter().chain(ratios("2 to 128 KiB: the least and the most of the paper's two ratios", ends.collect()));
    tables.filter(|table| table.columns.len() > 1).collect()
}

fn plots(races: &[Raced]) -> Vec<Plot> {
    let line = |name: &str, source, value: &dyn Fn(&Raced) -> Option<f64>| {
        Line::new(name, source, races.iter().filter_map(|raced| Some(((raced.bytes() >> 10) as f64, value(raced)?))))
    };
    let plot = |title: String, y_label: &str, series| Plot::Lines {
        title,
        x_label: "length of the message, KiB".into(),
        y_label: y_label.into(),
        x_powers_of_two: true,
        series,
    };
    let ends = [2.0, (LONGEST_OF_FIGURE >> 10) as f64];
    let paper = |name: &str, value: f64| Line::new(name, Source::Paper, ends.map(|end| (end, value)));
    let today =
        line("the best j (manyhash's choice) over OpenSSL today", Source::Ours, &|raced| raced.speed_up(&CHOICES, &[OPENSSL_TODAY]));
    let gain = |ratio: &Ratio, more: Option<Line>| {
        let papers = [paper("the paper's least", ratio.least), paper("the paper's most", ratio.most)];
        let here = line(&name(PAPERS_LANES), Source::Ours, &|raced| raced.speed_up(&[PAPERS_LANES], ratio.base));
        let series = papers.into_iter().chain([here]).chain(more).collect();
        plot(format!("How many times as fast as {}", ratio.name), "times as fast (by medians)", series)
    };
    let cycles = field().into_iter().map(|who| line(&name(who), who.source(), &|raced| raced.value(who, Measured::tsc_cycles_per_byte)));
    let cycles = cycles.filter(|line| !line.points.is_empty()).collect();
    vec![gain(&RATIOS[0], None), gain(&RATIOS[1], Some(today)), plot("SHA-256 by the length of the message".into(), MEDIAN_LABEL, cycles)]
}

#[cfg(test)]
mod tests {
    use super::super::presentation::{self, OPENSSL_N_SMS, tests::check_words};
    use super::*;
    use crate::claims::verdicts;
    use crate::model::Verdict::{DoesNot, Holds, NotMeasured};

    fn raced(bytes: usize, papers: f64, choice: f64) -> Raced {
        let linear = [(OPENSSL_SCALAR, 130.0), (OPENSSL_N_SMS, 100.0), (OPENSSL_TODAY, 50.0)];
        presentation::raced(bytes, &[&linear[..], &[(PAPERS_LANES, papers), (CHOICES[0], choice)]].concat())
    }

    #[test]
    fn lengths_beyond_the_figure_are_not_judged_by_it_but_by_the_goal() {
        let races = [raced(2 << 10, 64.0, 60.0), raced(64 << 10, 55.0, 20.3), raced(128 << 10, 50.0, 19.7), raced(132 << 10, 99.0, 19.8)];
        let short_of_64 = [raced(2 << 10, 65.0, 1.0), raced(64 << 10, 50.0, 20.5), raced(128 << 10, 50.0, 19.7)];
        let bare = [presentation::raced(2 << 10, &[(CHOICES[0], 1.0)])];
        for (races, expected) in [
            (&races[..3], [Holds; 3]),
            (&races, [Holds, Holds, DoesNot]),
            (&short_of_64, [DoesNot, Holds, DoesNot]),
            (&bare, [NotMeasured; 3]),
        ] {
            let figure = figure(races);
            check_words(&figure);
            assert_eq!(verdicts("2013-3", &figure.metrics), expected);
        }
    }
}
