//! Figures 3 and 4 (section 4.3): the files of DIVERSE and UNIFORM, from the disk and from the page cache.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, Result, ensure};
use manyhash::Sha256;
use manyhash_measure::timing::{self, Probe, Sample};

use super::contestants::{Lineup, OPENSSL_N_SMS, OPENSSL_THEN, OPENSSL_TODAY, Raced, S_HASH, Who, expected};
use super::{Folder, over_paper, quick_files, three_digits, what_holds};
use crate::files::{drop_caches, drop_caches_again};
use crate::frequency::Frequencies;
use crate::measured::{Measured, times};
use crate::messages::Layout;
use crate::model::{Bars, Cell, Figure, Line, Plot, Source, Table};
use crate::race::{Local, Rules};
use crate::session::{Scratch, Session};

mod claims;

const ALL: [Who; 6] = [OPENSSL_THEN, OPENSSL_N_SMS, OPENSSL_TODAY, S_HASH, Who::Manyhash, Who::Readers];
/// Runs from the disk.
const COLD_RUNS: usize = 5;
/// What who only reads asks for at a time.
const READ_BYTES: usize = 1 << 20;
/// The row of who hashes nothing.
const ONLY_READ: &str = "only read and not hashed";

/// What came from the disk.
#[derive(Clone)]
struct Cold {
    raced: Raced,
    /// The same files read in order, and nothing hashed.
    disk: Measured,
    /// How the page cache was emptied.
    how: String,
}

/// DIVERSE from the disk, for figure 4 to compare with: from figure 3 where that was measured before.
static DIVERSE: Mutex<Option<Cold>> = Mutex::new(None);

/// Files on the disk, and what their digests are.
struct Written {
    paths: Vec<PathBuf>,
    bytes: usize,
    expected: Vec<u8>,
    /// They are there as long as this is.
    _scratch: Scratch,
}

impl Written {
    fn new(scratch: Scratch, file_bytes: &[usize]) -> Result<Self> {
        let messages = Layout::ragged(file_bytes.iter().copied()).fill()?;
        let slices = messages.slices();
        let path = |i: usize| scratch.path().join(format!("{i:03}"));
        let paths: Vec<PathBuf> = (0..slices.len()).map(path).collect();
        for (path, bytes) in paths.iter().zip(&slices) {
            std::fs::write(path, bytes).with_context(|| format!("writing {}", path.display()))?;
        }
        Ok(Self { expected: expected::<Sha256>(&slices)?, bytes: messages.total_bytes(), paths, _scratch: scratch })
    }
}

/// The files of a folder, or why they cannot be had: a disk or a memory that is full is a limit of the machine.
fn written(session: &Session, folder: Folder) -> Result<Result<Written, String>> {
    let sizes = folder.file_bytes(session.quick)?;
    let scratch = match session.scratch(sizes.iter().sum::<usize>() as u64) {
        Ok(scratch) => scratch,
        Err(error) => return Ok(Err(format!("the files: {error:#}"))),
    };
    match Written::new(scratch, &sizes) {
        Err(error) if is_lack_of_room(&error) => Ok(Err(format!("the files: {error:#}"))),
        files => files.map(Ok),
    }
}

fn is_lack_of_room(error: &anyhow::Error) -> bool {
    const LACKS: [io::ErrorKind; 3] = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded, io::ErrorKind::OutOfMemory];
    error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>()).any(|error| LACKS.contains(&error.kind()))
}

/// Everybody from the page cache.
fn warm(session: &Session, files: &Written) -> Result<Raced> {
    let rules = Rules { bytes: files.bytes, expected: Some(&files.expected), warm_up_calls: 1 };
    Lineup::of_files::<Sha256>(session, &ALL, &files.paths)?.race(session, rules)
}

/// All of `who` from the disk, in turns; `Err` says why there is no such thing here.
fn cold(session: &Session, who: &[Who], files: &Written) -> Result<Result<Cold, String>> {
    let mut lineup = Lineup::of_files::<Sha256>(session, who, &files.paths)?;
    let mut reader = Local::boxed("", |digests| digests.push(read_all(&files.paths)));
    let mut samples: Vec<Vec<Sample>> = vec![Vec::new(); lineup.contestants.len()];
    let mut disk = Vec::new();
    let how = match drop_caches(&files.paths) {
        Ok(how) => how,
        Err(why) => return Ok(Err(why)),
    };
    for run in 0..if session.quick { 1 } else { COLD_RUNS } {
        let everybody = lineup.contestants.iter_mut().zip(&mut samples).chain([(&mut reader, &mut disk)]);
        for (contestant, samples) in everybody {
            if let Err(why) = drop_caches_again(&files.paths) {
                return Ok(Err(why));
            }
            samples.push(contestant.sample(None, 1, run)?);
        }
    }
    for contestant in &mut lineup.contestants {
        ensure!(contestant.digests()? == files.expected, "{}: wrong digests", contestant.name());
    }
    let measured = |samples| Measured { name: String::new(), bytes: files.bytes as f64, samples, tsc_ghz: session.tsc_ghz };
    let raced = lineup.with(samples.into_iter().map(measured).collect());
    Ok(Ok(Cold { raced, disk: measured(disk), how }))
}

/// The paper's three from the disk, with the processor held at each of some frequencies, the lowest first; `Err` says why not.
fn slowed(session: &Session, files: &Written) -> Result<Result<Vec<(f64, Cold)>, String>> {
    let Some(frequencies) = Frequencies::of_cpu(session.machine.pinned_to.unwrap_or(0)) else {
        return Ok(Err(session.machine.frequency.clone()));
    };
    let mut slowed = Vec::new();
    for khz in frequencies.lowest_middle_highest() {
        let held = match frequencies.hold(khz) {
            Ok(held) => held,
            Err(why) => return Ok(Err(why)),
        };
        // What the core runs at, where that can be measured: a limit is not always reached.
        let measured = session.probe.and_then(Probe::read).map(|reading| reading.clock_ghz);
        match cold(session, &[OPENSSL_THEN, OPENSSL_N_SMS, S_HASH], files)? {
            Ok(cold) => slowed.push((measured.unwrap_or(khz as f64 / 1e6), cold)),
            Err(why) => return Ok(Err(why)),
        }
        drop(held);
    }
    Ok(Ok(slowed))
}

/// Cycles of the core for a byte where its frequency is held.
fn core_cycles_per_byte(ghz: f64, measured: &Measured) -> f64 {
    ghz * measured.least_ns() / measured.bytes
}

/// Reads all files in order; the last byte of each, added up, so that reading is not for nothing.
fn read_all(paths: &[PathBuf]) -> u8 {
    let mut buffer = vec![0; READ_BYTES];
    let mut read = |path: &Path| -> std::io::Result<u8> {
        let mut file = File::open(path)?;
        let mut last = 0;
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok(last),
                bytes => last = buffer[bytes - 1],
            }
        }
    };
    paths.iter().map(|path| read(path).expect("files of this run can be read")).fold(0, u8::wrapping_add)
}

/// Figure 3.
pub fn diverse(session: &Session) -> Result<Figure> {
    figure(session, Folder::Diverse)
}

/// Figure 4.
pub fn uniform(session: &Session) -> Result<Figure> {
    figure(session, Folder::Uniform)
}

fn figure(session: &Session, folder: Folder) -> Result<Figure> {
    let files = match written(session, folder)? {
        Ok(files) => files,
        Err(why) => return Ok(Figure { missing: vec![why], ..Figure::default() }),
    };
    let cold = cold(session, &ALL, &files)?;
    let slowed = slowed(session, &files)?;
    let warm = warm(session, &files)?;
    let mut missing = warm.missing.clone();
    let cold = cold.map_err(|why| missing.push(format!("from the disk: {why}"))).ok();
    let slowed = slowed.map_err(|why| missing.push(format!("other frequencies of the processor: {why}"))).unwrap_or_default();
    if folder == Folder::Diverse {
        DIVERSE.lock().expect("nobody panics with it").clone_from(&cold);
    }
    let claims = match folder {
        Folder::Diverse => claims::diverse(cold.as_ref(), &warm, &slowed),
        Folder::Uniform => {
            let diverse = if cold.is_some() { diverse_from_disk(session)? } else { None };
            claims::uniform(cold.as_ref(), &warm, diverse.as_ref(), &slowed)
        }
    };
    let (still_holds, changed) = sentences(folder, cold.as_ref(), &warm);
    Ok(Figure {
        method: method(session, folder, cold.as_ref()),
        tables: tables(folder, cold.as_ref(), &warm).into_iter().chain(frequency_table(folder, &slowed)).collect(),
        plots: plots(folder, cold.as_ref(), &warm).into_iter().chain(frequency_plot(folder, &slowed)).collect(),
        claims,
        still_holds,
        changed,
        missing,
        ..Figure::default()
    })
}

/// DIVERSE from the disk as figure 3 measured it, or the paper's three here; `None` where that cannot be measured.
fn diverse_from_disk(session: &Session) -> Result<Option<Cold>> {
    if let Some(cold) = DIVERSE.lock().expect("nobody panics with it").clone() {
        return Ok(Some(cold));
    }
    let Ok(files) = written(session, Folder::Diverse)? else { return Ok(None) };
    Ok(cold(session, &[OPENSSL_THEN, OPENSSL_N_SMS, S_HASH], &files)?.ok())
}

fn method(session: &Session, folder: Folder, cold: Option<&Cold>) -> String {
    let files = match folder {
        Folder::Diverse => "350 files with the sizes of table 1, in its order, and random-looking bytes",
        Folder::Uniform => "8 files of 18,623,835 random-looking bytes (the paper's are copies of one)",
    };
    let of_paper = match folder {
        Folder::Diverse => "",
        Folder::Uniform => {
            " The paper takes its disk's 400 MB/s for 7.15 C/B at 3.3 GHz and 3.81 at 1.6 GHz; they are 8.25 and 4.00, or 7.87 and 3.81 with \
             MB of 2^20 bytes. At 1.6 GHz its S-HASH takes 6.73 C/B, 1.31 times the 5.18 from the caches."
        }
    };
    let dropped = cold.map_or_else(
        || "Not measured from the disk here.".into(),
        |cold| {
            let runs = cold.disk.samples.len();
            format!(
                "From the disk: {runs} {} of each contestant in turns, least and median; before each of them {}. A disk that is a file of \
                 some host may still be in that host's memory.",
                if runs == 1 { "run" } else { "runs" },
                cold.how
            )
        },
    );
    let quick = quick_files(session);
    format!(
        "{files}. As in the paper: the list is gone through in order, each file is opened, its size is read, it is mapped to memory, \
         hashed, and the digest is stored; all of that is timed, on one core. OpenSSL opens and hashes one file after the other; S-HASH \
         (Algorithm 1, 4 buffers) and manyhash have all files mapped before they begin; Readers, manyhash's own way for files, reads into a \
         buffer for each lane instead. {dropped} The disk's own speed (the paper: hdparm) is that of reading the same files in order. Cycles \
         are those of the time-stamp counter; the paper's ran at the core's frequency, 3.3 GHz.{of_paper}{quick}"
    )
}

/// The paper's cycles a byte at 3.3 GHz, where its text gives them.
fn of_paper(folder: Folder, who: Who) -> Option<f64> {
    let values = [(OPENSSL_THEN, 19.55), (OPENSSL_N_SMS, 14.45), (S_HASH, 8.65)];
    values.into_iter().find(|(other, _)| folder == Folder::Uniform && *other == who).map(|(_, value)| value)
}

/// Of who only reads, where the paper has its disk's speed in cycles a byte.
fn disk_of_paper(folder: Folder) -> Option<f64> {
    (folder == Folder::Uniform).then_some(7.15)
}

fn tables(folder: Folder, cold: Option<&Cold>, warm: &Raced) -> Vec<Table> {
    [Some(cycles_table(folder, cold, warm)), Some(rates_table(folder, cold, warm)), ratios_table(folder, cold, warm)]
        .into_iter()
        .flatten()
        .collect()
}

/// Rows of everybody, and of who only reads: the name, the paper's cycles, from the disk, from the page cache.
fn rows<'a>(
    folder: Folder,
    cold: Option<&'a Cold>,
    warm: &'a Raced,
) -> impl Iterator<Item = (String, Option<f64>, Option<&'a Measured>, Option<&'a Measured>)> {
    let of = move |(who, warm): &'a (Who, Measured)| {
        (file_name(*who), of_paper(folder, *who), cold.and_then(|cold| cold.raced.of(*who)), Some(warm))
    };
    let disk = cold.map(|cold| (ONLY_READ.to_string(), disk_of_paper(folder), Some(&cold.disk), None));
    warm.all.iter().map(of).chain(disk)
}

fn cycles_table(folder: Folder, cold: Option<&Cold>, warm: &Raced) -> Table {
    let (is_in_paper, is_cold) = (folder == Folder::Uniform && cold.is_some(), cold.is_some());
    let mut columns = vec!["implementation"];
    columns.extend(is_in_paper.then_some("paper, disk, 3.3 GHz"));
    columns.extend(is_cold.then_some(["disk, least", "disk, median"]).into_iter().flatten());
    columns.extend(["page cache, least", "page cache, median"]);
    columns.extend(is_in_paper.then_some("here / paper, disk, least"));
    let mut table = Table::new(format!("{}: cycles of the time-stamp counter per byte", folder.name()), columns);
    for (name, paper, cold, warm) in rows(folder, cold, warm) {
        let least = |measured: Option<&Measured>| measured.and_then(Measured::least_tsc_cycles_per_byte);
        let pair = |measured| [least(measured), measured.and_then(Measured::tsc_cycles_per_byte)].map(three_digits);
        let mut row = vec![Cell::from(name)];
        row.extend(is_in_paper.then(|| Cell::maybe(paper, 2)));
        row.extend(is_cold.then(|| pair(cold)).into_iter().flatten());
        row.extend(pair(warm));
        row.extend(is_in_paper.then(|| over_paper(least(cold), paper)));
        table.row(row);
    }
    table
}

fn rates_table(folder: Folder, cold: Option<&Cold>, warm: &Raced) -> Table {
    let is_cold = cold.is_some();
    let mut columns = vec!["implementation"];
    columns.extend(is_cold.then_some(["disk, fastest", "disk, median"]).into_iter().flatten());
    columns.push("page cache, median");
    columns.extend(is_cold.then_some("on the CPU while from the disk, % of the time"));
    let mut table = Table::new(format!("{}: MB/s", folder.name()), columns);
    let fastest = |measured: &Measured| 1000.0 * measured.bytes / measured.least_ns();
    let on_cpu = |measured: &Measured| timing::median(measured.samples.iter().filter_map(|sample| sample.cpu_share));
    for (name, _, cold, warm) in rows(folder, cold, warm) {
        let mut row = vec![Cell::from(name)];
        row.extend(is_cold.then(|| [cold.map(fastest), cold.map(Measured::mb_per_s)].map(three_digits)).into_iter().flatten());
        row.push(three_digits(warm.map(Measured::mb_per_s)));
        row.extend(is_cold.then(|| three_digits(cold.and_then(on_cpu).map(|share| 100.0 * share))));
        table.row(row);
    }
    table
}

/// Ratios; `None` where nobody took part.
fn ratios_table(folder: Folder, cold: Option<&Cold>, warm: &Raced) -> Option<Table> {
    let mut columns = vec!["one over another"];
    columns.extend(cold.map(|_| ["paper, disk, 3.3 GHz", "disk"]).into_iter().flatten());
    columns.push("page cache");
    columns.extend(cold.map(|_| "here / paper, disk"));
    let mut table = Table::new(format!("{}: how many times as fast, by the medians", folder.name()), columns);
    let (over_openssl, over_n_sms) = match folder {
        Folder::Diverse => (1.73, None),
        Folder::Uniform => (2.26, Some(1.67)),
    };
    for (one, other, paper) in [
        (S_HASH, OPENSSL_THEN, Some(over_openssl)),
        (S_HASH, OPENSSL_N_SMS, over_n_sms),
        (Who::Manyhash, OPENSSL_TODAY, None),
        (Who::Readers, OPENSSL_TODAY, None),
    ] {
        let Some(from_cache) = warm.speed_up(one, other) else { continue };
        let mut row = vec![Cell::from(format!("{} over {}", file_name(one), file_name(other)))];
        let from_disk = cold.map(|cold| cold.raced.speed_up(one, other));
        row.extend(from_disk.map(|here| [Cell::maybe(paper, 2), three_digits(here)]).into_iter().flatten());
        row.push(three_digits(Some(from_cache)));
        row.extend(from_disk.map(|here| over_paper(here, paper)));
        table.row(row);
    }
    (!table.rows.is_empty()).then_some(table)
}

/// A row for each frequency, and the paper's; nothing where it was not varied.
fn frequency_table(folder: Folder, slowed: &[(f64, Cold)]) -> Option<Table> {
    let columns = [
        "frequency, GHz",
        "OpenSSL scalar, C/B",
        "n-SMS, C/B",
        "S-HASH, C/B",
        "OpenSSL scalar, MB/s",
        "n-SMS, MB/s",
        "S-HASH, MB/s",
        "S-HASH over OpenSSL scalar",
    ];
    let title = format!("{} from the disk by the processor's frequency: core cycles per byte (least), MB/s (median)", folder.name());
    let mut table = Table::new(title, columns);
    for (ghz, cold) in slowed {
        let who = [OPENSSL_THEN, OPENSSL_N_SMS, S_HASH].map(|who| cold.raced.of(who));
        let cycles = who.map(|one| three_digits(one.map(|one| core_cycles_per_byte(*ghz, one))));
        let rates = who.map(|one| three_digits(one.map(Measured::mb_per_s)));
        let ratio = three_digits(cold.raced.speed_up(S_HASH, OPENSSL_THEN));
        table.row([format!("{ghz:.2}").into()].into_iter().chain(cycles).chain(rates).chain([ratio]));
    }
    let of_paper = match folder {
        Folder::Diverse => [("paper, 1.60", [None; 3], 2.16), ("paper, 3.30", [None; 3], 1.73)],
        Folder::Uniform => [("paper, 1.60", [None, None, Some(6.73)], 2.86), ("paper, 3.30", [Some(19.55), Some(14.45), Some(8.65)], 2.26)],
    };
    for (name, cycles, ratio) in of_paper {
        let cycles = cycles.map(|value| Cell::maybe(value, 2));
        table.row([name.into()].into_iter().chain(cycles).chain([Cell::Absent, Cell::Absent, Cell::Absent, Cell::number(ratio, 2)]));
    }
    (!slowed.is_empty()).then_some(table)
}

fn frequency_plot(folder: Folder, slowed: &[(f64, Cold)]) -> Option<Plot> {
    let line = |who: Who| Line {
        name: file_name(who),
        source: who.source(),
        points: slowed.iter().filter_map(|(ghz, cold)| Some((*ghz, cold.raced.of(who)?.mb_per_s()))).collect(),
    };
    (!slowed.is_empty()).then(|| Plot::Lines {
        title: format!("{} from the disk by the processor's frequency", folder.name()),
        x_label: "GHz".into(),
        y_label: "MB/s (median)".into(),
        x_powers_of_two: false,
        series: [OPENSSL_THEN, OPENSSL_N_SMS, S_HASH].map(line).into(),
    })
}

fn file_name(who: Who) -> String {
    match who {
        Who::Manyhash => "manyhash (mapped files)".into(),
        who => who.name::<Sha256>(),
    }
}

fn plots(folder: Folder, cold: Option<&Cold>, warm: &Raced) -> Vec<Plot> {
    let categories = ["from the disk", "from the page cache"].map(String::from).to_vec();
    let bars = |value: fn(&Measured) -> Option<f64>| {
        let bars = move |(who, warm): &(Who, Measured)| Bars {
            name: file_name(*who),
            source: who.source(),
            values: vec![cold.and_then(|cold| cold.raced.of(*who)).and_then(value), value(warm)],
        };
        warm.all.iter().map(bars)
    };
    let paper = [OPENSSL_THEN, OPENSSL_N_SMS, S_HASH].into_iter().filter_map(|who| {
        let value = of_paper(folder, who)?;
        let name = match who {
            OPENSSL_THEN => "OpenSSL 1.0.1",
            OPENSSL_N_SMS => "n-SMS",
            _ => "S-HASH",
        };
        Some(Bars { name: format!("paper, 3.3 GHz: {name}"), source: Source::Paper, values: vec![Some(value), None] })
    });
    let disk = Bars { name: ONLY_READ.into(), source: Source::Peer, values: vec![cold.map(|cold| cold.disk.mb_per_s()), None] };
    vec![
        Plot::Bars {
            title: format!("{} by files: cycles per byte", folder.name()),
            y_label: "cycles of the time-stamp counter per byte (here: median; paper: its own clock)".into(),
            categories: categories.clone(),
            series: paper.chain(bars(Measured::tsc_cycles_per_byte)).collect(),
        },
        Plot::Bars {
            title: format!("{} by files: MB/s", folder.name()),
            y_label: "MB/s (median)".into(),
            categories,
            series: bars(|measured| Some(measured.mb_per_s())).chain([disk]).collect(),
        },
    ]
}

fn sentences(folder: Folder, cold: Option<&Cold>, warm: &Raced) -> (String, String) {
    let from_disk = cold.and_then(|cold| cold.raced.speed_up(S_HASH, OPENSSL_THEN));
    let said: Vec<(f64, &str)> = [(from_disk, "from the disk"), (warm.speed_up(S_HASH, OPENSSL_THEN), "from the page cache")]
        .into_iter()
        .filter_map(|(ratio, place)| Some((ratio?, place)))
        .collect();
    let still = if said.is_empty() {
        "The paper's contestants are not all there on this machine: see what is missing.".into()
    } else {
        let (faster, slower): (Vec<_>, Vec<_>) = said.into_iter().partition(|(ratio, _)| *ratio > 1.0);
        let list = |ratios: Vec<(f64, &str)>| -> Vec<String> {
            ratios.into_iter().map(|(ratio, place)| format!("{ratio:.2} times as fast {place}")).collect()
        };
        let so = format!("On {} S-HASH with 4 buffers is still faster than OpenSSL's scalar code: ", folder.name());
        what_holds(&so, &list(faster), &format!("S-HASH with 4 buffers is {} as OpenSSL's scalar code", list(slower).join(", and ")))
    };
    let mut changed = format!(
        "From the page cache manyhash is {} as fast as OpenSSL today over mapped files, and {} with reads into buffers: a mapped page \
         costs a fault when it is first touched, a read copies.",
        times(warm.speed_up(Who::Manyhash, OPENSSL_TODAY)),
        times(warm.speed_up(Who::Readers, OPENSSL_TODAY))
    );
    if let Some((disk, one)) = cold.zip(warm.of(OPENSSL_TODAY)).map(|(cold, one)| (cold.disk.mb_per_s(), one.mb_per_s())) {
        let words = if one > disk {
            "one core of OpenSSL today hashes faster than that, so that the disk decides"
        } else {
            "one core of OpenSSL today hashes more slowly than that, so that lanes gain from the disk too"
        };
        changed.push_str(&format!(" Read in order and not hashed, the files come from the disk at {disk:.0} MB/s: {words}."));
    }
    (still, changed)
}

#[cfg(test)]
mod tests {
    use super::claims::cold_at;
    use super::*;

    #[test]
    fn all_of_every_file_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<PathBuf> = (0..3).map(|i| folder.path().join(i.to_string())).collect();
        for (path, (bytes, last)) in paths.iter().zip([(0, 0), (1, 5), (READ_BYTES + 1, 7)]) {
            let mut content = vec![1; bytes];
            content.last_mut().into_iter().for_each(|byte| *byte = last);
            std::fs::write(path, content).unwrap();
        }
        assert_eq!(read_all(&paths), 12);
    }

    #[test]
    fn from_the_page_cache_alone_there_are_no_empty_columns() {
        let warm = cold_at([100.0, 200.0, 300.0], 1.0).raced;
        assert_eq!(tables(Folder::Uniform, None, &warm).iter().map(|table| table.columns.len()).collect::<Vec<_>>(), [3, 2, 2]);
        let (still, _) = sentences(Folder::Uniform, None, &warm);
        assert_eq!(
            still,
            "On UNIFORM S-HASH with 4 buffers is still faster than OpenSSL's scalar code: 3.00 times as fast from the page cache."
        );
    }

    #[test]
    fn who_is_slower_is_not_said_to_be_faster() {
        let (cold, warm) = (cold_at([100.0, 200.0, 90.0], 50.0), cold_at([100.0, 200.0, 50.0], 1.0).raced);
        let (still, _) = sentences(Folder::Diverse, Some(&cold), &warm);
        assert!(still.starts_with("Nothing of it holds here: S-HASH with 4 buffers is 0.90 times as fast"), "{still}");
        let columns = tables(Folder::Diverse, Some(&cold), &warm)[0].columns.join("; ");
        assert!(!columns.contains("paper"), "{columns}");
    }

    #[test]
    fn a_full_disk_is_a_limit_of_the_machine() {
        let error = |kind: io::ErrorKind| anyhow::Error::from(io::Error::from(kind)).context("writing a file");
        assert!(is_lack_of_room(&error(io::ErrorKind::StorageFull)));
        assert!(!is_lack_of_room(&error(io::ErrorKind::NotFound)));
    }
}
