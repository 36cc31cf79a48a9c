//! Gueron & Krasnov 2012: "Simultaneous hashing of multiple messages". A file for each figure, and
//! Algorithm 1.
//!
//! There are two texts: the preprint of July 2012, and the journal's (Journal of Information
//! Security 3). They differ in n-SMS: 11.58 and 11.47 cycles a byte, 2.25 and 2.24 times. The
//! journal's values are used, and its abstract still has 2.25.

use anyhow::Result;
use manyhash_measure::PaperSizes;

use crate::session::Session;

pub mod algorithm_1;
pub mod figure_2;
pub mod files;
pub mod memory;
pub mod occupancy;
pub mod predictions;
pub mod table_1;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folders_are_those_of_the_paper() {
        let diverse = Folder::Diverse.file_bytes(false).unwrap();
        assert_eq!((diverse.len(), diverse.iter().sum::<usize>()), (350, 82_833_129));
        assert_eq!((diverse.iter().min(), diverse.iter().max()), (Some(&3), Some(&7_533_568)));
        assert_eq!(Folder::Uniform.file_bytes(false).unwrap(), [18_623_835; 8]);
        assert_eq!(Folder::Uniform.file_bytes(true).unwrap(), [581_995; 8]);
    }
}
