//! Files that must come from the disk and not from memory.

use std::path::Path;

/// Writes these files to the disk and has the system forget what it keeps of them in memory. Says how, or why it cannot; what the disk or
/// a virtual machine's host keeps is beyond reach.
#[cfg(target_os = "linux")]
pub fn drop_caches<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<String, String> {
    let how = forget(paths)?;
    Ok(match std::fs::write("/proc/sys/vm/drop_caches", "3") {
        Ok(()) => format!("{how}, then /proc/sys/vm/drop_caches"),
        Err(error) => format!("{how}, without /proc/sys/vm/drop_caches ({error})"),
    })
}

/// These files alone: needs no permission.
#[cfg(target_os = "linux")]
fn forget<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<&'static str, String> {
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
        file.sync_all().map_err(because)?;
        fadvise(&file, 0, None, Advice::DontNeed).map_err(|error| because(error.into()))?;
    }
    Ok("fsync and posix_fadvise(DONTNEED)")
}

/// Not known how elsewhere.
#[cfg(not(target_os = "linux"))]
pub fn drop_caches<P: AsRef<Path>>(_: impl IntoIterator<Item = P>) -> Result<String, String> {
    Err("this system has no call that makes it forget a file".into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_forgotten_file_is_still_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, vec![7; 100_000]).unwrap();
        if let Err(why) = forget([&path]) {
            assert!(why.contains("in memory"), "{why}");
        }
        assert_eq!(std::fs::read(&path).unwrap(), vec![7; 100_000]);
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let why = forget(["/nowhere/at/all"]).unwrap_err();
        assert!(why.starts_with("/nowhere/at/all"), "{why}");
    }
}
