//! The Merkle trees of other worlds against known answers and their recursive definitions over the
//! reference; proofs, which must prove what is and nothing else; trees that are kept and changed.
//! `tree_vectors.rs` has digests from elsewhere. All of it takes some seconds.

use crate::support::backends::forced_backend_lacks;
use crate::support::{Random, hex, paint, reference};
use manyhash::tree::git::{self, Entry, GitAlgorithm, Mode};
use manyhash::tree::rfc9162::{self, Inclusion, Log, ProofError};
use manyhash::tree::{
    BitTorrentV2, DmVerity, FsVerity, JLanes, JPointers, Merkle, ParameterError, bitcoin, cid, dm_verity, glacier, sha256tree, ssz,
};
use manyhash::{Algorithm, Sha1, Sha256, Sha512};

type Digest = [u8; 32];

fn sha256(message: &[u8]) -> Digest {
    reference::<Sha256>()(message).try_into().unwrap()
}

fn bytes<const N: usize>(digits: &str) -> [u8; N] {
    assert_eq!(digits.len(), 2 * N, "{digits}");
    std::array::from_fn(|i| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).unwrap())
}

fn any_bytes(digits: &str) -> Vec<u8> {
    digits.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// Distinct digests.
fn digests(seed: usize, count: usize) -> Vec<Digest> {
    (0..count).map(|i| sha256(&[seed.to_le_bytes(), i.to_le_bytes()].concat())).collect()
}

fn left_half(count: usize) -> usize {
    count.next_power_of_two() / 2
}

/// The Merkle tree hash of RFC 9162, section 2.1.1.
fn expected_log_root(leaves: &[Digest]) -> Digest {
    match leaves {
        [] => sha256(b""),
        [leaf] => *leaf,
        _ => {
            let (left, right) = leaves.split_at(left_half(leaves.len()));
            sha256(&[&[1][..], &expected_log_root(left), &expected_log_root(right)].concat())
        }
    }
}

/// PATH of RFC 9162, section 2.1.3.1.
fn expected_inclusion(index: usize, leaves: &[Digest]) -> Vec<Digest> {
    if leaves.len() == 1 {
        return vec![];
    }
    let k = left_half(leaves.len());
    let (left, right) = leaves.split_at(k);
    let (mut path, beside) =
        if index < k { (expected_inclusion(index, left), right) } else { (expected_inclusion(index - k, right), left) };
    path.push(expected_log_root(beside));
    path
}

/// SUBPROOF of RFC 9162, section 2.1.4.1.
fn expected_consistency(older: usize, leaves: &[Digest], is_whole: bool) -> Vec<Digest> {
    if older == leaves.len() {
        return if is_whole { vec![] } else { vec![expected_log_root(leaves)] };
    }
    let k = left_half(leaves.len());
    let (left, right) = leaves.split_at(k);
    let (mut proof, beside) = if older <= k {
        (expected_consistency(older, left, is_whole), right)
    } else {
        (expected_consistency(older - k, right, false), left)
    };
    proof.push(expected_log_root(beside));
    proof
}

/// The entries with which implementations of Certificate Transparency test, and the roots over the
/// first of them.
const CT_ENTRIES: [&str; 8] = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"];
const CT_ROOTS: [&str; 9] = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

#[test]
fn logs_have_the_known_roots() {
    if forced_backend_lacks::<Sha256>() {
        return;
    }
    let entries = CT_ENTRIES.map(any_bytes);
    let mut log = Log::new();
    for (size, expected) in CT_ROOTS.iter().enumerate() {
        assert_eq!(hex(&rfc9162::root(&entries[..size])), *expected, "{size} entries");
        assert_eq!(hex(&log.root()), *expected, "{size} entries, one after the other");
        log.append(&entries[size..entries.len().min(size + 1)]);
    }
    for (size, expected) in CT_ROOTS.iter().enumerate() {
        assert_eq!(log.root_of(size as u64).map(|root| hex(&root)).as_deref(), Some(*expected), "the first {size} entries");
    }
    assert_eq!(log.root_of(9), None);
}

#[test]
fn every_proof_of_small_logs_is_its_definition_and_is_verified() {
    if forced_backend_lacks::<Sha256>() {
        return;
    }
    let leaves = digests(1, 71);
    let log = Log::of_leaves(leaves.clone());
    for size in 0..=leaves.len() {
        let (leaves, to) = (&leaves[..size], size as u64);
        let root = expected_log_root(leaves);
        assert_eq!(log.root_of(to), Some(root), "{size} entries");
        for index in 0..size {
            let proof = log.inclusion_proof(index as u64, to).unwrap();
            assert_eq!(proof, expected_inclusion(index, leaves), "entry {index} of {size}");
            assert_eq!(rfc9162::verify_inclusion(&leaves[index], index as u64, to, &proof, &root), Ok(()), "entry {index} of {size}");
        }
        assert_eq!(log.inclusion_proof(to, to), None);
        for older in 0..=size {
            let (older_root, from) = (expected_log_root(&leaves[..older]), older as u64);
            let proof = log.consistency_proof(from, to).unwrap();
            let expected = if older == 0 { vec![] } else { expected_consistency(older, leaves, true) };
            assert_eq!(proof, expected, "from {older} to {size}");
            assert_eq!(rfc9162::verify_consistency((from, &older_root), (to, &root), &proof), Ok(()), "from {older} to {size}");
        }
        assert_eq!(log.consistency_proof(to + 1, to), None);
    }
    assert_eq!((log.inclusion_proof(0, 72), log.consistency_proof(1, 72)), (None, None));
}

/// Any change of a proof, or of what it is to prove, is found.
#[test]
fn what_is_not_so_is_not_proved() {
    if forced_backend_lacks::<Sha256>() {
        return;
    }
    let (seed, mut random) = Random::replayable(0x9162);
    let leaves = digests(2, 300);
    let log = Log::of_leaves(leaves.clone());
    let flipped = |digest: &Digest, bit: usize| {
        let mut digest = *digest;
        digest[bit / 8] ^= 1 << (bit % 8);
        digest
    };
    for round in 0..400 {
        let size = 2 + random.below(299);
        let (index, older, to) = (random.below(size), 1 + random.below(size), size as u64);
        let context = format!("MANYHASH_TEST_SEED={seed}, round {round}: entry {index}, from {older} to {size}");
        let bit = random.below(256);

        let (root, leaf) = (log.root_of(to).unwrap(), &leaves[index]);
        let proof = log.inclusion_proof(index as u64, to).unwrap();
        let verify = |leaf: &Digest, index: u64, proof: &[Digest], root: &Digest| rfc9162::verify_inclusion(leaf, index, to, proof, root);
        let index = index as u64;
        assert_eq!(verify(leaf, index, &proof, &root), Ok(()), "{context}");
        assert_eq!(verify(&flipped(leaf, bit), index, &proof, &root), Err(ProofError::Root), "{context}");
        assert_eq!(verify(leaf, index, &proof, &flipped(&root, bit)), Err(ProofError::Root), "{context}");
        assert_eq!(verify(leaf, to, &proof, &root), Err(ProofError::Outside), "{context}");
        let other = (index + 1 + random.below(size - 1) as u64) % to;
        assert!(verify(leaf, other, &proof, &root).is_err(), "{context}, as entry {other}");
        check_damaged(&proof, &mut random, |proof| verify(leaf, index, proof, &root), &context);

        let (older_root, from) = (log.root_of(older as u64).unwrap(), older as u64);
        let proof = log.consistency_proof(from, to).unwrap();
        let verify = |older: &Digest, proof: &[Digest], root: &Digest| rfc9162::verify_consistency((from, older), (to, root), proof);
        assert_eq!(verify(&older_root, &proof, &root), Ok(()), "{context}");
        assert_eq!(verify(&flipped(&older_root, bit), &proof, &root), Err(ProofError::Root), "{context}");
        assert_eq!(verify(&older_root, &proof, &flipped(&root, bit)), Err(ProofError::Root), "{context}");
        check_damaged(&proof, &mut random, |proof| verify(&older_root, proof, &root), &context);
        assert_eq!(rfc9162::verify_consistency((to + 1, &root), (to, &root), &proof), Err(ProofError::Outside), "{context}");
    }
    let none = rfc9162::empty_root();
    assert_eq!(rfc9162::verify_consistency((0, &none), (5, &leaves[0]), &[]), Ok(()));
    assert_eq!(rfc9162::verify_consistency((0, &leaves[0]), (5, &leaves[0]), &[]), Err(ProofError::Root));
    // Sizes that no log has must not overflow.
    for (index, size) in [(u64::MAX - 1, u64::MAX), (0, u64::MAX), (1 << 63, u64::MAX)] {
        assert!(matches!(rfc9162::verify_inclusion(&none, index, size, &[], &none), Err(ProofError::Length { .. })), "{index} {size}");
        assert!(rfc9162::verify_consistency((index.max(1), &none), (size, &leaves[0]), &[]).is_err(), "{index} {size}");
    }
}

fn check_damaged(proof: &[Digest], random: &mut Random, verify: impl Fn(&[Digest]) -> Result<(), ProofError>, context: &str) {
    let expected = proof.len();
    assert_eq!(verify(&[proof, &[[0; 32]]].concat()), Err(ProofError::Length { expected }), "{context}");
    if expected > 0 {
        assert_eq!(verify(&proof[1..]), Err(ProofError::Length { expected }), "{context}");
        assert_eq!(verify(&proof[..expected - 1]), Err(ProofError::Length { expected }), "{context}");
        let mut damaged = proof.to_vec();
        damaged[random.below(expected)][random.below(32)] ^= 1 << random.below(8);
        assert_eq!(verify(&damaged), Err(ProofError::Root), "{context}");
    }
    if expected > 1 {
        let mut damaged = proof.to_vec();
        damaged.reverse();
        assert_eq!(verify(&damaged), Err(ProofError::Root), "{context}");
    }
}

/// Claims that are verified together have the verdicts that they have alone.
#[test]
fn many_proofs_are_verified_at_once() {
    if forced_backend_lacks::<Sha256>() {
        return;
    }
    let leaves = digests(3, 1000);
    let log = Log::of_leaves(leaves.clone());
    let claims: Vec<(usize, usize, Vec<Digest>, Digest)> = (0..500)
        .map(|i| {
            let size = 1 + i * 7 % 1000;
            let index = i * 13 % size;
            let mut proof = log.inclusion_proof(index as u64, size as u64).unwrap();
            if i % 5 == 1 {
                proof.push([0; 32]);
            }
            let root = if i % 7 == 2 { [0; 32] } else { log.root_of(size as u64).unwrap() };
            (index, size, proof, root)
        })
        .collect();
    let claims: Vec<Inclusion<'_>> = claims
        .iter()
        .map(|(index, size, proof, root)| Inclusion { leaf: &leaves[*index], index: *index as u64, size: *size as u64, proof, root })
        .collect();
    let verdicts = rfc9162::verify_inclusions(&claims);
    for (i, (claim, verdict)) in claims.iter().zip(&verdicts).enumerate() {
        assert_eq!(*verdict, rfc9162::verify_inclusion(claim.leaf, claim.index, claim.size, claim.proof, claim.root), "claim {i}");
        assert_eq!(verdict.is_ok(), i % 5 != 1 && i % 7 != 2, "claim {i}");
    }
    assert_eq!(rfc9162::verify_inclusions(&[]), []);
}

/// SHA256TREE by its definition, over the block cipher within the reference's compression function.
fn expected_sha256tree(content: &[u8]) -> Digest {
    if content.len() <= 1024 {
        return sha256(content);
    }
    let (left, right) = content.split_at(left_half(content.len()));
    let node = [expected_sha256tree(left), expected_sha256tree(right)].concat();
    let words: Vec<u32> = node.chunks_exact(4).map(|word| u32::from_be_bytes(word.try_into().unwrap())).collect();
    // The first halves of the initial value of SHA-384 (FIPS 180-4, section 5.3.4).
    let initial = [0xcbbb9d5d, 0x629a292a, 0x9159015a, 0x152fecd8, 0x67332667, 0x8eb44a87, 0xdb0c2e0d, 0x47b5481d];
    let mut state: [u32; 8] = initial;
    ::reference::compression::sha256(&mut state, &words);
    let words: Vec<u8> = state.iter().zip(initial).flat_map(|(word, initial)| word.wrapping_sub(initial).to_be_bytes()).collect();
    words.try_into().unwrap()
}

#[test]
fn sha256tree_has_the_known_answers_and_is_its_definition() {
    if forced_backend_lacks::<Sha256>() {
        return;
    }
    let known = include_str!("../../../../vectors/remote-apis/sha256tree.txt");
    let known: Vec<(usize, &str)> = known
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_once(' ').unwrap())
        .map(|(bytes, digest)| (bytes.parse().unwrap(), digest))
        .collect();
    assert!(known.len() > 10);
    let contents: Vec<Vec<u8>> = known.iter().map(|(bytes, _)| paint(0, *bytes)).collect();
    for ((bytes, expected), digest) in known.iter().zip(sha256tree::digests(&contents)) {
        assert_eq!(hex(&digest), *expected, "{bytes} bytes");
    }
    // All numbers of nodes up to more than lanes, together and in pieces.
    let contents: Vec<Vec<u8>> = (0..140).map(|leaves| paint(leaves, (leaves * 1024).saturating_sub(leaves % 3 * 500))).collect();
    for (content, digest) in contents.iter().zip(sha256tree::digests(&contents)) {
        assert_eq!(hex(&digest), hex(&expected_sha256tree(content)), "{} bytes", content.len());
    }
    let merkle = sha256tree::merkle();
    for bytes in [3_000_000, (4 << 20) + 1, 4 << 20] {
        let content = paint(5, bytes);
        let mut tree = merkle.builder();
        content.chunks(64 * 1024).for_each(|piece| tree.add(&merkle.hash_leaves(piece)));
        assert_eq!(tree.root().map(|root| hex(&root)), Some(hex(&expected_sha256tree(&content))), "{bytes} bytes");
    }
}

const BLOCK_100_000: [&str; 4] = [
    "8c14f0db3df150123e6f3dbbf30f8b955a8249b62ac1d1ff16284aefa3d06d87",
    "fff2525b8931402dd09222c50775608f75787bd2b87e56995a7bdd30f79702c4",
    "6359f0868171b1d194cbee1af2f16ea598ae8fad666d9b012c8ed2b79a236ec4",
    "e9a66845e05d5abc0ad04ec80f774a7e585c6e8db975962d069a522137b80c1d",
];

/// The only transaction of the first block.
const FIRST_TRANSACTION: &str = "01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d01044554\
    68652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062\
    616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e5\
    1ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000";

fn expected_bitcoin_root(ids: &[Digest]) -> Digest {
    let mut level = ids.to_vec();
    while level.len() > 1 {
        level = level.chunks(2).map(|pair| sha256(&sha256(&[pair[0], *pair.last().unwrap()].concat()))).collect();
    }
    level[0]
}

#[test]
fn blocks_of_bitcoin_have_their_roots() {
    if forced_backend_lacks::<Sha256>() {
        return;
    }
    let ids = BLOCK_100_000.map(|id| bitcoin::displayed(bytes(id)));
    let root = bitcoin::displayed(bitcoin::root(&ids).unwrap());
    assert_eq!(hex(&root), "f3e94742aca4b5ef85488dc37c06c3282295ffec960994b2c0d5ac2a25a95766");
    let first = bitcoin::ids(&[any_bytes(FIRST_TRANSACTION)]);
    assert_eq!(hex(&bitcoin::displayed(first[0])), "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b");
    assert_eq!((bitcoin::root(&first), bitcoin::root(&[])), (Some(first[0]), None));
    for count in (1..=70).chain([2047, 2048, 2049, 4097, 9001]) {
        let ids = digests(count, count);
        assert_eq!(bitcoin::root(&ids), Some(expected_bitcoin_root(&ids)), "{count} ids");
        assert!(!bitcoin::is_ambiguous(&ids), "{count} ids");
    }
    let transactions: Vec<Vec<u8>> = (0..300).map(|bytes| paint(bytes, bytes)).collect();
    for (transaction, id) in transactions.iter().zip(bitcoin::ids(&transactions)) {
        assert_eq!(id, sha256(&sha256(transaction)), "{} bytes", transaction.len());
    }
}

/// CVE-2012-2459: a list that repeats its end has the root of the list without the repeat.
#[test]
fn lists_that_repeat_their_end_are_ambiguous() {
    if forced_backend_lacks::<Sha256>() {
        return;
    }
    for (count, repeated) in [(3, 1), (5, 1), (6, 2), (7, 1), (12, 4)] {
        let ids = digests(9, count);
        let repeats = [&ids[..], &ids[count - repeated..]].concat();
        assert_eq!(bitcoin::root(&ids), bitcoin::root(&repeats), "{count} ids");
        assert!(bitcoin::is_ambiguous(&repeats) && !bitcoin::is_ambiguous(&ids), "{count} ids");
    }
}

/// merkleize of SimpleSerialize, by its definition: padded to a power of two with chunks of zeros.
fn expected_ssz(chunks: &[Digest], limit: Option<usize>) -> Digest {
    let mut level = chunks.to_vec();
    level.resize(limit.unwrap_or(chunks.len()).next_power_of_two(), [0; 32]);
    while level.len() > 1 {
        level = level.as_chunks::<2>().0.iter().map(|pair| sha256(pair.as_flattened())).collect();
    }
    level[0]
}

#[test]
fn ssz_is_its_definition() {
    if forced_backend_lacks::<Sha256>() {
        return;
    }
    for count in (0..=33).chain([63, 64, 65, 1000, 4097]) {
        let chunks = digests(4, count);
        assert_eq!(ssz::merkleize(&chunks, None), Ok(expected_ssz(&chunks, None)), "{count} chunks");
        for limit in [count, count + 1, 2 * count + 3, 5000] {
            let (found, expected) = (ssz::merkleize(&chunks, Some(limit as u64)), expected_ssz(&chunks, Some(limit)));
            assert_eq!(found, Ok(expected), "{count} chunks of {limit}");
            let length = [&(count as u64).to_le_bytes()[..], &[0; 24]].concat();
            assert_eq!(ssz::mix_in_length(expected, count as u64), sha256(&[&expected[..], &length].concat()), "{count} chunks");
        }
        if let Some(limit) = count.checked_sub(1) {
            let (chunks, limit) = (count as u64, limit as u64);
            assert_eq!(ssz::merkleize(&digests(4, count), Some(limit)), Err(ParameterError::Limit { chunks, limit }));
        }
    }
    // The root over chunks of zeros, 2^63 of them, by doubling.
    let doubled = (0..63).fold([0; 32], |root: Digest, _| sha256(&[root, root].concat()));
    assert_eq!(ssz::merkleize(&[], Some(1 << 63)), Ok(doubled));
    assert_eq!(ssz::merkleize(&[], Some(u64::MAX)), Ok(sha256(&[doubled, doubled].concat())));
}

#[test]
fn proofs_of_chunks_lead_to_the_root_and_others_do_not() {
    if forced_backend_lacks::<Sha256>() {
        return;
    }
    for (count, limit) in [(1, None), (5, None), (8, None), (1, Some(1)), (5, Some(5)), (5, Some(100)), (9, Some(1 << 40))] {
        let chunks = digests(6, count);
        let root = ssz::merkleize(&chunks, limit).unwrap();
        let tree = ssz::merkle().levels(chunks.clone());
        for (index, chunk) in chunks.iter().enumerate() {
            let proof = ssz::proof(&tree, index, limit).unwrap();
            assert_eq!(ssz::root_of_proof(*chunk, index as u64, &proof), root, "{index} of {count}, {limit:?}");
            if count > 1 {
                assert_ne!(ssz::root_of_proof(*chunk, index as u64 ^ 1, &proof), root, "{index} of {count}, {limit:?}");
            }
            assert_ne!(ssz::root_of_proof([7; 32], index as u64, &proof), root, "{index} of {count}, {limit:?}");
        }
        assert_eq!(ssz::proof(&tree, count, limit), None);
        assert_eq!(ssz::proof(&tree, 0, Some(count as u64 - 1)), None);
    }
}

fn git_ids<A: GitAlgorithm>() {
    if forced_backend_lacks::<A>() {
        return;
    }
    let lengths = [0, 1, 9, 10, 99, 100, 16_384, 16_385, 20_000, 100_000, 1_000_000, 7, 999, 1000, 54, 55, 56, 57];
    let mut contents: Vec<Vec<u8>> = lengths.iter().map(|bytes| paint(*bytes, *bytes)).collect();
    // More than are copied together.
    contents.extend((0..300).map(|i| paint(i, 9_000 + i)));
    for (content, id) in contents.iter().zip(git::blob_ids::<A>(&contents)) {
        let object = [format!("blob {}\0", content.len()).as_bytes(), content].concat();
        assert_eq!(hex(id.as_ref()), hex(&reference::<A>()(&object)), "{} {} bytes", A::OBJECT_FORMAT, content.len());
        let mut hasher = git::blob_hasher::<A>(content.len() as u64);
        hasher.update(content);
        assert_eq!(hasher.finalize(), id, "{} {} bytes, in pieces", A::OBJECT_FORMAT, content.len());
    }
    let ids = git::blob_ids::<A>(&["one", "two", "three"]);
    let entry = |mode, name: &str, id| Entry::<A> { mode, name: name.into(), id };
    let tree = [entry(Mode::File, "a.b", ids[0]), entry(Mode::Tree, "a", ids[1]), entry(Mode::Executable, "a-", ids[2])];
    let sorted = [("100755 a-\0", ids[2]), ("100644 a.b\0", ids[0]), ("40000 a\0", ids[1])];
    let content: Vec<u8> = sorted.iter().flat_map(|(head, id)| [head.as_bytes(), id.as_ref()].concat()).collect();
    assert_eq!(git::tree_content(tree.to_vec()), content);
    let object = [format!("tree {}\0", content.len()).as_bytes(), &content].concat();
    assert_eq!(hex(git::tree_id(tree.to_vec()).as_ref()), hex(&reference::<A>()(&object)));
}

#[test]
fn objects_of_git_have_their_ids() {
    git_ids::<Sha1>();
    git_ids::<Sha256>();
    if !forced_backend_lacks::<Sha1>() {
        assert_eq!(hex(&git::tree_id::<Sha1>(vec![])), "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
    }
}

#[test]
fn addresses_are_text_and_builders_take_pieces() {
    if forced_backend_lacks::<Sha256>() {
        return;
    }
    // 16 nodes of 174 chunks are made at once.
    let chunk = paint(0, cid::CHUNK_BYTES);
    let digest = sha256(&chunk);
    for chunks in [1, 2, 174, 175, 16 * 174, 16 * 174 + 1, 174 * 174 + 1] {
        let mut together = cid::FileBuilder::new();
        together.add(&vec![digest; chunks]);
        let mut apart = cid::FileBuilder::new();
        (0..chunks).for_each(|_| apart.add(&[digest]));
        let bytes = (chunks * cid::CHUNK_BYTES) as u64;
        let address = together.finish(bytes);
        assert_eq!(address, apart.finish(bytes), "{chunks} chunks");
        assert_eq!(address.bytes()[..4], [1, if chunks == 1 { 0x55 } else { 0x70 }, 0x12, 32]);
        let text = address.to_string();
        assert!(text.len() == 59 && text.starts_with(if chunks == 1 { "bafkrei" } else { "bafybei" }), "{text}");
    }
}

/// A tree whose leaves are changed and appended is the tree that is built of the new leaves.
fn check_levels<A: Algorithm>(tree: &Merkle<A>, name: &str) {
    if forced_backend_lacks::<A>() {
        return;
    }
    let (seed, mut random) = Random::replayable(0x1e7e15);
    let leaf = |number: usize| {
        let mut leaf = manyhash::hash::<A>(&number.to_le_bytes());
        leaf.as_mut()[0] ^= 1;
        leaf
    };
    let root = |leaves: &[A::Digest]| {
        let mut builder = tree.builder();
        builder.add(leaves);
        builder.root()
    };
    let mut leaves: Vec<A::Digest> = Vec::new();
    let mut kept = tree.levels(leaves.clone());
    assert_eq!(kept.root(), None);
    for round in 0..60 {
        let context = format!("{name}, MANYHASH_TEST_SEED={seed}, round {round}, {} leaves", leaves.len());
        let new: Vec<A::Digest> = (0..random.one_of(&[0, 1, 1, 2, 3, 17, 100])).map(|i| leaf(1000 * round + i)).collect();
        leaves.extend(&new);
        kept.push(&new);
        assert_eq!(kept.root(), root(&leaves), "{context}, appended");
        let changes: Vec<(usize, A::Digest)> =
            (0..random.below(9).min(leaves.len())).map(|i| (random.below(leaves.len()), leaf(1_000_000 + 1000 * round + i))).collect();
        changes.iter().for_each(|(index, digest)| leaves[*index] = *digest);
        kept.update(&changes);
        assert_eq!(kept.root(), root(&leaves), "{context}, {} changes", changes.len());
        assert_eq!(kept.levels(), tree.levels(leaves.clone()).levels(), "{context}");
        if let [_, second, above @ ..] = kept.levels() {
            let upper = tree.levels_above(1, second.clone());
            assert_eq!((upper.root(), &upper.levels()[1..]), (kept.root(), above), "{context}, from the second level");
        }
    }
    // More nodes than are hashed together.
    let many: Vec<A::Digest> = (0..9001).map(leaf).collect();
    assert_eq!(tree.levels(many.clone()).root(), root(&many), "{name}");
}

#[test]
fn levels_that_are_kept_are_those_of_the_leaves() {
    check_levels(&rfc9162::merkle(), "RFC 9162");
    check_levels(&ssz::merkle(), "SSZ");
    check_levels(&bitcoin::merkle(), "Bitcoin");
    check_levels(&sha256tree::merkle(), "SHA256TREE");
    check_levels(&glacier::merkle(), "Glacier");
    check_levels(BitTorrentV2::new(16 << 10).unwrap().merkle(), "BitTorrent");
    check_levels(FsVerity::<Sha512>::new(1024, b"salt").unwrap().merkle(), "fs-verity");
    check_levels(DmVerity::<Sha1>::new(dm_verity::Format::Normal, 512, 512, b"salt").unwrap().merkle(), "dm-verity");
    check_levels(DmVerity::<Sha256>::new(dm_verity::Format::ChromeOs, 512, 512, b"salt").unwrap().merkle(), "dm-verity");
}

/// Leaves that come in pieces make the tree that they make at once, and each node is seen once, in order.
fn check_pieces<A: Algorithm>(tree: &Merkle<A>, name: &str) {
    if forced_backend_lacks::<A>() {
        return;
    }
    let (seed, mut random) = Random::replayable(0x91ece5);
    for count in [1, 2, 2047, 2048, 2049, 4096, 4097, 8192, 20_000] {
        let leaves = manyhash::hash_many::<A>(&(0..count).map(|i: usize| i.to_le_bytes()).collect::<Vec<_>>());
        let kept = tree.levels(leaves.clone());
        let mut made: Vec<u64> = Vec::new();
        let mut see = |nodes: manyhash::tree::Nodes<'_>| {
            made.resize(made.len().max(nodes.level + 1), 0);
            assert_eq!(nodes.first, made[nodes.level], "{name}, MANYHASH_TEST_SEED={seed}, {count} leaves, level {}", nodes.level);
            for (i, digest) in tree.hash_nodes(nodes.bytes).into_iter().enumerate() {
                assert_eq!(digest, kept.levels()[nodes.level + 1][nodes.first as usize + i], "{name}, {count} leaves");
            }
            made[nodes.level] += (nodes.bytes.len() / tree.node_bytes()) as u64;
            Ok::<_, std::convert::Infallible>(())
        };
        let mut builder = tree.builder();
        let mut rest = &leaves[..];
        while !rest.is_empty() {
            let (piece, later) = rest.split_at(random.one_of(&[1, 100, 2048, 5000]).min(rest.len()));
            let Ok(()) = builder.push(piece, &mut see);
            rest = later;
        }
        let Ok(root) = builder.finish(&mut see);
        assert_eq!(root, kept.root(), "{name}, MANYHASH_TEST_SEED={seed}, {count} leaves");
        // A digest that goes up as it is makes no node.
        let expected = tree.nodes(count as u64);
        assert!(
            made.iter().zip(&expected).all(|(made, nodes)| nodes - made <= 1),
            "{name}, {count} leaves: {made:?} nodes, not {expected:?}"
        );
    }
}

#[test]
fn leaves_in_pieces_make_the_tree_of_all() {
    check_pieces(&rfc9162::merkle(), "RFC 9162");
    check_pieces(&ssz::merkle(), "SSZ");
    check_pieces(&bitcoin::merkle(), "Bitcoin");
    check_pieces(&sha256tree::merkle(), "SHA256TREE");
    check_pieces(FsVerity::<Sha512>::new(1024, b"salt").unwrap().merkle(), "fs-verity");
}

#[test]
fn roots_of_large_and_small_messages_together_are_those_of_each() {
    if forced_backend_lacks::<Sha256>() {
        return;
    }
    let messages: Vec<Vec<u8>> =
        [0, 1, 1025, 5000, 1023 << 10, 1024 << 10, (1024 << 10) + 1, 1500 << 10].map(|bytes| paint(bytes, bytes)).into();
    for tree in [sha256tree::merkle(), glacier::merkle(), BitTorrentV2::new(16 << 10).unwrap().merkle().clone()] {
        let each: Vec<Option<Digest>> = messages.iter().map(|message| tree.levels(tree.hash_leaves(message)).root()).collect();
        assert_eq!(tree.roots(&messages), each);
        assert_eq!(messages.iter().map(|message| tree.roots(&[message])[0]).collect::<Vec<_>>(), each);
    }
}

fn slices_change<A: Algorithm>() {
    let (seed, mut random) = Random::replayable(0x511ce);
    for round in 0..80 {
        let lanes = random.one_of(&[1, 2, 3, 8, 33]);
        let mut message = paint(round, random.below(9000));
        let before = message.clone();
        let start = random.below(message.len() + 1);
        let most_bytes = (message.len() - start).min(random.one_of(&[40, 9000]));
        let end = start + random.below(most_bytes + 1);
        message[start..end].iter_mut().for_each(|byte| *byte ^= 0x55);
        let (changed, is_separated) = (start as u64..end as u64, round % 2 == 0);
        let context = format!("MANYHASH_TEST_SEED={seed}, round {round}, {lanes} lanes, bytes {start} to {end} of {}", message.len());

        let mode = JPointers::<A>::new(lanes).unwrap();
        let mode = if is_separated { mode.separated() } else { mode };
        let mut digests = mode.slice_digests(&before);
        assert_eq!(mode.update(&mut digests, &message, changed.clone()), mode.hash(&message), "j-pointers, {context}");
        assert_eq!(digests, mode.slice_digests(&message), "j-pointers, {context}");

        let mode = JLanes::<A>::new(lanes).unwrap();
        let mode = if is_separated { mode.separated() } else { mode };
        let mut digests = mode.slice_digests(&before);
        assert_eq!(mode.update(&mut digests, &message, changed), mode.hash(&message), "j-lanes, {context}");
        assert_eq!(digests, mode.slice_digests(&message), "j-lanes, {context}");
    }
}
manyhash::for_each_algorithm!(per_algorithm[slices_change]);
