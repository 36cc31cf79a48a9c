//! Intel's intel-ipsec-mb, the system's, through `ipsec_mb.c`; only where build.rs found it.
//!
//! Both entries are those without checks (`NOCHECK`): the checked ones refuse messages of more than 65,534 bytes.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char};
use std::ptr::NonNull;

use anyhow::{Context, Result};

use super::{Peer, Takes};

/// `IMB_MGR`, known to the library only.
#[repr(C)]
struct Manager {
    _opaque: [u8; 0],
}

/// A message as C sees it.
#[repr(C)]
struct Message {
    bytes: *const u8,
    length: usize,
}

type HashMany = unsafe extern "C" fn(NonNull<Manager>, usize, *const Message, usize, *mut u8) -> usize;

unsafe extern "C" {
    fn ipsec_mb_manager() -> Option<NonNull<Manager>>;
    fn ipsec_mb_kernels(manager: NonNull<Manager>) -> *const c_char;
    fn ipsec_mb_jobs(manager: NonNull<Manager>, digest_bytes: usize, messages: *const Message, count: usize, digests: *mut u8) -> usize;
    fn ipsec_mb_bursts(manager: NonNull<Manager>, digest_bytes: usize, messages: *const Message, count: usize, digests: *mut u8) -> usize;
    fn free_mb_mgr(manager: NonNull<Manager>);
    fn imb_get_version_str() -> *const c_char;
}

/// A manager, freed at the end, and its list of messages.
struct Owned {
    manager: NonNull<Manager>,
    list: Vec<Message>,
}

impl Owned {
    fn new() -> Result<Self> {
        // SAFETY: takes nothing; the manager is freed once, by `drop`.
        let manager = unsafe { ipsec_mb_manager() }.context("ipsec-mb: no manager for this CPU")?;
        Ok(Self { manager, list: Vec::new() })
    }

    fn hash_many<const N: usize>(&mut self, hash_many: HashMany, messages: &[&[u8]], digests: &mut [[u8; N]]) {
        const { assert!(N == 20 || N == 32 || N == 64, "SHA-1, SHA-256 or SHA-512") };
        assert_eq!(messages.len(), digests.len());
        self.list.clear();
        self.list.extend(messages.iter().map(|message| Message { bytes: message.as_ptr(), length: message.len() }));
        // SAFETY: the manager has no jobs between calls, since each completes all of its own, and there are `N` bytes for each digest.
        let hashed = unsafe { hash_many(self.manager, N, self.list.as_ptr(), self.list.len(), digests.as_mut_ptr().cast()) };
        assert_eq!(hashed, messages.len(), "ipsec-mb completes every job");
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: from `ipsec_mb_manager`, and not used any more.
        unsafe { free_mb_mgr(self.manager) }
    }
}

/// One job after the other, and bursts of up to 128.
pub fn peers<const N: usize>() -> Result<[Peer<N>; 2]> {
    Ok([peer("ipsec-mb", ipsec_mb_jobs)?, peer("ipsec-mb burst", ipsec_mb_bursts)?])
}

fn peer<const N: usize>(name: &str, hash_many: HashMany) -> Result<Peer<N>> {
    let mut owned = Owned::new()?;
    let peer = Peer::batch(name, move |messages, digests| owned.hash_many(hash_many, messages, digests));
    // SHA-512 of 65,536 bytes and more is wrong (1.3.0); the limit is the one the checked entries keep. SHA-1 and SHA-256 are right
    // at 18.6 MB.
    let takes = if N == 64 { Takes::UpTo { message_bytes: 65_534 } } else { Takes::Any };
    Ok(Peer { takes, ..peer })
}

/// "intel-ipsec-mb 1.3.0, AVX-512".
pub fn description() -> String {
    // SAFETY: both functions return a string constant, and the manager lives until the end of the second.
    let [version, kernels] = unsafe {
        let kernels = Owned::new().map_or(c"no manager", |owned| CStr::from_ptr(ipsec_mb_kernels(owned.manager)));
        [CStr::from_ptr(imb_get_version_str()), kernels]
    };
    format!("intel-ipsec-mb {}, {}", version.to_string_lossy(), kernels.to_string_lossy())
}
