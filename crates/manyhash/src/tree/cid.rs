//! Addresses of files in IPFS: CIDs of version 1, as `ipfs add --cid-version=1` makes them by
//! default. (github.com/multiformats/cid; ipld.io/specs/codecs/dag-pb; UnixFS of
//! github.com/ipfs/specs.)
//!
//! A file is cut into chunks of 256 KiB, which are blocks as they are (codec `raw`). A file of one
//! chunk has the chunk's address. Otherwise nodes (codec `dag-pb`) have up to 174 links each to
//! what is below them, all chunks lie equally deep, and the address is that of the topmost node.
//! Every address is a SHA-256 digest.
//!
//! A node says how large each child is, so it is no [`Merkle`] of digests alone. Like there,
//! chunks of a file, and nodes of a level, are hashed together.

use super::Merkle;
use super::merkle::{LastLeaf, LastNode, Leaf, Node};
use crate::algorithm::Sha256;
use crate::frame::Frame;
use crate::many::hash_many;
use alloc::{string::String, vec::Vec};
use std::fmt;

/// Bytes of a chunk.
pub const CHUNK_BYTES: usize = 256 << 10;
/// The most links of a node.
pub const MOST_LINKS: usize = 174;
/// The most nodes that are made before they are hashed.
const BATCH_NODES: usize = 16;

/// The number of the codec `raw`.
const RAW: u8 = 0x55;
/// The number of the codec `dag-pb`.
const DAG_PB: u8 = 0x70;

/// The address of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cid {
    codec: u8,
    digest: [u8; 32],
}

impl Cid {
    /// Returns the bytes of the address: version, codec, the number and length of a SHA-256 digest,
    /// and the digest.
    pub fn bytes(&self) -> [u8; 36] {
        let mut bytes = [0; 36];
        bytes[..4].copy_from_slice(&[1, self.codec, 0x12, 32]);
        bytes[4..].copy_from_slice(&self.digest);
        bytes
    }
}

/// The digits of Base32 (RFC 4648), in small letters.
const DIGITS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// Shows the address as text: `b`, and its bytes in Base32.
impl fmt::Display for Cid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::from("b");
        // With a byte of zeros behind them, the last digit has all its bits.
        for five in [&self.bytes()[..], &[0; 4]].concat().chunks_exact(5) {
            let value = five.iter().fold(0_u64, |value, byte| value << 8 | u64::from(*byte));
            text.extend((0..8).rev().map(|digit| char::from(DIGITS[(value >> (5 * digit)) as usize % 32])));
        }
        text.truncate(1 + (8 * self.bytes().len()).div_ceil(5));
        f.pad(&text)
    }
}

/// Returns the address of each file, and computes all of them together.
///
/// ```
/// use manyhash::tree::cid;
/// let empty = cid::cids(&[""])[0].to_string();
/// assert_eq!(empty, "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku");
/// ```
pub fn cids(contents: &[impl AsRef<[u8]>]) -> Vec<Cid> {
    let chunks = chunks();
    let mut digests = chunks.hash_leaves_of(contents).into_iter();
    let of_file = |content: &[u8]| {
        let mut file = FileBuilder::new();
        file.add(&digests.by_ref().take(chunks.leaves(content)).collect::<Vec<_>>());
        file.finish(content.len() as u64)
    };
    contents.iter().map(AsRef::as_ref).map(of_file).collect()
}

/// Returns a Merkle tree whose leaves are chunks, for [`hash_leaves`](Merkle::hash_leaves). Its
/// nodes are not those of IPFS, which [`FileBuilder`] makes.
pub fn chunks() -> Merkle<Sha256> {
    Merkle {
        leaf: Leaf::Hashed(Frame::default()),
        node: Node::Hashed(Frame::default()),
        leaf_bytes: CHUNK_BYTES,
        last_leaf: LastLeaf::Short,
        children: 2,
        child_bytes: 32,
        node_bytes: 64,
        last_node: LastNode::Promoted,
    }
}

/// What a node says of what is below one of its links.
#[derive(Clone, Copy, Debug)]
struct Child {
    cid: Cid,
    /// Bytes of the file.
    file_bytes: u64,
    /// Bytes of all blocks.
    block_bytes: u64,
}

/// Builds the address of a file whose chunks come one after the other. It keeps a batch of
/// addresses for each level, whatever the size of the file.
#[derive(Debug)]
pub struct FileBuilder {
    levels: Vec<Level>,
}

#[derive(Debug, Default)]
struct Level {
    /// What no node has a link to yet.
    children: Vec<Child>,
    /// True once there are nodes over this level.
    has_nodes: bool,
}

impl FileBuilder {
    /// Begins a file.
    pub fn new() -> Self {
        Self { levels: vec![Level::default()] }
    }

    /// Adds chunks by their digests, in order.
    pub fn add(&mut self, chunks: &[[u8; 32]]) {
        let bytes = CHUNK_BYTES as u64;
        let child = |digest: &[u8; 32]| Child { cid: Cid { codec: RAW, digest: *digest }, file_bytes: bytes, block_bytes: bytes };
        self.push(0, chunks.iter().map(child));
    }

    /// Returns the address of the file, once all chunks are there. The file has `file_bytes` bytes,
    /// of which the last chunk has those that the others have not.
    pub fn finish(mut self, file_bytes: u64) -> Cid {
        let chunks = &mut self.levels[0];
        match chunks.children.last_mut() {
            Some(last) => {
                let bytes = file_bytes.saturating_sub(1) % CHUNK_BYTES as u64 + 1;
                (last.file_bytes, last.block_bytes) = (bytes, bytes);
            }
            None => return Cid { codec: RAW, digest: crate::hash::hash::<Sha256>(&[]) },
        }
        let mut level = 0;
        loop {
            let Level { children, has_nodes } = &mut self.levels[level];
            if let ([root], false) = (&children[..], *has_nodes) {
                return root.cid;
            }
            let children = std::mem::take(children);
            self.make(level, &children);
            level += 1;
        }
    }

    fn push(&mut self, level: usize, children: impl Iterator<Item = Child>) {
        if level == self.levels.len() {
            self.levels.push(Level::default());
        }
        let waiting = &mut self.levels[level].children;
        waiting.extend(children);
        // The last one waits, because it may be the last of all, which is told from others only at
        // the end.
        if waiting.len() > BATCH_NODES * MOST_LINKS {
            let whole = (waiting.len() - 1) / MOST_LINKS * MOST_LINKS;
            let whole: Vec<Child> = waiting.drain(..whole).collect();
            self.make(level, &whole);
        }
    }

    /// Makes nodes over children of a level, which begin a node.
    fn make(&mut self, level: usize, children: &[Child]) {
        self.levels[level].has_nodes = true;
        let nodes: Vec<Vec<u8>> = children.chunks(MOST_LINKS).map(node).collect();
        let digests = hash_many::<Sha256>(&nodes);
        let parent = |((children, node), digest): ((&[Child], &Vec<u8>), [u8; 32])| Child {
            cid: Cid { codec: DAG_PB, digest },
            file_bytes: children.iter().map(|child| child.file_bytes).sum(),
            block_bytes: node.len() as u64 + children.iter().map(|child| child.block_bytes).sum::<u64>(),
        };
        let parents: Vec<Child> = children.chunks(MOST_LINKS).zip(&nodes).zip(digests).map(parent).collect();
        self.push(level + 1, parents.into_iter());
    }
}

impl Default for FileBuilder {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the bytes of the node over these children: `PBNode` of dag-pb, with `Data` of UnixFS in
/// it.
fn node(children: &[Child]) -> Vec<u8> {
    const FILE: u64 = 2;
    let (mut node, mut data) = (Vec::new(), Vec::new());
    number(1, FILE, &mut data);
    number(3, children.iter().map(|child| child.file_bytes).sum(), &mut data);
    for child in children {
        number(4, child.file_bytes, &mut data);
        let mut link = Vec::new();
        bytes(1, &child.cid.bytes(), &mut link);
        // A name, which is empty.
        bytes(2, &[], &mut link);
        number(3, child.block_bytes, &mut link);
        bytes(2, &link, &mut node);
    }
    bytes(1, &data, &mut node);
    node
}

/// Appends a number as a field of a message of Protocol Buffers.
fn number(field: u8, value: u64, message: &mut Vec<u8>) {
    message.push(field << 3);
    variable_length(value, message);
}

/// Appends bytes as a field of a message of Protocol Buffers.
fn bytes(field: u8, value: &[u8], message: &mut Vec<u8>) {
    message.push(field << 3 | 2);
    variable_length(value.len() as u64, message);
    message.extend_from_slice(value);
}

fn variable_length(mut value: u64, message: &mut Vec<u8>) {
    while value >= 0x80 {
        message.push(value as u8 | 0x80);
        value >>= 7;
    }
    message.push(value as u8);
}
