//! One run repeated in several processes: where heap and stack lie is drawn once in the life of a
//! process, and can help or hurt a peer.

use std::fs::File;
use std::io::BufReader;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::contest::{Cell, Row};
use manyhash_measure::timing::Sample;

/// What is read of another process's JSON file.
#[derive(Deserialize)]
struct Report {
    cells: Vec<Rows>,
}

#[derive(Deserialize)]
struct Rows {
    rows: Vec<Row>,
}

/// Runs this program again, with the same options, until `processes` have run, and gives each
/// one's number, from 1, and JSON file to `add`. This process is the first; the others inherit its
/// CPU.
pub fn others<R: DeserializeOwned>(processes: usize, mut add: impl FnMut(usize, R) -> Result<()>) -> Result<()> {
    let directory = tempfile::tempdir().context("a directory for the processes' samples")?;
    let path = directory.path().join("report.json");
    for process in 1..processes {
        let of = format!("process {} of {processes}", process + 1);
        eprintln!("{of}");
        let status = Command::new(std::env::current_exe().context("this program's own path")?)
            .args(std::env::args_os().skip(1))
            .args(["--processes", "1", "--json"])
            .arg(&path)
            .stdout(Stdio::null())
            .status()
            .with_context(|| of.clone())?;
        ensure!(status.success(), "{of}: {status}");
        let file = File::open(&path).with_context(|| path.display().to_string())?;
        let report: R = serde_json::from_reader(BufReader::new(file)).with_context(|| of.clone())?;
        add(process, report).context(of)?;
    }
    Ok(())
}

/// Adds the samples of the other processes to `cells`, which this process measured.
pub fn pool(cells: &mut [Cell], processes: usize) -> Result<()> {
    others(processes, |process, report: Report| add(cells, report.cells, process))
}

fn add(cells: &mut [Cell], others: Vec<Rows>, process: usize) -> Result<()> {
    ensure!(cells.len() == others.len(), "{} cells, not {}", others.len(), cells.len());
    for (cell, other) in cells.iter_mut().zip(others) {
        ensure!(
            cell.rows.iter().map(|row| &row.peer).eq(other.rows.iter().map(|row| &row.peer)),
            "other peers in {} {}",
            cell.algorithm,
            cell.workload
        );
        for (row, other) in cell.rows.iter_mut().zip(other.rows) {
            row.samples.extend(other.samples.into_iter().map(|sample| Sample { process, ..sample }));
        }
    }
    Ok(())
}
