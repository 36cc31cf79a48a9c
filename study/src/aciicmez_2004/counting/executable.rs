//! Instructions of this program's own executable, and what registers they are on.

use iced_x86::{Decoder, DecoderOptions, Instruction, InstructionInfoFactory, OpAccess, OpKind, Register};
use object::{Object, ObjectSection};

/// Its code. Addresses are those of the file.
pub struct Executable {
    sections: Vec<(u64, Vec<u8>)>,
    info: InstructionInfoFactory,
}

/// The widest kind of register that an instruction names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    General,
    /// "64-bit MMX instructions".
    Mmx,
    /// "128-bit MMX instructions".
    Xmm,
    /// Of AVX, and wider.
    Wider,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kind {
    pub class: Class,
    pub loads: bool,
    pub stores: bool,
}

impl Executable {
    pub fn new(content: &[u8]) -> Result<Self, object::Error> {
        let file = object::File::parse(content)?;
        let code = file.sections().filter(|section| section.kind() == object::SectionKind::Text);
        let sections = code.map(|section| Ok((section.address(), section.data()?.to_vec()))).collect::<Result<_, object::Error>>()?;
        Ok(Self { sections, info: InstructionInfoFactory::new() })
    }

    /// What the instruction at an address is; `None` if there is none.
    pub fn kind_at(&mut self, address: u64) -> Option<Kind> {
        let code = self.sections.iter().find_map(|(start, code)| code.get(usize::try_from(address.checked_sub(*start)?).ok()?..))?;
        let instruction = Decoder::with_ip(64, code, address, DecoderOptions::NONE).iter().next()?;
        (!instruction.is_invalid()).then(|| kind(&mut self.info, &instruction))
    }
}

fn kind(info: &mut InstructionInfoFactory, instruction: &Instruction) -> Kind {
    let registers = (0..instruction.op_count()).filter(|operand| instruction.op_kind(*operand) == OpKind::Register);
    let registers: Vec<Register> = registers.map(|operand| instruction.op_register(operand)).collect();
    let any = |is: fn(Register) -> bool| registers.iter().any(|register| is(*register));
    let class = if any(Register::is_ymm) || any(Register::is_zmm) {
        Class::Wider
    } else if any(Register::is_xmm) {
        Class::Xmm
    } else if any(Register::is_mm) {
        Class::Mmx
    } else {
        Class::General
    };
    let accesses: Vec<OpAccess> = info.info(instruction).used_memory().iter().map(|memory| memory.access()).collect();
    use OpAccess::{CondRead, CondWrite, Read, ReadCondWrite, ReadWrite, Write};
    Kind {
        class,
        loads: accesses.iter().any(|access| matches!(access, Read | CondRead | ReadWrite | ReadCondWrite)),
        stores: accesses.iter().any(|access| matches!(access, Write | CondWrite | ReadWrite | ReadCondWrite)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind_of(code: &[u8]) -> Kind {
        Executable { sections: vec![(0x1000, code.to_vec())], info: InstructionInfoFactory::new() }.kind_at(0x1000).expect("an instruction")
    }

    #[test]
    fn instructions_are_classified_by_their_widest_registers() {
        let on = |class| Kind { class, loads: false, stores: false };
        assert_eq!(kind_of(&[0x01, 0xd8]), on(Class::General), "add eax, ebx");
        assert_eq!(kind_of(&[0x0f, 0xfe, 0xc1]), on(Class::Mmx), "paddd mm0, mm1");
        assert_eq!(kind_of(&[0x0f, 0x6e, 0xc0]), on(Class::Mmx), "movd mm0, eax");
        assert_eq!(kind_of(&[0x66, 0x0f, 0xfe, 0xc1]), on(Class::Xmm), "paddd xmm0, xmm1");
        assert_eq!(kind_of(&[0xc5, 0xf1, 0xfe, 0xc2]), on(Class::Xmm), "vpaddd xmm0, xmm1, xmm2");
        assert_eq!(kind_of(&[0xc5, 0xf5, 0xfe, 0xc2]), on(Class::Wider), "vpaddd ymm0, ymm1, ymm2");
    }

    #[test]
    fn loads_and_stores_are_told() {
        assert_eq!(kind_of(&[0x8b, 0x07]), Kind { class: Class::General, loads: true, stores: false }, "mov eax, [rdi]");
        assert_eq!(kind_of(&[0x89, 0x07]), Kind { class: Class::General, loads: false, stores: true }, "mov [rdi], eax");
        assert_eq!(kind_of(&[0x01, 0x07]), Kind { class: Class::General, loads: true, stores: true }, "add [rdi], eax");
        assert_eq!(kind_of(&[0x0f, 0x7f, 0x07]), Kind { class: Class::Mmx, loads: false, stores: true }, "movq [rdi], mm0");
        assert_eq!(kind_of(&[0x8d, 0x07]), Kind { class: Class::General, loads: false, stores: false }, "lea eax, [rdi]");
    }

    #[test]
    fn there_is_nothing_outside_of_the_code() {
        let mut executable = Executable { sections: vec![(0x1000, vec![0x90])], info: InstructionInfoFactory::new() };
        assert!(executable.kind_at(0x1000).is_some());
        assert_eq!(executable.kind_at(0xfff), None);
        assert_eq!(executable.kind_at(0x1001), None);
    }
}
