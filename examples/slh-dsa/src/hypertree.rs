//! Layers of trees of WOTS+ keys: a key of each layer signs the root of a tree of the layer below, and those
//! of the lowest layer sign FORS keys (FIPS 205, sections 6 and 7).
//!
//! The trees of a signature follow from the secret seed and from where the message's digest leads. What
//! is signed in them follows later. So all of them grow first, together, and then all that their keys sign
//! is known, and is signed together.

use crate::hashes::Hashes;
use crate::parameters::ParameterSet;
use crate::trees::{self, Tree};
use crate::wots::{self, Place};

/// Leaves of trees that grow at once.
const TOGETHER: usize = 512;

/// The keys of all layers that sign, from below: the first is at `lowest`.
fn places(set: &ParameterSet, lowest: Place) -> Vec<Place> {
    let above = |place: &Place| {
        let leaf = (place.tree & ((1 << set.height) - 1)) as u32;
        Some(Place { layer: place.layer + 1, tree: place.tree >> set.height, leaf })
    };
    std::iter::successors(Some(lowest), above).take(set.layers as usize).collect()
}

/// Grows the trees of some places.
fn grow(set: &ParameterSet, hashes: &Hashes, seed: &[u8], places: &[Place]) -> trees::Grown {
    let leaves: Vec<Place> = places.iter().flat_map(|place| (0..1 << set.height).map(|leaf| Place { leaf, ..*place })).collect();
    let trees: Vec<Tree> = places.iter().map(|place| Tree::of_layer(place.layer, place.tree, place.leaf)).collect();
    trees::grow(hashes, &trees, set.height, wots::keys(hashes, seed, &leaves))
}

/// The root of the only tree of the highest layer, which is the public key of all.
pub(crate) fn root(set: &ParameterSet, hashes: &Hashes, seed: &[u8]) -> Vec<u8> {
    grow(set, hashes, seed, &[Place { layer: set.layers as u8 - 1, tree: 0, leaf: 0 }]).roots
}

/// Signs a FORS key by the keys from `lowest` up, behind `signature`.
pub(crate) fn sign(set: &ParameterSet, hashes: &Hashes, seed: &[u8], lowest: Place, fors_key: &[u8], signature: &mut Vec<u8>) {
    let places = places(set, lowest);
    let (mut nodes, mut paths) = (fors_key.to_vec(), Vec::with_capacity(places.len()));
    for places in places.chunks((TOGETHER >> set.height).max(1)) {
        let grown = grow(set, hashes, seed, places);
        nodes.extend(grown.roots);
        paths.extend(grown.paths);
    }
    nodes.truncate(places.len() * set.n); // nobody signs the highest root
    let signed = wots::sign(hashes, seed, &places, &nodes);
    for (values, path) in signed.chunks_exact(set.chains() * set.n).zip(&paths) {
        signature.extend_from_slice(values);
        signature.extend_from_slice(path);
    }
}

/// The roots that signatures of FORS keys lead to, layer by layer: each layer of all signatures at once.
pub(crate) fn roots_of_signatures(
    set: &ParameterSet,
    hashes: &Hashes,
    lowest: &[Place],
    fors_keys: Vec<u8>,
    signatures: &[&[u8]],
) -> Vec<u8> {
    let places: Vec<Vec<Place>> = lowest.iter().map(|lowest| places(set, *lowest)).collect();
    let mut nodes = fors_keys;
    for layer in 0..set.layers as usize {
        let places: Vec<Place> = places.iter().map(|places| places[layer]).collect();
        let of_layer = signatures.iter().map(|signature| &signature[layer * set.layer_bytes()..][..set.layer_bytes()]);
        let (values, paths): (Vec<&[u8]>, Vec<&[u8]>) = of_layer.map(|signature| signature.split_at(set.chains() * set.n)).unzip();
        let trees: Vec<Tree> = places.iter().map(|place| Tree::of_layer(place.layer, place.tree, place.leaf)).collect();
        let leaves = wots::keys_of_signatures(hashes, &places, &nodes, &values);
        nodes = trees::climb(hashes, &trees, set.height, leaves, &paths);
    }
    nodes
}
