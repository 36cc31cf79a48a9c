//! The files that `manyhash sum -r` visits.

use crate::support::{ABC_SHA256, Place, skipped};
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;
use std::process::Command;

/// Returns the lines of files that all hold `abc`.
fn lines(names: &[&str]) -> String {
    names.iter().map(|name| format!("{ABC_SHA256}  {name}\n")).collect()
}

fn tree(names: &[&str]) -> Place {
    let place = Place::new();
    for name in names {
        place.file(name, "abc");
    }
    place
}

#[test]
fn links_in_folders_are_followed_if_asked_for() {
    let place = tree(&["t/a", "t/b.c", "t/b-c", "elsewhere/f", "elsewhere/g/h"]);
    symlink("a", place.join("t/link")).unwrap();
    // A folder, or a link to one, comes where its name with a slash does.
    symlink("../elsewhere", place.join("t/b")).unwrap();
    symlink("/dev/null", place.join("t/device")).unwrap();
    symlink("nowhere", place.join("t/dangling")).unwrap();
    symlink("self", place.join("t/self")).unwrap();

    assert_eq!(place.run("sum -r t").stdout, lines(&["t/a", "t/b-c", "t/b.c"]));
    for option in ["-L", "--follow"] {
        let followed = place.run(&format!("sum -vv -r {option} t"));
        assert_eq!(followed.stdout, lines(&["t/a", "t/b-c", "t/b.c", "t/b/f", "t/b/g/h", "t/link"]));
        let messages: Vec<_> = followed.stderr.lines().skip(1).collect();
        let expected = [
            "manyhash: t/dangling: No such file or directory",
            "manyhash: t/device: skipped: not a regular file",
            "manyhash: t/self: Too many levels of symbolic links",
        ];
        assert_eq!((&messages[..], followed.code), (&expected[..], Some(1)));
    }
}

#[test]
fn a_folder_in_itself_is_reported_and_not_entered() {
    let place = tree(&["t/a/f", "t/z", "u/g"]);
    symlink("..", place.join("t/a/up")).unwrap();
    symlink("../../u", place.join("t/a/u")).unwrap();
    symlink("../t", place.join("u/t")).unwrap();
    let sum = place.run("sum -r -L t");
    assert_eq!(sum.stdout, lines(&["t/a/f", "t/a/u/g", "t/z"]));
    assert_eq!(sum.stderr, "manyhash: t/a/u/t: not entered: the same folder as t\nmanyhash: t/a/up: not entered: the same folder as t\n");
    assert_eq!(sum.code, Some(1));
    // A folder found twice, but not within itself, is no loop.
    symlink("a/u", place.join("t/again")).unwrap();
    fs::remove_file(place.join("t/a/up")).unwrap();
    fs::remove_file(place.join("u/t")).unwrap();
    let twice = place.run("sum -r -L t");
    assert_eq!((twice.stdout, twice.code), (lines(&["t/a/f", "t/a/u/g", "t/again/g", "t/z"]), Some(0)));
}

#[test]
fn other_file_systems_are_not_entered_if_asked_for() {
    let place = tree(&["t/f"]);
    let device = |path: &Path| fs::metadata(path).map(|metadata| metadata.dev()).ok();
    let random = Path::new("/proc/sys/kernel/random");
    if device(random).is_none() || device(random) == device(place.path()) {
        return skipped("there is no /proc/sys/kernel/random on a file system of its own");
    }
    symlink(random, place.join("t/random")).unwrap();
    assert!(place.run("sum -r -L t").stdout.contains("  t/random/boot_id\n"));
    let one = place.run("sum -vv -r -L -x t");
    assert_eq!((one.stdout, one.code), (lines(&["t/f"]), Some(0)));
    assert!(one.stderr.contains("t/random: skipped: on another file system"), "{}", one.stderr);
    // The argument itself may be anywhere, as long as nothing leads away from it.
    assert!(place.run("sum -r -x t/random").stdout.contains("  t/random/boot_id\n"));

    if device(Path::new("/dev/pts")).is_none() || device(Path::new("/dev/pts")) == device(Path::new("/dev")) {
        return skipped("/dev/pts is no file system of its own");
    }
    let dev = place.run("sum -vv -r --one-file-system --exclude shm /dev").stderr;
    assert!(dev.contains("/dev/pts: skipped: on another file system"), "{dev}");
}

#[test]
fn patterns_say_what_of_a_folder_counts() {
    let names = ["t/.hidden", "t/a.o", "t/a.rs", "t/d/b.o", "t/d/b.rs", "t/d/target/c.rs", "t/target/d.rs", "t/z/target"];
    let place = tree(&names);
    assert!(Command::new("mkfifo").arg(place.join("t/target/fifo")).status().unwrap().success());
    for (options, expected) in [
        ("", &names[..]),
        ("--exclude *.o", &["t/.hidden", "t/a.rs", "t/d/b.rs", "t/d/target/c.rs", "t/target/d.rs", "t/z/target"]),
        ("--exclude target/", &["t/.hidden", "t/a.o", "t/a.rs", "t/d/b.o", "t/d/b.rs", "t/z/target"]),
        ("--exclude /target --exclude .*", &["t/a.o", "t/a.rs", "t/d/b.o", "t/d/b.rs", "t/d/target/c.rs", "t/z/target"]),
        ("--exclude d/**/c.rs --exclude z", &["t/.hidden", "t/a.o", "t/a.rs", "t/d/b.o", "t/d/b.rs", "t/target/d.rs"]),
        ("--include *.rs", &["t/a.rs", "t/d/b.rs", "t/d/target/c.rs", "t/target/d.rs"]),
        ("--include *.rs --exclude target", &["t/a.rs", "t/d/b.rs"]),
        ("--include target/", &["t/d/target/c.rs", "t/target/d.rs"]),
        ("--include /d --include !*.o", &["t/d/b.rs", "t/d/target/c.rs"]),
        ("--exclude *.o --exclude !a.o", &["t/.hidden", "t/a.o", "t/a.rs", "t/d/b.rs", "t/d/target/c.rs", "t/target/d.rs", "t/z/target"]),
        ("--include nothing", &[]),
        ("--exclude *", &[]),
    ] {
        for argument in ["t", "t/"] {
            let sum = place.run(&format!("sum -r {options} {argument}"));
            assert_eq!((sum.stdout, sum.stderr.as_str(), sum.code), (lines(expected), "", Some(0)), "{options}");
        }
    }
    // An excluded folder is not even looked into.
    assert!(place.run("sum -vv -r t").stderr.contains("t/target/fifo: skipped"));
    assert!(!place.run("sum -vv -r --exclude target t").stderr.contains("fifo"));
}

#[test]
fn patterns_are_relative_to_each_argument_and_do_not_concern_arguments() {
    let place = tree(&["t/a", "t/b/a", "u/t/a", "a"]);
    assert_eq!(place.run("sum -r --exclude /a t u t/b a").stdout, lines(&["t/b/a", "u/t/a", "a"]));
    assert_eq!(place.run("sum -r --exclude t/a t u").stdout, lines(&["t/a", "t/b/a"]));
    assert_eq!(place.run("sum -r --exclude * a t").stdout, lines(&["a"]));
    assert_eq!(place.run("sum -r --include x a t").stdout, lines(&["a"]));
}

#[test]
fn a_wrong_pattern_is_wrong_usage_and_named() {
    let place = tree(&["t/a"]);
    for option in ["--include", "--exclude"] {
        for pattern in ["[a", "a{b", "a[z-b]", "/"] {
            let wrong = place.run(&format!("sum -r --exclude ok {option} {pattern} t"));
            assert_eq!((wrong.code, wrong.stdout.as_str()), (Some(2), ""));
            assert!(wrong.stderr.contains(&format!("'{pattern}'")) && wrong.stderr.contains(option), "{}", wrong.stderr);
        }
    }
    // Without -r these options would do nothing, which nobody means.
    for option in ["--include a", "--exclude a", "-L", "-x"] {
        let wrong = place.run(&format!("sum {option} t/a"));
        assert!(wrong.code == Some(2) && wrong.stderr.contains("--recursive"), "{option}: {wrong:?}");
    }
}

#[test]
fn links_to_the_output_are_left_out_like_the_output() {
    let place = tree(&["q/a", "q/d/b"]);
    symlink("SUMS", place.join("q/link")).unwrap();
    symlink("../link", place.join("q/d/link-to-link")).unwrap();
    symlink("../SUMS", place.join("q/d/SUMS")).unwrap();
    symlink("a", place.join("q/other")).unwrap();
    // The output does not exist, exists, and is a link itself.
    for output in ["q/SUMS", "q/SUMS", "q/link"] {
        let sum = place.run(&format!("sum -r -L q -o {output}"));
        assert_eq!((sum.stdout.as_str(), sum.stderr.as_str(), sum.code), ("", "", Some(0)));
        assert_eq!(fs::read_to_string(place.join("q/SUMS")).unwrap(), lines(&["q/a", "q/d/b", "q/other"]));
        assert_eq!(place.run("check --quiet q/SUMS").code, Some(0));
    }
    // Another name of the old file keeps its content.
    fs::hard_link(place.join("q/SUMS"), place.join("q/old")).unwrap();
    assert_eq!(place.run("sum -r -L q -o q/SUMS").code, Some(0));
    assert!(fs::read_to_string(place.join("q/SUMS")).unwrap().contains("  q/old\n"));
    assert_eq!(place.run("check --quiet q/SUMS").code, Some(0));
}
