//! NIST's vectors, two other implementations as oracles, and signatures that are no good.

use fips205::traits::{SerDes, Signer, Verifier};
use manyhash::{Sha256, Sha512, hash, xof};
use slh_dsa_example::{ALL, Error, Message, ParameterSet, PreHash, SHA2_128F, SHA2_192F, SHAKE_128F, SHAKE_192F, SigningKey, VerifyingKey};

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

/// Bytes that look random, of a seed.
fn bytes(seed: &str, count: usize) -> Vec<u8> {
    xof::one::<xof::Shake128>(seed.as_bytes(), count)
}

fn key(set: ParameterSet) -> SigningKey {
    let n = set.verifying_key_bytes() / 2;
    let seeds = bytes(set.name, 3 * n);
    SigningKey::of_seeds(set, &seeds[..n], &seeds[n..2 * n], &seeds[2 * n..]).unwrap()
}

/// Sets of small trees: what takes no time.
fn fast() -> impl Iterator<Item = ParameterSet> {
    ALL.into_iter().filter(|set| set.name.ends_with('f'))
}

/// The file says where they are from, and what is in a line.
#[test]
fn nist_vectors() {
    let mut seen = [0, 0];
    for line in include_str!("vectors.txt").lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(' ').collect();
        let [what, name, a, b, c, wanted] = fields[..] else { panic!("{line}") };
        let set = ParameterSet::by_name(name).unwrap();
        if what == "key" {
            let key = SigningKey::of_seeds(set, &hex(a), &hex(b), &hex(c)).unwrap();
            assert_eq!(*key.to_bytes(), hex(&[a, b, c, wanted].concat()), "{line}");
            assert_eq!(key.verifying_key().to_bytes(), hex(&[c, wanted].concat()), "{line}");
            seen[0] += 1;
        } else {
            let (key, message) = (SigningKey::from_bytes(set, &hex(a)).unwrap(), hex(c));
            let message = Message::internal(&message);
            let signature = if b == "-" { key.sign_deterministically(&message) } else { key.sign_with(&message, &hex(b)) };
            let signature = signature.unwrap();
            assert_eq!(hash::<Sha256>(&signature)[..], hex(wanted), "{line}");
            assert_eq!(key.verifying_key().verify(&message, &signature), Ok(()), "{line}");
            seen[1] += 1;
        }
    }
    assert_eq!(seen, [18, 16]);
}

/// Signs here and there, verifies there and here.
fn beside_slh_dsa<P: slh_dsa::ParameterSet + slh_dsa::SigningKeyLen + slh_dsa::VerifyingKeyLen>(contexts: &[&[u8]]) {
    let set = ParameterSet::by_name(P::NAME).unwrap();
    let ours = key(set);
    let theirs = slh_dsa::SigningKey::<P>::try_from(&ours.to_bytes()[..]).unwrap();
    let verifying = slh_dsa::VerifyingKey::<P>::try_from(&ours.verifying_key().to_bytes()[..]).unwrap();
    for (i, context) in contexts.iter().enumerate() {
        let text = bytes(&format!("{i} {}", P::NAME), 1 + 100 * i).split_off(1);
        let message = Message::new(&text).context(context);
        let signature = ours.sign(&message).unwrap();
        let read = slh_dsa::Signature::<P>::try_from(&signature[..]).unwrap();
        verifying.try_verify_with_context(&text, context, &read).unwrap();

        let randomness = bytes("randomness", set.verifying_key_bytes() / 2);
        let signature = theirs.try_sign_with_context(&text, context, Some(&randomness)).unwrap().to_vec();
        assert_eq!(signature, ours.sign_with(&message, &randomness).unwrap(), "{} {i}", P::NAME);
        assert_eq!(ours.verifying_key().verify(&message, &signature), Ok(()), "{} {i}", P::NAME);
    }
}

#[test]
fn beside_slh_dsa_fast() {
    let contexts: [&[u8]; 3] = [b"", b"a context", &[1; 255]];
    beside_slh_dsa::<slh_dsa::Sha2_128f>(&contexts);
    beside_slh_dsa::<slh_dsa::Sha2_192f>(&contexts);
    beside_slh_dsa::<slh_dsa::Sha2_256f>(&contexts[1..2]);
    beside_slh_dsa::<slh_dsa::Shake128f>(&contexts);
    beside_slh_dsa::<slh_dsa::Shake192f>(&contexts[..2]);
    beside_slh_dsa::<slh_dsa::Shake256f>(&contexts[1..2]);
}

/// The vectors sign by two sets of these already.
#[test]
fn beside_slh_dsa_small() {
    beside_slh_dsa::<slh_dsa::Sha2_128s>(&[b"a context"]);
    beside_slh_dsa::<slh_dsa::Sha2_256s>(&[b"a context"]);
    beside_slh_dsa::<slh_dsa::Shake128s>(&[b"a context"]);
    beside_slh_dsa::<slh_dsa::Shake256s>(&[b"a context"]);
}

#[test]
fn digests_of_messages_are_signed_as_fips205_signs_them() {
    use fips205::slh_dsa_sha2_128f::{PrivateKey, PublicKey};
    let ours = key(SHA2_128F);
    let theirs = PrivateKey::try_from_bytes(ours.to_bytes()[..].try_into().unwrap()).unwrap();
    let verifying = PublicKey::try_from_bytes(ours.verifying_key().to_bytes().try_into().unwrap()).unwrap();
    let identifier = |last| [0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, last];
    let text = bytes("long", 10_000);
    let some = [
        (PreHash::Sha256, hash::<Sha256>(&text).to_vec(), 1),
        (PreHash::Sha512, hash::<Sha512>(&text).to_vec(), 3),
        (PreHash::Shake128, xof::one::<xof::Shake128>(&text, 32), 11),
        (PreHash::Shake256, xof::one::<xof::Shake256>(&text, 64), 12),
    ];
    for (function, digest, last) in some {
        let message = Message::hashed(function, &text).context(b"files");
        let signature = ours.sign_deterministically(&message).unwrap();
        let by_theirs = theirs.try_hash_sign(&digest, b"files", &identifier(last), false).unwrap();
        assert!(signature == by_theirs, "{function:?}");
        assert!(verifying.hash_verify(&digest, &by_theirs, b"files", &identifier(last)));
        assert_eq!(ours.verifying_key().verify(&message, &by_theirs), Ok(()));
        assert_eq!(ours.verifying_key().verify(&Message::new(&text).context(b"files"), &by_theirs), Err(Error::Signature));
    }
}

/// A bit that is wrong in any part of a signature, in the message, the context or the key is found.
#[test]
fn what_is_altered_is_refused() {
    for set in [SHA2_128F, SHAKE_128F, SHA2_192F, SHAKE_192F] {
        let (key, other) = (key(set), SigningKey::generate(set).unwrap());
        let message = Message::new(b"a message").context(b"a context");
        let signature = key.sign(&message).unwrap();
        assert_ne!(signature, key.sign(&message).unwrap(), "{}: hedged", set.name);
        let verifying = key.verifying_key();
        let altered: Vec<Vec<u8>> = (0..40)
            .map(|i| {
                let mut altered = signature.clone();
                altered[(signature.len() - 1) * i / 39] ^= 1 << (i % 8);
                altered
            })
            .collect();
        let mut signed: Vec<_> = altered.iter().map(|signature| (message.clone(), &signature[..])).collect();
        signed.insert(17, (message.clone(), &signature));
        signed.push((Message::new(b"another message").context(b"a context"), &signature));
        signed.push((Message::new(b"a message").context(b"another context"), &signature));
        signed.push((Message::hashed(PreHash::Sha256, b"a message").context(b"a context"), &signature));
        signed.push((message.clone(), &signature[1..]));
        signed.push((Message::new(b"").context(&[0; 256]), &signature));
        for (i, verdict) in verifying.verify_many(&signed).into_iter().enumerate() {
            let bytes = set.signature_bytes();
            let wanted = match i {
                17 => Ok(()),
                44 => Err(Error::Length { what: "a signature", bytes: bytes - 1, wanted: bytes }),
                45 => Err(Error::Context(256)),
                _ => Err(Error::Signature),
            };
            assert_eq!(verdict, wanted, "{} {i}", set.name);
        }
        assert_eq!(other.verifying_key().verify(&message, &signature), Err(Error::Signature));
        assert_eq!(verifying.verify_many(&[]), []);
    }
}

#[test]
fn keys_and_lengths() {
    for set in fast() {
        let key = key(set);
        let read = SigningKey::from_bytes(set, &key.to_bytes()).unwrap();
        let verifying = VerifyingKey::from_bytes(set, &key.verifying_key().to_bytes()).unwrap();
        let message = Message::new(b"a message");
        let signature = read.sign_deterministically(&message).unwrap();
        assert_eq!(signature, key.sign_deterministically(&message).unwrap());
        assert_eq!(verifying.verify(&message, &signature), Ok(()));
        assert!(!format!("{key:?}").contains("prf"), "a key shows nothing secret");
        for wrong in [0, set.signing_key_bytes() - 1, set.signing_key_bytes() + 1] {
            assert!(matches!(SigningKey::from_bytes(set, &vec![0; wrong]), Err(Error::Length { what: "a signing key", .. })));
        }
        assert!(matches!(VerifyingKey::from_bytes(set, &[]), Err(Error::Length { what: "a verifying key", bytes: 0, .. })));
        assert!(matches!(key.sign_with(&message, &[1]), Err(Error::Length { what: "randomness", bytes: 1, .. })));
    }
    // FIPS 205, Table 2.
    let bytes = [7_856, 7_856, 17_088, 17_088, 16_224, 16_224, 35_664, 35_664, 29_792, 29_792, 49_856, 49_856];
    assert_eq!(ALL.map(|set| set.signature_bytes()), bytes);
    assert_eq!(ParameterSet::by_name("SLH-DSA-SHA2-512f"), None);
}
