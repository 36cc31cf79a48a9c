//! The ONE list of figures, in the order of the papers.

use anyhow::Result;

use crate::aciicmez_2004::{basic_blocks, instructions, metrics, one_message};
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
    Entry {
        id: "2004-3.3",
        title: "SIMD inside one message: levels of parallelism, and what they gain",
        place: "Aciicmez 2004, section 3.3, figures 3.3 to 3.5, pages 22 to 25",
        measure: one_message::measure,
    },
    Entry {
        id: basic_blocks::ID,
        title: "Share of time of the basic blocks",
        place: "Aciicmez 2004, section 4.2, figure 4.4, page 31",
        measure: basic_blocks::measure,
    },
    Entry {
        id: "2004-4.5",
        title: "Latency and throughput of instructions",
        place: "Aciicmez 2004, section 4.2, figure 4.5, page 32",
        measure: instructions::measure,
    },
    Entry {
        id: metrics::ID,
        title: "Instruction mix and cycles per instruction",
        place: "Aciicmez 2004, appendix, pages 41 and 42",
        measure: metrics::measure,
    },
    // Gueron & Krasnov 2012
    // Gueron 2013
];
