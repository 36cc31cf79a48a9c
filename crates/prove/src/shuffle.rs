//! Instructions that move bytes from place to place in vectors.

use crate::Stop;
use crate::machine::{Machine, Mask};
use crate::vector::{element_numbers, immediate, is_legacy, mask, set, source, sources, vector_bytes, width};
use crate::words::{Byte, bytes_of, simplified, words_of};
use iced_x86::{Instruction, OpKind};

type Done = Result<(), Stop>;

/// Executes an instruction that moves bytes.
pub fn execute(machine: &mut Machine, instruction: &Instruction, name: &str) -> Done {
    match name {
        "broadcastss" | "pbroadcastd" => broadcast(machine, instruction, 4),
        "broadcastsd" | "pbroadcastq" => broadcast(machine, instruction, 8),
        "pbroadcastb" => broadcast(machine, instruction, 1),
        "pbroadcastw" => broadcast(machine, instruction, 2),
        "broadcasti128" | "broadcastf128" | "broadcasti32x4" | "broadcastf32x4" | "broadcasti64x2" | "broadcastf64x2" => {
            broadcast(machine, instruction, 16)
        }
        "broadcasti64x4" | "broadcastf64x4" | "broadcasti32x8" | "broadcastf32x8" => broadcast(machine, instruction, 32),
        "extracti128" | "extractf128" | "extracti32x4" | "extractf32x4" | "extracti64x2" | "extractf64x2" => {
            part_of(machine, instruction, 16)
        }
        "extracti64x4" | "extractf64x4" | "extracti32x8" | "extractf32x8" => part_of(machine, instruction, 32),
        "inserti128" | "insertf128" | "inserti32x4" | "insertf32x4" | "inserti64x2" | "insertf64x2" => put_part(machine, instruction, 16),
        "inserti64x4" | "insertf64x4" | "inserti32x8" | "insertf32x8" => put_part(machine, instruction, 32),
        "insertps" => put_word(machine, instruction),
        "punpcklbw" | "punpckhbw" => interleave(machine, instruction, 1, name.contains("kh")),
        "punpcklwd" | "punpckhwd" => interleave(machine, instruction, 2, name.contains("kh")),
        "punpckldq" | "punpckhdq" | "unpcklps" | "unpckhps" => interleave(machine, instruction, 4, name.contains("kh")),
        "punpcklqdq" | "punpckhqdq" | "unpcklpd" | "unpckhpd" => interleave(machine, instruction, 8, name.contains("kh")),
        "movlhps" => two(machine, instruction, 8, |i, _| (i / 8, i % 8)),
        "movhlps" => two(machine, instruction, 8, |i, _| if i < 8 { (1, i + 8) } else { (0, i) }),
        "movddup" => one(machine, instruction, 8, |i| i / 16 * 16 + i % 8),
        "pshufd" | "permilps" if is_immediate(instruction) => {
            let control = immediate(instruction);
            one(machine, instruction, 4, |i| i / 16 * 16 + 4 * (control >> (2 * (i % 16 / 4)) & 3) + i % 4)
        }
        "pshuflw" => {
            let control = immediate(instruction);
            one(machine, instruction, 2, |i| if i % 16 < 8 { i / 16 * 16 + 2 * (control >> (2 * (i % 8 / 2)) & 3) + i % 2 } else { i })
        }
        "pshufhw" => {
            let control = immediate(instruction);
            one(machine, instruction, 2, |i| if i % 16 < 8 { i } else { i / 16 * 16 + 8 + 2 * (control >> (2 * (i % 8 / 2)) & 3) + i % 2 })
        }
        "permq" | "permpd" if is_immediate(instruction) => {
            let control = immediate(instruction);
            one(machine, instruction, 8, |i| i / 32 * 32 + 8 * (control >> (2 * (i % 32 / 8)) & 3) + i % 8)
        }
        "pexpandd" | "pexpandq" => expand(machine, instruction, width(name)),
        "pslldq" => {
            let by = immediate(instruction).min(16);
            one_or_zero(machine, instruction, |i| (i % 16 >= by).then(|| i - by))
        }
        "psrldq" => {
            let by = immediate(instruction).min(16);
            one_or_zero(machine, instruction, |i| (i % 16 + by < 16).then(|| i + by))
        }
        "shufps" => {
            let control = immediate(instruction);
            two(machine, instruction, 4, |i, _| {
                let place = i % 16 / 4;
                (usize::from(place >= 2), i / 16 * 16 + 4 * (control >> (2 * place) & 3) + i % 4)
            })
        }
        "shufpd" => {
            let control = immediate(instruction);
            two(machine, instruction, 8, |i, _| (i % 16 / 8, i / 16 * 16 + 8 * (control >> (i / 8) & 1) + i % 8))
        }
        "shufi64x2" | "shuff64x2" | "shufi32x4" | "shuff32x4" => {
            let control = immediate(instruction);
            two(machine, instruction, if name.contains("64") { 8 } else { 4 }, |i, bytes| {
                let (quarter, quarters) = (i / 16, bytes / 16);
                let bits = if quarters == 4 { 2 } else { 1 };
                (usize::from(quarter >= quarters / 2), 16 * (control >> (bits * quarter) & (quarters - 1)) + i % 16)
            })
        }
        "alignd" | "alignq" => {
            let (element, control) = (width(name), immediate(instruction));
            // The second source is the lower one.
            two(machine, instruction, element, |i, bytes| {
                let from = i + element * (control % (bytes / element));
                if from < bytes { (1, from) } else { (0, from - bytes) }
            })
        }
        "pblendd" | "blendps" => {
            let control = immediate(instruction);
            two(machine, instruction, 4, |i, _| (control >> (i / 4) & 1, i))
        }
        "pblendw" => {
            let control = immediate(instruction);
            two(machine, instruction, 2, |i, _| (control >> (i % 16 / 2) & 1, i))
        }
        "pblendmb" | "pblendmw" | "pblendmd" | "pblendmq" => blend(machine, instruction, width(name)),
        "palignr" => align(machine, instruction),
        "pshufb" => shuffle_bytes(machine, instruction),
        "perm2i128" | "perm2f128" => permute_halves(machine, instruction),
        "permd" | "permq" | "permps" | "permpd" => {
            permute(machine, instruction, if name.ends_with(['q']) || name.ends_with("pd") { 8 } else { 4 })
        }
        "permt2b" | "permi2b" | "permt2w" | "permi2w" | "permt2d" | "permt2q" | "permi2d" | "permi2q" => {
            permute_two(machine, instruction, name)
        }
        "packuswb" => pack(machine, instruction),
        "pmovb2m" => to_mask(machine, instruction, 1),
        "pmovw2m" => to_mask(machine, instruction, 2),
        "pmovd2m" => to_mask(machine, instruction, 4),
        "pmovq2m" => to_mask(machine, instruction, 8),
        "pmovm2b" => from_mask(machine, instruction, 1),
        "pmovm2w" => from_mask(machine, instruction, 2),
        "pmovm2d" => from_mask(machine, instruction, 4),
        "pmovm2q" => from_mask(machine, instruction, 8),
        "pmovqd" => narrow(machine, instruction, 8, 4),
        "pmovzxdq" | "pmovsxdq" => widen(machine, instruction, 4, 8, name.contains("sx")),
        "pmovzxwd" | "pmovsxwd" => widen(machine, instruction, 2, 4, name.contains("sx")),
        "pmovzxbd" | "pmovsxbd" => widen(machine, instruction, 1, 4, name.contains("sx")),
        "pmovzxwq" | "pmovsxwq" => widen(machine, instruction, 2, 8, name.contains("sx")),
        "pmovzxbq" | "pmovsxbq" => widen(machine, instruction, 1, 8, name.contains("sx")),
        _ => Err(Stop::NotYet(format!("instruction {:?}", instruction.mnemonic()))),
    }
}

fn is_immediate(instruction: &Instruction) -> bool {
    !matches!(instruction.op_kind(instruction.op_count() - 1), OpKind::Register | OpKind::Memory)
}

/// Takes each byte of the result from a byte of one source, in elements of some bytes.
fn one(machine: &mut Machine, instruction: &Instruction, element: usize, from: impl Fn(usize) -> usize) -> Done {
    let bytes = vector_bytes(instruction);
    // The source in memory of `movddup` has eight bytes if the vector has sixteen.
    let is_half = instruction.op1_kind() == OpKind::Memory && !instruction.is_broadcast() && instruction.memory_size().size() < bytes;
    let value = source(machine, instruction, 1, if is_half { instruction.memory_size().size() } else { bytes }, element)?;
    let value = bytes_of(&value);
    let result: Vec<Byte> = (0..bytes).map(|i| value[from(i)]).collect();
    set(machine, instruction, words_of(&result), element)
}

/// Takes each byte of the result from a byte of the source before an immediate, or makes it zero.
fn one_or_zero(machine: &mut Machine, instruction: &Instruction, from: impl Fn(usize) -> Option<usize>) -> Done {
    let bytes = vector_bytes(instruction);
    let value = bytes_of(&source(machine, instruction, instruction.op_count() - 2, bytes, 1)?);
    let result: Vec<Byte> = (0..bytes).map(|i| from(i).map_or(Byte::Number(0), |from| value[from])).collect();
    set(machine, instruction, words_of(&result), 1)
}

/// Takes each byte of the result from a byte of one of two sources.
fn two(machine: &mut Machine, instruction: &Instruction, element: usize, from: impl Fn(usize, usize) -> (usize, usize)) -> Done {
    let bytes = vector_bytes(instruction);
    let values = sources(machine, instruction, element)?.map(|value| bytes_of(&value));
    let result: Vec<Byte> = (0..bytes)
        .map(|i| {
            let (which, at) = from(i, bytes);
            values[which][at]
        })
        .collect();
    set(machine, instruction, words_of(&result), element)
}

fn interleave(machine: &mut Machine, instruction: &Instruction, element: usize, upper: bool) -> Done {
    let base = if upper { 8 } else { 0 };
    two(machine, instruction, element, |i, _| {
        let place = i % 16 / element;
        (place % 2, i / 16 * 16 + base + place / 2 * element + i % element)
    })
}

fn broadcast(machine: &mut Machine, instruction: &Instruction, part: usize) -> Done {
    let bytes = vector_bytes(instruction);
    let value = match instruction.op1_kind() {
        OpKind::Memory => bytes_of(&machine.load(instruction, part)?),
        _ if instruction.op1_register().is_gpr() => bytes_of(&machine.general(instruction.op1_register())),
        _ => bytes_of(&machine.vector(instruction.op1_register(), part.max(16))),
    };
    let element = if part == 4 && instruction.mnemonic() == iced_x86::Mnemonic::Vpbroadcastd { 4 } else { part.min(8) };
    set(machine, instruction, words_of(&value[..part].repeat(bytes / part)), element)
}

fn part_of(machine: &mut Machine, instruction: &Instruction, part: usize) -> Done {
    let register = instruction.op1_register();
    let index = immediate(instruction) % (register.size() / part);
    let value = bytes_of(&machine.vector(register, register.size()))[index * part..][..part].to_vec();
    match instruction.op0_kind() {
        OpKind::Memory => machine.store(instruction, &value),
        _ => set(machine, instruction, words_of(&value), 4),
    }
}

fn put_part(machine: &mut Machine, instruction: &Instruction, part: usize) -> Done {
    let bytes = vector_bytes(instruction);
    let index = immediate(instruction) % (bytes / part);
    let mut value = bytes_of(&machine.vector(instruction.op1_register(), bytes));
    let inserted = bytes_of(&source(machine, instruction, 2, part, 4)?);
    value[index * part..][..part].copy_from_slice(&inserted);
    set(machine, instruction, words_of(&value), 4)
}

/// Puts one word of a source in a place of a vector, and zeros in some places.
fn put_word(machine: &mut Machine, instruction: &Instruction) -> Done {
    let (operand, control) = (instruction.op_count() - 2, immediate(instruction));
    let is_memory = instruction.op_kind(operand) == OpKind::Memory;
    let from = if is_memory { 0 } else { control >> 6 };
    let word = bytes_of(&source(machine, instruction, operand, if is_memory { 4 } else { 16 }, 4)?)[4 * from..][..4].to_vec();
    let mut value = bytes_of(&machine.vector(instruction.op_register(operand - 1), 16));
    value[4 * (control >> 4 & 3)..][..4].copy_from_slice(&word);
    let zero_or = |(i, byte)| if control >> (i / 4) & 1 == 1 { Byte::Number(0) } else { byte };
    set(machine, instruction, words_of(&value.into_iter().enumerate().map(zero_or).collect::<Vec<_>>()), 4)
}

/// The mask chooses between the sources, unless what it leaves out becomes zero.
fn blend(machine: &mut Machine, instruction: &Instruction, element: usize) -> Done {
    let [zeros, ones] = sources(machine, instruction, element)?;
    if !instruction.zeroing_masking() {
        machine.set_vector(instruction.op0_register(), &zeros, false);
    }
    set(machine, instruction, ones, element)
}

fn align(machine: &mut Machine, instruction: &Instruction) -> Done {
    let (bytes, by) = (vector_bytes(instruction), immediate(instruction));
    let [upper, lower] = sources(machine, instruction, 1)?.map(|value| bytes_of(&value));
    let result: Vec<Byte> = (0..bytes)
        .map(|i| match i % 16 + by {
            from @ 0..16 => lower[i / 16 * 16 + from],
            from @ 16..32 => upper[i / 16 * 16 + from - 16],
            _ => Byte::Number(0),
        })
        .collect();
    set(machine, instruction, words_of(&result), 1)
}

fn shuffle_bytes(machine: &mut Machine, instruction: &Instruction) -> Done {
    let [value, control] = sources(machine, instruction, 1)?;
    let (value, control) = (bytes_of(&value), element_numbers(&control, 1)?);
    let place = |(i, control): (usize, u64)| if control >= 128 { Byte::Number(0) } else { value[i / 16 * 16 + control as usize % 16] };
    let result: Vec<Byte> = control.into_iter().enumerate().map(place).collect();
    set(machine, instruction, words_of(&result), 1)
}

fn permute_halves(machine: &mut Machine, instruction: &Instruction) -> Done {
    let control = immediate(instruction);
    let [one, other] = sources(machine, instruction, 1)?.map(|value| bytes_of(&value));
    let both = [one, other].concat();
    let half = |control: usize| match control & 8 {
        0 => both[16 * (control & 3)..][..16].to_vec(),
        _ => vec![Byte::Number(0); 16],
    };
    set(machine, instruction, words_of(&[half(control), half(control >> 4)].concat()), 8)
}

fn permute(machine: &mut Machine, instruction: &Instruction, element: usize) -> Done {
    let [control, value] = sources(machine, instruction, element)?;
    let (control, value) = (element_numbers(&control, element)?, bytes_of(&value));
    let count = control.len();
    let result: Vec<Byte> = control.into_iter().flat_map(|from| value[from as usize % count * element..][..element].to_vec()).collect();
    set(machine, instruction, words_of(&result), element)
}

fn permute_two(machine: &mut Machine, instruction: &Instruction, name: &str) -> Done {
    let (element, bytes) = (width(name), vector_bytes(instruction));
    let first = machine.vector(instruction.op0_register(), bytes);
    let [second, third] = sources(machine, instruction, element)?;
    let (control, one) = if name.starts_with("permt") { (second, first) } else { (first, second) };
    let both = [bytes_of(&one), bytes_of(&third)].concat();
    let control = element_numbers(&control, element)?;
    let count = 2 * control.len();
    let result: Vec<Byte> = control.into_iter().flat_map(|from| both[from as usize % count * element..][..element].to_vec()).collect();
    set(machine, instruction, words_of(&result), element)
}

/// Packs pairs of bytes whose upper byte must be zero.
fn pack(machine: &mut Machine, instruction: &Instruction) -> Done {
    let [one, other] = sources(machine, instruction, 2)?.map(|value| bytes_of(&value));
    let mut result = Vec::new();
    for quarter in 0..one.len() / 16 {
        for pair in [&one, &other].into_iter().flat_map(|value| value[16 * quarter..][..16].chunks(2)) {
            if simplified(pair[1]) != Byte::Number(0) {
                return Err(Stop::not_yet("packing of what may have to be cut off"));
            }
            result.push(pair[0]);
        }
    }
    set(machine, instruction, words_of(&result), 1)
}

/// Keeps the lower bytes of each element.
fn narrow(machine: &mut Machine, instruction: &Instruction, from: usize, to: usize) -> Done {
    let value = bytes_of(&machine.vector(instruction.op1_register(), instruction.op1_register().size()));
    let mut result: Vec<Byte> = value.chunks(from).flat_map(|element| element[..to].to_vec()).collect();
    match instruction.op0_kind() {
        OpKind::Memory => machine.store(instruction, &result),
        _ => {
            result.resize(result.len().max(16), Byte::Number(0));
            set(machine, instruction, words_of(&result), to)
        }
    }
}

/// Makes a mask of the highest bit of each element.
fn to_mask(machine: &mut Machine, instruction: &Instruction, element: usize) -> Done {
    let register = instruction.op1_register();
    let elements = element_numbers(&machine.vector(register, register.size()), element)?;
    let mask = elements.iter().enumerate().fold(0, |mask, (i, number)| mask | (number >> (8 * element - 1) & 1) << i);
    machine.masks[instruction.op0_register().number()] = Mask::of(mask);
    Ok(())
}

/// Sets all bits of the elements of a mask, and none of the others.
fn from_mask(machine: &mut Machine, instruction: &Instruction, element: usize) -> Done {
    let mask = machine.masks[instruction.op1_register().number()].lowest(vector_bytes(instruction) / element)?;
    let byte = |i: usize| Byte::Number(if mask >> (i / element) & 1 == 1 { 0xFF } else { 0 });
    let result: Vec<Byte> = (0..vector_bytes(instruction)).map(byte).collect();
    set(machine, instruction, words_of(&result), element)
}

/// Puts zeros above each element, or its sign.
fn widen(machine: &mut Machine, instruction: &Instruction, from: usize, to: usize, is_signed: bool) -> Done {
    let (bytes, is_memory) = (vector_bytes(instruction), instruction.op1_kind() == OpKind::Memory);
    let count = bytes / to;
    let value = if is_memory {
        machine.load(instruction, count * from)?
    } else {
        machine.vector(instruction.op1_register(), (count * from).max(16))
    };
    let mut result: Vec<Byte> = Vec::with_capacity(bytes);
    for element in bytes_of(&value)[..count * from].chunks(from) {
        let above = match element[from - 1] {
            _ if !is_signed => 0,
            Byte::Number(top) if top < 0x80 => 0,
            Byte::Number(_) => 0xFF,
            _ => return Err(Stop::not_yet("a sign that depends on the message")),
        };
        result.extend_from_slice(element);
        result.resize(result.len() + to - from, Byte::Number(above));
    }
    set(machine, instruction, words_of(&result), to)?;
    debug_assert!(!is_legacy(instruction) || bytes == 16);
    Ok(())
}

/// Puts the first elements of a source, one after the other, where the mask has bits.
fn expand(machine: &mut Machine, instruction: &Instruction, element: usize) -> Done {
    let bytes = vector_bytes(instruction);
    let from = bytes_of(&source(machine, instruction, 1, bytes, element)?);
    let (mask, _) = mask(machine, instruction, bytes / element)?.ok_or(Stop::not_yet("an expansion without a mask"))?;
    let mut elements = from.chunks_exact(element);
    let mut result = vec![Byte::Number(0); bytes];
    for (i, room) in result.chunks_exact_mut(element).enumerate().filter(|(i, _)| mask >> i & 1 != 0) {
        room.copy_from_slice(elements.next().ok_or(Stop::not_yet(&format!("element {i} of an expansion")))?);
    }
    set(machine, instruction, words_of(&result), element)
}
