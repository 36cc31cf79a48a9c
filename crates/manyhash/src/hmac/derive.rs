//! Keys from keys (HKDF, RFC 5869) and keys from passwords (PBKDF2, RFC 8018), many at once.

use super::{Key, Keys, check_keys, tag_many_on};
use crate::algorithm::CompressionOf;
use crate::algorithms::Algorithm;
use crate::backend;
use crate::kernel::start::{Start, Starts};
use crate::schedule::chains::{Chains, Layout, Parts};
use crate::schedule::compiled::Compiled;
use crate::schedule::messages::Slice;
use alloc::vec::Vec;
use std::borrow::Borrow;
use std::fmt;
use std::num::NonZeroU32;
use zeroize::{Zeroize, Zeroizing};

/// The number of passwords whose digests advance together: they stay in the first cache.
const TOGETHER: usize = 256;

/// Makes the key for [`hkdf_expand`] from a secret whose bytes need not be evenly random, such as
/// that of a Diffie-Hellman exchange (HKDF-Extract, RFC 5869, section 2.2). The salt is no secret,
/// and may be empty.
pub fn hkdf_extract<A: Algorithm>(salt: &[u8], secret: &[u8]) -> Key<A> {
    let mut extracted = Key::<A>::new(salt).tag(secret);
    let key = Key::new(extracted.as_ref());
    extracted.as_mut().zeroize();
    key
}

/// Derives `bytes` bytes from each key, for the use that `infos[i]` names (HKDF-Expand, RFC 5869,
/// section 2.3). The keys advance together, one digest of each at a time. The result is secret, and
/// the caller must erase it.
///
/// # Errors
/// Fails if `bytes` is more than the bytes of 255 digests.
///
/// # Panics
/// Panics if there are not as many infos as keys.
///
/// ```
/// use manyhash::{Sha256, hmac::{hkdf_expand, hkdf_extract}};
/// let key = hkdf_extract::<Sha256>(b"salt", b"shared secret");
/// let ivs_and_keys = hkdf_expand(&[&key, &key], &["client", "server"], 12 + 32)?;
/// assert_ne!(ivs_and_keys[0], ivs_and_keys[1]);
/// # Ok::<(), manyhash::hmac::TooManyBytes>(())
/// ```
pub fn hkdf_expand<A: Algorithm>(
    keys: &[impl Borrow<Key<A>>],
    infos: &[impl AsRef<[u8]>],
    bytes: usize,
) -> Result<Vec<Vec<u8>>, TooManyBytes> {
    check_keys(keys.len(), infos.len());
    let most = usize::from(u8::MAX) * A::DIGEST_BYTES;
    if bytes > most {
        return Err(TooManyBytes { wanted: bytes, most });
    }
    let mix = backend::mix::<A>();
    // The message is T(i - 1), info and i; there is no T(0).
    let message = |info: &[u8]| Zeroizing::new([A::ZERO.as_ref(), info, &[0]].concat());
    let mut messages: Vec<_> = infos.iter().map(|info| message(info.as_ref())).collect();
    let mut expanded: Vec<Vec<u8>> = keys.iter().map(|_| Vec::with_capacity(bytes)).collect();
    let mut tags = vec![A::ZERO; keys.len()];
    for (round, at) in (1..=u8::MAX).zip((0..bytes).step_by(A::DIGEST_BYTES)) {
        for message in &mut messages {
            *message.last_mut().expect("it ends with the round") = round;
        }
        let start = if round == 1 { A::DIGEST_BYTES } else { 0 };
        let parts: Vec<&[u8]> = messages.iter().map(|message| &message[start..]).collect();
        tag_many_on::<A>(mix, Keys::Each(&|i| keys[i].borrow()), &Slice(&parts), &mut tags, None);
        for ((message, tag), expanded) in messages.iter_mut().zip(&tags).zip(&mut expanded) {
            message[..A::DIGEST_BYTES].copy_from_slice(tag.as_ref());
            expanded.extend_from_slice(&tag.as_ref()[..A::DIGEST_BYTES.min(bytes - at)]);
        }
    }
    erase::<A>(&mut tags);
    Ok(expanded)
}

/// The error of asking for more bytes than HKDF can derive from a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyBytes {
    /// The number of bytes asked for.
    pub wanted: usize,
    /// The most bytes that there are: 255 digests.
    pub most: usize,
}

impl fmt::Display for TooManyBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes are wanted, and HKDF can give {}", self.wanted, self.most)
    }
}

impl std::error::Error for TooManyBytes {}

/// Derives `bytes` bytes from each password with its salt (PBKDF2, RFC 8018, section 5.2). Every
/// digest of a password has a lane of its own, so even one password gains if it must give several.
/// An attacker who guesses passwords gains as much: choose `iterations` with that in mind. The
/// result is secret, and the caller must erase it.
///
/// # Panics
/// Panics if there are not as many salts as passwords, or if `bytes` is more than the bytes of 2^32
/// - 1 digests.
///
/// ```
/// use manyhash::{Sha256, hmac::pbkdf2_many};
/// let iterations = 1000.try_into().unwrap(); // a login takes 600 000 or more
/// let keys = pbkdf2_many::<Sha256>(&["correct horse", "battery staple"], &["salt of one", "salt of the other"], iterations, 32);
/// assert_eq!(keys[1].len(), 32);
/// ```
pub fn pbkdf2_many<A: Algorithm>(
    passwords: &[impl AsRef<[u8]>],
    salts: &[impl AsRef<[u8]>],
    iterations: NonZeroU32,
    bytes: usize,
) -> Vec<Vec<u8>> {
    assert_eq!(passwords.len(), salts.len(), "{} passwords and {} salts", passwords.len(), salts.len());
    let blocks = bytes.div_ceil(A::DIGEST_BYTES);
    assert!(u32::try_from(blocks).is_ok(), "{bytes} bytes of a password; {} can be had", u64::from(u32::MAX) * A::DIGEST_BYTES as u64);
    let keys: Vec<Key<A>> = passwords.iter().map(|password| Key::new(password.as_ref())).collect();
    let mut derived: Vec<Vec<u8>> = keys.iter().map(|_| Vec::with_capacity(bytes)).collect();
    for first in (0..keys.len() * blocks).step_by(TOGETHER) {
        let lanes = first..(keys.len() * blocks).min(first + TOGETHER);
        let of_keys: Vec<&Key<A>> = lanes.clone().map(|lane| &keys[lane / blocks]).collect();
        let numbered = |lane: usize| [salts[lane / blocks].as_ref(), &((lane % blocks + 1) as u32).to_be_bytes()].concat();
        let salts: Vec<Vec<u8>> = lanes.clone().map(numbered).collect();
        let mut sums = iterated::<A>(&of_keys, &salts, iterations);
        for (lane, sum) in lanes.zip(&sums) {
            let derived: &mut Vec<u8> = &mut derived[lane / blocks];
            derived.extend_from_slice(&sum.as_ref()[..A::DIGEST_BYTES.min(bytes - derived.len())]);
        }
        erase::<A>(&mut sums);
    }
    derived
}

/// The function F of RFC 8018. U_1 is the tag of every salt, with its block's number behind it,
/// under the key of the same index; the tags of U_1 are U_2, and so on.
fn iterated<A: Algorithm>(keys: &[&Key<A>], salts: &[Vec<u8>], iterations: NonZeroU32) -> Vec<A::Digest> {
    let mix = backend::mix::<A>();
    let mut last = vec![A::ZERO; salts.len()];
    tag_many_on::<A>(mix, Keys::Each(&|i| keys[i]), &Slice(salts), &mut last, None);
    let mut sums = last.clone();
    let Some(key) = keys.first() else { return sums };
    let bytes = A::BLOCK_BYTES as u64;
    let parts = Parts { prefix: &[], own_bytes: 0, count: 0..0, value_bytes: A::DIGEST_BYTES, suffix: &[] };
    let layout = Layout::new(&Start { state: key.midstates.inner, bytes }, &parts).expect("a digest fits into a block");
    let inner = Starts::Each { state: &|i| &keys[i].midstates.inner, bytes };
    let outer = Starts::Each { state: &|i| &keys[i].midstates.outer, bytes };
    let links = u64::from(iterations.get() - 1);
    let chains = Chains { layout: &layout, keys: Some((inner, outer)), own: &|_| &[], links: &|_| links };
    <CompressionOf<A>>::run_chains(mix, &chains, A::flattened(&mut last), Some(A::flattened(&mut sums)));
    erase::<A>(&mut last);
    sums
}

/// Overwrites digests with zeros.
fn erase<A: Algorithm>(digests: &mut [A::Digest]) {
    digests.iter_mut().for_each(|digest| digest.as_mut().zeroize());
}
