//! Values that are made when they are first asked for.
//!
//! With the standard library, one thread makes a value while others wait. Without it nothing can wait: several may make it, and the
//! first one that is ready is everybody's.

#[cfg(feature = "std")]
pub(crate) use std::sync::OnceLock;

/// A value that is made when it is first asked for.
#[cfg(not(feature = "std"))]
pub(crate) struct OnceLock<T>(once_cell::race::OnceBox<T>);

#[cfg(not(feature = "std"))]
impl<T> OnceLock<T> {
    /// Creates a place without a value.
    pub(crate) const fn new() -> Self {
        Self(once_cell::race::OnceBox::new())
    }

    /// Returns the value, if it was made.
    pub(crate) fn get(&self) -> Option<&T> {
        self.0.get()
    }

    /// Returns the value. It is made if there is none.
    pub(crate) fn get_or_init(&self, make: impl FnOnce() -> T) -> &T {
        self.0.get_or_init(|| alloc::boxed::Box::new(make()))
    }
}
