//! `manyhash bench`: its rows and columns. The figures themselves are not tested.

use crate::support::{BINARY, Place, outcome};
use manyhash::{Sha256, backend::Backend};

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

#[test]
fn calibration_prints_a_line_of_a_table_for_every_backend() {
    let folder = Place::new();
    let run = folder.run("bench --calibrate -a sha224");
    assert_eq!((run.stderr.as_str(), run.code), ("", Some(0)));
    let line = |line: &str| {
        let (kernel, cost) = line.strip_prefix("(\"sha256\", \"")?.split_once("\", ")?;
        let cost: u64 = cost.split_once("),")?.0.replace('_', "").parse().ok()?;
        Some((kernel.to_owned(), cost))
    };
    let is_comment = |line: &&str| line.starts_with("//");
    let costs: Vec<(String, u64)> =
        run.stdout.lines().filter(|line| !is_comment(line)).map(|text| line(text).unwrap_or_else(|| panic!("{text}"))).collect();
    let mut names: Vec<&str> = costs.iter().map(|(name, _)| name.as_str()).collect();
    let mut expected: Vec<&str> =
        Backend::supported().iter().filter(|backend| backend.supports::<Sha256>()).map(|backend| backend.name()).collect();
    names.sort_unstable();
    expected.sort_unstable();
    assert_eq!(names, expected);
    assert!(costs.iter().all(|(_, cost)| *cost > 1000), "{}", run.stdout);
    assert_eq!(run.stdout.lines().filter(is_comment).count(), 3, "{}", run.stdout);
}
