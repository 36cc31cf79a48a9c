//! Intel's isa-l_crypto through `isa_l.c`; only where build.rs found it.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::NonNull;

use anyhow::{Context, Result, ensure};

use super::c_messages::{self, Message};
use super::hmac::Secret;
use super::{HashMany, Peer, Takes};

/// One call's work, as C sees it.
#[repr(C)]
struct Batch {
    messages: *const Message,
    count: usize,
    digests: *mut u8,
}

/// A manager and its contexts, known to C only.
type State = NonNull<c_void>;

/// The calls for one algorithm.
#[derive(Clone, Copy)]
pub struct Calls {
    digest_bytes: usize,
    new: unsafe extern "C" fn() -> Option<State>,
    free: unsafe extern "C" fn(State),
    set_keys: unsafe extern "C" fn(State, secrets: *const u8, secret_bytes: usize, count: usize) -> c_int,
    hash_many: unsafe extern "C" fn(State, &Batch) -> usize,
}

macro_rules! calls {
    ($($name:ident, $bytes:literal: $new:ident, $free:ident, $set_keys:ident, $hash_many:ident;)+) => {
        unsafe extern "C" {
            $(
                fn $new() -> Option<State>;
                fn $free(state: State);
                fn $set_keys(state: State, secrets: *const u8, secret_bytes: usize, count: usize) -> c_int;
                fn $hash_many(state: State, batch: &Batch) -> usize;
            )+
        }
        $(
            #[doc = concat!(stringify!($name), "'s.")]
            pub const $name: Calls = Calls { digest_bytes: $bytes, new: $new, free: $free, set_keys: $set_keys, hash_many: $hash_many };
        )+
    };
}

calls! {
    MD5, 16: isa_l_md5_new, isa_l_md5_free, isa_l_md5_set_keys, isa_l_md5_hash_many;
    SHA1, 20: isa_l_sha1_new, isa_l_sha1_free, isa_l_sha1_set_keys, isa_l_sha1_hash_many;
    SHA256, 32: isa_l_sha256_new, isa_l_sha256_free, isa_l_sha256_set_keys, isa_l_sha256_hash_many;
    SHA512, 64: isa_l_sha512_new, isa_l_sha512_free, isa_l_sha512_set_keys, isa_l_sha512_hash_many;
    SM3, 32: isa_l_sm3_new, isa_l_sm3_free, isa_l_sm3_set_keys, isa_l_sm3_hash_many;
}

unsafe extern "C" {
    fn isal_crypto_get_version_str() -> *const c_char;
}

/// A manager of an algorithm whose digests have `N` bytes, freed at the end, its list of messages,
/// and the number of its keys.
struct Owned<const N: usize> {
    calls: Calls,
    state: State,
    list: Vec<Message>,
    keys: usize,
}

impl<const N: usize> Owned<N> {
    fn new(calls: Calls) -> Result<Self> {
        assert_eq!(calls.digest_bytes, N);
        // SAFETY: takes nothing; the memory is freed once, by `drop`.
        let state = unsafe { (calls.new)() }.context("isa-l: no manager")?;
        Ok(Self { calls, state, list: Vec::new(), keys: 0 })
    }

    /// Tags from here on. A manager is given keys once.
    fn set_keys(&mut self, secrets: &[Secret]) -> Result<()> {
        assert!(self.keys == 0 && !secrets.is_empty());
        // SAFETY: the secrets lie one after the other, each shorter than a block of any algorithm.
        let is_done = unsafe { (self.calls.set_keys)(self.state, secrets.as_ptr().cast(), size_of::<Secret>(), secrets.len()) };
        ensure!(is_done == 1, "isa-l: no keys");
        self.keys = secrets.len();
        Ok(())
    }

    fn hash_many(&mut self, messages: &[&[u8]], digests: &mut [[u8; N]]) {
        assert!(self.keys <= 1 || self.keys >= messages.len(), "a key for each message");
        assert_eq!(messages.len(), digests.len());
        c_messages::write(&mut self.list, messages);
        let batch = Batch { messages: self.list.as_ptr(), count: self.list.len(), digests: digests.as_mut_ptr().cast() };
        // SAFETY: the manager has no messages between calls, since each completes all of its own,
        // and there are `N` bytes for each digest.
        let hashed = unsafe { (self.calls.hash_many)(self.state, &batch) };
        assert_eq!(hashed, messages.len(), "isa-l completes every message");
    }
}

impl<const N: usize> Drop for Owned<N> {
    fn drop(&mut self) {
        // SAFETY: from `new`, and not used any more.
        unsafe { (self.calls.free)(self.state) }
    }
}

/// The library as a peer that computes digests.
pub fn peer<const N: usize>(calls: Calls) -> Peer<N> {
    of(move || Owned::new(calls))
}

/// The library as a peer that computes tags under these keys, each from a copy of a context that
/// has seen the key: it has no HMAC of its own.
pub fn tag_peer<const N: usize>(secrets: &[Secret]) -> Peer<N> {
    let calls = match N {
        16 => MD5,
        20 => SHA1,
        32 => SHA256,
        64 => SHA512,
        _ => panic!("HMAC is measured with MD5, SHA-1, SHA-256 and SHA-512"),
    };
    let secrets = secrets.to_vec();
    of(move || {
        let mut owned = Owned::new(calls)?;
        owned.set_keys(&secrets)?;
        Ok(owned)
    })
}

fn of<const N: usize>(start: impl FnOnce() -> Result<Owned<N>> + 'static) -> Peer<N> {
    // The length of a message is given in 32 bits.
    let takes = Takes::Between { least_bytes: 0, most_bytes: u32::MAX as usize };
    let start = || -> Result<HashMany<N>> {
        let mut owned = start()?;
        Ok(Box::new(move |messages, digests| owned.hash_many(messages, digests)))
    };
    Peer { takes, ..Peer::late("isa-l", start) }
}

/// "isa-l_crypto 2.26.0".
pub fn description() -> String {
    // SAFETY: returns a string constant.
    let version = unsafe { CStr::from_ptr(isal_crypto_get_version_str()) };
    format!("isa-l_crypto {}", version.to_string_lossy())
}
