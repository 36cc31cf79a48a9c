//! `manyhash tree bittorrent-v2`, `s3` and `glacier` beside libtorrent, Python's mock of S3 and
//! botocore, which `pieces.py` asks.

use crate::support::{Place, outcome, pattern, skipped};
use serde_json::{Value, json};
use std::fs;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// Returns the answers to all cases from one run of Python, if it has the package.
fn answers(place: &Place, package: &str, cases: &[Value]) -> Option<Vec<Value>> {
    if !place.command("python3").args(["-c", &format!("import {package}")]).output().is_ok_and(|run| run.status.success()) {
        skipped(&format!("Python has no {package}"));
        return None;
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/pieces.py");
    let lines: Vec<_> = cases.iter().map(|case| format!("{case}\n")).collect();
    let run = outcome(place.command("python3").arg(script), lines.concat().as_bytes());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    Some(run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// Returns `edges` with one below and one above each, and `more`.
fn around(edges: &[usize], more: &[usize]) -> Vec<usize> {
    let around = edges.iter().flat_map(|&edge| [edge - 1, edge, edge + 1]);
    let mut lengths: Vec<_> = around.chain(more.iter().copied()).collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// Creates files of these lengths, named by them.
fn files(place: &Place, folder: &str, lengths: &[usize]) -> Vec<String> {
    let content = pattern(lengths.iter().copied().max().unwrap());
    let file = |&bytes: &usize| {
        let name = format!("{folder}/f{bytes}");
        place.file(&name, &content[..bytes]);
        name
    };
    lengths.iter().map(file).collect()
}

#[test]
fn pieces_roots_and_layers_are_those_of_libtorrent() {
    let place = Place::new();
    let block = 16 * KIB;
    let small = around(&[block, 2 * block, 3 * block, 4 * block, 7 * block, 8 * block, 16 * block, 33 * block], &[0, 1, 5 * block + 777]);
    let large = around(&[MIB, 2 * MIB, 4 * MIB, 5 * MIB], &[0, 1, 9 * MIB + 1]);
    let cases = [
        (16 * KIB, &small),
        (32 * KIB, &small),
        (64 * KIB, &small),
        (16 * KIB, &large),
        (MIB, &large),
        (4 * MIB, &large),
        (16 * MIB, &large),
    ];
    for lengths in [&small, &large] {
        files(&place, &format!("t{}", lengths.len()), lengths);
    }
    let ask = cases.map(|(piece, lengths)| json!({"mode": "bittorrent-v2", "folder": format!("t{}", lengths.len()), "piece_bytes": piece}));
    let Some(answers) = answers(&place, "libtorrent", &ask) else { return };
    for ((piece, lengths), answer) in cases.into_iter().zip(answers) {
        let paths: Vec<_> = lengths.iter().map(|bytes| format!("t{}/f{bytes}", lengths.len())).collect();
        let text = place.run(&format!("tree bittorrent-v2 --piece-length {piece} {}", paths.join(" ")));
        let json = place.run(&format!("tree bittorrent-v2 --json --piece-length {piece} {}", paths.join(" ")));
        assert_eq!((text.stderr.as_str(), text.code, json.stderr.as_str(), json.code), ("", Some(0), "", Some(0)));
        assert_eq!((text.stdout.lines().count(), json.stdout.lines().count()), (lengths.len(), lengths.len()));
        for (((path, &bytes), text), json) in paths.iter().zip(lengths).zip(text.stdout.lines()).zip(json.stdout.lines()) {
            let expected = &answer[format!("f{bytes}")];
            assert_eq!(text, format!("{}  {path}", expected[0].as_str().unwrap_or("-")), "pieces of {piece} bytes");
            let json: Value = serde_json::from_str(json).unwrap();
            assert_eq!((&json["path"], &json["bytes"], &json["piece_length"]), (&json!(path), &json!(bytes), &json!(piece)));
            assert_eq!(json["pieces_root"], expected[0], "{path}, pieces of {piece} bytes");
            let layers: String = json["piece_layers"].as_array().unwrap().iter().map(|layer| layer.as_str().unwrap()).collect();
            assert_eq!(layers, expected[1].as_str().unwrap(), "{path}, pieces of {piece} bytes");
        }
    }
}

#[test]
fn composite_checksums_and_etags_are_those_of_s3() {
    let place = Place::new();
    let small = around(&[1000, 2000, 64_000], &[0, 1, 17_777]);
    let large = around(&[5 * MIB, 10 * MIB], &[11 * MIB]);
    let cases = [("1000", 1000, &small), ("64K", 64 * KIB, &small), ("5M", 5 * MIB, &large), ("5242881", 5 * MIB + 1, &large)];
    let cases = cases.map(|(size, part, lengths)| (size, part, files(&place, size, lengths)));
    let ask = cases.each_ref().map(|(_, part, paths)| json!({"mode": "s3", "paths": paths, "part_bytes": part}));
    let Some(answers) = answers(&place, "moto, boto3", &ask) else { return };
    for ((size, _, paths), answer) in cases.iter().zip(answers) {
        let mut expected = [const { String::new() }; 3];
        for (path, answer) in paths.iter().zip(answer.as_array().unwrap()) {
            let [etag, sha1, sha256] = [0, 1, 2].map(|index| answer[index].as_str().unwrap());
            let parts = etag.split_once('-').unwrap().1;
            expected[0] += &format!("{etag}  {path}\n");
            expected[1] += &format!("{sha1}-{parts}  {path}\n");
            expected[2] += &format!("{sha256}-{parts}  {path}\n");
        }
        for (options, expected) in ["--etag", "-a sha1", "-a sha256"].into_iter().zip(&expected) {
            let run = place.run(&format!("tree s3 {options} --part-size {size} {}", paths.join(" ")));
            assert_eq!((&run.stdout, run.stderr.as_str(), run.code), (expected, "", Some(0)), "{options} --part-size {size}");
        }
    }
    // These are the defaults.
    let path = place.join("9M");
    fs::write(&path, pattern(9 * MIB)).unwrap();
    assert_eq!(place.run("tree s3 9M"), place.run("tree s3 -a sha256 --part-size 8M 9M"));
    assert_eq!(place.run("tree s3 --etag 9M").stdout.split_once("  ").unwrap().0.split_once('-').unwrap().1, "2");
}

#[test]
fn tree_hashes_are_those_of_glacier() {
    let place = Place::new();
    let paths = files(&place, "g", &around(&[MIB, 2 * MIB, 3 * MIB, 4 * MIB], &[0, 1, 5 * MIB, 6 * MIB, 7 * MIB + 9, 13 * MIB]));
    let Some(answers) = answers(&place, "botocore", &[json!({"mode": "glacier", "paths": paths})]) else { return };
    let digests = answers[0].as_array().unwrap().iter().map(|digest| digest.as_str().unwrap());
    let expected: Vec<_> = digests.zip(&paths).map(|(digest, path)| format!("{digest}  {path}\n")).collect();
    let run = place.run(&format!("tree glacier {}", paths.join(" ")));
    assert_eq!((run.stdout.as_str(), run.stderr.as_str(), run.code), (expected.concat().as_str(), "", Some(0)));
}
