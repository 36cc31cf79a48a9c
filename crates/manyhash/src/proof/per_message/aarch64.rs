//! Proofs of the kernels for AArch64, on any CPU.

use super::super::EVERY;
use super::super::vectors::{Lanes, Several};
use super::{compresses, interleaved, prove};
use crate::algorithm::sha1::Sha1Compression;
use crate::algorithm::sha256::Sha256Compression;
use crate::algorithm::sha512::Sha512Compression;
use crate::algorithm::sm3::Sm3Compression;
use crate::isa::Blocks;
use crate::kernel::per_message::{sha1_ce, sha1_ce_beside, sha256_ce, sha512_ce, sm3_ce};

/// Functions that return whether a kernel for `N` messages is its standard's: `Compression = module of Vector`.
macro_rules! kernels { ($($module:ident = $Compression:ident of $Vector:ty;)*) => { $(
    fn $module<const N: usize>() -> bool {
        type State = $module::State<$Vector>;
        interleaved::<$Compression, State, N>(
            &[],
            |state| State::load(Lanes, state),
            |states, blocks| $module::compress(Lanes, states, blocks),
            State::store,
        )
    }
)* } }
kernels! {
    sha1_ce = Sha1Compression of Several<u32, 4>;
    sha256_ce = Sha256Compression of Several<u32, 4>;
    sha512_ce = Sha512Compression of Several<u64, 2>;
    sm3_ce = Sm3Compression of Several<u32, 4>;
}

#[test]
fn the_instructions_of_aarch64_make_what_the_standards_say() {
    prove("sha1/sha-ce", 7, sha1_ce::<1>);
    prove("sha1/sha-ce-x4", EVERY, sha1_ce::<4>);
    prove("sha1/sha-ce-x8-beside-neon", 4 * EVERY, || {
        compresses::<Sha1Compression, { sha1_ce_beside::MESSAGES }>(&[], 2, |states, messages| {
            let blocks = Blocks::new(messages.len(), messages[0].len(), |lane| &messages[lane]);
            sha1_ce_beside::compress::<Several<u32, 4>, Several<u32, 4>>(Lanes, Lanes, states, &blocks);
        })
    });
    prove("sha256/sha-ce", 7, sha256_ce::<1>);
    prove("sha256/sha-ce-x4", EVERY, sha256_ce::<4>);
    prove("sha512/sha512-ce", 7, sha512_ce::<1>);
    prove("sha512/sha512-ce-x2", EVERY, sha512_ce::<2>);
}

#[test]
fn the_instructions_of_aarch64_for_sm3_make_what_the_standard_says() {
    // One of them rotates a part of a word that another completes. All words of a schedule are rotations
    // of the block's sixteen, exclusive-ored.
    terms::keep_linear(16 * 32);
    prove("sm3/sm3-ce", EVERY / 2, sm3_ce::<1>);
    prove("sm3/sm3-ce-x4", 2 * EVERY, sm3_ce::<4>);
}
