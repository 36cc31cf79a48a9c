//! Figure 4.2: the scalar code, from main memory and from the disk.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use manyhash_measure::timing::{self, Sample};

use super::scalar::{HashFunction, Sha1, Sha256, Sha512, Sha512Pairs, Variant, Variants};
use super::subject::fastest;
use crate::files::drop_caches;
use crate::measured::Measured;
use crate::messages::Layout;
use crate::model::{Bars, Cell, Figure, Plot, Source, Table, over_paper};
use crate::openssl_worker;
use crate::session::Session;

/// As in the paper: "large files of approximately 400 MB".
const FILE_BYTES: usize = 400_000_000;
const QUICK_FILE_BYTES: usize = 4_000_000;

/// What the system is asked for at once; whole blocks.
const READ_BYTES: usize = 1 << 20;

/// Hands the parts of a message to who hashes it.
type Parts<'a> = &'a dyn Fn(&mut dyn FnMut(&[u8])) -> Result<()>;
/// The digest of a message that comes in parts.
type Hash = Box<dyn Fn(Parts<'_>) -> Result<Vec<u8>>>;

/// A function that is measured.
struct Hasher {
    name: String,
    /// The paper's MB/s, from memory and from the disk.
    paper: Option<(f64, f64)>,
    expected: Vec<u8>,
    hash: Hash,
}

impl Hasher {
    fn new<F: Variants>(session: &Session, openssl: &str, message: &[u8], paper: Option<(f64, f64)>) -> Result<Self> {
        let variant = fastest::<F>(session, openssl)?;
        let name = format!("{} ({})", F::NAME, variant.name());
        Ok(Self { name, paper, expected: openssl_worker::digests(openssl, &[message])?, hash: hash_of(variant) })
    }

    /// One pass, timed and verified.
    fn pass(&self, session: &Session, parts: Parts<'_>) -> Result<Sample> {
        let mut digest = Ok(Vec::new());
        let sample = timing::sample(session.probe, 1, 0, || digest = (self.hash)(parts));
        ensure!(digest? == self.expected, "{}: wrong digest", self.name);
        Ok(sample)
    }
}

fn hash_of<F: HashFunction>(variant: Variant<F>) -> Hash {
    Box::new(move |parts| {
        let mut hashing = variant.begin();
        parts(&mut |part| hashing.update(part))?;
        Ok(hashing.finish())
    })
}

/// A file in parts of [`READ_BYTES`], the last one shorter.
fn read(path: &Path, each: &mut dyn FnMut(&[u8])) -> Result<()> {
    let mut file = File::open(path).with_context(|| path.display().to_string())?;
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let mut filled = 0;
        while filled < buffer.len() {
            match file.read(&mut buffer[filled..])? {
                0 => break,
                bytes => filled += bytes,
            }
        }
        each(&buffer[..filled]);
        if filled < buffer.len() {
            return Ok(());
        }
    }
}

/// Measures the figure.
pub fn measure(session: &Session) -> Result<Figure> {
    let bytes = if session.quick { QUICK_FILE_BYTES } else { FILE_BYTES };
    let passes = if session.quick { 1 } else { session.effort.fewest_samples };
    let messages = match Layout::equal(1, bytes).fill() {
        Ok(messages) => messages,
        Err(why) => {
            return Ok(Figure { missing: vec![format!("all of it: {} MB of memory: {why:#}", bytes / 1_000_000)], ..Figure::default() });
        }
    };
    let message = messages.slices()[0];
    let hashers = [
        Hasher::new::<Sha1>(session, "SHA1", message, Some((87.12, 67.08)))?,
        Hasher::new::<Sha256>(session, "SHA256", message, Some((48.88, 37.64)))?,
        Hasher::new::<Sha512Pairs>(session, "SHA512", message, Some((38.26, 30.60)))?,
        Hasher::new::<Sha512>(session, "SHA512", message, None)?,
    ];
    let measured = |name: &str, samples| Measured { name: name.into(), bytes: bytes as f64, samples, tsc_ghz: session.tsc_ghz };

    let mut memory: Vec<Vec<Sample>> = vec![Vec::new(); hashers.len()];
    for _ in 0..passes {
        for (hasher, samples) in hashers.iter().zip(&mut memory) {
            samples.push(hasher.pass(session, &|each| {
                each(message);
                Ok(())
            })?);
        }
    }
    let memory: Vec<Measured> = hashers.iter().zip(memory).map(|(hasher, samples)| measured(&hasher.name, samples)).collect();

    let mut missing = Vec::new();
    let disk = from_disk(session, &hashers, message, passes)?;
    let disk = disk.map_err(|why| missing.push(format!("hashing from the disk: {why}"))).ok();
    let from_disk = |i: usize| Some(measured(&hashers[i].name, disk.as_ref()?.hashing[i].clone()));
    let disk_measured: Vec<Option<Measured>> = (0..hashers.len()).map(from_disk).collect();
    let reading = disk.as_ref().map(|disk| measured("reading alone", disk.reading.clone()));
    let how = disk.as_ref().map_or("not measured", |disk| &disk.how);

    let rate = |measured: Option<&Measured>| measured.map(Measured::mb_per_s);
    let rows = hashers.iter().zip(&memory).zip(&disk_measured).map(|((hasher, memory), disk)| {
        let (memory_there, disk_there) = hasher.paper.unzip();
        (hasher.name.as_str(), memory_there, Some(memory), disk_there, disk.as_ref())
    });
    let read = reading.as_ref().map(|reading| ("reading the file alone", None, None, None, Some(reading)));
    let table = Table::of(
        "Scalar code: MB/s from main memory and from the disk",
        1,
        rows.chain(read),
        &[
            ("scalar code", &|row| row.0.into()),
            ("memory: paper", &|row| Cell::maybe(row.1, 2)),
            ("memory: here", &|row| rate(row.2).into()),
            ("memory: here / paper", &|row| over_paper(rate(row.2), row.1)),
            ("disk: paper", &|row| Cell::maybe(row.3, 2)),
            ("disk: here", &|row| rate(row.4).into()),
            ("disk: here / paper", &|row| over_paper(rate(row.4), row.3)),
            ("memory: TSC cycles/byte (least)", &|row| row.2.and_then(Measured::least_tsc_cycles_per_byte).into()),
        ],
    );
    let here = |whose: &str, measured: Vec<Option<&Measured>>| Bars::new(whose, Source::Ours, measured.into_iter().map(rate));
    let plot = Plot::bars(
        "Scalar code from main memory and from the disk",
        "MB/s, median",
        ["SHA-1", "SHA-256", "SHA-512 in 32-bit registers", "SHA-512 in 64-bit registers"],
        [
            Bars::new("paper, from memory", Source::Paper, hashers.iter().map(|hasher| Some(hasher.paper?.0))),
            Bars::new("paper, from disk", Source::Paper, hashers.iter().map(|hasher| Some(hasher.paper?.1))),
            here("here, from memory", memory.iter().map(Some).collect()),
            here("here, from disk", disk_measured.iter().map(Option::as_ref).collect()),
        ],
    );
    let mut figure = Figure {
        method: format!(
            "As in the paper: a file {}, which hides what is done once; the paper's CPU is a Pentium 4 with 2.4 GHz, and its code is \
             assembly. The fastest variant of section 4.1 on this machine, chosen from eight for each function; not as in the paper: \
             compiled, for a CPU with twice as many registers. Passes over memory: {passes}, then as many over the file, read a megabyte at \
             a time by the thread that hashes, out of the page cache before each ({}). MB/s (millions of bytes) by the median of the passes.",
            if session.quick { "(of 4 MB in this quick run, of 400 MB in the paper)" } else { "of 400 MB" },
            how,
        ),
        tables: vec![table],
        plots: vec![plot],
        missing,
        ..Figure::default()
    };
    // The paper's three: SHA-512 in 64-bit registers is the last one.
    const PAPERS: [&str; 3] = ["SHA-1", "SHA-256", "SHA-512"];
    let over_next = (0..2).map(|i| (format!("{} over {}", PAPERS[i], PAPERS[i + 1]), Some(memory[i].speed_up_over(&memory[i + 1]))));
    figure.metrics.each("one over the next", over_next);
    let shares = memory.iter().zip(&disk_measured).map(|(memory, disk)| Some(disk.as_ref()?.speed_up_over(memory)));
    figure.metrics.each("disk", PAPERS.into_iter().zip(shares));
    Ok(figure)
}

/// What was measured with the file.
struct Disk {
    /// How it left the page cache.
    how: String,
    /// The samples of each hasher.
    hashing: Vec<Vec<Sample>>,
    reading: Vec<Sample>,
}

/// `Ok(Err)`: why this machine has no disk for it.
fn from_disk(session: &Session, hashers: &[Hasher], message: &[u8], passes: usize) -> Result<Result<Disk, String>> {
    let folder = match session.scratch(message.len() as u64) {
        Ok(folder) => folder,
        Err(why) => return Ok(Err(format!("{why:#}"))),
    };
    let path = folder.path().join("message");
    // There may have been room when it was asked for, and none now.
    if let Err(why) = std::fs::write(&path, message) {
        return Ok(Err(format!("{}: {why}", path.display())));
    }
    let mut disk = Disk { how: String::new(), hashing: vec![Vec::new(); hashers.len()], reading: Vec::new() };
    for _ in 0..passes {
        for (hasher, samples) in hashers.iter().map(Some).chain([None]).zip(disk.hashing.iter_mut().chain([&mut disk.reading])) {
            match drop_caches(&[&path], true) {
                Ok(how) => disk.how = how,
                Err(why) => return Ok(Err(why)),
            }
            let mut outcome = Ok(());
            samples.push(match hasher {
                Some(hasher) => hasher.pass(session, &|each| read(&path, each))?,
                None => timing::sample(session.probe, 1, 0, || outcome = read(&path, &mut |part| _ = std::hint::black_box(part))),
            });
            outcome?;
        }
    }
    Ok(Ok(disk))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_digest_of_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("message");
        for bytes in [0, 1, READ_BYTES - 1, READ_BYTES, READ_BYTES + 200, 2 * READ_BYTES] {
            let message: Vec<u8> = (0..bytes).map(|i| (i * 3 + i / 509) as u8).collect();
            std::fs::write(&path, &message).unwrap();
            let digest = hash_of(Sha256::unrolled()[0])(&|each| read(&path, each)).unwrap();
            assert_eq!(digest, reference::sha256(&message), "{bytes} bytes");
        }
    }
}
