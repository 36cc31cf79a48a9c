//! The Merkle tree of a log, as of Certificate Transparency (RFC 9162, section 2.1; RFC 6962 has
//! the same), its proofs, and their verification.
//!
//! Leaves are entries of any length, hashed with SHA-256 behind a byte 0. A node is hashed behind a
//! byte 1. A digest without a partner goes up as it is, which is what the RFC's recursive
//! definition comes to.

use super::merkle::{LastLeaf, LastNode, Leaf, Node};
use super::{Levels, Merkle};
use crate::algorithm::Sha256;
use crate::frame::Frame;
use alloc::vec::Vec;
use std::fmt;
use std::ops::Range;

type Digest = [u8; 32];

/// Returns the Merkle tree. An entry is a leaf, whatever its length:
/// [`hash_each_leaf`](Merkle::hash_each_leaf) hashes entries.
pub fn merkle() -> Merkle<Sha256> {
    Merkle {
        leaf: Leaf::Hashed(Frame::new(&[0], &[])),
        node: Node::Hashed(Frame::new(&[1], &[])),
        leaf_bytes: usize::MAX,
        last_leaf: LastLeaf::Short,
        children: 2,
        child_bytes: 32,
        node_bytes: 64,
        last_node: LastNode::Promoted,
    }
}

/// Returns the root over these entries.
///
/// ```
/// use manyhash::{Sha256, hash, tree::rfc9162};
/// assert_eq!(rfc9162::root(&[""]), hash::<Sha256>(&[0]));
/// ```
pub fn root(entries: &[impl AsRef<[u8]>]) -> Digest {
    let merkle = merkle();
    let mut builder = merkle.builder();
    builder.add(&merkle.hash_each_leaf(entries));
    builder.root().unwrap_or_else(empty_root)
}

/// Returns the root over no entries: the digest of an empty message.
pub fn empty_root() -> Digest {
    crate::hash::hash::<Sha256>(&[])
}

/// A log in memory: the digests of its entries, and all that is above them. It gives proofs of
/// every state that it was in.
///
/// ```
/// use manyhash::tree::rfc9162::{self, Log};
/// let mut log = Log::new();
/// log.append(&["one", "two", "three"]);
/// let (size, root) = (log.size(), log.root());
/// let leaf = rfc9162::merkle().hash_each_leaf(&["two"])[0];
/// let proof = log.inclusion_proof(1, size).unwrap();
/// assert!(rfc9162::verify_inclusion(&leaf, 1, size, &proof, &root).is_ok());
/// log.append(&["four"]);
/// let proof = log.consistency_proof(size, log.size()).unwrap();
/// assert!(rfc9162::verify_consistency((size, &root), (log.size(), &log.root()), &proof).is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct Log {
    merkle: Merkle<Sha256>,
    levels: Levels<Sha256>,
}

impl Log {
    /// Creates a log without entries.
    pub fn new() -> Self {
        Self::of_leaves(Vec::new())
    }

    /// Creates the log whose entries have these digests: those of
    /// [`hash_each_leaf`](Merkle::hash_each_leaf).
    pub fn of_leaves(leaves: Vec<Digest>) -> Self {
        let merkle = merkle();
        Self { levels: merkle.levels(leaves), merkle }
    }

    /// Appends entries, and hashes what is new.
    pub fn append(&mut self, entries: &[impl AsRef<[u8]>]) {
        let leaves = self.merkle.hash_each_leaf(entries);
        self.levels.push(&leaves);
    }

    /// Returns the number of entries.
    pub fn size(&self) -> u64 {
        self.levels.leaves() as u64
    }

    /// Returns the root over all entries.
    pub fn root(&self) -> Digest {
        self.levels.root().unwrap_or_else(empty_root)
    }

    /// Returns the root over the first `size` entries, or `None` if there are not so many.
    pub fn root_of(&self, size: u64) -> Option<Digest> {
        let size = self.checked(size)?;
        Some(if size == 0 { empty_root() } else { self.over(0..size) })
    }

    /// Returns the proof that the entry with this index is among the first `size` ones (section
    /// 2.1.3.1), or `None` if there are not so many, or it is none of them.
    pub fn inclusion_proof(&self, index: u64, size: u64) -> Option<Vec<Digest>> {
        let size = self.checked(size)?;
        let index = usize::try_from(index).ok().filter(|index| *index < size)?;
        let (mut proof, mut range) = (Vec::new(), 0..size);
        while range.len() > 1 {
            let (left, right) = split(&range);
            let (inside, outside) = if left.contains(&index) { (left, right) } else { (right, left) };
            proof.push(self.over(outside));
            range = inside;
        }
        proof.reverse();
        Some(proof)
    }

    /// Returns the proof that the log with the first `to` entries is that with the first `from` of
    /// them, with more appended (section 2.1.4.1), or `None` if there are not so many. It is empty
    /// if `from` is 0 or `to`.
    pub fn consistency_proof(&self, from: u64, to: u64) -> Option<Vec<Digest>> {
        let to = self.checked(to)?;
        let from = usize::try_from(from).ok().filter(|from| *from <= to)?;
        let (mut proof, mut range) = (Vec::new(), 0..to);
        if from == 0 || from == to {
            return Some(proof);
        }
        // The walk ends at the subtree that ends where the older log did.
        while range.end != from {
            let (left, right) = split(&range);
            let (inside, outside) = if from <= left.end { (left, right) } else { (right, left) };
            proof.push(self.over(outside));
            range = inside;
        }
        // Who verifies knows the older log's root, so it is not in the proof.
        if range.start > 0 {
            proof.push(self.over(range));
        }
        proof.reverse();
        Some(proof)
    }

    fn checked(&self, size: u64) -> Option<usize> {
        usize::try_from(size).ok().filter(|size| *size <= self.levels.leaves())
    }

    /// Returns the root over some entries, which are those of a subtree of the log in one of its
    /// states.
    fn over(&self, entries: Range<usize>) -> Digest {
        if entries.len().is_power_of_two() || entries.end == self.levels.leaves() {
            // It begins at a multiple of a power of two that is not less than its entries.
            let level = entries.len().next_power_of_two().trailing_zeros() as usize;
            return self.levels.levels()[level][entries.start >> level];
        }
        let (left, right) = split(&entries);
        self.merkle.node(&[self.over(left), self.over(right)], 0)
    }
}

impl Default for Log {
    fn default() -> Self {
        Self::new()
    }
}

/// Cuts the entries of a subtree, of which there are at least two, into those of its children: the
/// left one has the largest power of two of them that is less than all.
fn split(entries: &Range<usize>) -> (Range<usize>, Range<usize>) {
    let middle = entries.start + entries.len().next_power_of_two() / 2;
    (entries.start..middle, middle..entries.end)
}

/// The reason why a proof proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProofError {
    /// The entry or the older log is not within the log.
    Outside,
    /// The proof has more or fewer digests than the sizes require.
    Length {
        /// The number of digests that it must have.
        expected: usize,
    },
    /// The proof leads to another root.
    Root,
}

impl fmt::Display for ProofError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside => f.write_str("what is to be proved is not within the log"),
            Self::Length { expected } => write!(f, "the proof must have {expected} digests"),
            Self::Root => f.write_str("the proof leads to another root"),
        }
    }
}

impl std::error::Error for ProofError {}

/// A claim that an entry is in a log, with its proof.
#[derive(Clone, Copy, Debug)]
pub struct Inclusion<'a> {
    /// The digest of the entry.
    pub leaf: &'a Digest,
    /// The entry's index.
    pub index: u64,
    /// The number of entries of the log.
    pub size: u64,
    /// The proof.
    pub proof: &'a [Digest],
    /// The log's root.
    pub root: &'a Digest,
}

impl Inclusion<'_> {
    /// Returns for each digest of the proof whether it is on the left of the path.
    fn sides(&self) -> Result<Vec<bool>, ProofError> {
        if self.index >= self.size {
            return Err(ProofError::Outside);
        }
        let (mut node, mut last) = (self.index, self.size - 1);
        let mut sides = Vec::new();
        while last > 0 {
            // A last node without a partner goes up as it is.
            if node & 1 == 1 || node < last {
                sides.push(node & 1 == 1);
            }
            (node, last) = (node >> 1, last >> 1);
        }
        if sides.len() == self.proof.len() { Ok(sides) } else { Err(ProofError::Length { expected: sides.len() }) }
    }
}

/// Verifies that an entry is in a log (section 2.1.3.2). `leaf` is the entry's digest, `size` and
/// `root` are those of the log.
///
/// # Errors
/// Returns why the proof proves nothing.
pub fn verify_inclusion(leaf: &Digest, index: u64, size: u64, proof: &[Digest], root: &Digest) -> Result<(), ProofError> {
    verify_inclusions(&[Inclusion { leaf, index, size, proof, root }])[0]
}

/// Verifies many proofs as [`verify_inclusion`] does, of the same log or of different ones: all
/// nodes of a level are hashed at once.
pub fn verify_inclusions(claims: &[Inclusion<'_>]) -> Vec<Result<(), ProofError>> {
    let merkle = merkle();
    let mut sides: Vec<_> = claims.iter().map(Inclusion::sides).collect();
    let mut roots: Vec<Digest> = claims.iter().map(|claim| *claim.leaf).collect();
    let mut nodes = Vec::new();
    for step in 0.. {
        let side = |claim: usize| sides[claim].as_ref().ok().and_then(|sides: &Vec<bool>| sides.get(step)).copied();
        let going: Vec<(usize, bool)> = (0..claims.len()).filter_map(|claim| Some((claim, side(claim)?))).collect();
        if going.is_empty() {
            break;
        }
        nodes.clear();
        for (claim, is_left) in &going {
            let (below, beside) = (roots[*claim], claims[*claim].proof[step]);
            nodes.extend_from_slice((if *is_left { [beside, below] } else { [below, beside] }).as_flattened());
        }
        for ((claim, _), digest) in going.into_iter().zip(merkle.hash_nodes(&nodes)) {
            roots[claim] = digest;
        }
    }
    let verdict = |(claim, sides): (usize, Result<Vec<bool>, ProofError>)| {
        sides.and_then(|_| if roots[claim] == *claims[claim].root { Ok(()) } else { Err(ProofError::Root) })
    };
    sides.drain(..).enumerate().map(verdict).collect()
}

/// Verifies that a log is an older one with entries appended (section 2.1.4.2). Both are given by
/// size and root. Of an empty log, or one of the same size, the proof is empty.
///
/// # Errors
/// Returns why the proof proves nothing.
pub fn verify_consistency(older: (u64, &Digest), newer: (u64, &Digest), proof: &[Digest]) -> Result<(), ProofError> {
    let (from, to) = (older.0, newer.0);
    if from > to {
        return Err(ProofError::Outside);
    }
    if from == 0 || from == to {
        let is_right = if from == to { older.1 == newer.1 } else { *older.1 == empty_root() };
        return match proof {
            [] if is_right => Ok(()),
            [] => Err(ProofError::Root),
            _ => Err(ProofError::Length { expected: 0 }),
        };
    }
    // The subtree that ends where the older log did is that log itself, or the first digest of the
    // proof.
    let (mut node, mut last) = (from - 1, to - 1);
    let level = node.trailing_ones();
    (node, last) = (node >> level, last >> level);
    let is_older_itself = node == 0;
    let (mut sides, mut expected) = (Vec::new(), usize::from(!is_older_itself));
    while last > 0 {
        if node & 1 == 1 || node < last {
            sides.push(node & 1 == 1);
            expected += 1;
        }
        (node, last) = (node >> 1, last >> 1);
    }
    if proof.len() != expected {
        return Err(ProofError::Length { expected });
    }
    let (start, rest) = match proof {
        [start, rest @ ..] if !is_older_itself => (start, rest),
        _ => (older.1, proof),
    };
    let merkle = merkle();
    let (mut older_root, mut newer_root) = (*start, *start);
    for (beside, is_left) in rest.iter().zip(sides) {
        if is_left {
            let hashed = merkle.hash_nodes([*beside, older_root, *beside, newer_root].as_flattened());
            (older_root, newer_root) = (hashed[0], hashed[1]);
        } else {
            newer_root = merkle.node(&[newer_root, *beside], 0);
        }
    }
    if older_root == *older.1 && newer_root == *newer.1 { Ok(()) } else { Err(ProofError::Root) }
}
