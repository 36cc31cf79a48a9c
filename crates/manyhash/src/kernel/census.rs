//! What the compiler made of the kernels: a census of each one's instructions, decoded from the test's own executable.
//!
//! A feature missing from a kernel, a helper that was not inlined or a closure with the features of the place it was written in cost
//! a factor of 10 to 50, and every digest is right all the same. All of it shows in the instructions: a call that is left, an encoding
//! that should not be there, a rotation made of shifts. Nothing is run, so the CPU may lack the instruction sets.

mod executable;
mod record;

use super::Kernel;
use super::list::kernels as kernels_of;
use crate::algorithm::Compression;
use executable::Executable;
use iced_x86::{CpuidFeature, EncodingKind, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register};
use record::Record;
use std::collections::BTreeMap;

#[test]
fn kernels_use_their_features_and_call_nothing() {
    let Some((kernels, _)) = take_census() else { return };
    println!("{:22}{}", "kernel", Census::headings());
    kernels.iter().for_each(|(name, census)| println!("{name:22}{}", census.row()));
    let faults_of =
        |(name, census): (&String, &Census)| census.faults(name).into_iter().map(|fault| format!("{name}: {fault}")).collect::<Vec<_>>();
    let faults: Vec<String> = kernels.iter().flat_map(faults_of).collect();
    assert!(faults.is_empty(), "the compiler made something else of the kernels:\n{}", faults.join("\n"));
}

#[test]
fn kernels_are_as_recorded() {
    let Some((kernels, compiler)) = take_census() else { return };
    let kernels = kernels.into_iter().map(|(name, census)| (name, census.recorded_counts())).collect();
    Record { compiler, kernels }.check_or_write();
}

/// The census of every kernel, by name, and the compiler, if its code is to be compared with the record. `None` if the test is skipped.
fn take_census() -> Option<(BTreeMap<String, Census>, Option<String>)> {
    if cfg!(target_feature = "sse3") {
        return skipped("built for more than the x86-64 of every CPU, which gives every kernel features that are not its own");
    }
    let path = std::env::current_exe().expect("the path of this executable");
    let content = std::fs::read(path).expect("this executable");
    let Some(executable) = Executable::new(&content) else { return skipped("this executable has no symbols") };
    // Debug assertions tell the test profile from the release profile.
    let is_recorded_build = cfg!(debug_assertions) && executable.is_incremental();
    Some((kernels(&executable), executable.compiler().filter(|_| is_recorded_build)))
}

/// Says that the test did not run, which is a failure under CI.
fn skipped<T>(why: &str) -> Option<T> {
    println!("SKIPPED: {why}");
    assert!(std::env::var_os("CI").is_none(), "skipped under CI: {why}");
    None
}

/// The census of every kernel of every compression function, by name: `sha256/avx512x2`, `sha256/avx512x2 short`, `sha256/avx512x2 dealt`.
fn kernels(executable: &Executable) -> BTreeMap<String, Census> {
    fn take<C: Compression>(executable: &Executable, kernels: &mut BTreeMap<String, Census>) {
        for Kernel { name: kernel, advance, dealt, short, .. } in &kernels_of::<C>() {
            let mut take = |name: String, entry: usize| {
                kernels.entry(name).or_insert_with_key(|name| {
                    let kernel = executable.kernel_from(entry).unwrap_or_else(|why| panic!("{name}: {why}"));
                    Census::of(executable, kernel)
                });
            };
            take(format!("{}/{kernel}", C::NAME), *advance as usize);
            if let Some(dealt) = dealt {
                take(format!("{}/{kernel} dealt", C::NAME), *dealt as usize);
            }
            if let Some(short) = short {
                take(format!("{}/{kernel} short", C::NAME), *short as usize);
            }
        }
    }
    let mut kernels = BTreeMap::new();
    macro_rules! take_all { ($($Compression:path)*) => { $(take::<$Compression>(executable, &mut kernels);)* } }
    for_each_compression!(take_all);
    kernels
}

macro_rules! census {
    ($($(#[$doc:meta])* $count:ident $heading:literal,)*) => {
        /// What a kernel is made of. Instructions are those of the whole function, each counted once however often it runs.
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
    /// All but those that do nothing.
    instructions "all",
    /// Calls of functions that only panic.
    panics "panics",
    /// Operands in the stack frame: arrays, and what did not fit in registers.
    stack_stores "stores",
    stack_loads "loads",
    /// By encoding.
    legacy "legacy",
    vex "VEX",
    evex "EVEX",
    /// Legacy encodings of vector instructions, but for the SHA extensions, which have no other.
    legacy_sse "oldSSE",
    /// By the widest register named.
    xmm "xmm",
    ymm "ymm",
    zmm "zmm",
    /// Additions, logic, shifts and rotations of vectors, but for zeroing, by the widest register named.
    xmm_operations "xmm-op",
    ymm_operations "ymm-op",
    zmm_operations "zmm-op",
    vector_rotates "rotate",
    ternary_logic "ternary",
    gathers "gather",
    /// Of the SHA extensions.
    sha "sha",
    rorx "rorx",
    vzeroupper "upper=0",
    /// With a vector register, before upper halves are first cleaned.
    before_vzeroupper "before",
}

impl Census {
    fn of(executable: &Executable, kernel: u64) -> Self {
        let mut census = Self::default();
        for callee in executable.callees(kernel) {
            if callee.only_panics() {
                census.panics += 1;
            } else {
                *census.calls.entry(callee.name).or_default() += 1;
            }
        }
        let mut code = executable.instructions(kernel);
        code.retain(|instruction| instruction.mnemonic() != Mnemonic::Nop);
        // rbp is a frame pointer only where the stack is aligned for vectors, elsewhere a register like others.
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
        // Mnemonics have no classes, but names.
        let mnemonic = format!("{:?}", instruction.mnemonic()).to_lowercase();
        let operation = mnemonic.strip_prefix('v').unwrap_or(&mnemonic);
        let is_any = |starts: &[&str]| vector_bytes.is_some() && starts.iter().any(|start| operation.starts_with(start));
        let is_zeroing = is_any(&["pxor", "xorp"]) && registers.ends_with(&[registers[registers.len() - 1]; 2]);
        let is_operation = !is_zeroing
            && (is_any(&["padd", "psub", "psll", "psrl", "psra", "prol", "pror", "pternlog"])
                || is_any(&["pand", "por", "pxor", "andp", "andnp", "orp", "xorp"]));
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

    /// What should not be, in a kernel of this name.
    fn faults(&self, name: &str) -> Vec<String> {
        let (_, shape) = name.split_once('/').expect("compression function/shape");
        let shape = shape.trim_end_matches(" short").trim_end_matches(" dealt");
        let mut faults = Vec::new();
        for (callee, calls) in &self.calls {
            // Tables of a few KiB are zeroed and copied once for a run of blocks.
            let has_tables = shape.starts_with("bmi2") || shape.starts_with("sha-ni-sms");
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
        let minds_dirty_halves = shape.starts_with("sha-ni");
        expect(!minds_dirty_halves || self.before_vzeroupper == 0, "does not begin with vzeroupper: dirty upper halves slow it 200 times");
        let cleans_its_own = self.vzeroupper > usize::from(minds_dirty_halves);
        expect(cleans_its_own || self.ymm + self.zmm == 0, "upper halves of registers left dirty: no vzeroupper at the end");

        let encodings = format!("{} legacy SSE, {} VEX, {} EVEX", self.legacy_sse, self.vex, self.evex);
        let is_vex = self.legacy_sse + self.evex == 0 && self.vex > 0;
        let (xmm, ymm, zmm) = (self.xmm_operations, self.ymm_operations, self.zmm_operations);
        let widths = format!("operations of {xmm} xmm, {ymm} ymm, {zmm} zmm");
        // Sums outside of the rounds may be narrow.
        let few = 8;
        if shape.starts_with("portable") {
            expect(self.vex + self.evex == 0, &format!("encodings that not every CPU knows: {encodings}"));
        } else if shape.starts_with("sse2") {
            expect(self.vex + self.evex == 0, &format!("encodings newer than SSE2: {encodings}"));
            expect(xmm > few, &format!("not vectorised: {widths}"));
        } else if shape.starts_with("avx2") {
            expect(is_vex, &format!("encodings other than VEX: {encodings}"));
            expect(ymm > few && xmm <= few, &format!("registers narrower than ymm: {widths}"));
        } else if shape.starts_with("avx512") {
            expect(self.legacy_sse == 0, &format!("legacy encodings: {encodings}"));
            let (right, wrong) = match shape {
                "avx512-128" => (xmm, ymm + zmm),
                "avx512-256" => (ymm, xmm + zmm),
                _ => (zmm, xmm + ymm),
            };
            expect(right > few && wrong <= few, &format!("registers of another width: {widths}"));
            expect(self.vector_rotates > 0, "rotations made of shifts: no vprord, vprorq, ...");
            expect(self.ternary_logic > 0, "logic of two operands: no vpternlog");
        } else if shape.starts_with("sha-ni-sms") {
            expect(self.sha > 0, "no instruction of the SHA extensions");
            expect(self.legacy_sse == 0, &format!("legacy encodings beside the SHA extensions: {encodings}"));
            if shape.starts_with("sha-ni-sms256") {
                expect(ymm > few && zmm <= few, &format!("schedules in registers of another width: {widths}"));
            } else {
                expect(xmm > few && ymm + zmm == 0, &format!("dirty upper halves slow the SHA extensions: {widths}"));
            }
        } else if shape.starts_with("sha-ni") {
            expect(self.sha > 0, "no instruction of the SHA extensions");
            expect(is_vex, &format!("encodings other than VEX beside the SHA extensions: {encodings}"));
        } else if shape == "bmi2" {
            expect(self.rorx > 0, "rotations without rorx");
            expect(is_vex, &format!("encodings other than VEX: {encodings}"));
            expect(ymm > few, &format!("a schedule without ymm: {widths}"));
        } else if shape == "bmi2-avx512" {
            expect(self.rorx > 0, "rotations without rorx");
            expect(self.legacy_sse == 0, &format!("legacy encodings: {encodings}"));
            expect(zmm > few && self.vector_rotates > 0, &format!("a schedule without zmm, or without its rotations: {widths}"));
        } else {
            expect(false, "a shape without rules: say in this test what it is made of");
        }
        faults
    }
}
