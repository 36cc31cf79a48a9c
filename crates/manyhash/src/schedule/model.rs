//! Tests of the schedule itself, without computing anything: its cost against the least that any
//! schedule can have.
//!
//! `vectors/schedule-bounds.txt` has length sets, the costs of kernels, and the bounds a linear
//! program found.

use super::bookkeeping::{LINEAR_PROGRAM_PS, SCHEDULE_PS, ragged_message_ps};
use super::compiled::Compiled;
use super::digests::Digests;
use super::messages::Slice;
use super::mix::{Mix, Usage};
use super::{Advanced, Ended, Extent, Lanes, Memory, Pieces, Supply, Waiting, ended_of};
use crate::algorithm::ending::{End, block_count};
use crate::algorithm::md5::Md5Compression;
use crate::algorithm::{ChainingOf, Compression, WordOf};
use crate::isa::Ahead;
use crate::kernel::Kernel;
use crate::kernel::cost::FAMILIES;
use crate::kernel::start::Start;
use std::collections::HashMap;

struct Bounds<'a> {
    shapes: HashMap<&'a str, Vec<(usize, u32)>>,
    lengths: HashMap<&'a str, Vec<usize>>,
    bounds: Vec<(&'a str, &'a str, u64)>,
}

fn read(text: &str) -> Bounds<'_> {
    let mut read = Bounds { shapes: HashMap::new(), lengths: HashMap::new(), bounds: Vec::new() };
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["shapes", table, ref shapes @ ..] => {
                let shape = |word: &&str| word.split_once(':').map(|(lanes, cost)| (lanes.parse().unwrap(), cost.parse().unwrap()));
                read.shapes.insert(table, shapes.iter().map(|word| shape(word).unwrap()).collect());
            }
            ["set", name, ref lengths @ ..] => {
                read.lengths.insert(name, lengths.iter().map(|length| length.parse().unwrap()).collect());
            }
            ["bound", table, set, bound] => read.bounds.push((table, set, bound.parse().unwrap())),
            _ => assert!(line.starts_with('#'), "{line}"),
        }
    }
    read
}

/// Returns how long the schedule of these messages takes, in picoseconds: its kernels, its bookkeeping, and the kernels at least, by
/// [`Mix::least_ps`].
fn cost<C: Compiled>(kernels: &[(usize, u32)], lengths: &[usize], zeros: &[u8]) -> [u64; 3] {
    let mix = Mix::new(kernels.iter().map(|(lanes, cost_ps)| Kernel::<C>::model("model", *lanes, *cost_ps)).collect());
    let messages: Vec<&[u8]> = lengths.iter().map(|length| &zeros[..*length]).collect();
    let mut digests = vec![0; messages.len()];
    let mut usage = Usage::default();
    let start = Start { state: C::filled(WordOf::<C>::default()), bytes: 0 };
    C::hash_many(&mix, &(&start).into(), &Slice(&messages), &mut Digests::new(&mut digests, 1), Some(&mut usage));
    let blocks = || lengths.iter().map(|length| block_count::<C>(*length as u64));
    let least_ps = mix.least_ps(lengths.len(), blocks().sum(), blocks().max().unwrap_or(0));
    let kernels_ps = usage.steps.iter().zip(kernels).map(|(steps, (_, cost_ps))| steps * u64::from(*cost_ps)).sum();
    [kernels_ps, usage.bookkeeping_ps, least_ps as u64]
}

/// Returns what one plan costs besides compressing, and each message in a kernel of eight lanes, in picoseconds.
pub(super) fn least_bookkeeping_ps(messages: usize) -> u64 {
    let narrow = Kernel::<Md5Compression>::model("model", 8, 1);
    SCHEDULE_PS + LINEAR_PROGRAM_PS + messages as u64 * ragged_message_ps(&narrow)
}

/// The function [`cost`] for some compression function.
type Cost = fn(&[(usize, u32)], &[usize], &[u8]) -> [u64; 3];

/// Returns [`cost`] for the compression function of that name.
fn cost_of(compression: &str) -> Cost {
    macro_rules! find { ($($Compression:path)*) => { $(
        if <$Compression>::NAME == compression {
            return cost::<$Compression>;
        }
    )* } }
    for_each_compression!(find);
    panic!("no compression function {compression}")
}

/// The bounds know only the costs of kernels, and there the schedule takes no more than 2 % longer; 5 % where bookkeeping saves more. With
/// its bookkeeping it takes no more than 3 % longer than a bound to which are added that of one plan and
/// that of each message in a kernel of eight lanes.
#[test]
fn schedules_reach_98_percent_of_the_bound() {
    let text = include_str!("../../../../vectors/schedule-bounds.txt");
    let Bounds { shapes, lengths, bounds } = read(text);
    assert_eq!(bounds.len(), shapes.len() * lengths.len());
    let zeros = vec![0; *lengths.values().flatten().max().unwrap()];
    let mut short = Vec::new();
    for (table, set, bound) in bounds {
        let [cost, bookkeeping, least] = cost_of(table.split_once('/').unwrap().1)(&shapes[table], &lengths[set], &zeros);
        assert!(bound as f64 <= cost as f64 * (1.0 + 1e-6), "{table} {set}: better than possible, so something was left out");
        assert!(least as f64 <= bound as f64 * (1.0 + 1e-6), "{table} {set}: no schedule can take less than {least}, but one does");
        let least_bookkeeping = least_bookkeeping_ps(lengths[set].len());
        let share = (bound + least_bookkeeping) as f64 / (cost + bookkeeping) as f64;
        let share_of_kernels = bound as f64 / cost as f64;
        println!("{table:20}{set:16}{:7.2} %; with bookkeeping {:7.2} %", 100.0 * share_of_kernels, 100.0 * share);
        let is_worth_it = share_of_kernels >= 0.98 || share_of_kernels >= 0.95 && share >= 1.0;
        if !is_worth_it || share < 0.97 {
            short.push(format!("{table} {set} {share_of_kernels:.4} {share:.4}"));
        }
    }
    assert!(short.is_empty(), "too far from the bound: {short:?}");
}

#[test]
fn costs_of_the_bounds_are_those_of_the_tables() {
    fn check<C: Compiled>(shapes: &HashMap<&str, Vec<(usize, u32)>>) {
        for family in FAMILIES {
            let table = format!("{}/{}", family.name, C::NAME);
            let Some(expected) = shapes.get(table.as_str()) else { continue };
            let cost = |kernel: &Kernel<C>| Some((kernel.lanes, family.listed(C::COSTS_OF, kernel.name)?));
            let all: Vec<(usize, u32)> = C::mixes().all.iter().filter_map(cost).collect();
            let is_beaten = |one: &(usize, u32)| all.iter().any(|other| other != one && other.0 >= one.0 && other.1 <= one.1);
            let mut useful: Vec<_> = all.iter().copied().filter(|shape| !is_beaten(shape)).collect();
            useful.sort_unstable();
            useful.dedup();
            assert_eq!(&useful, expected, "{table}: run vectors/schedule_bounds.py again");
        }
    }
    if cfg!(target_arch = "x86_64") {
        let Bounds { shapes, .. } = read(include_str!("../../../../vectors/schedule-bounds.txt"));
        macro_rules! check_all { ($($Compression:path)*) => { $(check::<$Compression>(&shapes);)* } }
        for_each_compression!(check_all);
    }
}

/// Sharing lanes takes time beside that of kernels, so it never pays if kernels gain nothing; a tenth is for estimates. Messages that were found
/// to be best one by one once took turns.
#[test]
fn kernels_take_a_few_messages_no_longer_than_one_by_one() {
    let zeros = vec![0; 16 << 10];
    let mut seed = 1u64;
    let mut random = |most: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % (most + 1)
    };
    // One message of SHA-256 takes 50 ns, and what shares lanes gains more or less.
    for kernels in [[(1, 50_000), (2, 95_000), (8, 230_000), (16, 380_000)], [(1, 50_000), (4, 190_000), (8, 380_000), (16, 500_000)]] {
        for _ in 0..2000 {
            let most = 64 << random(8);
            let lengths: Vec<usize> = (0..2 + random(30)).map(|_| random(most)).collect();
            let [kernels_ps, ..] = cost::<Md5Compression>(&kernels, &lengths, &zeros);
            let blocks: u64 = lengths.iter().map(|length| block_count::<Md5Compression>(*length as u64)).sum();
            assert!(kernels_ps <= blocks * 55_000, "{lengths:?} take {kernels_ps} ps");
        }
    }
}

/// Messages of zeros, five at a time.
struct Arrivals {
    /// Blocks of each message that is still to come; the next one is last.
    to_come: Vec<u64>,
    /// True if the schedule is told of those to come. It is not told if messages are readers.
    are_known: bool,
    going: usize,
    zeros: Vec<u8>,
    /// Blocks left of the message in each slot.
    slots: Vec<u64>,
    /// The slots in the lanes, and for how many blocks they stayed the same.
    runs: Vec<(Vec<usize>, u64)>,
}

impl Arrivals {
    /// Makes messages of which at most `ahead_blocks` blocks are ready at a time.
    fn new(mut to_come: Vec<u64>, are_known: bool, ahead_blocks: usize) -> Self {
        to_come.reverse();
        Self { to_come, are_known, going: 0, zeros: vec![0; ahead_blocks * 64], slots: Vec::new(), runs: Vec::new() }
    }

    /// Returns the blocks of those messages that the schedule is told of, the next one first.
    fn known(&self) -> impl Iterator<Item = u64> {
        self.to_come.iter().rev().copied().filter(|_| self.are_known)
    }
}

impl<C: Compression> Supply<C> for Arrivals {
    fn add_slot(&mut self) -> usize {
        self.slots.push(0);
        self.slots.len() - 1
    }
    fn refill(&mut self, slot: usize) -> bool {
        let next = if self.going < 5 { self.to_come.pop() } else { None };
        self.going += usize::from(next.is_some());
        self.slots[slot] = next.unwrap_or_default();
        next.is_some()
    }
    fn waiting(&self) -> Option<Waiting> {
        Some(Waiting { messages: self.known().count(), blocks: self.known().sum() })
    }
    fn waiting_blocks(&self, skip: usize) -> Option<u64> {
        self.known().nth(skip)
    }
    fn longest_blocks(&self) -> u64 {
        u64::MAX
    }
    fn initial(&self, _: usize) -> ChainingOf<C> {
        C::filled(WordOf::<C>::default())
    }

    fn advance(&mut self, lanes: &mut Lanes<'_, '_, C>, most_blocks: u64) -> Advanced {
        self.advance_by_piece(lanes, most_blocks)
    }

    fn blocks_left(&self, slot: usize) -> u64 {
        self.slots[slot]
    }
    fn finish(&mut self, _: usize, _: &ChainingOf<C>) {
        self.going -= 1;
    }
}

impl<C: Compression> Pieces<C> for Arrivals {
    fn add_ready<'a>(&'a self, slots: &[usize], ahead: &mut Ahead<'a>) {
        for slot in slots {
            ahead.add_lane(&self.zeros[..self.zeros.len().min(self.slots[*slot] as usize * C::BLOCK_BYTES)]);
        }
    }

    fn at_end(&self, _: usize) -> Option<End> {
        None
    }

    fn consume(&mut self, slots: &[usize], bytes: usize) -> Ended {
        let blocks = (bytes / C::BLOCK_BYTES) as u64;
        match self.runs.last_mut() {
            Some((before, run)) if before == slots => *run += blocks,
            _ => self.runs.push((slots.to_vec(), blocks)),
        }
        ended_of(slots, |slot| {
            self.slots[slot] -= blocks;
            self.slots[slot] == 0
        })
    }
}

#[test]
fn messages_that_come_later_are_planned_although_the_first_were_not_worth_it() {
    let kernels = [(1, 40_000), (4, 75_000), (16, 150_000)];
    let model = |(lanes, cost_ps): (usize, u32)| Kernel::<Md5Compression>::model("model", lanes, cost_ps);
    let mix = Mix::new(kernels.map(model).into());
    let mut usage = Usage::default();
    let mut arrivals = Arrivals::new([[1; 5], [4000; 5]].concat(), false, 1000);
    super::run(&mut Memory::default(), &mix, Extent::All, &mut arrivals, &mut usage);
    let cost: u64 = usage.steps.iter().zip(kernels).map(|(steps, (_, cost_ps))| steps * u64::from(cost_ps)).sum();
    // Five messages take turns in four lanes. Four, and then the last alone, would take 460 us.
    let bound = 5 * 4000 / 4 * 75_000;
    assert!(cost <= bound + bound / 10, "{} us instead of {}", cost / 1_000_000, bound / 1_000_000);
}

#[test]
fn the_example_is_what_happens() {
    // The table at the head of `schedule/mod.rs`.
    let kernels = [(1, 40_000), (4, 80_000)];
    let model = |(lanes, cost_ps): (usize, u32)| Kernel::<Md5Compression>::model("model", lanes, cost_ps);
    let mix = Mix::new(kernels.map(model).into());
    let mut usage = Usage::default();
    let mut arrivals = Arrivals::new(vec![6000, 1500, 1500, 1500, 1500], true, 6000);
    super::run(&mut Memory::default(), &mix, Extent::All, &mut arrivals, &mut usage);
    let in_letters = |slots: &[usize]| slots.iter().map(|slot| char::from(b"ABCDE"[*slot])).collect::<String>();
    let runs: Vec<(String, u64)> = arrivals.runs.iter().map(|(slots, blocks)| (in_letters(slots), *blocks)).collect();
    let expected = [("ABCD", 625), ("AECD", 625), ("AEBD", 250), ("AEBC", 250), ("AEB", 375), ("A", 3875)];
    assert_eq!(runs, expected.map(|(lanes, blocks)| (lanes.to_owned(), blocks)));
    assert_eq!(usage.steps[..kernels.len()], [3875, 625 + 625 + 250 + 250 + 375]);
}
