//! Who hashes in the figures of this paper: OpenSSL as it was and is, Algorithm 1, kernels of manyhash, and manyhash left alone.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use anyhow::Result;
use manyhash::backend::{Backend, BackendError};
use manyhash::{Algorithm, Readers};
use memmap2::Mmap;

use super::algorithm_1::{N_SMS, SHash};
use crate::mapped;
use crate::measured::Measured;
use crate::messages::Layout;
use crate::model::Source;
use crate::openssl_worker::{EvpDigest, Variant, Worker};
use crate::race::{Contestant, Local, Rules, race};
use crate::session::Session;

/// One who hashes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Who {
    /// OpenSSL, one message after the other.
    OpenSsl(Variant),
    /// Algorithm 1: the backends of S-UPDATE and of the serial end.
    SHash(&'static str, &'static str),
    /// manyhash with every block computed by one backend.
    Forced(&'static str),
    /// manyhash left alone. Of files: mapped ones.
    Manyhash,
    /// manyhash's way for files: they are read into buffers, a lane each.
    Readers,
}

/// The paper's two: its OpenSSL, as near as today's library comes, and its n-SMS.
pub const OPENSSL_THEN: Who = Who::OpenSsl(Variant::Scalar);
/// See [`OPENSSL_THEN`].
pub const OPENSSL_N_SMS: Who = Who::OpenSsl(Variant::NSms);
/// OpenSSL as it chooses today.
pub const OPENSSL_TODAY: Who = Who::OpenSsl(Variant::Today);
/// The paper's S-HASH: 128-bit registers without anything of later instruction sets.
pub const S_HASH: Who = Who::SHash("sse2", N_SMS);

impl Who {
    /// For tables, where `A` is hashed.
    pub fn name<A: Algorithm>(self) -> String {
        // Nothing of a backend that is unknown on this architecture.
        let lanes = |backend: &str| Backend::known().iter().find(|known| known.name() == backend).and_then(Backend::lanes_of::<A>);
        let buffers = |backend| lanes(backend).map_or(String::new(), |lanes| format!("{lanes} buffers, "));
        match self {
            Self::OpenSsl(variant) => variant.name().into(),
            Self::SHash(backend, N_SMS) => format!("S-HASH, Algorithm 1 ({}{backend})", buffers(backend)),
            Self::SHash(backend, serial) => format!("S-HASH, Algorithm 1 ({}{backend}; serial end {serial})", buffers(backend)),
            Self::Forced(N_SMS) => format!("manyhash, n-SMS ({N_SMS})"),
            Self::Forced(backend) => match lanes(backend) {
                Some(1) | None => format!("manyhash, only {backend}"),
                Some(lanes) => format!("manyhash, only {backend} ({lanes} lanes)"),
            },
            Self::Manyhash => "manyhash".into(),
            Self::Readers => "manyhash, Readers".into(),
        }
    }

    /// Whose code it is.
    pub fn source(self) -> Source {
        if matches!(self, Self::OpenSsl(_)) { Source::Peer } else { Source::Ours }
    }

    /// The same as a function from messages to digests. Panics for OpenSSL, which works in a process of its own, and for readers.
    fn hash<A: Algorithm>(self) -> Result<Hash<A>, BackendError> {
        Ok(match self {
            Self::OpenSsl(_) | Self::Readers => unreachable!("{self:?} is no function of messages in this process"),
            Self::SHash(backend, serial) => {
                let s_hash = if serial == N_SMS { SHash::<A>::on(backend) } else { SHash::<A>::with_serial(backend, serial) }?;
                Box::new(move |messages, digests| s_hash.hash(messages, digests))
            }
            Self::Forced(backend) => {
                let backend = Backend::by_name(backend)?;
                // Whether it has a kernel for this algorithm.
                backend.hash_many::<A>(&[b""])?;
                Box::new(move |messages, digests| digests.copy_from_slice(&backend.hash_many::<A>(messages).expect("asked above")))
            }
            Self::Manyhash => Box::new(|messages, digests| manyhash::hash_many_into::<A>(messages, digests)),
        })
    }
}

/// Writes the digest of each message.
type Hash<A> = Box<dyn Fn(&[&[u8]], &mut [<A as Algorithm>::Digest])>;

/// Contestants of a race, and who could not take part.
pub struct Lineup<'a> {
    who: Vec<Who>,
    /// As many.
    pub contestants: Vec<Box<dyn Contestant + 'a>>,
    /// Who is not there, and why.
    pub missing: Vec<String>,
}

impl<'a> Lineup<'a> {
    /// Of those of `all` who can hash with `A` here; `openssl` and `ours` make one of each.
    fn of<A: Algorithm>(
        all: &[Who],
        openssl: impl Fn(Variant) -> Result<Box<dyn Contestant + 'a>>,
        ours: impl Fn(Who) -> Result<Box<dyn Contestant + 'a>, BackendError>,
    ) -> Result<Self> {
        let mut lineup = Self { who: Vec::new(), contestants: Vec::new(), missing: Vec::new() };
        for who in all {
            let made = match who {
                Who::OpenSsl(variant) => match variant.missing() {
                    Some(why) => Err(why),
                    None => Ok(openssl(*variant)?),
                },
                who => ours(*who).map_err(|error| error.to_string()),
            };
            match made {
                Ok(contestant) => {
                    lineup.who.push(*who);
                    lineup.contestants.push(contestant);
                }
                Err(error) => lineup.missing.push(format!("{}: {error}", who.name::<A>())),
            }
        }
        Ok(lineup)
    }

    /// Over messages in memory, which lie as `layout` says.
    pub fn of_messages<A: Algorithm>(session: &Session, all: &[Who], layout: &Layout, messages: &'a [&'a [u8]]) -> Result<Self> {
        let openssl = |variant| Worker::start(session, variant, A::NAME, layout);
        Self::of::<A>(all, openssl, |who| {
            let hash = who.hash::<A>()?;
            Ok(Local::boxed(who.name::<A>(), move |digests| hash(messages, room::<A>(digests, messages.len()))))
        })
    }

    /// Over files in the order of the list: OpenSSL opens, maps and hashes one after the other, Algorithm 1 and manyhash have all of them
    /// mapped before they begin.
    pub fn of_files<A: Algorithm>(session: &Session, all: &[Who], files: &'a [PathBuf]) -> Result<Self> {
        const READABLE: &str = "files of this run are there and can be read";
        let openssl = |variant| Worker::start_on_files(session, variant, A::NAME, files);
        Self::of::<A>(all, openssl, |who| {
            if who == Who::Readers {
                return Ok(Local::boxed(who.name::<A>(), move |digests| {
                    let digests = room::<A>(digests, files.len());
                    let opened = files.iter().enumerate().map(|(number, path)| {
                        let file = File::open(path).expect(READABLE);
                        let bytes = file.metadata().expect(READABLE).len();
                        (Numbered { number, file }, bytes)
                    });
                    Readers::<A>::new().hash(opened, |reader, digest| digests[reader.number] = digest.expect(READABLE));
                }));
            }
            let hash = who.hash::<A>()?;
            Ok(Local::boxed(who.name::<A>(), move |digests| {
                let mapped: Vec<Mmap> = files.iter().map(|path| mapped::map(path).expect(READABLE)).collect();
                let messages: Vec<&[u8]> = mapped.iter().map(|mapped| &mapped[..]).collect();
                hash(&messages, room::<A>(digests, messages.len()));
            }))
        })
    }

    /// The race.
    pub fn race(mut self, session: &Session, rules: Rules<'_>) -> Result<Raced> {
        let measured = race(session, rules, &mut self.contestants)?;
        Ok(self.with(measured))
    }

    /// With what was measured of them, in their order.
    pub fn with(self, measured: Vec<Measured>) -> Raced {
        Raced { all: self.who.into_iter().zip(measured).collect(), missing: self.missing }
    }
}

/// A file that knows which one it is.
struct Numbered {
    number: usize,
    file: File,
}

impl Read for Numbered {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

/// Room for so many digests in an empty buffer.
fn room<A: Algorithm>(digests: &mut Vec<u8>, messages: usize) -> &mut [A::Digest] {
    digests.resize(messages * A::DIGEST_BYTES, 0);
    A::digests_in(digests)
}

/// What everybody's digests must be: OpenSSL's, in this process.
pub fn expected<A: Algorithm>(messages: &[&[u8]]) -> Result<Vec<u8>> {
    let mut openssl = EvpDigest::new(A::NAME)?;
    let mut digests = Vec::new();
    messages.iter().for_each(|message| openssl.hash(message, &mut digests));
    Ok(digests)
}

/// What a race gave.
#[derive(Clone)]
pub struct Raced {
    /// Those who took part.
    pub all: Vec<(Who, Measured)>,
    /// Those who did not, and why.
    pub missing: Vec<String>,
}

impl Raced {
    /// What was measured of one, if he took part.
    pub fn of(&self, who: Who) -> Option<&Measured> {
        self.all.iter().find(|(other, _)| *other == who).map(|(_, measured)| measured)
    }

    /// How many times as fast one is as another, if both took part.
    pub fn speed_up(&self, one: Who, other: Who) -> Option<f64> {
        Some(self.of(one)?.speed_up_over(self.of(other)?))
    }

    /// Cycles per byte as the papers count them, if he took part and there is a counter.
    pub fn least_cycles_per_byte(&self, who: Who) -> Option<f64> {
        self.of(who)?.least_tsc_cycles_per_byte()
    }
}

/// Hashes messages of this layout with everybody of `all`.
pub fn race_messages<A: Algorithm>(session: &Session, all: &[Who], layout: &Layout, warm_up_calls: u64) -> Result<Raced> {
    let messages = layout.fill()?;
    let slices = messages.slices();
    let expected = expected::<A>(&slices)?;
    let rules = Rules { bytes: layout.total_bytes(), expected: Some(&expected), warm_up_calls };
    Lineup::of_messages::<A>(session, all, messages.layout(), &slices)?.race(session, rules)
}

/// Sentences of several races, each once.
pub fn missing<'a>(races: impl IntoIterator<Item = &'a Raced>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for sentence in races.into_iter().flat_map(|raced| &raced.missing) {
        if !all.contains(sentence) {
            all.push(sentence.clone());
        }
    }
    all
}
