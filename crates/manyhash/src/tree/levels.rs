//! Trees whose levels are kept, so that a changed leaf costs no more than its path, and proofs can
//! be read off.

use super::Merkle;
use crate::algorithms::Algorithm;
use alloc::vec::Vec;

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
        let mut tree = Levels { tree: self.clone(), beneath: level, levels: vec![Vec::new()] };
        tree.push(&digests);
        tree
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
        self.hash_above((before..self.leaves()).collect());
    }

    /// Hashes what is above the digests of the lowest level with these indices, which are sorted.
    fn hash_above(&mut self, mut changed: Vec<usize>) {
        let children = self.tree.children();
        let mut level = 0;
        while self.levels[level].len() > 1 && !changed.is_empty() {
            changed.iter_mut().for_each(|index| *index /= children);
            changed.dedup();
            if level + 1 == self.levels.len() {
                self.levels.push(Vec::new());
                // The node over the digest that was the root is new, too.
                changed = (0..self.levels[level].len().div_ceil(children)).collect();
            }
            let (below, above) = self.levels.split_at_mut(level + 1);
            let (below, above) = (&below[level], &mut above[0]);
            above.resize(below.len().div_ceil(children), A::ZERO);
            let mut bytes = Vec::new();
            for changed in changed.chunks(self.tree.batch_nodes()) {
                let (first, last) = (changed[0], changed[changed.len() - 1]);
                let is_run = last - first + 1 == changed.len();
                if let Some(nodes) =
                    below.get(first * children..(last + 1) * children).filter(|_| is_run).and_then(|run| self.tree.nodes_of(run))
                {
                    self.tree.hash_nodes_into(nodes, &mut above[first..=last]);
                    continue;
                }
                let children = |node: usize| &below[node * children..below.len().min((node + 1) * children)];
                bytes.clear();
                let mut hashed = Vec::new();
                for node in changed {
                    match self.tree.promoted(children(*node)) {
                        Some(promoted) => above[*node] = promoted,
                        None => {
                            self.tree.push_node(children(*node), self.beneath + level, &mut bytes);
                            hashed.push(*node);
                        }
                    }
                }
                for (node, digest) in hashed.into_iter().zip(self.tree.hash_nodes(&bytes)) {
                    above[node] = digest;
                }
            }
            level += 1;
        }
    }
}
