//! Initial values of their own for tree modes, so that no digest of a tree is the digest of a
//! message.
//!
//! Gueron 2013 asks for them in its last remark, "depending also on the value of j". They are made
//! as FIPS 180-4, section 5.3.6, makes those of SHA-512/t: by the algorithm itself, with 0xa5
//! exclusive-ored to each byte of its initial value, over an ASCII name.

use crate::algorithm::ending::{Ending, EndingOf};
use crate::algorithm::{ChainingOf, CompressionOf};
use crate::algorithms::Algorithm;
use crate::frame::Frame;
use crate::hash::Hasher;
use crate::isa::Word;
use crate::kernel::start::Start;

/// The role of a message in a tree.
#[derive(Clone, Copy)]
pub(crate) enum Role {
    /// The message is a slice.
    Lane,
    /// The message is the digest of a slice, and the slice's name.
    Name,
    /// The message is the digests of all slices.
    Wrap,
}

/// Returns what messages begin with in a role of a mode with `lanes` lanes.
pub(crate) fn frame<A: Algorithm>(mode: &str, lanes: u64, role: Role) -> Frame<A> {
    let role = match role {
        Role::Lane => "lane",
        Role::Name => "name",
        Role::Wrap => "wrap",
    };
    Frame::with_initial(derived::<A>(&format!("{}/{mode}/{lanes}/{role}", A::NAME)))
}

/// Returns the final state over a name.
fn derived<A: Algorithm>(name: &str) -> ChainingOf<CompressionOf<A>> {
    let mut start = Start::of::<A>();
    let words = start.state.as_ref().len() - EndingOf::<A>::STATE_WORDS;
    for word in &mut start.state.as_mut()[..words] {
        *word = word.xor_bytes(0xa5);
    }
    let mut hasher = Hasher::<A>::starting(start);
    hasher.update(name.as_bytes());
    hasher.into_state()
}
