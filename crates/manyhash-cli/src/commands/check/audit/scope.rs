//! The folders to search for files that no manifest lists. CHECK.md says which, and why.

use crate::text::manifest::document::Document;
use crate::text::manifest::form::Form;
use manyhash_files::read::Stamp;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The most folders that are kept. Of more, the folder that they are in is covered as a whole.
const MOST_FOLDERS: usize = 1000;

#[derive(Debug, Default)]
pub(crate) struct Scope {
    folders: BTreeSet<PathBuf>,
    /// The folder that all absolute names are in.
    common: Option<PathBuf>,
    devices: BTreeSet<u64>,
}

impl Scope {
    /// Adds the folder that the file at `path`, named relative to `base`, covers in this form.
    pub(crate) fn cover(&mut self, base: Option<&Path>, form: Form, path: &Path) {
        let in_base = path.strip_prefix(base.unwrap_or(Path::new(""))).unwrap_or(path);
        match form {
            Form::BagIt(_) => self.insert(base.unwrap_or(Path::new("")).join("data")),
            Form::Record => {
                if let Some(folder) = first_folder(in_base).filter(|folder| folder.is_relative() && !folder.starts_with("..")) {
                    self.insert(base.unwrap_or(Path::new("")).join(folder));
                }
            }
            Form::Document(Document::Cargo) => self.insert(base.unwrap_or(Path::new("")).to_path_buf()),
            _ if base.is_some() => self.insert(base.unwrap_or(Path::new("")).to_path_buf()),
            _ if path.is_absolute() => self.widen(path),
            _ => self.insert(first_folder(path).unwrap_or_default()),
        }
    }

    pub(crate) fn reach(&mut self, device: u64) {
        self.devices.insert(device);
    }

    fn insert(&mut self, folder: PathBuf) {
        if self.folders.contains(&folder) {
            return;
        }
        if self.folders.len() >= MOST_FOLDERS {
            let parents: BTreeSet<_> = self.folders.iter().map(|folder| folder.parent().unwrap_or(folder).to_path_buf()).collect();
            self.folders = parents;
            let parent = folder.parent().map(Path::to_path_buf);
            self.folders.insert(parent.unwrap_or(folder));
            return;
        }
        self.folders.insert(folder);
    }

    fn widen(&mut self, path: &Path) {
        let folder = path.parent().unwrap_or(path);
        match &mut self.common {
            None => self.common = Some(folder.to_path_buf()),
            Some(common) => while !folder.starts_with(&*common) && common.pop() {},
        }
    }

    /// Returns the existing folders to search, none in another, and the file systems to stay on.
    pub(crate) fn folders(mut self) -> (Vec<PathBuf>, BTreeSet<u64>) {
        let here = |folder: PathBuf| if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
        let all: BTreeSet<_> =
            self.folders.into_iter().chain(self.common).filter_map(|folder| fs::canonicalize(here(folder)).ok()).collect();
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in all {
            // The outer of two folders comes first.
            if folder.is_dir() && !folders.last().is_some_and(|last| folder.starts_with(last)) {
                self.devices.extend(fs::metadata(&folder).ok().and_then(|metadata| Stamp::of(&metadata)).map(|stamp| stamp.file.device));
                folders.push(folder);
            }
        }
        (folders, self.devices)
    }
}

/// Returns the first folder of `path` with any `..` in front, or `None` if there is no folder.
fn first_folder(path: &Path) -> Option<PathBuf> {
    let mut words: Vec<&OsStr> = Vec::new();
    for component in path.parent()?.components() {
        match component {
            Component::ParentDir if words.last().is_some_and(|&word| word != "..") => {
                words.pop();
            }
            Component::CurDir => {}
            other => words.push(other.as_os_str()),
        }
    }
    let leading = words.iter().take_while(|&&word| word == "..").count();
    let folder: PathBuf = words.into_iter().take(leading + 1).collect();
    (!folder.as_os_str().is_empty()).then_some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use manyhash::AnyAlgorithm;

    fn covered(base: Option<&str>, form: Form, names: &[&str]) -> Vec<String> {
        let mut scope = Scope::default();
        for name in names {
            let path = base.map_or_else(|| PathBuf::from(name), |base| Path::new(base).join(name));
            scope.cover(base.map(Path::new), form, &path);
        }
        let text = |path: PathBuf| path.to_str().unwrap().to_string();
        scope.folders.into_iter().chain(scope.common).map(text).collect()
    }

    #[test]
    fn names_cover_their_first_folder() {
        let of = |names: &[&str]| covered(None, Form::Text, names);
        assert_eq!(of(&["t/a/b", "t/c", "./u/d", "t//e"]), ["t", "u"]);
        assert_eq!(of(&["f", "t/a"]), ["", "t"]);
        assert_eq!(of(&["../t/a/b", "../../f", "a/../b/c"]), ["../..", "../t", "b"]);
        assert_eq!(of(&["/data/t/a/b", "/data/t/c", "/data/t/d/e/f"]), ["/data/t"]);
        assert_eq!(of(&["/data/t/a", "/data/u/c"]), ["/data"]);
    }

    #[test]
    fn a_base_is_covered_as_a_whole_but_for_forms_that_know_better() {
        assert_eq!(covered(Some("d"), Form::Json, &["t/a", "f"]), ["d"]);
        assert_eq!(covered(Some("bag"), Form::BagIt(AnyAlgorithm::Sha256), &["bagit.txt"]), ["bag/data"]);
        assert_eq!(covered(Some("s"), Form::Record, &["x/a", "y.py", "../bin/z", "/bin/q"]), ["s/x"]);
    }

    #[test]
    fn of_many_folders_the_one_around_them_is_covered() {
        let names: Vec<_> = (0..5000).map(|index| format!("t{index}/f")).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let covered = covered(None, Form::Text, &names);
        assert!(covered.len() <= MOST_FOLDERS + 1 && covered.contains(&String::new()));
    }
}
