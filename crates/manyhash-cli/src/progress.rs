//! The progress on stderr: bytes, rate, time left, files, and the file that will take longest.
//!
//! A terminal shows a bar, redrawn ten times a second; others, if asked for, a line every ten
//! seconds. How much there is in all, and so how long it takes, is said once it is known. Folders are
//! searched while their files are hashed, not far ahead of it, so that memory is bounded; where
//! progress is shown, a thread counts their files in the meantime.

mod pace;

use self::pace::Pace;
use crate::message::say;
use crate::text::quoting::quoted;
use clap::ValueEnum;
use indicatif::{DecimalBytes, HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use manyhash_files::find::Walk;
use manyhash_files::{Counts, Totals, Whole, threads};
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The time before the bar appears. Work that takes less needs none.
const PATIENCE: Duration = Duration::from_secs(1);
/// The time before files are counted ahead.
const COUNTING_FROM: Duration = Duration::from_millis(300);
const REDRAW_EVERY: Duration = Duration::from_millis(100);
const LINE_EVERY: Duration = Duration::from_secs(10);
/// The time over which the rate is taken.
const RATE_OVER: Duration = Duration::from_secs(15);
/// The time that must have passed for a rate to mean anything.
const RATE_FROM: Duration = Duration::from_millis(500);
/// The time at the beginning that no rate is taken over: then buffers fill, faster than they are hashed.
const SETTLING: Duration = Duration::from_millis(250);

/// Counts what a run is going to find, ahead of it.
pub(crate) type Ahead = Box<dyn FnOnce(&Totals) + Send>;

/// Returns what counts the files of a walk that has not begun, if it can be gone twice.
pub(crate) fn ahead_of(walk: &Walk) -> Option<Ahead> {
    let [names, sizes] = walk.sizes_ahead()?;
    Some(ahead_by(names, sizes))
}

/// Returns what counts files by their names, which is fast, and then by their sizes.
pub(crate) fn ahead_by(
    names: impl Iterator<Item = Option<u64>> + Send + 'static,
    sizes: impl Iterator<Item = Option<u64>> + Send + 'static,
) -> Ahead {
    Box::new(move |totals| {
        totals.count_ahead(names);
        totals.count_ahead(with_pauses(sizes));
    })
}

/// Takes an eighth of the time for `items`, and lets the threads that hash have the rest. To look at a
/// small file takes a fifth of the time that it takes to hash it (Zen 4).
fn with_pauses<I: Iterator>(mut items: I) -> impl Iterator<Item = I::Item> {
    const WORKS: Duration = Duration::from_millis(5);
    let mut begin = Instant::now();
    std::iter::from_fn(move || {
        let worked = begin.elapsed();
        if worked >= WORKS {
            thread::sleep(worked * 7);
            begin = Instant::now();
        }
        items.next()
    })
}

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

    /// Starts a thread that shows `totals` as they grow. If it shows anything, `ahead` tells how to
    /// count what there is.
    pub(crate) fn start(program: &OsStr, when: ProgressWhen, totals: &Arc<Totals>, ahead: impl FnOnce() -> Option<Ahead>) -> Self {
        let is_terminal = io::stderr().is_terminal();
        if when == ProgressWhen::Never || (when == ProgressWhen::Auto && !is_terminal) {
            return Self::none();
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let (stop, stopped) = mpsc::channel();
        let (bar_of_view, totals) = (bar.clone(), Arc::clone(totals));
        let view = View { program: program.to_owned(), when, is_terminal, bar: bar_of_view, totals, ahead: ahead() };
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
    ahead: Option<Ahead>,
}

impl View {
    fn show_until(mut self, stopped: &mpsc::Receiver<()>) {
        let begin = Instant::now();
        let waits = |time| stopped.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
        let mut seen = Seen::default();
        if !self.is_terminal {
            self.count_ahead();
            let mut next_line = LINE_EVERY;
            while waits(REDRAW_EVERY) {
                seen.add(begin.elapsed(), self.totals.now(), self.totals.whole().is_some());
                if begin.elapsed() >= next_line {
                    next_line += LINE_EVERY;
                    self.say_line(begin.elapsed(), &seen);
                }
            }
            seen.add(begin.elapsed(), self.totals.now(), self.totals.whole().is_some());
            self.say_line(begin.elapsed(), &seen);
            return;
        }
        let patience = if self.when == ProgressWhen::Auto { PATIENCE } else { Duration::ZERO };
        while begin.elapsed() < patience {
            if begin.elapsed() >= COUNTING_FROM {
                self.count_ahead();
            }
            seen.add(begin.elapsed(), self.totals.now(), self.totals.whole().is_some());
            if !waits(REDRAW_EVERY) {
                return;
            }
        }
        self.count_ahead();
        let [whole, open] = ["{bar:25} {wide_msg}", "{spinner} {wide_msg}"].map(|template| ProgressStyle::with_template(template).ok());
        if let Some(open) = open {
            self.bar.set_style(open);
        }
        let mut whole_style = whole;
        loop {
            let counts = self.totals.now();
            let whole = self.totals.whole();
            seen.add(begin.elapsed(), counts, whole.is_some());
            // An empty bar would say less than nothing, as while somebody types standard input.
            if counts.done_files + counts.done_bytes + counts.found_bytes > 0 {
                if self.bar.is_hidden() {
                    self.bar.set_draw_target(ProgressDrawTarget::stderr());
                }
                if rest(counts, whole).is_some()
                    && let Some(style) = whole_style.take()
                {
                    self.bar.set_style(style);
                }
                self.bar.set_length(whole.map_or(counts.found_bytes, |whole| whole.bytes));
                self.bar.set_position(counts.done_bytes);
                let slowest = self.totals.slowest().map_or_else(String::new, |slowest| of_slowest(&slowest));
                self.bar.set_message(text(counts, whole, seen.bytes_per_second(), &seen.pace, self.totals.longest_left()) + &slowest);
                self.bar.tick();
            }
            if !waits(REDRAW_EVERY) {
                break;
            }
        }
        self.bar.finish_and_clear();
    }

    /// Starts a thread that counts what there is, unless that is known.
    fn count_ahead(&mut self) {
        if let Some(ahead) = self.ahead.take()
            && !self.totals.has_found_all()
        {
            // Without the thread, all is known later.
            let _ = threads::start("ahead", Arc::clone(&self.totals), move |totals| ahead(&totals));
        }
    }

    fn say_line(&self, elapsed: Duration, seen: &Seen) {
        let counts = self.totals.now();
        let average = counts.done_bytes as f64 / elapsed.as_secs_f64().max(1e-9);
        let slowest = self.totals.slowest().map_or_else(String::new, |slowest| of_slowest(&slowest));
        let text =
            text(counts, self.totals.whole(), seen.bytes_per_second().or(Some(average)), &seen.pace, self.totals.longest_left()) + &slowest;
        say(&self.program, text.as_bytes());
    }
}

/// Returns how many files and bytes are left, if it is known how many there are, and some are left to
/// be counted: a stream may go on for ever.
fn rest(counts: Counts, whole: Option<Whole>) -> Option<(u64, u64)> {
    let Whole { files, bytes, .. } = whole?;
    (bytes > counts.done_bytes).then(|| (files.saturating_sub(counts.done_files), bytes - counts.done_bytes))
}

/// Formats the counts, the rate, and the time left as far as it is known: by the `pace` of all, but no
/// less than the `longest` that a single file takes.
fn text(counts: Counts, whole: Option<Whole>, bytes_per_second: Option<f64>, pace: &Pace, longest: Option<Duration>) -> String {
    let Counts { done_files, done_bytes, .. } = counts;
    let mut text = HumanCount(done_files).to_string();
    if let Some(Whole { files, .. }) = whole {
        text += &format!("/{}", HumanCount(files));
    }
    text += &format!(" files, {}", DecimalBytes(done_bytes));
    if let Some(Whole { bytes, is_counted: true, .. }) = whole {
        text += &format!("/{}", DecimalBytes(bytes));
    }
    let Some(rate) = bytes_per_second else { return text };
    text += &format!(", {}/s", DecimalBytes(rate as u64));
    if let Some((files, bytes)) = rest(counts, whole)
        && let Some(seconds) = pace.seconds_of(files, bytes)
    {
        let about = if whole.is_some_and(|whole| whole.is_counted) { "" } else { "about " };
        let seconds = seconds.max(longest.unwrap_or_default().as_secs_f64());
        text += &format!(", {about}{} left", time_text(seconds));
    }
    text
}

/// What was seen of a run.
#[derive(Default)]
struct Seen {
    rate: Rate,
    pace: Pace,
    is_whole_known: bool,
}

impl Seen {
    /// Notes what is done at the time `now`, and whether the whole is known.
    fn add(&mut self, now: Duration, counts: Counts, is_whole_known: bool) {
        self.rate.add(now, counts.done_bytes);
        self.pace.add(now, counts);
        if is_whole_known && !self.is_whole_known {
            self.is_whole_known = true;
            self.pace.fade();
        }
    }

    fn bytes_per_second(&self) -> Option<f64> {
        self.rate.bytes_per_second()
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

/// Formats a time in its two largest units, the second of which is what is worth telling. A second
/// more or less is much of the last ten.
fn time_text(seconds: f64) -> String {
    if seconds < 9.95 {
        return format!("{:.1} s", seconds.max(0.1));
    }
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
            (0.0, "0.1 s"),
            (1.26, "1.3 s"),
            (9.94, "9.9 s"),
            (9.96, "10 s"),
            (58.2, "59 s"),
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
                0..2 => assert_eq!(rate.bytes_per_second(), None),
                2..50 => assert_eq!(rate.bytes_per_second(), Some(0.0)),
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

    /// A pace of a megabyte a second, files at no cost.
    fn pace() -> Pace {
        let mut pace = Pace::default();
        for tenth in 0..30 {
            pace.add(Duration::from_millis(100 * tenth), counts(0, 100_000 * tenth));
        }
        pace
    }

    fn counts(done_files: u64, done_bytes: u64) -> Counts {
        Counts { found_files: 0, found_bytes: 0, done_files, done_bytes }
    }

    #[test]
    fn the_whole_and_the_time_left_are_told_once_they_are_known() {
        let whole = |files, bytes, is_counted| Some(Whole { files, bytes, is_counted });
        let some = counts(0, 1_000_000);
        for (counts, whole, rate, expected) in [
            (some, None, Some(1e6), "0 files, 1.00 MB, 1.00 MB/s"),
            (some, whole(0, 5_000_000, true), Some(1e6), "0/0 files, 1.00 MB/5.00 MB, 1.00 MB/s, 4.0 s left"),
            (some, whole(0, 5_000_000, false), Some(1e6), "0/0 files, 1.00 MB, 1.00 MB/s, about 4.0 s left"),
            (some, whole(0, 5_000_000, true), None, "0/0 files, 1.00 MB/5.00 MB"),
            (counts(1, 5_000_000), whole(1, 5_000_000, true), Some(1e6), "1/1 files, 5.00 MB/5.00 MB, 1.00 MB/s"),
        ] {
            assert_eq!(text(counts, whole, rate, &pace(), None), expected);
        }
        let longest = |seconds| text(some, whole(1, 5_000_000, true), Some(1e6), &pace(), Some(Duration::from_secs(seconds)));
        assert!(longest(60).ends_with(", 1 min 0 s left") && longest(1).ends_with(", 4.0 s left"), "{} {}", longest(60), longest(1));
        let told = text(some, whole(1, 5_000_000, true), Some(1e6), &Pace::default(), None);
        assert_eq!(told, "0/1 files, 1.00 MB/5.00 MB, 1.00 MB/s");
    }
}
