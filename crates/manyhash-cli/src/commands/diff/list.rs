//! The files of a list, each with all digests that consecutive lines say of it.

use crate::text::manifest::form::{Form, Parser};
use crate::text::manifest::line::{Dialect, Entry, Line};
use crate::text::manifest::reader::Reader;
use manyhash::AnyAlgorithm;
use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

/// A file as a list has it.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) name: Vec<u8>,
    /// The digests. There is none of a file that belongs there whatever its content.
    pub(super) entries: Vec<Entry>,
    /// The file's size, if the list says it.
    pub(super) bytes: Option<u64>,
}

/// A digest, and what its algorithm is called: with its length, where that is unusual.
pub(super) type NamedDigest<'a> = (Cow<'static, str>, &'a [u8]);

impl Listed {
    pub(super) fn digests(&self) -> Vec<NamedDigest<'_>> {
        self.entries.iter().map(|entry| (entry.algorithms().name(entry.algorithm), &*entry.digest)).collect()
    }
}

/// What a list has.
#[derive(Debug)]
pub(super) enum Item {
    File(Listed),
    /// A line without a meaning, by its number.
    Malformed(u64),
    /// Why the rest of the list cannot be read.
    Unreadable(io::Error),
}

pub(super) struct List {
    pub(super) path: PathBuf,
    reader: Option<Reader>,
    parser: Parser,
    ahead: Option<Item>,
}

impl List {
    pub(super) fn open(path: &Path, algorithm: Option<AnyAlgorithm>) -> io::Result<Self> {
        let mut parser = Parser::new(Dialect::Manyhash, algorithm);
        parser.begin(path);
        Ok(Self { path: path.to_path_buf(), reader: Some(Reader::open(path)?), parser, ahead: None })
    }

    /// Returns the form of the list, once a file came from it.
    pub(super) fn form(&self) -> Option<Form> {
        self.parser.form()
    }

    fn read(&mut self) -> Option<Item> {
        loop {
            return Some(match self.reader.as_mut()?.next(&mut self.parser) {
                Ok(None) => {
                    self.reader = None;
                    return None;
                }
                Err(error) => {
                    self.reader = None;
                    Item::Unreadable(error)
                }
                Ok(Some((_, Line::Comment))) => continue,
                Ok(Some((number, Line::Malformed | Line::Wrong(_) | Line::Remark(_)))) => Item::Malformed(number),
                Ok(Some((_, Line::Unhashed(name)))) => Item::File(Listed { name, entries: Vec::new(), bytes: None }),
                Ok(Some((_, Line::Entry { mut entry, size_bytes }))) => {
                    let name = std::mem::take(&mut entry.name);
                    Item::File(Listed { name, entries: vec![entry], bytes: size_bytes })
                }
            });
        }
    }
}

impl Iterator for List {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        let mut listed = match self.ahead.take().or_else(|| self.read())? {
            Item::File(listed) => listed,
            other => return Some(other),
        };
        loop {
            match self.read() {
                Some(Item::File(next)) if next.name == listed.name && !next.entries.is_empty() => {
                    listed.entries.extend(next.entries);
                    listed.bytes = listed.bytes.or(next.bytes);
                }
                other => {
                    self.ahead = other;
                    return Some(Item::File(listed));
                }
            }
        }
    }
}

/// Returns a name without what does not matter in it: `.`, and separators at its end or repeated.
pub(super) fn in_one_spelling(name: &[u8]) -> Vec<u8> {
    let parts = name.split(|&byte| byte == b'/').filter(|part| !part.is_empty() && *part != b".");
    let plain = parts.collect::<Vec<_>>().join(&b'/');
    match (name.first(), plain.is_empty()) {
        (Some(b'/'), _) => [b"/", &plain[..]].concat(),
        (_, true) => name.to_vec(),
        _ => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_one_spelling() {
        for (name, plain) in
            [("a/b", "a/b"), ("./a//b", "a/b"), ("a/./b/", "a/b"), ("//a", "/a"), ("../a", "../a"), (".", "."), ("-", "-"), ("/", "/")]
        {
            assert_eq!(in_one_spelling(name.as_bytes()), plain.as_bytes(), "{name}");
        }
    }
}
