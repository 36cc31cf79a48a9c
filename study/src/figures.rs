//! The ONE list of figures, in the order of the papers. Their titles and places are in
//! `claims.toml`.

use anyhow::Result;

use crate::model::Figure;
use crate::session::Session;
use crate::{aciicmez_2004 as a2004, finalists, gueron_2013 as g2013, gueron_krasnov_2012 as gk2012};

/// A figure before it is measured.
pub struct Entry {
    /// The name it is asked for by: the year, and the number in the paper.
    pub id: &'static str,
    /// Measures it. What the study leaves out goes to `missing`. An error is a limit of the machine
    /// ([`crate::model::is_limit`]) or a defect.
    pub measure: fn(&Session) -> Result<Figure>,
}

/// The length of the longest name.
pub const ID_WIDTH: usize = 17;

pub const ALL: &[Entry] = &[
    Entry { id: "2004-3.3", measure: a2004::one_message::measure },
    Entry { id: "2004-4.1", measure: a2004::figure_4_1::measure },
    Entry { id: "2004-alignment", measure: a2004::alignment::measure },
    Entry { id: "2004-4.2", measure: a2004::figure_4_2::measure },
    Entry { id: "2004-4.3", measure: a2004::libraries::one_message },
    Entry { id: "2004-4.4", measure: a2004::basic_blocks::measure },
    Entry { id: "2004-4.5", measure: a2004::instructions::measure },
    Entry { id: "2004-4.6", measure: a2004::streams::sha1_and_sha256 },
    Entry { id: "2004-4.7", measure: a2004::streams::sha512 },
    Entry { id: "2004-4.8", measure: a2004::libraries::all },
    Entry { id: "2004-appendix", measure: a2004::metrics::measure },
    Entry { id: "2012-2", measure: gk2012::sha256 },
    Entry { id: "2012-2-sha512", measure: gk2012::sha512 },
    Entry { id: "2012-avx2", measure: gk2012::avx2 },
    Entry { id: "2012-table-1", measure: gk2012::table_1 },
    Entry { id: "2012-3", measure: gk2012::files::diverse },
    Entry { id: "2012-4", measure: gk2012::files::uniform },
    Entry { id: "2012-avx2-disk", measure: gk2012::files::avx2_disk },
    Entry { id: "2012-areas", measure: gk2012::files::areas },
    Entry { id: "2012-memory", measure: gk2012::memory },
    Entry { id: "2012-occupancy", measure: gk2012::occupancy::measure },
    Entry { id: "2012-finalists", measure: finalists::simultaneous },
    Entry { id: "2013-updates", measure: g2013::updates::measure },
    Entry { id: "2013-1", measure: g2013::figure_1 },
    Entry { id: "2013-2", measure: g2013::figure_2 },
    Entry { id: "2013-3", measure: g2013::figure_3 },
    Entry { id: "2013-4", measure: g2013::figure_4 },
    Entry { id: "2013-5", measure: finalists::tree_mode },
    Entry { id: "2013-tails", measure: g2013::tails },
    Entry { id: "2013-proportional", measure: g2013::proportional },
    Entry { id: "2013-avx2", measure: g2013::avx2 },
    Entry { id: "2013-one-j", measure: g2013::one_j },
    Entry { id: "2013-threads", measure: g2013::threads },
];
