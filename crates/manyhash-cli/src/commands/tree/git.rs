//! `tree git`: ids of blobs, and of trees of folders, as they would be if all of a folder were
//! added.
//!
//! As for Git, folders without files are not there, and neither is `.git` nor what is no file,
//! folder or link.

use super::Call;
use super::small_files::{self, Alone, Input, Item, Mode, What};
use crate::commands::passed_over::PassedOver;
use crate::exit::Outcome;
use crate::flags::{GitArguments, ObjectFormat};
use crate::text::lines::line;
use manyhash::tree::git::{self, Entry, GitAlgorithm};
use manyhash::{Sha1, Sha256};
use manyhash_files::find::look_at;
use manyhash_files::{STDIN, file_name};
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::vec;

pub(crate) fn run(call: &Call<'_>, arguments: GitArguments) -> Outcome {
    let GitArguments { object_format, files } = arguments;
    match object_format {
        ObjectFormat::Sha1 => print::<Sha1>(call, files),
        ObjectFormat::Sha256 => print::<Sha256>(call, files),
    }
}

fn print<A: GitAlgorithm>(call: &Call<'_>, files: Vec<OsString>) -> Outcome {
    let mut folders = Vec::<Folder<A>>::new();
    let mut passed_over = PassedOver::new(call.verbosity);
    let print = |id: A::Digest, path: &Path| line(&const_hex::encode(id), path);
    let walk = call.inputs(files).into_iter().flat_map(|file| Walk::new(file.into()));
    let (report, result) = small_files::hash(call, Arc::new(Blobs::<A>::default()), walk, &mut |report, step, path, found| {
        let is_read = found.is_ok();
        let id = match found {
            Ok(found) => found.map(|(bytes, _)| id::<A>(&bytes)),
            Err(error) => {
                report.take(path, Err(error))?;
                // Without one of its files, a tree would be another one.
                folders.iter_mut().for_each(|folder| folder.is_whole = false);
                None
            }
        };
        match (step, id) {
            (Step::File, Some(id)) => return report.take(path, Ok(print(id, path))),
            (Step::Enter, _) => folders.push(Folder { entries: Vec::new(), is_whole: is_read }),
            (Step::Entry(mode), Some(id)) => add(&mut folders, mode, path, id),
            (Step::Link(target), _) => {
                let mut hasher = git::blob_hasher::<A>(target.len() as u64);
                hasher.update(&target);
                add(&mut folders, git::Mode::Link, path, hasher.finalize());
            }
            (Step::Skipped(what), _) if passed_over.meet(what) => report.say(path, format_args!("skipped: {what}"))?,
            (Step::Leave, _) => {
                let Some(Folder { entries, is_whole }) = folders.pop() else { return Ok(()) };
                let is_empty = entries.is_empty();
                let id = git::tree_id(entries);
                if folders.is_empty() {
                    return if is_whole { report.take(path, Ok(print(id, path))) } else { Ok(()) };
                }
                if !is_empty {
                    add(&mut folders, git::Mode::Tree, path, id);
                }
            }
            (Step::File | Step::Entry(_) | Step::Skipped(_), _) => {}
        }
        Ok(())
    });
    passed_over.say(call.program);
    report.finish(result)
}

/// A folder that the walk is in.
struct Folder<A: GitAlgorithm> {
    entries: Vec<Entry<A>>,
    /// False if something in it could not be read.
    is_whole: bool,
}

fn add<A: GitAlgorithm>(folders: &mut [Folder<A>], mode: git::Mode, path: &Path, id: A::Digest) {
    if let (Some(folder), Some(name)) = (folders.last_mut(), path.file_name()) {
        folder.entries.push(Entry { mode, name: file_name::bytes_of(Path::new(name)).to_vec(), id });
    }
}

/// Returns the id with these bytes.
fn id<A: GitAlgorithm>(bytes: &[u8]) -> A::Digest {
    // A digest of any algorithm can be made from bytes in no other way.
    let mut id = manyhash::hash::<A>(&[]);
    id.as_mut().copy_from_slice(bytes);
    id
}

/// The mode whose results are ids of blobs.
struct Blobs<A>(std::marker::PhantomData<fn() -> A>);

impl<A> Default for Blobs<A> {
    fn default() -> Self {
        Self(std::marker::PhantomData)
    }
}

impl<A: GitAlgorithm> Mode for Blobs<A> {
    fn of_contents(&self, contents: &[&[u8]]) -> Vec<Vec<u8>> {
        git::blob_ids::<A>(contents).iter().map(|id| id.as_ref().to_vec()).collect()
    }

    fn of_input(&self, input: Input<'_>, work: &Alone) -> io::Result<(Vec<u8>, u64)> {
        let Some(bytes) = input.bytes()? else {
            // The length comes first, so a stream has to be kept until it has ended.
            let mut kept = tempfile::tempfile()?;
            let mut result = Ok(());
            input.read(work, |piece| {
                if result.is_ok() {
                    result = kept.write_all(piece);
                }
            })?;
            result?;
            return self.of_input(Input::File(&kept), work);
        };
        let mut hasher = git::blob_hasher::<A>(bytes);
        input.read(work, |piece| hasher.update(piece))?;
        Ok((hasher.finalize().as_ref().to_vec(), bytes))
    }

    fn line(&self, path: &Path, _: u64, id: &[u8]) -> io::Result<Vec<u8>> {
        Ok(line(&const_hex::encode(id), path))
    }
}

/// A step of the walk through a file or a folder that was named.
enum Step {
    /// A file that was named.
    File,
    /// A folder.
    Enter,
    /// A file in the present folder.
    Entry(git::Mode),
    /// A link in the present folder, and where it leads.
    Link(Vec<u8>),
    /// Something in the present folder that Git leaves out, and what it is.
    Skipped(&'static str),
    /// The end of the present folder.
    Leave,
}

/// What is in a folder, in the order of a tree. Memory is bounded by the folders on the way, not by
/// the files.
struct Walk {
    /// What was named, until it is looked at.
    named: Option<PathBuf>,
    folders: Vec<(PathBuf, vec::IntoIter<(OsString, git::Mode)>)>,
}

impl Walk {
    fn new(path: PathBuf) -> Self {
        Self { named: Some(path), folders: Vec::new() }
    }

    fn enter(&mut self, path: PathBuf) -> Item<Step> {
        let entries = entries(&path);
        let what = match entries {
            Ok(entries) => {
                self.folders.push((path.clone(), entries.into_iter()));
                Ok(What::Nothing)
            }
            Err(error) => {
                // It is left again all the same.
                self.folders.push((path.clone(), Vec::new().into_iter()));
                Err(error)
            }
        };
        Item { label: Step::Enter, path, what }
    }

    fn entry(&mut self, path: PathBuf, mode: git::Mode) -> Item<Step> {
        let nothing = |label, path| Item { label, path, what: Ok(What::Nothing) };
        match mode {
            git::Mode::Tree => match fs::symlink_metadata(path.join(".git")) {
                Ok(_) => Item { label: Step::Entry(mode), path, what: Err(io::Error::other("it is a repository of its own")) },
                Err(_) => self.enter(path),
            },
            git::Mode::Link => match fs::read_link(&path) {
                Ok(target) => nothing(Step::Link(file_name::bytes_of(&target).to_vec()), path),
                Err(error) => Item { label: Step::Entry(mode), path, what: Err(error) },
            },
            git::Mode::Commit => nothing(Step::Skipped("no file, folder or link"), path),
            _ => match fs::symlink_metadata(&path) {
                Ok(metadata) => {
                    let mode = if is_executable(&metadata) { git::Mode::Executable } else { git::Mode::File };
                    let what = if metadata.is_file() { look_at(&path) } else { Err(manyhash_files::changed()) };
                    Item { label: Step::Entry(mode), path, what: what.map(What::Read) }
                }
                Err(error) => Item { label: Step::Entry(mode), path, what: Err(error) },
            },
        }
    }
}

impl Iterator for Walk {
    type Item = Item<Step>;

    fn next(&mut self) -> Option<Item<Step>> {
        if let Some(path) = self.named.take() {
            let is_folder = path.as_os_str() != STDIN && path.is_dir();
            return Some(if is_folder { self.enter(path) } else { small_files::item(Step::File, path) });
        }
        let (path, entries) = self.folders.last_mut()?;
        Some(match entries.next() {
            Some((name, mode)) => {
                let path = path.join(name);
                self.entry(path, mode)
            }
            None => {
                let path = std::mem::take(path);
                self.folders.pop();
                Item { label: Step::Leave, path, what: Ok(What::Nothing) }
            }
        })
    }
}

/// Returns what is in a folder, in the order of a tree. What is no file, folder or link counts as a
/// commit, which nothing in a folder is.
fn entries(path: &Path) -> io::Result<Vec<(OsString, git::Mode)>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if entry.file_name() == ".git" {
            continue;
        }
        let kind = entry.file_type()?;
        let mode = match (kind.is_dir(), kind.is_symlink(), kind.is_file()) {
            (true, ..) => git::Mode::Tree,
            (_, true, _) => git::Mode::Link,
            (.., true) => git::Mode::File,
            _ => git::Mode::Commit,
        };
        entries.push((entry.file_name(), mode));
    }
    let bytes = |name: &OsString| file_name::bytes_of(Path::new(name)).to_vec();
    entries.sort_by(|(one, mode), (other, other_mode)| git::order((&bytes(one), *mode), (&bytes(other), *other_mode)));
    Ok(entries)
}

/// Returns whether the owner of a file may execute it.
#[cfg(unix)]
pub(super) fn is_executable(metadata: &Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o100 != 0
}

/// Returns whether the owner of a file may execute it, which the system does not say.
#[cfg(not(unix))]
pub(super) fn is_executable(_: &Metadata) -> bool {
    false
}
