//! Chains: digests that are hashed again and again, each chain as often as it wants.
//!
//! Every chain has a lane. When one ends, the lane goes on with the next chain that waits, longest first
//! (Gueron & Krasnov 2012, Algorithm 1, with links for blocks). When fewer chains are left than lanes,
//! they move to the kernel that is fastest for so many.

use super::mix::Mix;
use crate::algorithm::ending::{End, Ending, Tail};
use crate::algorithm::{ChainingOf, Compression, MAX_BLOCK_BYTES, WordOf, write_digest};
use crate::isa::{Blocks, ByteOrder, MAX_LANES, Word};
use crate::kernel::chains::{Links, Memory, Place, SecondPass, add, counting_word, pad};
use crate::kernel::short::{DigestBlock, LaneStarts, LaneStates};
use crate::kernel::start::{Start, Starts};
use crate::kernel::states::States;
use crate::kernel::{Chains as Code, Kernel, Runs};
use alloc::{boxed::Box, vec::Vec};
use std::ops::Range;

/// From so many links of a run on, code for long runs is used: it pays from 16 links on (SHA-256, Zen 5).
const FEWEST_OF_LONG_CODE: u64 = 20;

/// Up to so many links of all chains together, moving chains from kernel to kernel takes longer than it saves: 35 chains of up to 15 links, as
/// signatures have them, took 4.7 us with the kernel that is through soonest, and 5.3 with the best for so many chains first (Zen 5).
const FEW_LINKS: u64 = 256;

/// How many times as long a link takes on a kernel that has no code for chains: 150 ns on eight lanes, where sixteen with that code take 76 (SHA-1, Zen 5).
const IN_MEMORY: f64 = 2.0;

/// What the messages of all chains have in common: they are one block. All ranges are of bytes in it.
#[derive(Clone)]
pub(crate) struct Layout<C: Compression> {
    /// The block, with zeros for what messages have of their own.
    block: [u8; MAX_BLOCK_BYTES],
    /// Bytes that each chain has of its own.
    own: Range<usize>,
    /// The value: the beginning of the digest before.
    value: Range<usize>,
    /// The bytes that count links, most significant byte first. They are in one word.
    count: Range<usize>,
    /// The state that each message starts from, if no other is given.
    start: ChainingOf<C>,
    /// Whether a message is a digest of all words of a state, and nothing else.
    is_plain: bool,
}

/// What a message has before its value and after it.
pub(crate) struct Parts<'a> {
    /// Bytes that all messages begin with: less than a block, because whole ones are in the start.
    pub(crate) prefix: &'a [u8],
    /// The number of bytes that each chain has of its own between them and its value.
    pub(crate) own_bytes: usize,
    /// Which of its own bytes count links.
    pub(crate) count: Range<usize>,
    pub(crate) value_bytes: usize,
    pub(crate) suffix: &'a [u8],
}

impl<C: Compression> Layout<C> {
    /// Describes messages that start from `start`. Returns `None` if they do not fit into a block, or if
    /// the bytes that count are not in one word, where an addition changes them.
    pub(crate) fn new(start: &Start<C>, parts: &Parts<'_>) -> Option<Self> {
        let own = parts.prefix.len()..parts.prefix.len() + parts.own_bytes;
        let value = own.end..own.end + parts.value_bytes;
        let bytes = value.end + parts.suffix.len();
        if bytes > C::BLOCK_BYTES {
            return None;
        }
        let mut message = [0; MAX_BLOCK_BYTES];
        message[..own.start].copy_from_slice(parts.prefix);
        message[value.end..bytes].copy_from_slice(parts.suffix);
        let mut tail = Tail::<C>::empty();
        let message_bytes = start.bytes + bytes as u64;
        tail.set(&message[..bytes], message_bytes, C::Ending::first(&start.state));
        let mut block = [0; MAX_BLOCK_BYTES];
        // Two blocks do not fit.
        (tail.blocks().len() == C::BLOCK_BYTES).then(|| block[..C::BLOCK_BYTES].copy_from_slice(tail.blocks()))?;
        let mut state = start.state;
        C::Ending::mark_end(&mut state, End { message_bytes, rest_bytes: bytes });
        let count = own.start + parts.count.start..own.start + parts.count.end;
        let word_bytes = size_of::<WordOf<C>>();
        // A word whose least significant byte comes first can't carry to the byte before its last one.
        let most = if matches!(C::BYTE_ORDER, ByteOrder::Big) { word_bytes } else { 1 };
        let is_in_one_word = count.is_empty() || count.len() <= most && count.start / word_bytes == (count.end - 1) / word_bytes;
        let mut plain = [0; MAX_BLOCK_BYTES];
        pad::<C>(&mut plain);
        let is_plain = C::WANTS_CHAINS && value == (0..C::DIGEST_WORDS * word_bytes) && block == plain;
        is_in_one_word.then_some(Self { block, own, value, count, start: state, is_plain })
    }
}

/// Chains that go on together.
pub(crate) struct Chains<'a, C: Compression> {
    pub(crate) layout: &'a Layout<C>,
    /// Where messages start, if not where the layout says, and the starts of a second pass over each
    /// digest (HMAC).
    pub(crate) keys: Option<(Starts<'a, C>, Starts<'a, C>)>,
    /// The bytes that a chain has of its own, and the number of its links.
    pub(crate) own: &'a dyn Fn(usize) -> &'a [u8],
    pub(crate) links: &'a dyn Fn(usize) -> u64,
}

/// A chain on its way.
#[derive(Clone, Copy)]
struct OnItsWay {
    chain: usize,
    /// The links that are left.
    left: u64,
}

/// A run that goes through bytes has one end for so many lanes, or more.
const FEW_ENDS: usize = 4;

/// Goes on with every chain to its end. `values` has the value of each, one after the other: the first
/// ones, and then the last ones. Each digest is also added to `sums`, modulo 2 bit by bit, if there are
/// sums.
pub(crate) fn run<C: Compression>(mix: &Mix<C>, chains: &Chains<'_, C>, values: &mut [u8], sums: Option<&mut [u8]>) {
    let value_bytes = chains.layout.value.len();
    let count = values.len() / value_bytes;
    let mut lanes = Lanes::new(chains, values, sums);
    if lanes.is_plain && count > 0 {
        let links = (chains.links)(0);
        if (1..count).all(|chain| (chains.links)(chain) == links) {
            return lanes.run_alike(mix, links);
        }
    }
    // The longest is taken first, from the end; among equals, the first.
    let all = (0..count).rev().map(|chain| OnItsWay { chain, left: (chains.links)(chain) });
    let mut waiting: Vec<OnItsWay> = all.filter(|chain| chain.left > 0).collect();
    waiting.sort_by_key(|chain| chain.left);
    while !waiting.is_empty() {
        let links = waiting.iter().fold(0, |sum: u64, chain| sum.saturating_add(chain.left));
        let longest = waiting.last().map_or(0, |chain| chain.left);
        let kernel = if links > FEW_LINKS { best_for(mix, waiting.len()) } else { soonest_through(mix, links, longest) };
        lanes.run(mix, kernel, &mut waiting);
    }
}

/// Returns the index of the kernel that goes on with so many chains in the least time for each.
fn best_for<C: Compression>(mix: &Mix<C>, chains: usize) -> usize {
    least(mix, |kernel| f64::from(kernel.cost_ps) / chains.min(kernel.lanes) as f64)
}

/// Returns the index of the kernel that is first through with so many links, of which a chain has `longest`, if no other takes over.
fn soonest_through<C: Compression>(mix: &Mix<C>, links: u64, longest: u64) -> usize {
    least(mix, |kernel| longest.max(links.div_ceil(kernel.lanes as u64)) as f64 * f64::from(kernel.cost_ps))
}

/// Returns the index of the kernel that takes the least time: not one for long runs, unless it is alone.
fn least<C: Compression>(mix: &Mix<C>, time: impl Fn(&Kernel<C>) -> f64) -> usize {
    let time = |kernel: &Kernel<C>| {
        let is_meant = kernel.runs != Runs::Long || mix.kernels.len() == 1;
        let in_memory = if kernel.chains().is_some() { 1.0 } else { IN_MEMORY };
        if is_meant { time(kernel) * in_memory } else { f64::INFINITY }
    };
    let all = mix.kernels.iter().map(time).enumerate();
    all.min_by(|(_, one), (_, other)| one.total_cmp(other)).map_or(0, |(index, _)| index)
}

/// Copies a value. The compiler knows the usual lengths, because a call of `memcpy` takes longer than the copy.
#[inline(always)]
fn copy(to: &mut [u8], from: &[u8]) {
    match from.len() {
        32 => to.copy_from_slice(&from[..32]),
        // As the address of FIPS 205, section 11.2.
        22 => to.copy_from_slice(&from[..22]),
        16 => to.copy_from_slice(&from[..16]),
        _ => to.copy_from_slice(from),
    }
}

/// The lanes of a kernel.
struct Lanes<'a, 'c, C: Compression> {
    chains: &'a Chains<'c, C>,
    values: &'a mut [u8],
    sums: Option<&'a mut [u8]>,
    busy: [Option<OnItsWay>; MAX_LANES],
    /// The lanes that were in use: what they have in memory may be secret.
    #[cfg_attr(not(feature = "hmac"), allow(dead_code, reason = "nothing is erased"))]
    used: usize,
    memory: Box<Memory<C>>,
    /// The links by which the block of each lane is behind what it has in rows.
    behind: [u64; MAX_LANES],
    /// The states that lanes start from in both passes, if lanes have starts of their own.
    starts: Option<Box<[LaneStates<C>; 2]>>,
    place: Place<C>,
    /// Whether chains are plain.
    is_plain: bool,
    /// The block of a digest in the second pass: in lanes, and as bytes.
    digest_block: Option<(DigestBlock<C>, [u8; MAX_BLOCK_BYTES])>,
}

impl<'a, 'c, C: Compression> Lanes<'a, 'c, C> {
    fn new(chains: &'a Chains<'c, C>, values: &'a mut [u8], sums: Option<&'a mut [u8]>) -> Self {
        let Layout { value, .. } = chains.layout;
        let zeros = || C::filled([WordOf::<C>::default(); MAX_LANES]);
        let digest_block = |outer: &Starts<'_, C>| {
            let first = C::Ending::first(outer.state(0));
            let mut tail = Tail::<C>::empty();
            tail.set(&[0; 64][..value.len()], outer.bytes() + value.len() as u64, first);
            let mut bytes = [0; MAX_BLOCK_BYTES];
            bytes[..C::BLOCK_BYTES].copy_from_slice(tail.blocks());
            (DigestBlock::new(value.len(), outer.bytes(), first), bytes)
        };
        Self {
            digest_block: chains.keys.as_ref().map(|(_, outer)| digest_block(outer)),
            place: Place::new(value.clone()),
            is_plain: chains.layout.is_plain && chains.keys.is_none() && sums.is_none(),
            chains,
            values,
            sums,
            busy: [None; MAX_LANES],
            used: 0,
            memory: Box::new(Memory::new()),
            behind: [0; MAX_LANES],
            starts: chains.keys.is_some().then(|| Box::new([zeros(), zeros()])),
        }
    }

    /// Goes on with plain chains that all have as many links, as many as there are lanes at a time.
    fn run_alike(&mut self, mix: &Mix<C>, links: u64) {
        let value_bytes = self.chains.layout.value.len();
        self.memory.bytes.iter_mut().for_each(|block| pad::<C>(block));
        let mut first = 0;
        while first < self.values.len() {
            let kernel = &mix.kernels[best_for(mix, (self.values.len() - first) / value_bytes)];
            let last = self.values.len().min(first + kernel.lanes * value_bytes);
            self.used = self.used.max(kernel.lanes);
            for (block, value) in self.memory.bytes.iter_mut().zip(self.values[first..last].chunks_exact(value_bytes)) {
                copy(&mut block[..value_bytes], value);
            }
            match kernel.chains() {
                Some(code) => self.go_on(code, links, true, true),
                None => (0..links).for_each(|_| self.go_on_in_memory(kernel)),
            }
            let is_in_lanes = kernel.chains().is_some_and(|code| code.is_in_lanes);
            let Memory { bytes, rows, .. } = &*self.memory;
            for (lane, value) in self.values[first..last].chunks_exact_mut(value_bytes).enumerate() {
                copy(value, if is_in_lanes { &rows[lane][..value_bytes] } else { &bytes[lane][..value_bytes] });
            }
            first = last;
        }
    }

    /// Runs chains that wait until none is left, or until another kernel is better for those that are:
    /// these wait again.
    fn run(&mut self, mix: &Mix<C>, index: usize, waiting: &mut Vec<OnItsWay>) {
        let kernel = &mix.kernels[index];
        let (code, lanes) = (kernel.chains(), kernel.lanes);
        let layout = self.chains.layout;
        self.used = self.used.max(lanes);
        for lane in 0..lanes {
            // A chain that gets the lane brings its block; a plain one brings its value only.
            if self.is_plain || waiting.is_empty() {
                self.memory.bytes[lane][..C::BLOCK_BYTES].copy_from_slice(&layout.block[..C::BLOCK_BYTES]);
            }
            self.refill(lane, waiting);
        }
        let is_in_lanes = code.is_some_and(|code| code.is_in_lanes);
        let mut from_bytes = true;
        for step in 0.. {
            // The links of a run, and how many chains end with it.
            let (mut busy, mut links, mut ends) = (0, u64::MAX, 0);
            for chain in self.busy[..lanes].iter().flatten() {
                busy += 1;
                (links, ends) = if chain.left < links { (chain.left, 1) } else { (links, ends + usize::from(chain.left == links)) };
            }
            if busy == 0 {
                return;
            }
            let is_better = step > 0 && waiting.is_empty() && busy < lanes && best_for(mix, busy) != index;
            // Going through bytes takes as long for all lanes as for some of them one by one.
            let to_rows = ends * FEW_ENDS >= lanes;
            if is_better {
                for lane in 0..lanes {
                    let Some(chain) = self.busy[lane] else { continue };
                    // A chain that has just come has its value as bytes, and none in its lane yet.
                    if is_in_lanes && self.behind[lane] > 0 {
                        self.update_bytes(lane, false);
                    }
                    self.leave(lane, is_in_lanes);
                    waiting.push(chain);
                }
                waiting.sort_by_key(|chain| chain.left);
                return;
            }
            match code {
                Some(code) => self.go_on(code, links, from_bytes, to_rows),
                None => (0..links).for_each(|_| self.go_on_in_memory(kernel)),
            }
            for lane in 0..lanes {
                self.behind[lane] += links;
                let Some(chain) = &mut self.busy[lane] else { continue };
                chain.left -= links;
                let has_ended = chain.left == 0;
                if is_in_lanes && (to_rows || has_ended) {
                    self.update_bytes(lane, to_rows);
                }
                if has_ended {
                    self.leave(lane, is_in_lanes);
                    if self.refill(lane, waiting) && !to_rows {
                        self.memory.set_lane(lane, layout.own.clone(), &self.place);
                    }
                }
            }
            from_bytes = to_rows;
        }
    }

    /// Gives a lane to the next chain that waits. Returns whether there is one.
    fn refill(&mut self, lane: usize, waiting: &mut Vec<OnItsWay>) -> bool {
        let Some(next) = waiting.pop() else { return false };
        let Chains { layout, keys, own, links } = self.chains;
        self.busy[lane] = Some(next);
        self.behind[lane] = 0;
        if let (Some((inner, outer)), Some(rows)) = (keys, &mut self.starts) {
            for (rows, starts) in rows.iter_mut().zip([inner, outer]) {
                States::<C>::of_rows(rows).set_column(lane, starts.state(next.chain));
            }
        }
        let values = next.chain * layout.value.len()..(next.chain + 1) * layout.value.len();
        let block = &mut self.memory.bytes[lane];
        if self.is_plain {
            // Nothing else in the block has changed.
            copy(&mut block[layout.value.clone()], &self.values[values]);
            return true;
        }
        block[..C::BLOCK_BYTES].copy_from_slice(&layout.block[..C::BLOCK_BYTES]);
        copy(&mut block[layout.own.clone()], own(next.chain));
        add(&mut block[layout.count.clone()], links(next.chain) - next.left);
        copy(&mut block[layout.value.clone()], &self.values[values.clone()]);
        if let Some(sums) = &self.sums {
            let sum = &mut self.memory.sum_rows[lane];
            sum[..values.len()].copy_from_slice(&sums[values]);
            for (row, word) in self.memory.sums.as_mut().iter_mut().zip(sum.chunks_exact(size_of::<WordOf<C>>())) {
                row[lane] = WordOf::<C>::from_bytes(C::BYTE_ORDER, word);
            }
        }
        true
    }

    /// Takes the value and the sum of a chain out of its lane.
    fn leave(&mut self, lane: usize, is_in_lanes: bool) {
        let Some(OnItsWay { chain, .. }) = self.busy[lane].take() else { return };
        let value_at = self.chains.layout.value.clone();
        let values = chain * value_at.len()..(chain + 1) * value_at.len();
        copy(&mut self.values[values.clone()], &self.memory.bytes[lane][value_at]);
        if let Some(sums) = &mut self.sums {
            let sum = &mut sums[values];
            if is_in_lanes {
                write_digest::<C>(&States::<C>::of_rows(&mut self.memory.sums).column(lane), sum);
            } else {
                let bytes = sum.len();
                sum.copy_from_slice(&self.memory.sum_rows[lane][..bytes]);
            }
        }
    }

    /// Brings the block of a lane to where its rows are.
    fn update_bytes(&mut self, lane: usize, to_rows: bool) {
        let layout = self.chains.layout;
        let Memory { bytes, rows, digests, .. } = &mut *self.memory;
        let block = &mut bytes[lane];
        if to_rows {
            copy(&mut block[layout.value.clone()], &rows[lane][..layout.value.len()]);
        } else {
            write_digest::<C>(&States::<C>::of_rows(digests).column(lane), &mut block[layout.value.clone()]);
        }
        add(&mut block[layout.count.clone()], self.behind[lane]);
        self.behind[lane] = 0;
    }

    /// Goes on by `links` links in every lane.
    fn go_on(&mut self, code: Code<C>, links: u64, from_bytes: bool, to_rows: bool) {
        let layout = self.chains.layout;
        let starts = self.starts.as_deref();
        let task = Links {
            links,
            starts: starts.map_or(LaneStarts::Same(&layout.start), |[inner, _]| LaneStarts::Each(inner)),
            outer: self.digest_block.as_ref().zip(starts).map(|((block, bytes), [_, outer])| SecondPass { starts: outer, block, bytes }),
            place: &self.place,
            count: counting_word::<C>(layout.count.clone()),
            count_bytes: layout.count.clone(),
            memory: &mut self.memory,
            from_bytes,
            to_rows,
            sums: self.sums.is_some(),
            is_plain: self.is_plain,
            is_long: code.has_long_code && links >= FEWEST_OF_LONG_CODE,
        };
        (code.go_on)(task);
    }

    /// Goes on by one link, by a kernel that has no code for chains.
    fn go_on_in_memory(&mut self, kernel: &Kernel<C>) {
        let layout = self.chains.layout;
        let zeros = C::filled([WordOf::<C>::default(); MAX_LANES]);
        let [mut inner, mut outer] = self.starts.as_deref().copied().unwrap_or([zeros; 2]);
        let mut states = States::<C>::of_rows(&mut inner);
        if self.starts.is_none() {
            (0..kernel.lanes).for_each(|lane| states.set_column(lane, &layout.start));
        }
        kernel.advance(&mut states, &Blocks::new(kernel.lanes, C::BLOCK_BYTES, |lane| &self.memory.bytes[lane]));
        if let Some((_, bytes)) = &self.digest_block {
            let mut blocks = [*bytes; MAX_LANES];
            for (lane, block) in blocks.iter_mut().enumerate().take(kernel.lanes) {
                write_digest::<C>(&states.column(lane), &mut block[..layout.value.len()]);
            }
            states = States::<C>::of_rows(&mut outer);
            kernel.advance(&mut states, &Blocks::new(kernel.lanes, C::BLOCK_BYTES, |lane| &blocks[lane]));
        }
        let Memory { bytes, sum_rows, .. } = &mut *self.memory;
        for (lane, (block, sum)) in bytes.iter_mut().zip(sum_rows).enumerate().take(kernel.lanes) {
            write_digest::<C>(&states.column(lane), &mut block[layout.value.clone()]);
            add(&mut block[layout.count.clone()], 1);
            if self.sums.is_some() {
                sum.iter_mut().zip(&block[layout.value.clone()]).for_each(|(sum, byte)| *sum ^= byte);
            }
        }
    }
}

/// What it had in memory may be secret.
#[cfg(feature = "hmac")]
impl<C: Compression> Drop for Lanes<'_, '_, C> {
    fn drop(&mut self) {
        self.memory.erase(self.used, self.sums.is_some());
        self.starts.iter_mut().flat_map(|rows| rows.iter_mut()).for_each(|rows| Word::erase(rows.as_mut().as_flattened_mut()));
    }
}
