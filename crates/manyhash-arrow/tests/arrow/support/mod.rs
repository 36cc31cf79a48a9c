//! What the tests compare with: digests of single messages by the reference crate.

use arrow_array::{Array, ArrayRef, cast::AsArray};
use arrow_schema::DataType;
use manyhash::AnyAlgorithm;

/// The digest of a message by code that shares nothing with the engine.
pub fn reference(algorithm: AnyAlgorithm, message: &[u8]) -> Vec<u8> {
    reference::by_name(algorithm.name()).expect("the reference has every algorithm")(message)
}

/// The algorithms, but for those that the backend in MANYHASH_BACKEND is not made for.
pub fn algorithms() -> impl Iterator<Item = AnyAlgorithm> {
    manyhash::backend::from_environment().expect("a backend that this CPU has");
    AnyAlgorithm::ALL.iter().copied().filter(|algorithm| match algorithm.backend() {
        Ok(_) => true,
        Err(error) => {
            println!("not tested, because of MANYHASH_BACKEND: {error}");
            false
        }
    })
}

/// The values of a column of digests, whatever its layout.
#[allow(dead_code, reason = "not every test file has columns of several layouts")]
pub fn values(column: &ArrayRef) -> Vec<Option<Vec<u8>>> {
    let value = |row: usize| match column.data_type() {
        DataType::FixedSizeBinary(_) => column.as_fixed_size_binary().value(row).to_vec(),
        DataType::Binary => column.as_binary::<i32>().value(row).to_vec(),
        DataType::BinaryView => column.as_binary_view().value(row).to_vec(),
        DataType::Utf8 => column.as_string::<i32>().value(row).as_bytes().to_vec(),
        DataType::Utf8View => column.as_string_view().value(row).as_bytes().to_vec(),
        other => panic!("digests as {other}"),
    };
    (0..column.len()).map(|row| column.is_valid(row).then(|| value(row))).collect()
}
