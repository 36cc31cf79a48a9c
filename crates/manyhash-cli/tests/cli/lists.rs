//! `check` and `diff` of lists that other tools write: hashdeep, Cargo, SPDX, CycloneDX.

use crate::support::{ABC_SHA256, EMPTY_SHA256, Outcome, Place, outcome, peer, skipped};
use std::fs;

const ABC_MD5: &str = "900150983cd24fb0d6963f7d28e17f72";
const ABC_SHA1: &str = "a9993e364706816aba3e25717850c26c9cd0d89d";

fn summary(check: &Outcome) -> (&str, Option<i32>) {
    (check.stderr.lines().last().unwrap_or_default(), check.code)
}

#[test]
fn lists_of_hashdeep_are_checked_with_all_digests_and_sizes() {
    let Some(hashdeep) = peer("hashdeep") else { return };
    let place = Place::new();
    place.file("t/a", "abc").file("t/b,c d", "").file("t/u/é", "x").file("beside", "y");
    let list = |arguments: &str| {
        let list = outcome(place.command(&hashdeep).args(arguments.split(' ')), b"");
        assert_eq!(list.code, Some(0), "{}", list.stderr);
        place.file("known", list.stdout);
    };
    list("-l -r -c md5,sha1,sha256,tiger,whirlpool t");
    let check = place.run("check --strict --audit known");
    assert_eq!(check.stdout.lines().filter(|line| *line == "t/a: OK").count(), 3, "{}", check.stdout);
    assert_eq!(summary(&check), ("manyhash: 3 files OK (12 B, 1 manifest)", Some(0)));
    let check = place.run("check -a sha256 known");
    // Its order is that of the folder.
    let mut lines: Vec<_> = check.stdout.lines().collect();
    lines.sort_unstable();
    assert_eq!((lines, check.code), (vec!["'t/b,c d': OK", "t/a: OK", "t/u/é: OK"], Some(0)));
    assert_eq!(place.run("check -a sha512 known").code, Some(1));
    let diff = place.run("diff known t");
    assert_eq!((diff.stdout.as_str(), diff.stderr.as_str(), diff.code), ("", "manyhash: 3 files the same\n", Some(0)));
    // Absolute names, and the two digests that it has without options.
    let folder = place.path().canonicalize().unwrap().display().to_string();
    list(&format!("-r {folder}/t"));
    assert_eq!(summary(&place.run("check --strict --audit known")), ("manyhash: 3 files OK (8 B, 1 manifest)", Some(0)));
    // md5deep's own lines are text.
    let list = outcome(place.command(peer("md5deep").unwrap_or("md5deep".into())).args(["-l", "-r", "t"]), b"");
    place.file("md5", list.stdout);
    assert_eq!(place.run("check --strict --audit md5").code, Some(0));
}

#[test]
fn a_size_that_is_not_listed_fails_in_a_list_of_hashdeep() {
    let place = Place::new();
    place.file("a", "abc");
    let list = |lines: &str| {
        place.file("m", format!("%%%% HASHDEEP-1.0\n%%%% size,md5,sha256,filename\n## Invoked from: /\n##\n{lines}"));
    };
    list(&format!("3,{ABC_MD5},{ABC_SHA256},a\n"));
    assert_eq!(place.run("check --strict m").stdout, "a: OK\na: OK\n");
    list(&format!("4,{ABC_MD5},{ABC_SHA256},a\n"));
    let check = place.run("check --json -a sha256 m");
    let object: serde_json::Value = serde_json::from_str(check.stdout.lines().next().unwrap()).unwrap();
    assert_eq!((&object["status"], &object["expected_bytes"], &object["bytes"]), (&"failed".into(), &4.into(), &3.into()));
    assert_eq!((&object["digest"], check.code), (&ABC_SHA256.into(), Some(1)));
    list(&format!("3,{ABC_MD5},a\nx,{ABC_MD5},{ABC_SHA256},a\n3,{ABC_MD5},{ABC_SHA256},a\n"));
    let check = place.run("check -w m");
    assert_eq!((check.stdout.as_str(), check.code), ("a: OK\na: OK\n", Some(0)));
    for line in [5, 6] {
        assert!(check.stderr.contains(&format!("manyhash: m: {line}: improperly formatted checksum line\n")), "{}", check.stderr);
    }
}

#[test]
fn vendored_crates_are_checked_from_anywhere() {
    let place = Place::new();
    place.file("src/lib.rs", "").file(
        "Cargo.toml",
        "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n[dependencies]\nitoa = \"1\"\n",
    );
    let vendor = |options: &[&str]| place.command("cargo").args(["vendor", "-q"]).args(options).arg("vendor").output();
    if ![&["--offline"][..], &[]].iter().any(|options| vendor(options).is_ok_and(|output| output.status.success())) {
        return skipped("cargo vendor finds no crate");
    }
    let check = place.run("check --strict --audit vendor/itoa/.cargo-checksum.json");
    assert!(check.stdout.contains("vendor/itoa/src/lib.rs: OK\n") && check.code == Some(0), "{}{}", check.stdout, check.stderr);
    place.file("vendor/itoa/src/new.rs", "");
    let check = place.run("check --quiet --audit vendor/itoa/.cargo-checksum.json");
    assert_eq!((check.stdout.as_str(), check.code), ("vendor/itoa/src/new.rs: NOT LISTED\n", Some(1)));
    let diff = place.run("diff vendor/itoa/.cargo-checksum.json vendor/itoa");
    assert_eq!((diff.stdout.as_str(), diff.code), ("added    src/new.rs\n", Some(1)));
    place.file("vendor/itoa/src/lib.rs", "changed");
    let check = place.run("check --quiet vendor/itoa/.cargo-checksum.json");
    assert_eq!(check.stdout, "vendor/itoa/src/lib.rs: FAILED\n");
    // The crate's own digest is of a file that is not there: the list has one entry, as here.
    place.file("c/a", "abc").file("c/.cargo-checksum.json", format!(r#"{{"files":{{"a":"{ABC_SHA256}"}},"package":"{EMPTY_SHA256}"}}"#));
    assert_eq!(summary(&place.run("check --strict c/.cargo-checksum.json")), ("manyhash: 1 file OK (3 B, 1 manifest)", Some(0)));
}

/// Runs a script with Python's libraries of SPDX and CycloneDX, unless they are not installed.
fn python(place: &Place, script: &str) -> bool {
    let output = place.command("python3").args(["-c", script]).output().expect("python3 runs");
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains("ModuleNotFoundError"), "{stderr}");
        skipped(stderr.lines().last().unwrap_or_default());
    }
    output.status.success()
}

#[test]
fn bills_of_materials_are_checked() {
    let place = Place::new();
    place.file("t/a", "abc").file("t/b c", "");
    let script = format!(
        r#"
from datetime import datetime
from spdx_tools.spdx.model import Actor, ActorType, Checksum, ChecksumAlgorithm, CreationInfo, Document, File, Package, Relationship, RelationshipType, SpdxNoAssertion
from spdx_tools.spdx.writer.write_anything import write_file
def file(number, name, sha1, more):
    return File(name=name, spdx_id=f"SPDXRef-{{number}}", checksums=[Checksum(ChecksumAlgorithm.SHA1, sha1)] + more, comment="two\nFileName: lines")
info = CreationInfo("SPDX-2.3", "SPDXRef-DOCUMENT", "x", "https://example.org/x", [Actor(ActorType.TOOL, "x")], datetime(2026, 1, 2))
package = Package("SPDXRef-p", "p", SpdxNoAssertion(), checksums=[Checksum(ChecksumAlgorithm.SHA1, "{ABC_SHA1}")], files_analyzed=False)
files = [file(1, "./t/a", "{ABC_SHA1}", [Checksum(ChecksumAlgorithm.SHA256, "{ABC_SHA256}"), Checksum(ChecksumAlgorithm.MD4, "00" * 16)]),
         file(2, "./t/b c", "da39a3ee5e6b4b0d3255bfef95601890afd80709", [])]
about = [Relationship("SPDXRef-DOCUMENT", RelationshipType.DESCRIBES, "SPDXRef-p")]
document = Document(info, packages=[package], files=files, relationships=about)
for name in ["x.spdx.json", "x.spdx"]:
    write_file(document, name, validate=False)
"#
    );
    if python(&place, &script) {
        for name in ["x.spdx.json", "x.spdx"] {
            let check = place.run(&format!("check --strict {name}"));
            assert_eq!(check.stdout, "./t/a: OK\n./t/a: OK\n'./t/b c': OK\n", "{name}: {}", check.stderr);
            assert_eq!(summary(&check), ("manyhash: 3 files OK (6 B, 1 manifest)", Some(0)));
            assert_eq!(place.run(&format!("diff {name} t")).code, Some(0));
            let streamed = place.run_with("check --strict -", &fs::read(place.join(name)).unwrap());
            assert_eq!((&streamed.stdout, streamed.code), (&check.stdout, Some(0)));
        }
        let check = place.run("check -a sha256 x.spdx.json");
        let warning = "manyhash: x.spdx.json: WARNING: 1 line is improperly formatted\n";
        assert!(check.stdout == "./t/a: OK\n" && check.stderr.contains(warning), "{}", check.stderr);
    }
    let script = format!(
        r#"
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
bom = Bom()
hashes = [HashType(alg=HashAlgorithm.SHA_256, content="{ABC_SHA256}"), HashType(alg=HashAlgorithm.SHA_1, content="{ABC_SHA1}")]
file = Component(name="t/a", type=ComponentType.FILE, hashes=hashes)
empty = Component(name="t/b c", type=ComponentType.FILE, hashes=[HashType(alg=HashAlgorithm.SHA_256, content="{EMPTY_SHA256}")])
bom.components.add(Component(name="library", type=ComponentType.LIBRARY, hashes=[HashType(alg=HashAlgorithm.MD5, content="00" * 16)], components=[file]))
bom.components.add(empty)
make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6).output_to_file("x.cdx.json", indent=2)
make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_4).output_to_file("one-line.json")
"#
    );
    if python(&place, &script) {
        for name in ["x.cdx.json", "one-line.json"] {
            let check = place.run(&format!("check --strict --audit {name}"));
            let mut lines: Vec<_> = check.stdout.lines().collect();
            lines.sort_unstable();
            assert_eq!(lines, ["'t/b c': OK", "t/a: OK", "t/a: OK"], "{name}: {}", check.stderr);
            assert_eq!(check.code, Some(0));
        }
    }
}

#[test]
fn a_document_that_is_wrong_is_an_error_with_its_place() {
    let place = Place::new();
    place.file("a", "abc").file("m", format!("{ABC_SHA256}  a\n"));
    let spdx = format!(
        "{{\"spdxVersion\":\"SPDX-2.3\",\n\"files\":[{{\"fileName\":\"a\",\n\"checksums\":[{{\"algorithm\":\"SHA256\",\"checksumValue\":\"{ABC_SHA256}\"}}]}}]}}\n"
    );
    place.file("x.json", &spdx);
    assert_eq!(place.run("check --strict x.json").stdout, "a: OK\n");
    for (text, message) in [
        (spdx.replace(ABC_SHA256, "00"), "a digest of SHA-256 has 1 bytes at line 3 column 57"),
        (spdx.replace("]}]}", ""), "EOF while parsing a list at line 4 column 0"),
        ("{\"a\":\n1}".to_string(), "JSON that is neither .cargo-checksum.json nor SPDX 2 nor CycloneDX"),
    ] {
        place.file("x.json", text);
        // The other list is checked all the same.
        let check = place.run("check x.json m");
        assert_eq!((check.stdout.as_str(), check.code), ("a: OK\n", Some(1)));
        assert!(check.stderr.starts_with(&format!("manyhash: x.json: {message}")), "{}", check.stderr);
        let diff = place.run("diff x.json m");
        assert_eq!((diff.stdout.as_str(), diff.code), ("", Some(2)));
        assert!(diff.stderr.starts_with(&format!("manyhash: x.json: {message}")), "{}", diff.stderr);
    }
    // The drop-ins know text only.
    place.file("x.json", &spdx);
    assert_eq!(place.run("sha256sum -c x.json").stderr, "sha256sum: x.json: no properly formatted checksum lines found\n");
}

#[test]
fn digests_in_base64_are_checked() {
    let place = Place::new();
    place.file("a", "abc").file("b b", "");
    let (abc, empty) = ("ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    place.file("tags", format!("SHA256 (a) = {abc}\nSHA256 (b b) = {empty}\n"));
    place.file("integrity", format!("sha256-{abc}  a\nsha256-{empty}  b b\n"));
    for list in ["tags", "integrity"] {
        let check = place.run(&format!("check --strict {list}"));
        assert_eq!((check.stdout.as_str(), check.code), ("a: OK\n'b b': OK\n", Some(0)), "{list}: {}", check.stderr);
    }
    // The real command knows it since coreutils 9.2.
    if let Some(cksum) = peer("cksum") {
        for algorithm in ["sha256", "sha512", "blake2b", "sm3", "md5"] {
            let list = outcome(place.command(&cksum).args(["--base64", "-a", algorithm, "a", "b b"]), b"");
            if list.code != Some(0) {
                println!("without cksum --base64: {}", list.stderr);
                break;
            }
            let check = place.run_with("check --strict -", list.stdout.as_bytes());
            assert_eq!((check.stdout.as_str(), check.code), ("a: OK\n'b b': OK\n", Some(0)), "{}", list.stdout);
        }
    }
}
