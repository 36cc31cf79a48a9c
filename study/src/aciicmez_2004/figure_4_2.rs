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

/// The digest of a message in memory.
type OfMessage = dyn Fn(&[u8]) -> Vec<u8>;
/// The digest of a file.
type OfFile = dyn Fn(&Path) -> Result<Vec<u8>>;

/// Who hashes a slice, and who a file.
struct Hasher {
    name: String,
    /// The paper's MB/s, from memory and from the disk.
    paper: Option<(f64, f64)>,
    expected: Vec<u8>,
    message: Box<OfMessage>,
    file: Box<OfFile>,
}

impl Hasher {
    fn new<F: Variants>(session: &Session, openssl: &str, message: &[u8], paper: Option<(f64, f64)>) -> Result<Self> {
        let variant = fastest::<F>(session, openssl)?;
        Ok(Self {
            name: format!("{} ({})", F::NAME, variant.name()),
            paper,
            expected: openssl_worker::digests(openssl, &[message])?,
            message: Box::new(move |message| {
                let mut digest = Vec::new();
                variant.hash(message, &mut digest);
                digest
            }),
            file: Box::new(move |path| hash_file(&variant, path)),
        })
    }
}

/// A file in parts of [`READ_BYTES`], the last one shorter.
fn read(path: &Path, mut each: impl FnMut(&[u8])) -> Result<()> {
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

fn hash_file<F: HashFunction>(variant: &Variant<F>, path: &Path) -> Result<Vec<u8>> {
    let mut hashing = variant.begin();
    read(path, |part| hashing.update(part))?;
    Ok(hashing.finish())
}

/// One pass, timed.
fn pass(session: &Session, expected: &[u8], hash: impl Fn() -> Result<Vec<u8>>) -> Result<Sample> {
    let mut digest = Ok(Vec::new());
    let sample = timing::sample(session.probe, 1, 0, || digest = hash());
    ensure!(digest? == expected, "wrong digest");
    Ok(sample)
}

/// Measures it.
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
            samples.push(pass(session, &hasher.expected, || Ok((hasher.message)(message)))?);
        }
    }
    let memory: Vec<Measured> = hashers.iter().zip(memory).map(|(hasher, samples)| measured(&hasher.name, samples)).collect();

    let mut missing = Vec::new();
    let disk = from_disk(session, &hashers, message, passes)?.unwrap_or_else(|why| {
        missing.push(format!("hashing from the disk: {why}"));
        Disk { how: "not measured".into(), hashing: vec![None; hashers.len()], reading: None }
    });
    let disk_measured: Vec<Option<Measured>> =
        hashers.iter().zip(disk.hashing).map(|(hasher, samples)| Some(measured(&hasher.name, samples?))).collect();
    let reading = disk.reading.map(|samples| measured("reading alone", samples));

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
            disk.how,
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
    hashing: Vec<Option<Vec<Sample>>>,
    reading: Option<Vec<Sample>>,
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
    let forget = || drop_caches([&path]);
    let mut how = String::new();
    let mut hashing: Vec<Vec<Sample>> = vec![Vec::new(); hashers.len()];
    let mut reading = Vec::new();
    for _ in 0..passes {
        for (hasher, samples) in hashers.iter().zip(&mut hashing) {
            match forget() {
                Ok(done) => how = done,
                Err(why) => return Ok(Err(why)),
            }
            samples.push(pass(session, &hasher.expected, || (hasher.file)(&path))?);
        }
        if let Err(why) = forget() {
            return Ok(Err(why));
        }
        let mut outcome = Ok(());
        reading.push(timing::sample(session.probe, 1, 0, || outcome = read(&path, |part| _ = std::hint::black_box(part))));
        outcome?;
    }
    Ok(Ok(Disk { how, hashing: hashing.into_iter().map(Some).collect(), reading: Some(reading) }))
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
            let digest = hash_file(&Sha256::unrolled()[0], &path).unwrap();
            assert_eq!(digest, reference::sha256(&message), "{bytes} bytes");
        }
    }
}
