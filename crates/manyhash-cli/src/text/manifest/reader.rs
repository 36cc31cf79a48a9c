//! A manifest that is read from a file or a stream: line by line, or as one document.

use super::form::Parser;
use super::line::Line;
use super::{Lines, MAX_LINE_BYTES, document, hub};
use manyhash_files::read::open;
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

/// The lines of a manifest, with their meanings.
pub(crate) struct Reader {
    input: Input,
    /// What comes next, before anything is read.
    ready: VecDeque<(u64, Line)>,
}

enum Input {
    /// Nothing was read yet.
    Unknown(Box<dyn BufRead + Send>),
    Lines(Lines<Box<dyn BufRead + Send>>),
    /// Everything was read.
    Over,
}

impl Reader {
    /// Opens the manifest at `path`, which may be standard input.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self::of(Box::new(BufReader::with_capacity(64 << 10, open(path)?))))
    }

    /// Reads what a folder of Hugging Face's libraries amounts to.
    pub(crate) fn of_hub(folder: &Path, parser: &mut Parser) -> io::Result<Self> {
        parser.is_hub();
        let lines = hub::read(folder, parser.wanted())?;
        Ok(Self { input: Input::Over, ready: (1..).zip(lines).collect() })
    }

    pub(crate) fn of(input: Box<dyn BufRead + Send>) -> Self {
        Self { input: Input::Unknown(input), ready: VecDeque::new() }
    }

    /// Returns the meaning of the next line that is not empty, as `parser` finds it, and its number.
    /// Lines that say several things come as often. In a document, files are numbered.
    pub(crate) fn next(&mut self, parser: &mut Parser) -> io::Result<Option<(u64, Line)>> {
        loop {
            if let Some(ready) = self.ready.pop_front() {
                return Ok(Some(ready));
            }
            match std::mem::replace(&mut self.input, Input::Over) {
                Input::Over => return Ok(None),
                Input::Unknown(input) => self.begin(input, parser)?,
                Input::Lines(mut lines) => {
                    let Some((number, text)) = lines.next_line()? else { return Ok(None) };
                    let first = parser.parse(text);
                    self.ready.push_back((number, first));
                    self.ready.extend(parser.more().map(|line| (number, line)));
                    self.input = Input::Lines(lines);
                }
            }
        }
    }

    /// Looks at the first line that is not empty, which tells whether this is a document.
    fn begin(&mut self, mut input: Box<dyn BufRead + Send>, parser: &mut Parser) -> io::Result<()> {
        if !parser.takes_documents() {
            self.input = Input::Lines(Lines::new(input));
            return Ok(());
        }
        let mut head = Vec::new();
        while head.len() < MAX_LINE_BYTES && head.iter().all(u8::is_ascii_whitespace) {
            let room = MAX_LINE_BYTES - head.len();
            if (&mut input).take(room as u64).read_until(b'\n', &mut head)? == 0 {
                // A terminal would be read again behind its end.
                input = Box::new(io::empty());
                break;
            }
        }
        let is_document = document::is_begun_by(&head);
        let input = Cursor::new(head).chain(input);
        if is_document {
            let (kind, lines) = document::read(input, parser.wanted())?;
            parser.is_document(kind);
            self.ready.extend(lines);
        } else {
            self.input = Input::Lines(Lines::new(Box::new(input)));
        }
        Ok(())
    }
}
