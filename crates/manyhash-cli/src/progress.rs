//! The progress bar on stderr: files, bytes, rate.
//!
//! On a terminal a bar, redrawn ten times a second; elsewhere, if asked for, a line every second.

use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::arguments::ProgressWhen;
use crate::message::say;
use crate::pipeline::Totals;

/// A bar that comes later than this is not missed.
const PATIENCE: Duration = Duration::from_secs(1);
const REDRAW_EVERY: Duration = Duration::from_millis(100);
const LINE_EVERY: Duration = Duration::from_secs(1);

/// Progress being shown, or not.
pub struct Progress(Option<Shown>);

struct Shown {
    bar: ProgressBar,
    stop: mpsc::Sender<()>,
    thread: JoinHandle<()>,
}

impl Progress {
    /// No progress.
    pub fn none() -> Self {
        Self(None)
    }

    /// Shows `totals` as they grow.
    pub fn start(program: &OsStr, when: ProgressWhen, totals: &Arc<Totals>) -> Self {
        let is_terminal = io::stderr().is_terminal();
        if when == ProgressWhen::Never || (when == ProgressWhen::Auto && !is_terminal) {
            return Self::none();
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let (stop, stopped) = mpsc::channel();
        let view = View { program: program.to_owned(), when, is_terminal, bar: bar.clone(), totals: Arc::clone(totals) };
        let thread = thread::spawn(move || view.show_until(&stopped));
        Self(Some(Shown { bar, stop, thread }))
    }

    /// Does something that writes to the terminal while the bar is away.
    pub fn above<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.0 {
            None => write(),
            Some(shown) => shown.bar.suspend(write),
        }
    }

    /// Takes the bar away, or says the last line.
    pub fn finish(self) {
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
        let style = ProgressStyle::with_template("{bar:25} {binary_bytes}/{binary_total_bytes} {binary_bytes_per_sec} {msg}");
        self.bar.set_style(style.expect("the template is right"));
        self.bar.set_draw_target(ProgressDrawTarget::stderr());
        loop {
            let [found_files, found_bytes, done_files, done_bytes] = self.totals.now();
            self.bar.set_length(found_bytes.max(done_bytes));
            self.bar.set_position(done_bytes);
            self.bar.set_message(format!("{}/{} files", HumanCount(done_files), HumanCount(found_files)));
            if !waits(REDRAW_EVERY) {
                break;
            }
        }
        self.bar.finish_and_clear();
    }

    fn say_line(&self, elapsed: Duration) {
        let [found_files, found_bytes, done_files, done_bytes] = self.totals.now();
        let rate = done_bytes as f64 / elapsed.as_secs_f64().max(1e-9);
        let line = format!(
            "{done_files}/{found_files} files, {}/{}, {}/s",
            HumanBytes(done_bytes),
            HumanBytes(found_bytes.max(done_bytes)),
            HumanBytes(rate as u64),
        );
        say(&self.program, line.as_bytes());
    }
}

impl Totals {
    /// Files and bytes found, files and bytes done.
    fn now(&self) -> [u64; 4] {
        let load = |total: &AtomicU64| total.load(Ordering::Relaxed);
        [load(&self.found_files), load(&self.found_bytes), load(&self.done_files), load(&self.done_bytes)]
    }
}
