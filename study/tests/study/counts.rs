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
    let study = crate::measured(&["2004-appendix"]);
    let rows = study["figures"][0]["rows"].as_array().expect("rows");
    let value = |what: &str, function: &str, code: &str| {
        let is_it = |row: &&Value| row["case"] == function && row["who"] == code && row["what"] == what && row["source"] == "ours";
        rows.iter().find(is_it).and_then(|row| row["value"].as_f64()).unwrap_or_else(|| panic!("no {what} of {function} in {code}"))
    };
    for function in ["SHA-1", "SHA-256", "SHA-512"] {
        for (code, least_percent) in [("scalar", 95.0), ("MMX", 50.0), ("XMM", 50.0)] {
            let percent = value("% of the instructions on the registers that the code is for", function, code);
            assert!((least_percent..=100.0).contains(&percent), "{function}: {percent} % of {code} code");
        }
        let instructions = ["XMM", "MMX", "scalar"].map(|code| value("instructions per byte", function, code));
        assert!(instructions.iter().all(|instructions| (1.0..500.0).contains(instructions)), "{function}: {instructions:?}");
        assert!(instructions.is_sorted(), "{function}: the wider, the fewer: {instructions:?}");
    }
}
