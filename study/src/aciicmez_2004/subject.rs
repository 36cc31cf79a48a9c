//! SHA-1, SHA-256 and SHA-512, as all that is measured here knows them, and who computes them.

use std::collections::BTreeMap;
use std::sync::Mutex;

use anyhow::Result;
use manyhash::Algorithm;
use manyhash::backend::Backend;

use super::scalar::{self, Variant, Variants};
use crate::messages::Layout;
use crate::openssl_worker::EvpDigest;
use crate::race::{Contestant, Local, Rules, race};
use crate::session::Session;

/// Messages, and who hashes them.
pub type Slices<'a> = &'a [&'a [u8]];

/// A hash function that the paper measures.
pub trait Subject: 'static {
    /// manyhash's.
    type Algorithm: Algorithm;
    /// In 32-bit registers, as in the paper.
    type Narrow: Variants;
    /// In registers of its word's size.
    type Native: Variants;
    /// As OpenSSL names it.
    const OPENSSL: &'static str;
    /// Of its digest.
    const DIGEST_BYTES: usize;
    /// Messages in the lanes of an MMX register.
    const MMX_STREAMS: usize;
    /// The digests, computed in MMX registers.
    #[cfg(target_arch = "x86_64")]
    fn mmx(messages: &[&[u8]], digests: &mut Vec<u8>);
    /// The digest, by the crate of RustCrypto.
    fn rustcrypto(message: &[u8], digests: &mut Vec<u8>);

    /// manyhash's name of it.
    fn name() -> &'static str {
        Self::Algorithm::NAME
    }
}

macro_rules! subject {
    ($Name:ident, $Narrow:ident, $Native:ident, $openssl:literal, $digest_bytes:literal, $rustcrypto:ty, $streams:literal, $mmx:expr) => {
        #[doc = concat!("[`manyhash::", stringify!($Name), "`].")]
        pub enum $Name {}

        impl Subject for $Name {
            type Algorithm = manyhash::$Name;
            type Narrow = scalar::$Narrow;
            type Native = scalar::$Native;
            const OPENSSL: &'static str = $openssl;
            const DIGEST_BYTES: usize = $digest_bytes;
            const MMX_STREAMS: usize = $streams;
            #[cfg(target_arch = "x86_64")]
            fn mmx(messages: &[&[u8]], digests: &mut Vec<u8>) {
                let mmx: fn(&[&[u8]], &mut Vec<u8>) = $mmx;
                messages.chunks($streams).for_each(|messages| mmx(messages, digests));
            }
            fn rustcrypto(message: &[u8], digests: &mut Vec<u8>) {
                use sha2::Digest;
                digests.extend_from_slice(&<$rustcrypto>::digest(message));
            }
        }
    };
}
subject!(Sha1, Sha1, Sha1, "SHA1", 20, sha1::Sha1, 2, |two, digests| {
    super::mmx::hash_two(super::mmx::TwoLanes::Sha1, [two[0], two[1]], digests);
});
subject!(Sha256, Sha256, Sha256, "SHA256", 32, sha2::Sha256, 2, |two, digests| {
    super::mmx::hash_two(super::mmx::TwoLanes::Sha256, [two[0], two[1]], digests);
});
subject!(Sha512, Sha512Pairs, Sha512, "SHA512", 64, sha2::Sha512, 1, |one, digests| super::mmx::hash_sha512(one[0], digests));

/// What all digests must be, by OpenSSL.
pub fn expected(openssl: &str, messages: Slices<'_>) -> Result<Vec<u8>> {
    let mut digest = EvpDigest::new(openssl)?;
    let mut digests = Vec::new();
    messages.iter().for_each(|message| digest.hash(message, &mut digests));
    Ok(digests)
}

/// A variant of the scalar code, message after message.
pub fn in_registers<'a, F: Variants>(name: impl Into<String>, variant: Variant<F>, messages: Slices<'a>) -> Box<dyn Contestant + 'a> {
    Local::boxed(name, move |digests| messages.iter().for_each(|message| variant.hash(message, digests)))
}

/// A backend of manyhash.
pub fn in_lanes<'a, A: Algorithm>(name: impl Into<String>, backend: Backend, messages: Slices<'a>) -> Box<dyn Contestant + 'a> {
    Local::boxed(name, move |digests| {
        let hashed = backend.hash_many::<A>(messages).expect("asked before whether it can");
        hashed.iter().for_each(|digest| digests.extend_from_slice(digest.as_ref()));
    })
}

/// The fastest of the unrolled variants of section 4.1 on this machine, as the paper chose its own: "we coded several versions of the
/// algorithm and determined the best one". Chosen once in a run.
pub fn fastest<F: Variants>(session: &Session, openssl: &str) -> Result<Variant<F>> {
    static CHOSEN: Mutex<BTreeMap<&str, usize>> = Mutex::new(BTreeMap::new());
    let variants = F::unrolled();
    if let Some(chosen) = CHOSEN.lock().expect("nobody panics with it").get(F::NAME) {
        return Ok(variants[*chosen]);
    }
    let messages = Layout::equal(1, CACHED_MESSAGE_BYTES).fill()?;
    let messages = messages.slices();
    let expected = expected(openssl, &messages)?;
    let rules = Rules { bytes: CACHED_MESSAGE_BYTES, expected: Some(&expected), warm_up_calls: 20 };
    let mut contestants: Vec<_> = variants.iter().map(|variant| in_registers(variant.name(), *variant, &messages)).collect();
    let measured = race(session, rules, &mut contestants)?;
    let rates: Vec<f64> = measured.iter().map(|measured| measured.mb_per_s()).collect();
    let chosen = (0..rates.len()).max_by(|a, b| rates[*a].total_cmp(&rates[*b])).expect("there are variants");
    CHOSEN.lock().expect("nobody panics with it").insert(F::NAME, chosen);
    Ok(variants[chosen])
}

/// Fits every first-level cache, with room for schedules and constants.
pub const CACHED_MESSAGE_BYTES: usize = 16 << 10;

/// Bytes of messages that do not fit the last-level cache: twice as many as it has, and at least 64 MiB; a megabyte in a quick run.
pub fn bytes_from_memory(session: &Session) -> usize {
    const AT_LEAST: usize = 64 << 20;
    const AT_MOST: usize = 512 << 20;
    if session.quick { 1 << 20 } else { last_level_cache_bytes().map_or(AT_LEAST, |bytes| (2 * bytes).clamp(AT_LEAST, AT_MOST)) }
}

/// As Linux describes it.
fn last_level_cache_bytes() -> Option<usize> {
    let size = |index| std::fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size")).ok();
    let kilobytes = (0..5).rev().find_map(size)?;
    Some(kilobytes.trim().strip_suffix('K')?.parse::<usize>().ok()? << 10)
}

/// How samples were taken, for the methods' descriptions.
pub fn effort(session: &Session) -> String {
    let effort = session.effort;
    format!(
        "Contestants take turns, {} to {} samples of at least {:.1} ms each; MB/s (millions of bytes) and speed-ups are by the median.",
        effort.fewest_samples,
        effort.samples,
        effort.sample.as_secs_f64() * 1000.0
    )
}
