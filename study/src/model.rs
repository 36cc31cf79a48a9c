//! What a figure is: the form of `study.json`, which the report is made from. Nothing in it depends on one figure.

use serde::Serialize;

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
    /// Values.
    pub tables: Vec<Table>,
    /// Pictures.
    pub plots: Vec<Plot>,
    /// One sentence: what is still as the paper has it, by this run's values.
    pub still_holds: String,
    /// One sentence: what has changed, and why.
    pub changed: String,
    /// What the paper says, judged by this run's values.
    pub claims: Vec<Claim>,
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
    /// With so many digits after the point.
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
    /// A number with so many digits after the point.
    pub fn number(value: f64, digits: u8) -> Self {
        Self::Number { value, digits }
    }

    /// A number with three significant digits; whole ones with all of theirs.
    pub fn three_digits(value: f64) -> Self {
        let digits = match value.abs() {
            0.0 | 100.0.. => 0,
            10.0.. => 1,
            1.0.. => 2,
            _ => 3,
        };
        Self::number(value, digits)
    }

    /// A number, if it is there.
    pub fn maybe(value: Option<f64>, digits: u8) -> Self {
        value.map_or(Self::Absent, |value| Self::number(value, digits))
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
    /// Lines that stay where they are until the next point, each in a panel of its own with the area below it filled.
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
    /// Whose.
    pub source: Source,
    /// One for each category.
    pub values: Vec<Option<f64>>,
}

/// Points of a line, in the order of x.
#[derive(Serialize)]
pub struct Line {
    /// For the legend.
    pub name: String,
    /// Whose.
    pub source: Source,
    /// x and y.
    pub points: Vec<(f64, f64)>,
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

impl Claim {
    /// A claim that holds if `holds`; `None`: not measured.
    pub fn new(
        text: impl Into<String>,
        place: &'static str,
        paper: impl Into<String>,
        here: impl Into<String>,
        holds: Option<bool>,
    ) -> Self {
        let verdict = match holds {
            Some(true) => Verdict::Holds,
            Some(false) => Verdict::DoesNot,
            None => Verdict::NotMeasured,
        };
        Self { text: text.into(), place, paper: paper.into(), here: here.into(), verdict }
    }
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
}
