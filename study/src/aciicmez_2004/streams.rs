//! Several messages at once, in the registers of 2004 and in today's: what figures 4.6 to 4.8 measure.

use anyhow::Result;
use manyhash::backend::{Backend, Kind};

use super::scalar::HashFunction;
use super::shown::{cell, ratio, without_gaps};
use super::subject::{Slices, Subject, expected, fastest, in_lanes, in_registers};
use crate::measured::Measured;
use crate::messages::Layout;
use crate::model::{Bars, Cell, Plot, Source, Table};
use crate::race::{Contestant, Rules, race};
use crate::session::Session;

/// As many messages as the widest of all computes at once.
const MESSAGES: usize = 32;

/// Of all messages from memory: as long as the paper's file.
const MEMORY_BYTES: usize = 400_000_000;
const QUICK_MEMORY_BYTES: usize = 1 << 20;

/// Of all messages: in the second-level cache of most CPUs.
const CACHED_BYTES: usize = 512 << 10;

/// What computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Registers {
    /// General-purpose ones of 32 bits, in pairs if the word is longer.
    Bits32,
    /// General-purpose ones of 64 bits.
    Bits64,
    /// MM0 to MM7.
    Mmx,
    /// A backend of manyhash.
    Backend(&'static str),
}

/// Who takes part, the three of the paper first.
pub const WITH_32_BIT_WORDS: &[Registers] = &[
    Registers::Bits32,
    Registers::Mmx,
    Registers::Backend("sse2"),
    Registers::Backend("avx512-128"),
    Registers::Backend("avx2"),
    Registers::Backend("avx512"),
    Registers::Backend("avx512x2"),
    Registers::Backend("sha-ni"),
    Registers::Backend("sha-ni-x2"),
];

/// The same for words of 64 bits.
pub const WITH_64_BIT_WORDS: &[Registers] = &[
    Registers::Bits32,
    Registers::Mmx,
    Registers::Backend("sse2"),
    Registers::Bits64,
    Registers::Backend("avx512-128"),
    Registers::Backend("avx2"),
    Registers::Backend("avx512"),
    Registers::Backend("avx512x2"),
];

impl Registers {
    /// As tables name it, and how many messages it computes at once.
    pub fn of<S: Subject>(self) -> (String, Option<usize>) {
        match self {
            Self::Bits32 => ("32-bit".into(), Some(1)),
            Self::Bits64 => ("64-bit".into(), Some(1)),
            Self::Mmx => ("64-bit (MMX)".into(), Some(S::MMX_STREAMS)),
            Self::Backend(name) => match Backend::known().iter().find(|backend| backend.name() == name) {
                Some(backend) => (architecture(*backend), backend.lanes_of::<S::Algorithm>()),
                None => (name.into(), None),
            },
        }
    }
}

/// What tables call the registers of a backend. The paper calls those of 128 bits XMM.
fn architecture(backend: Backend) -> String {
    let has = |start: &str| backend.features().iter().any(|feature| feature.starts_with(start));
    let is_interleaved = backend.waves() > 1;
    let set = if has("avx512") {
        "AVX-512"
    } else if has("avx2") {
        "AVX2"
    } else {
        "XMM"
    };
    match (backend.kind(), backend.vector_bits()) {
        (Kind::Lanes, Some(bits)) => {
            let registers = if bits == 128 && has("avx512") { "XMM of AVX-512" } else { set };
            format!("{bits}-bit ({registers}){}", if is_interleaved { " in two waves" } else { "" })
        }
        (Kind::Instructions, _) if has("sha") => format!("SHA extensions{}", if is_interleaved { " (interleaved)" } else { "" }),
        _ => backend.name().into(),
    }
}

/// What one of them does.
pub struct Row {
    /// Which.
    pub registers: Registers,
    /// As tables name it.
    pub architecture: String,
    /// Messages at once; `None`: not on this kind of CPU.
    pub streams: Option<usize>,
    /// From main memory; `None`: not on this machine.
    pub memory: Option<Measured>,
    /// From the cache.
    pub cached: Option<Measured>,
}

/// Where the messages come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum From {
    /// Main memory, and then the cache as well.
    Memory,
    /// The cache alone.
    Cache,
}

/// A function's rows, one for each of `all`. What is not there goes to `missing`.
pub fn measure<S: Subject>(session: &Session, all: &[Registers], from: From, missing: &mut Vec<String>) -> Result<Vec<Row>> {
    let usable: Vec<bool> = all
        .iter()
        .map(|registers| {
            let why = why_not::<S>(*registers);
            if let Some(why) = &why {
                missing.push(format!("{}, {}: {why}", S::name(), registers.of::<S>().0));
            }
            why.is_none()
        })
        .collect();
    let usable_ones: Vec<Registers> = all.iter().zip(&usable).filter(|(_, usable)| **usable).map(|(registers, _)| *registers).collect();
    let all_of = |measured: Vec<Measured>| {
        let mut measured = measured.into_iter();
        usable.iter().map(|usable| if *usable { measured.next() } else { None }).collect::<Vec<_>>()
    };
    let cached = all_of(run::<S>(session, &usable_ones, CACHED_BYTES, 20)?);
    let memory = match from {
        From::Memory => all_of(run::<S>(session, &usable_ones, memory_bytes(session), 0)?),
        From::Cache => all.iter().map(|_| None).collect(),
    };
    let row = |((registers, memory), cached): ((&Registers, _), _)| {
        let (architecture, streams) = registers.of::<S>();
        Row { registers: *registers, architecture, streams, memory, cached }
    };
    Ok(all.iter().zip(memory).zip(cached).map(row).collect())
}

fn memory_bytes(session: &Session) -> usize {
    if session.quick { QUICK_MEMORY_BYTES } else { MEMORY_BYTES }
}

fn why_not<S: Subject>(registers: Registers) -> Option<String> {
    match registers {
        Registers::Bits32 | Registers::Bits64 => None,
        Registers::Mmx if cfg!(target_arch = "x86_64") => None,
        Registers::Mmx => Some("MMX is of x86".into()),
        Registers::Backend(name) => match Backend::by_name(name) {
            Ok(backend) if backend.supports::<S::Algorithm>() => None,
            Ok(_) => Some(format!("the backend {name} has no kernel for it")),
            Err(_) => Some(format!("this CPU cannot run the backend {name}")),
        },
    }
}

fn run<S: Subject>(session: &Session, all: &[Registers], bytes: usize, warm_up_calls: u64) -> Result<Vec<Measured>> {
    // Two lines more than a power of two: lanes that begin at the same place of a page would push each other out of the cache.
    let layout = Layout::equal(MESSAGES, bytes / MESSAGES + 128);
    let messages = layout.fill()?;
    let slices = messages.slices();
    let expected = expected(S::OPENSSL, &slices)?;
    let contestants: Result<Vec<_>> = all.iter().map(|registers| contestant::<S>(session, *registers, &slices)).collect();
    race(session, Rules { bytes: layout.total_bytes(), expected: Some(&expected), warm_up_calls }, &mut contestants?)
}

fn contestant<'a, S: Subject>(session: &Session, registers: Registers, messages: Slices<'a>) -> Result<Box<dyn Contestant + 'a>> {
    let name = registers.of::<S>().0;
    Ok(match registers {
        Registers::Bits32 => in_registers(name, fastest::<S::Narrow>(session, S::OPENSSL)?, messages),
        Registers::Bits64 => in_registers(name, fastest::<S::Native>(session, S::OPENSSL)?, messages),
        #[cfg(target_arch = "x86_64")]
        Registers::Mmx => crate::race::Local::boxed(name, move |digests| S::mmx(messages, digests)),
        #[cfg(not(target_arch = "x86_64"))]
        Registers::Mmx => unreachable!("asked for only where there is MMX"),
        Registers::Backend(backend) => in_lanes::<S::Algorithm>(name, Backend::by_name(backend)?, messages),
    })
}

/// How much faster `row` is than the first one, from the cache.
pub fn cached_speed_up(rows: &[Row], row: usize) -> Option<f64> {
    Some(rows[row].cached.as_ref()?.speed_up_over(rows[0].cached.as_ref()?))
}

/// The same from memory.
pub fn speed_up(rows: &[Row], row: usize) -> Option<f64> {
    Some(rows[row].memory.as_ref()?.speed_up_over(rows[0].memory.as_ref()?))
}

/// Which of the rows has these registers.
pub fn index(rows: &[Row], registers: Registers) -> Option<usize> {
    rows.iter().position(|row| row.registers == registers)
}

/// For the methods' descriptions.
pub fn method(session: &Session) -> String {
    format!(
        "{MESSAGES} messages of one length (the paper: messages of the same size too), as many at once as there are lanes, until all are \
         done. {} The scalar code is the fastest variant of section 4.1 on this machine; MMX is assembly with the paper's techniques, with \
         eight MMX registers as in 2004; XMM and the wider registers are manyhash's backends.",
        super::subject::effort(session),
    )
}

/// Where the messages were.
pub fn places(session: &Session, from: From) -> String {
    let cached = format!("from the cache: {} KiB in all", CACHED_BYTES >> 10);
    match from {
        From::Cache => format!("All {cached}."),
        From::Memory => {
            let memory =
                if session.quick { "1 MiB in all in this quick run (the paper: 400 MB)" } else { "400 MB in all, as in the paper" };
            format!("From memory: {memory}; {cached}. From the disk: figure 4.2.")
        }
    }
}

/// The scalar variants that were chosen: "SHA-1: 5 rounds and redefined functions".
pub fn chosen<F: super::scalar::Variants>(session: &Session, openssl: &str) -> Result<String> {
    Ok(format!("{}: {}", <F as HashFunction>::NAME, fastest::<F>(session, openssl)?.name()))
}

/// A function's values in the paper, for the first three rows.
pub struct Paper {
    /// MB/s.
    pub rates: [f64; 3],
    /// As printed: they are not all rounded as we would.
    pub speed_ups: [f64; 3],
}

/// Figure 4.6.
pub const PAPER_SHA_1: Paper = Paper { rates: [87.12, 128.46, 143.09], speed_ups: [1.000, 1.474, 1.642] };
/// Figure 4.6.
pub const PAPER_SHA_256: Paper = Paper { rates: [48.88, 73.22, 83.81], speed_ups: [1.000, 1.498, 1.715] };
/// Figure 4.7.
pub const PAPER_SHA_512: Paper = Paper { rates: [38.26, 55.71, 88.02], speed_ups: [1.000, 1.456, 2.301] };

/// The paper's values beside ours, as figures 4.6 and 4.7 have them; and ours from the cache.
pub fn tables(function: &str, rows: &[Row], paper: &Paper) -> [Table; 2] {
    let mut memory = Table::new(
        format!("{function} of messages in memory: MB/s, and speed-up over one message in 32-bit registers"),
        [
            "architecture",
            "messages at once",
            "paper",
            "here",
            "here / paper",
            "speed-up: paper",
            "speed-up: here",
            "speed-up: here / paper",
        ],
    );
    let mut cached = Table::new(
        format!("{function} of messages in the cache: MB/s, and speed-up over one message in 32-bit registers"),
        ["architecture", "messages at once", "here", "speed-up: here", "TSC cycles/byte (least)"],
    );
    for (i, row) in rows.iter().enumerate() {
        let names = || [Cell::from(row.architecture.as_str()), Cell::maybe(row.streams.map(|streams| streams as f64), 0)];
        let rate = row.memory.as_ref().map(Measured::mb_per_s);
        let (paper_rate, paper_speed_up) = (paper.rates.get(i).copied(), paper.speed_ups.get(i).copied());
        memory.row(names().into_iter().chain([
            Cell::maybe(paper_rate, 2),
            cell(rate),
            ratio(rate, paper_rate),
            Cell::maybe(paper_speed_up, 3),
            cell(speed_up(rows, i)),
            ratio(speed_up(rows, i), paper_speed_up),
        ]));
        cached.row(names().into_iter().chain([
            cell(row.cached.as_ref().map(Measured::mb_per_s)),
            cell(cached_speed_up(rows, i)),
            cell(row.cached.as_ref().and_then(Measured::least_tsc_cycles_per_byte)),
        ]));
    }
    [memory, cached].map(|table| without_gaps(table, 2))
}

/// "512-bit (AVX-512)", the fastest of these from memory, and its speed-up.
pub fn fastest_row(rows: &[Row]) -> Option<(&str, f64)> {
    let measured = rows.iter().enumerate().filter_map(|(i, row)| Some((row.architecture.as_str(), speed_up(rows, i)?)));
    measured.max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Speed-ups, the paper's beside ours. All functions have the same rows.
pub fn plot(title: &str, functions: &[(&str, &[Row], &Paper)]) -> Plot {
    let (_, rows, _) = functions[0];
    let category = |row: &Row| match row.streams {
        Some(1) => format!("{}, 1 message", row.architecture),
        Some(streams) => format!("{}, {streams} messages", row.architecture),
        None => row.architecture.clone(),
    };
    let series = functions.iter().flat_map(|(name, rows, paper)| {
        [
            Bars {
                name: format!("{name}, paper"),
                source: Source::Paper,
                values: (0..rows.len()).map(|row| paper.speed_ups.get(row).copied()).collect(),
            },
            Bars { name: format!("{name}, here"), source: Source::Ours, values: (0..rows.len()).map(|row| speed_up(rows, row)).collect() },
        ]
    });
    Plot::Bars {
        title: title.into(),
        y_label: "times the rate of one message in 32-bit registers, median".into(),
        categories: rows.iter().map(category).collect(),
        series: series.collect(),
    }
}

/// Rows as if they had been measured, from memory and from the cache, with these MB/s.
#[cfg(test)]
pub fn rows_of(all: &[Registers], rates: &[f64]) -> Vec<Row> {
    use crate::aciicmez_2004::subject::Sha1;
    use manyhash_measure::timing::Sample;
    let measured = |rate: f64| Measured {
        name: String::new(),
        bytes: 1000.0,
        samples: vec![Sample { process: 0, call_ns: 1e6 / rate, overlap: None, cpu_share: None, clock_ghz: None }],
        tsc_ghz: None,
    };
    let row = |(i, registers): (usize, &Registers)| {
        let (architecture, streams) = registers.of::<Sha1>();
        let measured = rates.get(i).map(|rate| measured(*rate));
        Row { registers: *registers, architecture, streams, memory: measured.clone(), cached: measured }
    };
    all.iter().enumerate().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aciicmez_2004::subject::{Sha1, Sha256, Sha512};

    fn everybody_hashes_every_message<S: Subject>(all: &[Registers], reference: fn(&[u8]) -> Vec<u8>) {
        let session = Session::begin(true, None, None).unwrap();
        for bytes in [0, 1, 55, 56, 64, 111, 112, 128, 129, 300] {
            let messages: Vec<Vec<u8>> = (0..MESSAGES).map(|i| (0..bytes).map(|j| (i * 5 + j * 3) as u8).collect()).collect();
            let slices: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
            let digests: Vec<u8> = messages.iter().flat_map(|message| reference(message)).collect();
            for registers in all.iter().filter(|registers| why_not::<S>(**registers).is_none()) {
                let mut contestant = contestant::<S>(&session, *registers, &slices).unwrap();
                assert_eq!(contestant.digests().unwrap(), digests, "{} {registers:?}, {bytes} bytes", S::name());
            }
        }
    }

    #[test]
    fn everybody_who_takes_part_hashes_every_message() {
        everybody_hashes_every_message::<Sha1>(WITH_32_BIT_WORDS, |message| reference::sha1(message).to_vec());
        everybody_hashes_every_message::<Sha256>(WITH_32_BIT_WORDS, |message| reference::sha256(message).to_vec());
        everybody_hashes_every_message::<Sha512>(WITH_64_BIT_WORDS, |message| reference::sha512(message).to_vec());
    }

    #[test]
    fn tables_have_the_papers_values_beside_ours() {
        let rows = rows_of(WITH_32_BIT_WORDS, &[100.0, 150.0, 300.0]);
        let [memory, cached] = tables("SHA-1", &rows, &PAPER_SHA_1);
        assert_eq!((memory.rows.len(), cached.rows.len()), (3, 3));
        let mmx: Vec<String> = memory.rows[1].iter().map(Cell::text).collect();
        assert_eq!(mmx, ["64-bit (MMX)", "2", "128.46", "150", "1.17", "1.474", "1.50", "1.02"]);
        assert_eq!(fastest_row(&rows), Some(("128-bit (XMM)", 3.0)));
    }

    #[test]
    fn the_papers_speed_ups_are_those_of_its_rates() {
        for paper in [PAPER_SHA_1, PAPER_SHA_256, PAPER_SHA_512] {
            for (rate, speed_up) in paper.rates.iter().zip(paper.speed_ups) {
                assert!((rate / paper.rates[0] - speed_up).abs() < 0.001, "{rate}: {speed_up}");
            }
        }
    }
}
