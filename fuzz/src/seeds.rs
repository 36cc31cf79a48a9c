//! Replays the seeds, and the cases that were found, on stable Rust and without a fuzzer; and then
//! changes them at random.

use crate::{TARGETS, Target, replay};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{env, fs, thread};

/// The most bytes of a seed.
const MOST_BYTES: u64 = 1024;

/// Returns the paths in a folder of this package, in order; none if it is not there.
fn paths(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a folder that can be read").path()).collect();
    paths.sort();
    paths
}

#[test]
fn every_seed_and_every_case_that_was_found_passes() {
    for (name, target) in TARGETS {
        let seeds = paths(&format!("seeds/{name}"));
        assert!(!seeds.is_empty(), "{name} has no seeds");
        for seed in &seeds {
            let bytes = fs::metadata(seed).expect("a seed that can be read").len();
            assert!(bytes <= MOST_BYTES, "{}: {bytes} bytes; a seed has {MOST_BYTES} at most", seed.display());
        }
        for path in seeds.into_iter().chain(paths(&format!("found/{name}"))) {
            replay(*target, &path);
        }
    }
}

#[test]
fn every_target_has_its_program_and_its_folder() {
    let names = |folder| -> BTreeSet<String> {
        paths(folder).iter().map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned()).collect()
    };
    let targets = TARGETS.iter().map(|(name, _)| (*name).to_string()).collect();
    assert_eq!(names("fuzz_targets"), targets);
    assert_eq!(names("seeds"), targets);
}

/// A sequence of numbers that look random (Steele, Lea & Flood 2014, SplitMix).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is not 0.
    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Some successive bytes of `data`, a few mostly.
    fn part<'a>(&mut self, data: &'a [u8]) -> &'a [u8] {
        let start = self.below(data.len() + 1);
        let most = if self.below(4) == 0 { data.len() } else { 8 };
        let bytes = self.below(most + 1).min(data.len() - start);
        &data[start..start + bytes]
    }

    /// Changes a seed in some places; `other` is another one.
    fn change(&mut self, data: &mut Vec<u8>, other: &[u8]) {
        const NUMBERS: [u64; 6] = [0, 1, 0x7F, 0x80, 0xFF, u64::MAX];
        for _ in 0..1 << self.below(5) {
            let at = self.below(data.len() + 1);
            match (self.below(6), data.get_mut(at)) {
                (0, Some(byte)) => *byte ^= 1 << self.below(8),
                (1, Some(byte)) => *byte = self.next() as u8,
                (2, Some(_)) => {
                    let number = NUMBERS[self.below(NUMBERS.len())].to_le_bytes();
                    let bytes = (1 << self.below(4)).min(data.len() - at);
                    data[at..at + bytes].copy_from_slice(&number[..bytes]);
                }
                (3, Some(_)) => {
                    let bytes = self.part(&data[at..]).len();
                    data.drain(at..at + bytes);
                }
                (4, _) => {
                    let copied = self.part(data).to_vec();
                    data.splice(at..at, copied);
                }
                _ => {
                    let copied = self.part(other).to_vec();
                    data.splice(at..at, copied);
                }
            }
        }
        data.truncate(MOST_BYTES as usize);
    }
}

/// Gives a target changed seeds until `end`. A case that fails is written to `found/`.
fn run_changed(name: &str, target: Target, mut random: Random, end: Instant) -> usize {
    let seeds: Vec<_> = paths(&format!("seeds/{name}")).iter().map(|path| fs::read(path).expect("a seed that can be read")).collect();
    let mut cases = 0;
    while Instant::now() < end {
        let mut data = seeds[random.below(seeds.len())].clone();
        let other = random.below(seeds.len());
        random.change(&mut data, &seeds[other]);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| target(&data))) {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("found").join(name);
            let path = folder.join(format!("changed-{:016x}", random.next()));
            fs::create_dir_all(&folder).and_then(|()| fs::write(&path, &data)).expect("a place for what was found");
            println!("{name}: the case is in {}; see fuzz/README.md", path.display());
            resume_unwind(panic);
        }
        cases += 1;
    }
    cases
}

/// `MANYHASH_FUZZ_SECONDS` is how long each target gets, two of them at once; `MANYHASH_TEST_SEED`
/// repeats what a run did, as far as its time allows.
#[test]
fn seeds_that_are_changed_at_random_pass() {
    let number = |variable: &str| env::var(variable).ok().map(|value| value.parse::<u64>().expect("a number"));
    let seconds = number("MANYHASH_FUZZ_SECONDS").unwrap_or(1);
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_nanos() as u64);
    let seed = number("MANYHASH_TEST_SEED").unwrap_or_else(clock);
    println!("MANYHASH_TEST_SEED={seed}");
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((name, target)) = TARGETS.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let end = Instant::now() + Duration::from_secs(seconds);
                    let cases = run_changed(name, *target, Random(seed), end);
                    println!("{name}: {cases} cases in {seconds} s");
                }
            });
        }
    });
}
