//! The units of examples/systemd: systemd takes them, and what they run finds what is wrong.

#![cfg(target_os = "linux")]

use crate::support::{ABC_SHA256, BINARY, Outcome, Place, outcome, peer};
use std::fs;
use std::path::{Path, PathBuf};

fn units() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/systemd");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut units: Vec<_> = entries.filter(|path| path.extension().is_some_and(|end| end != "md")).collect();
    units.sort();
    assert_eq!(units.len(), 6);
    units
}

/// Returns what a unit says, with the binary of the tests in place of the one that is installed.
fn text(unit: &Path) -> String {
    fs::read_to_string(unit).unwrap().replace("/usr/bin/manyhash", BINARY)
}

/// Runs a command line of a unit as systemd would, whose rules for variables are those of the shell here.
fn run(place: &Place, unit: &str, setting: &str, variables: &[(&str, &str)]) -> Outcome {
    let unit = units().into_iter().find(|path| path.ends_with(unit)).unwrap();
    let text = text(&unit);
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("{setting}="))).unwrap();
    outcome(place.command("sh").args(["-c", &line.replace("$$", "$").replace("%i", "name")]).envs(variables.iter().copied()), b"")
}

#[test]
fn systemd_takes_the_units() {
    let Some(analyze) = peer("systemd-analyze") else { return };
    let place = Place::new();
    let mut command = place.command(analyze);
    command.args(["verify", "--man=no"]);
    for unit in units() {
        let name = unit.file_name().unwrap().to_str().unwrap();
        place.file(name, text(&unit));
        command.arg(place.join(name));
    }
    let run = outcome(&mut command, b"");
    // It also says what is wrong with units of the machine, which is none of ours.
    let ours: Vec<_> = run.stderr.lines().filter(|line| line.contains("manyhash")).collect();
    assert!(ours.is_empty(), "{ours:#?}");
    // Without this, a unit that is not read at all would pass.
    place.file("manyhash-check@.service", "[Service]\nExecStart=/nonexistent\n");
    assert!(!outcome(&mut command, b"").stderr.is_empty());
}

#[test]
fn the_check_of_a_manifest_finds_what_changed_and_says_it_with_the_priority_of_an_error() {
    let place = Place::new();
    place.file("srv/a", "abc").file("list", format!("{ABC_SHA256}  a\n"));
    let (folder, list) = (place.join("srv"), place.join("list"));
    let variables = [("FOLDER", folder.to_str().unwrap()), ("MANIFEST", list.to_str().unwrap()), ("OPTIONS", "--audit --strict")];
    let unit = "manyhash-check@.service";
    assert_eq!(run(&place, unit, "ExecStart", &variables).code, Some(0));
    place.file("srv/b", "new").file("srv/a", "abd");
    let found = run(&place, unit, "ExecStart", &variables);
    assert_eq!((found.code, found.stdout.as_str()), (Some(1), "a: FAILED\nb: NOT LISTED\n"));
    // An empty variable is no option.
    let without = run(&place, unit, "ExecStart", &[variables[0], variables[1], ("OPTIONS", "")]);
    assert_eq!((without.code, without.stdout.as_str()), (Some(1), "a: FAILED\n"));
}

#[test]
fn the_verification_of_an_image_finds_a_changed_bit() {
    let place = Place::new();
    place.file("image", [7; 40_960]);
    let made = outcome(place.command(BINARY).args(["verity", "format", "image", "hashes", "--root-hash-file", "root"]), b"");
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let root = fs::read_to_string(place.join("root")).unwrap();
    let variables = [("DATA", "image"), ("HASHES", "hashes"), ("ROOT_HASH", root.trim())];
    assert_eq!(run(&place, "manyhash-verity@.service", "ExecStart", &variables).code, Some(0));
    let mut image = vec![7; 40_960];
    image[20_000] ^= 1;
    place.file("image", image);
    assert_eq!(run(&place, "manyhash-verity@.service", "ExecStart", &variables).code, Some(1));
}

#[test]
fn a_unit_that_failed_says_so_in_a_line_of_its_own() {
    let place = Place::new();
    for unit in ["manyhash-check@.service", "manyhash-packages.service", "manyhash-verity@.service"] {
        let told = |result: &str| run(&place, unit, "ExecStopPost", &[("SERVICE_RESULT", result), ("EXIT_STATUS", "1")]);
        assert_eq!(told("success").stdout, "");
        let failed = told("exit-code");
        assert!(failed.stdout.starts_with("<3>") && failed.stdout.ends_with("(1)\n"), "{unit}: {failed:?}");
    }
}
