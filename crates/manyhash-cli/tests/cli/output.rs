//! The targets of `-o`: a descriptor is used itself, and a link is followed.

use crate::support::{ABC_SHA256, BINARY, Outcome, Place, outcome};
use std::fs;
use std::os::unix::fs::symlink;

/// Runs a shell script in which `$M` is the binary.
fn script(place: &Place, script: &str) -> Outcome {
    outcome(place.command("sh").args(["-c", script]).env("M", BINARY), b"")
}

#[test]
#[cfg(target_os = "linux")]
fn a_path_of_a_descriptor_is_that_descriptor() {
    let place = Place::new();
    place.file("a", "abc").file("new", "");
    symlink("/dev/stdout", place.join("link")).unwrap();
    symlink("/proc/self/fd", place.join("folder")).unwrap();
    let line = format!("{ABC_SHA256}  a\n");
    for path in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/proc/thread-self/fd/1", "link", "./link", "folder/1"] {
        for (write, before) in [(">", ""), (">>", "old\n")] {
            place.file("log", "old\n");
            let run = script(&place, &format!("{{ echo head; $M sum a -o {path}; echo end; }} {write}log"));
            assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""), "{path} {write}");
            assert_eq!(fs::read_to_string(place.join("log")).unwrap(), format!("{before}head\n{line}end\n"), "{path} {write}");
        }
        let piped = script(&place, &format!("{{ echo head; $M sum a -o {path}; echo end; }} | cat"));
        assert_eq!(piped.stdout, format!("head\n{line}end\n"), "{path}");
    }
    for (path, redirected) in [("/dev/stderr", "2"), ("/dev/fd/2", "2"), ("/dev/fd/7", "7"), ("/proc/self/fd/7", "7")] {
        place.file("log", "");
        let run = script(&place, &format!("{{ echo head >&{redirected}; $M sum a -o {path}; echo end >&{redirected}; }} {redirected}>log"));
        assert_eq!(run, Outcome { stdout: String::new(), stderr: String::new(), code: Some(0) }, "{path}");
        assert_eq!(fs::read_to_string(place.join("log")).unwrap(), format!("head\n{line}end\n"), "{path}");
        let run = script(&place, &format!("{{ $M sum a -o {path} {redirected}>&1; }} | cat"));
        assert_eq!(run.stdout, line, "{path}");
    }
    // One descriptor is not open, and one cannot be written.
    for (path, redirected, why) in [("/dev/fd/99", "", "No such file or directory"), ("/dev/fd/7", "7<a", "Bad file descriptor")] {
        let run = script(&place, &format!("$M sum a -o {path} {redirected}"));
        assert_eq!(run, Outcome { stdout: String::new(), stderr: format!("manyhash: {path}: {why}\n"), code: Some(1) }, "{path}");
    }
    assert_eq!(fs::read_to_string(place.join("a")).unwrap(), "abc");
}

#[test]
fn a_link_is_where_it_leads_whatever_is_there() {
    let place = Place::new();
    place.file("a", "abc").file("d/old", "old");
    fs::create_dir(place.join("links")).unwrap();
    for (target, link) in [("../d/old", "links/old"), ("../d/new", "links/new"), ("new", "links/twice"), ("../none/new", "links/lost")] {
        symlink(target, place.join(link)).unwrap();
    }
    let line = format!("{ABC_SHA256}  a\n");
    for (link, file) in [("links/old", "d/old"), ("links/new", "d/new"), ("links/twice", "d/new")] {
        let run = place.run(&format!("sum a -o {link}"));
        assert_eq!(run, Outcome { stdout: String::new(), stderr: String::new(), code: Some(0) }, "{link}");
        assert!(place.join(link).is_symlink(), "{link}");
        assert_eq!(fs::read_to_string(place.join(file)).unwrap(), line, "{link}");
        fs::remove_file(place.join("d/new")).ok();
    }
    let salt = "--salt 00 --uuid 00000000-0000-4000-8000-000000000000";
    place.file("data", [7; 8192]);
    for command in
        ["sum a -o links/lost", &format!("verity format {salt} data links/lost"), "tree fs-verity --out-merkle-tree links/lost data"]
    {
        let run = place.run(command);
        let told = "manyhash: links/lost: No such file or directory\n".to_string();
        assert_eq!(run, Outcome { stdout: String::new(), stderr: told, code: Some(1) }, "{command}");
        assert_eq!(fs::read_link(place.join("links/lost")).unwrap().to_str(), Some("../none/new"), "{command}");
    }
    let run = place.run(&format!("verity format {salt} data links/new"));
    assert_eq!((run.stderr.as_str(), run.code), ("", Some(0)));
    assert!(place.join("links/new").is_symlink() && place.join("d/new").is_file());
    // A missing folder is not created.
    assert_eq!(place.run("sum a -o new/").code, Some(1));
    assert!(!place.join("new").exists());
}
