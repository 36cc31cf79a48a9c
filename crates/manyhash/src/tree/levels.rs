//! Trees whose levels are kept, so that a changed leaf costs no more than its path, and proofs can
//! be read off.

use super::Merkle;
use crate::algorithms::Algorithm;
use alloc::vec::Vec;
use std::ops::Range;

/// A tree with its levels: the digests that it was made of, and all above them.
///
/// ```
/// use manyhash::tree::ssz;
/// let mut tree = ssz::merkle().levels(vec![[1; 32], [2; 32], [3; 32]]);
/// tree.update(&[(1, [7; 32])]);
/// assert_eq!(tree.root(), ssz::merkle().levels(vec![[1; 32], [7; 32], [3; 32]]).root());
/// ```
#[derive(Clone, Debug)]
pub struct Levels<A: Algorithm> {
    tree: Merkle<A>,
    /// The number of levels beneath those that are kept.
    beneath: usize,
    /// The lowest level first. Only the last one has a single digest, or none if the tree is empty.
    levels: Vec<Vec<A::Digest>>,
}

impl<A: Algorithm> Merkle<A> {
    /// Builds the tree over leaves, given by their digests, and keeps all levels: twice the memory
    /// of the leaves' digests, if nodes have two children.
    pub fn levels(&self, leaves: Vec<A::Digest>) -> Levels<A> {
        self.levels_above(0, leaves)
    }

    /// Builds the tree over the digests of a level, and keeps that level and those above it.
    /// `level` is 0 for leaves, and as many nodes away from them otherwise. Whoever keeps fewer
    /// levels has to make more digests anew when a leaf changes.
    pub fn levels_above(&self, level: usize, digests: Vec<A::Digest>) -> Levels<A> {
        let mut tree = Levels { tree: self.clone(), beneath: level, levels: vec![digests] };
        tree.hash_after(0);
        tree
    }

    /// Hashes nodes of a level, given by their indices, of which none is twice: bytes of their children, from
    /// `below`, are copied together.
    fn hash_copied(&self, level: usize, below: &[A::Digest], above: &mut [A::Digest], nodes: impl Iterator<Item = usize>) {
        let (mut bytes, mut hashed) = (Vec::new(), Vec::new());
        for node in nodes {
            let children = &below[node * self.children()..below.len().min((node + 1) * self.children())];
            match self.promoted(children) {
                Some(promoted) => above[node] = promoted,
                None => {
                    self.push_node(children, level, &mut bytes);
                    hashed.push(node);
                }
            }
        }
        for (node, digest) in hashed.into_iter().zip(self.hash_nodes(&bytes)) {
            above[node] = digest;
        }
    }

    /// Hashes successive nodes of a level, where their children are if they may be hashed there.
    fn hash_run(&self, level: usize, below: &[A::Digest], above: &mut [A::Digest], run: Range<usize>) {
        let children = below.get(run.start * self.children()..run.end * self.children());
        match children.and_then(|children| self.nodes_of(children)) {
            Some(nodes) => self.hash_nodes_into(nodes, &mut above[run]),
            None => self.hash_copied(level, below, above, run),
        }
    }
}

impl<A: Algorithm> Levels<A> {
    /// Returns the root, or `None` if there are no leaves.
    pub fn root(&self) -> Option<A::Digest> {
        self.levels.last().and_then(|level| level.first()).copied()
    }

    /// Returns the levels that are kept, the lowest first.
    pub fn levels(&self) -> &[Vec<A::Digest>] {
        &self.levels
    }

    /// Returns the number of digests of the lowest level, which are leaves if all levels are kept.
    pub fn leaves(&self) -> usize {
        self.levels[0].len()
    }

    /// Replaces digests of the lowest level, each given by its index, and hashes again what is
    /// above them: no more than their paths to the root, and all changed nodes of a level at once.
    /// Of two changes of the same digest, the later one counts.
    ///
    /// # Panics
    /// Panics if there is no digest with such an index.
    pub fn update(&mut self, changes: &[(usize, A::Digest)]) {
        for (index, digest) in changes {
            self.levels[0][*index] = *digest;
        }
        let mut changed: Vec<usize> = changes.iter().map(|(index, _)| *index).collect();
        changed.sort_unstable();
        self.hash_above(changed);
    }

    /// Appends digests to the lowest level, and hashes what is above them.
    pub fn push(&mut self, digests: &[A::Digest]) {
        let before = self.leaves();
        self.levels[0].extend_from_slice(digests);
        self.hash_after(before);
    }

    /// Hashes what is above all digests of the lowest level from this one on.
    fn hash_after(&mut self, mut first: usize) {
        let (children, batch) = (self.tree.children(), self.tree.batch_nodes());
        let mut level = 0;
        while self.levels[level].len() > 1 && first < self.levels[level].len() {
            let is_new = self.add_level(level);
            first = if is_new { 0 } else { first / children };
            let beneath = self.beneath + level;
            let (tree, below, above) = self.below_and_above(level);
            let whole = below.len() / children;
            let mut next = first;
            while next < above.len() {
                // The last node may not be whole: then it is hashed apart.
                let end = if next < whole { whole.min(next + batch) } else { above.len() };
                tree.hash_run(beneath, below, above, next..end);
                next = end;
            }
            level += 1;
        }
    }

    /// Hashes what is above the digests of the lowest level with these indices, which are sorted.
    fn hash_above(&mut self, mut changed: Vec<usize>) {
        let (children, batch) = (self.tree.children(), self.tree.batch_nodes());
        for level in 0..self.levels.len() - 1 {
            changed.iter_mut().for_each(|index| *index /= children);
            changed.dedup();
            let beneath = self.beneath + level;
            let (tree, below, above) = self.below_and_above(level);
            for changed in changed.chunks(batch) {
                let run = changed[0]..changed[changed.len() - 1] + 1;
                if run.len() == changed.len() {
                    tree.hash_run(beneath, below, above, run);
                } else {
                    tree.hash_copied(beneath, below, above, changed.iter().copied());
                }
            }
        }
    }

    /// Adds the level above this one, if it is the last. Returns whether it was.
    fn add_level(&mut self, level: usize) -> bool {
        let is_last = level + 1 == self.levels.len();
        if is_last {
            self.levels.push(Vec::new());
        }
        is_last
    }

    /// Returns a level and the one above it, which has room for all nodes over it.
    fn below_and_above(&mut self, level: usize) -> (&Merkle<A>, &[A::Digest], &mut [A::Digest]) {
        let (below, above) = self.levels.split_at_mut(level + 1);
        let (below, above) = (&below[level], &mut above[0]);
        above.resize(below.len().div_ceil(self.tree.children()), A::ZERO);
        (&self.tree, below, above)
    }
}
