//! Where files are cut: every so many bytes, or where the content says.

use std::fmt;
use std::str::FromStr;

use fastcdc::v2020::{AVERAGE_MAX, AVERAGE_MIN, FastCDC};

use crate::size;

/// How files are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chunking {
    /// Every so many bytes; the last chunk of a file is what is left.
    Fixed(usize),
    /// Content-defined, by FastCDC (its version of 2020): so many bytes on average, at least a quarter and at most four times that.
    ContentDefined(usize),
}

impl Chunking {
    /// Sizes of fixed chunks: the size of a sector, and what buffers should hold several of.
    const FIXED_BYTES: std::ops::RangeInclusive<usize> = 512..=16 << 20;

    /// No chunk is larger.
    pub fn max_chunk_bytes(self) -> usize {
        match self {
            Self::Fixed(bytes) => bytes,
            Self::ContentDefined(average_bytes) => 4 * average_bytes,
        }
    }

    /// Whether chunks begin at multiples of something, so that a file can be cut from any of them on.
    pub fn grid_bytes(self) -> Option<usize> {
        match self {
            Self::Fixed(bytes) => Some(bytes),
            Self::ContentDefined(_) => None,
        }
    }

    /// Calls `chunk` with the length of each chunk of `bytes`, which begin where a chunk does. Unless they are at the end of their file
    /// some are left, fewer than [`max_chunk_bytes`](Self::max_chunk_bytes): more bytes may belong to that chunk.
    pub fn cut(self, bytes: &[u8], is_end: bool, mut chunk: impl FnMut(usize)) {
        let least_bytes = if is_end { 1 } else { self.max_chunk_bytes() };
        match self {
            Self::Fixed(size) => {
                let mut left = bytes.len();
                while left >= least_bytes {
                    chunk(size.min(left));
                    left -= size.min(left);
                }
            }
            Self::ContentDefined(average) => {
                let cutter = FastCDC::new(bytes, average / 4, average, 4 * average);
                let mut start = 0;
                while bytes.len() - start >= least_bytes {
                    let (_, end) = cutter.cut(start, bytes.len() - start);
                    chunk(end - start);
                    start = end;
                }
            }
        }
    }
}

/// As one would type it.
impl fmt::Display for Chunking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(bytes) => write!(f, "fixed:{bytes}"),
            Self::ContentDefined(average_bytes) => write!(f, "cdc:{average_bytes}"),
        }
    }
}

impl FromStr for Chunking {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, size) = text.split_once(':').ok_or("chunks are fixed:SIZE or cdc:SIZE, as fixed:4096 or cdc:16K")?;
        let bytes = usize::try_from(size::parse(size)?).unwrap_or(usize::MAX);
        match kind {
            "fixed" if Self::FIXED_BYTES.contains(&bytes) => Ok(Self::Fixed(bytes)),
            "fixed" => Err("fixed chunks have 512 bytes to 16M".to_string()),
            "cdc" if bytes.is_power_of_two() && (AVERAGE_MIN..=AVERAGE_MAX).contains(&bytes) => Ok(Self::ContentDefined(bytes)),
            "cdc" => Err("content-defined chunks have on average a power of two from 256 bytes to 4M".to_string()),
            _ => Err(format!("chunks are fixed:SIZE or cdc:SIZE, not {kind}:SIZE")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(chunking: Chunking, bytes: &[u8], is_end: bool) -> Vec<usize> {
        let mut lengths = Vec::new();
        chunking.cut(bytes, is_end, |length| lengths.push(length));
        lengths
    }

    fn noise(length: usize) -> Vec<u8> {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        };
        (0..length).map(|_| next()).collect()
    }

    #[test]
    fn fixed_chunks_are_equal_but_for_the_last() {
        let chunking = Chunking::Fixed(512);
        assert_eq!(lengths(chunking, &[0; 1500], true), [512, 512, 476]);
        assert_eq!(lengths(chunking, &[0; 1500], false), [512, 512]);
        assert_eq!(lengths(chunking, &[0; 1024], true), [512, 512]);
        assert_eq!(lengths(chunking, &[], true), [0; 0]);
    }

    #[test]
    fn content_decides_where_to_cut_whatever_the_buffers() {
        let chunking = Chunking::ContentDefined(1 << 10);
        let content = noise(100_000);
        let whole = lengths(chunking, &content, true);
        assert_eq!(whole.iter().sum::<usize>(), content.len());
        assert!(whole[..whole.len() - 1].iter().all(|length| (256..=4096).contains(length)), "{whole:?}");
        for buffer_bytes in [8192, 10_007, 60_000] {
            let (mut in_pieces, mut start) = (Vec::new(), 0);
            while start < content.len() {
                let end = content.len().min(start + buffer_bytes);
                let piece = lengths(chunking, &content[start..end], end == content.len());
                start += piece.iter().sum::<usize>();
                in_pieces.extend(piece);
            }
            assert_eq!(in_pieces, whole, "{buffer_bytes}");
        }
        // A byte put in front changes the first chunks, not the others.
        let shifted = lengths(chunking, &[&[7], &content[..]].concat(), true);
        assert_eq!(shifted.iter().rev().take(50).collect::<Vec<_>>(), whole.iter().rev().take(50).collect::<Vec<_>>());
    }

    #[test]
    fn chunkings_are_as_typed() {
        for (text, chunking) in [("fixed:4096", Chunking::Fixed(4096)), ("cdc:16384", Chunking::ContentDefined(16 << 10))] {
            assert_eq!((text.parse(), chunking.to_string()), (Ok(chunking), text.to_string()));
        }
        assert_eq!("fixed:1M".parse(), Ok(Chunking::Fixed(1 << 20)));
        for text in ["", "fixed", "4096", "fixed:", "fixed:511", "fixed:17M", "cdc:128", "cdc:48K", "cdc:8M", "rabin:4K"] {
            assert!(text.parse::<Chunking>().is_err(), "{text}");
        }
    }
}
