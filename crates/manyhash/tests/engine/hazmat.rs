//! The parts beneath, as a study of them uses them.

use manyhash::backend::{self, Backend};
use manyhash::hazmat::{Blocks, Kernel, final_blocks, schedule, updates};
use manyhash::{Algorithm, Md5, Sha256, Sha512, hash};

fn every_kernel_compresses_every_lane<A: Algorithm>() {
    for backend in Backend::supported().into_iter().filter(Backend::supports::<A>) {
        let kernel = Kernel::<A>::of(backend).unwrap();
        let messages: Vec<Vec<u8>> = (0..kernel.lanes()).map(|lane| vec![lane as u8; A::BLOCK_BYTES - 20]).collect();
        let last: Vec<Vec<u8>> = messages.iter().map(|message| final_blocks::<A>(message, message.len() as u64)).collect();
        let mut states = kernel.states();
        messages.iter().enumerate().for_each(|(lane, message)| states.mark_end(lane, message.len() as u64));
        kernel.update(&mut states, &Blocks::new(kernel.lanes(), last[0].len(), |lane| &last[lane]));
        for (lane, message) in messages.iter().enumerate() {
            assert_eq!(states.digest(lane), hash::<A>(message), "{} {backend} lane {lane}", A::NAME);
        }
        states.start(0);
        assert_eq!(states.digest(0), kernel.states().digest(0));
    }
}

manyhash::for_each_algorithm!(per_algorithm[every_kernel_compresses_every_lane]);

/// Each lane of each kernel hashes blocks whose result is known, and messages, before its first use. All do so here.
#[test]
fn every_kernel_passes_its_test() {
    assert_eq!(backend::health().iter().map(ToString::to_string).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn a_schedule_does_every_block_once() {
    fn check<A: Algorithm>(lengths: &[usize]) {
        let runs = schedule::<A>(lengths);
        let done: u64 = runs.iter().map(|run| run.busy_lanes as u64 * run.blocks).sum();
        let to_do: u64 = lengths.iter().map(|bytes| updates::<A>(*bytes as u64)).sum();
        assert_eq!(done, to_do, "{} {lengths:?}", A::NAME);
        assert!(runs.iter().all(|run| run.busy_lanes <= run.lanes && run.cost_ps > 0));
    }
    for lengths in [&[][..], &[0, 1], &[64; 33], &[100_000, 5, 70, 1_000_000, 64, 128, 90_000, 1], &[4096; 100]] {
        check::<Sha256>(lengths);
        check::<Sha512>(lengths);
        check::<Md5>(lengths);
    }
}
