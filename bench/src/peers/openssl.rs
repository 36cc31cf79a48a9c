//! The system's libcrypto through the `openssl` crate, in three ways, so that the fastest of them is the one to beat.
//!
//! OpenSSL 3's one-shot `SHA256()` looks its algorithm up in every call; `SHA256_Init`, `_Update`, `_Final` and an EVP context with a
//! digest fetched beforehand do not.

use anyhow::{Context, Result};
use openssl::md::Md;
use openssl::md_ctx::MdCtx;

use super::Peer;

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

/// `EVP_DigestInit_ex2`, `EVP_DigestUpdate`, `EVP_DigestFinal` on one context.
pub fn evp<const N: usize>(algorithm: &str) -> Result<Peer<N>> {
    let digest = Md::fetch(None, algorithm, None).with_context(|| format!("openssl: {algorithm}"))?;
    let mut context = MdCtx::new().context("openssl: a digest context")?;
    Ok(Peer::each("openssl EVP", move |message| {
        let mut output = [0; N];
        context
            .digest_init(&digest)
            .and_then(|()| context.digest_update(message))
            .and_then(|()| context.digest_final(&mut output))
            .expect("openssl hashes bytes in memory");
        output
    }))
}
