//! File names as bytes: on Unix they are nothing else.

use std::ffi::OsString;
use std::path::Path;

/// The bytes of `path`: its own on Unix, UTF-8 elsewhere.
pub fn bytes_of(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// The name with these bytes. Where names are not bytes, what is not UTF-8 becomes a name that no
/// file has.
pub fn from_bytes(bytes: &[u8]) -> OsString {
    #[cfg(unix)]
    return std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec());
    #[cfg(not(unix))]
    return String::from_utf8_lossy(bytes).into_owned().into();
}
