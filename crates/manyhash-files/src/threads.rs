//! Threads that the system may refuse: the caller gets the work back then, and does it without.

use std::io;
use std::sync::{PoisonError, mpsc};
use std::thread::{Builder, JoinHandle};

/// Does `work` with `what` on a thread called `name`.
///
/// # Errors
/// If no thread can be started: `what`, and the reason.
pub fn start<T: Send + 'static>(name: &str, what: T, work: impl FnOnce(T) + Send + 'static) -> Result<JoinHandle<()>, (T, io::Error)> {
    // A thread that fails to start drops what it was to do, so it gets that once it has started.
    let (give, given) = mpsc::channel();
    // The work is in a box, so that what starts a thread is compiled once.
    let work: Box<dyn FnOnce() + Send> = Box::new(move || {
        if let Ok(what) = given.recv() {
            work(what);
        }
    });
    match Builder::new().name(name.to_string()).spawn(work) {
        Ok(thread) => {
            // The thread waits for it.
            let _ = give.send(what);
            Ok(thread)
        }
        Err(error) => Err((what, error)),
    }
}

/// What a lock guards, or a wait for it gives, also after a thread panicked while it held the lock.
/// This is for values that are whole whenever something can panic, and where who waits for the
/// thread is told of its panic by other means.
pub fn unpoisoned<G>(locked: Result<G, PoisonError<G>>) -> G {
    locked.unwrap_or_else(PoisonError::into_inner)
}

/// Does `work` on up to `threads` threads, the calling one among them, or on fewer if the system
/// allows no more.
///
/// This is not [`manyhash::threads::map`], because these threads read files and wait for one
/// another's results, which tasks of the engine's pool (its feature `rayon`) must not.
pub(crate) fn share_out(threads: usize, work: &(dyn Fn() + Sync)) {
    std::thread::scope(|scope| {
        for _ in 1..threads {
            if Builder::new().name("worker".to_string()).spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
}

/// A guard that calls `tell` if the thread panics while the guard lives, for threads that would
/// wait for this one.
pub fn if_panicking(tell: impl Fn()) -> impl Drop {
    struct Guard<F: Fn()>(F);
    impl<F: Fn()> Drop for Guard<F> {
        fn drop(&mut self) {
            if std::thread::panicking() {
                self.0();
            }
        }
    }
    Guard(tell)
}
