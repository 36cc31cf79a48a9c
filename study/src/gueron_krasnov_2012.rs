//! Gueron & Krasnov 2012: "Simultaneous hashing of multiple messages". A file for each figure, and Algorithm 1.
//!
//! There are two texts: the preprint of July 2012, and the journal's (Journal of Information Security 3). They differ in n-SMS: 11.58 and
//! 11.47 cycles a byte, 2.25 and 2.24 times. The journal's values are used, and its abstract still has 2.25.

use anyhow::Result;
use manyhash_measure::PaperSizes;

use crate::model::Cell;
use crate::session::Session;

pub mod algorithm_1;
mod contestants;
pub mod figure_2;
pub mod files;
pub mod memory;
pub mod occupancy;
pub mod predictions;
pub mod table_1;

/// S-HASH over OpenSSL 1.0.1 (section 4.2).
const OVER_OPENSSL: f64 = 3.42;
/// S-HASH over n-SMS (section 4.2).
const OVER_N_SMS: f64 = 2.24;
/// What manyhash is to be over n-SMS: the 2.25 of the abstract.
const GOAL_OVER_N_SMS: f64 = 2.25;
/// A quick run has files of this part of their sizes.
const QUICK_DIVISOR: usize = 32;

/// The two folders of section 4.3.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Folder {
    /// 350 files, the drivers of a Windows 7.
    Diverse,
    /// 8 files of one size.
    Uniform,
}

impl Folder {
    fn name(self) -> &'static str {
        match self {
            Self::Diverse => "DIVERSE",
            Self::Uniform => "UNIFORM",
        }
    }

    /// The sizes of its files, in the paper's order; smaller ones in a quick run.
    fn file_bytes(self, quick: bool) -> Result<Vec<usize>> {
        let sizes = PaperSizes::read()?;
        let full = match self {
            Self::Diverse => sizes.diverse_bytes,
            Self::Uniform => vec![sizes.uniform.bytes_each; sizes.uniform.files],
        };
        Ok(full.into_iter().map(|bytes| if quick { bytes.div_ceil(QUICK_DIVISOR) } else { bytes }).collect())
    }
}

/// How figures of files say that a quick run has smaller ones.
fn quick_files(session: &Session) -> String {
    if session.quick { format!(" In this quick run files have 1/{QUICK_DIVISOR} of their sizes.") } else { String::new() }
}

/// A value with three significant digits, if it is there.
fn three_digits(value: Option<f64>) -> Cell {
    value.map_or(Cell::Absent, Cell::three_digits)
}

/// What is measured here over what the paper has.
fn over_paper(here: Option<f64>, paper: Option<f64>) -> Cell {
    three_digits(here.zip(paper).map(|(here, paper)| here / paper))
}

/// "12.3 % slower", or that it was not measured.
fn percent_slower(share: Option<f64>) -> String {
    match share {
        None => "not measured".into(),
        Some(share) if share < 0.0 => format!("{:.1} % faster", -100.0 * share),
        Some(share) => format!("{:.1} % slower", 100.0 * share),
    }
}

/// What still holds: all that does, after `so`; if nothing does, `otherwise`.
fn what_holds(so: &str, holds: &[String], otherwise: &str) -> String {
    match holds {
        [] => format!("Nothing of it holds here: {otherwise}."),
        [one] => format!("{so}{one}."),
        [first @ .., last] => format!("{so}{}, and {last}.", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measured::thousands;

    #[test]
    fn the_folders_are_those_of_the_paper() {
        let diverse = Folder::Diverse.file_bytes(false).unwrap();
        assert_eq!((diverse.len(), diverse.iter().sum::<usize>()), (350, 82_833_129));
        assert_eq!((diverse.iter().min(), diverse.iter().max()), (Some(&3), Some(&7_533_568)));
        assert_eq!(Folder::Uniform.file_bytes(false).unwrap(), [18_623_835; 8]);
        assert_eq!(Folder::Uniform.file_bytes(true).unwrap(), [581_995; 8]);
    }

    #[test]
    fn values_have_three_digits_and_numbers_their_commas() {
        let text = |value| three_digits(Some(value)).text();
        assert_eq!([0.5, 2.0, 17.55, 400.4, 4245.3].map(text), ["0.500", "2.00", "17.6", "400", "4245"]);
        assert_eq!(over_paper(Some(3.0), Some(2.0)).text(), "1.50");
        assert_eq!(over_paper(Some(3.0), None).text(), "-");
        assert_eq!([0, 999, 1000, 82_833_129].map(thousands), ["0", "999", "1,000", "82,833,129"]);
    }

    #[test]
    fn what_holds_is_said_first() {
        let holds = ["one".to_string(), "two".to_string(), "three".to_string()];
        assert_eq!(what_holds("It is so: ", &holds, "no"), "It is so: one, two, and three.");
        assert_eq!(what_holds("It is so: ", &holds[..1], "no"), "It is so: one.");
        assert_eq!(what_holds("It is so: ", &[], "no"), "Nothing of it holds here: no.");
    }
}
