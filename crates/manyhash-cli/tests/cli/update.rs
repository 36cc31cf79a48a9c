//! `sum --update`: a list again, reading what is new or changed. CACHE.md, section 6, is the
//! specification.

use crate::cache::{settle, tree};
use crate::support::{ABC_SHA256, BINARY, Outcome, Place, outcome};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

fn list(place: &Place) -> String {
    fs::read_to_string(place.join("list")).unwrap()
}

/// Returns the counts that `-v` prints.
fn counts(update: &Outcome) -> &str {
    update.stderr.lines().find_map(|line| line.strip_prefix("manyhash: list: ")).unwrap_or(&update.stderr)
}

#[test]
fn a_list_is_what_sum_writes_and_only_what_changed_is_read() {
    let Some(place) = tree(20) else { return };
    let update = || {
        let update = place.run("sum -v --update list -r t");
        assert_eq!((update.stdout.as_str(), update.code), ("", Some(0)), "{}", update.stderr);
        assert_eq!(list(&place), place.run("sum -r t").stdout);
        counts(&update).to_string()
    };
    assert_eq!(update(), "0 kept, 20 read, 0 gone (20 new, 0 changed)");
    assert_eq!(update(), "20 kept, 0 read, 0 gone (0 new, 0 changed)");
    // A change that leaves size and mtime as they were is one all the same.
    let time = fs::metadata(place.join("t/00003")).unwrap().modified().unwrap();
    place.file("t/00003", "c0ntent of 3").file("t/00004", "longer than before").file("t/new", "new");
    fs::File::options().write(true).open(place.join("t/00003")).unwrap().set_modified(time).unwrap();
    fs::remove_file(place.join("t/00000")).unwrap();
    fs::rename(place.join("t/00001"), place.join("t/renamed")).unwrap();
    assert_eq!(update(), "16 kept, 4 read, 2 gone (2 new, 2 changed)");
    // A folder that takes another's place has files with old times under the same names.
    settle();
    place.run("sum --update list -r t");
    fs::rename(place.join("t"), place.join("aside")).unwrap();
    fs::create_dir(place.join("t")).unwrap();
    fs::rename(place.join("aside/00005"), place.join("t/00006")).unwrap();
    fs::rename(place.join("aside/00006"), place.join("t/00005")).unwrap();
    update();
}

#[test]
fn a_list_keeps_its_form_and_algorithms() {
    let place = Place::new();
    place.file("t/a", "abc").file("t/b\nb", "b");
    for options in [
        "",
        "-a md5",
        "--tag",
        "--tag -a sha3-256",
        "--json",
        "--json -a blake3",
        "-a sha1,sha512",
        "--json -a sha512,sha1",
        "-a sha512/256",
    ] {
        let sum = format!("sum -r {options} t");
        place.file("list", place.run(&sum).stdout);
        place.file("t/c", options);
        // Nothing but its length tells what an untagged digest is.
        let algorithm = if options == "-a sha512/256" { options } else { "" };
        let update = place.run(&format!("sum {algorithm} --update list -r t"));
        assert_eq!((update.stdout.as_str(), update.stderr.as_str(), update.code), ("", "", Some(0)), "{options}");
        assert_eq!(list(&place), place.run(&sum).stdout, "{options}");
    }
    // The name of a list tells, too.
    place.file("t.sha3-256", place.run("sum -a sha3-256 t/a").stdout);
    place.run("sum --update t.sha3-256 t/a t/c");
    assert_eq!(fs::read_to_string(place.join("t.sha3-256")).unwrap(), place.run("sum -a sha3-256 t/a t/c").stdout);
    // A new list has what is asked for; standard input and names from a list are files like others.
    let update = outcome(place.command(BINARY).args("sum -a sha1,md5 --update new --files-from names -".split(' ')), b"x");
    assert_eq!(update.code, Some(1), "{}", update.stderr);
    place.file("names", "t/a\n");
    let update = outcome(place.command(BINARY).args("sum -a sha1,md5 --update new --files-from names -".split(' ')), b"x");
    assert_eq!(update.code, Some(0), "{}", update.stderr);
    let new = fs::read_to_string(place.join("new")).unwrap();
    assert_eq!(new, place.run_with("sum -a sha1,md5 --files-from names -", b"x").stdout);
}

#[test]
fn the_list_and_its_cache_are_not_in_the_list() {
    let place = Place::new();
    place.file("t/a", "abc");
    for _ in 0..2 {
        assert_eq!(place.run("sum --update t/list -r t").code, Some(0));
        assert_eq!(fs::read_to_string(place.join("t/list")).unwrap(), format!("{ABC_SHA256}  t/a\n"));
    }
    assert!(place.join("t/list.cache").is_file());
    place.run("sum --update t/list --cache t/elsewhere -r t");
    assert_eq!(fs::read_to_string(place.join("t/list")).unwrap(), place.run("sum t/a t/list.cache").stdout);
    // A link stays one, and leads to the new list.
    symlink("t/list", place.join("link")).unwrap();
    place.file("t/b", "b");
    assert_eq!(place.run("sum --update link --cache c t/a t/b").code, Some(0));
    assert!(place.join("link").is_symlink());
    assert_eq!(fs::read_to_string(place.join("t/list")).unwrap(), place.run("sum t/a t/b").stdout);
}

#[test]
fn what_goes_wrong_leaves_the_list_as_it_was() {
    let place = Place::new();
    place.file("t/a", "abc");
    let fails = |content: &str, arguments: &str, code: i32, message: &str| {
        place.file("list", content);
        let update = place.run(&format!("sum {arguments}"));
        assert_eq!((update.stdout.as_str(), update.stderr.as_str(), update.code), ("", message, Some(code)), "{arguments}");
        assert_eq!(list(&place), content);
    };
    let plain = format!("{ABC_SHA256}  t/a\n");
    let left = "manyhash: list: left as it was, because of these errors\n";
    fails(&plain, "--update list t/a t/none", 1, &format!("manyhash: t/none: No such file or directory\n{left}"));
    fails(&plain, "-a sha512 --update list t/a", 2, "manyhash: list has SHA-256, not SHA-512; without -a it keeps what it has\n");
    let tagged = format!("SHA256 (t/a) = {ABC_SHA256}\n");
    fails(&tagged, "-a sha3-256 --update list t/a", 2, "manyhash: list has SHA-256, not SHA3-256; without -a it keeps what it has\n");
    fails(&format!("{plain}x\n"), "--update list t/a", 1, "manyhash: list: 2: improperly formatted checksum line\n");
    let record = "t/a,sha256=ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0,3\n";
    let form = "manyhash: list: has a form that sum does not write; --update is for its text, tags and JSON\n";
    fails(record, "--update list t/a", 1, form);
    let b2 = "BLAKE2b-128 (t/a) = 00112233445566778899aabbccddeeff\n";
    fails(b2, "--update list t/a", 1, "manyhash: list: 1: BLAKE2b-128 is an algorithm that sum does not have\n");
    fails(&plain, "--update list", 2, "manyhash: --update needs the PATHs that the list is of\n");
    for options in ["--tag", "--json", "-z", "-o out"] {
        place.file("list", &plain);
        let update = place.run(&format!("sum {options} --update list t/a"));
        assert_eq!((update.code, list(&place)), (Some(2), plain.clone()), "{options}");
    }
    assert_eq!(place.run("sum --update t -r t").stderr, "manyhash: t: is no regular file, so it cannot be replaced\n");
    assert_eq!(place.run("sum --update none/list t/a").code, Some(1));
    // A list that fails is the same afterwards, and so are its permissions; one that does not keeps them too.
    fs::set_permissions(place.join("list"), fs::Permissions::from_mode(0o640)).unwrap();
    place.file("list", format!("# of mine\n{plain}"));
    let update = place.run("sum --update list t/a");
    assert_eq!((update.stderr.as_str(), list(&place)), ("manyhash: list: comments are not kept\n", plain));
    assert_eq!(fs::metadata(place.join("list")).unwrap().permissions().mode() & 0o777, 0o640);
}
