//! Block devices as Linux shows them in sysfs, which containers have as well: `dev/block/MAJOR:MINOR` is a link to a device's folder, which is
//! in that of the whole disk if it is a partition; `slaves` has links to what a device is made of.

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the device with that number, no link to it, in the sysfs at `system`; nothing if the system does not show it.
#[cfg(target_os = "linux")]
pub(crate) fn folder_of(system: &Path, device: u64) -> Option<PathBuf> {
    use rustix::fs::{major, minor};
    fs::canonicalize(system.join(format!("dev/block/{}:{}", major(device), minor(device)))).ok()
}

/// Nothing: other systems have no such folders.
#[cfg(not(target_os = "linux"))]
pub(crate) fn folder_of(_: &Path, _: u64) -> Option<PathBuf> {
    None
}

/// The folder of the disk that the device with this folder is a partition of, if it is one.
pub(crate) fn disk_of(folder: &Path) -> Option<&Path> {
    folder.join("partition").exists().then(|| folder.parent()).flatten()
}

/// The folders, or links to them, of what the device with this folder is made of.
pub(crate) fn slaves_of(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    entries_of(&folder.join("slaves"))
}

/// What is in a folder; nothing if it is not there.
pub(crate) fn entries_of(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()))
}
