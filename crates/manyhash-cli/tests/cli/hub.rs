//! `check` of what Hugging Face's own library downloads, from a hub of our own: a cache, and a folder.

use crate::support::{Outcome, Place, outcome, skipped};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

const REPOSITORY: &str = "cache/models--org--model";
const SNAPSHOT: &str = "cache/models--org--model/snapshots/2222222222222222222222222222222222222222";

/// Downloads a model to `cache` and to `local`, unless Python has no such library.
fn downloaded() -> Option<Place> {
    let place = Place::new();
    let python = std::env::var_os("PYTHON").unwrap_or("python3".into());
    let has =
        |module: &str| place.command(&python).args(["-c", &format!("import {module}")]).output().is_ok_and(|run| run.status.success());
    if let Some(missing) = ["huggingface_hub", "safetensors.numpy"].into_iter().find(|module| !has(module)) {
        skipped(&format!("Python has no {missing}"));
        return None;
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/hub.py");
    let run = outcome(place.command(&python).args([script, "cache", "local"]), b"");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    Some(place)
}

fn blob_of(place: &Place, name: &str) -> PathBuf {
    fs::canonicalize(place.join(SNAPSHOT).join(name)).unwrap()
}

fn summary(check: &Outcome) -> (&str, Option<i32>) {
    (check.stderr.lines().last().unwrap_or_default(), check.code)
}

#[test]
fn what_the_library_downloads_is_right() {
    let Some(place) = downloaded() else { return };
    for folder in ["cache", REPOSITORY, "cache/", "./cache"] {
        let check = place.run(&format!("check --strict --audit {folder}"));
        assert_eq!(
            summary(&check),
            ("manyhash: 6 files OK (244.38 kB, 1 manifest)", Some(0)),
            "{folder}: {}{}",
            check.stdout,
            check.stderr
        );
        assert_eq!(check.stdout.lines().count(), 6, "{}", check.stdout);
    }
    let check = place.run("check cache");
    assert!(check.stdout.contains("/snapshots/1111111111111111111111111111111111111111/model-00001-of-00002.safetensors: OK\n"));
    // A blob that is in two snapshots is read once.
    assert!(!check.stdout.contains("/snapshots/2222222222222222222222222222222222222222/model-00001-of-00002.safetensors"));
    let check = place.run("check --strict local");
    assert_eq!(summary(&check).1, Some(0), "{}{}", check.stdout, check.stderr);
    assert!(check.stdout.contains("local/tokenizer/vocabulary.txt: OK\n") && check.stdout.lines().count() == 5, "{}", check.stdout);
    // With an algorithm, others do not count.
    assert_eq!(place.run("check -a sha256 cache").stdout.lines().count(), 2);
    assert_eq!(place.run("check -a sha512 cache").code, Some(1));
}

#[test]
fn what_is_damaged_is_found() {
    let Some(place) = downloaded() else { return };
    let damage = |name: &str| {
        let blob = blob_of(&place, name);
        let mut bytes = fs::read(&blob).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::remove_file(&blob).unwrap();
        fs::write(&blob, bytes).unwrap();
    };
    damage("config.json");
    damage("model-00002-of-00002.safetensors");
    let check = place.run("check --quiet cache");
    assert_eq!(check.code, Some(1));
    let mut failed: Vec<_> = check.stdout.lines().map(|line| line.rsplit('/').next().unwrap()).collect();
    failed.sort_unstable();
    assert_eq!(failed, ["config.json: FAILED", "model-00002-of-00002.safetensors: FAILED"]);
    fs::write(place.join("local/config.json"), "{}").unwrap();
    assert_eq!(place.run("check --quiet local").stdout, "local/config.json: FAILED\n");
}

#[test]
fn what_is_missing_or_odd_is_told() {
    let Some(place) = downloaded() else { return };
    let blob = blob_of(&place, "model-00001-of-00002.safetensors");
    fs::rename(&blob, place.join("elsewhere")).unwrap();
    let check = place.run("check cache");
    assert!(check.stdout.contains("model-00001-of-00002.safetensors: MISSING\n") && check.code == Some(1), "{}", check.stdout);
    assert!(
        check.stderr.contains("model-00001-of-00002.safetensors, which has 1 of its tensors: No such file or directory"),
        "{}",
        check.stderr
    );
    fs::rename(place.join("elsewhere"), &blob).unwrap();

    place.file(format!("{REPOSITORY}/refs/pr/1"), "3333333333333333333333333333333333333333");
    let check = place.run("check cache");
    assert!(
        check.stderr.contains("refs/pr/1: names snapshots/3333333333333333333333333333333333333333, which is not there"),
        "{}",
        check.stderr
    );
    assert_eq!(check.code, Some(1));
    fs::remove_file(place.join(format!("{REPOSITORY}/refs/pr/1"))).unwrap();

    // An interrupted download is no failure, but for an audit, and is told.
    place.file(format!("{REPOSITORY}/blobs/{}.12345678.incomplete", "5".repeat(64)), "part");
    let check = place.run("check --strict cache");
    assert!(check.stderr.contains("1 download is not complete, and left out") && check.code == Some(0), "{}", check.stderr);
    assert_eq!(place.run("check --audit cache").code, Some(1));

    place.file(format!("{SNAPSHOT}/own"), "abc");
    let check = place.run("check cache");
    assert!(
        check.stderr.contains("/own: is no link to a blob, so that its digest is not known") && check.code == Some(1),
        "{}",
        check.stderr
    );
    fs::remove_file(place.join(SNAPSHOT).join("own")).unwrap();
    place.file(format!("{REPOSITORY}/blobs/none"), "abc");
    symlink("../../blobs/none", place.join(SNAPSHOT).join("link")).unwrap();
    let check = place.run("check cache");
    assert!(check.stderr.contains("/link: links to a blob whose name is no digest") && check.code == Some(1), "{}", check.stderr);
}

#[test]
fn an_index_that_does_not_fit_is_found() {
    let Some(place) = downloaded() else { return };
    let index = "local/model.safetensors.index.json";
    let text = fs::read_to_string(place.join(index)).unwrap();
    place.file(index, text.replace("\"a\"", "\"c\""));
    let check = place.run("check local");
    assert!(check.stdout.contains("model.safetensors.index.json: FAILED\n") && check.code == Some(1), "{}", check.stdout);
    assert!(check.stderr.contains("model.safetensors.index.json: c is not in model-00001-of-00002.safetensors"), "{}", check.stderr);
}
