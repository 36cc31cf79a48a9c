//! The ONE list of figures, in the order of the papers.

use anyhow::Result;

use crate::gueron_krasnov_2012;
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
    Entry {
        id: "2012-2",
        title: "SHA-256 of messages of 4 KiB from the caches and from memory",
        place: "Gueron & Krasnov 2012, section 4.2, figure 2",
        measure: gueron_krasnov_2012::figure_2::sha256,
    },
    Entry {
        id: "2012-2-sha512",
        title: "The same for SHA-512, which the paper leaves out",
        place: "Gueron & Krasnov 2012, section 5",
        measure: gueron_krasnov_2012::figure_2::sha512,
    },
    Entry {
        id: "2012-avx2",
        title: "What the paper predicts for AVX2",
        place: "Gueron & Krasnov 2012, section 5",
        measure: gueron_krasnov_2012::predictions::measure,
    },
    Entry {
        id: "2012-table-1",
        title: "The sizes of the files of DIVERSE",
        place: "Gueron & Krasnov 2012, appendix, table 1",
        measure: gueron_krasnov_2012::table_1::measure,
    },
    Entry {
        id: "2012-3",
        title: "DIVERSE: 350 files, from the disk and from the page cache",
        place: "Gueron & Krasnov 2012, section 4.3, figure 3",
        measure: gueron_krasnov_2012::files::diverse,
    },
    Entry {
        id: "2012-4",
        title: "UNIFORM: 8 files, from the disk and from the page cache",
        place: "Gueron & Krasnov 2012, section 4.3, figure 4",
        measure: gueron_krasnov_2012::files::uniform,
    },
    Entry {
        id: "2012-memory",
        title: "DIVERSE and UNIFORM from memory: how much of the steady rate is left",
        place: "Gueron & Krasnov 2012, section 4.3",
        measure: gueron_krasnov_2012::memory::measure,
    },
    Entry {
        id: "2012-occupancy",
        title: "DIVERSE: busy lanes over time, Algorithm 1 and manyhash",
        place: "Gueron & Krasnov 2012, section 3, figure 1",
        measure: gueron_krasnov_2012::occupancy::measure,
    },
    // Gueron 2013
];
