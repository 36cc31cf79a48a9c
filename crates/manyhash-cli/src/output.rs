//! Lines of `sum`, and where they go.

use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Seek, StdoutLock, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use tempfile::NamedTempFile;

use crate::algorithm::AnyAlgorithm;
use crate::hexadecimal;
use crate::manifest::escapes::{escape, needs_escape};
use crate::pipeline::Hashed;

/// How a line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `DIGEST  PATH`
    Text,
    /// `DIGEST *PATH`
    Binary,
    /// `SHA256 (PATH) = DIGEST`
    Tag,
    /// `{"path":"PATH","bytes":1,"algorithm":"SHA-256","digest":"DIGEST"}`
    Json,
}

/// A format of lines.
#[derive(Clone, Debug)]
pub struct Format {
    style: Style,
    zero: bool,
    algorithm: AnyAlgorithm,
    tag: String,
}

impl Format {
    /// Lines in a style; with `zero`, lines end in a NUL and names are not escaped.
    pub fn new(algorithm: AnyAlgorithm, style: Style, zero: bool) -> Self {
        Self { style, zero, algorithm, tag: algorithm.tag() }
    }

    /// The whole line for a file.
    pub fn line(&self, path: &[u8], hashed: &Hashed) -> Vec<u8> {
        let digest = hashed.digests.of(self.algorithm);
        let mut line = Vec::with_capacity(path.len() + 2 * digest.len() + self.tag.len() + 10);
        let escaped = !self.zero && needs_escape(path);
        if self.style != Style::Json && escaped {
            line.push(b'\\');
        }
        let name = |line: &mut Vec<u8>| if escaped { escape(path, line) } else { line.extend(path) };
        match self.style {
            Style::Text | Style::Binary => {
                hexadecimal::encode(digest, &mut line);
                line.extend(if self.style == Style::Text { b"  " } else { b" *" });
                name(&mut line);
            }
            Style::Tag => {
                line.extend(self.tag.as_bytes());
                line.extend(b" (");
                name(&mut line);
                line.extend(b") = ");
                hexadecimal::encode(digest, &mut line);
            }
            Style::Json => {
                let object = JsonSum {
                    name: JsonName::of(path),
                    bytes: hashed.bytes,
                    algorithm: self.algorithm.name(),
                    digest: hexadecimal::encoded(digest),
                };
                line = serde_json::to_vec(&object).expect("strings and numbers are JSON");
            }
        }
        line.push(if self.zero { 0 } else { b'\n' });
        line
    }
}

#[derive(Serialize)]
struct JsonSum<'a> {
    #[serde(flatten)]
    name: JsonName<'a>,
    bytes: u64,
    algorithm: &'static str,
    digest: String,
}

/// A file's name in JSON, nothing lost: as `path`, or where it is not UTF-8 its bytes in hexadecimal as `path_hex`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum JsonName<'a> {
    /// A name that is UTF-8.
    Path(&'a str),
    /// Any other.
    PathHex(String),
}

impl<'a> JsonName<'a> {
    /// The name in `bytes`.
    pub fn of(bytes: &'a [u8]) -> Self {
        str::from_utf8(bytes).map_or_else(|_| Self::PathHex(hexadecimal::encoded(bytes)), Self::Path)
    }
}

/// Where lines go.
#[derive(Debug)]
pub enum Output {
    /// Standard output.
    Stdout {
        /// The lines that are not out yet.
        lines: BufWriter<StdoutLock<'static>>,
        /// Whether somebody is looking.
        is_terminal: bool,
    },
    /// A file that appears, or replaces the old one, when all is written. Until then the lines are in a file without a name, so that
    /// nothing is left of it however the process ends.
    File {
        /// The lines so far.
        lines: BufWriter<File>,
        /// Where they will be.
        path: PathBuf,
    },
    /// Something that is there and no regular file (a device, a fifo), written to as it is.
    Special(BufWriter<File>),
}

impl Output {
    /// Standard output.
    pub fn stdout() -> Self {
        let stdout = io::stdout();
        let is_terminal = stdout.is_terminal();
        Self::Stdout { lines: BufWriter::with_capacity(64 << 10, stdout.lock()), is_terminal }
    }

    /// The file at `path`; a link there is followed.
    pub fn file(path: &Path) -> io::Result<Self> {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => Err(io::Error::new(io::ErrorKind::IsADirectory, "Is a directory")),
            Ok(metadata) if !metadata.is_file() => Ok(Self::Special(BufWriter::new(File::options().write(true).open(path)?))),
            Ok(_) => Self::unnamed(fs::canonicalize(path)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::unnamed(path.to_path_buf()),
            Err(error) => Err(error),
        }
    }

    fn unnamed(path: PathBuf) -> io::Result<Self> {
        let lines = BufWriter::with_capacity(64 << 10, tempfile::tempfile_in(folder_of(&path))?);
        Ok(Self::File { lines, path })
    }

    /// Whether somebody is looking.
    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::Stdout { is_terminal: true, .. })
    }

    /// Ends the output: all is written, and the file is in its place.
    pub fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        let Self::File { lines, path } = self else { return Ok(()) };
        let mut lines = lines.into_inner().map_err(io::IntoInnerError::into_error)?;
        lines.rewind()?;
        let mut named = new_file_beside(&path)?;
        io::copy(&mut lines, named.as_file_mut())?;
        named.persist(&path)?;
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout { lines, .. } => lines.write(bytes),
            Self::File { lines, .. } => lines.write(bytes),
            Self::Special(output) => output.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout { lines, .. } => lines.flush(),
            Self::File { .. } => Ok(()),
            Self::Special(output) => output.flush(),
        }
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file in the folder of `path`, with the permissions of the file there, or else those of any new file.
fn new_file_beside(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".manyhash-");
    #[cfg(unix)]
    let new_file_permissions = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    #[cfg(unix)]
    builder.permissions(new_file_permissions);
    let named = builder.tempfile_in(folder_of(path))?;
    if let Ok(metadata) = fs::metadata(path) {
        named.as_file().set_permissions(metadata.permissions())?;
    }
    Ok(named)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::Digests;

    fn digest() -> String {
        "0a".repeat(32)
    }

    fn line(style: Style, zero: bool, path: &[u8]) -> Vec<u8> {
        let algorithm = AnyAlgorithm::Sha512_256;
        let digests = Digests::new(algorithm.into(), [0x0a; 32]).unwrap();
        Format::new(algorithm, style, zero).line(path, &Hashed { digests, bytes: 3, stamp: None })
    }

    #[test]
    fn each_style_has_its_line() {
        assert_eq!(line(Style::Text, false, b"a"), format!("{}  a\n", digest()).as_bytes());
        assert_eq!(line(Style::Binary, false, b"a"), format!("{} *a\n", digest()).as_bytes());
        assert_eq!(line(Style::Tag, false, b"a"), format!("SHA512/256 (a) = {}\n", digest()).as_bytes());
        assert_eq!(line(Style::Text, false, b"a\nb"), format!("\\{}  a\\nb\n", digest()).as_bytes());
        assert_eq!(line(Style::Tag, true, b"a\nb"), format!("SHA512/256 (a\nb) = {}\0", digest()).as_bytes());
    }

    #[test]
    fn json_loses_no_name() {
        let digest = digest();
        let object = |name| format!("{{{name},\"bytes\":3,\"algorithm\":\"SHA-512/256\",\"digest\":\"{digest}\"}}\n").into_bytes();
        assert_eq!(line(Style::Json, false, "é\"\n".as_bytes()), object(r#""path":"é\"\n""#));
        assert_eq!(line(Style::Json, false, b"a\xff"), object(r#""path_hex":"61ff""#));
    }
}
