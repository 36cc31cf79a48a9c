//! The output of `diff`: a line or a JSON object for each file that is not the same.

use crate::message::say;
use crate::output::Output;
use crate::text::escapes::{escape, needs_escape};
use crate::text::json_name::JsonName;
use indicatif::HumanCount;
use serde::Serialize;
use std::ffi::OsStr;
use std::io::{self, Write};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Status {
    Added,
    Removed,
    Changed,
    Moved,
}

impl Status {
    pub(super) const ALL: [Self; 4] = [Self::Added, Self::Removed, Self::Changed, Self::Moved];

    fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
            Self::Moved => "moved",
        }
    }
}

/// A file that is not the same on both sides.
#[derive(Debug)]
pub(super) struct Difference {
    pub(super) status: Status,
    /// The file's name; of a moved file the old one.
    pub(super) name: Vec<u8>,
    /// The new name of a moved file.
    pub(super) to: Option<Vec<u8>>,
    pub(super) algorithm: Option<String>,
    pub(super) old_digest: Option<Vec<u8>>,
    pub(super) new_digest: Option<Vec<u8>>,
    /// The size of the new file, or of a removed one, if it is known.
    pub(super) bytes: Option<u64>,
}

/// What comes of the comparison, in order.
pub(super) enum Found {
    Difference(Difference),
    /// How many files are the same on both sides.
    Same(u64),
}

pub(super) struct Report<'a> {
    program: &'a OsStr,
    json: bool,
    status: bool,
    summary: Summary,
    output: Output,
}

#[derive(Debug, Default, Serialize)]
struct Summary {
    same: u64,
    added: u64,
    removed: u64,
    changed: u64,
    moved: u64,
}

impl<'a> Report<'a> {
    pub(super) fn new(program: &'a OsStr, json: bool, status: bool) -> Self {
        Self { program, json, status, summary: Summary::default(), output: Output::stdout() }
    }

    pub(super) fn take(&mut self, found: Found) -> io::Result<()> {
        let difference = match found {
            Found::Same(count) => {
                self.summary.same = count;
                return Ok(());
            }
            Found::Difference(difference) => difference,
        };
        let Summary { added, removed, changed, moved, .. } = &mut self.summary;
        *match difference.status {
            Status::Added => added,
            Status::Removed => removed,
            Status::Changed => changed,
            Status::Moved => moved,
        } += 1;
        match (self.status, self.json) {
            (true, _) => Ok(()),
            (_, true) => self.write_json(&Object::of(&difference)),
            _ => self.output.write_all(&line(&difference)),
        }
    }

    /// Prints the summary. Returns whether both sides are the same.
    pub(super) fn finish(mut self) -> io::Result<bool> {
        let Summary { same, added, removed, changed, moved } = self.summary;
        if self.json {
            let summary = JsonSummary { status: "summary", summary: std::mem::take(&mut self.summary) };
            self.write_json(&summary)?;
        }
        self.output.flush()?;
        if !self.json && !self.status {
            let mut text = format!("{} {} the same", HumanCount(same), if same == 1 { "file" } else { "files" });
            for (count, what) in [(added, "added"), (removed, "removed"), (changed, "changed"), (moved, "moved")] {
                if count > 0 {
                    text += &format!(", {} {what}", HumanCount(count));
                }
            }
            say(self.program, text.as_bytes());
        }
        Ok(added + removed + changed + moved == 0)
    }

    fn write_json(&mut self, object: &impl Serialize) -> io::Result<()> {
        let mut text = serde_json::to_vec(object)?;
        text.push(b'\n');
        self.output.write_all(&text)
    }
}

fn line(difference: &Difference) -> Vec<u8> {
    let names = [Some(&difference.name), difference.to.as_ref()];
    let escaped = names.iter().flatten().any(|name| needs_escape(name));
    let mut line = if escaped { b"\\".to_vec() } else { Vec::new() };
    line.extend(format!("{:<9}", difference.status.word()).as_bytes());
    for (index, name) in names.into_iter().flatten().enumerate() {
        if index > 0 {
            line.extend(b" -> ");
        }
        if escaped { escape(name, &mut line) } else { line.extend(name) }
    }
    line.push(b'\n');
    line
}

/// Keys are those of `check --json`.
#[derive(Serialize)]
struct Object<'a> {
    status: Status,
    #[serde(flatten)]
    name: JsonName<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from_hex: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    algorithm: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
}

impl<'a> Object<'a> {
    fn of(difference: &'a Difference) -> Self {
        let Difference { status, name, to, algorithm, old_digest, new_digest, bytes } = difference;
        let from = to.is_some().then_some(name);
        let (from, from_hex) = match from.map(|from| str::from_utf8(from)) {
            Some(Ok(from)) => (Some(from), None),
            Some(Err(_)) => (None, Some(const_hex::encode(name))),
            None => (None, None),
        };
        Self {
            status: *status,
            name: JsonName::of(to.as_ref().unwrap_or(name)),
            from,
            from_hex,
            algorithm: algorithm.as_deref(),
            expected: old_digest.as_ref().map(const_hex::encode),
            digest: new_digest.as_ref().map(const_hex::encode),
            bytes: *bytes,
        }
    }
}

#[derive(Serialize)]
struct JsonSummary {
    status: &'static str,
    #[serde(flatten)]
    summary: Summary,
}
