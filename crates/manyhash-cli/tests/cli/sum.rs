//! `manyhash sum`.

use crate::support::{ABC_SHA256, BINARY, EMPTY_SHA256, Outcome, Place, outcome, skipped};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

/// The digests of `abc`, from the examples of RFC 1321, FIPS 180-4, FIPS 202, RFC 7693 and GM/T 0004. That of Keccak-256 is what
/// Ethereum's libraries compute.
const ABC: [(&str, &str); 18] = [
    ("MD5", "900150983cd24fb0d6963f7d28e17f72"),
    ("SHA-1", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    ("SHA-224", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
    ("SHA-256", ABC_SHA256),
    ("SHA-384", "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"),
    (
        "SHA-512",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    ),
    ("SHA-512/224", "4634270f707b6a54daae7530460842e20e37ed265ceee9a43e8924aa"),
    ("SHA-512/256", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
    ("SHA3-256", "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
    ("SHA3-224", "e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf"),
    ("SHA3-384", "ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f539f1edf228376d25"),
    (
        "SHA3-512",
        "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0",
    ),
    ("Keccak-256", "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"),
    ("BLAKE2s", "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982"),
    (
        "BLAKE2b",
        "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923",
    ),
    ("BLAKE2b-256", "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"),
    ("BLAKE3", "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85"),
    ("SM3", "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0"),
];

fn fifo(place: &Place, name: &str) {
    assert!(Command::new("mkfifo").arg(place.join(name)).status().unwrap().success());
}

#[test]
fn every_algorithm_by_every_name() {
    let place = Place::new();
    place.file("f", "abc");
    for (name, digest) in ABC {
        let lower = name.to_lowercase();
        for spelling in [name.to_string(), lower.replace('-', ""), lower.replace('/', "-"), lower.replace(['-', '/'], "_")] {
            let sum = place.run(&format!("sum -a {spelling} f"));
            assert_eq!((sum.stdout, sum.code), (format!("{digest}  f\n"), Some(0)), "{spelling}");
        }
        let tag = format!("{} (f) = {digest}\n", name.replace("SHA-", "SHA"));
        assert_eq!(place.run(&format!("sum --tag --algorithm {lower} f")).stdout, tag);
    }
}

#[test]
fn lines_come_in_the_order_given_and_errors_do_not_stop_the_rest() {
    let place = Place::new();
    place.file("f", "abc").file("large", vec![0; 5 << 20]).file("e", "");
    fs::create_dir(place.join("folder")).unwrap();
    let large = place.run("sum large").stdout;
    let sum = place.run("sum large f missing e folder f/below f large");
    let f = format!("{ABC_SHA256}  f\n");
    assert_eq!(sum.stdout, format!("{large}{f}{EMPTY_SHA256}  e\n{f}{large}"));
    assert_eq!(
        sum.stderr,
        "manyhash: missing: No such file or directory\nmanyhash: folder: Is a directory; -r hashes what is in it\nmanyhash: f/below: Not a directory\n"
    );
    assert_eq!(sum.code, Some(1));
}

#[test]
fn wrong_usage_is_exit_code_2_and_says_what_would_do() {
    let place = Place::new();
    place.file("f", "abc");
    for line in [
        "",
        "sum -a md6 f",
        "sum --bogus f",
        "sum --json --tag f",
        "sum --json -z f",
        "sum -j -1 f",
        "sum -j x f",
        "sum --progress maybe f",
        "check",
        "bogus",
        "check --quiet --status f",
        "check -a md6 f",
    ] {
        let outcome = place.run(line);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{line}: {outcome:?}");
        assert!(!outcome.stderr.is_empty(), "{line}");
    }
    let unknown = place.run("sum -a md6 f").stderr;
    assert!(
        ABC.iter().all(|(name, _)| unknown.contains(&name.replace("SHA-", "sha").replace("Keccak-", "keccak").to_lowercase())),
        "{unknown}"
    );
    for line in ["sum f", "check f", "check -a sha1 f"] {
        let unknown = outcome(place.command(BINARY).env("MANYHASH_BACKEND", "abacus").args(line.split(' ')), b"");
        assert_eq!(unknown.code, Some(2), "{line}");
        assert!(unknown.stderr.contains("abacus") && unknown.stderr.contains("portable"), "{}", unknown.stderr);
    }
    let without = outcome(place.command(BINARY).env("MANYHASH_WITHOUT", "abacus").args(["sum", "f"]), b"");
    let said = "manyhash: unknown instruction set 'abacus'; these can be left out: ";
    assert!(without.code == Some(2) && without.stderr.starts_with(said), "{without:?}");
    let drop_in = outcome(place.command(BINARY).env("MANYHASH_BACKEND", "abacus").args(["sha256sum", "f"]), b"");
    assert_eq!(drop_in.code, Some(1));
}

#[test]
fn help_and_version_are_no_errors() {
    let place = Place::new();
    for line in ["--help", "-h", "--version", "sum --help", "check --help"] {
        let outcome = place.run(line);
        assert!(outcome.code == Some(0) && outcome.stdout.contains("manyhash") && outcome.stderr.is_empty(), "{line}: {outcome:?}");
    }
    assert!(place.run("--help").stdout.contains("sha384sum"));
}

#[test]
fn verbose_tells_the_backend() {
    let place = Place::new();
    place.file("f", "abc");
    let portable = |line: &str, log: &str| {
        outcome(place.command(BINARY).env("MANYHASH_BACKEND", "portable").env("MANYHASH_LOG", log).args(line.split(' ')), b"").stderr
    };
    for stderr in [portable("sum -v f", ""), portable("-v sum f", ""), portable("sum f", "1"), portable("sha256sum f", "1")] {
        assert!(stderr.contains("SHA-256: backend portable"), "{stderr}");
    }
    assert_eq!(portable("sum f", "0"), "");
    let left = outcome(place.command(BINARY).env("MANYHASH_WITHOUT", "avx,SHA").args(["sum", "-v", "f"]), b"").stderr;
    assert!(!left.contains("backend avx") && !left.contains("backend sha"), "{left}");
}

#[test]
fn a_folder_comes_in_byte_order_of_the_paths() {
    let place = Place::new();
    let mut names =
        ["t/a", "t/a.b", "t/a-b", "t/a/x", "t/a0", "t/ab/c", "t/ab.c", "t/A", "t/é", "t/z/z/z", "t/z/z.z", "t/b c"].map(String::from);
    for name in &mut names {
        if name == "t/a/x" {
            *name = "t/d/x".into();
        }
        place.file(&*name, "abc");
    }
    names.sort();
    let lines = |prefix: &str, names: &[String]| names.iter().map(|name| format!("{ABC_SHA256}  {prefix}{name}\n")).collect::<String>();
    assert_eq!(place.run("sum -r t").stdout, lines("", &names));
    assert_eq!(place.run("sum -j 1 -r t/").stdout, lines("", &names));
    assert_eq!(place.run("sum -j 64 -r .").stdout, lines("./", &names));
    let inner = ["t/z/z.z", "t/z/z/z"].map(String::from);
    assert_eq!(place.run("sum -r t/z t/A t/z").stdout, lines("", &inner) + &lines("", &["t/A".into()]) + &lines("", &inner));
    let without_r = place.run("sum t");
    assert_eq!((without_r.stderr.as_str(), without_r.code), ("manyhash: t: Is a directory; -r hashes what is in it\n", Some(1)));
}

#[test]
fn in_folders_only_regular_files_count_but_arguments_may_be_anything() {
    let place = Place::new();
    place.file("t/f", "abc").file("elsewhere/g", "abc");
    symlink("f", place.join("t/link")).unwrap();
    symlink("../elsewhere", place.join("t/folder-link")).unwrap();
    symlink("t", place.join("argument-link")).unwrap();
    symlink("loop", place.join("loop")).unwrap();
    symlink("/nowhere", place.join("t/dangling")).unwrap();
    fifo(&place, "t/fifo");
    let _socket = std::os::unix::net::UnixListener::bind(place.join("t/socket")).unwrap();

    let tree = place.run("sum -r t");
    assert_eq!((tree.stdout.as_str(), tree.stderr.as_str(), tree.code), (&*format!("{ABC_SHA256}  t/f\n"), "", Some(0)));
    let verbose = place.run("sum -vv -r t").stderr;
    for skipped in ["t/dangling: skipped: a symbolic link", "t/fifo: skipped: not a regular file", "t/socket: skipped"] {
        assert!(verbose.contains(skipped), "{verbose}");
    }
    let counted = place.run("sum -v -r t").stderr;
    assert!(
        counted.contains("manyhash: skipped in folders: a symbolic link (") && counted.contains("not a regular file (2); -vv names each\n"),
        "{counted}"
    );
    assert!(!counted.contains("t/fifo"), "{counted}");
    let arguments = place.run("sum -r t/link argument-link loop t/dangling");
    assert_eq!(arguments.stdout, format!("{ABC_SHA256}  t/link\n{ABC_SHA256}  argument-link/f\n"));
    assert_eq!(arguments.stderr, "manyhash: loop: Too many levels of symbolic links\nmanyhash: t/dangling: No such file or directory\n");
    assert_eq!(arguments.code, Some(1));
    assert_eq!(place.run("sum /dev/null").stdout, format!("{EMPTY_SHA256}  /dev/null\n"));
    let socket = place.run("sum t/socket t/f");
    assert_eq!((socket.stdout, socket.code), (format!("{ABC_SHA256}  t/f\n"), Some(1)));
}

#[test]
fn files_that_do_not_say_their_size_are_read_to_the_end() {
    let place = Place::new();
    place.file("f", fs::read("/proc/version").unwrap());
    let digest = |path: &str| place.run(&format!("sum {path}")).stdout.split(' ').next().map(String::from);
    assert_eq!(digest("/proc/version"), digest("f"));
}

#[test]
fn stdin_is_a_dash_or_nothing() {
    let place = Place::new();
    place.file("f", "abc");
    let abc = format!("{ABC_SHA256}  -\n");
    assert_eq!(place.run_with("sum", b"abc").stdout, abc);
    assert_eq!(place.run_with("sum -", b"abc").stdout, abc);
    assert_eq!(place.run_with("sum -r f - f -", b"abc").stdout, format!("{ABC_SHA256}  f\n{abc}{ABC_SHA256}  f\n{EMPTY_SHA256}  -\n"));
    let large = vec![7; 3 << 20];
    place.file("large", &large);
    let by_name = place.run("sum -a sha512 large").stdout;
    assert_eq!(place.run_with("sum -a sha512", &large).stdout, by_name.replace("large", "-"));
}

#[test]
fn fifos_are_read_one_after_another() {
    let place = Place::new();
    place.file("f", "abc");
    fifo(&place, "one");
    fifo(&place, "two");
    // The writer opens the second fifo when it is done with the first.
    let (one, two) = (place.join("one"), place.join("two"));
    let writer = std::thread::spawn(move || {
        for path in [one, two] {
            fs::write(path, vec![1; 1 << 20]).unwrap();
        }
    });
    let sum = place.run("sum one f two");
    writer.join().unwrap();
    place.file("same", vec![1; 1 << 20]);
    let same = place.run("sum same").stdout;
    assert_eq!(sum.stdout, format!("{}{ABC_SHA256}  f\n{}", same.replace("same", "one"), same.replace("same", "two")));
}

#[test]
fn a_file_that_changes_meanwhile_does_no_harm() {
    let place = Place::new();
    place.file("changing", vec![1; 8 << 20]).file("f", "abc");
    let path = place.join("changing");
    let ended = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
            while !ended.load(std::sync::atomic::Ordering::Relaxed) {
                for mebibytes in [8, 1, 12, 0] {
                    file.set_len(mebibytes << 20).unwrap();
                }
            }
        });
        for _ in 0..20 {
            let sum = place.run("sum f changing f changing f");
            let lines: Vec<_> = sum.stdout.lines().collect();
            assert_eq!((lines.len(), sum.stderr.as_str(), sum.code), (5, "", Some(0)));
            assert!([0, 2, 4].iter().all(|&line| lines[line] == format!("{ABC_SHA256}  f")));
        }
        ended.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}

#[test]
fn json_lines_are_objects() {
    let place = Place::new();
    let odd = std::ffi::OsStr::from_bytes(b"\xff\"");
    place.file("f", "abc").file("q\"\n", "").file(odd, "abc");
    let output = place.command(BINARY).args(["sum", "--json", "f", "missing", "q\"\n"]).arg(odd).output().unwrap();
    let objects: Vec<serde_json::Value> = output
        .stdout
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    let object = |key: &str, name: &str, bytes: u64, digest: &str| serde_json::json!({key: name, "bytes": bytes, "algorithm": "SHA-256", "digest": digest});
    assert_eq!(
        objects,
        [object("path", "f", 3, ABC_SHA256), object("path", "q\"\n", 0, EMPTY_SHA256), object("path_hex", "ff22", 3, ABC_SHA256)]
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn several_algorithms_read_a_file_once() {
    let place = Place::new();
    place.file("f", "abc").file("new\nline", "abc").file("large", vec![7; 3 << 20]);
    let digest = |name: &str| ABC.iter().find(|(other, _)| *other == name).unwrap().1;
    let (sha1, sha512) = (digest("SHA-1"), digest("SHA-512"));
    // Lines come in the order given, each once, in a style that names the algorithm.
    let both = format!("SHA512 (f) = {sha512}\nSHA1 (f) = {sha1}\n");
    for options in ["-a sha512,sha1", "-a sha512 -a sha1", "-a sha512,sha1,SHA-512 -a sha1", "--tag -a sha512,sha1"] {
        assert_eq!(place.run(&format!("sum {options} f")).stdout, both, "{options}");
    }
    assert_eq!(place.run("sum -a sha1,sha1 f").stdout, format!("{sha1}  f\n"));
    // Standard input can be read only once.
    assert_eq!(place.run_with("sum -a sha512,sha1", b"abc").stdout, both.replace("(f)", "(-)"));
    let objects = place.run("sum --json -a sha512,sha1 f").stdout;
    let object = |algorithm: &str, digest: &str| format!(r#"{{"path":"f","bytes":3,"algorithm":"{algorithm}","digest":"{digest}"}}"#);
    assert_eq!(objects, format!("{}\n{}\n", object("SHA-512", sha512), object("SHA-1", sha1)));

    let all = "sha1,sha224,sha256,sha384,sha512,sha512/224,sha512/256,sha3-224,sha3-256,sha3-384,sha3-512,keccak256,blake2s,blake2b,blake2b-256,blake3,sm3";
    let output = place.command(BINARY).args(["sum", "-o", "sums", "-a", all, "f", "new\nline", "large", "f"]).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
    let check = place.run("check --strict sums");
    assert_eq!((check.stdout.matches(": OK\n").count(), check.code), (4 * 17, Some(0)), "{check:?}");

    let missing = place.run("sum -a sha1,sha512 missing f");
    assert_eq!((missing.stdout.lines().count(), missing.stderr.lines().count(), missing.code), (2, 1, Some(1)));
    assert_eq!(place.run("sum -a sha1,md6 f").code, Some(2));
}

#[test]
fn output_to_a_file_appears_whole_or_not_at_all() {
    let place = Place::new();
    place.file("f", "abc").file("old", "old");
    let line = format!("{ABC_SHA256}  f\n");
    assert_eq!(place.run("sum -o new f").stdout, "");
    assert_eq!(fs::read_to_string(place.join("new")).unwrap(), line);
    // Files that can be read are still printed; the others are reported.
    let with_error = place.run("sum -o new f missing");
    assert_eq!((with_error.code, fs::read_to_string(place.join("new")).unwrap()), (Some(1), line.clone()));

    // An old file keeps its permissions, and its place behind a link.
    fs::set_permissions(place.join("old"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("old", place.join("link")).unwrap();
    assert_eq!(place.run("sum -o link f").code, Some(0));
    assert_eq!(fs::read_to_string(place.join("old")).unwrap(), line);
    assert!(fs::symlink_metadata(place.join("link")).unwrap().is_symlink());
    assert_eq!(fs::metadata(place.join("old")).unwrap().permissions().mode() & 0o777, 0o640);

    for (target, reason) in [("no/folder", "No such file or directory"), (".", "Is a directory"), ("f/below", "Not a directory")] {
        let failed = place.run(&format!("sum -o {target} f"));
        assert_eq!((failed.code, failed.stderr), (Some(1), format!("manyhash: {target}: {reason}\n")));
    }
    assert_eq!(place.run("sum -o /dev/stdout f").stdout, line);
    let full = place.run("sum -o /dev/full f");
    assert_eq!((full.stderr.as_str(), full.code), ("manyhash: /dev/full: No space left on device\n", Some(1)));
}

#[test]
fn nothing_is_left_of_an_output_that_was_never_finished() {
    let place = Place::new();
    place.file("f", "abc").file("out", "old");
    fifo(&place, "fifo");
    let names = || {
        let mut names: Vec<_> = fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    let mut child = place.command(BINARY).args(["sum", "-o", "out", "f", "fifo"]).spawn().unwrap();
    // Once it reads the fifo, it has hashed the files before it.
    let writer = fs::OpenOptions::new().write(true).open(place.join("fifo")).unwrap();
    assert_eq!(names(), before);
    child.kill().unwrap();
    child.wait().unwrap();
    drop(writer);
    assert_eq!(names(), before);
    assert_eq!(fs::read_to_string(place.join("out")).unwrap(), "old");
}

/// Runs `manyhash sum -r -o out t` after `prelude`, in a shell.
fn sum_after(place: &Place, prelude: &str) -> Outcome {
    let script = format!("{prelude} && exec \"$0\" sum -r -o out t");
    outcome(place.command("sh").args(["-c", &script, BINARY]), b"")
}

#[test]
fn an_output_that_does_not_fit_leaves_the_old_one() {
    let place = Place::new();
    for index in 0..3000 {
        place.file(format!("t/{index}"), "abc");
    }
    // First the size of files is limited, then a file system is full.
    place.file("out", "old");
    let limited = sum_after(&place, "trap '' XFSZ && ulimit -f 32");
    assert_eq!((limited.stderr.as_str(), limited.code), ("manyhash: out: File too large\n", Some(1)));
    assert_eq!(fs::read_to_string(place.join("out")).unwrap(), "old");
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 2);

    let mount = "mkdir small && mount -t tmpfs -o size=64k none small && echo old >small/out";
    let inside = format!("{mount} && \"$0\" sum -r -o small/out t; echo \"$?\"; cat small/out; ls -A small");
    let full = outcome(place.command("unshare").args(["--mount", "--map-root-user", "sh", "-c", &inside, BINARY]), b"");
    if full.stderr.contains("unshare: ") || full.stderr.contains("mount: ") {
        return skipped(&format!("no file system can be mounted here: {}", full.stderr.trim_end()));
    }
    assert_eq!((full.stderr.as_str(), full.stdout.as_str()), ("manyhash: small/out: No space left on device\n", "1\nold\nout\n"));
}

#[test]
fn the_output_is_left_out_of_the_folder_it_is_in() {
    let place = Place::new();
    place.file("t/f", "abc");
    for _ in 0..2 {
        assert_eq!(place.run("sum -r -o t/sums t").code, Some(0));
        assert_eq!(fs::read_to_string(place.join("t/sums")).unwrap(), format!("{ABC_SHA256}  t/f\n"));
    }
    assert_eq!(place.run("sum -o t/sums t/sums").code, Some(0));
    assert!(fs::read_to_string(place.join("t/sums")).unwrap().ends_with("  t/sums\n"));
    assert_eq!(place.run("check t/sums").code, Some(1));
}

#[test]
fn a_reader_that_leaves_ends_it_quietly() {
    let place = Place::new();
    for index in 0..500 {
        place.file(format!("t/{}{index}", "long".repeat(50)), "abc");
    }
    // The manifest on stdin has more lines than we wait for, and then no end.
    let manifest = format!("{ABC_SHA256}  t/{}1\n", "long".repeat(50)).repeat(5000);
    for line in ["sum -r t t t t t t t t", "sha256sum -c", "check -"] {
        let mut command = place.command(BINARY);
        command.args(line.split(' ')).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                // This fails once the child has ended.
                let _ = stdin.write_all(manifest.as_bytes());
            });
            stdout.read_line(&mut String::new()).unwrap();
            drop(stdout);
            let mut stderr = String::new();
            child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
            // A shell reports this code for a command that SIGPIPE ended.
            assert_eq!((stderr.as_str(), child.wait().unwrap().code()), ("", Some(141)), "{line}");
        });
    }
}

#[test]
fn output_that_fails_is_told() {
    let place = Place::new();
    place.file("f", "abc").file("m", format!("{ABC_SHA256}  f\n"));
    for (program, line) in [("manyhash", "sum f"), ("manyhash", "check m"), ("sha256sum", "sha256sum f"), ("sha256sum", "sha256sum -c m")] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = place.command(BINARY).args(line.split(' ')).stdout(full).output().unwrap();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), format!("{program}: write error: No space left on device\n"));
        assert_eq!(output.status.code(), Some(1), "{line}");
    }
}

#[test]
fn results_come_as_soon_as_their_turn_does() {
    let place = Place::new();
    place.file("f", "abc");
    let mut child = place.command(BINARY).args(["sum", "f", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    assert_eq!(line, format!("{ABC_SHA256}  f\n"));
    drop(child.stdin.take());
    line.clear();
    lines.read_line(&mut line).unwrap();
    assert_eq!(line, format!("{EMPTY_SHA256}  -\n"));
    assert!(child.wait().unwrap().success());
}

#[test]
fn progress_is_shown_when_asked_for() {
    let place = Place::new();
    place.file("f", "abc");
    assert_eq!(place.run("sum --progress never f").stderr, "");
    assert_eq!(place.run("sum --progress auto f").stderr, "");
    let always = place.run("sum --progress always f f");
    assert!(always.stderr.contains("2/2 files") && always.stdout.lines().count() == 2, "{always:?}");
    // Where there is no terminal, a line every ten seconds, and one at the end.
    for command in ["sum -r .", "dups .", "dups --chunks fixed:512 .", "tree fs-verity f", "tree j-lanes f"] {
        let shown = place.run(&format!("{command} --progress always")).stderr;
        let lines: Vec<_> = shown.lines().filter(|line| line.contains(" files, ") && line.ends_with("/s")).collect();
        assert!(lines.iter().all(|line| line.starts_with("manyhash: ")), "{command}: {shown}");
        assert!(!lines.is_empty() && lines.len() < 4 && !shown.contains('\r') && !shown.contains('\x1b'), "{command}: {shown}");
    }
}

#[test]
fn a_file_that_nobody_may_read_is_told_and_passed_over() {
    // Root may read all files, but even root can read neither a folder as a file nor a process's
    // memory from its beginning.
    let place = Place::new();
    place.file("f", "abc");
    let sum = place.run("sum /proc/self/mem f");
    assert_eq!((sum.stdout, sum.code), (format!("{ABC_SHA256}  f\n"), Some(1)));
    assert_eq!(sum.stderr, "manyhash: /proc/self/mem: Input/output error\n");
    fs::set_permissions(place.join("f"), fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(place.join("f")).is_err() {
        assert_eq!(place.run("sum f").stderr, "manyhash: f: Permission denied\n");
    }
}
