//! How things are written and read: names, digests, sizes, lines and manifests.

pub mod escapes;
pub mod hexadecimal;
pub mod json_name;
pub mod lines;
pub mod manifest;
pub mod printable;
pub mod quoting;
pub mod size;
