//! Paths in one spelling for each file, however a manifest writes its name.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The longest path that is resolved. No system can open a longer one.
const LONGEST_PATH_BYTES: usize = 4096;

/// The most bytes of folders' paths that are remembered.
const MEMORY_BYTES: usize = 1 << 20;

/// Resolves paths, and remembers folders, because most files share theirs with others.
#[derive(Debug)]
pub(crate) struct Places {
    current: PathBuf,
    folders: HashMap<PathBuf, PathBuf>,
    bytes: usize,
}

impl Places {
    /// Creates a resolver of paths relative to the current folder.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { current: std::env::current_dir()?, folders: HashMap::new(), bytes: 0 })
    }

    /// Returns the file's path without links in folders, `.`, `..` or repeated separators. The last
    /// name is not resolved, even if it is a link. A path that does not exist is resolved as far as
    /// it does.
    pub(crate) fn resolve(&mut self, path: &Path) -> PathBuf {
        match (path.parent(), path.file_name()) {
            (Some(folder), Some(name)) => self.resolve_in(folder, name),
            _ => canonical(&self.current.join(path)),
        }
    }

    fn resolve_in(&mut self, folder: &Path, name: &OsStr) -> PathBuf {
        if let Some(resolved) = self.folders.get(folder) {
            return resolved.join(name);
        }
        let resolved = canonical(&self.current.join(folder));
        self.bytes += folder.as_os_str().len() + resolved.as_os_str().len() + 2 * size_of::<PathBuf>();
        if self.bytes > MEMORY_BYTES {
            self.bytes = 0;
            self.folders.clear();
        }
        let path = resolved.join(name);
        self.folders.insert(folder.to_path_buf(), resolved);
        path
    }
}

/// Resolves the path of a folder as far as it exists. In the rest, `..` takes the last name away.
fn canonical(path: &Path) -> PathBuf {
    let is_possible = path.as_os_str().len() < LONGEST_PATH_BYTES;
    let existing = path.ancestors().filter(|_| is_possible).find_map(|ancestor| Some((ancestor, fs::canonicalize(ancestor).ok()?)));
    let (mut resolved, rest) = match existing {
        Some((ancestor, resolved)) => (resolved, path.strip_prefix(ancestor).unwrap_or(path)),
        None => (PathBuf::new(), path),
    };
    for component in rest.components() {
        match component {
            Component::ParentDir => {
                resolved.pop();
            }
            Component::CurDir => {}
            other => resolved.push(other),
        }
    }
    resolved
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_file_has_one_path() {
        let place = tempfile::TempDir::new().unwrap();
        let root = fs::canonicalize(place.path()).unwrap();
        fs::create_dir_all(root.join("usr/lib/x")).unwrap();
        fs::write(root.join("usr/lib/f"), "").unwrap();
        symlink("usr/lib", root.join("lib")).unwrap();
        symlink("f", root.join("usr/lib/g")).unwrap();
        let mut places = Places { current: root.clone(), folders: HashMap::new(), bytes: 0 };
        for (path, expected) in [
            ("usr/lib/f", "usr/lib/f"),
            ("./usr//lib/./f", "usr/lib/f"),
            ("lib/f", "usr/lib/f"),
            ("lib/x/../f", "usr/lib/f"),
            ("usr/../lib/f", "usr/lib/f"),
            ("lib/g", "usr/lib/g"),
            ("lib/missing", "usr/lib/missing"),
            ("lib/none/a/../b", "usr/lib/none/b"),
            ("none/../usr/./f", "usr/f"),
        ] {
            for _ in 0..2 {
                assert_eq!(places.resolve(Path::new(path)), root.join(expected), "{path}");
                assert_eq!(places.resolve(&root.join(path)), root.join(expected), "{path}");
            }
        }
        let long = "a/".repeat(LONGEST_PATH_BYTES) + "../b";
        assert!(places.resolve(Path::new(&long)).ends_with("a/b"));
    }

    #[test]
    fn few_folders_are_remembered() {
        let mut places = Places::new().unwrap();
        for index in 0..40_000 {
            places.resolve(Path::new(&format!("/nonexistent/{index:0100}/f")));
        }
        assert!(places.bytes <= MEMORY_BYTES && places.folders.len() < 10_000);
    }
}
