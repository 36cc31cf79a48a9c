//! Digests of Arrow columns and rows.
//!
//! A column of strings is a batch of tiny messages. [`Hashing`] hashes it where it lies: no copy of
//! the data, no allocation for a row.
//!
//! ```
//! use arrow_array::{Array, StringArray, cast::AsArray};
//! use manyhash::{AnyAlgorithm, Sha256, hash};
//! use manyhash_arrow::Hashing;
//! let names = StringArray::from(vec![Some("Ada"), None, Some("Grace")]);
//! let digests = Hashing::new(AnyAlgorithm::Sha256).hash(&names)?;
//! assert_eq!(digests.as_fixed_size_binary().value(0), hash::<Sha256>(b"Ada"));
//! assert!(digests.is_null(1));
//! # Ok::<(), manyhash_arrow::Error>(())
//! ```
//!
//! # Rows
//! [`Hashing::hash_rows`] hashes the rows of several columns, each as one message:
#![doc = include_str!("../ENCODING.md")]
#![forbid(unsafe_code)]

mod column;
mod digester;
mod encoder;
mod error;
mod hashing;
mod output;
mod progress;
mod room;

pub use error::Error;
pub use hashing::Hashing;
pub use output::{Layout, Output};
pub use progress::Progress;

/// The first byte of every encoded row: the version of the encoding.
pub const ENCODING_VERSION: u8 = 1;
