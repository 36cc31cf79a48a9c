//! `hash_many`, `hmac_many` and `verify_many`.

use manyhash::hmac::{self, Key};
use manyhash::{Algorithm, ForAlgorithm, hash_many_into};
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::algorithm::by_name;
use crate::buffer::{Allowed, Buffer, Chunk};
use crate::compute::{Threads, detached, threads_argument};
use crate::messages::{Limits, Messages};
use crate::output::Output;
use crate::rows;

/// The digest of each message, in the order of the messages.
///
/// algorithm: a name of `manyhash.algorithms`, in any spelling ("SHA-256").
/// messages: an iterable of bytes-like objects and of str, which stands for its UTF-8; or an array of numpy: one dimension of dtype S
///     (without the zeros at the end, as numpy has it) or V (whole), or two of uint8, where each row is a message; or, with offsets,
///     one bytes-like object.
/// offsets: int32, int64, uint32 or uint64; message i is messages[offsets[i]:offsets[i + 1]].
/// output: "list" gives a list of bytes, "hex" a list of str, "bytes" all digests in one bytes, "numpy" a uint8 array with a row for each.
/// threads: 0 is one a core.
///
/// Iterables are read in chunks of some 16,384 messages or 16 MiB a thread. The interpreter is free for other threads meanwhile.
#[pyfunction]
#[pyo3(signature = (algorithm, messages, *, offsets = None, output = "list", threads = 1))]
pub fn hash_many<'py>(
    py: Python<'py>,
    algorithm: &str,
    messages: &Bound<'py, PyAny>,
    offsets: Option<&Bound<'py, PyAny>>,
    output: &str,
    #[pyo3(from_py_with = threads_argument)] threads: i64,
) -> PyResult<Bound<'py, PyAny>> {
    let algorithm = by_name(algorithm)?;
    let messages = Messages::of(messages, offsets, Allowed::BytesAndText, "messages")?;
    algorithm.with(HashMany(Call::of(py, messages, output, threads, algorithm.digest_bytes())?))
}

/// The HMAC tag of each message, in the order of the messages.
///
/// key: a bytes-like object, or an iterable of them, one for each message.
/// messages, offsets, output, threads: as in hash_many.
#[pyfunction]
#[pyo3(signature = (key, messages, algorithm = "sha256", *, offsets = None, output = "list", threads = 1))]
pub fn hmac_many<'py>(
    py: Python<'py>,
    key: &Bound<'py, PyAny>,
    messages: &Bound<'py, PyAny>,
    algorithm: &str,
    offsets: Option<&Bound<'py, PyAny>>,
    output: &str,
    #[pyo3(from_py_with = threads_argument)] threads: i64,
) -> PyResult<Bound<'py, PyAny>> {
    let algorithm = by_name(algorithm)?;
    let messages = Messages::of(messages, offsets, Allowed::BytesAndText, "messages")?;
    let key = KeySource::of(key)?;
    algorithm.with(HmacMany { call: Call::of(py, messages, output, threads, algorithm.digest_bytes())?, key })
}

/// Whether tags[i] is the HMAC tag of message i, for each one; a tag of another length than a digest's is not.
///
/// tags: an iterable of bytes-like objects, or an array of numpy of dtype V or two dimensions of uint8.
/// key, messages, offsets, threads: as in hmac_many.
///
/// Tags are compared in a time that does not depend on what is in them.
#[pyfunction]
#[pyo3(signature = (key, messages, tags, algorithm = "sha256", *, offsets = None, threads = 1))]
pub fn verify_many<'py>(
    py: Python<'py>,
    key: &Bound<'py, PyAny>,
    messages: &Bound<'py, PyAny>,
    tags: &Bound<'py, PyAny>,
    algorithm: &str,
    offsets: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = threads_argument)] threads: i64,
) -> PyResult<Vec<bool>> {
    let algorithm = by_name(algorithm)?;
    let messages = Messages::of(messages, offsets, Allowed::BytesAndText, "messages")?;
    let tags = Messages::of(tags, None, Allowed::Bytes, "tags")?;
    algorithm.with(VerifyMany { py, messages, tags, key: KeySource::of(key)?, threads: Threads::of(threads)? })
}

/// What calls that give digests have in common.
struct Call<'py> {
    py: Python<'py>,
    messages: Messages<'py>,
    output: Output<'py>,
    threads: Threads,
}

impl<'py> Call<'py> {
    fn of(py: Python<'py>, messages: Messages<'py>, output: &str, threads: i64, digest_bytes: usize) -> PyResult<Self> {
        let output = Output::of(py, output, messages.count(), digest_bytes)?;
        Ok(Self { py, messages, output, threads: Threads::of(threads)? })
    }
}

struct HashMany<'py>(Call<'py>);

impl<'py> ForAlgorithm for HashMany<'py> {
    type Output = PyResult<Bound<'py, PyAny>>;

    fn run<A: Algorithm>(self) -> Self::Output {
        let Call { py, mut messages, mut output, threads } = self.0;
        let (mut spare, mut digests) = (Chunk::default(), Vec::new());
        loop {
            let chunk = messages.take(threads.limits(), spare)?;
            if chunk.len() == 0 {
                return output.finish(py, A::DIGEST_BYTES);
            }
            digests.resize(chunk.len(), no_digest::<A>());
            let slices = chunk.slices();
            detached(py, || threads.share(slices, &mut digests, |_, messages, digests| hash_many_into::<A>(messages, digests)))?;
            output.push::<A>(py, &digests);
            py.check_signals()?;
            spare = chunk.emptied();
        }
    }
}

/// One key, or one for each message.
enum KeySource<'py> {
    One(Buffer),
    Each(Messages<'py>),
}

impl<'py> KeySource<'py> {
    fn of(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        if object.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err("key is str: it must be bytes, or an iterable of bytes, one for each message"));
        }
        let is_table = rows::is_array(object)? && !is_one_dimension_of_bytes(object)?;
        if !is_table && PyUntypedBuffer::get(object).is_ok() {
            return Ok(Self::One(Buffer::of(object, || "key".to_string())?));
        }
        Messages::of(object, None, Allowed::Bytes, "key").map(Self::Each)
    }
}

fn is_one_dimension_of_bytes(array: &Bound<'_, PyAny>) -> PyResult<bool> {
    let name: String = array.getattr("dtype")?.getattr("name")?.extract()?;
    Ok(name == "uint8" && array.getattr("ndim")?.extract::<usize>()? == 1)
}

/// Keys in use.
enum Keys<'py, A: Algorithm> {
    One(Box<Key<A>>),
    Each(Messages<'py>),
}

impl<'py, A: Algorithm> Keys<'py, A> {
    fn of(py: Python<'py>, source: KeySource<'py>) -> PyResult<Self> {
        match source {
            KeySource::One(buffer) => {
                let bytes = buffer.bytes();
                Ok(Self::One(Box::new(detached(py, || Key::new(bytes))?)))
            }
            KeySource::Each(keys) => Ok(Self::Each(keys)),
        }
    }

    /// Computes `results[i]` of the next messages. `work` gets the index of the first of some messages, these, their keys, and the places of
    /// the results.
    fn share<R: Send>(
        &mut self,
        py: Python<'py>,
        threads: Threads,
        messages: &[&[u8]],
        results: &mut [R],
        work: impl Fn(usize, &[&[u8]], KeysOfSome<'_, A>, &mut [R]) + Sync,
    ) -> PyResult<()> {
        match self {
            Self::One(key) => {
                let key = &**key;
                detached(py, || {
                    threads.share(messages, results, |first, messages, results| work(first, messages, KeysOfSome::One(key), results))
                })
            }
            Self::Each(keys) => {
                let chunk = as_many(keys, messages.len(), "key")?;
                let keys = chunk.slices();
                detached(py, || {
                    threads.share(messages, results, |first, messages, results| {
                        let keys: Vec<Key<A>> = keys[first..][..messages.len()].iter().map(|key| Key::new(key)).collect();
                        work(first, messages, KeysOfSome::Each(&keys), results);
                    });
                })
            }
        }
    }

    /// An error if there are keys left.
    fn finish(&mut self) -> PyResult<()> {
        match self {
            Self::One(_) => Ok(()),
            Self::Each(keys) => no_more(keys, "key"),
        }
    }
}

/// The keys of some messages.
enum KeysOfSome<'a, A: Algorithm> {
    One(&'a Key<A>),
    Each(&'a [Key<A>]),
}

impl<A: Algorithm> KeysOfSome<'_, A> {
    fn tag_into(&self, messages: &[&[u8]], tags: &mut [A::Digest]) {
        match self {
            Self::One(key) => key.tag_many_into(messages, tags),
            Self::Each(keys) => tags.copy_from_slice(&hmac::tag_many(keys, messages)),
        }
    }

    fn verify(&self, messages: &[&[u8]], tags: &[&[u8]], right: &mut [bool]) {
        let results = match self {
            Self::One(key) => key.verify_many(messages, tags),
            Self::Each(keys) => hmac::verify_many(keys, messages, tags),
        };
        right.iter_mut().zip(results).for_each(|(right, result)| *right = result.is_ok());
    }
}

/// So many keys or tags, each of which is a `what`, for as many messages.
fn as_many<'a, 'py>(source: &'a mut Messages<'py>, wanted: usize, what: &str) -> PyResult<Chunk<'a, 'py>> {
    let before = source.taken();
    let chunk = source.take(Limits { messages: wanted, bytes: usize::MAX }, Chunk::default())?;
    if chunk.len() < wanted {
        let (found, messages) = (counted(before + chunk.len(), what), counted(before + wanted, "message"));
        return Err(PyValueError::new_err(format!("{found} for at least {messages}")));
    }
    Ok(chunk)
}

/// A number of things, in words.
fn counted(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// An error if there are keys or tags without a message.
fn no_more(source: &mut Messages<'_>, what: &str) -> PyResult<()> {
    let messages = source.taken();
    if source.take(Limits { messages: 1, bytes: usize::MAX }, Chunk::default())?.len() > 0 {
        return Err(PyValueError::new_err(format!("at least {} for {}", counted(messages + 1, what), counted(messages, "message"))));
    }
    Ok(())
}

struct HmacMany<'py> {
    call: Call<'py>,
    key: KeySource<'py>,
}

impl<'py> ForAlgorithm for HmacMany<'py> {
    type Output = PyResult<Bound<'py, PyAny>>;

    fn run<A: Algorithm>(self) -> Self::Output {
        let Call { py, mut messages, mut output, threads } = self.call;
        let mut keys = Keys::<A>::of(py, self.key)?;
        let (mut spare, mut tags) = (Chunk::default(), Vec::new());
        loop {
            let chunk = messages.take(threads.limits(), spare)?;
            if chunk.len() == 0 {
                keys.finish()?;
                return output.finish(py, A::DIGEST_BYTES);
            }
            tags.resize(chunk.len(), no_digest::<A>());
            keys.share(py, threads, chunk.slices(), &mut tags, |_, messages, keys, tags| keys.tag_into(messages, tags))?;
            output.push::<A>(py, &tags);
            py.check_signals()?;
            spare = chunk.emptied();
        }
    }
}

struct VerifyMany<'py> {
    py: Python<'py>,
    messages: Messages<'py>,
    tags: Messages<'py>,
    key: KeySource<'py>,
    threads: Threads,
}

impl ForAlgorithm for VerifyMany<'_> {
    type Output = PyResult<Vec<bool>>;

    fn run<A: Algorithm>(self) -> Self::Output {
        let Self { py, mut messages, mut tags, key, threads } = self;
        let mut keys = Keys::<A>::of(py, key)?;
        let mut right = Vec::new();
        loop {
            let chunk = messages.take(threads.limits(), Chunk::default())?;
            if chunk.len() == 0 {
                keys.finish()?;
                no_more(&mut tags, "tag")?;
                return Ok(right);
            }
            let tags = as_many(&mut tags, chunk.len(), "tag")?;
            let tags = tags.slices();
            let before = right.len();
            right.resize(before + chunk.len(), false);
            keys.share(py, threads, chunk.slices(), &mut right[before..], |first, messages, keys, right| {
                keys.verify(messages, &tags[first..][..messages.len()], right);
            })?;
            py.check_signals()?;
        }
    }
}

/// What stands where a digest will be.
fn no_digest<A: Algorithm>() -> A::Digest {
    manyhash::hash::<A>(&[])
}
