//! Algorithm 1 of Gueron & Krasnov 2012 (section 3, figure 1), "Simultaneous Hashing (S-HASH)", as
//! it is printed: to be read beside it.
//!
//! Names are the paper's, and each line of its flow stands above ours as a comment. `S-UPDATE` is a
//! [`Kernel`]: `sse2` has the paper's 128-bit registers, so that m = 4 for SHA-256 and 2 for
//! SHA-512. manyhash itself works otherwise: see [`manyhash::hazmat::schedule`].
//!
//! Where the text leaves something open, or would not work:
//! - "It is assumed that k > m", though the paper's own smallest measurement has k = m = 4. With k
//!   = m all of it works. With k < m there are never m blocks ready, so that S-UPDATE is never
//!   called and all messages are hashed serially. k = 0 is nothing to do.
//! - `n = min(L)/p` is rounded down, and is 0 while a lane has less than a block: then S-UPDATE has
//!   nothing to do and is not called. It ends, because every time round such a lane gets its
//!   padding or a new message.
//! - `L[j] < p` is the journal's comparison; the preprint's text, as far as it is legible, has `<=
//!   p` beside `Last[j] = 1`. That would take a lane for finished which has the second of two
//!   padding blocks still before it.
//! - Nothing advances B. Where a lane's next blocks are follows from L: the last L\[j\] bytes of
//!   B\[j\].
//! - `PreparePaddingBlock(B[j])` needs the bytes after the last whole block and the message's whole
//!   length, and makes one block or two.
//! - `If i = k then Break` must leave the Repeat too: min(L) is 0 from then on. It leaves in the
//!   middle of the loop over j, so that lanes after j may lack their padding, and lanes before it
//!   may have begun a new message. The serial end takes each lane as it is.
//! - When a digest is complete is not said. It is read from its lane when the lane gets a new
//!   message, or at the end.
#![allow(non_snake_case, reason = "the paper's names")]

use std::borrow::Cow;

use manyhash::Algorithm;
use manyhash::backend::{Backend, BackendError};
use manyhash::hazmat::{Blocks, Kernel, final_blocks};

/// The serial code where there is a choice: scalar rounds, beside the message schedule of one block
/// in vectors. The authors' is n-SMS, which makes those of several blocks and is slower here.
pub const SCALAR_ROUNDS: &str = "bmi2";

/// The backend of the serial end where nothing else is asked: scalar rounds beside a schedule in
/// vectors, or portable code where the CPU lacks what that takes.
pub fn serial_end<A: Algorithm>() -> &'static str {
    let is_there = Backend::by_name(SCALAR_ROUNDS).is_ok_and(|backend| backend.supports::<A>());
    if is_there { SCALAR_ROUNDS } else { "portable" }
}

/// Algorithm 1 over two kernels.
pub struct SHash<A: Algorithm> {
    s_update: Kernel<A>,
    serial: Kernel<A>,
}

/// What Algorithm 1 did without a break.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Advance {
    /// Messages that went on together: m in S-UPDATE, 1 in the serial end.
    pub lanes: usize,
    /// Blocks of each of them.
    pub blocks: u64,
}

impl<A: Algorithm> SHash<A> {
    /// With the kernel of the backend of that name as S-UPDATE, and [`serial_end`].
    ///
    /// # Errors
    /// If there is no such backend here, or if it has no kernel for `A`.
    pub fn on(s_update: &str) -> Result<Self, BackendError> {
        Self::with_serial(s_update, serial_end::<A>())
    }

    /// With these backends' kernels.
    ///
    /// # Errors
    /// If there are no such backends here, or if they have no kernels for `A`.
    ///
    /// # Panics
    /// If the second one is not for one message.
    pub fn with_serial(s_update: &str, serial: &str) -> Result<Self, BackendError> {
        let kernel = |name| Kernel::of(Backend::by_name(name)?);
        let (s_update, serial) = (kernel(s_update)?, kernel(serial)?);
        assert_eq!(serial.lanes(), 1, "one message after the other");
        Ok(Self { s_update, serial })
    }

    /// m, the messages that S-UPDATE advances together.
    pub fn lanes(&self) -> usize {
        self.s_update.lanes()
    }

    /// Writes the digest of `Buffers[i]` to `Hashes[i]`. Panics if there are not as many of both.
    pub fn hash(&self, Buffers: &[&[u8]], Hashes: &mut [A::Digest]) {
        self.hash_observed(Buffers, Hashes, |_| {});
    }

    /// The same, and `observe` hears what is done as it is done.
    #[allow(clippy::needless_range_loop, reason = "the paper's loop over j")]
    pub fn hash_observed(&self, Buffers: &[&[u8]], Hashes: &mut [A::Digest], mut observe: impl FnMut(Advance)) {
        assert_eq!(Buffers.len(), Hashes.len(), "a place for each digest");
        // k: how many messages there are. Lengths: their bytes.
        let k = Buffers.len();
        let Lengths: Vec<usize> = Buffers.iter().map(|buffer| buffer.len()).collect();
        // m: "The number of t-bit 'words' (elements) that fit in a register". p: "The number of
        // bytes, hashed by one 'Update' operation".
        let m = self.lanes();
        let p = A::BLOCK_BYTES;
        // Lanes that have a message: m if k >= m.
        let lanes = m.min(k);

        // Init: L[0] = Lengths[0]; L[1] = Lengths[1]; ... L[m-1] = Lengths[m-1]: bytes that
        // S-UPDATE has not had yet.
        let mut L = Lengths[..lanes].to_vec();
        // B[0] = Buffers[0]; B[1] = Buffers[1]; ... B[m-1] = Buffers[m-1]: what a lane hashes, its
        // message or the padded end of it.
        let mut B: Vec<Cow<[u8]>> = Buffers[..lanes].iter().map(|buffer| Cow::Borrowed(*buffer)).collect();
        // H[0] = Hashes[0]; H[1] = Hashes[1]; ... H[m-1] = Hashes[m-1]: pointers there; here, which
        // of the digests is a lane's.
        let mut H: Vec<usize> = (0..lanes).collect();
        // Last[0] = 0; Last[1] = 0; ... Last[m-1] = 0: whether B[j] is the padded end.
        let mut Last = vec![false; lanes];
        // HashInit(Hashes[0]) HashInit(Hashes[1]) ... HashInit(Hashes[m-1]): chaining values lie
        // where S-UPDATE wants them, and become digests in Hashes when they are final.
        let mut states = self.s_update.states();
        // i = m: the next message that has no lane yet.
        let mut i = lanes;

        // Simultaneous Update:
        // Repeat
        'repeat: loop {
            // With k < m there are never m blocks ready.
            if lanes < m {
                break;
            }
            // n = min(L)/p: the blocks that all lanes have.
            let n = L.iter().min().expect("a kernel has lanes") / p;
            // S-UPDATE(H, B, n)
            if n > 0 {
                let blocks = Blocks::new(m, n * p, |j| &B[j][B[j].len() - L[j]..]);
                self.s_update.update(&mut states, &blocks);
                observe(Advance { lanes: m, blocks: n as u64 });
            }
            // L = L - [n*p | n*p | ... | n*p]
            L.iter_mut().for_each(|bytes| *bytes -= n * p);
            // For j = 0 to m-1
            for j in 0..m {
                // If L[j] < p AND Last[j] = 0 then
                if L[j] < p && !Last[j] {
                    // LastBlock[j] = PreparePaddingBlock(B[j])
                    // B[j] = LastBlock[j]
                    B[j] = Cow::Owned(prepare_padding_block::<A>(&B[j], L[j]));
                    // Last[j] = 1
                    Last[j] = true;
                    // L[j] = Length(LastBlock[j])
                    L[j] = B[j].len();
                // Else If L[j] < p AND Last[j] = 1 then
                } else if L[j] < p && Last[j] {
                    // If i = k then Break
                    if i == k {
                        break 'repeat;
                    }
                    // Else
                    Hashes[H[j]] = states.digest(j);
                    // L[j] = Lengths[i]; B[j] = Buffs[i]; H[j] = Hashes[i]; Last[j] = 0
                    L[j] = Lengths[i];
                    B[j] = Cow::Borrowed(Buffers[i]);
                    H[j] = i;
                    Last[j] = false;
                    // HashInit(Hashes[i])
                    states.start(j);
                    // i++
                    i += 1;
                }
            }
        }

        // If unfinished buffers still remain, finish hashing serially
        for j in 0..lanes {
            // The serial kernel advances the first lane: the one whose turn it is changes places
            // with one that is done.
            states.swap(0, j);
            loop {
                let n = L[j] / p;
                if n > 0 {
                    self.serial.update(&mut states, &Blocks::new(1, n * p, |_| &B[j][B[j].len() - L[j]..]));
                    observe(Advance { lanes: 1, blocks: n as u64 });
                    L[j] -= n * p;
                }
                if Last[j] {
                    break;
                }
                B[j] = Cow::Owned(prepare_padding_block::<A>(&B[j], L[j]));
                Last[j] = true;
                L[j] = B[j].len();
            }
            Hashes[H[j]] = states.digest(0);
        }
    }
}

/// The last block or two of a message of which all but the last `rest_bytes` bytes are hashed.
fn prepare_padding_block<A: Algorithm>(message: &[u8], rest_bytes: usize) -> Vec<u8> {
    final_blocks::<A>(&message[message.len() - rest_bytes..], message.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use manyhash::Md5;
    use manyhash::hazmat::updates;
    use manyhash_measure::Random;

    /// Hashes messages of these lengths on a backend's kernel and compares with the textbook; what
    /// was done.
    fn check<A: Algorithm>(backend: &str, lengths: &[usize], seed: u64) -> Vec<Advance> {
        let s_hash = SHash::<A>::on(backend).unwrap();
        let mut bytes = vec![0; lengths.iter().sum()];
        Random::new(seed).fill(&mut bytes);
        let mut rest = bytes.as_slice();
        let messages: Vec<&[u8]> = lengths.iter().map(|length| rest.split_off(..*length).unwrap()).collect();
        let (mut digests, mut advances) = (vec![0xEE; lengths.len() * A::DIGEST_BYTES], Vec::new());
        s_hash.hash_observed(&messages, A::digests_in(&mut digests), |advance| advances.push(advance));
        let textbook = reference::by_name(A::NAME).unwrap();
        for (message, digest) in messages.iter().zip(digests.chunks(A::DIGEST_BYTES)) {
            assert_eq!(digest, textbook(message), "{} {backend}: {} bytes of {lengths:?}", A::NAME, message.len());
        }
        let done: u64 = advances.iter().map(|advance| advance.lanes as u64 * advance.blocks).sum();
        let to_do: u64 = lengths.iter().map(|bytes| updates::<A>(*bytes as u64)).sum();
        assert_eq!(done, to_do, "Updates of {} {backend}: {lengths:?}", A::NAME);
        assert!(advances.iter().all(|advance| (advance.lanes == 1 || advance.lanes == s_hash.lanes()) && advance.blocks > 0));
        let is_serial: Vec<bool> = advances.iter().map(|advance| advance.lanes < s_hash.lanes()).collect();
        assert!(is_serial.is_sorted(), "the serial end comes last: {lengths:?}");
        advances
    }

    fn check_every_kernel<A: Algorithm>(seed: u64) {
        let mut random = Random::new(seed);
        let block = A::BLOCK_BYTES;
        for backend in Backend::supported().into_iter().filter(Backend::supports::<A>) {
            let (name, m) = (backend.name(), backend.lanes_of::<A>().unwrap());
            // All lengths around block edges, in an order that gives neighbours different ones.
            let edges: Vec<usize> = (0..=2 * block + 1).map(|i| i * 101 % (2 * block + 2)).collect();
            check::<A>(name, &edges, seed);
            // As many messages as there may be to a kernel: none, fewer than lanes, as many, some
            // more, several for each.
            for k in 0..=3 * m {
                let lengths: Vec<usize> = (0..k).map(|_| random.below(5 * block)).collect();
                check::<A>(name, &lengths, seed + k as u64);
            }
            for _ in 0..5 {
                let mut lengths: Vec<usize> = (0..2 * m + random.below(m)).map(|_| random.below(8) * random.below(4 * block)).collect();
                lengths[random.below(2 * m)] = 200 * block + random.below(block);
                check::<A>(name, &lengths, seed);
            }
        }
    }

    #[test]
    fn every_kernel_gives_the_textbooks_digests_in_as_many_updates_as_there_are_blocks() {
        // The paper hashes all whole blocks before it looks for the end. BLAKE2, which has to know its
        // last block, whole or not, came later.
        macro_rules! all { ([] $($Algorithm:ident)*) => { $(
            if updates::<manyhash::$Algorithm>(manyhash::$Algorithm::BLOCK_BYTES as u64) == 2 {
                check_every_kernel::<manyhash::$Algorithm>(7);
            }
        )* } }
        manyhash::for_each_algorithm!(all []);
    }

    /// A backend with lanes that every CPU has, and how many.
    const LANES: (&str, usize) = ("portable-x2", 2);

    #[test]
    fn equal_messages_end_together_and_none_is_left_for_the_serial_end() {
        let (backend, m) = LANES;
        let wave = [Advance { lanes: m, blocks: 64 }, Advance { lanes: m, blocks: 1 }];
        assert_eq!(check::<Md5>(backend, &vec![4096; m], 1), wave);
        assert_eq!(check::<Md5>(backend, &vec![4096; 3 * m], 1), wave.repeat(3));
    }

    #[test]
    fn one_long_message_goes_on_alone_when_no_message_waits() {
        let (backend, m) = LANES;
        let mut lengths = vec![64; m];
        lengths[m - 1] = 64_000;
        let expected = [(m, 1), (m, 1), (1, 998), (1, 1)].map(|(lanes, blocks)| Advance { lanes, blocks });
        assert_eq!(check::<Md5>(backend, &lengths, 2), expected);
    }

    #[test]
    fn fewer_messages_than_lanes_are_hashed_serially() {
        let (backend, m) = LANES;
        assert!(check::<Md5>(backend, &vec![1000; m - 1], 3).iter().all(|advance| advance.lanes == 1));
    }

    #[test]
    fn two_padding_blocks_are_hashed_together() {
        let (backend, m) = LANES;
        assert_eq!(check::<Md5>(backend, &vec![63; m], 4), [Advance { lanes: m, blocks: 2 }]);
    }
}
