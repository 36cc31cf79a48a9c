//! Groups of duplicates as text or JSON, in the formats of `DUPS.md`.

use super::files::Files;
use super::group::{Group, Links};
use crate::text::escapes::{escape, needs_escape};
use crate::text::json_name::JsonName;
use manyhash::AnyAlgorithm;
use serde::Serialize;
use std::io::{self, Write};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// One name a line, with an empty line between groups.
    Lines,
    /// Like `Lines`, but with NULs in place of newlines and with names unchanged.
    Nul,
    /// One JSON object a line.
    Json,
}

/// The totals over all groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Summary {
    pub(crate) groups: u64,
    pub(crate) files: u64,
    /// The number of further names of these files.
    pub(crate) links: u64,
    /// The bytes that all but one file of each group take.
    pub(crate) wasted_bytes: u64,
    /// The number of names looked at.
    pub(crate) scanned: u64,
    /// The number of files that could not be read, or changed meanwhile.
    pub(crate) unreadable: u64,
}

#[derive(Serialize)]
struct JsonGroup<'a> {
    bytes: u64,
    algorithm: &'static str,
    digest: String,
    wasted_bytes: u64,
    files: Vec<JsonFile<'a>>,
}

#[derive(Serialize)]
struct JsonFile<'a> {
    #[serde(flatten)]
    name: JsonName<'a>,
    links: Vec<JsonName<'a>>,
}

impl<'a> JsonFile<'a> {
    /// Returns a file of these names, or `None` if there are none.
    fn of(names: &'a [Vec<u8>]) -> Option<Self> {
        let (name, links) = names.split_first()?;
        Some(Self { name: JsonName::of(name), links: links.iter().map(|link| JsonName::of(link)).collect() })
    }
}

pub(crate) struct Report<'a, W> {
    pub(crate) out: &'a mut W,
    pub(crate) style: Style,
    pub(crate) algorithm: AnyAlgorithm,
    pub(crate) summary: Summary,
}

impl<W: Write> Report<'_, W> {
    /// Writes a group. Files are in byte order of their first names, and so are each file's names.
    pub(crate) fn group(&mut self, group: &Group, files: &Files, links: &Links) -> io::Result<()> {
        let names_of = |&number: &u32| {
            let mut names: Vec<_> = std::iter::once(number).chain(links.of(number)).map(|number| files.path_bytes(number)).collect();
            names.sort_unstable();
            // A name found twice is listed once.
            names.dedup();
            names
        };
        let mut members: Vec<Vec<Vec<u8>>> = group.files.iter().map(names_of).collect();
        members.sort_unstable();
        match self.style {
            Style::Lines | Style::Nul => self.text(&members)?,
            Style::Json => self.json(group, &members)?,
        }
        self.summary.groups += 1;
        self.summary.files += members.len() as u64;
        self.summary.links += members.iter().map(|names| names.len() as u64 - 1).sum::<u64>();
        self.summary.wasted_bytes = self.summary.wasted_bytes.saturating_add(group.wasted_bytes());
        Ok(())
    }

    fn text(&mut self, members: &[Vec<Vec<u8>>]) -> io::Result<()> {
        let end = if self.style == Style::Nul { b"\0" } else { b"\n" };
        if self.summary.groups > 0 {
            self.out.write_all(end)?;
        }
        let mut line = Vec::new();
        for name in members.iter().flatten() {
            line.clear();
            if self.style == Style::Lines && needs_escape(name) {
                line.push(b'\\');
                escape(name, &mut line);
            } else {
                line.extend(name);
            }
            line.extend(end);
            self.out.write_all(&line)?;
        }
        Ok(())
    }

    fn json(&mut self, group: &Group, members: &[Vec<Vec<u8>>]) -> io::Result<()> {
        self.object(&JsonGroup {
            bytes: group.size_bytes,
            algorithm: self.algorithm.name(),
            digest: const_hex::encode(&group.digest),
            wasted_bytes: group.wasted_bytes(),
            files: members.iter().filter_map(|names| JsonFile::of(names)).collect(),
        })
    }

    fn object(&mut self, object: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut *self.out, object)?;
        self.out.write_all(b"\n")
    }

    /// Ends the report, in JSON with the summary.
    pub(crate) fn finish(mut self) -> io::Result<Summary> {
        #[derive(Serialize)]
        struct Last {
            summary: Summary,
        }
        if self.style == Style::Json {
            self.object(&Last { summary: self.summary })?;
        }
        self.out.flush()?;
        Ok(self.summary)
    }
}
