//! Output of any length: SHAKE (FIPS 202, section 6.2), cSHAKE and KMAC (NIST SP 800-185), TurboSHAKE and
//! KangarooTwelve (RFC 9861).
//!
//! A function of these has no digest of a fixed length. [`many`] gives equally many bytes for each of
//! many messages, in lanes as [`hash_many`](crate::hash_many) does; [`Hasher`] takes one message in
//! pieces, and its [`Reader`] gives as much output as is read. [`Function`] is one that strings tell from
//! others of its family.
//!
//! They have the strength that their name says only if the output is long enough: twice as
//! many bits against collisions (FIPS 202, appendix A.1).
//!
//! ```
//! use manyhash::xof::{self, Function, Shake128};
//! let seeds = xof::many::<Shake128>(&["one", "two"], 1000);
//! assert_eq!(seeds.len(), 2000);
//! assert_eq!(seeds[1000..], xof::one::<Shake128>(b"two", 1000));
//! let others = Function::<Shake128>::customized(b"", b"other seeds").many(&["one", "two"], 1000);
//! assert_ne!(seeds, others);
//! ```
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | the families, and many messages |
//! | `hasher.rs` | one message in pieces, and its output as a stream |
//! | `customized.rs` | cSHAKE, and TurboSHAKE with another domain |
//! | `kmac.rs` | KMAC |
//! | `kangaroo_twelve.rs` | KangarooTwelve: a tree over TurboSHAKE |

mod customized;
mod hasher;
mod kangaroo_twelve;
#[cfg(feature = "hmac")]
pub mod kmac;

use alloc::vec::Vec;
pub use customized::{BadDomain, CShake, Turbo};
pub use hasher::{Hasher, Reader};
pub use kangaroo_twelve::KangarooTwelve;

use crate::algorithm::keccak::{
    SHA3, SHAKE, Sha3_256Compression, Shake128Compression, TurboShake128Compression, TurboShake256Compression, padding_with,
};
use crate::algorithm::{ChainingOf, Compression, WordOf};
use crate::backend;
use crate::kernel::start::Start;
use crate::schedule::compiled::Compiled;
use crate::schedule::digests::Digests;
use crate::schedule::framed::Around;
use crate::schedule::messages::{Messages, Part, Slice};
use std::fmt;

/// A function with output of any length. The trait is sealed.
#[allow(private_bounds, reason = "sealed")]
pub trait Xof: Sponge {
    /// The name in its standard: `SHAKE128`.
    const NAME: &'static str;
    /// Bytes of a block: of the message, and of the output (the rate of FIPS 202).
    const BLOCK_BYTES: usize;
}

/// The compression function of an [`Xof`].
trait Sponge: Copy + fmt::Debug + Send + Sync + 'static {
    type Compression: Compiled<Word = u64>;
    /// The state before a message.
    const INITIAL: ChainingOf<Self::Compression>;
}

macro_rules! xof {
    ($($(#[$doc:meta])* $Name:ident, $name:literal, $Compression:ident, $initial:expr;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $Name;

        impl Sponge for $Name {
            type Compression = $Compression;
            const INITIAL: ChainingOf<$Compression> = $initial;
        }

        impl Xof for $Name {
            const NAME: &'static str = $name;
            const BLOCK_BYTES: usize = <$Compression>::BLOCK_BYTES;
        }
    )* };
}
xof! {
    /// SHAKE128, for a strength of up to 128 bits.
    Shake128, "SHAKE128", Shake128Compression, padding_with(SHAKE, SHAKE);
    /// SHAKE256, for a strength of up to 256 bits.
    Shake256, "SHAKE256", Sha3_256Compression, padding_with(SHAKE, SHA3);
    /// TurboSHAKE128, SHAKE128 with half of the rounds (RFC 9861, section 2).
    TurboShake128, "TurboSHAKE128", TurboShake128Compression, padding_with(SHAKE, SHAKE);
    /// TurboSHAKE256, SHAKE256 with half of the rounds (RFC 9861, section 2).
    TurboShake256, "TurboSHAKE256", TurboShake256Compression, padding_with(SHAKE, SHAKE);
}

/// A function of the family of `X`: `X` itself, or one that strings or a number tell from it.
#[derive(Clone)]
pub struct Function<X: Xof> {
    start: Start<X::Compression>,
}

impl<X: Xof> Function<X> {
    /// Returns `X` itself.
    pub const fn new() -> Self {
        Self { start: Start { state: X::INITIAL, bytes: 0 } }
    }

    /// Returns `output_bytes` bytes for each message, in the order of the messages, one after the other.
    ///
    /// # Panics
    /// Panics as [`many`] does.
    pub fn many(&self, messages: &[impl AsRef<[u8]>], output_bytes: usize) -> Vec<u8> {
        let mut output = room::<X>(messages.len(), output_bytes);
        self.many_into(messages, output_bytes, &mut output);
        output
    }

    /// Writes `output_bytes` bytes for each message to `output`: those of message i begin at
    /// `i * output_bytes`.
    ///
    /// # Panics
    /// Panics as [`many_into`] does.
    pub fn many_into(&self, messages: &[impl AsRef<[u8]>], output_bytes: usize, output: &mut [u8]) {
        self.framed_into(&Slice(messages), &[], output_bytes, output);
    }

    /// Returns `output_bytes` bytes for one message.
    ///
    /// # Panics
    /// Panics as [`one`] does.
    pub fn one(&self, message: &[u8], output_bytes: usize) -> Vec<u8> {
        self.many(&[message], output_bytes)
    }

    /// Returns a hasher for one message that arrives in pieces.
    pub fn hasher(&self) -> Hasher<X> {
        Hasher::starting(self.start)
    }

    /// Writes `output_bytes` bytes for each message with `suffix` behind it.
    fn framed_into(&self, messages: &dyn Messages, suffix: &[u8], output_bytes: usize, output: &mut [u8]) {
        assert_ne!(output_bytes, 0, "output_bytes is 0: {} has an output of at least one byte", X::NAME);
        let (count, room) = (messages.count(), output.len());
        let fits = count.checked_mul(output_bytes) == Some(room);
        assert!(fits, "{count} messages have outputs of {output_bytes} bytes, and there is room for {room} bytes");
        /// The number of states that stay in the second cache.
        const TOGETHER: usize = 1024;
        let around = Around { passes: (&self.start).into(), head: &[], suffix };
        let absorb = |messages: &dyn Messages, digests: &mut Digests<'_>| {
            <X::Compression>::hash_framed(backend::mix_of(), around, messages, digests);
        };
        if output_bytes <= X::BLOCK_BYTES {
            return absorb(messages, &mut Digests::new(output, output_bytes));
        }
        let state_bytes = <X::Compression>::STATE_WORDS * size_of::<WordOf<X::Compression>>();
        let mut states = vec![0; count.min(TOGETHER) * state_bytes];
        for (first, output) in (0..count).step_by(TOGETHER).zip(output.chunks_mut(TOGETHER * output_bytes)) {
            let range = first..count.min(first + TOGETHER);
            let states = &mut states[..range.len() * state_bytes];
            absorb(&Part { messages, range }, &mut Digests::new(states, state_bytes));
            <X::Compression>::squeeze(backend::mix_of(), states, output, output_bytes);
        }
    }
}

impl<X: Xof> Default for Function<X> {
    fn default() -> Self {
        Self::new()
    }
}

/// Shows the family, and never a state.
impl<X: Xof> fmt::Debug for Function<X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Function").field("family", &X::NAME).finish_non_exhaustive()
    }
}

/// Makes room for output. Panics if there is no memory for it.
fn room<X: Xof>(messages: usize, output_bytes: usize) -> Vec<u8> {
    vec![0; messages.checked_mul(output_bytes).unwrap_or_else(|| panic!("no memory has so much output of {}", X::NAME))]
}

/// Returns `output_bytes` bytes for each message, in the order of the messages, one after the other.
///
/// A message's `as_ref` must return the same bytes every time. If it does not, the output is of any
/// bytes, or this panics.
///
/// # Panics
/// Panics if `output_bytes` is 0, or if there is no memory for all of the output.
///
/// ```
/// use manyhash::xof::{self, Shake256};
/// let output = xof::many::<Shake256>(&["", "abc"], 32);
/// assert_eq!(output[..4], [0x46, 0xb9, 0xdd, 0x2b]);
/// ```
pub fn many<X: Xof>(messages: &[impl AsRef<[u8]>], output_bytes: usize) -> Vec<u8> {
    Function::<X>::new().many(messages, output_bytes)
}

/// Writes `output_bytes` bytes for each message to `output`: those of message i begin at
/// `i * output_bytes`.
///
/// # Panics
/// Panics if `output_bytes` is 0, or if `output` has not exactly as many bytes as all messages have
/// output.
pub fn many_into<X: Xof>(messages: &[impl AsRef<[u8]>], output_bytes: usize, output: &mut [u8]) {
    Function::<X>::new().many_into(messages, output_bytes, output);
}

/// Returns `output_bytes` bytes for one message.
///
/// # Panics
/// Panics if `output_bytes` is 0, or if there is no memory for the output.
pub fn one<X: Xof>(message: &[u8], output_bytes: usize) -> Vec<u8> {
    many::<X>(&[message], output_bytes)
}
