//! HMAC: tags under one key and under many, truncated tags, right and wrong ones, and the keys that
//! are derived by it, against the reference.

use crate::choices::Choices;
use crate::{algorithms, backends, paint};
use manyhash::hmac::{Key, TagError, hkdf_expand, hkdf_extract, pbkdf2_many, tag_many, verify_many};
use manyhash::{Algorithm, Batch, with_algorithm};
use reference::Hmac;
use std::num::NonZeroU32;

/// Makes and verifies tags, each way that there is.
pub fn target(data: &[u8]) {
    let choices = &mut Choices::new(data);
    let with_hmac: Vec<_> = algorithms().into_iter().filter(|algorithm| algorithm.has_hmac()).collect();
    if with_hmac.is_empty() {
        return;
    }
    with_algorithm!(choices.one_of(&with_hmac), A => check::<A>(choices));
}

fn check<A: Algorithm>(choices: &mut Choices) {
    let reference = Hmac::by_name(A::NAME).expect("the reference has every HMAC");
    match choices.between(0, 9) {
        0 => derived::<A>(choices, reference),
        _ => tags::<A>(choices, reference),
    }
}

fn tags<A: Algorithm>(choices: &mut Choices, reference: Hmac) {
    let tag_bytes = choices.between(4, A::DIGEST_BYTES);
    let secrets: Vec<Vec<u8>> = (0..choices.between(1, 4)).map(|i| paint(i, choices.length().min(400))).collect();
    let keys: Vec<Key<A>> = secrets.iter().map(|secret| Key::new(secret).with_tag_bytes(tag_bytes)).collect();
    let lengths = choices.lengths(70);
    let messages: Vec<Vec<u8>> = lengths.iter().enumerate().map(|(i, bytes)| paint(i, *bytes)).collect();
    // Keys come in turns, or each for some messages in a row.
    let run = choices.between(1, 9);
    let of = |message: usize| message / run % keys.len();
    let of_each: Vec<&Key<A>> = (0..messages.len()).map(|i| &keys[of(i)]).collect();
    let context = || format!("{} of {lengths:?} bytes, keys of {:?}", A::NAME, secrets.iter().map(Vec::len).collect::<Vec<_>>());

    let expected: Vec<Vec<u8>> = messages.iter().enumerate().map(|(i, message)| reference.tag(&secrets[of(i)], message)).collect();
    let same = |tags: &[A::Digest], way: &str| {
        let right = tags.len() == expected.len() && tags.iter().zip(&expected).all(|(tag, expected)| tag.as_ref() == expected);
        assert!(right, "{way}, {}", context());
    };
    same(&tag_many(&of_each, &messages), "tag_many");
    same(&of_each.iter().zip(&messages).map(|(key, message)| key.tag(message)).collect::<Vec<_>>(), "tag");
    let mut in_pieces = Vec::new();
    for (key, message) in of_each.iter().zip(&messages) {
        let mut tagger = key.tagger();
        let (first, second) = message.split_at(message.len() / 3);
        [first, &[], second].iter().for_each(|piece| tagger.update(piece));
        in_pieces.push(tagger.finalize());
    }
    same(&in_pieces, "tagger");
    for backend in backends::<A>() {
        same(&Batch::new().keys(&of_each).backend(backend).hash(&messages), backend.name());
    }
    for (secret, key) in secrets.iter().zip(&keys) {
        let of_one = key.tag_many(&messages);
        for (message, tag) in messages.iter().zip(&of_one).take(3) {
            assert_eq!(tag.as_ref(), reference.tag(secret, message), "{}", context());
        }
        for backend in backends::<A>() {
            assert_eq!(Batch::new().key(key).backend(backend).hash(&messages), of_one, "{backend}, {}", context());
        }
    }

    // Only the right tags are accepted, and nothing is said of the others but that they are wrong.
    let mut verdicts = Vec::new();
    let mut given = Vec::new();
    for expected in &expected {
        let mut tag = expected[..tag_bytes].to_vec();
        verdicts.push(match choices.between(0, 4) {
            0 => {
                let bit = choices.between(0, 8 * tag_bytes - 1);
                tag[bit / 8] ^= 1 << (bit % 8);
                Err(TagError::Wrong)
            }
            1 => {
                tag = [&expected[..], b"more"].concat();
                tag.truncate(choices.between(0, A::DIGEST_BYTES + 4));
                if tag.len() == tag_bytes { Ok(()) } else { Err(TagError::Bytes { given: tag.len(), expected: tag_bytes }) }
            }
            _ => Ok(()),
        });
        given.push(tag);
    }
    assert_eq!(verify_many(&of_each, &messages, &given), verdicts, "{}", context());
    assert_eq!(Batch::new().keys(&of_each).verify(&messages, &given), verdicts, "{}", context());
    for (((key, message), tag), verdict) in of_each.iter().zip(&messages).zip(&given).zip(verdicts) {
        assert_eq!(key.verify(message, tag), verdict, "{}", context());
    }
}

/// HKDF and PBKDF2, for a few inputs at once.
fn derived<A: Algorithm>(choices: &mut Choices, reference: Hmac) {
    let count = choices.between(1, 6);
    let bytes = choices.between(0, 3 * A::DIGEST_BYTES);
    let [salt, secret, info] = [1, 2, 3].map(|seed| paint(seed, choices.length().min(300)));
    let infos: Vec<Vec<u8>> = (0..count).map(|i| [&info[..], &[i as u8]].concat()).collect();
    let key = hkdf_extract::<A>(&salt, &secret);
    let expanded = hkdf_expand(&vec![&key; count], &infos, bytes).expect("few bytes");
    let extracted = reference.extract(&salt, &secret);
    for (expanded, info) in expanded.iter().zip(&infos) {
        assert_eq!(*expanded, reference.expand(&extracted, info, bytes), "HKDF with {}", A::NAME);
    }
    let iterations = choices.between(1, 20) as u32;
    let passwords: Vec<Vec<u8>> = (0..count).map(|i| paint(i, secret.len() + i)).collect();
    let keys = pbkdf2_many::<A>(&passwords, &infos, NonZeroU32::new(iterations).expect("one at least"), bytes);
    for ((key, password), salt) in keys.iter().zip(&passwords).zip(&infos) {
        assert_eq!(*key, reference.pbkdf2(password, salt, iterations, bytes), "PBKDF2 with {}", A::NAME);
    }
}
