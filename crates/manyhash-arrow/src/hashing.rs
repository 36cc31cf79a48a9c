//! What to do with rows ([`Hashing`]), and how it is done: in chunks, on several threads.

use crate::Error;
use crate::column::{self, Column};
use crate::digester::digester;
use crate::encoder::{Encoder, TableColumn, piece, split};
use crate::output::{Layout, Output, Shape};
use crate::progress::Progress;
use crate::room::{Room, affordable};
use arrow_array::{Array, ArrayRef};
use arrow_buffer::{BooleanBufferBuilder, NullBuffer};
use arrow_schema::{ArrowError, DataType};
use manyhash::{AnyAlgorithm, threads};
use std::ops::Range;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Rows that are hashed together. They fill lanes, and their slices and digests stay in the
/// second-level cache.
const CHUNK_ROWS: usize = 4096;

/// How rows are hashed: the algorithm, a key and a prefix if there are any, how digests are
/// written, and the number of threads.
#[derive(Debug)]
pub struct Hashing {
    algorithm: AnyAlgorithm,
    output: Output,
    layout: Layout,
    key: Option<Secret>,
    prefix: Vec<u8>,
    digest_bytes: usize,
    threads: usize,
    progress: Option<Arc<Progress>>,
}

/// A key's bytes, which are erased when this is dropped, and never shown.
struct Secret(Zeroizing<Vec<u8>>);

impl Secret {
    fn new(key: &[u8]) -> Self {
        Self(Zeroizing::new(key.to_vec()))
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

impl Hashing {
    /// Plain digests, written as they are in a column of fixed size, on one thread.
    pub fn new(algorithm: AnyAlgorithm) -> Self {
        let digest_bytes = algorithm.digest_bytes();
        let (output, layout) = (Output::Binary, Layout::Fixed);
        Self { algorithm, output, layout, key: None, prefix: Vec::new(), digest_bytes, threads: 1, progress: None }
    }

    /// With digests written as `output` says.
    pub fn output(self, output: Output) -> Self {
        Self { output, ..self }
    }

    /// With the resulting column laid out as `layout` says.
    pub fn layout(self, layout: Layout) -> Self {
        Self { layout, ..self }
    }

    /// With HMAC tags under a secret key in place of digests. An algorithm that has no HMAC then
    /// hashes nothing.
    pub fn key(self, key: &[u8]) -> Self {
        Self { key: Some(Secret::new(key)), ..self }
    }

    /// With these bytes before every row: a salt, a domain tag.
    pub fn prefix(self, prefix: &[u8]) -> Self {
        Self { prefix: prefix.to_vec(), ..self }
    }

    /// With only the first `bytes` bytes of each digest, counted before it is written as text.
    ///
    /// # Errors
    /// If `bytes` is 0, or more than a digest has.
    pub fn truncate(self, bytes: usize) -> Result<Self, Error> {
        let most = self.algorithm.digest_bytes();
        if !(1..=most).contains(&bytes) {
            return Err(Error::Truncate { bytes, most });
        }
        Ok(Self { digest_bytes: bytes, ..self })
    }

    /// On up to `threads` threads, of which the caller's is one; 0 means 1.
    pub fn threads(self, threads: usize) -> Self {
        Self { threads: threads.max(1), ..self }
    }

    /// With what is done counted in `progress`, by which another thread can also stop the work.
    pub fn progress(self, progress: Arc<Progress>) -> Self {
        Self { progress: Some(progress), ..self }
    }

    /// The type of the column that [`hash`](Self::hash) makes of a column of this type.
    ///
    /// # Errors
    /// If a column of this type can't be hashed.
    pub fn data_type(&self, column: &DataType) -> Result<DataType, Error> {
        match column {
            DataType::Dictionary(keys, values) => Ok(DataType::Dictionary(keys.clone(), Box::new(self.data_type(values)?))),
            bytes if column::is_bytes(bytes) => Ok(self.shape().data_type()),
            other => Err(Error::Type(other.clone())),
        }
    }

    /// The type of the column that [`hash_rows`](Self::hash_rows) makes.
    pub fn row_data_type(&self) -> DataType {
        self.shape().data_type()
    }

    /// The most rows that [`hash`](Self::hash) and [`hash_rows`](Self::hash_rows) can give as one
    /// array.
    pub fn most_rows(&self) -> usize {
        self.shape().most_rows()
    }

    /// The digest of each row of a column of strings or binaries, as an array of
    /// [`data_type`](Self::data_type). The digest of null is null.
    ///
    /// Each value of a dictionary is hashed once. If there are more values than rows, only those
    /// are hashed that rows have.
    ///
    /// # Errors
    /// If the column is of another type or malformed, or has more than
    /// [`most_rows`](Self::most_rows) rows, if memory is short, or if a backend is forced that has
    /// no kernel for the algorithm.
    pub fn hash(&self, column: &dyn Array) -> Result<ArrayRef, Error> {
        self.check_algorithm()?;
        let Some(dictionary) = column::dictionary(column) else {
            return self.hash_bytes(column, None);
        };
        let values = dictionary.values();
        let keys = column::keys(dictionary.keys(), values.len())?;
        let used = (values.len() > keys.len()).then(|| {
            let mut used = BooleanBufferBuilder::new(values.len());
            used.append_n(values.len(), false);
            let valid = |row: &usize| dictionary.keys().is_valid(*row);
            (0..keys.len()).filter(valid).for_each(|row| used.set_bit(keys[row], true));
            NullBuffer::new(used.finish())
        });
        Ok(dictionary.with_values(self.hash_bytes(values, used)?))
    }

    /// The digests of a column that is no dictionary. If `used` is there, other rows than those it
    /// has become null.
    fn hash_bytes(&self, array: &dyn Array, used: Option<NullBuffer>) -> Result<ArrayRef, Error> {
        let data = array.to_data();
        let nulls = match data.data_type() {
            DataType::Null => {
                affordable(data.len().div_ceil(8), 1)?;
                Some(NullBuffer::new_null(data.len()))
            }
            _ => NullBuffer::union(data.nulls(), used.as_ref()),
        };
        let column = Column::new(&data, nulls.as_ref())?;
        let (digester, head) = digester(self.algorithm, self.key_bytes(), &self.prefix);
        let digest = |rows: Range<usize>, digests: &mut [u8]| {
            let mut messages = Vec::with_capacity(rows.len());
            column.append_to(&mut messages, rows)?;
            self.count_bytes(&messages);
            let mut places = Places { digests, digest_bytes: self.algorithm.digest_bytes() };
            if head.is_empty() {
                digester(&messages, places.take(messages.len()));
                return Ok(());
            }
            join(head, &messages, |joined| digester(joined, places.take(joined.len())))
        };
        self.write(data.len(), nulls.clone(), &digest)
    }

    /// The digest of each of the `rows` rows of a table, none of which is null. The table is some
    /// columns with their names, which are for errors only.
    ///
    /// What is hashed is the row's encoding: see the [crate](crate).
    ///
    /// # Errors
    /// If a column's type has no encoding, or a column is malformed or has another number of rows,
    /// if there are more than [`most_rows`](Self::most_rows) rows, if memory is short, or if a
    /// backend is forced that has no kernel for the algorithm.
    pub fn hash_rows(&self, rows: usize, columns: &[(&str, ArrayRef)]) -> Result<ArrayRef, Error> {
        self.check_algorithm()?;
        for (name, array) in columns {
            if array.len() != rows {
                return Err(Error::Lengths { column: (*name).to_string(), rows: array.len(), expected: rows });
            }
        }
        let columns: Vec<_> = columns.iter().map(|(name, array)| TableColumn::new(name, array)).collect::<Result<_, _>>()?;
        let (digester, head) = digester(self.algorithm, self.key_bytes(), &self.prefix);
        let encoder = Encoder::new(head, &columns)?;
        let digest = |rows: Range<usize>, digests: &mut [u8]| {
            let mut places = Places { digests, digest_bytes: self.algorithm.digest_bytes() };
            encoder.encode(rows, |messages| {
                self.count_bytes(messages);
                digester(messages, places.take(messages.len()));
            })
        };
        self.write(rows, None, &digest)
    }

    /// What `hash` makes of every array of a stream with these settings, in the order of the
    /// arrays. If there are several arrays, each is one thread's work. An array of more than
    /// [`most_rows`](Self::most_rows) rows is cut. No more of the stream is held than what is being
    /// hashed.
    ///
    /// # Errors
    /// The stream's first error, or the first error of `hash`, with the array's number.
    pub fn hash_stream(
        &self,
        stream: impl Iterator<Item = Result<ArrayRef, ArrowError>>,
        hash: impl Fn(&Self, &ArrayRef) -> Result<ArrayRef, Error> + Sync,
    ) -> Result<Vec<ArrayRef>, Error> {
        /// The number of rows that is worth a thread.
        const THREAD_ROWS: usize = 64 << 10;
        let (mut digests, mut waiting, mut waiting_rows) = (Vec::new(), Vec::new(), 0);
        let mut stream = stream.fuse();
        loop {
            let next = stream.next().transpose()?;
            let is_last = next.is_none();
            if let Some(array) = next {
                waiting_rows += array.len();
                let pieces = (0..array.len().max(1)).step_by(self.most_rows());
                waiting.extend(pieces.map(|start| array.slice(start, self.most_rows().min(array.len() - start))));
            }
            if is_last || waiting_rows >= self.threads.saturating_mul(THREAD_ROWS) {
                self.hash_arrays(&waiting, &hash, &mut digests)?;
                (waiting_rows, waiting) = (0, Vec::new());
            }
            if is_last {
                return Ok(digests);
            }
        }
    }

    /// Appends what `hash` makes of each array to `digests`.
    fn hash_arrays(
        &self,
        arrays: &[ArrayRef],
        hash: &(impl Fn(&Self, &ArrayRef) -> Result<ArrayRef, Error> + Sync),
        digests: &mut Vec<ArrayRef>,
    ) -> Result<(), Error> {
        let first = digests.len();
        let (key, progress) = (self.key_bytes().map(Secret::new), self.progress.clone());
        let alone = Self { threads: 1, key, prefix: self.prefix.clone(), progress, ..*self };
        // If there are fewer arrays than threads, each array is shared out to all threads.
        let (threads, hashing) = if arrays.len() < self.threads { (1, self) } else { (self.threads, &alone) };
        let results = threads::map(threads, arrays.iter().collect(), |array| hash(hashing, array));
        for (i, result) in results.into_iter().enumerate() {
            digests.push(result.map_err(|error| Error::Array { array: first + i, error: Box::new(error) })?);
        }
        Ok(())
    }

    /// Whether a backend has the algorithm, and the algorithm has an HMAC if that is asked for.
    fn check_algorithm(&self) -> Result<(), Error> {
        self.algorithm.backend()?;
        if self.key.is_some() && !self.algorithm.has_hmac() {
            return Err(Error::Key { algorithm: self.algorithm.name() });
        }
        Ok(())
    }

    fn check_stopped(&self) -> Result<(), Error> {
        if self.progress.as_ref().is_some_and(|progress| progress.is_stopped()) { Err(Error::Stopped) } else { Ok(()) }
    }

    /// Counts the bytes of messages that are about to be hashed.
    fn count_bytes(&self, messages: &[&[u8]]) {
        if let Some(progress) = &self.progress {
            progress.add_bytes(messages.iter().map(|message| message.len()).sum());
        }
    }

    fn key_bytes(&self) -> Option<&[u8]> {
        self.key.as_ref().map(|key| &key.0[..])
    }

    fn shape(&self) -> Shape {
        Shape { output: self.output, layout: self.layout, row_bytes: self.output.row_bytes(self.digest_bytes) }
    }

    /// The column of the digests of `rows` rows. `digest` writes the digests of a range of rows one
    /// after the other, without those of null rows.
    fn write(
        &self,
        rows: usize,
        nulls: Option<NullBuffer>,
        digest: &(impl Fn(Range<usize>, &mut [u8]) -> Result<(), Error> + Sync),
    ) -> Result<ArrayRef, Error> {
        let shape = self.shape();
        if rows > shape.most_rows() {
            return Err(Error::TooManyRows { most: shape.most_rows() });
        }
        let valid = |rows: &Range<usize>| match &nulls {
            Some(nulls) => rows.len() - nulls.slice(rows.start, rows.len()).null_count(),
            None => rows.len(),
        };
        let values_of = |rows: &Range<usize>| if shape.has_room_for_nulls() { rows.len() } else { valid(rows) };
        let write = &|rows: Range<usize>, mut values: &mut [u8]| -> Result<(), Error> {
            let mut digests = Vec::new();
            for start in rows.clone().step_by(CHUNK_ROWS) {
                let chunk = start..(start + CHUNK_ROWS).min(rows.end);
                let (wanted, written);
                (wanted, (written, values)) = (valid(&chunk), values.split_at_mut(values_of(&chunk) * shape.row_bytes));
                let chunk_rows = chunk.len();
                self.check_stopped()?;
                self.write_chunk(wanted, chunk, nulls.as_ref(), written, &mut digests, digest)?;
                if let Some(progress) = &self.progress {
                    progress.add_rows(chunk_rows);
                }
            }
            Ok(())
        };
        let mut values = Room::new(values_of(&(0..rows)), shape.row_bytes)?;
        let chunks = rows.div_ceil(CHUNK_ROWS);
        let threads = self.threads.min(chunks).max(1);
        let mut rest = &mut values[..];
        let shares = (0..threads)
            .map(|i| {
                let range = chunks * i / threads * CHUNK_ROWS..(chunks * (i + 1) / threads * CHUNK_ROWS).min(rows);
                let its = rest.split_off_mut(..values_of(&range) * shape.row_bytes).expect("room for all");
                (range, its)
            })
            .collect();
        threads::map(threads, shares, |(range, its)| write(range, its)).into_iter().collect::<Result<(), _>>()?;
        shape.array(rows, values, nulls)
    }

    /// Writes the digests of a chunk of rows, of which `valid` are not null, to `values`.
    fn write_chunk(
        &self,
        valid: usize,
        rows: Range<usize>,
        nulls: Option<&NullBuffer>,
        values: &mut [u8],
        digests: &mut Vec<u8>,
        digest: &impl Fn(Range<usize>, &mut [u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Shape { output, row_bytes, .. } = self.shape();
        let digest_bytes = self.algorithm.digest_bytes();
        // Whether there is no null row that takes room.
        let is_dense = values.len() == valid * row_bytes;
        if is_dense && output == Output::Binary && row_bytes == digest_bytes {
            return digest(rows, values);
        }
        digests.resize(valid * digest_bytes, 0);
        digest(rows.clone(), digests)?;
        let digests = digests.chunks_exact(digest_bytes).map(|digest| &digest[..self.digest_bytes]);
        let has_value = |(place, _): &(usize, &mut [u8])| is_dense || nulls.is_none_or(|nulls| nulls.is_valid(rows.start + place));
        let places = values.chunks_exact_mut(row_bytes).enumerate().filter(has_value);
        for ((_, value), digest) in places.zip(digests) {
            output.write(digest, value);
        }
        Ok(())
    }
}

/// Room for digests one after the other.
struct Places<'a> {
    digests: &'a mut [u8],
    digest_bytes: usize,
}

impl<'a> Places<'a> {
    /// Room for the next `count` digests.
    fn take(&mut self, count: usize) -> &'a mut [u8] {
        self.digests.split_off_mut(..count * self.digest_bytes).expect("a place for each digest")
    }
}

/// Calls `take` with successive messages, each with `head` before it, until it has had them all.
///
/// # Errors
/// If memory is short.
fn join(head: &[u8], messages: &[&[u8]], mut take: impl FnMut(&[&[u8]])) -> Result<(), Error> {
    let lengths: Vec<usize> = messages.iter().map(|message| head.len() + message.len()).collect();
    let (mut done, mut joined) = (0, Vec::new());
    while done < messages.len() {
        let (piece, bytes) = piece(&lengths[done..]);
        joined.clear();
        joined.try_reserve_exact(bytes).map_err(|_| Error::Memory { bytes })?;
        for message in &messages[done..done + piece] {
            joined.extend_from_slice(head);
            joined.extend_from_slice(message);
        }
        take(&split(&joined, lengths[done..done + piece].iter().copied()));
        done += piece;
    }
    Ok(())
}
