//! Records in order of their keys, found by key: in memory while they fit, else in a file of blocks with the first key of each in memory.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use super::{Key, key_of};

/// Records in memory.
const LIMIT_BYTES: usize = 4 << 20;

/// A block, if the table is not so large that there would be more than [`MOST_BLOCKS`].
const BLOCK_BYTES: usize = 4 << 10;
const MOST_BLOCKS: u64 = 1 << 16;

/// The table.
#[derive(Debug)]
pub struct Table<const N: usize> {
    records: u64,
    block_records: u64,
    /// None if all records are in one block.
    file: Option<File>,
    /// The beginning of the first key of each block.
    fences: Vec<u64>,
    /// The block at hand, while the table is filled the last one, and its number.
    block: Vec<[u8; N]>,
    block_number: u64,
}

impl<const N: usize> Table<N> {
    /// A table for up to `records` records.
    pub fn new(records: u64) -> Self {
        Self::with_limit(records, LIMIT_BYTES)
    }

    /// A table that keeps so much in memory.
    pub fn with_limit(records: u64, limit_bytes: usize) -> Self {
        let limit = (limit_bytes / N) as u64;
        let in_blocks = ((limit_bytes.min(BLOCK_BYTES) / N) as u64).max(records.div_ceil(MOST_BLOCKS)).max(1);
        let block_records = if records <= limit { records.max(1) } else { in_blocks };
        Self { records: 0, block_records, file: None, fences: Vec::new(), block: Vec::new(), block_number: 0 }
    }

    /// Appends a record whose key is none before the last one.
    pub fn push(&mut self, record: [u8; N]) -> io::Result<()> {
        if self.block.len() as u64 == self.block_records {
            self.write_block()?;
            self.block.clear();
            self.block_number += 1;
        }
        if self.block.is_empty() {
            self.fences.push(beginning(key_of(&record)));
        }
        self.block.push(record);
        self.records += 1;
        Ok(())
    }

    /// The record at `index`.
    pub fn at(&mut self, index: u64) -> io::Result<Option<[u8; N]>> {
        if index >= self.records {
            return Ok(None);
        }
        self.turn_to(index / self.block_records)?;
        Ok(Some(self.block[(index % self.block_records) as usize]))
    }

    /// The first record with `key`, and its index.
    pub fn first(&mut self, key: &Key) -> io::Result<Option<(u64, [u8; N])>> {
        // It is in the last block that begins before the key, or is the first record of the block after that.
        let after = self.fences.partition_point(|&fence| fence < beginning(key)) as u64;
        let mut low = after.saturating_sub(1) * self.block_records;
        // Keys with the same beginning as the one wanted may come before it.
        let same = self.fences.partition_point(|&fence| fence <= beginning(key)) as u64;
        let mut high = (same * self.block_records).min(self.records);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.at(middle)? {
                Some(record) if key_of(&record) < key => low = middle + 1,
                _ => high = middle,
            }
        }
        Ok(self.at(low)?.filter(|record| key_of(record) == key).map(|record| (low, record)))
    }

    /// Puts `record`, which has the same key, in the place of the one at `index`.
    pub fn set(&mut self, index: u64, record: [u8; N]) -> io::Result<()> {
        self.turn_to(index / self.block_records)?;
        self.block[(index % self.block_records) as usize] = record;
        if let Some(file) = &mut self.file {
            file.seek(SeekFrom::Start(index * N as u64))?;
            file.write_all(&record)?;
        }
        Ok(())
    }

    fn write_block(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        file.seek(SeekFrom::Start(self.block_number * self.block_records * N as u64))?;
        file.write_all(self.block.as_flattened())
    }

    fn turn_to(&mut self, block_number: u64) -> io::Result<()> {
        if block_number == self.block_number {
            return Ok(());
        }
        let last = self.fences.len() as u64 - 1;
        if self.block_number == last {
            self.write_block()?;
        }
        let first = block_number * self.block_records;
        let records = (self.records - first).min(self.block_records);
        self.block.resize(records as usize, [0; N]);
        let file = self.file.as_mut().expect("more than one block is in a file");
        file.seek(SeekFrom::Start(first * N as u64))?;
        file.read_exact(self.block.as_flattened_mut())?;
        self.block_number = block_number;
        Ok(())
    }
}

fn beginning(key: &Key) -> u64 {
    u64::from_be_bytes(*key.first_chunk().expect("a key is longer"))
}
