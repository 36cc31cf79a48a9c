//! What a program may be told from outside, and that the library does not listen by itself. Each
//! case is a process of its own, because what is forced is forced for all of it.

use crate::support::backends::do_as_the_environment_says;
use crate::support::this_program;
use manyhash::backend::{self, Backend};
use manyhash::{Md5, Sha256, hash};

/// Says to a process of these tests that it is a child, and which one.
const CHILD: &str = "MANYHASH_TEST_CHILD";

/// Runs `test` again, in a process with these variables, as the child of that name; what it said.
fn child(test: &str, name: &str, variables: &[(&str, &str)]) -> String {
    let mut command = this_program();
    command.args(["--exact", &format!("environment::{test}"), "--nocapture"]).env(CHILD, name);
    for variable in ["MANYHASH_BACKEND", "MANYHASH_WITHOUT"] {
        command.env_remove(variable);
    }
    let output = command.envs(variables.iter().copied()).output().expect("it starts");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    let said: String = text.lines().filter_map(|line| line.split_once("said: ")).map(|(_, said)| format!("{said}\n")).collect();
    assert!(!said.is_empty(), "the child has nothing to say: {text}");
    said
}

/// Does what this process is to do as a child. `false`: it is none.
fn is_child() -> bool {
    match std::env::var(CHILD).as_deref() {
        Err(_) => return false,
        Ok("listener") => listen(),
        Ok("early listener") => listen_early(),
        Ok(other) => panic!("no child is called {other}"),
    }
    true
}

/// Asks which backend is best, and only then what the environment says.
fn listen() {
    let silent = Backend::in_use::<Sha256>().unwrap();
    assert_eq!(silent, Backend::best::<Sha256>(), "the library listened by itself");
    match backend::from_environment() {
        Ok(forced) => println!("\nsaid: forced {}", forced.map_or("nothing", |backend| backend.name())),
        Err(error) => println!("\nsaid: {error}"),
    }
    println!("\nsaid: SHA-256 by {}", Backend::in_use::<Sha256>().unwrap());
    assert_eq!(hash::<Md5>(b""), *b"\xd4\x1d\x8c\xd9\x8f\x00\xb2\x04\xe9\x80\x09\x98\xec\xf8\x42\x7e");
}

/// Asks what the environment says before anything else.
fn listen_early() {
    match backend::from_environment() {
        Ok(_) => println!("\nsaid: {}", Backend::supported().iter().map(Backend::name).collect::<Vec<_>>().join(" ")),
        Err(error) => println!("\nsaid: {error}"),
    }
    assert_eq!(backend::from_environment(), backend::from_environment());
}

#[test]
fn a_backend_is_forced_when_a_program_asks() {
    if is_child() {
        return;
    }
    do_as_the_environment_says();
    let test = "a_backend_is_forced_when_a_program_asks";
    let said = |variables: &[(&str, &str)]| child(test, "listener", variables);
    // The child has seen that this is the best.
    let silent = said(&[]);
    assert!(silent.starts_with("forced nothing\nSHA-256 by "), "{silent}");
    assert_eq!(said(&[("MANYHASH_BACKEND", "")]), silent);
    // This process may have to leave some out, its children have not.
    let supported = child(test, "early listener", &[]);
    let is_supported = |backend: &&Backend| supported.split_whitespace().any(|name| name == backend.name());
    for backend in Backend::known().iter().filter(is_supported).filter(|backend| backend.lanes_of::<Sha256>().is_some()) {
        assert_eq!(said(&[("MANYHASH_BACKEND", backend.name())]), format!("forced {backend}\nSHA-256 by {backend}\n"));
    }
    let unknown = said(&[("MANYHASH_BACKEND", "abacus")]);
    assert!(unknown.starts_with("unknown backend 'abacus'; this CPU can run: portable"), "{unknown}");
}

#[test]
fn instruction_sets_are_left_out() {
    if is_child() {
        return;
    }
    let said = |name: &str, variables: &[(&str, &str)]| child("instruction_sets_are_left_out", name, variables);
    let names = |without: &str| said("early listener", &[("MANYHASH_WITHOUT", without)]);
    let everything = said("early listener", &[]);
    let all: Vec<&str> = everything.split_whitespace().collect();
    assert_eq!(names(" , "), everything);
    let without_avx512 = names("avx512, sha-ni");
    let left: Vec<&str> = without_avx512.split_whitespace().collect();
    let expected: Vec<&str> = all.iter().copied().filter(|name| !name.contains("avx512") && !name.contains("sha-ni")).collect();
    assert_eq!(left, expected);
    for unknown in ["abacus", "a"] {
        let said = names(unknown);
        assert!(said.starts_with(&format!("unknown instruction set '{unknown}'; these can be left out: avx")), "{said}");
        assert!(said.contains(" avx512, "), "{said}");
    }
    if cfg!(target_arch = "x86_64") {
        // What a CPU without them would lack as well.
        assert!(!names("avx").contains("avx") && names("avx512").contains("sse2"));
        assert!(names("avx2").contains("avx ") && !names("avx2").contains("avx2") && !names("avx2").contains("avx512"));
        assert_eq!(names("sse2"), "portable portable-x2\n");
    }
    if cfg!(target_arch = "aarch64") {
        assert_eq!(names("neon"), "portable portable-x2\n");
        assert!(names("sha3").contains("sha-ce-x4") && !names("sha3").contains("sha512") && !names("sha3").contains("neon-sha3"));
    }
    let late = said("listener", &[("MANYHASH_WITHOUT", "avx512")]);
    assert!(late.starts_with("too late to leave out avx512"), "{late}");
    let missing = said("early listener", &[("MANYHASH_WITHOUT", "avx2,avx512"), ("MANYHASH_BACKEND", "avx2")]);
    if cfg!(target_arch = "x86_64") {
        assert!(missing.starts_with("backend 'avx2' needs instructions this CPU lacks"), "{missing}");
    }
}
