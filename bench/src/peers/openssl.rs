//! The system's libcrypto through the `openssl` crate, in three ways, so that the fastest of them
//! is the one to beat.
//!
//! OpenSSL 3's one-shot `SHA256()` looks its algorithm up in every call; `SHA256_Init`, `_Update`,
//! `_Final` and an EVP context with a digest fetched beforehand do not.

use anyhow::{Context, Result};
use openssl::md::Md;
use openssl::md_ctx::MdCtx;

use super::Peer;

const HASHES: &str = "openssl hashes bytes in memory";

/// `SHA1()`, `SHA256()`, `SHA512()`.
pub fn one_shot<const N: usize>(hash: fn(&[u8]) -> [u8; N]) -> Peer<N> {
    Peer::each("openssl one-shot", hash)
}

/// `SHA256_Init`, `SHA256_Update`, `SHA256_Final` and so on.
pub fn low_level<State: 'static, const N: usize>(
    new: impl Fn() -> State + 'static,
    update: impl Fn(&mut State, &[u8]) + 'static,
    finish: impl Fn(State) -> [u8; N] + 'static,
) -> Peer<N> {
    Peer::each("openssl low-level", move |message| {
        let mut state = new();
        update(&mut state, message);
        finish(state)
    })
}

/// A digest fetched once, and one context: `EVP_DigestInit_ex2`, `EVP_DigestUpdate`,
/// `EVP_DigestFinal`.
pub struct EvpDigest {
    digest: Md,
    context: MdCtx,
}

impl EvpDigest {
    /// Fetches the algorithm.
    pub fn new(algorithm: &str) -> Result<Self> {
        let digest = Md::fetch(None, algorithm, None).with_context(|| format!("openssl: {algorithm}"))?;
        Ok(Self { digest, context: MdCtx::new().context("openssl: a digest context")? })
    }

    /// Begins a message.
    pub fn start(&mut self) {
        self.context.digest_init(&self.digest).expect(HASHES);
    }

    /// Appends to the message.
    pub fn update(&mut self, piece: &[u8]) {
        self.context.digest_update(piece).expect(HASHES);
    }

    /// Ends the message.
    pub fn finish<const N: usize>(&mut self) -> [u8; N] {
        let mut output = [0; N];
        self.context.digest_final(&mut output).expect(HASHES);
        output
    }

    /// All of a message.
    pub fn hash<const N: usize>(&mut self, message: &[u8]) -> [u8; N] {
        self.start();
        self.update(message);
        self.finish()
    }
}

/// [`EvpDigest`], for every message the same one.
pub fn evp<const N: usize>(algorithm: &'static str) -> Peer<N> {
    Peer::late("openssl EVP", move || {
        let mut digest = EvpDigest::new(algorithm)?;
        Ok(super::each(move |message| digest.hash(message)))
    })
}
