//! SHA-1, SHA-256 and SHA-512 as this paper measures them: in which registers, by which code.

use std::collections::BTreeMap;
use std::sync::Mutex;

use anyhow::Result;
use manyhash::Algorithm;

use crate::messages::Layout;
use crate::openssl_worker;
use crate::race::{Contestant, race};
use crate::session::{Session, caches};
use manyhash_scalar::{Variant, Variants};

/// A hash function that the papers measure.
pub trait Subject: Algorithm {
    /// The scalar code in 32-bit registers, as in the paper.
    type Narrow: Variants;
    /// The scalar code in registers of the word's size.
    type Native: Variants;
    /// How many messages the MMX code hashes at once.
    const MMX_STREAMS: usize;
    /// Appends the digests, computed in MMX registers. Panics where there are none.
    fn mmx(messages: &[&[u8]], digests: &mut Vec<u8>);
    /// Appends the digest, computed by the crate of RustCrypto.
    fn rustcrypto(message: &[u8], digests: &mut Vec<u8>);
}

macro_rules! subject {
    ($Name:ident, $Narrow:ident, $rustcrypto:ty, $streams:literal, $MMX:ident) => {
        impl Subject for manyhash::$Name {
            type Narrow = manyhash_scalar::$Narrow;
            type Native = manyhash_scalar::$Name;
            const MMX_STREAMS: usize = $streams;
            fn mmx(messages: &[&[u8]], digests: &mut Vec<u8>) {
                #[cfg(target_arch = "x86_64")]
                super::mmx::$MMX.hash(messages, digests);
                #[cfg(not(target_arch = "x86_64"))]
                unreachable!("asked for only where there is MMX: {} {}", messages.len(), digests.len())
            }
            fn rustcrypto(message: &[u8], digests: &mut Vec<u8>) {
                use sha2::Digest;
                digests.extend_from_slice(&<$rustcrypto>::digest(message));
            }
        }
    };
}
subject!(Sha1, Sha1, sha1::Sha1, 2, SHA_1);
subject!(Sha256, Sha256, sha2::Sha256, 2, SHA_256);
subject!(Sha512, Sha512Pairs, sha2::Sha512, 1, SHA_512);

/// Times variants of the scalar code on one message of `bytes` bytes, each verified against
/// OpenSSL.
pub fn race_variants<F: Variants>(
    session: &Session,
    openssl: &str,
    variants: &[Variant<F>],
    bytes: usize,
    warm_up_calls: u64,
) -> Result<Vec<f64>> {
    let messages = Layout::equal(1, bytes).fill()?;
    let message = messages.slices()[0];
    let expected = openssl_worker::digests(openssl, &[message])?;
    let contestant = |variant: &Variant<F>| {
        let variant = *variant;
        Contestant::local(variant.name(), move |digests| variant.hash(message, digests)).expecting(expected.clone())
    };
    let mut contestants: Vec<_> = variants.iter().map(contestant).collect();
    let measured = race(session, bytes, warm_up_calls, &mut contestants)?;
    Ok(measured.iter().map(|measured| measured.mb_per_s()).collect())
}

/// The fastest of the unrolled variants of section 4.1 on this machine, as the paper chose its own:
/// "we coded several versions of the algorithm and determined the best one". Chosen once in a run.
pub fn fastest<F: Variants>(session: &Session, openssl: &str) -> Result<Variant<F>> {
    static CHOSEN: Mutex<BTreeMap<&str, usize>> = Mutex::new(BTreeMap::new());
    let variants = F::unrolled();
    if let Some(chosen) = CHOSEN.lock().expect("nobody panics with it").get(F::NAME) {
        return Ok(variants[*chosen]);
    }
    let rates = race_variants(session, openssl, &variants, CACHED_MESSAGE_BYTES, 20)?;
    let chosen = (0..rates.len()).max_by(|a, b| rates[*a].total_cmp(&rates[*b])).expect("there are variants");
    CHOSEN.lock().expect("nobody panics with it").insert(F::NAME, chosen);
    Ok(variants[chosen])
}

/// A message that fits every first-level cache, with room for schedules and constants.
pub const CACHED_MESSAGE_BYTES: usize = 16 << 10;

/// Bytes of messages that do not fit the last-level cache: twice as many as it has, and at least 64
/// MiB; a megabyte in a quick run.
pub fn bytes_from_memory(session: &Session) -> usize {
    const AT_LEAST: usize = 64 << 20;
    const AT_MOST: usize = 512 << 20;
    let last_level = caches(0).into_iter().max().map(|(_, bytes)| bytes);
    if session.quick { 1 << 20 } else { last_level.map_or(AT_LEAST, |bytes| (2 * bytes).clamp(AT_LEAST, AT_MOST)) }
}
