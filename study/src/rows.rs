//! Measurements as rows, and the one place that makes tables and pictures of them.

use serde::Serialize;

use crate::aciicmez_2004::subject::Subject;
use crate::contestants::{Raced, Who};
use crate::model::{Bars, Cell, Figure, Line, Plot, Source, Table, digits_of, over_paper};

/// Cycles of the time-stamp counter a byte, by the least sample, as the papers take it.
pub const LEAST: &str = "C/B, least";
/// Cycles of the time-stamp counter a byte, by the median.
pub const MEDIAN: &str = "C/B, median";
/// Cycles of the core a byte, by the median and the clock measured beside the samples.
pub const CORE: &str = "core C/B, median";
/// Millions of bytes a second, by the median.
pub const RATE: &str = "MB/s, median";

/// A value.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The table it belongs to.
    pub set: String,
    /// Of what: a length, a place, a function. A set of one case has a column for each kind of value,
    /// a set of several a table for each kind and a column for each case.
    pub case: String,
    /// By whom.
    pub who: String,
    /// What the value is, with its unit.
    pub what: String,
    /// Whose it is.
    pub source: Source,
    /// The value.
    pub value: f64,
}

/// How a picture is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Bars: of everybody, where there is one case; else a group for each case.
    Bars,
    /// Lines over the number that cases begin with, of which this is the label.
    Lines(&'static str),
}

/// A picture of some values of a set.
#[derive(Debug)]
pub struct Picture {
    set: String,
    what: String,
    kind: Kind,
    /// Whose values; everybody's if it is empty.
    who: Vec<String>,
}

impl Figure {
    /// Adds a value, if it is there.
    pub fn put(
        &mut self,
        (set, case): (&str, &str),
        who: impl Into<String>,
        what: impl Into<String>,
        source: Source,
        value: impl Into<Option<f64>>,
    ) {
        let (set, case, who, what) = (set.into(), case.into(), who.into(), what.into());
        self.rows.extend(value.into().map(|value| Row { set, case, who, what, source, value }));
    }

    /// Adds what a race gave, beside the paper's cycles a byte, and why others did not take part.
    pub fn raced<S: Subject>(&mut self, at: (&str, &str), raced: &Raced, paper: &[(Who, f64)]) {
        for (who, measured) in &raced.rows {
            let values = [
                (LEAST, measured.least_tsc_cycles_per_byte()),
                (MEDIAN, measured.tsc_cycles_per_byte()),
                (CORE, measured.core_cycles_per_byte()),
                (RATE, Some(measured.mb_per_s())),
            ];
            values.into_iter().for_each(|(what, value)| self.put(at, who.name::<S>(), what, who.source(), value));
            let in_paper = paper.iter().find(|(other, _)| other == who).map(|(_, value)| *value);
            self.put(at, who.name::<S>(), LEAST, Source::Paper, in_paper);
        }
        self.miss(&raced.missing);
    }

    /// Adds how many times as fast as each of some all others are.
    pub fn over<S: Subject>(&mut self, at: (&str, &str), raced: &Raced, bases: &[Who]) {
        for base in bases {
            for (who, _) in &raced.rows {
                self.put(at, who.name::<S>(), format!("times as fast as {}", base.name::<S>()), who.source(), raced.over(*who, *base));
            }
        }
    }

    /// Adds ratios of two, beside the paper's, as a set of their own.
    pub fn ratio<S: Subject>(&mut self, at: (&str, &str), raced: &Raced, [of, base]: [&[Who]; 2], paper: Option<f64>) {
        let Some(((one, _), (other, _))) = raced.fastest(of).zip(raced.fastest(base)) else { return };
        let name = format!("{} over {}", one.name::<S>(), other.name::<S>());
        self.put(at, name.as_str(), TIMES, one.source(), raced.speed_up(of, base));
        self.put(at, name, TIMES, Source::Paper, paper);
    }

    /// Adds sentences about what is not there, each once.
    pub fn miss(&mut self, missing: &[String]) {
        let new: Vec<String> = missing.iter().filter(|one| !self.missing.contains(one)).cloned().collect();
        self.missing.extend(new);
    }

    /// Asks for a picture of a kind of value of a set, of everybody in `who`, or of all.
    pub fn picture(&mut self, set: &str, what: &str, kind: Kind, who: &[String]) {
        self.pictures.push(Picture { set: set.into(), what: what.into(), kind, who: who.to_vec() });
    }

    /// Makes the tables and pictures of the rows.
    pub fn present(&mut self) {
        let sets = distinct(self.rows.iter().map(|row| &row.set));
        let tables: Vec<Table> = sets.iter().flat_map(|set| tables(set, &self.rows)).collect();
        let plots: Vec<Plot> = self.pictures.iter().filter_map(|picture| plot(picture, &self.rows)).collect();
        self.tables.extend(tables);
        self.plots.extend(plots);
    }
}

/// Ratios.
pub const TIMES: &str = "times as fast";

/// Each once, in the order of the first.
fn distinct<'a>(all: impl Iterator<Item = &'a String>) -> Vec<&'a str> {
    let mut distinct: Vec<&str> = Vec::new();
    all.for_each(|one| {
        if !distinct.contains(&one.as_str()) {
            distinct.push(one);
        }
    });
    distinct
}

/// The tables of a set.
fn tables(set: &str, rows: &[Row]) -> Vec<Table> {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.set == set).collect();
    let (cases, whats) = (distinct(rows.iter().map(|row| &row.case)), distinct(rows.iter().map(|row| &row.what)));
    // Columns: the heading, the case, and what.
    let table = |title: String, columns: &[(&str, &str, &str)]| {
        let value = |who: &str, column: &(&str, &str, &str), is_paper: bool| {
            let is_it = |row: &&&Row| row.who == who && row.case == column.1 && row.what == column.2;
            rows.iter().filter(is_it).find(|row| (row.source == Source::Paper) == is_paper).map(|row| row.value)
        };
        let in_table: Vec<&&Row> = rows.iter().filter(|row| columns.iter().any(|column| column.2 == row.what)).collect();
        let who = distinct(in_table.iter().map(|row| &row.who));
        let has = |column: &(&str, &str, &str), is_paper| who.iter().any(|who| value(who, column, is_paper).is_some());
        let mut headings = vec!["implementation".to_string()];
        for column in columns {
            match (has(column, true), has(column, false)) {
                (true, true) => headings.extend(["paper", "here", "here / paper"].map(|of| format!("{}: {of}", column.0))),
                (true, false) => headings.push(format!("{}: paper", column.0)),
                _ => headings.push(column.0.into()),
            }
        }
        let mut table = Table::new(title, headings);
        for who in &who {
            let mut cells = vec![Cell::from(*who)];
            for column in columns {
                let (paper, here) = (value(who, column, true), value(who, column, false));
                match (has(column, true), has(column, false)) {
                    (true, true) => cells.extend([digits_of(paper), digits_of(here), over_paper(here, paper)]),
                    (true, false) => cells.push(digits_of(paper)),
                    _ => cells.push(digits_of(here)),
                }
            }
            table.row(cells);
        }
        table.without_gaps(1)
    };
    match cases[..] {
        [case] => vec![table(set.into(), &whats.iter().map(|what| (*what, case, *what)).collect::<Vec<_>>())],
        _ => whats
            .iter()
            .map(|what| table(format!("{set}: {what}"), &cases.iter().map(|case| (*case, *case, *what)).collect::<Vec<_>>()))
            .collect(),
    }
}

/// A picture, if any of its values is there.
fn plot(picture: &Picture, rows: &[Row]) -> Option<Plot> {
    let is_shown =
        |row: &&Row| row.set == picture.set && row.what == picture.what && (picture.who.is_empty() || picture.who.contains(&row.who));
    let rows: Vec<&Row> = rows.iter().filter(is_shown).collect();
    rows.first()?;
    let (cases, who) = (distinct(rows.iter().map(|row| &row.case)), distinct(rows.iter().map(|row| &row.who)));
    let value = |case: &str, who: &str, source: Source| {
        rows.iter().find(|row| row.case == case && row.who == who && row.source == source).map(|row| row.value)
    };
    let named = |who: &str, source| if source == Source::Paper { format!("paper: {who}") } else { who.to_string() };
    let of_sources = |who: &'_ str| {
        [Source::Paper, Source::Peer, Source::Ours]
            .into_iter()
            .filter(|source| rows.iter().any(|row| row.who == who && row.source == *source))
            .collect::<Vec<_>>()
    };
    let title = picture.set.clone();
    Some(match (picture.kind, &cases[..]) {
        (Kind::Bars, [case]) => {
            let series = [("the paper", Source::Paper), ("others, here", Source::Peer), ("manyhash and the study, here", Source::Ours)];
            let bars = series.map(|(name, source)| Bars::new(name, source, who.iter().map(|who| value(case, who, source))));
            Plot::bars(title, &picture.what, who.iter().copied(), bars.into_iter().filter(|bars| bars.values.iter().any(Option::is_some)))
        }
        (Kind::Bars, cases) => {
            let series = who.iter().flat_map(|who| of_sources(who).into_iter().map(|source| (*who, source)));
            let bars = series.map(|(who, source)| Bars::new(named(who, source), source, cases.iter().map(|case| value(case, who, source))));
            Plot::bars(title, &picture.what, cases.iter().copied(), bars.collect::<Vec<_>>())
        }
        (Kind::Lines(x_label), cases) => {
            let series = who.iter().flat_map(|who| of_sources(who).into_iter().map(|source| (*who, source)));
            let points =
                |who: &str, source| cases.iter().filter_map(|case| Some((number_of(case)?, value(case, who, source)?))).collect::<Vec<_>>();
            let series = series.map(|(who, source)| Line::new(named(who, source), source, points(who, source))).collect();
            let x_powers_of_two = x_label.contains("KiB") || x_label.starts_with("size");
            Plot::Lines { title, x_label: x_label.into(), y_label: picture.what.clone(), x_powers_of_two, series }
        }
    })
}

/// The number that a case begins with; of lengths, in KiB.
fn number_of(case: &str) -> Option<f64> {
    let (number, unit) = case.split_once(' ').unwrap_or((case, ""));
    let number: f64 = number.replace(',', "").parse().ok()?;
    Some(if unit.starts_with("MiB") { 1024.0 * number } else { number })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure() -> Figure {
        let mut figure = Figure::default();
        for (case, who, source, value) in [
            ("2 KiB", "one", Source::Ours, Some(3.0)),
            ("2 KiB", "one", Source::Paper, Some(2.0)),
            ("2 KiB", "other", Source::Peer, Some(120.0)),
            ("1 MiB", "one", Source::Ours, Some(4.5)),
            ("1 MiB", "other", Source::Peer, None),
        ] {
            figure.put(("set", case), who, RATE, source, value);
        }
        figure
    }

    #[test]
    fn a_set_of_several_cases_has_a_column_for_each_with_the_papers_beside_it() {
        let mut figure = figure();
        figure.picture("set", RATE, Kind::Lines("length, KiB"), &[]);
        figure.picture("set", RATE, Kind::Bars, &["other".into()]);
        figure.picture("set", "nothing", Kind::Bars, &[]);
        figure.present();
        let [table] = &figure.tables[..] else { panic!("one table") };
        assert_eq!(table.title, "set: MB/s, median");
        assert_eq!(table.columns, ["implementation", "2 KiB: paper", "2 KiB: here", "2 KiB: here / paper", "1 MiB"]);
        let cells: Vec<Vec<String>> = table.rows.iter().map(|row| row.iter().map(Cell::text).collect()).collect();
        assert_eq!(cells, [["one", "2", "3", "1.50", "4.50"], ["other", "-", "120", "-", "-"]]);
        let [Plot::Lines { series, x_powers_of_two: true, .. }, Plot::Bars { categories, .. }] = &figure.plots[..] else {
            panic!("two plots")
        };
        assert_eq!(series.iter().map(|line| line.name.as_str()).collect::<Vec<_>>(), ["paper: one", "one", "other"]);
        assert_eq!((series[1].points.clone(), categories.len()), (vec![(2.0, 3.0), (1024.0, 4.5)], 1));
    }

    #[test]
    fn a_set_of_one_case_has_a_column_for_each_kind_of_value() {
        let mut figure = figure();
        figure.rows.retain(|row| row.case == "2 KiB");
        figure.put(("set", "2 KiB"), "one", TIMES, Source::Ours, 2.25);
        figure.picture("set", RATE, Kind::Bars, &[]);
        figure.present();
        let table = &figure.tables[0];
        assert_eq!(
            table.columns,
            ["implementation", "MB/s, median: paper", "MB/s, median: here", "MB/s, median: here / paper", "times as fast"]
        );
        let Plot::Bars { categories, series, .. } = &figure.plots[0] else { panic!("bars") };
        assert_eq!((categories.len(), series.len()), (2, 3));
    }
}
