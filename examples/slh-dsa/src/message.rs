//! What is signed: a message, with what tells the uses of a key apart (FIPS 205, section 10.2).

use crate::Error;
use manyhash::xof::{self, Shake128, Shake256};
use manyhash::{Sha256, Sha512, hash};

/// A message that is signed or verified.
///
/// ```
/// use slh_dsa_example::{Message, PreHash};
/// let message = Message::new(b"a message").context(b"letters");
/// let long = Message::hashed(PreHash::Sha256, b"a long message").context(b"files");
/// # let _ = (message, long);
/// ```
#[derive(Clone, Debug)]
pub struct Message<'a> {
    content: Content<'a>,
    context: &'a [u8],
}

#[derive(Clone, Debug)]
enum Content<'a> {
    Pure(&'a [u8]),
    Hashed(PreHash, Vec<u8>),
    Internal(&'a [u8]),
}

impl<'a> Message<'a> {
    /// A message that is signed as it is (pure SLH-DSA).
    pub fn new(message: &'a [u8]) -> Self {
        Self { content: Content::Pure(message), context: &[] }
    }

    /// A message whose digest is signed (HashSLH-DSA). It is another signature than that of the message.
    ///
    /// The digest must be strong enough for the parameter set: SHA-256 and SHAKE128 are for sets of 128 bits
    /// only.
    pub fn hashed(function: PreHash, message: &[u8]) -> Self {
        Self { content: Content::Hashed(function, function.digest(message)), context: &[] }
    }

    /// The input of `slh_sign_internal`, with nothing before it: for test vectors, and for nothing else.
    pub fn internal(message: &'a [u8]) -> Self {
        Self { content: Content::Internal(message), context: &[] }
    }

    /// Says what the key is used for, in up to 255 bytes: a signature is good in one context only.
    #[must_use]
    pub fn context(mut self, context: &'a [u8]) -> Self {
        self.context = context;
        self
    }

    /// The bytes that are signed, in pieces, for as long as `with` takes.
    pub(crate) fn with_pieces<R>(&self, with: impl FnOnce(&[&[u8]]) -> R) -> Result<R, Error> {
        let length = u8::try_from(self.context.len()).map_err(|_| Error::Context(self.context.len()))?;
        Ok(match &self.content {
            Content::Pure(message) => with(&[&[0, length], self.context, message]),
            Content::Hashed(function, digest) => with(&[&[1, length], self.context, &function.identifier(), digest]),
            Content::Internal(message) => with(&[message]),
        })
    }
}

/// A hash function that messages are hashed by before they are signed: those that the standard writes out (algorithm 23).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "names")]
pub enum PreHash {
    Sha256 = 1,
    Sha512 = 3,
    Shake128 = 11,
    Shake256 = 12,
}

impl PreHash {
    /// Its object identifier, 2.16.840.1.101.3.4.2.x, in DER.
    fn identifier(self) -> [u8; 11] {
        [0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, self as u8]
    }

    fn digest(self, message: &[u8]) -> Vec<u8> {
        match self {
            Self::Sha256 => hash::<Sha256>(message).to_vec(),
            Self::Sha512 => hash::<Sha512>(message).to_vec(),
            Self::Shake128 => xof::one::<Shake128>(message, 32),
            Self::Shake256 => xof::one::<Shake256>(message, 64),
        }
    }
}
