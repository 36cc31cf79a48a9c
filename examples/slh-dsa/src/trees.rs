//! Merkle trees of one height, many at once: every level of all of them is hashed together. They are the
//! trees of layers (FIPS 205, section 6) and of FORS (section 8).

use crate::address::{Address, Kind};
use crate::hashes::Hashes;

/// A tree, and the leaf of it that matters: the one that signs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tree {
    /// The address of its leftmost leaf, if its leaves were nodes of the tree.
    pub(crate) first: Address,
    /// Which leaf signs, counted from the first.
    pub(crate) signs: u32,
}

impl Tree {
    /// The tree of a layer whose leaves are WOTS+ keys.
    pub(crate) fn of_layer(layer: u8, tree: u64, signs: u32) -> Self {
        let first = Address { layer, tree, kind: Kind::TreeNode, leaf: 0, chain_or_height: 0, link_or_index: 0 };
        Self { first, signs }
    }

    /// The address of a node.
    pub(crate) fn node(&self, height: u32, index: u32) -> Address {
        // The trees of a FORS key lie beside one another, and their nodes are counted through.
        Address { chain_or_height: height, link_or_index: (self.first.link_or_index >> height) + index, ..self.first }
    }
}

/// Trees that have grown.
#[derive(Debug)]
pub(crate) struct Grown {
    /// The root of each.
    pub(crate) roots: Vec<u8>,
    /// What proves that the leaf that signs is of the tree: the siblings of the nodes above it, from below.
    pub(crate) paths: Vec<Vec<u8>>,
}

/// Hashes the leaves of all trees up to their roots.
pub(crate) fn grow(hashes: &Hashes, trees: &[Tree], height: u32, leaves: Vec<u8>) -> Grown {
    let n = hashes.n;
    let mut paths = vec![Vec::with_capacity(height as usize * n); trees.len()];
    let mut nodes = leaves;
    for level in 0..height {
        let width = 1 << (height - level);
        for ((tree, path), nodes) in trees.iter().zip(&mut paths).zip(nodes.chunks_exact(width * n)) {
            let sibling = (tree.signs >> level ^ 1) as usize;
            path.extend_from_slice(&nodes[sibling * n..][..n]);
        }
        let parents: Vec<_> = trees.iter().flat_map(|tree| (0..width as u32 / 2).map(|i| tree.node(level + 1, i))).collect();
        nodes = hashes.nodes(parents.into_iter(), &nodes);
    }
    Grown { roots: nodes, paths }
}

/// Goes up from the leaf that signs of each tree along its path, to where the root must be.
pub(crate) fn climb(hashes: &Hashes, trees: &[Tree], height: u32, leaves: Vec<u8>, paths: &[&[u8]]) -> Vec<u8> {
    let n = hashes.n;
    let mut nodes = leaves;
    for level in 0..height {
        let mut pairs = Vec::with_capacity(2 * nodes.len());
        for ((tree, path), node) in trees.iter().zip(paths).zip(nodes.chunks_exact(n)) {
            let sibling = &path[level as usize * n..][..n];
            let is_right = tree.signs >> level & 1 == 1;
            let (left, right) = if is_right { (sibling, node) } else { (node, sibling) };
            pairs.extend_from_slice(left);
            pairs.extend_from_slice(right);
        }
        nodes = hashes.nodes(trees.iter().map(|tree| tree.node(level + 1, tree.signs >> (level + 1))), &pairs);
    }
    nodes
}
