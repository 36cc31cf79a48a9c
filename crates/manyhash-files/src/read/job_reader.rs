//! A file being read for a worker.

use super::lending::{Lending, Lent, Next, is_in_memory};
use super::open_files::HeldFile;
use super::shares::Shares;
use super::stamp::Stamp;
use crate::algorithms::Digests;
use crate::order::window::Job;
use crate::task::{Hashed, Part};
use crate::totals::Reading;
use crate::workers::Settings;
use manyhash::{Lend, ReadAt};
use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// How many of a file's first bytes are announced to the system, which reads ahead by itself later.
#[cfg(target_os = "linux")]
const ANNOUNCED_BYTES: u64 = 1 << 20;

/// How a file that is in memory is given, but for its beginning.
#[derive(Clone, Copy, Debug)]
pub enum Giving {
    /// Copied, in order.
    Copied,
    /// Lent where the system has it, in windows of so many bytes.
    Lent(u64),
    /// Handed out in parts, which threads read.
    Shared,
}

/// A file being read. If it could not be opened, its first read gives the error.
pub struct JobReader {
    job: Job,
    file: io::Result<HeldFile>,
    reading: Reading,
    read_bytes: u64,
    ended: bool,
    /// Whether the file's stamp is wanted.
    is_stamped: bool,
    /// The stamp, once the file is closed.
    stamp: Option<Stamp>,
    lending: Lending,
    shares: Shares,
    disk: Disk,
    has_waited: bool,
}

impl JobReader {
    /// A reader of `job`, which tells `disk` whether it has to wait.
    pub fn new(job: Job, file: io::Result<File>, settings: &Settings, disk: &Disk, giving: Giving) -> Self {
        let reading = Reading::begin(&settings.totals, &job.path, job.size_bytes);
        Self {
            job,
            file: file.map(HeldFile::new),
            reading,
            read_bytes: 0,
            ended: false,
            is_stamped: settings.keeper.is_some(),
            stamp: None,
            lending: Lending::new(if let Giving::Lent(window_bytes) = giving { Some(window_bytes) } else { None }),
            shares: Shares::new(matches!(giving, Giving::Shared)),
            disk: disk.clone(),
            has_waited: false,
        }
    }

    /// The job that the file is read for.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// Whether the file's end has been seen.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Whether bytes that were lent or handed out are not those of the file: then it has no digest before it is
    /// read again.
    pub fn has_lost_bytes(&self) -> bool {
        self.lending.is_lost() || self.shares.is_lost()
    }

    /// Goes back to the beginning, to read and not to give in another way.
    pub fn begin_again(&mut self) {
        self.reading.take_back(self.read_bytes);
        (self.read_bytes, self.ended, self.lending, self.shares) = (0, false, Lending::new(None), Shares::default());
        let start = self.start();
        if let Ok(file) = &mut self.file
            && let Err(error) = file.0.seek(SeekFrom::Start(start))
        {
            self.file = Err(error);
        }
    }

    /// The position in the file where the part to hash begins.
    fn start(&self) -> u64 {
        if let Part::Range { start, .. } = self.job.part { start } else { 0 }
    }

    /// Tells the disk whether the first read had to wait for it, or a later one, if it is the first
    /// that did.
    fn learn(&mut self, has_waited: bool) {
        if has_waited && !self.has_waited || self.read_bytes == 0 {
            self.disk.learn(has_waited);
        }
        if has_waited {
            self.has_waited = true;
            self.lending.end();
            self.shares.end();
        }
    }

    /// Asks the system to have the file's first bytes in memory soon.
    pub fn announce(&self) {
        #[cfg(target_os = "linux")]
        if let Ok(file) = &self.file {
            let start = self.start();
            let bytes = std::num::NonZeroU64::new(self.job.size_bytes.min(ANNOUNCED_BYTES));
            // This is advice only: reading reports errors.
            let _ = rustix::fs::fadvise(&file.0, start, bytes, rustix::fs::Advice::WillNeed);
        }
    }

    /// Closes the file.
    pub fn close(&mut self) {
        let file = std::mem::replace(&mut self.file, Err(io::ErrorKind::Other.into()));
        if let (Ok(file), true) = (file, self.is_stamped) {
            self.stamp = file.0.metadata().ok().and_then(|metadata| Stamp::of(&metadata));
        }
    }

    /// Closes the file if it is open, and gives its result back with its job.
    pub fn finish(mut self, result: io::Result<Digests>) -> (Job, io::Result<Hashed>) {
        self.close();
        let Self { job, read_bytes: bytes, stamp, .. } = self;
        (job, result.map(|digests| Hashed { digests, bytes, stamp }))
    }
}

impl Read for JobReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ended {
            return Ok(0);
        }
        self.reading.check_stopped()?;
        let start = self.start();
        let file = match &mut self.file {
            Ok(file) => file,
            Err(error) => return Err(std::mem::replace(error, io::ErrorKind::Other.into())),
        };
        self.lending.check(&file.0, start + self.read_bytes);
        if self.lending.is_lost() {
            return Err(lost());
        }
        if self.shares.take_behind() {
            file.0.seek(SeekFrom::Start(start + self.read_bytes))?;
        }
        let left_bytes = match self.job.part {
            Part::Whole => usize::MAX,
            Part::Range { start, end } => usize::try_from(end - start - self.read_bytes).unwrap_or(usize::MAX),
        };
        let wanted = at_most(buffer, left_bytes);
        let begin = Instant::now();
        let count = retrying(&mut file.0, wanted)?;
        let mut has_waited = begin.elapsed() > longest_copy(count);
        if self.read_bytes == 0 && !has_waited && (self.lending.is_for(self.job.size_bytes) || self.shares.is_for(self.job.size_bytes)) {
            // The beginning of a file may be in memory because somebody wanted to know what it is.
            has_waited = !is_in_memory(&file.0, start + self.job.size_bytes - 1);
        }
        self.learn(has_waited);
        self.read_bytes += count as u64;
        self.reading.read(count);
        // A read that falls short just where the file should end has seen its end. Files in /proc
        // say 0 bytes: read those to the end.
        self.ended = count == 0 || count == left_bytes || (count < wanted.len() && self.read_bytes == self.job.size_bytes);
        Ok(count)
    }
}

impl Lend for JobReader {
    type Lent = Lent;

    fn lend(&mut self, again_bytes: usize) -> io::Result<Option<Lent>> {
        if self.lending.is_lost() {
            return Err(lost());
        }
        // The first bytes are read: that shows whether the file is in memory.
        if self.read_bytes == 0 || self.ended || !self.lending.is_for(self.job.size_bytes) {
            return Ok(None);
        }
        self.reading.check_stopped()?;
        let position = self.start() + self.read_bytes;
        let part = self.job.part;
        let Ok(file) = &mut self.file else { return Ok(None) };
        match self.lending.next(&file.0, position, again_bytes, || end_of(&file.0, part)) {
            Next::Window(mapping) => {
                let lent = Lent(mapping);
                let count = lent.as_ref().len() - again_bytes;
                self.read_bytes += count as u64;
                self.reading.read(count);
                Ok(Some(lent))
            }
            Next::Read => Ok(None),
            Next::ReadBehind => file.0.seek(SeekFrom::Start(position)).map(|_| None),
        }
    }

    fn share(&mut self) -> io::Result<Option<Box<dyn ReadAt + '_>>> {
        // The first bytes are read, as of files that are lent.
        if self.read_bytes == 0 || self.ended || !self.shares.is_for(self.job.size_bytes) {
            return Ok(None);
        }
        self.reading.check_stopped()?;
        let position = self.start() + self.read_bytes;
        let part = self.job.part;
        let Ok(file) = &self.file else { return Ok(None) };
        let Some(shared) = self.shares.next(&file.0, position, || end_of(&file.0, part)) else { return Ok(None) };
        self.read_bytes += shared.bytes();
        self.reading.read(usize::try_from(shared.bytes()).unwrap_or(usize::MAX));
        Ok(Some(Box::new(shared)))
    }
}

/// Where a regular file ends now, or the part of it that is wanted.
fn end_of(file: &File, part: Part) -> Option<u64> {
    let metadata = file.metadata().ok().filter(|metadata| metadata.is_file())?;
    let part_end = if let Part::Range { end, .. } = part { end } else { u64::MAX };
    Some(metadata.len().min(part_end))
}

/// The error that ends a file of which bytes were lost. It is not said: the file is read again.
fn lost() -> io::Error {
    io::Error::other("bytes of the file were lost while they were mapped")
}

/// Whether files come from a disk rather than from memory, by what the last ones did.
#[derive(Clone, Debug, Default)]
pub struct Disk(Rc<Waits>);

#[derive(Debug, Default)]
struct Waits {
    score: Cell<u8>,
    /// How many files more are taken to be on a disk.
    expected: Cell<u8>,
}

impl Disk {
    /// Whether most of the last files waited. Announcing files costs a call each, so one that waits
    /// now and then is not enough.
    pub fn is_slow(&self) -> bool {
        self.0.score.get() >= 8
    }

    /// Whether any of the last files waited. Those between, which did not, may have been announced.
    pub fn may_be_slow(&self) -> bool {
        self.0.expected.get() > 0
    }

    fn learn(&self, has_waited: bool) {
        let Waits { score, expected } = &*self.0;
        score.set(if has_waited { score.get().saturating_add(4).min(64) } else { score.get().saturating_sub(1) });
        expected.set(if has_waited { 16 } else { expected.get().saturating_sub(1) });
    }
}

/// The longest time that a read of `bytes` bytes takes if they are all in memory.
fn longest_copy(bytes: usize) -> Duration {
    Duration::from_micros(50) + Duration::from_nanos(bytes as u64)
}

/// One read, however often a signal interrupts it.
pub fn retrying(file: &mut (impl Read + ?Sized), buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match file.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// The first `most_bytes` bytes of `buffer`, or all if there are fewer.
pub fn at_most(buffer: &mut [u8], most_bytes: usize) -> &mut [u8] {
    buffer.split_at_mut(buffer.len().min(most_bytes)).0
}

/// The first `count` bytes of `buffer`, which a read filled.
///
/// # Errors
/// If there are fewer: then what was read from has not kept to the rules of [`Read`].
pub fn filled(buffer: &[u8], count: usize) -> io::Result<&[u8]> {
    buffer.get(..count).ok_or_else(|| io::Error::other("a read gave more bytes than it was asked for"))
}

/// Reads until `buffer` is full or nothing is left, and gives the number of bytes read.
pub fn filling(input: &mut (impl Read + ?Sized), buffer: &mut [u8]) -> io::Result<usize> {
    let bytes = buffer.len();
    let mut rest = buffer;
    while !rest.is_empty() {
        match retrying(input, rest)? {
            0 => break,
            count => rest = rest.get_mut(count..).unwrap_or_default(),
        }
    }
    Ok(bytes - rest.len())
}

/// A function that reads the next piece of `input` into a buffer and gives its length. Every piece
/// but the last fills its buffer. After the end or an error there is no piece.
pub fn pieces(mut input: impl Read) -> impl FnMut(&mut [u8]) -> Option<io::Result<usize>> {
    let mut has_ended = false;
    move |buffer| {
        if has_ended {
            return None;
        }
        let read = filling(&mut input, buffer);
        has_ended = !read.as_ref().is_ok_and(|&count| count == buffer.len());
        (!matches!(read, Ok(0))).then_some(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::OpenOptions;
    use std::io::Write;
    use std::path::Path;
    use std::sync::Arc;

    use crate::order::window::{Limits, Window};
    use crate::task::{Keeper, Task, Work};
    use manyhash::AnyAlgorithm;

    #[derive(Debug)]
    struct Nobody;

    impl Keeper for Nobody {
        fn keep(&self, _: &Path, _: &Hashed) {}
    }

    /// A reader of `path` that believes it to have `size_bytes` bytes.
    fn reader(path: &Path, size_bytes: u64) -> JobReader {
        reader_of(Part::Whole, path, size_bytes)
    }

    fn reader_of(part: Part, path: &Path, size_bytes: u64) -> JobReader {
        let mut window = Window::new(Limits { tasks: 1, path_bytes: 1 << 10, batch_tasks: 1 });
        let work = Work::File { algorithms: AnyAlgorithm::Sha256.into(), size_bytes, part };
        window.push(Task { label: (), path: path.to_path_buf(), work });
        let job = window.take().unwrap();
        let file = job.open();
        JobReader::new(job, file, &Settings { keeper: Some(Arc::new(Nobody)), ..Settings::new(1) }, &Disk::default(), Giving::Copied)
    }

    #[test]
    fn a_file_that_grows_or_shrinks_is_read_to_where_it_ends() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("f");
        let mut buffer = [0; 10];
        std::fs::write(&path, [1; 25]).unwrap();

        let mut growing = reader(&path, 25);
        assert_eq!(growing.read(&mut buffer).unwrap(), 10);
        OpenOptions::new().append(true).open(&path).unwrap().write_all(&[2; 5]).unwrap();
        assert_eq!([(); 3].map(|()| growing.read(&mut buffer).unwrap()), [10, 10, 0]);
        assert_eq!(growing.read_bytes, 30);

        let mut shrinking = reader(&path, 30);
        assert_eq!(shrinking.read(&mut buffer).unwrap(), 10);
        OpenOptions::new().write(true).open(&path).unwrap().set_len(13).unwrap();
        assert_eq!([(); 3].map(|()| shrinking.read(&mut buffer).unwrap()), [3, 0, 0]);
        assert_eq!(shrinking.read_bytes, 13);
    }

    #[test]
    fn an_end_that_was_expected_takes_no_further_read() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, [1; 25]).unwrap();
        for (size_bytes, is_expected) in [(25, true), (0, false), (24, false), (26, false)] {
            let mut reader = reader(&path, size_bytes);
            assert_eq!(reader.read(&mut [0; 30]).unwrap(), 25);
            assert_eq!(reader.ended, is_expected);
            assert_eq!(reader.read(&mut [0; 30]).unwrap(), 0);
        }
        // A read that fills the buffer to the last byte may not have seen the end.
        let mut reader = reader(&path, 25);
        assert_eq!(reader.read(&mut [0; 25]).unwrap(), 25);
        assert!(!reader.ended);
    }

    #[test]
    fn what_cannot_be_opened_says_so_when_read() {
        let error = reader("/nonexistent".as_ref(), 1).read(&mut [0]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn of_a_range_no_more_is_read() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("f");
        let bytes: [u8; 25] = std::array::from_fn(|i| i as u8);
        std::fs::write(&path, bytes).unwrap();
        for (start, end, expected) in
            [(0, 0, 0..0), (0, 10, 0..10), (0, 25, 0..25), (0, 26, 0..25), (7, 9, 7..9), (7, 99, 7..25), (30, 40, 0..0)]
        {
            let mut reader = reader_of(Part::Range { start, end }, &path, expected.len() as u64);
            let mut content = Vec::new();
            reader.read_to_end(&mut content).unwrap();
            assert_eq!((&content[..], reader.read_bytes), (&bytes[expected.clone()], expected.len() as u64));
        }
    }

    #[test]
    fn a_stamp_shows_a_change_meanwhile() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, [1; 25]).unwrap();
        let stamp_after = |change: &dyn Fn()| {
            let mut reader = reader(&path, 25);
            reader.read_to_end(&mut Vec::new()).unwrap();
            change();
            let digests = reader.job.algorithms.hashers().finalize();
            reader.finish(Ok(digests)).1.unwrap().stamp
        };
        let stamp_now = || Stamp::of(&std::fs::metadata(&path).unwrap());
        let before = stamp_now();
        assert!(before.is_some());
        assert_eq!(stamp_after(&|| {}), before);
        let changed = stamp_after(&|| std::fs::write(&path, [1; 26]).unwrap());
        assert_ne!(changed, before);
        assert_eq!(changed, stamp_now());
    }

    /// A reader of the whole file that hands it out, and has given the first bytes.
    fn sharing(path: &Path, totals: &Arc<crate::totals::Totals>) -> JobReader {
        loop {
            let job = reader_of(Part::Whole, path, std::fs::metadata(path).unwrap().len()).job;
            let file = job.open();
            let settings = Settings { totals: Arc::clone(totals), ..Settings::new(2) };
            let mut reader = JobReader::new(job, file, &settings, &Disk::default(), Giving::Shared);
            assert!(reader.share().unwrap().is_none());
            reader.read_exact(&mut vec![0; 1 << 20]).unwrap();
            // On a busy machine even memory takes long now and then.
            if !reader.has_waited {
                return reader;
            }
            reader.begin_again();
        }
    }

    #[test]
    fn a_large_file_is_handed_out_and_read_behind_that() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("f");
        let content: Vec<u8> = (0..3_000_000).map(|i| (i % 251 + 1) as u8).collect();
        std::fs::write(&path, &content[..2_900_000]).unwrap();
        let totals = Arc::default();
        let mut reader = sharing(&path, &totals);
        let part = reader.share().unwrap().unwrap();
        assert_eq!(part.bytes(), 2_900_000 - (1 << 20));
        let (mut early, mut late) = (vec![0; 1000], vec![0; 77_000]);
        part.read_at(part.bytes() - 77_000, &mut late).unwrap();
        part.read_at(3, &mut early).unwrap();
        assert!(early == content[(1 << 20) + 3..][..1000] && late == content[2_900_000 - 77_000..2_900_000]);
        drop(part);
        // It has grown meanwhile.
        std::fs::write(&path, &content).unwrap();
        assert!(reader.share().unwrap().is_none());
        let mut rest = Vec::new();
        reader.read_to_end(&mut rest).unwrap();
        assert!(rest == content[2_900_000..] && totals.now().done_bytes == 3_000_000);
    }

    #[test]
    fn a_file_that_shrinks_while_it_is_handed_out_is_read_again() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, vec![7; 3_000_000]).unwrap();
        let totals = Arc::default();
        let mut reader = sharing(&path, &totals);
        let part = reader.share().unwrap().unwrap();
        OpenOptions::new().write(true).open(&path).unwrap().set_len(1_500_000).unwrap();
        part.read_at(0, &mut [0; 1000]).unwrap();
        assert!(part.read_at(part.bytes() - 1000, &mut [0; 1000]).is_err());
        // Nothing more is read: its digest would be of no use.
        assert!(part.read_at(0, &mut [0; 1000]).is_err());
        drop(part);
        assert!(reader.has_lost_bytes());
        reader.begin_again();
        assert!(reader.share().unwrap().is_none() && !reader.has_lost_bytes());
        let mut again = Vec::new();
        reader.read_to_end(&mut again).unwrap();
        assert!(again == [7; 1_500_000] && totals.now().done_bytes == 1_500_000);
    }

    #[cfg(target_os = "linux")]
    mod lending {
        use super::*;
        use crate::totals::Totals;
        use std::ops::Range;

        const WINDOW_BYTES: usize = 256 << 10;
        const FIRST_BYTES: usize = 64 << 10;

        fn content(bytes: usize) -> Vec<u8> {
            (0..bytes).map(|i| (i % 251 + 1) as u8).collect()
        }

        /// A lending reader of the file's bytes `part`, which has given the first ones of them.
        fn lending(path: &Path, part: Range<usize>, totals: &Arc<Totals>) -> JobReader {
            let disk = Disk::default();
            loop {
                let job = super::reader_of(Part::Range { start: part.start as u64, end: part.end as u64 }, path, part.len() as u64).job;
                let file = job.open();
                let settings = Settings { totals: Arc::clone(totals), ..Settings::new(1) };
                let mut reader = JobReader::new(job, file, &settings, &disk, Giving::Lent(WINDOW_BYTES as u64));
                assert!(reader.lend(0).unwrap().is_none());
                reader.read_exact(&mut vec![0; FIRST_BYTES]).unwrap();
                // On a busy machine even memory takes long now and then.
                if !reader.has_waited {
                    return reader;
                }
                reader.begin_again();
            }
        }

        #[test]
        fn a_large_file_is_lent_to_its_end() {
            let folder = tempfile::TempDir::new().unwrap();
            let path = folder.path().join("f");
            let content = content((1 << 20) + 12_345);
            std::fs::write(&path, &content).unwrap();
            for part in [0..content.len(), 0..content.len() - 1, 4096..900_000, 77..900_001] {
                let totals = Arc::<Totals>::default();
                let mut reader = lending(&path, part.clone(), &totals);
                let mut given = part.start + FIRST_BYTES;
                let mut again_bytes = 13;
                while let Some(lent) = reader.lend(again_bytes).unwrap() {
                    let lent = lent.as_ref();
                    assert!(*lent == content[given - again_bytes..][..lent.len()], "{part:?}, {given}");
                    assert!(lent.len() - again_bytes < 2 * WINDOW_BYTES);
                    given += lent.len() - again_bytes;
                    again_bytes = given % 100;
                }
                assert_eq!(given, part.end);
                assert_eq!((reader.read(&mut [0; 100]).unwrap(), totals.now().done_bytes), (0, part.len() as u64));
            }
        }

        #[test]
        fn a_file_that_grows_is_read_behind_what_was_lent() {
            let folder = tempfile::TempDir::new().unwrap();
            let path = folder.path().join("f");
            let content = content(700_000);
            std::fs::write(&path, &content[..600_000]).unwrap();
            let mut reader = lending(&path, 0..600_000, &Arc::default());
            reader.job.part = Part::Whole;
            while let Some(lent) = reader.lend(0).unwrap() {
                assert!(lent.as_ref().len() >= WINDOW_BYTES);
                OpenOptions::new().write(true).open(&path).unwrap().write_all(&content).unwrap();
            }
            let mut rest = Vec::new();
            reader.read_to_end(&mut rest).unwrap();
            assert!(rest == content[600_000..]);
        }

        #[test]
        fn bytes_that_are_lost_are_read_again_as_they_are_now() {
            let folder = tempfile::TempDir::new().unwrap();
            let path = folder.path().join("f");
            let content = content(1 << 20);
            for (left, is_behind) in [(0, false), (100_000, false), (100_000, true), (500_000, true), ((1 << 20) - 1, true)] {
                std::fs::write(&path, &content).unwrap();
                let totals = Arc::<Totals>::default();
                let mut reader = lending(&path, 0..content.len(), &totals);
                reader.job.part = Part::Whole;
                let mut lent = reader.lend(0).unwrap();
                // Of the last page, what is cut off is zeros, and no fault.
                while is_behind && let Some(next) = reader.lend(0).unwrap() {
                    lent = Some(next);
                }
                OpenOptions::new().write(true).open(&path).unwrap().set_len(left).unwrap();
                assert_eq!(lent.unwrap().as_ref().last(), Some(&0));
                let failed = if is_behind { reader.read(&mut [0]).map(drop) } else { reader.lend(0).map(drop) };
                assert!(failed.is_err() && reader.has_lost_bytes());
                reader.begin_again();
                assert!(reader.lend(0).unwrap().is_none());
                let mut again = Vec::new();
                reader.read_to_end(&mut again).unwrap();
                assert!(again == content[..left as usize] && !reader.has_lost_bytes(), "{left}");
                assert_eq!(totals.now().done_bytes, left);
            }
        }
    }
}
