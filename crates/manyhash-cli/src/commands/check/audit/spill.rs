//! Sets of any size in little memory: fingerprints in temporary files that have no name, so that nothing is left of them however the
//! process ends.

mod log;
mod sorter;
mod table;

use std::hash::{BuildHasher, RandomState};

pub use log::Log;
pub use sorter::Sorter;
pub use table::Table;

/// Bytes of a fingerprint.
pub const KEY_BYTES: usize = 16;

/// What stands for a name or a digest.
pub type Key = [u8; KEY_BYTES];

/// Makes keys. They are other ones in every run, so that nobody can prepare two names with the same key.
#[derive(Clone, Debug, Default)]
pub struct Fingerprints([RandomState; 2]);

impl Fingerprints {
    /// The key of `bytes`.
    pub fn of(&self, bytes: &[u8]) -> Key {
        let [high, low] = self.0.each_ref().map(|state| u128::from(state.hash_one(bytes)));
        (high << 64 | low).to_be_bytes()
    }
}

/// The key that `record` begins with.
pub fn key_of<const N: usize>(record: &[u8; N]) -> &Key {
    record.first_chunk().expect("a record has a key")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(count: u64, keys: u64) -> Vec<[u8; 24]> {
        let record = |i: u64| {
            let mut record = [0; 24];
            record[..8].copy_from_slice(&(i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % keys).wrapping_mul(u64::MAX / keys).to_be_bytes());
            record[16..].copy_from_slice(&i.to_be_bytes());
            record
        };
        (0..count).map(record).collect()
    }

    #[test]
    fn records_come_out_in_order_from_memory_and_from_files() {
        let records = records(10_000, 3_000);
        let mut expected = records.clone();
        expected.sort_unstable();
        for limit_bytes in [1 << 20, 24 * 100, 24 * 7, 1] {
            let mut sorter = Sorter::with_limit(limit_bytes);
            for record in &records {
                sorter.push(*record).unwrap();
            }
            let mut sorted = sorter.sorted().unwrap();
            let found: Vec<_> = std::iter::from_fn(|| sorted.next().unwrap()).collect();
            assert!(found == expected, "{limit_bytes}");
        }
    }

    #[test]
    fn the_first_record_of_a_key_is_found_in_memory_and_in_a_file() {
        for (count, keys) in [(0, 1), (1, 1), (5_000, 700), (5_000, 3), (5_000, 1)] {
            let mut expected = records(count, keys);
            expected.sort_unstable();
            for limit_bytes in [1 << 20, 4 << 10, 100] {
                let mut table = Table::with_limit(count, limit_bytes);
                for record in &expected {
                    table.push(*record).unwrap();
                }
                for index in (0..expected.len()).step_by(7) {
                    assert_eq!(table.at(index as u64).unwrap(), Some(expected[index]));
                    let first = expected.partition_point(|other| key_of(other) < key_of(&expected[index]));
                    assert_eq!(table.first(key_of(&expected[index])).unwrap(), Some((first as u64, expected[first])));
                }
                assert_eq!(table.at(count).unwrap(), None);
                for absent in [[0x11; 16], [0xff; 16], *b"0000000000000001"] {
                    assert_eq!(table.first(&absent).unwrap(), None);
                }
            }
        }
    }

    #[test]
    fn a_record_can_be_changed() {
        let mut expected = records(1000, 1 << 20);
        expected.sort_unstable();
        for limit_bytes in [1 << 20, 100] {
            let mut table = Table::with_limit(1000, limit_bytes);
            for record in &expected {
                table.push(*record).unwrap();
            }
            for index in [0, 500, 501, 999] {
                let mut record = table.at(index).unwrap().unwrap();
                record[23] ^= 1;
                table.set(index, record).unwrap();
                table.at(250).unwrap();
                assert_eq!(table.at(index).unwrap(), Some(record));
            }
        }
    }

    #[test]
    fn a_log_gives_back_what_was_put_in() {
        let mut log = Log::default();
        let text = |i: usize| vec![i as u8; i * 100];
        let offsets: Vec<_> = (0..100).map(|i| log.append(&text(i)).unwrap()).collect();
        for i in [99, 0, 50, 3] {
            assert_eq!(log.read(offsets[i]).unwrap(), text(i));
        }
    }
}
