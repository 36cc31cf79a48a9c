//! The proof of one call: the machine follows it on expressions, and then memory must have what the
//! reference computes from the same expressions.

use crate::Stop;
use crate::machine::Machine;
use crate::memory::{Image, Memory};
use crate::standard::{self, bytes_in, words_in};
use crate::words::{Byte, Word, bits, bytes_of, set_bits, word_bytes, words_of};
use manyhash::hazmat::{Form, Layout, Table};
use std::fmt;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Bytes of the machine's stack.
const STACK_BYTES: usize = 1 << 20;

/// What became of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The result is the standard's for all messages and states, and neither a branch nor an address
    /// depends on them.
    Proved,
    /// There are a message and a state for which it is not.
    NotEqual(String),
    /// The expressions differ, but not their values in samples.
    Unknown(String),
    /// The machine stopped.
    Stopped(Stop),
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Proved => f.write_str("proved"),
            Self::NotEqual(place) => write!(f, "NOT EQUAL: {place}"),
            Self::Unknown(place) => write!(f, "NOT PROVED: not shown equal: {place}"),
            Self::Stopped(stop) => stop.fmt(f),
        }
    }
}

/// A proof that was tried.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// What became of it.
    pub verdict: Verdict,
    /// The number of instructions that were executed.
    pub executed: usize,
    /// The instructions that were executed at least once, in the order of their addresses, with their
    /// bytes.
    pub instructions: Vec<(iced_x86::Instruction, Vec<u8>)>,
    /// The time that it took.
    pub took: Duration,
}

/// A byte of the code in another form than it has.
pub type Patch = (u64, u8);

/// Tries to prove a call, in a thread of its own, which forgets its expressions at the end.
pub fn prove(image: &Image, call: &Layout, patches: &[Patch]) -> Attempt {
    in_thread(call, |call| {
        let started = Instant::now();
        let (machine, verdict) = match follow(image, call, patches, true) {
            Ok((mut machine, before)) => match machine.run() {
                Ok(()) => {
                    let verdict = compare(&mut machine, call, &before).unwrap_or_else(Verdict::Stopped);
                    (Some(machine), verdict)
                }
                Err(stop) => (Some(machine), Verdict::Stopped(stop)),
            },
            Err(stop) => (None, Verdict::Stopped(stop)),
        };
        let executed = machine.as_ref().map_or(0, |machine| machine.executed);
        Attempt { verdict, executed, instructions: machine.map_or(Vec::new(), Machine::instructions), took: started.elapsed() }
    })
}

/// Follows a call on the numbers that its memory has. Returns the bytes of its results.
pub fn execute(image: &Image, call: &Layout) -> Result<Vec<u8>, Stop> {
    in_thread(call, |call| {
        let (mut machine, _) = follow(image, call, &[], false)?;
        machine.run()?;
        numbers_in(&mut machine.memory, call)
    })
}

/// Returns the bytes of a call's results, as they are in the memory of this process.
pub fn results(image: &Image, call: &Layout) -> Result<Vec<u8>, Stop> {
    numbers_in(&mut Memory::new(image, Vec::new(), results_of(call), 0..0)?, call)
}

fn numbers_in(memory: &mut Memory, call: &Layout) -> Result<Vec<u8>, Stop> {
    let mut results = Vec::new();
    for mut range in results_of(call) {
        if !call.digests.is_empty() {
            // What is behind the words of a digest means nothing.
            range.end = range.start + (call.state_words.min(8) * call.word_bytes) as u64;
        }
        let bytes = memory.read(range.start, (range.end - range.start) as usize)?;
        let numbers: Option<Vec<u8>> = bytes.into_iter().map(Byte::number).collect();
        results.extend(numbers.ok_or(Stop::not_yet("a result that is no number"))?);
    }
    Ok(results)
}

fn in_thread<T: Send>(call: &Layout, task: impl Fn(&Layout) -> T + Sync) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(1 << 28).spawn_scoped(scope, || {
            set_bits(8 * call.word_bytes as u32);
            if call.compression == "sha1" {
                // The words of its schedule are exclusive ors of rotated words of a block; some kernels make them by another equation.
                terms::keep_linear(8 * call.block_bytes);
            }
            task(call)
        });
        thread.expect("a thread").join().expect("no panic")
    })
}

/// The words of the states before a call, one state for each lane.
struct Before {
    states: Vec<Vec<Word>>,
    outer_states: Vec<Vec<Word>>,
    messages: Vec<Vec<Byte>>,
}

/// Makes a machine that is about to do the call, on expressions or on the numbers that are there.
fn follow(image: &Image, call: &Layout, patches: &[Patch], on_expressions: bool) -> Result<(Machine, Before), Stop> {
    // Memory that nobody uses: an address that nothing else has.
    let stack = Vec::<u8>::with_capacity(STACK_BYTES);
    let stack = stack.as_ptr() as u64..stack.as_ptr() as u64 + STACK_BYTES as u64;
    let mut readable: Vec<Range<u64>> = call.objects.iter().cloned().map(wide).collect();
    let mut writable = results_of(call);
    writable.extend(call.memory.iter().cloned().map(wide));
    readable.extend(call.messages.iter().flatten().cloned().map(wide));
    readable.extend((0..call.lanes).flat_map(|lane| words_at(call, call.outer_states, lane)));
    let mut memory = Memory::new(image, readable, writable, stack.clone())?;
    patches.iter().for_each(|(address, byte)| memory.patch(*address, *byte));

    let is_short = !call.digests.is_empty();
    let mut before = Before { states: Vec::new(), outer_states: Vec::new(), messages: Vec::new() };
    // One column more in tables: it must stay as it is.
    let columns = if is_short || call.form == Form::One { call.lanes } else { call.lanes + 1 };
    for lane in 0..columns {
        before.states.push(state_before(&mut memory, call, call.states, lane, on_expressions)?);
    }
    if call.form == Form::Twice {
        for lane in 0..call.lanes {
            before.outer_states.push(state_before(&mut memory, call, call.outer_states, lane, on_expressions)?);
        }
    }
    for pieces in &call.messages {
        let bytes: usize = pieces.iter().map(Range::len).sum();
        let words: Vec<Word> = (0..bytes.div_ceil(word_bytes())).map(|_| Word::any()).collect();
        let mut message = bytes_in(call.order, &words);
        message.truncate(bytes);
        let mut rest = &message[..];
        for piece in pieces.iter().filter(|_| on_expressions) {
            let (now, later) = rest.split_at(piece.len());
            memory.put(piece.start as u64, now);
            rest = later;
        }
        before.messages.push(message);
    }
    let mut machine = Machine::new(memory, call.entry, call.argument, stack.end)?;
    // Only Zen 4 gains by these schedules, and upper halves do not slow it.
    machine.may_use_upper_halves = call.kernel.contains("sms256");
    Ok((machine, before))
}

fn wide(range: Range<usize>) -> Range<u64> {
    range.start as u64..range.end as u64
}

/// Returns where the words of a lane are in a table.
fn words_at(call: &Layout, table: Table, lane: usize) -> impl Iterator<Item = Range<u64>> {
    let bytes = call.word_bytes;
    (0..call.state_words).map(move |i| {
        let (i, table) = match call.numbers {
            Some((first, numbers)) if (first..first + 2).contains(&i) => (i - first, numbers),
            _ => (i, table),
        };
        let address = table.address + i * table.next_word + lane * table.next_lane;
        wide(address..address + bytes)
    })
}

/// Returns the words of a state before the call. They are variables, but for some of those behind a
/// chaining value ([`standard::free_words`]): those are as they are in memory.
fn state_before(memory: &mut Memory, call: &Layout, table: Table, lane: usize, on_expressions: bool) -> Result<Vec<Word>, Stop> {
    let whole_messages = !call.digests.is_empty() && !call.form.is_chained();
    let first_fixed = standard::free_words(call.compression, call.state_words, whole_messages);
    let mut state = Vec::new();
    for (i, range) in words_at(call, table, lane).enumerate() {
        let there = memory.read(range.start, word_bytes())?;
        // A state that lanes share has one variable.
        let is_expression = matches!(there[0], Byte::Of(..));
        if on_expressions && i < first_fixed && !is_expression {
            let variable = Word::any();
            memory.put(range.start, &bytes_of(&[variable]));
            state.push(variable);
        } else {
            state.push(words_of(&there)[0]);
        }
    }
    Ok(state)
}

/// Returns where the results of a call are.
fn results_of(call: &Layout) -> Vec<Range<u64>> {
    if !call.digests.is_empty() {
        return call.digests.iter().cloned().map(wide).collect();
    }
    let columns = if call.form == Form::One { 1 } else { call.lanes + 1 };
    (0..columns).flat_map(|lane| words_at(call, call.states, lane)).collect()
}

/// Compares what is in memory with the standard.
fn compare(machine: &mut Machine, call: &Layout, before: &Before) -> Result<Verdict, Stop> {
    for (lane, state) in before.states.iter().enumerate().skip(call.lanes) {
        for (i, range) in words_at(call, call.states, lane).enumerate() {
            if words_of(&machine.memory.read(range.start, word_bytes())?)[0] != state[i] {
                return Ok(Verdict::NotEqual(format!("word {i} of lane {lane}, which the kernel has not")));
            }
        }
    }
    for lane in 0..call.lanes {
        let unknown = || Stop::not_yet("no reference of this name");
        let (expected, found) = if call.digests.is_empty() {
            let mut expected = before.states[lane].clone();
            for block in before.messages[lane].chunks(call.block_bytes) {
                if !standard::compress(call.compression, &mut expected, &words_in(call.order, block)) {
                    return Err(unknown());
                }
            }
            let mut found = Vec::new();
            for range in words_at(call, call.states, lane) {
                found.extend(words_of(&machine.memory.read(range.start, word_bytes())?));
            }
            (expected, found)
        } else if call.form.is_chained() {
            let mut block = before.messages[lane].clone();
            // What is behind the variables of a plain chain is in memory.
            let rest = call.block_bytes - block.len();
            block.extend(machine.memory.read(call.messages[lane][0].end as u64, rest)?);
            let mut expected = Vec::new();
            for _ in 0..2 {
                expected = before.states[lane].clone();
                if !standard::compress(call.compression, &mut expected, &words_in(call.order, &block)) {
                    return Err(unknown());
                }
                let digest = bytes_in(call.order, &expected[..call.value.len() / call.word_bytes]);
                block[call.value.clone()].copy_from_slice(&digest);
            }
            expected.truncate(call.value.len() / call.word_bytes);
            let row = machine.memory.read(call.digests[lane].start as u64, call.value.len())?;
            (expected, words_in(call.order, &row))
        } else {
            let hash = |start: &[Word], start_bytes: usize, message: &[Byte]| {
                standard::hash(call.compression, call.order, call.block_bytes, start, start_bytes, message).ok_or_else(unknown)
            };
            let mut expected = hash(&before.states[lane], call.start_bytes, &before.messages[lane])?;
            if call.form == Form::Twice {
                let digest = bytes_in(call.order, &expected)[..call.digest_bytes].to_vec();
                expected = hash(&before.outer_states[lane], call.block_bytes, &digest)?;
            }
            expected.truncate(8);
            let row = machine.memory.read(call.digests[lane].start as u64, expected.len() * word_bytes())?;
            (expected, words_in(call.order, &row))
        };
        for (i, (expected, found)) in expected.iter().zip(&found).enumerate() {
            if expected != found {
                let place = format!("word {i} of lane {lane}");
                return Ok(if differ(*expected, *found) { Verdict::NotEqual(place) } else { Verdict::Unknown(place) });
            }
        }
    }
    Ok(Verdict::Proved)
}

/// Returns whether there are values of the variables for which two words differ, as far as some
/// samples tell.
fn differ(one: Word, other: Word) -> bool {
    (0..4).any(|seed| {
        let mut sample = terms::Sample::new(bits(), seed);
        sample.value(one.term()) != sample.value(other.term())
    })
}
