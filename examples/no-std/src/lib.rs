//! Programs without the standard library: a table of firmware images, whose digests and tags are computed together.
//!
//! Only `alloc` is needed. The engine has the instructions that it was compiled with; [`tell_features`] hands in what this program
//! knows of the CPU beyond that.
#![no_std]

extern crate alloc;

use alloc::vec::Vec;
use manyhash::hmac::Key;
use manyhash::jobs::Jobs;
use manyhash::{Sha256, hash_many};

/// Returns the digest of each image.
pub fn digests(images: &[&[u8]]) -> Vec<[u8; 32]> {
    hash_many::<Sha256>(images)
}

/// Returns the tag of each image under a key.
pub fn tags(key: &[u8], images: &[&[u8]]) -> Vec<[u8; 32]> {
    Key::<Sha256>::new(key).tag_many(images)
}

/// Returns the digest of each image, which come in pieces of `piece_bytes` bytes from several sources at a time.
pub fn digests_of_pieces(images: &[&[u8]], piece_bytes: usize) -> Vec<[u8; 32]> {
    let mut digests = alloc::vec![[0; 32]; images.len()];
    let jobs = Jobs::<Sha256, usize, &[u8]>::new();
    let mut open: Vec<_> = images.iter().enumerate().map(|(i, image)| (jobs.open(i), image.chunks(piece_bytes))).collect();
    while !open.is_empty() {
        let mut rest = Vec::new();
        for (mut job, mut pieces) in open {
            match pieces.next() {
                Some(piece) => {
                    job.feed(piece);
                    rest.push((job, pieces));
                }
                None => job.finish(),
            }
        }
        jobs.run_full_lanes(|i, digest| digests[i] = digest);
        open = rest;
    }
    jobs.flush(|i, digest| digests[i] = digest);
    digests
}

/// Tells the engine which features the CPU has, by the names that the compiler has for them. Returns `false` if it was told before.
///
/// # Safety
/// `has` may return `true` only for features that the CPU has, and that programs may use.
pub unsafe fn tell_features(has: fn(&str) -> bool) -> bool {
    // SAFETY: the caller promises what is asked for.
    unsafe { manyhash::backend::detect_by(has) }
}
