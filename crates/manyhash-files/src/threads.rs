//! Threads that the system may refuse: whoever wanted one gets the work back, and does it without.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle};

/// Does `work` with `what` on a thread called `name`. Gives `what` back, with the reason, if no thread can be started.
pub fn start<T: Send + 'static>(name: &str, what: T, work: impl FnOnce(T) + Send + 'static) -> Result<JoinHandle<()>, (T, io::Error)> {
    let (ours, theirs) = shared(what);
    Builder::new().name(name.to_string()).spawn(move || work(taken(&theirs))).map_err(|error| (taken(&ours), error))
}

/// [`start`] for a thread that ends before `scope` does.
pub fn start_scoped<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    what: T,
    work: impl FnOnce(T) + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, ()>, (T, io::Error)> {
    let (ours, theirs) = shared(what);
    Builder::new().name(name.to_string()).spawn_scoped(scope, move || work(taken(&theirs))).map_err(|error| (taken(&ours), error))
}

/// Does `work` on the calling thread and on as many others as `threads` needs, or the system allows if that is less.
pub fn share_out(threads: usize, work: impl Fn() + Sync) {
    std::thread::scope(|scope| {
        for _ in 1..threads {
            if Builder::new().name("worker".to_string()).spawn_scoped(scope, &work).is_err() {
                break;
            }
        }
        work();
    });
}

/// What the new thread takes, or who could not start it: a thread that fails to start drops what it was to do.
type Kept<T> = Arc<Mutex<Option<T>>>;

fn shared<T>(what: T) -> (Kept<T>, Kept<T>) {
    let kept = Arc::new(Mutex::new(Some(what)));
    (Arc::clone(&kept), kept)
}

fn taken<T>(kept: &Kept<T>) -> T {
    kept.lock().unwrap_or_else(PoisonError::into_inner).take().expect("only one of the two takes it")
}
