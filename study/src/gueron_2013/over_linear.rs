//! j-lanes hashing over any linear hash function (Gueron 2013, definitions 1 and 2), as "j-lanes
//! using OpenSSL" and "j-lanes using the n-SMS" of section 3 are: nothing is done at once, so that
//! all its cost is there and none of its gain.

/// Slices of one message, and their digests, in memory that is used again.
pub struct OverLinear {
    word_bytes: usize,
    slices: Vec<Vec<u8>>,
    digests: Vec<u8>,
}

impl OverLinear {
    /// For so many slices, dealt out in words of 4 or 8 bytes.
    pub fn new(lanes: usize, word_bytes: usize) -> Self {
        assert!(matches!(word_bytes, 4 | 8), "words of {word_bytes} bytes");
        Self { word_bytes, slices: vec![Vec::new(); lanes], digests: Vec::new() }
    }

    /// Definition 1: "consecutive 128-bit chunks of the message are treated as 4 consecutive 32-bit
    /// words, each one belongs to a different slice" (section 2.2), for any number of slices. The
    /// last word may be short.
    pub fn deal(&mut self, message: &[u8]) -> &[Vec<u8>] {
        match self.word_bytes {
            4 => deal::<4>(message, &mut self.slices),
            _ => deal::<8>(message, &mut self.slices),
        }
        &self.slices
    }

    /// Definition 2: appends the digest of the slices' digests. `linear` appends the digest of what
    /// it is given.
    pub fn hash(&mut self, message: &[u8], digests: &mut Vec<u8>, mut linear: impl FnMut(&[u8], &mut Vec<u8>)) {
        self.deal(message);
        self.digests.clear();
        for slice in &self.slices {
            linear(slice, &mut self.digests);
        }
        linear(&self.digests, digests);
    }
}

fn deal<const WORD_BYTES: usize>(message: &[u8], slices: &mut [Vec<u8>]) {
    let row_bytes = slices.len() * WORD_BYTES;
    let rows = message.len() / row_bytes;
    let rest = &message[rows * row_bytes..];
    for (lane, slice) in slices.iter_mut().enumerate() {
        slice.resize(rows * WORD_BYTES, 0);
        for (word, row) in slice.chunks_exact_mut(WORD_BYTES).zip(message.chunks_exact(row_bytes)) {
            word.copy_from_slice(&row[lane * WORD_BYTES..][..WORD_BYTES]);
        }
        slice.extend(rest.iter().skip(lane * WORD_BYTES).take(WORD_BYTES));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_dealt_out_as_cards_are() {
        let mut over = OverLinear::new(3, 4);
        assert_eq!(over.deal(b"aaaabbbbccccddddeeeeff"), [&b"aaaadddd"[..], b"bbbbeeee", b"ccccff"]);
        assert_eq!(over.deal(b"aaaabb"), [&b"aaaa"[..], b"bb", b""]);
        assert_eq!(OverLinear::new(2, 8).deal(b"aaaaaaaabbbbbbbbc"), [&b"aaaaaaaac"[..], b"bbbbbbbb"]);
    }
}
