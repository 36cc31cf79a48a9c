//! No byte before or behind what a caller hands over is touched. Messages, prefixes, keys, tags, salts, offsets and the
//! room for digests lie directly against pages that may not be read or written, at all lengths, first on one side and
//! then on the other. A fault ends the whole test process with SIGSEGV.
//!
//! What takes a backend is tested with each of them. The rest goes to the backend in MANYHASH_BACKEND:
//! `scripts/test-backends` runs it for each.

use std::io::{self, Read};
use std::num::NonZeroU32;
use std::os::unix::process::ExitStatusExt;
use std::sync::Arc;

use crate::support::backends::{Door, do_as_the_environment_says, doors_not_forced, is_backend_forced};
use crate::support::mapped::{Against, Guarded};
use crate::support::{paint, reference, reference_hmac, this_program};
use manyhash::backend::Backend;
use manyhash::batcher::{Batcher, Settings};
use manyhash::blake2::{Blake2, Parallel, Parameters};
use manyhash::blake3::Mode;
use manyhash::chain::{Link, Start};
use manyhash::hmac::{self, Key};
use manyhash::jobs::Jobs;
use manyhash::tree::{self, BitTorrentV2, DmVerity, FsVerity, JLanes, JPointers, bitcoin, cid, dm_verity, git, rfc9162, sha256tree, ssz};
use manyhash::xof::kmac::Key as Kmac;
use manyhash::xof::{self, Xof};
use manyhash::{Algorithm, AnyAlgorithm, Batch, Hasher, Lend, Readers, Sha256, Sha512};

/// The bytes that a `Guarded` of these tests has room for.
const MOST_BYTES: usize = 8192;

/// The signal that a forbidden page sends (signal(7)).
const SIGSEGV: i32 = 11;

/// All short lengths, and those at which a message fills its pages, or lacks a byte of that. Under a forced backend, each
/// seventh short one: a message then ends once at every place of a block of 64 bytes. What takes a backend was tested with
/// it at all lengths.
fn lengths() -> impl Iterator<Item = usize> {
    let step = if is_backend_forced() { 7 } else { 1 };
    (0..=700).step_by(step).chain([4095, 4096, 4097, MOST_BYTES])
}

/// Each length, against the page before it and then against the page behind it.
fn cases() -> impl Iterator<Item = (usize, Against)> {
    [Against::Front, Against::Back].into_iter().flat_map(|against| lengths().map(move |length| (length, against)))
}

/// Room for so many messages.
fn guarded(count: usize) -> Vec<Guarded> {
    (0..count).map(|_| Guarded::with_room(MOST_BYTES)).collect()
}

/// Puts the same bytes into each.
fn set_all(places: &mut [Guarded], bytes: &[u8], against: Against) {
    places.iter_mut().for_each(|place| {
        place.set(bytes, against);
    });
}

/// One more than the backend in use computes together.
fn more_than_lanes<A: Algorithm>() -> usize {
    1 + Door::Automatic.lanes::<A>().max(Backend::in_use::<A>().map_or(1, |backend| backend.lanes_of::<A>().unwrap_or(1)))
}

fn check<A: Algorithm>(digests: &[A::Digest], expected: &[u8], what: &str, case: (usize, Against)) {
    for digest in digests {
        assert_eq!(digest.as_ref(), expected, "{}, {what}: {case:?}", A::NAME);
    }
}

/// Says to a process of these tests that it is to touch a forbidden page.
const CHILD: &str = "MANYHASH_TOUCHES_BESIDE";

/// What all the others rely on.
#[test]
fn a_byte_beside_is_a_fault() {
    for (name, against) in [("front", Against::Front), ("back", Against::Back)] {
        if std::env::var(CHILD).is_ok_and(|value| value == name) {
            let read = Guarded::new(b"message", against).read_beside(against);
            panic!("the byte beside is {read}");
        }
        if std::env::var_os(CHILD).is_none() {
            let mut command = this_program();
            command.args(["--exact", "guarded::a_byte_beside_is_a_fault"]).env(CHILD, name);
            // AddressSanitizer would report the fault itself.
            let output = command.env("ASAN_OPTIONS", "handle_segv=0").output().expect("it starts");
            assert_eq!(output.status.signal(), Some(SIGSEGV), "{against:?}: {}", String::from_utf8_lossy(&output.stdout));
        }
    }
}

/// Whole messages, as slices and as rows of a column; digests are written into guarded room too.
fn whole_messages<A: Algorithm>() {
    let doors = doors_not_forced::<A>();
    let most = 1 + doors.iter().map(|door| door.lanes::<A>()).max().expect("the automatic way").max(more_than_lanes::<A>());
    let mut messages = guarded(most);
    let (mut room, mut column, mut ends) = (Guarded::with_room(64 * most), Guarded::with_room(3 * MOST_BYTES), Guarded::with_room(16));
    for case @ (length, against) in cases() {
        let message = paint(length, length);
        let expected = reference::<A>()(&message);
        set_all(&mut messages, &message, against);
        let column = column.set(&message.repeat(3), against);
        let end = u32::try_from(length).expect("short");
        let offsets = ends.set_offsets(&[0, end, 2 * end, 3 * end], against);
        let check = |digests: &[A::Digest], what: &str| check::<A>(digests, &expected, what, case);

        check(&[manyhash::hash::<A>(messages[0].as_ref())], "hash");
        for &door in &doors {
            let batch = match door {
                Door::Automatic => Batch::<A>::new(),
                Door::Forced(backend) => Batch::new().backend(backend),
            };
            check(&[batch.hash_one(messages[0].as_ref())], door.name());
            let count = door.lanes::<A>() + 1;
            let digests = A::digests_in(room.room(count * A::DIGEST_BYTES, against));
            batch.hash_into(&messages[..count], digests);
            check(digests, door.name());
            let digests = A::digests_in(room.room(3 * A::DIGEST_BYTES, against));
            batch.hash_contiguous_into(column, offsets, digests);
            check(digests, door.name());
        }
        let count = more_than_lanes::<A>();
        let digests = A::digests_in(room.room(count * A::DIGEST_BYTES, against));
        manyhash::hash_many_into::<A>(&messages[..count], digests);
        check(digests, "hash_many_into");
        check(&manyhash::hash_contiguous::<A>(column, offsets), "hash_contiguous");
        let digests = room.room(2 * A::DIGEST_BYTES, against);
        AnyAlgorithm::by_name(A::NAME).expect("its own name").hash_many_into(&messages[..2], digests);
        check(A::digests_in(digests), "AnyAlgorithm");
    }
}
manyhash::for_each_algorithm!(per_algorithm[whole_messages]);

/// All lengths in one batch, so that messages of few and many blocks share lanes.
fn all_lengths_together<A: Algorithm>() {
    for against in [Against::Front, Against::Back] {
        let messages: Vec<Guarded> = lengths().map(|length| Guarded::new(&paint(length, length), against)).collect();
        let expected = crate::support::expected::<A>(&messages);
        for door in doors_not_forced::<A>() {
            crate::support::assert_digests::<A>(
                &door.hash_many::<A>(&messages),
                &expected,
                &messages,
                &format!("{}, {against:?}", door.name()),
            );
        }
    }
}
manyhash::for_each_algorithm!(per_algorithm[all_lengths_together]);

/// Prefixes and suffixes.
fn frames<A: Algorithm>() {
    let (mut prefix, mut suffix) = (Guarded::with_room(MOST_BYTES), Guarded::with_room(MOST_BYTES));
    let mut messages = guarded(3);
    for case @ (length, against) in cases().filter(|(length, _)| *length <= 700) {
        let around = [paint(1, length), paint(3, length % 150)];
        prefix.set(&around[0], against);
        suffix.set(&around[1], against);
        for bytes in [0, length] {
            let message = paint(2, bytes);
            set_all(&mut messages, &message, against);
            let batch = Batch::<A>::new().prefix(prefix.as_ref()).suffix(suffix.as_ref());
            let expected = reference::<A>()(&[&around[0][..], &message, &around[1]].concat());
            check::<A>(&batch.hash(&messages), &expected, "prefix and suffix", case);
        }
    }
}
manyhash::for_each_algorithm!(per_algorithm[frames]);

/// Shows all of its bytes where they lie.
struct Lending<'a>(Option<&'a [u8]>);

impl Read for Lending<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.as_mut().map_or(Ok(0), |left| left.read(buffer))
    }
}

impl<'a> Lend for Lending<'a> {
    type Lent = &'a [u8];

    fn lend(&mut self, _: usize) -> io::Result<Option<&'a [u8]>> {
        Ok(self.0.take_if(|left| left.len() >= 200))
    }
}

/// Messages in pieces, and those of readers.
fn pieces<A: Algorithm>() {
    let count = more_than_lanes::<A>();
    let (mut messages, mut room) = (guarded(count), Guarded::with_room(64));
    let algorithm = AnyAlgorithm::by_name(A::NAME).expect("its own name");
    for case @ (length, against) in cases() {
        let message = paint(length, length);
        let (expected, after_seven) = (reference::<A>()(&message), reference::<A>()(&[&[7; 7], &message[..]].concat()));
        set_all(&mut messages, &message, against);
        let check = |digest: A::Digest, what: &str| check::<A>(&[digest], &expected, what, case);

        let mut hasher = Hasher::<A>::new();
        hasher.update(messages[0].as_ref());
        check(hasher.finalize(), "Hasher");
        let mut hasher = algorithm.hasher();
        hasher.update(&[7; 7]);
        hasher.update(messages[0].as_ref());
        let digest = room.room(A::DIGEST_BYTES, against);
        hasher.finalize_into(digest);
        assert_eq!(digest, after_seven, "{algorithm}, AnyHasher: {case:?}");

        let jobs = Jobs::<A, usize, &[u8]>::new();
        for (i, message) in messages.iter().enumerate() {
            let mut job = jobs.open(i);
            if i % 2 == 1 {
                job.feed(&[7; 7]);
            }
            job.feed(message.as_ref());
            job.finish();
        }
        jobs.run_full_lanes(|i, digest| assert_eq!(digest.as_ref(), [&expected, &after_seven][i % 2], "{algorithm}, Jobs: {case:?}"));
        jobs.flush(|i, digest| assert_eq!(digest.as_ref(), [&expected, &after_seven][i % 2], "{algorithm}, Jobs: {case:?}"));
    }
    // Buffers for all lanes cost more than these messages, so lengths have steps here.
    for (length, against) in cases().filter(|(length, _)| length % 8 == 0 || *length > 600) {
        let message = paint(length, length);
        let expected = reference::<A>()(&message);
        set_all(&mut messages, &message, against);
        let readers = messages.iter().map(|message| (message.as_ref(), 0));
        let check = |digest: A::Digest, what: &str| check::<A>(&[digest], &expected, what, (length, against));
        Readers::<A>::with_buffer_bytes(0).hash(readers, |_, digest| check(digest.expect("memory can be read"), "Readers"));
        let readers = messages.iter().map(|message| (Lending(Some(message.as_ref())), 0));
        Readers::<A>::with_buffer_bytes(0).hash_lent(readers, |_, digest| check(digest.expect("memory can be read"), "readers that lend"));
    }
}
manyhash::for_each_algorithm!(per_algorithm[pieces]);

/// A message of a batcher.
#[derive(Clone)]
struct Shared(Arc<Guarded>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}

fn batcher<A: Algorithm>() {
    let batcher = Batcher::<A, Shared>::new(Settings { workers: 1, ..Settings::default() }).expect("a thread can be started");
    for against in [Against::Front, Against::Back] {
        let messages: Vec<Shared> = lengths().map(|length| Shared(Arc::new(Guarded::new(&paint(length, length), against)))).collect();
        let pending: Vec<_> = messages.iter().map(|message| batcher.hash(message.clone())).collect();
        for (message, pending) in messages.iter().zip(pending) {
            let (expected, digest) = (reference::<A>()(message.as_ref()), pending.wait().expect("a digest"));
            check::<A>(&[digest], &expected, "Batcher", (message.as_ref().len(), against));
        }
    }
}
manyhash::for_each_algorithm!(per_algorithm[batcher]);

/// Keys, messages and tags, whole ones and truncated ones.
fn tags<A: Algorithm>() {
    let count = more_than_lanes::<A>();
    let (mut messages, mut tags) = (guarded(count), guarded(count));
    let (mut secret, mut room) = (Guarded::with_room(MOST_BYTES), Guarded::with_room(64 * count));
    for case @ (length, against) in cases() {
        let message = paint(length, length);
        let expected = reference_hmac::<A>().tag(&message, &message);
        set_all(&mut messages, &message, against);
        let key = Key::<A>::new(secret.set(&message, against));
        let check = |digests: &[A::Digest], what: &str| check::<A>(digests, &expected, what, case);

        check(&[key.tag(messages[0].as_ref())], "tag");
        let made = A::digests_in(room.room(count * A::DIGEST_BYTES, against));
        key.tag_many_into(&messages, made);
        check(made, "tag_many_into");
        let keys = vec![&key; count];
        check(&hmac::tag_many(&keys, &messages), "tag_many");
        check(&Batch::new().key(&key).hash(&messages), "Batch::key");
        let mut tagger = key.tagger();
        tagger.update(messages[0].as_ref());

        let tag_bytes = 4 + length % (A::DIGEST_BYTES - 3);
        let key = key.clone().with_tag_bytes(tag_bytes);
        set_all(&mut tags, &expected[..tag_bytes], against);
        assert_eq!(key.verify(messages[0].as_ref(), tags[0].as_ref()), Ok(()), "{}, verify: {case:?}", A::NAME);
        let all = [
            key.verify_many(&messages, &tags),
            hmac::verify_many(&vec![&key; count], &messages, &tags),
            Batch::new().keys(&vec![&key; count]).verify(&messages, &tags),
        ];
        assert!(all.iter().flatten().all(Result::is_ok), "{}, verify_many: {case:?}", A::NAME);
        tags[0].set(&expected, against);
        assert_eq!(tagger.verify(tags[0].as_ref()), Ok(()), "{}, Tagger: {case:?}", A::NAME);
        let jobs = Jobs::<A, (), &[u8]>::new();
        let mut job = jobs.open_tagged((), &key);
        job.feed(messages[0].as_ref());
        job.finish();
        jobs.flush(|(), tag| check(&[tag], "Jobs::open_tagged"));
    }
}
manyhash::for_each_algorithm!(per_algorithm_with_hmac[tags]);

/// Secrets, salts, infos and passwords.
fn derived_keys<A: Algorithm>() {
    let (mut places, mut salt) = (guarded(3), Guarded::with_room(MOST_BYTES));
    for (length, against) in cases() {
        let bytes = paint(length, length);
        set_all(&mut places, &bytes, against);
        let salt = salt.set(&bytes, against);
        let key = hmac::hkdf_extract::<A>(salt, places[0].as_ref());
        let elsewhere = hmac::hkdf_extract::<A>(&bytes, &bytes);
        let expanded = hmac::hkdf_expand(&[&key; 3], &places, 70).expect("few bytes");
        assert_eq!(expanded, hmac::hkdf_expand(&[&elsewhere; 3], &[&bytes; 3], 70).expect("few bytes"), "{length}, {against:?}");
        let derived = hmac::pbkdf2_many::<A>(&places, &[salt; 3], NonZeroU32::MIN, 30);
        assert_eq!(derived, hmac::pbkdf2_many::<A>(&[&bytes; 3], &[&bytes; 3], NonZeroU32::MIN, 30), "{length}, {against:?}");
    }
}
manyhash::for_each_algorithm!(per_algorithm_with_hmac[derived_keys]);

/// Own bytes, which lie against one page, values, which lie against the other, and the room for the last values.
fn chains<A: Algorithm>() {
    let count = more_than_lanes::<A>();
    let (mut owns, mut values, mut room) = (guarded(count), guarded(count), Guarded::with_room(A::DIGEST_BYTES * count));
    for (length, against) in cases().filter(|(length, _)| *length <= 2 * A::BLOCK_BYTES) {
        let value_bytes = 1 + length % A::DIGEST_BYTES;
        let (own, value) = (paint(1, length), paint(2, value_bytes));
        set_all(&mut owns, &own, against);
        set_all(&mut values, &value, against);
        let link = Link::<A>::new().own_bytes(length).value_bytes(value_bytes);
        let starts: Vec<Start<'_>> =
            owns.iter().zip(&values).map(|(own, value)| Start { own: own.as_ref(), value: value.as_ref(), links: 2 }).collect();
        let found = room.room(value_bytes * count, against);
        link.many_into(&starts, found);
        let right = (0..2).fold(value, |value, _| reference::<A>()(&[&own[..], &value].concat())[..value_bytes].to_vec());
        assert_eq!(found, right.repeat(count), "{}, chains: {length}, {against:?}", A::NAME);
    }
}
manyhash::for_each_algorithm!(per_algorithm[chains]);

/// Trees of any algorithm give what they give for the same bytes elsewhere, which other tests hold against vectors.
fn trees<A: Algorithm>() {
    let (mut content, mut room) = (Guarded::with_room(MOST_BYTES), Guarded::with_room(16 * 64));
    let mut modes: Vec<JLanes<A>> = [1, 5, 16].map(|lanes| JLanes::new(lanes).expect("few lanes")).into();
    for door in doors_not_forced::<A>() {
        if let Door::Forced(backend) = door {
            modes.push(JLanes::new(door.lanes::<A>()).expect("few lanes").on_backend(backend).expect("a door of this algorithm"));
        }
    }
    let pointers = JPointers::<A>::new(3).expect("few lanes");
    let verity = DmVerity::<A>::new(dm_verity::Format::Normal, 512, 512, b"salt").expect("blocks of 512 bytes");
    for case @ (length, against) in cases() {
        let elsewhere = paint(length, length);
        content.set(&elsewhere, against);
        for mode in &modes {
            assert_eq!(mode.hash(content.as_ref()), mode.hash(&elsewhere), "{}, j-lanes: {case:?}", A::NAME);
        }
        assert_eq!(pointers.hash(content.as_ref()), pointers.hash(&elsewhere), "{}, j-pointers: {case:?}", A::NAME);
        let merkle = verity.merkle();
        assert_eq!(merkle.hash_leaves(content.as_ref()), merkle.hash_leaves(&elsewhere), "{}, leaves: {case:?}", A::NAME);
        assert_eq!(merkle.roots(&[&content]), merkle.roots(&[&elsewhere]), "{}, roots: {case:?}", A::NAME);
        if length % merkle.node_bytes() == 0 {
            assert_eq!(merkle.hash_nodes(content.as_ref()), merkle.hash_nodes(&elsewhere), "{}, nodes: {case:?}", A::NAME);
        }
        let digests = paint(length, length % 17 * A::DIGEST_BYTES);
        let guarded = room.room(digests.len(), against);
        guarded.copy_from_slice(&digests);
        let guarded = A::digests_in(guarded);
        check::<A>(&[tree::files::<A>(guarded), tree::s3_composite::<A>(guarded)], &reference::<A>()(&digests), "digests", case);
    }
}
manyhash::for_each_algorithm!(per_algorithm[trees]);

/// Trees that are of certain algorithms.
#[test]
fn standard_trees() {
    if crate::support::backends::forced_backend_lacks::<Sha256>() || crate::support::backends::forced_backend_lacks::<Sha512>() {
        return;
    }
    let (small, large) = (FsVerity::<Sha256>::new(1024, b"salt").expect("a block"), FsVerity::<Sha512>::new(4096, b"").expect("a block"));
    let torrent = BitTorrentV2::new(16384).expect("a piece");
    let mut contents = guarded(2);
    for case @ (length, against) in cases() {
        let elsewhere = paint(length, length);
        set_all(&mut contents, &elsewhere, against);
        let content = contents[0].as_ref();
        assert_eq!(small.digests(&contents), small.digests(&[&elsewhere; 2]), "fs-verity: {case:?}");
        assert_eq!(large.digest(content), large.digest(&elsewhere), "fs-verity: {case:?}");
        assert_eq!(tree::glacier(content), tree::glacier(&elsewhere), "Glacier: {case:?}");
        assert_eq!(sha256tree::digests(&contents), sha256tree::digests(&[&elsewhere; 2]), "SHA256TREE: {case:?}");
        assert_eq!(rfc9162::root(&contents), rfc9162::root(&[&elsewhere; 2]), "RFC 9162: {case:?}");
        assert_eq!(bitcoin::ids(&contents), bitcoin::ids(&[&elsewhere; 2]), "Bitcoin: {case:?}");
        assert_eq!(ssz::merkle().roots(&contents), ssz::merkle().roots(&[&elsewhere; 2]), "SSZ: {case:?}");
        assert_eq!(git::blob_ids::<Sha256>(&contents), git::blob_ids::<Sha256>(&[&elsewhere; 2]), "Git: {case:?}");
        assert_eq!(cid::cids(&contents), cid::cids(&[&elsewhere; 2]), "IPFS: {case:?}");
        assert_eq!(torrent.file_tree(content).pieces_root, torrent.file_tree(&elsewhere).pieces_root, "BitTorrent: {case:?}");
        assert_eq!(dm_verity::Superblock::parse(content), dm_verity::Superblock::parse(&elsewhere), "superblock: {case:?}");
    }
    let superblock = dm_verity::Superblock {
        format: dm_verity::Format::Normal,
        uuid: [1; 16],
        algorithm: "sha256".into(),
        data_block_bytes: 4096,
        hash_block_bytes: 4096,
        data_blocks: 1,
        salt: vec![2; 256],
    };
    for against in [Against::Front, Against::Back] {
        assert_eq!(dm_verity::Superblock::parse(contents[0].set(&superblock.to_bytes(), against)).as_ref(), Ok(&superblock));
    }
}

/// Output of less than a block, and of more than one.
fn outputs<X: Xof>(reference: fn(&[u8], usize) -> Vec<u8>) {
    const COUNT: usize = 9;
    let (mut messages, mut room) = (guarded(COUNT), Guarded::with_room(COUNT * (X::BLOCK_BYTES + 1)));
    for case @ (length, against) in cases() {
        let message = paint(length, length);
        set_all(&mut messages, &message, against);
        for output_bytes in [33, X::BLOCK_BYTES + 1] {
            let outputs = room.room(COUNT * output_bytes, against);
            xof::many_into::<X>(&messages, output_bytes, outputs);
            let expected = reference(&message, output_bytes);
            assert!(outputs.chunks(output_bytes).all(|output| output == expected), "{}: {case:?}", X::NAME);
        }
    }
}

#[test]
fn outputs_of_shake() {
    do_as_the_environment_says();
    outputs::<xof::Shake128>(reference::shake128);
    outputs::<xof::Shake256>(reference::shake256);
}

/// Keys and messages of BLAKE2, and room for digests of a length of their own.
fn tags_of_blake2<A: Blake2>() {
    const COUNT: usize = 9;
    let (mut messages, mut key, mut room) = (guarded(COUNT), Guarded::with_room(A::MOST_KEY_BYTES), Guarded::with_room(COUNT * 64));
    for case @ (length, against) in cases() {
        let message = paint(length, length);
        set_all(&mut messages, &message, against);
        let keyed = Parameters::<A>::new().digest_bytes(1 + length % A::DIGEST_BYTES).expect("allowed");
        let keyed = keyed.key(key.set(&paint(2, length % (A::MOST_KEY_BYTES + 1)), against)).expect("allowed");
        let expected = keyed.hash(&message);
        let tags = room.room(COUNT * expected.len(), against);
        keyed.hash_many_into(&messages, tags);
        assert!(tags.chunks(expected.len()).all(|tag| tag == expected), "{}: {case:?}", A::NAME);
        let parallel = Parallel::new(keyed);
        let expected = parallel.hash(&message);
        let tags = room.room(COUNT * expected.len(), against);
        parallel.hash_many_into(&messages, tags);
        assert!(tags.chunks(expected.len()).all(|tag| tag == expected), "{} in parallel: {case:?}", A::NAME);
    }
}

#[test]
fn tags_of_both_blake2() {
    do_as_the_environment_says();
    tags_of_blake2::<manyhash::Blake2b>();
    tags_of_blake2::<manyhash::Blake2s>();
}

/// Messages, keys and room of BLAKE3, KMAC and KangarooTwelve.
#[test]
fn trees_and_tags_of_one_door_each() {
    do_as_the_environment_says();
    const COUNT: usize = 9;
    let (mut messages, mut key, mut room) = (guarded(COUNT), Guarded::with_room(32), Guarded::with_room(COUNT * 65));
    for case @ (length, against) in cases() {
        let message = paint(length, length);
        set_all(&mut messages, &message, against);
        let secret: [u8; 32] = key.set(&paint(2, 32), against).try_into().expect("32 bytes");
        for output_bytes in [32, 65] {
            let outputs = room.room(COUNT * output_bytes, against);
            Mode::keyed(&secret).output_many_into(&messages, output_bytes, outputs);
            let expected = reference::blake3_keyed(&secret, &message, output_bytes);
            assert!(outputs.chunks(output_bytes).all(|output| output == expected), "BLAKE3: {case:?}");
        }
        let digests = room.room(COUNT * 32, against).as_chunks_mut().0;
        Mode::plain().hash_many_into(&messages, digests);
        let expected = reference::blake3(&message);
        assert!(digests.iter().all(|digest| digest[..] == expected), "BLAKE3: {case:?}");
        let mut hasher = Mode::plain().hasher();
        hasher.update(messages[0].as_ref());
        hasher.finalize_reader().fill(room.room(65, against));
        assert!(room.room(65, against)[..32] == expected, "BLAKE3 in pieces: {case:?}");

        let secret = key.set(&paint(2, length % 33), against);
        let tags = Kmac::<xof::Shake128>::new(secret, b"", 32).tag_many(&messages);
        let expected = reference::kmac(128, secret, &message, 32, b"", false);
        assert!(tags.chunks(32).all(|tag| tag == expected), "KMAC: {case:?}");
        let outputs = xof::KangarooTwelve::<xof::TurboShake128>::new(secret).many(&messages, 32);
        let expected = reference::kangaroo_twelve(128, &message, secret, 32);
        assert!(outputs.chunks(32).all(|output| output == expected), "KangarooTwelve: {case:?}");
    }
}
