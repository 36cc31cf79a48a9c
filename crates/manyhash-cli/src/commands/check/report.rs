//! What `check` says: a line for each file, and for each manifest what was wrong with it.

use std::ffi::{OsStr, OsString};
use std::io::{self, BufWriter, StdoutLock, Write};
use std::vec;

use serde::Serialize;

use crate::file_name;
use crate::hexadecimal;
use crate::manifest::escapes::{escape, needs_escape};
use crate::manifest::line::{Dialect, Entry};
use crate::message::{reason, say, say_of};
use crate::output::JsonName;
use crate::pipeline::{Finished, Hashed, STDIN, Sink};

use super::Check;
use super::source::Step;

/// The report.
pub struct Report<'a> {
    program: &'a OsStr,
    check: &'a Check,
    manifests: vec::IntoIter<OsString>,
    /// The one at hand, as it is called in messages.
    manifest: Vec<u8>,
    counts: Counts,
    is_fine: bool,
    is_stopped: bool,
    output: BufWriter<StdoutLock<'static>>,
}

/// Of one manifest.
#[derive(Debug, Default)]
struct Counts {
    entries: u64,
    malformed_lines: u64,
    unreadable_files: u64,
    mismatches: u64,
    matches: u64,
}

enum Verdict {
    Right(Hashed),
    Wrong(Hashed),
    Unreadable(io::Error),
}

impl<'a> Report<'a> {
    /// A report on `manifests`.
    pub fn new(program: &'a OsStr, check: &'a Check, manifests: Vec<OsString>) -> Self {
        let mut report = Self {
            program,
            check,
            manifests: manifests.into_iter(),
            manifest: Vec::new(),
            counts: Counts::default(),
            is_fine: true,
            is_stopped: false,
            output: BufWriter::with_capacity(64 << 10, io::stdout().lock()),
        };
        report.next_manifest();
        report
    }

    /// Whether all was as it should be.
    pub fn is_fine(&self) -> bool {
        self.is_fine
    }

    /// Whether a line could not be hashed on the backend asked for.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Writes out what has been said.
    pub fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }

    fn next_manifest(&mut self) {
        self.counts = Counts::default();
        self.manifest = match self.manifests.next() {
            Some(manifest) if manifest == STDIN => b"standard input".to_vec(),
            Some(manifest) => manifest.as_encoded_bytes().to_vec(),
            None => Vec::new(),
        };
    }

    fn entry(&mut self, line: u64, entry: &Entry, path: &[u8], outcome: io::Result<Hashed>) -> io::Result<()> {
        self.counts.entries += 1;
        let verdict = match outcome {
            Ok(hashed) if hashed.digests.of(entry.algorithm) == &*entry.digest => Verdict::Right(hashed),
            Ok(hashed) => Verdict::Wrong(hashed),
            Err(error) if self.check.ignore_missing && error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => Verdict::Unreadable(error),
        };
        match &verdict {
            Verdict::Right(_) => self.counts.matches += 1,
            Verdict::Wrong(_) => self.counts.mismatches += 1,
            Verdict::Unreadable(error) => {
                self.counts.unreadable_files += 1;
                self.output.flush()?;
                say_of(self.program, path, reason(error));
            }
        }
        if self.check.status || (self.check.quiet && matches!(verdict, Verdict::Right(_))) {
            return Ok(());
        }
        let text = if self.check.json { self.json_line(line, entry, &verdict) } else { plain_line(&entry.name, &verdict) };
        self.output.write_all(&text)
    }

    fn json_line(&self, line: u64, entry: &Entry, verdict: &Verdict) -> Vec<u8> {
        let (status, hashed, error) = match verdict {
            Verdict::Right(hashed) => ("ok", Some(hashed), None),
            Verdict::Wrong(hashed) => ("failed", Some(hashed), None),
            Verdict::Unreadable(error) => ("unreadable", None, Some(reason(error))),
        };
        let object = JsonCheck {
            manifest: String::from_utf8_lossy(&self.manifest).into_owned(),
            line,
            name: JsonName::of(&entry.name),
            algorithm: entry.algorithm.name(),
            status,
            expected: hexadecimal::encoded(&entry.digest),
            digest: hashed.map(|hashed| hexadecimal::encoded(hashed.digests.of(entry.algorithm))),
            bytes: hashed.map(|hashed| hashed.bytes),
            error,
        };
        let mut text = serde_json::to_vec(&object).expect("strings and numbers are JSON");
        text.push(b'\n');
        text
    }

    fn malformed(&mut self, line: u64) -> io::Result<()> {
        self.counts.malformed_lines += 1;
        if self.check.warn {
            let tag = self.check.algorithm.map_or_else(String::new, |algorithm| algorithm.tag() + " ");
            self.say_of_manifest(&format!("{line}: improperly formatted {tag}checksum line"))?;
        }
        Ok(())
    }

    /// Says what was wrong with the manifest as a whole.
    fn end(&mut self) -> io::Result<()> {
        let Counts { entries, malformed_lines, unreadable_files, mismatches, matches } = self.counts;
        let passes = entries > 0 && matches > 0 && mismatches == 0 && unreadable_files == 0;
        self.is_fine &= passes && (malformed_lines == 0 || !self.check.strict);
        if entries == 0 {
            self.say_of_manifest("no properly formatted checksum lines found")?;
        } else if !self.check.status {
            for (count, one, many) in [
                (malformed_lines, "line is improperly formatted", "lines are improperly formatted"),
                (unreadable_files, "listed file could not be read", "listed files could not be read"),
                (mismatches, "computed checksum did NOT match", "computed checksums did NOT match"),
            ] {
                if count > 0 {
                    self.output.flush()?;
                    let what = if count == 1 { one } else { many };
                    say(self.program, format!("WARNING: {count} {what}").as_bytes());
                }
            }
            if self.check.ignore_missing && matches == 0 {
                self.say_of_manifest("no file was verified")?;
            }
        }
        self.next_manifest();
        Ok(())
    }

    fn say_of_manifest(&mut self, what: &str) -> io::Result<()> {
        self.output.flush()?;
        say_of(self.program, &self.manifest, what);
        Ok(())
    }
}

impl Sink<Step> for Report<'_> {
    fn take(&mut self, finished: Finished<Step>) -> io::Result<()> {
        let Finished { label, path, outcome } = finished;
        match label {
            Step::Entry { line, entry } => match outcome {
                Some(outcome) => self.entry(line, &entry, file_name::bytes_of(&path), outcome),
                None => Ok(()),
            },
            Step::Malformed { line } => self.malformed(line),
            Step::End => self.end(),
            Step::Unopened(error) => {
                self.is_fine = false;
                self.say_of_manifest(&reason(&error))?;
                self.next_manifest();
                Ok(())
            }
            Step::Unreadable(error) => {
                self.is_fine = false;
                match self.check.dialect {
                    Dialect::Gnu => self.say_of_manifest("read error")?,
                    Dialect::Manyhash => self.say_of_manifest(&reason(&error))?,
                }
                self.next_manifest();
                Ok(())
            }
            Step::NoBackend(message) => {
                self.is_stopped = true;
                self.output.flush()?;
                say(self.program, message.as_bytes());
                Ok(())
            }
        }
    }

    fn idle(&mut self) -> io::Result<()> {
        self.flush()
    }
}

fn plain_line(name: &[u8], verdict: &Verdict) -> Vec<u8> {
    let mut line = Vec::with_capacity(name.len() + 24);
    if needs_escape(name) {
        line.push(b'\\');
        escape(name, &mut line);
    } else {
        line.extend(name);
    }
    line.extend(match verdict {
        Verdict::Right(_) => &b": OK\n"[..],
        Verdict::Wrong(_) => b": FAILED\n",
        Verdict::Unreadable(_) => b": FAILED open or read\n",
    });
    line
}

#[derive(Serialize)]
struct JsonCheck<'a> {
    manifest: String,
    line: u64,
    #[serde(flatten)]
    name: JsonName<'a>,
    algorithm: &'static str,
    status: &'static str,
    expected: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}
