//! `tree files`: the digest of the digests of a list of files, in the order given.

use super::{Call, Report, changed};
use crate::exit::Outcome;
use crate::flags::FilesArguments;
use manyhash_files::find::{Readable, hashing, look_at};
use manyhash_files::{Algorithms, Finished, Hashed, Hashers, Settings, Sink, Task, hash_files};
use std::io::{self, Write};
use std::path::PathBuf;

pub(crate) fn run(call: &Call<'_>, arguments: FilesArguments) -> Outcome {
    let FilesArguments { algorithm, files } = arguments;
    let settings = Settings::new(call.work.workers);
    let source = call.inputs(files).into_iter().map(move |file| {
        let path = PathBuf::from(file);
        let what = look_at(&path);
        // A file that the system makes up when it is read has no size before.
        let expected_bytes = match what {
            Ok(Readable::File { size_bytes, .. }) if size_bytes > 0 => Some(size_bytes),
            _ => None,
        };
        Task { label: expected_bytes, work: hashing(what, algorithm.into()), path }
    });
    let mut wrap = Wrap { hashers: Algorithms::from(algorithm).hashers(), report: call.report(&settings.totals) };
    let result = hash_files(source, &settings, &mut wrap);
    let Wrap { hashers, mut report } = wrap;
    let digest = const_hex::encode(hashers.finalize().bytes());
    // If a file is missing, the digest would be that of another list.
    let result = result.and_then(|()| if report.all_read { writeln!(report.output, "{digest}") } else { Ok(()) });
    report.finish(result)
}

struct Wrap<'a> {
    hashers: Hashers,
    report: Report<'a>,
}

impl Sink<Option<u64>> for Wrap<'_> {
    fn take(&mut self, finished: Finished<Option<u64>>) -> io::Result<()> {
        match Hashed::of(finished.outcome) {
            Ok(hashed) if finished.label.is_some_and(|expected_bytes| hashed.bytes != expected_bytes) => {
                self.report.take(&finished.path, Err(changed()))?;
            }
            Ok(hashed) => self.hashers.update(hashed.digests.bytes()),
            Err(error) => self.report.take(&finished.path, Err(error))?,
        }
        Ok(())
    }

    fn idle(&mut self) -> io::Result<()> {
        self.report.idle()
    }
}
