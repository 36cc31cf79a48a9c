//! The engines that compute tags: OpenSSL, request by request on the thread that serves it, or
//! manyhash, the requests of a moment together.

use crate::metrics::{Kind, Text};
use crate::secrets::Secrets;
use crate::signature::{Signature, TAG_BYTES};
use anyhow::Result;
use bytes::Bytes;
use manyhash::batcher::{Batcher, Settings};
use manyhash::hmac::Key;
use openssl::md::Md;
use openssl::md_ctx::MdCtx;
use openssl::memcmp;
use openssl::pkey::{PKey, Private};
use openssl::sha::{Sha256, sha256};
use std::fmt::Display;
use std::io;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Messages are shared between secrets, so that none is copied.
type Sha256Batcher = Batcher<manyhash::Sha256, Bytes>;

/// An engine, which has no secrets yet.
#[derive(Clone)]
pub enum Engine {
    /// OpenSSL's HMAC. What its interface allows is kept: the key, and the digest, fetched once.
    OpenSsl,
    /// HMAC made of OpenSSL's SHA-256, which starts from states that have absorbed the key. It is
    /// faster than OpenSSL's own HMAC, which is set up anew for every message.
    OpenSslSha256,
    /// manyhash, in batches of the requests that are waiting.
    Batcher(Arc<Sha256Batcher>),
}

impl Engine {
    /// Creates manyhash's engine, whose workers start now.
    ///
    /// # Errors
    /// If the settings leave no worker or no room, or if a thread can't be started.
    pub fn batcher(settings: Settings) -> io::Result<Self> {
        Ok(Self::Batcher(Arc::new(Batcher::new(settings)?)))
    }

    /// Creates a verifier with the secrets of one sender.
    ///
    /// # Errors
    /// If OpenSSL has no HMAC-SHA256, or no memory.
    pub fn verifier(&self, secrets: &Secrets) -> Result<Verifier> {
        Ok(match self {
            Self::OpenSsl => Verifier::OpenSsl {
                digest: Md::fetch(None, "SHA256", None)?,
                keys: secrets.iter().map(PKey::hmac).collect::<Result<_, _>>()?,
            },
            Self::OpenSslSha256 => Verifier::OpenSslSha256(secrets.iter().map(KeyStates::new).collect()),
            Self::Batcher(batcher) => {
                let keys = secrets.iter().map(|secret| Arc::new(Key::new(secret))).collect();
                Verifier::Batcher { batcher: batcher.clone(), keys }
            }
        })
    }

    fn name(&self) -> &'static str {
        match self {
            Self::OpenSsl => "openssl",
            Self::OpenSslSha256 => "openssl-sha256",
            Self::Batcher(_) => "batcher",
        }
    }

    /// Writes the engine's own metrics to `text`.
    pub fn write_metrics(&self, text: &mut Text) {
        text.family("signed_http_engine", Kind::Gauge, "The engine in use.");
        text.sample(&[("name", self.name())], 1);
        if let Self::Batcher(batcher) = self {
            write_batcher_metrics(batcher, text);
        }
    }
}

/// Verifies messages of one sender, with one secret or several that hold at the same time.
pub enum Verifier {
    /// The verifier of [`Engine::OpenSsl`].
    OpenSsl {
        /// OpenSSL's SHA-256.
        digest: Md,
        /// A key for each secret.
        keys: Vec<PKey<Private>>,
    },
    /// The verifier of [`Engine::OpenSslSha256`], with the states of each secret.
    OpenSslSha256(Vec<KeyStates>),
    /// The verifier of [`Engine::Batcher`].
    Batcher {
        /// The batcher, which all senders share.
        batcher: Arc<Sha256Batcher>,
        /// A key for each secret.
        keys: Vec<Arc<Key<manyhash::Sha256>>>,
    },
}

impl Verifier {
    /// Whether one of the signatures belongs to the message, under one of the secrets. The time
    /// that this takes does not depend on which.
    ///
    /// # Errors
    /// If the engine fails, which says nothing about the signatures.
    pub async fn is_signed(&self, message: Vec<u8>, given: &[Signature]) -> Result<bool> {
        let mut is_signed = false;
        match self {
            Self::OpenSsl { digest, keys } => {
                for key in keys {
                    is_signed |= is_among(&openssl_tag(digest, key, &message)?, given);
                }
            }
            Self::OpenSslSha256(keys) => {
                for key in keys {
                    is_signed |= is_among(&key.tag(&message), given);
                }
            }
            Self::Batcher { batcher, keys } => {
                let message = Bytes::from(message);
                // The tags under all keys are computed at once, so that they can share a wave.
                let pending: Vec<_> = keys.iter().map(|key| batcher.tag(key, message.clone())).collect();
                for (key, tag) in keys.iter().zip(pending) {
                    let tag = tag.await?;
                    is_signed = given.iter().fold(is_signed, |found, signature| found | key.compare(&tag, signature).is_ok());
                }
            }
        }
        Ok(is_signed)
    }
}

fn openssl_tag(digest: &Md, key: &PKey<Private>, message: &[u8]) -> Result<Signature> {
    let mut tag = [0; TAG_BYTES];
    let mut context = MdCtx::new()?;
    context.digest_sign_init(Some(digest), key)?;
    context.digest_sign_update(message)?;
    context.digest_sign_final(Some(&mut tag))?;
    Ok(tag)
}

/// Whether `tag` is among `given`, in a time that depends on the number of signatures only.
fn is_among(tag: &Signature, given: &[Signature]) -> bool {
    given.iter().fold(false, |found, signature| found | memcmp::eq(tag, signature))
}

/// SHA-256 after the inner and after the outer key block (RFC 2104, section 2).
///
/// These states suffice to make tags, but do not reveal the secret. The binding of OpenSSL has no
/// way to erase them. They stay in memory after the drop, as do the copies that each tag uses up,
/// until something else is written there. What is made of the secret on the way is erased.
pub struct KeyStates {
    inner: Sha256,
    outer: Sha256,
}

impl KeyStates {
    fn new(secret: &[u8]) -> Self {
        const BLOCK_BYTES: usize = 64;
        let digest = Zeroizing::new(sha256(secret));
        let key = if secret.len() > BLOCK_BYTES { digest.as_slice() } else { secret };
        let after = |pad: u8| {
            let mut block = Zeroizing::new([pad; BLOCK_BYTES]);
            block.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
            let mut state = Sha256::new();
            state.update(block.as_slice());
            state
        };
        Self { inner: after(0x36), outer: after(0x5C) }
    }

    fn tag(&self, message: &[u8]) -> Signature {
        let (mut inner, mut outer) = (self.inner.clone(), self.outer.clone());
        inner.update(message);
        outer.update(&inner.finish());
        outer.finish()
    }
}

fn write_batcher_metrics(batcher: &Sha256Batcher, text: &mut Text) {
    let metrics = batcher.metrics();
    let mut one = |name, kind, help, value: &dyn Display| {
        text.family(name, kind, help);
        text.sample(&[], value);
    };
    one("signed_http_batcher_queued", Kind::Gauge, "Messages that wait for a worker.", &metrics.queued);
    one("signed_http_batcher_messages_total", Kind::Counter, "Messages that were hashed.", &metrics.messages);
    one("signed_http_batcher_batches_total", Kind::Counter, "Batches they were hashed in.", &metrics.batches);
    one("signed_http_batcher_blocks_total", Kind::Counter, "Blocks that were compressed for them.", &metrics.blocks);
    let help = "Blocks that would have been compressed in the same time had no lane been idle.";
    one("signed_http_batcher_lane_blocks_total", Kind::Counter, help, &metrics.lane_blocks);
    let help = "How long the first message of each batch waited for it, all together.";
    one("signed_http_batcher_waited_seconds_total", Kind::Counter, help, &metrics.waited.as_secs_f64());
    one("signed_http_batcher_longest_wait_seconds", Kind::Gauge, "The longest of these.", &metrics.longest_wait.as_secs_f64());
}
