//! What runs before a call that is timed.

use std::collections::HashMap;
use std::hint::black_box;

use anyhow::Result;
use manyhash::Algorithm;
use manyhash_measure::Buffer;
use serde::{Deserialize, Serialize};

#[cfg(target_arch = "x86_64")]
use super::cold_code::ColdCode;
#[cfg(target_arch = "x86_64")]
use crate::peers::dirty_halves;
use crate::peers::{self, ForLineup, Lineup};
use crate::workloads::LINE_BYTES;

/// What the other algorithm hashes.
const OTHER_MESSAGES: usize = 32;
const OTHER_BYTES: usize = 1000;

/// What ran before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Before {
    /// The same call: everything is where it is needed.
    Nothing,
    /// Code that leaves the upper halves of registers dirty.
    Dirty,
    /// So much other code that no cache of the core has any of the call's; the messages are read
    /// once afterwards.
    Cold,
    /// The same library with another algorithm; if it has no other, RustCrypto's.
    Other,
}

impl Before {
    /// All, in the order of the tables.
    pub const ALL: [Self; 4] = [Self::Nothing, Self::Dirty, Self::Cold, Self::Other];

    /// As `--before` calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Dirty => "dirty",
            Self::Cold => "cold",
            Self::Other => "other",
        }
    }

    /// Whether this CPU can do it.
    pub fn is_possible(self) -> bool {
        match self {
            Self::Nothing | Self::Other => true,
            #[cfg(target_arch = "x86_64")]
            Self::Dirty => dirty_halves::is_possible(),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Dirty => false,
            Self::Cold => cfg!(target_arch = "x86_64"),
        }
    }
}

/// A call of another algorithm.
type Call = Box<dyn FnMut()>;

/// All that can run before the calls of an algorithm.
pub struct Disturbances {
    #[cfg(target_arch = "x86_64")]
    cold_code: ColdCode,
    /// By the peer's name; under the empty name, who comes for those that have no other algorithm.
    others: HashMap<String, Call>,
}

impl Disturbances {
    /// Of the calls of this algorithm.
    pub fn new(algorithm: &str) -> Result<Self> {
        let others = peers::with_main(other_than(algorithm), Others)?;
        Ok(Self {
            #[cfg(target_arch = "x86_64")]
            cold_code: ColdCode::new()?,
            others,
        })
    }

    /// Does it, before `peer` hashes `messages`.
    pub fn run(&mut self, before: Before, peer: &str, messages: &[&[u8]]) {
        match before {
            Before::Nothing => {}
            #[cfg(target_arch = "x86_64")]
            Before::Dirty => dirty_halves::make(),
            #[cfg(target_arch = "x86_64")]
            Before::Cold => self.cold_code.run(),
            #[cfg(not(target_arch = "x86_64"))]
            Before::Dirty | Before::Cold => {}
            Before::Other => {
                let name = if self.others.contains_key(peer) { peer } else { "" };
                self.others.get_mut(name).expect("somebody always comes")();
            }
        }
        if before == Before::Cold {
            let lines = messages.iter().flat_map(|message| message.chunks(LINE_BYTES));
            black_box(lines.fold(0u8, |sum, line| sum ^ line[0]));
        }
    }
}

/// An algorithm with other kernels than those of the one that is timed.
fn other_than(algorithm: &str) -> &'static str {
    if algorithm == manyhash::Sha512::NAME { manyhash::Sha256::NAME } else { manyhash::Sha512::NAME }
}

/// Every peer's call.
struct Others;

impl ForLineup for Others {
    type Output = HashMap<String, Call>;
    fn run<A: Algorithm<Digest = [u8; N]>, const N: usize>(self, lineup: Lineup<N>) -> Result<Self::Output> {
        let reference = lineup.reference;
        let mut calls: HashMap<String, Call> = HashMap::new();
        for mut peer in lineup.peers {
            peer.start()?;
            let buffer = Buffer::new(OTHER_MESSAGES * OTHER_BYTES, 2)?;
            let mut digests = vec![[0; N]; OTHER_MESSAGES];
            let name = peer.name.clone();
            let call = move || {
                let messages: Vec<&[u8]> = buffer.bytes().chunks(OTHER_BYTES).take(OTHER_MESSAGES).collect();
                peer.hash_many(&messages, &mut digests);
                black_box(&mut digests);
            };
            calls.insert(name, Box::new(call));
        }
        let buffer = Buffer::new(OTHER_MESSAGES * OTHER_BYTES, 2)?;
        let call = move || buffer.bytes().chunks(OTHER_BYTES).take(OTHER_MESSAGES).for_each(|message| _ = black_box(reference(message)));
        calls.insert(String::new(), Box::new(call));
        Ok(calls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_possible_can_be_done_before_every_peer() {
        for algorithm in ["SHA-512", "HMAC-SHA-256"] {
            let mut disturbances = Disturbances::new(algorithm).unwrap();
            for before in Before::ALL.into_iter().filter(|before| before.is_possible()) {
                for peer in ["manyhash", "sha2", "nobody"] {
                    disturbances.run(before, peer, &[b"", b"abc"]);
                }
            }
        }
    }
}
