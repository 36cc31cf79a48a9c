//! Trees and names of other projects: roots over leaves in memory, names of contents. What they are
//! held against is written out here by their definitions.

use manyhash::tree::{bitcoin, git, rfc9162, sha256tree, ssz};
use manyhash::{Algorithm, Sha1, Sha256};
use manyhash_measure::Random;
use sha2::Digest;

use super::{Application, SEED, blocks, lanes, ours, peer, random_bytes, random_digests};
use crate::peers::{Peer, Standing};

type Name = [u8; 32];

/// The trees of SHA-256, with `less` times less to do where there is much.
pub fn all(less: usize) -> Vec<Application<32>> {
    let mut all = vec![
        of_ssz("16 chunks", 16),
        of_ssz("256 chunks", 256),
        of_ssz("4,096 chunks", 4096),
        of_ssz("65,536 chunks", 65_536 / less.next_power_of_two()),
        of_bitcoin("30 transactions", 30),
        of_bitcoin("3,000 transactions", 3000),
        of_rfc9162("100 entries of 1 to 2 KB", 100, 1000, 2000),
        of_rfc9162("10,000 entries of 1 to 2 KB", 10_000 / less, 1000, 2000),
        of_rfc9162("10,000 entries of 20 to 100 bytes", 10_000 / less, 20, 100),
        of_rfc9162("1,000 entries of 20 to 3,000 bytes", 1000, 20, 3000),
        of_sha256tree("one blob of 1 MiB", 1, 1 << 20, 1 << 20),
        of_sha256tree("1,000 blobs of 0 to 20 KB", 1000 / less, 0, 20_000),
    ];
    let sha256 = |content: &[u8]| sha2::Sha256::digest(content).into();
    all.push(of_git::<Sha256, 32>("1,000 blobs of 0 to 20 KB", 1000 / less, 20_000, sha256));
    all.push(of_git::<Sha256, 32>("10,000 blobs of 0 to 500 bytes", 10_000 / less, 500, sha256));
    all
}

/// Git's names by SHA-1.
pub fn git(less: usize) -> Vec<Application<20>> {
    let sha1 = |content: &[u8]| sha1::Sha1::digest(content).into();
    vec![
        of_git::<Sha1, 20>("100 blobs of 0 to 20 KB", 100, 20_000, sha1),
        of_git::<Sha1, 20>("1,000 blobs of 0 to 20 KB", 1000 / less, 20_000, sha1),
        of_git::<Sha1, 20>("10,000 blobs of 0 to 500 bytes", 10_000 / less, 500, sha1),
    ]
}

fn application(
    name: &'static str,
    description: &'static str,
    compressions: usize,
    many: impl FnMut() -> Vec<Name> + 'static,
    mut each: impl FnMut() -> Vec<Name> + 'static,
) -> Application<32> {
    Application {
        algorithm: Sha256::NAME,
        name,
        description,
        unit: "compression",
        units: compressions,
        expected: each(),
        peers: vec![ours(many), peer("sha2", each), lanes::<Sha256, 32>(compressions)],
    }
}

/// Level by level, each node of two digests, and `last` where the last digest of a level has no partner.
fn root(mut level: Vec<Name>, node: impl Fn(&[Name; 2]) -> Name, last: impl Fn(Name) -> Name) -> Name {
    while level.len() > 1 {
        let (pairs, rest) = level.as_chunks();
        level = pairs.iter().map(&node).chain(rest.iter().map(|&alone| last(alone))).collect();
    }
    level[0]
}

fn of_ssz(description: &'static str, chunks: usize) -> Application<32> {
    let chunks = random_digests(chunks);
    let copy = chunks.clone();
    let node = |pair: &[Name; 2]| sha2::Sha256::digest(pair.as_flattened()).into();
    let each = move || vec![root(copy.clone(), node, |_| unreachable!("there is a power of two of them"))];
    let compressions = 2 * (chunks.len() - 1);
    let many = move || vec![ssz::merkleize(&chunks, None).expect("they have no limit")];
    application("SSZ", description, compressions, many, each)
}

fn of_bitcoin(description: &'static str, transactions: usize) -> Application<32> {
    let ids = random_digests(transactions);
    let copy = ids.clone();
    let node = |pair: &[Name; 2]| sha2::Sha256::digest(sha2::Sha256::digest(pair.as_flattened())).into();
    let each = move || vec![root(copy.clone(), node, |alone| node(&[alone, alone]))];
    let mut compressions = 0;
    let mut level = transactions;
    while level > 1 {
        level = level.div_ceil(2);
        compressions += 3 * level;
    }
    application("Bitcoin", description, compressions, move || vec![bitcoin::root(&ids).expect("there are some")], each)
}

fn of_rfc9162(description: &'static str, entries: usize, least: usize, most: usize) -> Application<32> {
    let entries = contents(entries, least, most);
    let copy = entries.clone();
    let leaf = |entry: &Vec<u8>| sha2::Sha256::new().chain_update([0]).chain_update(entry).finalize().into();
    let node = |pair: &[Name; 2]| sha2::Sha256::new().chain_update([1]).chain_update(pair.as_flattened()).finalize().into();
    let each = move || vec![root(copy.iter().map(leaf).collect(), node, |alone| alone)];
    let compressions = entries.iter().map(|entry| blocks(1 + entry.len())).sum::<usize>() + 2 * (entries.len() - 1);
    let plain = hash_many::<Sha256, 32>(&entries);
    let mut application = application("RFC 9162", description, compressions, move || vec![rfc9162::root(&entries)], each);
    application.peers.push(plain);
    application
}

fn of_sha256tree(description: &'static str, blobs: usize, least: usize, most: usize) -> Application<32> {
    let blobs = contents(blobs, least, most);
    let copy = blobs.clone();
    let each = move || copy.iter().map(|blob| sha256tree_of(blob)).collect();
    let of_blob = |blob: &Vec<u8>| blob.chunks(1024).map(|leaf| blocks(leaf.len()) + 1).sum::<usize>().max(2) - 1;
    let compressions = blobs.iter().map(of_blob).sum();
    application("SHA256TREE", description, compressions, move || sha256tree::digests(&blobs), each)
}

fn sha256tree_of(blob: &[u8]) -> Name {
    // The fractional parts of the square roots of the 9th to 16th primes.
    const PRIMES: [f64; 8] = [23.0, 29.0, 31.0, 37.0, 41.0, 43.0, 47.0, 53.0];
    let initial = PRIMES.map(|prime| (prime.sqrt().fract() * 2f64.powi(32)) as u32);
    let node = |pair: &[Name; 2]| {
        let mut state = initial;
        sha2::block_api::compress256(&mut state, pair.as_flattened().as_chunks().0);
        let mut digest = [0; 32];
        for ((word, initial), bytes) in state.iter().zip(initial).zip(digest.as_chunks_mut().0) {
            *bytes = word.wrapping_sub(initial).to_be_bytes();
        }
        digest
    };
    match blob {
        [] => sha2::Sha256::digest([]).into(),
        _ => root(blob.chunks(1024).map(|leaf| sha2::Sha256::digest(leaf).into()).collect(), node, |alone| alone),
    }
}

fn of_git<A: git::GitAlgorithm<Digest = [u8; N]>, const N: usize>(
    description: &'static str,
    blobs: usize,
    most: usize,
    hash: fn(&[u8]) -> [u8; N],
) -> Application<N> {
    let blobs = contents(blobs, 0, most);
    let plain = hash_many::<A, N>(&blobs);
    let framed: Vec<Vec<u8>> = blobs.iter().map(|blob| [format!("blob {}\0", blob.len()).as_bytes(), blob].concat()).collect();
    let compressions = framed.iter().map(|message| blocks(message.len())).sum();
    // The peer has the messages as they are hashed, and copies nothing.
    let each = move || framed.iter().map(|message| hash(message)).collect::<Vec<[u8; N]>>();
    Application {
        algorithm: A::NAME,
        name: "Git",
        description,
        unit: "compression",
        units: compressions,
        expected: each(),
        peers: vec![
            ours(move || git::blob_ids::<A>(&blobs)),
            peer(if N == 20 { "sha1" } else { "sha2" }, each),
            lanes::<A, N>(compressions),
            plain,
        ],
    }
}

/// The digests of the contents as they are, and no tree.
fn hash_many<A: Algorithm<Digest = [u8; N]>, const N: usize>(contents: &[Vec<u8>]) -> Peer<N> {
    let contents = contents.to_vec();
    peer("hash_many", move || manyhash::hash_many::<A>(&contents)).standing(Standing::OtherDigest)
}

/// Contents of `least` to `most` bytes.
fn contents(count: usize, least: usize, most: usize) -> Vec<Vec<u8>> {
    let mut random = Random::new(SEED);
    (0..count).map(|_| random_bytes(least + random.below(most - least + 1))).collect()
}
