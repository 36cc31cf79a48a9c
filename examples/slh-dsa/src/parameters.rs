//! The twelve parameter sets (FIPS 205, section 11).

/// The hash functions of a parameter set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// SHA-256, and SHA-512 for what is longer than a link in sets of 24 and 32 bytes.
    Sha2,
    /// SHAKE256.
    Shake,
}

/// The numbers that a signature is made by. Sets of one name differ in what they are good for: `s` has small
/// signatures, `f` is fast to sign with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterSet {
    /// As in the standard: `SLH-DSA-SHA2-128f`.
    pub name: &'static str,
    pub(crate) family: Family,
    /// The bytes of every node, key and link (n).
    pub(crate) n: usize,
    /// The layers of trees (d).
    pub(crate) layers: u32,
    /// The height of a tree of a layer (h').
    pub(crate) height: u32,
    /// The height of a FORS tree (a).
    pub(crate) fors_height: u32,
    /// The FORS trees of a signature (k).
    pub(crate) fors_trees: usize,
}

/// All sets, as in Table 2 of the standard.
pub const ALL: [ParameterSet; 12] = [
    SHA2_128S, SHAKE_128S, SHA2_128F, SHAKE_128F, SHA2_192S, SHAKE_192S, SHA2_192F, SHAKE_192F, SHA2_256S, SHAKE_256S, SHA2_256F,
    SHAKE_256F,
];

macro_rules! sets {
    ($($sha2:ident $shake:ident $name:literal: $n:literal, $layers:literal, $height:literal, $fors_height:literal, $fors_trees:literal;)*) => { $(
        sets!(@ $sha2, Sha2, concat!("SLH-DSA-SHA2-", $name), $n, $layers, $height, $fors_height, $fors_trees);
        sets!(@ $shake, Shake, concat!("SLH-DSA-SHAKE-", $name), $n, $layers, $height, $fors_height, $fors_trees);
    )* };
    (@ $SET:ident, $Family:ident, $name:expr, $n:literal, $layers:literal, $height:literal, $fors_height:literal, $fors_trees:literal) => {
        #[doc = $name]
        pub const $SET: ParameterSet = ParameterSet {
            name: $name,
            family: Family::$Family,
            n: $n,
            layers: $layers,
            height: $height,
            fors_height: $fors_height,
            fors_trees: $fors_trees,
        };
    };
}
sets! { //               n   d  h'   a   k
    SHA2_128S SHAKE_128S "128s": 16,  7, 9, 12, 14;
    SHA2_128F SHAKE_128F "128f": 16, 22, 3,  6, 33;
    SHA2_192S SHAKE_192S "192s": 24,  7, 9, 14, 17;
    SHA2_192F SHAKE_192F "192f": 24, 22, 3,  8, 33;
    SHA2_256S SHAKE_256S "256s": 32,  8, 8, 14, 22;
    SHA2_256F SHAKE_256F "256f": 32, 17, 4,  9, 35;
}

impl ParameterSet {
    /// The set of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        ALL.into_iter().find(|set| set.name == name)
    }

    /// The bytes of a verifying key.
    pub const fn verifying_key_bytes(&self) -> usize {
        2 * self.n
    }

    /// The bytes of a signing key.
    pub const fn signing_key_bytes(&self) -> usize {
        4 * self.n
    }

    /// The bytes of a signature.
    pub const fn signature_bytes(&self) -> usize {
        self.n + self.fors_bytes() + self.layers as usize * self.layer_bytes()
    }

    /// The chains of a WOTS+ key: one for each four bits of a node, and three for their checksum (len).
    pub(crate) const fn chains(&self) -> usize {
        2 * self.n + 3
    }

    /// The bytes of a FORS signature: from each tree, a secret and the path from its leaf to the root.
    pub(crate) const fn fors_bytes(&self) -> usize {
        self.fors_trees * self.fors_tree_bytes()
    }

    pub(crate) const fn fors_tree_bytes(&self) -> usize {
        (1 + self.fors_height as usize) * self.n
    }

    /// The bytes of a layer's signature: a value of each chain, and the path from the leaf to the root.
    pub(crate) const fn layer_bytes(&self) -> usize {
        (self.chains() + self.height as usize) * self.n
    }

    /// The bits that choose a tree of the lowest layer, of which there are this many to the power of 2.
    pub(crate) const fn tree_bits(&self) -> u32 {
        (self.layers - 1) * self.height
    }
}
