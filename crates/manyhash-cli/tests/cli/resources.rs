//! Bounded memory and few open files, whatever there is to hash. Numbers of files are small by
//! default; `MANYHASH_TEST_FILES` sets another.

use crate::support::{ABC_SHA256, BINARY, Place, skipped};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

/// The limit in KiB, below the 64 MiB that are promised.
const PEAK_KIB: u64 = 56 << 10;

fn file_count() -> usize {
    std::env::var("MANYHASH_TEST_FILES").ok().and_then(|value| value.parse().ok()).unwrap_or(20_000)
}

/// Returns the peak resident memory of a run that hashes standard input last. It is measured while
/// the run waits for that.
fn peak_kib(command: &mut Command, manifest: &[u8]) -> Option<u64> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(manifest).unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("last") {
        line.clear();
        assert_ne!(lines.read_line(&mut line).unwrap(), 0, "it ended early");
    }
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    drop(stdin);
    assert!(child.wait().unwrap().success());
    peak_in(&status)
}

fn peak_in(status: &str) -> Option<u64> {
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    peak.trim().strip_suffix(" kB")?.trim().parse().ok()
}

fn assert_bounded(what: &str, peak: Option<u64>) {
    match peak {
        Some(peak_kib) => {
            println!("{what}: {peak_kib} KiB");
            assert!(peak_kib < PEAK_KIB, "{what}: {peak_kib} KiB");
        }
        None => skipped("/proc does not tell a process's peak memory"),
    }
}

#[test]
fn memory_is_bounded_for_a_large_file_in_tree_modes() {
    let place = Place::new();
    place.file("last", "");
    fs::File::options().write(true).open(place.join("last")).unwrap().set_len(512 << 20).unwrap();
    for mode in ["j-lanes", "fs-verity", "bittorrent-v2 --json", "s3", "glacier"] {
        let mut command = place.command(BINARY);
        command.args("tree --threads 4".split(' ')).args(mode.split(' ')).args(["last", "-"]);
        assert_bounded(mode, peak_kib(&mut command, b""));
    }
}

#[test]
fn memory_is_bounded_for_a_large_tree() {
    let place = Place::new();
    // The first file keeps all others waiting in the window; the second folder has most names.
    place.file("t/0", "");
    fs::File::options().write(true).open(place.join("t/0")).unwrap().set_len(512 << 20).unwrap();
    fs::create_dir_all(place.join("t/folder")).unwrap();
    for index in 0..file_count() {
        let folder = if index % 4 == 0 { format!("t/{}", index % 64) + "-" } else { "t/folder".to_string() };
        if index < 64 {
            fs::create_dir_all(place.join(format!("t/{index}-"))).unwrap();
        }
        fs::write(place.join(format!("{folder}/{index:080}")), index.to_string()).unwrap();
    }
    place.file("last", "");
    // With progress, files are counted ahead.
    for (workers, progress) in [("1", "never"), ("2", "always"), ("64", "never"), ("128", "always")] {
        let arguments = ["sum", "-j", workers, "--progress", progress, "-r", "t", "last", "-"];
        let peak = peak_kib(place.command(BINARY).args(arguments), b"");
        assert_bounded(&format!("sum -j {workers} of {} files, progress {progress}", file_count()), peak);
    }
}

#[test]
fn memory_is_bounded_for_many_large_files() {
    let place = Place::new();
    let mut arguments: Vec<String> = ["sum", "-j", "64"].map(String::from).to_vec();
    for index in 0..80 {
        let name = format!("{index}");
        fs::File::create(place.join(&name)).unwrap().set_len(16 << 20).unwrap();
        arguments.push(name);
    }
    place.file("last", "");
    arguments.extend(["last".to_string(), "-".to_string()]);
    assert_bounded("sum -j 64 of 80 files of 16 MiB", peak_kib(place.command(BINARY).args(arguments), b""));
}

#[test]
fn memory_is_bounded_for_a_large_manifest() {
    let place = Place::new();
    place.file("f", "abc").file("is last", "");
    let mut manifest = format!("{ABC_SHA256}  ././././././././././././././././././f\n").repeat(file_count());
    // The manifest is long enough to be handed over before its end.
    manifest += &format!("{ABC_SHA256}  -\n");
    place.file("m", &manifest);
    place.file("n", format!("{ABC_SHA256}  f\n"));
    let mut command = place.command(BINARY);
    command.args(["check", "m", "n"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    for _ in 0..file_count() {
        line.clear();
        assert_ne!(lines.read_line(&mut line).unwrap(), 0);
    }
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let peak =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")).and_then(|peak| peak.trim().strip_suffix(" kB")?.trim().parse().ok());
    child.stdin.take().unwrap().write_all(b"abc").unwrap();
    line.clear();
    lines.read_line(&mut line).unwrap();
    assert_eq!(line, "-: OK\n");
    std::io::copy(&mut lines, &mut std::io::sink()).unwrap();
    assert!(child.wait().unwrap().success());
    assert_bounded(&format!("check of {} lines", file_count()), peak);
}

#[test]
fn memory_is_bounded_for_a_list_of_many_names() {
    let place = Place::new();
    place.file("f", "abc").file("last", "");
    let name = "./".repeat(50) + "f\n";
    place.file("list", name.repeat(20 * file_count()) + "last\n-\n");
    let peak = peak_kib(place.command(BINARY).args(["sum", "-a", "sha1,sha256", "--files-from", "list"]), b"");
    assert_bounded(&format!("sum of {} names in a list", 20 * file_count()), peak);
}

#[test]
fn memory_is_bounded_for_an_audit() {
    let place = Place::new();
    let count = file_count();
    fs::create_dir_all(place.join("t")).unwrap();
    for index in 0..count / 10 {
        fs::write(place.join(format!("t/new-{index:0100}")), "").unwrap();
    }
    place.file("t/f", "abc");
    // There are ten entries for each file, of which all but one are missing, and each file is new.
    // The beginning of the walk takes most memory.
    let lines = (0..count).map(|index| format!("{ABC_SHA256}  t/missing-{index:0100}\n"));
    place.file("m", lines.chain([format!("{ABC_SHA256}  t/f\n")]).collect::<String>());
    let mut command = place.command(BINARY);
    let mut child = command.args(["check", "--audit", "m"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.ends_with(": NOT LISTED\n") {
        line.clear();
        assert_ne!(lines.read_line(&mut line).unwrap(), 0, "it ended early");
    }
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    std::io::copy(&mut lines, &mut std::io::sink()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_bounded(&format!("audit of {count} lines"), peak_in(&status));
}

#[test]
fn few_open_files_are_enough() {
    let place = Place::new();
    for index in 0..300 {
        place.file(format!("t/{}/{index}", index % 5), vec![index as u8; 1000 * (index % 50)]);
    }
    let all = place.run("sum -r t");
    assert_eq!((all.stdout.lines().count(), all.code), (300, Some(0)));
    for limit in [7, 12, 40] {
        for workers in [1, 4, 16] {
            let script = format!("ulimit -n {limit} && exec \"$0\" sum -j {workers} -r t");
            let output = place.command("sh").args(["-c", &script, BINARY]).output().unwrap();
            assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{limit} open files, {workers} workers");
            assert!(output.stdout == all.stdout.as_bytes() && output.status.success(), "{limit} open files, {workers} workers");
        }
    }
    // An audit needs its temporary files besides.
    place.file("sums", all.stdout);
    fs::rename(place.join("t/0/0"), place.join("t/1/moved")).unwrap();
    for limit in [14, 40] {
        let script = format!("ulimit -n {limit} && exec \"$0\" check --quiet --audit sums");
        let output = place.command("sh").args(["-c", &script, BINARY]).output().unwrap();
        let expected = "t/0/0: MOVED to t/1/moved\n";
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{limit} open files");
    }
}

/// Returns the peak resident memory of a run to its end, as the system tells Python.
fn peak_of(place: &Place, arguments: &str) -> Option<u64> {
    let script = "import resource, subprocess, sys
run = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(run.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)";
    let mut python = place.command("python3");
    let output = python.args(["-c", script, BINARY]).args(arguments.split(' ')).output().ok()?;
    let text = String::from_utf8(output.stdout).unwrap();
    let (code, peak_kib) = text.trim().split_once(' ')?;
    assert_eq!(code, "0", "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    peak_kib.parse().ok()
}

#[test]
#[cfg(target_os = "linux")] // elsewhere the unit is another
fn memory_is_bounded_for_trees_of_large_files() {
    let place = Place::new();
    fs::File::create(place.join("large")).unwrap().set_len(512 << 20).unwrap();
    for arguments in [
        "tree j-lanes large",
        "tree j-lanes -l 1024 -a sha512 large",
        "tree j-pointers -l 1024 large",
        "tree files large large",
        "tree fs-verity --block-size 1024 large",
        "tree fs-verity --block-size 1024 --out-merkle-tree tree large",
        "tree dm-verity --salt - --data-block-size 512 large",
        "tree dm-verity --salt - --data-block-size 512 --hash-block-size 524288 --threads 16 large",
        "tree bittorrent-v2 large",
        "tree s3 large",
        "tree s3 --part-size 300M large",
        "tree glacier large",
        "verity format large hash --root-hash-file root --data-block-size 512 --hash-block-size 512",
        "verity verify large hash --root-hash-file root",
    ] {
        assert_bounded(arguments, peak_of(&place, arguments));
    }
}
