//! `grid`: that every cell asked for is measured beside every peer, and said.

use std::process::{Command, Output};

use serde_json::Value;

fn grid(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_manyhash-bench")).arg("grid").args(arguments).output().expect("the program starts")
}

/// What the quick form prints, and its JSON file.
fn reported(arguments: &[&str]) -> (String, Value) {
    let directory = tempfile::tempdir().unwrap();
    let json = directory.path().join("grid.json");
    let output = grid(&[arguments, &["--quick", "--json", json.to_str().unwrap()]].concat());
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("output is text");
    (text, serde_json::from_reader(std::fs::File::open(json).unwrap()).unwrap())
}

fn list<'a>(value: &'a Value, name: &str) -> &'a Vec<Value> {
    value[name].as_array().unwrap_or_else(|| panic!("no list {name} in {value}"))
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("no text {name} in {value}"))
}

#[test]
fn cells_have_every_algorithm_number_of_messages_and_kind_of_lengths() {
    let (said, report) = reported(&["--count", "1,3", "--lengths", "0B,64B,ln6-1", "--before", "nothing"]);
    let cells = list(&report, "cells");
    assert_eq!(cells.len(), 5 * 2 * 3 * 2, "algorithms, numbers, kinds, and two places or orders of each");
    for algorithm in ["SHA-1", "SHA-256", "SHA-512", "MD5", "HMAC-SHA-256"] {
        assert!(said.contains(&format!("{algorithm}: times as fast as")), "{said}");
        for (messages, lengths) in [(1, "0B"), (1, "64B"), (3, "ln6-1")] {
            let is_it = |cell: &&Value| cell["messages"] == messages && cell["lengths"] == lengths && cell["algorithm"] == algorithm;
            assert_eq!(cells.iter().filter(is_it).count(), 2, "{algorithm}, {messages} x {lengths}");
        }
    }
    for cell in cells {
        let rows = list(cell, "rows");
        assert_eq!((text(&rows[0], "peer"), text(&rows[0], "standing")), ("manyhash", "ours"));
        assert!(rows[1..].iter().all(|row| row["standing"] == "peer"), "{cell}");
        assert!(rows.iter().all(|row| row["judged_ns"].as_f64().unwrap() > 0.0), "{cell}");
        let names: Vec<&str> = rows.iter().map(|row| text(row, "peer")).collect();
        let expected: &[&str] = match text(cell, "algorithm") {
            "MD5" => &["md-5", "openssl EVP"],
            "HMAC-SHA-256" => &["hmac", "openssl EVP_MAC", "aws-lc-rs"],
            "SHA-1" => &["sha1", "openssl low-level", "aws-lc-rs"],
            "SHA-256" => &["sha2", "openssl low-level", "aws-lc-rs", "tape-sha256", "commonware"],
            _ => &["sha2", "openssl low-level", "aws-lc-rs", "commonware"],
        };
        assert_eq!(names[1..=expected.len()], *expected);
    }
    assert_eq!(said.matches("best peer of each cell").count(), 5, "{said}");
    assert_eq!(said.matches("the worst cells:").count(), 5, "{said}");
}

#[test]
fn filters_choose_and_manyhash_stays() {
    let arguments = ["--algorithm", "hmac-sha256,MD5", "--count", "2", "--lengths", "half", "--peer", "openssl", "--before", "nothing"];
    let (_, report) = reported(&arguments);
    let algorithms: Vec<&str> = list(&report, "cells").iter().map(|cell| text(cell, "algorithm")).collect();
    assert_eq!(algorithms, ["MD5", "MD5", "HMAC-SHA-256", "HMAC-SHA-256"]);
    for cell in list(&report, "cells") {
        let names: Vec<&str> = list(cell, "rows").iter().map(|row| text(row, "peer")).collect();
        assert!(names[0] == "manyhash" && names.len() == 2 && names[1].starts_with("openssl"), "{names:?}");
    }
}

#[test]
fn processes_are_pooled() {
    let arguments =
        ["--algorithm", "sha256", "--count", "1", "--lengths", "64B", "--peer", "sha2", "--before", "nothing", "--processes", "2"];
    let (_, report) = reported(&arguments);
    for row in list(&report, "cells").iter().flat_map(|cell| list(cell, "rows")) {
        let times: Vec<f64> = list(row, "process_ns").iter().map(|ns| ns.as_f64().unwrap()).collect();
        assert_eq!(times.len(), 2);
        let judged = row["judged_ns"].as_f64().unwrap();
        assert!((judged - (times[0] + times[1]) / 2.0).abs() < 1e-6 * judged, "{row}");
    }
}

#[test]
fn what_runs_before_is_a_part_of_its_own() {
    let arguments = ["--algorithm", "sha1", "--count", "4", "--lengths", "64B", "--before", "dirty,cold,other"];
    let (said, report) = reported(&arguments);
    let before: Vec<&str> = list(&report, "cells").iter().map(|cell| text(cell, "before")).collect();
    assert!(before.contains(&"other"), "{before:?}");
    for before in before {
        assert!(said.contains(&format!("SHA-1, {before} before each call")), "{said}");
    }
}

#[test]
fn first_calls_have_a_process_each() {
    let (said, report) = reported(&["--algorithm", "md5", "--before", "first", "--peer", "md-5"]);
    assert!(said.contains("MD5: the first call of a process and the second, microseconds"), "{said}");
    assert!(list(&report, "cells").is_empty());
    let calls = list(&report, "first_calls");
    let peers: Vec<(&str, u64)> = calls.iter().map(|call| (text(call, "peer"), call["messages"].as_u64().unwrap())).collect();
    assert_eq!(peers, [("manyhash", 1), ("md-5", 1), ("manyhash", 16), ("md-5", 16)]);
    assert!(calls.iter().all(|call| call["first_ns"].as_f64() > Some(0.0) && call["second_ns"].as_f64() > Some(0.0)), "{calls:?}");
}

#[test]
fn a_choice_without_cells_is_an_error() {
    let output = grid(&["--quick", "--count", "1", "--lengths", "half", "--before", "nothing"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there are no such cells"));
}

#[test]
fn wrong_names_are_told_with_the_right_ones() {
    for (arguments, complaint) in [
        (["--count", "5"], "--count 5: not one of 1, 2, 3, 4, 6, 8"),
        (["--lengths", "65B"], "--lengths 65B: not one of 0B, 20B, 64B"),
        (["--before", "lunch"], "--before lunch: not one of nothing, dirty, cold, other, first"),
        (["--algorithm", "HMAC-MD5"], "--algorithm HMAC-MD5: not one of SHA-1, SHA-256, SHA-512, MD5, HMAC-SHA-256"),
        (["--peer", "nobody"], "--peer nobody: nobody among "),
    ] {
        let output = grid(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(complaint), "{said}");
    }
}
