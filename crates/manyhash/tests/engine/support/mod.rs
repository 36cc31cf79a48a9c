//! What the integration tests share: backends, the oracle, messages, vector files, guarded memory, requests to valgrind.

pub mod backends;
#[cfg(target_os = "linux")]
pub mod mapped;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub mod memcheck;
pub mod records;
pub mod rsp;

use manyhash::Algorithm;
use std::process::Command;

/// Makes a module of tests from a generic one, a test for each algorithm; under a forced backend,
/// for each it has a kernel for.
macro_rules! per_algorithm {
    ([$test:ident] $($Algorithm:ident)*) => {
        #[allow(non_snake_case)] // the algorithms' own names
        mod $test {
            $(#[test] fn $Algorithm() {
                if !crate::support::backends::forced_backend_lacks::<manyhash::$Algorithm>() {
                    super::$test::<manyhash::$Algorithm>()
                }
            })*
        }
    };
}

/// As [`per_algorithm`], for each that has an HMAC.
macro_rules! per_algorithm_with_hmac {
    ([$test:ident] $($Algorithm:ident)*) => {
        #[allow(non_snake_case)] // the algorithms' own names
        mod $test {
            use manyhash::Algorithm;
            $(#[test] fn $Algorithm() {
                if manyhash::$Algorithm::HAS_HMAC && !crate::support::backends::forced_backend_lacks::<manyhash::$Algorithm>() {
                    super::$test::<manyhash::$Algorithm>()
                }
            })*
        }
    };
}

/// A command that starts this program again. MANYHASH_TEST_EMULATOR, if it is set, has the words of the
/// command that the system needs to run programs of this architecture.
pub fn this_program() -> Command {
    let program = std::env::current_exe().expect("this program");
    let emulator = std::env::var("MANYHASH_TEST_EMULATOR").unwrap_or_default();
    let mut words = emulator.split_whitespace();
    let Some(emulator) = words.next() else { return Command::new(program) };
    let mut command = Command::new(emulator);
    command.args(words).arg(program);
    command
}

/// The reference's function for `A`.
pub fn reference<A: Algorithm>() -> reference::HashFunction {
    reference::by_name(A::NAME).unwrap_or_else(|| panic!("the reference lacks {}", A::NAME))
}

/// The reference's digest of every message.
pub fn expected<A: Algorithm>(messages: &[impl AsRef<[u8]>]) -> Vec<Vec<u8>> {
    let reference = reference::<A>();
    messages.iter().map(|message| reference(message.as_ref())).collect()
}

/// The reference's HMAC over `A`.
pub fn reference_hmac<A: Algorithm>() -> reference::Hmac {
    reference::Hmac::by_name(A::NAME).unwrap_or_else(|| panic!("the reference lacks {}", A::NAME))
}

/// Panics unless there is one digest for each message, in their order, each as expected.
/// `context` tells the reader how to come here again.
pub fn assert_digests<A: Algorithm>(digests: &[A::Digest], expected: &[Vec<u8>], messages: &[impl AsRef<[u8]>], context: &str) {
    let name = A::NAME;
    assert_eq!(digests.len(), expected.len(), "{name}, {context}: number of digests");
    for (index, (digest, expected)) in digests.iter().zip(expected).enumerate() {
        if digest.as_ref() != expected {
            let lengths: Vec<usize> = messages.iter().map(|message| message.as_ref().len()).collect();
            panic!(
                "{name}, {context}: wrong digest for message {index} of {count}, {length} bytes\n  \
                 digest   {digest}\n  expected {expected}\n  lengths  {lengths:?}",
                count = lengths.len(),
                length = lengths[index],
                digest = hex(digest.as_ref()),
                expected = hex(expected),
            );
        }
    }
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A message whose byte i is (seed + i * step) mod 251, where step = 1 + seed / 251 mod 250.
/// 251 is prime: blocks that change places show, and 62,750 seeds give as many messages.
pub fn paint(seed: usize, length_bytes: usize) -> Vec<u8> {
    let step = 1 + seed / 251 % 250;
    let period: Vec<u8> = (0..251).map(|i| ((seed + i * step) % 251) as u8).collect();
    let mut message = period.repeat(length_bytes.div_ceil(251));
    message.truncate(length_bytes);
    message
}

/// Messages of the given lengths, each painted with its own index.
pub fn paint_all(lengths_bytes: impl IntoIterator<Item = usize>) -> Vec<Vec<u8>> {
    lengths_bytes.into_iter().enumerate().map(|(index, length)| paint(index, length)).collect()
}

/// Lengths around every edge: multiples of half a block and of a block, where the next block
/// begins, where the length no longer fits behind the message (9 or 17 bytes before), and those
/// beside them; then around 4 KiB, 128 blocks and 64 KiB.
pub fn edge_lengths() -> Vec<usize> {
    let mut lengths = Vec::new();
    for multiple in (0..=8).map(|half_blocks| half_blocks * 64).chain([4096, 8192, 16384, 65536]) {
        lengths.push(multiple + 1);
        for before in [18, 17, 16, 15, 10, 9, 8, 7, 1, 0] {
            lengths.extend(usize::checked_sub(multiple, before));
        }
    }
    lengths
}

/// Numbers that look random and come again: xorshift64* (Vigna 2016, "An experimental exploration
/// of Marsaglia's xorshift generators, scrambled").
pub struct Random(u64);

impl Random {
    /// `seed` must not be zero.
    pub fn new(seed: u64) -> Self {
        assert_ne!(seed, 0, "xorshift stays at zero for ever");
        Self(seed)
    }

    /// The seed in the environment variable MANYHASH_TEST_SEED, or else `seed`, or with
    /// MANYHASH_TEST_SEEDS=n another one instead, of its own for each n; and the generator.
    pub fn replayable(seed: u64) -> (u64, Self) {
        let number = |variable: &str| -> Option<u64> {
            let text = std::env::var(variable).ok()?;
            Some(text.parse().unwrap_or_else(|error| panic!("{variable}={text:?}: {error}")))
        };
        let another = || number("MANYHASH_TEST_SEEDS").map(|seeds| Self::new(seed | seeds << 32).next().max(1));
        let seed = number("MANYHASH_TEST_SEED").or_else(another).unwrap_or(seed);
        (seed, Self::new(seed))
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number in 0..limit.
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }

    /// One of them.
    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}
