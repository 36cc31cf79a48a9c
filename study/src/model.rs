//! What a figure is: the form of `study.json`, which the report is made from. Nothing in it depends
//! on one figure.

use std::fmt;
use std::io::ErrorKind;

use anyhow::Result;
use serde::Serialize;

use crate::claims::Metrics;
use crate::measured::digits;
use crate::rows::{Picture, Row};

#[derive(Serialize)]
pub struct Study {
    pub machine: crate::session::Machine,
    /// Whether it was `--quick`: then its values mean nothing.
    pub quick: bool,
    pub figures: Vec<Figure>,
}

/// One table or figure of a paper, measured here.
#[derive(Default, Serialize)]
pub struct Figure {
    /// As it is asked for: "2004-4.6".
    pub id: &'static str,
    pub title: &'static str,
    /// Where it is: "Aciicmez 2004, figure 4.6, page 33".
    pub place: &'static str,
    /// What was run, and how: sizes, warm-up, repetitions, what the paper did otherwise. Data of
    /// `claims.toml`, with what this run says put into it.
    pub method: String,
    #[serde(skip)]
    pub said: Vec<(&'static str, String)>,
    pub rows: Vec<Row>,
    #[serde(skip)]
    pub pictures: Vec<Picture>,
    pub tables: Vec<Table>,
    /// What `pictures.py` draws.
    pub plots: Vec<serde_json::Value>,
    /// How many claims hold by this run's values.
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
    pub seconds: f64,
}

/// An error that says what this machine lacks: no defect of the study.
#[derive(Debug)]
pub struct Missing(pub String);

impl fmt::Display for Missing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Missing {}

/// Whether an error is a limit of the machine: something is [`Missing`], or a disk or the memory is full.
pub fn is_limit(error: &anyhow::Error) -> bool {
    const LACKS: [ErrorKind; 3] = [ErrorKind::StorageFull, ErrorKind::QuotaExceeded, ErrorKind::OutOfMemory];
    let mut of_system = error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    error.is::<Missing>() || of_system.any(|error| LACKS.contains(&error.kind()))
}

impl Figure {
    /// What was measured of a part of the figure; nothing where the machine does not let us, which the figure then says.
    ///
    /// # Errors
    /// If it failed otherwise.
    pub fn unless_missing<T>(&mut self, part: &str, measured: Result<T>) -> Result<Option<T>> {
        match measured {
            Err(error) if is_limit(&error) => {
                self.missing.push(format!("{part}: {error:#}"));
                Ok(None)
            }
            measured => measured.map(Some),
        }
    }
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

#[derive(Clone, Serialize)]
#[serde(untagged)]
pub enum Cell {
    Number {
        value: f64,
        digits: u8,
    },
    Text(String),
    /// The paper does not give it, or it was not measured.
    Absent,
}

impl Cell {
    /// A number with three significant digits, or without any after the point if it is whole.
    pub fn of(value: Option<f64>) -> Self {
        value.map_or(Self::Absent, |value| Self::Number { value, digits: if value.fract() == 0.0 { 0 } else { digits(value) } })
    }

    /// How many times what the paper has we have, with three significant digits.
    pub fn ratio(here: Option<f64>, paper: Option<f64>) -> Self {
        let ratio = here.zip(paper).filter(|(_, paper)| *paper != 0.0).map(|(here, paper)| here / paper);
        ratio.map_or(Self::Absent, |value| Self::Number { value, digits: digits(value) })
    }

    pub fn text(&self) -> String {
        match self {
            Self::Number { value, digits } => format!("{value:.*}", usize::from(*digits)),
            Self::Text(text) => text.clone(),
            Self::Absent => "-".into(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    Paper,
    /// manyhash, or this study's code, here.
    Ours,
    Peer,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Holds,
    DoesNot,
    NotMeasured,
}

/// Something that a paper says, or that we set ourselves as a goal, and what this run says to it.
#[derive(Serialize)]
pub struct Claim {
    /// The claim in our words.
    pub text: String,
    /// Where the paper says so: "section 4.2, figure 2"; "goal" for one of ours.
    pub place: &'static str,
    pub paper: String,
    pub here: String,
    pub verdict: Verdict,
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn what_the_machine_lacks_is_told_and_a_defect_is_an_error() {
        let mut figure = Figure::default();
        let lack = |kind: ErrorKind| Err::<(), _>(std::io::Error::from(kind)).context("writing a file");
        assert!(figure.unless_missing("files", lack(ErrorKind::StorageFull)).unwrap().is_none());
        assert!(figure.unless_missing("counts", Err::<(), _>(Missing("no valgrind".into()).into())).unwrap().is_none());
        assert!(figure.missing[0].starts_with("files: writing a file: ") && figure.missing[1] == "counts: no valgrind");
        assert!(figure.unless_missing("files", lack(ErrorKind::NotFound)).is_err());
        assert_eq!(figure.unless_missing("files", Ok(7)).unwrap(), Some(7));
    }
}
