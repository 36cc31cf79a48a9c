//! Instructions are counted where valgrind is, and each kind of code is made of the registers that it is for.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::process::Command;

use serde_json::Value;

#[test]
fn each_code_is_made_of_its_registers() {
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("SKIPPED: no valgrind");
        assert!(std::env::var_os("CI").is_none(), "skipped under CI: no valgrind");
        return;
    }
    let json = tempfile::NamedTempFile::new().expect("a file");
    let program = env!("CARGO_BIN_EXE_manyhash-study");
    let output = Command::new(program).args(["--quick", "2004-appendix", "--json"]).arg(json.path()).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let study: Value = serde_json::from_slice(&std::fs::read(json.path()).expect("the file")).expect("JSON");
    let tables = study["figures"][0]["tables"].as_array().expect("tables");
    let table = |begin: &str| {
        let is_it = |table: &&Value| table["title"].as_str().expect("a title").starts_with(begin);
        tables.iter().find(is_it).unwrap_or_else(|| panic!("no table {begin}"))
    };
    let value = |table: &Value, function: &str, code: &str, column: &str| {
        let columns = table["columns"].as_array().expect("columns");
        let column = columns.iter().position(|name| name == column).expect("a column");
        let is_it = |cells: &&Value| cells[0] == function && cells[1] == code;
        let row = table["rows"].as_array().expect("rows").iter().find(is_it).unwrap_or_else(|| panic!("no {function} in {code}"));
        row[column]["value"].as_f64().expect("a value")
    };
    for function in ["SHA-1", "SHA-256", "SHA-512"] {
        for (code, least_percent) in [("scalar", 95.0), ("MMX", 50.0), ("XMM", 50.0)] {
            let percent = value(table("Instructions on the registers"), function, code, "here");
            assert!((least_percent..=100.0).contains(&percent), "{function}: {percent} % of {code} code");
        }
        let instructions =
            ["XMM", "MMX", "scalar"].map(|code| value(table("Instructions, accesses"), function, code, "instructions per byte"));
        assert!(instructions.iter().all(|instructions| (1.0..500.0).contains(instructions)), "{function}: {instructions:?}");
        assert!(instructions.is_sorted(), "{function}: the wider, the fewer: {instructions:?}");
    }
}
