//! `hash_many`, `hmac_many` and `verify_many`.

use crate::algorithm::by_name;
use crate::buffer::{Allowed, Buffer, Chunk, has_buffer};
use crate::compute::{Threads, detached, threads_argument};
use crate::messages::{Limits, Messages};
use crate::order::{Name, Order};
use crate::output::Output;
use crate::rows;
use manyhash::hmac::Key;
use manyhash::{Algorithm, AnyAlgorithm, Batch, threads, with_algorithm};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

/// The digest of each message, in the order of the messages.
///
/// messages: an iterable of bytes-like objects and of str, which stands for its UTF-8; or an array
///     of numpy: one dimension of dtype S (without the zeros at the end, as numpy has it) or V
///     (whole), or two of uint8, where each row is a message; or, with offsets, one bytes-like
///     object.
/// algorithm: a name of `manyhash.algorithms`, in any spelling ("SHA-256").
/// offsets: int32, int64, uint32 or uint64; message i is messages[offsets[i]:offsets[i + 1]].
/// output: "list" gives a list of bytes, "hex" a list of str, "bytes" all digests in one bytes,
///     "numpy" a uint8 array with a row for each.
/// threads: how many hash; 0 is one for each CPU.
///
/// Iterables are read in chunks of some 16,384 messages or 16 MiB a thread. The interpreter is free
/// for other threads meanwhile.
#[pyfunction]
#[pyo3(signature = (messages, algorithm = Name::Default, *, offsets = None, output = "list", threads = 1))]
#[pyo3(text_signature = "(messages, algorithm='sha256', *, offsets=None, output='list', threads=1)")]
pub fn hash_many<'py>(
    py: Python<'py>,
    messages: &Bound<'py, PyAny>,
    algorithm: Name<'py>,
    offsets: Option<&Bound<'py, PyAny>>,
    output: &str,
    #[pyo3(from_py_with = threads_argument)] threads: i64,
) -> PyResult<Bound<'py, PyAny>> {
    let order = Order { right: "hash_many(messages, 'sha256')", parameter: "algorithm" };
    let algorithm = by_name(&order.name(messages, algorithm, "sha256")?)?;
    let messages = Messages::of(messages, offsets, Allowed::BytesAndText, "messages")?;
    let call = Call::of(py, messages, output, threads, algorithm.digest_bytes())?;
    with_algorithm!(algorithm, A => hash_all::<A>(call))
}

/// The HMAC tag of each message, in the order of the messages.
///
/// key: a bytes-like object, or an iterable of them, one for each message. It is given by its name,
///     because keys and messages that change places would give wrong tags without a word.
/// messages, algorithm, offsets, output, threads: as in hash_many.
#[pyfunction]
#[pyo3(signature = (messages, algorithm = Name::Default, *rest, key = None, offsets = None, output = "list", threads = 1))]
#[pyo3(text_signature = "(messages, algorithm='sha256', *, key, offsets=None, output='list', threads=1)")]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub fn hmac_many<'py>(
    py: Python<'py>,
    messages: &Bound<'py, PyAny>,
    algorithm: Name<'py>,
    rest: &Bound<'py, PyTuple>,
    key: Option<&Bound<'py, PyAny>>,
    offsets: Option<&Bound<'py, PyAny>>,
    output: &str,
    #[pyo3(from_py_with = threads_argument)] threads: i64,
) -> PyResult<Bound<'py, PyAny>> {
    let order = Order { right: "hmac_many(messages, 'sha256', key=key)", parameter: "algorithm" };
    let name = order.name(messages, algorithm, "sha256")?;
    let key = order.key(key, rest)?;
    let algorithm = with_hmac(by_name(&name)?)?;
    let messages = Messages::of(messages, offsets, Allowed::BytesAndText, "messages")?;
    let key = KeySource::of(key)?;
    let call = Call::of(py, messages, output, threads, algorithm.digest_bytes())?;
    with_algorithm!(algorithm, A => tag_all::<A>(call, key))
}

/// The algorithm; a `ValueError` if it has no HMAC.
fn with_hmac(algorithm: AnyAlgorithm) -> PyResult<AnyAlgorithm> {
    if algorithm.has_hmac() {
        return Ok(algorithm);
    }
    Err(PyValueError::new_err(format!("algorithm: {} has no HMAC", algorithm.name())))
}

/// Whether tags[i] is the HMAC tag of message i, for each one; a tag of another length than a
/// digest's is not.
///
/// tags: an iterable of bytes-like objects, or an array of numpy of dtype V or two dimensions of
/// uint8. messages, algorithm, key, offsets, threads: as in hmac_many.
///
/// Tags are compared in a time that does not depend on what is in them.
#[pyfunction]
#[pyo3(signature = (messages, tags, algorithm = Name::Default, *rest, key = None, offsets = None, threads = 1))]
#[pyo3(text_signature = "(messages, tags, algorithm='sha256', *, key, offsets=None, threads=1)")]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub fn verify_many<'py>(
    py: Python<'py>,
    messages: &Bound<'py, PyAny>,
    tags: &Bound<'py, PyAny>,
    algorithm: Name<'py>,
    rest: &Bound<'py, PyTuple>,
    key: Option<&Bound<'py, PyAny>>,
    offsets: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = threads_argument)] threads: i64,
) -> PyResult<Vec<bool>> {
    let order = Order { right: "verify_many(messages, tags, 'sha256', key=key)", parameter: "algorithm" };
    let name = order.name(messages, algorithm, "sha256")?;
    let key = order.key(key, rest)?;
    let algorithm = with_hmac(by_name(&name)?)?;
    let messages = Messages::of(messages, offsets, Allowed::BytesAndText, "messages")?;
    let tags = Messages::of(tags, None, Allowed::Bytes, "tags")?;
    let (key, threads) = (KeySource::of(key)?, Threads::of(threads)?);
    with_algorithm!(algorithm, A => verify_all::<A>(py, messages, tags, key, threads))
}

/// The arguments that all calls which give digests have.
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

fn hash_all<A: Algorithm>(call: Call<'_>) -> PyResult<Bound<'_, PyAny>> {
    let Call { py, mut messages, mut output, threads } = call;
    let batch = Batch::<A>::new().threads(threads.count());
    let (mut spare, mut digests) = (Chunk::default(), Vec::new());
    loop {
        let chunk = messages.take(threads.limits(), spare)?;
        if chunk.len() == 0 {
            return output.finish(py, A::DIGEST_BYTES);
        }
        digests.resize(chunk.len(), no_digest::<A>());
        let slices = chunk.slices();
        detached(py, || batch.hash_into(slices, &mut digests))?;
        output.push(py, digests.iter().map(AsRef::as_ref));
        py.check_signals()?;
        spare = chunk.emptied();
    }
}

/// Where keys come from: one for all messages, or one for each message.
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
        if !is_table && has_buffer(object) {
            return Ok(Self::One(Buffer::of(object, || "key".to_string())?));
        }
        Messages::of(object, None, Allowed::Bytes, "key").map(Self::Each)
    }
}

fn is_one_dimension_of_bytes(array: &Bound<'_, PyAny>) -> PyResult<bool> {
    let name: String = array.getattr("dtype")?.getattr("name")?.extract()?;
    Ok(name == "uint8" && array.getattr("ndim")?.extract::<usize>()? == 1)
}

/// Keys of one algorithm: one for all messages in a batch that has it, or one for each message,
/// made a chunk at a time.
enum Keys<'py, A: Algorithm> {
    One(Batch<A>),
    Each(Messages<'py>, Threads),
}

impl<'py, A: Algorithm> Keys<'py, A> {
    fn of(py: Python<'py>, source: KeySource<'py>, threads: Threads) -> PyResult<Self> {
        match source {
            KeySource::One(buffer) => {
                let bytes = buffer.bytes();
                let batch = Batch::new().threads(threads.count());
                Ok(Self::One(detached(py, || batch.key(&Key::new(bytes)))?))
            }
            KeySource::Each(keys) => Ok(Self::Each(keys, threads)),
        }
    }

    /// What `work` makes of a batch that has the keys of the next `count` messages.
    fn use_next<T: Send>(&mut self, py: Python<'py>, count: usize, work: impl FnOnce(&Batch<A>) -> T + Send) -> PyResult<T> {
        match self {
            Self::One(batch) => detached(py, || work(batch)),
            Self::Each(keys, threads) => {
                let chunk = as_many(keys, count, "key")?;
                let secrets = chunk.slices();
                detached(py, || {
                    let made = made::<A>(secrets, *threads);
                    let keys: Vec<&Key<A>> = made.iter().flatten().collect();
                    work(&Batch::new().threads(threads.count()).keys(&keys))
                })
            }
        }
    }

    /// A `ValueError` if there are keys left without a message.
    fn finish(&mut self) -> PyResult<()> {
        match self {
            Self::One(_) => Ok(()),
            Self::Each(keys, _) => no_more(keys, "key"),
        }
    }
}

/// A key of each secret in their order, in several parts. The parts are not joined, because moved
/// keys would leave copies behind that nobody erases.
fn made<A: Algorithm>(secrets: &[&[u8]], threads: Threads) -> Vec<Vec<Key<A>>> {
    /// The fewest keys that are worth a thread: it takes longer to start than to make fewer.
    const LEAST_KEYS: usize = 256;
    let parts = secrets.chunks(LEAST_KEYS).collect();
    threads::map(threads.count(), parts, |part: &[&[u8]]| part.iter().map(|secret| Key::new(secret)).collect())
}

/// The next `wanted` keys or tags, one for each message. A `ValueError` that calls each of them a
/// `what` if there are fewer.
fn as_many<'a, 'py>(source: &'a mut Messages<'py>, wanted: usize, what: &str) -> PyResult<Chunk<'a, 'py>> {
    let before = source.taken();
    let chunk = source.take(Limits { messages: wanted, bytes: usize::MAX }, Chunk::default())?;
    if chunk.len() < wanted {
        let (found, messages) = (counted(before + chunk.len(), what), counted(before + wanted, "message"));
        return Err(PyValueError::new_err(format!("{found} for at least {messages}")));
    }
    Ok(chunk)
}

/// A number of things in words: "1 key", "2 keys".
fn counted(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// A `ValueError` if there are keys or tags without a message.
fn no_more(source: &mut Messages<'_>, what: &str) -> PyResult<()> {
    let messages = source.taken();
    if source.take(Limits { messages: 1, bytes: usize::MAX }, Chunk::default())?.len() > 0 {
        return Err(PyValueError::new_err(format!("at least {} for {}", counted(messages + 1, what), counted(messages, "message"))));
    }
    Ok(())
}

fn tag_all<'py, A: Algorithm>(call: Call<'py>, key: KeySource<'py>) -> PyResult<Bound<'py, PyAny>> {
    let Call { py, mut messages, mut output, threads } = call;
    let mut keys = Keys::<A>::of(py, key, threads)?;
    let (mut spare, mut tags) = (Chunk::default(), Vec::new());
    loop {
        let chunk = messages.take(threads.limits(), spare)?;
        if chunk.len() == 0 {
            keys.finish()?;
            return output.finish(py, A::DIGEST_BYTES);
        }
        tags.resize(chunk.len(), no_digest::<A>());
        let slices = chunk.slices();
        keys.use_next(py, slices.len(), |batch| batch.hash_into(slices, &mut tags))?;
        output.push(py, tags.iter().map(AsRef::as_ref));
        py.check_signals()?;
        spare = chunk.emptied();
    }
}

fn verify_all<'py, A: Algorithm>(
    py: Python<'py>,
    mut messages: Messages<'py>,
    mut tags: Messages<'py>,
    key: KeySource<'py>,
    threads: Threads,
) -> PyResult<Vec<bool>> {
    let mut keys = Keys::<A>::of(py, key, threads)?;
    let mut right = Vec::new();
    loop {
        let chunk = messages.take(threads.limits(), Chunk::default())?;
        if chunk.len() == 0 {
            keys.finish()?;
            no_more(&mut tags, "tag")?;
            return Ok(right);
        }
        let tags = as_many(&mut tags, chunk.len(), "tag")?;
        let (slices, tags) = (chunk.slices(), tags.slices());
        let results = keys.use_next(py, slices.len(), |batch| batch.verify(slices, tags))?;
        right.extend(results.iter().map(Result::is_ok));
        py.check_signals()?;
    }
}

/// A digest that stands where another one will be written.
fn no_digest<A: Algorithm>() -> A::Digest {
    manyhash::hash::<A>(&[])
}
