//! The digest of a list of messages: j slices that are messages of their own, and the digest of their
//! digests ("hashing a file system (where j is the number of files in the system)", Gueron 2013).

use super::separated::{self, Role};
use crate::algorithms::Algorithm;
use crate::frame::Frame;
use crate::hash::Hasher;
#[cfg(feature = "std")]
use crate::readers::Readers;
use alloc::vec::Vec;

/// Computes files(A) of a list that need not fit into memory: its messages are hashed as they come, and
/// their digests go into one hasher.
///
/// [`files`](super::files) is shorter where all digests are in memory.
///
/// ```
/// use manyhash::{Sha256, hash, tree::Files};
/// let list = Files::<Sha256>::new();
/// let mut wrap = list.wrap();
/// for digest in list.hash_many(&["one", "two"]) {
///     wrap.update(&digest);
/// }
/// assert_eq!(wrap.finalize(), hash::<Sha256>(&[hash::<Sha256>(b"one"), hash::<Sha256>(b"two")].concat()));
/// ```
#[derive(Clone, Debug)]
pub struct Files<A: Algorithm> {
    lane: Frame<A>,
    name: Frame<A>,
    wrap: Frame<A>,
}

impl<A: Algorithm> Files<A> {
    /// Creates what hashes lists of any number of messages.
    pub fn new() -> Self {
        Self { lane: Frame::default(), name: Frame::default(), wrap: Frame::default() }
    }

    /// Creates what hashes lists of so many messages, with initial values derived from algorithm, mode
    /// and number: see [`tree`](super#separated). The number has to be known before the first message is
    /// hashed.
    pub fn separated(messages: u64) -> Self {
        let frame = |role| separated::frame("files", messages, role);
        Self { lane: frame(Role::Lane), name: frame(Role::Name), wrap: frame(Role::Wrap) }
    }

    /// Returns the digest of each message.
    pub fn hash_many(&self, messages: &[impl AsRef<[u8]>]) -> Vec<A::Digest> {
        self.lane.hash_many(messages)
    }

    /// Returns a hasher of one message that comes in pieces.
    pub fn message(&self) -> Hasher<A> {
        self.lane.hasher()
    }

    /// Returns the [`Readers`] that hash messages which have to be read.
    #[cfg(feature = "std")]
    pub fn readers(&self) -> Readers<A> {
        Readers::with_initial(self.lane.only_start().expect("nothing but an initial value").state)
    }

    /// Returns a hasher of what takes the place of a message's digest, if the list has names: that digest,
    /// and then the name in whatever form says where it ends.
    pub fn named(&self) -> Hasher<A> {
        self.name.hasher()
    }

    /// Returns a hasher of all digests, which is given one after the other.
    pub fn wrap(&self) -> Hasher<A> {
        self.wrap.hasher()
    }
}

impl<A: Algorithm> Default for Files<A> {
    fn default() -> Self {
        Self::new()
    }
}
