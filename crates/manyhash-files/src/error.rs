//! The errors of files that cannot be read, or that changed after they were found.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// The text of the error for a file whose size changed after it was found.
pub const CHANGED: &str = "changed while it was being read";

/// [`CHANGED`] as an error.
pub fn changed() -> io::Error {
    io::Error::other(CHANGED)
}

/// The error for a folder that was not entered, because a link leads from it back to the folder at
/// this path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SameFolder(pub PathBuf);

impl Error for SameFolder {}

impl fmt::Display for SameFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not entered: the same folder as {}", self.0.display())
    }
}

/// The system's text for `error`, without the number that the standard library adds or what a
/// library wrapped around it.
pub fn reason(error: &io::Error) -> String {
    let mut inner = error.get_ref().map(|inner| inner as &dyn Error);
    while let Some(source) = inner {
        if let Some(error) = source.downcast_ref() {
            return reason(error);
        }
        inner = source.source();
    }
    let text = error.to_string();
    match (error.raw_os_error(), text.rsplit_once(" (os error ")) {
        (Some(_), Some((reason, _))) => reason.to_string(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_have_no_numbers() {
        let error = std::fs::File::open("/nonexistent/path").unwrap_err();
        assert!(!reason(&error).contains("os error"), "{}", reason(&error));
        assert_eq!(reason(&io::Error::other("x (os error y")), "x (os error y");
    }
}
