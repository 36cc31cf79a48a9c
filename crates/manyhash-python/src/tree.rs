//! `manyhash.tree`: digests of digests. `tree.py` says what each argument is.

use crate::algorithm::{by_name, check_backend};
use crate::buffer::{Allowed, Buffer, Chunk};
use crate::compute::detached;
use crate::integer::Integer;
use crate::messages::{Limits, Messages};
use manyhash::tree::{BitTorrentV2, DmVerity, FsVerity, JLanes, JPointers, ParameterError, dm_verity, fs_verity::FsVerityAlgorithm};
use manyhash::{Algorithm, AnyAlgorithm, Sha256, Sha512, hash_many, with_algorithm};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

type Digest<'py> = PyResult<Bound<'py, PyBytes>>;

/// A file's root, and the digests of its pieces.
type FileTree<'py> = (Option<Bound<'py, PyBytes>>, Vec<Bound<'py, PyBytes>>);

/// The digest that `make` gives, which runs while other threads of Python do. A `ValueError` if a
/// parameter is wrong.
fn digest<'py>(py: Python<'py>, make: impl FnOnce() -> Result<Vec<u8>, ParameterError> + Send) -> Digest<'py> {
    Ok(PyBytes::new(py, &detached(py, make)?.map_err(wrong_parameter)?))
}

fn wrong_parameter(error: ParameterError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn data_of(object: &Bound<'_, PyAny>) -> PyResult<Buffer> {
    Buffer::of(object, || "data".to_string())
}

/// The j-lanes digest of a message.
#[pyfunction]
pub fn tree_j_lanes<'py>(data: &Bound<'py, PyAny>, lanes: Integer, algorithm: &str, separated: bool) -> Digest<'py> {
    fn of<A: Algorithm>(data: &[u8], lanes: usize, separated: bool) -> Result<Vec<u8>, ParameterError> {
        let mode = JLanes::<A>::new(lanes)?;
        let mode = if separated { mode.separated() } else { mode };
        Ok(mode.hash(data).as_ref().to_vec())
    }
    let (algorithm, lanes, data_buffer) = (by_name(algorithm)?, lanes.size("lanes")?, data_of(data)?);
    let bytes = data_buffer.bytes();
    digest(data.py(), || with_algorithm!(algorithm, A => of::<A>(bytes, lanes, separated)))
}

/// The j-pointers digest of a message.
#[pyfunction]
pub fn tree_j_pointers<'py>(data: &Bound<'py, PyAny>, lanes: Integer, algorithm: &str, separated: bool) -> Digest<'py> {
    fn of<A: Algorithm>(data: &[u8], lanes: usize, separated: bool) -> Result<Vec<u8>, ParameterError> {
        let mode = JPointers::<A>::new(lanes)?;
        let mode = if separated { mode.separated() } else { mode };
        Ok(mode.hash(data).as_ref().to_vec())
    }
    let (algorithm, lanes, data_buffer) = (by_name(algorithm)?, lanes.size("lanes")?, data_of(data)?);
    let bytes = data_buffer.bytes();
    digest(data.py(), || with_algorithm!(algorithm, A => of::<A>(bytes, lanes, separated)))
}

/// The digest of digests.
#[pyfunction]
pub fn tree_files<'py>(digests: &Bound<'py, PyAny>, algorithm: &str) -> Digest<'py> {
    let algorithm = by_name(algorithm)?;
    let mut digests_source = Messages::of(digests, None, Allowed::Bytes, "digests")?;
    let chunk = digests_source.take(Limits { messages: usize::MAX, bytes: usize::MAX }, Chunk::default())?;
    let slices = chunk.slices();
    let expected = algorithm.digest_bytes();
    if let Some((i, digest)) = slices.iter().enumerate().find(|(_, digest)| digest.len() != expected) {
        let bytes = digest.len();
        return Err(PyValueError::new_err(format!("digests[{i}] has {bytes} bytes: those of {} have {expected}", algorithm.name())));
    }
    digest(digests.py(), || {
        let mut hasher = algorithm.hasher();
        slices.iter().for_each(|digest| hasher.update(digest));
        Ok(hasher.finalize())
    })
}

/// The fs-verity digest of a file.
#[pyfunction]
pub fn tree_fs_verity<'py>(data: &Bound<'py, PyAny>, algorithm: &str, block_size: Integer, salt: &Bound<'py, PyAny>) -> Digest<'py> {
    fn of<A: FsVerityAlgorithm>(data: &[u8], block_bytes: usize, salt: &[u8]) -> Result<Vec<u8>, ParameterError> {
        Ok(FsVerity::<A>::new(block_bytes, salt)?.digest(data).as_ref().to_vec())
    }
    let (py, algorithm, block_bytes) = (data.py(), by_name(algorithm)?, block_size.size("block_size")?);
    let (data, salt) = (data_of(data)?, Buffer::of(salt, || "salt".to_string())?);
    let (data, salt) = (data.bytes(), salt.bytes());
    match algorithm {
        AnyAlgorithm::Sha256 => digest(py, || of::<Sha256>(data, block_bytes, salt)),
        AnyAlgorithm::Sha512 => digest(py, || of::<Sha512>(data, block_bytes, salt)),
        other => Err(PyValueError::new_err(format!("fs-verity is of sha256 or sha512, not of {}", other.hashlib_name()))),
    }
}

/// The root of a dm-verity tree.
#[pyfunction]
pub fn tree_dm_verity<'py>(
    data: &Bound<'py, PyAny>,
    algorithm: &str,
    data_block_size: Integer,
    hash_block_size: Integer,
    salt: &Bound<'py, PyAny>,
    format: Integer,
) -> Digest<'py> {
    fn of<A: Algorithm>(
        data: &[u8],
        salt: &[u8],
        format: dm_verity::Format,
        data_block_bytes: usize,
        hash_block_bytes: usize,
    ) -> Result<Vec<u8>, ParameterError> {
        let tree = DmVerity::<A>::new(format, data_block_bytes, hash_block_bytes, salt)?;
        Ok(tree.merkle().roots(&[data]).iter().flatten().flat_map(AsRef::as_ref).copied().collect())
    }
    let (py, algorithm) = (data.py(), by_name(algorithm)?);
    let (data_block_bytes, hash_block_bytes) = (data_block_size.size("data_block_size")?, hash_block_size.size("hash_block_size")?);
    let format = format.value("format")?;
    let format = u32::try_from(format)
        .ok()
        .and_then(dm_verity::Format::by_number)
        .ok_or_else(|| PyValueError::new_err(format!("format is {format}: it must be 1, or 0 for that of Chrome OS")))?;
    let (data, salt) = (data_of(data)?, Buffer::of(salt, || "salt".to_string())?);
    let (data, salt) = (data.bytes(), salt.bytes());
    if data.is_empty() {
        return Err(PyValueError::new_err("data is empty: dm-verity is of one block at least"));
    }
    digest(py, || with_algorithm!(algorithm, A => of::<A>(data, salt, format, data_block_bytes, hash_block_bytes)))
}

/// `pieces root` and `piece layers` of BitTorrent v2.
#[pyfunction]
pub fn tree_bittorrent_v2<'py>(data: &Bound<'py, PyAny>, piece_length: Integer) -> PyResult<FileTree<'py>> {
    let (py, piece_bytes) = (data.py(), piece_length.size("piece_length")?);
    check_backend(AnyAlgorithm::Sha256)?;
    let mode = BitTorrentV2::new(piece_bytes as u64).map_err(wrong_parameter)?;
    let buffer = data_of(data)?;
    let data = buffer.bytes();
    let tree = detached(py, || mode.file_tree(data))?;
    let bytes = |digest: &[u8; 32]| PyBytes::new(py, digest);
    Ok((tree.pieces_root.as_ref().map(bytes), tree.piece_layer.iter().map(bytes).collect()))
}

/// The composite checksum of an upload to S3 in parts.
#[pyfunction]
pub fn tree_s3_composite<'py>(data: &Bound<'py, PyAny>, part_size: Integer, algorithm: &str) -> Digest<'py> {
    fn of<A: Algorithm>(data: &[u8], part_bytes: usize) -> Vec<u8> {
        // An empty object is one empty part.
        let parts: Vec<&[u8]> = if data.is_empty() { vec![data] } else { data.chunks(part_bytes).collect() };
        manyhash::tree::s3_composite::<A>(&hash_many::<A>(&parts)).as_ref().to_vec()
    }
    let (algorithm, part_bytes) = (by_name(algorithm)?, part_size.size("part_size")?);
    if part_bytes == 0 {
        return Err(PyValueError::new_err("part_size is 0: it must be a number of bytes"));
    }
    let buffer = data_of(data)?;
    let bytes = buffer.bytes();
    digest(data.py(), || Ok(with_algorithm!(algorithm, A => of::<A>(bytes, part_bytes))))
}

/// The tree hash of S3 Glacier.
#[pyfunction]
pub fn tree_glacier<'py>(data: &Bound<'py, PyAny>) -> Digest<'py> {
    check_backend(AnyAlgorithm::Sha256)?;
    let buffer = data_of(data)?;
    let bytes = buffer.bytes();
    digest(data.py(), || Ok(manyhash::tree::glacier(bytes).to_vec()))
}
