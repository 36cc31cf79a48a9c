//! Tree modes against their definitions, spelled out here over the reference's digests.
//! `tree_vectors.rs` has digests from elsewhere.

use crate::support::{Random, hex, paint, reference};
use manyhash::backend::Backend;
use manyhash::tree::{self, BitTorrentV2, DmVerity, FsVerity, JLanes, JPointers, ParameterError, dm_verity, fs_verity};
use manyhash::{Algorithm, Sha1, Sha256, Sha512};

fn word_bytes<A: Algorithm>() -> usize {
    // A block of SHA-3 has 9 to 18 words of 64 bits.
    if A::BLOCK_BYTES == 64 { 4 } else { 8 }
}

/// j-lanes(A, j), from its definition.
fn expected_j_lanes<A: Algorithm>(message: &[u8], lanes: usize) -> Vec<u8> {
    let mut slices = vec![Vec::new(); lanes];
    for (i, word) in message.chunks(word_bytes::<A>()).enumerate() {
        slices[i % lanes].extend_from_slice(word);
    }
    digest_of_digests::<A>(&slices)
}

fn digest_of_digests<A: Algorithm>(slices: &[impl AsRef<[u8]>]) -> Vec<u8> {
    let digests: Vec<u8> = slices.iter().flat_map(|slice| reference::<A>()(slice.as_ref())).collect();
    reference::<A>()(&digests)
}

const LANES: [usize; 21] = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 20, 24, 31, 32, 33, 47, 64, 65, 100, 130];

/// Lengths around words, rows, blocks of all lanes, and where the padding of a lane takes another
/// block.
fn lengths<A: Algorithm>(lanes: usize) -> Vec<usize> {
    let row = lanes * word_bytes::<A>();
    let edges = [0, 1, word_bytes::<A>(), row, 13 * row, 14 * row, 15 * row, 16 * row, 29 * row, 32 * row, 50 * row];
    let mut lengths: Vec<usize> = edges.iter().flat_map(|edge| [edge.saturating_sub(1), *edge, edge + 1, edge + 5]).collect();
    lengths.dedup();
    lengths
}

fn j_lanes<A: Algorithm>() {
    for lanes in LANES {
        for length in lengths::<A>(lanes) {
            let message = paint(lanes + length, length);
            let expected = hex(&expected_j_lanes::<A>(&message, lanes));
            let mode = JLanes::<A>::new(lanes).unwrap();
            assert_eq!(hex(mode.hash(&message).as_ref()), expected, "{lanes} lanes, {length} bytes");
            for backend in Backend::supported().into_iter().filter(Backend::supports::<A>) {
                let digest = mode.clone().on_backend(backend).unwrap().hash(&message);
                assert_eq!(hex(digest.as_ref()), expected, "{lanes} lanes, {length} bytes, {backend}");
            }
        }
    }
}
manyhash::for_each_algorithm!(per_algorithm[j_lanes]);

fn j_lanes_in_pieces<A: Algorithm>() {
    let (seed, mut random) = Random::replayable(0x71a_4e5);
    for round in 0..60 {
        let lanes = random.one_of(&LANES);
        let message = paint(round, random.below(200 * lanes * word_bytes::<A>()));
        let mut hasher = JLanes::<A>::new(lanes).unwrap().hasher();
        let mut rest = message.as_slice();
        while !rest.is_empty() {
            let most = random.one_of(&[1, 5, 64, 100_000]);
            let (piece, later) = rest.split_at(random.below(most + 1).min(rest.len()));
            hasher.update(piece);
            rest = later;
        }
        let context = format!("MANYHASH_TEST_SEED={seed}, round {round}, {lanes} lanes, {} bytes", message.len());
        assert_eq!(hex(hasher.finalize().as_ref()), hex(&expected_j_lanes::<A>(&message, lanes)), "{context}");
    }
}
manyhash::for_each_algorithm!(per_algorithm[j_lanes_in_pieces]);

fn j_lanes_on_threads<A: Algorithm>() {
    let message = paint(9, 1_500_003);
    for lanes in [1, 2, 16, 31, 32, 100, 1024] {
        let mode = JLanes::<A>::new(lanes).unwrap();
        let expected = hex(&expected_j_lanes::<A>(&message, lanes));
        for threads in [0, 1, 2, 3, 7, 200] {
            let digest = mode.clone().on_threads(threads).hash(&message);
            assert_eq!(hex(digest.as_ref()), expected, "{lanes} lanes on {threads} threads");
        }
    }
}
manyhash::for_each_algorithm!(per_algorithm[j_lanes_on_threads]);

fn j_pointers<A: Algorithm>() {
    for lanes in [1, 2, 3, 8, 33] {
        for length in [0, 1, 63, 64, 65, 128, 1000, 5000] {
            let message = paint(length, length);
            let slice_bytes = length.div_ceil(lanes).next_multiple_of(A::BLOCK_BYTES);
            let at = |lane: usize| (lane * slice_bytes).min(length);
            let slices: Vec<&[u8]> = (0..lanes).map(|lane| &message[at(lane)..at(lane + 1)]).collect();
            let expected = hex(&digest_of_digests::<A>(&slices));
            let mode = JPointers::<A>::new(lanes).unwrap();
            assert_eq!(hex(mode.hash(&message).as_ref()), expected, "{lanes} lanes, {length} bytes");
            // The same by reading slices.
            let mut digests = vec![mode.hash(&[]); lanes];
            let readers = mode.slices(length as u64).enumerate().map(|(lane, slice)| {
                let slice = &message[slice.start as usize..slice.end as usize];
                (Slice { lane, left: slice }, slice.len() as u64)
            });
            mode.readers().hash(readers, |slice, digest| digests[slice.lane] = digest.unwrap());
            assert_eq!(hex(mode.wrap(&digests).as_ref()), expected, "{lanes} lanes, {length} bytes, read");
        }
    }
}
manyhash::for_each_algorithm!(per_algorithm[j_pointers]);

struct Slice<'a> {
    lane: usize,
    left: &'a [u8],
}

impl std::io::Read for Slice<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.left.read(buffer)
    }
}

/// The root of verity, from its definition: leaves and nodes filled with zeros, `hash` of each.
fn expected_root(content: &[u8], block: usize, hash_block: usize, child_bytes: usize, hash: &dyn Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let padded = |bytes: &[u8], block: usize| {
        let mut padded = bytes.to_vec();
        padded.resize(block, 0);
        padded
    };
    let mut digests: Vec<Vec<u8>> = content.chunks(block).map(|leaf| hash(&padded(leaf, block))).collect();
    let digest_bytes = digests[0].len();
    let children = 1 << (hash_block / digest_bytes).ilog2();
    while digests.len() > 1 {
        let node = |children: &[Vec<u8>]| children.iter().flat_map(|digest| padded(digest, child_bytes)).collect::<Vec<u8>>();
        digests = digests.chunks(children).map(|children| hash(&padded(&node(children), hash_block))).collect();
    }
    digests.remove(0)
}

/// Leaves of one block, of a node of digests, of two levels, and those beside them.
fn leaf_edges(children: usize) -> Vec<usize> {
    let mut leaves = vec![1, 2, 3];
    for full in [children, children * children] {
        leaves.extend([full - 1, full, full + 1]);
    }
    leaves
}

fn fs_verity_roots<A: fs_verity::FsVerityAlgorithm>() {
    if crate::support::backends::forced_backend_lacks::<A>() {
        return;
    }
    for salt in [&b""[..], b"s", &[3; 32]] {
        let mut padded_salt = salt.to_vec();
        padded_salt.resize(salt.len().next_multiple_of(A::BLOCK_BYTES), 0);
        let salted = |block: &[u8]| reference::<A>()(&[&padded_salt, block].concat());
        let mode = FsVerity::<A>::new(1024, salt).unwrap();
        let mut contents = vec![Vec::new()];
        for leaves in leaf_edges(1024 / A::DIGEST_BYTES) {
            contents.extend([1024 * leaves - 1023, 1024 * leaves - 1, 1024 * leaves].map(|bytes| paint(leaves, bytes)));
        }
        let expected = contents.iter().map(|content| {
            let root = if content.is_empty() { vec![] } else { expected_root(content, 1024, 1024, A::DIGEST_BYTES, &salted) };
            let mut descriptor = vec![1, A::NUMBER, 10, salt.len() as u8, 0, 0, 0, 0];
            descriptor.extend((content.len() as u64).to_le_bytes());
            descriptor.extend(&root);
            descriptor.resize(80, 0);
            descriptor.extend(salt);
            descriptor.resize(256, 0);
            hex(&reference::<A>()(&descriptor))
        });
        let together = mode.digests(&contents);
        for ((content, expected), digest) in contents.iter().zip(expected).zip(together) {
            assert_eq!(hex(digest.as_ref()), expected, "{} bytes", content.len());
            let mut tree = mode.merkle().builder();
            content.chunks(5 * 1024).for_each(|piece| tree.add(&mode.merkle().hash_leaves(piece)));
            let digest = mode.digest_of(&mode.descriptor(content.len() as u64, tree.root()));
            assert_eq!(hex(digest.as_ref()), expected, "{} bytes, in pieces", content.len());
        }
    }
}

#[test]
fn fs_verity_is_its_definition() {
    fs_verity_roots::<Sha256>();
    fs_verity_roots::<Sha512>();
}

fn dm_verity_roots<A: Algorithm>() {
    for (format, salt_bytes) in [(0, 0), (0, 32), (0, 256), (1, 0), (1, 1), (1, 32), (1, 64), (1, 256)] {
        let salt = paint(2, salt_bytes);
        let children = 1 << (512 / A::DIGEST_BYTES).ilog2();
        let child_bytes = if format == 0 { A::DIGEST_BYTES } else { 512 / children };
        let salted = |block: &[u8]| reference::<A>()(&if format == 0 { [block, &salt].concat() } else { [&salt, block].concat() });
        let mode = DmVerity::<A>::new(dm_verity::Format::by_number(format).unwrap(), 1024, 512, &salt).unwrap();
        for leaves in leaf_edges(children) {
            let content = paint(leaves, 1024 * leaves);
            let expected = expected_root(&content, 1024, 512, child_bytes, &salted);
            let root = mode.merkle().roots(&[&content])[0].unwrap();
            assert_eq!(hex(root.as_ref()), hex(&expected), "format {format}, {leaves} leaves, salt of {salt_bytes}");
        }
    }
}
manyhash::for_each_algorithm!(per_algorithm[dm_verity_roots]);

/// Whatever a builder hands out as nodes is the tree: hashed level by level, it leads to the root.
#[test]
fn nodes_are_complete_and_in_order() {
    if crate::support::backends::forced_backend_lacks::<Sha1>() {
        return;
    }
    let mode = DmVerity::<Sha1>::new(dm_verity::Format::Normal, 512, 512, b"salt").unwrap();
    for leaves in [1, 2, 16, 17, 255, 256, 257, 5000] {
        let content = paint(1, 512 * leaves);
        let digests = mode.merkle().hash_leaves(&content);
        for piece in [1, 7, leaves] {
            let mut levels: Vec<Vec<u8>> = Vec::new();
            let mut keep = |nodes: tree::Nodes<'_>| {
                levels.resize(levels.len().max(nodes.level + 1), Vec::new());
                assert_eq!(levels[nodes.level].len() as u64, 512 * nodes.first);
                levels[nodes.level].extend_from_slice(nodes.bytes);
                Ok::<_, ()>(())
            };
            let mut tree = mode.merkle().builder();
            for piece in digests.chunks(piece) {
                tree.push(piece, &mut keep).unwrap();
            }
            let root = tree.finish(&mut keep).unwrap();
            assert_eq!(levels.iter().map(|level| level.len() as u64 / 512).collect::<Vec<_>>(), mode.merkle().nodes(leaves as u64));
            let mut below = digests.clone();
            for level in &levels {
                let children: Vec<&[u8]> = level.chunks(32).map(|child| &child[..20]).take(below.len()).collect();
                assert_eq!(children, below.iter().map(|digest| digest.as_slice()).collect::<Vec<_>>());
                below = mode.merkle().hash_nodes(level);
            }
            assert_eq!(below, [root.unwrap()]);
        }
    }
}

#[test]
fn bittorrent_and_glacier_are_their_definitions() {
    if crate::support::backends::forced_backend_lacks::<Sha256>() {
        return;
    }
    let sha256 = reference::<Sha256>();
    let content = paint(4, 40 * 16384 + 5);
    for bytes in [1, 16384, 16385, 3 * 16384, 4 * 16384, 4 * 16384 + 1, 23 * 16384 + 7, content.len()] {
        let mut leaves: Vec<Vec<u8>> = content[..bytes].chunks(16384).map(sha256).collect();
        let real = leaves.len();
        leaves.resize(real.next_power_of_two(), vec![0; 32]);
        let (mut level, mut piece, mut layers) = (leaves, 1, Vec::new());
        while level.len() > 1 {
            layers.push((piece, level[..real.div_ceil(piece)].to_vec()));
            level = level.chunks(2).map(|pair| sha256(&pair.concat())).collect();
            piece *= 2;
        }
        for pieces in [1, 2, 4, 64] {
            let found = BitTorrentV2::new(16384 * pieces).unwrap().file_tree(&content[..bytes]);
            assert_eq!(found.pieces_root.unwrap().to_vec(), level[0], "{bytes} bytes");
            let layer = layers.iter().find(|(piece, _)| *piece == pieces as usize).map(|(_, layer)| layer.concat());
            assert_eq!(found.piece_layer.concat(), layer.unwrap_or_default(), "{bytes} bytes in pieces of {pieces} blocks");
        }
    }
    assert_eq!(BitTorrentV2::new(16384).unwrap().file_tree(b"").pieces_root, None);

    let content = paint(5, (9 << 20) + 3);
    for bytes in [0, 1, 1 << 20, (1 << 20) + 1, 2 << 20, 3 << 20, (5 << 20) - 1, 7 << 20, content.len()] {
        let mut level: Vec<Vec<u8>> = content[..bytes].chunks(1 << 20).map(sha256).collect();
        while level.len() > 1 {
            level = level.chunks(2).map(|pair| if pair.len() == 1 { pair[0].clone() } else { sha256(&pair.concat()) }).collect();
        }
        let expected = level.pop().unwrap_or_else(|| sha256(b""));
        assert_eq!(hex(&tree::glacier(&content[..bytes])), hex(&expected), "{bytes} bytes");
    }
}

#[test]
fn parameters_out_of_range_are_named() {
    let text = |error: ParameterError| error.to_string();
    assert_eq!(text(JLanes::<Sha256>::new(0).unwrap_err()), "0 lanes: it must be 1 to 1024");
    assert_eq!(text(JPointers::<Sha256>::new(1025).unwrap_err()), "1025 lanes: it must be 1 to 1024");
    let block = FsVerity::<Sha256>::new(4095, b"").unwrap_err();
    assert_eq!(text(block), "block size of 4095 bytes: it must be a power of two from 1024 to 65536");
    assert_eq!(text(FsVerity::<Sha512>::new(4096, &[0; 33]).unwrap_err()), "salt of 33 bytes: it must be 32 at most");
    let hash_block = DmVerity::<Sha1>::new(dm_verity::Format::Normal, 512, 256, b"").unwrap_err();
    assert_eq!(text(hash_block), "hash block size of 256 bytes: it must be a power of two from 512 to 524288");
    assert_eq!(text(BitTorrentV2::new(8192).unwrap_err()), "piece length of 8192 bytes: it must be a power of two from 16384");
}

#[test]
fn a_superblock_comes_back_and_every_damage_to_it_is_named() {
    let superblock = dm_verity::Superblock {
        format: dm_verity::Format::Normal,
        uuid: *b"0123456789abcdef",
        algorithm: "sha256".into(),
        data_block_bytes: 4096,
        hash_block_bytes: 1024,
        data_blocks: 77,
        salt: paint(1, 256),
    };
    let bytes = superblock.to_bytes();
    assert_eq!(dm_verity::Superblock::parse(&bytes), Ok(superblock.clone()));
    let parse = |bytes: &[u8]| dm_verity::Superblock::parse(bytes).map_err(|error| error.to_string());
    let damaged = |at: usize, damage: &[u8]| {
        let mut bytes = bytes;
        bytes[at..at + damage.len()].copy_from_slice(damage);
        parse(&bytes).unwrap_err()
    };
    assert_eq!(parse(&bytes[..511]).unwrap_err(), "the superblock has 511 bytes, not 512");
    assert_eq!(damaged(3, b"X"), "no verity superblock: its signature is not there");
    assert_eq!(damaged(8, &[2]), "the superblock's version cannot be 2");
    assert_eq!(damaged(12, &[2]), "the superblock's hash type cannot be 2");
    assert_eq!(damaged(32, &[b'a'; 32]), format!("the superblock's hash algorithm is no name: {}", "a".repeat(32)));
    assert_eq!(damaged(64, &[1]), "the superblock's data block size cannot be 4097");
    assert_eq!(damaged(68, &[0, 0]), "the superblock's hash block size cannot be 0");
    assert_eq!(damaged(72, &[0]), "the superblock's data blocks cannot be 0");
    assert_eq!(damaged(72, &[255; 8]), "the superblock's data blocks cannot be 18446744073709551615");
    assert_eq!(damaged(80, &[1, 1]), "the superblock's salt size cannot be 257");
}
