//! `shake_many`, `kmac_many`, `blake2_many` and `blake3_many`: digests of the length that is asked for.

use crate::algorithm::check_backend;
use crate::buffer::{Allowed, Buffer, Chunk};
use crate::compute::{Threads, detached, threads_argument};
use crate::integer::Integer;
use crate::messages::{Limits, Messages};
use crate::order::{Name, Order};
use crate::output::Output;
use crate::parameters::{mode_of, parameter_error};
use manyhash::blake2::{Blake2, ParameterError, Parameters};
use manyhash::xof::kmac::Key;
use manyhash::xof::{CShake, Function, KangarooTwelve, Shake128, Shake256, TurboShake128, TurboShake256};
use manyhash::{AnyAlgorithm, Blake2b, Blake2s, threads};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Writes equally many bytes for each message.
type HashMany = Box<dyn Fn(&[&[u8]], &mut [u8]) + Send + Sync>;

/// What all calls have in common.
struct Call<'a, 'py> {
    messages: &'a Bound<'py, PyAny>,
    offsets: Option<&'a Bound<'py, PyAny>>,
    output: &'a str,
    threads: i64,
    length: usize,
}

impl<'py> Call<'_, 'py> {
    /// Hashes all messages, a chunk at a time.
    fn hash(self, py: Python<'py>, hash_many: &HashMany) -> PyResult<Bound<'py, PyAny>> {
        /// The most bytes of what a thread makes at once.
        const MOST_BYTES: usize = 16 << 20;
        let Self { messages, offsets, output, threads, length } = self;
        let mut messages = Messages::of(messages, offsets, Allowed::BytesAndText, "messages")?;
        let mut output = Output::of(py, output, messages.count(), length)?;
        let threads = Threads::of(threads)?;
        let Limits { messages: most, bytes } = threads.limits();
        let limits = Limits { messages: most.min((threads.count() * MOST_BYTES / length).max(1)), bytes };
        let (mut spare, mut digests) = (Chunk::default(), Vec::new());
        loop {
            let chunk = messages.take(limits, spare)?;
            if chunk.len() == 0 {
                return output.finish(py, length);
            }
            let bytes = chunk.len().checked_mul(length).filter(|bytes| isize::try_from(*bytes).is_ok());
            let bytes = bytes.ok_or_else(|| PyValueError::new_err(format!("length is {length}: no memory has so much")))?;
            digests.clear();
            digests.try_reserve(bytes).map_err(|_| PyValueError::new_err(format!("length is {length}: there is no memory for so much")))?;
            digests.resize(bytes, 0);
            let slices = chunk.slices();
            let part = slices.len().div_ceil(threads.count());
            detached(py, || {
                let parts = slices.chunks(part).zip(digests.chunks_mut(part * length)).collect();
                threads::map(threads.count(), parts, |(messages, digests): (&[&[u8]], &mut [u8])| hash_many(messages, digests));
            })?;
            output.push(py, digests.chunks(length));
            py.check_signals()?;
            spare = chunk.emptied();
        }
    }
}

/// The argument `length`: a `ValueError` if it is less than 1.
fn length_of(length: Integer, parameter: &str) -> PyResult<usize> {
    match length.size(parameter)? {
        0 => Err(PyValueError::new_err(format!("{parameter} is 0: it must be at least 1"))),
        length => Ok(length),
    }
}

/// The bytes of an argument that may be left out.
pub(crate) fn bytes_of(object: Option<&Bound<'_, PyAny>>, parameter: &str) -> PyResult<Vec<u8>> {
    object.map_or(Ok(Vec::new()), |object| Ok(Buffer::of(object, || parameter.to_string())?.bytes().to_vec()))
}

fn normalised(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_')).map(|c| c.to_ascii_lowercase()).collect()
}

/// `length` bytes for each message, in the order of the messages, by a function with output of any length.
///
/// function: "shake128", "shake256", "turboshake128", "turboshake256", "kt128" or "kt256", in any spelling.
/// length: how many bytes, at least 1.
/// customization: bytes that tell one use from others: cSHAKE in place of SHAKE; TurboSHAKE has none.
/// messages, offsets, output, threads: as in hash_many.
#[pyfunction]
#[pyo3(signature = (messages, function, length, *, customization = None, offsets = None, output = "list", threads = 1))]
#[pyo3(text_signature = "(messages, function, length, *, customization=b'', offsets=None, output='list', threads=1)")]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub fn shake_many<'py>(
    py: Python<'py>,
    messages: &Bound<'py, PyAny>,
    function: Name<'py>,
    length: Integer,
    customization: Option<&Bound<'py, PyAny>>,
    offsets: Option<&Bound<'py, PyAny>>,
    output: &str,
    #[pyo3(from_py_with = threads_argument)] threads: i64,
) -> PyResult<Bound<'py, PyAny>> {
    fn of<X: manyhash::xof::Xof>(function: Function<X>, length: usize) -> HashMany {
        Box::new(move |messages, digests| function.many_into(messages, length, digests))
    }
    let order = Order { right: "shake_many(messages, 'shake128', 32)", parameter: "function" };
    let function = order.name(messages, function, "shake128")?;
    let custom = bytes_of(customization, "customization")?;
    let length = length_of(length, "length")?;
    check_backend(AnyAlgorithm::Sha3_256)?;
    let hash_many: HashMany = match normalised(&function).as_str() {
        "shake128" => of(Function::<Shake128>::customized(b"", &custom), length),
        "shake256" => of(Function::<Shake256>::customized(b"", &custom), length),
        "turboshake128" | "turboshake256" if !custom.is_empty() => {
            return Err(PyValueError::new_err(format!("customization: {function} has none")));
        }
        "turboshake128" => of(Function::<TurboShake128>::new(), length),
        "turboshake256" => of(Function::<TurboShake256>::new(), length),
        "kt128" => {
            let function = KangarooTwelve::<TurboShake128>::new(&custom);
            Box::new(move |messages, digests| digests.copy_from_slice(&function.many(messages, length)))
        }
        "kt256" => {
            let function = KangarooTwelve::<TurboShake256>::new(&custom);
            Box::new(move |messages, digests| digests.copy_from_slice(&function.many(messages, length)))
        }
        _ => {
            let known = "shake128, shake256, turboshake128, turboshake256, kt128, kt256";
            return Err(PyValueError::new_err(format!("unknown function {function:?}; these would do: {known}")));
        }
    };
    Call { messages, offsets, output, threads, length }.hash(py, &hash_many)
}

/// The KMAC tag of each message under one key (NIST SP 800-185).
///
/// function: "kmac128" or "kmac256", in any spelling.
/// key: a bytes-like object, given by its name.
/// length: bytes of a tag, at least 1. Tags of another length are other tags.
/// customization: bytes that tell one use of the key from others.
/// messages, offsets, output, threads: as in hash_many.
#[pyfunction]
#[pyo3(signature = (messages, function = Name::Default, *rest, key = None, length = None, customization = None, offsets = None, output = "list", threads = 1))]
#[pyo3(text_signature = "(messages, function='kmac128', *, key, length=32, customization=b'', offsets=None, output='list', threads=1)")]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub fn kmac_many<'py>(
    py: Python<'py>,
    messages: &Bound<'py, PyAny>,
    function: Name<'py>,
    rest: &Bound<'py, PyTuple>,
    key: Option<&Bound<'py, PyAny>>,
    length: Option<Integer>,
    customization: Option<&Bound<'py, PyAny>>,
    offsets: Option<&Bound<'py, PyAny>>,
    output: &str,
    #[pyo3(from_py_with = threads_argument)] threads: i64,
) -> PyResult<Bound<'py, PyAny>> {
    fn of<X: CShake>(key: Key<X>) -> HashMany {
        Box::new(move |messages, digests| digests.copy_from_slice(&key.tag_many(messages)))
    }
    let order = Order { right: "kmac_many(messages, 'kmac128', key=key)", parameter: "function" };
    let function = order.name(messages, function, "kmac128")?;
    let secret = Buffer::of(order.key(key, rest)?, || "key".to_string())?;
    let custom = bytes_of(customization, "customization")?;
    let length = length.map_or(Ok(32), |length| length_of(length, "length"))?;
    check_backend(AnyAlgorithm::Sha3_256)?;
    let hash_many = match normalised(&function).as_str() {
        "kmac128" => of(Key::<Shake128>::new(secret.bytes(), &custom, length)),
        "kmac256" => of(Key::<Shake256>::new(secret.bytes(), &custom, length)),
        _ => return Err(PyValueError::new_err(format!("unknown function {function:?}; these would do: kmac128, kmac256"))),
    };
    Call { messages, offsets, output, threads, length }.hash(py, &hash_many)
}

/// The BLAKE2 digest of each message, with the parameters that hashlib.blake2b and hashlib.blake2s have.
///
/// function: "blake2b" or "blake2s", in any spelling.
/// digest_size: bytes of a digest: up to 64 of BLAKE2b, and up to 32 of BLAKE2s, which is what it is if it is left out.
/// key, salt, person: bytes-like objects of at most 64, 16 and 16 bytes; of BLAKE2s 32, 8 and 8.
/// messages, offsets, output, threads: as in hash_many.
#[pyfunction]
#[pyo3(signature = (messages, function = Name::Default, *, digest_size = None, key = None, salt = None, person = None, offsets = None, output = "list", threads = 1))]
#[pyo3(
    text_signature = "(messages, function='blake2b', *, digest_size=None, key=b'', salt=b'', person=b'', offsets=None, output='list', threads=1)"
)]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub fn blake2_many<'py>(
    py: Python<'py>,
    messages: &Bound<'py, PyAny>,
    function: Name<'py>,
    digest_size: Option<Integer>,
    key: Option<&Bound<'py, PyAny>>,
    salt: Option<&Bound<'py, PyAny>>,
    person: Option<&Bound<'py, PyAny>>,
    offsets: Option<&Bound<'py, PyAny>>,
    output: &str,
    #[pyo3(from_py_with = threads_argument)] threads: i64,
) -> PyResult<Bound<'py, PyAny>> {
    fn of<A: Blake2>(length: usize, [key, salt, person]: [&[u8]; 3]) -> Result<HashMany, ParameterError> {
        let parameters = Parameters::<A>::new().digest_bytes(length)?.key(key)?.salt(salt)?.personal(person)?;
        Ok(Box::new(move |messages, digests| parameters.hash_many_into(messages, digests)))
    }
    let order = Order { right: "blake2_many(messages, 'blake2b')", parameter: "function" };
    let function = order.name(messages, function, "blake2b")?;
    let (key, salt, person) = (bytes_of(key, "key")?, bytes_of(salt, "salt")?, bytes_of(person, "person")?);
    let bytes = [&key[..], &salt, &person];
    let given = digest_size.map(|length| length.size("digest_size")).transpose()?;
    let (made, length) = match normalised(&function).as_str() {
        "blake2b" => {
            check_backend(AnyAlgorithm::Blake2b)?;
            let length = given.unwrap_or(64);
            (of::<Blake2b>(length, bytes), length)
        }
        "blake2s" => {
            check_backend(AnyAlgorithm::Blake2s)?;
            let length = given.unwrap_or(32);
            (of::<Blake2s>(length, bytes), length)
        }
        _ => return Err(PyValueError::new_err(format!("unknown function {function:?}; these would do: blake2b, blake2s"))),
    };
    let hash_many = made.map_err(|error| parameter_error(&error))?;
    Call { messages, offsets, output, threads, length }.hash(py, &hash_many)
}

/// The BLAKE3 digest of each message.
///
/// key: 32 bytes, for tags under a secret key.
/// context: a text that names one use, for keys that are derived from messages. Not together with key.
/// length: how many bytes, at least 1.
/// messages, offsets, output, threads: as in hash_many.
#[pyfunction]
#[pyo3(signature = (messages, *, key = None, context = None, length = None, offsets = None, output = "list", threads = 1))]
#[pyo3(text_signature = "(messages, *, key=None, context=None, length=32, offsets=None, output='list', threads=1)")]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub fn blake3_many<'py>(
    py: Python<'py>,
    messages: &Bound<'py, PyAny>,
    key: Option<&Bound<'py, PyAny>>,
    context: Option<&str>,
    length: Option<Integer>,
    offsets: Option<&Bound<'py, PyAny>>,
    output: &str,
    #[pyo3(from_py_with = threads_argument)] threads: i64,
) -> PyResult<Bound<'py, PyAny>> {
    let length = length.map_or(Ok(32), |length| length_of(length, "length"))?;
    let mode = mode_of(key, context)?;
    let hash_many: HashMany = Box::new(move |messages, digests| match digests.as_chunks_mut() {
        (digests, []) if length == manyhash::blake3::DIGEST_BYTES => mode.hash_many_into(messages, digests),
        _ => mode.output_many_into(messages, length, digests),
    });
    Call { messages, offsets, output, threads, length }.hash(py, &hash_many)
}
