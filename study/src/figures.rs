//! The ONE list of figures, in the order of the papers.

use anyhow::Result;

use crate::model::Figure;
use crate::session::Session;

/// A figure before it is measured.
pub struct Entry {
    /// As it is asked for: the year, and the number in the paper.
    pub id: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// Where it is.
    pub place: &'static str,
    /// Measures it. What the machine lacks goes to `missing`; an error is a defect.
    pub measure: fn(&Session) -> Result<Figure>,
}

/// All of them.
pub const ALL: &[Entry] = &[
    // Aciicmez 2004
    // Gueron & Krasnov 2012
    // Gueron 2013
];
