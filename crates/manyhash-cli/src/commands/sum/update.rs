//! `sum --update`: what the list has so far, and what became of it. CACHE.md, section 6, is the
//! specification.

use crate::exit::Failure;
use crate::message::{reason, say_of};
use crate::spill::{Fingerprints, Spill};
use crate::text::lines::Style;
use crate::text::manifest::form::{Form, Parser};
use crate::text::manifest::line::{Dialect, Entry, Line};
use crate::text::manifest::reader::Reader;
use indicatif::HumanCount;
use manyhash::AnyAlgorithm;
use manyhash_files::{Algorithms, Hashed, file_name};
use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A list to bring up to date.
pub(crate) struct Update {
    path: PathBuf,
    /// The algorithms of the list, in the order in which it has them.
    pub(super) algorithms: Vec<AnyAlgorithm>,
    pub(super) style: Style,
    old: Spill,
    fingerprints: Fingerprints,
    /// The number of files whose digests were known.
    pub(super) kept: Arc<AtomicU64>,
    counts: Counts,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    files: u64,
    new: u64,
    changed: u64,
}

impl Update {
    /// Reads the list at `path`. `given` are the algorithms asked for, which must be the list's. If
    /// there is no list yet, they are those of the new one.
    pub(super) fn read(program: &OsStr, path: &Path, given: &[AnyAlgorithm]) -> Result<Self, Failure> {
        let old = Spill::new(
            "CREATE TABLE old (name BLOB, algorithm INTEGER, digest BLOB, is_seen INTEGER, PRIMARY KEY (name, algorithm)) WITHOUT ROWID",
        );
        let mut update = Self {
            path: path.to_path_buf(),
            algorithms: given.to_vec(),
            style: Style::Text,
            old: old.map_err(|error| failed(&error))?,
            fingerprints: Fingerprints::default(),
            kept: Arc::default(),
            counts: Counts::default(),
        };
        match fs::metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(update),
            Err(error) => return Err(Failure::File(path.to_path_buf(), error)),
            Ok(metadata) if !metadata.is_file() => return Err(Failure::with(path, "is no regular file, so it cannot be replaced")),
            Ok(_) => {}
        }
        update.read_lines(program, given)?;
        Ok(update)
    }

    fn read_lines(&mut self, program: &OsStr, given: &[AnyAlgorithm]) -> Result<(), Failure> {
        let path = self.path.clone();
        let mut reader = Reader::open(&path).map_err(Failure::of(&path))?;
        let mut parser = Parser::new(Dialect::Manyhash, None);
        parser.begin(&path);
        let mut met: Vec<AnyAlgorithm> = Vec::new();
        let (mut is_tagged, mut has_comments) = (false, false);
        while let Some((number, line)) = reader.next(&mut parser).map_err(Failure::of(&path))? {
            let entry = match line {
                Line::Entry { entry, .. } if matches!(parser.form(), Some(Form::Text | Form::Json)) => entry,
                Line::Comment => {
                    has_comments = true;
                    continue;
                }
                Line::Malformed | Line::Wrong(_) | Line::Remark(_) => {
                    return Err(Failure::with(&path, format_args!("{number}: improperly formatted checksum line")));
                }
                _ => return Err(Failure::with(&path, "has a form that sum does not write; --update is for its text, tags and JSON")),
            };
            if entry.digest.len() != entry.algorithm.digest_bytes() {
                let name = entry.algorithms().name(entry.algorithm);
                return Err(Failure::with(&path, format_args!("{number}: {name} is an algorithm that sum does not have")));
            }
            is_tagged |= parser.is_tagged();
            if !met.contains(&entry.algorithm) {
                met.push(entry.algorithm);
            }
            self.note_old(&entry).map_err(|error| failed(&error))?;
        }
        if met.is_empty() {
            return Ok(());
        }
        self.style = match parser.form() {
            Some(Form::Json) => Style::Json,
            _ if is_tagged => Style::Tag,
            _ => Style::Text,
        };
        if has_comments {
            say_of(program, &file_name::bytes_of(&path), "comments are not kept");
        }
        self.algorithms = chosen(&path, met, given, parser.guessed())?;
        Ok(())
    }

    fn note_old(&self, entry: &Entry) -> io::Result<()> {
        let key = self.fingerprints.of(&entry.name);
        self.old.execute("INSERT OR REPLACE INTO old VALUES (?, ?, ?, 0)", (key, entry.algorithm as u8, &entry.digest))
    }

    /// Notes what became of a file.
    pub(super) fn note(&mut self, name: &[u8], hashed: &Hashed) -> io::Result<()> {
        let key = self.fingerprints.of(name);
        let (mut is_new, mut is_changed) = (true, false);
        for algorithm in hashed.digests.algorithms().iter() {
            let query = "SELECT digest FROM old WHERE name = ? AND algorithm = ?";
            if let Some(listed) = self.old.first(query, (key, algorithm as u8), |row| row.get::<_, Vec<u8>>(0))? {
                is_new = false;
                is_changed |= listed != hashed.digests.of(algorithm);
            }
        }
        if !is_new {
            self.old.execute("UPDATE old SET is_seen = 1 WHERE name = ?", [key])?;
        }
        self.counts.files += 1;
        self.counts.new += u64::from(is_new);
        self.counts.changed += u64::from(is_changed);
        Ok(())
    }

    /// Says how many files were kept, read and are gone.
    pub(super) fn say_counts(&self, program: &OsStr) -> io::Result<()> {
        let query = "SELECT count(DISTINCT name) FROM old WHERE is_seen = 0";
        let gone = self.old.first(query, (), |row| row.get(0).map(i64::cast_unsigned))?.unwrap_or(0);
        let Counts { files, new, changed } = self.counts;
        let kept = self.kept.load(Ordering::Relaxed);
        let [kept, read, new, changed, gone] = [kept, files.saturating_sub(kept), new, changed, gone].map(HumanCount);
        let text = format!("{kept} kept, {read} read, {gone} gone ({new} new, {changed} changed)");
        say_of(program, &file_name::bytes_of(&self.path), text);
        Ok(())
    }

    /// Says that the list stays as it was.
    pub(super) fn say_kept(&self, program: &OsStr) {
        say_of(program, &file_name::bytes_of(&self.path), "left as it was, because of these errors");
    }
}

/// Returns the algorithms of a list that has those in `met`. `guessed` is one of them that nothing
/// but the length of digests told.
fn chosen(
    path: &Path,
    met: Vec<AnyAlgorithm>,
    given: &[AnyAlgorithm],
    guessed: Option<AnyAlgorithm>,
) -> Result<Vec<AnyAlgorithm>, Failure> {
    if given.is_empty() || Algorithms::of(&met) == Algorithms::of(given) {
        return Ok(met);
    }
    if let (&[only], &[wanted], Some(guessed)) = (&met[..], given, guessed)
        && only == guessed
        && wanted.digest_bytes() == only.digest_bytes()
    {
        return Ok(vec![wanted]);
    }
    let names = |algorithms: &[AnyAlgorithm]| algorithms.iter().map(|algorithm| algorithm.name()).collect::<Vec<_>>().join(", ");
    let message = format!("{} has {}, not {}; without -a it keeps what it has", path.display(), names(&met), names(given));
    Err(Failure::usage(message))
}

/// Returns where the digests of a list are kept unless another place is given.
pub(super) fn cache_of(list: &Path) -> PathBuf {
    let mut name = list.as_os_str().to_os_string();
    name.push(".cache");
    name.into()
}

pub(super) fn failed(error: &io::Error) -> Failure {
    Failure::failed(format!("the list could not be compared: temporary file: {}", reason(error)))
}
