//! `calibrate`, `curves` and the pictures of their files, from the command line to the last file.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn run(program: &str, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).output().unwrap_or_else(|error| panic!("{program}: {error}"))
}

/// The standard output of the bench.
fn bench(arguments: &[&str]) -> String {
    let output = run(env!("CARGO_BIN_EXE_manyhash-bench"), arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("output is text")
}

fn parsed(path: &Path) -> Value {
    serde_json::from_reader(std::fs::File::open(path).unwrap()).unwrap()
}

#[test]
fn calibrate_prints_a_line_of_the_table_for_every_backend() {
    let directory = tempfile::tempdir().unwrap();
    let json = directory.path().join("costs.json");
    let text = bench(&["calibrate", "--quick", "--json", json.to_str().unwrap()]);
    let report = parsed(&json);
    let costs = report["costs"].as_array().unwrap();
    for (compression, of_blocks) in [("md5", 257.0), ("sha1", 257.0), ("sha256", 257.0), ("sha512", 129.0)] {
        let cost = costs.iter().find(|cost| cost["compression"] == compression && cost["backend"] == "portable").unwrap();
        assert!(text.contains(&format!("(\"{compression}\", \"portable\", ")), "{text}");
        let (step_ps, call_ns) = (cost["step_ps"].as_f64().unwrap(), cost["samples"][0]["call_ns"].as_f64().unwrap());
        assert!((step_ps * of_blocks / 1000.0 / call_ns - 1.0).abs() < 0.006, "three digits of a block's share: {cost}");
    }
    // Where lanes collide, some take longer; those are told behind the table.
    let (table, colliding) = text.split_once("// The same where lanes collide").unwrap_or((&text, ""));
    let lines = |text: &str| text.lines().filter(|line| line.starts_with("(\"")).count();
    let collides = |cost: &&Value| cost["collides"] == true;
    assert_eq!(lines(table), costs.iter().filter(|cost| !collides(cost)).count());
    assert!(lines(colliding) <= costs.iter().filter(collides).count(), "{text}");
}

#[test]
fn curves_run_every_algorithm_and_length() {
    let directory = tempfile::tempdir().unwrap();
    let json = directory.path().join("curves.json");
    let text = bench(&["curves", "--quick", "--json", json.to_str().unwrap()]);
    for algorithm in ["MD5", "SHA-1", "SHA-256", "SHA-512"] {
        for curve in ["length", "batch 64 B", "batch 1 KiB", "batch 16 KiB"] {
            assert!(text.contains(&format!("{algorithm}  {curve}: ")), "{text}");
        }
    }
    assert_eq!(text.matches("2 messages take").count(), 4 * 3);
    assert_eq!(text.matches("falls within the lanes of a shape, at: ").count(), 4 * 3);
    let report = parsed(&json);
    for cell in report["cells"].as_array().unwrap() {
        let peers: Vec<&str> = cell["rows"].as_array().unwrap().iter().map(|row| row["peer"].as_str().unwrap()).collect();
        let others = if cell["algorithm"] == "MD5" { ["md-5", "openssl EVP"] } else { ["openssl low-level", "aws-lc-rs"] };
        assert!(peers.starts_with(&["manyhash"]) && others.iter().all(|other| peers.contains(other)), "{peers:?}");
        assert!(!peers.contains(&"openssl one-shot") && !peers.iter().any(|peer| peer.starts_with("manyhash:")), "{peers:?}");
    }
}

#[test]
fn trees_run_every_algorithm_and_say_how_many_times_the_plain_digest_lanes_are() {
    let directory = tempfile::tempdir().unwrap();
    let json = directory.path().join("trees.json");
    let text = bench(&["trees", "--quick", "--json", json.to_str().unwrap()]);
    assert_eq!(text.matches("  one message, plain and dealt out to lanes: ").count(), 4, "{text}");
    for cell in parsed(&json)["cells"].as_array().unwrap() {
        let rows = cell["rows"].as_array().unwrap();
        for lanes in ["4 lanes", "8 lanes", "16 lanes", "32 lanes"] {
            let row = rows.iter().find(|row| row["peer"] == lanes).unwrap();
            assert_eq!(row["standing"], "other-digest");
        }
    }
}

/// The interpreter, if it has matplotlib: `PYTHON`, or python3.
fn python() -> Option<String> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let has_matplotlib = Command::new(&python).args(["-c", "import matplotlib"]).output().is_ok_and(|output| output.status.success());
    has_matplotlib.then_some(python)
}

#[test]
fn pictures_are_drawn_of_every_kind_of_file() {
    let Some(python) = python() else {
        let reason = "SKIPPED: no python3 with matplotlib (bench/requirements.txt; PYTHON names another interpreter)";
        assert!(std::env::var_os("CI").is_none(), "{reason}");
        println!("{reason}");
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_string();
    bench(&["--quick", "--algorithm", "sha1,sha256", "--workload", "a,e,i", "--json", &path("report.json")]);
    bench(&["curves", "--quick", "--algorithm", "sha256", "--json", &path("curves.json")]);
    bench(&["trees", "--quick", "--algorithm", "sha256", "--json", &path("trees.json")]);
    bench(&["hmac", "--quick", "--algorithm", "sha256", "--json", &path("hmac.json")]);
    bench(&["tls-records", "--quick", "--json", &path("tls-records.json")]);
    bench(&[
        "grid",
        "--quick",
        "--algorithm",
        "sha256,md5",
        "--count",
        "2,4",
        "--lengths",
        "64B,ln6-1",
        "--before",
        "nothing,other",
        "--json",
        &path("grid.json"),
    ]);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/pictures.py");
    let reports = ["report.json", "curves.json", "trees.json", "hmac.json", "tls-records.json", "grid.json"].map(path);
    let draw = |out: &str| {
        let arguments: Vec<String> = [script.into(), "--out".into(), path(out)].into_iter().chain(reports.clone()).collect();
        run(&python, &arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };
    for out in ["one", "two"] {
        let output = draw(out);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let of_digests = ["sha1-workloads.svg", "sha256-workloads.svg", "sha256-length.svg", "sha256-batch.svg", "sha256-trees.svg"];
    let of_tags = [("hmacsha256-workloads.svg", "manyhash"), ("hmacsha256-records.svg", "jobs, flushed")];
    let expected = of_digests.map(|name| (name, "manyhash", "openssl low-level"));
    for (name, ours, peer) in expected.into_iter().chain(of_tags.map(|(name, ours)| (name, ours, "openssl EVP_MAC"))) {
        let read = |out: &str| std::fs::read_to_string(path(&format!("{out}/{name}"))).unwrap_or_else(|error| panic!("{name}: {error}"));
        let picture = read("one");
        assert_eq!(picture, read("two"), "{name}: equal files, equal pictures");
        assert!(picture.len() < 150_000, "{name}: {} bytes", picture.len());
        assert!(picture.contains("GB/s") && picture.contains(ours) && picture.contains(peer), "{name}");
    }
    for (name, peer) in [("sha256-grid.svg", "tape-sha256"), ("md5-grid.svg", "md-5")] {
        let read = |out: &str| std::fs::read_to_string(path(&format!("{out}/{name}"))).unwrap_or_else(|error| panic!("{name}: {error}"));
        let picture = read("one");
        assert_eq!(picture, read("two"), "{name}: equal files, equal pictures");
        assert!(picture.contains("best peer of each cell") && picture.contains(peer) && picture.contains("ln6-1"), "{name}");
    }
    assert_eq!(std::fs::read_dir(directory.path().join("one")).unwrap().count(), 9);
    let records = std::fs::read_to_string(path("one/hmacsha256-records.svg")).unwrap();
    assert!(records.contains(">0</text>"), "latencies have logarithmic axes, and speed one that begins at 0");

    std::fs::write(path("wrong.json"), "{}").unwrap();
    let output = run(&python, &[script, "--out", &path("three"), &path("wrong.json")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("wrong.json: not a report"));
}
