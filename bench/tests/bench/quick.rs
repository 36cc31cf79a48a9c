//! The program itself: that `--quick` verifies everybody and prints its tables, and that wrong
//! usage is told.

use std::process::{Command, Output};

fn bench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_manyhash-bench")).args(arguments).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("output is text")
}

#[test]
fn quick_runs_every_algorithm_and_peer() {
    let directory = tempfile::tempdir().unwrap();
    let json = directory.path().join("report.json");
    let output = bench(&["--quick", "--workload", "a,e,f,i", "--json", json.to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let tables = text(&output.stdout);
    assert!(tables.contains("manyhash / best peer, aligned") && tables.contains("offset 16"), "{tables}");

    let report: serde_json::Value = serde_json::from_reader(std::fs::File::open(json).unwrap()).unwrap();
    let cells = report["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 4 * 4 * 2, "algorithms, workloads, placements");
    for cell in cells {
        let rows = cell["rows"].as_array().unwrap();
        assert!(rows.iter().any(|row| row["standing"] == "ours"), "{cell}");
        let least = if cell["algorithm"] == "MD5" { 2 } else { 5 };
        assert!(rows.iter().filter(|row| row["standing"] == "peer").count() >= least, "{cell}");
        for row in rows {
            assert!(row["samples"][0]["call_ns"].as_f64().unwrap() > 0.0, "{row}");
        }
    }
}

/// Every digest of each is verified, or the run fails.
#[test]
fn other_algorithms_have_peers_that_agree() {
    for (algorithm, peers) in [("blake3", &["blake3"][..]), ("sm3", &["sm3", "openssl EVP"])] {
        let output = bench(&["--quick", "--algorithm", algorithm, "--workload", "a,e,f,i"]);
        assert!(output.status.success(), "{algorithm}: {}", text(&output.stderr));
        let tables = text(&output.stdout);
        assert!(peers.iter().all(|peer| tables.contains(&format!("\n{peer}"))), "{tables}");
        assert!(!tables.contains("another digest"), "{tables}");
    }
}

/// Every result is compared with those of the peers, or the run fails.
#[test]
fn applications_agree_with_their_peers() {
    let output = bench(&["applications", "--quick"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let tables = text(&output.stdout);
    for (application, peer) in [
        ("chains", "tape-sha256"),
        ("PBKDF2-HMAC", "aws-lc-rs"),
        ("SSZ", "sha2"),
        ("Bitcoin", "sha2"),
        ("RFC 9162", "lanes"),
        ("SHA256TREE", "sha2"),
    ] {
        let (_, after) = tables.split_once(&format!("SHA-256  {application}: ")).unwrap_or_else(|| panic!("no {application}: {tables}"));
        assert!(
            after.split("\n\n").next().is_some_and(|table| table.contains(&format!("\n{peer}"))),
            "{application} without {peer}: {tables}"
        );
    }
    assert!(tables.contains("SHA-1  Git: ") && tables.contains("SHA-256  Git: "), "{tables}");
}

#[test]
fn filters_choose() {
    let output = bench(&["--quick", "--algorithm", "sha512", "--workload", "b", "--peer", "sha2,aws"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let tables = text(&output.stdout);
    assert!(tables.contains("SHA-512  b: 64 x 4 KiB"), "{tables}");
    assert!(!tables.contains("SHA-1  ") && !tables.contains("SHA-256  ") && !tables.contains("openssl low-level"));
}

#[test]
fn what_is_left_out_is_in_the_header() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manyhash-bench"));
    command.args(["--quick", "--algorithm", "md5", "--workload", "a"]).env("MANYHASH_WITHOUT", "avx,sha");
    let output = command.output().expect("the program starts");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let header: Vec<&str> = text(&output.stdout).lines().collect();
    assert!(header.iter().any(|line| line.starts_with("MANYHASH_WITHOUT      avx,sha: ")), "{header:?}");
    let backends = header.iter().find(|line| line.starts_with("manyhash backends")).expect("what manyhash says of itself");
    assert!(!backends.contains("avx"), "{backends}");
}

#[test]
fn wrong_names_are_told_with_the_right_ones() {
    for (arguments, complaint) in [
        (["--workload", "z"], "--workload z: not one of a, b, bs, k, c, d, e, f, g, gs, h, i, j"),
        (["--algorithm", "MD4"], "--algorithm MD4: not one of MD5, SHA-1, SHA-256, SHA-512"),
        (["--peer", "nobody"], "--peer nobody: nobody among manyhash"),
        (["--samples", "0"], "not a number of at least 1"),
    ] {
        let output = bench(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(complaint), "{}", text(&output.stderr));
    }
}

#[test]
fn a_backend_without_the_algorithm_is_an_error_before_anything_runs() {
    let output = Command::new(env!("CARGO_BIN_EXE_manyhash-bench"))
        .args(["--quick", "--workload", "a", "--algorithm", "sha512"])
        .env("MANYHASH_BACKEND", "no such backend")
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty(), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("MANYHASH_BACKEND"));
}

#[test]
fn a_choice_that_leaves_nobody_is_an_error() {
    let output = bench(&["--quick", "--workload", "b", "--peer", "manyhash:hash"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("nobody chosen takes part"));
}

#[test]
fn processes_are_pooled() {
    let directory = tempfile::tempdir().unwrap();
    let json = directory.path().join("report.json");
    let one = ["--quick", "--workload", "a,e", "--algorithm", "sha256", "--peer", "manyhash,sha2", "--json", json.to_str().unwrap()];
    let output = bench(&[one.as_slice(), &["--processes", "3"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "process 2 of 3\nprocess 3 of 3\n");
    let tables = text(&output.stdout);
    assert_eq!(tables.matches("SHA-256  a: ").count(), 1, "{tables}");

    let report: serde_json::Value = serde_json::from_reader(std::fs::File::open(json).unwrap()).unwrap();
    let cells = report["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 2 * 2, "workloads, placements");
    for row in cells.iter().flat_map(|cell| cell["rows"].as_array().unwrap()) {
        let processes: Vec<_> = row["samples"].as_array().unwrap().iter().map(|sample| sample["process"].as_u64().unwrap()).collect();
        assert_eq!(processes, [0, 1, 2], "{row}");
    }
}

#[test]
fn ipsec_mb_takes_what_it_hashes_right() {
    let output = bench(&["--quick", "--workload", "b,j", "--peer", "ipsec-mb"]);
    if text(&output.stderr).contains("nobody among") {
        let reason = "SKIPPED: built without intel-ipsec-mb (Debian: libipsec-mb-dev)";
        assert!(std::env::var_os("CI").is_none() || cfg!(not(target_arch = "x86_64")), "{reason}");
        println!("{reason}");
        return;
    }
    assert!(output.status.success(), "{}", text(&output.stderr));
    let tables = text(&output.stdout);
    for (cell, takes_part) in [("SHA-1  j: ", true), ("SHA-256  j: ", true), ("SHA-512  b: ", true), ("SHA-512  j: ", false)] {
        assert_eq!(tables.contains(cell), takes_part, "{cell}{tables}");
    }
}

#[test]
fn backends_are_listed_for_scripts() {
    let output = bench(&["backends"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let known: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let names: Vec<&str> = known["backends"].as_array().unwrap().iter().map(|backend| backend["name"].as_str().unwrap()).collect();
    assert_eq!(names[0], "portable");
    let algorithms = known["algorithms"].as_array().unwrap();
    assert_eq!(algorithms.len(), manyhash::AnyAlgorithm::ALL.len());
    for algorithm in algorithms {
        let lanes = algorithm["lanes"].as_object().unwrap();
        assert_eq!(lanes["portable"], 1, "{algorithm}");
        assert!(lanes.keys().all(|name| names.contains(&name.as_str())), "{algorithm}");
        let block_bytes = algorithm["block_bytes"].as_u64().unwrap();
        assert!([64, 128].contains(&block_bytes) || (72..=144).contains(&block_bytes) && block_bytes % 8 == 0, "{algorithm}");
        assert!((block_bytes - 17..=block_bytes).contains(&algorithm["one_block_bytes"].as_u64().unwrap()), "{algorithm}");
    }
}

#[test]
fn a_kernel_runs_between_two_lines() {
    let output = bench(&["step", "sha256", "portable", "2"]);
    assert_eq!((text(&output.stdout), output.status.code()), ("begin\nend\n", Some(0)));
}
