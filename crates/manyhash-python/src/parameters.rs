//! Objects with parameters: `blake2b` and `blake2s` as hashlib has them, `blake3`, and the SHAKEs, whose
//! output has the length that is asked for.

use crate::algorithm::check_backend;
use crate::any_length::bytes_of;
use crate::buffer::{Buffer, Data};
use crate::hash_object::{Hash, MaybeData, Message, append};
use crate::integer::Integer;
use crate::output::hex;
use manyhash::blake2::{self, Blake2, Node, ParameterError, Parameters};
use manyhash::blake3::{DIGEST_BYTES, Hasher as Blake3Hasher, KEY_BYTES, Mode};
use manyhash::xof::{self, Shake128, Shake256, Xof};
use manyhash::{AnyAlgorithm, Blake2b, Blake2s};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyString};
use std::sync::{Mutex, MutexGuard, PoisonError};

impl<A: Blake2> Message for blake2::Hasher<A> {
    fn update(&mut self, piece: &[u8]) {
        Self::update(self, piece);
    }

    fn digest(&self) -> Vec<u8> {
        self.clone().finalize()
    }

    fn clone_boxed(&self) -> Box<dyn Message> {
        Box::new(self.clone())
    }
}

/// An error of a parameter, by its name in Python.
pub(crate) fn parameter_error(error: &ParameterError) -> PyErr {
    let names = [("digest_bytes", "digest_size"), ("personal", "person"), ("inner_bytes", "inner_size"), ("offset", "node_offset")];
    PyValueError::new_err(names.iter().fold(error.to_string(), |text, (ours, theirs)| text.replace(ours, theirs)))
}

/// The arguments of a BLAKE2 object.
struct Blake2Arguments<'a, 'py> {
    digest_size: Option<Integer>,
    key: Option<&'a Bound<'py, PyAny>>,
    salt: Option<&'a Bound<'py, PyAny>>,
    person: Option<&'a Bound<'py, PyAny>>,
    fanout: Integer,
    depth: Integer,
    leaf_size: Integer,
    node_offset: Integer,
    node_depth: Integer,
    inner_size: Integer,
    last_node: bool,
}

impl Blake2Arguments<'_, '_> {
    fn object<A: Blake2 + 'static>(self, algorithm: AnyAlgorithm, data: MaybeData<'_>) -> PyResult<Hash> {
        fn number<N: TryFrom<i64>>(integer: Integer, parameter: &str) -> PyResult<N> {
            let value = integer.value(parameter)?;
            N::try_from(value).map_err(|_| PyValueError::new_err(format!("{parameter} is {value}: it is out of range")))
        }
        let digest_bytes = self.digest_size.map_or(Ok(algorithm.digest_bytes()), |size| size.size("digest_size"))?;
        let (key, salt, person) = (bytes_of(self.key, "key")?, bytes_of(self.salt, "salt")?, bytes_of(self.person, "person")?);
        let node = Node {
            fan_out: number(self.fanout, "fanout")?,
            depth: number(self.depth, "depth")?,
            leaf_bytes: number(self.leaf_size, "leaf_size")?,
            offset: self.node_offset.unsigned("node_offset")?,
            level: number(self.node_depth, "node_depth")?,
            inner_bytes: number(self.inner_size, "inner_size")?,
            is_last: self.last_node,
        };
        let parameters = || Parameters::<A>::new().digest_bytes(digest_bytes)?.key(&key)?.salt(&salt)?.personal(&person)?.node(node);
        let parameters = parameters().map_err(|error| parameter_error(&error))?;
        check_backend(algorithm)?;
        Hash::starting(algorithm, digest_bytes, Box::new(parameters.hasher()), data)
    }
}

/// Makes a constructor with the arguments that hashlib's has.
macro_rules! blake2_constructor { ($name:ident $A:ident $text:literal $doc:literal) => {
    #[doc = $doc]
    ///
    /// usedforsecurity: for hashlib's sake, without effect.
    #[pyfunction]
    #[pyo3(signature = (data = MaybeData::Absent, *, digest_size = None, key = None, salt = None, person = None,
        fanout = Integer::ONE, depth = Integer::ONE, leaf_size = Integer::ZERO, node_offset = Integer::ZERO, node_depth = Integer::ZERO,
        inner_size = Integer::ZERO, last_node = false, usedforsecurity = true))]
    #[pyo3(text_signature = $text)]
    #[expect(clippy::too_many_arguments, reason = "Python names them")]
    pub fn $name(
        data: MaybeData<'_>,
        digest_size: Option<Integer>,
        key: Option<&Bound<'_, PyAny>>,
        salt: Option<&Bound<'_, PyAny>>,
        person: Option<&Bound<'_, PyAny>>,
        fanout: Integer,
        depth: Integer,
        leaf_size: Integer,
        node_offset: Integer,
        node_depth: Integer,
        inner_size: Integer,
        last_node: bool,
        usedforsecurity: bool,
    ) -> PyResult<Hash> {
        let _ = usedforsecurity;
        let arguments = Blake2Arguments {
            digest_size, key, salt, person, fanout, depth, leaf_size, node_offset, node_depth, inner_size, last_node,
        };
        arguments.object::<$A>(AnyAlgorithm::$A, data)
    }
} }

blake2_constructor!(blake2b Blake2b
    "(data=b'', *, digest_size=64, key=b'', salt=b'', person=b'', fanout=1, depth=1, leaf_size=0, node_offset=0, node_depth=0, inner_size=0, last_node=False, usedforsecurity=True)"
    "A new BLAKE2b object like hashlib's, which begins with data.");
blake2_constructor!(blake2s Blake2s
    "(data=b'', *, digest_size=32, key=b'', salt=b'', person=b'', fanout=1, depth=1, leaf_size=0, node_offset=0, node_depth=0, inner_size=0, last_node=False, usedforsecurity=True)"
    "A new BLAKE2s object like hashlib's, which begins with data.");

/// A message in pieces whose output has any length.
trait Output: Send + Sync {
    fn update(&mut self, piece: &[u8]);
    /// Bytes of the output, behind the first `seek`. There are so many.
    fn output(&self, seek: u64, bytes: &mut [u8]);
    fn clone_boxed(&self) -> Box<dyn Output>;
}

impl<X: Xof> Output for xof::Hasher<X> {
    fn update(&mut self, piece: &[u8]) {
        Self::update(self, piece);
    }

    fn output(&self, _: u64, bytes: &mut [u8]) {
        self.clone().finalize().fill(bytes);
    }

    fn clone_boxed(&self) -> Box<dyn Output> {
        Box::new(self.clone())
    }
}

impl Output for Blake3Hasher {
    fn update(&mut self, piece: &[u8]) {
        Self::update(self, piece);
    }

    fn output(&self, seek: u64, bytes: &mut [u8]) {
        let mut reader = self.clone().finalize_reader();
        reader.set_position(seek);
        reader.fill(bytes);
    }

    fn clone_boxed(&self) -> Box<dyn Output> {
        Box::new(self.clone())
    }
}

/// A message that comes in pieces, whose digest has the length that is asked for. Any number of threads
/// may use it.
#[pyclass(frozen, module = "manyhash")]
pub struct OutputHash {
    name: &'static str,
    /// Bytes of a digest unless a length is given; 0 if one must be given.
    digest_bytes: usize,
    block_bytes: usize,
    message: Mutex<Box<dyn Output>>,
}

impl OutputHash {
    fn starting(
        (name, digest_bytes, block_bytes): (&'static str, usize, usize),
        message: Box<dyn Output>,
        data: MaybeData<'_>,
    ) -> PyResult<Self> {
        let hash = Self { name, digest_bytes, block_bytes, message: Mutex::new(message) };
        if let MaybeData::Given(data) = data {
            hash.update(data.py(), data)?;
        }
        Ok(hash)
    }

    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, Box<dyn Output>> {
        self.message.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    fn output(&self, py: Python<'_>, length: Option<Integer>, seek: Option<Integer>) -> PyResult<Vec<u8>> {
        let length = match length {
            Some(length) => length.size("length")?,
            None if self.digest_bytes == 0 => return Err(PyTypeError::new_err(format!("{}: a length must be given", self.name))),
            None => self.digest_bytes,
        };
        let seek = seek.map_or(Ok(0), |seek| seek.size("seek"))? as u64;
        if seek > 0 && self.digest_bytes == 0 {
            return Err(PyValueError::new_err(format!("seek is {seek}: {} has none", self.name)));
        }
        let mut bytes = Vec::new();
        bytes
            .try_reserve_exact(length)
            .map_err(|_| PyValueError::new_err(format!("length is {length}: there is no memory for so much")))?;
        bytes.resize(length, 0);
        self.lock(py).output(seek, &mut bytes);
        Ok(bytes)
    }
}

#[pymethods]
impl OutputHash {
    /// Appends the bytes of a bytes-like object to the message.
    #[pyo3(signature = (data, /))]
    fn update(&self, py: Python<'_>, data: Bound<'_, PyAny>) -> PyResult<()> {
        // Whoever gives the buffer, and gets it back, may use this object: it is not locked then.
        let data = Data::of(data)?;
        let bytes = data.bytes()?;
        let mut message = self.lock(py);
        let message = &mut **message;
        append(py, bytes, |bytes| message.update(bytes))
    }

    /// The first bytes of the output for the message so far: those of BLAKE3 behind the first `seek`.
    #[pyo3(signature = (length = None, *, seek = None), text_signature = "($self, length=None, *, seek=0)")]
    fn digest<'py>(&self, py: Python<'py>, length: Option<Integer>, seek: Option<Integer>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.output(py, length, seek)?))
    }

    /// What digest gives, in hexadecimal.
    #[pyo3(signature = (length = None, *, seek = None), text_signature = "($self, length=None, *, seek=0)")]
    fn hexdigest<'py>(&self, py: Python<'py>, length: Option<Integer>, seek: Option<Integer>) -> PyResult<Bound<'py, PyString>> {
        Ok(hex(py, &self.output(py, length, seek)?))
    }

    /// Another object with the same message so far.
    fn copy(&self, py: Python<'_>) -> Self {
        let message = Mutex::new(self.lock(py).clone_boxed());
        Self { name: self.name, digest_bytes: self.digest_bytes, block_bytes: self.block_bytes, message }
    }

    /// The function's name, as hashlib spells it.
    #[getter]
    fn name(&self) -> &'static str {
        self.name
    }

    /// Bytes of a digest unless a length is given; 0 if one must be given.
    #[getter]
    fn digest_size(&self) -> usize {
        self.digest_bytes
    }

    /// Bytes of the function's blocks.
    #[getter]
    fn block_size(&self) -> usize {
        self.block_bytes
    }

    fn __repr__(slf: &Bound<'_, Self>) -> String {
        format!("<{} manyhash.OutputHash object at {:p}>", slf.get().name, slf.as_ptr())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("cannot pickle 'manyhash.OutputHash' object"))
    }
}

/// Makes a constructor with the arguments that hashlib's has.
macro_rules! shake_constructor {
    ($name:ident $X:ident $block_bytes:literal $doc:literal) => {
        #[doc = $doc]
        ///
        /// usedforsecurity: for hashlib's sake, without effect.
        #[pyfunction]
        #[pyo3(signature = (data = MaybeData::Absent, *, usedforsecurity = true))]
        #[pyo3(text_signature = "(data=b'', *, usedforsecurity=True)")]
        pub fn $name(data: MaybeData<'_>, usedforsecurity: bool) -> PyResult<OutputHash> {
            let _ = usedforsecurity;
            check_backend(AnyAlgorithm::Sha3_256)?;
            OutputHash::starting((stringify!($name), 0, $block_bytes), Box::new(xof::Hasher::<$X>::new()), data)
        }
    };
}

shake_constructor!(shake_128 Shake128 168
    "A new SHAKE128 object like hashlib's, which begins with data. Its digest has the length that is asked for.");
shake_constructor!(shake_256 Shake256 136
    "A new SHAKE256 object like hashlib's, which begins with data. Its digest has the length that is asked for.");

/// A new BLAKE3 object, which begins with data. Its digest has 32 bytes, or the length that is asked for.
///
/// key: 32 bytes, for a tag under a secret key.
/// context: a text that names one use, for a key that is derived from the message. Not together with key.
/// usedforsecurity: as of hashlib's constructors, without effect.
#[pyfunction]
#[pyo3(signature = (data = MaybeData::Absent, *, key = None, context = None, usedforsecurity = true))]
#[pyo3(text_signature = "(data=b'', *, key=None, context=None, usedforsecurity=True)")]
pub fn blake3(data: MaybeData<'_>, key: Option<&Bound<'_, PyAny>>, context: Option<&str>, usedforsecurity: bool) -> PyResult<OutputHash> {
    let _ = usedforsecurity;
    let mode = mode_of(key, context)?;
    OutputHash::starting(("blake3", DIGEST_BYTES, 64), Box::new(mode.hasher()), data)
}

/// The mode of BLAKE3 that arguments ask for.
pub(crate) fn mode_of(key: Option<&Bound<'_, PyAny>>, context: Option<&str>) -> PyResult<Mode> {
    check_backend(AnyAlgorithm::Blake3)?;
    match (key, context) {
        (None, None) => Ok(Mode::plain()),
        (None, Some(context)) => Ok(Mode::derive_key(context)),
        (Some(_), Some(_)) => Err(PyValueError::new_err("key and context: only one of them may be given")),
        (Some(key), None) => {
            let key = Buffer::of(key, || "key".to_string())?;
            let wrong = || PyValueError::new_err(format!("key has {} bytes: it must have {KEY_BYTES}", key.bytes().len()));
            Ok(Mode::keyed(key.bytes().try_into().map_err(|_| wrong())?))
        }
    }
}
