//! Bringing results of several workers back into order.

mod turns;
pub(crate) mod window;

pub use turns::{InOrder, Turns};
pub use window::Limits;
