//! `manyhash-study`: the tables and figures of the three papers behind manyhash, measured on this
//! machine.
#![deny(unsafe_code)]

mod aciicmez_2004;
mod claims;
mod contestants;
mod figures;
mod files;
mod finalists;
mod frequency;
mod gueron_2013;
mod gueron_krasnov_2012;
#[allow(unsafe_code, reason = "a file may change while it is mapped")]
mod mapped;
mod measured;
mod messages;
mod model;
mod openssl_worker;
mod race;
mod rows;
mod session;
mod text;

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use figures::{Entry, ID_WIDTH};
use model::{Figure, Study};
use session::Session;
use tempfile::NamedTempFile;

/// The crates whose versions the report names.
pub const COMPARED: &[&str] = &["manyhash", "blake-hash", "groestl", "jh", "openssl", "sha1", "sha2", "sha3", "skein"];

/// Measures the tables and figures of Aciicmez 2004, Gueron & Krasnov 2012 and Gueron 2013 on this
/// machine.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Only these figures, as --list names them, or all whose names begin so ("2012") [default:
    /// all].
    #[arg(value_name = "FIGURE")]
    figures: Vec<String>,
    /// Names the figures and measures nothing.
    #[arg(long)]
    list: bool,
    /// Little of everything: shows that it works; the values mean nothing.
    #[arg(long)]
    quick: bool,
    /// Also writes everything to this file, from which the report is made.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Stay on this CPU [default on Linux: the last CPU allowed].
    #[arg(long, value_name = "CPU")]
    pin: Option<usize>,
    /// Make files in this folder, on the disk to be measured [default: where the system has
    /// temporary files].
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
    /// May change the machine while it measures: drops the page cache of the whole system, and holds the
    /// processor at other frequencies, where root may.
    #[arg(long)]
    tune: bool,
    /// Answers another process of the study: see `openssl_worker.rs`.
    #[arg(long, hide = true)]
    openssl_worker: bool,
    /// Calls the routines of a figure, to be counted: see `aciicmez_2004/counting.rs`.
    #[arg(long, hide = true, value_name = "FIGURE")]
    count_routines: Option<String>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("manyhash-study: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<ExitCode> {
    manyhash::backend::from_environment()?;
    if arguments.openssl_worker {
        return openssl_worker::serve().map(|()| ExitCode::SUCCESS);
    }
    if let Some(figure) = &arguments.count_routines {
        return aciicmez_2004::counting::serve(figure).map(|()| ExitCode::SUCCESS);
    }
    let out = &mut io::stdout().lock();
    let chosen = chosen(&arguments.figures);
    if arguments.list {
        for entry in chosen {
            let about = claims::about(entry.id);
            writeln!(out, "{:ID_WIDTH$} {}: {}", entry.id, about.place, about.title)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    // Before anything else: an hour's values must not be lost to a mistyped path.
    if let Some(path) = &arguments.json {
        beside(path).with_context(|| format!("--json {}", path.display()))?;
    }
    if let Some(folder) = &arguments.scratch {
        anyhow::ensure!(folder.is_dir(), "--scratch {}: not a folder", folder.display());
    }
    session::clean_up_on_interrupt()?;
    let mut session = Session::begin(arguments.quick, arguments.pin, arguments.scratch.clone())?;
    session.tuned = arguments.tune;
    text::machine(out, &session.machine)?;
    let mut study = Study { machine: session.machine.clone(), quick: session.quick, figures: Vec::new() };
    for entry in chosen {
        let figure = measure(&session, entry);
        text::figure(out, &figure)?;
        out.flush()?;
        study.figures.push(figure);
    }
    text::claims(out, &study)?;
    if let Some(path) = &arguments.json {
        write_json(path, &study).with_context(|| format!("--json {}", path.display()))?;
    }
    let is_complete = study.figures.iter().all(|figure| figure.failed.is_none());
    Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A file in the folder of `path` that is gone when it is dropped.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    builder.prefix(".manyhash-study-").tempfile_in(folder)
}

/// Complete or not at all: what was there before is not lost to a run that fails.
fn write_json(path: &Path, study: &Study) -> io::Result<()> {
    let mut writer = io::BufWriter::new(beside(path)?);
    serde_json::to_writer(&mut writer, study)?;
    writer.into_inner().map_err(io::IntoInnerError::into_error)?.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// One figure, judged. Whatever happens in it, the others go on.
fn measure(session: &Session, entry: &Entry) -> Figure {
    let about = claims::about(entry.id);
    eprintln!("manyhash-study: {}: {}", entry.id, about.title);
    let begin = Instant::now();
    let judged = || {
        let mut figure = match (entry.measure)(session) {
            Err(limit) if model::is_limit(&limit) => Figure { missing: vec![format!("{limit:#}")], ..Figure::default() },
            measured => measured?,
        };
        figure.present();
        figure.claims = claims::judge(entry.id, &figure.metrics)?;
        figure.still_holds = claims::summary(&figure.claims);
        figure.changed.clone_from(&about.changed);
        if !figure.rows.is_empty() {
            figure.said.push(("effort", session.effort.in_words()));
            figure.method = claims::method(entry.id, &figure.said)?;
        }
        anyhow::Ok(figure)
    };
    let figure = match catch_unwind(AssertUnwindSafe(judged)) {
        Ok(Ok(figure)) => figure,
        Ok(Err(error)) => Figure { failed: Some(format!("{error:#}")), ..Figure::default() },
        Err(_) => Figure { failed: Some("panicked: see standard error".into()), ..Figure::default() },
    };
    Figure { id: entry.id, title: &about.title, place: &about.place, seconds: begin.elapsed().as_secs_f64(), ..figure }
}

/// The figures that `asked` names, in the papers' order; all of them if nothing is asked. A name of
/// nothing is wrong usage.
fn chosen(asked: &[String]) -> Vec<&'static Entry> {
    let exists = |asked: &str| figures::ALL.iter().any(|entry| entry.id == asked);
    let begins = |asked: &str, entry: &Entry| entry.id.strip_prefix(asked).is_some_and(|rest| rest.starts_with('-'));
    // A figure's own name means it alone: "2012-2" is not "2012-2-sha512".
    let names = |asked: &str, entry: &Entry| entry.id == asked || !exists(asked) && begins(asked, entry);
    for asked in asked {
        if !figures::ALL.iter().any(|entry| names(asked, entry)) {
            let known: Vec<&str> = figures::ALL.iter().map(|entry| entry.id).collect();
            Arguments::command().error(ErrorKind::InvalidValue, format!("{asked}: not one of {}", known.join(", "))).exit();
        }
    }
    figures::ALL.iter().filter(|entry| asked.is_empty() || asked.iter().any(|asked| names(asked, entry))).collect()
}
