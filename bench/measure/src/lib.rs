//! What the benchmarks, the study and the command measure with: samples between two probes, memory
//! in huge pages, the machine's own description, the costs of the library's kernels.
#![deny(unsafe_code)]

mod buffer;
pub mod calibrate;
pub mod machine;
mod paper_sizes;
mod random;
pub mod timing;

pub use buffer::Buffer;
pub use paper_sizes::PaperSizes;
pub use random::Random;
