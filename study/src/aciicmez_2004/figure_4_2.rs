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
use crate::model::{Figure, Source};
use crate::openssl_worker;
use crate::rows::{Kind, LEAST, RATE};
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

    let mut figure = Figure {
        method: format!(
            "As in the paper: a file {}, which hides what is done once; the paper's CPU is a Pentium 4 with 2.4 GHz, and its code is \
             assembly. The fastest variant of section 4.1 on this machine, chosen from eight for each function; not as in the paper: \
             compiled, for a CPU with twice as many registers. Passes over memory: {passes}, then as many over the file, read a megabyte at \
             a time by the thread that hashes, out of the page cache before each ({}). MB/s (millions of bytes) by the median of the passes.",
            if session.quick { "(of 4 MB in this quick run, of 400 MB in the paper)" } else { "of 400 MB" },
            how,
        ),
        missing,
        ..Figure::default()
    };
    const SET: &str = "Scalar code from main memory and from the disk";
    for ((hasher, memory), disk) in hashers.iter().zip(&memory).zip(&disk_measured) {
        let (in_memory, from_disk) = hasher.paper.unzip();
        figure.put((SET, "memory"), hasher.name.as_str(), RATE, Source::Ours, memory.mb_per_s());
        figure.put((SET, "memory"), hasher.name.as_str(), RATE, Source::Paper, in_memory);
        figure.put((SET, "memory"), hasher.name.as_str(), LEAST, Source::Ours, memory.least_tsc_cycles_per_byte());
        figure.put((SET, "disk"), hasher.name.as_str(), RATE, Source::Ours, disk.as_ref().map(Measured::mb_per_s));
        figure.put((SET, "disk"), hasher.name.as_str(), RATE, Source::Paper, from_disk);
    }
    figure.put((SET, "disk"), "reading the file alone", RATE, Source::Ours, reading.as_ref().map(Measured::mb_per_s));
    figure.picture(SET, RATE, Kind::Bars, &[]);
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
    for pass in 0..passes {
        // Another one begins each time.
        let mut everybody: Vec<_> =
            hashers.iter().map(Some).chain([None]).zip(disk.hashing.iter_mut().chain([&mut disk.reading])).collect();
        let count = everybody.len();
        everybody.rotate_left(pass % count);
        for (hasher, samples) in everybody {
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
