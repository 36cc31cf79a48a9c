//! `diff`: what was added, removed, changed or moved between two lists, or a list and a folder.
//! DIFF.md is the specification.
//!
//! The files of both sides go into a temporary database, so that memory does not depend on their
//! number, and come back from it in the order of their names.

mod compare;
mod folder;
mod list;
mod moves;
mod report;

use self::compare::{Comparison, Side};
use self::list::{Item, List};
use self::report::Report;
use crate::cache::Cache;
use crate::exit::{Failure, Outcome};
use crate::flags::DiffArguments;
use crate::message::{reason, say_of};
use crate::progress::Progress;
use crate::text::manifest::form::Form;
use crate::text::quoting::quoted;
use manyhash_files::STDIN;
use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::io;
use std::path::Path;

pub(crate) fn run(program: &OsStr, arguments: DiffArguments, verbosity: u8) -> Outcome {
    let DiffArguments { algorithm, directory, status, json, cache, work, old, new } = arguments;
    if [&old, &new].iter().all(|list| *list == STDIN) {
        return Err(Failure::usage("standard input cannot be both lists"));
    }
    if old != STDIN && Path::new(&old).is_dir() {
        let name = quoted(old.as_encoded_bytes());
        let hint = "OLD is a list, as `manyhash sum -r` makes one of a folder";
        return Err(Failure::usage(format!("{}: Is a directory; {hint}", String::from_utf8_lossy(&name))));
    }
    let is_folder = new != STDIN && Path::new(&new).is_dir();
    if directory.is_some() && !is_folder {
        return Err(Failure::usage("-C is for a list and a folder: the names of two lists are compared as they are"));
    }
    let name_of = |list: &OsStr| if list == STDIN { OsString::from("standard input") } else { list.to_owned() };
    let (old_name, new_name) = (name_of(&old), name_of(&new));
    let mut troubles = Troubles { program, progress: Progress::none(), any: false };
    let list = |path: &OsStr| List::open(Path::new(path), algorithm).map_err(|error| troubled(program, path, &error));
    let mut comparison = Comparison::new().map_err(|error| incomparable(&error))?;
    let first = list(&old)?;
    if is_folder {
        let call = folder::Call { program, work: &work, cache: Cache::open(program, &cache)?, verbosity };
        let result = folder::add(&call, first, Path::new(&new), directory, &mut comparison, &mut troubles);
        troubles.any |= !call.cache.finish(verbosity > 0);
        result?;
    } else {
        let second = list(&new)?;
        for (side, name, list) in [(Side::Old, &old_name, first), (Side::New, &new_name, second)] {
            add_list(&mut comparison, side, list, &mut troubles, name)?;
        }
    }
    let mut report = Report::new(program, json, status);
    let results = comparison.compare([&old_name, &new_name], &mut troubles)?;
    results.each(|result| report.take(result))?;
    let is_same = report.finish()?;
    if troubles.any { Err(Failure::said_usage()) } else { Ok(is_same) }
}

/// Adds the files of a list, by their names in one spelling.
fn add_list(comparison: &mut Comparison, side: Side, list: List, troubles: &mut Troubles, name: &OsStr) -> Result<(), Failure> {
    for item in list {
        match item {
            Item::File(listed) => {
                let key = list::in_one_spelling(&listed.name);
                comparison.add(side, &key, &key, &listed.digests(), listed.bytes).map_err(|error| incomparable(&error))?;
            }
            Item::Malformed(line) => troubles.malformed(name, line),
            Item::Unreadable(error) => return Err(troubled(troubles.program, name, &error)),
        }
    }
    Ok(())
}

/// What goes wrong with single lines and files. All the rest is compared, and the exit code is 2.
pub(crate) struct Troubles<'a> {
    program: &'a OsStr,
    progress: Progress,
    any: bool,
}

impl Troubles<'_> {
    fn say(&mut self, path: &[u8], what: impl Display) {
        self.any = true;
        self.progress.above(|| say_of(self.program, path, what));
    }

    fn end_progress(&mut self) {
        std::mem::replace(&mut self.progress, Progress::none()).finish();
    }

    fn malformed(&mut self, list: &OsStr, line: u64) {
        self.say(list.as_encoded_bytes(), format_args!("{line}: improperly formatted checksum line"));
    }
}

/// Says why a list or folder cannot be read.
fn troubled(program: &OsStr, path: &OsStr, error: &io::Error) -> Failure {
    say_of(program, path.as_encoded_bytes(), reason(error));
    Failure::said_usage()
}

fn incomparable(error: &io::Error) -> Failure {
    Failure::usage(format!("the files could not be compared: temporary file: {}", reason(error)))
}

/// Whether NAME `-` of a form is standard input.
fn is_stdin(name: &[u8], form: Option<Form>) -> bool {
    name == STDIN.as_bytes() && form == Some(Form::Text)
}
