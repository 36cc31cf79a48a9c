//! Where a path leads, also if nothing is there yet.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The most links that are followed: more than any system follows.
const MAX_LINKS: usize = 64;

/// Where a path leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// It leads to a file with this absolute path, which has no links. The file need not be there,
    /// but its folder is.
    Path(PathBuf),
    /// It leads to a descriptor of this process: `/dev/stdout`, `/dev/fd/N`, `/proc/self/fd/N` and
    /// links to them. To open such a path is not to use the descriptor: the file behind it may have
    /// another name by now, and another position.
    Descriptor(u32),
}

impl Place {
    /// Where `path` leads.
    ///
    /// # Errors
    /// If the folder is not there, or cannot be looked at.
    pub fn of(path: &Path) -> io::Result<Self> {
        let mut path = path.to_path_buf();
        for _ in 0..MAX_LINKS {
            let (Some(name), false) = (path.file_name(), ends_in_separator(&path)) else {
                return fs::canonicalize(path).map(Self::Path);
            };
            let folder = fs::canonicalize(folder_of(&path))?;
            if let Some(number) = name.to_str().and_then(|name| name.parse().ok())
                && is_of_descriptors(&folder)
            {
                return Ok(Self::Descriptor(number));
            }
            let place = folder.join(name);
            match fs::symlink_metadata(&place) {
                Ok(found) if found.is_symlink() => path = folder.join(fs::read_link(&place)?),
                Ok(_) => return Ok(Self::Path(place)),
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::Path(place)),
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("Too many levels of symbolic links"))
    }

    /// The absolute path without links that `path` leads to, unless it leads to a descriptor.
    pub fn path_of(path: &Path) -> Option<PathBuf> {
        match Self::of(path) {
            Ok(Self::Path(path)) => Some(path),
            Ok(Self::Descriptor(_)) => fs::canonicalize(path).ok(),
            Err(_) => None,
        }
    }
}

/// The folder that a path is in.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn ends_in_separator(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().last().is_some_and(|&byte| std::path::is_separator(char::from(byte)))
}

/// Whether the folder at this path, which has no links, has the descriptors of this process.
fn is_of_descriptors(folder: &Path) -> bool {
    ["/proc/self/fd", "/proc/thread-self/fd", "/dev/fd"].iter().any(|known| fs::canonicalize(known).is_ok_and(|known| known == folder))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_to_what_is_not_there_yet() {
        let folder = tempfile::TempDir::new().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir(root.join("d")).unwrap();
        fs::write(root.join("d/f"), "").unwrap();
        for (target, link) in [("d/f", "to-f"), ("d/new", "to-new"), ("../to-new", "d/twice"), ("none/new", "lost"), ("d", "to-d")] {
            symlink(target, root.join(link)).unwrap();
        }
        symlink("loop", root.join("loop")).unwrap();
        symlink("/dev/fd/7", root.join("to-7")).unwrap();
        symlink("/dev/stdout", root.join("to-1")).unwrap();
        let of = |path: &str| Place::of(&root.join(path)).map_err(|error| error.kind());
        let path = |path: &str| Ok(Place::Path(root.join(path)));
        for (asked, expected) in [
            ("d/f", path("d/f")),
            ("to-f", path("d/f")),
            ("to-new", path("d/new")),
            ("d/twice", path("d/new")),
            ("to-d/new", path("d/new")),
            ("to-d/../x", path("x")),
            ("lost", Err(ErrorKind::NotFound)),
            ("none/x", Err(ErrorKind::NotFound)),
            ("new/", Err(ErrorKind::NotFound)),
            ("to-d/", path("d")),
            ("to-7", Ok(Place::Descriptor(7))),
            ("to-1", Ok(Place::Descriptor(1))),
        ] {
            assert_eq!(of(asked), expected, "{asked}");
        }
        assert!(of("loop").is_err());
        assert_eq!(Place::of(Path::new("/dev/stderr")).unwrap(), Place::Descriptor(2));
    }
}
