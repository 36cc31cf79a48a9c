//! `manyhash-prove [--faults N] [NAME]...`: proves the calls whose names have one of these parts, or
//! all, and puts N faults of each kind into each that is proved.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod table;

use std::process::ExitCode;

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn main() -> ExitCode {
    table::print()
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
fn main() -> ExitCode {
    eprintln!("manyhash-prove: it knows the instructions of x86-64, and how Linux shows memory");
    ExitCode::FAILURE
}
