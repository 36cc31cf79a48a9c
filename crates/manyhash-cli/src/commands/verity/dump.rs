//! `verity dump`.

use std::ffi::OsStr;

use crate::commands::print;
use crate::exit::Exit;
use crate::flags::VerityDumpArguments;

use super::Problem;
use super::device::open_data;
use super::layout::Layout;
use super::report::Report;

/// Prints what a superblock says.
pub fn run(program: &OsStr, arguments: &VerityDumpArguments) -> Result<Exit, Problem> {
    let path = &arguments.hash;
    let (file, _) = open_data(path).map_err(Problem::of(path))?;
    let layout = Layout::read(&file, arguments.hash_offset).map_err(Problem::of(path))?;
    let report = Report { path, layout: &layout, typed_hash: None, typed_uuid: None, root: None };
    Ok(print(program, &report.lines()))
}
