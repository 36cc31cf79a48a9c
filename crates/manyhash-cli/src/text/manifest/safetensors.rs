//! Models whose tensors are in several files of the format `safetensors`, with an index that says which
//! file has which tensor.
//!
//! A file begins with the number of bytes of its header, in eight bytes, the least significant first. The
//! header is JSON: for each tensor its type, its shape, and where its bytes begin and end behind the header.

use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path};

/// The end of the name of an index.
pub(super) const INDEX: &[u8] = b".safetensors.index.json";

/// The most bytes of a header; those who write the format allow no more.
const MOST_HEADER_BYTES: u64 = 100_000_000;

/// The most messages about an index.
const MOST_PROBLEMS: usize = 10;

#[derive(Deserialize)]
struct Index {
    #[serde(default)]
    metadata: IndexMetadata,
    weight_map: BTreeMap<String, String>,
}

#[derive(Default, Deserialize)]
struct IndexMetadata {
    /// Bytes of all tensors. Some write it as a number with a point.
    total_size: Option<f64>,
}

#[derive(Deserialize)]
struct Tensor {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: (u64, u64),
}

/// Returns what is wrong with the files that the index at `path` names, and with the index.
pub(super) fn problems(path: &Path) -> Vec<String> {
    let mut problems = match read_index(path) {
        Ok(index) => problems_of(&index, path.parent().unwrap_or(Path::new(""))),
        Err(error) => vec![error.to_string()],
    };
    if problems.len() > MOST_PROBLEMS {
        let more = problems.split_off(MOST_PROBLEMS - 1).len();
        problems.push(format!("{more} things more are wrong"));
    }
    problems
}

fn read_index(path: &Path) -> io::Result<Index> {
    Ok(serde_json::from_reader(io::BufReader::new(File::open(path)?))?)
}

fn problems_of(index: &Index, folder: &Path) -> Vec<String> {
    let mut shards: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (tensor, shard) in &index.weight_map {
        shards.entry(shard).or_default().insert(tensor);
    }
    let (mut problems, mut bytes, mut all_read) = (Vec::new(), 0, true);
    for (shard, wanted) in &shards {
        match tensors_of(folder, shard) {
            Ok(tensors) => {
                bytes += tensors.values().map(|tensor| tensor.data_offsets.1 - tensor.data_offsets.0).sum::<u64>();
                let missing = wanted.iter().filter(|tensor| !tensors.contains_key(**tensor));
                problems.extend(missing.map(|tensor| format!("{tensor} is not in {shard}")));
                let unknown = tensors.keys().filter(|tensor| !wanted.contains(tensor.as_str()));
                problems.extend(unknown.map(|tensor| format!("{shard} has {tensor}, which the index has not there")));
            }
            Err(error) => {
                all_read = false;
                problems.push(format!("{shard}, which has {} of its tensors: {error}", wanted.len()));
            }
        }
    }
    match index.metadata.total_size {
        Some(total) if all_read && total != bytes as f64 => {
            problems.push(format!("its tensors have {bytes} bytes, and it says {total}"));
        }
        _ => {}
    }
    problems
}

/// Returns the tensors of a file, whose header and size fit together.
fn tensors_of(folder: &Path, shard: &str) -> Result<BTreeMap<String, Tensor>, String> {
    if !Path::new(shard).components().all(|part| matches!(part, Component::Normal(_))) {
        return Err("it is not in the folder of the index".to_string());
    }
    let mut file = File::open(folder.join(shard)).map_err(|error| crate::message::reason(&error))?;
    let file_bytes = file.metadata().map_err(|error| crate::message::reason(&error))?.len();
    let mut length = [0; 8];
    file.read_exact(&mut length).map_err(|_| "it is no safetensors file".to_string())?;
    let header_bytes = u64::from_le_bytes(length);
    if header_bytes > MOST_HEADER_BYTES || header_bytes > file_bytes.saturating_sub(8) {
        return Err(format!("its header would have {header_bytes} bytes"));
    }
    let mut header = Vec::new();
    file.take(header_bytes).read_to_end(&mut header).map_err(|error| crate::message::reason(&error))?;
    let mut values: BTreeMap<String, serde_json::Value> =
        serde_json::from_slice(&header).map_err(|error| format!("its header: {error}"))?;
    values.remove("__metadata__");
    let mut tensors = BTreeMap::new();
    for (name, value) in values {
        let tensor: Tensor = serde_json::from_value(value).map_err(|error| format!("its header: {name}: {error}"))?;
        tensors.insert(name, tensor);
    }
    let mut ranges: Vec<_> = tensors.iter().map(|(name, tensor)| (tensor.data_offsets, name)).collect();
    ranges.sort_unstable();
    let mut end = 0;
    for ((start, stop), name) in ranges {
        if start != end || stop < start {
            return Err(format!("its header: {name} is not behind the tensor before"));
        }
        end = stop;
    }
    for (name, tensor) in &tensors {
        let (start, stop) = tensor.data_offsets;
        if tensor.bytes().is_some_and(|bytes| bytes != u128::from(stop - start)) {
            return Err(format!("its header: {name} has {} bytes, which is not what type and shape say", stop - start));
        }
    }
    let says = u128::from(header_bytes) + 8 + u128::from(end);
    if says != u128::from(file_bytes) {
        return Err(format!("it has {file_bytes} bytes, and its header says {says}"));
    }
    Ok(tensors)
}

impl Tensor {
    /// Returns the bytes that its type and shape say, if the type is known here.
    fn bytes(&self) -> Option<u128> {
        let bits = match self.dtype.as_str() {
            "F4" => 4,
            "F6_E2M3" | "F6_E3M2" => 6,
            "BOOL" | "U8" | "I8" | "F8_E5M2" | "F8_E4M3" | "F8_E8M0" => 8,
            "F16" | "BF16" | "I16" | "U16" => 16,
            "F32" | "I32" | "U32" => 32,
            "F64" | "I64" | "U64" | "C64" => 64,
            _ => return None,
        };
        let elements = self.shape.iter().try_fold(1_u128, |product, side| product.checked_mul(u128::from(*side)))?;
        Some(elements.checked_mul(bits)?.div_ceil(8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use tempfile::TempDir;

    fn shard(header: &str, data: usize) -> Vec<u8> {
        [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &vec![7; data]].concat()
    }

    const ONE: &str = r#"{"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},"b":{"dtype":"BF16","shape":[3],"data_offsets":[16,22]}}"#;

    #[test]
    fn what_an_index_says_is_in_the_files() {
        let folder = TempDir::new().unwrap();
        let said = |index: &str, bytes: Option<Vec<u8>>| {
            fs::write(folder.path().join("m.safetensors.index.json"), index).unwrap();
            let _ = fs::remove_file(folder.path().join("1"));
            if let Some(bytes) = bytes {
                fs::write(folder.path().join("1"), bytes).unwrap();
            }
            problems(&folder.path().join("m.safetensors.index.json")).join("; ")
        };
        let right = r#"{"metadata":{"total_size":22},"weight_map":{"a":"1","b":"1"}}"#;
        assert_eq!(said(right, Some(shard(ONE, 22))), "");
        assert_eq!(said(&right.replace("22", "22.0"), Some(shard(ONE, 22))), "");
        assert_eq!(said(r#"{"weight_map":{"a":"1","b":"1"}}"#, Some(shard(ONE, 22))), "");
        for (index, bytes, expected) in [
            (right.to_string(), None, "1, which has 2 of its tensors: No such file or directory"),
            (right.to_string(), Some(shard(ONE, 21)), "bytes, and its header says"),
            (right.to_string(), Some(vec![1, 2]), "no safetensors file"),
            (right.to_string(), Some(shard(&" ".repeat(10), 0)), "its header: "),
            (right.to_string(), Some([&[0xff; 8][..], b"{}"].concat()), "its header would have"),
            (right.to_string(), Some(shard(&ONE.replace("[3]", "[4]"), 22)), "which is not what type and shape say"),
            (right.to_string(), Some(shard(&ONE.replace("[16,22]", "[15,21]"), 22)), "b is not behind the tensor before"),
            (right.replace("22", "23"), Some(shard(ONE, 22)), "its tensors have 22 bytes, and it says 23"),
            (right.replace(r#""b":"1""#, r#""c":"1""#), Some(shard(ONE, 22)), "c is not in 1; 1 has b, which the index has not there"),
            (right.replace(r#":"1""#, r#":"../1""#), Some(shard(ONE, 22)), "not in the folder of the index"),
            ("[]".to_string(), None, "invalid"),
        ] {
            let said = said(&index, bytes);
            assert!(said.contains(expected), "{said}, and not {expected}");
        }
    }
}
