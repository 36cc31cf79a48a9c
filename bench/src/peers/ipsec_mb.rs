//! Intel's intel-ipsec-mb, the system's, through `ipsec_mb.c`; only where build.rs found it.
//!
//! Both entries are those without checks (`NOCHECK`): the checked ones refuse messages of more than
//! 65,534 bytes.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char};
use std::ptr::{self, NonNull};

use anyhow::{Context, Result};

use super::c_messages::{self, Message};
use super::hmac::Secret;
use super::{Peer, Takes};

/// `IMB_MGR`, known to the library only.
#[repr(C)]
struct Manager {
    _opaque: [u8; 0],
}

/// What HMAC starts from, as C sees it.
#[repr(C, align(16))]
struct Key {
    inner: [u8; 64],
    outer: [u8; 64],
}

/// One call's work, as C sees it.
#[repr(C)]
struct Batch {
    digest_bytes: usize,
    keys: *const Key,
    key_step: usize,
    messages: *const Message,
    count: usize,
    digests: *mut u8,
}

type HashMany = unsafe extern "C" fn(NonNull<Manager>, &Batch) -> usize;

unsafe extern "C" {
    fn ipsec_mb_manager() -> Option<NonNull<Manager>>;
    fn ipsec_mb_kernels(manager: NonNull<Manager>) -> *const c_char;
    fn ipsec_mb_key(manager: NonNull<Manager>, digest_bytes: usize, secret: *const u8, secret_bytes: usize, key: &mut Key);
    fn ipsec_mb_jobs(manager: NonNull<Manager>, batch: &Batch) -> usize;
    fn ipsec_mb_bursts(manager: NonNull<Manager>, batch: &Batch) -> usize;
    fn free_mb_mgr(manager: NonNull<Manager>);
    fn imb_get_version_str() -> *const c_char;
}

/// A manager, freed at the end, its list of messages, and keys if it computes tags: one, or one for
/// each message.
struct Owned {
    manager: NonNull<Manager>,
    list: Vec<Message>,
    keys: Vec<Key>,
}

impl Owned {
    fn new() -> Result<Self> {
        // SAFETY: takes nothing; the manager is freed once, by `drop`.
        let manager = unsafe { ipsec_mb_manager() }.context("ipsec-mb: no manager for this CPU")?;
        Ok(Self { manager, list: Vec::new(), keys: Vec::new() })
    }

    /// Tags with digests of `digest_bytes` bytes from here on.
    fn set_keys(&mut self, digest_bytes: usize, secrets: &[Secret]) {
        self.keys = secrets
            .iter()
            .map(|secret| {
                let mut key = Key { inner: [0; 64], outer: [0; 64] };
                // SAFETY: a secret is shorter than a block of any algorithm, and the states have
                // room for any algorithm's.
                unsafe { ipsec_mb_key(self.manager, digest_bytes, secret.as_ptr(), secret.len(), &mut key) };
                key
            })
            .collect();
    }

    fn hash_many<const N: usize>(&mut self, hash_many: HashMany, messages: &[&[u8]], digests: &mut [[u8; N]]) {
        const { assert!(N == 16 || N == 20 || N == 32 || N == 64, "MD5, SHA-1, SHA-256 or SHA-512") };
        assert!(N != 16 || !self.keys.is_empty(), "MD5 in HMAC only");
        assert!(self.keys.len() <= 1 || self.keys.len() >= messages.len(), "a key for each message");
        assert_eq!(messages.len(), digests.len());
        c_messages::write(&mut self.list, messages);
        let batch = Batch {
            digest_bytes: N,
            keys: if self.keys.is_empty() { ptr::null() } else { self.keys.as_ptr() },
            key_step: usize::from(self.keys.len() > 1),
            messages: self.list.as_ptr(),
            count: self.list.len(),
            digests: digests.as_mut_ptr().cast(),
        };
        // SAFETY: the manager has no jobs between calls, since each completes all of its own, and
        // there are `N` bytes for each digest.
        let hashed = unsafe { hash_many(self.manager, &batch) };
        assert_eq!(hashed, messages.len(), "ipsec-mb completes every job");
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: from `ipsec_mb_manager`, and not used any more.
        unsafe { free_mb_mgr(self.manager) }
    }
}

/// Digests: one job after the other, and bursts of up to 128.
pub fn peers<const N: usize>() -> [Peer<N>; 2] {
    // SHA-512 of 65,536 bytes and more is wrong (1.3.0); the limit is the one the checked entries
    // keep. SHA-1 and SHA-256 are right at 18.6 MB.
    let takes = if N == 64 { Takes::Between { least_bytes: 0, most_bytes: 65_534 } } else { Takes::Any };
    both(takes, |_| ())
}

/// The library as a peer that computes tags under these keys.
pub fn tag_peers<const N: usize>(secrets: &[Secret]) -> [Peer<N>; 2] {
    let secrets = secrets.to_vec();
    // Right at 1 MiB; wrong at 5 MiB, where a message has more blocks than 16 bits count, and for an
    // empty message (1.3.0).
    both(Takes::Between { least_bytes: 1, most_bytes: 1 << 20 }, move |owned| owned.set_keys(N, &secrets))
}

fn both<const N: usize>(takes: Takes, prepare: impl Fn(&mut Owned) + Clone + 'static) -> [Peer<N>; 2] {
    let peer = |name: &str, hash_many: HashMany| {
        let prepare = prepare.clone();
        let start = move || -> Result<super::HashMany<N>> {
            let mut owned = Owned::new()?;
            prepare(&mut owned);
            Ok(Box::new(move |messages, digests| owned.hash_many(hash_many, messages, digests)))
        };
        Peer { takes, ..Peer::late(name, start) }
    };
    [peer("ipsec-mb", ipsec_mb_jobs), peer("ipsec-mb burst", ipsec_mb_bursts)]
}

/// "intel-ipsec-mb 1.3.0, AVX-512".
pub fn description() -> String {
    // SAFETY: both functions return a string constant, and the manager lives until the end of the
    // second.
    let [version, kernels] = unsafe {
        let kernels = Owned::new().map_or(c"no manager", |owned| CStr::from_ptr(ipsec_mb_kernels(owned.manager)));
        [CStr::from_ptr(imb_get_version_str()), kernels]
    };
    format!("intel-ipsec-mb {}, {}", version.to_string_lossy(), kernels.to_string_lossy())
}
