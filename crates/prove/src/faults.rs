//! Changed instructions, which proofs must find: each is one bit of the code, or one instruction that
//! is left out.

use crate::memory::{Image, Memory};
use crate::proof::{Attempt, Patch, Verdict, prove};
use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind};
use manyhash::hazmat::Layout;

/// A way to change an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The lowest bit of the count of a shift or rotation, or of another immediate operand.
    Immediate,
    /// A bit of the number of a register.
    Register,
    /// Nothing instead of an operation.
    LeftOut,
    /// A bit of the address of a constant or of a word in memory.
    Place,
}

impl Fault {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Immediate, Self::Register, Self::LeftOut, Self::Place];
}

/// Returns whether an instruction computes words of the result. What else there is counts, copies
/// and jumps; a change there may do no harm.
fn computes(instruction: &Instruction) -> bool {
    use Mnemonic as M;
    matches!(
        instruction.mnemonic(),
        M::Paddd
            | M::Paddq
            | M::Vpaddd
            | M::Vpaddq
            | M::Pxor
            | M::Vpxor
            | M::Vpxord
            | M::Vpxorq
            | M::Vpternlogd
            | M::Vpternlogq
            | M::Vprold
            | M::Vprolq
            | M::Vprord
            | M::Vprorq
            | M::Psrld
            | M::Vpsrld
            | M::Pslld
            | M::Vpslld
            | M::Psrlq
            | M::Vpsrlq
            | M::Psllq
            | M::Vpsllq
            | M::Rorx
            | M::Sha256rnds2
            | M::Sha256msg1
            | M::Sha256msg2
            | M::Sha1rnds4
            | M::Sha1nexte
            | M::Sha1msg1
            | M::Sha1msg2
            | M::Vpalignr
            | M::Pshufb
            | M::Vpshufb
    )
}

/// Returns the bytes of an instruction with a fault; `None` if it has no room for one.
fn with_fault(instruction: &Instruction, code: &[u8], fault: Fault) -> Option<Vec<u8>> {
    let mut changed = code.to_vec();
    let operands = instruction.op_count();
    let has_immediate = operands > 0 && instruction.op_kind(operands - 1) == OpKind::Immediate8;
    match fault {
        Fault::Immediate if has_immediate => *changed.last_mut()? ^= 1,
        // The byte of two registers is the last one before an immediate.
        Fault::Register if (0..operands - u32::from(has_immediate)).all(|i| instruction.op_kind(i) == OpKind::Register) => {
            let at = changed.len() - 1 - usize::from(has_immediate);
            changed[at] ^= 1;
        }
        Fault::LeftOut => changed.fill(0x90),
        Fault::Place if (0..operands).any(|i| instruction.op_kind(i) == OpKind::Memory) => {
            // The first byte of the displacement, if it has four; sixteen bytes farther.
            let end = changed.len() - usize::from(has_immediate);
            if instruction.memory_displ_size() != 4 && !instruction.is_ip_rel_memory_operand() {
                return None;
            }
            changed[end - 4] ^= 0x40;
        }
        _ => return None,
    }
    // Still an instruction of the same kind.
    let decoded = Decoder::with_ip(64, &changed, instruction.ip(), DecoderOptions::NONE).decode();
    (fault == Fault::LeftOut || decoded.mnemonic() == instruction.mnemonic() && decoded.len() == instruction.len()).then_some(changed)
}

/// Returns whether a shuffle with another address of its constant does the same: of each byte there, it reads the highest bit and the
/// lowest four.
fn shuffles_equally(image: &Image, instruction: &Instruction, changed: &[u8]) -> bool {
    let decoded = Decoder::with_ip(64, changed, instruction.ip(), DecoderOptions::NONE).decode();
    let is_constant_of_shuffle = matches!(instruction.mnemonic(), Mnemonic::Pshufb | Mnemonic::Vpshufb)
        && [instruction, &decoded].iter().all(|instruction| instruction.is_ip_rel_memory_operand());
    let constant = |instruction: &Instruction| {
        let mut memory = Memory::new(image, Vec::new(), Vec::new(), 0..0).ok()?;
        let bytes = memory.read(instruction.ip_rel_memory_address(), instruction.memory_size().size()).ok()?;
        bytes.into_iter().map(|byte| Some(byte.number()? & 0x8F)).collect::<Option<Vec<u8>>>()
    };
    is_constant_of_shuffle && constant(instruction).is_some_and(|before| Some(before) == constant(&decoded))
}

/// What faults came to.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Those that the proof found, as not equal or as no code of a kernel.
    pub found: usize,
    /// Those that it did not.
    pub missed: Vec<String>,
}

/// Puts faults into instructions of a call that was proved, one at a time: `most` of each kind.
pub fn find(image: &Image, call: &Layout, proved: &Attempt, most: usize) -> Found {
    let mut found = Found::default();
    for fault in Fault::ALL {
        let all: Vec<(Instruction, Vec<u8>)> = proved
            .instructions
            .iter()
            .filter(|(instruction, _)| computes(instruction))
            .filter_map(|(instruction, code)| Some((*instruction, with_fault(instruction, code, fault)?)))
            .filter(|(instruction, changed)| !shuffles_equally(image, instruction, changed))
            .collect();
        // Spread over the code.
        for i in 0..most.min(all.len()) {
            let (instruction, code) = &all[(2 * i + 1) * all.len() / (2 * most.min(all.len()))];
            let patches: Vec<Patch> = code.iter().enumerate().map(|(i, byte)| (instruction.ip() + i as u64, *byte)).collect();
            match prove(image, call, &patches).verdict {
                Verdict::NotEqual(_) | Verdict::Stopped(_) => found.found += 1,
                verdict => found.missed.push(format!("{fault:?} in {:?} at {:#x}: {verdict}", instruction.mnemonic(), instruction.ip())),
            }
        }
    }
    found
}
