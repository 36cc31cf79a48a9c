//! Names of files in a file or on standard input, read one after another: there may be more than
//! fit into memory.

use crate::file_name;
use crate::read::open;
use crate::task::STDIN;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The most bytes of a name: no system opens a file with a longer one.
const MAX_NAME_BYTES: usize = 64 << 10;

/// What ends a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum NameEnd {
    /// `\n`
    Newline = b'\n',
    /// `\0`
    Nul = 0,
}

/// A list of names.
pub struct NameList {
    /// The list's own name.
    path: PathBuf,
    input: Box<dyn BufRead + Send>,
    end: NameEnd,
    /// The position of the name read last, from 1.
    position: u64,
    is_over: bool,
}

/// What is wrong in a list: the list's name, and an error with the position of what is no name, or
/// the error that ended the list.
pub type NotAName = (PathBuf, io::Error);

impl NameList {
    /// The list at `path`; [`STDIN`] is standard input.
    pub fn open(path: &Path, end: NameEnd) -> io::Result<Self> {
        Ok(Self::of(path, Box::new(BufReader::with_capacity(64 << 10, open(path)?)), end))
    }

    /// The list in `input`, which errors call by the name `path`.
    pub fn of(path: &Path, input: Box<dyn BufRead + Send>, end: NameEnd) -> Self {
        Self { path: path.to_path_buf(), input, end, position: 0, is_over: false }
    }

    /// The same list from its beginning, if it is a file. A stream can be read only once.
    pub(super) fn again(&self) -> Option<Self> {
        let is_file = self.path.as_os_str() != STDIN && self.path.is_file();
        if is_file { Self::open(&self.path, self.end).ok() } else { None }
    }

    /// The next name, or what is wrong with it; nothing at the end of the list.
    fn read(&mut self) -> io::Result<Option<Result<Vec<u8>, &'static str>>> {
        let end = self.end as u8;
        let mut name = Vec::new();
        if (&mut self.input).take(MAX_NAME_BYTES as u64).read_until(end, &mut name)? == 0 {
            return Ok(None);
        }
        self.position += 1;
        let is_ended = name.pop_if(|last| *last == end).is_some();
        if !is_ended && name.len() == MAX_NAME_BYTES {
            self.input.skip_until(end)?;
            return Ok(Some(Err("name too long")));
        }
        Ok(Some(match &name[..] {
            b"" => Err("empty name"),
            _ if name.contains(&0) => Err("name with a NUL; --null is for names that end with one"),
            b"-" if self.path.as_os_str() == STDIN => Err("standard input is the list itself; a file of this name is ./-"),
            _ => Ok(name),
        }))
    }
}

impl Iterator for NameList {
    type Item = Result<OsString, NotAName>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let name = self.read().transpose()?;
        self.is_over = name.is_err();
        let because = |error| (self.path.clone(), error);
        Some(match name {
            Ok(Ok(name)) => Ok(file_name::from_bytes(&name)),
            Ok(Err(reason)) => Err(because(io::Error::new(io::ErrorKind::InvalidData, format!("{}: {reason}", self.position)))),
            Err(error) => Err(because(error)),
        })
    }
}

impl fmt::Debug for NameList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NameList").field("path", &self.path).field("position", &self.position).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &str, text: Vec<u8>, end: NameEnd) -> Vec<String> {
        let list = NameList::of(Path::new(path), Box::new(io::Cursor::new(text)), end);
        list.map(|name| match name {
            Ok(name) => name.into_string().unwrap(),
            Err((path, error)) => format!("{}: {error}", path.display()),
        })
        .collect()
    }

    #[test]
    fn each_name_ends_with_a_newline_or_a_nul_but_for_the_last() {
        assert_eq!(names("l", b"a\n b \r\nc".to_vec(), NameEnd::Newline), ["a", " b \r", "c"]);
        assert_eq!(names("l", b"a\nb\0-\0".to_vec(), NameEnd::Nul), ["a\nb", "-"]);
        assert!(names("l", Vec::new(), NameEnd::Newline).is_empty());
    }

    #[test]
    fn what_is_no_name_is_told_by_its_position_and_the_rest_is_read() {
        let text = [b"a\n\n", &[b'x'; 200_000][..], b"\nb\0c\n-\nd"].concat();
        assert_eq!(
            names("-", text, NameEnd::Newline),
            [
                "a",
                "-: 2: empty name",
                "-: 3: name too long",
                "-: 4: name with a NUL; --null is for names that end with one",
                "-: 5: standard input is the list itself; a file of this name is ./-",
                "d"
            ]
        );
        assert_eq!(names("l", b"\0\0a\0".to_vec(), NameEnd::Nul), ["l: 1: empty name", "l: 2: empty name", "a"]);
    }
}
