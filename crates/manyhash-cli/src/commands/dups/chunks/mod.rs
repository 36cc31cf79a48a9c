//! `dups --chunks`: what de-duplication would save if every chunk were stored once.
//!
//! ```text
//! walk ──> units ──> workers: read, cut, hash in lanes ──> turns ──> tally: is it new?
//! ```

mod cutting;
mod seen;
mod table;
mod units;
mod worker;

use self::seen::{Chunk, Seen};
use self::table::{About, Count, Table};
use self::units::{Division, Units};
use self::worker::{Event, Worker, buffer_bytes};
use crate::commands::passed_over::PassedOver;
use crate::exit::Outcome;
use crate::flags::{Chunking, DupsArguments};
use crate::message::{reason, say_of};
use crate::output::Output;
use crate::progress::Progress;
use manyhash_files::find::{Found, Options};
use manyhash_files::{CHANGED, Totals, file_name, in_turns};
use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most results that may wait for their turn. They take some 12 MB.
const MAX_WAITING: usize = 256 << 10;

/// Prints what de-duplication would save with this kind of chunks.
pub(crate) fn print(program: &OsStr, arguments: &DupsArguments, options: &Options, chunking: Chunking, verbosity: u8) -> Outcome {
    let totals = Arc::<Totals>::default();
    let unit_bytes = buffer_bytes(chunking) as u64;
    let division = Division {
        sizes: arguments.min_size..=arguments.max_size,
        depth: arguments.depth,
        unit_bytes,
        stretch_bytes: chunking.grid_bytes().map_or(u64::MAX, |grid| (16 * unit_bytes).next_multiple_of(grid as u64)),
    };
    let mut units = Units::new(walk(&arguments.paths, options, verbosity > 0), division, Arc::clone(&totals));
    let mut tally = Tally {
        program,
        progress: Progress::start(program, arguments.work.progress, &totals, || None),
        seen: Seen::new(usize::try_from(arguments.memory).unwrap_or(usize::MAX)),
        counts: Vec::new(),
        unreadable: 0,
        passed_over: PassedOver::new(verbosity),
        last_failed: PathBuf::new(),
    };
    let worker = || Worker::new(chunking, arguments.algorithm, Arc::clone(&totals));
    let take = |event| {
        tally.take(event);
        Ok::<_, Infallible>(())
    };
    let Ok(()) = in_turns(arguments.work.workers, MAX_WAITING, worker, |_| units.next(), Worker::run, take);
    let Tally { progress, seen, counts, unreadable, passed_over, .. } = tally;
    progress.finish();
    passed_over.say(program);
    let about = About { chunking, algorithm: arguments.algorithm, unreadable, sampled: seen.sampled() };
    let table = Table::new(units.into_folders(), counts);
    let mut out = Output::stdout();
    if arguments.json { table.write_json(&mut out, &about) } else { table.write_text(&mut out, &about) }?;
    Ok(unreadable == 0)
}

/// Walks `paths`. Each item comes with the number of components of the argument it was found under.
fn walk(paths: &[OsString], options: &Options, verbose: bool) -> impl Iterator<Item = (usize, Found)> + Send {
    paths.iter().flat_map(move |path| {
        let components = Path::new(path).components().count();
        super::walk(vec![path.clone()], options, verbose).map(move |found| (components, found))
    })
}

struct Tally<'a> {
    program: &'a OsStr,
    progress: Progress,
    seen: Seen,
    counts: Vec<Count>,
    unreadable: u64,
    passed_over: PassedOver,
    /// The last file that failed. Several stretches of one file may fail.
    last_failed: PathBuf,
}

impl Tally<'_> {
    #[expect(clippy::indexing_slicing, reason = "the list has just been made long enough")]
    fn count(&mut self, folder: usize) -> &mut Count {
        if self.counts.len() <= folder {
            self.counts.resize(folder + 1, Count::default());
        }
        &mut self.counts[folder]
    }

    fn failed(&mut self, path: PathBuf, why: &str) {
        if path != self.last_failed {
            self.unreadable += 1;
            self.say(&path, why);
            self.last_failed = path;
        }
    }

    fn say(&self, path: &Path, message: &str) {
        self.progress.above(|| say_of(self.program, &file_name::bytes_of(path), message));
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Chunk(folder, bytes, key) => {
                let chunk = self.seen.take(key);
                let count = self.count(folder);
                count.chunks += 1;
                count.bytes += u64::from(bytes);
                if let Chunk::Repeat(weight) = chunk {
                    count.repeated_chunks += weight;
                    count.saved_bytes += weight * u64::from(bytes);
                }
            }
            Event::File(folder) => self.count(folder).files += 1,
            Event::Skipped(path, what) => {
                if self.passed_over.meet(what) {
                    self.say(&path, &format!("skipped: {what}"));
                }
            }
            Event::Failed(path, error) => self.failed(path, &reason(&error)),
            Event::Changed(path) => self.failed(path, CHANGED),
        }
    }
}
