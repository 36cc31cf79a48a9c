//! An algorithm chosen at run time, by its name.
//!
//! The list is [`for_each_algorithm!`](crate::for_each_algorithm): nothing here names an algorithm.

use crate::algorithm::ending::block_count;
use crate::algorithm::{Compression, CompressionOf, Names, Variant};
use crate::algorithms::Algorithm;
use crate::backend::{Backend, BackendError};
use crate::hash::Hasher;
use crate::many::hash_many_into;
use alloc::{
    boxed::Box,
    string::{String, ToString},
    vec::Vec,
};
use std::fmt;
#[cfg(feature = "std")]
use std::io;
use std::str::FromStr;

/// Work for an algorithm that is known only at run time.
///
/// ```
/// use manyhash::{Algorithm, AnyAlgorithm, ForAlgorithm, hash};
/// struct Hash<'a>(&'a [u8]);
/// impl ForAlgorithm for Hash<'_> {
///     type Output = Vec<u8>;
///     fn run<A: Algorithm>(self) -> Vec<u8> {
///         hash::<A>(self.0).as_ref().to_vec()
///     }
/// }
/// let algorithm: AnyAlgorithm = "sha512/256".parse()?;
/// assert_eq!(algorithm.with(Hash(b"abc")).len(), algorithm.digest_bytes());
/// # Ok::<(), manyhash::UnknownAlgorithm>(())
/// ```
pub trait ForAlgorithm {
    /// The result of the work.
    type Output;
    /// Does the work with the algorithm `A`.
    fn run<A: Algorithm>(self) -> Self::Output;
}

macro_rules! any_algorithm {
    ([$dollar:tt] $($Name:ident)*) => {
        /// One of this crate's algorithms, as a value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum AnyAlgorithm { $(#[doc = concat!("[`", stringify!($Name), "`](crate::", stringify!($Name), ")")] $Name),* }

        impl AnyAlgorithm {
            /// All algorithms, in the order of the list.
            pub const ALL: &[Self] = &[$(Self::$Name),*];
        }

        /// Evaluates an expression for an [`AnyAlgorithm`]. In the expression, the name before `=>`
        /// is the algorithm's type.
        ///
        /// The expression is compiled for each algorithm, so a long one should call a generic
        /// function. [`AnyAlgorithm::with`] does the same with a value.
        ///
        /// ```
        /// use manyhash::{AnyAlgorithm, hash, with_algorithm};
        /// let algorithm: AnyAlgorithm = "sha512/256".parse()?;
        /// let digest = with_algorithm!(algorithm, A => hash::<A>(b"abc").to_vec());
        /// assert_eq!(digest.len(), algorithm.digest_bytes());
        /// # Ok::<(), manyhash::UnknownAlgorithm>(())
        /// ```
        #[macro_export]
        macro_rules! with_algorithm {
            ($dollar algorithm:expr, $dollar A:ident => $dollar what:expr) => {
                match $dollar algorithm {
                    $($crate::AnyAlgorithm::$Name => {
                        type $dollar A = $crate::$Name;
                        $dollar what
                    })*
                    // Other crates must expect algorithms that this one does not have yet.
                    #[allow(unreachable_patterns)]
                    _ => unreachable!(),
                }
            };
        }
    };
}
for_each_algorithm!(any_algorithm [$]);

impl AnyAlgorithm {
    /// Returns the name in its standard: `SHA-256` or `SHA-512/256`.
    pub const fn name(self) -> &'static str {
        self.names().standard
    }

    const fn names(self) -> Names {
        with_algorithm!(self, A => <A as Variant>::NAMES)
    }

    /// Returns the bytes of a digest.
    pub const fn digest_bytes(self) -> usize {
        with_algorithm!(self, A => <A as Algorithm>::DIGEST_BYTES)
    }

    /// Returns the bytes of a block.
    pub const fn block_bytes(self) -> usize {
        with_algorithm!(self, A => <A as Algorithm>::BLOCK_BYTES)
    }

    /// Returns the blocks that are compressed for a message of `message_bytes` bytes, padding included
    /// (Gueron & Krasnov 2012, equation 1).
    pub fn blocks(self, message_bytes: u64) -> u64 {
        with_algorithm!(self, A => block_count::<CompressionOf<A>>(message_bytes))
    }

    /// Returns whether it has an HMAC (RFC 2104). An algorithm that takes keys by itself has none.
    pub const fn has_hmac(self) -> bool {
        with_algorithm!(self, A => <A as Algorithm>::HAS_HMAC)
    }

    /// Returns the name of its compression function, such as `sha512` for SHA-384 too, or of the one
    /// whose kernels cost as much: `sha3_256` for all of SHA-3.
    pub const fn compression_function(self) -> &'static str {
        with_algorithm!(self, A => <CompressionOf<A>>::COSTS_OF)
    }

    /// Writes the digest of `messages[i]` to `digests[i * n..(i + 1) * n]`, where `n` is
    /// [`digest_bytes`](Self::digest_bytes).
    ///
    /// # Panics
    /// Panics if `digests` does not have exactly that many bytes.
    ///
    /// ```
    /// use manyhash::{AnyAlgorithm, Sha1, hash};
    /// let mut digests = [0; 2 * 20];
    /// AnyAlgorithm::Sha1.hash_many_into(&["one", "two"], &mut digests);
    /// assert_eq!(digests[20..], hash::<Sha1>(b"two"));
    /// ```
    pub fn hash_many_into(self, messages: &[impl AsRef<[u8]>], digests: &mut [u8]) {
        let (room, wanted) = (digests.len(), messages.len() * self.digest_bytes());
        assert_eq!(room, wanted, "{} messages have digests of {wanted} bytes, and there is room for {room}", messages.len());
        with_algorithm!(self, A => hash_many_into::<A>(messages, A::digests_in(digests)));
    }

    /// Returns a hasher for one message that arrives in pieces.
    pub fn hasher(self) -> AnyHasher {
        AnyHasher { algorithm: self, hasher: with_algorithm!(self, A => Box::new(Hasher::<A>::new())) }
    }

    /// Does `what` for this algorithm. [`with_algorithm!`](crate::with_algorithm) is shorter for
    /// one expression.
    pub fn with<F: ForAlgorithm>(self, what: F) -> F::Output {
        with_algorithm!(self, A => what.run::<A>())
    }
}

/// Reduces a name to letters and digits in one case: `SHA-512/256`, `sha512_256` and `Sha512-256`
/// are one name.
fn normalised(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '/' | '_')).map(|c| c.to_ascii_lowercase()).collect()
}

impl AnyAlgorithm {
    /// Returns the algorithm of that name, whatever its case and punctuation. OpenSSL's names are known
    /// too: its `SHA2-256` is SHA-256, and its `BLAKE2B-512` is BLAKE2b.
    pub fn by_name(name: &str) -> Option<Self> {
        let wanted = normalised(name);
        let find = |wanted: &str| Self::ALL.iter().copied().find(|a| normalised(a.name()) == wanted);
        let of_the_family = || wanted.strip_prefix("sha2").filter(|size| size.len() >= 3);
        find(&wanted).or_else(|| match wanted.as_str() {
            "blake2b512" => find("blake2b"),
            "blake2s256" => find("blake2s"),
            _ => find(&format!("sha{}", of_the_family()?)),
        })
    }

    /// Returns the algorithm that a digest of this length is taken for unless another is named. It
    /// is never a truncated one such as SHA-512/256.
    pub fn by_digest_bytes(bytes: usize) -> Option<Self> {
        Self::ALL.iter().copied().find(|a| a.digest_bytes() == bytes && a.names().is_default_of_its_length)
    }

    /// Returns the name in BSD-style lists: `SHA256`, `SHA512/256`.
    pub const fn tag(self) -> &'static str {
        self.names().tag
    }

    /// Returns the name in Python's hashlib: `sha256`, `sha512_256`.
    pub const fn hashlib_name(self) -> &'static str {
        self.names().hashlib
    }

    /// Returns the command that lists its digests, such as `sha256sum`; `None` if no such command
    /// is known.
    pub const fn command(self) -> Option<&'static str> {
        self.names().command
    }

    /// Returns the algorithm of a command such as `sha256sum`.
    pub fn by_command(command: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|algorithm| algorithm.command() == Some(command))
    }

    /// Returns the backend that hashes with this algorithm, and the number of its lanes.
    ///
    /// # Errors
    /// Fails if a backend is forced that has no kernel for the algorithm: see
    /// [`backend`](crate::backend).
    pub fn backend(self) -> Result<(Backend, usize), BackendError> {
        with_algorithm!(self, A => {
            let backend = Backend::in_use::<A>()?;
            Ok((backend, backend.lanes_of::<A>().unwrap_or(1)))
        })
    }
}

/// Hashes one message that arrives in pieces, with an algorithm chosen at run time.
///
/// The hasher is also a [`Write`](io::Write).
///
/// ```
/// use manyhash::{AnyAlgorithm, Sha512, hash};
/// let mut hasher = AnyAlgorithm::Sha512.hasher();
/// hasher.update(b"to be ");
/// hasher.update(b"or not to be");
/// assert_eq!(hasher.finalize(), hash::<Sha512>(b"to be or not to be"));
/// ```
#[derive(Clone)]
pub struct AnyHasher {
    algorithm: AnyAlgorithm,
    hasher: Box<dyn ErasedHasher>,
}

/// The methods of [`Hasher`] that an [`AnyHasher`] needs.
trait ErasedHasher: Send + Sync {
    fn clone_boxed(&self) -> Box<dyn ErasedHasher>;
    fn update(&mut self, piece: &[u8]);
    fn finalize_into(&mut self, digest: &mut [u8]);
}

impl<A: Algorithm> ErasedHasher for Hasher<A> {
    fn clone_boxed(&self) -> Box<dyn ErasedHasher> {
        Box::new(self.clone())
    }

    fn update(&mut self, piece: &[u8]) {
        Hasher::update(self, piece);
    }

    fn finalize_into(&mut self, digest: &mut [u8]) {
        digest.copy_from_slice(self.finish().as_ref());
        self.reset();
    }
}

impl Clone for Box<dyn ErasedHasher> {
    fn clone(&self) -> Self {
        (**self).clone_boxed()
    }
}

/// A hasher that begins as another one, such as that of a role in a tree.
impl<A: Algorithm> From<Hasher<A>> for AnyHasher {
    fn from(hasher: Hasher<A>) -> Self {
        let algorithm = AnyAlgorithm::by_name(A::NAME).expect("all algorithms are in the list");
        Self { algorithm, hasher: Box::new(hasher) }
    }
}

impl AnyHasher {
    /// Returns the algorithm.
    pub fn algorithm(&self) -> AnyAlgorithm {
        self.algorithm
    }

    /// Appends a piece to the message.
    pub fn update(&mut self, piece: &[u8]) {
        self.hasher.update(piece);
    }

    /// Returns the digest of the message.
    pub fn finalize(self) -> Vec<u8> {
        let mut digest = vec![0; self.algorithm.digest_bytes()];
        self.finalize_into(&mut digest);
        digest
    }

    /// Writes the digest of the message.
    ///
    /// # Panics
    /// Panics if `digest` does not have exactly as many bytes as the algorithm's digests.
    pub fn finalize_into(mut self, digest: &mut [u8]) {
        let (room, wanted) = (digest.len(), self.algorithm.digest_bytes());
        assert_eq!(room, wanted, "a digest of {wanted} bytes, and room for {room}");
        self.hasher.finalize_into(digest);
    }

    /// Begins a new message.
    pub fn reset(&mut self) {
        *self = self.algorithm.hasher();
    }
}

/// Shows the algorithm, and never a state.
impl fmt::Debug for AnyHasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyHasher").field("algorithm", &self.algorithm).finish_non_exhaustive()
    }
}

#[cfg(feature = "std")]
impl io::Write for AnyHasher {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.update(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes the name as one types it: `sha512/256`.
impl fmt::Display for AnyAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.names().typed)
    }
}

impl FromStr for AnyAlgorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, UnknownAlgorithm> {
        Self::by_name(name).ok_or(UnknownAlgorithm)
    }
}

/// The error of a name that no algorithm has. Its text lists the names that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownAlgorithm;

impl fmt::Display for UnknownAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = AnyAlgorithm::ALL.iter().map(ToString::to_string).collect();
        write!(f, "unknown algorithm; these would do: {}", names.join(", "))
    }
}

impl std::error::Error for UnknownAlgorithm {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_however_they_are_written() {
        for &algorithm in AnyAlgorithm::ALL {
            for name in [algorithm.name().to_string(), algorithm.to_string(), algorithm.name().replace('/', "_")] {
                assert_eq!(AnyAlgorithm::by_name(&name), Some(algorithm), "{name}");
            }
        }
        assert_eq!(AnyAlgorithm::by_name("SHA2-256"), Some(AnyAlgorithm::Sha256));
        assert_eq!(AnyAlgorithm::by_name("SHA2-512/256"), Some(AnyAlgorithm::Sha512_256));
        assert_eq!(AnyAlgorithm::by_name("BLAKE2B-512"), Some(AnyAlgorithm::Blake2b));
        assert_eq!(AnyAlgorithm::by_name("BLAKE2S-256"), Some(AnyAlgorithm::Blake2s));
        for unknown in ["", "sha", "sha2", "sha257", "sha2-1", "sha-1x", "crc32"] {
            assert_eq!(AnyAlgorithm::by_name(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn commands_are_those_of_the_plain_algorithms() {
        let commands: Vec<_> = AnyAlgorithm::ALL.iter().copied().filter_map(AnyAlgorithm::command).collect();
        assert_eq!(commands[..6], ["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum"]);
        assert_eq!(AnyAlgorithm::by_command("sha384sum"), Some(AnyAlgorithm::Sha384));
        assert_eq!(AnyAlgorithm::by_command("sum"), None);
    }

    #[test]
    fn a_digest_length_means_the_plain_algorithm() {
        for (bytes, expected) in [
            (16, Some(AnyAlgorithm::Md5)),
            (20, Some(AnyAlgorithm::Sha1)),
            (28, Some(AnyAlgorithm::Sha224)),
            (32, Some(AnyAlgorithm::Sha256)),
            (48, Some(AnyAlgorithm::Sha384)),
            (64, Some(AnyAlgorithm::Sha512)),
            (0, None),
            (33, None),
        ] {
            assert_eq!(AnyAlgorithm::by_digest_bytes(bytes), expected, "{bytes}");
        }
    }
}
