//! WOTS+, which signs one node by each key (FIPS 205, section 5).
//!
//! A key is a set of chains of 15 links from secrets; the public key is a hash of their ends. A signature
//! has a value of each chain: as many links from its beginning as four bits of the node say. Who verifies
//! goes on to the ends. Nobody can go back, and to go on in one chain is to go back in those of the
//! checksum.
//!
//! Chains are independent, so those of many keys fill lanes. How many links each has follows from what is
//! signed, which is public: it takes no time that tells of a secret.

use crate::address::{Address, Kind};
use crate::hashes::{Hashes, Secret};

/// Where a key is: the layer, the tree of it, and the leaf of that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) layer: u8,
    pub(crate) tree: u64,
    pub(crate) leaf: u32,
}

impl Place {
    fn address(self, kind: Kind, chain: u32, link: u32) -> Address {
        Address { layer: self.layer, tree: self.tree, kind, leaf: self.leaf, chain_or_height: chain, link_or_index: link }
    }
}

/// The links of a chain, which is also the greatest number of four bits.
const LINKS: u8 = 15;

/// Keys whose chains are hashed at once: many lanes, and all of it stays in the cache.
const TOGETHER: usize = 32;

/// The numbers that a node is signed by: its digits in base 16, and those of their checksum.
fn digits(node: &[u8]) -> Vec<u8> {
    let mut digits: Vec<u8> = node.iter().flat_map(|byte| [byte >> 4, byte & 15]).collect();
    let checksum: u16 = digits.iter().map(|digit| u16::from(LINKS - digit)).sum();
    digits.extend([8, 4, 0].map(|bits| (checksum >> bits & 15) as u8));
    digits
}

/// The addresses of all chains of all keys, at a link that `link` says of key and chain.
fn chains<'a>(hashes: &'a Hashes, places: &'a [Place], kind: Kind, link: impl Fn(usize, usize) -> u32) -> impl Iterator<Item = Address> {
    let count = 2 * hashes.n + 3;
    (0..places.len() * count).map(move |i| places[i / count].address(kind, (i % count) as u32, link(i / count, i % count)))
}

/// The secrets that all chains of keys begin with.
fn secrets(hashes: &Hashes, seed: &[u8], places: &[Place]) -> Secret {
    hashes.secrets(seed, chains(hashes, places, Kind::WotsSecret, |_, _| 0))
}

/// The public keys of what all chains end with.
fn keys_of_ends(hashes: &Hashes, places: &[Place], ends: &[u8]) -> Vec<u8> {
    hashes.nodes(places.iter().map(|place| place.address(Kind::WotsKey, 0, 0)), ends)
}

/// Makes public keys.
pub(crate) fn keys(hashes: &Hashes, seed: &[u8], places: &[Place]) -> Vec<u8> {
    let some = |places: &[Place]| {
        let secrets = secrets(hashes, seed, places);
        let addresses = hashes.addresses(chains(hashes, places, Kind::WotsLink, |_, _| 0));
        let ends = hashes.chains(&addresses, secrets.chunks_exact(hashes.n).map(|secret| (secret, LINKS.into())));
        keys_of_ends(hashes, places, &ends)
    };
    places.chunks(TOGETHER).flat_map(some).collect()
}

/// Signs a node by each key.
pub(crate) fn sign(hashes: &Hashes, seed: &[u8], places: &[Place], nodes: &[u8]) -> Vec<u8> {
    let secrets = secrets(hashes, seed, places);
    let addresses = hashes.addresses(chains(hashes, places, Kind::WotsLink, |_, _| 0));
    let digits: Vec<u8> = nodes.chunks_exact(hashes.n).flat_map(digits).collect();
    let values = secrets.chunks_exact(hashes.n).zip(digits).map(|(secret, digit)| (secret, digit.into()));
    hashes.chains(&addresses, values).to_vec()
}

/// The public key that each node and its signature lead to.
pub(crate) fn keys_of_signatures(hashes: &Hashes, places: &[Place], nodes: &[u8], signatures: &[&[u8]]) -> Vec<u8> {
    let digits: Vec<Vec<u8>> = nodes.chunks_exact(hashes.n).map(digits).collect();
    let addresses = hashes.addresses(chains(hashes, places, Kind::WotsLink, |key, chain| digits[key][chain].into()));
    let values = signatures.iter().flat_map(|signature| signature.chunks_exact(hashes.n));
    let links = digits.iter().flatten().map(|digit| (LINKS - digit).into());
    let ends = hashes.chains(&addresses, values.zip(links));
    keys_of_ends(hashes, places, &ends)
}
