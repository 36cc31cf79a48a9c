//! The one registry of who hashes SHA-1, SHA-256 and SHA-512 in the figures: names, sources, what
//! this machine lacks, and how each is called; and what their races give.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use anyhow::Result;
use manyhash::Readers;
use manyhash::backend::Backend;
use manyhash::tree::JLanes;
use memmap2::Mmap;

use crate::aciicmez_2004::public::Library;
use crate::aciicmez_2004::subject::{Subject, fastest};
use crate::gueron_2013::over_linear::OverLinear;
use crate::gueron_krasnov_2012::algorithm_1::{SCALAR_ROUNDS, SHash};
use crate::mapped;
use crate::measured::Measured;
use crate::messages::Layout;
use crate::model::Source;
use crate::openssl_worker::{self, EvpDigest, Input, Variant, Worker};
use crate::race::{Contestant, race};
use crate::session::Session;

/// A way to hash messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Who {
    /// The study's scalar code in 32-bit registers, in pairs of them where words are longer, as
    /// Aciicmez has it.
    Scalar32,
    /// The study's scalar code in registers of a word's size.
    Scalar,
    /// The study's code in MMX registers.
    Mmx,
    Library(Library),
    /// The crates `sha1` and `sha2`.
    RustCrypto,
    OpenSsl(Variant),
    /// Algorithm 1 of Gueron & Krasnov: the backends of S-UPDATE and of the serial end.
    SHash(&'static str, &'static str),
    /// manyhash with every block computed by one backend.
    Backend(&'static str),
    /// manyhash left alone. Files are mapped for it.
    Manyhash,
    /// manyhash's way for files: they are read into buffers, a lane each.
    Readers,
    /// The j-lanes mode of Gueron 2013, its slices hashed one after the other by a linear
    /// contestant.
    Over(usize, &'static Who),
    /// The j-lanes mode with its lanes on one backend.
    Lanes(usize, &'static str),
    /// The j-lanes mode with its lanes on whatever manyhash chooses.
    Choice(usize),
    /// The same, with its lanes shared out to threads.
    Threads(usize, usize),
}

/// OpenSSL 1.0.1, as near as today's library comes: what the papers call OpenSSL.
pub const OPENSSL_SCALAR: Who = Who::OpenSsl(Variant::Scalar);
/// n-SMS, as OpenSSL took it over.
pub const OPENSSL_N_SMS: Who = Who::OpenSsl(Variant::NSms);
/// OpenSSL as it chooses today.
pub const OPENSSL_TODAY: Who = Who::OpenSsl(Variant::Today);
/// One message in scalar rounds beside its schedule in vectors, by manyhash.
pub const OWN_SCALAR_ROUNDS: Who = Who::Backend(SCALAR_ROUNDS);
/// The S-HASH of Gueron & Krasnov: 128-bit registers with the encodings and byte shuffles of AVX, as its authors had it.
pub const S_HASH: Who = Who::SHash("avx", SCALAR_ROUNDS);

/// One message by OpenSSL's code for 128-bit registers, which makes the schedule of a block at a time:
/// what its table of cycles has at 11.6 C/B on the CPU on which the papers' n-SMS takes 11.47.
pub const OPENSSL_THEN: Who = Who::OpenSsl(Variant::OneBlockSsse3);
/// The best serial implementations with nothing that the CPUs of the papers of 2012 and 2013 lacked:
/// neither AVX2 nor rotations by BMI2.
pub const BEST_THEN: [Who; 2] = [OPENSSL_THEN, Who::OpenSsl(Variant::OneBlockAvx)];
/// Our code of today for those CPUs, which is not of the time: no claim is judged by it.
pub const AVX_SCALAR: Who = Who::Backend("avx-scalar");
/// What Gueron 2013 proposes: 4 lanes in 128-bit registers with rotations by shifts, with the encodings and byte
/// shuffles of AVX, as the paper had it.
pub const PAPERS_LANES: Who = Who::Lanes(4, "avx");
/// The same, and for CPUs that have no more than SSE2.
pub const LANES_THEN: [Who; 2] = [PAPERS_LANES, Who::Lanes(4, "sse2")];
/// S-HASH with 4 buffers, likewise.
pub const S_HASH_THEN: [Who; 2] = [S_HASH, Who::SHash("sse2", SCALAR_ROUNDS)];

/// Appends the digests of all messages.
type Hash<'a> = Box<dyn FnMut(&[&[u8]], &mut Vec<u8>) + 'a>;

impl Who {
    pub fn name<S: Subject>(self) -> String {
        let buffers = |backend| lanes::<S>(backend).map_or("S-HASH".to_string(), |lanes| format!("S-HASH with {lanes} buffers"));
        match self {
            Self::Scalar32 => "scalar code in 32-bit registers".into(),
            Self::Scalar => "scalar code".into(),
            Self::Mmx => "MMX".into(),
            Self::Library(library) => library.name().into(),
            Self::RustCrypto => "RustCrypto".into(),
            Self::OpenSsl(variant) => variant.name().into(),
            Self::SHash(backend, SCALAR_ROUNDS) => format!("{} ({backend})", buffers(backend)),
            Self::SHash(backend, serial) => format!("{} ({backend}; serial end {serial})", buffers(backend)),
            Self::Backend(SCALAR_ROUNDS) => format!("manyhash, one message ({SCALAR_ROUNDS})"),
            Self::Backend(backend) => match lanes::<S>(backend) {
                Some(1) | None => format!("manyhash forced to {backend}"),
                Some(lanes) => format!("manyhash forced to {backend} ({lanes} lanes)"),
            },
            Self::Manyhash => "manyhash".into(),
            Self::Readers => "manyhash Readers".into(),
            Self::Over(lanes, linear) => format!("j = {lanes} over {}", linear.name::<S>()),
            Self::Lanes(lanes, backend) => format!("j = {lanes} ({backend})"),
            Self::Choice(lanes) => format!("j = {lanes} (manyhash's choice)"),
            Self::Threads(lanes, threads) => format!("j = {lanes} (threads: {threads})"),
        }
    }

    pub fn source(self) -> Source {
        match self {
            Self::Library(_) | Self::RustCrypto | Self::OpenSsl(_) => Source::Peer,
            Self::Over(_, linear) => linear.source(),
            _ => Source::Ours,
        }
    }

    /// The j of a j-lanes mode; 1 for linear.
    pub fn j(self) -> usize {
        match self {
            Self::Over(lanes, _) | Self::Lanes(lanes, _) | Self::Choice(lanes) | Self::Threads(lanes, _) => lanes,
            _ => 1,
        }
    }

    fn backend(self) -> Option<&'static str> {
        match self {
            Self::SHash(name, _) | Self::Backend(name) | Self::Lanes(_, name) => Some(name),
            _ => None,
        }
    }

    /// How many messages are hashed at once, where that does not depend on them.
    pub fn streams<S: Subject>(self) -> Option<usize> {
        match self {
            Self::Mmx => Some(S::MMX_STREAMS),
            Self::Backend(backend) | Self::SHash(backend, _) => lanes::<S>(backend),
            Self::Manyhash | Self::Readers => None,
            _ => Some(1),
        }
    }

    pub fn missing<S: Subject>(self) -> Option<String> {
        let backend = |name| match Backend::by_name(name) {
            Ok(backend) if backend.supports::<S>() => None,
            Ok(_) => Some(format!("the backend {name} has no kernel for it")),
            Err(error) => Some(error.to_string()),
        };
        match self {
            Self::Mmx => (!cfg!(target_arch = "x86_64")).then(|| "MMX is of x86".into()),
            Self::Library(library) => library.missing(),
            Self::OpenSsl(Variant::OneBlockSsse3) if S::NAME == "SHA-512" => Some("OpenSSL has no such code for it".into()),
            Self::OpenSsl(variant) => variant.missing(),
            // Its end has a substitute for scalar rounds beside vectors.
            Self::SHash(s_update, SCALAR_ROUNDS) => backend(s_update),
            Self::SHash(s_update, serial) => backend(s_update).or_else(|| backend(serial)),
            Self::Backend(name) | Self::Lanes(_, name) => backend(name),
            Self::Over(_, linear) => linear.missing::<S>(),
            _ => None,
        }
    }

    /// Its function from messages to digests. Panics for OpenSSL, which works in a process of its
    /// own, and for readers.
    fn hash<S: Subject>(self, session: &Session) -> Result<Hash<'static>> {
        fn each(mut hash: impl FnMut(&[u8], &mut Vec<u8>) + 'static) -> Hash<'static> {
            Box::new(move |messages, digests| messages.iter().for_each(|message| hash(message, digests)))
        }
        Ok(match self {
            Self::Scalar32 => {
                let variant = fastest::<S::Narrow>(session, S::NAME)?;
                each(move |message, digests| variant.hash(message, digests))
            }
            Self::Scalar => {
                let variant = fastest::<S::Native>(session, S::NAME)?;
                each(move |message, digests| variant.hash(message, digests))
            }
            Self::Mmx => Box::new(S::mmx),
            Self::Library(library) => each(move |message, digests| library.hash(S::DIGEST_BYTES, message, digests)),
            Self::RustCrypto => each(S::rustcrypto),
            Self::SHash(backend, serial) => {
                let s_hash = if serial == SCALAR_ROUNDS { SHash::<S>::on(backend) } else { SHash::<S>::with_serial(backend, serial) }?;
                Box::new(move |messages, digests| s_hash.hash(messages, room::<S>(digests, messages.len())))
            }
            Self::Backend(name) => {
                let backend = Backend::by_name(name)?;
                Box::new(move |messages, digests| {
                    let hashed = backend.hash_many::<S>(messages).expect("asked before whether it can");
                    hashed.iter().for_each(|digest| digests.extend_from_slice(digest.as_ref()));
                })
            }
            Self::Manyhash => Box::new(|messages, digests| match messages {
                [message] => digests.extend_from_slice(manyhash::hash::<S>(message).as_ref()),
                _ => manyhash::hash_many_into::<S>(messages, room::<S>(digests, messages.len())),
            }),
            Self::Over(lanes, linear) => {
                let (mut over, mut linear) = (OverLinear::new(lanes, word_bytes::<S>()), linear.hash::<S>(session)?);
                each(move |message, digests| over.hash(message, digests, |slice, digests| linear(&[slice], digests)))
            }
            Self::Lanes(lanes, backend) => {
                let mode = JLanes::<S>::new(lanes)?.on_backend(Backend::by_name(backend)?)?;
                each(move |message, digests| digests.extend_from_slice(mode.hash(message).as_ref()))
            }
            Self::Choice(lanes) | Self::Threads(lanes, _) => {
                let threads = if let Self::Threads(_, threads) = self { threads } else { 1 };
                let mode = JLanes::<S>::new(lanes)?.on_threads(threads);
                each(move |message, digests| digests.extend_from_slice(mode.hash(message).as_ref()))
            }
            Self::OpenSsl(_) | Self::Readers => unreachable!("{self:?} is no function of messages in this process"),
        })
    }

    /// It as a contestant over messages in memory, which lie as `layout` says.
    pub fn on_messages<'a, S: Subject>(self, session: &Session, layout: &Layout, messages: &'a [&'a [u8]]) -> Result<Contestant<'a>> {
        match self {
            Self::OpenSsl(variant) => Worker::start(session, variant, S::NAME, Input::Messages(layout.clone(), None)),
            Self::Over(lanes, Self::OpenSsl(variant)) => {
                Worker::start(session, *variant, S::NAME, Input::Messages(layout.clone(), Some((lanes, word_bytes::<S>()))))
            }
            _ => {
                let mut hash = self.hash::<S>(session)?;
                Ok(Contestant::local(self.name::<S>(), move |digests| hash(messages, digests)))
            }
        }
    }

    /// It as a contestant over files in the order of the list. OpenSSL opens, maps and hashes one
    /// after the other; Algorithm 1 and manyhash have all of them mapped before they begin.
    fn on_files<'a, S: Subject>(self, session: &Session, files: &'a [PathBuf]) -> Result<Contestant<'a>> {
        const READABLE: &str = "files of this run are there and can be read";
        let name = self.name::<S>();
        match self {
            Self::OpenSsl(variant) => Worker::start(session, variant, S::NAME, Input::Files(files.to_vec())),
            Self::Readers => Ok(Contestant::local(name, move |digests| {
                let digests = room::<S>(digests, files.len());
                let opened = files.iter().enumerate().map(|(number, path)| {
                    let file = File::open(path).expect(READABLE);
                    let bytes = file.metadata().expect(READABLE).len();
                    (Numbered { number, file }, bytes)
                });
                Readers::<S>::new().hash(opened, |reader, digest| digests[reader.number] = digest.expect(READABLE));
            })),
            _ => {
                let mut hash = self.hash::<S>(session)?;
                Ok(Contestant::local(name, move |digests| {
                    let mapped: Vec<Mmap> = files.iter().map(|path| mapped::map(path).expect(READABLE)).collect();
                    let messages: Vec<&[u8]> = mapped.iter().map(|mapped| &mapped[..]).collect();
                    hash(&messages, digests);
                }))
            }
        }
    }

    /// The digests of these messages by definition, computed by OpenSSL in this process.
    pub fn expected<S: Subject>(self, messages: &[&[u8]]) -> Result<Vec<u8>> {
        if self.j() == 1 {
            return openssl_worker::digests(S::NAME, messages);
        }
        let (mut openssl, mut digests) = (EvpDigest::new(S::NAME)?, Vec::new());
        let mut over = OverLinear::new(self.j(), word_bytes::<S>());
        messages.iter().for_each(|message| over.hash(message, &mut digests, |slice, digests| openssl.hash(slice, digests)));
        Ok(digests)
    }
}

/// Lanes of a backend; `None` if this architecture does not know it or if it has no kernel for `S`.
fn lanes<S: Subject>(backend: &str) -> Option<usize> {
    Backend::known().iter().find(|known| known.name() == backend)?.lanes_of::<S>()
}

/// Bytes of a word of `S`: a block has sixteen.
fn word_bytes<S: Subject>() -> usize {
    S::BLOCK_BYTES / 16
}

fn room<S: Subject>(digests: &mut Vec<u8>, messages: usize) -> &mut [S::Digest] {
    digests.resize(messages * S::DIGEST_BYTES, 0);
    S::digests_in(digests)
}

struct Numbered {
    number: usize,
    file: File,
}

impl Read for Numbered {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

/// Contestants of a race, and who could not take part.
pub struct Lineup<'a> {
    who: Vec<Who>,
    pub contestants: Vec<Contestant<'a>>,
    missing: Vec<String>,
}

impl<'a> Lineup<'a> {
    /// Those of `all` who can hash with `S` here, each made by `make`.
    fn of<S: Subject>(all: &[Who], make: impl Fn(Who) -> Result<Contestant<'a>>) -> Result<Self> {
        let (who, others): (Vec<Who>, Vec<Who>) = all.iter().partition(|who| who.missing::<S>().is_none());
        // A later engine knows more.
        let known = |who: &&Who| who.backend().is_none_or(|name| Backend::known().iter().any(|known| known.name() == name));
        let missing = others.iter().filter(known).filter_map(|who| Some(format!("{}: {}", who.name::<S>(), who.missing::<S>()?)));
        Ok(Self { contestants: who.iter().map(|who| make(*who)).collect::<Result<_>>()?, missing: missing.collect(), who })
    }

    /// Over files with these digests.
    pub fn of_files<S: Subject>(session: &Session, all: &[Who], files: &'a [PathBuf], expected: &[u8]) -> Result<Self> {
        Self::of::<S>(all, |who| Ok(who.on_files::<S>(session, files)?.expecting(expected.to_vec())))
    }

    pub fn race(mut self, session: &Session, bytes: usize, warm_up_calls: u64) -> Result<Raced> {
        let measured = race(session, bytes, warm_up_calls, &mut self.contestants)?;
        Ok(self.with(measured))
    }

    pub fn with(self, measured: Vec<Measured>) -> Raced {
        Raced { rows: self.who.into_iter().zip(measured).collect(), missing: self.missing }
    }
}

#[derive(Clone)]
pub struct Raced {
    /// Those who took part.
    pub rows: Vec<(Who, Measured)>,
    /// Those who did not, and why.
    pub missing: Vec<String>,
}

impl Raced {
    /// Hashes messages of this layout with everybody of `all`. All of them are verified by the
    /// definition, which OpenSSL computes.
    pub fn of<S: Subject>(session: &Session, all: &[Who], layout: &Layout, warm_up_calls: u64) -> Result<Self> {
        let messages = layout.fill()?;
        let slices = messages.slices();
        // By j: a long message takes OpenSSL a while.
        let mut expected = BTreeMap::new();
        for who in all {
            if let Entry::Vacant(entry) = expected.entry(who.j()) {
                entry.insert(who.expected::<S>(&slices)?);
            }
        }
        let lineup = Lineup::of::<S>(all, |who| Ok(who.on_messages::<S>(session, layout, &slices)?.expecting(expected[&who.j()].clone())))?;
        lineup.race(session, layout.total_bytes(), warm_up_calls)
    }

    pub fn bytes(&self) -> usize {
        self.rows.first().map_or(0, |row| row.1.bytes as usize)
    }

    pub fn get(&self, who: Who) -> Option<&Measured> {
        self.rows.iter().find(|row| row.0 == who).map(|row| &row.1)
    }

    /// The fastest of those of `of` that took part.
    pub fn fastest(&self, of: &[Who]) -> Option<(Who, &Measured)> {
        let took_part = self.rows.iter().filter(|row| of.contains(&row.0));
        took_part.min_by(|a, b| a.1.median_ns().total_cmp(&b.1.median_ns())).map(|row| (row.0, &row.1))
    }

    /// How many times as fast as the fastest of `base` the fastest of `of` is.
    pub fn speed_up(&self, of: &[Who], base: &[Who]) -> Option<f64> {
        Some(self.fastest(of)?.1.speed_up_over(self.fastest(base)?.1))
    }

    /// How many times as fast `one` is as `other`, if both took part.
    pub fn over(&self, one: Who, other: Who) -> Option<f64> {
        self.speed_up(&[one], &[other])
    }

    pub fn value<V: Into<Option<f64>>>(&self, who: Who, value: impl Fn(&Measured) -> V) -> Option<f64> {
        value(self.get(who)?).into()
    }
}

/// A race of messages of 1,000 bytes of which only the rates are known, in MB/s.
#[cfg(test)]
pub fn at_rates(rates: &[(Who, f64)]) -> Raced {
    let measured = |&(who, mb_per_s): &(Who, f64)| (who, Measured::synthetic("", 1000, 1e6 / mb_per_s));
    Raced { rows: rates.iter().map(measured).collect(), missing: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manyhash::{Sha1, Sha256, Sha512};

    /// All kinds of contestants but OpenSSL's processes, which are asked where they race.
    fn everybody() -> impl Iterator<Item = Who> {
        const PORTABLE: Who = Who::Backend("portable");
        let scalar = [Who::Scalar32, Who::Scalar, Who::Mmx, Who::RustCrypto, OWN_SCALAR_ROUNDS, PORTABLE, S_HASH, Who::Manyhash];
        let libraries = [Library::CryptoPp, Library::MbedTls].map(Who::Library);
        let lanes = ["sse2", "avx", "avx512-128", "avx2", "avx512", "avx512x2", "sha-ni", "sha-ni-x2"].map(Who::Backend);
        let trees = [Who::Over(4, &OWN_SCALAR_ROUNDS), Who::Over(3, &PORTABLE), Who::Lanes(4, "avx"), Who::Lanes(8, "avx2")];
        let choices = [2, 3, 4, 8, 16, 32].map(Who::Choice);
        scalar.into_iter().chain(libraries).chain(lanes).chain(trees).chain(choices).chain([Who::SHash("avx512", "sha-ni")])
    }

    /// All lengths around the edges of blocks, and around those of a row of words in as many lanes.
    fn check<S: Subject>() {
        let session = Session::begin(true, None, None).expect("a session");
        let reference = reference::by_name(S::NAME).expect("a textbook's");
        let layout = Layout::equal(32, 2053);
        let messages = layout.fill().expect("a buffer");
        for bytes in (0..=2 * S::BLOCK_BYTES + 1).chain([5 * S::BLOCK_BYTES - 1, 1000, 2048, 2053]) {
            let slices: Vec<&[u8]> = messages.slices().into_iter().map(|message| &message[..bytes]).collect();
            let linear: Vec<u8> = slices.iter().flat_map(|message| reference(message)).collect();
            for who in everybody().filter(|who| who.missing::<S>().is_none()) {
                let expected = who.expected::<S>(&slices).expect("OpenSSL");
                assert!(who.j() > 1 || expected == linear, "{}", S::NAME);
                let mut contestant = who.on_messages::<S>(&session, &layout, &slices).expect("asked whether it can");
                assert_eq!(contestant.digests().unwrap(), expected, "{} {who:?}, {bytes} bytes", S::NAME);
            }
        }
    }

    #[test]
    fn everybody_has_the_digests_of_the_definition() {
        check::<Sha1>();
        check::<Sha256>();
        check::<Sha512>();
    }

    #[test]
    fn who_is_missing_is_named_and_does_not_race() {
        let session = Session::begin(true, None, None).expect("a session");
        let nobody = Who::Backend("no such backend");
        // It is for SHA-1 and SHA-256.
        let other = Who::Backend(if cfg!(target_arch = "x86_64") { "sha-ni" } else { "portable-x2" });
        let all = [nobody, other, Who::Choice(4), Who::RustCrypto];
        let raced = Raced::of::<Sha512>(&session, &all, &Layout::equal(1, 2048), 1).expect("a race");
        assert!(raced.get(nobody).is_none() && raced.over(Who::Choice(4), Who::RustCrypto).is_some());
        assert!(raced.missing.len() == 1 && raced.missing[0].starts_with("manyhash forced to "), "{:?}", raced.missing);
    }
}
