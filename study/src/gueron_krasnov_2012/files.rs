//! Figures 3 and 4 (section 4.3): the files of DIVERSE and UNIFORM, from the disk and from the page
//! cache.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, Result, ensure};
use manyhash::Sha256;
use manyhash_measure::timing::{self, Probe, Sample};

use super::{Folder, quick_files};
use crate::claims::Metrics;
use crate::contestants::{Lineup, OPENSSL_N_SMS, OPENSSL_SCALAR, OPENSSL_TODAY, Raced, S_HASH, Who};
use crate::files::drop_caches;
use crate::frequency::Frequencies;
use crate::measured::Measured;
use crate::messages::Layout;
use crate::model::{Bars, Cell, Figure, Line, Plot, Source, Table, over_paper};
use crate::openssl_worker;
use crate::race::{Local, Rules};
use crate::session::{Scratch, Session};

const ALL: [Who; 6] = [OPENSSL_SCALAR, OPENSSL_N_SMS, OPENSSL_TODAY, S_HASH, Who::Manyhash, Who::Readers];
/// The paper's three.
const PAPERS: [Who; 3] = [OPENSSL_SCALAR, OPENSSL_N_SMS, S_HASH];
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
    /// The files read in order, and nothing hashed.
    disk: Measured,
    /// How the page cache was emptied.
    how: String,
}

/// DIVERSE from the disk, for figure 4 to compare with: from figure 3 where that was measured
/// before.
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
        Ok(Self { expected: openssl_worker::digests("SHA256", &slices)?, bytes: messages.total_bytes(), paths, _scratch: scratch })
    }
}

/// The files of a folder, or why they cannot be had: a disk or a memory that is full is a limit of
/// the machine.
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
    let how = match drop_caches(&files.paths, true) {
        Ok(how) => how,
        Err(why) => return Ok(Err(why)),
    };
    for run in 0..if session.quick { 1 } else { COLD_RUNS } {
        let everybody = lineup.contestants.iter_mut().zip(&mut samples).chain([(&mut reader, &mut disk)]);
        for (contestant, samples) in everybody {
            if let Err(why) = drop_caches(&files.paths, false) {
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

/// The paper's three from the disk, with the processor held at each of some frequencies, the lowest
/// first; `Err` says why not.
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
        match cold(session, &PAPERS, files)? {
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

/// What was measured of a folder.
struct Results {
    folder: Folder,
    cold: Option<Cold>,
    warm: Raced,
    /// From the disk, at each frequency in GHz, the lowest first.
    slowed: Vec<(f64, Cold)>,
    /// DIVERSE from the disk, beside UNIFORM.
    diverse: Option<Cold>,
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
    let diverse = if folder == Folder::Uniform && cold.is_some() { diverse_from_disk(session)? } else { None };
    let results = Results { folder, cold, warm, slowed, diverse };
    Ok(Figure {
        method: method(session, &results),
        tables: [results.cycles_table(), results.rates_table(), results.ratios_table(), results.frequency_table()]
            .into_iter()
            .filter(|table| !table.rows.is_empty())
            .collect(),
        plots: results.plots(),
        metrics: results.metrics(),
        missing,
        ..Figure::default()
    })
}

/// DIVERSE from the disk as figure 3 measured it, or the paper's three here; `None` where that
/// cannot be measured.
fn diverse_from_disk(session: &Session) -> Result<Option<Cold>> {
    if let Some(cold) = DIVERSE.lock().expect("nobody panics with it").clone() {
        return Ok(Some(cold));
    }
    let Ok(files) = written(session, Folder::Diverse)? else { return Ok(None) };
    Ok(cold(session, &PAPERS, &files)?.ok())
}

fn method(session: &Session, results: &Results) -> String {
    let (files, of_paper) = match results.folder {
        Folder::Diverse => ("350 files with the sizes of table 1, in its order, and random-looking bytes", ""),
        Folder::Uniform => (
            "8 files of 18,623,835 random-looking bytes (the paper's are copies of one)",
            " The paper takes its disk's 400 MB/s for 7.15 C/B at 3.3 GHz and 3.81 at 1.6 GHz; they are 8.25 and 4.00, or 7.87 and 3.81 with \
             MB of 2^20 bytes. At 1.6 GHz its S-HASH takes 6.73 C/B, 1.31 times the 5.18 from the caches.",
        ),
    };
    let dropped = match &results.cold {
        None => "Not measured from the disk here.".into(),
        Some(cold) => format!(
            "From the disk: runs of each contestant in turns: {}, least and median; before each of them {}. A disk that is a file of some \
             host may still be in that host's memory.",
            cold.disk.samples.len(),
            cold.how
        ),
    };
    let quick = quick_files(session);
    format!(
        "{files}. As in the paper: the list is gone through in order, each file is opened, its size is read, it is mapped to memory, \
         hashed, and the digest is stored; all of that is timed, on one core. OpenSSL opens and hashes one file after the other; S-HASH \
         (Algorithm 1, 4 buffers) and manyhash have all files mapped before they begin; Readers, manyhash's own way for files, reads into a \
         buffer for each lane instead. {dropped} The disk's own speed (the paper: hdparm) is that of reading the same files in order. Cycles \
         are those of the time-stamp counter; the paper's ran at the core's frequency, 3.3 GHz.{of_paper}{quick}"
    )
}

/// A row of everybody, or of who only reads.
struct Row<'a> {
    name: String,
    /// The paper's cycles a byte from the disk.
    paper: Option<f64>,
    cold: Option<&'a Measured>,
    warm: Option<&'a Measured>,
}

impl Results {
    fn cold_of(&self, who: Who) -> Option<&Measured> {
        self.cold.as_ref()?.raced.get(who)
    }

    /// The paper's cycles a byte at 3.3 GHz, where its text gives them.
    fn in_paper(&self, who: Who) -> Option<f64> {
        let values = PAPERS.into_iter().zip([19.55, 14.45, 8.65]);
        values.into_iter().find(|(other, _)| self.folder == Folder::Uniform && *other == who).map(|(_, value)| value)
    }

    fn rows<'a>(&'a self) -> impl Iterator<Item = Row<'a>> {
        let of = |(who, warm): &'a (Who, Measured)| Row {
            name: file_name(*who),
            paper: self.cold.as_ref().and_then(|_| self.in_paper(*who)),
            cold: self.cold_of(*who),
            warm: Some(warm),
        };
        // The paper has its disk's speed in cycles a byte beside UNIFORM.
        let in_paper = (self.folder == Folder::Uniform).then_some(7.15);
        let disk = self.cold.as_ref().map(|cold| Row { name: ONLY_READ.into(), paper: in_paper, cold: Some(&cold.disk), warm: None });
        self.warm.rows.iter().map(of).chain(disk)
    }

    fn cycles_table(&self) -> Table {
        let least = |measured: Option<&Measured>| measured.and_then(Measured::least_tsc_cycles_per_byte);
        let median = |measured: Option<&Measured>| measured.and_then(Measured::tsc_cycles_per_byte).into();
        Table::of(
            format!("{}: cycles of the time-stamp counter per byte", self.folder.name()),
            1,
            self.rows(),
            &[
                ("implementation", &|row| row.name.as_str().into()),
                ("paper, disk, 3.3 GHz", &|row| Cell::maybe(row.paper, 2)),
                ("disk, least", &|row| least(row.cold).into()),
                ("disk, median", &|row| median(row.cold)),
                ("page cache, least", &|row| least(row.warm).into()),
                ("page cache, median", &|row| median(row.warm)),
                ("here / paper, disk, least", &|row| over_paper(least(row.cold), row.paper)),
            ],
        )
    }

    fn rates_table(&self) -> Table {
        let on_cpu = |measured: &Measured| timing::median(measured.samples.iter().filter_map(|sample| sample.cpu_share));
        Table::of(
            format!("{}: MB/s", self.folder.name()),
            1,
            self.rows(),
            &[
                ("implementation", &|row| row.name.as_str().into()),
                ("disk, fastest", &|row| row.cold.map(|cold| 1000.0 * cold.bytes / cold.least_ns()).into()),
                ("disk, median", &|row| row.cold.map(Measured::mb_per_s).into()),
                ("page cache, median", &|row| row.warm.map(Measured::mb_per_s).into()),
                ("on the CPU while from the disk, % of the time", &|row| row.cold.and_then(on_cpu).map(|share| 100.0 * share).into()),
            ],
        )
    }

    /// Ratios of those who took part.
    fn ratios_table(&self) -> Table {
        let (over_openssl, over_n_sms) = match self.folder {
            Folder::Diverse => (1.73, None),
            Folder::Uniform => (2.26, Some(1.67)),
        };
        let pairs = [
            (S_HASH, OPENSSL_SCALAR, Some(over_openssl)),
            (S_HASH, OPENSSL_N_SMS, over_n_sms),
            (Who::Manyhash, OPENSSL_TODAY, None),
            (Who::Readers, OPENSSL_TODAY, None),
        ];
        let paper = |value: Option<f64>| value.filter(|_| self.cold.is_some());
        let disk = |one, other| self.cold.as_ref().and_then(|cold| cold.raced.over(one, other));
        Table::of(
            format!("{}: how many times as fast, by the medians", self.folder.name()),
            1,
            pairs.into_iter().filter(|(one, other, _)| self.warm.over(*one, *other).is_some()),
            &[
                ("one over another", &|(one, other, _)| format!("{} over {}", file_name(*one), file_name(*other)).into()),
                ("paper, disk, 3.3 GHz", &|row| Cell::maybe(paper(row.2), 2)),
                ("disk", &|(one, other, _)| disk(*one, *other).into()),
                ("page cache", &|(one, other, _)| self.warm.over(*one, *other).into()),
                ("here / paper, disk", &|row| over_paper(disk(row.0, row.1), paper(row.2))),
            ],
        )
    }

    /// A row for each frequency, and the paper's; nothing where it was not varied.
    fn frequency_table(&self) -> Table {
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
        let title = "from the disk by the processor's frequency: core cycles per byte (least), MB/s (median)";
        let mut table = Table::new(format!("{} {title}", self.folder.name()), columns);
        for (ghz, cold) in &self.slowed {
            let who = PAPERS.map(|who| cold.raced.get(who));
            let cycles = who.map(|one| one.map(|one| core_cycles_per_byte(*ghz, one)).into());
            let rates = who.map(|one| one.map(Measured::mb_per_s).into());
            let ratio = cold.raced.over(S_HASH, OPENSSL_SCALAR).into();
            table.row([format!("{ghz:.2}").into()].into_iter().chain(cycles).chain(rates).chain([ratio]));
        }
        if self.slowed.is_empty() {
            return table;
        }
        let in_paper = match self.folder {
            Folder::Diverse => [("paper, 1.60", [None; 3], 2.16), ("paper, 3.30", [None; 3], 1.73)],
            Folder::Uniform => {
                [("paper, 1.60", [None, None, Some(6.73)], 2.86), ("paper, 3.30", [Some(19.55), Some(14.45), Some(8.65)], 2.26)]
            }
        };
        for (name, cycles, ratio) in in_paper {
            let cycles = cycles.map(|value| Cell::maybe(value, 2));
            table.row([name.into()].into_iter().chain(cycles).chain([Cell::Absent, Cell::Absent, Cell::Absent, Cell::number(ratio, 2)]));
        }
        table
    }

    fn plots(&self) -> Vec<Plot> {
        let folder = self.folder.name();
        let bars = |value: fn(&Measured) -> Option<f64>| {
            let bars = move |(who, warm): &(Who, Measured)| {
                Bars::new(file_name(*who), who.source(), [self.cold_of(*who).and_then(value), value(warm)])
            };
            self.warm.rows.iter().map(bars)
        };
        let paper = ["OpenSSL 1.0.1", "n-SMS", "S-HASH"]
            .into_iter()
            .zip(PAPERS)
            .filter_map(|(name, who)| Some(Bars::new(format!("paper, 3.3 GHz: {name}"), Source::Paper, [Some(self.in_paper(who)?), None])));
        let disk = Bars::new(ONLY_READ, Source::Peer, [self.cold.as_ref().map(|cold| cold.disk.mb_per_s()), None]);
        let cycles = "cycles of the time-stamp counter per byte (here: median; paper: its own clock)";
        let places = ["from the disk", "from the page cache"];
        let mut plots = vec![
            Plot::bars(format!("{folder} by files: cycles per byte"), cycles, places, paper.chain(bars(Measured::tsc_cycles_per_byte))),
            Plot::bars(
                format!("{folder} by files: MB/s"),
                "MB/s (median)",
                places,
                bars(|measured| Some(measured.mb_per_s())).chain([disk]),
            ),
        ];
        let line = |who: Who| {
            let points = self.slowed.iter().filter_map(|(ghz, cold)| Some((*ghz, cold.raced.value(who, Measured::mb_per_s)?)));
            Line::new(file_name(who), who.source(), points)
        };
        plots.extend((!self.slowed.is_empty()).then(|| Plot::Lines {
            title: format!("{folder} from the disk by the processor's frequency"),
            x_label: "GHz".into(),
            y_label: "MB/s (median)".into(),
            x_powers_of_two: false,
            series: PAPERS.map(line).into(),
        }));
        plots
    }

    /// By what percentage someone is slower from the disk than from the page cache.
    fn slower_from_disk(&self, who: Who) -> Option<f64> {
        Some(100.0 * (self.warm.get(who)?.speed_up_over(self.cold_of(who)?) - 1.0))
    }

    fn metrics(&self) -> Metrics {
        let mut metrics = Metrics::default();
        let from_disk = |other| self.cold.as_ref().and_then(|cold| cold.raced.over(S_HASH, other));
        metrics.set("S-HASH over OpenSSL scalar", from_disk(OPENSSL_SCALAR));
        metrics.set("S-HASH over n-SMS", from_disk(OPENSSL_N_SMS));
        metrics.set("S-HASH from the disk", self.slower_from_disk(S_HASH));
        metrics.each("linear code from the disk", PAPERS[..2].iter().map(|who| (file_name(*who), self.slower_from_disk(*who))));
        let over_diverse = |who| Some(self.cold_of(who)?.speed_up_over(self.diverse.as_ref()?.raced.get(who)?));
        metrics.each("UNIFORM over DIVERSE", PAPERS.map(|who| (file_name(who), over_diverse(who))));

        let ends = self.slowed.first().zip(self.slowed.last()).filter(|_| self.slowed.len() > 1);
        let lowest = self.slowed.first().map_or(String::new(), |(ghz, _)| format!("at {ghz:.2} GHz"));
        let at_lowest = self.slowed.first().and_then(|(_, cold)| cold.raced.over(S_HASH, OPENSSL_SCALAR));
        metrics.each("at the lowest frequency", [(lowest, at_lowest)]);
        // Cycles a byte at the highest frequency over those at the lowest: above 1, there are fewer
        // when slowed.
        let cycles = |(ghz, cold): &(f64, Cold), who| Some(core_cycles_per_byte(*ghz, cold.raced.get(who)?));
        let [openssl, n_sms, s_hash] = PAPERS.map(|who| ends.and_then(|(low, high)| Some(cycles(high, who)? / cycles(low, who)?)));
        metrics.each("fewer cycles when slowed", PAPERS.map(file_name).into_iter().zip([openssl, n_sms, s_hash]));
        metrics.set("fewer cycles of S-HASH when slowed", s_hash);
        metrics.set("S-HASH beside the others", openssl.zip(n_sms).zip(s_hash).map(|((one, other), s_hash)| s_hash / one.max(other)));
        let rate = |cold: &Cold| cold.raced.value(S_HASH, Measured::mb_per_s);
        let fall = ends.and_then(|(low, high)| Some((rate(&high.1)? / rate(&low.1)?, high.0 / low.0))).unzip();
        let frequency = fall.1.map_or(String::new(), |frequency| format!("the frequency falls {frequency:.2} times"));
        metrics.each("fall of the throughput", [(frequency, fall.0.zip(fall.1).map(|(throughput, frequency)| throughput / frequency))]);
        metrics
    }
}

fn file_name(who: Who) -> String {
    match who {
        Who::Manyhash => "manyhash (mapped files)".into(),
        who => who.name::<Sha256>(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::verdicts;
    use crate::contestants::at_rates;
    use crate::model::Verdict::{Holds, NotMeasured};

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

    /// From the disk, with the paper's three at these rates and a disk of that rate.
    fn cold_at(rates: [f64; 3], disk: f64) -> Cold {
        let disk = at_rates(&[(OPENSSL_SCALAR, disk)]).rows.remove(0).1;
        Cold { raced: warm_at(rates), disk, how: String::new() }
    }

    fn warm_at(rates: [f64; 3]) -> Raced {
        at_rates(&PAPERS.into_iter().zip(rates).collect::<Vec<_>>())
    }

    /// The paper's text: C/B at 3.3 GHz, and 6.73 at 1.6 GHz.
    #[test]
    fn the_papers_own_values_hold() {
        let rates = |ghz: f64, cycles: [f64; 3]| cycles.map(|cycles| 1000.0 * ghz / cycles);
        let slowed = vec![(1.6, cold_at(rates(1.6, [19.54, 14.44, 6.73]), 400.0)), (3.3, cold_at(rates(3.3, [19.56, 14.46, 8.65]), 400.0))];
        let results = Results {
            folder: Folder::Uniform,
            cold: Some(slowed[1].1.clone()),
            warm: warm_at(rates(3.3, [19.5, 14.4, 5.18])),
            slowed,
            diverse: Some(cold_at(rates(3.3, [25.0, 20.0, 14.0]), 400.0)),
        };
        assert_eq!(verdicts("2012-4", &results.metrics()), [Holds; 7]);
    }

    #[test]
    fn what_is_not_measured_is_not_judged_and_has_no_columns() {
        let warm = warm_at([100.0, 200.0, 300.0]);
        let results = |folder| Results { folder, cold: None, warm: warm.clone(), slowed: Vec::new(), diverse: None };
        assert_eq!(verdicts("2012-4", &results(Folder::Uniform).metrics()), [NotMeasured; 7]);
        assert_eq!(verdicts("2012-3", &results(Folder::Diverse).metrics()), [NotMeasured; 5]);
        let uniform = results(Folder::Uniform);
        let tables = [uniform.cycles_table(), uniform.rates_table(), uniform.ratios_table()];
        assert_eq!(tables.map(|table| table.columns.len()), [3, 2, 2]);
        let columns = Results { cold: Some(cold_at([100.0, 200.0, 90.0], 50.0)), ..results(Folder::Diverse) }.cycles_table().columns;
        assert!(!columns.iter().any(|column| column.contains("paper")), "{columns:?}");
    }

    #[test]
    fn a_full_disk_is_a_limit_of_the_machine() {
        let error = |kind: io::ErrorKind| anyhow::Error::from(io::Error::from(kind)).context("writing a file");
        assert!(is_lack_of_room(&error(io::ErrorKind::StorageFull)));
        assert!(!is_lack_of_room(&error(io::ErrorKind::NotFound)));
    }
}
