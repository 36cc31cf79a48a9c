//! manyhash: left alone, behind code that leaves upper halves of registers dirty, with each backend
//! forced, and its two functions for one message.

use manyhash::backend::Backend;
use manyhash::{Algorithm, Hasher};

use super::{Peer, Standing, Takes};

/// `hash_many_into`, left alone.
pub fn left_alone<A: Algorithm<Digest = [u8; N]>, const N: usize>() -> Peer<N> {
    Peer::batch("manyhash", |messages, digests| manyhash::hash_many_into::<A>(messages, digests)).standing(Standing::Ours)
}

/// Every way of ours to hash with `A`, the one left alone first.
pub fn peers<A: Algorithm<Digest = [u8; N]>, const N: usize>() -> Vec<Peer<N>> {
    let forced = Backend::supported().into_iter().filter(|backend| backend.supports::<A>()).map(forced::<A, N>);
    let one_shot = Peer::each("manyhash:hash", manyhash::hash::<A>);
    let hasher = Peer::each("manyhash:Hasher", |message| {
        let mut hasher = Hasher::<A>::new();
        hasher.update(message);
        hasher.finalize()
    });
    #[cfg(target_arch = "x86_64")]
    let behind_others = super::dirty_halves::is_possible().then(|| {
        Peer::batch("manyhash:dirty", |messages, digests| {
            super::dirty_halves::make();
            manyhash::hash_many_into::<A>(messages, digests)
        })
        .standing(Standing::OursOtherwise)
    });
    #[cfg(not(target_arch = "x86_64"))]
    let behind_others = None;
    let one_message = [one_shot, hasher].map(|peer| Peer { takes: Takes::OneMessage, ..peer });
    let one_message = one_message.map(|peer| peer.standing(Standing::OursOtherwise));
    [left_alone::<A, N>()].into_iter().chain(behind_others).chain(forced).chain(one_message).collect()
}

/// Every block on `backend`, which must support `A`.
fn forced<A: Algorithm<Digest = [u8; N]>, const N: usize>(backend: Backend) -> Peer<N> {
    Peer::batch(format!("manyhash:{backend}"), move |messages, digests| {
        *digests = backend.hash_many::<A>(messages).expect("the backend supports the algorithm");
    })
    .standing(Standing::OursOtherwise)
}
