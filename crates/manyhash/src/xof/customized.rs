//! Functions that strings or a number tell from others: cSHAKE (NIST SP 800-185, section 3), and TurboSHAKE with
//! another domain (RFC 9861, section 2).

use super::{Function, Shake128, Shake256, TurboShake128, TurboShake256, Xof};
use crate::algorithm::keccak::SHAKE;
use crate::backend;
use crate::kernel::start::Start;
use crate::schedule::compiled::Compiled;
use alloc::vec::Vec;
use std::fmt;

/// A family that has cSHAKE: [`Shake128`] or [`Shake256`].
pub trait CShake: Xof {}
impl CShake for Shake128 {}
impl CShake for Shake256 {}

/// [`TurboShake128`] or [`TurboShake256`].
pub trait Turbo: Xof {}
impl Turbo for TurboShake128 {}
impl Turbo for TurboShake256 {}

/// What follows a message of cSHAKE: two bits that tell it from others, and the first bit of the padding (SP
/// 800-185, 3.3).
const CSHAKE: u8 = 0x04;

impl<X: CShake> Function<X> {
    /// Returns cSHAKE128 or cSHAKE256 with a function name and a customization string (SP 800-185, 3.3). The
    /// name is for standards, and empty in other uses. If both are empty, this is SHAKE.
    ///
    /// ```
    /// use manyhash::xof::{Function, Shake128};
    /// let output = Function::<Shake128>::customized(b"", b"Email Signature").one(&[0, 1, 2, 3], 32);
    /// assert_eq!(output[..4], [0xc1, 0xc3, 0x69, 0x25]);
    /// ```
    pub fn customized(function_name: &[u8], customization: &[u8]) -> Self {
        if function_name.is_empty() && customization.is_empty() {
            return Self::new();
        }
        let strings = [string(function_name), string(customization)].concat();
        Self::new().followed_by(CSHAKE).absorbing(&padded::<X>(&strings))
    }
}

impl<X: Turbo> Function<X> {
    /// Returns TurboSHAKE with the domain separation byte D (RFC 9861, section 2.1). [`Function::new`] has 0x1F.
    ///
    /// # Errors
    /// Fails unless `domain` is 0x01 to 0x7F.
    pub fn with_domain(domain: u8) -> Result<Self, BadDomain> {
        if (0x01..=0x7F).contains(&domain) { Ok(Self::new().followed_by(domain)) } else { Err(BadDomain(domain)) }
    }
}

/// The error of a domain separation byte that TurboSHAKE does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadDomain(u8);

impl fmt::Display for BadDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "domain is {:#04x}; it must be 0x01 to 0x7f", self.0)
    }
}

impl std::error::Error for BadDomain {}

impl<X: Xof> Function<X> {
    /// Returns the function with another byte behind messages than SHAKE has.
    pub(super) fn followed_by(mut self, first: u8) -> Self {
        let added = self.start.state.as_mut().last_mut().expect("26 words");
        *added ^= u64::from(first ^ SHAKE);
        self
    }

    /// Returns the function that has whole blocks before each message.
    pub(super) fn absorbing(self, blocks: &[u8]) -> Self {
        let Start { mut state, bytes } = self.start;
        <X::Compression>::compress_alone(backend::mix_of(), &mut state, blocks);
        Self { start: Start { state, bytes: bytes + blocks.len() as u64 } }
    }
}

/// Returns a number as bytes without zeros before them, and their number before them (SP 800-185, 2.3.1). Zero
/// has one byte.
fn left_encoded(number: usize) -> Vec<u8> {
    let bytes = significant(number, 1);
    [vec![bytes.len() as u8], bytes].concat()
}

/// Returns a number as bytes without zeros before them, and their number behind them. Zero has `least` bytes: one
/// (SP 800-185, 2.3.1) or none (RFC 9861, 3.1).
pub(super) fn right_encoded(number: usize, least: usize) -> Vec<u8> {
    let mut bytes = significant(number, least);
    bytes.push(bytes.len() as u8);
    bytes
}

/// Returns the bytes of a number, the highest first, without zeros before them, but at least `least`.
fn significant(number: usize, least: usize) -> Vec<u8> {
    let bytes = number.to_be_bytes();
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    bytes[zeros.min(bytes.len() - least)..].to_vec()
}

/// Returns a string with its length in bits before it (SP 800-185, 2.3.2).
pub(super) fn string(bytes: &[u8]) -> Vec<u8> {
    [&left_encoded(8 * bytes.len()), bytes].concat()
}

/// Returns bytes with those of a block before them, and zeros behind them: whole blocks (SP 800-185, 2.3.3).
pub(super) fn padded<X: Xof>(bytes: &[u8]) -> Vec<u8> {
    let mut padded = [&left_encoded(X::BLOCK_BYTES), bytes].concat();
    padded.resize(padded.len().next_multiple_of(X::BLOCK_BYTES), 0);
    padded
}
