//! Replays the seeds, and the cases that were found, on stable Rust and without a fuzzer.

use crate::{TARGETS, replay};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

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
