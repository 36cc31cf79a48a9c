//! `tree files`: one digest of a list of files, the digest of their digests in the order given.

use super::{Call, Report, changed};
use crate::commands::sum::or_stdin;
use crate::exit::Outcome;
use crate::flags::FilesArguments;
use manyhash::{Algorithm, ForAlgorithm, Hasher};
use manyhash_files::find::{Readable, hashing, look_at};
use manyhash_files::{Finished, Settings, Sink, Task, hash_files};
use std::io::{self, Write};
use std::path::PathBuf;

pub(crate) fn run(call: &Call<'_>, arguments: FilesArguments) -> Outcome {
    arguments.algorithm.with(Print { call, arguments })
}

struct Print<'a> {
    call: &'a Call<'a>,
    arguments: FilesArguments,
}

impl ForAlgorithm for Print<'_> {
    type Output = Outcome;

    fn run<A: Algorithm>(self) -> Outcome {
        let Self { call, arguments: FilesArguments { algorithm, files } } = self;
        let settings = Settings::new(call.work.workers());
        let source = or_stdin(files).into_iter().map(move |file| {
            let path = PathBuf::from(file);
            let what = look_at(&path);
            // A file that the system makes up when it is read has no size before.
            let expected_bytes = match what {
                Ok(Readable::File { size_bytes, .. }) if size_bytes > 0 => Some(size_bytes),
                _ => None,
            };
            Task { label: expected_bytes, work: hashing(what, algorithm.into()), path }
        });
        let mut wrap = Wrap::<A> { hasher: Hasher::new(), report: call.report(&settings.totals) };
        let result = hash_files(source, &settings, &mut wrap);
        let Wrap { hasher, mut report } = wrap;
        let digest = const_hex::encode(hasher.finalize().as_ref());
        // Of some of the files it would be the digest of another list.
        let result = result.and_then(|()| if report.all_read { writeln!(report.output, "{digest}") } else { Ok(()) });
        report.finish(result)
    }
}

struct Wrap<'a, A: Algorithm> {
    hasher: Hasher<A>,
    report: Report<'a>,
}

impl<A: Algorithm> Sink<Option<u64>> for Wrap<'_, A> {
    fn take(&mut self, finished: Finished<Option<u64>>) -> io::Result<()> {
        match finished.outcome.expect("each file is hashed") {
            Ok(hashed) if finished.label.is_some_and(|expected_bytes| hashed.bytes != expected_bytes) => {
                self.report.take(&finished.path, Err(changed()))?;
            }
            Ok(hashed) => self.hasher.update(hashed.digests.bytes()),
            Err(error) => self.report.take(&finished.path, Err(error))?,
        }
        Ok(())
    }

    fn idle(&mut self) -> io::Result<()> {
        self.report.idle()
    }
}
