//! Figure 3: messages of 2 KiB to 128 KiB.

use anyhow::Result;

use super::field::{BEST_THEN, CHOICES, LINEAR, PAPERS_LANES, Raced, SCALAR, TODAY, Who};
use super::presentation::{MEDIAN_LABEL, PaperRatio, goal, length, maybe, method, ratios, without_empty_columns};
use crate::measured::{Measured, times};
use crate::model::{Cell, Claim, Figure, Line, Plot, Source, Table};
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
}

const RATIOS: [Ratio; 2] = [
    Ratio { base: &BEST_THEN, name: "the best linear implementation of the time (n-SMS)", least: 1.55, most: 2.0 },
    Ratio { base: &[SCALAR], name: "OpenSSL (1.0.1, scalar)", least: 1.97, most: 2.53 },
];

/// Races at each length.
pub fn measure(session: &Session) -> Result<Figure> {
    let lengths: &[usize] = if session.quick { &QUICK_LENGTHS } else { &LENGTHS };
    let races = lengths.iter().map(|bytes| Raced::of(session, *bytes, &field())).collect::<Result<Vec<Raced>>>()?;
    let method = format!(
        "{} The text has ratios only: section 3 those that are judged here, of 2 to 128 KB; the abstract says 132 KB, 1.5 to 1.97, and about \
         2 to about 2.5.",
        method(session, lengths)
    );
    let figure = figure(&races);
    Ok(Figure { method, missing: races.into_iter().next().map(|raced| raced.missing).unwrap_or_default(), ..figure })
}

fn field() -> Vec<Who> {
    LINEAR.into_iter().chain([PAPERS_LANES, FORCED]).chain(CHOICES).collect()
}

/// The least and the most that the paper's 4 lanes are faster, over the lengths of the paper's figure.
fn range(races: &[Raced], base: &[Who]) -> Option<(f64, f64)> {
    let races = races.iter().filter(|raced| raced.bytes() <= LONGEST_OF_FIGURE);
    let ratios: Vec<f64> = races.map(|raced| raced.speed_up(&[PAPERS_LANES], base)).collect::<Option<_>>()?;
    Some((ratios.iter().copied().fold(f64::INFINITY, f64::min), ratios.iter().copied().fold(0.0, f64::max)))
}

fn figure(races: &[Raced]) -> Figure {
    let mut claims: Vec<Claim> = RATIOS.iter().map(|ratio| ratio.claim(races)).collect();
    let bounds = races.iter().filter(|raced| raced.bytes() >= 64 << 10);
    let bounds: Vec<(&Raced, f64)> = bounds.map(|raced| (raced, if raced.bytes() < LONGEST_OF_FIGURE { 2.45 } else { 2.53 })).collect();
    claims.push(goal(
        "From 64 KiB on, j-lanes with the best j and manyhash's choice are at least 2.45 times as fast as OpenSSL today at 64 KiB, and 2.53 \
         times at 128 KiB and more",
        &bounds,
    ));
    Figure {
        tables: tables(races),
        plots: plots(races),
        still_holds: still_holds(races),
        changed: changed(races),
        claims,
        ..Figure::default()
    }
}

impl Ratio {
    fn claim(&self, races: &[Raced]) -> Claim {
        let range = range(races, self.base);
        let two = |value: f64| Cell::three_digits(value).text();
        Claim::new(
            format!(
                "From 2 to 128 KiB, 4 lanes in 128-bit registers are at least {} and up to {} times as fast as {}",
                self.least, self.most, self.name
            ),
            "sections 3 and 4, figure 3",
            format!("{} to {}", self.least, self.most),
            range.map_or("not measured".into(), |(least, most)| format!("{} to {} times", two(least), two(most))),
            range.map(|(least, most)| least >= self.least && most >= self.most),
        )
    }

    /// The gain by length, between the paper's two values.
    fn plot(&self, races: &[Raced], more: Option<Line>) -> Plot {
        let kib = |raced: &Raced| (raced.bytes() >> 10) as f64;
        let ends = [2.0, (LONGEST_OF_FIGURE >> 10) as f64];
        let paper = |name: &str, value| Line { name: name.into(), source: Source::Paper, points: ends.map(|end| (end, value)).to_vec() };
        let here = races.iter().filter_map(|raced| Some((kib(raced), raced.speed_up(&[PAPERS_LANES], self.base)?)));
        let mut series = vec![
            paper("the paper's least", self.least),
            paper("the paper's most", self.most),
            Line { name: PAPERS_LANES.name(), source: Source::Ours, points: here.collect() },
        ];
        series.extend(more);
        Plot::Lines {
            title: format!("How many times as fast as {}", self.name),
            x_label: "length of the message, KiB".into(),
            y_label: "times as fast (by medians)".into(),
            x_powers_of_two: true,
            series,
        }
    }
}

fn tables(races: &[Raced]) -> Vec<Table> {
    let headings = |first: &[&str]| -> Vec<String> {
        let lengths = races.iter().map(|raced| length(raced.bytes()));
        first.iter().map(ToString::to_string).chain(lengths).collect()
    };
    let by_length = |title: &str, value: fn(&Measured) -> Option<f64>| {
        let mut table = Table::new(title, headings(&["implementation"]));
        for who in field().into_iter().filter(|who| races.iter().any(|raced| raced.get(*who).is_some())) {
            let cells = races.iter().map(|raced| maybe(raced.get(who).and_then(value)));
            table.row(std::iter::once(who.name().into()).chain(cells));
        }
        without_empty_columns(table)
    };
    let over = |name: &str| format!("{} over {name}", PAPERS_LANES.name());
    let best_over = |name: &str| format!("the best j (manyhash's choice) over {name}");
    let mut gains = Table::new("How many times as fast, by the length of the message", headings(&["ratio", "paper"]));
    for ratio in &RATIOS {
        let cells = races.iter().map(|raced| maybe(raced.speed_up(&[PAPERS_LANES], ratio.base)));
        gains.row([over(ratio.name).into(), format!("{} to {}", ratio.least, ratio.most).into()].into_iter().chain(cells));
    }
    for (name, base) in [(SCALAR.name(), &[SCALAR][..]), (TODAY.name(), &[TODAY]), ("the fastest linear code".into(), &LINEAR)] {
        let cells = races.iter().map(|raced| maybe(raced.speed_up(&CHOICES, base)));
        gains.row([best_over(&name).into(), Cell::Absent].into_iter().chain(cells));
    }
    let best = |raced: &Raced| Cell::maybe(raced.fastest(&CHOICES).map(|(who, _)| who.lanes() as f64), 0);
    gains.row(["the best j".into(), Cell::Absent].into_iter().chain(races.iter().map(best)));
    let ends = RATIOS.iter().flat_map(|ratio| {
        let here = range(races, ratio.base);
        let row = |which: &str, paper, here| PaperRatio { name: format!("{}, {which}", over(ratio.name)), paper, here };
        [row("least", ratio.least, here.map(|here| here.0)), row("most", ratio.most, here.map(|here| here.1))]
    });
    let ends: Vec<PaperRatio> = ends.filter(|ratio| ratio.here.is_some()).collect();
    let mut tables = vec![
        by_length("Cycles per byte by the length of the message: median, time-stamp counter", Measured::tsc_cycles_per_byte),
        by_length(
            "Cycles per byte by the length of the message: least, time-stamp counter, as the paper takes it",
            Measured::least_tsc_cycles_per_byte,
        ),
        gains,
    ];
    if !ends.is_empty() {
        tables.push(ratios("2 to 128 KiB: the least and the most of the paper's two ratios", ends));
    }
    tables.retain(|table| table.columns.len() > 1);
    tables
}

fn plots(races: &[Raced]) -> Vec<Plot> {
    let kib = |raced: &Raced| (raced.bytes() >> 10) as f64;
    let line = |who: &Who| {
        let point = |raced: &Raced| Some((kib(raced), raced.get(*who)?.tsc_cycles_per_byte()?));
        Line { name: who.name(), source: who.source(), points: races.iter().filter_map(point).collect() }
    };
    let today = races.iter().filter_map(|raced| Some((kib(raced), raced.speed_up(&CHOICES, &[TODAY])?)));
    let today = Line { name: "the best j (manyhash's choice) over OpenSSL today".into(), source: Source::Ours, points: today.collect() };
    vec![
        RATIOS[0].plot(races, None),
        RATIOS[1].plot(races, Some(today)),
        Plot::Lines {
            title: "SHA-256 by the length of the message".into(),
            x_label: "length of the message, KiB".into(),
            y_label: MEDIAN_LABEL.into(),
            x_powers_of_two: true,
            series: field().iter().map(line).filter(|line| !line.points.is_empty()).collect(),
        },
    ]
}

fn still_holds(races: &[Raced]) -> String {
    let (first, last) = (&races[0], &races[races.len() - 1]);
    let gain = |raced: &Raced| raced.speed_up(&[PAPERS_LANES], &BEST_THEN);
    let values = |short, long| {
        format!(
            "4 lanes in 128-bit registers are {} as fast as n-SMS at {} and {} at {}",
            times(Some(short)),
            length(first.bytes()),
            times(Some(long)),
            length(last.bytes())
        )
    };
    match (gain(first), gain(last)) {
        (Some(short), Some(long)) if long > short => {
            format!("The gain still grows with the length of the message: {}.", values(short, long))
        }
        (Some(short), Some(long)) if short.min(long) > 1.0 => format!("The paper's lanes are still faster: {}.", values(short, long)),
        (Some(short), Some(long)) => format!("Nothing of it holds here: {}.", values(short, long)),
        _ => "Nothing of it could be judged: this machine lacks the paper's registers or n-SMS.".into(),
    }
}

fn changed(races: &[Raced]) -> String {
    let (first, last) = (&races[0], &races[races.len() - 1]);
    let best = |raced: &Raced| format!("{} as fast at {}", times(raced.speed_up(&CHOICES, &LINEAR)), length(raced.bytes()));
    format!(
        "Both sides have changed, linear code by instructions for SHA-256 and lanes by longer registers, each where the CPU has them. \
         Against the fastest linear code measured, the best j with manyhash's choice is {} and {}.",
        best(first),
        best(last)
    )
}

#[cfg(test)]
mod tests {
    use super::super::field::N_SMS;
    use super::super::presentation::tests::check_words;
    use super::*;
    use crate::model::Verdict;

    fn raced(bytes: usize, papers: f64, choice: f64) -> Raced {
        Raced::synthetic(bytes, &[(SCALAR, 130.0), (N_SMS, 100.0), (TODAY, 50.0), (PAPERS_LANES, papers), (CHOICES[0], choice)])
    }

    #[test]
    fn lengths_beyond_the_figure_are_not_judged_by_it_but_by_the_goal() {
        let races = [raced(2 << 10, 64.0, 60.0), raced(64 << 10, 55.0, 20.3), raced(128 << 10, 50.0, 19.7), raced(132 << 10, 99.0, 19.8)];
        let verdicts = |races: &[Raced]| {
            let figure = figure(races);
            check_words(&figure);
            figure.claims.iter().map(|claim| claim.verdict).collect::<Vec<_>>()
        };
        assert_eq!(verdicts(&races[..3]), [Verdict::Holds; 3]);
        assert_eq!(verdicts(&races), [Verdict::Holds, Verdict::Holds, Verdict::DoesNot]);
        assert_eq!(
            verdicts(&[raced(2 << 10, 65.0, 1.0), raced(64 << 10, 50.0, 20.5)]),
            [Verdict::DoesNot, Verdict::Holds, Verdict::DoesNot]
        );
        let bare = Raced::synthetic(2 << 10, &[(CHOICES[0], 1.0)]);
        assert_eq!(verdicts(&[bare]), [Verdict::NotMeasured; 3]);
    }

    #[test]
    fn sentences_say_what_was_measured() {
        let of = |short, long| figure(&[raced(2 << 10, short, 60.0), raced(128 << 10, long, 20.0)]).still_holds;
        assert!(of(90.0, 60.0).starts_with("The gain still grows"));
        assert!(of(60.0, 70.0).starts_with("The paper's lanes are still faster"));
        assert!(of(101.0, 102.0).starts_with("Nothing of it holds here"));
        let changed = figure(&[raced(2 << 10, 64.0, 60.0), raced(128 << 10, 50.0, 20.0)]).changed;
        assert!(changed.contains("0.83 times as fast at 2 KiB and 2.50 times as fast at 128 KiB"), "{changed}");
    }
}
