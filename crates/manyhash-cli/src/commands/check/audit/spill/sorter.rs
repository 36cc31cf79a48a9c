//! Sorts records: in memory while they fit, else as sorted runs in a file that are merged at the end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::vec;

/// Records in memory.
const LIMIT_BYTES: usize = 4 << 20;

/// Takes records in any order. They are compared byte by byte, so that a key comes first and numbers are big-endian.
#[derive(Debug)]
pub struct Sorter<const N: usize> {
    records: Vec<[u8; N]>,
    limit: usize,
    file: Option<File>,
    /// How many records each run in the file has.
    runs: Vec<u64>,
}

impl<const N: usize> Default for Sorter<N> {
    fn default() -> Self {
        Self::with_limit(LIMIT_BYTES)
    }
}

impl<const N: usize> Sorter<N> {
    /// A sorter that keeps so much in memory.
    pub fn with_limit(limit_bytes: usize) -> Self {
        Self { records: Vec::new(), limit: (limit_bytes / N).max(1), file: None, runs: Vec::new() }
    }

    /// Takes one.
    pub fn push(&mut self, record: [u8; N]) -> io::Result<()> {
        if self.records.len() == self.limit {
            self.write_run()?;
        }
        self.records.push(record);
        Ok(())
    }

    /// How many it has.
    pub fn len(&self) -> u64 {
        self.runs.iter().sum::<u64>() + self.records.len() as u64
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn write_run(&mut self) -> io::Result<()> {
        self.records.sort_unstable();
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        file.write_all(self.records.as_flattened())?;
        self.runs.push(self.records.len() as u64);
        self.records.clear();
        Ok(())
    }

    /// All of them in order.
    pub fn sorted(mut self) -> io::Result<Sorted<N>> {
        if self.file.is_some() {
            self.write_run()?;
        }
        let Some(file) = self.file else {
            self.records.sort_unstable();
            return Ok(Sorted::Memory(self.records.into_iter()));
        };
        let buffer_records = (self.limit / self.runs.len()).max(1) as u64;
        // Their memory goes to the buffers.
        self.records = Vec::new();
        let mut offset = 0;
        let mut merge = Merge { file, buffer_records, runs: Vec::new(), heads: BinaryHeap::new() };
        for (index, records) in self.runs.into_iter().enumerate() {
            merge.runs.push(Run { offset, records, buffer: Vec::new().into_iter() });
            offset += records * N as u64;
            merge.advance(index)?;
        }
        Ok(Sorted::File(merge))
    }
}

/// Records in order.
#[derive(Debug)]
pub enum Sorted<const N: usize> {
    /// That were in memory.
    Memory(vec::IntoIter<[u8; N]>),
    /// That were in a file.
    File(Merge<N>),
}

impl<const N: usize> Sorted<N> {
    /// The next one.
    pub fn next(&mut self) -> io::Result<Option<[u8; N]>> {
        match self {
            Self::Memory(records) => Ok(records.next()),
            Self::File(merge) => merge.next(),
        }
    }
}

/// Runs being merged.
#[derive(Debug)]
pub struct Merge<const N: usize> {
    file: File,
    buffer_records: u64,
    runs: Vec<Run<N>>,
    /// The next record of each run that has one.
    heads: BinaryHeap<Reverse<([u8; N], usize)>>,
}

#[derive(Debug)]
struct Run<const N: usize> {
    /// Where the records begin that are not in the buffer.
    offset: u64,
    /// How many these are.
    records: u64,
    buffer: vec::IntoIter<[u8; N]>,
}

impl<const N: usize> Merge<N> {
    fn next(&mut self) -> io::Result<Option<[u8; N]>> {
        let Some(Reverse((record, run))) = self.heads.pop() else { return Ok(None) };
        self.advance(run)?;
        Ok(Some(record))
    }

    /// Puts the next record of a run among the heads.
    fn advance(&mut self, index: usize) -> io::Result<()> {
        let run = &mut self.runs[index];
        if run.buffer.len() == 0 && run.records > 0 {
            let records = run.records.min(self.buffer_records);
            let mut buffer = vec![[0; N]; records as usize];
            self.file.seek(SeekFrom::Start(run.offset))?;
            self.file.read_exact(buffer.as_flattened_mut())?;
            run.offset += records * N as u64;
            run.records -= records;
            run.buffer = buffer.into_iter();
        }
        self.heads.extend(run.buffer.next().map(|record| Reverse((record, index))));
        Ok(())
    }
}
