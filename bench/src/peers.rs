//! Who is compared: every way of hashing a set of messages, behind one shape.
//!
//! A peer is a name and a closure from messages to digests. A library with a batch function of its
//! own is called through it; the others get a loop, compiled here, that they cannot lose time in.

#[cfg(any(ipsec_mb, isa_l))]
mod c_messages;
#[cfg(target_arch = "x86_64")]
pub mod dirty_halves;
pub mod evp_mac;
pub mod hmac;
#[cfg(ipsec_mb)]
mod ipsec_mb;
#[cfg(isa_l)]
mod isa_l;
pub mod openssl;
mod ours;

use anyhow::Result;
use manyhash::Algorithm;
use manyhash::backend::Backend;
use serde::{Deserialize, Serialize};
use sha2::Digest as _;

/// What a peer's row counts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// manyhash left alone: the row every ratio is about.
    Ours,
    /// manyhash in another way: a forced backend, or a function for one message.
    OursOtherwise,
    /// A library that computes the same digest.
    Peer,
    /// Another digest: shown for context, never the best peer, its digests not verified.
    OtherDigest,
}

/// Which workloads a peer takes part in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Any,
    OneMessage,
    /// Messages of these lengths, both included: a library may refuse others, or be wrong.
    #[cfg_attr(not(any(ipsec_mb, isa_l)), allow(dead_code))]
    Between {
        least_bytes: usize,
        most_bytes: usize,
    },
}

type HashMany<const N: usize> = Box<dyn FnMut(&[&[u8]], &mut Vec<[u8; N]>)>;

/// A library's function, or what makes it: some libraries have to be started.
enum Work<const N: usize> {
    Started(HashMany<N>),
    NotStarted(Box<dyn FnOnce() -> Result<HashMany<N>>>),
    /// For as long as it is being started, and if that failed.
    Failed,
}

/// One way of hashing many messages to digests of `N` bytes.
pub struct Peer<const N: usize> {
    /// Unique within an algorithm.
    pub name: String,
    /// What its row counts for.
    pub standing: Standing,
    takes: Takes,
    work: Work<N>,
}

/// A library's function for one message, in a loop.
fn each<const N: usize>(mut hash: impl FnMut(&[u8]) -> [u8; N] + 'static) -> HashMany<N> {
    Box::new(move |messages, digests| {
        for (digest, message) in digests.iter_mut().zip(messages) {
            *digest = hash(message);
        }
    })
}

impl<const N: usize> Peer<N> {
    /// A library's own function for many messages. It is given as many digests as there are
    /// messages and writes them, or puts its own vector in their place: an API that returns a new
    /// vector pays for it, as it does in use.
    pub fn batch(name: impl Into<String>, hash_many: impl FnMut(&[&[u8]], &mut Vec<[u8; N]>) + 'static) -> Self {
        Self::new(name, Work::Started(Box::new(hash_many)))
    }

    /// A library that has to be started, which happens before its first call.
    fn late(name: impl Into<String>, start: impl FnOnce() -> Result<HashMany<N>> + 'static) -> Self {
        Self::new(name, Work::NotStarted(Box::new(start)))
    }

    fn new(name: impl Into<String>, work: Work<N>) -> Self {
        Self { name: name.into(), standing: Standing::Peer, takes: Takes::Any, work }
    }

    /// A library's function for one message, in a loop.
    pub fn each(name: impl Into<String>, hash: impl FnMut(&[u8]) -> [u8; N] + 'static) -> Self {
        Self::new(name, Work::Started(each(hash)))
    }

    /// A peer of a test's own.
    #[cfg(test)]
    pub fn for_test(name: &str, hash_many: impl FnMut(&[&[u8]], &mut Vec<[u8; N]>) + 'static) -> Self {
        Self::batch(name, hash_many)
    }

    /// This peer, counting for something else.
    pub fn standing(self, standing: Standing) -> Self {
        Self { standing, ..self }
    }

    /// Whether it takes part in a workload of these messages.
    pub fn takes(&self, messages: &[&[u8]]) -> bool {
        match self.takes {
            Takes::Any => true,
            Takes::OneMessage => messages.len() == 1,
            Takes::Between { least_bytes, most_bytes } => {
                messages.iter().all(|message| (least_bytes..=most_bytes).contains(&message.len()))
            }
        }
    }

    /// Starts the library, if it has to be and was not.
    pub fn start(&mut self) -> Result<()> {
        self.work = match std::mem::replace(&mut self.work, Work::Failed) {
            Work::NotStarted(start) => Work::Started(start()?),
            work => work,
        };
        Ok(())
    }

    /// Hashes every message; `digests` has one place for each. The library must have been started.
    pub fn hash_many(&mut self, messages: &[&[u8]], digests: &mut Vec<[u8; N]>) {
        let Work::Started(hash_many) = &mut self.work else { panic!("{} was not started", self.name) };
        hash_many(messages, digests);
    }
}

/// OpenSSL takes part in one of its ways where there are several of the same code: not in those that
/// look an algorithm up in every call, nor in EVP beside the low-level functions.
const OTHER_WAYS: [&str; 3] = ["openssl one-shot", "openssl EVP", "openssl HMAC()"];

/// Keeps manyhash left alone, and of each other library what is not another way to the same code.
pub fn retain_main<const N: usize>(peers: &mut Vec<Peer<N>>) {
    let has_low_level = peers.iter().any(|peer| peer.name == "openssl low-level");
    let is_other_way = |name: &str| OTHER_WAYS.contains(&name) && (has_low_level || name != "openssl EVP");
    peers.retain(|peer| matches!(peer.standing, Standing::Ours | Standing::Peer) && !is_other_way(&peer.name));
}

/// An algorithm, those who can do it, and the library that says what is right.
pub struct Lineup<const N: usize> {
    /// "SHA-256".
    pub algorithm: &'static str,
    /// In the order of the tables.
    pub peers: Vec<Peer<N>>,
    /// The digest by a library other than manyhash (which, being a peer too, is itself held against
    /// the rest).
    pub reference: fn(&[u8]) -> [u8; N],
}

/// Something to do with a line-up whose algorithm is known only at run time.
pub trait ForLineup {
    /// What it gives back.
    type Output;
    /// Does it with the line-up of `A`.
    fn run<A: Algorithm<Digest = [u8; N]>, const N: usize>(self, lineup: Lineup<N>) -> Result<Self::Output>;
}

macro_rules! lineups {
    ($($Algorithm:ident: $lineup:ident),+) => {
        /// The names of the algorithms, as `--algorithm` takes them.
        pub const ALGORITHMS: &[&str] = &[$(manyhash::$Algorithm::NAME),+];

        /// Does `what` with the line-up of one of [`ALGORITHMS`].
        pub fn with<F: ForLineup>(algorithm: &str, what: F) -> Result<F::Output> {
            match algorithm {
                $(manyhash::$Algorithm::NAME => what.run::<manyhash::$Algorithm, _>($lineup(ours::peers::<manyhash::$Algorithm, _>())),)+
                _ => unreachable!("{algorithm} is not one of ALGORITHMS"),
            }
        }

        /// Does `what` with manyhash left alone and the main peers. Nothing of manyhash, and no
        /// library, has run before, unless somebody else called it.
        pub fn with_main<F: ForLineup>(algorithm: &str, what: F) -> Result<F::Output> {
            match algorithm {
                $(manyhash::$Algorithm::NAME => {
                    let mut lineup = $lineup(vec![ours::left_alone::<manyhash::$Algorithm, _>()]);
                    retain_main(&mut lineup.peers);
                    what.run::<manyhash::$Algorithm, _>(lineup)
                })+
                _ => unreachable!("{algorithm} is not one of ALGORITHMS"),
            }
        }

        /// "avx512x2 for SHA-1", and so on.
        fn best_backends() -> String {
            [$(format!("{} for {}", Backend::best::<manyhash::$Algorithm>(), manyhash::$Algorithm::NAME)),+].join(", ")
        }
    };
}

// The ONE list: an algorithm of each compression function, and who can do it.
lineups!(
    Md5: md5, Sha1: sha1, Sha256: sha256, Sha512: sha512, Sha3_256: sha3_256, Keccak256: keccak256, Blake2s: blake2s, Blake2b: blake2b, Blake3: blake3,
    Sm3: sm3
);

/// Those that are measured unless others are asked for.
pub const USUAL: [&str; 4] = [manyhash::Md5::NAME, manyhash::Sha1::NAME, manyhash::Sha256::NAME, manyhash::Sha512::NAME];

fn md5(mut peers: Vec<Peer<16>>) -> Lineup<16> {
    let reference = |message: &[u8]| md5::Md5::digest(message).into();
    peers.push(Peer::each("md-5", reference));
    peers.push(openssl::evp("MD5"));
    #[cfg(isa_l)]
    peers.push(isa_l::peer(isa_l::MD5));
    Lineup { algorithm: manyhash::Md5::NAME, peers, reference }
}

fn sha1(mut peers: Vec<Peer<20>>) -> Lineup<20> {
    let reference = |message: &[u8]| sha1::Sha1::digest(message).into();
    peers.push(Peer::each("sha1", reference));
    peers.push(openssl::one_shot(::openssl::sha::sha1));
    peers.push(openssl::low_level(::openssl::sha::Sha1::new, ::openssl::sha::Sha1::update, ::openssl::sha::Sha1::finish));
    peers.push(openssl::evp("SHA1"));
    peers.push(aws_lc_rs(&aws_lc_rs::digest::SHA1_FOR_LEGACY_USE_ONLY));
    #[cfg(ipsec_mb)]
    peers.extend(ipsec_mb::peers());
    #[cfg(isa_l)]
    peers.push(isa_l::peer(isa_l::SHA1));
    Lineup { algorithm: manyhash::Sha1::NAME, peers, reference }
}

fn sha256(mut peers: Vec<Peer<32>>) -> Lineup<32> {
    let reference = |message: &[u8]| sha2::Sha256::digest(message).into();
    peers.push(Peer::each("sha2", reference));
    peers.push(openssl::one_shot(::openssl::sha::sha256));
    peers.push(openssl::low_level(::openssl::sha::Sha256::new, ::openssl::sha::Sha256::update, ::openssl::sha::Sha256::finish));
    peers.push(openssl::evp("SHA256"));
    peers.push(aws_lc_rs(&aws_lc_rs::digest::SHA256));
    peers.push(Peer::batch("tape-sha256", |messages, digests| tape_sha256::hash_many(messages, digests)));
    peers.push(commonware::<commonware_cryptography::Sha256, 32>(|digest| digest.0));
    #[cfg(ipsec_mb)]
    peers.extend(ipsec_mb::peers());
    #[cfg(isa_l)]
    peers.push(isa_l::peer(isa_l::SHA256));
    peers.push(Peer::each("blake3", |message| ::blake3::hash(message).into()).standing(Standing::OtherDigest));
    Lineup { algorithm: manyhash::Sha256::NAME, peers, reference }
}

fn sha512(mut peers: Vec<Peer<64>>) -> Lineup<64> {
    let reference = |message: &[u8]| sha2::Sha512::digest(message).into();
    peers.push(Peer::each("sha2", reference));
    peers.push(openssl::one_shot(::openssl::sha::sha512));
    peers.push(openssl::low_level(::openssl::sha::Sha512::new, ::openssl::sha::Sha512::update, ::openssl::sha::Sha512::finish));
    peers.push(openssl::evp("SHA512"));
    peers.push(aws_lc_rs(&aws_lc_rs::digest::SHA512));
    peers.push(commonware::<commonware_cryptography::Sha512, 64>(|digest| digest.0));
    #[cfg(ipsec_mb)]
    peers.extend(ipsec_mb::peers());
    #[cfg(isa_l)]
    peers.push(isa_l::peer(isa_l::SHA512));
    Lineup { algorithm: manyhash::Sha512::NAME, peers, reference }
}

fn sha3_256(mut peers: Vec<Peer<32>>) -> Lineup<32> {
    let reference = |message: &[u8]| sha3::Sha3_256::digest(message).into();
    peers.push(Peer::each("sha3", reference));
    peers.push(openssl::evp("SHA3-256"));
    peers.push(aws_lc_rs(&aws_lc_rs::digest::SHA3_256));
    Lineup { algorithm: manyhash::Sha3_256::NAME, peers, reference }
}

fn keccak256(mut peers: Vec<Peer<32>>) -> Lineup<32> {
    let reference = |message: &[u8]| sha3::Keccak256::digest(message).into();
    peers.push(Peer::each("sha3", reference));
    peers.push(Peer::each("tiny-keccak", |message| {
        use tiny_keccak::Hasher as _;
        let (mut keccak, mut digest) = (tiny_keccak::Keccak::v256(), [0; 32]);
        keccak.update(message);
        keccak.finalize(&mut digest);
        digest
    }));
    Lineup { algorithm: manyhash::Keccak256::NAME, peers, reference }
}

/// The two crates of `blake2_simd` have the same functions under the same names.
macro_rules! blake2_simd {
    ($peers:ident, $blake2_simd:ident, $one:ident) => {
        $peers.push(Peer::each(stringify!($blake2_simd), |message| *$blake2_simd::$one(message).as_array()));
        $peers.push(Peer::batch(concat!(stringify!($blake2_simd), " many"), |messages, digests| {
            let parameters = $blake2_simd::Params::new();
            let mut jobs: Vec<_> = messages.iter().map(|message| $blake2_simd::many::HashManyJob::new(&parameters, message)).collect();
            $blake2_simd::many::hash_many(&mut jobs);
            for (digest, job) in digests.iter_mut().zip(&jobs) {
                *digest = *job.to_hash().as_array();
            }
        }));
    };
}

fn blake2s(mut peers: Vec<Peer<32>>) -> Lineup<32> {
    blake2_simd!(peers, blake2s_simd, blake2s);
    peers.push(openssl::evp("BLAKE2S-256"));
    Lineup { algorithm: manyhash::Blake2s::NAME, peers, reference: |message| *blake2s_simd::blake2s(message).as_array() }
}

fn blake2b(mut peers: Vec<Peer<64>>) -> Lineup<64> {
    blake2_simd!(peers, blake2b_simd, blake2b);
    peers.push(openssl::evp("BLAKE2B-512"));
    Lineup { algorithm: manyhash::Blake2b::NAME, peers, reference: |message| *blake2b_simd::blake2b(message).as_array() }
}

fn blake3(mut peers: Vec<Peer<32>>) -> Lineup<32> {
    let reference = |message: &[u8]| ::blake3::hash(message).into();
    peers.push(Peer::each("blake3", reference));
    Lineup { algorithm: manyhash::Blake3::NAME, peers, reference }
}

fn sm3(mut peers: Vec<Peer<32>>) -> Lineup<32> {
    let reference = |message: &[u8]| sm3::Sm3::digest(message).into();
    peers.push(Peer::each("sm3", reference));
    peers.push(openssl::evp("SM3"));
    #[cfg(isa_l)]
    peers.push(isa_l::peer(isa_l::SM3));
    Lineup { algorithm: manyhash::Sm3::NAME, peers, reference }
}

fn aws_lc_rs<const N: usize>(algorithm: &'static aws_lc_rs::digest::Algorithm) -> Peer<N> {
    assert_eq!(algorithm.output_len(), N);
    Peer::each("aws-lc-rs", move |message| {
        let mut digest = [0; N];
        digest.copy_from_slice(aws_lc_rs::digest::digest(algorithm, message).as_ref());
        digest
    })
}

/// `bytes` unwraps its digest type; collecting a vector into one of the same layout reuses its
/// memory.
fn commonware<H: commonware_cryptography::Hasher, const N: usize>(bytes: impl Fn(H::Digest) -> [u8; N] + 'static) -> Peer<N> {
    Peer::batch("commonware", move |messages, digests| {
        let hashed = H::hash_many(messages, &commonware_parallel::Sequential);
        *digests = hashed.into_iter().map(&bytes).collect();
    })
}

/// Lines for the header: which kernel or library a peer's name stands for, where it can tell.
pub fn descriptions() -> Vec<(&'static str, String)> {
    vec![
        ("openssl", ::openssl::version::version().to_string()),
        ("aws-lc-rs", format!("AWS-LC {}", aws_lc_rs::awslc_version())),
        ("tape-sha256", format!("kernel {}", tape_sha256::backend())),
        #[cfg(ipsec_mb)]
        ("ipsec-mb", ipsec_mb::description()),
        #[cfg(not(ipsec_mb))]
        ("ipsec-mb", "not compared: it was missing when the bench was built".into()),
        #[cfg(isa_l)]
        ("isa-l", isa_l::description()),
        #[cfg(not(isa_l))]
        ("isa-l", "not compared: it was missing when the bench was built".into()),
    ]
}

/// The backends this CPU can run, the costs they are chosen by, and the best of them for each
/// algorithm.
pub fn backends() -> Vec<(&'static str, String)> {
    let supported: Vec<&str> = Backend::supported().iter().map(Backend::name).collect();
    vec![("backends", supported.join(" ")), ("costs", manyhash::backend::cost_table().into()), ("best", best_backends())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peers_take_what_they_say() {
        let takes = |takes, messages: &[&[u8]]| Peer { takes, ..Peer::<1>::for_test("peer", |_, _| ()) }.takes(messages);
        assert!(takes(Takes::Any, &[b"", b"abc"]));
        assert!(takes(Takes::OneMessage, &[b"abc"]) && !takes(Takes::OneMessage, &[b"", b"abc"]));
        let between = Takes::Between { least_bytes: 1, most_bytes: 3 };
        assert!(takes(between, &[b"a", b"abc"]) && !takes(between, &[b"abcd", b"a"]) && !takes(between, &[b"", b"a"]));
    }
}
