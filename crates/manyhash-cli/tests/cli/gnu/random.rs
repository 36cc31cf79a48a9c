//! Random names, manifests and options, given to both commands.
//!
//! A failure prints its seed. MANYHASH_TEST_SEED=seed repeats it, MANYHASH_TEST_CASES=n tries n, from
//! the seed MANYHASH_TEST_SEEDS on.

use super::{compare, is_here, reads_nul_as_9_1, theirs};
use crate::random::Random;
use crate::support::Place;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

const COMMANDS: [&str; 3] = ["sha256sum", "sha1sum", "md5sum"];

/// The pieces that names are made of. There are no single quotes, because 9.1 has a bug where one
/// meets an unprintable byte in a message (see `is_misquoted`).
const PIECES: &[&[u8]] = &[
    b"a",
    b"b",
    b"f",
    b" ",
    b"  ",
    b"\"",
    b"\\",
    b"\\n",
    b"\\r",
    b"\\\\",
    b"*",
    b"(",
    b")",
    b") = ",
    b"=",
    b"#",
    b"-",
    b"~",
    b":",
    b"$",
    b"%s",
    b"SHA256 (",
    b"\t",
    b"\n",
    b"\r",
    b"\r\n",
    b"\x01",
    b"\x7f",
    b"\xff",
    b"\xc3",
    b"\xc3\xa9",
    b"\xe2\x82\xac",
    b"\xe2\x80\xa8",
    b"\x0b",
    b"\x0c",
];

#[test]
fn random_names_sum_and_check_the_same() {
    if !is_here() {
        return;
    }
    for mut random in Random::of_cases(100) {
        case(&mut random);
    }
}

/// Compares the commands on some files, their sums, and their sums damaged in several ways.
fn case(random: &mut Random) {
    let command = random.one_of(&COMMANDS);
    let place = Place::new();
    let mut names = vec![b"f".to_vec(), b"-".to_vec()];
    place.file("f", "abc").file("-", "a file called -");
    for _ in 0..random.below(6) {
        let name = name(random);
        let path = OsStr::from_bytes(&name);
        if !place.join(path).exists() {
            match random.below(12) {
                0 => fs::create_dir(place.join(path)).unwrap(),
                1 => std::os::unix::fs::symlink("nowhere", place.join(path)).unwrap(),
                _ => _ = place.file(path, vec![b'x'; random.below(300)]),
            }
        }
        names.push(name);
    }
    let options: Vec<&str> = (0..random.below(3)).map(|_| random.one_of(SUM_OPTIONS)).collect();
    let operands = (0..random.below(5)).map(|_| if random.below(9) == 0 { name(random) } else { names[random.below(names.len())].clone() });
    let arguments: Vec<OsString> = options.into_iter().map(OsString::from).chain(operands.map(OsString::from_vec)).collect();
    compare(&place, command, &arguments, b"abc");

    let right = Sums::of(&place, command, names);
    for _ in 0..4 {
        place.file("m", right.damaged(random));
        let mut arguments: Vec<&str> = vec![random.one_of(&["-c", "--check", "--c", "-cw", "-wc", "--check"])];
        arguments.extend((0..random.below(4)).map(|_| random.one_of(CHECK_OPTIONS)));
        arguments.extend(random.one_of(&[&["m"][..], &["m"], &["m"], &["m", "m"], &["-"], &[], &["m", "-"], &["none", "m"], &[".", "m"]]));
        let stdin = if random.below(2) == 0 { fs::read(place.join("m")).unwrap() } else { b"abc".to_vec() };
        compare(&place, command, &arguments, &stdin);
    }
}

const SUM_OPTIONS: &[&str] = &[
    "-b", "-t", "-z", "--tag", "--binary", "--text", "--zero", "-bz", "-zt", "--bin", "--te", "--z", "--ta", "-tbz", "--", "--quiet", "-w",
];

const CHECK_OPTIONS: &[&str] = &[
    "--quiet",
    "--status",
    "--strict",
    "-w",
    "--warn",
    "--ignore-missing",
    "--q",
    "--stri",
    "--ig",
    "--w",
    "-c",
    "-ww",
    "--",
    "-b",
    "--tag",
    "-z",
];

fn name(random: &mut Random) -> Vec<u8> {
    let name: Vec<u8> = (0..1 + random.below(5)).flat_map(|_| random.one_of(PIECES).to_vec()).collect();
    // A name must not look like an option, which another test covers.
    if name.starts_with(b"-") { [b"./", &name[..]].concat() } else { name }
}

struct Sums {
    tag: String,
    entries: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Sums {
    fn of(place: &Place, command: &str, names: Vec<Vec<u8>>) -> Self {
        let digest = |name: &Vec<u8>| {
            let output = theirs(place, command).arg("-z").arg(OsStr::from_bytes(&[b"./", &name[..]].concat())).output().unwrap();
            output.stdout.split(|&byte| byte == b' ').next().unwrap().to_vec()
        };
        let digests: Vec<_> = names.iter().map(digest).collect();
        let tag = command.trim_end_matches("sum").to_uppercase();
        let some = digests[0].clone();
        let entries = names.into_iter().zip(digests).map(|(name, digest)| (name, if digest.is_empty() { some.clone() } else { digest }));
        Self { tag, entries: entries.collect() }
    }

    fn damaged(&self, random: &mut Random) -> Vec<u8> {
        let mut manifest = Vec::new();
        if random.below(20) == 0 {
            manifest.extend(b"\xef\xbb\xbf");
        }
        let one_blank = random.below(6) == 0;
        let line_end = random.one_of(&[&b"\n"[..], b"\n", b"\n", b"\r\n"]);
        let damages = random.below(3);
        for _ in 0..random.below(7) {
            let mut line = self.line(random, one_blank);
            for _ in 0..damages {
                damage(random, &mut line);
            }
            manifest.extend(line);
            manifest.extend(if random.below(15) == 0 {
                random.one_of(&[&b"\r\r\n"[..], b"\0\n", b"\n\n", b" \n", b"\r", b"\n\r\n"])
            } else {
                line_end
            });
        }
        if random.below(4) == 0 {
            manifest.pop();
        }
        if !reads_nul_as_9_1() {
            manifest.retain(|&byte| byte != 0);
        }
        manifest
    }

    /// Returns one line, which is right but for wrong escapes now and then.
    fn line(&self, random: &mut Random, one_blank: bool) -> Vec<u8> {
        let (name, digest) = &self.entries[random.below(self.entries.len())];
        let must_escape = name.iter().any(|byte| b"\\\n\r".contains(byte));
        let is_escaped = if random.below(8) == 0 { random.below(2) == 0 } else { must_escape };
        let name = if is_escaped { escaped(name) } else { name.clone() };
        let mut digest = digest.clone();
        if random.below(4) == 0 {
            digest.make_ascii_uppercase();
        }
        let tag = self.tag.as_bytes();
        let mut line = if is_escaped { b"\\".to_vec() } else { Vec::new() };
        line.extend(match random.below(4) {
            0 => [tag, b" (", &name, b") = ", &digest].concat(),
            1 => [tag, b"(", &name, b")= ", &digest].concat(),
            _ if one_blank => [&digest, &b" "[..], &name].concat(),
            _ => [&digest[..], random.one_of(&[&b"  "[..], b" *"]), &name].concat(),
        });
        line
    }
}

fn escaped(name: &[u8]) -> Vec<u8> {
    let escape = |&byte: &u8| match byte {
        b'\\' => b"\\\\".to_vec(),
        b'\n' => b"\\n".to_vec(),
        b'\r' => b"\\r".to_vec(),
        _ => vec![byte],
    };
    name.iter().flat_map(escape).collect()
}

/// Changes a line, mostly where it matters: its ends, its blanks and its brackets.
fn damage(random: &mut Random, line: &mut Vec<u8>) {
    let anywhere = random.below(line.len() + 1);
    let marks: Vec<usize> = (0..line.len()).filter(|&at| b" ()=*\\\t".contains(&line[at])).collect();
    let at = if marks.is_empty() || random.below(3) == 0 { anywhere } else { marks[random.below(marks.len())] };
    match random.below(15) {
        0 => line.truncate(at),
        1 => _ = line.splice(at..at, random.one_of(PIECES).iter().copied()),
        2 => _ = line.drain(at..line.len().min(at + 1 + random.below(2))),
        3 if at < line.len() => line[at] = random.one_of(&[b' ', b'\t', b'*', b'(', b')', b'=', b'\\', b'0', b'g', 0, 0x80]),
        4 => line.insert(at, random.one_of(&[b' ', b'\t', b'*', b'\\', b'0', b'g', 0, b'(', b')'])),
        5 if at < line.len() => line[at] = line[at].to_ascii_uppercase(),
        6 if at < line.len() => line[at] = line[at].to_ascii_lowercase(),
        7 => _ = line.splice(0..0, random.one_of(&[&b"\\"[..], b" ", b"\t ", b"#", b" #", b"\\\\", b" \\", b"\\ ", b"\0"]).iter().copied()),
        8 => line.extend(random.one_of(&[&b" "[..], b"\t", b"\0", b"\0x", b"x", b")", b"\\", b"0"])),
        9 => line.reverse(),
        10 => line.rotate_left(at),
        11 => *line = [&line[..], random.one_of(&[&b""[..], b" "]), &line[..]].concat(),
        12 => line.extend(vec![b'n'; random.one_of(&[200, 255, 256, 4090, 5000, 30_000])]),
        13 => line.clear(),
        // This is the digest of something else.
        _ if line.len() > 1 => {
            let hexadecimal = line.iter().position(u8::is_ascii_hexdigit).unwrap_or(0);
            line[hexadecimal] = b'7';
        }
        _ => {}
    }
}
