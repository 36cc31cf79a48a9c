//! Figures 3 and 4 (section 4.3): the files of DIVERSE and UNIFORM, from the disk and from the page
//! cache.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Mutex;

use anyhow::{Context, Result, ensure};
use manyhash::Sha256;
use manyhash_measure::timing::{self, Probe};

use super::Folder;
use super::algorithm_1::SCALAR_ROUNDS;
use crate::contestants::{Lineup, OPENSSL_N_SMS, OPENSSL_SCALAR, OPENSSL_THEN, OPENSSL_TODAY, Raced, S_HASH, Who};
use crate::files::race_from_disk;
use crate::frequency::Frequencies;
use crate::measured::Measured;
use crate::messages::Layout;
use crate::model::{Figure, Missing, Source};
use crate::openssl_worker;
use crate::race::Contestant;
use crate::rows::{Kind, LEAST, MEDIAN, RATE, TIMES};
use crate::session::{Scratch, Session};

const ALL: [Who; 8] = [OPENSSL_SCALAR, OPENSSL_THEN, OPENSSL_N_SMS, OPENSSL_TODAY, S_HASH, EIGHT, Who::Manyhash, Who::Readers];
/// S-HASH with 8 buffers.
const EIGHT: Who = Who::SHash("avx2", SCALAR_ROUNDS);
/// The paper's three.
const PAPERS: [Who; 3] = [OPENSSL_SCALAR, OPENSSL_THEN, S_HASH];
const READ_BYTES: usize = 1 << 20;
const ONLY_READ: &str = "only read and not hashed";

#[derive(Clone)]
struct Cold {
    raced: Raced,
    /// The files read in order, and nothing hashed.
    disk: Measured,
    /// How the page cache was emptied.
    how: String,
}

/// The folders from the disk, as a figure before measured them, for others to compare with.
static MEASURED: Mutex<[Option<Cold>; 2]> = Mutex::new([None, None]);

/// Files on the disk, and what their digests are.
struct Written {
    paths: Vec<PathBuf>,
    bytes: usize,
    expected: Vec<u8>,
    _scratch: Scratch,
}

impl Written {
    /// The files of a folder.
    fn new(session: &Session, folder: Folder) -> Result<Self> {
        let messages = Layout::ragged(folder.file_bytes(session.quick)?).fill()?;
        let (slices, bytes) = (messages.slices(), messages.layout().total_bytes());
        let scratch = session.scratch(bytes as u64)?;
        let paths: Vec<PathBuf> = (0..slices.len()).map(|i| scratch.path().join(format!("{i:03}"))).collect();
        for (path, bytes) in paths.iter().zip(&slices) {
            std::fs::write(path, bytes).with_context(|| format!("writing {}", path.display()))?;
        }
        Ok(Self { expected: openssl_worker::digests("SHA256", &slices)?, bytes, paths, _scratch: scratch })
    }
}

/// All of `who` from the disk, in turns.
fn cold(session: &Session, who: &[Who], files: &Written) -> Result<Cold> {
    let mut lineup = Lineup::of_files::<Sha256>(session, who, &files.paths, &files.expected)?;
    let mut contestants = std::mem::take(&mut lineup.contestants);
    contestants.push(Contestant::local(ONLY_READ, |digests| digests.push(read(&files.paths, 1, READ_BYTES) as u8)));
    let (mut measured, how) = race_from_disk(session, &files.paths, files.bytes, &mut contestants)?;
    Ok(Cold { disk: measured.pop().expect("who only reads"), raced: lineup.with(measured), how })
}

/// The paper's three from the disk, with the processor held at each of some frequencies, the lowest first.
fn slowed(session: &Session, files: &Written) -> Result<Vec<(f64, Cold)>> {
    ensure!(session.tuned, Missing("only with --tune".into()));
    let frequencies = Frequencies::of_cpu(session.machine.pinned_to.unwrap_or(0));
    let frequencies = frequencies.ok_or_else(|| Missing(session.machine.frequency.clone()))?;
    let at = |khz| {
        let _held = frequencies.hold(khz)?;
        // What the core runs at, where that can be measured: a limit is not always reached.
        let measured = session.probe.and_then(Probe::read).map(|reading| reading.clock_ghz);
        anyhow::Ok((measured.unwrap_or(khz as f64 / 1e6), cold(session, &PAPERS, files)?))
    };
    frequencies.lowest_middle_highest().into_iter().map(at).collect()
}

/// Cycles of the core for a byte where its frequency is held.
fn core_cycles_per_byte(ghz: f64, measured: &Measured) -> f64 {
    ghz * measured.least_ns() / measured.bytes
}

pub fn diverse(session: &Session) -> Result<Figure> {
    figure(session, Folder::Diverse)
}

pub fn uniform(session: &Session) -> Result<Figure> {
    figure(session, Folder::Uniform)
}

/// What the paper's text gives for a folder: cycles a byte of its three and of the disk, and ratios over
/// OpenSSL and n-SMS.
fn in_paper(folder: Folder) -> ([Option<f64>; 4], [Option<f64>; 2]) {
    match folder {
        Folder::Diverse => ([None; 4], [Some(1.73), None]),
        Folder::Uniform => ([Some(19.55), Some(14.45), Some(8.65), Some(7.15)], [Some(2.26), Some(1.67)]),
    }
}

fn figure(session: &Session, folder: Folder) -> Result<Figure> {
    let files = Written::new(session, folder).context("the files")?;
    let mut figure = Figure::default();
    let cold = figure.unless_missing("from the disk", cold(session, &ALL, &files))?;
    let slowed = figure.unless_missing("other frequencies of the processor", slowed(session, &files))?.unwrap_or_default();
    let warm = Lineup::of_files::<Sha256>(session, &ALL, &files.paths, &files.expected)?.race(session, files.bytes, 1)?;
    figure.miss(&warm.missing);
    MEASURED.lock().expect("nobody panics with it")[folder as usize].clone_from(&cold);
    figure.said.push(("dropped", cold.as_ref().map_or("Not measured from the disk here.".into(), |cold| {
        format!(
            "From the disk: runs of each contestant in turns, another one first each time: {}, least and median; before each of them {}. A \
             disk that is a file of some host may still be in that host's memory.",
            cold.disk.samples.len(),
            cold.how
        )
    })));
    let diverse = if folder == Folder::Uniform && cold.is_some() { from_disk(session, Folder::Diverse)? } else { None };
    publish(&mut figure, folder, cold.as_ref(), &warm, &slowed, diverse.as_ref());
    Ok(figure)
}

/// A folder from the disk as a figure before measured it, or the paper's three here; `None` where that
/// cannot be measured.
fn from_disk(session: &Session, folder: Folder) -> Result<Option<Cold>> {
    if let Some(cold) = &MEASURED.lock().expect("nobody panics with it")[folder as usize] {
        return Ok(Some(cold.clone()));
    }
    let files = Written::new(session, folder);
    let measured = files.and_then(|files| cold(session, &[&PAPERS[..], &[EIGHT]].concat(), &files));
    Figure::default().unless_missing("from the disk", measured)
}

fn publish(figure: &mut Figure, folder: Folder, cold: Option<&Cold>, warm: &Raced, slowed: &[(f64, Cold)], diverse: Option<&Cold>) {
    let name = folder.name();
    let (set, ratios, slow) = (
        format!("{name} by files"),
        format!("{name} by files, one over another"),
        format!("{name} from the disk by the processor's frequency"),
    );
    let (of_paper, [over_openssl, over_n_sms]) = in_paper(folder);
    let on_cpu = |measured: &Measured| timing::median(measured.samples.iter().filter_map(|sample| sample.cpu_share));
    let places = [("from the disk", cold.map(|cold| &cold.raced)), ("from the page cache", Some(warm))];
    for (place, raced) in places.into_iter().filter_map(|(place, raced)| Some((place, raced?))) {
        let at = (set.as_str(), place);
        let everybody = raced.rows.iter().map(|(who, measured)| (file_name(*who), who.source(), measured));
        let reader = cold.filter(|_| place == "from the disk").map(|cold| (ONLY_READ.to_string(), Source::Peer, &cold.disk));
        for (who, source, measured) in everybody.chain(reader) {
            figure.put(at, who.as_str(), LEAST, source, measured.least_tsc_cycles_per_byte());
            figure.put(at, who.as_str(), MEDIAN, source, measured.tsc_cycles_per_byte());
            figure.put(at, who.as_str(), "MB/s, fastest", source, 1000.0 * measured.bytes / measured.least_ns());
            figure.put(at, who.as_str(), RATE, source, measured.mb_per_s());
            figure.put(at, who, "on the CPU, % of the time", source, on_cpu(measured).map(|share| 100.0 * share));
        }
        if place == "from the disk" {
            for (who, value) in PAPERS.map(file_name).into_iter().chain([ONLY_READ.into()]).zip(of_paper) {
                figure.put(at, who, LEAST, Source::Paper, value);
            }
        }
        for (one, other, paper) in [
            (S_HASH, OPENSSL_SCALAR, over_openssl),
            (S_HASH, OPENSSL_THEN, over_n_sms),
            (S_HASH, OPENSSL_N_SMS, None),
            (EIGHT, S_HASH, None),
            (Who::Manyhash, OPENSSL_TODAY, None),
            (Who::Readers, OPENSSL_TODAY, None),
        ] {
            let who = format!("{} over {}", file_name(one), file_name(other));
            figure.beside(
                (&ratios, place),
                who.as_str(),
                TIMES,
                Source::Ours,
                raced.over(one, other),
                paper.filter(|_| place == "from the disk"),
            );
        }
    }
    figure.picture(&set, LEAST, Kind::Bars, &[]);
    figure.picture(&set, RATE, Kind::Bars, &[]);
    for (ghz, cold) in slowed {
        let case = format!("{ghz:.2} GHz");
        for (who, measured) in &cold.raced.rows {
            figure.put((&slow, &case), file_name(*who), "core C/B, least", who.source(), core_cycles_per_byte(*ghz, measured));
            figure.put((&slow, &case), file_name(*who), RATE, who.source(), measured.mb_per_s());
        }
        figure.put((&slow, &case), "S-HASH over OpenSSL scalar", TIMES, Source::Ours, cold.raced.over(S_HASH, OPENSSL_SCALAR));
    }
    if !slowed.is_empty() {
        let (low, high) = if folder == Folder::Diverse { (2.16, 1.73) } else { (2.86, 2.26) };
        for (case, ratio) in [("1.60 GHz (paper)", low), ("3.30 GHz (paper)", high)] {
            figure.put((&slow, case), "S-HASH over OpenSSL scalar", TIMES, Source::Paper, ratio);
        }
        figure.put(
            (&slow, "1.60 GHz (paper)"),
            file_name(S_HASH),
            "core C/B, least",
            Source::Paper,
            (folder == Folder::Uniform).then_some(6.73),
        );
        figure.picture(&slow, RATE, Kind::Lines("GHz"), &[]);
    }

    let metrics = &mut figure.metrics;
    let from_disk = |other| cold.and_then(|cold| cold.raced.over(S_HASH, other));
    let slower = |who| Some(100.0 * (warm.get(who)?.speed_up_over(cold?.raced.get(who)?) - 1.0));
    metrics.set("S-HASH over OpenSSL scalar", from_disk(OPENSSL_SCALAR));
    metrics.set("S-HASH over n-SMS", from_disk(OPENSSL_THEN));
    metrics.set("S-HASH from the disk", slower(S_HASH));
    metrics.each("linear code from the disk", PAPERS[..2].iter().map(|who| (file_name(*who), slower(*who))));
    let over_diverse = |who| Some(cold?.raced.get(who)?.speed_up_over(diverse?.raced.get(who)?));
    metrics.each("UNIFORM over DIVERSE", PAPERS.map(|who| (file_name(who), over_diverse(who))));
    let ends = slowed.first().zip(slowed.last()).filter(|_| slowed.len() > 1);
    let lowest = slowed.first().map_or(String::new(), |(ghz, _)| format!("at {ghz:.2} GHz"));
    metrics.each("at the lowest frequency", [(lowest, slowed.first().and_then(|(_, cold)| cold.raced.over(S_HASH, OPENSSL_SCALAR)))]);
    // Cycles a byte at the highest frequency over those at the lowest: above 1, there are fewer when
    // slowed.
    let cycles = |(ghz, cold): &(f64, Cold), who| Some(core_cycles_per_byte(*ghz, cold.raced.get(who)?));
    let [openssl, n_sms, s_hash] = PAPERS.map(|who| ends.and_then(|(low, high)| Some(cycles(high, who)? / cycles(low, who)?)));
    metrics.each("fewer cycles when slowed", PAPERS.map(file_name).into_iter().zip([openssl, n_sms, s_hash]));
    metrics.set("fewer cycles of S-HASH when slowed", s_hash);
    metrics.set("S-HASH beside the others", openssl.zip(n_sms).zip(s_hash).map(|((one, other), s_hash)| s_hash / one.max(other)));
    let rate = |cold: &Cold| cold.raced.value(S_HASH, Measured::mb_per_s);
    let fall = ends.and_then(|(low, high)| Some((rate(&high.1)? / rate(&low.1)?, high.0 / low.0))).unzip();
    let frequency = fall.1.map_or(String::new(), |frequency| format!("the frequency falls {frequency:.2} times"));
    metrics.each("fall of the throughput", [(frequency, fall.0.zip(fall.1).map(|(throughput, frequency)| throughput / frequency))]);
}

/// Section 5: AVX2 from the disk, where 8 buffers gain less than twofold over 4.
pub fn avx2_disk(session: &Session) -> Result<Figure> {
    const SET: &str = "UNIFORM and DIVERSE from the disk: 8 buffers beside 4";
    let mut figure = Figure::default();
    let mut gains = Vec::new();
    for folder in [Folder::Uniform, Folder::Diverse] {
        let cold = from_disk(session, folder)?;
        for who in [S_HASH, EIGHT] {
            let rate = cold.as_ref().and_then(|cold| cold.raced.value(who, Measured::mb_per_s));
            figure.put((SET, folder.name()), file_name(who), RATE, Source::Ours, rate);
        }
        let gain = cold.as_ref().and_then(|cold| cold.raced.over(EIGHT, S_HASH));
        figure.put((SET, folder.name()), "8 buffers over 4", TIMES, Source::Ours, gain);
        gains.push((folder.name(), gain));
    }
    if gains.iter().any(|(_, gain)| gain.is_none()) {
        figure.missing.push("from the disk: see 2012-3 and 2012-4".into());
    }
    figure.picture(SET, RATE, Kind::Bars, &[]);
    figure.metrics.each("8 buffers over 4", gains);
    Ok(figure)
}

/// Section 5: "non-sequential access to four areas" of a disk, with nothing hashed.
pub fn areas(session: &Session) -> Result<Figure> {
    const SET: &str = "UNIFORM only read: one file after the other, and four at a time";
    let files = Written::new(session, Folder::Uniform).context("the files")?;
    let ways: [(&str, usize, usize); 4] = [
        ("in order, 1 MiB at a time", 1, 1 << 20),
        ("four at a time, 1 MiB of each", 4, 1 << 20),
        ("four at a time, 64 KiB of each", 4, 64 << 10),
        ("four at a time, 4 KiB of each", 4, 4 << 10),
    ];
    let way = |(name, at_once, piece)| {
        let paths = &files.paths;
        Contestant::local(name, move |digests| digests.extend(read(paths, at_once, piece).to_le_bytes()))
    };
    let mut contestants = ways.map(|of| way(of).expecting((files.bytes as u64).to_le_bytes().to_vec()));
    let (measured, _) = race_from_disk(session, &files.paths, files.bytes, &mut contestants).context("from the disk")?;
    let mut figure = Figure::default();
    for ((name, ..), measured) in ways.iter().zip(&measured) {
        figure.put((SET, "from the disk"), *name, RATE, Source::Ours, measured.mb_per_s());
        figure.put((SET, "from the disk"), *name, "MB/s, fastest", Source::Ours, 1000.0 * measured.bytes / measured.least_ns());
    }
    figure.picture(SET, RATE, Kind::Bars, &[]);
    let beside = ways[1..].iter().zip(&measured[1..]).map(|((name, ..), areas)| (*name, Some(areas.speed_up_over(&measured[0]))));
    figure.metrics.each("four areas", beside);
    Ok(figure)
}

/// Reads files in groups of `at_once`, a piece of each in turn; their bytes.
fn read(paths: &[PathBuf], at_once: usize, piece: usize) -> u64 {
    const READABLE: &str = "files of this run can be read";
    let (mut buffer, mut sum) = (vec![0; piece], 0u64);
    for group in paths.chunks(at_once) {
        let mut files: Vec<File> = group.iter().map(|path| File::open(path).expect(READABLE)).collect();
        while !files.is_empty() {
            files.retain_mut(|file| {
                let bytes = file.read(&mut buffer).expect(READABLE);
                sum += bytes as u64;
                bytes > 0
            });
        }
    }
    sum
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
        for (path, bytes) in paths.iter().zip([0, 1, READ_BYTES + 1]) {
            std::fs::write(path, vec![1; bytes]).unwrap();
        }
        for (at_once, piece) in [(1, READ_BYTES), (1, 100), (2, READ_BYTES), (4, 7)] {
            assert_eq!(read(&paths, at_once, piece), READ_BYTES as u64 + 2);
        }
    }

    /// From the disk, with the paper's three at these rates.
    fn cold_at(rates: [f64; 3]) -> Cold {
        let disk = at_rates(&[(OPENSSL_SCALAR, 400.0)]).rows.remove(0).1;
        Cold { raced: at_rates(&PAPERS.into_iter().zip(rates).collect::<Vec<_>>()), disk, how: String::new() }
    }

    /// The paper's text: C/B at 3.3 GHz, and 6.73 at 1.6 GHz.
    #[test]
    fn the_papers_own_values_hold_and_what_is_not_measured_is_not_judged() {
        let rates = |ghz: f64, cycles: [f64; 3]| cycles.map(|cycles| 1000.0 * ghz / cycles);
        let slowed = [(1.6, cold_at(rates(1.6, [19.54, 14.44, 6.73]))), (3.3, cold_at(rates(3.3, [19.56, 14.46, 8.65])))];
        let (warm, diverse) = (cold_at(rates(3.3, [19.5, 14.4, 5.18])).raced, cold_at(rates(3.3, [25.0, 20.0, 14.0])));
        let mut figure = Figure::default();
        publish(&mut figure, Folder::Uniform, Some(&slowed[1].1), &warm, &slowed, Some(&diverse));
        assert_eq!(verdicts("2012-4", &figure.metrics), [Holds; 7]);
        let mut figure = Figure::default();
        publish(&mut figure, Folder::Diverse, None, &warm, &[], None);
        assert_eq!(verdicts("2012-3", &figure.metrics), [NotMeasured; 5]);
    }
}
