//! Proofs of the kernels for x86-64.

use super::super::instructions::{Terms, no_more_faults};
use super::super::vectors::{Lanes, Several};
use super::super::{EVERY, ExpressionOf, Proved};
use super::{compresses, interleaved, prove, prove_in_all_ways};
use crate::algorithm::blake2b::Blake2bCompression;
use crate::algorithm::blake2s::Blake2sCompression;
use crate::algorithm::blake3::Blake3Compression;
use crate::algorithm::sha1::Sha1Compression;
use crate::algorithm::sha2::Sha2;
use crate::algorithm::sha256::Sha256Compression;
use crate::algorithm::sha512::Sha512Compression;
use crate::isa::{Blocks, Dealt, FourWords, Successive, Words};
use crate::kernel::per_message::rows::{self, InRows};
use crate::kernel::per_message::sha2_bmi2::compress_message;
use crate::kernel::per_message::sha256_ni_sms::{Source, compress_groups};
use crate::kernel::per_message::{sha1_bmi2, sha1_ni, sha256_ni};
use std::cell::Cell;

/// The rounds of a message in scalar words, whose schedule vectors of `LANES` words make.
fn beside_vectors<C, const LANES: usize, const HALF_IN_VECTORS: bool>() -> bool
where
    C: Proved + Sha2,
    ExpressionOf<C>: Words<Word = C::Word, Isa = Terms>,
    Several<C::Word, LANES>: Successive<Word = C::Word, Isa = Lanes<LANES>>,
{
    compresses::<C, 1>(&[], 2, |[state], messages| {
        compress_message::<C, ExpressionOf<C>, Several<C::Word, LANES>, HALF_IN_VECTORS>(Terms, Lanes, state, &messages[0]);
    })
}

#[test]
fn rounds_beside_vectors_are_their_standards() {
    prove("sha256/bmi2", EVERY, beside_vectors::<Sha256Compression, 4, false>);
    prove("sha256/bmi2-avx512", EVERY, beside_vectors::<Sha256Compression, 4, true>);
    prove("sha512/avx-scalar", EVERY, beside_vectors::<Sha512Compression, 2, false>);
    prove("sha512/bmi2-avx2", EVERY, beside_vectors::<Sha512Compression, 4, false>);
    prove("sha512/bmi2-avx512", EVERY, beside_vectors::<Sha512Compression, 2, true>);
}

#[test]
fn sha1_beside_vectors_is_its_standard() {
    // All words of a schedule are rotations of the block's sixteen, exclusive-ored, whatever the equation they are made by.
    terms::keep_linear(16 * 32);
    prove("sha1/bmi2", EVERY, || {
        compresses::<Sha1Compression, 1>(&[], 2, |[state], messages| {
            sha1_bmi2::compress_message::<ExpressionOf<Sha1Compression>, Several<u32, 4>>(Terms, Lanes, state, &messages[0]);
        })
    });
}

/// SHA-1 by the SHA extensions, `N` messages interleaved.
fn sha1_ni<const N: usize>() -> bool {
    type State = sha1_ni::State<Several<u32, 4>>;
    interleaved::<Sha1Compression, State, N>(
        &[],
        |state| State::load(Lanes, state),
        |states, blocks| sha1_ni::compress(Lanes, states, blocks),
        State::store,
    )
}

/// SHA-256 by the SHA extensions, `N` messages interleaved.
fn sha256_ni<const N: usize>() -> bool {
    type State = sha256_ni::State<Several<u32, 4>>;
    interleaved::<Sha256Compression, State, N>(
        &[],
        |state| State::load(Lanes, state),
        |states, blocks| sha256_ni::compress(Lanes, states, blocks),
        State::store,
    )
}

#[test]
fn the_sha_extensions_make_what_the_standards_say() {
    prove("sha1/sha-ni", 7, sha1_ni::<1>);
    prove("sha1/sha-ni-x4", EVERY, sha1_ni::<4>);
    prove("sha256/sha-ni", 7, sha256_ni::<1>);
    prove("sha256/sha-ni-x4", EVERY, sha256_ni::<4>);
}

/// Proves the kernel that has the rows of a message in vectors, with flags in all ways.
fn prove_rows<C: Proved + InRows>()
where
    Several<C::Word, 4>: FourWords<Word = C::Word, Isa = Lanes<4>>,
{
    type State<C> = rows::State<C, Several<<C as crate::algorithm::Compression>::Word, 4>>;
    let in_rows = |fixed: &[C::Word]| {
        interleaved::<C, State<C>, 1>(
            fixed,
            |state| State::<C>::load(Lanes, state),
            |states, blocks| rows::compress(Lanes, states, blocks),
            State::<C>::store,
        )
    };
    let ways: Vec<_> = C::FIXED.iter().map(|fixed| move || in_rows(fixed)).collect();
    let ways: Vec<&dyn Fn() -> bool> = ways.iter().map(|way| way as &dyn Fn() -> bool).collect();
    prove_in_all_ways(&format!("{}/avx512-rows-{}", C::NAME, 32 * size_of::<C::Word>()), EVERY, &ways);
}

#[test]
fn rows_of_one_message_are_their_standards() {
    prove_rows::<Blake2sCompression>();
    prove_rows::<Blake2bCompression>();
    prove_rows::<Blake3Compression>();
}

/// A source whose last group of blocks is loaded twice. What is made of it the second time is not used, so
/// that a fault there does no harm.
struct Groups<S> {
    source: S,
    loads: Cell<usize>,
}

impl<V: Words, S: Source<V, N>, const N: usize> Source<V, N> for Groups<S> {
    fn load(&self, isa: V::Isa, group: usize) -> [V; 16] {
        self.loads.set(self.loads.get() - 1);
        if self.loads.get() == 0 {
            no_more_faults();
        }
        self.source.load(isa, group)
    }
}

/// Two groups of blocks of `N` messages by the SHA extensions, with schedules in lanes.
fn two_groups<S: Source<Several<u32, LANES>, N>, const N: usize, const LANES: usize>(states: &mut [[u32; 8]; N], source: S) {
    let mut in_registers = states.map(|state| sha256_ni::State::<Several<u32, 4>>::load(Lanes, &state));
    let source = Groups { source, loads: Cell::new(3) };
    compress_groups::<_, Lanes<LANES>, N, LANES>(Lanes, Lanes, &mut in_registers, &source, 2);
    *states = in_registers.map(|state| state.store());
}

/// Groups of blocks that lie one after the other.
fn beside_lanes<const N: usize, const LANES: usize>() -> bool {
    compresses::<Sha256Compression, N>(&[], 2 * LANES / N, |states, messages| {
        two_groups::<_, N, LANES>(states, Blocks::new(N, messages[0].len(), |lane| &messages[lane]));
    })
}

/// Groups of blocks of four messages that are dealt out: row r has word r of each.
fn beside_lanes_dealt() -> bool {
    compresses::<Sha256Compression, 4>(&[], 4, |states, messages| {
        let bytes: Vec<u8> = (0..64).flat_map(|row| messages.iter().flat_map(move |message| message[4 * row..][..4].to_vec())).collect();
        two_groups::<_, 4, 8>(states, Dealt { bytes: &bytes, row_bytes: 16, blocks: 4 });
    })
}

#[test]
fn schedules_in_lanes_are_their_standards() {
    prove("sha256/sha-ni-sms-x2", EVERY, beside_lanes::<2, 4>);
    prove("sha256/sha-ni-sms-x4", EVERY, beside_lanes::<4, 4>);
    prove("sha256/sha-ni-sms256-x4", EVERY, beside_lanes::<4, 8>);
    prove("sha256/sha-ni-sms256-x4, dealt", EVERY, beside_lanes_dealt);
}
