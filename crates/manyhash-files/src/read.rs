//! Reading files: one after the other or at any position, with as many of them open as the system
//! allows.

mod job_reader;
pub(crate) mod lending;
#[cfg(target_os = "linux")]
mod mapping;
pub(crate) mod open_files;
pub mod positioned;
mod shares;
mod stamp;
pub(crate) mod stream;

pub(crate) use job_reader::{Disk, Giving, JobReader};
pub use job_reader::{at_most, filled, filling, pieces, retrying};
pub use open_files::{open, patiently};
pub use stamp::{FileId, Stamp, has_positions, is_same};
