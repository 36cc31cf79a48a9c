//! A folder in place of a manifest: those in it are meant.

use crate::text::manifest::{bagit, hub, named};
use manyhash_files::STDIN;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Returns `manifests` with those in folders in the place of these, and which they are. A folder
/// without any, or one that cannot be read, stays: to open it says why.
pub(super) fn expanded(manifests: Vec<OsString>) -> (Vec<OsString>, BTreeSet<OsString>) {
    let mut own_folders = BTreeSet::new();
    let mut all = Vec::new();
    for manifest in manifests {
        let path = Path::new(&manifest);
        let is_folder = manifest != STDIN && fs::metadata(path).is_ok_and(|metadata| metadata.is_dir());
        let within = if is_folder { manifests_in(path).unwrap_or_default() } else { Vec::new() };
        if within.is_empty() {
            // They are manifests themselves.
            let repositories = if is_folder { hub::repositories(path).unwrap_or_default() } else { Vec::new() };
            match &repositories[..] {
                [] => all.push(manifest),
                _ => all.extend(repositories.into_iter().map(PathBuf::into_os_string)),
            }
            continue;
        }
        let within = within.into_iter().map(PathBuf::into_os_string);
        own_folders.extend(within.clone());
        all.extend(within);
    }
    (all, own_folders)
}

/// Returns the manifests of a bag, or else lists named as `SHA256SUMS` is, or else the RECORD of a
/// Python package, in the byte order of their names.
fn manifests_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.extend(entry?.file_name().into_string());
    }
    names.sort_unstable();
    let is_there = |wanted: &str| names.iter().any(|name| name == wanted);
    let is_record = |name: &str| name == "RECORD" && folder.extension() == Some(OsStr::new("dist-info"));
    let is_wanted = |name: &&String| match is_there("bagit.txt") {
        true => bagit::algorithm_of(name).is_some(),
        false => is_list(name) || is_record(name),
    };
    Ok(names.iter().filter(is_wanted).map(|name| folder.join(name)).filter(|path| path.is_file()).collect())
}

/// Whether this is the name of a list for the folder it is in: `SHA256SUMS`, `md5sums`,
/// `release-sha512sum.txt`.
fn is_list(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let stem = lower.strip_suffix(".txt").unwrap_or(&lower);
    (stem.ends_with("sums") || stem.ends_with("sum")) && named::algorithm_of(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_is_a_list() {
        for name in ["SHA256SUMS", "md5sums", "B2SUMS", "SHA3-256SUMS.txt", "release-1.0-sha512sum.txt"] {
            assert!(is_list(name), "{name}");
        }
        for name in ["SHA256SUMS.asc", "SHA256SUMS.gpg", "SUMS", "checksums", "photo.sha256", "sha256"] {
            assert!(!is_list(name), "{name}");
        }
    }
}
