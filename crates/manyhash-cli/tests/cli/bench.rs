//! `manyhash bench`: its rows and columns. The figures themselves are not tested.

use crate::support::{BINARY, Place, outcome};
use manyhash::backend::Backend;
use manyhash::{Sha1, Sha256};

fn figures(line: &str) -> Vec<f64> {
    line.get(13..).unwrap().split_whitespace().take(4).map(|figure| figure.parse().unwrap_or_else(|_| panic!("{line}"))).collect()
}

#[test]
fn the_library_s_choice_has_a_figure_for_every_batch_and_a_meaning() {
    let folder = Place::new();
    let run = folder.run("bench -a sha1 -a sha256");
    assert_eq!((run.stderr.as_str(), run.code), ("", Some(0)));
    let [cpu, heading, sha1, sha256, meaning] = run.stdout.lines().collect::<Vec<_>>()[..] else { panic!("{}", run.stdout) };
    assert!(cpu.ends_with(", one thread"), "{cpu}");
    assert!(heading.ends_with("1 x 1 MiB     4 x 4 KiB    64 x 4 KiB   1024 x 64 B   backend"), "{heading}");
    assert!(sha1.starts_with("SHA-1 ") && sha1.contains("(chosen"), "{sha1}");
    let chosen = Backend::in_use::<Sha256>().unwrap();
    assert!(sha256.contains(&format!("   {chosen} (chosen")), "{sha256}");
    assert!([sha1, sha256].iter().all(|line| figures(line).iter().all(|figure| *figure > 0.0)), "{}", run.stdout);
    assert!(meaning.starts_with("SHA-256 of many messages is ") && meaning.contains(chosen.name()), "{meaning}");
}

#[test]
fn every_backend_has_figures_if_asked_for() {
    let folder = Place::new();
    let run = folder.run("bench --all -a sha1");
    assert_eq!((run.stderr.as_str(), run.code), ("", Some(0)));
    let lines: Vec<&str> = run.stdout.lines().collect();
    let rows = &lines[2..lines.len() - 1];
    let names = rows[1..].iter().map(|line| line.split_whitespace().last().unwrap()).collect::<Vec<_>>();
    let supported = Backend::supported().into_iter().filter(|backend| backend.supports::<Sha1>()).collect::<Vec<_>>();
    assert_eq!(names, supported.iter().map(Backend::name).collect::<Vec<_>>());
    assert!(rows.iter().all(|line| figures(line).iter().all(|figure| *figure > 0.0)), "{}", run.stdout);
}

#[test]
fn programs_get_an_object_a_figure() {
    let folder = Place::new();
    for (all, rows) in [("", 1), ("--all", 1 + Backend::supported().iter().filter(|backend| backend.supports::<Sha256>()).count())] {
        let run = folder.run(&format!("bench --json {all} -a sha256"));
        assert_eq!((run.stderr.as_str(), run.code), ("", Some(0)));
        let figures: Vec<serde_json::Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(figures.len(), 4 * rows, "{}", run.stdout);
        assert_eq!(figures.iter().filter(|figure| figure["is_chosen"] == true).count(), 4);
        for figure in &figures {
            assert!(figure["algorithm"] == "SHA-256" && figure["gigabytes_per_second"].as_f64().unwrap() > 0.0, "{figure}");
            assert!(figure["lanes"].as_u64().unwrap() > 0 && figure["cpu"].is_string() && figure["message_bytes"].is_u64(), "{figure}");
        }
    }
    assert_eq!(folder.run("bench --json --calibrate").code, Some(2));
}

#[test]
fn threads_are_measured_together() {
    let folder = Place::new();
    let run = folder.run("bench -j 2 -a sha256");
    assert_eq!((run.stderr.as_str(), run.code), ("", Some(0)));
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert!(lines[0].ends_with(", 2 threads"), "{}", lines[0]);
    assert!(figures(lines[2]).iter().all(|figure| *figure > 0.0), "{}", lines[2]);
    let json = folder.run("bench --threads 3 --json -a sha256");
    let figure: serde_json::Value = serde_json::from_str(json.stdout.lines().next().unwrap()).unwrap();
    assert!(figure["threads"] == 3 && figure["gigabytes_per_second"].as_f64().unwrap() > 0.0, "{figure}");
    assert_eq!(folder.run("bench -j -1").code, Some(2));
    assert_eq!(folder.run("bench -j 2 --calibrate").code, Some(2));
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
    // Behind the table are the backends that take longer where lanes collide.
    const COLLIDING: &str = "// The same where lanes collide";
    let is_colliding = run.stdout.contains(COLLIDING);
    let table = run.stdout.lines().take_while(|line| !line.starts_with(COLLIDING)).filter(|line| !is_comment(line));
    let costs: Vec<(String, u64)> = table.map(|text| line(text).unwrap_or_else(|| panic!("{text}"))).collect();
    let mut names: Vec<&str> = costs.iter().map(|(name, _)| name.as_str()).collect();
    let mut expected: Vec<&str> =
        Backend::supported().iter().filter(|backend| backend.supports::<Sha256>()).map(|backend| backend.name()).collect();
    names.sort_unstable();
    expected.sort_unstable();
    assert_eq!(names, expected);
    assert!(costs.iter().all(|(_, cost)| *cost > 1000), "{}", run.stdout);
    assert_eq!(run.stdout.lines().filter(is_comment).count(), 3 + usize::from(is_colliding), "{}", run.stdout);
}
