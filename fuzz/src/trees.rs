//! Tree modes with any parameters, against their definitions over the reference's digests.

use crate::choices::Choices;
use crate::{backends, paint, reference};
use manyhash::tree::{self, BitTorrentV2, DmVerity, FsVerity, JLanes, JPointers, LANES, Merkle, Nodes};
use manyhash::tree::{dm_verity, fs_verity};
use manyhash::{Algorithm, Sha256, Sha512, with_algorithm};
use std::io::Read;

/// The most bytes of a message.
const MOST_BYTES: usize = 200_000;

/// Makes a tree of one mode. Parameters out of range are refused, and no others.
pub fn target(data: &[u8]) {
    let choices = &mut Choices::new(data);
    match choices.between(0, 5) {
        0 | 1 => with_algorithm!(choices.algorithm(), A => j_lanes::<A>(choices)),
        2 => with_algorithm!(choices.algorithm(), A => j_pointers::<A>(choices)),
        3 if choices.any() => fs_verity::<Sha256>(choices),
        3 => fs_verity::<Sha512>(choices),
        4 => with_algorithm!(choices.algorithm(), A => dm_verity::<A>(choices)),
        _ => bittorrent_and_glacier(choices),
    }
}

fn digest_of_digests<A: Algorithm>(slices: &[impl AsRef<[u8]>]) -> Vec<u8> {
    let digests: Vec<u8> = slices.iter().flat_map(|slice| reference::<A>(slice.as_ref())).collect();
    reference::<A>(&digests)
}

/// A number of lanes: mostly some, sometimes too few or too many.
fn lanes(choices: &mut Choices) -> usize {
    match choices.any::<u8>() {
        few @ 0..=230 => usize::from(few) % 70,
        _ => choices.between(0, 1100),
    }
}

/// A length that is around a multiple of `unit`.
fn around(choices: &mut Choices, unit: usize, most_units: usize) -> usize {
    let near = choices.between(0, 6);
    (unit * choices.between(0, most_units) + near).saturating_sub(3).min(MOST_BYTES)
}

/// The pieces of a message, cut anywhere.
fn pieces<'a>(choices: &mut Choices, message: &'a [u8]) -> Vec<&'a [u8]> {
    let mut rest = message;
    let mut pieces = Vec::new();
    for _ in 0..choices.between(0, 6) {
        let (piece, later) = rest.split_at(choices.length().min(rest.len()));
        pieces.push(piece);
        rest = later;
    }
    pieces.push(rest);
    pieces
}

fn j_lanes<A: Algorithm>(choices: &mut Choices) {
    let lanes = lanes(choices);
    let Ok(mode) = JLanes::<A>::new(lanes) else {
        return assert!(!LANES.contains(&lanes), "{lanes} lanes are refused");
    };
    // FIPS 180-4's words: sixteen in a block. Those of SHA-3, 9 to 18, have 64 bits.
    let word_bytes = if A::BLOCK_BYTES == 64 { 4 } else { 8 };
    let bytes = around(choices, lanes * word_bytes, 70);
    let message = paint(lanes, bytes);
    let mut slices = vec![Vec::new(); lanes];
    for (i, word) in message.chunks(word_bytes).enumerate() {
        slices[i % lanes].extend_from_slice(word);
    }
    let expected = digest_of_digests::<A>(&slices);
    let context = format!("{} in {lanes} lanes, {bytes} bytes", A::NAME);
    assert_eq!(mode.hash(&message).as_ref(), expected, "{context}");
    let mut hasher = mode.hasher();
    pieces(choices, &message).into_iter().for_each(|piece| hasher.update(piece));
    assert_eq!(hasher.finalize().as_ref(), expected, "{context}, in pieces");
    let separated = mode.clone().separated();
    let digest = separated.hash(&message);
    assert_ne!(digest.as_ref(), expected, "{context}, separated");
    for backend in backends::<A>() {
        assert_eq!(mode.clone().on_backend(backend).expect("it has a kernel").hash(&message).as_ref(), expected, "{context}, {backend}");
        assert_eq!(separated.clone().on_backend(backend).expect("it has a kernel").hash(&message), digest, "{context}, {backend}");
    }
    if choices.between(0, 15) == 0 {
        assert_eq!(mode.on_threads(2).hash(&message).as_ref(), expected, "{context}, two threads");
    }
}

struct Slice<'a>(usize, &'a [u8]);

impl Read for Slice<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.1.read(buffer)
    }
}

fn j_pointers<A: Algorithm>(choices: &mut Choices) {
    let lanes = lanes(choices);
    let Ok(mode) = JPointers::<A>::new(lanes) else {
        return assert!(!LANES.contains(&lanes), "{lanes} lanes are refused");
    };
    let bytes = around(choices, lanes * A::BLOCK_BYTES, 5);
    let message = paint(lanes, bytes);
    let slice_bytes = bytes.div_ceil(lanes).next_multiple_of(A::BLOCK_BYTES);
    let at = |lane: usize| (lane * slice_bytes).min(bytes);
    let slices: Vec<&[u8]> = (0..lanes).map(|lane| &message[at(lane)..at(lane + 1)]).collect();
    let expected = digest_of_digests::<A>(&slices);
    let context = format!("{} in {lanes} slices, {bytes} bytes", A::NAME);
    assert_eq!(mode.hash(&message).as_ref(), expected, "{context}");
    for mode in [mode.clone(), mode.separated()] {
        let mut digests = vec![mode.hash(&[]); lanes];
        let readers = mode.slices(bytes as u64).enumerate().map(|(lane, slice)| {
            let slice = &message[slice.start as usize..slice.end as usize];
            (Slice(lane, slice), slice.len() as u64)
        });
        mode.readers().hash(readers, |slice, digest| digests[slice.0] = digest.expect("slices can be read"));
        assert_eq!(mode.wrap(&digests), mode.hash(&message), "{context}, read");
    }
    // Whatever the length, slices are the message.
    let length: u64 = choices.any();
    let mode = JPointers::<A>::new(lanes).expect("it was made before");
    let end = mode.slices(length).fold(0, |end, slice| {
        assert!(slice.start == end && slice.end >= end, "{context}: slices of {length} bytes have gaps");
        slice.end
    });
    assert_eq!(end, length, "{context}: slices end too early");
}

/// The root of a tree whose leaves and nodes are filled with zeros, from its definition.
fn expected_root(content: &[u8], block: usize, hash_block: usize, child_bytes: usize, hash: &dyn Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let padded = |bytes: &[u8], block: usize| [bytes, &vec![0; block - bytes.len()]].concat();
    let mut digests: Vec<Vec<u8>> = content.chunks(block).map(|leaf| hash(&padded(leaf, block))).collect();
    let children = 1 << (hash_block / digests[0].len()).ilog2();
    while digests.len() > 1 {
        let node = |children: &[Vec<u8>]| children.iter().flat_map(|digest| padded(digest, child_bytes)).collect::<Vec<u8>>();
        digests = digests.chunks(children).map(|children| hash(&padded(&node(children), hash_block))).collect();
    }
    digests.remove(0)
}

/// The root, when leaves come in pieces; and all nodes that are handed out lead to it.
fn built<A: Algorithm>(choices: &mut Choices, merkle: &Merkle<A>, content: &[u8]) -> Option<A::Digest> {
    let leaves = merkle.hash_leaves(content);
    let mut nodes =
        merkle.nodes(leaves.len() as u64).iter().map(|nodes| vec![0; *nodes as usize * merkle.node_bytes()]).collect::<Vec<_>>();
    let mut keep = |made: Nodes<'_>| {
        let start = made.first as usize * merkle.node_bytes();
        nodes[made.level][start..start + made.bytes.len()].copy_from_slice(made.bytes);
        Ok::<_, ()>(())
    };
    let mut builder = merkle.builder();
    let mut rest = &leaves[..];
    while !rest.is_empty() {
        let (piece, later) = rest.split_at(choices.between(1, 9).min(rest.len()));
        builder.push(piece, &mut keep).expect("nothing fails");
        rest = later;
    }
    let root = builder.finish(&mut keep).expect("nothing fails");
    if let Some(top) = nodes.last() {
        assert_eq!(merkle.hash_nodes(top).last().copied(), root, "the last node is not the root's");
    }
    root
}

fn block_bytes(choices: &mut Choices, least: usize) -> usize {
    match choices.between(0, 9) {
        0 => choices.any::<u16>().into(),
        power => least << (power % 3),
    }
}

fn fs_verity<A: fs_verity::FsVerityAlgorithm>(choices: &mut Choices) {
    let (block, salt) = (block_bytes(choices, 1024), paint(7, choices.between(0, 33)));
    let Ok(mode) = FsVerity::<A>::new(block, &salt) else {
        let is_right = block.is_power_of_two() && fs_verity::BLOCK_BYTES.contains(&block) && salt.len() <= fs_verity::MOST_SALT_BYTES;
        return assert!(!is_right, "blocks of {block} bytes and a salt of {} are refused", salt.len());
    };
    let mut padded_salt = salt.clone();
    padded_salt.resize(salt.len().next_multiple_of(A::BLOCK_BYTES), 0);
    let salted = |block: &[u8]| reference::<A>(&[&padded_salt, block].concat());
    let bytes = around(choices, block, 40);
    let content = paint(3, bytes);
    let root = if content.is_empty() { Vec::new() } else { expected_root(&content, block, block, A::DIGEST_BYTES, &salted) };
    let mut descriptor = vec![1, A::NUMBER, block.trailing_zeros() as u8, salt.len() as u8, 0, 0, 0, 0];
    descriptor.extend((bytes as u64).to_le_bytes());
    descriptor.extend(&root);
    descriptor.resize(80, 0);
    descriptor.extend(&salt);
    descriptor.resize(256, 0);
    let context = format!("fs-verity {} of {bytes} bytes in blocks of {block}", A::NAME);
    let digest = mode.digest(&content);
    assert_eq!(digest.as_ref(), reference::<A>(&descriptor), "{context}");
    let root = built(choices, mode.merkle(), &content);
    assert_eq!(mode.descriptor(bytes as u64, root)[..], descriptor, "{context}");
}

fn dm_verity<A: Algorithm>(choices: &mut Choices) {
    let format = choices.between(0, 1) as u32;
    let (block, hash_block) = (block_bytes(choices, 512), block_bytes(choices, 512));
    let salt = paint(8, choices.between(0, 257));
    let format_of = dm_verity::Format::by_number(format).expect("0 and 1 are types");
    let Ok(mode) = DmVerity::<A>::new(format_of, block, hash_block, &salt) else {
        let is_block = |block: usize| block.is_power_of_two() && dm_verity::BLOCK_BYTES.contains(&block);
        let is_right = is_block(block) && is_block(hash_block) && salt.len() <= dm_verity::MOST_SALT_BYTES;
        return assert!(!is_right, "blocks of {block} and {hash_block} bytes and a salt of {} are refused", salt.len());
    };
    let salted = |block: &[u8]| reference::<A>(&if format == 0 { [block, &salt].concat() } else { [&salt, block].concat() });
    let children = 1 << (hash_block / A::DIGEST_BYTES).ilog2();
    let child_bytes = if format == 0 { A::DIGEST_BYTES } else { hash_block / children };
    let content = paint(4, around(choices, block, 80).max(1));
    let expected = expected_root(&content, block, hash_block, child_bytes, &salted);
    let context = format!("dm-verity {} of {} bytes, blocks of {block} and {hash_block}", A::NAME, content.len());
    let root = mode.merkle().roots(&[&content])[0].expect("there is content");
    assert_eq!(root.as_ref(), expected, "{context}");
    assert_eq!(built(choices, mode.merkle(), &content), Some(root), "{context}, in pieces");
}

fn bittorrent_and_glacier(choices: &mut Choices) {
    const BLOCK: usize = 16 << 10;
    let piece = choices.one_of(&[1, 2, 4, 8, 3, 0]) * BLOCK;
    let Ok(mode) = BitTorrentV2::new(piece as u64) else {
        return assert!(!piece.is_power_of_two(), "pieces of {piece} bytes are refused");
    };
    let content = paint(6, around(choices, BLOCK, 12));
    let found = mode.file_tree(&content);
    let mut level: Vec<Vec<u8>> = content.chunks(BLOCK).map(reference::<Sha256>).collect();
    let count = level.len();
    if count == 0 {
        return assert_eq!(found.pieces_root, None, "an empty file has no root");
    }
    level.resize(count.next_power_of_two(), vec![0; 32]);
    let (mut node_blocks, mut layer) = (1, Vec::new());
    loop {
        if node_blocks * BLOCK == piece && content.len() > piece {
            layer = level[..count.div_ceil(node_blocks)].concat();
        }
        if level.len() == 1 {
            break;
        }
        level = level.chunks(2).map(|pair| reference::<Sha256>(&pair.concat())).collect();
        node_blocks *= 2;
    }
    assert_eq!(found.pieces_root.map(Vec::from), level.pop(), "{} bytes", content.len());
    assert_eq!(found.piece_layer.concat(), layer, "{} bytes in pieces of {piece}", content.len());
    // Glacier's leaves have a MiB, so that here there is one: its digest is the root.
    assert_eq!(tree::glacier(&content)[..], reference::<Sha256>(&content), "{} bytes", content.len());
}
