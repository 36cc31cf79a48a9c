//! Keys of passwords by PBKDF2-HMAC-SHA-256: each iteration is a tag of the one before.

use std::num::NonZeroU32;

use anyhow::Result;
use manyhash::{Algorithm, Sha256, hmac};

use super::{Application, ours, peer, random_digests};

/// What is said of it, the passwords, the iterations, and the digests of a key.
const SHAPES: [(&str, usize, u32, usize); 4] = [
    ("1,000 passwords of 1,000 iterations", 1_000, 1_000, 1),
    ("16 of 10,000", 16, 10_000, 1),
    ("1 of 10,000, a key of 256 bytes", 1, 10_000, 8),
    ("1 of 10,000", 1, 10_000, 1),
];

/// Every shape, with `less` times less to do.
pub fn all(less: usize) -> Vec<Application<32>> {
    SHAPES
        .iter()
        .map(|&(description, passwords, iterations, digests)| application(description, passwords, iterations, digests, less))
        .collect()
}

fn application(description: &'static str, passwords: usize, iterations: u32, digests: usize, less: usize) -> Application<32> {
    let iterations = iterations / less as u32;
    let passwords: Vec<[u8; 32]> = random_digests(passwords);
    let salts: Vec<[u8; 32]> = passwords.iter().rev().copied().collect();
    let bytes = 32 * digests;
    let each = |derive: fn(&[u8], &[u8], u32, &mut [u8])| {
        let (passwords, salts) = (passwords.clone(), salts.clone());
        move || {
            let mut keys = vec![[0; 32]; passwords.len() * digests];
            for ((password, salt), key) in passwords.iter().zip(&salts).zip(keys.chunks_mut(digests)) {
                derive(password, salt, iterations, key.as_flattened_mut());
            }
            keys
        }
    };
    let crates = each(pbkdf2::pbkdf2_hmac::<sha2::Sha256>);
    let many = {
        let (passwords, salts) = (passwords.clone(), salts.clone());
        let iterations = NonZeroU32::new(iterations).expect("there are some");
        move || {
            let keys = hmac::pbkdf2_many::<Sha256>(&passwords, &salts, iterations, bytes);
            keys.iter().flat_map(|key| key.as_chunks().0).copied().collect()
        }
    };
    Application {
        algorithm: Sha256::NAME,
        name: "PBKDF2-HMAC",
        description,
        unit: "iteration",
        units: passwords.len() * digests * iterations as usize,
        expected: crates(),
        peers: vec![ours(many), peer("pbkdf2 and sha2", crates), peer("openssl", each(by_openssl)), peer("aws-lc-rs", each(by_aws_lc))],
    }
}

fn by_openssl(password: &[u8], salt: &[u8], iterations: u32, key: &mut [u8]) {
    let derived: Result<(), _> =
        openssl::pkcs5::pbkdf2_hmac(password, salt, iterations as usize, openssl::hash::MessageDigest::sha256(), key);
    derived.expect("OpenSSL derives keys with SHA-256");
}

fn by_aws_lc(password: &[u8], salt: &[u8], iterations: u32, key: &mut [u8]) {
    let iterations = NonZeroU32::new(iterations).expect("there are some");
    aws_lc_rs::pbkdf2::derive(aws_lc_rs::pbkdf2::PBKDF2_HMAC_SHA256, iterations, salt, password, key);
}
