//! Once warm, jobs allocate nothing: every allocation of the test's thread is counted.

use manyhash::backend::Backend;
use manyhash::hmac::Key;
use manyhash::jobs::Jobs;
use manyhash::{Algorithm, Sha256, hash};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The system's, counted for each thread.
struct Counting;

// SAFETY: everything is the system allocator's; counting touches a constant-initialised thread
// local without a destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn once_warm_opening_feeding_and_polling_allocate_nothing() {
    if crate::support::backends::forced_backend_lacks::<Sha256>() {
        return;
    }
    let bytes = vec![3; 4096];
    let jobs = Jobs::<Sha256, usize, &[u8]>::new();
    let key = Key::<Sha256>::new(b"key");
    let lanes = Backend::in_use::<Sha256>().unwrap().lanes_of::<Sha256>().unwrap();
    let expected = hash::<Sha256>(&[&bytes[..], &bytes[..333], &bytes[..4000]].concat());
    let round = |ended: &mut usize| {
        let mut open: [Option<_>; 256] = std::array::from_fn(|_| None);
        for (i, job) in open[..4 * lanes].iter_mut().enumerate() {
            *job = Some(if i % 2 == 0 { jobs.open(i) } else { jobs.open_tagged(i, &key) });
        }
        for piece in [&bytes[..], &bytes[..333], &bytes[..4000]] {
            for job in open.iter_mut().flatten() {
                job.feed(piece);
            }
            jobs.run_full_lanes(|_, _| panic!("none is complete"));
        }
        for job in open.iter_mut().flat_map(Option::take) {
            job.finish();
        }
        let mut finished = |i: usize, digest: <Sha256 as Algorithm>::Digest| {
            *ended += 1;
            if i.is_multiple_of(2) {
                assert_eq!(digest, expected);
            }
        };
        jobs.run_full_lanes(&mut finished);
        jobs.flush(&mut finished);
    };
    let mut ended = 0;
    (0..3).for_each(|_| round(&mut ended));
    let before = ALLOCATIONS.with(Cell::get);
    (0..20).for_each(|_| round(&mut ended));
    let allocated = ALLOCATIONS.with(Cell::get) - before;
    assert_eq!(ended, 23 * 4 * lanes);
    // A flush may plan: a few allocations, however many pieces there were.
    assert!(allocated <= 20 * 16, "{allocated} allocations in 20 rounds of {} pieces", 12 * lanes);
    println!("{allocated} allocations; a job takes {} bytes", Jobs::<Sha256, usize, &[u8]>::BYTES_PER_JOB);
    const { assert!(Jobs::<Sha256, usize, &[u8]>::BYTES_PER_JOB <= 512) };
}
