//! Block devices that fail: a loop device whose file lost its end cannot be read there, and one whose
//! file is on a full disk cannot be written.

#![cfg(target_os = "linux")]

use crate::cache::file_systems::{Loop, Mount, not_allowed, succeeds};
use crate::support::{BINARY, Place, outcome, pattern, peer};
use std::fs;
use std::process::Command;

/// The bytes of a device, and those that can still be read.
const BYTES: usize = 2 << 20;
const GOOD_BYTES: usize = 1 << 20;

const SALT: &str = "--salt aa --uuid 00000000-0000-4000-8000-000000000000";

/// Attaches a device with `content`, and then takes the end of what it is made of away.
fn unreadable(place: &Place, content: &[u8]) -> Option<Loop> {
    place.file("image", content);
    let device = Loop::attach(&place.join("image"), None);
    if device.is_none() {
        not_allowed("a loop device");
    }
    cut(place, GOOD_BYTES);
    device
}

fn cut(place: &Place, bytes: usize) {
    fs::File::options().write(true).open(place.join("image")).unwrap().set_len(bytes as u64).unwrap();
}

/// Mounts a disk of `kib` KiB in memory at `full`, on which something of `bytes` bytes is a file of
/// holes. Writing to more of them than the disk has fails once they are written back.
fn holes_on_a_small_disk(place: &Place, kib: usize, bytes: usize) -> Option<Mount> {
    let folder = place.join("full");
    fs::create_dir(&folder).unwrap();
    let options = format!("size={kib}k");
    if !succeeds(Command::new("mount").args(["-t", "tmpfs", "-o", &options, "none"]).arg(&folder)) {
        not_allowed("a disk in memory");
        return None;
    }
    let mount = Mount { folder, unmount: &["umount"] };
    fs::File::create(place.join("full/image")).unwrap().set_len(bytes as u64).unwrap();
    Some(mount)
}

#[test]
fn a_device_that_cannot_be_read_is_told_wherever_it_is_read() {
    let place = Place::new();
    let content = pattern(BYTES);
    let Some(device) = unreadable(&place, &content) else { return };
    let name = device.0.display().to_string();
    place.file("f", "abc");
    let told = format!("manyhash: {name}: Input/output error\n");
    let sum_of_f = place.run("sum f").stdout;
    for command in ["sum", "sum -j 1", "sum -a sha1,sha256"] {
        let sum = place.run(&format!("{command} {name} f"));
        assert!(sum.stdout.ends_with(&sum_of_f) || command.contains("sha1"), "{command}: {}", sum.stdout);
        assert!(!sum.stdout.contains(&name), "{command}: {}", sum.stdout);
        assert_eq!((sum.stderr.as_str(), sum.code), (told.as_str(), Some(1)), "{command}");
    }
    for mode in ["j-lanes", "j-pointers", "fs-verity", "dm-verity --salt -", "s3", "glacier", "bittorrent-v2"] {
        let tree = place.run(&format!("tree {mode} {name}"));
        assert_eq!((tree.stdout.as_str(), tree.code), ("", Some(1)), "{mode}: {}", tree.stderr);
        assert!(tree.stderr.contains(&name), "{mode}: {}", tree.stderr);
    }
    let format = place.run(&format!("verity format {SALT} {name} hash"));
    assert_eq!((format.stdout.as_str(), format.code, place.join("hash").exists()), ("", Some(1), false), "{}", format.stderr);
    assert!(format.stderr.contains(&told), "{}", format.stderr);
    // As coreutils say it.
    let ours = place.run(&format!("sha256sum {name} f"));
    let theirs = outcome(place.command("sha256sum").args([&name, "f"]), b"");
    assert_eq!(ours, theirs);

    place.file("data", &content);
    let report = place.run(&format!("verity format {SALT} data hash"));
    let root = report.stdout.lines().find_map(|line| line.strip_prefix("Root hash:")).unwrap().trim();
    let verify = place.run(&format!("verity verify {name} hash {root}"));
    assert_eq!((verify.stdout.as_str(), verify.code), ("", Some(1)), "{}", verify.stderr);
    assert!(verify.stderr.contains(&name), "{}", verify.stderr);
}

#[test]
fn hashes_that_a_device_does_not_keep_are_told_and_not_trusted() {
    let place = Place::new();
    place.file("data", pattern(4 << 20));
    let format = |hash: &str| {
        let line = format!("verity format {SALT} --data-block-size 512 --hash-block-size 512 data {hash}");
        outcome(place.command(BINARY).args(line.split(' ')), b"")
    };
    let report = format("hash");
    assert_eq!(report.code, Some(0), "{}", report.stderr);
    let root = report.stdout.lines().find_map(|line| line.strip_prefix("Root hash:")).unwrap().trim();
    let hash_bytes = fs::metadata(place.join("hash")).unwrap().len() as usize;
    let Some(full) = holes_on_a_small_disk(&place, hash_bytes / 2048, hash_bytes) else { return };
    let Some(device) = Loop::attach(&place.join("full/image"), None) else { return not_allowed("a loop device") };
    let name = device.0.display().to_string();
    let failed = format(&name);
    assert_eq!((failed.stdout.as_str(), failed.code), ("", Some(1)), "{}", failed.stderr);
    assert!(failed.stderr.contains(&name), "{}", failed.stderr);
    for command in [format!("verity verify data {name} {root}"), format!("verity dump {name}")] {
        let refused = place.run(&command);
        assert_eq!((refused.stdout.as_str(), refused.code), ("", Some(1)), "{command}: {}", refused.stderr);
    }
    drop(device);
    drop(full);
}

#[test]
fn files_on_a_device_that_fails_are_told_and_the_others_are_hashed() {
    let Some(mke2fs) = peer("mke2fs") else { return };
    let place = Place::new();
    for index in 0..60 {
        place.file(format!("t/{index:02}"), vec![index as u8 + 1; 60_000]);
    }
    place.file("image", vec![0; 8 << 20]);
    let made = succeeds(Command::new(mke2fs).args(["-q", "-F", "-t", "ext4", "-d"]).args([place.join("t"), place.join("image")]));
    assert!(made);
    fs::create_dir(place.join("mnt")).unwrap();
    let Some(device) = Loop::attach(&place.join("image"), None) else { return not_allowed("a loop device") };
    let Some(mount) = device.mount(place.join("mnt"), "ro") else { return not_allowed("mounting an image") };
    let whole = place.run("sum -r mnt");
    assert_eq!((whole.stdout.lines().count(), whole.code), (60, Some(0)), "{}", whole.stderr);
    let unread = fs::read(place.join("image")).unwrap();
    // The system forgets what it has read.
    drop(mount);
    let Some(mount) = device.mount(place.join("mnt"), "ro") else { return not_allowed("mounting an image") };
    let names: Vec<String> = fs::read_dir(place.join("mnt")).unwrap().map(|entry| entry.unwrap().path().display().to_string()).collect();
    assert_eq!(names.len(), 61);
    // Metadata is at the beginning, and the content of the files behind it.
    let place_of = |byte: u8| unread.windows(60_000).position(|bytes| bytes.iter().all(|found| *found == byte));
    let cut_at = place_of(31).expect("a file in one piece");
    cut(&place, cut_at);
    for command in ["sum -r mnt", "sum -j 1 -r mnt", "sum -v --cache c -r mnt"] {
        let sum = place.run(command);
        assert_eq!(sum.code, Some(1), "{command}: {}", sum.stderr);
        let told = sum.stderr.lines().filter(|line| line.ends_with(": Input/output error")).count();
        assert!(told > 0 && sum.stdout.lines().count() + told == 60, "{command}: {}", sum.stderr);
        assert!(sum.stdout.lines().count() > 0 && sum.stdout.lines().all(|line| whole.stdout.contains(line)), "{command}");
    }
    place.file("sums", &whole.stdout);
    let check = place.run("check --quiet sums");
    assert!(check.code == Some(1) && check.stdout.lines().all(|line| line.ends_with(": FAILED open or read")), "{}", check.stdout);
    drop(mount);
}

#[test]
#[ignore = "it waits for what the system writes back later, up to a minute: scripts/soak runs it"]
fn a_device_that_fails_under_the_output_or_the_cache_is_told() {
    let Some(mke2fs) = peer("mke2fs") else { return };
    let place = Place::new();
    for index in 0..4000 {
        place.file(format!("t/{index:05}"), index.to_string());
    }
    let plain = place.run("sum -r t").stdout;
    let Some(full) = holes_on_a_small_disk(&place, 2000, 16 << 20) else { return };
    let options = ["-q", "-F", "-t", "ext4", "-O", "^has_journal", "-E", "lazy_itable_init=1,nodiscard"];
    if !succeeds(Command::new(mke2fs).args(options).arg(place.join("full/image"))) {
        return not_allowed("a file system on a small disk");
    }
    let Some(device) = Loop::attach(&place.join("full/image"), None) else { return not_allowed("a loop device") };
    fs::create_dir(place.join("mnt")).unwrap();
    let Some(mount) = device.mount(place.join("mnt"), "rw") else { return not_allowed("mounting an image") };
    fs::write(place.join("mnt/out"), "old\n").unwrap();
    assert!(succeeds(Command::new("sync").arg(place.join("mnt/out"))));
    // Nothing more has room.
    fs::write(place.join("full/rest"), vec![1; 4 << 20]).unwrap_err();
    let sum = place.run("sum -r -o mnt/out t");
    assert_eq!(sum.code, Some(1), "{}", sum.stderr);
    assert!(sum.stderr.starts_with("manyhash: mnt/out: "), "{}", sum.stderr);
    assert_eq!(fs::read_to_string(place.join("mnt/out")).unwrap(), "old\n");
    for _ in 0..2 {
        let sum = place.run("sum --cache mnt/c -r t");
        assert!(sum.stdout == plain, "{}", sum.stderr);
    }
    drop(mount);
    drop(device);
    drop(full);
}
