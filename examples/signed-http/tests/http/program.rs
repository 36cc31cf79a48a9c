//! The program: its arguments, its secrets, and signals.

use crate::support::{GITHUB_SECRET, NOW_S, github_header, stripe_header};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Output, Stdio};

const ENGINES: [&str; 3] = ["openssl", "openssl-sha256", "batcher"];
const GITHUB_VARIABLE: &str = "SIGNED_HTTP_GITHUB_SECRETS";
const STRIPE_VARIABLE: &str = "SIGNED_HTTP_STRIPE_SECRETS";

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_signed-http"));
    command.args(["--listen", "127.0.0.1:0"]).args(arguments).env_remove(GITHUB_VARIABLE).env_remove(STRIPE_VARIABLE);
    command
}

fn started(command: &mut Command) -> (Child, String) {
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the program starts");
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("listening on http://").expect("the address").to_string();
    (child, address)
}

fn send(child: &Child, signal: &str) {
    assert!(Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap().success());
}

fn complaint(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8(output.stderr.clone()).unwrap())
}

#[test]
fn it_serves_until_it_is_told_to_stop_and_answers_what_is_in_flight() {
    for engine in ENGINES {
        for signal in ["TERM", "INT"] {
            let (mut child, address) = started(program(&["--engine", engine, "--threads", "2"]).env(GITHUB_VARIABLE, GITHUB_SECRET));
            let mut connection = TcpStream::connect(&address).unwrap();
            let header = github_header(b"payload");
            write!(connection, "POST /github HTTP/1.1\r\nHost: test\r\nX-Hub-Signature-256: {header}\r\n").unwrap();
            write!(connection, "Content-Length: 7\r\nExpect: 100-continue\r\n\r\n").unwrap();
            let mut interim = [0; 25];
            connection.read_exact(&mut interim).unwrap();
            send(&child, signal);
            connection.write_all(b"payload").unwrap();
            let mut answer = String::new();
            connection.read_to_string(&mut answer).unwrap();
            assert!(answer.starts_with("HTTP/1.1 200 "), "{engine}, {signal}: {answer}");
            assert!(child.wait().unwrap().success(), "{engine}, {signal}");
        }
    }
}

#[test]
fn limits_may_be_as_large_as_numbers_go() {
    let most = usize::MAX.to_string();
    let limits = ["--body-limit", &most, "--body-timeout", &most, "--connections", &most, "--queue", &most, "--tolerance", &most];
    let (mut child, address) = started(program(&limits).args(["--longest-wait", "0"]).env(STRIPE_VARIABLE, GITHUB_SECRET));
    let mut connection = TcpStream::connect(&address).unwrap();
    let header = stripe_header(GITHUB_SECRET, NOW_S, b"payload");
    write!(connection, "POST /stripe HTTP/1.1\r\nHost: test\r\nStripe-Signature: {header}\r\n").unwrap();
    write!(connection, "Content-Length: 7\r\nConnection: close\r\n\r\npayload").unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    send(&child, "TERM");
    assert!(child.wait().unwrap().success());
}

#[test]
fn secrets_come_from_files_too() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    writeln!(file, "another\n{GITHUB_SECRET}").unwrap();
    let (mut child, address) = started(&mut program(&["--engine", "openssl", "--github-secrets", file.path().to_str().unwrap()]));
    let mut connection = TcpStream::connect(&address).unwrap();
    let header = github_header(b"payload");
    write!(connection, "POST /github HTTP/1.1\r\nHost: test\r\nX-Hub-Signature-256: {header}\r\n").unwrap();
    write!(connection, "Content-Length: 7\r\nConnection: close\r\n\r\npayload").unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    // Without a secret for Stripe there is no route for it.
    let mut connection = TcpStream::connect(&address).unwrap();
    write!(connection, "POST /stripe HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").unwrap();
    answer.clear();
    connection.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");
    send(&child, "TERM");
    assert!(child.wait().unwrap().success());
}

#[test]
fn without_a_good_secret_it_does_not_start() {
    let (code, text) = complaint(&program(&[]).output().unwrap());
    assert!(code == Some(2) && text.contains("no secrets: give --github-secrets"), "{text}");

    let (code, text) = complaint(&program(&[]).env(STRIPE_VARIABLE, "").output().unwrap());
    assert_eq!((code, text.as_str()), (Some(1), "signed-http: environment variable SIGNED_HTTP_STRIPE_SECRETS: no secret\n"));

    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b"one\n\ntwo\n").unwrap();
    let path = file.path().to_str().unwrap();
    let (code, text) = complaint(&program(&["--github-secrets", path]).output().unwrap());
    assert_eq!((code, text), (Some(1), format!("signed-http: {path}: line 2: an empty secret\n")));

    let (code, text) = complaint(&program(&["--github-secrets", path]).env(GITHUB_VARIABLE, "one").output().unwrap());
    assert!(code == Some(1) && text.contains("which ones hold?"), "{text}");

    let (code, text) = complaint(&program(&["--github-secrets", "/nowhere/secrets"]).output().unwrap());
    assert!(code == Some(1) && text.starts_with("signed-http: /nowhere/secrets: "), "{text}");
}

#[test]
fn wrong_usage_is_told() {
    for (arguments, expected) in [
        (vec!["--engine", "boringssl"], "--engine"),
        (vec!["--body-timeout", "0"], "--body-timeout"),
        (vec!["--connections", "0"], "--connections"),
        (vec!["--threads", "none"], "--threads"),
        (vec!["--workers", "0"], "--workers"),
        (vec!["--queue", "0"], "--queue"),
        (vec!["--github-secret", "secret"], "--github-secret"),
    ] {
        let (code, text) = complaint(&program(&arguments).env(GITHUB_VARIABLE, "secret").output().unwrap());
        assert!(code == Some(2) && text.contains(expected), "{text}");
    }
}

#[test]
fn an_address_in_use_is_told() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let mut command = Command::new(env!("CARGO_BIN_EXE_signed-http"));
    let output = command.args(["--engine", "openssl", "--listen", &address]).env(GITHUB_VARIABLE, "secret").output().unwrap();
    let (code, text) = complaint(&output);
    assert!(code == Some(1) && text.starts_with(&format!("signed-http: --listen {address}: ")), "{text}");
}
