//! `manyhash check` of manifests of all forms, alone and together.

use crate::support::{ABC_SHA256, BINARY, EMPTY_SHA256, Place, outcome, peer, skipped};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

/// The digest of `abc` in the form of RECORD.
const ABC_RECORD: &str = "sha256=ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0";

/// Returns the output of a script, if there is a Python that can run it.
fn python(place: &Place, script: &str) -> Option<String> {
    let output = place.command("python3").args(["-c", script]).output().ok()?;
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
}

#[test]
fn our_json_comes_back_whatever_the_names() {
    let place = Place::new();
    for name in [&b"plain"[..], b"a\nb", b"\xff\xfe", "\u{e9}\"\\".as_bytes(), b" x ", b"#y"] {
        place.file(Path::new("t").join(OsStr::from_bytes(name)), name);
    }
    for algorithm in ["sha1", "sha256", "sha512/256"] {
        let sums = place.run(&format!("sum -r --json -a {algorithm} t")).stdout;
        place.file("m", &sums);
        let check = place.run("check --strict --audit m");
        assert_eq!((check.stderr.as_str(), check.code), ("manyhash: 6 files OK (19 B, 1 manifest)\n", Some(0)), "{sums}");
        assert_eq!(place.run_with("check -", sums.as_bytes()).stdout, check.stdout);
    }
    // Extra keys are ignored; other lines are malformed.
    let line = format!(r#"{{"digest":"{}","algorithm":"sha256","path":"t/plain","more":null}}"#, ABC_SHA256.to_uppercase());
    let check = place.run_with("check -", format!("{line}\n{ABC_SHA256}  t/plain\n{{}}\n").as_bytes());
    assert_eq!(check.stdout, "t/plain: FAILED\n");
    assert!(check.stderr.contains("'standard input': WARNING: 2 lines are improperly formatted"), "{}", check.stderr);
}

/// Creates a bag whose names need all of the rules.
fn bag(place: &Place) {
    place.file("bag/bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n");
    for name in ["a", "100%", "l\nf", "c\rr", "a b"] {
        place.file(format!("bag/data/{name}"), "abc");
    }
    let lines = [" data/a", "  data/100%25", "\tdata/l%0Af", "   data/c%0dr", " *data/a b"];
    place.file("bag/manifest-sha256.txt", lines.map(|rest| format!("{ABC_SHA256}{rest}\n")).concat());
}

#[test]
fn a_bag_is_checked_from_anywhere() {
    let place = Place::new();
    bag(&place);
    let check = place.run("check --strict --audit bag/manifest-sha256.txt");
    let names = ["bag/data/a: OK", "bag/data/100%: OK", "'bag/data/l'$'\\n''f': OK", "'bag/data/c'$'\\r''r': OK", "'bag/data/a b': OK", ""];
    assert_eq!((check.stdout.as_str(), check.code), (names.join("\n").as_str(), Some(0)));
    assert_eq!(place.run("check --strict --audit -C bag bag/manifest-sha256.txt").code, Some(0));
    // Only the payload has to be listed.
    place.file("bag/note.txt", "").file("bag/data/u/new", "");
    let check = place.run("check --quiet --audit bag/manifest-sha256.txt");
    assert_eq!((check.stdout.as_str(), check.code), ("bag/data/u/new: NOT LISTED\n", Some(1)));
    // Under another name it is an ordinary list.
    fs::copy(place.join("bag/manifest-sha256.txt"), place.join("bag/list")).unwrap();
    let check = place.run("check -C bag bag/list");
    assert!(check.stdout.starts_with("data/a: OK\n") && check.stdout.contains("100%25': MISSING\n"), "{}", check.stdout);
}

#[test]
fn bags_of_bagit_pass() {
    let place = Place::new();
    for name in ["a", "100% sure", "l\nf", "u/\u{e9}"] {
        place.file(format!("bag/{name}"), name);
    }
    let make = "import bagit; bagit.make_bag('bag', checksums=['sha256', 'sha512']); bagit.Bag('bag').validate()";
    if python(&place, make).is_none() {
        return skipped("Python's bagit is not installed");
    }
    let manifests = "bag/manifest-sha256.txt bag/manifest-sha512.txt bag/tagmanifest-sha256.txt bag/tagmanifest-sha512.txt";
    let check = place.run(&format!("check --strict --audit {manifests}"));
    assert!(check.stderr.starts_with("manyhash: 8 files OK") && check.code == Some(0), "{check:?}");
    place.file("bag/data/a", "changed");
    let check = place.run(&format!("check --quiet {manifests}"));
    assert_eq!((check.stdout.as_str(), check.code), ("bag/data/a: FAILED\nbag/data/a: FAILED\n", Some(1)));
    assert!(python(&place, "import bagit; bagit.Bag('bag').validate()").is_none());
}

#[test]
fn a_record_is_checked_from_anywhere() {
    let place = Place::new();
    for name in ["s/x/a.py", "s/x/b,\"c\".py", "s/#odd.py", "s/x-1.dist-info/METADATA", "bin/x", "s/other.py"] {
        place.file(name, "abc");
    }
    let record = "s/x-1.dist-info/RECORD";
    let names = ["../bin/x", "#odd.py", "x/a.py", "\"x/b,\"\"c\"\".py\"", "x-1.dist-info/METADATA"];
    let lines = names.map(|name| format!("{name},{ABC_RECORD},3\r\n")).concat() + "x/a.pyc,,\r\nx-1.dist-info/RECORD,,\r\n";
    place.file(record, lines);
    let check = place.run(&format!("check --strict --audit {record}"));
    assert_eq!((check.stderr.as_str(), check.code), ("manyhash: 5 files OK (15 B, 1 manifest)\n", Some(0)));
    assert!(check.stdout.starts_with("s/../bin/x: OK\ns/#odd.py: OK\n"), "{}", check.stdout);
    assert_eq!(place.run(&format!("check --strict -C s {record}")).stdout.lines().nth(1), Some("'#odd.py': OK"));
    // A file listed without a digest is no extra file.
    place.file("s/x/a.pyc", "any").file("s/x/new.py", "");
    let check = place.run(&format!("check --quiet --audit {record}"));
    assert_eq!((check.stdout.as_str(), check.code), ("s/x/new.py: NOT LISTED\n", Some(1)));
}

#[test]
fn the_record_of_an_installed_package_passes() {
    let place = Place::new();
    // The script takes the first package that Python finds as it was installed, and reads its
    // RECORD with Python's own parser.
    let script = "
import base64, hashlib, importlib.metadata
def is_intact(file):
    digest = hashlib.sha256(file.locate().read_bytes()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b'=').decode() == file.hash.value
for package in importlib.metadata.distributions():
    files = [file for file in package.files or [] if file.hash and file.hash.mode == 'sha256' and file.locate().exists()]
    if len(files) > 5 and all(map(is_intact, files)) and (package._path / 'RECORD').exists():
        print(package._path / 'RECORD')
        break
";
    let Some(record) = python(&place, script).filter(|record| Path::new(record.trim()).exists()) else {
        return skipped("no Python with an intact package that has a RECORD");
    };
    let check = place.run(&format!("check --strict --quiet --ignore-missing {}", record.trim()));
    assert_eq!((check.stdout.as_str(), check.stderr.as_str(), check.code), ("", "", Some(0)));
}

/// Creates a system of two packages, with merged folders as in any Debian.
fn system() -> Place {
    let place = Place::new();
    place.file("usr/bin/x", "abc").file("usr/lib/y", "").file("etc/x.conf", "local").file("info/x.conffiles", "/etc/x.conf\n");
    symlink("usr/lib", place.join("lib")).unwrap();
    place.file("info/x.md5sums", format!("{ABC_SHA256}  usr/bin/x\n"));
    place.file("info/y.md5sums", format!("{EMPTY_SHA256}  lib/y\n{ABC_SHA256}  usr/share/doc/y/copyright\n"));
    place.file("info/z.md5sums", format!("{ABC_SHA256}  usr/share/doc/z/copyright\n"));
    place.file("info/none.md5sums", "");
    place
}

#[test]
fn a_system_is_checked_by_all_its_packages() {
    let place = system();
    let all = "info/none.md5sums info/x.md5sums info/y.md5sums info/z.md5sums";
    let check = place.run(&format!("check -C . {all}"));
    assert_eq!(check.code, Some(1));
    assert!(check.stderr.ends_with("\nmanyhash: 2 files OK, 2 missing (3 B, 4 manifests)\n"), "{}", check.stderr);
    let check = place.run(&format!("check -C . --ignore-missing {all}"));
    assert_eq!((check.stdout.as_str(), check.code), ("usr/bin/x: OK\nlib/y: OK\n", Some(0)));
    assert_eq!(check.stderr, "manyhash: 2 files OK, 2 passed over (3 B, 4 manifests)\n");
    let check = place.run(&format!("check -C . --ignore-missing --audit --quiet {all}"));
    assert_eq!((check.stdout.as_str(), check.code), ("etc/x.conf: NOT LISTED\ninfo/x.conffiles: NOT LISTED\n", Some(1)));
    // An empty manifest is an error.
    for (manifests, told) in [("info/z.md5sums", true), ("info/none.md5sums", true), ("info/x.md5sums", false)] {
        let check = place.run(&format!("check -C . --ignore-missing {manifests}"));
        assert_eq!((check.stderr.contains("manyhash: no file was verified\n"), check.code == Some(1)), (told, told), "{manifests}");
    }
    // A manifest may be empty only where that has a meaning.
    place.file("info/none", "");
    assert!(place.run("check -C . info/x.md5sums info/none").stderr.contains("info/none: no properly formatted checksum lines found"));
}

#[test]
fn files_that_were_diverted_are_checked_where_they_are() {
    let place = Place::new();
    let dpkg = "root/var/lib/dpkg";
    place.file("root/usr/bin/x", "of y").file("root/usr/bin/x.distrib", "abc").file("root/etc/z.old", "abc");
    let [abc, of_y] = ["root/etc/z.old", "root/usr/bin/x"].map(|file| place.run(&format!("sum -a md5 {file}")).stdout[..32].to_string());
    place.file(format!("{dpkg}/info/x:amd64.md5sums"), format!("{abc}  usr/bin/x\n{abc}  etc/z\n"));
    place.file(format!("{dpkg}/info/y.md5sums"), format!("{of_y}  usr/bin/x\n"));
    let lists = format!("{dpkg}/info/x:amd64.md5sums {dpkg}/info/y.md5sums");
    assert_eq!(
        place.run(&format!("check -C root {lists}")).stderr.lines().last(),
        Some("manyhash: 1 file OK, 1 FAILED, 1 missing (8 B, 2 manifests)")
    );
    let text = "/usr/bin/x\n/usr/bin/x.distrib\ny\n/etc/z\n/etc/z.old\n:\n/other\n/other.old\n:\n";
    place.file(format!("{dpkg}/diversions"), text);
    let check = place.run(&format!("check --strict -C root {lists}"));
    let expected = "usr/bin/x.distrib: OK\netc/z.old: OK\nusr/bin/x: OK\n";
    assert_eq!((check.stdout.as_str(), check.code), (expected, Some(0)), "{}", check.stderr);
    let audit = place.run(&format!("check -C root --audit --quiet {lists}"));
    assert_eq!(audit.stdout, "var/lib/dpkg/diversions: NOT LISTED\n");
    // It says what is wrong with the list of diversions once, and goes on.
    place.file(format!("{dpkg}/diversions"), format!("{text}more\n"));
    let check = place.run(&format!("check -C root --status {lists}"));
    let message = "root/var/lib/dpkg/diversions: 10: each diversion has three lines: two absolute paths, and a package or a colon\n";
    assert_eq!((check.stderr.matches(message).count(), check.code), (1, Some(1)), "{}", check.stderr);
    // Other folders' lists have no diversions.
    place.file(format!("{dpkg}/diversions"), text);
    fs::rename(place.join(format!("{dpkg}/info")), place.join(format!("{dpkg}/lists"))).unwrap();
    assert_eq!(place.run(&format!("check -C root {}", lists.replace("info", "lists"))).code, Some(1));
}

#[test]
fn diverted_files_pass_as_for_debsums() {
    let Some(debsums) = peer("debsums") else { return };
    let place = Place::new();
    let dpkg = "root/var/lib/dpkg";
    place.file("root/usr/bin/x", "of y").file("root/usr/bin/x.distrib", "abc");
    let mut status = String::new();
    for (package, file) in [("x", "x.distrib"), ("y", "x")] {
        status += &format!(
            "Package: {package}\nStatus: install ok installed\nMaintainer: a <a@b>\nArchitecture: all\nVersion: 1\nDescription: a\n\n"
        );
        let digest = place.run(&format!("sum -a md5 root/usr/bin/{file}")).stdout[..32].to_string();
        place.file(format!("{dpkg}/info/{package}.md5sums"), format!("{digest}  usr/bin/x\n"));
        place.file(format!("{dpkg}/info/{package}.list"), "/.\n/usr\n/usr/bin\n/usr/bin/x\n");
    }
    place.file(format!("{dpkg}/status"), status).file(format!("{dpkg}/info/format"), "1\n").file(format!("{dpkg}/available"), "");
    let root = place.path().canonicalize().unwrap().join("root").display().to_string();
    // Which files are looked at, and that they are right. What debsums says of files that are wrong depends on who else lists them.
    place.file(format!("{dpkg}/diversions"), "/usr/bin/x\n/usr/bin/x.distrib\ny\n");
    let theirs = outcome(place.command(&debsums).args(["-r", &root, "x", "y"]), b"");
    let ours = place.run(&format!("check -C {root} {dpkg}/info/x.md5sums {dpkg}/info/y.md5sums"));
    let theirs: Vec<_> = theirs.stdout.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(": ")).collect();
    let ours: Vec<_> = ours.stdout.lines().map(|line| format!("{root}/{line}")).collect();
    assert_eq!((ours.len(), &ours), (2, &theirs));
}

#[test]
fn packages_pass_as_for_debsums() {
    let place = Place::new();
    place.file("f", "abc");
    if place.run("sum -a md5 f").code != Some(0) {
        return skipped("MD5 is none of the algorithms");
    }
    let debsums = |package: &str| Command::new("debsums").args(["-s", package]).output();
    for package in ["debsums", "coreutils", "hashdeep", "dash"] {
        let manifest = format!("/var/lib/dpkg/info/{package}.md5sums");
        let (Ok(theirs), true) = (debsums(package), Path::new(&manifest).exists()) else {
            return skipped("debsums is not installed");
        };
        let ours = place.run(&format!("check --quiet -C / {manifest}"));
        assert_eq!(ours.code == Some(0), theirs.status.success(), "{package}: {ours:?}");
    }
}

#[test]
fn manifests_of_all_forms_go_together() {
    let place = Place::new();
    place.file("f", "abc");
    bag(&place);
    let json = place.run("sum --json f").stdout;
    place.file("1", format!("{ABC_SHA256} f\n")).file("2", format!("{ABC_SHA256}  f\n")).file("3", json);
    place.file("4", format!("f,{ABC_RECORD},3\n")).file("5", format!("SHA256(f)= {ABC_SHA256}\n")).file("6", format!("{ABC_SHA256} f\n"));
    let check = place.run("check --strict --audit 1 2 3 bag/manifest-sha256.txt 4 5 6");
    // Text lists of a file in the folder cover the whole folder.
    assert_eq!(check.stdout.lines().filter(|line| line.ends_with(": OK")).count(), 11);
    assert_eq!((check.stdout.lines().last(), check.code), (Some("bag/bagit.txt: NOT LISTED"), Some(1)));
    assert_eq!(check.stderr, "manyhash: 6 files OK, 1 not listed (33 B, 7 manifests)\n");
    // With `-a`, only lines of that algorithm count.
    let check = place.run("check -a sha512 2 3 4");
    assert_eq!((check.stdout.as_str(), check.code), ("", Some(1)));
    assert_eq!(check.stderr.matches("no properly formatted checksum lines found").count(), 3);
}

#[test]
fn rubbish_is_told_and_the_rest_is_checked() {
    let place = Place::new();
    place.file("f", "abc");
    let noise: Vec<u8> = (0..1_u32 << 20).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    place.file("noise", &noise).file("zeros", vec![0; 1 << 20]);
    let long = "x".repeat(1 << 20);
    place.file("long", format!("{ABC_SHA256}  {long}\n{ABC_SHA256}  f\n#{long}\n{{\"path\":\"{long}\n"));
    let check = outcome(place.command(BINARY).args(["check", "noise", "zeros", "long"]), b"");
    assert_eq!((check.stdout.as_str(), check.code), ("f: OK\n", Some(1)));
    assert!(check.stderr.contains("noise: no properly formatted") && check.stderr.contains("zeros: no properly formatted"));
    assert!(check.stderr.contains("long: WARNING: 2 lines are improperly formatted"), "{}", check.stderr);
    let codes = ["check long", "check --strict long"].map(|arguments| place.run(arguments).code);
    assert_eq!(codes, [Some(0), Some(1)]);
}

#[test]
fn a_report_is_no_manifest() {
    let place = Place::new();
    place.file("a", "wrong").file("b", "abc").file("m", format!("{ABC_SHA256}  a\n{ABC_SHA256}  b\n"));
    let report = place.run("check --json m");
    assert_eq!((report.stdout.lines().count(), report.code), (3, Some(1)));
    place.file("report", &report.stdout);
    let check = place.run("check report");
    assert_eq!((check.stdout.as_str(), check.code), ("", Some(1)));
    assert!(check.stderr.contains("report: no properly formatted checksum lines found"), "{}", check.stderr);
    // Lines of a report are malformed among lines of a manifest, too.
    place.file("both", place.run("sum --json b").stdout + &report.stdout);
    let check = place.run("check both");
    assert_eq!((check.stdout.as_str(), check.code), ("b: OK\n", Some(0)));
    assert!(check.stderr.contains("both: WARNING: 3 lines are improperly formatted"), "{}", check.stderr);
}
