//! What Hugging Face's libraries keep of a model or a data set: a repository in their cache, or a folder
//! that they downloaded files to. It is a manifest without being a file: names of blobs, or what is noted
//! beside the files, are digests.
//!
//! A file of Git LFS has its SHA-256 digest for a name, any other the id that Git gives it: SHA-1 over
//! `blob SIZE`, a zero byte and its bytes. CHECK.md says what is checked.

use super::line::{Entry, Line};
use super::safetensors;
use crate::text::hexadecimal;
use manyhash::AnyAlgorithm;
use manyhash_files::{Digests, Hashed, Work, changed, file_name};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, DirEntry, File};
use std::io;
use std::path::{Path, PathBuf};

/// What folders of repositories in a cache are called: these words, `--`, and the repository's name.
const KINDS: [&str; 4] = ["models", "datasets", "spaces", "kernels"];

/// Where notes on downloaded files are, in the folder that they were downloaded to.
const NOTES: &str = ".cache/huggingface/download";

/// The end of the name of a file whose download did not end.
const INCOMPLETE: &str = "incomplete";

/// Returns the folders of this kind that `folder` stands for: itself, or all repositories of a cache in
/// the byte order of their names. There are none if it is no such folder.
pub(crate) fn repositories(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if is_one(folder) {
        return Ok(vec![folder.to_path_buf()]);
    }
    let is_called_so = |path: &PathBuf| {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        name.split_once("--").is_some_and(|(kind, _)| KINDS.contains(&kind))
    };
    let mut found: Vec<_> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    found.retain(|path| is_called_so(path) && is_in_cache(path));
    found.sort_unstable();
    Ok(found)
}

/// Whether the files in this folder have digests beside them, or names that are digests.
pub(crate) fn is_one(folder: &Path) -> bool {
    is_in_cache(folder) || folder.join(NOTES).is_dir()
}

fn is_in_cache(folder: &Path) -> bool {
    folder.join("blobs").is_dir() && folder.join("snapshots").is_dir()
}

/// Returns the lines that a folder amounts to, of `wanted` alone if that is an algorithm.
pub(crate) fn read(folder: &Path, wanted: Option<AnyAlgorithm>) -> io::Result<Vec<Line>> {
    let mut found = Folder { root: folder, wanted, lines: Vec::new(), named: HashSet::new(), incomplete: 0 };
    if is_in_cache(folder) {
        found.references(Path::new("refs"))?;
        found.snapshots(Path::new("snapshots"))?;
        found.blobs()?;
    }
    if folder.join(NOTES).is_dir() {
        found.notes(Path::new(""))?;
    }
    if found.incomplete > 0 {
        let (downloads, are) = if found.incomplete == 1 { ("download", "is") } else { ("downloads", "are") };
        found.lines.push(Line::Remark(format!("{} {downloads} {are} not complete, and left out", found.incomplete)));
    }
    Ok(found.lines)
}

/// Returns the work of comparing the id that Git gives the file at `path`. It is made here and now: such
/// files are small, and those of Git LFS have other ids.
pub(crate) fn git_id(path: &Path) -> Work {
    match hash_as_git(path) {
        Ok((digest, bytes)) => match Digests::new(AnyAlgorithm::Sha1.into(), digest) {
            Some(digests) => Work::Known(Hashed { digests, bytes, stamp: None }),
            None => Work::Nothing,
        },
        Err(error) => Work::Failed(error),
    }
}

fn hash_as_git(path: &Path) -> io::Result<(Vec<u8>, u64)> {
    let mut file = File::open(path)?;
    let expected_bytes = file.metadata()?.len();
    let mut hasher = AnyAlgorithm::Sha1.hasher();
    hasher.update(format!("blob {expected_bytes}\0").as_bytes());
    let bytes = io::copy(&mut file, &mut hasher)?;
    if bytes != expected_bytes {
        return Err(changed());
    }
    Ok((hasher.finalize(), bytes))
}

struct Folder<'a> {
    root: &'a Path,
    wanted: Option<AnyAlgorithm>,
    lines: Vec<Line>,
    /// The names of blobs that a snapshot has an entry for.
    named: HashSet<Vec<u8>>,
    incomplete: u64,
}

impl Folder<'_> {
    /// Returns what is in a folder of this one, in the byte order of the names.
    fn inside(&self, folder: &Path) -> io::Result<Vec<DirEntry>> {
        let mut entries = fs::read_dir(self.root.join(folder))?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_unstable_by_key(DirEntry::file_name);
        Ok(entries)
    }

    fn wrong(&mut self, name: &Path, what: impl std::fmt::Display) {
        self.lines.push(Line::Wrong(format!("{}: {what}", name.display())));
    }

    /// Adds the line of a file whose digest is `id`, as names of blobs are. Returns whether `id` is one.
    fn entry(&mut self, name: &Path, id: &[u8]) -> bool {
        let algorithm = match id.len() {
            64 => AnyAlgorithm::Sha256,
            40 => AnyAlgorithm::Sha1,
            _ => return false,
        };
        let Some(digest) = hexadecimal::decode(id) else { return false };
        let name = file_name::bytes_of(name).to_vec();
        if self.wanted.is_some_and(|wanted| wanted != algorithm) {
            self.lines.push(Line::Unhashed(name));
        } else {
            self.lines.push(Line::Entry { entry: Entry { algorithm, digest, name }, size_bytes: None });
        }
        true
    }

    /// Looks whether the snapshots are there that branches and tags are at.
    fn references(&mut self, folder: &Path) -> io::Result<()> {
        if folder == Path::new("refs") && !self.root.join(folder).is_dir() {
            return Ok(());
        }
        for entry in self.inside(folder)? {
            let name = folder.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                self.references(&name)?;
                continue;
            }
            let commit = fs::read_to_string(entry.path()).unwrap_or_default();
            let commit = commit.trim();
            let is_name = !commit.is_empty() && commit.bytes().all(|byte| byte.is_ascii_alphanumeric());
            if !is_name {
                self.wrong(&name, "names no snapshot");
            } else if !self.root.join("snapshots").join(commit).is_dir() {
                self.wrong(&name, format_args!("names snapshots/{commit}, which is not there"));
            }
            self.lines.push(Line::Unhashed(file_name::bytes_of(&name).to_vec()));
        }
        Ok(())
    }

    /// Adds the files of snapshots, which are links to blobs. A blob that has a line has no second one.
    fn snapshots(&mut self, folder: &Path) -> io::Result<()> {
        for entry in self.inside(folder)? {
            let name = folder.join(entry.file_name());
            let kind = entry.file_type()?;
            if kind.is_dir() {
                self.snapshots(&name)?;
                continue;
            }
            let target = if kind.is_symlink() { fs::read_link(entry.path())? } else { PathBuf::new() };
            let is_of_a_blob = target.parent().and_then(Path::file_name) == Some(OsStr::new("blobs"));
            let id = target.file_name().filter(|_| is_of_a_blob).map(OsStr::as_encoded_bytes);
            match id {
                None => self.wrong(&name, "is no link to a blob, so that its digest is not known"),
                Some(id) if self.named.contains(id) && entry.path().exists() => {
                    self.lines.push(Line::Unhashed(file_name::bytes_of(&name).to_vec()));
                }
                Some(id) if self.entry(&name, id) => {
                    self.named.insert(id.to_vec());
                }
                Some(_) => self.wrong(&name, "links to a blob whose name is no digest"),
            }
            self.index(&name);
        }
        Ok(())
    }

    /// Adds the blobs that no snapshot links to.
    fn blobs(&mut self) -> io::Result<()> {
        for entry in self.inside(Path::new("blobs"))? {
            let name = Path::new("blobs").join(entry.file_name());
            let id = entry.file_name();
            if self.named.contains(id.as_encoded_bytes()) {
                self.lines.push(Line::Unhashed(file_name::bytes_of(&name).to_vec()));
            } else if name.extension() == Some(OsStr::new(INCOMPLETE)) {
                self.incomplete += 1;
            } else if !self.entry(&name, id.as_encoded_bytes()) {
                self.wrong(&name, "has a name that is no digest");
            }
        }
        Ok(())
    }

    /// Adds the files below a folder that there are notes on, whose second line is a digest.
    fn notes(&mut self, folder: &Path) -> io::Result<()> {
        for entry in self.inside(&Path::new(NOTES).join(folder))? {
            let name = folder.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                self.notes(&name)?;
                continue;
            }
            match name.extension().and_then(OsStr::to_str) {
                Some("metadata") => {}
                Some(INCOMPLETE) => {
                    self.incomplete += 1;
                    continue;
                }
                // A lock.
                _ => continue,
            }
            let note = Path::new(NOTES).join(&name);
            let name = name.with_extension("");
            let text = fs::read_to_string(entry.path()).unwrap_or_default();
            let id = text.lines().nth(1).unwrap_or_default().trim();
            if !self.entry(&name, id.as_bytes()) {
                self.wrong(&note, "has no digest in its second line");
            }
            self.index(&name);
        }
        Ok(())
    }

    /// Looks into the index of a model in several files, if this is one that is there.
    fn index(&mut self, name: &Path) {
        let is_index = file_name::bytes_of(name).ends_with(safetensors::INDEX);
        if is_index && self.root.join(name).exists() {
            for what in safetensors::problems(&self.root.join(name)) {
                self.wrong(name, what);
            }
        }
    }
}
