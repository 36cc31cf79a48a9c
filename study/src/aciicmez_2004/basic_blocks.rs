//! Figure 4.4: the share of time of the four basic blocks, by leaving each out, by each alone, and by counting instructions.

use std::hint::black_box;

use anyhow::Result;

use super::counting::{self, Routine};
use super::scalar::{FULLY, HashFunction, Sha1, Sha256, Sha512, Sha512Pairs, bb1_retrieve_block, bb2_schedule, bb3_rounds, bb4_update};
use crate::claims::Metrics;
use crate::measured::Measured;
use crate::model::{Figure, Source};
use crate::rows::Kind;
use crate::session::Session;

pub const ID: &str = "2004-4.4";

/// The percentages of figure 4.4: BB1 to BB4 of SHA-1, SHA-256 and SHA-512.
const PAPER: [[f64; 4]; 3] = [[5.0, 14.0, 77.0, 4.0], [3.0, 14.0, 80.0, 3.0], [3.0, 27.0, 69.0, 1.0]];
const BASIC_BLOCKS: [&str; 4] = ["BB1 (message block)", "BB2 (message schedule)", "BB3 (main rounds)", "BB4 (state)"];
/// As the table names them. The paper's SHA-512 is that in 32-bit registers.
const FUNCTIONS: [&str; 4] = [Sha1::NAME, Sha256::NAME, Sha512Pairs::NAME, Sha512::NAME];

const BLOCKS: usize = 64;
/// The whole, without each basic block, each alone: the names, and what is there of BB1 to BB4, each a bit.
const PARTS: [&str; 9] =
    ["whole", "without BB1", "without BB2", "without BB3", "without BB4", "BB1 alone", "BB2 alone", "BB3 alone", "BB4 alone"];
macro_rules! parts {
    ($compress:ident, $F:ident: $($parts:literal)*) => { [$($compress::<$F, $parts>),*] };
}

/// Whole blocks with those basic blocks whose bits are set. What a block left out would have made is there from before: words of the
/// message, the schedule, the state.
///
/// The compiler is not told what is in the schedule, or it would see that it stays the same.
#[inline(never)]
fn compress<F: HashFunction, const PARTS: u8>(state: &mut F::Variables, blocks: &[u8]) {
    let mut schedule = F::EMPTY_SCHEDULE;
    let mut variables = *state;
    for block in blocks.chunks_exact(F::BLOCK_BYTES) {
        if PARTS & 1 != 0 {
            bb1_retrieve_block::<F>(&mut schedule, block);
        }
        let schedule = black_box(&mut schedule);
        if PARTS & 2 != 0 {
            bb2_schedule::<F, FULLY>(schedule);
        }
        let schedule = black_box(schedule);
        if PARTS & 4 != 0 {
            bb3_rounds::<F, FULLY, true>(&mut variables, schedule);
        }
        if PARTS & 8 != 0 {
            bb4_update::<F>(state, &mut variables);
        }
    }
    black_box((&variables, state));
}

type Compress<F> = fn(&mut <F as HashFunction>::Variables, &[u8]);

pub fn routines() -> Vec<Routine> {
    fn all_of<F: HashFunction>() -> impl Iterator<Item = Routine> {
        let functions: [Compress<F>; PARTS.len()] = parts!(compress, F: 15 14 13 11 7 1 2 4 8);
        PARTS.into_iter().zip(functions).map(|(part, compress)| {
            let blocks: Vec<u8> = (0..BLOCKS * F::BLOCK_BYTES).map(|i| (i * 167 + i / 256) as u8).collect();
            let (bytes, mut state) = (blocks.len(), F::INITIAL);
            let call = Box::new(move || compress(black_box(&mut state), black_box(&blocks)));
            Routine { name: format!("{}, {part}", F::NAME), bytes, blocks: BLOCKS, call }
        })
    }
    all_of::<Sha1>().chain(all_of::<Sha256>()).chain(all_of::<Sha512Pairs>()).chain(all_of::<Sha512>()).collect()
}

/// Shares of the four basic blocks in percent, three ways.
struct Shares {
    left_out: [f64; 4],
    alone: [f64; 4],
    instructions: Option<[f64; 4]>,
}

impl Shares {
    fn new(times: &[f64; PARTS.len()], counts: Option<&[f64; PARTS.len()]>) -> Self {
        let saved = |values: &[f64; PARTS.len()]| [1, 2, 3, 4].map(|part| 100.0 * (values[0] - values[part]) / values[0]);
        let all_alone: f64 = times[5..].iter().sum();
        Self { left_out: saved(times), alone: [5, 6, 7, 8].map(|part| 100.0 * times[part] / all_alone), instructions: counts.map(saved) }
    }
}

pub fn measure(session: &Session) -> Result<Figure> {
    const SET: &str = "Shares of the basic blocks (the paper has SHA-512 in 32-bit registers only)";
    let mut figure = Figure::default();
    let counts = counting::count(session, ID)?.map_err(|why| figure.missing.push(why)).unwrap_or_default();
    let (mut shares, mut all) = (Vec::new(), routines());
    for (i, function) in FUNCTIONS.into_iter().enumerate() {
        let rest = all.split_off(PARTS.len());
        let measured = counting::time(session, std::mem::replace(&mut all, rest))?;
        let instructions = |part: &str| {
            let mix = counts.iter().find(|mix| mix.name == format!("{function}, {part}"))?;
            Some(mix.instructions as f64 / BLOCKS as f64)
        };
        let set = format!("{function}: a message block, with and without basic blocks");
        for (part, measured) in PARTS.into_iter().zip(&measured) {
            let per_block = |cycles_per_byte: Option<f64>| cycles_per_byte.map(|cycles| cycles * measured.bytes / BLOCKS as f64);
            figure.put((&set, ""), part, "TSC cycles", Source::Ours, per_block(measured.tsc_cycles_per_byte()));
            figure.put((&set, ""), part, "core cycles", Source::Ours, per_block(measured.core_cycles_per_byte()));
            figure.put((&set, ""), part, "instructions", Source::Ours, instructions(part));
        }
        let times: Vec<f64> = measured.iter().map(Measured::median_ns).collect();
        let counted: Option<Vec<f64>> = PARTS.iter().map(|part| instructions(part)).collect();
        let counted = counted.map(|counted| counted.try_into().expect("a count for each"));
        let of = Shares::new(&times.try_into().expect("a time for each"), counted.as_ref());
        for (block, name) in BASIC_BLOCKS.into_iter().enumerate() {
            figure.put((SET, function), name, "% of the time, alone", Source::Paper, PAPER.get(i).map(|paper| paper[block]));
            figure.put((SET, function), name, "% of the time, alone", Source::Ours, of.alone[block]);
            figure.put((SET, function), name, "% of the time saved if left out", Source::Ours, of.left_out[block]);
            figure.put((SET, function), name, "% of the instructions", Source::Ours, of.instructions.map(|all| all[block]));
        }
        shares.push(of);
    }
    figure.picture(SET, "% of the time, alone", Kind::Bars, &[]);
    figure.metrics = metrics(&shares);
    Ok(figure)
}

type Way = fn(&Shares) -> &[f64; 4];

/// Shares of time decide, as the paper's do, by both ways to measure them.
fn metrics(shares: &[Shares]) -> Metrics {
    let mut metrics = Metrics::default();
    // The paper's three functions: SHA-512 in 64-bit registers is the last one.
    let in_paper = &shares[..PAPER.len()];
    let ways: [(&str, Way); 2] = [("alone", |shares| &shares.alone), ("if left out", |shares| &shares.left_out)];
    let rounds = ways.iter().flat_map(|(way, of)| {
        in_paper.iter().zip(FUNCTIONS).map(move |(shares, function)| {
            let [bb1, bb2, bb3, bb4] = of(shares);
            (format!("{function} {way}"), Some(bb3 - bb1.max(*bb2).max(*bb4)))
        })
    });
    metrics.each("main rounds, ahead of the next", rounds);
    let schedules = ways.map(|(way, of)| {
        let [sha1, sha256, sha512] = [0, 1, 2].map(|function| of(&in_paper[function])[1]);
        (way, Some(sha512 - sha1.max(sha256)))
    });
    metrics.each("schedule of SHA-512, ahead", schedules);
    metrics
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_the_whole_and_of_all_alone() {
        let values = [100.0, 95.0, 80.0, 30.0, 100.0, 10.0, 20.0, 60.0, 10.0];
        let shares = Shares::new(&values, Some(&values));
        assert_eq!(shares.left_out, [5.0, 20.0, 70.0, 0.0]);
        assert_eq!(shares.alone, [10.0, 20.0, 60.0, 10.0]);
        assert_eq!(shares.instructions, Some(shares.left_out));
        assert!(PAPER.iter().all(|shares| shares.iter().sum::<f64>() == 100.0));
    }

    /// Shares of time decide, whatever instructions say.
    #[test]
    fn shares_of_time_are_judged() {
        use crate::claims::verdicts;
        use crate::model::Verdict::{DoesNot, Holds};
        let shares = |schedule: f64| Shares {
            left_out: [5.0, schedule, 90.0 - schedule, 2.0],
            alone: [5.0, schedule, 90.0 - schedule, 5.0],
            instructions: Some([0.0, 99.0 - schedule, 1.0, 0.0]),
        };
        for (schedules, expected) in [([24.0, 27.0, 30.0, 27.0], Holds), ([24.0, 50.0, 30.0, 27.0], DoesNot)] {
            assert_eq!(verdicts("2004-4.4", &metrics(&schedules.map(shares))), [expected; 2]);
        }
    }

    #[test]
    fn nothing_left_out_is_the_whole_function() {
        fn check<F: HashFunction>(hash: fn(&[u8]) -> Vec<u8>) {
            let message: Vec<u8> = (0..3 * F::BLOCK_BYTES).map(|i| (i * 7) as u8).collect();
            let mut state = F::INITIAL;
            compress::<F, 15>(&mut state, &message);
            compress::<F, 15>(&mut state, &F::final_blocks(&[], message.len() as u64));
            let mut digest = Vec::new();
            state.as_ref().iter().for_each(|word| super::super::scalar::word::Word::append_to(*word, &mut digest));
            assert_eq!(digest, hash(&message), "{}", F::NAME);
        }
        check::<Sha1>(|message| reference::sha1(message).to_vec());
        check::<Sha256>(|message| reference::sha256(message).to_vec());
        check::<Sha512>(|message| reference::sha512(message).to_vec());
        check::<Sha512Pairs>(|message| reference::sha512(message).to_vec());
        assert_eq!(routines().len(), 4 * PARTS.len());
    }
}
