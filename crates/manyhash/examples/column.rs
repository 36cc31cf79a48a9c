//! `cargo run --release --example column`: the function `sha256(column)` of a column store. The values of
//! a column lie one after the other in one buffer, and offsets say where each begins and the last one ends.

use manyhash::{Sha256, hash, hash_contiguous_into};
use std::time::Instant;

/// Strings as Arrow, ClickHouse and others have them.
struct Column {
    values: Vec<u8>,
    offsets: Vec<i64>,
}

impl Column {
    fn of(texts: impl Iterator<Item = String>) -> Self {
        let mut column = Self { values: Vec::new(), offsets: vec![0] };
        for text in texts {
            column.values.extend_from_slice(text.as_bytes());
            column.offsets.push(column.values.len() as i64);
        }
        column
    }

    fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The digests as strings of a fixed length, one after the other.
    fn sha256(&self) -> Vec<[u8; 32]> {
        let mut digests = vec![[0; 32]; self.rows()];
        hash_contiguous_into::<Sha256>(&self.values, &self.offsets, &mut digests);
        digests
    }
}

fn main() {
    let names = ["Ada", "Grace", "Katherine", "Barbara", "Frances"];
    let column = Column::of((0..100_000).map(|row| format!("{}.{row}@example.org", names[row % names.len()])));

    let start = Instant::now();
    let digests = column.sha256();
    let together = start.elapsed();

    let start = Instant::now();
    let one_by_one = column.offsets.windows(2).map(|ends| hash::<Sha256>(&column.values[ends[0] as usize..ends[1] as usize]));
    assert!(digests.iter().copied().eq(one_by_one));
    let apart = start.elapsed();

    let nanoseconds = |time: std::time::Duration| time.as_nanos() as f64 / column.rows() as f64;
    println!("{} rows: {:.0} ns a row together, {:.0} ns one by one", column.rows(), nanoseconds(together), nanoseconds(apart));
}
