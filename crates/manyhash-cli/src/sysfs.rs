//! Block devices in Linux's sysfs, which is visible in containers as well.
//!
//! `dev/block/MAJOR:MINOR` is a link to a device's folder. A partition's folder is in that of the
//! whole disk. The folder `slaves` has links to the devices that a device is made of.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the resolved folder of the device numbered `device` in the sysfs at `system`, or `None`
/// if the system does not show it.
#[cfg(target_os = "linux")]
pub(crate) fn folder_of(system: &Path, device: u64) -> Option<PathBuf> {
    use rustix::fs::{major, minor};
    fs::canonicalize(system.join(format!("dev/block/{}:{}", major(device), minor(device)))).ok()
}

/// Returns `None`, because other systems have no such folders.
#[cfg(not(target_os = "linux"))]
pub(crate) fn folder_of(_: &Path, _: u64) -> Option<PathBuf> {
    None
}

/// Returns the folder of the disk, if the device in `folder` is a partition.
pub(crate) fn disk_of(folder: &Path) -> Option<&Path> {
    folder.join("partition").exists().then(|| folder.parent()).flatten()
}

/// Returns the folders, or links to them, of the devices that the device in `folder` is made of.
pub(crate) fn slaves_of(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    entries_of(&folder.join("slaves"))
}

/// Returns the paths of the entries of `folder`, or none if it does not exist.
pub(crate) fn entries_of(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()))
}
