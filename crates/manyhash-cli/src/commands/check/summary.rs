//! What came out, in one line.

use indicatif::{DecimalBytes, HumanCount};
use serde::Serialize;

/// How it is with a listed file. Of several for one file the last one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Standing {
    /// It belongs there, and no more is known.
    Belongs,
    Right,
    Missing,
    Unreadable,
    /// It is another.
    Wrong,
}

/// Counts of a run. Of files: each once with `--audit`, else once for each time it is listed.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Summary {
    /// As listed.
    pub(crate) ok: u64,
    /// Other than listed.
    pub(crate) failed: u64,
    /// Not there, nor moved.
    pub(crate) missing: u64,
    /// There but not to be read.
    pub(crate) unreadable: u64,
    /// Not there, which was to be ignored.
    pub(crate) passed_over: u64,
    /// There but not listed.
    pub(crate) extra: u64,
    /// There under another name.
    pub(crate) moved: u64,
    /// Lines that say nothing.
    pub(crate) malformed_lines: u64,
    /// Bytes hashed to know all that.
    pub(crate) bytes: u64,
    /// Manifests that could be opened.
    pub(crate) manifests: u64,
}

impl Summary {
    pub(crate) fn line(&self) -> String {
        let files = |count: u64| if count == 1 { "file" } else { "files" };
        let mut line = format!("{} {} OK", HumanCount(self.ok), files(self.ok));
        for (count, what) in [
            (self.failed, "FAILED"),
            (self.missing, "missing"),
            (self.unreadable, "unreadable"),
            (self.passed_over, "passed over"),
            (self.moved, "moved"),
            (self.extra, "not listed"),
            (self.malformed_lines, if self.malformed_lines == 1 { "malformed line" } else { "malformed lines" }),
        ] {
            if count > 0 {
                line += &format!(", {} {what}", HumanCount(count));
            }
        }
        let plural = if self.manifests == 1 { "" } else { "s" };
        line + &format!(" ({}, {} manifest{plural})", DecimalBytes(self.bytes), HumanCount(self.manifests))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_there_is_is_counted() {
        let fine = Summary { ok: 1, bytes: 3, manifests: 1, ..Summary::default() };
        assert_eq!(fine.line(), "1 file OK (3 B, 1 manifest)");
        let summary =
            Summary { ok: 12_345, failed: 2, missing: 1, extra: 3, malformed_lines: 1, bytes: 4_200_000_000, manifests: 5, ..fine };
        assert_eq!(summary.line(), "12,345 files OK, 2 FAILED, 1 missing, 3 not listed, 1 malformed line (4.20 GB, 5 manifests)");
    }
}
