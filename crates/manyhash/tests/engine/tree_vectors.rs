//! Tree modes against `vectors/tree-modes.txt`, whose digests a Python script computed from the
//! definitions.

use std::collections::HashMap;

use crate::support::hex;
use manyhash::backend::Backend;
use manyhash::tree::{
    self, BitTorrentV2, DmVerity, Files, FsVerity, JLanes, JPointers, bitcoin, cid, dm_verity, fs_verity, git, rfc9162, sha256tree, ssz,
};
use manyhash::{Algorithm, Md5, Sha1, Sha256, Sha512, hash, hash_many};
use reference::messages::of_tree_modes as pattern;

const VECTORS: &str = include_str!("../../../../vectors/tree-modes.txt");
const EXAMPLES: &str = include_str!("../../src/tree/examples.md");

/// A line: the mode and its parameters.
struct Vector<'a> {
    line: &'a str,
    mode: &'a str,
    parameters: HashMap<&'a str, &'a str>,
}

impl<'a> Vector<'a> {
    fn of(line: &'a str) -> Self {
        let mut words = line.split(' ');
        let mode = words.next().unwrap();
        let parameters = words.map(|word| word.split_once('=').unwrap_or_else(|| panic!("{line}"))).collect();
        Self { line, mode, parameters }
    }

    fn text(&self, name: &str) -> &'a str {
        self.parameters.get(name).unwrap_or_else(|| panic!("no {name} in {}", self.line))
    }

    fn number(&self, name: &str) -> usize {
        self.text(name).parse().unwrap_or_else(|error| panic!("{name} in {}: {error}", self.line))
    }

    fn salt(&self) -> Vec<u8> {
        let digits = self.text("salt").trim_start_matches('-');
        (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
    }

    fn message(&self) -> Vec<u8> {
        pattern(self.number("bytes"))
    }

    fn files(&self) -> Vec<Vec<u8>> {
        self.text("files").split(',').map(|bytes| pattern(bytes.parse().unwrap())).collect()
    }

    /// The algorithm's name, as its standard has it or as Linux has it.
    fn algorithm(&self) -> &'a str {
        self.parameters.get("algorithm").or_else(|| self.parameters.get("hash")).copied().unwrap_or("SHA-256")
    }

    fn is<A: Algorithm>(&self) -> bool {
        self.algorithm() == A::NAME || self.algorithm() == A::NAME.to_lowercase().replace('/', "-").replacen('-', "", 1)
    }

    fn check(&self, digest: &[u8]) {
        assert_eq!(hex(digest), self.text("digest"), "{}", self.line);
    }

    fn check_tree(&self, blocks: &[u8]) {
        assert_eq!(hex(&hash::<Sha256>(blocks)), self.text("tree"), "tree of {}", self.line);
    }
}

fn vectors(mode: &str) -> Vec<Vector<'static>> {
    let vectors: Vec<_> =
        VECTORS.lines().filter(|line| !line.starts_with('#')).map(Vector::of).filter(|vector| vector.mode == mode).collect();
    assert!(vectors.len() > 10, "{} vectors of {mode}", vectors.len());
    vectors
}

/// Whether `A` can be computed at all: a forced backend may lack it.
fn is_possible<A: Algorithm>() -> bool {
    Backend::in_use::<A>().is_ok()
}

/// Calls `$check::<A>(vector)` for the algorithm of each vector.
macro_rules! check_all {
    ([$mode:literal $check:ident] $($Algorithm:ident)*) => {
        for vector in vectors($mode) {
            let mut known = false;
            $(if vector.is::<manyhash::$Algorithm>() {
                known = true;
                if is_possible::<manyhash::$Algorithm>() {
                    $check::<manyhash::$Algorithm>(&vector);
                }
            })*
            assert!(known, "unknown algorithm in {}", vector.line);
        }
    };
}

fn j_lanes<A: Algorithm>(vector: &Vector) {
    let mode = JLanes::<A>::new(vector.number("lanes")).unwrap();
    let mode = if vector.parameters.contains_key("separated") { mode.separated() } else { mode };
    vector.check(mode.hash(&vector.message()).as_ref());
}

fn j_pointers<A: Algorithm>(vector: &Vector) {
    let mode = JPointers::<A>::new(vector.number("lanes")).unwrap();
    let mode = if vector.parameters.contains_key("separated") { mode.separated() } else { mode };
    vector.check(mode.hash(&vector.message()).as_ref());
}

fn files<A: Algorithm>(vector: &Vector) {
    let messages = vector.files();
    let is_separated = vector.parameters.contains_key("separated");
    let mode = if is_separated { Files::<A>::separated(messages.len() as u64) } else { Files::new() };
    let mut wrap = mode.wrap();
    mode.hash_many(&messages).iter().for_each(|digest| wrap.update(digest.as_ref()));
    vector.check(wrap.finalize().as_ref());
    let mut wrap = mode.wrap();
    for message in &messages {
        let mut hasher = mode.message();
        message.chunks(61).for_each(|piece| hasher.update(piece));
        wrap.update(hasher.finalize().as_ref());
    }
    vector.check(wrap.finalize().as_ref());
    if !is_separated {
        vector.check(tree::files::<A>(&hash_many::<A>(&messages)).as_ref());
    }
}

fn dm_verity<A: Algorithm>(vector: &Vector) {
    let format = dm_verity::Format::by_number(vector.number("format") as u32).unwrap();
    let mode = DmVerity::<A>::new(format, vector.number("data_block"), vector.number("hash_block"), &vector.salt()).unwrap();
    let message = vector.message();
    let (offsets, blocks) = mode.merkle().level_offsets((message.len() / vector.number("data_block")) as u64);
    let mut device = vec![0; blocks as usize * vector.number("hash_block")];
    let mut builder = mode.merkle().builder();
    let mut write = |nodes: tree::Nodes<'_>| {
        let at = (offsets[nodes.level] + nodes.first) as usize * vector.number("hash_block");
        device[at..at + nodes.bytes.len()].copy_from_slice(nodes.bytes);
        Ok::<_, ()>(())
    };
    builder.push(&mode.merkle().hash_leaves(&message), &mut write).unwrap();
    vector.check(builder.finish(&mut write).unwrap().unwrap().as_ref());
    vector.check_tree(&device);
}

fn fs_verity<A: fs_verity::FsVerityAlgorithm>(vector: &Vector) {
    let mode = FsVerity::<A>::new(vector.number("block"), &vector.salt()).unwrap();
    let message = vector.message();
    let (offsets, blocks) = mode.merkle().level_offsets(message.len().div_ceil(vector.number("block")) as u64);
    let mut file = vec![0; blocks as usize * vector.number("block")];
    let mut builder = mode.merkle().builder();
    let mut write = |nodes: tree::Nodes<'_>| {
        let at = (offsets[nodes.level] + nodes.first) as usize * vector.number("block");
        file[at..at + nodes.bytes.len()].copy_from_slice(nodes.bytes);
        Ok::<_, ()>(())
    };
    builder.push(&mode.merkle().hash_leaves(&message), &mut write).unwrap();
    let root = builder.finish(&mut write).unwrap();
    vector.check(mode.digest_of(&mode.descriptor(message.len() as u64, root)).as_ref());
    vector.check(mode.digest(&message).as_ref());
    vector.check_tree(&file);
}

#[test]
fn slices() {
    manyhash::for_each_algorithm!(check_all ["j-lanes" j_lanes]);
    manyhash::for_each_algorithm!(check_all ["j-pointers" j_pointers]);
    manyhash::for_each_algorithm!(check_all ["files" files]);
}

#[test]
fn verity() {
    manyhash::for_each_algorithm!(check_all ["dm-verity" dm_verity]);
    for vector in vectors("fs-verity") {
        match vector.algorithm() {
            "sha256" if is_possible::<Sha256>() => fs_verity::<Sha256>(&vector),
            "sha512" if is_possible::<Sha512>() && is_possible::<Sha256>() => fs_verity::<Sha512>(&vector),
            _ => {}
        }
    }
}

#[test]
fn bittorrent_and_glacier() {
    if !is_possible::<Sha256>() {
        return;
    }
    for vector in vectors("bittorrent-v2") {
        let found = BitTorrentV2::new(vector.number("piece") as u64).unwrap().file_tree(&vector.message());
        assert_eq!(found.pieces_root.map_or("-".into(), |root| hex(&root)), vector.text("digest"), "{}", vector.line);
        vector.check_tree(found.piece_layer.as_flattened());
    }
    for vector in vectors("glacier") {
        vector.check(&tree::glacier(&vector.message()));
    }
}

#[test]
fn trees_of_other_worlds() {
    if !is_possible::<Sha256>() {
        return;
    }
    for vector in vectors("sha256tree") {
        vector.check(&sha256tree::digests(&[vector.message()])[0]);
    }
    for vector in vectors("rfc9162") {
        vector.check(&rfc9162::root(&vector.files()));
    }
    for vector in vectors("ssz") {
        let (message, merkle) = (vector.message(), ssz::merkle());
        let chunks = merkle.hash_leaves(&message);
        let Some(limit) = vector.parameters.get("limit") else {
            vector.check(&ssz::merkleize(&chunks, None).unwrap());
            continue;
        };
        let (limit, element): (u64, _) = (limit.parse().unwrap(), vector.number("element"));
        let root = ssz::merkleize(&chunks, Some((limit * element as u64).div_ceil(32))).unwrap();
        vector.check(&ssz::mix_in_length(root, (message.len() / element) as u64));
    }
    for vector in vectors("bitcoin") {
        let ids = pattern(32 * vector.number("ids"));
        vector.check(&bitcoin::root(ids.as_chunks().0).unwrap());
    }
    for vector in vectors("git") {
        match vector.text("format") {
            "sha1" if is_possible::<Sha1>() => vector.check(&git::blob_ids::<Sha1>(&[vector.message()])[0]),
            "sha256" => vector.check(&git::blob_ids::<Sha256>(&[vector.message()])[0]),
            _ => {}
        }
    }
    for vector in vectors("cid") {
        assert_eq!(cid::cids(&[vector.message()])[0].to_string(), vector.text("digest"), "{}", vector.line);
    }
}

/// A multipart ETag: the digest in hexadecimal, and the number of parts.
#[test]
fn s3() {
    if !is_possible::<Md5>() {
        return;
    }
    for vector in vectors("s3-etag") {
        let message = vector.message();
        let mut parts: Vec<&[u8]> = message.chunks(vector.number("part")).collect();
        if parts.is_empty() {
            parts.push(&[]);
        }
        let digest = tree::s3_composite::<Md5>(&hash_many::<Md5>(&parts));
        assert_eq!(format!("{}-{}", hex(&digest), parts.len()), vector.text("digest"), "{}", vector.line);
    }
}

/// The documentation's examples have the digests they say.
#[test]
fn worked_examples() {
    if !is_possible::<Sha256>() {
        return;
    }
    let sentence = b"One message. Many lanes. One digest.";
    let four = JLanes::<Sha256>::new(4).unwrap();
    let two = JPointers::<Sha256>::new(2).unwrap();
    for digest in [four.hash(sentence), four.clone().separated().hash(sentence), four.hash(b"abc"), two.hash(&sentence.repeat(2))] {
        assert!(EXAMPLES.contains(&format!("Digest: `{}`", hex(&digest))), "{}", hex(&digest));
    }
}
