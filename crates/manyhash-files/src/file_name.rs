//! File names as bytes: on Unix they are nothing else.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::Path;

/// The bytes of `path`: its own on Unix, UTF-8 elsewhere. On Windows, which takes both for separators, slashes stand for backslashes: what
/// is written there can be read everywhere, and the same file has one name.
pub fn bytes_of(path: &Path) -> Cow<'_, [u8]> {
    let bytes = path.as_os_str().as_encoded_bytes();
    if cfg!(windows) && bytes.contains(&b'\\') {
        return bytes.iter().map(|&byte| if byte == b'\\' { b'/' } else { byte }).collect();
    }
    bytes.into()
}

/// The name with these bytes. Where names are not bytes, what is not UTF-8 becomes a name that no
/// file has.
pub fn from_bytes(bytes: &[u8]) -> OsString {
    #[cfg(unix)]
    return std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec());
    #[cfg(not(unix))]
    return String::from_utf8_lossy(bytes).into_owned().into();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backslash_is_a_separator_on_windows_and_part_of_a_name_elsewhere() {
        let written: &[u8] = if cfg!(windows) { b"C:/a/b" } else { b"C:\\a/b" };
        assert_eq!(*bytes_of(Path::new("C:\\a/b")), *written);
        assert_eq!(*bytes_of(Path::new("a/b")), *b"a/b");
    }
}
