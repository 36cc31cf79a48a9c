//! The memory of the machine: that of this process as it is, under what the machine has written.
//!
//! The process's own memory is read through `/proc/self/mem`, which fails where nothing is mapped
//! and needs no `unsafe`. Nothing is ever written there.

use crate::Stop;
use crate::words::{Byte, Word, word_bytes};
use std::collections::HashMap;
use std::fs::{File, read_to_string};
use std::ops::Range;
use std::os::unix::fs::FileExt;

const PAGE_BYTES: u64 = 4096;

/// Where code and constants lie: the executable files that are mapped, the data behind them included.
#[derive(Clone, Debug)]
pub struct Image {
    readable: Vec<Range<u64>>,
    executable: Vec<Range<u64>>,
}

impl Image {
    /// Returns that of this process.
    pub fn of_this_process() -> Result<Self, Stop> {
        let maps = read_to_string("/proc/self/maps").map_err(|error| Stop::Machine(format!("/proc/self/maps: {error}")))?;
        let mut image = Self { readable: Vec::new(), executable: Vec::new() };
        let mut end_of_file = 0;
        for line in maps.lines() {
            let mut fields = line.split_ascii_whitespace();
            let (Some(range), Some(rights)) = (fields.next(), fields.next()) else { continue };
            let Some((start, end)) = range.split_once('-') else { continue };
            let (Ok(start), Ok(end)) = (u64::from_str_radix(start, 16), u64::from_str_radix(end, 16)) else { continue };
            let is_file = fields.nth(3).is_some_and(|path| path.starts_with('/'));
            // The data of an executable that is zero at first has no file, and comes next.
            let is_behind_file = start == end_of_file && line.split_ascii_whitespace().count() == 5;
            if is_file || is_behind_file {
                end_of_file = end;
                if rights.starts_with('r') {
                    image.readable.push(start..end);
                }
                if rights.contains('x') {
                    image.executable.push(start..end);
                }
            }
        }
        Ok(image)
    }
}

/// Memory, and what of it may be touched.
pub struct Memory {
    process: File,
    pages: HashMap<u64, Box<[u8; PAGE_BYTES as usize]>>,
    image: Image,
    /// What has been written, byte by byte, and what was put there before the start.
    written: HashMap<u64, Byte>,
    /// Bytes of the code that are not what the process has.
    patches: HashMap<u64, u8>,
    /// The memory of the call that may be read.
    readable: Vec<Range<u64>>,
    /// The memory of the call that may be read and written.
    writable: Vec<Range<u64>>,
    /// Memory where nothing is known until it is written.
    stack: Range<u64>,
}

impl Memory {
    /// Makes memory where a call may read `readable`, read and write `writable`, and use the stack.
    pub fn new(image: &Image, readable: Vec<Range<u64>>, writable: Vec<Range<u64>>, stack: Range<u64>) -> Result<Self, Stop> {
        let process = File::open("/proc/self/mem").map_err(|error| Stop::Machine(format!("/proc/self/mem: {error}")))?;
        let image = image.clone();
        Ok(Self { process, pages: HashMap::new(), image, written: HashMap::new(), patches: HashMap::new(), readable, writable, stack })
    }

    /// Puts bytes in a place, whatever may be done there.
    pub fn put(&mut self, address: u64, bytes: &[Byte]) {
        for (i, byte) in bytes.iter().enumerate() {
            self.written.insert(address + i as u64, *byte);
        }
    }

    /// Changes a byte of the code.
    pub fn patch(&mut self, address: u64, byte: u8) {
        self.patches.insert(address, byte);
    }

    /// Returns the process's own byte.
    fn original(&mut self, address: u64) -> Result<u8, Stop> {
        let number = address / PAGE_BYTES;
        if !self.pages.contains_key(&number) {
            let mut page = Box::new([0; PAGE_BYTES as usize]);
            let read = self.process.read_exact_at(&mut page[..], number * PAGE_BYTES);
            read.map_err(|_| Stop::Wild(format!("nothing is at {address:#x}")))?;
            self.pages.insert(number, page);
        }
        Ok(self.pages[&number][(address % PAGE_BYTES) as usize])
    }

    /// Returns the bytes of an instruction, as many as it can have.
    pub fn code(&mut self, address: u64) -> Result<Vec<u8>, Stop> {
        if !self.image.executable.iter().any(|range| range.contains(&address)) {
            return Err(Stop::Wild(format!("a jump to {address:#x}, where no code is")));
        }
        let mut bytes = Vec::new();
        for at in address..address + 15 {
            match self.patches.get(&at) {
                Some(byte) => bytes.push(*byte),
                None => match self.original(at) {
                    Ok(byte) => bytes.push(byte),
                    Err(_) => break,
                },
            }
        }
        Ok(bytes)
    }

    /// Reads bytes.
    pub fn read(&mut self, address: u64, count: usize) -> Result<Vec<Byte>, Stop> {
        (0..count as u64).map(|i| self.read_byte(address.wrapping_add(i))).collect()
    }

    fn read_byte(&mut self, address: u64) -> Result<Byte, Stop> {
        if let Some(byte) = self.written.get(&address) {
            return Ok(*byte);
        }
        let holds = |ranges: &[Range<u64>]| ranges.iter().any(|range| range.contains(&address));
        if self.stack.contains(&address) {
            // Whatever was there before.
            let start = address - address % word_bytes() as u64;
            let Word::Term(term) = Word::any() else { unreachable!("a variable") };
            for i in 0..word_bytes() as u64 {
                self.written.entry(start + i).or_insert(Byte::Of(term, i as u8));
            }
            return Ok(self.written[&address]);
        }
        if holds(&self.readable) || holds(&self.writable) || holds(&self.image.readable) {
            return self.original(address).map(Byte::Number);
        }
        Err(Stop::Wild(format!("a read of {address:#x}, which is not the call's")))
    }

    /// Writes bytes.
    pub fn write(&mut self, address: u64, bytes: &[Byte]) -> Result<(), Stop> {
        for (i, byte) in bytes.iter().enumerate() {
            let address = address.wrapping_add(i as u64);
            if !self.stack.contains(&address) && !self.writable.iter().any(|range| range.contains(&address)) {
                return Err(Stop::Wild(format!("a write to {address:#x}, which is not the call's")));
            }
            self.written.insert(address, *byte);
        }
        Ok(())
    }
}
