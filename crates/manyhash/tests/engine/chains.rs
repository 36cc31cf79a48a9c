//! Chains: every link against the reference, wherever the value lies in its message and whatever counts.

use crate::support::backends::{forced_backend_lacks, most_lanes};
use crate::support::{Random, paint, reference};
use manyhash::backend::Backend;
use manyhash::chain::{self, Link, Start};
use manyhash::{Algorithm, Sha1, Sha256, Sha512, hash};
use std::iter;
use std::ops::Range;
use std::panic::catch_unwind;

/// A link as it is defined, with the start of each chain.
struct Chains {
    prefix: Vec<u8>,
    count: Range<usize>,
    value_bytes: usize,
    suffix: Vec<u8>,
    /// For each chain its own bytes, its first value, and its links.
    starts: Vec<(Vec<u8>, Vec<u8>, u64)>,
}

impl Chains {
    /// Any chains of `count` that count without carrying out of their bytes.
    fn random<A: Algorithm>(random: &mut Random, count: usize) -> Self {
        let own_bytes = random.one_of(&[0, 1, 4, 7, 22, 32]);
        let end = random.below(own_bytes + 1);
        let counting = end.saturating_sub(random.one_of(&[0, 1, 2, 4, 9]))..end;
        let value_bytes = match random.below(3) {
            0 => A::DIGEST_BYTES,
            1 => 16,
            _ => 1 + random.below(A::DIGEST_BYTES),
        };
        let prefix = random.one_of(&[0, 0, 1, 5, 30, A::BLOCK_BYTES, 2 * A::BLOCK_BYTES, 300]);
        let suffix = random.one_of(&[0, 0, 1, 3, 40]);
        let most_links = random.one_of(&[1, 3, 20, 60]);
        // A number that begins near a carry, or with bytes that are all zeros.
        let first = random.one_of(&[0, 0, 250, 65_520]);
        let fits = counting.len() >= 8 || first + (most_links as u64) < 1 << (8 * counting.len());
        let start = |chain: usize| {
            let mut own = paint(chain + 1, own_bytes);
            let number = &mut own[counting.clone()];
            number.fill(0);
            for (byte, value) in number.iter_mut().rev().zip(u64::to_le_bytes(if fits { first } else { 0 })) {
                *byte = value;
            }
            (own, paint(chain + 100, value_bytes), random.below(most_links + 1) as u64)
        };
        let starts = (0..count).map(start).collect();
        Self { prefix: paint(3, prefix), count: counting, value_bytes, suffix: paint(4, suffix), starts }
    }

    /// The last value of a chain, link by link.
    fn end<A: Algorithm>(&self, chain: usize) -> Vec<u8> {
        let (mut own, mut value, links) = self.starts[chain].clone();
        for _ in 0..links {
            let message = [&self.prefix[..], &own, &value, &self.suffix].concat();
            value = reference::<A>()(&message)[..self.value_bytes].to_vec();
            for byte in own[self.count.clone()].iter_mut().rev() {
                *byte = byte.wrapping_add(1);
                if *byte != 0 {
                    break;
                }
            }
        }
        value
    }

    fn check<A: Algorithm>(&self, threads: usize, context: &str) {
        let own_bytes = self.starts.first().map_or(0, |(own, ..)| own.len());
        let link = Link::<A>::new().prefix(&self.prefix).own_bytes(own_bytes).value_bytes(self.value_bytes).suffix(&self.suffix);
        let link = if self.starts.is_empty() { link } else { link.count(self.count.clone()).threads(threads) };
        let starts: Vec<Start<'_>> = self.starts.iter().map(|(own, value, links)| Start { own, value, links: *links }).collect();
        let right: Vec<Vec<u8>> = (0..starts.len()).map(|chain| self.end::<A>(chain)).collect();
        let backends = Backend::supported().into_iter().filter(|backend| backend.supports::<A>());
        for (name, link) in backends.map(|backend| (backend.name(), link.clone().backend(backend))).chain([("automatic", link.clone())]) {
            for (chain, (end, right)) in link.many(&starts).iter().zip(&right).enumerate() {
                let (own, _, links) = &self.starts[chain];
                let (end, zeros) = end.as_ref().split_at(self.value_bytes);
                assert!(
                    end == right && zeros.iter().all(|byte| *byte == 0),
                    "{}, {name}, {context}, chain {chain} of {links} links, {own:?} of its own, of which {:?} count, between {} and {} bytes",
                    A::NAME,
                    self.count,
                    self.prefix.len(),
                    self.suffix.len()
                );
            }
        }
    }
}

fn random_chains<A: Algorithm>() {
    let (seed, mut random) = Random::replayable(0xc4a1);
    let lanes = most_lanes::<A>();
    for round in 0..24 {
        let count = random.one_of(&[1, 2, 3, 5, lanes - lanes / 2, lanes + 1, 2 * lanes + 3]);
        let chains = Chains::random::<A>(&mut random, count);
        chains.check::<A>(1 + round % 3, &format!("MANYHASH_TEST_SEED={seed}, round {round}"));
    }
}
manyhash::for_each_algorithm!(per_algorithm[random_chains]);

/// Few lengths and many ends at once: where the last chain that waited has just got a lane, the others may be so few that another kernel
/// goes on with them.
fn lanes_are_left_at_once<A: Algorithm>() {
    let first = (0..80_usize).map(|i| hash::<A>(&i.to_le_bytes()));
    let right: Vec<Vec<A::Digest>> =
        first.map(|first| iter::successors(Some(first), |last| Some(hash::<A>(last.as_ref()))).take(11).collect()).collect();
    for count in 1..80 {
        let values: Vec<A::Digest> = right[..count].iter().map(|chain| chain[0]).collect();
        for (step, lengths) in (1..9).flat_map(|step| (1..11).map(move |lengths| (step, lengths))) {
            let links: Vec<u64> = (0..count).map(|i| 1 + (i * step % lengths) as u64).collect();
            let ends = chain::many::<A>(&values, &links);
            for (chain, (links, end)) in links.iter().zip(ends).enumerate() {
                assert!(right[chain][*links as usize].as_ref() == end.as_ref(), "{}, chain {chain} of {count}, {step}, {lengths}", A::NAME);
            }
        }
    }
}

#[test]
fn lanes_are_left_at_once_whatever_the_kernel() {
    if !forced_backend_lacks::<Sha256>() {
        lanes_are_left_at_once::<Sha256>();
    }
    if !forced_backend_lacks::<Sha1>() {
        lanes_are_left_at_once::<Sha1>();
    }
    if !forced_backend_lacks::<Sha512>() {
        lanes_are_left_at_once::<Sha512>();
    }
}

/// Signatures of FIPS 205 are such chains. The last ones to get a lane have few links, and another kernel may go on with them before
/// they have begun.
#[test]
fn a_few_chains_of_few_links() {
    if forced_backend_lacks::<Sha256>() {
        return;
    }
    let (seed, mut random) = Random::replayable(0xf1b5);
    let link = Link::<Sha256>::new().prefix(&[3; 64]).own_bytes(22).count(18..22).value_bytes(16);
    for round in 0..200 {
        let count = 17 + random.below(60);
        let links = (0..count).map(|_| random.below(16) as u64).collect::<Vec<_>>();
        let (own, first): (Vec<_>, Vec<_>) = (0..count).map(|chain| (vec![chain as u8; 22], vec![chain as u8 + 100; 16])).unzip();
        let starts: Vec<Start<'_>> = (0..count).map(|i| Start { own: &own[i], value: &first[i], links: links[i] }).collect();
        let mut found = vec![0; 16 * count];
        link.many_into(&starts, &mut found);
        for (chain, found) in found.chunks(16).enumerate() {
            let mut value = first[chain].clone();
            let number = u32::from_be_bytes(own[chain][18..].try_into().unwrap());
            for link in 0..links[chain] as u32 {
                let own = [&own[chain][..18], &(number + link).to_be_bytes()].concat();
                value = hash::<Sha256>(&[&[3; 64], &own[..], &value].concat())[..16].to_vec();
            }
            assert_eq!(found, value, "MANYHASH_TEST_SEED={seed}, round {round}, chain {chain} of {links:?}");
        }
    }
}

/// A hundred thousand links of digests alone: whatever a kernel keeps from link to link, it keeps right.
#[test]
fn long_chains_of_digests() {
    if forced_backend_lacks::<Sha256>() {
        return;
    }
    let values: Vec<[u8; 32]> = (0..40).map(|i: u8| hash::<Sha256>(&[i])).collect();
    let links: Vec<u64> = (0..40).map(|i| 2_500 + 61 * i).collect();
    let ends = chain::many::<Sha256>(&values, &links);
    for ((value, links), end) in values.iter().zip(links).zip(ends) {
        assert_eq!((0..links).fold(*value, |value, _| hash::<Sha256>(&value)), end, "{links} links");
    }
}

/// What cannot be a chain is refused, with the argument and the chain named.
#[test]
fn wrong_chains_are_refused() {
    if forced_backend_lacks::<Sha256>() {
        return;
    }
    let refusal = |wrong: fn()| *catch_unwind(wrong).expect_err("it is refused").downcast::<String>().expect("a message");
    let link = || Link::<Sha256>::new().own_bytes(4).count(2..4);
    assert_eq!(link().many(&[]).len(), 0);
    assert!(refusal(|| drop(Link::<Sha256>::new().value_bytes(0))).contains("value_bytes: 0"));
    assert!(refusal(|| drop(Link::<Sha256>::new().value_bytes(33))).contains("a digest has 32"));
    assert!(refusal(|| drop(Link::<Sha256>::new().own_bytes(4).count(3..5))).contains("count: 3..5 of 4 bytes"));
    let start = Start { own: &[0; 4], value: &[0; 32], links: 3 };
    let many =
        |start: Start<'_>| Link::<Sha256>::new().own_bytes(4).count(2..4).many(&[Start { own: &[0; 4], value: &[0; 32], links: 1 }, start]);
    many(start);
    let wrong = [Start { own: &[0; 3], ..start }, Start { value: &[0; 31], ..start }, Start { own: &[0, 0, 0xFF, 0xFE], ..start }];
    for (wrong, said) in wrong.into_iter().zip(["own that chain 1", "value of chain 1", "chain 1 can't count 3 links"]) {
        let refused = catch_unwind(|| many(wrong)).expect_err("it is refused");
        let message = refused.downcast_ref::<String>().expect("a message");
        assert!(message.contains(said), "{message}");
    }
    // As many as it can count.
    many(Start { own: &[0, 0, 0xFF, 0xFE], links: 2, ..start });
    assert!(refusal(|| drop(chain::many::<Sha256>(&[[0; 32]; 2], &[1]))).contains("2 values and 1 numbers of links"));
}
