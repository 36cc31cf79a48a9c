//! The ONE list of figures, in the order of the papers.

use anyhow::Result;

use crate::aciicmez_2004;
use crate::gueron_krasnov_2012;
use crate::model::Figure;
use crate::session::Session;
use crate::{finalists, gueron_2013};

/// A figure before it is measured.
pub struct Entry {
    /// As it is asked for: the year, and the number in the paper.
    pub id: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// Where it is.
    pub place: &'static str,
    /// Measures it. What the machine lacks, and what the study leaves out, goes to `missing`; an error is a defect.
    pub measure: fn(&Session) -> Result<Figure>,
}

/// As wide as the longest name.
pub const ID_WIDTH: usize = 14;

/// All of them.
pub const ALL: &[Entry] = &[
    // Aciicmez 2004
    Entry {
        id: "2004-3.3",
        title: "SIMD instructions inside one message: levels of parallelism, and what they gain",
        place: "Aciicmez 2004, section 3.3, figures 3.3 to 3.5, pages 22 to 25",
        measure: aciicmez_2004::one_message::measure,
    },
    Entry {
        id: "2004-4.1",
        title: "Scalar code: what each optimisation technique is worth",
        place: "Aciicmez 2004, section 4.1 and figure 4.1, pages 26 and 27",
        measure: aciicmez_2004::figure_4_1::measure,
    },
    Entry {
        id: "2004-4.2",
        title: "Scalar code: rates from main memory and from the disk",
        place: "Aciicmez 2004, figure 4.2, page 29",
        measure: aciicmez_2004::figure_4_2::measure,
    },
    Entry {
        id: "2004-4.3",
        title: "Scalar code beside public implementations of one message",
        place: "Aciicmez 2004, figure 4.3, page 30",
        measure: aciicmez_2004::figure_4_3::measure,
    },
    Entry {
        id: "2004-4.4",
        title: "Scalar code: shares of time of its four basic blocks",
        place: "Aciicmez 2004, section 4.2, figure 4.4, page 31",
        measure: aciicmez_2004::basic_blocks::measure,
    },
    Entry {
        id: "2004-4.5",
        title: "Latency and throughput of instructions by the size of registers",
        place: "Aciicmez 2004, section 4.2, figure 4.5, page 32",
        measure: aciicmez_2004::instructions::measure,
    },
    Entry {
        id: "2004-4.6",
        title: "SHA-1 and SHA-256 of several messages at once: 32-bit, MMX, XMM and today's registers",
        place: "Aciicmez 2004, figure 4.6, page 33",
        measure: aciicmez_2004::figure_4_6::measure,
    },
    Entry {
        id: "2004-4.7",
        title: "SHA-384 and SHA-512 of several messages at once: 32-bit, MMX, XMM and today's registers",
        place: "Aciicmez 2004, figure 4.7, page 34",
        measure: aciicmez_2004::figure_4_7::measure,
    },
    Entry {
        id: "2004-4.8",
        title: "Relative performance of public libraries, scalar code, MMX, XMM and wider registers",
        place: "Aciicmez 2004, figure 4.8, page 35",
        measure: aciicmez_2004::figure_4_8::measure,
    },
    Entry {
        id: "2004-appendix",
        title: "Scalar, MMX, XMM and YMM code: instruction mix and cycles per instruction",
        place: "Aciicmez 2004, appendix, pages 41 and 42",
        measure: aciicmez_2004::metrics::measure,
    },
    // Gueron & Krasnov 2012
    Entry {
        id: "2012-2",
        title: "SHA-256 of messages of 4 KiB from the caches and from memory",
        place: "Gueron & Krasnov 2012, section 4.2, figure 2",
        measure: gueron_krasnov_2012::figure_2::sha256,
    },
    Entry {
        id: "2012-2-sha512",
        title: "SHA-512 of messages of 4 KiB, which the paper leaves out",
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
    Entry {
        id: "2012-finalists",
        title: "Simultaneous hashing of BLAKE and Keccak, 4 KiB messages",
        place: "Gueron & Krasnov 2012, section 5, an open question",
        measure: finalists::simultaneous::measure,
    },
    // Gueron 2013
    Entry {
        id: "2013-updates",
        title: "Updates of linear and of j-lanes SHA-256",
        place: "Gueron 2013, sections 2.2 and 3",
        measure: gueron_2013::updates::measure,
    },
    Entry {
        id: "2013-1",
        title: "An 8 KiB message: linear, 4 lanes over linear code, 4 lanes in vectors",
        place: "Gueron 2013, figure 1",
        measure: gueron_2013::figure_1::measure,
    },
    Entry {
        id: "2013-2",
        title: "The choice of j: 8 KiB and 128 KiB",
        place: "Gueron 2013, figure 2",
        measure: gueron_2013::figure_2::measure,
    },
    Entry {
        id: "2013-3",
        title: "4 lanes and more by the length of the message, 2 KiB to 132 KiB",
        place: "Gueron 2013, figure 3",
        measure: gueron_2013::figure_3::measure,
    },
    Entry { id: "2013-4", title: "A long message: 1 MiB", place: "Gueron 2013, figure 4", measure: gueron_2013::figure_4::measure },
    Entry {
        id: "2013-5",
        title: "SHA-256, BLAKE and Keccak, linear and in tree mode",
        place: "Gueron 2013, figure 5",
        measure: gueron_2013::figure_5::measure,
    },
];
