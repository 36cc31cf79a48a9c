//! Messages in memory: places in a buffer of bytes that look random and are the same in every
//! process.

use anyhow::Result;
use manyhash_measure::Buffer;
use serde::{Deserialize, Serialize};

/// Where messages lie; what a worker process needs to make the same ones.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Layout {
    /// Start and length of each, in bytes.
    spans: Vec<(usize, usize)>,
}

impl Layout {
    /// So many messages of so many bytes, one after the other.
    pub fn equal(messages: usize, bytes: usize) -> Self {
        Self { spans: (0..messages).map(|i| (i * bytes, bytes)).collect() }
    }

    /// So many messages of so many bytes, whose starts are `stride_bytes` apart.
    pub fn strided(messages: usize, bytes: usize, stride_bytes: usize) -> Self {
        Self { spans: (0..messages).map(|i| (i * stride_bytes, bytes)).collect() }
    }

    /// The same, the first of them so many bytes behind the begin of the buffer.
    pub fn behind(self, offset: usize) -> Self {
        Self { spans: self.spans.into_iter().map(|(start, bytes)| (start + offset, bytes)).collect() }
    }

    /// Of these lengths, each on a cache line of its own.
    pub fn ragged(lengths: impl IntoIterator<Item = usize>) -> Self {
        let mut end = 0usize;
        let span = |bytes| {
            let start = end.next_multiple_of(64);
            end = start + bytes;
            (start, bytes)
        };
        Self { spans: lengths.into_iter().map(span).collect() }
    }

    /// All of their lengths, summed up.
    pub fn total_bytes(&self) -> usize {
        self.spans.iter().map(|(_, bytes)| bytes).sum()
    }

    pub fn fill(&self) -> Result<Messages> {
        let end = self.spans.iter().map(|(start, bytes)| start + bytes).max().unwrap_or(0);
        Ok(Messages { layout: self.clone(), buffer: Buffer::new(end, 1)? })
    }
}

pub struct Messages {
    layout: Layout,
    buffer: Buffer,
}

impl Messages {
    /// Each, in order.
    pub fn slices(&self) -> Vec<&[u8]> {
        self.layout.spans.iter().map(|(start, bytes)| &self.buffer.bytes()[*start..start + bytes]).collect()
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }
}
