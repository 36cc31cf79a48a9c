//! cSHAKE, KMAC, TurboSHAKE and KangarooTwelve: what PyCryptodome computed, the RFC's examples, and every length beside the reference.

use crate::support::backends::{do_as_the_environment_says, forced_backend_lacks};
use crate::support::{Random, hex, paint, records};
use manyhash::Sha3_256;
use manyhash::xof::{CShake, Function, KangarooTwelve, Shake128, Shake256, Turbo, TurboShake128, TurboShake256};

/// The pattern of RFC 9861, section 5.
fn pattern(length: usize) -> Vec<u8> {
    paint(0, length)
}

/// Checks a function against a record and the reference, whole and in pieces.
fn check<X: manyhash::xof::Xof>(function: &Function<X>, message: &[u8], expected: &[u8], reference: &[u8], context: &str) {
    assert_eq!(hex(reference), hex(expected), "the reference: {context}");
    assert_eq!(hex(&function.one(message, expected.len())), hex(expected), "{context}");
    let mut hasher = function.hasher();
    hasher.update(b"something else");
    hasher.reset();
    message.chunks(77).for_each(|piece| hasher.update(piece));
    let mut output = vec![0; expected.len()];
    hasher.finalize().fill(&mut output);
    assert_eq!(hex(&output), hex(expected), "in pieces: {context}");
}

fn cshake<X: CShake>(strength: usize, message: &[u8], custom: &[u8], expected: &[u8], context: &str) {
    let reference = reference::cshake(strength, message, expected.len(), b"", custom);
    check(&Function::<X>::customized(b"", custom), message, expected, &reference, context);
}

fn turbo<X: Turbo>(strength: usize, message: &[u8], domain: u8, expected: &[u8], context: &str) {
    let reference = reference::turbo_shake(strength, message, domain, expected.len());
    check(&Function::<X>::with_domain(domain).unwrap(), message, expected, &reference, context);
}

fn kmac<X: CShake>(strength: usize, secret: &[u8], message: &[u8], custom: &[u8], expected: &[u8], context: &str) {
    use manyhash::xof::kmac::Key;
    let key = Key::<X>::new(secret, custom, expected.len());
    assert_eq!(reference::kmac(strength, secret, message, expected.len(), custom, false), expected, "the reference: {context}");
    assert_eq!(hex(&key.tag(message)), hex(expected), "{context}");
    let mut tagger = key.tagger();
    message.chunks(100).for_each(|piece| tagger.update(piece));
    assert_eq!(tagger.finalize(), expected, "in pieces: {context}");
    assert!(key.verify(message, expected).is_ok());
    let mut wrong = expected.to_vec();
    wrong[expected.len() / 2] ^= 1;
    assert_eq!(key.verify(message, &wrong).unwrap_err().to_string(), manyhash::hmac::TagError::Wrong.to_string());
    assert!(key.verify(message, &expected[1..]).is_err());
    assert_eq!(key.verify_many(&[message, message], &[&wrong, expected]).iter().map(Result::is_ok).collect::<Vec<_>>(), [false, true]);
    let extendable = Key::<X>::extendable(secret, custom, expected.len());
    assert_eq!(extendable.tag(message), reference::kmac(strength, secret, message, expected.len(), custom, true));
    let mut longer = vec![0; expected.len() + 9];
    let mut tagger = extendable.tagger();
    tagger.update(message);
    tagger.finalize_reader().fill(&mut longer);
    assert_eq!(longer[..expected.len()], extendable.tag(message));
}

#[test]
fn what_pycryptodome_computed() {
    do_as_the_environment_says();
    let records = records::read("pycryptodome/sponges.txt");
    assert_eq!(records.len(), 6 * 15 + 33);
    for record in records {
        let (function, length) = (record.text("function"), record.text("message_bytes").parse().expect("a length"));
        let (message, expected) = (pattern(length), record.bytes("output"));
        let of_length = |name: &str| pattern(if record.has(name) { record.text(name).parse().expect("a length") } else { 0 });
        let custom = of_length("customization_bytes");
        let domain = || record.text("domain").parse().expect("a number");
        let context = format!("{function} of {length} bytes");
        match function {
            "cSHAKE128" => cshake::<Shake128>(128, &message, &custom, &expected, &context),
            "cSHAKE256" => cshake::<Shake256>(256, &message, &custom, &expected, &context),
            "TurboSHAKE128" => turbo::<TurboShake128>(128, &message, domain(), &expected, &context),
            "TurboSHAKE256" => turbo::<TurboShake256>(256, &message, domain(), &expected, &context),
            "KMAC128" => kmac::<Shake128>(128, &of_length("key_bytes"), &message, &custom, &expected, &context),
            "KMAC256" => kmac::<Shake256>(256, &of_length("key_bytes"), &message, &custom, &expected, &context),
            "KT128" => {
                assert!(reference::kangaroo_twelve(128, &message, &custom, expected.len()) == expected, "the reference: {context}");
                assert!(KangarooTwelve::<TurboShake128>::new(&custom).one(&message, expected.len()) == expected, "{context}");
            }
            _ => panic!("{function}"),
        }
    }
}

/// NIST's samples of cSHAKE and KMAC ("Cryptographic Standards and Guidelines: Examples with Intermediate Values", SP 800-185).
#[test]
fn nists_samples() {
    do_as_the_environment_says();
    let bytes =
        |hex: &str| -> Vec<u8> { (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hex")).collect() };
    let few = [0, 1, 2, 3];
    let many: Vec<u8> = (0..=0xC7).collect();
    for (message, of_128, of_256) in [
        (
            &few[..],
            "c1c36925b6409a04f1b504fcbca9d82b4017277cb5ed2b2065fc1d3814d5aaf5",
            "d008828e2b80ac9d2218ffee1d070c48b8e4c87bff32c9699d5b6896eee0edd164020e2be0560858d9c00c037e34a96937c561a74c412bb4c746469527281c8c",
        ),
        (
            &many,
            "c5221d50e4f822d96a2e8881a961420f294b7b24fe3d2094baed2c6524cc166b",
            "07dc27b11e51fbac75bc7b3c1d983e8b4b85fb1defaf218912ac86430273091727f42b17ed1df63e8ec118f04b23633c1dfb1574c8fb55cb45da8e25afb092bb",
        ),
    ] {
        cshake::<Shake128>(128, message, b"Email Signature", &bytes(of_128), "NIST");
        cshake::<Shake256>(256, message, b"Email Signature", &bytes(of_256), "NIST");
    }
    let secret: Vec<u8> = (0x40..=0x5F).collect();
    let custom = b"My Tagged Application";
    for (message, custom, tag) in [
        (&few[..], &b""[..], "e5780b0d3ea6f7d3a429c5706aa43a00fadbd7d49628839e3187243f456ee14e"),
        (&few, custom, "3b1fba963cd8b0b59e8c1a6d71888b7143651af8ba0a7070c0979e2811324aa5"),
        (&many, custom, "1f5b4e6cca02209e0dcb5ca635b89a15e271ecc760071dfd805faa38f9729230"),
    ] {
        kmac::<Shake128>(128, &secret, message, custom, &bytes(tag), "NIST");
    }
    for (message, custom, tag) in [
        (
            &few[..],
            &custom[..],
            "20c570c31346f703c9ac36c61c03cb64c3970d0cfc787e9b79599d273a68d2f7f69d4cc3de9d104a351689f27cf6f5951f0103f33f4f24871024d9c27773a8dd",
        ),
        (
            &many,
            b"",
            "75358cf39e41494e949707927cee0af20a3ff553904c86b08f21cc414bcfd691589d27cf5e15369cbbff8b9a4c2eb17800855d0235ff635da82533ec6b759b69",
        ),
        (
            &many,
            custom,
            "b58618f71f92e1d56c1b8c55ddd7cd188b97b4ca4d99831eb2699a837da2e4d970fbacfde50033aea585f1a2708510c32d07880801bd182898fe476876fc8965",
        ),
    ] {
        kmac::<Shake256>(256, &secret, message, custom, &bytes(tag), "NIST");
    }
}

/// RFC 9861, section 5: the first vectors of each function, of messages without bytes.
#[test]
fn the_rfcs_examples() {
    do_as_the_environment_says();
    let plain = [hex(&Function::<TurboShake128>::new().one(b"", 32)), hex(&Function::<TurboShake256>::new().one(b"", 64))];
    assert_eq!(plain[0], "1e415f1c5983aff2169217277d17bb538cd945a397ddec541f1ce41af2c1b74c");
    assert_eq!(
        plain[1],
        "367a329dafea871c7802ec67f905ae13c57695dc2c6663c61035f59a18f8e7db11edc0e12e91ea60eb6b32df06dd7f002fbafabb6e13ec1cc20d995547600db0"
    );
    assert_eq!(
        hex(&KangarooTwelve::<TurboShake128>::new(b"").one(b"", 32)),
        "1ac2d450fc3b4205d19da7bfca1b37513c0803577ac7167f06fe2ce1f0ef39e5"
    );
    assert_eq!(
        hex(&KangarooTwelve::<TurboShake256>::new(b"").one(b"", 64)),
        "b23d2e9cea9f4904e02bec06817fc10ce38ce8e93ef4c89e6537076af8646404e3e8b68107b8833a5d30490aa33482353fd4adc7148ecb782855003aaebde4a9"
    );
}

/// Batches of messages that end everywhere in two blocks, with every kind of output.
#[test]
fn every_length_in_batches() {
    if forced_backend_lacks::<Sha3_256>() {
        return;
    }
    fn all<X: CShake, T: Turbo>(strength: usize) {
        let text = paint(4, 2 * X::BLOCK_BYTES + 3);
        let messages: Vec<&[u8]> = (0..text.len()).map(|length| &text[..length]).collect();
        let name: &[u8] = b"function";
        let custom = Function::<X>::customized(name, b"custom");
        let other_domain = Function::<T>::with_domain(0x33).unwrap();
        for output_bytes in [1, 32, 64, X::BLOCK_BYTES, X::BLOCK_BYTES + 1, 400] {
            for count in [1, 3, 8, 9, 20, messages.len()] {
                let messages = &messages[messages.len() - count..];
                let check = |output: Vec<u8>, reference: &dyn Fn(&[u8]) -> Vec<u8>| {
                    let expected: Vec<u8> = messages.iter().flat_map(|message| reference(message)).collect();
                    assert!(output == expected, "{count} messages, {output_bytes} bytes, {strength}");
                };
                check(custom.many(messages, output_bytes), &|message| reference::cshake(strength, message, output_bytes, name, b"custom"));
                check(other_domain.many(messages, output_bytes), &|message| reference::turbo_shake(strength, message, 0x33, output_bytes));
                check(manyhash::xof::kmac::Key::<X>::new(b"secret", b"", output_bytes).tag_many(messages), &|message| {
                    reference::kmac(strength, b"secret", message, output_bytes, b"", false)
                });
            }
        }
    }
    all::<Shake128, TurboShake128>(128);
    all::<Shake256, TurboShake256>(256);
}

#[test]
fn trees_of_many_messages() {
    if forced_backend_lacks::<Sha3_256>() {
        return;
    }
    let (seed, mut random) = Random::replayable(0x12);
    let text = paint(2, 60_000);
    for _ in 0..12 {
        let messages: Vec<&[u8]> = (0..random.one_of(&[1, 3, 20, 90])).map(|_| &text[..random.below(text.len())]).collect();
        let custom = &text[..random.one_of(&[0, 1, 500, 9000])];
        let output_bytes = random.one_of(&[1, 32, 200]);
        let made = KangarooTwelve::<TurboShake128>::new(custom).many(&messages, output_bytes);
        let made_256 = KangarooTwelve::<TurboShake256>::new(custom).many(&messages, output_bytes);
        for (i, message) in messages.iter().enumerate() {
            let of = |made: &[u8]| made[i * output_bytes..][..output_bytes].to_vec();
            assert!(of(&made) == reference::kangaroo_twelve(128, message, custom, output_bytes), "{} bytes, seed {seed}", message.len());
            assert!(
                of(&made_256) == reference::kangaroo_twelve(256, message, custom, output_bytes),
                "{} bytes, seed {seed}",
                message.len()
            );
        }
    }
}

#[test]
fn what_is_wrong_is_named() {
    do_as_the_environment_says();
    for domain in [0, 0x80, 0xFF] {
        let error = Function::<TurboShake128>::with_domain(domain).unwrap_err();
        assert_eq!(error.to_string(), format!("domain is {domain:#04x}; it must be 0x01 to 0x7f"));
    }
    let refused = |call: fn()| *std::panic::catch_unwind(call).expect_err("refused").downcast::<String>().expect("a text");
    let text = refused(|| drop(Function::<TurboShake256>::new().one(b"", 0)));
    assert!(text.contains("output_bytes is 0: TurboSHAKE256"), "{text}");
    let text = refused(|| drop(KangarooTwelve::<TurboShake128>::new(b"").many(&["a"], 0)));
    assert!(text.contains("output_bytes is 0"), "{text}");
    {
        use manyhash::xof::kmac::Key;
        let text = refused(|| drop(Key::<Shake128>::new(b"secret", b"", 0)));
        assert!(text.contains("tag_bytes is 0"), "{text}");
        assert_eq!(format!("{:?}", Key::<Shake256>::new(b"secret", b"", 8)), "Key { family: \"SHAKE256\", tag_bytes: 8, .. }");
    }
}
