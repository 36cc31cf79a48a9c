//! Files that must come from the disk and not from memory.

use std::path::PathBuf;

use anyhow::Result;
use manyhash_measure::timing::Sample;

use crate::measured::Measured;
use crate::model::Missing;
use crate::race::{Contestant, verified};
use crate::session::Session;

/// Times contestants on files that come from the disk, in turns, with the fewest samples. All are asked
/// for their digests before and after. With what was measured comes how the page cache was emptied.
///
/// # Errors
/// [`Missing`] if the system does not let go of the files.
pub fn race_from_disk(
    session: &Session,
    paths: &[PathBuf],
    bytes: usize,
    contestants: &mut [Contestant<'_>],
) -> Result<(Vec<Measured>, String)> {
    let mut how = drop_caches(session, paths, true)?;
    let mut samples: Vec<Vec<Sample>> = vec![Vec::new(); contestants.len()];
    for contestant in &mut *contestants {
        contestant.digests()?;
    }
    for run in 0..session.effort.fewest_samples {
        // Another one begins each time: what a disk keeps for itself is not always the same one's.
        for turn in 0..contestants.len() {
            let turn = (turn + run) % contestants.len();
            how = drop_caches(session, paths, false)?;
            samples[turn].push(contestants[turn].sample_once(run)?);
        }
    }
    Ok((verified(session, bytes, contestants, samples)?, how))
}

/// Has the system forget what it keeps of these files in memory. Says how, or why it cannot; what
/// the disk or a virtual machine's host keeps is beyond reach.
///
/// With `write` they are written to the disk first, which only those need that somebody has written
/// to since: for many files, it takes longer than to read them.
#[cfg(target_os = "linux")]
fn drop_caches(session: &Session, paths: &[PathBuf], write: bool) -> Result<String> {
    let how = forget(paths, write)?;
    let how = match session.tuned.then(|| std::fs::write("/proc/sys/vm/drop_caches", "3")) {
        None => how.to_string(),
        Some(Ok(())) => format!("{how}, then /proc/sys/vm/drop_caches"),
        Some(Err(error)) => format!("{how}, without /proc/sys/vm/drop_caches ({error})"),
    };
    is_forgotten(paths)?;
    Ok(how)
}

/// Nothing says so but the system: advice may be refused in silence.
#[cfg(target_os = "linux")]
fn is_forgotten(paths: &[PathBuf]) -> Result<()> {
    /// Of many files, a sample is enough.
    const ASKED: usize = 16;
    /// Parts of the pages that may be left: somebody else may have looked at a file's beginning.
    const LEFT: usize = 50;

    let (mut left, mut all) = (0, 0);
    for path in paths.iter().step_by(paths.len().div_ceil(ASKED).max(1)) {
        if let Some((in_memory, pages)) = crate::mapped::pages_in_memory(&crate::mapped::map(path)?) {
            left += in_memory;
            all += pages;
        }
    }
    let stayed = || Missing(format!("{left} of {all} pages stayed in the page cache though the system was told to forget them"));
    anyhow::ensure!(left * LEFT <= all, stayed());
    Ok(())
}

/// These files alone: needs no permission.
#[cfg(target_os = "linux")]
fn forget(paths: &[PathBuf], write: bool) -> Result<&'static str> {
    use rustix::fs::{Advice, fadvise, fstatfs};

    /// "linux/magic.h": file systems that are nowhere but in memory.
    const IN_MEMORY: [i64; 2] = [0x0102_1994, 0x8584_58f6];

    for path in paths {
        let because = |why: &dyn std::fmt::Display| Missing(format!("{}: {why}", path.display()));
        let file = std::fs::File::open(path).map_err(|error| because(&error))?;
        #[allow(clippy::unnecessary_cast, reason = "of another type elsewhere")]
        let file_system = fstatfs(&file).map_err(|error| because(&error))?.f_type as i64;
        anyhow::ensure!(!IN_MEMORY.contains(&file_system), because(&"on a file system in memory (--scratch DIR puts files elsewhere)"));
        // Only pages that are on the disk can be forgotten.
        if write {
            file.sync_all().map_err(|error| because(&error))?;
        }
        fadvise(&file, 0, None, Advice::DontNeed).map_err(|error| because(&error))?;
    }
    Ok("fsync and posix_fadvise(DONTNEED)")
}

#[cfg(not(target_os = "linux"))]
fn drop_caches(_: &Session, _: &[PathBuf], _: bool) -> Result<String> {
    Err(Missing("this system has no call that makes it forget a file".into()).into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_forgotten_file_is_on_the_disk_alone_and_still_there() {
        let folder = tempfile::tempdir().unwrap();
        let paths = [folder.path().join("file")];
        std::fs::write(&paths[0], vec![7; 1_000_000]).unwrap();
        assert_eq!(std::fs::read(&paths[0]).unwrap(), vec![7; 1_000_000]);
        assert!(is_forgotten(&paths).is_err(), "it has just been read");
        match forget(&paths, true) {
            Ok(_) => is_forgotten(&paths).unwrap(),
            Err(why) => assert!(why.to_string().contains("in memory"), "{why}"),
        }
        assert_eq!(std::fs::read(&paths[0]).unwrap(), vec![7; 1_000_000]);
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let why = forget(&["/nowhere/at/all".into()], true).unwrap_err();
        assert!(why.to_string().starts_with("/nowhere/at/all"), "{why}");
    }
}
