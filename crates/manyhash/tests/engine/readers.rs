//! Readers: whatever they do, the digest is that of the bytes they gave, and one that fails spoils
//! no other.

use std::cell::Cell;
use std::io::{self, Read};

use crate::support::backends::forced_backend_lacks;
use crate::support::{Random, expected, paint};
use manyhash::backend::Backend;
use manyhash::{Algorithm, Blake3, Lend, ReadAt, Readers, Sha256, hash};

/// Gives a message in pieces of any size, interrupted now and then.
struct Pieces {
    message: Vec<u8>,
    given: usize,
    random: Random,
    /// Fails after this number of bytes.
    fails_at: Option<usize>,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.random.below(5) == 0 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        if self.fails_at.is_some_and(|at| self.given >= at) {
            return Err(io::Error::other("broken"));
        }
        let left = &self.message[self.given..];
        let count = left.len().min(buffer.len()).min(1 + self.random.below(20_000));
        buffer[..count].copy_from_slice(&left[..count]);
        self.given += count;
        Ok(count)
    }
}

fn any_readers<A: Algorithm>() {
    let (seed, mut random) = Random::replayable(0x0ead_e125);
    for round in 0..12 {
        let count = random.below(80);
        let most = random.one_of(&[1, 200, 10_000, 300_000]);
        let messages: Vec<Vec<u8>> = (0..count).map(|i| paint(i, random.below(most))).collect();
        let expected = expected::<A>(&messages);
        let mut results: Vec<Option<io::Result<A::Digest>>> = (0..count).map(|_| None).collect();
        let readers = messages.iter().enumerate().map(|(i, message)| {
            let fails_at = (i % 7 == 3).then_some(message.len() / 2);
            let reader = Pieces { message: message.clone(), given: 0, random: Random::new(seed + i as u64 + 1), fails_at };
            // What is expected of it may be right, unknown, too little or far too much.
            let expected_bytes = [message.len() as u64, 0, 1, u64::MAX][i % 4];
            ((i, reader), expected_bytes)
        });
        let mut engine =
            if round % 2 == 0 { Readers::<A>::new() } else { Readers::with_buffer_bytes(random.one_of(&[0, 1 << 20, usize::MAX / 2])) };
        engine.hash(readers.map(|((i, reader), bytes)| (Numbered(i, reader), bytes)), |Numbered(i, _), result| {
            assert!(results[i].replace(result).is_none(), "reader {i} ended twice");
        });
        for (i, result) in results.into_iter().enumerate() {
            let context = format!("{}, MANYHASH_TEST_SEED={seed}, round {round}, reader {i}", A::NAME);
            match result.unwrap_or_else(|| panic!("{context}: never ended")) {
                Ok(digest) => assert_eq!(digest.as_ref(), expected[i], "{context}"),
                Err(error) => assert!(i % 7 == 3 && error.to_string() == "broken", "{context}: {error}"),
            }
        }
    }
}
manyhash::for_each_algorithm!(per_algorithm[any_readers]);

struct Numbered<R>(usize, R);

impl<R: Read> Read for Numbered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.1.read(buffer)
    }
}

/// Lends some of its bytes, and gives the others.
struct Lending<'a> {
    message: &'a [u8],
    given: usize,
    random: Random,
    /// Fails when it should lend after this number of bytes.
    fails_at: Option<usize>,
}

impl Read for Lending<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = (self.message.len() - self.given).min(buffer.len()).min(1 + self.random.below(2000));
        buffer[..count].copy_from_slice(&self.message[self.given..][..count]);
        self.given += count;
        Ok(count)
    }
}

impl<'a> Lend for Lending<'a> {
    type Lent = &'a [u8];

    fn lend(&mut self, again_bytes: usize) -> io::Result<Option<&'a [u8]>> {
        if self.fails_at.is_some_and(|at| self.given >= at) {
            return Err(io::Error::other("broken"));
        }
        let count = (self.message.len() - self.given).min(200 + self.random.below(5000));
        if count < 200 || self.random.below(3) == 0 {
            return Ok(None);
        }
        let lent = &self.message[self.given - again_bytes..self.given + count];
        self.given += count;
        Ok(Some(lent))
    }
}

fn any_lent<A: Algorithm>() {
    let (seed, mut random) = Random::replayable(0x001e_4d14);
    for round in 0..8 {
        let count = random.below(60);
        let most = random.one_of(&[300, 10_000, 100_000]);
        let messages: Vec<Vec<u8>> = (0..count).map(|i| paint(i, random.below(most))).collect();
        let expected = expected::<A>(&messages);
        let mut ended = vec![false; count];
        let readers = messages.iter().enumerate().map(|(i, message)| {
            let fails_at = (i % 7 == 3).then_some(message.len() / 2);
            (Numbered(i, Lending { message, given: 0, random: Random::new(seed + i as u64 + 1), fails_at }), message.len() as u64)
        });
        Readers::<A>::with_buffer_bytes(0).hash_lent(readers, |Numbered(i, lending), result| {
            let context = format!("{}, MANYHASH_TEST_SEED={seed}, round {round}, reader {i}", A::NAME);
            assert!(!std::mem::replace(&mut ended[i], true), "{context}: ended twice");
            match result {
                Ok(digest) => assert!(digest.as_ref() == expected[i] && lending.given == messages[i].len(), "{context}"),
                Err(error) => assert!(i % 7 == 3 && error.to_string() == "broken", "{context}: {error}"),
            }
        });
        assert!(ended.iter().all(|ended| *ended));
    }
}
manyhash::for_each_algorithm!(per_algorithm[any_lent]);

/// Lends all that is left, but no more than a window, and gives the first bytes.
struct InWindows<'a> {
    message: &'a [u8],
    given: usize,
    window: usize,
}

impl Read for InWindows<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = (self.message.len() - self.given).min(buffer.len()).min(70_000);
        buffer[..count].copy_from_slice(&self.message[self.given..][..count]);
        self.given += count;
        Ok(count)
    }
}

impl<'a> Lend for InWindows<'a> {
    type Lent = &'a [u8];

    fn lend(&mut self, again_bytes: usize) -> io::Result<Option<&'a [u8]>> {
        let count = (self.message.len() - self.given).min(self.window);
        if self.given == 0 || count < 200 {
            return Ok(None);
        }
        let lent = &self.message[self.given - again_bytes..self.given + count];
        self.given += count;
        Ok(Some(lent))
    }
}

/// Subtrees of 512 KiB go to threads: lengths around them, from any place on.
#[test]
fn a_long_message_is_shared_among_threads() {
    if forced_backend_lacks::<Blake3>() {
        return;
    }
    let subtree = 512 << 10;
    let most = paint(1, 6 * subtree + 70_001);
    for bytes in [2 * subtree, 2 * subtree + 1, 3 * subtree + 70_000, 4 * subtree - 1, 5 * subtree + 1024, most.len()] {
        let message = &most[..bytes];
        let expected = expected::<Blake3>(&[message]);
        for (threads, window) in [(1, usize::MAX), (2, usize::MAX), (3, 3 * subtree + 777), (0, 2 * subtree), (5, 100_000)] {
            let mut digests = Vec::new();
            let reader = InWindows { message, given: 0, window };
            Readers::<Blake3>::new().threads(threads).hash_lent([(reader, 0)], |_, digest| digests.push(digest.expect("no error")));
            assert!(digests.len() == 1 && digests[0][..] == expected[0][..], "{bytes} bytes, {threads} threads, windows of {window}");
        }
    }
}

/// Gives the first bytes, and hands out the others in parts of so many bytes.
struct InParts<'a> {
    message: &'a [u8],
    given: usize,
    part: usize,
    /// Bytes from here on cannot be read.
    fails_at: usize,
}

impl Read for InParts<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = (self.message.len() - self.given).min(buffer.len()).min(70_000);
        buffer[..count].copy_from_slice(&self.message[self.given..][..count]);
        self.given += count;
        Ok(count)
    }
}

impl Lend for InParts<'_> {
    type Lent = &'static [u8];

    fn lend(&mut self, _: usize) -> io::Result<Option<&'static [u8]>> {
        Ok(None)
    }

    fn share(&mut self) -> io::Result<Option<Box<dyn ReadAt + '_>>> {
        let first = self.given;
        self.given = self.message.len().min(first + self.part);
        let part = Part { bytes: &self.message[first..self.given], readable: self.fails_at.saturating_sub(first) };
        Ok((first < self.message.len()).then(|| Box::new(part) as Box<dyn ReadAt>))
    }
}

struct Part<'a> {
    bytes: &'a [u8],
    readable: usize,
}

impl ReadAt for Part<'_> {
    fn bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, position: u64, buffer: &mut [u8]) -> io::Result<()> {
        let part = position as usize..position as usize + buffer.len();
        if part.end > self.readable {
            return Err(io::Error::other("broken"));
        }
        buffer.copy_from_slice(&self.bytes[part]);
        Ok(())
    }
}

#[test]
fn threads_read_what_is_handed_out() {
    if forced_backend_lacks::<Blake3>() {
        return;
    }
    let most = paint(2, (3 << 20) + 70_001);
    for bytes in [2 << 20, (2 << 20) + 1, (2 << 20) + (128 << 10), (3 << 20) - 1, (3 << 20) + 1024, most.len()] {
        let message = &most[..bytes];
        let expected = expected::<Blake3>(&[message]);
        let hash = |threads, buffer, part, fails_at| {
            let mut results = Vec::new();
            let readers = Readers::<Blake3>::with_buffer_bytes(buffer).threads(threads);
            let reader = InParts { message, given: 0, part, fails_at };
            readers.clone().hash_lent([(reader, 0)], |_, result| results.push(result.map_err(|error| error.to_string())));
            results.pop().expect("a result")
        };
        for threads in [1, 2, 3, 0] {
            for (buffer, part) in [(1 << 20, usize::MAX / 2), (0, usize::MAX / 2), (300_000, 700_001), (0, 100_000), (1 << 20, 61)] {
                let digest = hash(threads, buffer, part, usize::MAX).expect("no error");
                assert!(digest[..] == expected[0][..], "{bytes} bytes, {threads} threads, buffers of {buffer}, parts of {part}");
            }
        }
        for fails_at in [100, bytes / 2, bytes - 1] {
            assert_eq!(hash(2, 0, 800_000, fails_at), Err("broken".to_string()), "{bytes} bytes, {fails_at}");
        }
        assert_eq!(hash(2, 0, 0, 0), Err("the reader lent less than it was asked for".to_string()));
    }
}

impl<R: Lend> Lend for Numbered<R> {
    type Lent = R::Lent;

    fn lend(&mut self, again_bytes: usize) -> io::Result<Option<R::Lent>> {
        self.1.lend(again_bytes)
    }
}

/// Lends less than a block.
struct Miser;

impl Read for Miser {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Ok(0)
    }
}

impl Lend for Miser {
    type Lent = &'static [u8];

    fn lend(&mut self, _: usize) -> io::Result<Option<&'static [u8]>> {
        Ok(Some(b"too little"))
    }
}

#[test]
fn a_reader_that_lends_too_little_fails() {
    if forced_backend_lacks::<Sha256>() {
        return;
    }
    let mut errors = Vec::new();
    Readers::<Sha256>::new().hash_lent([(Miser, 1000), (Miser, 0)], |_, result| errors.push(result.unwrap_err().to_string()));
    assert_eq!(errors, ["the reader lent less than it was asked for"; 2]);
}

/// Says it gave one byte more than fits.
struct Liar;

impl Read for Liar {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(buffer.len() + 1)
    }
}

#[test]
fn a_reader_that_lies_fails_alone() {
    if forced_backend_lacks::<Sha256>() {
        return;
    }
    let readers: Vec<Box<dyn Read>> = vec![Box::new(&b"one"[..]), Box::new(Liar), Box::new(&b"other"[..])];
    let (mut digests, mut errors) = (Vec::new(), Vec::new());
    Readers::<Sha256>::new().hash(readers.into_iter().map(|reader| (reader, 0)), |_, result| match result {
        Ok(digest) => digests.push(digest),
        Err(error) => errors.push(error.to_string()),
    });
    digests.sort_unstable();
    let mut expected = [hash::<Sha256>(b"one"), hash::<Sha256>(b"other")];
    expected.sort_unstable();
    assert_eq!((digests.as_slice(), errors.len()), (&expected[..], 1));
}

/// A reader that says, once it has given half of its bytes, that there is more to hash.
struct Announcing<'a> {
    bytes: &'a [u8],
    half: usize,
    is_more: &'a Cell<bool>,
}

impl Read for Announcing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.is_more.set(self.bytes.len() <= self.half);
        self.bytes.read(buffer)
    }
}

#[test]
fn a_source_may_have_none_now_and_one_later() {
    if forced_backend_lacks::<Sha256>() {
        return;
    }
    let has_one_lane = Backend::in_use::<Sha256>().unwrap().lanes_of::<Sha256>() == Some(1);
    let long = vec![7; 1 << 20];
    let is_more = &Cell::new(false);
    let ended = &Cell::new(0);
    let (mut given, mut asked_in_vain) = (0, 0);
    let readers = std::iter::from_fn(|| {
        if given == 1 && !is_more.get() {
            asked_in_vain += 1;
            return None;
        }
        given += 1;
        match given {
            1 => Some((Announcing { bytes: &long, half: long.len() / 2, is_more }, long.len() as u64)),
            // Beside the first where there are lanes for both, after it where there is one.
            2 => {
                assert_eq!(ended.get(), usize::from(has_one_lane));
                Some((Announcing { bytes: b"later", half: 0, is_more }, 5))
            }
            _ => None,
        }
    });
    let mut digests = Vec::new();
    Readers::<Sha256>::new().hash(readers, |_, result| {
        ended.set(ended.get() + 1);
        digests.push(result.unwrap());
    });
    assert!(asked_in_vain > 0 || has_one_lane, "there was no time without one");
    digests.sort_unstable();
    let mut expected = [hash::<Sha256>(&long), hash::<Sha256>(b"later")];
    expected.sort_unstable();
    assert_eq!(digests, expected);
}
