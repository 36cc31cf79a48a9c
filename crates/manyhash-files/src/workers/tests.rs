//! The pipeline with windows and lists of every size, scaled down.

use super::*;
use crate::find::{Found, Walk, hashing};
use crate::task::Work;
use crate::totals::Whole;
use manyhash::AnyAlgorithm;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;

const ALGORITHMS: [AnyAlgorithm; 3] = [AnyAlgorithm::Sha256, AnyAlgorithm::Sha1, AnyAlgorithm::Sha512];

/// Collects what comes, in order.
#[derive(Default)]
struct Collected {
    results: Vec<(usize, Option<Result<u64, io::ErrorKind>>)>,
    taken: Arc<AtomicUsize>,
    fail_after: Option<usize>,
}

impl Sink<usize> for Collected {
    fn take(&mut self, finished: Finished<usize>) -> io::Result<()> {
        if self.fail_after == Some(self.results.len()) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.taken.fetch_add(1, Ordering::SeqCst);
        let outcome = finished.outcome.map(|result| match result {
            Ok(hashed) => {
                let content = fs::read(&finished.path).unwrap();
                for algorithm in hashed.digests.algorithms().iter() {
                    assert_eq!(hashed.digests.of(algorithm), &*expected(algorithm, &content));
                }
                Ok(hashed.bytes)
            }
            Err(error) => Err(error.kind()),
        });
        self.results.push((finished.label, outcome));
        Ok(())
    }
}

fn expected(algorithm: AnyAlgorithm, content: &[u8]) -> Box<[u8]> {
    let mut hasher = algorithm.hasher();
    hasher.update(content);
    hasher.finalize().into()
}

/// Mostly runs of one algorithm, so that lanes fill.
fn algorithm(label: usize) -> AnyAlgorithm {
    ALGORITHMS[(label / 17) % ALGORITHMS.len()]
}

/// Files of 0 to some 5000 bytes, and a few much larger.
fn files(folder: &TempDir, count: usize) -> Vec<(PathBuf, u64)> {
    (0..count)
        .map(|index| {
            let path = folder.path().join(index.to_string());
            let bytes = if index % 50 == 3 { 700_000 } else { index * 7919 % 5003 };
            fs::write(&path, vec![index as u8; bytes]).unwrap();
            (path, bytes as u64)
        })
        .collect()
}

fn settings(workers: usize, tasks: usize) -> Settings {
    let limits = Limits { tasks, path_bytes: 1 << 20, batch_tasks: (tasks as u64 / 4).max(1) };
    Settings { workers, limits, ..Settings::new(workers) }
}

fn file_task(label: usize, (path, size_bytes): (PathBuf, u64)) -> Task<usize> {
    Task { label, path, work: Work::File { algorithms: algorithm(label).into(), size_bytes, part: Part::Whole } }
}

#[test]
fn digests_are_right_and_in_order_for_any_workers_and_any_window() {
    let folder = TempDir::new().unwrap();
    let files = files(&folder, 300);
    for (workers, tasks) in [(1, 1), (1, 2), (3, 1), (1, 7), (2, 16), (4, 64), (8, 1000), (64, 100)] {
        for count in [0, 1, 2, 31, 33, 300] {
            let mut collected = Collected::default();
            let list = files[..count].to_vec();
            let settings = settings(workers, tasks);
            hash_files(list.into_iter().enumerate().map(|(label, file)| file_task(label, file)), &settings, &mut collected).unwrap();
            let expected: Vec<_> = files[..count].iter().enumerate().map(|(label, file)| (label, Some(Ok(file.1)))).collect();
            assert_eq!(collected.results, expected, "{workers} workers, a window of {tasks}");
            let bytes: u64 = files[..count].iter().map(|file| file.1).sum();
            assert_eq!(settings.totals.now().done_bytes, bytes);
            assert_eq!(settings.totals.now().done_files, count as u64);
        }
    }
}

#[test]
fn several_algorithms_in_any_buffer() {
    let folder = TempDir::new().unwrap();
    let files = files(&folder, 120);
    for (workers, tasks, buffer_bytes) in [(1, 1000, 1), (1, 50, 5000), (2, 16, 20_000), (1, 1000, 710_000), (3, 1000, 3_000_000)] {
        let mut collected = Collected::default();
        let settings = Settings { buffer_bytes, ..settings(workers, tasks) };
        let source = files.clone().into_iter().enumerate().map(|(label, (path, size_bytes))| {
            let algorithms = if label % 40 < 30 { Algorithms::of(&ALGORITHMS) } else { algorithm(label).into() };
            // Every other one is larger than it seemed.
            let size_bytes = if label % 2 == 0 { size_bytes } else { size_bytes / 2 };
            Task { label, path, work: Work::File { algorithms, size_bytes, part: Part::Whole } }
        });
        hash_files(source, &settings, &mut collected).unwrap();
        let expected: Vec<_> = files.iter().enumerate().map(|(label, file)| (label, Some(Ok(file.1)))).collect();
        assert_eq!(collected.results, expected, "{workers} workers, {buffer_bytes} bytes");
    }
}

#[test]
fn contents_are_whole_and_in_order_in_any_batches() {
    let folder = TempDir::new().unwrap();
    let files = files(&folder, 120);
    let task =
        |(path, size_bytes)| Task { label: (), path, work: Work::File { algorithms: Algorithms::NONE, size_bytes, part: Part::Whole } };
    for (workers, tasks) in [(1, 5), (1, 1000), (2, 64), (8, 1000)] {
        let hashing = Hashing::Contents(Arc::new(|contents| contents.iter().map(|content| content.to_vec()).collect()));
        let settings = Settings { hashing, buffer_bytes: workers * 700_001, ..settings(workers, tasks) };
        let mut contents = Vec::new();
        let mut sink = |finished: Finished<()>| {
            contents.push(finished.outcome.unwrap()?.digests.bytes().to_vec());
            Ok(())
        };
        hash_files(files.clone().into_iter().map(task), &settings, &mut sink).unwrap();
        assert!(contents.into_iter().eq(files.iter().map(|(path, _)| fs::read(path).unwrap())), "{workers} workers");
    }
}

#[test]
fn sizes_are_believed_in_nothing_but_the_schedule() {
    let folder = TempDir::new().unwrap();
    let files = files(&folder, 120);
    for wrong in [|_| 0, |bytes| bytes + 1, |bytes: u64| bytes.saturating_sub(1), |_| u64::MAX, |bytes| bytes / 2] {
        let list = files.clone();
        let mut collected = Collected::default();
        let source = list.into_iter().enumerate().map(move |(label, (path, bytes))| file_task(label, (path, wrong(bytes))));
        hash_files(source, &settings(2, 64), &mut collected).unwrap();
        let expected: Vec<_> = files.iter().enumerate().map(|(label, file)| (label, Some(Ok(file.1)))).collect();
        assert_eq!(collected.results, expected);
    }
}

#[test]
fn the_source_is_read_no_further_than_the_window() {
    let folder = TempDir::new().unwrap();
    let files = files(&folder, 10);
    let taken = Arc::new(AtomicUsize::new(0));
    let furthest = Arc::new(Mutex::new(0));
    let source = {
        let (taken, furthest) = (Arc::clone(&taken), Arc::clone(&furthest));
        (0..1000).map(move |label| {
            let ahead = label - taken.load(Ordering::SeqCst);
            let mut furthest = furthest.lock().unwrap();
            *furthest = ahead.max(*furthest);
            file_task(label, files[label % 10].clone())
        })
    };
    let mut collected = Collected { taken, ..Collected::default() };
    hash_files(source, &settings(2, 16), &mut collected).unwrap();
    assert_eq!(collected.results.len(), 1000);
    // The window, what has just left it, and the task in the source's hands.
    let furthest = *furthest.lock().unwrap();
    assert!((16..=2 * 16 + 1).contains(&furthest), "{furthest}");
}

#[test]
fn errors_and_notes_stay_in_their_places() {
    let folder = TempDir::new().unwrap();
    let files = files(&folder, 20);
    let tasks: Vec<_> = (0..200)
        .map(|label| match label % 4 {
            0 => file_task(label, files[label % 20].clone()),
            1 => Task { label, path: "failed".into(), work: Work::Failed(io::ErrorKind::PermissionDenied.into()) },
            2 => Task { label, path: "".into(), work: Work::Nothing },
            _ => file_task(label, (folder.path().join("vanished"), 5)),
        })
        .collect();
    let mut collected = Collected::default();
    hash_files(tasks.into_iter(), &settings(2, 32), &mut collected).unwrap();
    let expected: Vec<_> = (0..200)
        .map(|label| match label % 4 {
            0 => (label, Some(Ok(files[label % 20].1))),
            1 => (label, Some(Err(io::ErrorKind::PermissionDenied))),
            2 => (label, None),
            _ => (label, Some(Err(io::ErrorKind::NotFound))),
        })
        .collect();
    assert_eq!(collected.results, expected);
}

#[test]
fn a_failing_sink_ends_the_run() {
    let folder = TempDir::new().unwrap();
    let files = files(&folder, 10);
    let mut collected = Collected { fail_after: Some(50), ..Collected::default() };
    let source = (0..).map(move |label| file_task(label, files[label % 10].clone()));
    let error = hash_files(source, &settings(2, 16), &mut collected).unwrap_err();
    assert_eq!((error.kind(), collected.results.len()), (io::ErrorKind::BrokenPipe, 50));
}

#[test]
#[should_panic(expected = "a thread of the pipeline panicked")]
fn a_panicking_source_ends_the_run() {
    let source = (0..).map(|label| match label {
        0..100 => Task { label, path: "".into(), work: Work::Nothing },
        _ => panic!("as this test wants"),
    });
    let _ = hash_files(source, &settings(2, 16), &mut Collected::default());
}

#[derive(Debug)]
struct Panicking;

impl Keeper for Panicking {
    fn keep(&self, _: &Path, _: &Hashed) {
        panic!("as this test wants");
    }
}

#[test]
#[should_panic(expected = "a thread of the pipeline panicked")]
fn a_panicking_worker_ends_the_run() {
    let folder = TempDir::new().unwrap();
    let tasks: Vec<_> = files(&folder, 100).into_iter().enumerate().map(|(label, file)| file_task(label, file)).collect();
    let settings = Settings { keeper: Some(Arc::new(Panicking)), ..settings(2, 16) };
    let _ = hash_files(tasks.into_iter(), &settings, &mut Collected::default());
}

#[test]
fn results_come_while_the_source_is_waiting() {
    let folder = TempDir::new().unwrap();
    let files = files(&folder, 3);
    let taken = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&taken);
    let source = (0..4).filter_map(move |label| {
        if label == 3 {
            // Nothing more comes before all so far is given out.
            while seen.load(Ordering::SeqCst) < 3 {
                thread::sleep(Duration::from_millis(1));
            }
            return None;
        }
        Some(file_task(label, files[label].clone()))
    });
    let mut collected = Collected { taken, ..Collected::default() };
    hash_files(source, &settings(2, 16), &mut collected).unwrap();
    assert_eq!(collected.results.len(), 3);
}

/// Whatever comes before the source falls silent is done meanwhile, in whatever rhythm it came.
#[test]
fn no_task_is_forgotten_before_a_pause() {
    let folder = TempDir::new().unwrap();
    let files = files(&folder, 3);
    for round in 0..64 {
        let files = files.clone();
        let taken = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&taken);
        // Each bit of the round says of a task whether it is a file.
        let source = (0..7).filter_map(move |label| {
            if label == 6 {
                while seen.load(Ordering::SeqCst) < 6 {
                    thread::sleep(Duration::from_micros(100));
                }
                return None;
            }
            thread::sleep(Duration::from_micros(if round % 5 == label { 300 } else { 0 }));
            Some(match round >> label & 1 {
                0 => Task { label, path: "".into(), work: Work::Nothing },
                _ => file_task(label, files[label % 3].clone()),
            })
        });
        let mut collected = Collected { taken, ..Collected::default() };
        hash_files(source, &settings(2, 16), &mut collected).unwrap();
        assert_eq!(collected.results.len(), 6);
    }
}

#[test]
fn files_that_are_cut_short_while_they_are_hashed_end_nothing() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("f");
    let bytes = 4 << 20;
    fs::write(&path, vec![7; bytes]).unwrap();
    let is_over = Arc::new(AtomicUsize::new(0));
    let cutter = {
        let (file, is_over) = (fs::File::options().write(true).open(&path).unwrap(), Arc::clone(&is_over));
        thread::spawn(move || {
            for round in 1_u64.. {
                if is_over.load(Ordering::Relaxed) > 0 {
                    return;
                }
                file.set_len(round * 77_777 % bytes as u64).unwrap();
                thread::sleep(Duration::from_micros(300));
                file.set_len(bytes as u64).unwrap();
                thread::sleep(Duration::from_micros(round % 3000));
            }
        })
    };
    for workers in [1, 2, 3] {
        for _ in 0..20 {
            let task = |label| Task {
                label,
                path: path.clone(),
                work: Work::File { algorithms: AnyAlgorithm::Sha256.into(), size_bytes: bytes as u64, part: Part::Whole },
            };
            let tasks: Vec<_> = (0..20).map(task).collect();
            let settings = Settings { is_lending: true, ..Settings::new(workers) };
            let mut ended = 0;
            hash_files(tasks.into_iter(), &settings, &mut |finished: Finished<usize>| {
                assert_eq!(finished.label, ended);
                assert!(finished.outcome.unwrap().unwrap().bytes <= bytes as u64);
                ended += 1;
                Ok(())
            })
            .unwrap();
            assert_eq!(ended, 20);
        }
    }
    is_over.store(1, Ordering::Relaxed);
    cutter.join().unwrap();
}

#[test]
fn the_whole_is_known_while_most_files_are_ahead_of_the_window() {
    let folder = TempDir::new().unwrap();
    let bytes: u64 = files(&folder, 300).iter().map(|file| file.1).sum();
    for workers in [1, 3] {
        let walk = Walk::new(vec![folder.path().into()], true);
        let mut ahead = walk.sizes_ahead();
        let settings = settings(workers, 16);
        let totals = Arc::clone(&settings.totals);
        let source = walk.map(|found| match found {
            Found::File(path, what) => Task { label: (), path, work: hashing(what, AnyAlgorithm::Sha256.into()) },
            Found::Skipped(path, _) => Task { label: (), path, work: Work::Nothing },
        });
        let mut sink = |_: Finished<()>| {
            let Some(passes) = ahead.take() else { return Ok(()) };
            assert_eq!(totals.whole(), None);
            let [names, sizes] = passes;
            totals.count_ahead(names);
            let whole = totals.whole().unwrap();
            assert!(whole.files == 300 && !whole.is_counted, "{whole:?}");
            totals.count_ahead(sizes);
            assert_eq!(totals.whole(), Some(Whole { files: 300, bytes, is_counted: true }));
            assert!(!totals.has_found_all() && totals.now().done_files < 100, "{:?}", totals.now());
            Ok(())
        };
        hash_files(source, &settings, &mut sink).unwrap();
        assert_eq!(totals.whole(), Some(Whole { files: 300, bytes, is_counted: true }));
        assert!(totals.has_found_all() && totals.now().done_files == 300);
    }
}
