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
    assert_eq!(tables.len(), 3);
    for table in tables {
        let columns = table["columns"].as_array().expect("columns");
        let value = |name: &str, code: &str| {
            let column = columns.iter().position(|column| column == code).expect("a column");
            let row = table["rows"].as_array().expect("rows").iter().find(|cells| cells[0] == name).expect("a row");
            row[column]["value"].as_f64().unwrap_or_else(|| panic!("{}: no {name} of {code}", table["title"]))
        };
        for (code, mmx, xmm) in [("scalar", false, false), ("MMX", true, false), ("XMM", false, true)] {
            for (row, is_most) in [("64-bit MMX instructions, %", mmx), ("128-bit instructions, %", xmm)] {
                let percent = value(row, code);
                let fits = if is_most { percent > 50.0 } else { percent < 5.0 };
                assert!(fits, "{}, {code}: {percent} {row}", table["title"]);
            }
            let instructions = value("instructions per byte", code);
            assert!((1.0..500.0).contains(&instructions), "{}, {code}: {instructions} instructions per byte", table["title"]);
        }
        let instructions = ["XMM", "MMX", "scalar"].map(|code| value("instructions per byte", code));
        assert!(instructions.is_sorted(), "{}: the wider, the fewer: {instructions:?}", table["title"]);
    }
}
