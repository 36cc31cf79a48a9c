//! Addresses: every hash of a key pair has a place, which is part of its input, so that no two hashes of it
//! have the same input (FIPS 205, section 4.2).

/// What is hashed there.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    WotsLink = 0,
    WotsKey = 1,
    TreeNode = 2,
    ForsNode = 3,
    ForsKey = 4,
    WotsSecret = 5,
    ForsSecret = 6,
}

/// The place of a hash.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    pub(crate) layer: u8,
    /// Which tree of the layer, from the left.
    pub(crate) tree: u64,
    pub(crate) kind: Kind,
    /// Which leaf of the tree; 0 for what is above leaves.
    pub(crate) leaf: u32,
    /// A chain of the leaf's key, or the height of a node.
    pub(crate) chain_or_height: u32,
    /// A link of the chain, or which node of its height.
    pub(crate) link_or_index: u32,
}

/// How an address is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Before SHA-2: as short as it can be, for a link to be one block.
    Compressed,
    /// Before SHAKE.
    Full,
}

impl Form {
    pub(crate) const fn bytes(self) -> usize {
        match self {
            Self::Compressed => 22,
            Self::Full => 32,
        }
    }

    /// Writes an address behind `bytes`. Its last four bytes are the link.
    pub(crate) fn write(self, address: &Address, bytes: &mut Vec<u8>) {
        let zeros = |count| if self == Self::Full { &[0; 4][..count] } else { &[] };
        bytes.extend_from_slice(zeros(3));
        bytes.push(address.layer);
        bytes.extend_from_slice(zeros(4));
        bytes.extend(address.tree.to_be_bytes());
        bytes.extend_from_slice(zeros(3));
        bytes.push(address.kind as u8);
        for word in [address.leaf, address.chain_or_height, address.link_or_index] {
            bytes.extend(word.to_be_bytes());
        }
    }
}
