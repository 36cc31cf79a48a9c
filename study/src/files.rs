//! Files that must come from the disk and not from memory.

use std::path::Path;

use anyhow::Result as Outcome;
use manyhash_measure::timing::Sample;

use crate::measured::Measured;
use crate::race::{Contestant, verified};
use crate::session::Session;

/// Times contestants on files that come from the disk, so many runs of each in turns. All are asked for
/// their digests before and after. With what was measured comes how the page cache was emptied; `Err`
/// says why there is no such thing here.
pub fn race_from_disk<P: AsRef<Path>>(
    session: &Session,
    paths: &[P],
    bytes: usize,
    runs: usize,
    contestants: &mut [Contestant<'_>],
) -> Outcome<Result<(Vec<Measured>, String), String>> {
    let mut how = match drop_caches(session, paths, true) {
        Ok(how) => how,
        Err(why) => return Ok(Err(why)),
    };
    let mut samples: Vec<Vec<Sample>> = vec![Vec::new(); contestants.len()];
    for contestant in &mut *contestants {
        contestant.digests()?;
    }
    for run in 0..runs {
        // Another one begins each time: what a disk keeps for itself is not always the same one's.
        for turn in 0..contestants.len() {
            let turn = (turn + run) % contestants.len();
            how = match drop_caches(session, paths, false) {
                Ok(how) => how,
                Err(why) => return Ok(Err(why)),
            };
            samples[turn].push(contestants[turn].sample_once(run)?);
        }
    }
    let measured = verified(session, bytes, contestants, samples)?;
    Ok(Ok((measured, how)))
}

/// Has the system forget what it keeps of these files in memory. Says how, or why it cannot; what
/// the disk or a virtual machine's host keeps is beyond reach.
///
/// With `write` they are written to the disk first, which only those need that somebody has written
/// to since: for many files, it takes longer than to read them.
#[cfg(target_os = "linux")]
fn drop_caches<P: AsRef<Path>>(session: &Session, paths: &[P], write: bool) -> Result<String, String> {
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
fn is_forgotten<P: AsRef<Path>>(paths: &[P]) -> Result<(), String> {
    /// Of many files, a sample is enough.
    const ASKED: usize = 16;
    /// Parts of the pages that may be left: somebody else may have looked at a file's beginning.
    const LEFT: usize = 50;

    let (mut left, mut all) = (0, 0);
    for path in paths.iter().step_by(paths.len().div_ceil(ASKED).max(1)) {
        let file = crate::mapped::map(path.as_ref()).map_err(|error| format!("{error:#}"))?;
        if let Some((in_memory, pages)) = crate::mapped::pages_in_memory(&file) {
            left += in_memory;
            all += pages;
        }
    }
    if left * LEFT > all {
        return Err(format!("{left} of {all} pages stayed in the page cache though the system was told to forget them"));
    }
    Ok(())
}

/// These files alone: needs no permission.
#[cfg(target_os = "linux")]
fn forget<P: AsRef<Path>>(paths: &[P], write: bool) -> Result<&'static str, String> {
    use rustix::fs::{Advice, fadvise, fstatfs};

    /// "linux/magic.h": file systems that are nowhere but in memory.
    const IN_MEMORY: [i64; 2] = [0x0102_1994, 0x8584_58f6];

    for path in paths {
        let path = path.as_ref();
        let because = |error: std::io::Error| format!("{}: {error}", path.display());
        let file = std::fs::File::open(path).map_err(because)?;
        #[allow(clippy::unnecessary_cast, reason = "of another type elsewhere")]
        let file_system = fstatfs(&file).map_err(|error| because(error.into()))?.f_type as i64;
        if IN_MEMORY.contains(&file_system) {
            return Err(format!("{} is on a file system in memory (--scratch DIR puts files elsewhere)", path.display()));
        }
        // Only pages that are on the disk can be forgotten.
        if write {
            file.sync_all().map_err(because)?;
        }
        fadvise(&file, 0, None, Advice::DontNeed).map_err(|error| because(error.into()))?;
    }
    Ok("fsync and posix_fadvise(DONTNEED)")
}

#[cfg(not(target_os = "linux"))]
fn drop_caches<P: AsRef<Path>>(_: &Session, _: &[P], _: bool) -> Result<String, String> {
    Err("this system has no call that makes it forget a file".into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_forgotten_file_is_on_the_disk_alone_and_still_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, vec![7; 1_000_000]).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), vec![7; 1_000_000]);
        assert!(is_forgotten(&[&path]).is_err(), "it has just been read");
        match forget(&[&path], true) {
            Ok(_) => is_forgotten(&[&path]).unwrap(),
            Err(why) => assert!(why.contains("in memory"), "{why}"),
        }
        assert_eq!(std::fs::read(&path).unwrap(), vec![7; 1_000_000]);
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let why = forget(&["/nowhere/at/all"], true).unwrap_err();
        assert!(why.starts_with("/nowhere/at/all"), "{why}");
    }
}
