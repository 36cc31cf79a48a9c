//! dpkg's diversions: files of a package that another package, or the administrator, made room for
//! its own by moving them aside.
//!
//! `/var/lib/dpkg/diversions` has three lines for each: the path, where the file of any other
//! package goes instead, and the package that keeps the path, or `:` for none.

use std::collections::HashMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

#[derive(Debug, Default)]
pub(super) struct Diversions(HashMap<Vec<u8>, Diversion>);

#[derive(Debug)]
struct Diversion {
    to: Vec<u8>,
    /// The package whose file is not diverted.
    package: Vec<u8>,
}

/// Returns where the diversions of a system are of which `manifest` is a package's list, and the
/// name of the package.
pub(super) fn place_of(manifest: &Path) -> Option<(PathBuf, Vec<u8>)> {
    let folder = manifest.parent().filter(|folder| folder.file_name().is_some_and(|name| name == "info"))?;
    let name = manifest.file_name()?.as_encoded_bytes().strip_suffix(b".md5sums")?;
    // Behind a colon is the architecture.
    let package = name.split(|&byte| byte == b':').next()?;
    Some((folder.parent()?.join("diversions"), package.to_vec()))
}

impl Diversions {
    /// Reads the file at `path`. If it is not there, there are no diversions.
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        match fs::read(path) {
            Ok(text) => Self::parse(&text).map_err(|line| {
                let what = "each diversion has three lines: two absolute paths, and a package or a colon";
                io::Error::new(ErrorKind::InvalidData, format!("{line}: {what}"))
            }),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error),
        }
    }

    /// Takes diversions from the text of the file. Fails with the number of a line.
    fn parse(text: &[u8]) -> Result<Self, usize> {
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        let lines: Vec<&[u8]> = if text.is_empty() { Vec::new() } else { text.split(|&byte| byte == b'\n').collect() };
        let mut found = HashMap::new();
        for (index, three) in lines.chunks(3).enumerate() {
            let &[from, to, package] = three else { return Err(lines.len()) };
            for (offset, path) in [from, to].into_iter().enumerate() {
                if !path.starts_with(b"/") {
                    return Err(3 * index + offset + 1);
                }
            }
            if package.is_empty() {
                return Err(3 * index + 3);
            }
            found.insert(relative(from).to_vec(), Diversion { to: relative(to).to_vec(), package: package.to_vec() });
        }
        Ok(Self(found))
    }

    /// Returns the name under which the file `name` of `package` is, if it is diverted.
    pub(super) fn of(&self, name: &[u8], package: &[u8]) -> Option<&[u8]> {
        let diversion = self.0.get(relative(name)).filter(|diversion| diversion.package != package)?;
        Some(&diversion.to)
    }
}

/// Returns a name without what makes it absolute, or relative to the current folder.
fn relative(name: &[u8]) -> &[u8] {
    name.strip_prefix(b"./").or_else(|| name.strip_prefix(b"/")).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_other_packages_are_diverted() {
        let text = b"/usr/bin/x\n/usr/bin/x.distrib\ny\n/etc/z\n/etc/z.old\n:\n";
        let diversions = Diversions::parse(text).unwrap();
        assert_eq!(diversions.of(b"usr/bin/x", b"x"), Some(&b"usr/bin/x.distrib"[..]));
        assert_eq!(diversions.of(b"./usr/bin/x", b"x"), Some(&b"usr/bin/x.distrib"[..]));
        assert_eq!(diversions.of(b"usr/bin/x", b"y"), None);
        assert_eq!(diversions.of(b"usr/bin/x.distrib", b"x"), None);
        // The administrator's are of all packages.
        assert_eq!(diversions.of(b"etc/z", b"y"), Some(&b"etc/z.old"[..]));
        assert!(Diversions::parse(b"").unwrap().0.is_empty());
    }

    #[test]
    fn what_is_no_diversion_is_told_by_its_line() {
        for (text, line) in [
            (&b"/a\n/b\n"[..], 2),
            (b"/a\n/b\nc\n/d\n", 4),
            (b"a\n/b\nc\n", 1),
            (b"/a\nb\nc\n", 2),
            (b"/a\n/b\n\n", 3),
            (b"/a\n/b\nc\n/d\ne\nf", 5),
            (b"\n\n", 2),
        ] {
            assert_eq!(Diversions::parse(text).unwrap_err(), line, "{}", text.escape_ascii());
        }
    }

    #[test]
    fn lists_of_packages_say_where_diversions_are() {
        let place =
            |path: &str| place_of(Path::new(path)).map(|(path, package)| (path.display().to_string(), String::from_utf8(package).unwrap()));
        let of = |path: &str, package: &str| Some((path.to_string(), package.to_string()));
        assert_eq!(place("/var/lib/dpkg/info/dash.md5sums"), of("/var/lib/dpkg/diversions", "dash"));
        assert_eq!(place("info/libc6:amd64.md5sums"), of("diversions", "libc6"));
        for other in ["dash.md5sums", "other/dash.md5sums", "info/dash.list", "-"] {
            assert_eq!(place(other), None, "{other}");
        }
    }
}
