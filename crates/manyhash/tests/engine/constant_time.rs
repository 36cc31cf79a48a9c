//! No branch and no address depends on the content of messages and keys. A process of these tests runs under valgrind's
//! memcheck with their bytes marked as undefined: memcheck reports each branch and address that depends on such bytes.
//!
//! Valgrind knows neither AVX-512 nor the SHA extensions, so their backends are not seen in it. Their kernels are expanded
//! from the same code, or are straight-line code.

use std::hint::black_box;
use std::process::Command;

use crate::support::memcheck::{errors, is_running, mark_all_defined, mark_defined, mark_undefined};
use crate::support::{backends::say, paint};
use manyhash::backend::{self, Backend};
use manyhash::blake2::{Parallel, Parameters};
use manyhash::blake3::Mode;
use manyhash::chain::{self, Link, Start};
use manyhash::hmac::{self, Key};
use manyhash::jobs::Jobs;
use manyhash::tree::JLanes;
use manyhash::xof::{Function, KangarooTwelve, Shake128, Shake256, TurboShake128, kmac};
use manyhash::{Algorithm, Batch, Blake2s, Hasher, Sha256};
use std::num::NonZeroU32;

/// Lengths around the edges of blocks of all sizes.
const LENGTHS: [usize; 16] = [0, 1, 31, 55, 56, 63, 64, 65, 111, 112, 127, 128, 135, 136, 300, 1100];

/// Bytes that nothing may depend on but digests.
fn secret(seed: usize, length: usize) -> Vec<u8> {
    let secret = paint(seed, length);
    mark_undefined(&secret);
    secret
}

/// Takes digests as an outcome, which is no secret.
fn told<D: Copy>(digests: &[D]) -> Vec<D> {
    let mut digests = digests.to_vec();
    mark_all_defined(&mut digests);
    digests
}

/// Hashes secrets through each door, and returns what must be the same for all backends.
fn digests<A: Algorithm>() -> Vec<A::Digest> {
    let lanes = Backend::in_use::<A>().map_or(1, |backend| backend.lanes_of::<A>().expect("in use"));
    let messages: Vec<Vec<u8>> = LENGTHS.iter().map(|&length| secret(length, length)).collect();
    let mut found = told(&manyhash::hash_many::<A>(&messages));
    for &length in &LENGTHS {
        let alike = vec![secret(length, length); lanes + 1];
        found.push(told(&manyhash::hash_many::<A>(&alike))[lanes]);
    }
    found.extend(messages.iter().map(|message| told(&[manyhash::hash::<A>(message)])[0]));
    let values = secret(1, 900);
    found.extend(told(&manyhash::hash_contiguous::<A>(&values, &[0_u32, 20, 40, 60, 200, 201, 900])));
    found.extend(told(&Batch::<A>::new().prefix(&secret(2, 150)).suffix(&secret(3, 9)).hash(&messages)));
    let mut hasher = Hasher::<A>::new();
    messages.iter().for_each(|message| hasher.update(message));
    found.extend(told(&[hasher.finalize()]));
    let jobs = Jobs::<A, (), &[u8]>::new();
    for message in &messages {
        let mut job = jobs.open(());
        job.feed(message);
        job.feed(&values);
        job.finish();
    }
    jobs.flush(|(), digest| drop(told(&[digest])));
    chains::<A>(&messages);
    found.extend(told(&[JLanes::<A>::new(16).expect("few lanes").hash(&values)]));
    if A::HAS_HMAC {
        tags::<A>(&messages, &mut found);
    }
    found
}

/// Goes on with chains of secrets: digests alone, and bytes within a message. Lengths of chains are known.
fn chains<A: Algorithm>(secrets: &[Vec<u8>]) {
    let values = manyhash::hash_many::<A>(secrets);
    let links: Vec<u64> = (0..).map(|i| 3 * i).take(values.len()).collect();
    told(&chain::many::<A>(&values, &links));
    let own = secret(4, 22);
    let starts: Vec<Start<'_>> =
        values.iter().zip(&links).map(|(value, links)| Start { own: &own, value: &value.as_ref()[..15], links: *links }).collect();
    told(&Link::<A>::new().prefix(&secret(5, 70)).own_bytes(22).value_bytes(15).suffix(&own).many(&starts));
}

/// Makes tags and keys from secret keys.
fn tags<A: Algorithm>(messages: &[Vec<u8>], found: &mut Vec<A::Digest>) {
    for key_bytes in [16, A::BLOCK_BYTES, A::BLOCK_BYTES + 1] {
        let key = Key::<A>::new(&secret(4, key_bytes));
        found.extend(told(&key.tag_many(messages)));
        found.extend(told(&hmac::tag_many(&vec![&key; messages.len()], messages)));
        let mut tagger = key.tagger();
        tagger.update(&messages[LENGTHS.len() - 1]);
        found.extend(told(&[tagger.finalize()]));
        let jobs = Jobs::<A, (), &[u8]>::new();
        let mut job = jobs.open_tagged((), &key);
        job.feed(&messages[LENGTHS.len() - 1]);
        job.finish();
        jobs.flush(|(), tag| drop(told(&[tag])));
    }
    let key = hmac::hkdf_extract::<A>(b"salt", &secret(5, 32));
    let expanded = hmac::hkdf_expand(&[&key; 2], &["one", "two"], 100).expect("few bytes");
    expanded.iter().for_each(|derived| drop(told(derived)));
    let passwords = [secret(6, 8), secret(7, 200)];
    hmac::pbkdf2_many::<A>(&passwords, &["salt"; 2], NonZeroU32::new(3).expect("three"), 40).iter().for_each(|derived| drop(told(derived)));
}

/// Says how many branches and addresses of `what` depend on secrets.
fn count(what: &str, call: impl FnOnce()) -> usize {
    let before = errors();
    call();
    let found = errors() - before;
    println!("\nsaid: {found} {what}");
    found
}

/// Hashes secrets under secret keys through doors that are not for every algorithm.
fn doors_of_their_own() {
    let mut messages: Vec<Vec<u8>> = LENGTHS.iter().map(|&length| secret(length, length)).collect();
    messages.push(secret(5, 20_000));
    let key = secret(6, 32);
    let mode = Mode::keyed(key.first_chunk().expect("32 bytes"));
    told(&mode.output_many(&messages, 70));
    let mut hasher = mode.hasher();
    messages.iter().for_each(|message| hasher.update(message));
    assert_eq!(told(&mode.hash_many(&messages))[3], told(&[mode.hash(&messages[3])])[0]);
    told(&hasher.finalize());
    told(&kmac::Key::<Shake128>::new(&key, &key, 32).tag_many(&messages));
    told(&Function::<Shake256>::customized(&key, &key).many(&messages, 200));
    told(&KangarooTwelve::<TurboShake128>::new(&key).many(&messages, 32));
    let parameters = Parameters::<Blake2s>::new().key(&key).expect("32 bytes");
    told(&parameters.hash_many(&messages));
    told(&Parallel::new(parameters).hash_many(&messages));
}

/// The process under valgrind.
fn under_memcheck() {
    assert!(is_running(), "not under valgrind");
    // What must be found, or nothing is shown by finding nothing.
    let byte = secret(1, 1);
    count("branches: a deliberate branch", || {
        // In one case only: of two cases the compiler may make one, without a branch.
        if black_box(&byte)[0] < 128 {
            black_box("small");
        }
    });
    let table = [7_u8; 256];
    count("addresses: a deliberate address", || {
        black_box(black_box(&table)[usize::from(black_box(&byte)[0])]);
    });
    for forced in [None].into_iter().chain(Backend::supported().into_iter().map(Some)) {
        backend::force(forced).expect("a supported backend");
        let name = forced.map_or("automatic", |backend| backend.name());
        macro_rules! all { ([] $($Algorithm:ident)*) => { $(
            if Backend::in_use::<manyhash::$Algorithm>().is_ok() {
                let mut found = Vec::new();
                count(&format!("digests: {name}, {}", manyhash::$Algorithm::NAME), || found = digests::<manyhash::$Algorithm>());
                assert!(found[..LENGTHS.len()] == found[LENGTHS.len()..2 * LENGTHS.len()], "{name}: wrong digests");
                assert!(found[..LENGTHS.len()] == found[2 * LENGTHS.len()..3 * LENGTHS.len()], "{name}: wrong digests");
            }
        )* } }
        manyhash::for_each_algorithm!(all []);
        count(&format!("digests: {name}, BLAKE3, SHAKE and what is made of it"), doors_of_their_own);
    }
    verification();
}

/// Comparing tags ends in one branch at most, on the outcome, wherever they differ. A comparison that ends at the first
/// wrong byte has a branch for each right one.
fn verification() {
    let key = Key::<Sha256>::new(&secret(8, 20));
    let message = secret(9, 50);
    let right = told(&[key.tag(&message)])[0];
    for wrong in [None, Some(0), Some(1), Some(15), Some(30), Some(31)] {
        let mut tag = right;
        wrong.into_iter().for_each(|at: usize| tag[at] ^= 1);
        let mut outcome = Ok(());
        count(&format!("outcomes: wrong byte {wrong:?}"), || {
            outcome = black_box(key.verify(&message, black_box(&tag)));
            mark_defined(&mut outcome);
        });
        assert_eq!(outcome.is_ok(), wrong.is_none());
    }
    let computed = key.tag(&message);
    let mut is_equal = false;
    count("bytes: a deliberate comparison of single bytes", || {
        is_equal = black_box(&computed).iter().zip(black_box(&right)).all(|(one, other)| black_box(one == other));
        mark_defined(&mut is_equal);
    });
    assert!(is_equal);
}

/// Says to a process of these tests that it is the one under valgrind.
const CHILD: &str = "MANYHASH_UNDER_MEMCHECK";

#[test]
fn no_branch_or_address_depends_on_content() {
    if std::env::var_os(CHILD).is_some() {
        return under_memcheck();
    }
    if Command::new("valgrind").arg("--version").output().is_err() {
        say("SKIPPED: no_branch_or_address_depends_on_content: no valgrind");
        assert!(std::env::var_os("CI").is_none(), "skipped under CI: no valgrind");
        return;
    }
    let mut command = Command::new("valgrind");
    command.args(["--quiet", "--error-limit=no"]).arg(std::env::current_exe().expect("this program"));
    command.args(["--exact", "constant_time::no_branch_or_address_depends_on_content", "--nocapture", "--test-threads=1"]);
    let output = command.env(CHILD, "1").env_remove("MANYHASH_BACKEND").env_remove("MANYHASH_WITHOUT").output().expect("it starts");
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{text}\n{errors}");
    let said = text.lines().filter_map(|line| line.split_once("said: ")).map(|(_, said)| said.split_once(' ').expect("a count"));
    let mut seen = Vec::new();
    for (count, what) in said {
        let (count, (kind, what)) = (count.parse::<usize>().expect("a number"), what.split_once(": ").expect("a kind"));
        let is_right = match kind {
            "branches" | "addresses" => count > 0,
            "bytes" => count >= Sha256::DIGEST_BYTES,
            "outcomes" => count <= 1,
            _ => count == 0,
        };
        assert!(is_right, "{count} branches or addresses depend on secrets: {what}\n{errors}");
        seen.extend(what.split_once(", ").filter(|_| kind == "digests").map(|(backend, _)| backend.to_owned()));
    }
    seen.dedup();
    say(&format!("content is not told by branches and addresses of: {}", seen.join(", ")));
    assert!(seen.iter().any(|backend| backend == "sse2") && seen.iter().any(|backend| backend == "portable"), "{text}");
    for backend in Backend::supported().iter().filter(|backend| !seen.iter().any(|seen| seen == backend.name())) {
        say(&format!("SKIPPED: {backend} under valgrind, which does not know its instructions"));
    }
}
