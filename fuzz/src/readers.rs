//! Readers that give as much as they like, are interrupted, fail, and lie.

use crate::choices::Choices;
use crate::{backends, paint, reference};
use manyhash::{Algorithm, Batch, Lend, Readers, with_algorithm};
use std::io::{self, ErrorKind, Read};
use std::vec::IntoIter;

/// Hashes readers that do whatever a case says: each ends once, with the digest of what it gave or
/// with its error, and none spoils another.
pub fn target(data: &[u8]) {
    let choices = &mut Choices::new(data);
    with_algorithm!(choices.algorithm(), A => check::<A>(choices));
}

/// What a reader does when it is asked.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// It gives up to so many bytes.
    Give(usize),
    /// It lends so many bytes and more, if it is asked to lend; otherwise it gives as many.
    Lend(usize),
    Interrupted,
    Fail,
    /// It says that it gave more than there was room for.
    Lie,
}

#[derive(Debug)]
struct Reader {
    number: usize,
    message: Vec<u8>,
    given: usize,
    /// What it does. Then it gives all that there is.
    steps: IntoIter<Step>,
    /// Whether it did what makes it fail.
    is_broken: bool,
}

impl Reader {
    fn give(&mut self, most: usize, buffer: &mut [u8]) -> usize {
        let left = &self.message[self.given..];
        let count = left.len().min(buffer.len()).min(most);
        buffer[..count].copy_from_slice(&left[..count]);
        self.given += count;
        count
    }
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        assert!(!self.is_broken, "a reader that failed is asked again");
        match self.steps.next() {
            None => Ok(self.give(usize::MAX, buffer)),
            Some(Step::Give(most) | Step::Lend(most)) => Ok(self.give(most.max(1), buffer)),
            Some(Step::Interrupted) => Err(ErrorKind::Interrupted.into()),
            Some(Step::Fail) => {
                self.is_broken = true;
                Err(io::Error::other("broken"))
            }
            Some(Step::Lie) => {
                self.is_broken = true;
                Ok(buffer.len() + 1)
            }
        }
    }
}

/// The fewest bytes that a reader may lend behind those that were given before.
const LEAST_LENT_BYTES: usize = 200;

impl Lend for Reader {
    type Lent = Vec<u8>;

    fn lend(&mut self, again_bytes: usize) -> io::Result<Option<Vec<u8>>> {
        assert!(!self.is_broken, "a reader that failed is asked again");
        let Some(Step::Lend(more)) = self.steps.as_slice().first().copied() else { return Ok(None) };
        let left = self.message.len() - self.given;
        if left < LEAST_LENT_BYTES {
            return Ok(None);
        }
        self.steps.next();
        assert!(again_bytes <= self.given, "bytes again that were never given");
        let count = (LEAST_LENT_BYTES + more).min(left);
        let lent = self.message[self.given - again_bytes..self.given + count].to_vec();
        self.given += count;
        Ok(Some(lent))
    }
}

fn readers(choices: &mut Choices) -> Vec<Reader> {
    let step = |choices: &mut Choices| match choices.between(0, 15) {
        0..=8 => Step::Give(choices.length()),
        9..=11 => Step::Lend(choices.length()),
        12..=13 => Step::Interrupted,
        14 => Step::Fail,
        _ => Step::Lie,
    };
    let lengths = choices.lengths(70);
    let reader = |(number, bytes): (usize, &usize)| {
        let steps: Vec<Step> = (0..choices.between(0, 6)).map(|_| step(choices)).collect();
        Reader { number, message: paint(number, *bytes), given: 0, steps: steps.into_iter(), is_broken: false }
    };
    lengths.iter().enumerate().map(reader).collect()
}

fn check<A: Algorithm>(choices: &mut Choices) {
    let door = choices.between(0, 3);
    let buffer_bytes = choices.one_of(&[0, 100_000, 1 << 20]);
    let prefix = paint(5, choices.length().min(300));
    let expectation = choices.one_of(&[None, Some(0), Some(1), Some(u64::MAX)]);
    let is_sometimes_empty: bool = choices.any();
    let readers = readers(choices);
    let mut ended = vec![false; readers.len()];
    let mut results = Vec::new();
    // What is expected of a reader may be right, unknown, too little and far too much.
    let mut waiting = readers.into_iter().map(|reader| {
        let bytes = expectation.unwrap_or(reader.message.len() as u64);
        (reader, bytes)
    });
    let mut asked = 0;
    let readers = std::iter::from_fn(|| {
        asked += 1;
        // There may be none now and one later.
        if is_sometimes_empty && asked % 3 == 2 { None } else { waiting.next() }
    });
    match door {
        0 => Readers::<A>::with_buffer_bytes(buffer_bytes).hash(readers, |reader, result| results.push((reader, result))),
        1 => Readers::<A>::with_buffer_bytes(buffer_bytes).hash_lent(readers, |reader, result| results.push((reader, result))),
        _ => {
            let mut batch = Batch::<A>::new().prefix(&prefix).suffix(b"behind");
            if door == 3 {
                let backends = backends::<A>();
                batch = batch.backend(choices.one_of(&backends));
            }
            let results = std::sync::Mutex::new(&mut results);
            batch.hash_readers(waiting.by_ref(), |reader, result| results.lock().expect("no panic").push((reader, result)));
        }
    }
    for (reader, result) in results {
        assert!(!std::mem::replace(&mut ended[reader.number], true), "reader {} ended twice", reader.number);
        match result {
            Err(error) => assert!(reader.is_broken, "{error}"),
            Ok(digest) => {
                let is_whole = reader.given == reader.message.len() && !reader.is_broken;
                assert!(is_whole, "{} of {} bytes read, and a digest", reader.given, reader.message.len());
                let expected = match door {
                    0 | 1 => reference::<A>(&reader.message),
                    _ => reference::<A>(&[&prefix, &reader.message[..], b"behind"].concat()),
                };
                assert_eq!(digest.as_ref(), expected, "{} {} bytes", A::NAME, reader.message.len());
            }
        }
    }
    // Readers that came after a `None` at the end may not have been asked for.
    let left = waiting.count();
    assert_eq!(ended.iter().filter(|ended| !**ended).count(), left, "a reader never ended");
}
