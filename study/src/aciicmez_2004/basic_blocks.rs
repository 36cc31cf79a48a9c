//! Figure 4.4: the share of time of the four basic blocks, by leaving each out, by each alone, and by counting instructions.

mod report;
mod routines;

pub use report::measure;
pub use routines::routines;

/// As it is asked for.
pub const ID: &str = "2004-4.4";
