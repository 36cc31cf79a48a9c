//! Measurements as rows, and the one place that makes tables and pictures of them.

use serde::Serialize;
use serde_json::{Value, json};

use crate::aciicmez_2004::subject::Subject;
use crate::contestants::{Raced, Who};
use crate::measured::Measured;
use crate::model::{Cell, Figure, Source, Table};

/// Cycles of the time-stamp counter a byte, by the least sample, as the papers take it.
pub const LEAST: &str = "C/B, least";
/// Cycles of the time-stamp counter a byte, by the median.
pub const MEDIAN: &str = "C/B, median";
/// Cycles of the core a byte, by the median and the clock measured beside the samples.
pub const CORE: &str = "core C/B, median";
/// Millions of bytes a second, by the median.
pub const RATE: &str = "MB/s, median";

#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The table it belongs to.
    pub set: String,
    /// Of what: a length, a place, a function. A set of one case has a column for each kind of value,
    /// a set of several a table for each kind and a column for each case.
    pub case: String,
    pub who: String,
    /// What the value is, with its unit.
    pub what: String,
    pub source: Source,
    pub value: f64,
}

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

    /// Adds a value and the paper's, if they are there.
    pub fn beside(
        &mut self,
        at: (&str, &str),
        who: impl Into<String>,
        what: &str,
        source: Source,
        here: impl Into<Option<f64>>,
        paper: impl Into<Option<f64>>,
    ) {
        let who = who.into();
        self.put(at, who.as_str(), what, source, here);
        self.put(at, who, what, Source::Paper, paper);
    }

    /// The value that was measured here; `None` if it was not.
    pub fn value(&self, (set, case): (&str, &str), who: &str, what: &str) -> Option<f64> {
        let is_it = |row: &&Row| row.set == set && row.case == case && row.who == who && row.what == what && row.source != Source::Paper;
        self.rows.iter().find(is_it).map(|row| row.value)
    }

    /// Adds cycles a byte and the rate of somebody.
    pub fn measured(&mut self, at: (&str, &str), who: &str, source: Source, measured: &Measured) {
        self.put(at, who, LEAST, source, measured.least_tsc_cycles_per_byte());
        self.put(at, who, MEDIAN, source, measured.tsc_cycles_per_byte());
        self.put(at, who, CORE, source, measured.core_cycles_per_byte());
        self.put(at, who, RATE, source, measured.mb_per_s());
    }

    /// Adds what a race gave, beside the paper's cycles a byte, and why others did not take part.
    pub fn raced<S: Subject>(&mut self, at: (&str, &str), raced: &Raced, paper: &[(Who, f64)]) {
        for (who, measured) in &raced.rows {
            self.measured(at, &who.name::<S>(), who.source(), measured);
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
        self.beside(at, name, TIMES, one.source(), raced.speed_up(of, base), paper);
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
        let plots: Vec<Value> = self.pictures.iter().filter_map(|picture| plot(picture, &self.rows)).collect();
        self.tables.extend(tables);
        self.plots.extend(plots);
    }
}

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

/// The tables of a set: of one case, a column for each kind of value; else a table for each kind.
fn tables(set: &str, rows: &[Row]) -> Vec<Table> {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.set == set).collect();
    let (cases, whats) = (distinct(rows.iter().map(|row| &row.case)), distinct(rows.iter().map(|row| &row.what)));
    match cases[..] {
        [case] => vec![table(set.into(), &rows, whats.iter().map(|what| (*what, case, *what)))],
        _ => whats.iter().map(|what| table(format!("{set}: {what}"), &rows, cases.iter().map(|case| (*case, *case, *what)))).collect(),
    }
}

/// A table with these columns: the heading, the case, and what.
fn table<'a>(title: String, rows: &[&Row], columns: impl Iterator<Item = (&'a str, &'a str, &'a str)>) -> Table {
    let mut made = Table { title, columns: vec!["implementation".into()], rows: Vec::new() };
    let of: Vec<(&str, Vec<&&Row>)> =
        columns.map(|(heading, case, what)| (heading, rows.iter().filter(|row| row.case == case && row.what == what).collect())).collect();
    let is_in = |row: &&&Row| of.iter().any(|(_, column)| column.iter().any(|other| std::ptr::eq(**other, **row)));
    let who = distinct(rows.iter().filter(is_in).map(|row| &row.who));
    made.rows = who.iter().map(|who| vec![Cell::Text((*who).into())]).collect();
    for (heading, column) in of {
        let value = |who: &str, is_paper: bool| {
            column.iter().find(|row| row.who == who && (row.source == Source::Paper) == is_paper).map(|row| row.value)
        };
        let has = |is_paper: bool| who.iter().any(|who| value(who, is_paper).is_some());
        let headings: &[&str] = match (has(true), has(false)) {
            (true, true) => &[": paper", ": here", ": here / paper"],
            (true, false) => &[": paper"],
            (false, true) => &[""],
            (false, false) => &[],
        };
        made.columns.extend(headings.iter().map(|of| format!("{heading}{of}")));
        for (row, who) in made.rows.iter_mut().zip(&who) {
            let (paper, here) = (value(who, true), value(who, false));
            row.extend(headings.iter().map(|of| match *of {
                ": paper" => Cell::of(paper),
                ": here / paper" => Cell::ratio(here, paper),
                _ => Cell::of(here),
            }));
        }
    }
    made
}

fn plot(Picture { set, what, kind, who }: &Picture, rows: &[Row]) -> Option<Value> {
    let is_shown = |row: &&Row| row.set == *set && row.what == *what && (who.is_empty() || who.contains(&row.who));
    let rows: Vec<&Row> = rows.iter().filter(is_shown).collect();
    rows.first()?;
    let (cases, who) = (distinct(rows.iter().map(|row| &row.case)), distinct(rows.iter().map(|row| &row.who)));
    let value = |case: &str, who: &str, source: Source| {
        rows.iter().find(|row| row.case == case && row.who == who && row.source == source).map(|row| row.value)
    };
    let names = [(Source::Paper, "the paper"), (Source::Peer, "others, here"), (Source::Ours, "manyhash and the study, here")];
    if let (Kind::Bars, [case]) = (kind, &cases[..]) {
        let of = |(source, name): (Source, &str)| {
            let values: Vec<Option<f64>> = who.iter().map(|who| value(case, who, source)).collect();
            values.iter().any(Option::is_some).then(|| json!({"name": name, "source": source, "values": values}))
        };
        let series: Vec<Value> = names.into_iter().filter_map(of).collect();
        return Some(json!({"kind": "bars", "title": set, "y_label": what, "categories": who, "series": series}));
    }
    let everybody = who.iter().flat_map(|who| names.map(|(source, _)| (*who, source)));
    let series = everybody.filter(|(who, source)| rows.iter().any(|row| row.who == *who && row.source == *source)).map(|(who, source)| {
        let name = if source == Source::Paper { format!("paper: {who}") } else { who.to_string() };
        let values: Vec<Option<f64>> = cases.iter().map(|case| value(case, who, source)).collect();
        let points: Vec<(f64, f64)> = cases.iter().zip(&values).filter_map(|(case, value)| Some((number_of(case)?, (*value)?))).collect();
        match kind {
            Kind::Bars => json!({"name": name, "source": source, "values": values}),
            Kind::Lines(_) => json!({"name": name, "source": source, "points": points}),
        }
    });
    let series: Vec<Value> = series.collect();
    Some(match kind {
        Kind::Bars => json!({"kind": "bars", "title": set, "y_label": what, "categories": cases, "series": series}),
        Kind::Lines(label) => {
            let powers = label.contains("KiB") || label.starts_with("size");
            json!({"kind": "lines", "title": set, "x_label": label, "y_label": what, "x_powers_of_two": powers, "series": series})
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
        let [lines, bars] = &figure.plots[..] else { panic!("two plots") };
        assert_eq!((&lines["kind"], &lines["x_powers_of_two"], &bars["kind"]), (&json!("lines"), &json!(true), &json!("bars")));
        assert_eq!([0, 1, 2].map(|i| lines["series"][i]["name"].clone()), ["paper: one", "one", "other"]);
        assert_eq!((&lines["series"][1]["points"], &bars["categories"]), (&json!([[2.0, 3.0], [1024.0, 4.5]]), &json!(["other"])));
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
        let lengths = ["categories", "series"].map(|of| figure.plots[0][of].as_array().map(Vec::len));
        assert_eq!(lengths, [Some(2), Some(3)]);
    }
}
