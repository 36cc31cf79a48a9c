//! Parsing and formatting of names, digests, sizes, lines and manifests.

pub(crate) mod escapes;
pub(crate) mod hexadecimal;
pub(crate) mod json_name;
pub(crate) mod lines;
pub(crate) mod manifest;
pub(crate) mod printable;
pub(crate) mod quoting;
pub(crate) mod size;
