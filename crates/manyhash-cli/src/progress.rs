//! The progress on stderr: bytes, rate, time left, files, and the file that will take longest.
//!
//! A terminal shows a bar, redrawn ten times a second; others, if asked for, a line every ten
//! seconds. How much there is in all, and so how long it takes, is said only once all is found:
//! folders are searched while their files are hashed, so until then it would be too little.

use crate::message::say;
use crate::text::quoting::quoted;
use clap::ValueEnum;
use indicatif::{DecimalBytes, HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use manyhash_files::{Counts, Totals, threads};
use std::collections::VecDeque;
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
const LINE_EVERY: Duration = Duration::from_secs(10);
/// The time over which the rate is taken, by which the time left is told.
const RATE_OVER: Duration = Duration::from_secs(15);
/// The time that must have passed for a rate to mean anything.
const RATE_FROM: Duration = Duration::from_secs(2);
/// The time at the beginning that no rate is taken over: then buffers fill, faster than they are hashed.
const SETTLING: Duration = Duration::from_secs(1);

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
            let mut rate = Rate::default();
            rate.add(Duration::ZERO, 0);
            while waits(LINE_EVERY) {
                self.say_line(begin.elapsed(), &mut rate);
            }
            self.say_line(begin.elapsed(), &mut rate);
            return;
        }
        if self.when == ProgressWhen::Auto && !waits(PATIENCE) {
            return;
        }
        let [whole, open] = ["{bar:25} {wide_msg}", "{spinner} {wide_msg}"].map(|template| ProgressStyle::with_template(template).ok());
        if let Some(open) = open {
            self.bar.set_style(open);
        }
        let mut whole = whole;
        let mut rate = Rate::default();
        loop {
            let counts = self.totals.now();
            rate.add(begin.elapsed(), counts.done_bytes);
            // An empty bar would say less than nothing, as while somebody types standard input.
            if counts.done_files + counts.done_bytes + counts.found_bytes > 0 {
                if self.bar.is_hidden() {
                    self.bar.set_draw_target(ProgressDrawTarget::stderr());
                }
                if self.is_whole(counts)
                    && let Some(whole) = whole.take()
                {
                    self.bar.set_style(whole);
                }
                self.bar.set_length(counts.found_bytes);
                self.bar.set_position(counts.done_bytes);
                let slowest = self.totals.slowest().map_or_else(String::new, |slowest| of_slowest(&slowest));
                self.bar.set_message(self.text(counts, rate.bytes_per_second()) + &slowest);
                self.bar.tick();
            }
            if !waits(REDRAW_EVERY) {
                break;
            }
        }
        self.bar.finish_and_clear();
    }

    /// Whether what was found is all there is, and known in bytes: a stream may go on for ever.
    fn is_whole(&self, counts: Counts) -> bool {
        self.totals.has_found_all() && counts.found_bytes > counts.done_bytes
    }

    /// Formats the counts, and with a rate the time left.
    fn text(&self, counts: Counts, bytes_per_second: Option<f64>) -> String {
        let Counts { found_files, found_bytes, done_files, done_bytes } = counts;
        let has_found_all = self.totals.has_found_all();
        let of_all = |all: String| if has_found_all { format!("/{all}") } else { String::new() };
        let mut text = format!(
            "{}{} files, {}{}",
            HumanCount(done_files),
            of_all(HumanCount(found_files).to_string()),
            DecimalBytes(done_bytes),
            of_all(DecimalBytes(found_bytes).to_string())
        );
        let Some(rate) = bytes_per_second else { return text };
        text += &format!(", {}/s", DecimalBytes(rate as u64));
        if self.is_whole(counts) && rate >= 1.0 {
            text += &format!(", {} left", time_text((found_bytes - done_bytes) as f64 / rate));
        }
        text
    }

    fn say_line(&self, elapsed: Duration, rate: &mut Rate) {
        let counts = self.totals.now();
        rate.add(elapsed, counts.done_bytes);
        let average = counts.done_bytes as f64 / elapsed.as_secs_f64().max(1e-9);
        let slowest = self.totals.slowest().map_or_else(String::new, |slowest| of_slowest(&slowest));
        let text = self.text(counts, rate.bytes_per_second().or(Some(average))) + &slowest;
        say(&self.program, text.as_bytes());
    }
}

/// The bytes done in the last seconds.
#[derive(Default)]
struct Rate(VecDeque<(Duration, u64)>);

impl Rate {
    fn add(&mut self, now: Duration, done_bytes: u64) {
        self.0.push_back((now, done_bytes));
        while self.0.get(1).is_some_and(|(time, _)| now.saturating_sub(*time) >= RATE_OVER) {
            self.0.pop_front();
        }
    }

    /// Returns the rate, once there is enough of it to go by.
    fn bytes_per_second(&self) -> Option<f64> {
        let settled = self.0.iter().find(|(time, _)| *time >= SETTLING);
        let ((begin, before), (end, now)) = settled.zip(self.0.back())?;
        let time = end.saturating_sub(*begin);
        (time >= RATE_FROM).then(|| now.saturating_sub(*before) as f64 / time.as_secs_f64())
    }
}

/// Formats a time in its two largest units, the second of which is what is worth telling.
fn time_text(seconds: f64) -> String {
    let seconds = seconds.ceil() as u64;
    match (seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60) {
        (0, 0, 0, seconds) => format!("{seconds} s"),
        (0, 0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (0, hours, minutes, _) => format!("{hours} h {minutes} min"),
        (days, hours, ..) => format!("{days} d {hours} h"),
    }
}

/// Formats the name of the file that takes longest, and how many percent of it are read.
fn of_slowest((path, read_bytes, size_bytes): &(PathBuf, u64, u64)) -> String {
    let name = path.file_name().map_or_else(Vec::new, |name| quoted(name.as_encoded_bytes()));
    format!(", {} {} %", String::from_utf8_lossy(&name), read_bytes * 100 / size_bytes.max(&1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_two_units() {
        for (seconds, text) in [
            (0.2, "1 s"),
            (59.0, "59 s"),
            (61.5, "1 min 2 s"),
            (3600.0, "1 h 0 min"),
            (90_061.0, "1 d 1 h"),
            (1e30, "213503982334601 d 7 h"),
        ] {
            assert_eq!(time_text(seconds), text);
        }
    }

    #[test]
    fn the_rate_is_that_of_the_last_seconds() {
        let mut rate = Rate::default();
        for second in 0..100 {
            rate.add(Duration::from_secs(second), if second < 50 { 0 } else { (second - 50) * 1000 });
            match second {
                0..3 => assert_eq!(rate.bytes_per_second(), None),
                3..50 => assert_eq!(rate.bytes_per_second(), Some(0.0)),
                70.. => assert_eq!(rate.bytes_per_second(), Some(1000.0)),
                _ => {}
            }
            assert!(rate.0.len() <= 17);
        }
    }

    #[test]
    fn what_buffers_take_at_first_is_no_rate() {
        let mut rate = Rate::default();
        for tenth in 0..100 {
            rate.add(Duration::from_millis(100 * tenth), 16_000_000 + 200_000 * tenth);
        }
        rate.0.push_front((Duration::ZERO, 0));
        assert_eq!(rate.bytes_per_second().map(f64::round), Some(2e6));
    }

    #[test]
    fn the_whole_and_the_time_left_are_told_once_all_is_found() {
        let totals = Arc::<Totals>::default();
        let view = View {
            program: "manyhash".into(),
            when: ProgressWhen::Always,
            is_terminal: false,
            bar: ProgressBar::hidden(),
            totals: Arc::clone(&totals),
        };
        totals.found_file(5_000_000);
        totals.read(1_000_000);
        let text = || view.text(totals.now(), Some(1e6));
        assert_eq!(text(), "0 files, 1.00 MB, 1.00 MB/s");
        totals.found_all();
        assert_eq!(text(), "0/1 files, 1.00 MB/5.00 MB, 1.00 MB/s, 4 s left");
        assert_eq!(view.text(totals.now(), Some(0.0)), "0/1 files, 1.00 MB/5.00 MB, 0 B/s");
        assert_eq!(view.text(totals.now(), None), "0/1 files, 1.00 MB/5.00 MB");
        totals.read(4_000_000);
        totals.done();
        assert_eq!(text(), "1/1 files, 5.00 MB/5.00 MB, 1.00 MB/s");
    }
}
