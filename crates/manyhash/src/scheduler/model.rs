//! The schedule itself, without computing anything: its cost against the least any schedule can have.
//!
//! `vectors/schedule-bounds.txt` has length sets, the costs of shapes, and the bounds a linear program found.

use super::{Progress, Supply, Waiting};
use crate::algorithm::{Algorithm, ChainingOf, Compression, CompressionOf, WordOf};
use crate::cost::FAMILIES;
use crate::many;
use crate::shape::{Plan, Shape, Usage};
use crate::start::Start;
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

/// Picoseconds the schedule of these messages takes.
fn cost<A: Algorithm>(shapes: &[(usize, u32)], lengths: &[usize], zeros: &[u8]) -> u64 {
    let plan = Plan::new(shapes.iter().map(|(lanes, cost_ps)| Shape::<CompressionOf<A>>::model("model", *lanes, *cost_ps)).collect());
    let messages: Vec<&[u8]> = lengths.iter().map(|length| &zeros[..*length]).collect();
    let mut digests = vec![A::zero_digest(); messages.len()];
    let mut usage = Usage::default();
    many::hash_many_on::<A, _>(&plan, (&Start::of::<A>()).into(), &many::Slice(&messages), &mut digests, Some(&mut usage));
    usage.steps.iter().zip(shapes).map(|(steps, (_, cost_ps))| steps * u64::from(*cost_ps)).sum()
}

/// What [`cost`] is for some compression function.
type Cost = fn(&[(usize, u32)], &[usize], &[u8]) -> u64;

/// [`cost`] with the compression function of that name.
fn cost_of(compression: &str) -> Cost {
    macro_rules! find { ([] $($Algorithm:ident)*) => { $(
        if <CompressionOf<crate::$Algorithm>>::NAME == compression {
            return cost::<crate::$Algorithm>;
        }
    )* } }
    for_each_algorithm!(find []);
    panic!("no compression function {compression}")
}

/// Where the bound is nearer with tiny messages beside a giant in the shape for two, of which each would save 10 ns and cost 60 ns of
/// bookkeeping: bounds know nothing of that, and `many.rs` leaves them out of the schedule.
const BOOKKEEPING: &[(&str, &str)] = &[("zen-4/sha256", "giant-and-tiny")];

#[test]
fn schedules_reach_98_percent_of_the_bound() {
    let text = include_str!("../../../../vectors/schedule-bounds.txt");
    let Bounds { shapes, lengths, bounds } = read(text);
    assert_eq!(bounds.len(), shapes.len() * lengths.len());
    let zeros = vec![0; *lengths.values().flatten().max().unwrap()];
    let mut short = Vec::new();
    for (table, set, bound) in bounds {
        let cost = cost_of(table.split_once('/').unwrap().1)(&shapes[table], &lengths[set], &zeros);
        let share = bound as f64 / cost as f64;
        println!("{table:20}{set:16}{:7.2} % of the bound", 100.0 * share);
        assert!(share <= 1.0 + 1e-6, "{table} {set}: better than possible, so something was left out");
        let is_bookkeeping = BOOKKEEPING.contains(&(table, set));
        if share < if is_bookkeeping { 0.95 } else { 0.98 } {
            short.push(format!("{table} {set} {share:.4}"));
        }
    }
    assert!(short.is_empty(), "under 98 %: {short:?}");
}

#[test]
fn costs_of_the_bounds_are_those_of_the_tables() {
    fn check<C: Compression>(shapes: &HashMap<&str, Vec<(usize, u32)>>) {
        for family in FAMILIES {
            let table = format!("{}/{}", family.name, C::NAME);
            let cost = |shape: &Shape<C>| (shape.lanes, family.picoseconds(C::NAME, shape.name, shape.lanes));
            let all: Vec<(usize, u32)> = C::shapes().all.iter().map(cost).collect();
            let is_beaten = |one: &(usize, u32)| all.iter().any(|other| other != one && other.0 >= one.0 && other.1 <= one.1);
            let mut useful: Vec<_> = all.iter().copied().filter(|shape| !is_beaten(shape)).collect();
            useful.sort_unstable();
            useful.dedup();
            assert_eq!(useful, shapes[table.as_str()], "{table}: run vectors/schedule_bounds.py again");
        }
    }
    if cfg!(target_arch = "x86_64") {
        let Bounds { shapes, .. } = read(include_str!("../../../../vectors/schedule-bounds.txt"));
        macro_rules! check_all { ([] $($Algorithm:ident)*) => { $(check::<CompressionOf<crate::$Algorithm>>(&shapes);)* } }
        for_each_algorithm!(check_all []);
    }
}

/// Five messages at a time, and nothing is known of those to come: what readers are.
struct Arrivals {
    /// Blocks of each message that is still to come.
    to_come: Vec<u64>,
    going: usize,
    zeros: Vec<u8>,
}

impl<C: Compression> Supply<C> for Arrivals {
    /// Blocks left.
    type Slot = u64;

    fn slot(&mut self) -> u64 {
        0
    }
    fn refill(&mut self, slot: &mut u64) -> bool {
        let next = if self.going < 5 { self.to_come.pop() } else { None };
        self.going += usize::from(next.is_some());
        *slot = next.unwrap_or_default();
        next.is_some()
    }
    fn waiting(&self) -> Option<Waiting> {
        Some(Waiting::default())
    }
    fn waiting_blocks(&self, _: usize) -> Option<u64> {
        None
    }
    fn longest_blocks(&self) -> u64 {
        u64::MAX
    }
    fn initial(&self, _: &u64) -> ChainingOf<C> {
        C::filled(WordOf::<C>::default())
    }
    fn ready<'a>(&'a self, slot: &'a u64) -> &'a [u8] {
        &self.zeros[..self.zeros.len().min(*slot as usize * C::BLOCK_BYTES)]
    }
    fn blocks_left(&self, slot: &u64) -> u64 {
        *slot
    }
    fn consume(&mut self, slot: &mut u64, bytes: usize) -> Progress {
        *slot -= (bytes / C::BLOCK_BYTES) as u64;
        if *slot == 0 { Progress::Ended } else { Progress::More }
    }
    fn finish(&mut self, _: &mut u64, _: &ChainingOf<C>) {
        self.going -= 1;
    }
}

#[test]
fn messages_that_come_later_are_planned_although_the_first_were_not_worth_it() {
    let shapes = [(1, 40_000), (4, 75_000), (16, 150_000)];
    let plan =
        Plan::new(shapes.map(|(lanes, cost_ps): (usize, u32)| Shape::<CompressionOf<crate::Md5>>::model("model", lanes, cost_ps)).into());
    let mut usage = Usage::default();
    let mut arrivals = Arrivals { to_come: [[4000; 5], [1; 5]].concat(), going: 0, zeros: vec![0; 1000 * 64] };
    super::run(&plan, &mut arrivals, &mut usage);
    let cost: u64 = usage.steps.iter().zip(shapes).map(|(steps, (_, cost_ps))| steps * u64::from(cost_ps)).sum();
    // Five in turns in four lanes. Four, and then the last alone, would take 460 us.
    let bound = 5 * 4000 / 4 * 75_000;
    assert!(cost <= bound + bound / 10, "{} us instead of {}", cost / 1_000_000, bound / 1_000_000);
}
