//! Figure 4.2: the scalar code, from main memory and from the disk.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use manyhash_measure::timing::{self, Sample};

use super::scalar::{HashFunction, Sha1, Sha256, Sha512, Sha512Pairs, Variant, Variants};
use super::shown::{self, cell, number, or_not_measured, ratio, without_gaps};
use super::subject::{expected, fastest};
use crate::files::drop_caches;
use crate::measured::Measured;
use crate::messages::Layout;
use crate::model::{Bars, Cell, Claim, Figure, Plot, Source, Table};
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
            expected: expected(openssl, &[message])?,
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

    let mut table = Table::new(
        "Scalar code: MB/s from main memory and from the disk",
        [
            "scalar code",
            "memory: paper",
            "memory: here",
            "memory: here / paper",
            "disk: paper",
            "disk: here",
            "disk: here / paper",
            "memory: TSC cycles/byte (least)",
        ],
    );
    let rate = |measured: Option<&Measured>| measured.map(Measured::mb_per_s);
    for ((hasher, memory), disk) in hashers.iter().zip(&memory).zip(&disk_measured) {
        let disk = rate(disk.as_ref());
        table.row([
            hasher.name.as_str().into(),
            Cell::maybe(hasher.paper.map(|(memory, _)| memory), 2),
            cell(Some(memory.mb_per_s())),
            ratio(Some(memory.mb_per_s()), hasher.paper.map(|(memory, _)| memory)),
            Cell::maybe(hasher.paper.map(|(_, disk)| disk), 2),
            cell(disk),
            ratio(disk, hasher.paper.map(|(_, disk)| disk)),
            cell(memory.least_tsc_cycles_per_byte()),
        ]);
    }
    if let Some(reading) = &reading {
        let mut row = vec![Cell::from("reading the file alone")];
        row.extend([const { Cell::Absent }; 4]);
        row.extend([cell(Some(reading.mb_per_s())), Cell::Absent, Cell::Absent]);
        table.row(row);
    }
    let bars = |name: &str, source, values: Vec<Option<f64>>| Bars { name: name.into(), source, values };
    let plots = vec![Plot::Bars {
        title: "Scalar code from main memory and from the disk".into(),
        y_label: "MB/s, median".into(),
        categories: vec!["SHA-1".into(), "SHA-256".into(), "SHA-512 in 32-bit registers".into(), "SHA-512 in 64-bit registers".into()],
        series: vec![
            bars("paper, from memory", Source::Paper, hashers.iter().map(|hasher| Some(hasher.paper?.0)).collect()),
            bars("paper, from disk", Source::Paper, hashers.iter().map(|hasher| Some(hasher.paper?.1)).collect()),
            bars("here, from memory", Source::Ours, memory.iter().map(|memory| Some(memory.mb_per_s())).collect()),
            bars("here, from disk", Source::Ours, disk_measured.iter().map(|disk| rate(disk.as_ref())).collect()),
        ],
    }];

    let [sha1, sha256, sha512, _] = [0, 1, 2, 3].map(|i| memory[i].mb_per_s());
    let in_order = sha1 > sha256 && sha256 > sha512;
    let shares: Option<Vec<f64>> =
        memory.iter().zip(&disk_measured).map(|(memory, disk)| Some(disk.as_ref()?.mb_per_s() / memory.mb_per_s())).collect();
    let slower = shares.as_ref().map(|shares| shares[..3].iter().all(|share| *share < 1.0));
    let listed = |values: &[f64]| shown::list(&values.iter().map(|value| number(*value)).collect::<Vec<_>>());
    let claims = vec![
        Claim::new(
            "SHA-1 is faster than SHA-256, and SHA-256 than SHA-512 in 32-bit registers",
            "section 4.2, figure 4.2",
            "87.12, 48.88 and 38.26 MB/s from memory",
            format!("{} MB/s", listed(&[sha1, sha256, sha512])),
            Some(in_order),
        ),
        Claim::new(
            "Hashing a file from the disk is slower than hashing it from memory",
            "section 4.2, figure 4.2",
            "0.77, 0.77 and 0.80 of the rate from memory",
            or_not_measured(shares.as_ref().map(|shares| format!("{} of it", listed(&shares[..3])))),
            slower,
        ),
    ];
    let times = |i: usize, paper: f64| number(memory[i].mb_per_s() / paper);
    Ok(Figure {
        method: format!(
            "As in the paper: a file {}, which hides what is done once; the paper's CPU is a Pentium 4 with 2.4 GHz, and its code is \
             assembly. The fastest variant of section 4.1 on this machine, chosen from eight for each function; not as in the paper: \
             compiled, for a CPU with twice as many registers. Passes over memory: {passes}, then as many over the file, read a megabyte at \
             a time by the thread that hashes, out of the page cache before each ({}). MB/s (millions of bytes) by the median of the passes.",
            if session.quick { "(of 4 MB in this quick run, of 400 MB in the paper)" } else { "of 400 MB" },
            disk.how,
        ),
        tables: vec![without_gaps(table, 1)],
        plots,
        still_holds: match (in_order, slower) {
            (true, Some(true)) => "SHA-1 is still the fastest and SHA-512 the slowest, and the disk costs each of them a part of its rate.",
            (true, _) => "SHA-1 is still the fastest and SHA-512 in 32-bit registers the slowest.",
            (false, Some(true)) => "The disk still costs each function a part of its rate.",
            (false, _) => "Nothing of it holds here: neither the order of the functions nor a loss by the disk.",
        }
        .into(),
        changed: format!(
            "One core hashes {} (SHA-1), {} (SHA-256) and {} (SHA-512) times as fast as the Pentium 4{}. 64-bit registers hash SHA-512 {} \
             times as fast as 32-bit ones, which add words in two halves.",
            times(0, 87.12),
            times(1, 48.88),
            times(2, 38.26),
            session.machine.clock_ghz.map_or(String::new(), |clock| format!(", with {} times its clock", number(clock / 2.4))),
            number(memory[3].mb_per_s() / sha512)
        ),
        claims,
        missing,
        ..Figure::default()
    })
}

/// What was measured with the file.
struct Disk {
    /// How it left the page cache.
    how: String,
    /// Of each hasher.
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
