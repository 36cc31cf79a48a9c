//! The output of `check`: a line for each file, and for each manifest what was wrong with it.

use super::Check;
use super::guess::Wrong;
use super::summary::{Standing, Summary};
use crate::colour::Colour;
use crate::message::{reason, say, say_in, say_of};
use crate::output::Output;
use crate::progress::Progress;
use crate::text::json_name::JsonName;
use crate::text::manifest::form::may_be_empty;
use crate::text::manifest::line::{Dialect, Entry};
use crate::text::quoting::quoted;
use indicatif::HumanCount;
use manyhash::AnyAlgorithm;
use manyhash_files::{Hashed, STDIN, file_name};
use serde::Serialize;
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
use std::vec;

pub(crate) struct Report<'a> {
    program: &'a OsStr,
    check: &'a Check,
    manifests: vec::IntoIter<OsString>,
    /// The name of the current manifest, as messages have it.
    manifest: Vec<u8>,
    counts: Counts,
    /// The smallest file of the current manifest that has another digest than listed.
    smallest_wrong: Option<Wrong>,
    summary: Summary,
    /// Missing files that were reported, named or not.
    missing: u64,
    progress: Progress,
    is_fine: bool,
    is_stopped: bool,
    output: Output,
}

/// The most missing files that are named, unless all are asked for.
const MOST_MISSING: u64 = 10;

/// A listed file that is not there.
#[derive(Debug)]
pub(crate) struct Absent {
    /// The name of the manifest, as messages have it.
    pub(crate) manifest: Vec<u8>,
    pub(crate) line: u64,
    pub(crate) entry: Entry,
    /// The system's words.
    pub(crate) why: String,
    /// The file's size, if the line says it.
    pub(crate) size_bytes: Option<u64>,
}

#[derive(Debug, Default)]
struct Counts {
    entries: u64,
    missing: u64,
    malformed_lines: u64,
    unreadable_files: u64,
    mismatches: u64,
    matches: u64,
}

enum Verdict {
    Right(Hashed),
    Wrong(Hashed),
    Missing(io::Error),
    Unreadable(io::Error),
    PassedOver,
}

impl<'a> Report<'a> {
    pub(crate) fn new(program: &'a OsStr, check: &'a Check, manifests: Vec<OsString>, progress: Progress) -> Self {
        let mut report = Self {
            program,
            check,
            manifests: manifests.into_iter(),
            manifest: Vec::new(),
            counts: Counts::default(),
            smallest_wrong: None,
            summary: Summary::default(),
            missing: 0,
            progress,
            is_fine: true,
            is_stopped: false,
            output: Output::stdout(),
        };
        report.next_manifest();
        report
    }

    pub(crate) fn is_fine(&self) -> bool {
        self.is_fine
    }

    /// Whether a line could not be hashed on the backend asked for.
    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Returns the name of the current manifest, as messages have it.
    pub(crate) fn manifest(&self) -> &[u8] {
        &self.manifest
    }

    pub(crate) fn summary(&mut self) -> &mut Summary {
        &mut self.summary
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        if self.output.is_terminal() {
            return self.progress.above(|| self.output.flush());
        }
        self.output.flush()
    }

    /// Prints a message on stderr, after the lines before it.
    fn say(&mut self, message: &[u8]) -> io::Result<()> {
        self.flush()?;
        self.progress.above(|| say(self.program, message));
        Ok(())
    }

    fn say_of(&mut self, path: &[u8], what: &str) -> io::Result<()> {
        self.flush()?;
        self.progress.above(|| say_of(self.program, path, what));
        Ok(())
    }

    /// Reports a failure that is not of a listed file.
    pub(crate) fn fail(&mut self, message: &str) -> io::Result<()> {
        self.is_fine = false;
        self.say(message.as_bytes())
    }

    /// Reports that nothing more can be hashed.
    pub(crate) fn stop(&mut self, message: &str) -> io::Result<()> {
        self.is_stopped = true;
        self.say(message.as_bytes())
    }

    pub(crate) fn finish(&mut self) -> io::Result<()> {
        std::mem::replace(&mut self.progress, Progress::none()).finish();
        if self.check.dialect == Dialect::Manyhash && !self.is_stopped {
            self.sum_up()?;
        }
        self.flush()
    }

    fn sum_up(&mut self) -> io::Result<()> {
        let unnamed = self.missing.saturating_sub(MOST_MISSING);
        if unnamed > 0 && !self.check.names_all_missing && !self.check.status {
            let (files, are) = if unnamed == 1 { ("file", "is") } else { ("files", "are") };
            self.say(format!("{} more {files} {are} missing; -vv names all", HumanCount(unnamed)).as_bytes())?;
        }
        if self.is_fine && self.summary.ok == 0 {
            self.is_fine = false;
            if !self.check.status {
                self.say(b"no file was verified")?;
            }
        }
        if self.check.json {
            return self.write_json(&JsonSummary { status: "summary", summary: self.summary });
        }
        let is_silent = self.check.status || (self.check.quiet && self.is_fine);
        // If no manifest could be opened, that is all there is to say.
        if !is_silent && self.summary.manifests > 0 {
            self.flush()?;
            say_in(self.program, Colour::Bold, &self.summary.line());
        }
        Ok(())
    }

    fn next_manifest(&mut self) {
        self.counts = Counts::default();
        self.smallest_wrong = None;
        self.manifest = match self.manifests.next() {
            Some(manifest) if manifest == STDIN => b"standard input".to_vec(),
            Some(manifest) => manifest.as_encoded_bytes().to_vec(),
            None => Vec::new(),
        };
    }

    /// Reports the file at `path`, which should have the digest of the entry in a line, and perhaps a size.
    /// If it is missing and `is_sought`, that is not reported: it may be found.
    pub(crate) fn entry(
        &mut self,
        path: &Path,
        (line, entry, expected_bytes): (u64, &Entry, Option<u64>),
        outcome: io::Result<Hashed>,
        is_sought: bool,
    ) -> io::Result<Standing> {
        self.counts.entries += 1;
        let verdict = match outcome {
            Ok(hashed) if expected_bytes.is_some_and(|bytes| bytes != hashed.bytes) => Verdict::Wrong(hashed),
            Ok(hashed) if hashed.digests.of(entry.algorithm) == &*entry.digest => Verdict::Right(hashed),
            Ok(hashed) => Verdict::Wrong(hashed),
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.check.ignore_missing => Verdict::PassedOver,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Verdict::Missing(error),
            Err(error) => Verdict::Unreadable(error),
        };
        self.count(&verdict);
        if let Verdict::Wrong(hashed) = &verdict
            && self.smallest_wrong.as_ref().is_none_or(|smallest| hashed.bytes < smallest.bytes)
        {
            self.smallest_wrong = Some(Wrong::new(path, entry, hashed.bytes));
        }
        if let (Verdict::Missing(error), Dialect::Manyhash) = (&verdict, self.check.dialect) {
            if !is_sought {
                self.missing(&self.manifest.clone(), line, entry, &reason(error))?;
            }
            return Ok(Standing::Missing);
        }
        if let Verdict::Missing(error) | Verdict::Unreadable(error) = &verdict {
            self.say_of(&file_name::bytes_of(path), &reason(error))?;
        }
        let is_silent = match &verdict {
            Verdict::PassedOver if !self.check.json => true,
            Verdict::PassedOver | Verdict::Right(_) => self.check.status || self.check.quiet,
            _ => self.check.status,
        };
        match (is_silent, self.check.json) {
            (true, _) => {}
            (_, true) => {
                let object = JsonCheck { expected_bytes, ..self.json_entry(line, entry, &verdict) };
                self.write_json(&object)?;
            }
            _ => {
                let (colour, what) = verdict.shown();
                self.write_line(&entry.name, colour, what, b"")?;
            }
        }
        Ok(verdict.standing())
    }

    /// Reports a file that is not there, and after the first ones only counts it.
    pub(crate) fn missing(&mut self, manifest: &[u8], line: u64, entry: &Entry, why: &str) -> io::Result<()> {
        self.missing += 1;
        if self.check.status {
            return Ok(());
        }
        if self.check.json {
            return self.write_json(&json_missing(manifest, line, entry, why));
        }
        if self.missing > MOST_MISSING && !self.check.names_all_missing {
            return Ok(());
        }
        self.write_line(&entry.name, Colour::Yellow, b"MISSING", b"")
    }

    /// Writes `NAME: WHAT`, and what comes behind it.
    fn write_line(&mut self, name: &[u8], colour: Colour, what: &[u8], behind: &[u8]) -> io::Result<()> {
        self.output.write_all(&[&quoted(name)[..], b": "].concat())?;
        self.output.write_in(colour, what)?;
        self.output.write_all(&[behind, b"\n"].concat())
    }

    fn count(&mut self, verdict: &Verdict) {
        let (counts, summary) = (&mut self.counts, &mut self.summary);
        match verdict {
            Verdict::Right(hashed) => {
                counts.matches += 1;
                summary.ok += 1;
                summary.bytes += hashed.bytes;
            }
            Verdict::Wrong(hashed) => {
                counts.mismatches += 1;
                summary.failed += 1;
                summary.bytes += hashed.bytes;
            }
            Verdict::Missing(_) => {
                counts.unreadable_files += 1;
                counts.missing += 1;
                summary.missing += 1;
            }
            Verdict::Unreadable(_) => {
                counts.unreadable_files += 1;
                summary.unreadable += 1;
            }
            Verdict::PassedOver => summary.passed_over += 1,
        }
    }

    /// Reports a file that no manifest lists.
    pub(crate) fn extra(&mut self, name: &[u8], size_bytes: u64) -> io::Result<()> {
        self.is_fine = false;
        self.summary.extra += 1;
        if self.check.status {
            return Ok(());
        }
        if self.check.json {
            return self.write_json(&JsonExtra { status: "extra", name: JsonName::of(name), bytes: size_bytes });
        }
        self.write_line(name, Colour::Yellow, b"NOT LISTED", b"")
    }

    /// Reports a missing file that was found under the name `name`.
    pub(crate) fn moved(&mut self, name: &[u8], missing: &Entry, bytes: u64) -> io::Result<()> {
        self.is_fine = false;
        self.summary.moved += 1;
        self.summary.missing = self.summary.missing.saturating_sub(1);
        if self.check.status {
            return Ok(());
        }
        if self.check.json {
            let (from, from_hex) = match str::from_utf8(&missing.name) {
                Ok(from) => (Some(from), None),
                Err(_) => (None, Some(const_hex::encode(&missing.name))),
            };
            let (algorithm, digest) = (missing.algorithms().name(missing.algorithm), const_hex::encode(&missing.digest));
            return self.write_json(&JsonMoved { status: "moved", name: JsonName::of(name), from, from_hex, algorithm, digest, bytes });
        }
        self.write_line(&missing.name, Colour::Yellow, b"MOVED", &[b" to ", &quoted(name)[..]].concat())
    }

    /// Reports a folder or file that the audit could not look into.
    pub(crate) fn closed(&mut self, path: &Path, error: &io::Error) -> io::Result<()> {
        self.is_fine = false;
        self.say_of(&file_name::bytes_of(path), &reason(error))
    }

    fn write_json(&mut self, object: &impl Serialize) -> io::Result<()> {
        let mut text = serde_json::to_vec(object)?;
        text.push(b'\n');
        self.output.write_all(&text)
    }

    fn json_entry<'e>(&self, line: u64, entry: &'e Entry, verdict: &Verdict) -> JsonCheck<'e> {
        let (status, hashed, error) = match verdict {
            Verdict::Right(hashed) => ("ok", Some(hashed), None),
            Verdict::Wrong(hashed) => ("failed", Some(hashed), None),
            Verdict::Missing(error) | Verdict::Unreadable(error) => ("unreadable", None, Some(reason(error))),
            Verdict::PassedOver => ("passed_over", None, None),
        };
        JsonCheck {
            status,
            digest: hashed.map(|hashed| const_hex::encode(hashed.digests.of(entry.algorithm))),
            bytes: hashed.map(|hashed| hashed.bytes),
            missing: false,
            error,
            ..json_missing(&self.manifest, line, entry, "")
        }
    }

    /// Reports a line without a meaning, of an algorithm of this name if one is known.
    pub(crate) fn malformed(&mut self, line: u64, tag: Option<&str>) -> io::Result<()> {
        self.counts.malformed_lines += 1;
        self.summary.malformed_lines += 1;
        if self.check.warn {
            let tag = tag.map_or_else(String::new, |tag| format!("{tag} "));
            self.say_of_manifest(&format!("{line}: improperly formatted {tag}checksum line"))?;
        }
        Ok(())
    }

    /// Ends a manifest, and reports what was wrong with it as a whole.
    pub(crate) fn end(&mut self, guessed: Option<AnyAlgorithm>, base: Option<&Path>) -> io::Result<()> {
        self.summary.manifests += 1;
        match self.check.dialect {
            Dialect::Gnu => self.end_as_gnu()?,
            Dialect::Manyhash => self.end_as_manyhash(guessed, base)?,
        }
        self.next_manifest();
        Ok(())
    }

    fn end_as_gnu(&mut self) -> io::Result<()> {
        let Counts { entries, malformed_lines, unreadable_files, mismatches, matches, .. } = self.counts;
        let passes = entries > 0 && matches > 0 && mismatches == 0 && unreadable_files == 0;
        self.is_fine &= passes && (malformed_lines == 0 || !self.check.strict);
        if entries == 0 {
            return self.say_of_manifest("no properly formatted checksum lines found");
        }
        if self.check.status {
            return Ok(());
        }
        for (count, one, many) in [
            (malformed_lines, "line is improperly formatted", "lines are improperly formatted"),
            (unreadable_files, "listed file could not be read", "listed files could not be read"),
            (mismatches, "computed checksum did NOT match", "computed checksums did NOT match"),
        ] {
            if count > 0 {
                let what = if count == 1 { one } else { many };
                self.say(format!("WARNING: {count} {what}").as_bytes())?;
            }
        }
        if self.check.ignore_missing && matches == 0 {
            self.say_of_manifest("no file was verified")?;
        }
        Ok(())
    }

    /// Ends a manifest as `manyhash check` does. It reports only what the summary cannot. `guessed` is an algorithm that
    /// nothing but the length of digests told, `base` the folder that names were relative to.
    fn end_as_manyhash(&mut self, guessed: Option<AnyAlgorithm>, base: Option<&Path>) -> io::Result<()> {
        let Counts { entries, missing, malformed_lines, unreadable_files, mismatches, matches } = self.counts;
        let is_rightly_empty = malformed_lines == 0 && may_be_empty(Path::new(&file_name::from_bytes(&self.manifest)));
        self.is_fine &= mismatches == 0 && unreadable_files == 0 && (malformed_lines == 0 || !self.check.strict);
        if entries == 0 && !is_rightly_empty {
            self.is_fine = false;
            self.say_of_manifest("no properly formatted checksum lines found")?;
        } else if malformed_lines > 0 && !self.check.status {
            let (plural, are) = if malformed_lines == 1 { ("", "is") } else { ("s", "are") };
            self.say_of_manifest(&format!("WARNING: {malformed_lines} line{plural} {are} improperly formatted"))?;
        }
        if self.check.status {
            return Ok(());
        }
        if missing > 0 && missing == entries {
            let folder = base.filter(|base| !base.as_os_str().is_empty());
            let folder = folder.map_or("the current folder".into(), |folder| shown(&file_name::bytes_of(folder)));
            self.say_of_manifest(&format!("nothing that it lists is there; names are relative to {folder}, -C DIR takes another"))?;
        }
        match self.smallest_wrong.take() {
            Some(wrong) if matches == 0 => self.doubt(&wrong, guessed),
            _ => Ok(()),
        }
    }

    /// Says which other algorithm the digests of a manifest may be of, none of which is right.
    fn doubt(&mut self, wrong: &Wrong, guessed: Option<AnyAlgorithm>) -> io::Result<()> {
        if let Some(other) = wrong.other_algorithm(guessed) {
            let name = shown(&file_name::bytes_of(&wrong.path));
            return self.say_of_manifest(&format!("{name} has this digest as {}: check with -a {other}", other.name()));
        }
        let untried: Vec<_> = wrong.untried(guessed).into_iter().map(AnyAlgorithm::name).collect();
        match (guessed, &*untried) {
            (None, _) | (_, []) => Ok(()),
            (Some(guessed), _) => {
                let others = untried.join(", ");
                self.say_of_manifest(&format!("no digest is right as {}; {others} have as many digits: -a says which", guessed.name()))
            }
        }
    }

    pub(crate) fn unopened(&mut self, error: &io::Error) -> io::Result<()> {
        self.is_fine = false;
        let is_folder = error.kind() == io::ErrorKind::IsADirectory && self.check.dialect == Dialect::Manyhash;
        let hint = if is_folder { "; there is no SHA256SUMS, bagit.txt or the like in it" } else { "" };
        self.say_of_manifest(&format!("{}{hint}", reason(error)))?;
        self.next_manifest();
        Ok(())
    }

    /// Reports a manifest that could not be read to its end.
    pub(crate) fn unreadable(&mut self, error: &io::Error) -> io::Result<()> {
        match self.check.dialect {
            Dialect::Gnu => self.unopened(&io::Error::other("read error")),
            Dialect::Manyhash => self.unopened(error),
        }
    }

    /// Reports something that is wrong with the current manifest.
    pub(crate) fn wrong(&mut self, what: &str) -> io::Result<()> {
        self.is_fine = false;
        self.say_of_manifest(what)
    }

    /// Says something of the current manifest that is not wrong.
    pub(crate) fn remark(&mut self, what: &str) -> io::Result<()> {
        if self.check.status { Ok(()) } else { self.say_of_manifest(what) }
    }

    fn say_of_manifest(&mut self, what: &str) -> io::Result<()> {
        self.flush()?;
        self.progress.above(|| say_of(self.program, &self.manifest, what));
        Ok(())
    }
}

impl Verdict {
    /// Returns how the report has it.
    fn shown(&self) -> (Colour, &'static [u8]) {
        match self {
            Self::Right(_) => (Colour::Green, b"OK"),
            Self::Wrong(_) => (Colour::Red, b"FAILED"),
            Self::Missing(_) | Self::Unreadable(_) | Self::PassedOver => (Colour::Red, b"FAILED open or read"),
        }
    }

    fn standing(&self) -> Standing {
        match self {
            Self::Right(_) => Standing::Right,
            Self::Wrong(_) => Standing::Wrong,
            Self::Missing(_) => Standing::Missing,
            Self::Unreadable(_) => Standing::Unreadable,
            Self::PassedOver => Standing::Belongs,
        }
    }
}

/// Returns a name as messages have it.
fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(&quoted(name)).into_owned()
}

fn json_missing<'e>(manifest: &[u8], line: u64, entry: &'e Entry, why: &str) -> JsonCheck<'e> {
    JsonCheck {
        manifest: String::from_utf8_lossy(manifest).into_owned(),
        line,
        name: JsonName::of(&entry.name),
        algorithm: entry.algorithms().name(entry.algorithm),
        status: "unreadable",
        expected_bytes: None,
        expected: const_hex::encode(&entry.digest),
        digest: None,
        bytes: None,
        missing: true,
        error: Some(why.to_string()),
    }
}

#[derive(Serialize)]
struct JsonCheck<'a> {
    manifest: String,
    line: u64,
    #[serde(flatten)]
    name: JsonName<'a>,
    algorithm: Cow<'static, str>,
    status: &'static str,
    expected: String,
    /// The size that the list says, if it counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    missing: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Serialize)]
struct JsonExtra<'a> {
    status: &'static str,
    #[serde(flatten)]
    name: JsonName<'a>,
    bytes: u64,
}

#[derive(Serialize)]
struct JsonMoved<'a> {
    status: &'static str,
    #[serde(flatten)]
    name: JsonName<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from_hex: Option<String>,
    algorithm: Cow<'static, str>,
    digest: String,
    bytes: u64,
}

#[derive(Serialize)]
struct JsonSummary {
    status: &'static str,
    #[serde(flatten)]
    summary: Summary,
}
