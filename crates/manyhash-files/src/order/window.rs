//! The look-ahead window: tasks from the first whose result is not yet given out to the last one
//! read from the source.
//!
//! Files in it are hashed in any order, the largest first because that packs lanes and threads
//! best; results leave in the order of the tasks. To keep a small file from waiting for ever behind
//! larger newcomers, and to keep the window moving, files are taken batch by batch (tasks 0 to N-1,
//! N to 2N-1, ...), the largest first in each.

use crate::algorithms::Algorithms;
use crate::task::{Finished, Hashed, Part, Task, Work};
use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::path::PathBuf;

/// How far the source is read ahead of the results.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most tasks in the window.
    pub tasks: usize,
    /// The most bytes of the paths of these tasks.
    pub path_bytes: usize,
    /// Tasks of a batch, whose files are taken the largest first before those of the next batch.
    pub batch_tasks: u64,
}

/// A file to be hashed.
#[derive(Debug)]
pub struct Job {
    /// The file's place among the tasks.
    sequence: u64,
    /// Where the file is.
    pub path: PathBuf,
    /// The algorithms to hash the file with.
    pub algorithms: Algorithms,
    /// The file's size in bytes when it was found.
    pub size_bytes: u64,
    /// How much of the file to hash.
    pub part: Part,
}

impl Job {
    /// Opens the file at the beginning of the part to hash.
    pub fn open(&self) -> io::Result<File> {
        let mut file = File::open(&self.path)?;
        if let Part::Range { start: start @ 1.., .. } = self.part {
            file.seek(SeekFrom::Start(start))?;
        }
        Ok(file)
    }
}

/// Files that one worker, or everybody, has open or waiting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// How many files.
    pub files: u64,
    /// The sizes of these files together, in bytes.
    pub size_bytes: u64,
}

impl Load {
    /// Counts one more file.
    pub fn add(&mut self, size_bytes: u64) {
        self.files += 1;
        self.size_bytes = self.size_bytes.saturating_add(size_bytes);
    }

    /// Counts one file less.
    pub fn remove(&mut self, size_bytes: u64) {
        self.files -= 1;
        self.size_bytes = self.size_bytes.saturating_sub(size_bytes);
    }
}

/// What the front of the window is doing.
#[derive(Debug, PartialEq, Eq)]
pub enum Front {
    /// There is no front: the window is empty.
    Empty,
    /// A result (or a stream's turn) is ready.
    Ready,
    /// The front is being hashed, or waits to be.
    Waiting,
}

/// What comes out of the window.
pub enum Turn {
    /// A task done.
    Finished(Finished<()>),
    /// A stream whose turn it is to be read.
    Stream(PathBuf, Algorithms),
}

/// The state of a task in the window.
enum Slot {
    Waiting,
    Stream(PathBuf, Algorithms),
    Done(PathBuf, Option<io::Result<Hashed>>),
}

/// The order of files: older batches first, then larger files, then older ones.
type Rank = (u64, Reverse<u64>, u64);

/// The look-ahead window: see the module.
pub struct Window {
    limits: Limits,
    slots: VecDeque<Slot>,
    first_sequence: u64,
    path_bytes: usize,
    jobs: BTreeMap<Rank, Job>,
    /// The files that are not hashed yet.
    outstanding: Load,
    /// The sizes of the files that no worker has taken together, in bytes.
    waiting_bytes: u64,
    done_tasks: usize,
}

impl Window {
    /// An empty window.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            slots: VecDeque::new(),
            first_sequence: 0,
            path_bytes: 0,
            jobs: BTreeMap::new(),
            outstanding: Load::default(),
            waiting_bytes: 0,
            done_tasks: 0,
        }
    }

    /// Whether there is room for another task.
    pub fn has_room(&self) -> bool {
        self.slots.is_empty() || (self.slots.len() < self.limits.tasks && self.path_bytes < self.limits.path_bytes)
    }

    /// The number of files that no worker has taken.
    pub fn waiting_jobs(&self) -> usize {
        self.jobs.len()
    }

    /// Whether no file waits or is being hashed.
    pub fn is_hashed(&self) -> bool {
        self.outstanding.files == 0
    }

    /// Whether results fill the window so much that they should be given out soon.
    pub fn is_urgent(&self) -> bool {
        self.done_tasks >= self.limits.tasks / 4 || !self.has_room()
    }

    /// Appends a task.
    pub fn push(&mut self, task: Task<()>) {
        let Task { path, work, .. } = task;
        let sequence = self.first_sequence + self.slots.len() as u64;
        self.path_bytes += path.as_os_str().len();
        let slot = match work {
            Work::File { algorithms, size_bytes, part } => {
                self.outstanding.add(size_bytes);
                self.waiting_bytes = self.waiting_bytes.saturating_add(size_bytes);
                let rank = (sequence / self.limits.batch_tasks, Reverse(size_bytes), sequence);
                self.jobs.insert(rank, Job { sequence, path, algorithms, size_bytes, part });
                Slot::Waiting
            }
            Work::Stream { algorithms } => Slot::Stream(path, algorithms),
            Work::Known(hashed) => Slot::Done(path, Some(Ok(hashed))),
            Work::Failed(error) => Slot::Done(path, Some(Err(error))),
            Work::Nothing => Slot::Done(path, None),
        };
        self.done_tasks += usize::from(matches!(slot, Slot::Done(..)));
        self.slots.push_back(slot);
    }

    /// The file to hash next.
    pub fn take(&mut self) -> Option<Job> {
        let (_, job) = self.jobs.pop_first()?;
        Some(self.taken(job))
    }

    /// Another file for `algorithms`, for one of `workers` workers that holds files already;
    /// nothing if it should leave the next files to others.
    ///
    /// A worker that holds less than the others takes the largest file, so that the largest are
    /// shared out. A worker that holds more takes small files for the lanes left, which cost
    /// nothing beside what it has. If no more tasks are to come, no worker takes more than its
    /// share.
    pub fn take_another(&mut self, algorithms: Algorithms, held: Load, workers: usize, all_found: bool) -> Option<Job> {
        let workers = workers as u64;
        if all_found && held.files >= self.outstanding.files.div_ceil(workers) {
            return None;
        }
        let taken_bytes = self.outstanding.size_bytes.saturating_sub(self.waiting_bytes);
        let (&(batch, ..), _) = self.jobs.first_key_value()?;
        let (&rank, job) = if held.size_bytes.saturating_mul(workers) <= taken_bytes {
            self.jobs.first_key_value()?
        } else {
            let smallest = self.jobs.range(..(batch + 1, Reverse(u64::MAX), 0)).next_back()?;
            Some(smallest).filter(|(_, job)| job.size_bytes <= held.size_bytes / 16)?
        };
        if job.algorithms != algorithms {
            return None;
        }
        let job = self.jobs.remove(&rank)?;
        Some(self.taken(job))
    }

    fn taken(&mut self, job: Job) -> Job {
        self.waiting_bytes = self.waiting_bytes.saturating_sub(job.size_bytes);
        job
    }

    /// Puts the result of `job` in its place in the window.
    #[expect(clippy::indexing_slicing, reason = "the place of a job stays in the window until this, which takes the only copy of the job")]
    pub fn finish(&mut self, job: Job, result: io::Result<Hashed>) {
        self.outstanding.remove(job.size_bytes);
        self.done_tasks += 1;
        self.slots[(job.sequence - self.first_sequence) as usize] = Slot::Done(job.path, Some(result));
    }

    /// What the front of the window is doing.
    pub fn front(&self) -> Front {
        match self.slots.front() {
            None => Front::Empty,
            Some(Slot::Waiting) => Front::Waiting,
            Some(Slot::Stream(..) | Slot::Done(..)) => Front::Ready,
        }
    }

    /// Takes the front out of the window if it is ready.
    pub fn pop(&mut self) -> Option<Turn> {
        let path_bytes = |path: &PathBuf| path.as_os_str().len();
        let turn = match self.slots.pop_front()? {
            Slot::Waiting => {
                self.slots.push_front(Slot::Waiting);
                return None;
            }
            Slot::Stream(path, algorithms) => {
                self.path_bytes -= path_bytes(&path);
                Turn::Stream(path, algorithms)
            }
            Slot::Done(path, outcome) => {
                self.path_bytes -= path_bytes(&path);
                self.done_tasks -= 1;
                Turn::Finished(Finished { label: (), path, outcome })
            }
        };
        self.first_sequence += 1;
        Some(turn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manyhash::AnyAlgorithm;

    fn algorithms() -> Algorithms {
        AnyAlgorithm::Sha256.into()
    }

    fn window(tasks: usize, batch_tasks: u64) -> Window {
        Window::new(Limits { tasks, path_bytes: 1 << 20, batch_tasks })
    }

    fn file(label: usize, size_bytes: u64) -> Task<()> {
        Task {
            label: (),
            path: PathBuf::from(label.to_string()),
            work: Work::File { algorithms: algorithms(), size_bytes, part: Part::Whole },
        }
    }

    fn hashed() -> io::Result<Hashed> {
        Ok(Hashed { digests: algorithms().hashers().finalize(), bytes: 0, stamp: None })
    }

    fn popped(window: &mut Window) -> Vec<usize> {
        std::iter::from_fn(|| window.pop())
            .map(|turn| match turn {
                Turn::Finished(Finished { path, .. }) | Turn::Stream(path, _) => path.to_str().unwrap().parse().unwrap(),
            })
            .collect()
    }

    #[test]
    fn the_largest_of_the_oldest_batch_comes_first() {
        let mut window = window(6, 3);
        for (label, size_bytes) in [1, 3, 3, 9, 0, 7].into_iter().enumerate() {
            window.push(file(label, size_bytes));
        }
        let order: Vec<_> = std::iter::from_fn(|| window.take()).map(|job| job.path).collect();
        assert_eq!(order, ["1", "2", "0", "3", "5", "4"].map(PathBuf::from));
    }

    #[test]
    fn results_leave_in_the_order_of_the_tasks_whatever_is_done_first() {
        let mut window = window(100, 8);
        for label in 0..100 {
            window.push(file(label, (label as u64 * 37) % 101));
        }
        let mut left = Vec::new();
        while let Some(job) = window.take() {
            window.finish(job, hashed());
            left.extend(popped(&mut window));
        }
        assert_eq!(left, (0..100).collect::<Vec<_>>());
        assert_eq!(window.front(), Front::Empty);
        assert_eq!((window.path_bytes, window.done_tasks, window.outstanding), (0, 0, Load::default()));
    }

    #[test]
    fn the_window_is_bounded_in_tasks_and_in_bytes() {
        let mut window = window(4, 4);
        let mut pushed = 0;
        while window.has_room() {
            window.push(file(pushed, 1));
            pushed += 1;
        }
        assert_eq!(pushed, 4);
        let mut window = Window::new(Limits { tasks: 1000, path_bytes: 10, batch_tasks: 4 });
        let mut pushed = 0;
        while window.has_room() {
            window.push(Task { label: (), path: PathBuf::from("1234"), work: Work::Nothing });
            pushed += 1;
        }
        assert_eq!(pushed, 3);
        // A path longer than the limit still gets through, alone.
        popped(&mut window);
        window.push(Task { label: (), path: PathBuf::from("a".repeat(100)), work: Work::Nothing });
        assert!(!window.has_room());
    }

    #[test]
    fn a_stream_is_ready_at_once_and_stays_in_its_place() {
        let mut window = window(4, 4);
        window.push(file(0, 1));
        window.push(Task { label: (), path: "1".into(), work: Work::Stream { algorithms: algorithms() } });
        window.push(Task { label: (), path: "2".into(), work: Work::Failed(io::ErrorKind::NotFound.into()) });
        assert!(popped(&mut window).is_empty());
        let job = window.take().unwrap();
        window.finish(job, hashed());
        assert_eq!(popped(&mut window), [0, 1, 2]);
    }

    /// The sizes that two workers take who ask in turns, each first for as many as it is given.
    fn shared_out(sizes_bytes: &[u64]) -> [Vec<u64>; 2] {
        let mut window = window(100, 100);
        for (label, &size_bytes) in sizes_bytes.iter().enumerate() {
            window.push(file(label, size_bytes));
        }
        let mut taken = [Vec::new(), Vec::new()];
        let mut held = [Load::default(); 2];
        let mut refused = 0;
        for worker in [0, 1].into_iter().cycle() {
            while let Some(job) = window.take_another(algorithms(), held[worker], 2, true) {
                taken[worker].push(job.size_bytes);
                held[worker].add(job.size_bytes);
                refused = 0;
            }
            refused += 1;
            if refused == 2 {
                break;
            }
        }
        assert_eq!(window.waiting_jobs(), 0);
        taken
    }

    #[test]
    fn files_are_shared_out() {
        assert_eq!(shared_out(&[10, 10, 10, 10]), [[10, 10], [10, 10]]);
        // The two largest go to two workers.
        assert_eq!(shared_out(&[700, 700, 300, 200, 100]), [vec![700, 200, 100], vec![700, 300]]);
        // Beside a large file, small ones cost nothing.
        assert_eq!(shared_out(&[1000, 500, 400, 10, 60]), [vec![1000, 10, 60], vec![500, 400]]);
        // Unknown sizes are shared out by number.
        assert_eq!(shared_out(&[0, 0, 0, 0, 0]), [vec![0, 0, 0], vec![0, 0]]);
    }

    #[test]
    fn lanes_take_files_of_one_algorithm() {
        let mut window = window(4, 4);
        window.push(file(0, 1));
        let held = Load { files: 0, size_bytes: 0 };
        assert!(window.take_another(AnyAlgorithm::Sha1.into(), held, 1, false).is_none());
        assert!(window.take_another(algorithms(), held, 1, true).is_some());
    }
}
