//! `cksum`, and the lengths of `b2sum`.

use super::*;

/// The files, and lists of them, that the command lines below name.
fn place_of_lists() -> Place {
    let place = Place::new();
    place.file("f", "abc").file("e", "").file("long", vec![b'x'; 70_000]).file("new\nline", "n").file("b\\s", "b");
    let mut lists = String::new();
    for line in ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "sm3", "blake2b -l 128", "blake2b -l 256"] {
        let arguments: Vec<&str> = ["-a"].into_iter().chain(line.split(' ')).chain(["f", "e", "new\nline"]).collect();
        lists += &compare(&place, "cksum", &arguments, b"").stdout;
        let untagged = compare(&place, "cksum", &[&arguments[..], &["--untagged"]].concat(), b"").stdout;
        place.file(format!("untagged {line}").replace(' ', "_"), &untagged);
    }
    place.file("lists", lists);
    place.file("wrong", "MD5 (f) = 00000000000000000000000000000000\nSHA256(f)= 00\nBLAKE2b-12 (f) = 000\nBLAKE2b-8 (f) = cf\n");
    place.file("other", "SHA3-256 (f) = 00\nmd5 (f) = 900150983cd24fb0d6963f7d28e17f72\n900150983cd24fb0d6963f7d28e17f72  f\nMD5 (f) = 900150983cd24fb0d6963f7d28e17f72\n");
    place
}

#[test]
fn cksum_is_the_same() {
    if !is_here() {
        return;
    }
    let place = place_of_lists();
    for checksum in [
        "",
        "-a bsd",
        "-a sysv",
        "-a crc",
        "--algorithm=crc",
        "-asm3",
        "-a blake2b",
        "-a blake2b -l0",
        "-a blake2b -l 8",
        "--alg sha1 --zero",
    ] {
        for files in ["f", "f e long", "missing f", "-", "", "e -"] {
            compare(&place, "cksum", &format!("{checksum} {files}").split_whitespace().collect::<Vec<_>>(), b"from standard input");
        }
        compare(&place, "cksum", &[checksum.split_whitespace().collect::<Vec<_>>(), vec!["new\nline", "b\\s"]].concat(), b"");
    }
    // Release 9.1 gives a folder a CRC, and not an error.
    compare(&place, "cksum", &["-a", "sm3", ".", "f"], b"");
    for line in [
        "-c lists",
        "-c lists f",
        "-c lists wrong",
        "-a md5 -c lists",
        "-a sha256 -c lists -w",
        "-a blake2b -c lists",
        "-a sm3 -c --quiet lists",
        "-c other",
        "-a md5 -c other",
        "-c --strict -w other",
        "-a md5 -c --status wrong",
        "-c wrong -w",
        "-a blake2b -c wrong -w",
        "-c untagged_sha1",
        "-a sha1 -c untagged_sha1",
        "-a blake2b -c untagged_blake2b",
        "-a blake2b -c untagged_blake2b_-l_128",
        "-a blake2b -l 128 -c untagged_blake2b_-l_256",
        "-c --tag lists",
        "-c --untagged lists",
        "-a crc -c lists",
        "-a bsd -c lists",
        "-a sysv -c",
        "-a md5 -zc lists",
        "--tag -a md5 f",
        "--untagged -a md5 f",
        "--untagged --tag -a md5 f",
        "--tag --untagged -a md5 f",
        "--untagged f",
        "--tag f",
        "-a sha1 -l 8 f",
        "-l 7 f",
        "-a blake2b -l 7 f",
        "-a blake2b -l 520 f",
        "-a md5 -l 1024 f",
        "-a blake2b -l x f",
        "-a blake2b -l -8 f",
        "-a blake2b -l +8 f",
        "-a blake2b -l 99999999999999999999 f",
        "-a blake2b --length= f",
        "-a",
        "-l",
        "--length",
        "--algorithm",
        "--untagged=1",
        "-a sha2 f",
        "-a SHA1 f",
        "-a sha3-256 f",
        "-a blake3 f",
        "-b f",
        "-t f",
        "-x",
        "--bogus",
        "--binary f",
        "--un -a md5 f",
        "--s f",
        "-w f",
        "--status f",
        "--quiet f",
        "--strict f",
        "--ignore-missing f",
        "-a md5 -- -a",
        "-z f",
        "-za bsd f",
    ] {
        compare(&place, "cksum", &line.split_whitespace().collect::<Vec<_>>(), b"abc");
    }
}

#[test]
fn lengths_of_b2sum_are_the_same() {
    if !is_here() {
        return;
    }
    let place = place_of_lists();
    for line in [
        "f e",
        "-l 8 f",
        "-l0 f",
        "-l 128 f",
        "--length=256 f e",
        "-l 256 --tag f",
        "-l 512 --tag f",
        "-l 504 -b f",
        "-bl128 f",
        "-zl 16 f",
        "-l 7 f",
        "-l 520 f",
        "-l x f",
        "-l",
        "--length",
        "--len",
        "--l=8 f",
        "-c lists",
        "-c untagged_blake2b",
        "-c untagged_blake2b_-l_128",
        "-a md5 f",
        "-l 128 -c untagged_blake2b_-l_256",
        "-c untagged_sha1",
        "-c wrong -w",
        "-c untagged_blake2b_-l_256 lists --quiet",
        "--untagged f",
        "-l 8 -c lists",
    ] {
        compare(&place, "b2sum", &line.split_whitespace().collect::<Vec<_>>(), b"abc");
    }
    // Quotation marks are the locale's.
    for arguments in [&["-l", "7", "f"][..], &["-l", "1024", "f"]] {
        for locale in ["C", "C.UTF-8"] {
            let theirs = outcome(theirs(&place, "b2sum").env("LC_ALL", locale).args(arguments), b"");
            assert_eq!(outcome(ours(&place, "b2sum").env("LC_ALL", locale).args(arguments), b""), theirs);
        }
    }
}
