//! `files`: whole programs on files in the page cache: start-up, reading and printing included.
//!
//! Every program is given the same paths in the same order, on as few command lines as the system's limit allows.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use sha2::{Digest, Sha256};

use crate::report::Table;
use crate::timing;
use crate::workloads::{self, Random};

/// Path bytes on one command line, well below the limit of any current system.
const COMMAND_LINE_BYTES: usize = 128 << 10;

/// The options of `files`.
#[derive(clap::Args)]
pub struct FilesArguments {
    /// Hash the files below this directory [default: the DIVERSE set, made in a temporary directory].
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,
    /// The manyhash program [default: beside this one, in target/release, or on PATH].
    #[arg(long, value_name = "FILE")]
    manyhash: Option<PathBuf>,
    /// Runs of each program, taken in turns.
    #[arg(long, value_name = "N", default_value_t = 11, value_parser = crate::at_least_one)]
    runs: usize,
}

/// What a program prints.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Prints {
    Sha256,
    AnotherDigest,
}

struct Tool {
    name: &'static str,
    program: PathBuf,
    arguments: &'static [&'static str],
    prints: Prints,
    seconds: Vec<f64>,
}

/// Runs the mode.
pub fn run(arguments: &FilesArguments) -> Result<()> {
    let manyhash = match &arguments.manyhash {
        Some(path) => {
            ensure!(path.is_file(), "--manyhash {}: no such file", path.display());
            Some(path.clone())
        }
        None => find_manyhash(),
    };
    let given = match &arguments.directory {
        Some(path) => Some(fs::canonicalize(path).with_context(|| format!("--directory {}", path.display()))?),
        None => None,
    };
    let manyhash = manyhash.context("no manyhash program found: build it, or name it with --manyhash")?;
    let (made, directory) = match given {
        Some(directory) => (None, directory),
        None => {
            let made = make_diverse()?;
            let path = made.path().to_path_buf();
            (Some(made), path)
        }
    };
    let mut files = Vec::new();
    list_files(&directory, &mut files)?;
    ensure!(!files.is_empty(), "{}: no files", directory.display());
    let mut bytes = 0;
    let mut expected = Vec::new();
    for file in &files {
        let content = fs::read(file).with_context(|| file.display().to_string())?;
        bytes += content.len();
        expected.push(hex(&Sha256::digest(&content)));
    }

    let out = &mut io::stdout().lock();
    let of = if made.is_some() { "DIVERSE".into() } else { directory.display().to_string() };
    let command_lines = batches(&files);
    writeln!(out, "{of}: {} files, {bytes} bytes, {} command line(s)", files.len(), command_lines.len())?;
    let mut tools = Vec::new();
    for (name, program, arguments, prints) in [
        ("manyhash sum -j 1", Some(manyhash.clone()), &["sum", "-a", "sha256", "-j", "1"][..], Prints::Sha256),
        ("manyhash sum -j 2", Some(manyhash), &["sum", "-a", "sha256", "-j", "2"], Prints::Sha256),
        ("sha256sum", on_path("sha256sum"), &[], Prints::Sha256),
        ("openssl dgst -sha256", on_path("openssl"), &["dgst", "-sha256"], Prints::Sha256),
        ("b3sum --num-threads 1", on_path("b3sum"), &["--num-threads", "1"], Prints::AnotherDigest),
        ("b3sum", on_path("b3sum"), &[], Prints::AnotherDigest),
    ] {
        match program {
            Some(program) => tools.push(Tool { name, program, arguments, prints, seconds: Vec::new() }),
            None => writeln!(out, "{name}: not installed")?,
        }
    }
    for tool in &tools {
        writeln!(out, "{}: {}", tool.name, tool.version())?;
        tool.verify(&command_lines, &files, &expected)?;
    }
    for run in 0..arguments.runs {
        for turn in 0..tools.len() {
            let tool = (turn + run) % tools.len();
            tools[tool].time(&command_lines)?;
        }
    }
    table(&tools, bytes).write(out)?;
    Ok(())
}

/// Times in seconds, speeds, and how many times as long each took as `manyhash sum -j 1`.
fn table(tools: &[Tool], bytes: usize) -> Table {
    let median = |tool: &Tool| timing::median(tool.seconds.iter().copied()).unwrap_or(f64::NAN);
    let ours = tools.first().map_or(f64::NAN, median);
    let mut table = Table::default();
    table.row(["", "median s", "shortest s", "GB/s", "time / ours -j 1"].map(String::from));
    for tool in tools {
        let seconds = median(tool);
        let shortest = tool.seconds.iter().copied().fold(f64::INFINITY, f64::min);
        let name = match tool.prints {
            Prints::Sha256 => tool.name.to_string(),
            Prints::AnotherDigest => format!("({}: another digest)", tool.name),
        };
        table.row([
            name,
            format!("{seconds:.4}"),
            format!("{shortest:.4}"),
            format!("{:.2}", bytes as f64 / seconds / 1e9),
            format!("{:.2}", seconds / ours),
        ]);
    }
    table
}

impl Tool {
    fn command(&self, files: &[PathBuf]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(self.arguments).args(files).stdin(Stdio::null());
        command
    }

    /// The first line of what it says of itself.
    fn version(&self) -> String {
        let flag = if self.name.starts_with("openssl") { "version" } else { "--version" };
        let output = Command::new(&self.program).arg(flag).output();
        let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
        text.lines().next().unwrap_or("version unknown").to_string()
    }

    /// One run to warm the cache, its digests compared with ours of the file's content in memory.
    fn verify(&self, command_lines: &[&[PathBuf]], files: &[PathBuf], expected: &[String]) -> Result<()> {
        let mut digests = Vec::new();
        for files in command_lines {
            let output = self.command(files).stderr(Stdio::inherit()).output().with_context(|| self.name)?;
            ensure!(output.status.success(), "{}: {}", self.name, output.status);
            digests.extend(digests_in(&String::from_utf8_lossy(&output.stdout)));
        }
        if self.prints == Prints::AnotherDigest {
            return Ok(());
        }
        ensure!(digests.len() == files.len(), "{}: {} digests for {} files", self.name, digests.len(), files.len());
        let wrong = (0..files.len()).find(|&i| digests[i] != expected[i]);
        wrong.map_or(Ok(()), |i| bail!("{}: wrong digest of {}", self.name, files[i].display()))
    }

    /// One timed run.
    fn time(&mut self, command_lines: &[&[PathBuf]]) -> Result<()> {
        let start = Instant::now();
        for files in command_lines {
            let status = self.command(files).stdout(Stdio::null()).status().with_context(|| self.name)?;
            ensure!(status.success(), "{}: {status}", self.name);
        }
        self.seconds.push(start.elapsed().as_secs_f64());
        Ok(())
    }
}

/// The digests in `DIGEST  PATH` lines (`\DIGEST` where the path is escaped) or `NAME(PATH)= DIGEST` lines.
fn digests_in(text: &str) -> Vec<String> {
    let is_digest = |word: &str| word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let of_line = |line: &str| {
        let first = line.split(' ').next().map(|word| word.trim_start_matches('\\'));
        let last = line.rsplit(' ').next();
        [first, last].into_iter().flatten().find(|word| is_digest(word)).map(str::to_string)
    };
    text.lines().filter_map(of_line).collect()
}

fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The files of the DIVERSE set, random-looking.
fn make_diverse() -> Result<tempfile::TempDir> {
    let directory = tempfile::tempdir().context("making a temporary directory")?;
    let mut random = Random::new(3);
    for (i, size) in workloads::diverse_bytes()?.into_iter().enumerate() {
        let mut content = vec![0; size];
        random.fill(&mut content);
        let path = directory.path().join(format!("{i:03}"));
        fs::write(&path, content).with_context(|| path.display().to_string())?;
    }
    Ok(directory)
}

/// The regular files below `directory`, links not followed, in the order of their names.
fn list_files(directory: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let read = || -> io::Result<Vec<fs::DirEntry>> { fs::read_dir(directory)?.collect() };
    let mut entries = read().with_context(|| directory.display().to_string())?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let kind = entry.file_type().with_context(|| entry.path().display().to_string())?;
        if kind.is_dir() {
            list_files(&entry.path(), files)?;
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// Cuts the files into command lines.
fn batches(files: &[PathBuf]) -> Vec<&[PathBuf]> {
    let mut batches = Vec::new();
    let (mut start, mut length) = (0, 0);
    for (i, file) in files.iter().enumerate() {
        let bytes = file.as_os_str().len() + 1;
        if length + bytes > COMMAND_LINE_BYTES && i > start {
            batches.push(&files[start..i]);
            (start, length) = (i, 0);
        }
        length += bytes;
    }
    batches.push(&files[start..]);
    batches
}

/// Beside this program, where cargo builds (run in this directory or the one above), or on PATH.
fn find_manyhash() -> Option<PathBuf> {
    let name = format!("manyhash{}", env::consts::EXE_SUFFIX);
    let beside = env::current_exe().ok().and_then(|path| Some(path.parent()?.join(&name)));
    let targets = [env::var_os("CARGO_TARGET_DIR").map(PathBuf::from), Some("target".into()), Some("../target".into())];
    let built = targets.into_iter().flatten().map(|target| target.join("release").join(&name));
    beside.into_iter().chain(built).find(|path| path.is_file()).or_else(|| on_path("manyhash"))
}

fn on_path(program: &str) -> Option<PathBuf> {
    let name = format!("{program}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&env::var_os("PATH")?).map(|directory| directory.join(&name)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_found_in_every_format() {
        let digest = "0123456789abcdef".repeat(4);
        let text = format!("{digest}  a b\n\\{digest}  a\\nb\nSHA2-256(a b)= {digest}\nopenssl: warning\n");
        assert_eq!(digests_in(&text), vec![digest; 3]);
    }

    #[test]
    fn command_lines_are_cut_and_lose_nothing() {
        let files: Vec<PathBuf> = (0..100).map(|i| format!("{i:04096}").into()).collect();
        let batches = batches(&files);
        assert!(batches.len() > 1);
        assert!(batches.iter().all(|batch| batch.len() * 4097 <= COMMAND_LINE_BYTES));
        assert_eq!(batches.concat(), files);
    }

    #[test]
    fn the_diverse_set_has_the_papers_files() {
        let directory = make_diverse().unwrap();
        let mut files = Vec::new();
        list_files(directory.path(), &mut files).unwrap();
        let bytes: u64 = files.iter().map(|file| fs::metadata(file).unwrap().len()).sum();
        assert_eq!((files.len(), bytes), (350, 82_833_129));
    }
}
