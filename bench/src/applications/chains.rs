//! SHA-256 of 32 bytes, again and again: many chains, each with its own number of links.

use manyhash::{Algorithm, Sha256, chain};
use manyhash_measure::Random;
use sha2::Digest;

use super::{Application, SEED, ours, peer, random_digests};

/// A name, the number of chains, and the fewest and the most links of one.
const SHAPES: [(&str, usize, usize, usize); 11] = [
    ("1 chain of 20,000 links", 1, 20_000, 20_000),
    ("2 of 10,000", 2, 10_000, 10_000),
    ("4 of 10,000", 4, 10_000, 10_000),
    ("8 of 5,000", 8, 5_000, 5_000),
    ("16 of 5,000", 16, 5_000, 5_000),
    ("32 of 5,000", 32, 5_000, 5_000),
    ("32 of 1 to 9,999", 32, 1, 9_999),
    ("64 of 12,500, the ticks of a proof of history", 64, 12_500, 12_500),
    ("1,000 of 200", 1_000, 200, 200),
    ("1,000 of 1 to 15", 1_000, 1, 15),
    ("5,000 of 8", 5_000, 8, 8),
];

/// Every shape, with `less` times less to do.
pub fn all(less: usize) -> Vec<Application<32>> {
    SHAPES.iter().map(|&(description, count, fewest, most)| application(description, count, (fewest, most), less)).collect()
}

fn application(description: &'static str, count: usize, (fewest, most): (usize, usize), less: usize) -> Application<32> {
    let mut random = Random::new(SEED);
    let links: Vec<u64> = (0..count).map(|_| (fewest + random.below(most - fewest + 1)).div_ceil(less) as u64).collect();
    let seeds = random_digests(count);
    let units = links.iter().sum::<u64>() as usize;
    let each = {
        let (seeds, links) = (seeds.clone(), links.clone());
        move || -> Vec<[u8; 32]> {
            let end = |(&seed, &links): (&[u8; 32], &u64)| (0..links).fold(seed, |value, _| sha2::Sha256::digest(value).into());
            seeds.iter().zip(&links).map(end).collect()
        }
    };
    let tape = {
        let (seeds, links) = (seeds.clone(), links.clone());
        move || {
            let mut ends = vec![[0; 32]; seeds.len()];
            tape_sha256::hash_chains(&seeds, &links, &mut ends);
            ends
        }
    };
    Application {
        algorithm: Sha256::NAME,
        name: "chains",
        description,
        unit: "link",
        units,
        expected: each(),
        peers: vec![ours(move || chain::many::<Sha256>(&seeds, &links)), peer("tape-sha256", tape), peer("sha2", each)],
    }
}
