//! A manifest that is read from a file or a stream, line by line.

use super::Lines;
use super::form::Parser;
use super::line::Line;
use manyhash_files::read::open;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// The lines of a manifest, with their meanings.
pub(crate) struct Reader {
    lines: Lines<Box<dyn BufRead + Send>>,
}

impl Reader {
    /// Opens the manifest at `path`, which may be standard input.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self::of(Box::new(BufReader::with_capacity(64 << 10, open(path)?))))
    }

    pub(crate) fn of(input: Box<dyn BufRead + Send>) -> Self {
        Self { lines: Lines::new(input) }
    }

    /// Returns the meaning of the next line that is not empty, as `parser` finds it, and its number.
    pub(crate) fn next(&mut self, parser: &mut Parser) -> io::Result<Option<(u64, Line)>> {
        Ok(self.lines.next_line()?.map(|(number, text)| (number, parser.parse(text))))
    }
}
