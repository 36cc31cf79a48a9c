//! The rules for cutting files into chunks: at fixed distances, or where the content says.

use crate::flags::Chunking;
use fastcdc::v2020::FastCDC;

impl Chunking {
    pub(crate) fn max_chunk_bytes(self) -> usize {
        match self {
            Self::Fixed(bytes) => bytes,
            Self::ContentDefined(average_bytes) => 4 * average_bytes,
        }
    }

    /// Returns the distance of chunks if they begin at its multiples, so that a file can be cut
    /// from any of them on.
    pub(crate) fn grid_bytes(self) -> Option<usize> {
        match self {
            Self::Fixed(bytes) => Some(bytes),
            Self::ContentDefined(_) => None,
        }
    }

    /// Calls `chunk` with the length of each chunk of `bytes`, which begin where a chunk does.
    /// Unless `bytes` end their file, fewer than [`max_chunk_bytes`](Self::max_chunk_bytes) of them
    /// are left over, because more bytes may belong to the last chunk.
    pub(crate) fn cut(self, bytes: &[u8], is_end: bool, mut chunk: impl FnMut(usize)) {
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
}
