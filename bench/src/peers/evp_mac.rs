//! The system's libcrypto computing HMAC, through functions that the `openssl` crate does not wrap.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int, c_uchar, c_uint, c_void};
use std::ptr::{self, NonNull};

use anyhow::{Context, Result, ensure};
use openssl_sys::{EVP_MAC_CTX, OSSL_PARAM};

/// `OSSL_PARAM_UTF8_STRING`, which `openssl-sys` leaves out.
const UTF8_STRING: c_uint = 4;

/// `EVP_MAC`, fetched once, and one context that keeps its key: the way of OpenSSL 3 without a
/// look-up or a key set-up in every call.
pub struct EvpMac {
    context: NonNull<EVP_MAC_CTX>,
}

// SAFETY: a context is used by one thread at a time, and belongs to none.
unsafe impl Send for EvpMac {}

impl EvpMac {
    /// Fetches HMAC, and sets the key.
    pub fn new(digest: &CStr, key: &[u8]) -> Result<Self> {
        // SAFETY: the name is a C string; null stands for the default library and properties.
        let mac = unsafe { openssl_sys::EVP_MAC_fetch(ptr::null_mut(), c"HMAC".as_ptr(), ptr::null()) };
        let mac = NonNull::new(mac).context("openssl: no HMAC")?;
        // SAFETY: the context holds a reference to `mac` of its own, and is freed once, by `drop`.
        let context = unsafe {
            let context = openssl_sys::EVP_MAC_CTX_new(mac.as_ptr());
            openssl_sys::EVP_MAC_free(mac.as_ptr());
            context
        };
        let this = Self { context: NonNull::new(context).context("openssl: no context")? };
        let parameters = [
            OSSL_PARAM {
                key: c"digest".as_ptr(),
                data_type: UTF8_STRING,
                data: digest.as_ptr() as *mut c_void,
                data_size: digest.count_bytes(),
                return_size: usize::MAX,
            },
            // SAFETY: takes nothing.
            unsafe { openssl_sys::OSSL_PARAM_construct_end() },
        ];
        // SAFETY: key and parameters are only read, and copied; the list of parameters is ended.
        let is_set = unsafe { openssl_sys::EVP_MAC_init(context, key.as_ptr(), key.len(), parameters.as_ptr()) };
        ensure!(is_set == 1, "openssl: no HMAC with {}", digest.to_string_lossy());
        Ok(this)
    }

    /// The tag of a message that lies in `pieces`, one after the other.
    pub fn tag<const N: usize>(&mut self, pieces: &[&[u8]]) -> [u8; N] {
        let (context, mut tag, mut written) = (self.context.as_ptr(), [0; N], 0);
        // SAFETY: the context has its key, without which `init` would fail; each piece is read, and
        // no more than `N` bytes are written.
        let is_done = unsafe {
            openssl_sys::EVP_MAC_init(context, ptr::null(), 0, ptr::null()) == 1
                && pieces.iter().all(|piece| openssl_sys::EVP_MAC_update(context, piece.as_ptr(), piece.len()) == 1)
                && openssl_sys::EVP_MAC_final(context, tag.as_mut_ptr(), &mut written, N) == 1
        };
        assert!(is_done && written == N, "openssl tags bytes in memory");
        tag
    }
}

impl Drop for EvpMac {
    fn drop(&mut self) {
        // SAFETY: from `EVP_MAC_CTX_new`, and not used any more.
        unsafe { openssl_sys::EVP_MAC_CTX_free(self.context.as_ptr()) }
    }
}

unsafe extern "C" {
    fn HMAC(
        digest: *const openssl_sys::EVP_MD,
        key: *const c_void,
        key_bytes: c_int,
        message: *const c_uchar,
        message_bytes: usize,
        tag: *mut c_uchar,
        tag_bytes: *mut c_uint,
    ) -> *mut c_uchar;
}

/// `HMAC()`, which in OpenSSL 3 looks everything up, and sets the key, every time.
pub fn one_shot<const N: usize>(digest: openssl::hash::MessageDigest, key: &[u8], message: &[u8]) -> [u8; N] {
    assert_eq!(digest.size(), N);
    let (mut tag, mut written) = ([0; N], 0);
    let (key_start, key_bytes) = (key.as_ptr().cast(), key.len() as c_int);
    // SAFETY: key and message are read, and the digest's `N` bytes are written.
    let end = unsafe { HMAC(digest.as_ptr(), key_start, key_bytes, message.as_ptr(), message.len(), tag.as_mut_ptr(), &mut written) };
    assert!(!end.is_null() && written as usize == N, "openssl tags bytes in memory");
    tag
}
