//! `--cache`: digests kept from run to run. CACHE.md is the specification.

mod clock;
pub mod file_systems;

use crate::random::{Random, number};
use crate::support::{Outcome, Place, skipped};
use manyhash::Sha256;
use rusqlite::Connection;
use std::env;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Waits until files made so far are old enough to be stored.
pub fn settle() {
    sleep(Duration::from_millis(2100));
}

/// Creates a folder on a file system that the cache trusts, among temporary files or else beside
/// this build. Without one the test is skipped.
fn trusted_place() -> Option<Place> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let is_trusted = |folder: &PathBuf| {
            let place = Place::within(folder);
            place.file("f", "abc");
            !place.run("sum -v --cache c f").stderr.contains("not cached: ")
        };
        [env::temp_dir(), env!("CARGO_TARGET_TMPDIR").into()].into_iter().find(is_trusted)
    });
    if folder.is_none() {
        skipped("no folder on a file system that the cache trusts");
    }
    folder.as_deref().map(Place::within)
}

/// Creates a settled folder `t` with `count` files of different content. Without a trusted place
/// the test is skipped.
pub fn tree(count: usize) -> Option<Place> {
    let place = trusted_place()?;
    for index in 0..count {
        place.file(format!("t/{index:05}"), format!("content of {index}"));
    }
    settle();
    Some(place)
}

/// Returns the counts that `-v` prints.
pub fn counts(outcome: &Outcome) -> &str {
    outcome.stderr.lines().find_map(|line| line.split_once("digests: ")).map_or("", |(_, counts)| counts)
}

fn fifo(place: &Place, name: &str) {
    assert!(Command::new("mkfifo").arg(place.join(name)).status().unwrap().success());
}

/// Starts a run whose last file is the fifo `held`, and waits for the `count` lines before it.
fn start_held(place: &Place, arguments: &str, count: usize) -> Child {
    let mut child = place.mortal().args(arguments.split(' ')).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.take(count).filter(Result::is_ok).count(), count);
    child
}

/// Waits until the store's log exists and has stopped growing.
fn wait_until_stored(log: &Path) {
    let begin = Instant::now();
    let mut last = (0, Instant::now());
    while last.0 == 0 || last.1.elapsed() < Duration::from_millis(700) {
        let bytes = fs::metadata(log).map_or(0, |metadata| metadata.len());
        if bytes != last.0 {
            last = (bytes, Instant::now());
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "nothing is stored");
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn digests_of_unchanged_files_are_reused_and_no_others() {
    let Some(place) = tree(3) else { return };
    place.file("t/empty", "");
    let plain = place.run("sum -r t");
    let first = place.run("sum -v --cache c -r t");
    assert_eq!((&first.stdout, first.code, counts(&first)), (&plain.stdout, Some(0), "0 reused, 3 stored"));
    let second = place.run("sum -v --cache c -r t");
    assert_eq!((&second.stdout, second.code, counts(&second)), (&plain.stdout, Some(0), "3 reused, 0 stored"));
    assert!(!place.join("c-wal").exists());

    // Size and mtime are as before, so only the ctime tells.
    let path = place.join("t/00001");
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    let file = File::options().write(true).open(&path).unwrap();
    file.write_at(b"C", 0).unwrap();
    file.set_modified(modified).unwrap();
    drop(file);
    let third = place.run("sum -v --cache c -r t");
    assert_eq!((&third.stdout, third.code), (&place.run("sum -r t").stdout, Some(0)));
    assert!(third.stderr.contains("2 reused, 0 stored, 1 not stored because"), "{}", third.stderr);
    // A renamed file is the same file, unless its file system counts that as a change. A file that
    // replaces it is another.
    fs::copy(place.join("t/00000"), place.join("new")).unwrap();
    fs::rename(place.join("new"), place.join("t/00000")).unwrap();
    let fourth = place.run("sum -v --cache c -r t");
    assert_eq!(fourth.stdout, place.run("sum -r t").stdout);
    assert!(counts(&fourth).starts_with("1 reused, "), "{}", fourth.stderr);
}

#[test]
fn check_and_sum_share_a_cache_and_algorithms_join() {
    let Some(place) = tree(2) else { return };
    fs::hard_link(place.join("t/00000"), place.join("t/link")).unwrap();
    settle();
    let sums = place.run("sum -a sha1 -r t").stdout + &place.run("sum -r t").stdout;
    place.file("m", &sums);
    let first = place.run("check -v --cache c m");
    assert_eq!((first.stdout.matches(": OK\n").count(), first.code), (6, Some(0)), "{first:?}");
    for algorithm in ["sha1", "sha256"] {
        let sum = place.run(&format!("sum -v -a {algorithm} --cache c -r t"));
        assert_eq!((counts(&sum), sum.code), ("3 reused, 0 stored", Some(0)), "{}", sum.stderr);
        assert!(sums.contains(&sum.stdout));
    }
    let third = place.run("sum -v -a sha512 --cache c -r t");
    assert_eq!(counts(&third), "0 reused, 3 stored");
    let fourth = place.run("check -v --cache c m");
    assert_eq!((counts(&fourth), &fourth.stdout), ("6 reused, 0 stored", &first.stdout));
}

/// Changes the last digest of each row of a cache, and makes the checksums fit.
fn forge(cache: &Path) {
    let connection = Connection::open(cache).unwrap();
    let mut statement = connection.prepare("SELECT file_system, block, row FROM manyhash_cache_files").unwrap();
    let rows = statement.query_map((), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    let rows: Vec<(i64, i64, Vec<u8>)> = rows.unwrap().collect::<Result<_, _>>().unwrap();
    for (file_system, block, mut row) in rows {
        row.truncate(row.len() - 8);
        *row.last_mut().unwrap() ^= 1;
        let digest = manyhash::hash::<Sha256>(&[&file_system.to_le_bytes()[..], &block.to_le_bytes(), &row].concat());
        row.extend(&digest.as_ref()[..8]);
        connection
            .execute("UPDATE manyhash_cache_files SET row = ? WHERE file_system = ? AND block = ?", (row, file_system, block))
            .unwrap();
    }
}

#[test]
fn verification_finds_and_repairs_what_differs() {
    let Some(place) = tree(1) else { return };
    let right = place.run("sum --cache c t/00000").stdout;
    let verified = place.run("sum -v --cache c --verify-cache=100 t/00000");
    assert_eq!((counts(&verified), verified.code), ("0 reused, 1 stored, 1 verified", Some(0)));
    forge(&place.join("c"));
    assert_ne!(place.run("sum --cache c t/00000").stdout, right, "the forgery is not believed, so the test tests nothing");
    let verified = place.run("sum --cache c --verify-cache=100 t/00000");
    assert_eq!((&verified.stdout, verified.code), (&right, Some(1)));
    assert!(verified.stderr.contains("t/00000: its SHA-256 is not the one in the cache"), "{}", verified.stderr);
    let after = place.run("sum -v --cache c t/00000");
    assert_eq!((&after.stdout, after.code, counts(&after)), (&right, Some(0), "1 reused, 0 stored"));
    forge(&place.join("c"));
    place.file("m", &right);
    assert_eq!(place.run("check --cache c m").code, Some(1));
    let verified = place.run("check --cache c --verify-cache=100 m");
    assert_eq!((verified.stdout.as_str(), verified.code), ("t/00000: OK\n", Some(1)));
    assert_eq!(place.run("check --cache c m").code, Some(0));
}

#[test]
fn samples_of_consecutive_runs_are_all_files() {
    let Some(place) = tree(60) else { return };
    place.run("sum --cache c -r t");
    let verified = |_| {
        let outcome = place.run("sum -v --cache c --verify-cache=25 -r t");
        assert_eq!(outcome.code, Some(0));
        counts(&outcome).rsplit_once(", ").unwrap().1.strip_suffix(" verified").unwrap().parse::<usize>().unwrap()
    };
    assert_eq!((0..4).map(verified).sum::<usize>(), 60);
}

#[test]
fn files_that_are_no_cache_are_refused_untouched() {
    let place = Place::new();
    let database = [&b"SQLite format 3\0"[..], &[0; 5000]].concat();
    place.file("f", "abc").file("text", "my only copy").file("database", &database).file("folder/f", "");
    fifo(&place, "fifo");
    for name in ["text", "database", "folder", "fifo", "f"] {
        let outcome = place.run(&format!("sum --cache {name} f"));
        assert_eq!((outcome.stdout.as_str(), outcome.code), ("", Some(2)), "{name}: {outcome:?}");
        assert!(outcome.stderr.contains(name) && outcome.stderr.contains("is not a cache"), "{}", outcome.stderr);
    }
    assert_eq!(fs::read(place.join("text")).unwrap(), b"my only copy");
    assert_eq!(fs::read(place.join("database")).unwrap(), database);
    let nowhere = place.run("sum --cache nowhere/c f");
    assert_eq!((nowhere.stdout.as_str(), nowhere.code), ("", Some(1)), "{nowhere:?}");
    assert_eq!(place.run("sum --verify-cache f").code, Some(2));
    assert_eq!(place.run("sum --cache c --verify-cache=0 f").code, Some(2));

    // An empty file may be replaced, but a newer version's cache may not.
    place.file("c", "");
    assert_eq!(place.run("sum --cache c f").code, Some(0));
    Connection::open(place.join("c")).unwrap().pragma_update(None, "user_version", 3).unwrap();
    let newer = place.run("sum --cache c f");
    assert_eq!(newer.code, Some(2));
    assert!(newer.stderr.contains("newer manyhash (version 3"), "{}", newer.stderr);
}

#[test]
fn the_digests_of_version_1_are_thrown_away_and_the_file_is_kept() {
    let Some(place) = tree(2) else { return };
    let right = place.run("sum --cache c -r t").stdout;
    // The table exists, with content that this version cannot read.
    Connection::open(place.join("c"))
        .unwrap()
        .execute_batch(
            "DROP TABLE manyhash_cache_files;
             CREATE TABLE manyhash_cache_files (device INTEGER NOT NULL, block INTEGER NOT NULL, day INTEGER NOT NULL, \
             row BLOB NOT NULL, PRIMARY KEY (device, block)) STRICT, WITHOUT ROWID;
             INSERT INTO manyhash_cache_files VALUES (1, 2, 3, x'04');
             PRAGMA user_version = 1",
        )
        .unwrap();
    let emptied = place.run("sum -v --cache c -r t");
    assert_eq!((&emptied.stdout, emptied.code, counts(&emptied)), (&right, Some(0), "0 reused, 2 stored"));
    assert!(emptied.stderr.contains("c: is of an older manyhash (version 1)"), "{}", emptied.stderr);
    assert!(!emptied.stderr.contains("damaged") && !place.join("c.corrupt").exists(), "{}", emptied.stderr);
    let after = place.run("sum -v --cache c -r t");
    assert_eq!((&after.stdout, counts(&after)), (&right, "2 reused, 0 stored"));
    assert!(!after.stderr.contains("older"), "{}", after.stderr);

    // With this version's tables it never was a store of version 1.
    Connection::open(place.join("c")).unwrap().pragma_update(None, "user_version", 1).unwrap();
    let damaged = place.run("sum --cache c -r t");
    assert_eq!((&damaged.stdout, damaged.code), (&right, Some(0)));
    assert!(damaged.stderr.contains("the cache is damaged") && place.join("c.corrupt").exists(), "{}", damaged.stderr);
}

#[test]
fn the_cache_is_no_part_of_the_tree() {
    let Some(place) = tree(2) else { return };
    place.file("t/c-walrus", "");
    for _ in 0..2 {
        let sum = place.run("sum --cache t/c -o t/o -r t");
        assert_eq!((sum.stderr.as_str(), sum.code), ("", Some(0)));
        assert_eq!(fs::read_to_string(place.join("t/o")).unwrap().lines().count(), 3);
    }
    let named = place.run("sum --cache t/c t/c t/00000");
    assert_eq!((named.stdout.lines().count(), named.code), (1, Some(1)));
    assert!(named.stderr.contains("t/c: is the cache of this run"), "{}", named.stderr);
}

#[test]
fn what_the_kernel_makes_up_is_not_stored() {
    let place = Place::new();
    for path in ["/proc/version", "/proc/self/stat", "/sys/kernel/notes"].into_iter().filter(|path| Path::new(path).exists()) {
        let outcome = place.run(&format!("sum -v --cache c {path}"));
        assert!(counts(&outcome).starts_with("0 reused, 0 stored") && outcome.code == Some(0), "{path}: {}", outcome.stderr);
    }
}

#[test]
fn a_killed_run_loses_nothing_that_was_stored() {
    for signal in ["KILL", "INT"] {
        let Some(place) = tree(300) else { return };
        let plain = place.run("sum -r t");
        fifo(&place, "held");
        let mut child = start_held(&place, "sum --cache c -r t held", 300);
        wait_until_stored(&place.join("c-wal"));
        assert!(Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap().success());
        assert!(!child.wait().unwrap().success());
        let resumed = place.run("sum -v --cache c -r t");
        assert_eq!((&resumed.stdout, counts(&resumed)), (&plain.stdout, "300 reused, 0 stored"), "{signal}");

        // With an output the result is the same, and nothing of the output may be visible.
        place.file("o", "old");
        let mut child = place.mortal().args("sum --cache d -o o -r t held".split(' ')).spawn().unwrap();
        wait_until_stored(&place.join("d-wal"));
        assert!(Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap().success());
        child.wait().unwrap();
        assert_eq!(fs::read(place.join("o")).unwrap(), b"old");
        let mut names: Vec<_> = fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["c", "d", "d-wal", "held", "o", "t"]);
        place.file("m", &plain.stdout);
        let check = place.run("check -v --quiet --cache d m");
        assert_eq!((check.code, counts(&check)), (Some(0), "300 reused, 0 stored"), "{signal}");
    }
}

#[test]
fn a_second_process_goes_on_without_the_cache() {
    let Some(place) = tree(20) else { return };
    fifo(&place, "held");
    let mut first = start_held(&place, "sum --cache c -r t held", 20);
    let second = place.run("sum --cache c -r t");
    assert_eq!((second.stdout.lines().count(), second.code), (20, Some(0)));
    assert!(second.stderr.contains("in use by another process; going on without the cache"), "{}", second.stderr);
    fs::write(place.join("held"), "").unwrap();
    // No process reads the output any more.
    first.wait().unwrap();
    assert_eq!(counts(&place.run("sum -v --cache c -r t")), "20 reused, 0 stored");
}

#[test]
fn no_damage_gives_a_wrong_digest_or_ends_a_run() {
    let Some(place) = tree(600) else { return };
    let plain = place.run("sum -r t").stdout;
    place.run("sum --cache c -r t");
    let whole = fs::read(place.join("c")).unwrap();
    let seed = number("MANYHASH_TEST_SEED").or_else(|| number("MANYHASH_TEST_SEEDS")).unwrap_or(1);
    println!("MANYHASH_TEST_SEED={seed}");
    let mut random = Random::new(seed);
    let mut next = |below: usize| random.below(below);
    let page_bytes = 16 << 10;
    let mut noticed = 0;
    let rounds = number("MANYHASH_TEST_ROUNDS").unwrap_or(60);
    for round in 0..rounds {
        let mut damaged = whole.clone();
        let page = next(whole.len() / page_bytes) * page_bytes;
        // Every second round damages a page where it has its structure, the others any place.
        let at = if round % 2 == 0 { page + next(100) } else { next(whole.len()) };
        match round % 5 {
            0 | 1 => damaged[at] ^= 1 << next(8),
            2 => damaged[page..page + page_bytes].fill(0),
            3 => damaged.truncate(at),
            _ => damaged[at..(at + 50).min(whole.len())].fill(0xff),
        }
        fs::write(place.join("c"), &damaged).unwrap();
        let run = place.run("sum --cache c -r t");
        if run.code == Some(2) {
            // The file is not recognised, or is of another version, so it may be somebody else's.
            assert!(run.stderr.contains("not touched"), "round {round}: {}", run.stderr);
            assert!(fs::read(place.join("c")).unwrap() == damaged);
            noticed += 1;
            continue;
        }
        assert!(run.stdout == plain && run.code == Some(0), "round {round}: {:?} {}", run.code, run.stderr);
        if !run.stderr.is_empty() {
            assert!(run.stderr.contains("the cache is damaged") && run.stderr.contains("c.corrupt"), "round {round}: {}", run.stderr);
            assert!(place.join("c.corrupt").exists(), "round {round}");
            noticed += 1;
        }
        // The new cache misses what was reused before the damage was met, and the damage may be met
        // only by the second run.
        let mut is_whole = false;
        for _ in 0..4 {
            let again = place.run("sum -v --cache c -r t");
            assert!(again.stdout == plain && again.code == Some(0), "round {round}: {}", again.stderr);
            is_whole |= counts(&again) == "600 reused, 0 stored";
        }
        assert!(is_whole, "round {round}");
        let _ = fs::remove_file(place.join("c.corrupt"));
    }
    println!("{noticed} of {rounds} noticed");
    assert!(noticed > rounds / 4, "{noticed} of {rounds}");
}

#[test]
fn a_full_disk_under_the_cache_costs_the_cache_alone() {
    let Some(place) = tree(3000) else { return };
    let plain = place.run("sum -r t").stdout;
    fs::create_dir(place.join("small")).unwrap();
    let mount =
        Command::new("mount").args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"]).arg(place.join("small")).stderr(Stdio::null()).status();
    if !mount.is_ok_and(|status| status.success()) {
        return skipped("no small file system can be mounted");
    }
    let full = place.run("sum --cache small/c -r t");
    let again = place.run("sum --cache small/c -r t");
    fs::write(place.join("small/rest"), vec![0; 1 << 20]).unwrap_err();
    let none = place.run("sum --cache small/d -r t");
    let unmounted = Command::new("umount").arg(place.join("small")).status().unwrap();
    for outcome in [&full, &none] {
        assert!(outcome.stdout == plain && outcome.code == Some(0), "{:?} {}", outcome.code, outcome.stderr);
        assert!(outcome.stderr.contains("going on without the cache"), "{}", outcome.stderr);
    }
    assert!(again.stdout == plain && again.code == Some(0), "{:?} {}", again.code, again.stderr);
    assert!(unmounted.success());
}
