//! Tree modes against `vectors/tree-modes.txt`, which Python wrote from the definitions, and where there are tools, agrees with these.

#[macro_use]
mod support;

use std::collections::HashMap;
use std::convert::Infallible;

use manyhash::tree::{self, BitTorrentV2, DmVerity, FsVerity, JLanes, JPointers, Merkle, Nodes, dm_verity, fs_verity};
use manyhash::{Algorithm, Md5, Sha1, Sha256, Sha512, hash, hash_many};
use support::backends::forced_backend_lacks;
use support::hex;

/// A line: `MODE NAME=VALUE...`.
struct Vector<'a>(&'a str, HashMap<&'a str, &'a str>);

impl<'a> Vector<'a> {
    fn text(&self, name: &str) -> &'a str {
        self.1.get(name).unwrap_or_else(|| panic!("{}: no {name}", self.0))
    }

    fn number(&self, name: &str) -> usize {
        self.text(name).parse().unwrap_or_else(|error| panic!("{}: {name}: {error}", self.0))
    }

    fn salt(&self) -> Vec<u8> {
        let digits = self.text("salt").as_bytes().chunks_exact(2);
        digits.map(|digits| u8::from_str_radix(str::from_utf8(digits).unwrap(), 16).unwrap()).collect()
    }

    fn message(&self) -> Vec<u8> {
        pattern(self.number("bytes"))
    }

    /// The digest is this, and the tree blocks or piece layers are these.
    #[track_caller]
    fn check(&self, digest: Option<&[u8]>, tree: Option<&[u8]>) {
        assert_eq!(digest.map_or("-".to_string(), hex), self.text("digest"), "{}", self.0);
        assert_eq!(tree.map(|tree| hex(&hash::<Sha256>(tree))).as_deref(), self.1.get("tree").copied(), "tree of {}", self.0);
    }
}

/// Does `check` with each vector of the mode for which `name` is `value`; there must be some.
fn vectors(mode: &str, name: &str, value: &str, mut check: impl FnMut(&Vector<'_>)) {
    let text = std::fs::read_to_string(support::rsp::vectors_folder().join("tree-modes.txt")).unwrap();
    let lines = text.lines().filter_map(|line| Some((line, line.strip_prefix(mode)?.strip_prefix(' ')?)));
    let vectors = lines.map(|(line, rest)| Vector(line, rest.split(' ').map(|parameter| parameter.split_once('=').unwrap()).collect()));
    let chosen = vectors.filter(|vector| name.is_empty() || vector.text(name) == value);
    assert!(chosen.map(|vector| check(&vector)).count() > 3, "{mode} {name}={value}");
}

/// The message of so many bytes.
fn pattern(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (131 * i + 17 * (i >> 8) + 5 * (i >> 16) + 7) as u8).collect()
}

fn slices<A: Algorithm>() {
    vectors("j-lanes", "algorithm", A::NAME, |vector| {
        let mode = JLanes::<A>::new(vector.number("lanes")).unwrap();
        let mode = if vector.1.contains_key("separated") { mode.separated() } else { mode };
        let message = vector.message();
        vector.check(Some(mode.hash(&message).as_ref()), None);
        let mut hasher = mode.hasher();
        message.chunks(77).for_each(|piece| hasher.update(piece));
        vector.check(Some(hasher.finalize().as_ref()), None);
    });
    vectors("j-pointers", "algorithm", A::NAME, |vector| {
        let mode = JPointers::<A>::new(vector.number("lanes")).unwrap();
        let mode = if vector.1.contains_key("separated") { mode.separated() } else { mode };
        vector.check(Some(mode.hash(&vector.message()).as_ref()), None);
    });
    vectors("files", "algorithm", A::NAME, |vector| {
        let files: Vec<_> = vector.text("files").split(',').map(|bytes| pattern(bytes.parse().unwrap())).collect();
        vector.check(Some(tree::files::<A>(&hash_many::<A>(&files)).as_ref()), None);
    });
}
manyhash::for_each_algorithm!(per_algorithm[slices]);

/// The root over a message, and all nodes, top level first.
fn root_and_tree<A: Algorithm>(merkle: &Merkle<A>, message: &[u8]) -> (Option<A::Digest>, Vec<u8>) {
    let mut levels: Vec<Vec<u8>> = Vec::new();
    let mut keep = |nodes: Nodes<'_>| {
        levels.resize(levels.len().max(nodes.level + 1), Vec::new());
        levels[nodes.level].extend_from_slice(nodes.bytes);
        Ok::<_, Infallible>(())
    };
    let mut builder = merkle.builder();
    for piece in message.chunks(64 * merkle.leaf_bytes()) {
        let Ok(()) = builder.push(&merkle.hash_leaves(piece), &mut keep);
    }
    let Ok(root) = builder.finish(&mut keep);
    levels.reverse();
    (root, levels.concat())
}

fn fs_verity_of<A: fs_verity::FsVerityAlgorithm>(name: &str) {
    if forced_backend_lacks::<A>() {
        return;
    }
    vectors("fs-verity", "hash", name, |vector| {
        let mode = FsVerity::<A>::new(vector.number("block"), &vector.salt()).unwrap();
        let message = vector.message();
        let (root, tree) = root_and_tree(mode.merkle(), &message);
        let digest = mode.digest_of(&mode.descriptor(message.len() as u64, root));
        vector.check(Some(digest.as_ref()), Some(&tree));
        assert_eq!(hex(mode.digest(&message).as_ref()), vector.text("digest"), "{}", vector.0);
    });
}

#[test]
fn fs_verity_vectors() {
    fs_verity_of::<Sha256>("sha256");
    fs_verity_of::<Sha512>("sha512");
}

fn dm_verity_of<A: Algorithm>(name: &str) {
    if forced_backend_lacks::<A>() {
        return;
    }
    vectors("dm-verity", "hash", name, |vector| {
        let format = dm_verity::Format::by_number(vector.number("format") as u32).unwrap();
        let (data, hash) = (vector.number("data_block"), vector.number("hash_block"));
        let mode = DmVerity::<A>::new(format, data, hash, &vector.salt()).unwrap();
        let message = vector.message();
        let (root, tree) = root_and_tree(mode.merkle(), &message);
        vector.check(root.as_ref().map(AsRef::as_ref), Some(&tree));
        assert_eq!(mode.merkle().roots(&[message])[0].map(|root| root.as_ref().to_vec()), root.map(|root| root.as_ref().to_vec()));
    });
}

#[test]
fn dm_verity_vectors() {
    dm_verity_of::<Sha1>("sha1");
    dm_verity_of::<Sha256>("sha256");
    dm_verity_of::<Sha512>("sha512");
}

#[test]
fn bittorrent_and_glacier_vectors() {
    if forced_backend_lacks::<Sha256>() {
        return;
    }
    vectors("bittorrent-v2", "", "", |vector| {
        let tree = BitTorrentV2::new(vector.number("piece") as u64).unwrap().file_tree(&vector.message());
        vector.check(tree.pieces_root.as_ref().map(|root| &root[..]), Some(tree.piece_layer.as_flattened()));
    });
    vectors("glacier", "", "", |vector| vector.check(Some(&tree::glacier(&vector.message())), None));
}

/// RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |group: &[u8]| {
        let bits = (0..3).fold(0, |bits, index| bits << 8 | usize::from(*group.get(index).unwrap_or(&0)));
        let digit = move |index: usize| if index <= group.len() { char::from(DIGITS[bits >> (18 - 6 * index) & 63]) } else { '=' };
        (0..4).map(digit).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}

/// The digests of parts, one at least.
fn parts<A: Algorithm>(vector: &Vector<'_>) -> Vec<A::Digest> {
    let message = vector.message();
    let parts: Vec<&[u8]> = message.chunks(vector.number("part")).collect();
    hash_many::<A>(if parts.is_empty() { &[&[]] } else { &parts })
}

fn s3_of<A: Algorithm>(mode: &str, name: &str, text: fn(&[u8]) -> String) {
    if forced_backend_lacks::<A>() {
        return;
    }
    vectors(mode, name, A::NAME, |vector| {
        let parts = parts::<A>(vector);
        let digest = text(tree::s3_composite::<A>(&parts).as_ref());
        assert_eq!(format!("{digest}-{}", parts.len()), vector.text("digest"), "{}", vector.0);
    });
}

#[test]
fn s3_vectors() {
    s3_of::<Sha1>("s3", "algorithm", base64);
    s3_of::<Sha256>("s3", "algorithm", base64);
    s3_of::<Md5>("s3-etag", "", hex);
}
