//! A Nix archive as it is read: what `nix-store --dump` writes (E. Dolstra, "The Purely Functional
//! Software Deployment Model", section 5.2, figure 5.2).
//!
//! Everything is strings: a length of eight bytes, the bytes, zeros to a multiple of eight.

use crate::commands::tree::git::is_executable;
use manyhash_files::{Totals, changed, file_name};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::vec;

/// A path whose archive is read. Memory is bounded by the folders on the way, not by the files.
pub(super) struct Archive {
    index: usize,
    path: PathBuf,
    totals: Arc<Totals>,
    /// Bytes of the archive that are made, and how many of them were read.
    made: Vec<u8>,
    read_bytes: usize,
    file: Option<Content>,
    /// The folders on the way to what is read now: each with what follows in it.
    folders: Vec<(PathBuf, vec::IntoIter<PathBuf>)>,
    /// What is read now.
    place: PathBuf,
    has_begun: bool,
}

/// The content of a file.
struct Content {
    file: File,
    left_bytes: u64,
    padding_bytes: usize,
}

impl Archive {
    /// Takes the path, which is number `index` of all.
    pub(super) fn new(index: usize, path: PathBuf, totals: Arc<Totals>) -> Self {
        let place = path.clone();
        Self { index, path, totals, made: Vec::new(), read_bytes: 0, file: None, folders: Vec::new(), place, has_begun: false }
    }

    /// Returns the number of the path.
    pub(super) fn index(&self) -> usize {
        self.index
    }

    /// Returns the path.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of what was read last.
    pub(super) fn place(&self) -> &Path {
        &self.place
    }

    fn string(&mut self, bytes: &[u8]) {
        self.made.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        self.made.extend_from_slice(bytes);
        // What was made before need not end at a multiple of eight: it may be the padding of a file.
        self.made.resize(self.made.len() + bytes.len().next_multiple_of(8) - bytes.len(), 0);
    }

    fn strings(&mut self, texts: &[&str]) {
        texts.iter().for_each(|text| self.string(text.as_bytes()));
    }

    /// Makes what comes next, if there is anything.
    fn make(&mut self) -> io::Result<()> {
        if !self.has_begun {
            self.has_begun = true;
            self.strings(&["nix-archive-1"]);
            return self.node();
        }
        let Some((folder, entries)) = self.folders.last_mut() else { return Ok(()) };
        match entries.next() {
            Some(name) => {
                self.place = folder.join(&name);
                self.strings(&["entry", "(", "name"]);
                self.string(&file_name::bytes_of(&name));
                self.strings(&["node"]);
                self.node()
            }
            None => {
                self.folders.pop();
                self.end();
                Ok(())
            }
        }
    }

    /// Makes the node of what is at the present place, as far as it can be made now.
    fn node(&mut self) -> io::Result<()> {
        let metadata = fs::symlink_metadata(&self.place)?;
        self.strings(&["(", "type"]);
        if metadata.is_symlink() {
            let target = fs::read_link(&self.place)?;
            self.strings(&["symlink", "target"]);
            self.string(&file_name::bytes_of(&target));
            self.end();
        } else if metadata.is_dir() {
            self.strings(&["directory"]);
            let names = fs::read_dir(&self.place)?.map(|entry| entry.map(|entry| PathBuf::from(entry.file_name())));
            let mut names = names.collect::<io::Result<Vec<_>>>()?;
            names.sort_by(|one, other| file_name::bytes_of(one).cmp(&file_name::bytes_of(other)));
            self.folders.push((self.place.clone(), names.into_iter()));
        } else if metadata.is_file() {
            self.strings(&["regular"]);
            if is_executable(&metadata) {
                self.strings(&["executable", ""]);
            }
            self.strings(&["contents"]);
            let file = File::open(&self.place)?;
            let bytes = file.metadata()?.len();
            self.made.extend_from_slice(&bytes.to_le_bytes());
            self.file = Some(Content { file, left_bytes: bytes, padding_bytes: (bytes.next_multiple_of(8) - bytes) as usize });
        } else {
            return Err(io::Error::other("it is no file, folder or link, and archives have nothing else"));
        }
        Ok(())
    }

    /// Ends a node, and the entry that it is.
    fn end(&mut self) {
        self.strings(&[")"]);
        if !self.folders.is_empty() {
            self.strings(&[")"]);
        }
    }

    /// Reads content of the present file.
    fn read_file(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(Content { file, left_bytes, padding_bytes }) = &mut self.file else { return Ok(0) };
        let room = usize::try_from(*left_bytes).unwrap_or(usize::MAX).min(buffer.len());
        let bytes = read(file, buffer.get_mut(..room).unwrap_or_default())?;
        *left_bytes -= bytes as u64;
        if bytes == 0 {
            // A file that is longer now than when it was opened is another one, too.
            if *left_bytes > 0 || read(file, &mut [0])? > 0 {
                return Err(changed());
            }
            let padding = vec![0; *padding_bytes];
            self.made.extend_from_slice(&padding);
            self.file = None;
            self.end();
        }
        Ok(bytes)
    }
}

impl Read for Archive {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        self.totals.check_stopped()?;
        loop {
            let made = self.made.get(self.read_bytes..).unwrap_or_default();
            if !made.is_empty() {
                let bytes = (&mut &*made).read(buffer)?;
                self.read_bytes += bytes;
                return Ok(bytes);
            }
            self.made.clear();
            self.read_bytes = 0;
            if self.file.is_some() {
                let bytes = self.read_file(buffer)?;
                self.totals.read(bytes);
                if bytes > 0 {
                    return Ok(bytes);
                }
            } else {
                self.make()?;
                if self.made.is_empty() {
                    return Ok(0);
                }
            }
        }
    }
}

/// Reads some bytes, and does it again if a signal came in between.
fn read(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match file.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}
