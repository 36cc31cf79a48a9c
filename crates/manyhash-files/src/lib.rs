//! Files in, digests out: on all cores, in the order of the files, in bounded memory whatever their
//! number and size.
//!
//! The simplest way is a [`Run`] over a list of paths:
//!
//! ```
//! use manyhash::AnyAlgorithm;
//! use manyhash_files::Run;
//! let results = Run::start(vec!["Cargo.toml".into(), "no such file".into()], AnyAlgorithm::Sha256, 0).finish().unwrap();
//! assert_eq!(results[0].as_ref().unwrap().digest.len(), 32);
//! assert_eq!(results[1].as_ref().unwrap_err(), "No such file or directory");
//! ```
//!
//! Where there are more files than one wants in memory, [`hash_files`] takes an iterator of
//! [`Task`]s, such as a [`find::Walk`] gives, and hands each result to a [`Sink`]:
//!
//! ```
//! use manyhash::AnyAlgorithm;
//! use manyhash_files::find::{Found, Walk, hashing};
//! use manyhash_files::{Finished, Settings, Task, Work, all_cores, hash_files};
//!
//! let walk = Walk::new(vec!["src".into()], true).map(|found| match found {
//!     Found::File(path, what) => Task { label: (), path, work: hashing(what, AnyAlgorithm::Sha256.into()) },
//!     Found::Skipped(path, _) => Task { label: (), path, work: Work::Nothing },
//! });
//! let mut lengths = Vec::new();
//! hash_files(walk, &Settings::new(all_cores()), &mut |finished: Finished<()>| {
//!     if let Some(hashed) = finished.outcome.transpose()? {
//!         lengths.push((finished.path.display().to_string(), hashed.bytes));
//!     }
//!     Ok(())
//! })?;
//! assert!(lengths.is_sorted() && lengths.iter().any(|(path, bytes)| path == "src/lib.rs" && *bytes > 0));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! [`leaves`] hashes one large file with all threads, as leaves of a Merkle tree.

#![deny(unsafe_code)]
// What input, the system or a lack of resources can cause is an error and no panic.
#![cfg_attr(
    not(test),
    deny(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::string_slice, clippy::unreachable, clippy::unwrap_used)
)]

mod algorithms;
mod error;
pub mod file_name;
pub mod find;
mod order;
pub mod read;
mod run;
mod task;
pub mod threads;
mod totals;
mod workers;

pub use algorithms::{Algorithms, Digests, Hashers, hash_each};
pub use error::{CHANGED, SameFolder, changed, reason};
pub use order::Limits;
pub use run::{FileDigest, FileParts, FileResult, Run};
pub use task::{Finished, Hashed, Keeper, Part, STDIN, Sink, Task, Work};
pub use totals::{Counts, Reading, Totals, Whole};
pub use workers::{HashContents, Hashing, MAX_WORKERS, Settings, all_cores, hash_files, in_turns, leaves};
