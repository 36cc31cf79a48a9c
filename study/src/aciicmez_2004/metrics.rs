//! The appendix: performance metrics of the scalar, MMX and XMM code.

mod report;
mod routines;

pub use report::measure;
pub use routines::routines;

/// As it is asked for.
pub const ID: &str = "2004-appendix";
