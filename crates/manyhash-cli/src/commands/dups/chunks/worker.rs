//! A worker: reads a unit's files into its buffer, cuts them, and hashes all chunks in lanes.

use super::seen::Key;
use super::units::{FolderNumber, Item, Stretch, Unit};
use crate::flags::Chunking;
use manyhash::AnyAlgorithm;
use manyhash_files::read::{at_most, retrying};
use manyhash_files::{Reading, Totals, hash_each};
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::mem;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// A result of a unit. They come in order.
#[derive(Debug)]
pub(crate) enum Event {
    /// A chunk of a file in this folder, with its length and key.
    Chunk(FolderNumber, u32, Key),
    /// The end of a file in this folder.
    File(FolderNumber),
    /// Something that is not looked at, and what it is.
    Skipped(PathBuf, &'static str),
    Failed(PathBuf, io::Error),
    /// A file whose size has changed.
    Changed(PathBuf),
}

/// The smallest size of a worker's buffer. It fits the second-level caches. With a buffer a few
/// times larger, each byte is fetched from memory twice.
const BUFFER_BYTES: usize = 1 << 20;

pub(crate) fn buffer_bytes(chunking: Chunking) -> usize {
    BUFFER_BYTES.max(4 * chunking.max_chunk_bytes())
}

pub(crate) struct Worker {
    chunking: Chunking,
    algorithm: AnyAlgorithm,
    buffer: Vec<u8>,
    filled: usize,
    /// The end of the chunks cut so far in the buffer.
    cut: usize,
    chunks: Vec<(FolderNumber, Range<usize>)>,
    events: Vec<Event>,
    totals: Arc<Totals>,
}

#[expect(clippy::indexing_slicing, reason = "`cut` and the range of each chunk are at most `filled`, which is at most the buffer's length")]
impl Worker {
    pub(crate) fn new(chunking: Chunking, algorithm: AnyAlgorithm, totals: Arc<Totals>) -> Self {
        let buffer = vec![0; buffer_bytes(chunking)];
        Self { chunking, algorithm, buffer, filled: 0, cut: 0, chunks: Vec::new(), events: Vec::new(), totals }
    }

    /// Processes a unit, and passes its results to `give`.
    pub(crate) fn run(&mut self, unit: Unit, give: &mut dyn FnMut(Vec<Event>)) {
        for item in unit {
            match item {
                Item::Skipped(path, what) => self.events.push(Event::Skipped(path, what)),
                Item::Failed(path, error) => self.events.push(Event::Failed(path, error)),
                Item::Stretch(stretch) => {
                    let full = |worker: &mut Self| {
                        worker.hash();
                        give(mem::take(&mut worker.events));
                    };
                    if let Err(error) = self.read(&stretch, full) {
                        // Bytes that are cut stay; the others go.
                        self.filled = self.cut;
                        self.events.push(Event::Failed(stretch.path, error));
                    }
                }
            }
        }
        self.hash();
        give(mem::take(&mut self.events));
    }

    /// Reads a stretch and cuts it. Calls `full` whenever the buffer is full.
    fn read(&mut self, stretch: &Stretch, mut full: impl FnMut(&mut Self)) -> io::Result<()> {
        let mut file = File::open(&stretch.path)?;
        if stretch.start > 0 {
            file.seek(SeekFrom::Start(stretch.start))?;
        }
        let reading = Reading::begin(&self.totals, &stretch.path, stretch.bytes);
        // The last stretch ends where the file now ends.
        let limit_bytes = if stretch.is_last { u64::MAX } else { stretch.bytes };
        let mut read_bytes = 0;
        let mut has_ended = false;
        while !has_ended {
            if self.filled == self.buffer.len() {
                self.cut(stretch.folder, false);
                full(self);
            }
            let left_bytes = usize::try_from(limit_bytes - read_bytes).unwrap_or(usize::MAX);
            let wanted = at_most(&mut self.buffer[self.filled..], left_bytes);
            let wanted_bytes = wanted.len();
            let count = retrying(&mut file, wanted)?;
            self.filled += count;
            read_bytes += count as u64;
            reading.read(count);
            has_ended = count == 0 || read_bytes == limit_bytes || (count < wanted_bytes && read_bytes == stretch.bytes);
        }
        self.cut(stretch.folder, true);
        if read_bytes != stretch.bytes {
            self.events.push(Event::Changed(stretch.path.clone()));
        }
        if stretch.is_last {
            self.totals.done();
            self.events.push(Event::File(stretch.folder));
        }
        Ok(())
    }

    fn cut(&mut self, folder: FolderNumber, is_end: bool) {
        let Self { chunking, buffer, filled, cut, chunks, .. } = self;
        chunking.cut(&buffer[*cut..*filled], is_end, |bytes| {
            chunks.push((folder, *cut..*cut + bytes));
            *cut += bytes;
        });
    }

    /// Hashes all chunks of the buffer, and moves the bytes that are not cut to its beginning.
    fn hash(&mut self) {
        let messages: Vec<&[u8]> = self.chunks.iter().map(|(_, range)| &self.buffer[range.clone()]).collect();
        let digests = hash_each(self.algorithm, &messages);
        for ((folder, range), digest) in self.chunks.drain(..).zip(digests.chunks_exact(self.algorithm.digest_bytes())) {
            let mut key = Key::default();
            key.iter_mut().zip(digest).for_each(|(byte, &first)| *byte = first);
            self.events.push(Event::Chunk(folder, range.len() as u32, key));
        }
        self.buffer.copy_within(self.cut..self.filled, 0);
        self.filled -= self.cut;
        self.cut = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manyhash::{Sha256, hash};

    fn events(chunking: Chunking, stretch: Stretch) -> Vec<Event> {
        let mut events = Vec::new();
        Worker::new(chunking, AnyAlgorithm::Sha256, Arc::default()).run(vec![Item::Stretch(stretch)], &mut |given| events.extend(given));
        events
    }

    fn stretch(path: &std::path::Path, start: u64, bytes: u64, is_last: bool) -> Stretch {
        Stretch { path: path.to_path_buf(), folder: 7, start, bytes, is_last }
    }

    #[test]
    fn chunks_of_a_file_larger_than_the_buffer_are_those_of_its_content() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("f");
        let content: Vec<u8> = (0..3_000_001_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        std::fs::write(&path, &content).unwrap();
        for chunking in [Chunking::Fixed(5000), Chunking::ContentDefined(4096)] {
            let mut expected = Vec::new();
            let mut start = 0;
            chunking.cut(&content, true, |bytes| {
                expected.push((bytes as u32, *hash::<Sha256>(&content[start..start + bytes]).first_chunk::<16>().unwrap()));
                start += bytes;
            });
            let mut ends = 0;
            let mut chunks = Vec::new();
            for event in events(chunking, stretch(&path, 0, content.len() as u64, true)) {
                match event {
                    Event::Chunk(7, bytes, key) => chunks.push((bytes, key)),
                    Event::File(7) => ends += 1,
                    other => panic!("{other:?}"),
                }
            }
            assert_eq!(ends, 1);
            assert_eq!(chunks, expected);
        }
    }

    #[test]
    fn a_stretch_is_no_more_than_that_and_a_file_of_another_size_is_told() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, [1; 2000]).unwrap();
        let of = |stretch| format!("{:?}", events(Chunking::Fixed(512), stretch).iter().map(name).collect::<Vec<_>>());
        fn name(event: &Event) -> String {
            match event {
                Event::Chunk(_, bytes, _) => bytes.to_string(),
                Event::File(_) => "end".into(),
                Event::Skipped(..) => "skipped".into(),
                Event::Failed(..) => "failed".into(),
                Event::Changed(_) => "changed".into(),
            }
        }
        assert_eq!(of(stretch(&path, 0, 1024, false)), r#"["512", "512"]"#);
        assert_eq!(of(stretch(&path, 1024, 976, true)), r#"["end", "512", "464"]"#);
        assert_eq!(of(stretch(&path, 1024, 512, true)), r#"["changed", "end", "512", "464"]"#);
        assert_eq!(of(stretch(&path, 1536, 1024, false)), r#"["changed", "464"]"#);
        assert_eq!(of(stretch(&folder.path().join("none"), 0, 1, true)), r#"["failed"]"#);
    }
}
