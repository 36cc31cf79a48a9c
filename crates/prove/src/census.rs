//! What the compiler made of the kernels: a census of each one's instructions, decoded from the
//! test's own executable.
//!
//! Some faults cost a factor of 10 to 50, and every digest is right all the same: a feature missing
//! from a kernel, a helper that was not inlined, or a closure with the features of the place where
//! it was written. All of them show in the instructions: a call that remains, an encoding that
//! should not be there, a rotation made of shifts. No kernel is run, so the CPU may lack the
//! instruction sets.

mod executable;
mod record;

use executable::{Callee, Executable};
use iced_x86::{CpuidFeature, EncodingKind, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register};
use manyhash::backend::{Backend, Kind};
use manyhash::hazmat::Code;
use record::Record;
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn kernels_use_their_features_and_call_nothing() {
    let Some((kernels, _)) = take_census() else { return };
    println!("{:22}{}", "kernel", Census::headings());
    kernels.iter().for_each(|(name, (_, census))| println!("{name:22}{}", census.row()));
    let mut faults = Vec::new();
    for (name, (backend, census)) in &kernels {
        faults.extend(census.faults(*backend).iter().map(|fault| format!("{name}: {fault}")));
    }
    assert!(faults.is_empty(), "the compiler made something else of the kernels:\n{}", faults.join("\n"));
}

#[test]
fn kernels_are_as_recorded() {
    let Some((kernels, compiler)) = take_census() else { return };
    let kernels = kernels.into_iter().map(|(name, (_, census))| (name, census.recorded_counts())).collect();
    Record { compiler, kernels }.check_or_write();
}

/// The functions of every kernel by name, each with its backend and its census.
type Kernels = BTreeMap<String, (Backend, Census)>;

/// Returns all kernels, and the compiler if its code is to be compared with the record; `None` if
/// the test is skipped.
fn take_census() -> Option<(Kernels, Option<String>)> {
    if cfg!(target_feature = "sse3") {
        return skipped("built for more than the x86-64 of every CPU, which gives every kernel features that are not its own");
    }
    let path = std::env::current_exe().expect("the path of this executable");
    let content = std::fs::read(path).expect("this executable");
    let Some(executable) = Executable::new(&content) else { return skipped("this executable has no symbols") };
    // Debug assertions tell the test profile from the release profile.
    let is_recorded_build = cfg!(debug_assertions) && !executable.is_incremental();
    Some((kernels(&executable), executable.compiler().filter(|_| is_recorded_build)))
}

/// Reports that the test did not run, which is a failure under CI.
fn skipped<T>(why: &str) -> Option<T> {
    println!("SKIPPED: {why}");
    assert!(std::env::var_os("CI").is_none(), "skipped under CI: {why}");
    None
}

/// Returns the functions of all kernels, by name.
fn kernels(executable: &Executable) -> Kernels {
    let backend_of =
        |code: &Code| *Backend::known().iter().find(|backend| backend.name() == code.backend).expect("every kernel's backend is known");
    let census_of = |code: Code| {
        let kernel = executable.kernel_from(code.address).unwrap_or_else(|why| panic!("{}: {why}", code.name));
        (backend_of(&code), Census::of(executable, kernel))
    };
    Code::all().into_iter().map(|code| (code.name.clone(), census_of(code))).collect()
}

macro_rules! census {
    ($($(#[$doc:meta])* $count:ident $heading:literal,)*) => {
        /// The counts of a kernel's instructions. Instructions are those of the whole function,
        /// each counted once however often it runs.
        #[derive(Default)]
        struct Census {
            /// Calls of functions that do more than panic, by name.
            calls: BTreeMap<String, usize>,
            $($(#[$doc])* $count: usize,)*
        }

        impl Census {
            fn headings() -> String {
                [$($heading),*].iter().map(|heading| format!("{heading:>8}")).collect()
            }
            fn row(&self) -> String {
                [$(self.$count),*].iter().map(|count| format!("{count:8}")).collect()
            }
        }
    };
}
census! {
    /// All instructions but those that do nothing.
    instructions "all",
    /// Calls of functions that only panic.
    panics "panics",
    /// Operands in the stack frame: arrays, and what did not fit in registers.
    stack_stores "stores",
    stack_loads "loads",
    /// Instructions by encoding.
    legacy "legacy",
    vex "VEX",
    evex "EVEX",
    /// Legacy encodings of vector instructions, except those of the SHA extensions, which have no
    /// other.
    legacy_sse "oldSSE",
    /// Instructions by the widest register that they name.
    xmm "xmm",
    ymm "ymm",
    zmm "zmm",
    /// Additions, logic, shifts and rotations of vectors, without zeroing, by the widest register
    /// that they name.
    xmm_operations "xmm-op",
    ymm_operations "ymm-op",
    zmm_operations "zmm-op",
    vector_rotates "rotate",
    ternary_logic "ternary",
    gathers "gather",
    /// Instructions of the SHA extensions.
    sha "sha",
    rorx "rorx",
    vzeroupper "upper=0",
    /// Instructions that name one of the first sixteen registers with its upper half. The others do no harm, and vzeroupper does not
    /// clean them.
    upper_halves "upper",
    /// Instructions with a vector register, before upper halves are first cleaned.
    before_vzeroupper "before",
}

impl Census {
    fn of(executable: &Executable, kernel: u64) -> Self {
        let mut census = Self::default();
        let mut code = executable.instructions(kernel);
        let mut shared = BTreeSet::new();
        for callee in executable.callees(kernel) {
            if callee.only_panics() {
                census.panics += 1;
            } else if callee.is_kernel() {
                // What kernels of one instruction set share is compiled once, with its features.
                shared.extend(callee.address());
            } else {
                *census.calls.entry(callee.name).or_default() += 1;
            }
        }
        for address in shared {
            assert!(executable.callees(address).iter().all(Callee::only_panics), "calls something else");
            code.extend(executable.instructions(address));
        }
        code.retain(|instruction| instruction.mnemonic() != Mnemonic::Nop);
        // rbp is a frame pointer only if the stack is aligned for vectors; otherwise it is a
        // register like any other.
        let sets_frame_pointer = |instruction: &Instruction| {
            let operands = [instruction.op0_register(), instruction.op1_register()];
            instruction.mnemonic() == Mnemonic::Mov && operands == [Register::RBP, Register::RSP]
        };
        let has_frame_pointer = code.iter().any(sets_frame_pointer);
        for instruction in &code {
            census.count(instruction);
            let base = instruction.memory_base();
            if base == Register::RSP || has_frame_pointer && base == Register::RBP {
                census.count_stack_operand(instruction);
            }
        }
        census
    }

    fn recorded_counts(&self) -> record::Counts {
        [self.instructions, self.stack_stores + self.stack_loads, self.calls.values().sum()]
    }

    fn count(&mut self, instruction: &Instruction) {
        let encoding = instruction.encoding();
        let registers: Vec<Register> = (0..instruction.op_count()).map(|operand| instruction.op_register(operand)).collect();
        let vector_bytes = registers.iter().filter(|register| register.is_vector_register()).map(|register| register.size()).max();
        let is_sha = instruction.cpuid_features().contains(&CpuidFeature::SHA);
        // The decoder has no classes of mnemonics, so this goes by their names.
        let mnemonic = format!("{:?}", instruction.mnemonic()).to_lowercase();
        let operation = mnemonic.strip_prefix('v').unwrap_or(&mnemonic);
        let is_any = |starts: &[&str]| vector_bytes.is_some() && starts.iter().any(|start| operation.starts_with(start));
        let is_zeroing = is_any(&["pxor", "xorp"]) && registers.ends_with(&[registers[registers.len() - 1]; 2]);
        let is_operation = !is_zeroing
            && (is_any(&["padd", "psub", "psll", "psrl", "psra", "prol", "pror", "pternlog"])
                || is_any(&["pand", "por", "pxor", "andp", "andnp", "orp", "xorp"]));
        let has_upper_half = |register: &Register| register.is_vector_register() && register.size() > 16 && register.number() < 16;
        let is_cleaned = self.vzeroupper > 0;
        for (count, counted) in [
            (&mut self.instructions, true),
            (&mut self.legacy, encoding == EncodingKind::Legacy),
            (&mut self.vex, encoding == EncodingKind::VEX),
            (&mut self.evex, encoding == EncodingKind::EVEX),
            (&mut self.legacy_sse, encoding == EncodingKind::Legacy && vector_bytes.is_some() && !is_sha),
            (&mut self.xmm, vector_bytes == Some(16)),
            (&mut self.ymm, vector_bytes == Some(32)),
            (&mut self.zmm, vector_bytes == Some(64)),
            (&mut self.xmm_operations, vector_bytes == Some(16) && is_operation),
            (&mut self.ymm_operations, vector_bytes == Some(32) && is_operation),
            (&mut self.zmm_operations, vector_bytes == Some(64) && is_operation),
            (&mut self.vector_rotates, is_any(&["prol", "pror"])),
            (&mut self.ternary_logic, is_any(&["pternlog"])),
            (&mut self.gathers, is_any(&["pgather", "gather"])),
            (&mut self.sha, is_sha),
            (&mut self.rorx, instruction.mnemonic() == Mnemonic::Rorx),
            (&mut self.vzeroupper, instruction.mnemonic() == Mnemonic::Vzeroupper),
            (&mut self.upper_halves, registers.iter().any(has_upper_half)),
            (&mut self.before_vzeroupper, vector_bytes.is_some() && !is_cleaned),
        ] {
            *count += usize::from(counted);
        }
    }

    fn count_stack_operand(&mut self, instruction: &Instruction) {
        let operand = instruction.op_kinds().position(|kind| kind == OpKind::Memory).expect("a base has an operand");
        let access = InstructionInfoFactory::new().info(instruction).op_access(operand as u32);
        self.stack_loads += usize::from(matches!(access, OpAccess::Read | OpAccess::ReadWrite));
        self.stack_stores += usize::from(matches!(access, OpAccess::Write | OpAccess::ReadWrite));
    }

    /// Lists the faults of a kernel of this backend. The rules are those of x86-64's features.
    fn faults(&self, backend: Backend) -> Vec<String> {
        let has = |start: &str| backend.features().iter().any(|feature| feature.starts_with(start));
        let mut faults = Vec::new();
        // Tables of a few KiB are zeroed and copied once for a run of blocks.
        let has_tables = matches!(backend.kind(), Kind::ScalarBesideVectors | Kind::InstructionsBesideVectors);
        for (callee, calls) in &self.calls {
            if !(has_tables && matches!(&**callee, "memset" | "memcpy")) {
                faults.push(format!("{calls} calls of {callee}"));
            }
        }
        let mut expect = |holds: bool, fault: &str| {
            if !holds {
                faults.push(fault.to_owned());
            }
        };
        expect(self.gathers == 0, "gathers, slower than loads and a transposition");
        let minds_dirty_halves = has("sha");
        expect(!minds_dirty_halves || self.before_vzeroupper == 0, "does not begin with vzeroupper: dirty upper halves slow it 200 times");
        let cleans_its_own = self.vzeroupper > usize::from(minds_dirty_halves);
        expect(cleans_its_own || self.upper_halves == 0, "upper halves of registers left dirty: no vzeroupper at the end");

        let encodings = format!("{} legacy SSE, {} VEX, {} EVEX", self.legacy_sse, self.vex, self.evex);
        if has("avx512") {
            expect(self.legacy_sse == 0, &format!("legacy encodings, but for those of the SHA extensions: {encodings}"));
            expect(self.vector_rotates > 0, "rotations made of shifts: no vprord, vprorq, ...");
            expect(self.ternary_logic > 0, "logic of two operands: no vpternlog");
        } else if has("avx") {
            expect(self.legacy_sse + self.evex == 0 && self.vex > 0, &format!("encodings other than VEX: {encodings}"));
        } else {
            expect(self.vex + self.evex == 0, &format!("encodings newer than SSE2: {encodings}"));
        }
        expect(self.sha > 0 || !has("sha"), "no instruction of the SHA extensions");
        expect(self.rorx > 0 || !has("bmi2") || backend.kind() != Kind::ScalarBesideVectors, "rotations without rorx");

        if let Some(bits) = backend.vector_bits() {
            let operations = [(128, self.xmm_operations), (256, self.ymm_operations), (512, self.zmm_operations)];
            let count = |is_counted: &dyn Fn(usize) -> bool| -> usize {
                operations.iter().filter(|(width, _)| is_counted(*width)).map(|(_, operations)| operations).sum()
            };
            let (narrower, right, wider) = (count(&|width| width < bits), count(&|width| width == bits), count(&|width| width > bits));
            // Sums outside of the rounds, lengths and numbers of blocks, may have another width,
            // unless that would make upper halves dirty. Kernels beside scalar rounds read constants in their loop, and this
            // profile checks addresses for that, in vectors. Kernels of rows pick two of them at a time.
            let few = 8;
            let wider_allowed = if bits == 128 && !matches!(backend.kind(), Kind::ScalarBesideVectors | Kind::Rows) { 0 } else { few };
            let is_right = right > few && wider <= wider_allowed && (narrower <= 2 * few || backend.kind() != Kind::Lanes);
            expect(is_right, &format!("vectors of {bits} bits have {right} operations, narrower ones {narrower}, wider ones {wider}"));
        }
        faults
    }
}
