//! What a figure is: the form of `study.json`, which the report is made from. Nothing in it depends
//! on one figure.

use serde::Serialize;

use crate::claims::Metrics;
use crate::measured::digits;
use crate::rows::{Picture, Row};

/// A whole run.
#[derive(Serialize)]
pub struct Study {
    /// Where it took place.
    pub machine: crate::session::Machine,
    /// Whether it was `--quick`: then its values mean nothing.
    pub quick: bool,
    /// In the order of the papers.
    pub figures: Vec<Figure>,
}

/// One table or figure of a paper, measured here.
#[derive(Default, Serialize)]
pub struct Figure {
    /// As it is asked for: "2004-4.6".
    pub id: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// Where it is: "Aciicmez 2004, figure 4.6, page 33".
    pub place: &'static str,
    /// What was run, and how: sizes, warm-up, repetitions, what the paper did otherwise.
    pub method: String,
    /// What was measured.
    pub rows: Vec<Row>,
    /// What is to be drawn of the rows.
    #[serde(skip)]
    pub pictures: Vec<Picture>,
    /// Values.
    pub tables: Vec<Table>,
    /// Pictures.
    pub plots: Vec<Plot>,
    /// How many claims hold by this run's values; words of its own where a figure has some.
    pub still_holds: String,
    /// What has changed since the paper and matters here: data of `claims.toml`.
    pub changed: String,
    /// What the paper says, judged by this run's values.
    pub claims: Vec<Claim>,
    /// What `claims.toml` is judged by.
    #[serde(skip)]
    pub metrics: Metrics,
    /// What is not measured, and why: this machine does not let us, or the study leaves it out.
    pub missing: Vec<String>,
    /// Why the figure failed, where it is a defect of the study and not a limit of the machine.
    pub failed: Option<String>,
    /// How long it took.
    pub seconds: f64,
}

/// Rows under headings.
#[derive(Serialize)]
pub struct Table {
    /// What its values are, with the unit: "MB/s".
    pub title: String,
    /// The headings; the first one is over the rows' names.
    pub columns: Vec<String>,
    /// As many cells as columns, the name included.
    pub rows: Vec<Vec<Cell>>,
}

/// A value.
#[derive(Clone, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// A number, shown with `digits` digits after the point.
    Number {
        /// The value.
        value: f64,
        /// Digits after the point.
        digits: u8,
    },
    /// Words.
    Text(String),
    /// Not there: the paper does not give it, or it was not measured.
    Absent,
}

impl Cell {
    /// A number with `digits` digits after the point.
    pub fn number(value: f64, digits: u8) -> Self {
        Self::Number { value, digits }
    }

    /// As a table of text shows it.
    pub fn text(&self) -> String {
        match self {
            Self::Number { value, digits } => format!("{value:.*}", usize::from(*digits)),
            Self::Text(text) => text.clone(),
            Self::Absent => "-".into(),
        }
    }
}

/// A value with three significant digits.
impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        Self::number(value, digits(value))
    }
}

/// A value with three significant digits, if it is there.
impl From<Option<f64>> for Cell {
    fn from(value: Option<f64>) -> Self {
        value.map_or(Self::Absent, Self::from)
    }
}

/// A value with three significant digits, or without any after the point if it is whole.
pub fn digits_of(value: Option<f64>) -> Cell {
    value.map_or(Cell::Absent, |value| Cell::number(value, if value.fract() == 0.0 { 0 } else { digits(value) }))
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// Whose values a series has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The paper's own.
    Paper,
    /// manyhash, or this study's code, here.
    Ours,
    /// Another library, here.
    Peer,
}

/// A picture. Axes start at zero unless they are logarithmic.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Plot {
    /// Groups of bars.
    Bars {
        /// What it shows.
        title: String,
        /// What the values are, with the unit.
        y_label: String,
        /// A group for each.
        categories: Vec<String>,
        /// A bar of each in every group.
        series: Vec<Bars>,
    },
    /// Lines over a number.
    Lines {
        /// What it shows.
        title: String,
        /// With the unit.
        x_label: String,
        /// With the unit.
        y_label: String,
        /// Whether x is in powers of two.
        x_powers_of_two: bool,
        /// The lines.
        series: Vec<Line>,
    },
    /// Lines that stay where they are until the next point, each in a panel of its own with the
    /// area below it filled.
    Steps {
        /// What it shows.
        title: String,
        /// With the unit.
        x_label: String,
        /// With the unit.
        y_label: String,
        /// The panels.
        series: Vec<Line>,
    },
}

/// A value for each category of a plot; `None` where there is none.
#[derive(Serialize)]
pub struct Bars {
    /// For the legend.
    pub name: String,
    /// Whose values these are.
    pub source: Source,
    /// One for each category.
    pub values: Vec<Option<f64>>,
}

/// Points of a line, in the order of x.
#[derive(Serialize)]
pub struct Line {
    /// For the legend.
    pub name: String,
    /// Whose values these are.
    pub source: Source,
    /// x and y.
    pub points: Vec<(f64, f64)>,
}

impl Plot {
    /// Groups of bars: a bar of each series for each category.
    pub fn bars<C: Into<String>>(
        title: impl Into<String>,
        y_label: impl Into<String>,
        categories: impl IntoIterator<Item = C>,
        series: impl IntoIterator<Item = Bars>,
    ) -> Self {
        let categories = categories.into_iter().map(Into::into).collect();
        Self::Bars { title: title.into(), y_label: y_label.into(), categories, series: series.into_iter().collect() }
    }
}

impl Bars {
    /// A value for each category.
    pub fn new(name: impl Into<String>, source: Source, values: impl IntoIterator<Item = Option<f64>>) -> Self {
        Self { name: name.into(), source, values: values.into_iter().collect() }
    }
}

impl Line {
    /// Points in the order of x.
    pub fn new(name: impl Into<String>, source: Source, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self { name: name.into(), source, points: points.into_iter().collect() }
    }
}

/// What became of a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It is so here.
    Holds,
    /// It is not so here.
    DoesNot,
    /// It could not be measured here.
    NotMeasured,
}

/// Something that a paper says, or that we set ourselves as a goal, and what this run says to it.
#[derive(Serialize)]
pub struct Claim {
    /// The claim in our words.
    pub text: String,
    /// Where the paper says so: "section 4.2, figure 2"; "goal" for one of ours.
    pub place: &'static str,
    /// Its value there.
    pub paper: String,
    /// Ours, with what was compared.
    pub here: String,
    /// Whether it holds.
    pub verdict: Verdict,
}

impl Table {
    /// With these headings, and no rows yet.
    pub fn new(title: impl Into<String>, columns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { title: title.into(), columns: columns.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row. Panics if it has not as many cells as there are columns.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let row: Vec<Cell> = cells.into_iter().collect();
        assert_eq!(row.len(), self.columns.len(), "{}: a row of another length", self.title);
        self.rows.push(row);
    }

    /// The table without rows that only have names, in the first `names` columns, and then without
    /// columns that are empty in all rows.
    pub fn without_gaps(mut self, names: usize) -> Self {
        let is_there = |cell: &Cell| !matches!(cell, Cell::Absent);
        self.rows.retain(|row| row[names..].iter().any(is_there));
        let is_kept = |column: &usize| *column < names || self.rows.iter().any(|row| is_there(&row[*column]));
        let kept: Vec<usize> = (0..self.columns.len()).filter(is_kept).collect();
        self.columns = kept.iter().map(|column| self.columns[*column].clone()).collect();
        for row in &mut self.rows {
            *row = kept.iter().map(|column| row[*column].clone()).collect();
        }
        self
    }
}

/// "here / paper", where both are known.
pub fn over_paper(here: Option<f64>, paper: Option<f64>) -> Cell {
    here.zip(paper).filter(|(_, paper)| *paper != 0.0).map(|(here, paper)| here / paper).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_three_digits() {
        let text = |value: f64| Cell::from(value).text();
        assert_eq!(
            [0.0, 0.5716, 1.0, 9.994, 9.996, 12.872, 99.96, 4441.2].map(text),
            ["0", "0.572", "1.00", "9.99", "10.0", "12.9", "100", "4441"]
        );
        assert_eq!((over_paper(Some(3.0), Some(2.0)).text(), over_paper(Some(3.0), None).text()), ("1.50".into(), "-".into()));
        assert_eq!(over_paper(Some(3.0), Some(0.0)).text(), "-");
    }
}
