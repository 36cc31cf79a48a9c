//! Bringing results of several workers back into order.

mod turns;
pub(crate) mod window;

pub(crate) use turns::Turns;
pub use window::Limits;
