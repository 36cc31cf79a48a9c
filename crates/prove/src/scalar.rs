//! General instructions: moves, sums, logic, shifts, and the ways of control.

use crate::Stop;
use crate::machine::{Flags, Machine};
use crate::words::{Word, added, bits, bytes_of, cut, number_of, rotated, shifted, word_bytes, words_of, words_of_number};
use iced_x86::{ConditionCode, Instruction, Mnemonic, OpKind, Register};

type Done = Result<(), Stop>;

/// Executes a general instruction. Returns `None` if it is none of those that are known here.
pub fn execute(machine: &mut Machine, instruction: &Instruction) -> Option<Done> {
    use Mnemonic as M;
    let vector_operand = (0..instruction.op_count()).any(|i| {
        let is_register = instruction.op_kind(i) == OpKind::Register;
        is_register && !instruction.op_register(i).is_gpr()
    });
    if vector_operand {
        return None;
    }
    let mnemonic = instruction.mnemonic();
    Some(match mnemonic {
        M::Nop | M::Endbr64 | M::Lfence | M::Mfence | M::Sfence | M::Prefetcht1 | M::Pause => Ok(()),
        M::Mov => transfer(machine, instruction),
        M::Movzx => extend(machine, instruction, false),
        M::Movsx | M::Movsxd => extend(machine, instruction, true),
        M::Movbe | M::Bswap => swap(machine, instruction),
        M::Lea => load_address(machine, instruction),
        M::Add | M::Sub | M::Cmp | M::Adc | M::Sbb | M::Neg | M::Inc | M::Dec => sum(machine, instruction),
        M::And | M::Or | M::Xor | M::Test | M::Not | M::Andn => logic(machine, instruction),
        M::Shl | M::Shr | M::Sar | M::Shlx | M::Shrx | M::Sarx => shift(machine, instruction),
        M::Rol | M::Ror | M::Rorx => rotate(machine, instruction),
        M::Shld | M::Shrd => double_shift(machine, instruction),
        M::Imul | M::Mul | M::Mulx | M::Div => multiply(machine, instruction),
        M::Bzhi | M::Blsr | M::Blsmsk | M::Blsi | M::Popcnt | M::Tzcnt | M::Lzcnt | M::Bsf | M::Bsr => {
            number_function(machine, instruction)
        }
        M::Bt | M::Bts | M::Btr => bit(machine, instruction),
        M::Cwde | M::Cdqe | M::Cdq | M::Cqo => extend_accumulator(machine, mnemonic),
        M::Xchg => exchange(machine, instruction),
        M::Push => machine.operand(instruction, 0).and_then(|value| push(machine, &value)),
        M::Pop => pop(machine).and_then(|value| machine.set_operand(instruction, 0, &value)),
        M::Call => call(machine, instruction),
        M::Ret => pop(machine).and_then(|target| go(machine, &target)),
        M::Jmp => target(machine, instruction).and_then(|target| go(machine, &target)),
        M::Stosb | M::Stosd | M::Stosq | M::Movsb | M::Movsd | M::Movsq if instruction.has_rep_prefix() => repeat(machine, instruction),
        M::Ud2 | M::Int3 => Err(Stop::Wild("the end of code that never returns".into())),
        _ if instruction.condition_code() != ConditionCode::None => conditional(machine, instruction),
        _ => return None,
    })
}

fn transfer(machine: &mut Machine, instruction: &Instruction) -> Done {
    let value = machine.operand(instruction, 1)?;
    machine.set_operand(instruction, 0, &value)
}

fn extend(machine: &mut Machine, instruction: &Instruction, signed: bool) -> Done {
    let (value, from, to) = (machine.operand(instruction, 1)?, machine.size(instruction, 1), machine.size(instruction, 0));
    let words = match number_of(&value) {
        Some(number) if signed => {
            let unused = 64 - 8 * from as u32;
            words_of_number(((number << unused) as i64 >> unused) as u64, 8)
        }
        _ if !signed => resized(value, to),
        None => return Err(Stop::not_yet("a sign of what is no number")),
        Some(_) => unreachable!("signed or not"),
    };
    machine.set_operand(instruction, 0, &words)
}

/// Returns words with zeros behind them, or fewer of them.
fn resized(mut words: Vec<Word>, bytes: usize) -> Vec<Word> {
    words.resize((bytes / word_bytes()).max(1), Word::Number(0));
    words
}

fn swap(machine: &mut Machine, instruction: &Instruction) -> Done {
    let operand = instruction.op_count() - 1;
    let size = machine.size(instruction, 0);
    let mut bytes = bytes_of(&machine.operand(instruction, operand)?);
    bytes.truncate(size);
    bytes.reverse();
    machine.set_operand(instruction, 0, &words_of(&bytes))
}

/// Lea is a sum, which need not be an address.
fn load_address(machine: &mut Machine, instruction: &Instruction) -> Done {
    if instruction.is_ip_rel_memory_operand() {
        return machine.set_operand(instruction, 0, &words_of_number(instruction.memory_displacement64(), 8));
    }
    let mut sum = words_of_number(instruction.memory_displacement64(), 8);
    for (register, scale) in [(instruction.memory_base(), 1), (instruction.memory_index(), instruction.memory_index_scale())] {
        if register != Register::None {
            let value = resized(machine.general(register), 8);
            let scaled = shifted(&value, 64, |_| u64::from(scale.trailing_zeros()), true);
            sum = added(&sum, &scaled, 64, false);
        }
    }
    machine.set_operand(instruction, 0, &sum)
}

fn sum(machine: &mut Machine, instruction: &Instruction) -> Done {
    use Mnemonic as M;
    let (mnemonic, size) = (instruction.mnemonic(), machine.size(instruction, 0));
    let one = machine.operand(instruction, 0)?;
    let (left, right) = match mnemonic {
        M::Neg => (words_of_number(0, size), one),
        M::Inc | M::Dec => (one, words_of_number(1, size)),
        _ => (one, machine.operand(instruction, 1)?),
    };
    let subtract = matches!(mnemonic, M::Sub | M::Cmp | M::Sbb | M::Neg | M::Dec);
    let carry_in = if matches!(mnemonic, M::Adc | M::Sbb) {
        u64::from(machine.flags.carry.ok_or(Stop::not_yet("a carry that depends on the message"))?)
    } else {
        0
    };
    let result = if let (Some(left), Some(right)) = (number_of(&left), number_of(&right)) {
        let (result, flags) = sum_of_numbers(left, right, carry_in, size, subtract);
        let carry = if matches!(mnemonic, M::Inc | M::Dec) { machine.flags.carry } else { flags.carry };
        machine.flags = Flags { carry, ..flags };
        words_of_number(result, 8)
    } else {
        machine.flags = Flags::default();
        let element = if size == 8 { 64 } else { bits() };
        let carry = words_of_number(carry_in, size.max(word_bytes()));
        let sum = added(&left, &right, element, subtract);
        if carry_in == 0 { sum } else { added(&sum, &carry, element, subtract) }
    };
    if mnemonic == M::Cmp { Ok(()) } else { machine.set_operand(instruction, 0, &result) }
}

fn sum_of_numbers(left: u64, right: u64, carry: u64, size: usize, subtract: bool) -> (u64, Flags) {
    let unused = 64 - 8 * size as u32;
    let mask = u64::MAX >> unused;
    let (left, right) = (left & mask, right & mask);
    let wide = if subtract {
        u128::from(left).wrapping_sub(u128::from(right)).wrapping_sub(u128::from(carry))
    } else {
        u128::from(left) + u128::from(right) + u128::from(carry)
    };
    let result = wide as u64 & mask;
    let sign = |number: u64| number >> (63 - unused) & 1 == 1;
    let overflow = if subtract {
        sign(left) != sign(right) && sign(result) != sign(left)
    } else {
        sign(left) == sign(right) && sign(result) != sign(left)
    };
    let flags = Flags { carry: Some(wide >> (64 - unused) & 1 == 1), overflow: Some(overflow), ..flags_of(result, size) };
    (result, flags)
}

/// Returns the flags that say what a result is like.
fn flags_of(result: u64, size: usize) -> Flags {
    Flags {
        carry: Some(false),
        zero: Some(result == 0),
        sign: Some(result >> (8 * size - 1) & 1 == 1),
        overflow: Some(false),
        parity: Some((result as u8).count_ones().is_multiple_of(2)),
    }
}

fn logic(machine: &mut Machine, instruction: &Instruction) -> Done {
    use Mnemonic as M;
    let (mnemonic, size) = (instruction.mnemonic(), machine.size(instruction, 0));
    if mnemonic == M::Not {
        let complement: Vec<Word> = machine.operand(instruction, 0)?.into_iter().map(Word::complement).collect();
        return machine.set_operand(instruction, 0, &cut(&complement, size));
    }
    let first = instruction.op_count() - 2;
    let (one, other) = (machine.operand(instruction, first)?, machine.operand(instruction, first + 1)?);
    let result: Vec<Word> = one
        .iter()
        .zip(&other)
        .map(|(one, other)| match mnemonic {
            M::And | M::Test => one.and(*other),
            M::Or => one.or(*other),
            M::Xor => one.xor(*other),
            _ => one.complement().and(*other),
        })
        .collect();
    machine.flags = number_of(&result).map_or(Flags::default(), |number| flags_of(number, size));
    if mnemonic == M::Test { Ok(()) } else { machine.set_operand(instruction, 0, &result) }
}

/// Returns the two operands of a shift or rotation, and its count.
fn shift_operands(machine: &mut Machine, instruction: &Instruction) -> Result<(Vec<Word>, u32), Stop> {
    let last = instruction.op_count() - 1;
    let (value, count) = match last {
        0 => (machine.operand(instruction, 0)?, vec![Word::Number(1)]),
        _ => (machine.operand(instruction, last - 1)?, machine.operand(instruction, last)?),
    };
    let size = machine.size(instruction, 0);
    let count = number_of(&count).ok_or(Stop::not_yet("a count that depends on the message"))?;
    Ok((value, count as u32 & if size == 8 { 63 } else { 31 }))
}

fn shift(machine: &mut Machine, instruction: &Instruction) -> Done {
    use Mnemonic as M;
    let (mnemonic, size) = (instruction.mnemonic(), machine.size(instruction, 0));
    let (value, by) = shift_operands(machine, instruction)?;
    let (left, signed) = (matches!(mnemonic, M::Shl | M::Shlx), matches!(mnemonic, M::Sar | M::Sarx));
    let sets_flags = matches!(mnemonic, M::Shl | M::Shr | M::Sar) && by > 0;
    let element = 8 * size as u32;
    let result = if let Some(number) = number_of(&value) {
        let unused = 64 - element;
        let wide = i128::from((number << unused) as i64 >> unused);
        let plain = if signed { wide } else { wide & (u128::MAX >> (128 - element)) as i128 };
        let result = if left { plain << by } else { plain >> by } as u64 & (u64::MAX >> unused);
        if sets_flags {
            let last = if left { element.wrapping_sub(by) } else { by - 1 };
            let carry = if last < 128 { Some(plain >> last & 1 == 1) } else { None };
            machine.flags = Flags { carry, overflow: None, ..flags_of(result, size) };
        }
        words_of_number(result, 8)
    } else {
        if sets_flags {
            machine.flags = Flags::default();
        }
        if signed {
            return Err(Stop::not_yet("a sign of what is no number"));
        }
        cut(&shifted(&value, element.max(32), |_| u64::from(by), left), size)
    };
    machine.set_operand(instruction, 0, &result)
}

fn rotate(machine: &mut Machine, instruction: &Instruction) -> Done {
    let (value, by) = shift_operands(machine, instruction)?;
    let size = machine.size(instruction, 0);
    let element = 8 * size as u32;
    let right = if instruction.mnemonic() == Mnemonic::Rol { (element - by % element) % element } else { by % element };
    if instruction.mnemonic() != Mnemonic::Rorx && by > 0 {
        machine.flags = Flags { carry: None, overflow: None, ..machine.flags };
    }
    let result = cut(&rotated(&value, element, |_| u64::from(right)), size);
    machine.set_operand(instruction, 0, &result)
}

fn double_shift(machine: &mut Machine, instruction: &Instruction) -> Done {
    let count = number_of(&machine.operand(instruction, 2)?).ok_or(Stop::not_yet("a count that depends on the message"))?;
    let (one, other, size) = (machine.operand(instruction, 0)?, machine.operand(instruction, 1)?, machine.size(instruction, 0));
    let (element, left) = (8 * size as u64, instruction.mnemonic() == Mnemonic::Shld);
    let by = count % element.max(32);
    if by > 0 {
        machine.flags = Flags::default();
        let kept = shifted(&one, element as u32, |_| by, left);
        let shifted_in = shifted(&other, element as u32, |_| element - by, !left);
        let result: Vec<Word> = kept.into_iter().zip(shifted_in).map(|(kept, other)| kept.xor(other)).collect();
        machine.set_operand(instruction, 0, &cut(&result, size))?;
    }
    Ok(())
}

/// The number of an operand, where expressions cannot be.
fn number_operand(machine: &mut Machine, instruction: &Instruction, operand: u32) -> Result<u64, Stop> {
    let value = machine.operand(instruction, operand)?;
    number_of(&value).ok_or_else(|| Stop::NotYet(format!("{:?} of what is no number", instruction.mnemonic())))
}

fn multiply(machine: &mut Machine, instruction: &Instruction) -> Done {
    use Mnemonic as M;
    let size = machine.size(instruction, 0);
    if !matches!(size, 4 | 8) {
        return Err(Stop::not_yet("products of a few bits"));
    }
    let mask = u64::MAX >> (64 - 8 * size);
    let (low, high) = if size == 8 { (Register::RAX, Register::RDX) } else { (Register::EAX, Register::EDX) };
    let number = |machine: &Machine, register| number_of(&machine.general(register)).ok_or(Stop::not_yet("a product of what is no number"));
    let upper = |product: u128| words_of_number((product >> (8 * size)) as u64 & mask, 8);
    match (instruction.mnemonic(), instruction.op_count()) {
        (M::Imul, 2 | 3) => {
            let last = instruction.op_count() - 1;
            let product = number_operand(machine, instruction, last - 1)?.wrapping_mul(number_operand(machine, instruction, last)?);
            machine.flags = Flags::default();
            machine.set_operand(instruction, 0, &words_of_number(product & mask, 8))
        }
        (M::Mul, 1) => {
            let product = u128::from(number(machine, low)?) * u128::from(number_operand(machine, instruction, 0)?);
            let overflows = Some(product >> (8 * size) != 0);
            machine.flags = Flags { carry: overflows, overflow: overflows, ..Flags::default() };
            machine.set_general(low, &words_of_number(product as u64 & mask, 8));
            machine.set_general(high, &upper(product));
            Ok(())
        }
        (M::Mulx, 3) => {
            let product = u128::from(number(machine, high)?) * u128::from(number_operand(machine, instruction, 2)?);
            machine.set_operand(instruction, 1, &words_of_number(product as u64 & mask, 8))?;
            machine.set_operand(instruction, 0, &upper(product))
        }
        (M::Div, 1) => {
            let dividend = u128::from(number(machine, high)?) << (8 * size) | u128::from(number(machine, low)?);
            let divisor = u128::from(number_operand(machine, instruction, 0)?);
            if divisor == 0 || dividend / divisor > u128::from(mask) {
                return Err(Stop::Wild("a division that fails".into()));
            }
            machine.flags = Flags::default();
            machine.set_general(low, &words_of_number((dividend / divisor) as u64, 8));
            machine.set_general(high, &words_of_number((dividend % divisor) as u64, 8));
            Ok(())
        }
        _ => Err(Stop::NotYet(format!("instruction {:?}", instruction.mnemonic()))),
    }
}

/// Functions of numbers that have no form on expressions.
fn number_function(machine: &mut Machine, instruction: &Instruction) -> Done {
    use Mnemonic as M;
    let size = machine.size(instruction, 0);
    let (width, mask) = (8 * size as u32, u64::MAX >> (64 - 8 * size));
    let value = number_operand(machine, instruction, 1)?;
    let (result, carry, zero) = match instruction.mnemonic() {
        M::Bzhi => {
            let from = number_operand(machine, instruction, 2)? & 0xFF;
            let kept = if from >= u64::from(width) { value } else { value & !(u64::MAX << from) };
            (kept, from >= u64::from(width), kept == 0)
        }
        M::Blsr => (value & value.wrapping_sub(1), value == 0, value & value.wrapping_sub(1) == 0),
        M::Blsmsk => ((value ^ value.wrapping_sub(1)) & mask, value == 0, false),
        M::Blsi => (value & value.wrapping_neg(), value != 0, value == 0),
        M::Popcnt => (u64::from(value.count_ones()), false, value == 0),
        M::Tzcnt => (u64::from(value.trailing_zeros().min(width)), value == 0, value & 1 == 1),
        M::Lzcnt => (u64::from(value.leading_zeros() + width - 64), value == 0, value.leading_zeros() == 64 - width),
        _ if value == 0 => return Err(Stop::not_yet("the first bit of zero")),
        M::Bsf => (u64::from(value.trailing_zeros()), false, false),
        _ => (u64::from(63 - value.leading_zeros()), false, false),
    };
    machine.flags = Flags { carry: Some(carry), zero: Some(zero), ..Flags::default() };
    machine.set_operand(instruction, 0, &words_of_number(result, 8))
}

fn bit(machine: &mut Machine, instruction: &Instruction) -> Done {
    if instruction.op0_kind() != OpKind::Register {
        return Err(Stop::not_yet("a bit of memory"));
    }
    let width = 8 * machine.size(instruction, 0) as u64;
    let (value, index) = (number_operand(machine, instruction, 0)?, number_operand(machine, instruction, 1)? % width);
    machine.flags.carry = Some(value >> index & 1 == 1);
    match instruction.mnemonic() {
        Mnemonic::Bts => machine.set_operand(instruction, 0, &words_of_number(value | 1 << index, 8)),
        Mnemonic::Btr => machine.set_operand(instruction, 0, &words_of_number(value & !(1 << index), 8)),
        _ => Ok(()),
    }
}

fn extend_accumulator(machine: &mut Machine, mnemonic: Mnemonic) -> Done {
    use Mnemonic as M;
    let accumulator = number_of(&machine.general(Register::RAX)).ok_or(Stop::not_yet("a sign of what is no number"))?;
    let (register, result) = match mnemonic {
        M::Cwde => (Register::EAX, accumulator as i16 as u64),
        M::Cdqe => (Register::RAX, accumulator as i32 as u64),
        M::Cdq => (Register::EDX, (accumulator as i32 >> 31) as u64),
        _ => (Register::RDX, (accumulator as i64 >> 63) as u64),
    };
    machine.set_general(register, &words_of_number(result, 8));
    Ok(())
}

fn exchange(machine: &mut Machine, instruction: &Instruction) -> Done {
    let (one, other) = (machine.operand(instruction, 0)?, machine.operand(instruction, 1)?);
    machine.set_operand(instruction, 0, &other)?;
    machine.set_operand(instruction, 1, &one)
}

fn stack(machine: &Machine) -> Result<u64, Stop> {
    number_of(&machine.general(Register::RSP)).ok_or(Stop::Address)
}

fn push(machine: &mut Machine, value: &[Word]) -> Done {
    let top = stack(machine)?.wrapping_sub(8);
    machine.memory.write(top, &bytes_of(&resized(value.to_vec(), 8)))?;
    machine.set_general(Register::RSP, &words_of_number(top, 8));
    Ok(())
}

fn pop(machine: &mut Machine) -> Result<Vec<Word>, Stop> {
    let top = stack(machine)?;
    let value = words_of(&machine.memory.read(top, 8)?);
    machine.set_general(Register::RSP, &words_of_number(top.wrapping_add(8), 8));
    Ok(value)
}

fn target(machine: &mut Machine, instruction: &Instruction) -> Result<Vec<Word>, Stop> {
    match instruction.op0_kind() {
        OpKind::NearBranch64 => Ok(words_of_number(instruction.near_branch_target(), 8)),
        _ => machine.operand(instruction, 0),
    }
}

fn go(machine: &mut Machine, target: &[Word]) -> Done {
    machine.next = number_of(target).ok_or(Stop::Branch)?;
    Ok(())
}

fn call(machine: &mut Machine, instruction: &Instruction) -> Done {
    let target = target(machine, instruction)?;
    push(machine, &words_of_number(instruction.next_ip(), 8))?;
    go(machine, &target)
}

/// Returns whether a condition holds.
fn holds(machine: &Machine, condition: ConditionCode) -> Result<bool, Stop> {
    use ConditionCode as C;
    let Flags { carry, zero, sign, overflow, parity } = machine.flags;
    let less = || Some(sign? != overflow?);
    let holds = match condition {
        C::o => overflow,
        C::no => overflow.map(|flag| !flag),
        C::b => carry,
        C::ae => carry.map(|flag| !flag),
        C::e => zero,
        C::ne => zero.map(|flag| !flag),
        C::be => carry.zip(zero).map(|(carry, zero)| carry || zero),
        C::a => carry.zip(zero).map(|(carry, zero)| !carry && !zero),
        C::s => sign,
        C::ns => sign.map(|flag| !flag),
        C::p => parity,
        C::np => parity.map(|flag| !flag),
        C::l => less(),
        C::ge => less().map(|less| !less),
        C::le => less().zip(zero).map(|(less, zero)| less || zero),
        C::g => less().zip(zero).map(|(less, zero)| !less && !zero),
        C::None => None,
    };
    holds.ok_or(Stop::Branch)
}

/// Jumps, moves and bytes that depend on flags. What a move or a byte makes of flags that are no numbers may be
/// anything: an optimizer moves it before the test that says whether anybody wants it, and takes as long for either value.
fn conditional(machine: &mut Machine, instruction: &Instruction) -> Done {
    let holds = holds(machine, instruction.condition_code());
    if instruction.is_jcc_short_or_near() {
        if holds? {
            machine.next = instruction.near_branch_target();
        }
        return Ok(());
    }
    let is_move = instruction.op_count() > 1;
    let value = match holds {
        Ok(holds) if is_move => machine.operand(instruction, if holds { 1 } else { 0 })?,
        Ok(holds) => words_of_number(u64::from(holds), 8),
        Err(_) if is_move => machine.operand(instruction, 1)?.iter().map(|_| Word::any()).collect(),
        Err(_) => (0..8 / word_bytes()).map(|_| Word::any()).collect(),
    };
    machine.set_operand(instruction, 0, &value)
}

/// Fills or copies memory element by element.
fn repeat(machine: &mut Machine, instruction: &Instruction) -> Done {
    use Mnemonic as M;
    let number = |machine: &Machine, register| number_of(&machine.general(register)).ok_or(Stop::Address);
    let mnemonic = instruction.mnemonic();
    let size = match mnemonic {
        M::Stosb | M::Movsb => 1,
        M::Stosd | M::Movsd => 4,
        _ => 8,
    };
    let copies = matches!(mnemonic, M::Movsb | M::Movsd | M::Movsq);
    let (mut to, mut from) = (number(machine, Register::RDI)?, if copies { number(machine, Register::RSI)? } else { 0 });
    for _ in 0..number(machine, Register::RCX)? {
        let element = if copies { machine.memory.read(from, size)? } else { bytes_of(&machine.general(Register::RAX))[..size].to_vec() };
        machine.memory.write(to, &element)?;
        (to, from) = (to.wrapping_add(size as u64), from.wrapping_add(size as u64));
    }
    for (register, value) in [(Register::RDI, Some(to)), (Register::RSI, copies.then_some(from)), (Register::RCX, Some(0))] {
        if let Some(value) = value {
            machine.set_general(register, &words_of_number(value, 8));
        }
    }
    Ok(())
}
