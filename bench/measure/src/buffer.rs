//! Memory for the messages: aligned to a huge page, huge pages asked for, filled with
//! random-looking bytes.
//!
//! Huge pages keep the cost of address translation out of the comparison. Each buffer is a mapping
//! of its own: memory that an allocator hands out again may already consist of small pages, and
//! would stay so.

use anyhow::{Context, Result};
use memmap2::MmapMut;

use crate::random::Random;

/// The size of a huge page on x86-64 and, with 4 KiB base pages, on AArch64.
const HUGE_PAGE_BYTES: usize = 2 << 20;

/// Random-looking bytes that start on a huge-page boundary.
pub struct Buffer {
    mapping: MmapMut,
    start: usize,
}

impl Buffer {
    /// At least `bytes` bytes, all of them written, so that every page is present before anything
    /// is timed.
    pub fn new(bytes: usize, seed: u64) -> Result<Self> {
        let whole = bytes.max(1).next_multiple_of(HUGE_PAGE_BYTES);
        let of = || format!("mapping {whole} bytes");
        let mut mapping = MmapMut::map_anon(whole + HUGE_PAGE_BYTES).with_context(of)?;
        let start = mapping.as_ptr().align_offset(HUGE_PAGE_BYTES);
        // A refusal (a kernel without huge pages) only means small pages.
        #[cfg(target_os = "linux")]
        let _ = mapping.advise_range(memmap2::Advice::HugePage, start, whole);
        Random::new(seed).fill(&mut mapping[start..start + whole]);
        Ok(Self { mapping, start })
    }

    /// The whole buffer.
    pub fn bytes(&self) -> &[u8] {
        &self.mapping[self.start..self.mapping.len() - HUGE_PAGE_BYTES + self.start]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_look_random_and_are_the_same_every_time() {
        let (one, two) = (Buffer::new(4096, 1).unwrap(), Buffer::new(4096, 1).unwrap());
        assert_eq!(one.bytes(), two.bytes());
        let mut seen = [0u32; 256];
        one.bytes().iter().for_each(|&byte| seen[byte as usize] += 1);
        let expected = one.bytes().len() as u32 / 256;
        assert!(seen.iter().all(|&n| n.abs_diff(expected) < expected / 10));
    }
}
