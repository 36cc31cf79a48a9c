//! What the benchmarks and the study measure with: samples between two probes, memory in huge
//! pages, the machine's own description.

mod buffer;
pub mod machine;
mod paper_sizes;
mod random;
pub mod timing;

pub use buffer::Buffer;
pub use paper_sizes::PaperSizes;
pub use random::Random;
