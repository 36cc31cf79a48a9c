//! `manyhash bench`: its rows and columns. The figures themselves are not tested.

use crate::support::{BINARY, Place, outcome};

#[test]
fn every_backend_has_a_figure_for_every_batch() {
    let folder = Place::new();
    let run = folder.run("bench -a sha1");
    assert_eq!((run.stderr.as_str(), run.code), ("", Some(0)));
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert!(lines[0].ends_with("1 x 1 MiB     4 x 4 KiB    64 x 4 KiB   1024 x 64 B"), "{}", lines[0]);
    assert!(lines[1].starts_with("SHA-1        ("), "{}", lines[1]);
    assert!(lines.iter().any(|line| line.trim_start().starts_with("portable ")), "{}", run.stdout);
    for line in &lines[1..] {
        let figures: Vec<f64> = line.split_whitespace().rev().take(4).map(|figure| figure.parse().unwrap()).collect();
        assert!(figures.iter().all(|figure| *figure > 0.0), "{line}");
    }
}

#[test]
fn a_wrong_backend_is_told_before_anything_is_measured() {
    let folder = Place::new();
    let run = outcome(folder.command(BINARY).args(["bench", "-a", "sha512"]).env("MANYHASH_BACKEND", "nonesuch"), b"");
    assert_eq!((run.stdout.as_str(), run.code), ("", Some(2)));
    assert!(run.stderr.starts_with("manyhash: unknown backend 'nonesuch'; this CPU can run: portable"), "{}", run.stderr);
}
