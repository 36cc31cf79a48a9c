//! Figure 4.2: the scalar code, from main memory and from the disk.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::slice;

use anyhow::{Context, Result};

use super::subject::fastest;
use crate::files::race_from_disk;
use crate::measured::Measured;
use crate::messages::Layout;
use crate::model::{Figure, Source};
use crate::openssl_worker;
use crate::race::{Contestant, race};
use crate::rows::{Kind, LEAST, RATE};
use crate::session::Session;
use manyhash_scalar::{Sha1, Sha256, Sha512, Sha512Pairs, Variants};

/// As in the paper: "large files of approximately 400 MB".
const FILE_BYTES: usize = 400_000_000;
const QUICK_FILE_BYTES: usize = 4_000_000;
/// What the system is asked for at once; whole blocks.
const READ_BYTES: usize = 1 << 20;
/// SHA-1, SHA-256, SHA-512 in 32-bit and in 64-bit registers, in MB/s from memory and from the disk.
const PAPER: [Option<(f64, f64)>; 4] = [Some((87.12, 67.08)), Some((48.88, 37.64)), Some((38.26, 30.60)), None];

/// A file in parts of [`READ_BYTES`], the last one shorter.
fn read(path: &Path, mut each: impl FnMut(&[u8])) -> io::Result<()> {
    let (mut file, mut buffer) = (File::open(path)?, Vec::with_capacity(READ_BYTES + 1));
    loop {
        buffer.clear();
        file.by_ref().take(READ_BYTES as u64).read_to_end(&mut buffer)?;
        each(&buffer);
        if buffer.len() < READ_BYTES {
            return Ok(());
        }
    }
}

/// The fastest code of a function over a message, and over a file with its bytes.
fn hashers<'a, F: Variants>(session: &Session, openssl: &str, message: &'a [u8], path: &'a Path) -> Result<[Contestant<'a>; 2]> {
    let variant = fastest::<F>(session, openssl)?;
    let (name, expected) = (format!("{} ({})", F::NAME, variant.name()), openssl_worker::digests(openssl, &[message])?);
    let in_memory = Contestant::local(name.clone(), move |digest| variant.hash(message, digest));
    let from_disk = Contestant::local(name, move |digest| {
        let mut hashing = variant.begin();
        read(path, |part| hashing.update(part)).expect("a file of this run can be read");
        hashing.finish_to(digest);
    });
    Ok([in_memory.expecting(expected.clone()), from_disk.expecting(expected)])
}

pub fn measure(session: &Session) -> Result<Figure> {
    const SET: &str = "Scalar code from main memory and from the disk";
    let bytes = if session.quick { QUICK_FILE_BYTES } else { FILE_BYTES };
    let messages = Layout::equal(1, bytes).fill().with_context(|| format!("all of it: {} MB of memory", bytes / 1_000_000))?;
    let message = messages.slices()[0];
    let folder = session.scratch(bytes as u64);
    let path = folder.as_ref().map_or_else(|_| PathBuf::new(), |folder| folder.path().join("message"));
    let hashers = [
        hashers::<Sha1>(session, "SHA1", message, &path)?,
        hashers::<Sha256>(session, "SHA256", message, &path)?,
        hashers::<Sha512Pairs>(session, "SHA512", message, &path)?,
        hashers::<Sha512>(session, "SHA512", message, &path)?,
    ];
    let (mut in_memory, mut from_disk): (Vec<Contestant<'_>>, Vec<Contestant<'_>>) =
        hashers.into_iter().map(|[memory, disk]| (memory, disk)).unzip();
    from_disk.push(Contestant::local("reading the file alone", |_| {
        read(&path, |part| _ = std::hint::black_box(part)).expect("a file of this run can be read");
    }));
    let memory = race(session, bytes, 0, &mut in_memory)?;
    let mut figure = Figure::default();
    // There may have been room when it was asked for, and none now.
    let written = folder.and_then(|folder| {
        std::fs::write(&path, message).with_context(|| path.display().to_string())?;
        anyhow::Ok(folder)
    });
    let disk = written.and_then(|_folder| race_from_disk(session, slice::from_ref(&path), bytes, &mut from_disk));
    let (disk, how) = figure.unless_missing("hashing from the disk", disk)?.unwrap_or_default();
    figure.said.push(("passes", session.effort.fewest_samples.to_string()));
    figure.said.push(("how", if how.is_empty() { "not measured".into() } else { how }));
    for (i, (memory, paper)) in memory.iter().zip(PAPER).enumerate() {
        let (name, (in_memory, from_disk)) = (memory.name.as_str(), paper.unzip());
        figure.beside((SET, "memory"), name, RATE, Source::Ours, memory.mb_per_s(), in_memory);
        figure.put((SET, "memory"), name, LEAST, Source::Ours, memory.least_tsc_cycles_per_byte());
        figure.beside((SET, "disk"), name, RATE, Source::Ours, disk.get(i).map(Measured::mb_per_s), from_disk);
    }
    let reading = disk.get(PAPER.len()).map(Measured::mb_per_s);
    figure.put((SET, "disk"), "reading the file alone", RATE, Source::Ours, reading);
    figure.picture(SET, RATE, Kind::Bars, &[]);
    // The paper's three: SHA-512 in 64-bit registers is the last one.
    const PAPERS: [&str; 3] = ["SHA-1", "SHA-256", "SHA-512"];
    let over_next = (0..2).map(|i| (format!("{} over {}", PAPERS[i], PAPERS[i + 1]), Some(memory[i].speed_up_over(&memory[i + 1]))));
    figure.metrics.each("one over the next", over_next);
    let share = |i: usize| Some(disk.get(i)?.speed_up_over(&memory[i]));
    figure.metrics.each("disk", PAPERS.into_iter().zip([0, 1, 2].map(share)));
    Ok(figure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_digest_of_its_bytes() {
        let (folder, session) = (tempfile::tempdir().unwrap(), Session::begin(true, None, None).unwrap());
        let path = folder.path().join("message");
        for bytes in [0, 1, READ_BYTES - 1, READ_BYTES, READ_BYTES + 200, 2 * READ_BYTES] {
            let message: Vec<u8> = (0..bytes).map(|i| (i * 3 + i / 509) as u8).collect();
            std::fs::write(&path, &message).unwrap();
            for mut hasher in hashers::<Sha256>(&session, "SHA256", &message, &path).unwrap() {
                assert_eq!(hasher.digests().unwrap(), reference::sha256(&message), "{bytes} bytes");
            }
        }
    }
}
