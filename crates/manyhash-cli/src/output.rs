//! The output: standard output, or a file that appears when all is written.

use crate::colour::{self, Colour};
use crate::text::printable::for_terminal;
use manyhash_files::find::{Place, folder_of};
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Seek, StdoutLock, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

#[derive(Debug)]
pub(crate) enum Output {
    Stdout {
        lines: BufWriter<StdoutLock<'static>>,
        is_terminal: bool,
        is_coloured: bool,
        /// Whether characters that do not print reach a terminal too.
        is_raw: bool,
    },
    /// A file that appears, or replaces the old one, when all is written. Until then the lines are
    /// in a file without a name, so that nothing is left of it however the process ends.
    File { lines: BufWriter<File>, path: PathBuf },
    /// A descriptor of this process, or an existing file that is not a regular one (a device, a
    /// fifo). It is written to directly.
    Special { lines: BufWriter<File>, is_terminal: bool },
}

impl Output {
    pub(crate) fn stdout() -> Self {
        let stdout = io::stdout();
        let (is_terminal, is_coloured) = (stdout.is_terminal(), colour::is_on(&stdout));
        Self::Stdout { lines: BufWriter::with_capacity(64 << 10, stdout.lock()), is_terminal, is_coloured, is_raw: false }
    }

    /// Creates an output to stdout that passes names to a terminal unchanged, as GNU's sums do.
    pub(crate) fn raw_stdout() -> Self {
        match Self::stdout() {
            Self::Stdout { lines, is_terminal, is_coloured, .. } => Self::Stdout { lines, is_terminal, is_coloured, is_raw: true },
            other => other,
        }
    }

    /// Creates an output to the file at `path`. A link there is followed, even if its target does
    /// not exist yet. If the path stands for a descriptor of this process, that descriptor is used,
    /// whatever is behind it. Fails if `path` is a folder, or cannot be opened or created.
    pub(crate) fn file(path: &Path) -> io::Result<Self> {
        let place = match Place::of(path)? {
            Place::Path(place) => place,
            Place::Descriptor(1) => return Ok(Self::stdout()),
            Place::Descriptor(number) => return Ok(Self::special(descriptor(number, path)?)),
        };
        match fs::metadata(&place) {
            Ok(metadata) if metadata.is_dir() => Err(io::Error::new(ErrorKind::IsADirectory, "Is a directory")),
            Ok(metadata) if !metadata.is_file() => Ok(Self::special(File::options().write(true).open(place)?)),
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Self::unnamed(place),
        }
    }

    fn special(file: File) -> Self {
        let is_terminal = file.is_terminal();
        Self::Special { lines: BufWriter::new(file), is_terminal }
    }

    fn unnamed(path: PathBuf) -> io::Result<Self> {
        let lines = BufWriter::with_capacity(64 << 10, unnamed(&path)?);
        Ok(Self::File { lines, path })
    }

    /// Returns the file that has no name yet, so that it can be written at any position. Fails if
    /// the output is not a regular file.
    pub(crate) fn unnamed_file(&self) -> io::Result<&File> {
        match self {
            Self::File { lines, .. } => Ok(lines.get_ref()),
            Self::Stdout { .. } | Self::Special { .. } => Err(io::Error::other("it must be a regular file")),
        }
    }

    pub(crate) fn is_terminal(&self) -> bool {
        matches!(self, Self::Stdout { is_terminal: true, .. } | Self::Special { is_terminal: true, .. })
    }

    /// Writes `text` in a colour, if this output has colours.
    pub(crate) fn write_in(&mut self, colour: Colour, text: &[u8]) -> io::Result<()> {
        if !matches!(self, Self::Stdout { is_coloured: true, .. }) {
            return self.write_all(text);
        }
        self.write_as_it_is(colour.begin())?;
        self.write_all(text)?;
        self.write_as_it_is(Colour::END)
    }

    fn write_as_it_is(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Stdout { lines, .. } => lines.write_all(bytes),
            Self::File { lines, .. } | Self::Special { lines, .. } => lines.write_all(bytes),
        }
    }

    /// Writes out all lines, and puts the file in its place.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        let Self::File { lines, path } = self else { return Ok(()) };
        let lines = lines.into_inner().map_err(io::IntoInnerError::into_error)?;
        publish(lines, &path)
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_terminal() && !matches!(self, Self::Stdout { is_raw: true, .. }) {
            self.write_as_it_is(&for_terminal(bytes))?;
            return Ok(bytes.len());
        }
        self.write_as_it_is(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout { lines, .. } => lines.flush(),
            Self::File { .. } => Ok(()),
            Self::Special { lines, .. } => lines.flush(),
        }
    }
}

/// Opens the descriptor `number` of this process, which `path` stands for. The file is shared with
/// that descriptor, not opened again.
fn descriptor(number: u32, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        match number {
            0 => return Ok(io::stdin().as_fd().try_clone_to_owned()?.into()),
            2 => return Ok(io::stderr().as_fd().try_clone_to_owned()?.into()),
            _ => {}
        }
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};
        let itself = pidfd_open(getpid(), PidfdFlags::empty());
        let number = i32::try_from(number).unwrap_or(i32::MAX);
        match itself.and_then(|itself| pidfd_getfd(itself, number, PidfdGetfdFlags::empty())) {
            Ok(file) => return Ok(file.into()),
            // If that is not allowed: a file opened again would be written from its beginning.
            Err(error) if fs::metadata(path)?.is_file() => return Err(error.into()),
            Err(_) => {}
        }
    }
    let _ = number;
    File::options().write(true).open(path)
}

/// Creates a file without a name on the file system of `path`. It vanishes with the process. Windows has no such files: there it has
/// a name elsewhere, so that nobody who reads the folder meanwhile finds it.
pub(crate) fn unnamed(path: &Path) -> io::Result<File> {
    if cfg!(windows) { tempfile::tempfile() } else { tempfile::tempfile_in(folder_of(path)) }
}

/// Gives the finished `file` the name `path`. It appears, or replaces the old one.
pub(crate) fn publish(file: File, path: &Path) -> io::Result<()> {
    make_ready(&file, path)?;
    named(file, path)?.persist(path)?;
    sync_folder(folder_of(path))
}

/// Gives `file` the owner and permissions of the old one at `path`, and makes sure that its content
/// lasts. Otherwise a crash after the name appeared would leave an empty file.
fn make_ready(file: &File, path: &Path) -> io::Result<()> {
    if let Ok(old) = fs::metadata(path) {
        #[cfg(unix)]
        keep_owner(file, &old);
        file.set_permissions(old.permissions())?;
    }
    file.sync_all()
}

/// Gives `unnamed`, which is ready, a temporary name beside `path`, or where the system cannot, a
/// copy of it. A process that is killed leaves that name if it has it, so that comes last.
fn named(mut unnamed: File, path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".manyhash-");
    let folder = folder_of(path);
    #[cfg(target_os = "linux")]
    if let Ok(named) = builder.make_in(folder, |name| link(&unnamed, name).and_then(|()| unnamed.try_clone())) {
        return Ok(named);
    }
    #[cfg(unix)]
    let new_file_permissions = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    #[cfg(unix)]
    builder.permissions(new_file_permissions);
    let mut named = builder.tempfile_in(folder)?;
    unnamed.rewind()?;
    io::copy(&mut unnamed, named.as_file_mut())?;
    make_ready(named.as_file(), path)?;
    Ok(named)
}

#[cfg(target_os = "linux")]
fn link(file: &File, name: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd;
    Ok(linkat(CWD, format!("/proc/self/fd/{}", file.as_raw_fd()), CWD, name, AtFlags::SYMLINK_FOLLOW)?)
}

/// Makes sure that new names in `folder` survive a crash, as far as the system allows.
fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // A folder may be writable but not readable, or its file system cannot do this.
        Err(error) if matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::InvalidInput | ErrorKind::Unsupported) => {}
        result => return result,
    }
    let _ = folder;
    Ok(())
}

/// Gives `file` to the owner of the file that it replaces. Only root may, so errors are ignored.
#[cfg(unix)]
fn keep_owner(file: &File, old: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let _ = fchown(file, Some(old.uid()), Some(old.gid()));
}
