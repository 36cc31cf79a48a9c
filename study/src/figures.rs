//! The ONE list of figures, in the order of the papers.

use anyhow::Result;

use crate::aciicmez_2004;
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
        measure: aciicmez_2004::one_message::measure,
    },
    Entry {
        id: "2004-4.1",
        title: "Optimisation techniques of the scalar code, with the redefined boolean functions",
        place: "Aciicmez 2004, section 4.1 and figure 4.1, page 27",
        measure: aciicmez_2004::figure_4_1::measure,
    },
    Entry {
        id: "2004-4.2",
        title: "The scalar code, from main memory and from the disk",
        place: "Aciicmez 2004, figure 4.2, page 29",
        measure: aciicmez_2004::figure_4_2::measure,
    },
    Entry {
        id: "2004-4.3",
        title: "The scalar code beside public implementations",
        place: "Aciicmez 2004, figure 4.3, page 30",
        measure: aciicmez_2004::figure_4_3::measure,
    },
    Entry {
        id: "2004-4.4",
        title: "Share of time of the basic blocks",
        place: "Aciicmez 2004, section 4.2, figure 4.4, page 31",
        measure: aciicmez_2004::basic_blocks::measure,
    },
    Entry {
        id: "2004-4.5",
        title: "Latency and throughput of instructions",
        place: "Aciicmez 2004, section 4.2, figure 4.5, page 32",
        measure: aciicmez_2004::instructions::measure,
    },
    Entry {
        id: "2004-4.6",
        title: "Messages of SHA-1 and SHA-256 at once: 32-bit, MMX and XMM registers, and today's",
        place: "Aciicmez 2004, figure 4.6, page 33",
        measure: aciicmez_2004::figure_4_6::measure,
    },
    Entry {
        id: "2004-4.7",
        title: "Messages of SHA-384 and SHA-512 at once: 32-bit, MMX and XMM registers, and today's",
        place: "Aciicmez 2004, figure 4.7, page 34",
        measure: aciicmez_2004::figure_4_7::measure,
    },
    Entry {
        id: "2004-4.8",
        title: "The relative performances of all",
        place: "Aciicmez 2004, figure 4.8, page 35",
        measure: aciicmez_2004::figure_4_8::measure,
    },
    Entry {
        id: "2004-appendix",
        title: "Instruction mix and cycles per instruction",
        place: "Aciicmez 2004, appendix, pages 41 and 42",
        measure: aciicmez_2004::metrics::measure,
    },
    // Gueron & Krasnov 2012
    // Gueron 2013
];
