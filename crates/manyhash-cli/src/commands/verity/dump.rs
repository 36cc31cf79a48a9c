//! `verity dump`: prints what a superblock says.

use super::device::open_data;
use super::layout::Layout;
use super::report::Report;
use crate::commands::print;
use crate::exit::{Failure, Outcome};
use crate::flags::VerityDumpArguments;

pub(crate) fn run(arguments: &VerityDumpArguments) -> Outcome {
    let path = &arguments.hash;
    let (file, _) = open_data(path).map_err(Failure::of(path))?;
    let layout = Layout::read(&file, arguments.hash_offset).map_err(Failure::of(path))?;
    let report = Report { path, layout: &layout, typed_hash: None, typed_uuid: None, root: None };
    print(&report.lines())
}
