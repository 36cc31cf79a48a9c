//! Loops of one instruction: a chain, each waiting for the one before, and many that wait for nobody.

#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code, unused_imports, unused_macros, reason = "assembly for x86-64"))]

use std::arch::asm;

/// Times the loop's body is repeated for a sample: two hundred thousand instructions.
const REPEATS: u64 = 1000;
/// Times the list of registers is written out in the body, so that counting costs next to nothing.
const LISTS: usize = 24;

pub struct Timed {
    /// The table that it is in.
    pub table: &'static str,
    /// As assembly has it.
    pub name: &'static str,
    pub registers: Registers,
    pub operation: Operation,
    /// The paper's latency, which is its throughput too; of two instructions that are timed together, the sum.
    pub paper: Option<f64>,
    /// What the CPU must have.
    pub needs: &'static str,
    pub is_there: fn() -> bool,
    /// The chain; `None` if the instruction has no result to wait for.
    pub chain: Option<Loop>,
    pub independent: Loop,
}

/// A loop, and how many times its instruction is executed.
pub struct Loop {
    pub run: fn(),
    pub instructions: usize,
}

/// What an instruction works on, and how many words of 32 bits it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Registers {
    General = 1,
    Mmx = 2,
    Xmm = 4,
    Ymm = 8,
    Zmm = 16,
}

impl Registers {
    pub fn name(self) -> &'static str {
        match self {
            Self::General => "32-bit",
            Self::Mmx => "64-bit MMX",
            Self::Xmm => "128-bit XMM",
            Self::Ymm => "256-bit YMM",
            Self::Zmm => "512-bit ZMM",
        }
    }

    pub fn words(self) -> f64 {
        f64::from(self as u8)
    }
}

/// What is compared across registers. `RotateByFour` are the four instructions that a rotation takes
/// where there is none (section 4.2), `Ternary` is any function of three bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    Add,
    Xor,
    Shift,
    Rotate,
    RotateByFour,
    Swap,
    Ternary,
    Move,
    Stack,
    Compare,
    Sha,
}
use Operation::{Add, Compare, Move, Rotate, RotateByFour, Sha, Shift, Stack, Swap, Ternary, Xor};
use Registers::{General, Mmx, Xmm, Ymm, Zmm};

/// The body is `$instruction` once for each of `$registers`, which it names `\r`.
macro_rules! run {
    ($registers:literal $instruction:literal [$($before:literal)?] [$($after:literal)?] $($clobbers:tt)*) => {{
        // A load finds an address at this address: its own.
        let mut memory = Memory([0; 8]);
        memory.0[0] = (&raw const memory) as u64;
        // SAFETY: registers that are named or given up, reads of `memory`, and as many pops as pushes; `emms` and `vzeroupper` leave the
        // registers as the compiler expects them. The caller has asked whether the CPU has the instruction.
        unsafe {
            asm!(
                $($before,)?
                "2:", ".rept {lists}", concat!(".irp r,", $registers), $instruction, ".endr", ".endr", "dec r12", "jnz 2b",
                $($after,)?
                lists = const LISTS, inout("r12") REPEATS => _, in("r13") &raw const memory, $($clobbers)*
            );
        }
    }};
}

#[repr(align(64))]
struct Memory([u64; 8]);

macro_rules! general {
    ($registers:literal $instruction:literal) => {
        run!($registers $instruction [] [] inout("rax") 3u64 => _, inout("rcx") 3u64 => _, inout("rdx") 3u64 => _, inout("rsi") 3u64 => _,
            inout("rdi") 3u64 => _, inout("r8") 3u64 => _, inout("r9") 3u64 => _, inout("r10") 3u64 => _, inout("r11") 5u64 => _)
    };
}

macro_rules! chase {
    ($registers:literal $instruction:literal) => {{
        run!($registers $instruction ["mov rax, r13"] [] out("rax") _, out("rcx") _, out("rdx") _, out("rsi") _, out("rdi") _, out("r8") _,
            out("r9") _, out("r10") _)
    }};
}

macro_rules! mmx {
    ($registers:literal $instruction:literal) => {
        run!($registers $instruction [] ["emms"] out("mm0") _, out("mm1") _, out("mm2") _, out("mm3") _, out("mm4") _, out("mm5") _,
            out("mm6") _, out("mm7") _, out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _, out("st(4)") _, out("st(5)") _,
            out("st(6)") _, out("st(7)") _)
    };
}

macro_rules! vector {
    ($registers:literal $instruction:literal [$($after:literal)?]) => {
        run!($registers $instruction [] [$($after)?] out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _,
            out("xmm5") _, out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _, out("xmm12") _,
            out("xmm13") _, out("xmm14") _, out("xmm15") _)
    };
}

/// With so many registers in the list.
macro_rules! looped {
    ($registers:literal, $run:expr) => {
        Loop { run: || $run, instructions: REPEATS as usize * LISTS * $registers }
    };
}

/// A chain, in registers of each kind. The sources are r11, mm7, xmm14 and xmm15, and xmm0, which SHA instructions read without being told.
macro_rules! chain {
    (General $instruction:literal) => { looped!(8, general!("eax,eax,eax,eax,eax,eax,eax,eax" $instruction)) };
    (Wide $instruction:literal) => { looped!(8, general!("rax,rax,rax,rax,rax,rax,rax,rax" $instruction)) };
    (Chase $instruction:literal) => { looped!(8, chase!("rax,rax,rax,rax,rax,rax,rax,rax" $instruction)) };
    (Mmx $instruction:literal) => { looped!(8, mmx!("0,0,0,0,0,0,0,0" $instruction)) };
    (Xmm $instruction:literal) => { looped!(8, vector!("1,1,1,1,1,1,1,1" $instruction [])) };
    ($Wide:ident $instruction:literal) => { looped!(8, vector!("1,1,1,1,1,1,1,1" $instruction ["vzeroupper"])) };
}

/// No waiting: eight general-purpose registers, seven of MMX or twelve vectors in turn.
macro_rules! independent {
    (General $instruction:literal) => { looped!(8, general!("eax,ecx,edx,esi,edi,r8d,r9d,r10d" $instruction)) };
    (Wide $instruction:literal) => { looped!(8, general!("rax,rcx,rdx,rsi,rdi,r8,r9,r10" $instruction)) };
    (Chase $instruction:literal) => { looped!(8, chase!("rax,rcx,rdx,rsi,rdi,r8,r9,r10" $instruction)) };
    (Mmx $instruction:literal) => { looped!(7, mmx!("0,1,2,3,4,5,6" $instruction)) };
    (Xmm $instruction:literal) => { looped!(12, vector!("1,2,3,4,5,6,7,8,9,10,11,12" $instruction [])) };
    ($Wide:ident $instruction:literal) => { looped!(12, vector!("1,2,3,4,5,6,7,8,9,10,11,12" $instruction ["vzeroupper"])) };
}

/// Tables of instructions, each with the paper's cycles, if it has any. `latency` times both, `throughput` the independent ones only: a
/// comparison's result is flags, a load into a vector has no address to wait for.
macro_rules! timed {
    ($($table:literal $registers:ident {
        $($name:literal $operation:ident $($paper:literal)?, $class:ident [$($feature:tt)*] $how:ident $independent:literal $($dependent:literal)?;)*
    })*) => {
        pub const ALL: &[Timed] = &[$($(Timed {
            table: $table,
            name: $name,
            registers: $registers,
            operation: $operation,
            paper: timed!(@paper $($paper)?),
            needs: concat!($($feature, " "),*),
            is_there: || true $(&& is_x86_feature_detected!($feature))*,
            chain: timed!(@$how $class $independent $($dependent)?),
            independent: independent!($class $independent),
        },)*)*];
    };
    (@paper) => { None };
    (@paper $cycles:literal) => { Some($cycles) };
    (@latency $class:ident $independent:literal $dependent:literal) => { Some(chain!($class $dependent)) };
    (@latency $class:ident $independent:literal) => { Some(chain!($class $independent)) };
    (@throughput $class:ident $independent:literal) => { None };
}

#[cfg(not(target_arch = "x86_64"))]
pub const ALL: &[Timed] = &[];
#[cfg(target_arch = "x86_64")]
timed! {
    "Registers of 32 bits" General {
        "add" Add 0.5, General [] latency "add \\r, r11d";
        "xor" Xor 0.5, General [] latency "xor \\r, r11d";
        "cmp" Compare 0.5, General [] throughput "cmp \\r, r11d";
        "mov (load of 64 bits)" Move 0.5, Chase [] latency "mov \\r, [r13]" "mov \\r, [\\r]";
        "push and pop" Stack 2.0, Wide [] latency "push \\r\npop \\r";
        "shr" Shift 1.0, General [] latency "shr \\r, 7";
        "ror" Rotate 1.0, General [] latency "ror \\r, 7";
        "rorx" Rotate, General ["bmi2"] latency "rorx \\r, \\r, 7";
        "bswap" Swap, General [] latency "bswap \\r";
    }
    "MMX registers of 64 bits" Mmx {
        "movq (load)" Move 1.0, Mmx ["mmx"] throughput "movq mm\\r, [r13]";
        "paddd" Add 1.0, Mmx ["mmx"] latency "paddd mm\\r, mm7";
        "pxor" Xor 1.0, Mmx ["mmx"] latency "pxor mm\\r, mm7";
        "psrld" Shift 1.0, Mmx ["mmx"] latency "psrld mm\\r, 7";
        "rotation: movq, pslld, psrld, por" RotateByFour, Mmx ["mmx"] latency
            "movq mm7, mm\\r\npslld mm\\r, 25\npsrld mm7, 7\npor mm\\r, mm7";
    }
    "XMM registers of 128 bits with SSE2, as in the paper" Xmm {
        "movdqa (load)" Move 1.0, Xmm ["sse2"] throughput "movdqa xmm\\r, [r13]";
        "paddd" Add 2.0, Xmm ["sse2"] latency "paddd xmm\\r, xmm14";
        "pxor" Xor 2.0, Xmm ["sse2"] latency "pxor xmm\\r, xmm14";
        "psrld" Shift 2.0, Xmm ["sse2"] latency "psrld xmm\\r, 7";
        "rotation: movdqa, pslld, psrld, por" RotateByFour, Xmm ["sse2"] latency
            "movdqa xmm15, xmm\\r\npslld xmm\\r, 25\npsrld xmm15, 7\npor xmm\\r, xmm15";
    }
    "XMM registers of 128 bits, by what came later" Xmm {
        "pshufb" Swap, Xmm ["ssse3"] latency "pshufb xmm\\r, xmm14";
        "vpaddd" Add, Ymm ["avx"] latency "vpaddd xmm\\r, xmm\\r, xmm14";
        "vprold" Rotate, Ymm ["avx512f" "avx512vl"] latency "vprold xmm\\r, xmm\\r, 7";
        "vpternlogd" Ternary, Ymm ["avx512f" "avx512vl"] latency "vpternlogd xmm\\r, xmm14, xmm15, 0x96";
    }
    "YMM registers of 256 bits" Ymm {
        "vmovdqa (load)" Move, Ymm ["avx"] throughput "vmovdqa ymm\\r, [r13]";
        "vpaddd" Add, Ymm ["avx2"] latency "vpaddd ymm\\r, ymm\\r, ymm14";
        "vpxor" Xor, Ymm ["avx2"] latency "vpxor ymm\\r, ymm\\r, ymm14";
        "vpsrld" Shift, Ymm ["avx2"] latency "vpsrld ymm\\r, ymm\\r, 7";
        "vpshufb" Swap, Ymm ["avx2"] latency "vpshufb ymm\\r, ymm\\r, ymm14";
        "vprold" Rotate, Ymm ["avx512f" "avx512vl"] latency "vprold ymm\\r, ymm\\r, 7";
        "vpternlogd" Ternary, Ymm ["avx512f" "avx512vl"] latency "vpternlogd ymm\\r, ymm14, ymm15, 0x96";
    }
    "ZMM registers of 512 bits" Zmm {
        "vmovdqa32 (load)" Move, Zmm ["avx512f"] throughput "vmovdqa32 zmm\\r, [r13]";
        "vpaddd" Add, Zmm ["avx512f"] latency "vpaddd zmm\\r, zmm\\r, zmm14";
        "vpxord" Xor, Zmm ["avx512f"] latency "vpxord zmm\\r, zmm\\r, zmm14";
        "vpsrld" Shift, Zmm ["avx512f"] latency "vpsrld zmm\\r, zmm\\r, 7";
        "vpshufb" Swap, Zmm ["avx512bw"] latency "vpshufb zmm\\r, zmm\\r, zmm14";
        "vprold" Rotate, Zmm ["avx512f"] latency "vprold zmm\\r, zmm\\r, 7";
        "vpternlogd" Ternary, Zmm ["avx512f"] latency "vpternlogd zmm\\r, zmm14, zmm15, 0x96";
    }
    "SHA extensions" Xmm {
        "sha1rnds4" Sha, Xmm ["sha"] latency "sha1rnds4 xmm\\r, xmm14, 0";
        "sha1nexte" Sha, Xmm ["sha"] latency "sha1nexte xmm\\r, xmm14";
        "sha1msg1" Sha, Xmm ["sha"] latency "sha1msg1 xmm\\r, xmm14";
        "sha1msg2" Sha, Xmm ["sha"] latency "sha1msg2 xmm\\r, xmm14";
        "sha256rnds2" Sha, Xmm ["sha"] latency "sha256rnds2 xmm\\r, xmm14, xmm0";
        "sha256msg1" Sha, Xmm ["sha"] latency "sha256msg1 xmm\\r, xmm14";
        "sha256msg2" Sha, Xmm ["sha"] latency "sha256msg2 xmm\\r, xmm14";
    }
}
