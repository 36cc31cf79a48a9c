//! Proves the machine code of kernels: what the compiler made of them is what the standards say.
//!
//! The bytes that are proved are those of the running program, as its linker and loader left them:
//! `make prove` builds it as users build the command, with the release profile and `lto`. Other programs
//! are linked anew, so their kernels are the same source and options but not these bytes. Everything that
//! a call executes is followed, `memcpy` and `memset` of the C library too.
//!
//! A [`machine::Machine`] starts where a caller starts and follows the code instruction by
//! instruction. The words of states and messages are expressions (the crate `terms`), everything
//! else is numbers: lengths, addresses, counts of blocks. So loops run as often as they do, and a
//! branch or an address that depended on an expression would stop the machine. At the end, the
//! expressions in memory must be those that the reference computes (`crates/reference`). What nobody
//! has written, the stack and registers of callers, is any value.
//!
//! A proof is for the lengths of its call: two blocks in every lane, or whole messages of one to three
//! blocks. What is trusted: the descriptions of instructions here, which are compared with the CPU on
//! numbers; the laws of the normal form; the reference; the decoder.
//!
//! | file | what |
//! |---|---|
//! | `words.rs` | words that are numbers or expressions, their bytes, elements of any width |
//! | `memory.rs` | memory: the process's own, under what was written |
//! | `machine.rs` | registers, operands, the loop |
//! | `scalar.rs`, `vector.rs`, `shuffle.rs`, `sha.rs` | the instructions |
//! | `standard.rs` | what the reference computes on expressions |
//! | `proof.rs` | one call: before, after, and whether they agree |
//! | `faults.rs` | changed instructions, which proofs must find |
//! | `main.rs`, `table.rs` | the program: the table of all proofs |
//! | `tests.rs` | test: proofs in the profile of tests, with faults; the machine beside the CPU |
//! | `census.rs`, `census/` | test: what the compiler made of each kernel, and the record of it; `calls.txt` there: the instructions of calls, by vectors/call_path.py; `aarch64.txt`: by vectors/census_aarch64.py |
#![forbid(unsafe_code)]
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

pub mod faults;
pub mod machine;
pub mod memory;
pub mod proof;
pub mod scalar;
pub mod sha;
pub mod shuffle;
pub mod standard;
pub mod vector;
pub mod words;

#[cfg(test)]
mod census;
#[cfg(test)]
mod tests;

use iced_x86::Instruction;
use std::fmt;

/// The reason why the machine stopped before the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A branch depends on a message or a state.
    Branch,
    /// An address depends on a message or a state.
    Address,
    /// The machine does not know this.
    NotYet(String),
    /// The code does what no kernel may do.
    Wild(String),
    /// This machine lacks what the proof needs.
    Machine(String),
}

impl Stop {
    /// Tells what the machine does not know.
    pub fn not_yet(what: &str) -> Self {
        Self::NotYet(what.into())
    }

    /// Adds where it was.
    fn at(self, instruction: &Instruction) -> Self {
        let place = |what| format!("{what}, in {:?} at {:#x}", instruction.mnemonic(), instruction.ip());
        match self {
            Self::NotYet(what) => Self::NotYet(place(what)),
            Self::Wild(what) => Self::Wild(place(what)),
            other => other,
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Branch => f.write_str("NOT PROVED: a branch depends on data"),
            Self::Address => f.write_str("NOT PROVED: an address depends on data"),
            Self::NotYet(what) => write!(f, "not yet: {what}"),
            Self::Wild(what) => write!(f, "NOT PROVED: {what}"),
            Self::Machine(what) => write!(f, "not here: {what}"),
        }
    }
}
