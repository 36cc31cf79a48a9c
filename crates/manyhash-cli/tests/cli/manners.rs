//! What all commands have in common: threads, help and its width.

use crate::support::{ABC_SHA256, BINARY, Place, outcome, pattern};

#[test]
fn a_number_of_threads_is_one_in_every_command() {
    let place = Place::new();
    place.file("t/large", pattern(3 << 20)).file("t/small", "abc").file("t/copy", "abc");
    place.file("sums", place.run("sum -r t").stdout);
    let uuid = "00000000-0000-4000-8000-000000000000";
    assert_eq!(place.run(&format!("verity format --salt 00 --uuid {uuid} t/large hash --root-hash-file root")).code, Some(0));
    let root = std::fs::read_to_string(place.join("root")).unwrap();
    for command in [
        "sum -r t",
        "check sums",
        "dups t",
        "dups --chunks fixed:512 t",
        "tree j-lanes t/large",
        "tree j-pointers -l 3 t/large",
        "tree files t/large t/small",
        "tree fs-verity t/large",
        "tree s3 t/large",
        "tree dm-verity t/large",
        &format!("verity verify t/large hash {root}"),
    ] {
        let expected = place.run(command);
        assert_eq!(expected.code, Some(0), "{command}: {}", expected.stderr);
        for threads in ["0", "1", "3", "200", "99999999999999999999999"] {
            assert_eq!(place.run(&format!("{command} -j {threads}")), expected, "{command} -j {threads}");
        }
        for wrong in ["-1", "x", "1.5", "all"] {
            let refused = place.run(&format!("{command} --threads {wrong}"));
            assert_eq!(refused.code, Some(2), "{command} --threads {wrong}");
            assert!(refused.stderr.contains("--threads"), "{refused:?}");
        }
    }
}

#[test]
fn lanes_are_not_threads() {
    let place = Place::new();
    place.file("f", pattern(100_000));
    for mode in ["j-lanes", "j-pointers"] {
        let usual = place.run(&format!("tree {mode} f")).stdout;
        assert_eq!(place.run(&format!("tree {mode} -l 16 f")).stdout, usual);
        assert_eq!(place.run(&format!("tree -j 2 {mode} -j 3 f")).stdout, usual);
        assert_ne!(place.run(&format!("tree {mode} --lanes 3 f")).stdout, usual);
    }
}

/// Returns the arguments that have help, without those that ask for it.
fn with_help(place: &Place) -> Vec<String> {
    let mut commands = vec![String::new()];
    for above in ["", "tree ", "verity "] {
        let help = place.run(&format!("{above}--help")).stdout;
        let (_, list) = help.split_once("Commands:\n").unwrap();
        let names = list.split("\n\n").next().unwrap().lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        commands.extend(names.map(|line| format!("{above}{}", line.split_whitespace().next().unwrap())).filter(|name| name != "help"));
    }
    assert!(commands.len() > 15, "{commands:?}");
    commands
}

#[test]
fn help_is_as_wide_as_the_terminal() {
    let place = Place::new();
    for command in with_help(&place) {
        for (columns, help) in [("80", "--help"), ("80", "-h"), ("200", "--help"), ("200", "-h")] {
            if command.starts_with("verity") && help == "-h" {
                continue;
            }
            let run = outcome(place.command(BINARY).env("COLUMNS", columns).args(command.split_whitespace()).arg(help), b"");
            assert_eq!(run.code, Some(0), "{command} {help}: {run:?}");
            for line in run.stdout.lines() {
                let is_one_word = line.split_whitespace().count() == 1;
                assert!(line.chars().count() <= columns.parse().unwrap() || is_one_word, "{command} {help} in {columns}: {line:?}");
            }
        }
    }
}

#[test]
fn help_has_a_short_and_a_long_form_and_is_a_command_too() {
    let place = Place::new();
    for command in with_help(&place) {
        let long = place.run(&format!("{command} --help"));
        assert_eq!(place.run(&format!("help {command}")).stdout, long.stdout, "help {command}");
        if !command.is_empty() && !command.starts_with("verity") {
            let short = place.run(&format!("{command} -h")).stdout;
            assert!(short.len() < long.stdout.len() && !short.contains("Examples:"), "{command}: {short}");
        }
    }
    assert!(place.run("-h").stdout.len() < place.run("--help").stdout.len());
    let wrong = place.run("help bogus");
    assert!(wrong.code == Some(2) && wrong.stderr.contains("bogus"), "{wrong:?}");
}

#[test]
fn verify_is_check_and_quiet_has_a_letter() {
    let place = Place::new();
    place.file("f", "abc").file("sums", format!("{ABC_SHA256}  f\n"));
    for options in ["", "--quiet", "--json"] {
        let check = place.run(&format!("check {options} sums"));
        assert_eq!(check.code, Some(0));
        assert_eq!(place.run(&format!("verify {options} sums")), check);
    }
    let quiet = place.run("check -q sums");
    assert_eq!((quiet, place.run("check sums").stdout.as_str()), (place.run("check --quiet sums"), "f: OK\n"));
    assert!(place.run("man verify").stdout.contains("MANYHASH-CHECK"));
    assert!(!place.run("man").stdout.contains("manyhash-help"));
}
