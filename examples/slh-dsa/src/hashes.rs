//! The functions that everything else is made of (FIPS 205, sections 4.1 and 11), many inputs at a time.
//!
//! F, and PRF, which is F of a secret seed, are links of chains. H and T_l hash the nodes of trees. All of
//! them begin with the public seed: with SHA-2 it fills a block, which is compressed once for a key pair,
//! and a link is one block more.

use crate::address::{Address, Form};
use crate::parameters::{Family, ParameterSet};
use manyhash::chain::{Link, Start};
use manyhash::hmac::Key;
use manyhash::xof::{self, Shake256};
use manyhash::{Algorithm, Batch, Hasher, Sha256, Sha512, hash_many};
use zeroize::Zeroizing;

/// Bytes that are erased when they are dropped.
pub(crate) type Secret = Zeroizing<Vec<u8>>;

/// The hash functions of a key pair.
#[derive(Clone, Debug)]
pub(crate) struct Hashes {
    /// The bytes of a value.
    pub(crate) n: usize,
    pub(crate) form: Form,
    /// The public seed (PK.seed).
    pub(crate) seed: Vec<u8>,
    functions: Functions,
}

#[derive(Clone, Debug)]
enum Functions {
    /// Links, and what hashes nodes.
    Sha2(Box<Link<Sha256>>, Nodes),
    Shake,
}

/// SHA-256 in sets of 16 bytes, SHA-512 in others (FIPS 205, sections 11.2.1 and 11.2.2).
#[derive(Clone, Debug)]
enum Nodes {
    Short(Box<Batch<Sha256>>),
    Long(Box<Batch<Sha512>>),
}

impl Hashes {
    pub(crate) fn new(set: &ParameterSet, seed: &[u8]) -> Self {
        let block = |bytes: usize| [seed, &vec![0; bytes - seed.len()]].concat();
        let (form, functions) = match set.family {
            Family::Shake => (Form::Full, Functions::Shake),
            Family::Sha2 => {
                let form = Form::Compressed;
                let link = Link::new().prefix(&block(64)).own_bytes(form.bytes()).count(18..22).value_bytes(set.n);
                let nodes = match set.n {
                    16 => Nodes::Short(Box::new(Batch::new().prefix(&block(64)))),
                    _ => Nodes::Long(Box::new(Batch::new().prefix(&block(128)))),
                };
                (form, Functions::Sha2(Box::new(link), nodes))
            }
        };
        Self { n: set.n, form, seed: seed.to_vec(), functions }
    }

    /// Writes addresses one after the other. [`own`](Self::own) finds one of them.
    pub(crate) fn addresses(&self, addresses: impl Iterator<Item = Address>) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(addresses.size_hint().0 * self.form.bytes());
        addresses.for_each(|address| self.form.write(&address, &mut bytes));
        bytes
    }

    /// Goes along chains by F: each from a value at an address, which counts the links, as many links as it
    /// says. Returns the last values.
    pub(crate) fn chains<'a>(&self, addresses: &'a [u8], values_and_links: impl Iterator<Item = (&'a [u8], u64)>) -> Secret {
        let own = addresses.chunks_exact(self.form.bytes());
        let starts: Vec<Start<'_>> = own.zip(values_and_links).map(|(own, (value, links))| Start { own, value, links }).collect();
        let mut values = Secret::new(vec![0; starts.len() * self.n]);
        match &self.functions {
            Functions::Sha2(link, _) => link.many_into(&starts, &mut values),
            Functions::Shake => self.chains_of_shake(&starts, &mut values),
        }
        values
    }

    /// PRF: a secret for each address. It is a chain of one link from the secret seed.
    pub(crate) fn secrets(&self, seed: &[u8], addresses: impl Iterator<Item = Address>) -> Secret {
        self.chains(&self.addresses(addresses), std::iter::repeat((seed, 1)))
    }

    /// Chains by SHAKE256, a link of all of them at a time.
    fn chains_of_shake(&self, starts: &[Start<'_>], values: &mut [u8]) {
        let value_at = self.seed.len() + self.form.bytes();
        let bytes = value_at + self.n;
        // The longest first: those that go on are always the first ones.
        let mut order: Vec<usize> = (0..starts.len()).collect();
        order.sort_by_key(|i| std::cmp::Reverse(starts[*i].links));
        let mut messages = Secret::new(Vec::with_capacity(starts.len() * bytes));
        for i in &order {
            messages.extend_from_slice(&self.seed);
            messages.extend_from_slice(starts[*i].own);
            messages.extend_from_slice(starts[*i].value);
        }
        let mut next = Secret::new(vec![0; starts.len() * self.n]);
        for link in 0.. {
            let left = order.partition_point(|i| starts[*i].links > link);
            if left == 0 {
                break;
            }
            let next = &mut next[..left * self.n];
            let parts: Vec<&[u8]> = messages.chunks_exact(bytes).take(left).collect();
            xof::many_into::<Shake256>(&parts, self.n, next);
            for (message, value) in messages.chunks_exact_mut(bytes).zip(next.chunks_exact(self.n)) {
                message[value_at..].copy_from_slice(value);
                // A chain has 15 links; only a single one, of FORS, begins at any number.
                message[value_at - 1] = message[value_at - 1].wrapping_add(1);
            }
        }
        for (i, message) in order.iter().zip(messages.chunks_exact(bytes)) {
            values[i * self.n..(i + 1) * self.n].copy_from_slice(&message[value_at..]);
        }
    }

    /// H, if it is of two nodes, and T_l: a node for each address, of as many of the values as the next has.
    pub(crate) fn nodes(&self, addresses: impl ExactSizeIterator<Item = Address>, values: &[u8]) -> Vec<u8> {
        let count = addresses.len();
        let seed: &[u8] = if self.form == Form::Full { &self.seed } else { &[] };
        let bytes = seed.len() + self.form.bytes() + values.len() / count;
        let mut messages = Vec::with_capacity(count * bytes);
        for (address, values) in addresses.zip(values.chunks_exact(values.len() / count)) {
            messages.extend_from_slice(seed);
            self.form.write(&address, &mut messages);
            messages.extend_from_slice(values);
        }
        let messages: Vec<&[u8]> = messages.chunks_exact(bytes).collect();
        let mut nodes = Vec::with_capacity(count * self.n);
        match &self.functions {
            Functions::Sha2(_, Nodes::Short(batch)) => {
                batch.hash(&messages).iter().for_each(|node| nodes.extend_from_slice(&node[..self.n]))
            }
            Functions::Sha2(_, Nodes::Long(batch)) => {
                batch.hash(&messages).iter().for_each(|node| nodes.extend_from_slice(&node[..self.n]))
            }
            Functions::Shake => nodes = xof::many::<Shake256>(&messages, self.n),
        }
        nodes
    }

    /// PRF_msg: what makes signatures of one message differ, or a key's signature of it the same always.
    pub(crate) fn randomizer(&self, key: &[u8], randomness: &[u8], message: &[&[u8]]) -> Vec<u8> {
        fn hmac<A: Algorithm>(key: &[u8], randomness: &[u8], message: &[&[u8]]) -> Vec<u8> {
            let mut tagger = Key::<A>::new(key).tagger();
            tagger.update(randomness);
            message.iter().for_each(|piece| tagger.update(piece));
            tagger.finalize().as_ref().to_vec()
        }
        let mut randomizer = match &self.functions {
            Functions::Sha2(_, Nodes::Short(_)) => hmac::<Sha256>(key, randomness, message),
            Functions::Sha2(_, Nodes::Long(_)) => hmac::<Sha512>(key, randomness, message),
            Functions::Shake => shake(&[key, randomness], message, self.n),
        };
        randomizer.truncate(self.n);
        randomizer
    }

    /// H_msg: a digest of `bytes` bytes, which chooses the leaves that sign.
    pub(crate) fn digest(&self, randomizer: &[u8], root: &[u8], message: &[&[u8]], bytes: usize) -> Vec<u8> {
        /// MGF1 of the randomizer, the seed and the digest (RFC 8017, appendix B.2.1).
        fn mgf1<A: Algorithm>(start: [&[u8]; 2], root: &[u8], message: &[&[u8]], bytes: usize) -> Vec<u8> {
            let mut hasher = Hasher::<A>::new();
            start.iter().chain([&root]).chain(message).for_each(|piece| hasher.update(piece));
            let seed = [start[0], start[1], hasher.finalize().as_ref()].concat();
            let counters = 0..bytes.div_ceil(A::DIGEST_BYTES) as u32;
            let messages: Vec<Vec<u8>> = counters.map(|counter| [&seed[..], &counter.to_be_bytes()].concat()).collect();
            let mut mask: Vec<u8> = hash_many::<A>(&messages).iter().flat_map(|digest| digest.as_ref().to_vec()).collect();
            mask.truncate(bytes);
            mask
        }
        let start = [randomizer, &self.seed];
        match &self.functions {
            Functions::Sha2(_, Nodes::Short(_)) => mgf1::<Sha256>(start, root, message, bytes),
            Functions::Sha2(_, Nodes::Long(_)) => mgf1::<Sha512>(start, root, message, bytes),
            Functions::Shake => shake(&[randomizer, &self.seed, root], message, bytes),
        }
    }
}

fn shake(start: &[&[u8]], message: &[&[u8]], bytes: usize) -> Vec<u8> {
    let mut hasher = xof::Hasher::<Shake256>::new();
    start.iter().chain(message).for_each(|piece| hasher.update(piece));
    let mut output = vec![0; bytes];
    hasher.finalize().fill(&mut output);
    output
}
