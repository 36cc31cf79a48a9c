//! Files and streams that cannot be read or written.

use super::{compare, is_here, ours, theirs};
use crate::support::{ABC_SHA256, BINARY, Outcome, Place, outcome, skipped};
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Runs both commands after `set_up` has changed them.
fn both(place: &Place, set_up: impl Fn(&mut Command)) -> [Output; 2] {
    [ours(place, "sha256sum"), theirs(place, "sha256sum")].map(|mut command| {
        set_up(command.stdin(Stdio::null()));
        command.output().unwrap()
    })
}

fn place() -> Place {
    let place = Place::new();
    place.file("f", "abc").file("m", format!("{ABC_SHA256}  f\n")).file("wrong", format!("{}  f\n", ABC_SHA256.replace('a', "c")));
    place
}

#[test]
fn output_that_cannot_be_written_fails_the_same() {
    if !is_here() {
        return;
    }
    let place = place();
    for line in ["f", "f f f", "-z f f", "-c m", "-c wrong", "-c --status m", "-c --status wrong", "-c --quiet m m"] {
        let [ours, theirs] = both(&place, |command| {
            command.args(line.split(' ')).stdout(File::options().write(true).open("/dev/full").unwrap());
        })
        .map(Outcome::from);
        assert_eq!(ours.code, theirs.code, "{line} >/dev/full");
        // Releases before 9.10 went on, and lost the reason.
        match theirs.stderr.contains("write error") {
            true => assert_eq!(ours.stderr, "sha256sum: write error: No space left on device\n", "{line} >/dev/full"),
            false => assert_eq!(ours.stderr, theirs.stderr, "{line} >/dev/full"),
        }
    }
}

#[test]
fn input_that_cannot_be_read_is_told_the_same() {
    if !is_here() {
        return;
    }
    let place = place();
    for line in ["", "-", "f - f", "-c", "-c -", "-c m - m"] {
        let [ours, theirs] = both(&place, |command| {
            command.args(line.split_whitespace()).stdin(File::open(place.path()).unwrap());
        });
        assert_eq!(Outcome::from(ours), Outcome::from(theirs), "{line} <folder");
    }
}

#[test]
fn input_that_an_entry_has_hashed_is_spent() {
    if !is_here() {
        return;
    }
    let place = place();
    place.file("dash", format!("{ABC_SHA256}  -\n{ABC_SHA256}  f\n"));
    for line in ["-c dash -", "-c dash - m -", "-c - dash", "-c --ignore-missing dash dash"] {
        compare(&place, "sha256sum", &line.split(' ').collect::<Vec<_>>(), b"abc");
    }
}

#[test]
fn files_that_may_not_be_read_are_told_the_same() {
    if !is_here() {
        return;
    }
    let place = place();
    place
        .file("secret", "abc")
        .file("closed/f", "abc")
        .file("list", format!("{ABC_SHA256}  secret\n{ABC_SHA256}  closed/f\n{ABC_SHA256}  f\n"));
    symlink("secret", place.join("link")).unwrap();
    for name in ["secret", "closed"] {
        fs::set_permissions(place.join(name), Permissions::from_mode(0o000)).unwrap();
    }
    // Root may read all files, unless it gives that up.
    let is_root = fs::metadata(place.path()).unwrap().uid() == 0;
    let prefix: &[&str] = match is_root {
        true => &["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"],
        false => &["env"],
    };
    if Command::new(prefix[0]).args(&prefix[1..]).arg("true").output().is_ok_and(|output| output.status.success()) {
        let run = |program: PathBuf, line: &str| {
            let text = outcome(place.command(prefix[0]).args(&prefix[1..]).arg(&program).args(line.split(' ')), b"");
            Outcome { stderr: text.stderr.replace(program.to_str().unwrap(), "sha256sum"), ..text }
        };
        symlink(BINARY, place.join("sha256sum")).unwrap();
        for line in [
            "secret f closed/f link closed",
            "-c list",
            "-c --ignore-missing list",
            "-c --quiet list",
            "-c --status list",
            "-c secret list closed/f closed",
        ] {
            let ours = run(place.join("sha256sum"), line);
            assert!(ours.stderr.contains("Permission denied"), "{ours:?}");
            assert_eq!(ours, run(theirs(&place, "sha256sum").get_program().into(), line), "{line}");
        }
    } else {
        skipped("root cannot give up reading everything: no setpriv that can");
    }
    fs::set_permissions(place.join("closed"), Permissions::from_mode(0o700)).unwrap();
}
