//! FORS, which signs the digest of a message (FIPS 205, section 8).
//!
//! A key is a set of trees over secrets; the public key is a hash of their roots. Some bits of the digest
//! choose a secret of each tree, and the signature shows it, with the path from its leaf to the root.

use crate::address::{Address, Kind};
use crate::hashes::{Hashes, Secret};
use crate::parameters::ParameterSet;
use crate::trees::{self, Tree};
use crate::wots::Place;

/// Leaves of trees that grow at once: many lanes, and all of it stays in the cache.
const TOGETHER: usize = 4096;

/// A key: it belongs to a leaf of a tree of the lowest layer, whose WOTS+ key will sign it.
fn address(place: Place, kind: Kind, index: u32) -> Address {
    Address { layer: 0, tree: place.tree, kind, leaf: place.leaf, chain_or_height: 0, link_or_index: index }
}

/// The trees of a key, and in each the leaf that these bits of a digest choose.
fn trees(set: &ParameterSet, place: Place, bits: &[u8]) -> Vec<Tree> {
    let bit = |i: usize| u32::from(bits[i / 8] >> (7 - i % 8) & 1);
    let height = set.fors_height as usize;
    let tree = |i: usize| Tree {
        first: address(place, Kind::ForsNode, (i << height) as u32),
        signs: (i * height..(i + 1) * height).fold(0, |number, i| number << 1 | bit(i)),
    };
    (0..set.fors_trees).map(tree).collect()
}

/// The leaves of secrets: a link from each.
fn leaves(hashes: &Hashes, addresses: impl Iterator<Item = Address>, secrets: &[u8]) -> Secret {
    hashes.chains(&hashes.addresses(addresses), secrets.chunks_exact(hashes.n).map(|secret| (secret, 1)))
}

/// The public key of the roots of all trees of each key.
fn keys(hashes: &Hashes, places: &[Place], roots: &[u8]) -> Vec<u8> {
    hashes.nodes(places.iter().map(|place| address(*place, Kind::ForsKey, 0)), roots)
}

/// Signs bits of a digest, behind `signature`. Returns the public key.
pub(crate) fn sign(set: &ParameterSet, hashes: &Hashes, seed: &[u8], place: Place, bits: &[u8], signature: &mut Vec<u8>) -> Vec<u8> {
    let (n, width) = (set.n, 1 << set.fors_height);
    let mut roots = Vec::with_capacity(set.fors_trees * n);
    for trees in trees(set, place, bits).chunks((TOGETHER / width).max(1)) {
        let all = || trees.iter().flat_map(|tree| (0..width as u32).map(|i| tree.node(0, i)));
        let secrets = hashes.secrets(seed, all().map(|node| Address { kind: Kind::ForsSecret, ..node }));
        let grown = trees::grow(hashes, trees, set.fors_height, leaves(hashes, all(), &secrets).to_vec());
        for ((tree, path), secrets) in trees.iter().zip(&grown.paths).zip(secrets.chunks_exact(width * n)) {
            signature.extend_from_slice(&secrets[tree.signs as usize * n..][..n]);
            signature.extend_from_slice(path);
        }
        roots.extend_from_slice(&grown.roots);
    }
    keys(hashes, &[place], &roots)
}

/// The public key that bits of each digest and their signature lead to.
pub(crate) fn keys_of_signatures(set: &ParameterSet, hashes: &Hashes, places: &[Place], bits: &[&[u8]], signatures: &[&[u8]]) -> Vec<u8> {
    let trees: Vec<Tree> = places.iter().zip(bits).flat_map(|(place, bits)| trees(set, *place, bits)).collect();
    let shown = signatures.iter().flat_map(|signature| signature.chunks_exact(set.fors_tree_bytes()));
    let (secrets, paths): (Vec<&[u8]>, Vec<&[u8]>) = shown.map(|shown| shown.split_at(set.n)).unzip();
    let leaves = leaves(hashes, trees.iter().map(|tree| tree.node(0, tree.signs)), &secrets.concat());
    let roots = trees::climb(hashes, &trees, set.fors_height, leaves.to_vec(), &paths);
    keys(hashes, places, &roots)
}
