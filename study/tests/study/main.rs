//! The program `manyhash-study`, as it is called.

use std::process::{Command, Output};

use serde_json::Value;

mod command;
mod counts;
mod gueron_2013;

fn study(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_manyhash-study")).args(arguments).output().expect("the program runs")
}

/// What a quick run of these figures writes.
fn measured(figures: &[&str]) -> Value {
    let json = tempfile::NamedTempFile::new().expect("a file");
    let output = study(&[&["--quick", "--json", json.path().to_str().expect("a name")], figures].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    serde_json::from_slice(&std::fs::read(json.path()).expect("the file")).expect("JSON")
}
