//! The summary of a check, in one line.

use indicatif::{DecimalBytes, HumanCount};
use serde::Serialize;

/// The result for a listed file. If a file has several, the last one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Standing {
    /// The file belongs there, and nothing else is known.
    Belongs,
    Right,
    Missing,
    Unreadable,
    /// The file has another digest than listed.
    Wrong,
}

/// The counts of a run. With `--audit` a file counts once, else once for each time it is listed.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Summary {
    /// Files with the digest listed.
    pub(crate) ok: u64,
    /// Files with another digest than listed.
    pub(crate) failed: u64,
    /// Files that are neither there nor moved.
    pub(crate) missing: u64,
    /// Files that are there but cannot be read.
    pub(crate) unreadable: u64,
    /// Files that are not there, which was to be ignored.
    pub(crate) passed_over: u64,
    /// Files that are there but not listed.
    pub(crate) extra: u64,
    /// Files that are there under another name.
    pub(crate) moved: u64,
    pub(crate) malformed_lines: u64,
    /// Bytes hashed for these counts.
    pub(crate) bytes: u64,
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
