//! Figures 3 and 4 (section 4.3): the files of DIVERSE and UNIFORM, from the disk and from the page cache.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, Result, ensure};
use manyhash::Sha256;
use manyhash_measure::timing::{self, Sample};

use super::Folder;
use super::contestants::{Lineup, OPENSSL_N_SMS, OPENSSL_THEN, OPENSSL_TODAY, Raced, S_HASH, Who, expected};
use crate::files::{drop_caches, drop_caches_again};
use crate::frequency::Frequencies;
use crate::measured::{Measured, times};
use crate::messages::Layout;
use crate::model::{Bars, Cell, Claim, Figure, Line, Plot, Source, Table};
use crate::race::{Local, Rules};
use crate::session::{Scratch, Session};

const ALL: [Who; 6] = [OPENSSL_THEN, OPENSSL_N_SMS, OPENSSL_TODAY, S_HASH, Who::Manyhash, Who::Readers];
/// Runs from the disk.
const COLD_RUNS: usize = 5;
/// What who only reads asks for at a time.
const READ_BYTES: usize = 1 << 20;
/// The paper's disk, by `hdparm -t`.
const PAPER_DISK_MB_PER_S: f64 = 400.0;
/// Someone is taken to be limited by the disk who is slower from it than from the page cache by more than this share.
const LIMITED: f64 = 0.10;

/// What came from the disk.
#[derive(Clone)]
struct Cold {
    raced: Raced,
    /// The same files read in order, and nothing hashed.
    disk: Measured,
    /// How the page cache was emptied.
    how: String,
}

/// DIVERSE from the disk, for figure 4 to compare with, if figure 3 was measured before it.
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
    let all = &frequencies.available_khz;
    let mut chosen = vec![all[0], all[all.len() / 2], all[all.len() - 1]];
    chosen.dedup();
    let mut slowed = Vec::new();
    for khz in chosen {
        let held = match frequencies.hold(khz) {
            Ok(held) => held,
            Err(why) => return Ok(Err(why)),
        };
        match cold(session, &[OPENSSL_THEN, OPENSSL_N_SMS, S_HASH], files)? {
            Ok(cold) => slowed.push((khz as f64 / 1e6, cold)),
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
    let sizes = folder.file_bytes(session.quick)?;
    let scratch = match session.scratch(sizes.iter().sum::<usize>() as u64) {
        Ok(scratch) => scratch,
        Err(error) => return Ok(Figure { missing: vec![format!("the files: {error:#}")], ..Figure::default() }),
    };
    let files = Written::new(scratch, &sizes)?;
    let cold = cold(session, &ALL, &files)?;
    let slowed = slowed(session, &files)?;
    let warm = warm(session, &files)?;
    let mut missing = warm.missing.clone();
    let cold = cold.map_err(|why| missing.push(format!("from the disk: {why}"))).ok();
    let slowed = slowed.map_err(|why| missing.push(format!("other frequencies of the processor: {why}"))).unwrap_or_default();
    if let (Folder::Diverse, Ok(mut kept)) = (folder, DIVERSE.lock()) {
        kept.clone_from(&cold);
    }
    let claims = match folder {
        Folder::Diverse => diverse_claims(cold.as_ref(), &warm, &slowed),
        Folder::Uniform => uniform_claims(session, cold.as_ref(), &warm, &slowed),
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

fn method(session: &Session, folder: Folder, cold: Option<&Cold>) -> String {
    let files = match folder {
        Folder::Diverse => "350 files with the sizes of table 1, in its order, and random-looking bytes",
        Folder::Uniform => "8 files of 18,623,835 random-looking bytes (the paper's are copies of one)",
    };
    let dropped = cold.map_or_else(
        || "Not measured from the disk here.".into(),
        |cold| {
            format!(
                "From the disk: {} runs of each contestant in turns, least and median; before each of them {}. A disk that is a file of \
                 some host may still be in that host's memory.",
                cold.disk.samples.len(),
                cold.how
            )
        },
    );
    let quick = if session.quick { " In this quick run files have a 32nd of their sizes." } else { "" };
    format!(
        "{files}. As in the paper: the list is gone through in order, each file is opened, its size is read, it is mapped to memory, \
         hashed, and the digest is stored; all of that is timed, on one core. OpenSSL opens and hashes one file after the other; Algorithm \
         1 (4 buffers) and manyhash have all files mapped before they begin; Readers reads into a buffer for each lane instead. {dropped} \
         The disk's own speed (the paper: hdparm) is that of reading the same files in order.{quick}"
    )
}

/// The paper's cycles a byte at 3.3 GHz, where its text gives them.
fn of_paper(folder: Folder, who: Who) -> Option<f64> {
    let values = [(OPENSSL_THEN, 19.55), (OPENSSL_N_SMS, 14.45), (S_HASH, 8.65)];
    values.into_iter().find(|(other, _)| folder == Folder::Uniform && *other == who).map(|(_, value)| value)
}

fn tables(folder: Folder, cold: Option<&Cold>, warm: &Raced) -> Vec<Table> {
    let columns = ["", "paper, disk, 3.3 GHz", "disk, least", "disk, median", "page cache, least", "page cache, median"];
    let mut cycles = Table::new(format!("{}: cycles per byte of the time-stamp counter", folder.name()), columns);
    let columns = ["", "disk, fastest", "disk, median", "page cache, median", "on the CPU while from the disk, % of the time"];
    let mut rates = Table::new(format!("{}: MB/s", folder.name()), columns);
    let fastest = |measured: &Measured| 1000.0 * measured.bytes / measured.least_ns();
    let on_cpu = |measured: &Measured| timing::median(measured.samples.iter().filter_map(|sample| sample.cpu_share));
    let mut row = |name: String, paper: Option<f64>, cold: Option<&Measured>, warm: Option<&Measured>| {
        cycles.row([
            name.as_str().into(),
            Cell::maybe(paper, 2),
            Cell::maybe(cold.and_then(Measured::least_tsc_cycles_per_byte), 2),
            Cell::maybe(cold.and_then(Measured::tsc_cycles_per_byte), 2),
            Cell::maybe(warm.and_then(Measured::least_tsc_cycles_per_byte), 2),
            Cell::maybe(warm.and_then(Measured::tsc_cycles_per_byte), 2),
        ]);
        rates.row([
            name.into(),
            Cell::maybe(cold.map(fastest), 0),
            Cell::maybe(cold.map(Measured::mb_per_s), 0),
            Cell::maybe(warm.map(Measured::mb_per_s), 0),
            Cell::maybe(cold.and_then(on_cpu).map(|share| 100.0 * share), 0),
        ]);
    };
    for (who, measured) in &warm.all {
        row(file_name(*who), of_paper(folder, *who), cold.and_then(|cold| cold.raced.of(*who)), Some(measured));
    }
    // 400 MB/s at 3.3 GHz: section 5.
    row("only read, nothing hashed".into(), Some(3300.0 / PAPER_DISK_MB_PER_S), cold.map(|cold| &cold.disk), None);
    let mut ratios = Table::new("times as fast (medians)", ["", "paper, disk, 3.3 GHz", "disk", "page cache"]);
    let paper = |ratio: [f64; 2]| Some(ratio[usize::from(folder == Folder::Uniform)]);
    let n_sms = (folder == Folder::Uniform).then_some(1.67);
    for (one, other, paper) in [
        (S_HASH, OPENSSL_THEN, paper([1.73, 2.26])),
        (S_HASH, OPENSSL_N_SMS, n_sms),
        (Who::Manyhash, OPENSSL_TODAY, None),
        (Who::Readers, OPENSSL_TODAY, None),
    ] {
        let cold = cold.and_then(|cold| cold.raced.speed_up(one, other));
        let name = format!("{} over {}", file_name(one), file_name(other));
        ratios.row([name.into(), Cell::maybe(paper, 2), Cell::maybe(cold, 2), Cell::maybe(warm.speed_up(one, other), 2)]);
    }
    vec![cycles, rates, ratios]
}

/// A row for each frequency; nothing where it was not varied.
fn frequency_table(folder: Folder, slowed: &[(f64, Cold)]) -> Option<Table> {
    let columns =
        ["GHz", "OpenSSL, C/B", "n-SMS, C/B", "S-HASH, C/B", "OpenSSL, MB/s", "n-SMS, MB/s", "S-HASH, MB/s", "S-HASH over OpenSSL"];
    let title = format!("{} from the disk by the processor's frequency: core cycles per byte (least), MB/s (median)", folder.name());
    let mut table = Table::new(title, columns);
    for (ghz, cold) in slowed {
        let who = [OPENSSL_THEN, OPENSSL_N_SMS, S_HASH].map(|who| cold.raced.of(who));
        let cycles = who.map(|one| Cell::maybe(one.map(|one| core_cycles_per_byte(*ghz, one)), 2));
        let rates = who.map(|one| Cell::maybe(one.map(Measured::mb_per_s), 0));
        let ratio = Cell::maybe(cold.raced.speed_up(S_HASH, OPENSSL_THEN), 2);
        table.row([format!("{ghz:.2}").into()].into_iter().chain(cycles).chain(rates).chain([ratio]));
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
        Who::OpenSsl(_) => format!("{}, file by file", who.name::<Sha256>()),
        Who::Readers => "manyhash, Readers (its own way for files)".into(),
        who => format!("{}, mapped", who.name::<Sha256>()),
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
        let name = if who == S_HASH { "S-HASH".to_string() } else { who.name::<Sha256>() };
        Some(Bars { name: format!("paper, 3.3 GHz: {name}"), source: Source::Paper, values: vec![Some(value), None] })
    });
    let disk =
        Bars { name: "only read, nothing hashed".into(), source: Source::Peer, values: vec![cold.map(|cold| cold.disk.mb_per_s()), None] };
    vec![
        Plot::Bars {
            title: format!("{}: cycles per byte", folder.name()),
            y_label: "cycles per byte (median)".into(),
            categories: categories.clone(),
            series: paper.chain(bars(Measured::tsc_cycles_per_byte)).collect(),
        },
        Plot::Bars {
            title: format!("{}: MB/s", folder.name()),
            y_label: "MB/s (median)".into(),
            categories,
            series: bars(|measured| Some(measured.mb_per_s())).chain([disk]).collect(),
        },
    ]
}

/// By how much slower someone is from the disk than from the page cache, as a share.
fn slower_from_disk(cold: Option<&Cold>, warm: &Raced, who: Who) -> Option<f64> {
    Some(warm.of(who)?.speed_up_over(cold?.raced.of(who)?) - 1.0)
}

fn sentences(folder: Folder, cold: Option<&Cold>, warm: &Raced) -> (String, String) {
    let cold_ratio = cold.and_then(|cold| cold.raced.speed_up(S_HASH, OPENSSL_THEN));
    let still = match (cold_ratio, warm.speed_up(S_HASH, OPENSSL_THEN)) {
        (Some(cold), Some(warm)) => format!(
            "On {}, S-HASH with 4 buffers is {cold:.2} times as fast as OpenSSL's scalar code from the disk and {warm:.2} times from the \
             page cache: {}.",
            folder.name(),
            if cold < warm { "what waits for the disk cannot be made up for by hashing" } else { "this disk takes nothing from it" }
        ),
        (None, Some(warm)) => format!("From the page cache, S-HASH with 4 buffers is {warm:.2} times as fast as OpenSSL's scalar code."),
        _ => "The paper's contestants are not all there on this machine: see what is missing.".into(),
    };
    let readers = warm.speed_up(Who::Readers, OPENSSL_TODAY);
    let mut changed = format!(
        "From the page cache manyhash is {} as fast as OpenSSL today over mapped files, and {} with reads into buffers: a mapped page \
         costs a fault when it is first touched, a read copies.",
        times(warm.speed_up(Who::Manyhash, OPENSSL_TODAY)),
        times(readers)
    );
    if let Some((disk, one)) = cold.zip(warm.of(OPENSSL_TODAY)).map(|(cold, one)| (cold.disk.mb_per_s(), one.mb_per_s())) {
        let words = if one > disk {
            "one core of OpenSSL today hashes faster than that, so that the disk decides for everybody who reads files as these do"
        } else {
            "one core of OpenSSL today hashes more slowly than that, so that there is something to be gained from the disk as well"
        };
        changed.push_str(&format!(" Read in order and not hashed, the files come from the disk at {disk:.0} MB/s: {words}."));
    }
    (still, changed)
}

/// A claim about 1.6 GHz, judged at the lowest frequency of this processor.
fn slow_claim(
    text: &str,
    paper: f64,
    unit: &str,
    slowed: &[(f64, Cold)],
    value: impl Fn(f64, &Raced) -> Option<f64>,
    at_least: bool,
) -> Claim {
    let here = slowed.first().and_then(|(ghz, cold)| Some((*ghz, value(*ghz, &cold.raced)?)));
    let shown = here.map_or("the frequency is not varied here".into(), |(ghz, value)| format!("{value:.2} {unit} at {ghz:.2} GHz"));
    let holds = here.map(|(_, value)| if at_least { value >= paper } else { value <= paper });
    Claim::new(text, "section 4.3", format!("{paper} {unit}"), shown, holds)
}

fn ratio_claim(text: &str, place: &'static str, paper: f64, cold: Option<&Cold>, other: Who) -> Claim {
    let ratio = cold.and_then(|cold| cold.raced.speed_up(S_HASH, other));
    Claim::new(text, place, format!("{paper} times"), times(ratio), ratio.map(|ratio| ratio >= paper))
}

fn diverse_claims(cold: Option<&Cold>, warm: &Raced, slowed: &[(f64, Cold)]) -> Vec<Claim> {
    let throughput = |cold: &Cold| cold.raced.of(S_HASH).map(Measured::mb_per_s);
    let ends = slowed.first().zip(slowed.last());
    let falls = ends.and_then(|(low, high)| Some((throughput(&high.1)? / throughput(&low.1)?, high.0 / low.0)));
    let disk = cold.map(|cold| cold.disk.mb_per_s());
    let hashing = warm.of(S_HASH).map(Measured::mb_per_s);
    vec![
        ratio_claim(
            "DIVERSE from the disk: S-HASH (4 buffers) over OpenSSL's scalar code",
            "section 4.3, figure 3",
            1.73,
            cold,
            OPENSSL_THEN,
        ),
        Claim::new(
            "The disk's throughput limits what is observed: S-HASH (4 buffers) hashes faster than the disk reads",
            "section 4.3",
            "disk-bound",
            disk.zip(hashing).map_or("not measured".into(), |(disk, hashing)| {
                format!("hashes {hashing:.0} MB/s from the page cache; the disk reads {disk:.0} MB/s")
            }),
            disk.zip(hashing).map(|(disk, hashing)| hashing > disk),
        ),
        slow_claim(
            "DIVERSE from the disk at 1.6 GHz (here the lowest frequency): S-HASH over OpenSSL's scalar code",
            2.16,
            "times",
            slowed,
            |_, raced| raced.speed_up(S_HASH, OPENSSL_THEN),
            true,
        ),
        Claim::new(
            "From 3.3 to 1.6 GHz (here from the highest to the lowest) the throughput of S-HASH on DIVERSE falls by less than the \
             frequency",
            "section 4.3",
            "1.28 times, the frequency 2.06 times",
            falls.map_or("the frequency is not varied here".into(), |(falls, by)| format!("{falls:.2} times, the frequency {by:.2} times")),
            falls.map(|(falls, by)| falls < by),
        ),
    ]
}

fn uniform_claims(session: &Session, cold: Option<&Cold>, warm: &Raced, slowed: &[(f64, Cold)]) -> Vec<Claim> {
    let cycles = |who| cold.and_then(|cold| cold.raced.least_cycles_per_byte(who));
    let cycles_claim = |text: &str, paper: f64, who| {
        let here = cycles(who);
        let shown = here.map_or("not measured".into(), |cycles| format!("{cycles:.2}"));
        Claim::new(text, "section 5", format!("{paper} cycles a byte"), shown, here.map(|cycles| cycles <= paper))
    };
    let percent = |share: Option<f64>| match share {
        Some(share) if share < 0.005 => "no slower".into(),
        Some(share) => format!("{:.0} % slower", 100.0 * share),
        None => "not measured".to_string(),
    };
    let (openssl, n_sms, s_hash) =
        (slower_from_disk(cold, warm, OPENSSL_THEN), slower_from_disk(cold, warm, OPENSSL_N_SMS), slower_from_disk(cold, warm, S_HASH));
    let diverse = DIVERSE.lock().ok().and_then(|kept| kept.clone());
    let larger = |who| cold?.raced.of(who)?.speed_up_over(diverse.as_ref()?.raced.of(who)?).into();
    let larger: Option<Vec<f64>> = [OPENSSL_THEN, OPENSSL_N_SMS, S_HASH].into_iter().map(larger).collect();
    let of_disk = |megabyte: f64| 3.3e9 / (PAPER_DISK_MB_PER_S * megabyte);
    let (million, mebibyte) = (of_disk(1e6), of_disk((1 << 20) as f64));
    let now = cold.zip(session.tsc_ghz).map_or(String::new(), |(cold, ghz)| {
        let disk = cold.disk.mb_per_s();
        format!("; this disk: {disk:.0} MB/s, {:.2} C/B of the time-stamp counter", 1000.0 * ghz / disk)
    });
    vec![
        ratio_claim(
            "UNIFORM from the disk: S-HASH (4 buffers) over OpenSSL's scalar code",
            "section 4.3, figure 4",
            2.26,
            cold,
            OPENSSL_THEN,
        ),
        ratio_claim("UNIFORM from the disk: S-HASH (4 buffers) over n-SMS", "section 5", 1.67, cold, OPENSSL_N_SMS),
        cycles_claim("UNIFORM from the disk: S-HASH (4 buffers) in 8.65 cycles a byte or fewer", 8.65, S_HASH),
        cycles_claim("UNIFORM from the disk: OpenSSL's scalar code in 19.55 cycles a byte or fewer", 19.55, OPENSSL_THEN),
        cycles_claim("UNIFORM from the disk: n-SMS in 14.45 cycles a byte or fewer", 14.45, OPENSSL_N_SMS),
        Claim::new(
            "OpenSSL and n-SMS are not limited by the disk (no more than 10 % slower than from the page cache)",
            "section 4.3",
            "not limited",
            format!("scalar {}, n-SMS {}", percent(openssl), percent(n_sms)),
            openssl.zip(n_sms).map(|(openssl, n_sms)| openssl <= LIMITED && n_sms <= LIMITED),
        ),
        Claim::new(
            "The faster S-HASH is affected by the disk (more than 10 % slower than from the page cache)",
            "section 4.3",
            "8.65 cycles a byte for 5.18",
            percent(s_hash),
            s_hash.map(|share| share > LIMITED),
        ),
        Claim::new(
            "OpenSSL, n-SMS and S-HASH are all faster when files are large (UNIFORM against DIVERSE, from the disk)",
            "section 4.3",
            "all improve",
            larger.as_ref().map_or("not measured (it takes figure 3 in the same run)".into(), |ratios| {
                format!("{} times", ratios.iter().map(|ratio| format!("{ratio:.2}")).collect::<Vec<_>>().join(", "))
            }),
            larger.map(|ratios| ratios.iter().all(|ratio| *ratio > 1.0)),
        ),
        Claim::new(
            "400 MB/s from the disk are 7.15 cycles a byte at 3.3 GHz",
            "section 5",
            "7.15",
            format!("3.3 GHz over 400 MB/s is {million:.2}, or {mebibyte:.2} with MB of 2^20 bytes; 7.15 is 3.0 GHz over the latter{now}"),
            Some((mebibyte - 7.15).abs() < 0.05 || (million - 7.15).abs() < 0.05),
        ),
        slow_claim(
            "UNIFORM from the disk at 1.6 GHz (here the lowest frequency): S-HASH over OpenSSL's scalar code",
            2.86,
            "times",
            slowed,
            |_, raced| raced.speed_up(S_HASH, OPENSSL_THEN),
            true,
        ),
        slow_claim(
            "UNIFORM from the disk at 1.6 GHz (here the lowest frequency): S-HASH in 6.73 cycles a byte or fewer",
            6.73,
            "cycles a byte",
            slowed,
            |ghz, raced| Some(core_cycles_per_byte(ghz, raced.of(S_HASH)?)),
            false,
        ),
    ]
}

#[cfg(test)]
mod tests {
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
}
