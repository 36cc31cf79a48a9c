//! `cargo run --release --example directory -- PATH`: the lines of `sha256sum` for every file below a
//! directory. Each lane reads a file of its own, so that nothing is held in memory but their buffers.

use manyhash::{Readers, Sha256};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::{env, io};

fn main() -> io::Result<()> {
    let mut paths = Vec::new();
    find(Path::new(&env::args_os().nth(1).unwrap_or_else(|| ".".into())), &mut paths)?;
    paths.sort();

    let mut lines = vec![String::new(); paths.len()];
    // Lengths are hints for the schedule: a file that is longer or shorter than it was is hashed as it is.
    let readers = paths.iter().enumerate().filter_map(|(index, path)| {
        let file = File::open(path).inspect_err(|error| eprintln!("{}: {error}", path.display())).ok()?;
        let bytes = file.metadata().map_or(0, |metadata| metadata.len());
        Some((Labelled { index, file }, bytes))
    });
    Readers::<Sha256>::new().hash(readers, |reader, digest| match digest {
        Ok(digest) => lines[reader.index] = format!("{}  {}\n", hex(&digest), paths[reader.index].display()),
        Err(error) => eprintln!("{}: {error}", paths[reader.index].display()),
    });
    print!("{}", lines.concat());
    Ok(())
}

/// A file, and which of the paths is its own: digests come as messages end, in any order.
struct Labelled {
    index: usize,
    file: File,
}

impl io::Read for Labelled {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.file.read(room)
    }
}

fn find(directory: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            find(&entry.path(), paths)?;
        } else if kind.is_file() {
            paths.push(entry.path());
        }
    }
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
