//! How long the rest will take, from how long was taken so far.
//!
//! A file costs time whatever its size: it is found, opened and closed. So a file counts for as much
//! as some bytes would, and how many these are is what fits best what was seen. Time is taken to be in
//! proportion to the bytes and these together. With bytes alone, the time left would be wrong wherever
//! large files come first and small ones last, or the other way round.

use manyhash_files::Counts;
use std::time::Duration;

/// The time at the beginning that tells nothing: then buffers fill, faster than they are hashed.
const SETTLING: Duration = Duration::from_millis(250);
/// The time that must have been seen to tell anything.
const SEEN_FROM: f64 = 0.5;
/// The time after which what was seen counts for a third of what is new, in seconds, and as a share of
/// the time seen: the longer the run is, the less of it does a moment tell.
const MEMORY: f64 = 3.0;
const MEMORY_SHARE: f64 = 0.25;
/// The bytes that a file may count for, as powers of two. Files in memory cost a few kB, those on a
/// disk with moving parts or far away some MB.
const FILE_BYTES: std::ops::Range<u8> = 10..25;
/// What a file counts for as long as nothing else was seen, and it need not be: with files that are
/// all alike, anything fits. Files in memory, as SHA-256 with the CPU's own instructions takes them
/// (Zen 4), cost 16 kB.
const USUAL_FILE_BYTES: u8 = 14;

/// What was done in how much time, of which the last counts most.
#[derive(Debug, Default)]
pub(super) struct Pace {
    last: Option<Moment>,
    sums: Sums,
}

#[derive(Clone, Copy, Debug)]
struct Moment {
    time: Duration,
    files: f64,
    bytes: f64,
}

/// Sums over the steps from moment to moment: of their time, files and bytes, and of the products of
/// these.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    /// The time since the first moment, which nothing takes away from.
    seen: f64,
    steps: f64,
    time: f64,
    files: f64,
    bytes: f64,
    files_files: f64,
    files_bytes: f64,
    bytes_bytes: f64,
    files_time: f64,
    bytes_time: f64,
    time_time: f64,
}

impl Pace {
    /// Notes what is done at the time `now`.
    pub(super) fn add(&mut self, now: Duration, counts: Counts) {
        if now < SETTLING {
            return;
        }
        let moment = Moment { time: now, files: counts.done_files as f64, bytes: counts.done_bytes as f64 };
        let Some(last) = self.last.replace(moment) else { return };
        self.sums.add(now.saturating_sub(last.time).as_secs_f64(), moment.files - last.files, moment.bytes - last.bytes);
    }

    /// Makes what was seen so far count for less than what comes, because files were counted meanwhile,
    /// which took time that the rest will not take.
    pub(super) fn fade(&mut self) {
        const KEPT: f64 = 0.2;
        self.sums = Sums { seen: self.sums.seen, ..self.sums.times(KEPT) };
    }

    /// Returns how many seconds so many files and bytes will take, if enough was seen to tell.
    pub(super) fn seconds_of(&self, files: u64, bytes: u64) -> Option<f64> {
        let sums = &self.sums;
        if sums.seen < SEEN_FROM {
            return None;
        }
        let file_bytes = sums.file_bytes();
        let done = sums.bytes + file_bytes * sums.files;
        let seconds = (bytes as f64 + file_bytes * files as f64) * sums.time / done;
        (done >= 1.0 && seconds.is_finite()).then_some(seconds)
    }
}

impl Sums {
    fn add(&mut self, time: f64, files: f64, bytes: f64) {
        let seen = self.seen + time;
        let old = self.times((-time / MEMORY.max(MEMORY_SHARE * seen)).exp());
        *self = Self {
            seen,
            steps: old.steps + 1.0,
            time: old.time + time,
            files: old.files + files,
            bytes: old.bytes + bytes,
            files_files: old.files_files + files * files,
            files_bytes: old.files_bytes + files * bytes,
            bytes_bytes: old.bytes_bytes + bytes * bytes,
            files_time: old.files_time + files * time,
            bytes_time: old.bytes_time + bytes * time,
            time_time: old.time_time + time * time,
        };
    }

    fn times(&self, factor: f64) -> Self {
        Self {
            seen: self.seen * factor,
            steps: self.steps * factor,
            time: self.time * factor,
            files: self.files * factor,
            bytes: self.bytes * factor,
            files_files: self.files_files * factor,
            files_bytes: self.files_bytes * factor,
            bytes_bytes: self.bytes_bytes * factor,
            files_time: self.files_time * factor,
            bytes_time: self.bytes_time * factor,
            time_time: self.time_time * factor,
        }
    }

    /// Returns the number of bytes that a file costs as much time as.
    fn file_bytes(&self) -> f64 {
        let of = |power: &u8| f64::from(1_u32 << power);
        let likeliest = FILE_BYTES.min_by(|a, b| self.unlikeliness(*a, of(a)).total_cmp(&self.unlikeliness(*b, of(b))));
        of(&likeliest.unwrap_or(USUAL_FILE_BYTES))
    }

    /// Returns how little it would fit what was seen if a file counted for `file_bytes` bytes, two to
    /// the power of `power`: the logarithm of the squares that least squares leave, and how far it is
    /// from what is usual.
    fn unlikeliness(&self, power: u8, file_bytes: f64) -> f64 {
        let squares = self.bytes_bytes + 2.0 * file_bytes * self.files_bytes + file_bytes * file_bytes * self.files_files;
        let product = self.bytes_time + file_bytes * self.files_time;
        let left = if squares > 0.0 { 1.0 - product * product / squares / self.time_time } else { 1.0 };
        let distance = f64::from(power) - f64::from(USUAL_FILE_BYTES);
        // Steps are never so even that less is left than this.
        self.steps * (left.max(0.0) + 1e-3).ln() + distance * distance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(done_files: u64, done_bytes: u64) -> Counts {
        Counts { found_files: 0, found_bytes: 0, done_files, done_bytes }
    }

    /// Work of files of these sizes, in the order in which they are done.
    struct Work {
        sizes: Vec<u64>,
        seconds_a_file: f64,
        seconds_a_byte: f64,
    }

    impl Work {
        fn seconds(&self, size: u64) -> f64 {
            self.seconds_a_file + self.seconds_a_byte * size as f64
        }

        /// Returns how far off the time left is at worst, as a share of it, from `from` to 0.95 of the time.
        fn worst(&self, from: f64) -> f64 {
            let whole: f64 = self.sizes.iter().map(|&size| self.seconds(size)).sum();
            let all_bytes: u64 = self.sizes.iter().sum();
            let (mut pace, mut time, mut bytes, mut worst) = (Pace::default(), 0.0, 0, 0.0_f64);
            let mut told = 0.0;
            for (index, &size) in self.sizes.iter().enumerate() {
                time += self.seconds(size);
                bytes += size;
                if time < told + 0.1 {
                    continue;
                }
                told = time;
                let files = index as u64 + 1;
                pace.add(Duration::from_secs_f64(time), counts(files, bytes));
                if (from * whole..0.95 * whole).contains(&time) {
                    let left = pace.seconds_of(self.sizes.len() as u64 - files, all_bytes - bytes).unwrap();
                    worst = worst.max((left / (whole - time) - 1.0).abs());
                }
            }
            worst
        }
    }

    /// Sizes over three powers of ten, which differ from folder to folder.
    fn mixed(files: u64) -> Vec<u64> {
        let folder = |file| 50 * file / files;
        (0..files).map(|file| 256 << (((folder(file) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) % 11)).collect()
    }

    #[test]
    fn files_that_are_all_alike_take_time_in_proportion() {
        for (seconds_a_file, seconds_a_byte) in [(1e-3, 0.0), (0.0, 1e-8), (1e-3, 1e-8)] {
            let work = Work { sizes: vec![100_000; 20_000], seconds_a_file, seconds_a_byte };
            assert!(work.worst(0.1) < 0.02, "{seconds_a_file} {seconds_a_byte}: {}", work.worst(0.1));
        }
    }

    #[test]
    fn what_a_file_costs_is_learnt_whatever_it_is() {
        // Of what is in memory, on a network, and on a disk with moving parts.
        for (seconds_a_file, seconds_a_byte, files) in [(1e-5, 1e-9, 100_000), (5e-3, 1e-8, 4000), (1e-2, 5e-9, 2000)] {
            let [mut sizes, small] = [mixed(files), vec![500; 2 * files as usize]];
            sizes.extend(small);
            let work = Work { sizes, seconds_a_file, seconds_a_byte };
            assert!(work.worst(0.2) < 0.2, "{seconds_a_file} {seconds_a_byte}: {}", work.worst(0.2));
        }
    }

    #[test]
    fn large_files_before_small_ones_or_behind_them_change_nothing() {
        // As in memory: bytes alone would be wrong 3 times and more.
        let [large, small] = [vec![2_000_000; 5000], vec![5000; 500_000]];
        for sizes in [[large.clone(), small.clone()].concat(), [small, large].concat()] {
            let work = Work { sizes, seconds_a_file: 1.0e-5, seconds_a_byte: 6e-10 };
            assert!(work.worst(0.1) < 0.1, "{}", work.worst(0.1));
        }
    }

    #[test]
    fn the_last_counts_most() {
        let mut pace = Pace::default();
        let mut bytes = 0;
        for tenth in 0..1000_u64 {
            bytes += if tenth < 300 { 100_000_000 } else { 1_000_000 };
            pace.add(Duration::from_millis(100 * tenth), counts(0, bytes));
        }
        // A hundred seconds of the slower pace. The first 30 seconds would make it 3.
        let seconds = pace.seconds_of(0, 1_000_000_000).unwrap();
        assert!((80.0..101.0).contains(&seconds), "{seconds}");
    }

    #[test]
    fn what_was_seen_while_files_were_counted_counts_little() {
        let at = |tenth: u64, bytes| (Duration::from_millis(100 * tenth), counts(0, bytes));
        let mut pace = Pace::default();
        for tenth in 0..10 {
            let (time, counts) = at(tenth, 500_000 * tenth);
            pace.add(time, counts);
        }
        pace.fade();
        let seconds = |pace: &Pace| pace.seconds_of(0, 10_000_000).unwrap();
        assert!((1.99..2.01).contains(&seconds(&pace)), "{}", seconds(&pace));
        for tenth in 10..13 {
            let (time, counts) = at(tenth, 4_500_000 + 1_000_000 * (tenth - 9));
            pace.add(time, counts);
        }
        assert!((1.0..1.2).contains(&seconds(&pace)), "{}", seconds(&pace));
    }

    #[test]
    fn nothing_is_told_before_something_was_seen() {
        let mut pace = Pace::default();
        let at = |bytes| counts(0, bytes);
        for (milliseconds, bytes) in [(0, 0), (100, 9_000_000), (300, 10_000_000), (700, 11_000_000)] {
            pace.add(Duration::from_millis(milliseconds), at(bytes));
            assert_eq!(pace.seconds_of(1, 1_000_000), None, "{milliseconds}");
        }
        pace.add(Duration::from_millis(900), at(11_500_000));
        let seconds = pace.seconds_of(0, 1_000_000).unwrap();
        assert!((0.39..0.41).contains(&seconds), "{seconds}");
        let mut idle = Pace::default();
        for second in 0..9 {
            idle.add(Duration::from_secs(second), at(5));
        }
        assert_eq!(idle.seconds_of(1, 1_000_000), None);
    }
}
