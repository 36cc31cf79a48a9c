//! Runs that are killed at their system calls, one call a run: what was there before is whole or what
//! is new is whole, nothing that is neither is trusted, and the next run succeeds.
//!
//! Calls that change files are tried, and soak tries all others too: `MANYHASH_TEST_KILLS=all`.

#![cfg(target_os = "linux")]

use crate::cache::{counts, tree};
use crate::support::{BINARY, Outcome, Place, outcome, pattern, peer};
use std::collections::{BTreeMap, HashMap};
use std::env;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What changes files, or makes sure that changes last. Others only stand between them.
const CHANGES: [&str; 16] = [
    "fallocate",
    "fchmod",
    "fchown",
    "fdatasync",
    "fsync",
    "ftruncate",
    "link",
    "linkat",
    "mkdir",
    "pwrite64",
    "pwritev",
    "rename",
    "renameat2",
    "unlink",
    "unlinkat",
    "write",
];

/// Returns strace, if it may trace a process here.
pub fn tracer() -> Option<PathBuf> {
    let strace = peer("strace")?;
    let tried = Command::new(&strace).args(["-f", "-qq", "-o", "/dev/null", "true"]).stderr(Stdio::null()).status();
    if !tried.is_ok_and(|status| status.success()) {
        // Containers may forbid it.
        println!("SKIPPED: no process may be traced, which this machine does not allow");
        return None;
    }
    Some(strace)
}

/// Returns strace with options and the command `arguments`, in `place`.
pub fn traced(strace: &PathBuf, place: &Place, options: &[&str], arguments: &str) -> Command {
    let mut command = place.command(strace);
    command.args(["-f", "-qq", "-o"]).arg(place.join("trace")).args(options).arg(BINARY).args(arguments.split(' '));
    command
}

/// Returns the names of the calls of a run, each with the most times that one thread calls it. Kills
/// are counted so as well.
pub fn calls(place: &Place) -> BTreeMap<String, usize> {
    let trace = fs::read_to_string(place.join("trace")).unwrap();
    let mut of_threads: HashMap<(&str, &str), usize> = HashMap::new();
    for line in trace.lines() {
        let (thread, call) = line.split_once(' ').unwrap();
        // Other lines are ends of calls, signals and ends of threads.
        if let Some((name, _)) = call.trim_start().split_once('(')
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        {
            *of_threads.entry((thread, name)).or_default() += 1;
        }
    }
    let mut most = BTreeMap::new();
    for ((_, name), times) in of_threads {
        let known = most.entry(name.to_string()).or_default();
        *known = times.max(*known);
    }
    most
}

/// Runs a command once for each of its system calls, and kills it there. Each run begins with
/// `prepare`, and `check` gets the outcome of the run that was not killed, or else `None`.
fn kill_at_each_call(place: &Place, arguments: &str, prepare: impl Fn(), check: impl Fn(Option<Outcome>, &str)) {
    let Some(strace) = tracer() else { return };
    prepare();
    let whole = outcome(&mut traced(&strace, place, &[], arguments), b"");
    assert_eq!(whole.code, Some(0), "{arguments}: {}", whole.stderr);
    let are_all = env::var("MANYHASH_TEST_KILLS").is_ok_and(|value| value == "all");
    let (mut kills, mut changes) = (0, 0);
    for (name, times) in calls(place) {
        let is_change = CHANGES.contains(&name.as_str());
        if !is_change && !are_all {
            continue;
        }
        for time in 1..=times {
            prepare();
            let kill = format!("inject={name}:signal=KILL:when={time}");
            let mut command = traced(&strace, place, &["-e", &format!("trace={name}"), "-e", &kill], arguments);
            let output = command.stdin(Stdio::null()).output().unwrap();
            let is_killed = output.status.signal() == Some(9);
            // Another thread may do it this time.
            let what = format!("{arguments}: killed at call {time} of {name}: {is_killed}");
            let given = (!is_killed).then(|| output.into());
            check(given, &what);
            kills += usize::from(is_killed);
            changes += usize::from(is_killed && is_change);
        }
    }
    println!("{arguments}: {kills} kills, {changes} of them where files change");
    assert!(changes > 3, "{arguments}: {changes} kills are too few to mean something");
}

/// Returns the names in a folder, in order.
fn names(place: &Place, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(place.join(folder)).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn an_output_is_the_old_one_or_the_new_one() {
    let place = Place::new();
    for index in 0..20 {
        place.file(format!("t/{index}"), pattern(index * 997));
    }
    fs::create_dir(place.join("o")).unwrap();
    let new = place.run("sum -r t").stdout;
    for old in [Some("old\n"), None] {
        let prepare = || {
            fs::remove_dir_all(place.join("o")).unwrap();
            fs::create_dir(place.join("o")).unwrap();
            if let Some(old) = old {
                place.file("o/out", old);
            }
        };
        kill_at_each_call(&place, "sum -j 2 -r -o o/out t", prepare, |given, what| {
            let found = fs::read_to_string(place.join("o/out")).ok();
            assert!(found.as_deref() == Some(&new) || given.is_none() && found.as_deref() == old, "{what}: {found:?}");
            // A file gets a name of its own just before it gets that of the output, when it is ready.
            let left: Vec<String> = names(&place, "o").into_iter().filter(|name| name != "out").collect();
            assert!(left.len() <= 1 && left.iter().all(|name| name.starts_with(".manyhash-")), "{what}: {left:?}");
            let takes_long = ["write", "fchown", "fchmod", "fsync"].iter().any(|call| what.contains(&format!(" of {call}:")));
            assert!(left.is_empty() || !takes_long, "{what}: {left:?}");
            let next = place.run("sum -r -o o/out t");
            assert_eq!((next.stderr.as_str(), next.code), ("", Some(0)), "{what}");
            assert_eq!(fs::read_to_string(place.join("o/out")).unwrap(), new, "{what}");
        });
    }
}

#[test]
fn an_updated_list_is_the_old_one_or_the_new_one() {
    let Some(place) = tree(20) else { return };
    place.file("gone", "gone");
    let old = place.run("sum gone t/00000").stdout;
    let new = place.run("sum -r t").stdout;
    let prepare = || {
        let _ = fs::remove_dir_all(place.join("o"));
        place.file("o/list", &old);
    };
    kill_at_each_call(&place, "sum -j 2 --update o/list --cache o/c -r t", prepare, |given, what| {
        let found = fs::read_to_string(place.join("o/list")).ok();
        assert!(found.as_deref() == Some(&new) || given.is_none() && found.as_deref() == Some(&old), "{what}: {found:?}");
        let next = place.run("sum --update o/list --cache o/c -r t");
        assert_eq!((next.stderr.as_str(), next.code), ("", Some(0)), "{what}");
        assert_eq!(fs::read_to_string(place.join("o/list")).unwrap(), new, "{what}");
    });
}

#[test]
fn a_cache_is_whole_and_no_digest_is_wrong() {
    let Some(place) = tree(40) else { return };
    let plain = place.run("sum -r t").stdout;
    // The other cache knows half of the files.
    let half: Vec<String> = (0..20).map(|index| format!("t/{index:05}")).collect();
    place.run(&format!("sum --cache half {}", half.join(" ")));
    fs::rename(place.join("half"), place.join("known")).unwrap();
    for known in [false, true] {
        let prepare = || {
            for name in ["c", "c-wal", "c-shm", "c-journal"] {
                let _ = fs::remove_file(place.join(name));
            }
            if known {
                fs::copy(place.join("known"), place.join("c")).unwrap();
            }
        };
        kill_at_each_call(&place, "sum -j 2 --cache c -r t", prepare, |given, what| {
            if let Some(given) = given {
                assert_eq!((&given.stdout, given.stderr.as_str(), given.code), (&plain, "", Some(0)), "{what}");
            }
            let next = place.run("sum --cache c -r t");
            assert_eq!((&next.stdout, next.stderr.as_str(), next.code), (&plain, "", Some(0)), "{what}");
            let last = place.run("sum -v --cache c -r t");
            assert_eq!((&last.stdout, counts(&last), last.code), (&plain, "40 reused, 0 stored", Some(0)), "{what}");
            let names: Vec<String> = names(&place, ".").into_iter().filter(|name| name.starts_with('c')).collect();
            assert_eq!(names, ["c"], "{what}");
        });
    }
}

const ROOT: &str = "Root hash:";

fn root(report: &str) -> Option<String> {
    Some(report.lines().find_map(|line| line.strip_prefix(ROOT))?.trim().to_string())
}

#[test]
fn a_hash_device_is_the_old_one_or_the_new_one_or_refused() {
    let place = Place::new();
    place.file("data", pattern(100 * 512)).file("before", pattern(90 * 512));
    let format = |data: &str, hash: &str, salt: &str| {
        format!(
            "verity format {data} {hash} --salt {salt} --uuid 00000000-0000-4000-8000-000000000000 \
             --data-block-size 512 --hash-block-size 512 --root-hash-file {hash}.root"
        )
    };
    let made = |data: &str, hash: &str, salt: &str| {
        let report = place.run(&format(data, hash, salt));
        assert_eq!(report.code, Some(0), "{}", report.stderr);
        (fs::read(place.join(hash)).unwrap(), root(&report.stdout).unwrap())
    };
    let (new, new_root) = made("data", "h-new", "aa");
    let (old, old_root) = made("before", "h-old", "bb");
    for has_old in [true, false] {
        let prepare = || {
            for name in names(&place, ".").into_iter().filter(|name| name.starts_with("hash") || name.starts_with(".manyhash-")) {
                fs::remove_file(place.join(name)).unwrap();
            }
            if has_old {
                place.file("hash", &old).file("hash.root", &old_root);
            }
        };
        kill_at_each_call(&place, &format("data", "hash", "aa"), prepare, |given, what| {
            let found = fs::read(place.join("hash")).ok();
            let begins_with = |device: &[u8]| found.as_ref().is_some_and(|found| found.starts_with(device));
            // There may be room for the new tree behind the old one.
            let is_new = begins_with(&new);
            let is_old = if has_old { begins_with(&old) } else { found.is_none() };
            let verify = |data: &str, root: &str| place.run(&format!("verity verify {data} hash {root}")).code;
            assert_eq!(verify("data", &new_root) == Some(0), is_new, "{what}: the new tree is trusted, and whole");
            assert_eq!(verify("before", &old_root) == Some(0), has_old && is_old, "{what}: the old tree is trusted, and whole");
            if !is_new && !is_old {
                assert_eq!(place.run("verity dump hash").code, Some(1), "{what}: half a device looks complete");
            }
            let root = fs::read_to_string(place.join("hash.root")).ok();
            let before = has_old.then_some(&old_root);
            assert!(root.as_ref() == Some(&new_root) || root.as_ref() == before, "{what}: {root:?}");
            if given.is_some() || root.as_ref() == Some(&new_root) {
                assert!(is_new, "{what}: the root hash is there without its tree");
            }
            let next = place.run(&format("data", "hash", "aa"));
            assert_eq!((next.stderr.as_str(), next.code), ("", Some(0)), "{what}");
            assert_eq!(verify("data", &new_root), Some(0), "{what}");
            assert_eq!(fs::read_to_string(place.join("hash.root")).unwrap(), new_root, "{what}");
        });
    }
}
