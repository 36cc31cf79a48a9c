//! Backends that are made wrong on purpose, as a compiler or a CPU might make them: digests stay right,
//! and who is told what.
//!
//! `MANYHASH_TEST_BREAK` names them. Only builds with debug assertions, as tests are, know it.

use crate::support::{ABC_SHA256, BINARY, Outcome, Place, outcome};
use manyhash::backend::Backend;
use manyhash::{AnyAlgorithm, Sha256};

/// Runs a command where backends are broken.
fn run(place: &Place, broken: &str, forced: &str, arguments: &str, stdin: &[u8]) -> Outcome {
    let mut command = place.command(BINARY);
    command.args(arguments.split(' ')).env("MANYHASH_TEST_BREAK", broken).env("MANYHASH_BACKEND", forced);
    outcome(&mut command, stdin)
}

/// Creates files enough to fill the lanes of each backend, short ones and long ones.
fn place() -> Place {
    let place = Place::new();
    for index in 0..150 {
        place.file(format!("t/{index:03}"), vec![index as u8; index * index]);
    }
    place
}

/// Returns the names of the backends, each in a line that says that it is left out.
fn named(stderr: &str, program: &str) -> Vec<String> {
    let prefix = format!("{program}: backend '");
    let lines = stderr.lines().filter(|line| line.ends_with(" wrongly on this machine and is left out"));
    lines.map(|line| line.strip_prefix(&prefix).unwrap().split_once('\'').unwrap().0.to_string()).collect()
}

/// Returns the name of the backend that `-v` says.
fn in_use(outcome: &Outcome) -> String {
    let said = outcome.stderr.lines().find_map(|line| line.split_once(": backend "));
    said.unwrap().1.split_once(',').unwrap().0.to_string()
}

#[test]
fn whichever_backend_is_wrong_digests_are_right_and_it_is_named() {
    let place = place();
    let all: Vec<&str> = AnyAlgorithm::ALL.iter().map(|algorithm| algorithm.name()).collect();
    let sum = format!("sum -a {} -r t", all.join(","));
    let right = place.run(&sum);
    assert_eq!((right.stdout.lines().count(), right.stderr.as_str(), right.code), (150 * all.len(), "", Some(0)));
    let best = in_use(&place.run("sum -v t/000"));
    let names: Vec<&str> = Backend::supported().iter().map(Backend::name).collect();
    let mut named_without_being_asked = 0;
    for name in &names {
        let broken = run(&place, name, "", &sum, b"");
        assert!(broken.stdout == right.stdout, "{name}");
        assert_eq!(broken.code, Some(0), "{name}");
        // What is never used is not tested, unless somebody wants to know.
        let told = named(&broken.stderr, "manyhash");
        assert_eq!(told.len(), broken.stderr.lines().count(), "{name}: {}", broken.stderr);
        assert!(told.iter().all(|told| told == name), "{name}: {}", broken.stderr);
        named_without_being_asked += usize::from(!told.is_empty());
        let verbose = run(&place, name, "", "sum -v t/007", b"");
        assert!(!named(&verbose.stderr, "manyhash").is_empty(), "{name}: {}", verbose.stderr);
        assert_eq!((verbose.stdout, verbose.code), (place.run("sum t/007").stdout, Some(0)), "{name}");
        assert_ne!(in_use(&run(&place, &best, "", "sum -v t/000", b"")), best);
    }
    println!("{named_without_being_asked} of {} backends are named without -v", names.len());
    assert!(named_without_being_asked > 0);
    // All of them but the last resort.
    let but_portable = names.iter().copied().filter(|name| *name != "portable").collect::<Vec<_>>().join(",");
    let broken = run(&place, &but_portable, "", &sum, b"");
    assert!(broken.stdout == right.stdout && broken.code == Some(0), "{}", broken.stderr);
}

#[test]
fn every_command_names_the_wrong_backend_and_works() {
    let place = place();
    let best = Backend::best::<Sha256>().name();
    place.file("sums", place.run("sum -r t").stdout).file("wrong", format!("{ABC_SHA256}  t/000\n"));
    for arguments in [
        "sum -r t",
        "sum -o o -r t",
        "check sums",
        "check wrong",
        "check --audit sums",
        "dups t",
        "tree j-lanes t/149",
        "tree fs-verity t/149",
        "sha256sum t/000 missing",
        "sha256sum -c sums",
        "sum missing",
    ] {
        let right = place.run(arguments);
        let broken = run(&place, best, "", arguments, b"");
        let program = if arguments.starts_with("sha256sum") { "sha256sum" } else { "manyhash" };
        assert_eq!((&broken.stdout, broken.code), (&right.stdout, right.code), "{arguments}");
        // It may be the best one of other compression functions, too: each has its line.
        let mut names = named(&broken.stderr, program);
        names.dedup();
        assert_eq!(names, [best], "{arguments}: {}", broken.stderr);
        let others: String = broken.stderr.split_inclusive('\n').filter(|line| !line.contains("left out")).collect();
        assert_eq!(others, right.stderr, "{arguments}");
    }
}

#[test]
fn forcing_a_wrong_backend_is_an_error_that_names_those_that_are_right() {
    let place = place();
    for backend in Backend::supported().iter().filter(|backend| backend.supports::<Sha256>()) {
        let name = backend.name();
        for (arguments, code) in
            [("sum t/000", 2), ("check -a sha256 t/000", 2), ("tree j-lanes t/000", 2), ("dups t", 2), ("sha256sum t/000", 1)]
        {
            let refused = run(&place, name, name, arguments, b"");
            assert_eq!((refused.stdout.as_str(), refused.code), ("", Some(code)), "{name}, {arguments}: {}", refused.stderr);
            let program = if code == 1 { "sha256sum" } else { "manyhash" };
            let error = refused.stderr.lines().find_map(|line| line.split_once(" wrongly on this machine; these have it: "));
            let (wrong, usable) = error.unwrap_or_else(|| panic!("{arguments}: {}", refused.stderr));
            assert!(wrong.starts_with(&format!("{program}: backend '{name}' computes ")), "{wrong}");
            let usable: Vec<&str> = usable.split(", ").collect();
            assert!(!usable.is_empty() && !usable.contains(&name), "{name}: {}", refused.stderr);
        }
        // Another one may be forced.
        if name != "portable" {
            let (other, right) = (run(&place, name, "portable", "sum t/007", b""), place.run("sum t/007"));
            assert_eq!((other.stdout, other.code), (right.stdout, Some(0)), "{name}: {}", other.stderr);
        }
    }
}

/// So a broken backend does compute wrongly, and the tests above test something.
#[test]
fn where_every_backend_is_wrong_there_is_an_error_and_no_digest() {
    let place = place();
    for (arguments, code) in [("sum t/000", 2), ("sum -a md5,sha512 t/000", 2), ("sha256sum t/000", 1), ("check -a sha256 t/000", 2)] {
        let refused = run(&place, "all", "", arguments, b"abc");
        assert_eq!((refused.stdout.as_str(), refused.code), ("", Some(code)), "{arguments}: {}", refused.stderr);
        assert!(refused.stderr.contains("wrongly on this machine"), "{arguments}: {}", refused.stderr);
    }
}
