//! The progress on stderr: bytes, rate, time left, files, and the file that will take longest.
//!
//! A terminal shows a bar, redrawn ten times a second; others, if asked for, a line every second.

use crate::message::say;
use crate::text::quoting::quoted;
use clap::ValueEnum;
use indicatif::{DecimalBytes, HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use manyhash_files::{Counts, Totals, threads};
use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The time before the bar appears. Work that takes less needs none.
const PATIENCE: Duration = Duration::from_secs(1);
const REDRAW_EVERY: Duration = Duration::from_millis(100);
const LINE_EVERY: Duration = Duration::from_secs(1);

/// When progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressWhen {
    /// On a terminal, if it takes more than a second.
    Auto,
    /// From the beginning, terminal or not.
    Always,
    /// Not at all.
    Never,
}

pub(crate) struct Progress(Option<Shown>);

struct Shown {
    bar: ProgressBar,
    stop: mpsc::Sender<()>,
    thread: JoinHandle<()>,
}

impl Progress {
    pub(crate) fn none() -> Self {
        Self(None)
    }

    /// Starts a thread that shows `totals` as they grow.
    pub(crate) fn start(program: &OsStr, when: ProgressWhen, totals: &Arc<Totals>) -> Self {
        let is_terminal = io::stderr().is_terminal();
        if when == ProgressWhen::Never || (when == ProgressWhen::Auto && !is_terminal) {
            return Self::none();
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let (stop, stopped) = mpsc::channel();
        let view = View { program: program.to_owned(), when, is_terminal, bar: bar.clone(), totals: Arc::clone(totals) };
        // If the system allows no thread, the work goes on without a bar.
        let thread = threads::start("progress", view, move |view| view.show_until(&stopped)).ok();
        Self(thread.map(|thread| Shown { bar, stop, thread }))
    }

    /// Takes the bar away while `write` writes to the terminal.
    pub(crate) fn above<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.0 {
            None => write(),
            Some(shown) => shown.bar.suspend(write),
        }
    }

    /// Takes the bar away, or writes the last line.
    pub(crate) fn finish(self) {
        if let Some(Shown { stop, thread, .. }) = self.0 {
            drop(stop);
            let _ = thread.join();
        }
    }
}

struct View {
    program: OsString,
    when: ProgressWhen,
    is_terminal: bool,
    bar: ProgressBar,
    totals: Arc<Totals>,
}

impl View {
    fn show_until(self, stopped: &mpsc::Receiver<()>) {
        let begin = Instant::now();
        let waits = |time| stopped.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
        if !self.is_terminal {
            while waits(LINE_EVERY) {
                self.say_line(begin.elapsed());
            }
            self.say_line(begin.elapsed());
            return;
        }
        if self.when == ProgressWhen::Auto && !waits(PATIENCE) {
            return;
        }
        let style =
            ProgressStyle::with_template("{bar:25} {decimal_bytes}/{decimal_total_bytes} {decimal_bytes_per_sec}, {eta} left, {wide_msg}");
        if let Ok(style) = style {
            self.bar.set_style(style);
        }
        self.bar.set_draw_target(ProgressDrawTarget::stderr());
        loop {
            let Counts { found_files, found_bytes, done_files, done_bytes } = self.totals.now();
            self.bar.set_length(found_bytes);
            self.bar.set_position(done_bytes);
            let slowest = self.totals.slowest().map_or_else(String::new, |slowest| of_slowest(&slowest));
            self.bar.set_message(format!("{}/{} files{slowest}", HumanCount(done_files), HumanCount(found_files)));
            if !waits(REDRAW_EVERY) {
                break;
            }
        }
        self.bar.finish_and_clear();
    }

    fn say_line(&self, elapsed: Duration) {
        let Counts { found_files, found_bytes, done_files, done_bytes } = self.totals.now();
        let rate = done_bytes as f64 / elapsed.as_secs_f64().max(1e-9);
        let line = format!(
            "{done_files}/{found_files} files, {}/{}, {}/s",
            DecimalBytes(done_bytes),
            DecimalBytes(found_bytes),
            DecimalBytes(rate as u64),
        );
        say(&self.program, line.as_bytes());
    }
}

/// Formats the name of the file that takes longest, and how many percent of it are read.
fn of_slowest((path, read_bytes, size_bytes): &(PathBuf, u64, u64)) -> String {
    let name = path.file_name().map_or_else(Vec::new, |name| quoted(name.as_encoded_bytes()));
    format!(", {} {} %", String::from_utf8_lossy(&name), read_bytes * 100 / size_bytes.max(&1))
}
