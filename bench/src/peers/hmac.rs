//! Who computes HMAC: the same shape as the digests' peers, with one key for all messages or a key
//! for each.
//!
//! Whatever can be done with a key before there is a message is done when a peer is made: that is
//! how a server would.

use std::ffi::CStr;

use anyhow::{Result, ensure};
use hmac::{Hmac, KeyInit, Mac};
use manyhash::Algorithm;
use manyhash::hmac::Key;
use openssl::hash::MessageDigest;
use sha2::Digest as _;

#[cfg(ipsec_mb)]
use super::ipsec_mb;
#[cfg(isa_l)]
use super::isa_l;
use super::{Peer, Standing, evp_mac};
use evp_mac::EvpMac;

/// A secret of the contests': as many bytes as a digest of SHA-256 has.
pub type Secret = [u8; 32];

/// HMAC with an algorithm, and those who can do it.
pub struct TagLineup<const N: usize> {
    /// "HMAC-SHA-256".
    pub algorithm: &'static str,
    /// In the order of the tables. With one key it is that of every message, with more the i-th is
    /// that of the i-th message.
    pub peers: fn(&[Secret]) -> Result<Vec<Peer<N>>>,
    /// The tag of a message by a library other than manyhash.
    pub reference: fn(&Secret, &[u8]) -> [u8; N],
    /// The digest of a message by the same.
    pub digest_reference: fn(&[u8]) -> [u8; N],
}

/// Something to do with a line-up whose algorithm is known only at run time.
pub trait ForTagLineup {
    /// What it gives back.
    type Output;
    /// Does it with the line-up of HMAC with `A`.
    fn run<A: Algorithm<Digest = [u8; N]>, const N: usize>(self, lineup: TagLineup<N>) -> Result<Self::Output>;
}

/// Does `what` with the line-up of HMAC with one of [`super::ALGORITHMS`].
pub fn with<F: ForTagLineup>(algorithm: &str, what: F) -> Result<F::Output> {
    match algorithm {
        manyhash::Md5::NAME => what.run::<manyhash::Md5, 16>(TagLineup {
            algorithm: "HMAC-MD5",
            peers: md5,
            reference: tag::<Hmac<md5::Md5>, 16>,
            digest_reference: |message| md5::Md5::digest(message).into(),
        }),
        manyhash::Sha1::NAME => what.run::<manyhash::Sha1, 20>(TagLineup {
            algorithm: "HMAC-SHA-1",
            peers: sha1,
            reference: tag::<Hmac<sha1::Sha1>, 20>,
            digest_reference: |message| sha1::Sha1::digest(message).into(),
        }),
        manyhash::Sha256::NAME => what.run::<manyhash::Sha256, 32>(TagLineup {
            algorithm: "HMAC-SHA-256",
            peers: sha256,
            reference: sha256_reference,
            digest_reference: |message| sha2::Sha256::digest(message).into(),
        }),
        manyhash::Sha512::NAME => what.run::<manyhash::Sha512, 64>(TagLineup {
            algorithm: "HMAC-SHA-512",
            peers: sha512,
            reference: tag::<Hmac<sha2::Sha512>, 64>,
            digest_reference: |message| sha2::Sha512::digest(message).into(),
        }),
        _ => unreachable!("{algorithm} is not one of ALGORITHMS"),
    }
}

fn md5(keys: &[Secret]) -> Result<Vec<Peer<16>>> {
    peers::<manyhash::Md5, Hmac<md5::Md5>, 16>(keys, c"MD5", MessageDigest::md5(), None)
}

fn sha1(keys: &[Secret]) -> Result<Vec<Peer<20>>> {
    let aws_lc_rs = aws_lc_rs::hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY;
    peers::<manyhash::Sha1, Hmac<sha1::Sha1>, 20>(keys, c"SHA1", MessageDigest::sha1(), Some(aws_lc_rs))
}

fn sha256(keys: &[Secret]) -> Result<Vec<Peer<32>>> {
    let aws_lc_rs = aws_lc_rs::hmac::HMAC_SHA256;
    peers::<manyhash::Sha256, Hmac<sha2::Sha256>, 32>(keys, c"SHA256", MessageDigest::sha256(), Some(aws_lc_rs))
}

fn sha512(keys: &[Secret]) -> Result<Vec<Peer<64>>> {
    let aws_lc_rs = aws_lc_rs::hmac::HMAC_SHA512;
    peers::<manyhash::Sha512, Hmac<sha2::Sha512>, 64>(keys, c"SHA512", MessageDigest::sha512(), Some(aws_lc_rs))
}

fn peers<A: Algorithm<Digest = [u8; N]>, M: Mac + KeyInit + Clone + 'static, const N: usize>(
    keys: &[Secret],
    openssl: &CStr,
    openssl_one_shot: MessageDigest,
    aws_lc_rs: Option<aws_lc_rs::hmac::Algorithm>,
) -> Result<Vec<Peer<N>>> {
    ensure!(!keys.is_empty(), "a key, or more");
    let ours: Vec<Key<A>> = keys.iter().map(|key| Key::new(key)).collect();
    let states: Vec<M> = keys.iter().map(state).collect();
    let contexts: Vec<EvpMac> = keys.iter().map(|key| EvpMac::new(openssl, key)).collect::<Result<_>>()?;
    let mut peers = vec![
        left_alone(ours.clone()).standing(Standing::Ours),
        each("manyhash:tag", ours, |key, message| key.tag(message)).standing(Standing::OursOtherwise),
        each("hmac", states, |state, message| finished(state.clone(), message)),
        each("openssl HMAC()", keys.to_vec(), move |key, message| evp_mac::one_shot(openssl_one_shot, key, message)),
        each("openssl EVP_MAC", contexts, |context, message| context.tag(&[message])),
    ];
    if let Some(algorithm) = aws_lc_rs {
        let keys = keys.iter().map(|key| aws_lc_rs::hmac::Key::new(algorithm, key)).collect();
        peers.push(each("aws-lc-rs", keys, |key, message| {
            let mut tag = [0; N];
            tag.copy_from_slice(aws_lc_rs::hmac::sign(key, message).as_ref());
            tag
        }));
    }
    #[cfg(ipsec_mb)]
    peers.extend(ipsec_mb::tag_peers(keys));
    #[cfg(isa_l)]
    peers.push(isa_l::tag_peer(keys));
    Ok(peers)
}

/// `Key::tag_many_into`, or with a key for each message `hmac::tag_many`, which returns a new
/// vector.
fn left_alone<A: Algorithm<Digest = [u8; N]>, const N: usize>(mut keys: Vec<Key<A>>) -> Peer<N> {
    match keys.pop() {
        Some(key) if keys.is_empty() => Peer::batch("manyhash", move |messages, tags| key.tag_many_into(messages, tags)),
        last => {
            keys.extend(last);
            Peer::batch("manyhash", move |messages, tags| *tags = manyhash::hmac::tag_many(&keys[..messages.len()], messages))
        }
    }
}

/// A library's function for one message, in a loop; what it needs of a key is in `keys`.
fn each<K: 'static, const N: usize>(name: &str, mut keys: Vec<K>, mut tag: impl FnMut(&mut K, &[u8]) -> [u8; N] + 'static) -> Peer<N> {
    if keys.len() == 1 {
        return Peer::each(name, move |message| tag(&mut keys[0], message));
    }
    Peer::batch(name, move |messages, tags| {
        for ((key, message), place) in keys.iter_mut().zip(messages).zip(tags) {
            *place = tag(key, message);
        }
    })
}

fn state<M: Mac + KeyInit>(key: &Secret) -> M {
    <M as KeyInit>::new_from_slice(key).expect("HMAC takes keys of any length")
}

fn finished<const N: usize>(mut state: impl Mac, message: &[u8]) -> [u8; N] {
    state.update(message);
    let mut tag = [0; N];
    tag.copy_from_slice(&state.finalize().into_bytes());
    tag
}

fn tag<M: Mac + KeyInit, const N: usize>(key: &Secret, message: &[u8]) -> [u8; N] {
    finished(state::<M>(key), message)
}

/// The tag with SHA-256 by a library other than manyhash.
pub fn sha256_reference(key: &Secret, message: &[u8]) -> [u8; 32] {
    tag::<Hmac<sha2::Sha256>, 32>(key, message)
}
