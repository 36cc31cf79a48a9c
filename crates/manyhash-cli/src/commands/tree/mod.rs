//! `tree`: digests of digests, whose many messages are hashed at once. `TREE.md` has the modes.

mod bitcoin;
mod bittorrent_v2;
mod cid;
mod dm_verity;
mod files;
mod fs_verity;
mod git;
mod glacier;
mod j_lanes;
mod j_pointers;
mod nar;
mod ranges;
mod rfc9162;
mod s3;
mod sha256tree;
mod small_files;
mod ssz;

use super::prepare_backends;
use crate::commands::sum::or_stdin;
use crate::exit::{Failure, Outcome};
use crate::flags::{FsVerityHash, ObjectFormat, TreeArguments, TreeMode, WorkArguments};
use crate::message::{reason, say_if_typed, say_of};
use crate::output::Output;
use crate::progress::{Ahead, Progress};
use manyhash::AnyAlgorithm;
use manyhash_files::{Totals, changed, file_name};
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

pub(crate) fn run(program: &OsStr, arguments: TreeArguments, verbosity: u8) -> Outcome {
    let TreeArguments { work, mode } = arguments;
    prepare_backends(program, mode.algorithm().into(), verbosity > 0).map_err(Failure::usage)?;
    let call = Call { program, work: &work, verbosity };
    match mode {
        TreeMode::JLanes(arguments) => j_lanes::run(&call, arguments),
        TreeMode::JPointers(arguments) => j_pointers::run(&call, arguments),
        TreeMode::Files(arguments) => files::run(&call, arguments),
        TreeMode::S3(arguments) => s3::run(&call, arguments),
        TreeMode::Glacier(arguments) => glacier::run(&call, arguments),
        TreeMode::FsVerity(arguments) => fs_verity::run(&call, arguments),
        TreeMode::DmVerity(arguments) => dm_verity::run(&call, arguments),
        TreeMode::BittorrentV2(arguments) => bittorrent_v2::run(&call, arguments),
        TreeMode::Sha256tree(arguments) => sha256tree::run(&call, arguments),
        TreeMode::Rfc9162(arguments) => rfc9162::run(&call, arguments),
        TreeMode::Ssz(arguments) => ssz::run(&call, arguments),
        TreeMode::Bitcoin(arguments) => bitcoin::run(&call, arguments),
        TreeMode::Git(arguments) => git::run(&call, arguments),
        TreeMode::Cid(arguments) => cid::run(&call, arguments),
        TreeMode::Nar(arguments) => nar::run(&call, arguments),
    }
}

impl TreeMode {
    fn algorithm(&self) -> AnyAlgorithm {
        match self {
            Self::JLanes(arguments) | Self::JPointers(arguments) => arguments.algorithm,
            Self::Files(arguments) => arguments.algorithm,
            Self::FsVerity(arguments) => match arguments.hash_alg {
                FsVerityHash::Sha256 => AnyAlgorithm::Sha256,
                FsVerityHash::Sha512 => AnyAlgorithm::Sha512,
            },
            Self::DmVerity(arguments) => arguments.hash,
            Self::S3(arguments) if arguments.etag => AnyAlgorithm::Md5,
            Self::S3(arguments) => arguments.algorithm,
            Self::Git(arguments) => match arguments.object_format {
                ObjectFormat::Sha1 => AnyAlgorithm::Sha1,
                ObjectFormat::Sha256 => AnyAlgorithm::Sha256,
            },
            Self::Nar(arguments) => arguments.algorithm,
            Self::BittorrentV2(_) | Self::Glacier(_) => AnyAlgorithm::Sha256,
            Self::Sha256tree(_) | Self::Rfc9162(_) | Self::Ssz(_) | Self::Bitcoin(_) | Self::Cid(_) => AnyAlgorithm::Sha256,
        }
    }
}

struct Call<'a> {
    program: &'a OsStr,
    work: &'a WorkArguments,
    verbosity: u8,
}

impl<'a> Call<'a> {
    /// Returns the files to read, and says so if somebody has to type one.
    fn inputs(&self, files: Vec<OsString>) -> Vec<OsString> {
        let files = or_stdin(files);
        say_if_typed(self.program, &files);
        files
    }

    /// Returns the number of threads that hash.
    fn workers(&self) -> usize {
        self.work.workers
    }

    /// Creates the report of a run, with the progress of `totals` above it.
    fn report(&self, totals: &Arc<Totals>) -> Report<'a> {
        self.report_counting(totals, || None)
    }

    /// Does the same where `ahead` tells how to count what there is.
    fn report_counting(&self, totals: &Arc<Totals>, ahead: impl FnOnce() -> Option<Ahead>) -> Report<'a> {
        let progress = Progress::start(self.program, self.work.progress, totals, ahead);
        Report { program: self.program, output: Output::stdout(), progress, all_read: true }
    }
}

/// Prints the results of files, in their order.
struct Report<'a> {
    program: &'a OsStr,
    output: Output,
    progress: Progress,
    all_read: bool,
}

impl Report<'_> {
    /// Prints the line of the file at `path`, or why there is none.
    fn take(&mut self, path: &Path, line: io::Result<Vec<u8>>) -> io::Result<()> {
        match line {
            Ok(line) => self.output.write_all(&line),
            Err(error) => {
                self.all_read = false;
                self.say(path, reason(&error))
            }
        }
    }

    /// Prints a message about a file, after all that was printed before.
    fn say(&mut self, path: &Path, what: impl std::fmt::Display) -> io::Result<()> {
        self.idle()?;
        self.progress.above(|| say_of(self.program, &file_name::bytes_of(path), what));
        Ok(())
    }

    fn idle(&mut self) -> io::Result<()> {
        if self.output.is_terminal() {
            return self.progress.above(|| self.output.flush());
        }
        self.output.flush()
    }

    fn finish(self, result: io::Result<()>) -> Outcome {
        self.progress.finish();
        result?;
        self.output.finish()?;
        Ok(self.all_read)
    }
}
