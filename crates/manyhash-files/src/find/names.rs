//! The names in a folder, sorted.

use super::walk::Links;
use crate::file_name;
use crate::read::patiently;
use std::ffi::OsString;
use std::fs::{self, DirEntry, FileType};
use std::io;
use std::path::Path;

/// The kind of an entry, as its folder says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A link that is not followed.
    Link,
    /// Anything else.
    Special,
}

impl Entry {
    fn of(item: &DirEntry, links: Links) -> Self {
        match item.file_type() {
            Ok(kind) if kind.is_symlink() && links == Links::Skipped => Self::Link,
            Ok(kind) if kind.is_symlink() => fs::metadata(item.path()).map_or(Self::File, |target| Self::of_type(target.file_type())),
            Ok(kind) => Self::of_type(kind),
            // It is gone already, or unreadable: finding it again will say so.
            Err(_) => Self::File,
        }
    }

    fn of_type(kind: FileType) -> Self {
        match kind {
            kind if kind.is_file() => Self::File,
            kind if kind.is_dir() => Self::Folder,
            _ => Self::Special,
        }
    }
}

/// Names of a folder in their order, those of folders with `/` at their end: all names or, if these
/// are too many, the first ones.
#[derive(Debug, Default)]
pub struct Names {
    text: Vec<u8>,
    spans: Vec<Span>,
    /// Whether the folder has no more names after these.
    pub is_complete: bool,
}

#[derive(Clone, Copy, Debug)]
struct Span {
    start: u32,
    length: u16,
    entry: Entry,
}

impl Names {
    /// The names in the folder `path` that come after `after`, as many as `budget_bytes` can hold.
    pub fn read(path: &Path, after: Option<&[u8]>, links: Links, budget_bytes: usize) -> io::Result<Self> {
        let mut names = Self { is_complete: true, ..Self::default() };
        // The last name kept, once some did not fit.
        let mut last_kept: Option<Vec<u8>> = None;
        let mut key = Vec::new();
        for item in patiently(|| fs::read_dir(path))? {
            let item = item?;
            let entry = Entry::of(&item, links);
            key.clear();
            key.extend(item.file_name().as_encoded_bytes());
            if entry == Entry::Folder {
                key.push(b'/');
            }
            if after.is_some_and(|after| key.as_slice() <= after) || last_kept.as_ref().is_some_and(|last| key > *last) {
                continue;
            }
            names.push(&key, entry)?;
            if names.bytes() > budget_bytes && names.len() > 1 {
                last_kept = names.keep_first_ones();
            }
        }
        names.sort();
        Ok(names)
    }

    fn push(&mut self, key: &[u8], entry: Entry) -> io::Result<()> {
        // Doubling a large vector would waste what the budget saves.
        grow_by_a_quarter(&mut self.text, key.len());
        grow_by_a_quarter(&mut self.spans, 1);
        let (Ok(start), Ok(length)) = (self.text.len().try_into(), key.len().try_into()) else {
            return Err(io::ErrorKind::InvalidFilename.into());
        };
        self.text.extend(key);
        self.spans.push(Span { start, length, entry });
        Ok(())
    }

    fn sort(&mut self) {
        let text = &self.text;
        self.spans.sort_unstable_by(|a, b| a.of(text).cmp(b.of(text)));
    }

    /// Drops the last quarter of the names, so that this need not be done again soon, and gives the
    /// last name kept. This is done in place: two copies would be twice the memory.
    fn keep_first_ones(&mut self) -> Option<Vec<u8>> {
        self.sort();
        self.spans.truncate((self.len() * 3 / 4).max(1));
        let last = self.last_key().map(<[u8]>::to_vec);
        self.is_complete = false;
        self.spans.sort_unstable_by_key(|span| span.start);
        let mut end = 0;
        for span in &mut self.spans {
            let start = span.start as usize;
            self.text.copy_within(start..start + usize::from(span.length), end);
            span.start = end as u32;
            end += usize::from(span.length);
        }
        self.text.truncate(end);
        last
    }

    /// The memory of these names, in bytes.
    pub fn bytes(&self) -> usize {
        self.text.len() + self.len() * size_of::<Span>()
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// The bytes that the last name is sorted by.
    pub fn last_key(&self) -> Option<&[u8]> {
        Some(self.spans.last()?.of(&self.text))
    }

    /// The name at `index`, and the kind of its entry.
    pub fn name(&self, index: usize) -> Option<(OsString, Entry)> {
        let span = self.spans.get(index)?;
        let key = span.of(&self.text);
        Some((file_name::from_bytes(key.strip_suffix(b"/").unwrap_or(key)), span.entry))
    }
}

fn grow_by_a_quarter<T>(items: &mut Vec<T>, count: usize) {
    if items.capacity() - items.len() < count {
        items.reserve_exact((items.len() / 4).max(count).max(64));
    }
}

impl Span {
    #[expect(clippy::indexing_slicing, reason = "a span is made with the bytes that it is of, and moved with them")]
    fn of<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        &text[self.start as usize..][..usize::from(self.length)]
    }
}
