//! `manyhash.tree`: digests of digests. What each argument is, is told in `tree.py`.

use manyhash::tree::{BitTorrentV2, DmVerity, FsVerity, JLanes, JPointers, ParameterError, dm_verity, fs_verity::FsVerityAlgorithm};
use manyhash::{Algorithm, AnyAlgorithm, ForAlgorithm, Sha256, Sha512, hash_many};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::algorithm::{by_name, check_backend};
use crate::buffer::{Allowed, Buffer, Chunk};
use crate::compute::detached;
use crate::integer::Integer;
use crate::messages::{Limits, Messages};

type Digest<'py> = PyResult<Bound<'py, PyBytes>>;

/// The root, and the digests of pieces.
type FileTree<'py> = (Option<Bound<'py, PyBytes>>, Vec<Bound<'py, PyBytes>>);

/// Does `what` for an algorithm while other threads of Python run, and gives the digest.
fn digest<'py, F>(py: Python<'py>, algorithm: AnyAlgorithm, what: F) -> Digest<'py>
where
    F: ForAlgorithm<Output = Result<Vec<u8>, ParameterError>> + Send,
{
    let digest = detached(py, || algorithm.with(what))?.map_err(wrong_parameter)?;
    Ok(PyBytes::new(py, &digest))
}

fn wrong_parameter(error: ParameterError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn data_of(object: &Bound<'_, PyAny>) -> PyResult<Buffer> {
    Buffer::of(object, || "data".to_string())
}

struct Lanes<'a> {
    data: &'a [u8],
    lanes: usize,
    separated: bool,
    mode: LanesMode,
}

#[derive(Clone, Copy)]
enum LanesMode {
    Lanes,
    Pointers,
}

impl ForAlgorithm for Lanes<'_> {
    type Output = Result<Vec<u8>, ParameterError>;

    fn run<A: Algorithm>(self) -> Self::Output {
        let Self { data, lanes, separated, mode } = self;
        let digest = match mode {
            LanesMode::Lanes => {
                let mode = JLanes::<A>::new(lanes)?;
                if separated { mode.separated() } else { mode }.hash(data)
            }
            LanesMode::Pointers => {
                let mode = JPointers::<A>::new(lanes)?;
                if separated { mode.separated() } else { mode }.hash(data)
            }
        };
        Ok(digest.as_ref().to_vec())
    }
}

/// j-lanes.
#[pyfunction]
pub fn tree_j_lanes<'py>(data: &Bound<'py, PyAny>, lanes: Integer, algorithm: &str, separated: bool) -> Digest<'py> {
    of_lanes(data, lanes, algorithm, separated, LanesMode::Lanes)
}

/// j-pointers.
#[pyfunction]
pub fn tree_j_pointers<'py>(data: &Bound<'py, PyAny>, lanes: Integer, algorithm: &str, separated: bool) -> Digest<'py> {
    of_lanes(data, lanes, algorithm, separated, LanesMode::Pointers)
}

fn of_lanes<'py>(data: &Bound<'py, PyAny>, lanes: Integer, algorithm: &str, separated: bool, mode: LanesMode) -> Digest<'py> {
    let (algorithm, lanes, buffer) = (by_name(algorithm)?, lanes.size("lanes")?, data_of(data)?);
    digest(data.py(), algorithm, Lanes { data: buffer.bytes(), lanes, separated, mode })
}

/// The digest of digests.
#[pyfunction]
pub fn tree_files<'py>(digests: &Bound<'py, PyAny>, algorithm: &str) -> Digest<'py> {
    struct Files<'a>(&'a [&'a [u8]]);
    impl ForAlgorithm for Files<'_> {
        type Output = Result<Vec<u8>, ParameterError>;

        fn run<A: Algorithm>(self) -> Self::Output {
            let mut hasher = manyhash::Hasher::<A>::new();
            self.0.iter().for_each(|digest| hasher.update(digest));
            Ok(hasher.finalize().as_ref().to_vec())
        }
    }
    let algorithm = by_name(algorithm)?;
    let mut digests_source = Messages::of(digests, None, Allowed::Bytes, "digests")?;
    let chunk = digests_source.take(Limits { messages: usize::MAX, bytes: usize::MAX }, Chunk::default())?;
    let slices = chunk.slices();
    let expected = algorithm.digest_bytes();
    if let Some(i) = slices.iter().position(|digest| digest.len() != expected) {
        let bytes = slices[i].len();
        return Err(PyValueError::new_err(format!("digests[{i}] has {bytes} bytes: those of {} have {expected}", algorithm.name())));
    }
    digest(digests.py(), algorithm, Files(slices))
}

/// fs-verity.
#[pyfunction]
pub fn tree_fs_verity<'py>(data: &Bound<'py, PyAny>, algorithm: &str, block_size: Integer, salt: &Bound<'py, PyAny>) -> Digest<'py> {
    fn of<A: FsVerityAlgorithm>(data: &[u8], block_bytes: usize, salt: &[u8]) -> Result<Vec<u8>, ParameterError> {
        Ok(FsVerity::<A>::new(block_bytes, salt)?.digest(data).as_ref().to_vec())
    }
    let (py, algorithm, block_bytes) = (data.py(), by_name(algorithm)?, block_size.size("block_size")?);
    let (data, salt) = (data_of(data)?, Buffer::of(salt, || "salt".to_string())?);
    let (data, salt) = (data.bytes(), salt.bytes());
    let digest = match algorithm {
        AnyAlgorithm::Sha256 => detached(py, || of::<Sha256>(data, block_bytes, salt))?,
        AnyAlgorithm::Sha512 => detached(py, || of::<Sha512>(data, block_bytes, salt))?,
        other => return Err(PyValueError::new_err(format!("fs-verity is of sha256 or sha512, not of {}", other.hashlib_name()))),
    };
    Ok(PyBytes::new(py, &digest.map_err(wrong_parameter)?))
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
    struct Root<'a> {
        data: &'a [u8],
        salt: &'a [u8],
        format: dm_verity::Format,
        data_block_bytes: usize,
        hash_block_bytes: usize,
    }
    impl ForAlgorithm for Root<'_> {
        type Output = Result<Vec<u8>, ParameterError>;

        fn run<A: Algorithm>(self) -> Self::Output {
            let tree = DmVerity::<A>::new(self.format, self.data_block_bytes, self.hash_block_bytes, self.salt)?;
            let root = tree.merkle().roots(&[self.data])[0];
            Ok(root.map_or_else(Vec::new, |root| root.as_ref().to_vec()))
        }
    }
    let (py, algorithm) = (data.py(), by_name(algorithm)?);
    let (data_block_bytes, hash_block_bytes) = (data_block_size.size("data_block_size")?, hash_block_size.size("hash_block_size")?);
    let format = format.value("format")?;
    let format = u32::try_from(format)
        .ok()
        .and_then(dm_verity::Format::by_number)
        .ok_or_else(|| PyValueError::new_err(format!("format is {format}: it must be 1, or 0 for that of Chrome OS")))?;
    let (data, salt) = (data_of(data)?, Buffer::of(salt, || "salt".to_string())?);
    if data.bytes().is_empty() {
        return Err(PyValueError::new_err("data is empty: dm-verity is of one block at least"));
    }
    digest(py, algorithm, Root { data: data.bytes(), salt: salt.bytes(), format, data_block_bytes, hash_block_bytes })
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
    struct Composite<'a> {
        data: &'a [u8],
        part_bytes: usize,
    }
    impl ForAlgorithm for Composite<'_> {
        type Output = Result<Vec<u8>, ParameterError>;

        fn run<A: Algorithm>(self) -> Self::Output {
            // An empty object is one empty part.
            let parts: Vec<&[u8]> = if self.data.is_empty() { vec![self.data] } else { self.data.chunks(self.part_bytes).collect() };
            Ok(manyhash::tree::s3_composite::<A>(&hash_many::<A>(&parts)).as_ref().to_vec())
        }
    }
    let (algorithm, part_bytes) = (by_name(algorithm)?, part_size.size("part_size")?);
    if part_bytes == 0 {
        return Err(PyValueError::new_err("part_size is 0: it must be a number of bytes"));
    }
    let buffer = data_of(data)?;
    digest(data.py(), algorithm, Composite { data: buffer.bytes(), part_bytes })
}

/// The tree hash of S3 Glacier.
#[pyfunction]
pub fn tree_glacier<'py>(data: &Bound<'py, PyAny>) -> Digest<'py> {
    check_backend(AnyAlgorithm::Sha256)?;
    let buffer = data_of(data)?;
    let bytes = buffer.bytes();
    let digest = detached(data.py(), || manyhash::tree::glacier(bytes))?;
    Ok(PyBytes::new(data.py(), &digest))
}
