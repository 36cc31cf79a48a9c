//! A folder to run the binary in, and the results of runs.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

pub use reference::messages::of_tree_modes as pattern;

/// The SHA-256 digest of `abc`, which is an example of FIPS 180-4.
pub const ABC_SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
pub const EMPTY_SHA256: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// The command: that of this build, unless the compiler is told another one (`scripts/test-aarch64` does so).
pub const BINARY: &str = match option_env!("MANYHASH_TEST_COMMAND") {
    Some(path) => path,
    None => env!("CARGO_BIN_EXE_manyhash"),
};

#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    pub stdout: String,
    pub stderr: String,
    pub code: Option<i32>,
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Self {
        Self { stdout: text_of(output.stdout), stderr: text_of(output.stderr), code: output.status.code() }
    }
}

/// Returns bytes as text without loss. Bytes that are not UTF-8 become a character of no test.
pub fn text_of(bytes: Vec<u8>) -> String {
    let characters = bytes.utf8_chunks().flat_map(|chunk| {
        let invalid = chunk.invalid().iter().map(|&byte| char::from_u32(0xf700 + u32::from(byte)).unwrap());
        chunk.valid().chars().chain(invalid)
    });
    characters.collect()
}

/// Reports that a test did not run, which is a failure under CI.
pub fn skipped(why: &str) {
    println!("SKIPPED: {why}");
    assert!(std::env::var_os("CI").is_none(), "skipped under CI: {why}");
}

/// Finds a real command, even if only root has it in PATH. Without it the test is skipped.
pub fn peer(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin", "/sbin"].map(PathBuf::from));
    let found = folders.map(|folder| folder.join(name)).find(|command| command.is_file());
    if found.is_none() {
        skipped(&format!("no {name} on this machine"));
    }
    found
}

pub fn hexadecimal(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

pub struct Place(TempDir);

impl Place {
    pub fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub fn within(folder: &Path) -> Self {
        Self(TempDir::new_in(folder).unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn join(&self, name: impl AsRef<Path>) -> PathBuf {
        self.path().join(name)
    }

    /// Creates a file, and the folders it is in.
    pub fn file(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) -> &Self {
        let path = self.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    /// Runs `manyhash` here with arguments that are separated by blanks.
    pub fn run(&self, arguments: &str) -> Outcome {
        self.run_with(arguments, b"")
    }

    /// Runs `manyhash` here with `stdin` on standard input.
    pub fn run_with(&self, arguments: &str, stdin: &[u8]) -> Outcome {
        outcome(self.command(BINARY).args(arguments.split_whitespace()), stdin)
    }

    /// Returns the command `manyhash` here. Every signal ends it, even if the tests were started to
    /// ignore some, as nohup does.
    pub fn mortal(&self) -> Command {
        let mut command = self.command("env");
        command.args(["--default-signal", BINARY]);
        command
    }

    /// Returns a command that will run here, in an environment that does not depend on the user.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path()).env("LC_ALL", "C.UTF-8");
        for name in
            ["MANYHASH_BACKEND", "MANYHASH_WITHOUT", "MANYHASH_TEST_BREAK", "MANYHASH_LOG", "POSIXLY_CORRECT", "COLUMNS", "NO_COLOR"]
        {
            command.env_remove(name);
        }
        command
    }
}

pub fn outcome(command: &mut Command, stdin: &[u8]) -> Outcome {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // Some commands do not read it.
            let _ = input.write_all(stdin);
        });
        child.wait_with_output().unwrap().into()
    })
}
