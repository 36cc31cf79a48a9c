//! The load test runs. Its figures are not looked at.

use std::fs;
use std::path::Path;
use std::process::Command;

fn is_there(program: &str, arguments: &[&str]) -> bool {
    Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
}

/// Draws invented figures, of which those of the second column are four times those of the first,
/// and prints what is higher than its axis.
const HIGHER_THAN_THEIR_AXIS: &str = r#"
import sys
sys.path.insert(0, sys.argv[1])
import load
import matplotlib.pyplot as plt

names = ["requests_per_second", "p50_us", "p99_us", "cpu_us_per_request"]
engines = lambda value: {engine: [dict.fromkeys(names, value)] for engine in load.ENGINES}
cells = [{"body_bytes": 256, "connections": count, "engines": engines(100 * count)} for count in (1, 4)]
report = {"machine": {"cpu": "a CPU", "cores": 2, "date": "a day"}, "quick": False, "cells": cells}
plt.close = lambda figure: None
load.draw(sys.argv[2], report)
for axis in plt.gcf().axes:
    bottom, top = axis.get_ylim()
    bars = [bar.get_height() for bar in axis.patches]
    if bars and (bottom, top >= max(bars)) != (0, True):
        print(f"bars of {bars} on an axis from {bottom} to {top}")
"#;

#[test]
fn bars_of_all_columns_fit_into_the_picture() {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    if !is_there(&python, &["-c", "import matplotlib"]) {
        assert!(std::env::var_os("CI").is_none(), "{python}'s matplotlib is missing, and CI must have it");
        println!("SKIPPED: {python}'s matplotlib is not installed");
        return;
    }
    let out = tempfile::tempdir().unwrap();
    let mut command = Command::new(python);
    command.args(["-B", "-c", HIGHER_THAN_THEIR_AXIS, env!("CARGO_MANIFEST_DIR")]).arg(out.path().join("load.svg"));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
}

#[test]
fn the_load_test_measures_every_engine_and_writes_table_and_picture() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    if !is_there("sh", &["-c", "command -v wrk"]) || !is_there(&python, &["-c", "import matplotlib"]) {
        assert!(std::env::var_os("CI").is_none(), "wrk or {python}'s matplotlib is missing, and CI must have them");
        println!("SKIPPED: wrk or {python}'s matplotlib is not installed");
        return;
    }
    let out = tempfile::tempdir().unwrap();
    fs::copy(folder.join("README.md"), out.path().join("README.md")).unwrap();
    let mut command = Command::new(python);
    command.arg(folder.join("load.py")).args(["--quick", "--server", env!("CARGO_BIN_EXE_signed-http"), "--out"]).arg(out.path());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let written = |name: &str| fs::read_to_string(out.path().join(name)).unwrap();
    let readme = written("README.md");
    for body in ["256 B", "4 KiB", "64 KiB"] {
        for engine in ["openssl", "openssl-sha256", "batcher"] {
            assert!(readme.contains(&format!("\n| {body} | 8 | `{engine}` | ")), "{body}, {engine}: not in\n{readme}");
        }
    }
    assert!(readme.contains("these figures mean nothing") && readme.contains("\n<!-- to here -->\n"));
    assert!(written("load.svg").contains("requests a second"));
    assert!(written("load.json").contains("\"p99_us\""));
}
