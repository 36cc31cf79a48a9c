//! Kernels that give each message registers of its own. They use instructions made for the
//! algorithm (`_ni` on x86-64, `_ce` on AArch64), or a message schedule in SIMD beside them (n-SMS,
//! Gueron & Krasnov 2012) or beside scalar rounds. Interleaving the instructions of two to four
//! messages hides the latency of each.

#[cfg(all(test, target_arch = "x86_64"))]
mod dirty_halves;
#[cfg(target_arch = "x86_64")]
pub(crate) mod rows;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sha1_bmi2;
#[cfg(any(target_arch = "aarch64", test))]
pub(crate) mod sha1_ce;
#[cfg(any(target_arch = "aarch64", test))]
pub(crate) mod sha1_ce_beside;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sha1_ni;
#[cfg(any(target_arch = "aarch64", test))]
pub(crate) mod sha256_ce;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sha256_ni;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sha256_ni_sms;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sha2_bmi2;
#[cfg(any(target_arch = "aarch64", test))]
pub(crate) mod sha512_ce;
pub(crate) mod short;
#[cfg(any(target_arch = "aarch64", test))]
pub(crate) mod sm3_ce;

use super::Kernel;
use super::states::States;
use crate::algorithm::{ChainingOf, Compression, MAX_BLOCK_BYTES, WordOf, write_digest};
#[cfg(target_arch = "x86_64")]
use crate::algorithm::{VectorOf, blake2b::Blake2bCompression, blake2s::Blake2sCompression, blake3::Blake3Compression};
#[cfg(target_arch = "x86_64")]
use crate::isa::{Avx, Avx512Half, Avx512Quarter, Bmi2, Bmi2Avx2, Bmi2Avx512, ShaNi, ShaNiAvx512Half, ShaNiAvx512Quarter, x86_64};
use crate::isa::{Blocks, Dealt, MAX_LANES, Task, Token};
use alloc::{boxed::Box, vec::Vec};
use std::any::Any;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use {
    super::shape::Kind,
    crate::algorithm::{sha1::Sha1Compression, sha256::Sha256Compression, sha512::Sha512Compression},
};
#[cfg(target_arch = "aarch64")]
use {
    crate::algorithm::sm3::Sm3Compression,
    crate::isa::{NeonSha3, ShaCe, ShaCeNeon, Sm3Ce, aarch64},
};

/// An instruction set that has kernels for single messages of the compression function `C`.
pub(crate) trait PerMessage<C: Compression>: Token {
    /// A message's chaining value in registers.
    type State: Copy;
    /// Loads a chaining value into registers.
    fn load(self, state: &ChainingOf<C>) -> Self::State;
    /// Stores registers to a chaining value.
    fn store(self, state: &Self::State) -> ChainingOf<C>;
    /// Compresses every block of lanes `0..N` into the states, interleaved.
    fn compress<const N: usize>(self, states: &mut [Self::State; N], blocks: &Blocks);
    /// Goes on with `N` plain chains by `links` links. Each of `blocks` begins with a digest, which becomes the next one; behind it, all are
    /// alike. Every message begins with the state `start`.
    #[inline(always)]
    fn go_on<const N: usize>(self, links: u64, start: Self::State, blocks: &mut ChainBlocks) {
        for _ in 0..links {
            // Digests may be written from wider registers.
            self.prepare();
            let mut states = [start; N];
            self.compress(&mut states, &Blocks::new(N, C::BLOCK_BYTES, |lane| &blocks[lane]));
            for (block, state) in blocks.iter_mut().zip(&states) {
                write_digest::<C>(&self.store(state), &mut block[..C::DIGEST_WORDS * size_of::<WordOf<C>>()]);
            }
        }
    }
}

/// The blocks of the next messages of chains, as bytes.
pub(crate) type ChainBlocks = [[u8; MAX_BLOCK_BYTES]; MAX_LANES];

/// An instruction set that can also read messages which are dealt out to lanes, `N` at a time.
pub(crate) trait PerMessageDealt<C: Compression, const N: usize>: PerMessage<C> {
    /// Compresses every block of the first `N` lanes into the states, interleaved. Panics if rows
    /// have fewer than `N` words.
    fn compress_dealt(self, states: &mut [Self::State; N], dealt: &Dealt);
}

/// Returns the kernels of this kind that the compression function `C` has.
pub(super) fn kernels<C: Compression>() -> Vec<Kernel<C>> {
    all().into_iter().filter_map(|kernels| kernels.downcast().ok()).flat_map(|kernels: Box<Vec<Kernel<C>>>| *kernels).collect()
}

/// The kernels of an instruction set that has instructions for the rounds of `C`: for one message, and
/// for two.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn up_to_two<C: Compression, I: PerMessage<C>>([one, two]: [&'static str; 2]) -> Vec<Kernel<C>> {
    vec![Kernel::one_message::<I>(one, Kind::Instructions, 128), Kernel::per_message::<I, 2>(two, Kind::Instructions, 128)]
}

/// The kernels of an instruction set that has instructions for the rounds of `C`: for one message, and
/// for two, three and four.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn instructions<C: Compression, I: PerMessage<C>>([one, two, three, four]: [&'static str; 4]) -> Box<dyn Any> {
    let mut kernels = up_to_two::<C, I>([one, two]);
    kernels.push(Kernel::per_message::<I, 3>(three, Kind::Instructions, 128));
    kernels.push(Kernel::per_message::<I, 4>(four, Kind::Instructions, 128));
    Box::new(kernels)
}

/// The ONE list: the kernels of every compression function that has any, in vectors of `Kernel<C>`.
/// Beside each stands what it is made of.
#[cfg(target_arch = "x86_64")]
fn all() -> Vec<Box<dyn Any>> {
    fn scalar_rounds<C: Compression>() -> Box<dyn Any>
    where
        Avx: PerMessage<C>,
        Bmi2: PerMessage<C>,
        Bmi2Avx512: PerMessage<C>,
    {
        Box::new(vec![
            Kernel::<C>::one_message::<Avx>("avx-scalar", Kind::ScalarBesideVectors, 128),
            Kernel::one_message::<Bmi2>("bmi2", Kind::ScalarBesideVectors, 128),
            Kernel::one_message::<Bmi2Avx512>("bmi2-avx512", Kind::ScalarBesideVectors, 128),
        ])
    }
    fn rows<C: Compression, I: PerMessage<C>>(name: &'static str, vector_bits: usize) -> Box<dyn Any> {
        Box::new(vec![Kernel::<C>::one_message::<I>(name, Kind::Rows, vector_bits)])
    }
    const SHA_NI: [&str; 4] = ["sha-ni", "sha-ni-x2", "sha-ni-x3", "sha-ni-x4"];
    let beside = Kind::InstructionsBesideVectors;
    let sha_ni_sms = vec![
        Kernel::<Sha256Compression>::per_message::<ShaNiAvx512Quarter, 2>("sha-ni-sms-x2", beside, 128).only_long(),
        Kernel::per_message::<ShaNiAvx512Quarter, 4>("sha-ni-sms-x4", beside, 128).only_long(),
        Kernel::per_message_and_dealt::<ShaNiAvx512Half, 4>("sha-ni-sms256-x4", beside, 256).only_long(),
    ];
    vec![
        rows::<Blake2sCompression, Avx512Quarter>("avx512-rows-128", 128),
        rows::<Blake2bCompression, Avx512Half>("avx512-rows-256", 256),
        rows::<Blake3Compression, Avx512Quarter>("avx512-rows-128", 128),
        scalar_rounds::<Sha1Compression>(),
        instructions::<Sha1Compression, ShaNi>(SHA_NI),
        scalar_rounds::<Sha256Compression>(),
        instructions::<Sha256Compression, ShaNi>(SHA_NI),
        Box::new(sha_ni_sms),
        scalar_rounds::<Sha512Compression>(),
        Box::new(vec![Kernel::<Sha512Compression>::one_message::<Bmi2Avx2>("bmi2-avx2", Kind::ScalarBesideVectors, 256)]),
    ]
}

#[cfg(target_arch = "aarch64")]
fn all() -> Vec<Box<dyn Any>> {
    const SHA_CE: [&str; 4] = ["sha-ce", "sha-ce-x2", "sha-ce-x3", "sha-ce-x4"];
    vec![
        instructions::<Sha1Compression, ShaCe>(SHA_CE),
        Box::new(vec![Kernel::<Sha1Compression>::per_message::<ShaCeNeon, { sha1_ce_beside::MESSAGES }>(
            "sha-ce-x8-beside-neon",
            Kind::InstructionsBesideLanes,
            128,
        )]),
        instructions::<Sha256Compression, ShaCe>(SHA_CE),
        // Two messages keep the unit busy, and more of them have more state than there are registers.
        Box::new(up_to_two::<Sha512Compression, NeonSha3>(["sha512-ce", "sha512-ce-x2"])),
        instructions::<Sm3Compression, Sm3Ce>(["sm3-ce", "sm3-ce-x2", "sm3-ce-x3", "sm3-ce-x4"]),
    ]
}

/// Other architectures have none yet.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn all() -> Vec<Box<dyn Any>> {
    Vec::new()
}

/// An instruction set that keeps a message in the `State` of a module, made of vectors, which its
/// `compress` advances: `Isa: Compression = module of Vector`, `and go_on` if it has code for plain chains.
macro_rules! in_vectors {
    ($arch:literal: $($Isa:ident: $Compression:ident = $module:ident of $Vector:ty $(, and $go_on:ident)?;)*) => { $(
        #[cfg(target_arch = $arch)]
        impl PerMessage<$Compression> for $Isa {
            type State = $module::State<$Vector>;
            #[inline(always)]
            fn load(self, state: &ChainingOf<$Compression>) -> Self::State {
                $module::State::load(self, state)
            }
            #[inline(always)]
            fn store(self, state: &Self::State) -> ChainingOf<$Compression> {
                state.store()
            }
            #[inline(always)]
            fn compress<const N: usize>(self, states: &mut [Self::State; N], blocks: &Blocks) {
                $module::compress(self, states, blocks);
            }
            $(
                #[inline(always)]
                fn $go_on<const N: usize>(self, links: u64, start: Self::State, blocks: &mut ChainBlocks) {
                    $module::$go_on::<$Vector, N>(self, links, start, blocks);
                }
            )?
        }
    )* };
}
in_vectors! { "x86_64":
    ShaNi: Sha1Compression = sha1_ni of x86_64::sha::Quad;
    ShaNi: Sha256Compression = sha256_ni of x86_64::sha::Quad, and go_on;
}

/// An instruction set that keeps the rows of one message's state in vectors.
#[cfg(target_arch = "x86_64")]
macro_rules! in_rows { ($($Isa:ident: $($Compression:ident)+;)*) => { $($(
    impl PerMessage<$Compression> for $Isa {
        type State = rows::State<$Compression, VectorOf<$Compression, $Isa>>;
        #[inline(always)]
        fn load(self, state: &ChainingOf<$Compression>) -> Self::State {
            rows::State::load(self, state)
        }
        #[inline(always)]
        fn store(self, state: &Self::State) -> ChainingOf<$Compression> {
            state.store()
        }
        #[inline(always)]
        fn compress<const N: usize>(self, states: &mut [Self::State; N], blocks: &Blocks) {
            rows::compress(self, states, blocks);
        }
    }
)+)* } }
#[cfg(target_arch = "x86_64")]
in_rows! {
    Avx512Quarter: Blake2sCompression Blake3Compression;
    Avx512Half: Blake2bCompression;
}
in_vectors! { "aarch64":
    ShaCe: Sha1Compression = sha1_ce of aarch64::sha::Quad;
    ShaCe: Sha256Compression = sha256_ce of aarch64::sha::Quad;
    NeonSha3: Sha512Compression = sha512_ce of aarch64::sha::Pair;
    Sm3Ce: Sm3Compression = sm3_ce of aarch64::sha::Sm3Quad;
}

/// The task that compresses blocks of `N` messages, interleaved.
pub(super) struct Interleaved<'a, 's, 'b, C: Compression, const N: usize> {
    pub(super) states: &'a mut States<'s, C>,
    pub(super) blocks: &'a Blocks<'b>,
}

impl<I: PerMessage<C>, C: Compression, const N: usize> Task<I> for Interleaved<'_, '_, '_, C, N> {
    type Output = ();
    #[inline(always)]
    fn run(self, isa: I) {
        let mut states = load_states(isa, self.states);
        isa.compress::<N>(&mut states, self.blocks);
        store_states(isa, &states, self.states);
    }
}

/// The task that compresses `N` lanes of a message that is dealt out, interleaved.
pub(super) struct InterleavedDealt<'a, 's, 'b, C: Compression, const N: usize> {
    pub(super) states: &'a mut States<'s, C>,
    pub(super) dealt: &'a Dealt<'b>,
}

impl<I: PerMessageDealt<C, N>, C: Compression, const N: usize> Task<I> for InterleavedDealt<'_, '_, '_, C, N> {
    type Output = ();
    #[inline(always)]
    fn run(self, isa: I) {
        let mut states = load_states(isa, self.states);
        isa.compress_dealt(&mut states, self.dealt);
        store_states(isa, &states, self.states);
    }
}

#[inline(always)]
pub(super) fn load_states<I: PerMessage<C>, C: Compression, const N: usize>(isa: I, from: &States<'_, C>) -> [I::State; N] {
    let mut states = [isa.load(&from.column(0)); N];
    for (message, state) in states.iter_mut().enumerate() {
        *state = isa.load(&from.column(message));
    }
    states
}

#[inline(always)]
fn store_states<I: PerMessage<C>, C: Compression, const N: usize>(isa: I, states: &[I::State; N], to: &mut States<'_, C>) {
    for (message, state) in states.iter().enumerate() {
        to.set_column(message, &isa.store(state));
    }
}
