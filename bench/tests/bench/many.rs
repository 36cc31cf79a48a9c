//! `hmac`, `jobs`, `tls-records` and `batcher`: that they verify everybody and print and write what
//! they promise.

use std::process::{Command, Output};

use serde_json::Value;

fn bench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_manyhash-bench")).args(arguments).output().expect("the program starts")
}

/// What a mode prints, and its JSON file.
fn reported(arguments: &[&str]) -> (String, Value) {
    let directory = tempfile::tempdir().unwrap();
    let json = directory.path().join("report.json");
    let output = bench(&[arguments, &["--quick", "--json", json.to_str().unwrap()]].concat());
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("output is text");
    assert!(text.contains("--quick: every digest was verified"), "{text}");
    (text, serde_json::from_reader(std::fs::File::open(json).unwrap()).unwrap())
}

fn list<'a>(value: &'a Value, name: &str) -> &'a Vec<Value> {
    value[name].as_array().unwrap_or_else(|| panic!("no list {name} in {value}"))
}

fn names(cell: &Value) -> Vec<&str> {
    list(cell, "rows").iter().map(|row| row["peer"].as_str().unwrap()).collect()
}

#[test]
fn hmac_runs_every_algorithm_with_one_key_and_with_many() {
    let (text, report) = reported(&["hmac"]);
    assert!(text.contains("HMAC-SHA-256  fk: 4096 x 32 to 200 B, a key for each message"), "{text}");
    assert!(text.contains("manyhash / best peer, aligned"), "{text}");
    let cells = list(&report, "cells");
    assert_eq!(cells.len(), 4 * 7 * 2, "algorithms, workloads, placements");
    for cell in cells {
        let names = names(cell);
        assert!(names.starts_with(&["manyhash", "manyhash:tag", "hmac", "openssl HMAC()", "openssl EVP_MAC"]), "{names:?}");
        assert_eq!(names.contains(&"aws-lc-rs"), cell["algorithm"] != "HMAC-MD5", "{names:?}");
    }
}

#[test]
fn jobs_are_beside_the_same_bytes_at_once() {
    let (text, report) = reported(&["jobs", "--algorithm", "sha256,sha512"]);
    assert_eq!(text.matches("64 streams of 64 KiB in pieces of 4 KiB").count(), 2, "{text}");
    for cell in list(&report, "cells") {
        assert_eq!(names(cell), ["jobs", "jobs, Bytes", "jobs, copied to Vec", "hash_many", "Hasher each", "openssl EVP each"]);
        assert_eq!(cell["rows"][0]["standing"], "ours");
    }
}

#[test]
fn tls_records_have_speeds_and_latencies() {
    let (text, report) = reported(&["tls-records"]);
    assert!(text.contains("since the record's last piece was fed") && text.contains("since the round arrived"), "{text}");
    let connections: Vec<u64> = list(&report, "cells").iter().map(|cell| cell["connections"].as_u64().unwrap()).collect();
    assert_eq!(connections, [1, 16]);
    for cell in list(&report, "cells") {
        assert_eq!(names(cell), ["jobs", "jobs, flushed", "openssl EVP_MAC"]);
        for latencies in list(cell, "latencies") {
            let time = |since: &str, which: &str| latencies[since][which].as_f64().unwrap();
            assert!(time("since_fed", "median_ns") > 0.0 && time("since_fed", "median_ns") <= time("since_fed", "p99_ns"), "{latencies}");
            assert!(time("since_arrival", "median_ns") >= time("since_fed", "median_ns"), "{latencies}");
        }
    }
}

#[test]
fn tls_records_have_one_algorithm() {
    let output = bench(&["tls-records", "--quick", "--algorithm", "sha1"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("tls-records has SHA-256 only"));
}

#[test]
fn a_batcher_is_beside_openssl_with_every_number_of_threads() {
    let (text, report) = reported(&["batcher", "--threads", "1,3", "--window", "16", "--workers", "2"]);
    assert_eq!(text.matches("added p99: ").count(), 2 * 3, "{text}");
    let throughput = list(&report["batcher"], "throughput");
    assert_eq!(throughput.len(), 2 * 3 * 2, "hash and tag, lengths, numbers of threads");
    for cell in throughput {
        let ways: Vec<&str> = list(cell, "rows").iter().map(|row| row["way"].as_str().unwrap()).collect();
        assert_eq!(ways, ["openssl", "batcher, 16 in flight", "batcher, 1 in flight"]);
    }
    let low_load = list(&report["batcher"], "low_load");
    assert_eq!(low_load.len(), 2 * 3);
    for line in low_load {
        for who in ["batcher", "openssl"] {
            let time = |which: &str| line[who][which].as_f64().unwrap();
            assert!(time("median_ns") <= time("p99_ns") && time("p99_ns") <= time("max_ns"), "{line}");
        }
    }
}

#[test]
fn a_batcher_with_nothing_in_flight_is_wrong_usage() {
    for arguments in [["batcher", "--window", "0"], ["batcher", "--threads", "0"], ["batcher", "--workers", "0"]] {
        assert_eq!(bench(&arguments).status.code(), Some(2), "{arguments:?}");
    }
}
