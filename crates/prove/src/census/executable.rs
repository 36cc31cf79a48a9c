//! The functions of this process's executable (ELF): their instructions, and the functions that
//! they call.

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register};
use object::{Object, ObjectSection, ObjectSymbol, ObjectSymbolTable, RelocationTarget, SymbolKind};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::atomic::AtomicU8;

/// A static whose address in memory and symbol in the file give the distance between the two.
/// Constants and functions may be merged with others; this can't.
static ANCHOR: AtomicU8 = AtomicU8::new(0);

/// The most calls that may lie between a shape's function and its kernel.
const MAX_CALLS_TO_KERNEL: usize = 4;

/// The executable of this process. Addresses are those of the file.
pub(super) struct Executable<'a> {
    file: object::File<'a>,
    functions: HashMap<u64, Function<'a>>,
    /// The functions that are called through slots of the global offset table.
    slots: HashMap<u64, Callee>,
    /// Address in memory minus address in the file.
    slide: u64,
}

struct Function<'a> {
    name: &'a str,
    addresses: Range<u64>,
}

/// A function that is called or jumped to.
#[derive(Clone)]
pub(super) struct Callee {
    /// The symbol of the function, or what is known of it.
    pub(super) name: String,
    /// The address of the function, if it is in this file.
    address: Option<u64>,
}

impl<'a> Executable<'a> {
    /// Reads the file's content; `None` if it has no symbols.
    pub(super) fn new(content: &'a [u8]) -> Option<Self> {
        let file = object::File::parse(content).expect("this executable is an object file");
        file.symbols().next()?;
        let is_anchor = |name: &str| name.contains("census") && name.contains("6ANCHOR");
        let anchor = file.symbols().find(|symbol| symbol.name().is_ok_and(is_anchor)).expect("a symbol for `ANCHOR`");
        let slide = (std::ptr::from_ref(&ANCHOR).addr() as u64).wrapping_sub(anchor.address());
        let function = |symbol: object::Symbol<'a, '_>| {
            let addresses = symbol.address()..symbol.address() + symbol.size();
            Some((addresses.start, Function { name: symbol.name().ok()?, addresses }))
        };
        let has_code = |symbol: &object::Symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0;
        let functions = file.symbols().filter(has_code).filter_map(function).collect();
        let mut executable = Self { functions, slots: HashMap::new(), slide, file };
        executable.slots = executable.slots();
        Some(executable)
    }

    /// Returns the compiler and its version, as it names itself in the file; `None` if the file
    /// names none or several.
    pub(super) fn compiler(&self) -> Option<String> {
        let comments = std::str::from_utf8(self.file.section_by_name(".comment")?.data().ok()?).ok()?;
        let mut compilers = comments.split('\0').filter(|comment| comment.starts_with("rustc version "));
        compilers.next().filter(|first| compilers.all(|other| other == *first)).map(str::to_owned)
    }

    /// Returns whether the library was built incrementally. If not, it has fewer codegen units, and
    /// they have its name.
    pub(super) fn is_incremental(&self) -> bool {
        let is_whole_unit = |name: &str| name.starts_with("manyhash.") && name.contains("-cgu.");
        let mut files = self.file.symbols().filter(|symbol| symbol.kind() == SymbolKind::File);
        !files.any(|symbol| symbol.name().is_ok_and(is_whole_unit))
    }

    fn slots(&self) -> HashMap<u64, Callee> {
        let callee = |relocation: object::Relocation| match relocation.target() {
            RelocationTarget::Symbol(index) => {
                let symbol = self.file.dynamic_symbol_table()?.symbol_by_index(index).ok()?;
                Some(Callee { name: symbol.name().ok()?.to_owned(), address: None })
            }
            _ => {
                let address = relocation.addend() as u64;
                self.functions.get(&address).map(|function| Callee { name: function.name.to_owned(), address: Some(address) })
            }
        };
        let relocations = self.file.dynamic_relocations().into_iter().flatten();
        relocations.filter_map(|(slot, relocation)| Some((slot, callee(relocation)?))).collect()
    }

    fn callee_at(&self, address: u64) -> Callee {
        match self.functions.get(&address) {
            Some(function) => Callee { name: function.name.to_owned(), address: Some(address) },
            None => self.callee_of_stub(address).unwrap_or_else(|| Callee { name: format!("{address:#x}, no symbol"), address: None }),
        }
    }

    /// Returns what an entry of the procedure linkage table jumps to: `jmp [slot]`.
    fn callee_of_stub(&self, address: u64) -> Option<Callee> {
        const JUMP_BYTES: u64 = 6;
        let jump = self.decode(address..address + JUMP_BYTES)?.into_iter().next()?;
        let is_stub = jump.flow_control() == FlowControl::IndirectBranch && jump.is_ip_rel_memory_operand();
        is_stub.then(|| self.slots.get(&jump.ip_rel_memory_address())).flatten().cloned()
    }

    fn decode(&self, addresses: Range<u64>) -> Option<Vec<Instruction>> {
        let bytes = addresses.end - addresses.start;
        let code = self.file.sections().find_map(|section| section.data_range(addresses.start, bytes).ok().flatten())?;
        Some(Decoder::with_ip(64, code, addresses.start, DecoderOptions::NONE).into_iter().collect())
    }

    /// Returns the address of the kernel that a function of a shape, at `entry` in memory, ends in.
    pub(super) fn kernel_from(&self, entry: usize) -> Result<u64, String> {
        let mut seen = HashSet::new();
        let mut callers = vec![(entry as u64).wrapping_sub(self.slide)];
        for _ in 0..MAX_CALLS_TO_KERNEL {
            let callees: Vec<Callee> = callers.iter().flat_map(|address| self.callees(*address)).collect();
            let kernels: BTreeMap<_, _> =
                callees.iter().filter(|callee| callee.is_kernel()).map(|callee| (&callee.name, callee.address)).collect();
            match (kernels.len(), kernels.values().next()) {
                (1, Some(Some(address))) => return Ok(*address),
                (0, _) => callers = callees.iter().filter_map(|callee| callee.address).filter(|address| seen.insert(*address)).collect(),
                _ => return Err(format!("more than one kernel: {:?}", kernels.keys())),
            }
        }
        Err(format!("no `featured` or `plain` of a token within {MAX_CALLS_TO_KERNEL} calls"))
    }

    /// Returns the instructions of the function at an address, or none if there is no function.
    pub(super) fn instructions(&self, address: u64) -> Vec<Instruction> {
        let Some(Function { name, addresses }) = self.functions.get(&address) else { return Vec::new() };
        let code = self.decode(addresses.clone()).unwrap_or_else(|| panic!("{name} is in no section"));
        assert!(!code.iter().any(Instruction::is_invalid), "{name} has something that the decoder does not know");
        code
    }

    /// Returns the functions that the one at an address calls or jumps to, once for each time.
    pub(super) fn callees(&self, address: u64) -> Vec<Callee> {
        let inside = self.functions.get(&address).map_or(0..0, |function| function.addresses.clone());
        let mut callees = Vec::new();
        // The compiler keeps the address of a function that is called often in a register.
        let mut held: HashMap<Register, Callee> = HashMap::new();
        let mut info = InstructionInfoFactory::new();
        for instruction in &self.instructions(address) {
            let slot = instruction.is_ip_rel_memory_operand().then(|| self.slots.get(&instruction.ip_rel_memory_address())).flatten();
            match instruction.flow_control() {
                FlowControl::Call => callees.push(self.callee_at(instruction.near_branch_target())),
                FlowControl::UnconditionalBranch | FlowControl::ConditionalBranch => {
                    let target = instruction.near_branch_target();
                    if !inside.contains(&target) {
                        callees.push(self.callee_at(target));
                    }
                }
                FlowControl::IndirectCall | FlowControl::IndirectBranch => {
                    let unknown = || Callee { name: format!("what is known at run time only, at {:#x}", instruction.ip()), address: None };
                    callees.push(slot.or_else(|| held.get(&instruction.op0_register())).cloned().unwrap_or_else(unknown));
                }
                _ => {
                    let written =
                        |access| matches!(access, OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite);
                    for register in info.info(instruction).used_registers().iter().filter(|register| written(register.access())) {
                        held.remove(&register.register().full_register());
                    }
                    if let (Mnemonic::Mov, OpKind::Register, Some(callee)) = (instruction.mnemonic(), instruction.op0_kind(), slot) {
                        held.insert(instruction.op0_register(), callee.clone());
                    }
                }
            }
        }
        callees
    }
}

// Parts of symbols are searched as both schemes of mangling have them: names with their lengths.
impl Callee {
    /// Returns whether it is the function in which [`Token::run`](manyhash::hazmat::Token::run) runs its
    /// task.
    pub(super) fn is_kernel(&self) -> bool {
        self.name.contains("manyhash") && ["8featured", "5plain"].iter().any(|part| self.name.contains(part))
    }

    /// Returns its address, if it is in this file.
    pub(super) fn address(&self) -> Option<u64> {
        self.address
    }

    /// Returns whether it is one of the functions of `core` that do nothing but panic, such as
    /// `slice_index_fail` and `expect_failed`.
    pub(super) fn only_panics(&self) -> bool {
        self.name.contains("4core") && ["9panicking", "_fail"].iter().any(|part| self.name.contains(part))
    }
}
