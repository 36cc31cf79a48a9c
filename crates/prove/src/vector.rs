//! Instructions on vector registers, as the manual of each describes it: Intel 64 and IA-32
//! Architectures Software Developer's Manual, volume 2.

use crate::machine::{Flags, Machine, Mask};
use crate::words::{Byte, Word, added, bytes_of, number_of, rotated, shifted, simplified, word_bytes, words_of, words_of_number};
use crate::{Stop, sha, shuffle};
use iced_x86::{EncodingKind, Instruction, OpKind, Register};

type Done = Result<(), Stop>;

/// Executes an instruction on vector registers or mask registers.
pub fn execute(machine: &mut Machine, instruction: &Instruction) -> Done {
    let mnemonic = format!("{:?}", instruction.mnemonic()).to_lowercase();
    let name = mnemonic.strip_prefix('v').unwrap_or(&mnemonic);
    match name {
        "zeroupper" => {
            zero_upper(machine);
            Ok(())
        }
        "kortestb" | "kortestw" | "kortestd" | "kortestq" => test_masks(machine, instruction, name),
        _ if name.starts_with("kshift") => shift_mask(machine, instruction, name),
        _ if name.starts_with('k') && !name.starts_with("kmov") => join_masks(machine, instruction, name),
        "kmovb" | "kmovw" | "kmovd" | "kmovq" => move_mask(machine, instruction, name),
        "movdqa" | "movdqu" | "lddqu" | "movaps" | "movups" | "movapd" | "movupd" | "movntdq" => transfer(machine, instruction, 8),
        "movdqu8" => transfer(machine, instruction, 1),
        "movdqu16" => transfer(machine, instruction, 2),
        "movdqa32" | "movdqu32" => transfer(machine, instruction, 4),
        "movdqa64" | "movdqu64" => transfer(machine, instruction, 8),
        "movd" | "movss" => partial(machine, instruction, 4),
        "movq" | "movsd" => partial(machine, instruction, 8),
        "movhps" | "movhpd" | "movlps" | "movlpd" => half(machine, instruction, name.starts_with("movh")),
        "pextrb" | "pextrw" | "pextrd" | "pextrq" | "extractps" => extract(machine, instruction, width(name)),
        "pinsrb" | "pinsrw" | "pinsrd" | "pinsrq" => insert(machine, instruction, width(name)),
        "pmovmskb" | "movmskps" | "movmskpd" => signs(machine, instruction, name),
        "ptestmd" | "ptestmq" | "ptestnmd" | "ptestnmq" | "pcmpd" | "pcmpq" | "pcmpud" | "pcmpuq" | "pcmpeqb" | "pcmpeqd" | "pcmpeqq"
        | "pcmpgtd" | "pcmpgtq" | "pminsd" | "pmaxsd" | "pminud" | "pmaxud" | "pminuq" | "pmaxuq" | "pmuludq" => {
            numbers(machine, instruction, name)
        }
        _ => {
            if let Some(operation) = logic_of(name) {
                return elementwise(machine, instruction, width_of_logic(name), |one, other| {
                    one.iter().zip(other).map(|(one, other)| operation(*one, *other)).collect()
                });
            }
            if let Some(count_and_direction) = shift_of(name) {
                return shift(machine, instruction, count_and_direction);
            }
            match name {
                "paddb" | "paddw" | "paddd" | "paddq" | "psubb" | "psubw" | "psubd" | "psubq" => {
                    let element = width(name);
                    elementwise(machine, instruction, element, |one, other| added(one, other, 8 * element as u32, name.starts_with("psub")))
                }
                "prold" | "prolq" | "prord" | "prorq" | "prolvd" | "prolvq" | "prorvd" | "prorvq" => rotate(machine, instruction, name),
                "pternlogd" | "pternlogq" => ternary(machine, instruction, width(name)),
                _ if name.starts_with("sha") => sha::execute(machine, instruction, name),
                _ => shuffle::execute(machine, instruction, name),
            }
        }
    }
}

/// Returns the bytes of an element, by the last letter of an instruction's name.
pub fn width(name: &str) -> usize {
    match name.as_bytes()[name.len() - 1] {
        b'b' => 1,
        b'w' => 2,
        b'd' | b's' => 4,
        _ => 8,
    }
}

fn width_of_logic(name: &str) -> usize {
    if name.ends_with('q') || name.ends_with("pd") { 8 } else { 4 }
}

fn logic_of(name: &str) -> Option<fn(Word, Word) -> Word> {
    Some(match name {
        "pand" | "pandd" | "pandq" | "andps" | "andpd" => Word::and,
        "por" | "pord" | "porq" | "orps" | "orpd" => Word::or,
        "pxor" | "pxord" | "pxorq" | "xorps" | "xorpd" => Word::xor,
        "pandn" | "pandnd" | "pandnq" | "andnps" | "andnpd" => |one, other| one.complement().and(other),
        _ => return None,
    })
}

fn shift_of(name: &str) -> Option<(usize, bool)> {
    Some(match name {
        "psllw" | "psllvw" => (2, true),
        "pslld" | "psllvd" => (4, true),
        "psllq" | "psllvq" => (8, true),
        "psrlw" | "psrlvw" => (2, false),
        "psrld" | "psrlvd" => (4, false),
        "psrlq" | "psrlvq" => (8, false),
        _ => return None,
    })
}

/// Returns the bytes of the first operand.
pub fn vector_bytes(instruction: &Instruction) -> usize {
    let register = instruction.op0_register();
    if register.is_vector_register() { register.size() } else { instruction.memory_size().size() }
}

/// Returns whether the first operand is a source too, and upper halves are kept.
pub fn is_legacy(instruction: &Instruction) -> bool {
    instruction.encoding() == EncodingKind::Legacy
}

/// Returns the two sources of an operation.
pub fn sources(machine: &mut Machine, instruction: &Instruction, element: usize) -> Result<[Vec<Word>; 2], Stop> {
    let (bytes, first) = (vector_bytes(instruction), u32::from(!is_legacy(instruction)));
    Ok([source(machine, instruction, first, bytes, element)?, source(machine, instruction, first + 1, bytes, element)?])
}

/// Returns an operand of some bytes, in elements of some bytes.
pub fn source(machine: &mut Machine, instruction: &Instruction, operand: u32, bytes: usize, element: usize) -> Result<Vec<Word>, Stop> {
    match instruction.op_kind(operand) {
        OpKind::Register => Ok(machine.vector(instruction.op_register(operand), bytes)),
        _ if instruction.is_broadcast() => {
            let one = bytes_of(&machine.load(instruction, element)?)[..element].to_vec();
            Ok(words_of(&one.repeat(bytes / element)))
        }
        _ => machine.load(instruction, bytes),
    }
}

/// Returns which of some elements are changed, bit by bit, and whether the others become zero.
pub fn mask(machine: &Machine, instruction: &Instruction, elements: usize) -> Result<Option<(u64, bool)>, Stop> {
    match instruction.op_mask() {
        Register::None => Ok(None),
        register => Ok(Some((machine.masks[register.number()].lowest(elements)?, instruction.zeroing_masking()))),
    }
}

/// Sets the first operand, a vector register, in the elements of the mask.
pub fn set(machine: &mut Machine, instruction: &Instruction, result: Vec<Word>, element: usize) -> Done {
    let register = instruction.op0_register();
    let elements = result.len() * word_bytes() / element;
    let Some((mask, zeroing)) = mask(machine, instruction, elements)? else {
        machine.set_vector(register, &result, is_legacy(instruction));
        return Ok(());
    };
    let mut bytes = bytes_of(&result);
    let before = bytes_of(&machine.vector(register, bytes.len()));
    for (i, byte) in bytes.iter_mut().enumerate() {
        if mask >> (i / element) & 1 == 0 {
            *byte = if zeroing { Byte::Number(0) } else { before[i] };
        }
    }
    machine.set_vector(register, &words_of(&bytes), false);
    Ok(())
}

/// Sets the first operand to a function of two sources.
fn elementwise(machine: &mut Machine, instruction: &Instruction, element: usize, function: impl Fn(&[Word], &[Word]) -> Vec<Word>) -> Done {
    let [one, other] = sources(machine, instruction, element)?;
    set(machine, instruction, function(&one, &other), element)
}

fn zero_upper(machine: &mut Machine) {
    for register in Register::XMM0 as u32..=Register::XMM15 as u32 {
        let register = Register::try_from(register as usize).expect("a register between the first and the last");
        let lower = machine.vector(register, 16);
        machine.set_vector(register, &lower, false);
    }
}

fn move_mask(machine: &mut Machine, instruction: &Instruction, name: &str) -> Done {
    let bytes = match name {
        "kmovb" => 1,
        "kmovw" => 2,
        "kmovd" => 4,
        _ => 8,
    };
    let value = match instruction.op1_kind() {
        OpKind::Register if instruction.op1_register().is_k() => machine.masks[instruction.op1_register().number()],
        OpKind::Register => Mask::of_bytes(&bytes_of(&machine.general(instruction.op1_register()))),
        _ => Mask::of_bytes(&bytes_of(&machine.load(instruction, bytes)?)),
    };
    if instruction.op0_kind() == OpKind::Register && instruction.op0_register().is_k() {
        machine.masks[instruction.op0_register().number()] = value.cut(8 * bytes);
        return Ok(());
    }
    let value = value.lowest(8 * bytes)?;
    machine.set_operand(instruction, 0, &words_of_number(value, 8))
}

/// Moves a whole vector. What a mask leaves out is not touched in memory.
fn transfer(machine: &mut Machine, instruction: &Instruction, element: usize) -> Done {
    let bytes =
        if instruction.op0_kind() == OpKind::Register { instruction.op0_register().size() } else { instruction.op1_register().size() };
    let selected = mask(machine, instruction, bytes / element)?.map(|(mask, _)| mask);
    let is_selected = |i: usize| selected.is_none_or(|mask| mask >> (i / element) & 1 == 1);
    if instruction.op0_kind() == OpKind::Memory {
        let (address, value) = (machine.address(instruction)?, bytes_of(&machine.vector(instruction.op1_register(), bytes)));
        for i in (0..bytes).filter(|i| is_selected(*i)) {
            machine.memory.write(address + i as u64, &value[i..=i])?;
        }
        return Ok(());
    }
    let value = match (instruction.op1_kind(), selected) {
        (OpKind::Memory, Some(_)) => {
            let address = machine.address(instruction)?;
            let mut value = vec![Byte::Number(0); bytes];
            for i in (0..bytes).filter(|i| is_selected(*i)) {
                value[i] = machine.memory.read(address + i as u64, 1)?[0];
            }
            words_of(&value)
        }
        _ => source(machine, instruction, 1, bytes, element)?,
    };
    set(machine, instruction, value, element)
}

/// Moves the first bytes of a vector.
fn partial(machine: &mut Machine, instruction: &Instruction, bytes: usize) -> Done {
    let last = instruction.op_count() - 1;
    let value: Vec<Byte> = match instruction.op_kind(last) {
        OpKind::Memory => bytes_of(&machine.load(instruction, bytes)?),
        _ if instruction.op_register(last).is_gpr() => bytes_of(&machine.general(instruction.op_register(last))),
        _ => bytes_of(&machine.vector(instruction.op_register(last), 16)),
    };
    let mut value = value[..bytes].to_vec();
    match instruction.op0_kind() {
        OpKind::Memory => machine.store(instruction, &value),
        _ if instruction.op0_register().is_gpr() => {
            machine.set_general(instruction.op0_register(), &words_of(&value));
            Ok(())
        }
        _ => {
            // Between two registers, `movss` and `movsd` keep the rest of one; others zero it.
            let merges = matches!(format!("{:?}", instruction.mnemonic()).trim_start_matches('V'), "Movss" | "Movsd");
            if merges && instruction.op_kind(last) == OpKind::Register {
                let kept = bytes_of(&machine.vector(instruction.op_register(last - 1), 16));
                value.extend_from_slice(&kept[bytes..]);
            }
            value.resize(16, Byte::Number(0));
            machine.set_vector(instruction.op0_register(), &words_of(&value), is_legacy(instruction));
            Ok(())
        }
    }
}

/// Moves the upper or lower eight bytes of a vector to memory or from it.
fn half(machine: &mut Machine, instruction: &Instruction, upper: bool) -> Done {
    let at = if upper { 8 } else { 0 };
    if instruction.op0_kind() == OpKind::Memory {
        let value = bytes_of(&machine.vector(instruction.op1_register(), 16));
        return machine.store(instruction, &value[at..at + 8]);
    }
    let mut value = bytes_of(&machine.vector(instruction.op_register(u32::from(!is_legacy(instruction))), 16));
    value[at..at + 8].copy_from_slice(&bytes_of(&machine.load(instruction, 8)?)[..8]);
    machine.set_vector(instruction.op0_register(), &words_of(&value), is_legacy(instruction));
    Ok(())
}

/// Returns the immediate operand, which is the last one.
pub fn immediate(instruction: &Instruction) -> usize {
    instruction.immediate(instruction.op_count() - 1) as u8 as usize
}

fn extract(machine: &mut Machine, instruction: &Instruction, element: usize) -> Done {
    let index = immediate(instruction) % (16 / element);
    let value = bytes_of(&machine.vector(instruction.op1_register(), 16))[index * element..][..element].to_vec();
    match instruction.op0_kind() {
        OpKind::Memory => machine.store(instruction, &value),
        _ => {
            let mut value = value;
            value.resize(8, Byte::Number(0));
            machine.set_general(instruction.op0_register().full_register(), &words_of(&value));
            Ok(())
        }
    }
}

fn insert(machine: &mut Machine, instruction: &Instruction, element: usize) -> Done {
    let from = instruction.op_count() - 2;
    let index = immediate(instruction) % (16 / element);
    let inserted = match instruction.op_kind(from) {
        OpKind::Memory => machine.load(instruction, element)?,
        _ => machine.general(instruction.op_register(from)),
    };
    let mut value = bytes_of(&machine.vector(instruction.op_register(from - 1), 16));
    value[index * element..][..element].copy_from_slice(&bytes_of(&inserted)[..element]);
    machine.set_vector(instruction.op0_register(), &words_of(&value), is_legacy(instruction));
    Ok(())
}

/// Gathers the highest bits of elements that are numbers.
fn signs(machine: &mut Machine, instruction: &Instruction, name: &str) -> Done {
    let element = match name {
        "pmovmskb" => 1,
        "movmskps" => 4,
        _ => 8,
    };
    let value = bytes_of(&machine.vector(instruction.op1_register(), instruction.op1_register().size()));
    let mut signs = 0;
    for (i, byte) in value.iter().skip(element - 1).step_by(element).enumerate() {
        let byte = simplified(*byte).number().ok_or(Stop::not_yet("a sign that depends on the message"))?;
        signs |= u64::from(byte >> 7) << i;
    }
    machine.set_general(instruction.op0_register(), &words_of_number(signs, 8));
    Ok(())
}

/// Comparisons, of numbers only.
fn numbers(machine: &mut Machine, instruction: &Instruction, name: &str) -> Done {
    let element = if name == "pmuludq" { 8 } else { width(name) };
    let bytes = if instruction.op0_register().is_k() { instruction.op1_register().size() } else { vector_bytes(instruction) };
    let first = u32::from(!is_legacy(instruction));
    let (one, other) = (source(machine, instruction, first, bytes, element)?, source(machine, instruction, first + 1, bytes, element)?);
    let is_same = one == other;
    let value = |element: &[Byte]| {
        let known = |(i, byte): (usize, &Byte)| simplified(*byte).number().map(|number| u64::from(number) << (8 * i));
        element.iter().enumerate().map(known).sum::<Option<u64>>()
    };
    let sign = |number: u64| (number << (64 - 8 * element)) as i64;
    let mut result = Vec::new();
    for (one, other) in bytes_of(&one).chunks(element).zip(bytes_of(&other).chunks(element)) {
        let (one, other) = match (value(one), value(other)) {
            (Some(one), Some(other)) => (one, other),
            _ if is_same && name.starts_with("pcmpeq") => (0, 0),
            _ => return Err(Stop::not_yet("a comparison of what is no number")),
        };
        let truth = |holds: bool| if holds { u64::MAX } else { 0 };
        result.push(match name {
            "pminsd" => {
                if sign(one) < sign(other) {
                    one
                } else {
                    other
                }
            }
            "pmaxsd" => {
                if sign(one) > sign(other) {
                    one
                } else {
                    other
                }
            }
            "pminud" | "pminuq" => one.min(other),
            "pmaxud" | "pmaxuq" => one.max(other),
            "pmuludq" => (one & 0xFFFF_FFFF) * (other & 0xFFFF_FFFF),
            _ if name.starts_with("pcmpeq") => truth(one == other),
            "ptestmd" | "ptestmq" => truth(one & other != 0),
            "ptestnmd" | "ptestnmq" => truth(one & other == 0),
            "pcmpd" | "pcmpq" => truth(predicate(immediate(instruction), sign(one).cmp(&sign(other)))),
            "pcmpud" | "pcmpuq" => truth(predicate(immediate(instruction), one.cmp(&other))),
            _ => truth(sign(one) > sign(other)),
        });
    }
    if instruction.op0_register().is_k() {
        let selected = mask(machine, instruction, result.len())?.map_or(u64::MAX, |(mask, _)| mask);
        let bits = result.iter().enumerate().fold(0, |bits, (i, truth)| bits | (truth & 1) << i);
        machine.masks[instruction.op0_register().number()] = Mask::of(bits & selected);
        return Ok(());
    }
    let bytes: Vec<Byte> = result.iter().flat_map(|number| number.to_le_bytes()[..element].to_vec()).map(Byte::Number).collect();
    set(machine, instruction, words_of(&bytes), element)
}

/// Returns whether an order is the one that a comparison asks for.
fn predicate(control: usize, order: std::cmp::Ordering) -> bool {
    let holds = match control & 3 {
        0 => order.is_eq(),
        1 => order.is_lt(),
        2 => order.is_le(),
        _ => false,
    };
    holds != (control & 4 > 0)
}

/// Returns a mask register, as far as instructions of a name reach.
fn known_mask(machine: &Machine, instruction: &Instruction, name: &str, operand: u32) -> Result<u64, Stop> {
    machine.masks[instruction.op_register(operand).number()].lowest(8 * width(name))
}

/// Returns two mask registers.
fn two_masks(machine: &Machine, instruction: &Instruction, name: &str, first: u32) -> Result<[u64; 2], Stop> {
    Ok([known_mask(machine, instruction, name, first)?, known_mask(machine, instruction, name, first + 1)?])
}

fn test_masks(machine: &mut Machine, instruction: &Instruction, name: &str) -> Done {
    let [one, other] = two_masks(machine, instruction, name, 0)?;
    let (all, both) = (u64::MAX >> (64 - 8 * width(name)), one | other);
    let no = Some(false);
    machine.flags = Flags { carry: Some(both == all), zero: Some(both == 0), sign: no, overflow: no, parity: no };
    Ok(())
}

fn join_masks(machine: &mut Machine, instruction: &Instruction, name: &str) -> Done {
    let all = u64::MAX >> (64 - 8 * width(name));
    let operation = &name[..name.len() - 1];
    let joined = match operation {
        "knot" => !known_mask(machine, instruction, name, 1)?,
        "kunpckb" | "kunpckw" | "kunpckd" => {
            // The name has the bytes before and after.
            let bits = 8 * width(operation) as u32;
            let [upper, lower] = two_masks(machine, instruction, name, 1)?;
            upper << bits | lower & u64::MAX >> (64 - bits)
        }
        _ => {
            let [one, other] = two_masks(machine, instruction, name, 1)?;
            match operation {
                "kor" => one | other,
                "kand" => one & other,
                "kandn" => !one & other,
                "kxor" => one ^ other,
                "kxnor" => !(one ^ other),
                _ => return Err(Stop::NotYet(format!("instruction {name}"))),
            }
        }
    };
    machine.masks[instruction.op0_register().number()] = Mask::of(joined & all);
    Ok(())
}

fn shift_mask(machine: &mut Machine, instruction: &Instruction, name: &str) -> Done {
    let mask = known_mask(machine, instruction, name, 1)?;
    let (by, all) = (immediate(instruction) as u32, u64::MAX >> (64 - 8 * width(name)));
    let shifted = if name.starts_with("kshiftr") { mask.checked_shr(by) } else { mask.checked_shl(by) };
    machine.masks[instruction.op0_register().number()] = Mask::of(shifted.unwrap_or(0) & all);
    Ok(())
}

fn shift(machine: &mut Machine, instruction: &Instruction, (element, left): (usize, bool)) -> Done {
    let (bytes, last) = (vector_bytes(instruction), instruction.op_count() - 1);
    let is_immediate = !matches!(instruction.op_kind(last), OpKind::Register | OpKind::Memory);
    let is_variable = format!("{:?}", instruction.mnemonic()).contains("lv");
    let value = source(machine, instruction, last - 1, bytes, element)?;
    let counts: Vec<u64> = if is_immediate {
        vec![immediate(instruction) as u64; bytes / element]
    } else if is_variable {
        element_numbers(&source(machine, instruction, last, bytes, element)?, element)?
    } else {
        // One count for all, in the lower eight bytes of sixteen.
        let count = number_of(&source(machine, instruction, last, 16, 16)?).ok_or(Stop::not_yet("a count that is no number"))?;
        vec![count; bytes / element]
    };
    set(machine, instruction, shifted(&value, 8 * element as u32, |i| counts[i], left), element)
}

/// Returns the elements of a vector, which must be numbers.
pub fn element_numbers(words: &[Word], element: usize) -> Result<Vec<u64>, Stop> {
    let value = |element: &[Byte]| {
        let known = |(i, byte): (usize, &Byte)| simplified(*byte).number().map(|number| u64::from(number) << (8 * i));
        element.iter().enumerate().map(known).sum::<Option<u64>>()
    };
    let numbers: Option<Vec<u64>> = bytes_of(words).chunks(element).map(value).collect();
    numbers.ok_or(Stop::not_yet("a choice by what is no number"))
}

fn rotate(machine: &mut Machine, instruction: &Instruction, name: &str) -> Done {
    let (bytes, element, last) = (vector_bytes(instruction), width(name), instruction.op_count() - 1);
    let value = source(machine, instruction, last - 1, bytes, element)?;
    let counts: Vec<u64> = if name.contains('v') {
        element_numbers(&source(machine, instruction, last, bytes, element)?, element)?
    } else {
        vec![immediate(instruction) as u64; bytes / element]
    };
    let element_bits = 8 * element as u64;
    let right = |i: usize| if name.starts_with("prol") { element_bits - counts[i] % element_bits } else { counts[i] };
    set(machine, instruction, rotated(&value, element_bits as u32, right), element)
}

/// A function of three bits by its table of truth.
fn ternary(machine: &mut Machine, instruction: &Instruction, element: usize) -> Done {
    let (bytes, table) = (vector_bytes(instruction), immediate(instruction));
    let one = machine.vector(instruction.op0_register(), bytes);
    let two = source(machine, instruction, 1, bytes, element)?;
    let three = source(machine, instruction, 2, bytes, element)?;
    // The algebraic normal form: the coefficient of a product is the sum over all parts of it.
    let is_in = |product: usize| (0..8).filter(|row| row & product == *row).fold(false, |sum, row| sum ^ (table >> row & 1 == 1));
    let result = (0..bytes / word_bytes())
        .map(|i| {
            let words = [(4, one[i]), (2, two[i]), (1, three[i])];
            let is_expression = |bit: usize| words.iter().any(|(other, word)| *other == bit && word.number().is_none());
            // What is multiplied by another expression is the same in all products: the choice of a form.
            let is_multiplied = |bit: usize| {
                let with_other =
                    |product: &usize| [4, 2, 1].into_iter().any(|other| other != bit && product & other > 0 && is_expression(other));
                (0..8).filter(|product| product & bit > 0 && is_in(*product)).any(|product| with_other(&product))
            };
            let factors = words.map(|(bit, word)| (bit, if is_multiplied(bit) { word.short() } else { word }));
            (0..8).filter(|product| is_in(*product)).fold(Word::Number(0), |sum, product| {
                let all = Word::Number(crate::words::ones());
                sum.xor(factors.iter().filter(|(bit, _)| product & bit > 0).fold(all, |product, (_, factor)| product.and(*factor)))
            })
        })
        .collect();
    set(machine, instruction, result, element)
}
