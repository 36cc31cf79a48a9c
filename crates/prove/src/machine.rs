//! The machine: registers, operands, and the loop that follows instructions one by one.

use crate::memory::Memory;
use crate::words::{Byte, Word, bytes_of, cut, number_of, simplified, word_bytes, words_of, words_of_number};
use crate::{Stop, scalar, vector};
use iced_x86::{Decoder, DecoderOptions, EncodingKind, Instruction, Mnemonic, OpKind, Register};
use std::collections::HashMap;

/// The most instructions of a call. More of them are a loop that does not end.
const MOST_INSTRUCTIONS: usize = 3_000_000;

/// Where a call returns to.
const RETURN_ADDRESS: u64 = 0x0DD0_0DD0;

/// Bytes of a vector register.
pub const VECTOR_BYTES: usize = 64;

/// The flags, as far as they are known.
#[derive(Clone, Copy, Default, Debug)]
pub struct Flags {
    /// A carry out of the highest bit, or a borrow.
    pub carry: Option<bool>,
    /// All bits are zero.
    pub zero: Option<bool>,
    /// The highest bit.
    pub sign: Option<bool>,
    /// A sum of signed numbers that does not fit.
    pub overflow: Option<bool>,
    /// An even number of bits in the lowest byte.
    pub parity: Option<bool>,
}

/// A mask register, of which some bits may be unknown. Compilers set the lowest byte of a general register, and move all of it here.
#[derive(Clone, Copy, Default, Debug)]
pub struct Mask {
    bits: u64,
    known: u64,
}

impl Mask {
    /// Returns the mask whose bits are those of a number.
    pub fn of(bits: u64) -> Self {
        Self { bits, known: u64::MAX }
    }

    /// Returns the mask of some bytes, the lowest first, with zeros above them.
    pub fn of_bytes(bytes: &[Byte]) -> Self {
        let mut mask = Self::of(0);
        for (i, byte) in bytes.iter().enumerate() {
            match simplified(*byte) {
                Byte::Number(number) => mask.bits |= u64::from(number) << (8 * i),
                Byte::Of(..) => mask.known &= !(0xFF << (8 * i)),
            }
        }
        mask
    }

    /// Returns the mask with zeros above its lowest `count` bits.
    pub fn cut(self, count: usize) -> Self {
        let above = u64::MAX.checked_shl(count as u32).unwrap_or(0);
        Self { bits: self.bits & !above, known: self.known | above }
    }

    /// Returns the lowest `count` bits, if they are known.
    pub fn lowest(self, count: usize) -> Result<u64, Stop> {
        let mask = self.cut(count);
        if mask.known == u64::MAX { Ok(mask.bits) } else { Err(Stop::not_yet("a mask that depends on the message")) }
    }
}

/// The state of the machine.
pub struct Machine {
    general: [Vec<Word>; 16],
    vectors: [Vec<Word>; 32],
    /// The mask registers, as far as they are known.
    pub masks: [Mask; 8],
    /// The flags, as far as they are known.
    pub flags: Flags,
    /// The memory.
    pub memory: Memory,
    /// The address of the next instruction.
    pub next: u64,
    decoded: HashMap<u64, (Instruction, Vec<u8>)>,
    /// Whether upper halves of vector registers are in use, so that instructions with legacy encodings would wait for them.
    upper_halves: bool,
    /// Whether they may be.
    pub may_use_upper_halves: bool,
    /// The number of instructions that were executed.
    pub executed: usize,
}

impl Machine {
    /// Makes a machine that is about to call a function with one argument. Nothing is known of other
    /// registers.
    pub fn new(memory: Memory, entry: usize, argument: usize, stack_end: u64) -> Result<Self, Stop> {
        let words = |bytes: usize| (0..bytes / word_bytes()).map(|_| Word::any()).collect();
        let mut machine = Self {
            general: std::array::from_fn(|_| words(8)),
            vectors: std::array::from_fn(|_| words(VECTOR_BYTES)),
            masks: [Mask::default(); 8],
            flags: Flags::default(),
            memory,
            next: entry as u64,
            decoded: HashMap::new(),
            upper_halves: false,
            may_use_upper_halves: false,
            executed: 0,
        };
        machine.set_general(Register::RDI, &words_of_number(argument as u64, 8));
        let stack = stack_end - stack_end % 64 - 8;
        machine.set_general(Register::RSP, &words_of_number(stack, 8));
        machine.memory.write(stack, &bytes_of(&words_of_number(RETURN_ADDRESS, 8)))?;
        Ok(machine)
    }

    /// Executes until the function returns, and checks that it leaves its caller's registers alone.
    pub fn run(&mut self) -> Result<(), Stop> {
        let kept = [Register::RBX, Register::RBP, Register::R12, Register::R13, Register::R14, Register::R15];
        let before = kept.map(|register| self.general(register));
        let stack = number_of(&self.general(Register::RSP));
        while self.next != RETURN_ADDRESS {
            self.step()?;
        }
        if kept.map(|register| self.general(register)) != before {
            return Err(Stop::Wild("registers of the caller are changed".into()));
        }
        if number_of(&self.general(Register::RSP)) != stack.map(|stack| stack + 8) {
            return Err(Stop::Wild("the stack is not where it was".into()));
        }
        Ok(())
    }

    fn step(&mut self) -> Result<(), Stop> {
        let instruction = self.decode(self.next)?;
        self.executed += 1;
        if self.executed > MOST_INSTRUCTIONS {
            return Err(Stop::Wild(format!("more than {MOST_INSTRUCTIONS} instructions")));
        }
        self.next = instruction.next_ip();
        self.follow_upper_halves(&instruction)?;
        let done = match scalar::execute(self, &instruction) {
            Some(done) => done,
            None => vector::execute(self, &instruction),
        };
        done.map_err(|stop| stop.at(&instruction))
    }

    /// Follows whether upper halves of the first sixteen vector registers are in use. Instructions with legacy encodings must come when
    /// they are not: on Golden Cove each of them would wait some 70 cycles, and whole kernels take a hundred times as long.
    fn follow_upper_halves(&mut self, instruction: &Instruction) -> Result<(), Stop> {
        let has_vectors = || (0..instruction.op_count()).any(|i| instruction.op_register(i).is_vector_register());
        if instruction.mnemonic() == Mnemonic::Vzeroupper {
            self.upper_halves = false;
        } else if instruction.encoding() == EncodingKind::Legacy {
            if self.upper_halves && !self.may_use_upper_halves && has_vectors() {
                return Err(Stop::Wild("a legacy encoding while upper halves are in use".into()).at(instruction));
            }
        } else {
            let register = instruction.op0_register();
            self.upper_halves |= (register.is_ymm() || register.is_zmm()) && register.number() < 16;
        }
        Ok(())
    }

    fn decode(&mut self, address: u64) -> Result<Instruction, Stop> {
        if let Some((instruction, _)) = self.decoded.get(&address) {
            return Ok(*instruction);
        }
        let mut bytes = self.memory.code(address)?;
        let instruction = Decoder::with_ip(64, &bytes, address, DecoderOptions::NONE).decode();
        if instruction.is_invalid() {
            return Err(Stop::Wild(format!("no instruction at {address:#x}")));
        }
        bytes.truncate(instruction.len());
        self.decoded.insert(address, (instruction, bytes));
        Ok(instruction)
    }

    /// Returns the instructions that were executed at least once, in the order of their addresses, with
    /// their bytes.
    pub fn instructions(self) -> Vec<(Instruction, Vec<u8>)> {
        let mut instructions: Vec<_> = self.decoded.into_values().collect();
        instructions.sort_unstable_by_key(|(instruction, _)| instruction.ip());
        instructions
    }

    /// Returns a general register, or a part of one.
    pub fn general(&self, register: Register) -> Vec<Word> {
        let full = &self.general[register.full_register().number()];
        let size = register.size();
        if matches!(register, Register::AH | Register::BH | Register::CH | Register::DH) {
            return words_of(&bytes_of(full)[1..2]);
        }
        cut(&full[..(size / word_bytes()).max(1)], size)
    }

    /// Sets a general register, or a part of one. Setting four bytes zeros the upper ones.
    pub fn set_general(&mut self, register: Register, words: &[Word]) {
        let full = &mut self.general[register.full_register().number()];
        let size = register.size();
        if size >= 4 {
            let mut words = cut(words, size);
            words.resize(8 / word_bytes(), Word::Number(0));
            *full = words;
        } else {
            let start = usize::from(matches!(register, Register::AH | Register::BH | Register::CH | Register::DH));
            let mut bytes = bytes_of(full);
            bytes[start..start + size].copy_from_slice(&bytes_of(words)[..size]);
            *full = words_of(&bytes);
        }
    }

    /// Returns the first bytes of a vector register.
    pub fn vector(&self, register: Register, bytes: usize) -> Vec<Word> {
        self.vectors[register.full_register().number()][..bytes / word_bytes()].to_vec()
    }

    /// Sets the first words of a vector register. Others become zero, unless they are `kept`.
    pub fn set_vector(&mut self, register: Register, words: &[Word], kept: bool) {
        let full = &mut self.vectors[register.full_register().number()];
        full[..words.len()].copy_from_slice(words);
        if !kept {
            full[words.len()..].fill(Word::Number(0));
        }
    }

    /// Returns the address of the memory operand.
    pub fn address(&self, instruction: &Instruction) -> Result<u64, Stop> {
        if matches!(instruction.memory_segment(), Register::FS | Register::GS) {
            return Err(Stop::not_yet("memory of the thread"));
        }
        let mut address = instruction.memory_displacement64();
        if !instruction.is_ip_rel_memory_operand() {
            for (register, scale) in [(instruction.memory_base(), 1), (instruction.memory_index(), instruction.memory_index_scale())] {
                if register != Register::None {
                    let number = number_of(&self.general(register)).ok_or(Stop::Address)?;
                    address = address.wrapping_add(number.wrapping_mul(u64::from(scale)));
                }
            }
        }
        Ok(address)
    }

    /// Reads some bytes of the memory operand.
    pub fn load(&mut self, instruction: &Instruction, bytes: usize) -> Result<Vec<Word>, Stop> {
        let address = self.address(instruction)?;
        Ok(words_of(&self.memory.read(address, bytes)?))
    }

    /// Writes some bytes to the memory operand.
    pub fn store(&mut self, instruction: &Instruction, bytes: &[Byte]) -> Result<(), Stop> {
        let address = self.address(instruction)?;
        self.memory.write(address, bytes)
    }

    /// Returns the bytes of an operand of general instructions.
    pub fn size(&self, instruction: &Instruction, operand: u32) -> usize {
        match instruction.op_kind(operand) {
            OpKind::Register => instruction.op_register(operand).size(),
            OpKind::Memory => instruction.memory_size().size(),
            _ => self.size(instruction, 0),
        }
    }

    /// Returns an operand of general instructions.
    pub fn operand(&mut self, instruction: &Instruction, operand: u32) -> Result<Vec<Word>, Stop> {
        let size = self.size(instruction, operand);
        match instruction.op_kind(operand) {
            OpKind::Register => Ok(self.general(instruction.op_register(operand))),
            OpKind::Memory => self.load(instruction, size),
            _ => Ok(cut(&words_of_number(instruction.immediate(operand), size), size)),
        }
    }

    /// Sets an operand of general instructions.
    pub fn set_operand(&mut self, instruction: &Instruction, operand: u32, words: &[Word]) -> Result<(), Stop> {
        match instruction.op_kind(operand) {
            OpKind::Register => {
                self.set_general(instruction.op_register(operand), words);
                Ok(())
            }
            _ => {
                let size = self.size(instruction, operand);
                self.store(instruction, &bytes_of(words)[..size])
            }
        }
    }
}
