//! Floor 1, instructions: all `unsafe` code of the library is in this folder. It knows only which
//! instructions there are.
//!
//! **Tokens.** A token (`Avx512`, `ShaNi`, ...) is a value of no size that only `detect` makes, so
//! it proves that the CPU has every feature in its list. Features stand in the ONE list of this
//! file and nowhere else: detection, `#[target_feature]` and the token are made from the same
//! words. A feature missing from a kernel's wrapper costs a factor of 10 to 50, and no compiler
//! reports it.
//!
//! **Lanes.** [`Isa`] names an instruction set's vectors, [`Words`] is a vector of one word for
//! each lane: message i is in lane i, and one instruction advances all of them. [`Two`] is two
//! waves of any instruction set, and an instruction set itself. [`One`] is one wave with the fewest
//! operations, for CPUs whose ports are the limit. [`Portable`] has one lane.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | the list, tokens |
//! | `words.rs` | the traits of lanes |
//! | `portable.rs`, `waves.rs`, `x86_64/`, `aarch64/`, `wasm32/` | the vectors; `sha.rs` in them has the instructions for hash functions |
//! | `operations.rs` | what all vectors of the CPU have under some name |
//! | `blocks.rs`, `dealt.rs` | what lanes read, lengths checked once |
//! | `meanings.rs`, also in the folders | test: each operation is what its name says |
//! | `manual.rs` in the folders | test: the instructions for hash functions as the makers' manuals define them |
//! | `cpu.rs` | maker, family and model; features left out, and features told |
//! | `rooms.rs` | memory that becomes zeros when it is needed |
//! | `once.rs` | values that are made when they are first asked for |

#[cfg(all(target_arch = "aarch64", feature = "std"))]
use std::arch::is_aarch64_feature_detected;
#[cfg(all(target_arch = "x86_64", feature = "std"))]
use std::arch::is_x86_feature_detected;

#[cfg(any(target_arch = "aarch64", test))]
pub(crate) mod aarch64;
mod blocks;
mod columns;
pub(crate) mod cpu;
mod dealt;
#[cfg(test)]
mod meanings;
mod once;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", all(target_arch = "wasm32", target_feature = "simd128")))]
mod operations;
mod portable;
mod prefetch;
mod rooms;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) mod wasm32;
mod waves;
mod words;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86_64;

pub(crate) use blocks::Ahead;
pub use blocks::{Blocks, FirstByte, Whole};
pub(crate) use columns::BlockWords;
pub(crate) use dealt::Dealt;
pub(crate) use once::OnceLock;
pub use portable::Portable;
pub(crate) use prefetch::prefetch;
pub(crate) use rooms::Rooms;
#[cfg(any(target_arch = "aarch64", test))]
pub(crate) use waves::Five;
#[cfg(any(target_arch = "x86_64", test))]
pub(crate) use waves::One;
pub use waves::Two;
#[cfg(target_arch = "x86_64")]
pub(crate) use words::FourWords;
pub(crate) use words::WAYS;
#[cfg(test)]
pub(crate) use words::choose;
pub(crate) use words::most_words;
pub(crate) use words::sixteen;
pub use words::{ByteOrder, Count, Isa, MAX_BLOCK_WORDS, MAX_LANES, Row, Word, WordCount, Words};
#[cfg(target_arch = "x86_64")]
pub(crate) use words::{Pairs, Successive};

/// Work to be compiled for one instruction set. `run` must be `#[inline(always)]` so that its body
/// takes the features of [`Token::run`]. A task is a struct and not a closure, because a closure's
/// body keeps the features of the place where it was written.
pub trait Task<I> {
    /// The result of the work.
    type Output;
    /// Does the work. `isa` proves that the CPU has the instruction set.
    fn run(self, isa: I) -> Self::Output;
}

/// Proof that this CPU has an instruction set.
pub trait Token: Copy + 'static {
    /// The features that the token proves, as the compiler names them.
    const FEATURES: &'static [&'static str];
    /// Returns the token if this CPU has every one of its features.
    fn detect() -> Option<Self>;
    /// Makes ready for the instructions of kernels: [`run`](Self::run) begins with it, and so must whatever comes behind code in which the
    /// compiler may have used wider registers than the kernel does.
    #[inline(always)]
    fn prepare(self) {}
    /// Runs `task` with the instruction set's features switched on.
    fn run<T: Task<Self>>(self, task: T) -> T::Output;
}

/// Detection where the standard library has none: features are those that the program was compiled with.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
macro_rules! is_compiled_in {
    ($feature:literal) => {
        cfg!(target_feature = $feature)
    };
}

/// Detection without the standard library: features are those that the program was compiled with, and those it says.
#[cfg(all(not(feature = "std"), any(target_arch = "x86_64", target_arch = "aarch64")))]
macro_rules! is_told {
    ($feature:literal) => {
        (cfg!(target_feature = $feature) || cpu::is_told($feature))
    };
}
#[cfg(all(not(feature = "std"), target_arch = "aarch64"))]
use is_told as is_aarch64_feature_detected;
#[cfg(all(not(feature = "std"), target_arch = "x86_64"))]
use is_told as is_x86_feature_detected;

/// The ONE list of instruction sets, a block for each architecture: the condition on which it is
/// compiled, the macro that detects its features, and its instruction sets.
///
/// `Token prepare [features] lanes Vectors = "name" lean Vectors = "name" waves Vectors = "name" more Vectors = "name";`
///
/// `prepare` is a function that every kernel begins with. `lanes` are the kernels in lanes that
/// every compression function has. Others are for those that gain by them: `lean` has rounds with
/// fewer operations (`HAS_LEAN_ROUNDS`), `waves` two waves (`WANTS_WAVES`), `more` more of them
/// (`WANTS_MORE_WAVES`). The types of the vectors say how wide they are and how many waves there
/// are (`Words::LANES`, `Words::WAVES`).
macro_rules! isa {
    ($dollar:tt $(($cfg:meta) $is_detected:ident {$(
        $(#[$doc:meta])* $Isa:ident $($prepare:ident)? [$($feature:tt)*]
        $(lanes $Lanes:ty = $name:literal)? $(lean $Lean:ty = $lean_name:literal)? $(waves $Waves:ty = $waves_name:literal)?
        $(more $More:ty = $more_name:literal)?;
    )*})*) => {
        $($(
            $(#[$doc])*
            #[cfg($cfg)]
            #[derive(Clone, Copy, Debug)]
            pub struct $Isa(());

            #[cfg($cfg)]
            impl Token for $Isa {
                const FEATURES: &'static [&'static str] = &[$($feature),*];
                #[inline(always)]
                fn detect() -> Option<Self> {
                    use std::sync::atomic::{AtomicBool, Ordering};
                    /// True once all features were found, so that they are not looked up one by one again.
                    static FOUND: AtomicBool = AtomicBool::new(false);
                    #[cold]
                    fn ask() -> bool {
                        let found = $($is_detected!($feature))&&*;
                        FOUND.store(found, Ordering::Relaxed);
                        found
                    }
                    (FOUND.load(Ordering::Relaxed) || ask()).then_some(Self(()))
                }
                #[inline(always)]
                fn prepare(self) {
                    $(
                        // SAFETY: a token exists only if `detect` found every feature of the list above, and this one needs no other.
                        #[allow(unused_unsafe, reason = "no feature of WebAssembly is unsafe")]
                        unsafe {
                            $prepare();
                        }
                    )?
                }
                #[inline(always)]
                fn run<T: Task<Self>>(self, task: T) -> T::Output {
                    $(#[target_feature(enable = $feature)])*
                    #[inline(never)]
                    fn featured<T: Task<$Isa>>(isa: $Isa, task: T) -> T::Output {
                        isa.prepare();
                        task.run(isa)
                    }
                    // SAFETY: a token exists only if `detect` found every feature of the list
                    // above.
                    #[allow(unused_unsafe, reason = "no feature of WebAssembly is unsafe")]
                    unsafe {
                        featured(self, task)
                    }
                }
            }
        )*)*

        /// The features of all instruction sets in the list, whatever the architecture.
        pub(crate) const ALL_FEATURES: &[&str] = &[$($($($feature,)*)*)*];

        /// Calls `$callback!` with the lanes of every instruction set, narrowest first:
        /// `cfg [Vectors = "name"] [Vectors = "name"] [Vectors = "name"] [Vectors = "name"];`. These
        /// are the lanes after `lanes`, `lean`, `waves` and `more`.
        macro_rules! for_each_lanes {
            ($dollar callback:ident) => {
                $dollar callback! {
                    #[cfg(all())] [Portable = "portable"] [] [] [Two<Portable> = "portable-x2"];
                    $($(#[cfg($cfg)] [$($Lanes = $name)?] [$($Lean = $lean_name)?] [$($Waves = $waves_name)?] [$($More = $more_name)?];)*)*
                }
            };
        }
        pub(crate) use for_each_lanes;
    };
}

isa! { $
    (target_arch = "x86_64") is_x86_feature_detected {
        /// The 128-bit registers every x86-64 has.
        Sse2 ["sse2"] lanes Sse2 = "sse2" more Two<Sse2> = "sse2x2";
        /// The 128-bit registers in encodings with three operands, and a byte shuffle: CPUs between 2011 and AVX2.
        Avx ["sse2" "ssse3" "avx"] lanes Avx = "avx";
        /// 256-bit integer registers.
        Avx2 align_frame ["avx2"] lanes Avx2 = "avx2" more Two<Avx2> = "avx2x2";
        /// The instructions of AVX-512 on 128 bits.
        Avx512Quarter ["sse2" "ssse3" "avx" "avx512f" "avx512vl"] lanes Avx512Quarter = "avx512-128";
        /// The instructions of AVX-512 on 256 bits.
        Avx512Half align_frame ["avx512f" "avx512vl" "avx2"] lanes Avx512Half = "avx512-256";
        /// 512-bit registers with rotates, three-operand logic and byte shuffles.
        Avx512 align_frame ["avx512f" "avx512bw" "bmi2"] lanes Avx512 = "avx512" lean One<Avx512> = "avx512-lean"
            waves Two<Avx512> = "avx512x2" more Two<Two<Avx512>> = "avx512x4";
        /// The SHA extensions. `avx` is not for its registers: it gives the rest of the kernel VEX
        /// encodings, without which dirty upper halves slow the SHA instructions to a third
        /// (measured on Zen 5: SHA-1, 4 messages, 4.98 to 1.90 GB/s).
        ShaNi clean_upper_halves ["sha" "ssse3" "sse4.1" "avx"];
        /// The SHA extensions with the instructions of AVX-512 on 128 bits. Wider ones would leave
        /// upper halves dirty, which slows Intel's CPUs.
        ShaNiAvx512Quarter clean_upper_halves ["sha" "sse2" "ssse3" "sse4.1" "avx" "avx512f" "avx512vl"];
        /// The SHA extensions with the instructions of AVX-512 on 256 bits, for CPUs that dirty
        /// upper halves do not slow: Zen 4.
        ShaNiAvx512Half clean_upper_halves ["sha" "ssse3" "sse4.1" "avx" "avx2" "avx512f" "avx512vl"];
        /// Rotates without flags or copies, for scalar rounds beside a vectorised message schedule.
        Bmi2 ["bmi1" "bmi2" "sse2" "avx2"];
        /// The same, with 256-bit registers for the schedule.
        Bmi2Avx2 ["bmi1" "bmi2" "avx2"];
        /// Rotates without flags or copies, with the instructions of AVX-512 on 128 bits.
        Bmi2Avx512 ["bmi1" "bmi2" "sse2" "ssse3" "avx" "avx512f" "avx512vl"];
    }
    (target_arch = "aarch64") is_aarch64_feature_detected {
        /// The 128-bit registers every AArch64 has.
        Neon ["neon"] lanes Neon = "neon" waves Two<Neon> = "neonx2" more Five<Neon> = "neonx5";
        /// The instructions for SHA-3 and SHA-512 beside them, which are one feature to the compiler.
        NeonSha3 ["neon" "sha3"] lanes NeonSha3 = "neon-sha3";
        /// The instructions for SHA-1 and SHA-256.
        ShaCe ["neon" "sha2"];
        /// These instructions beside lanes.
        ShaCeNeon ["neon" "sha2"];
        /// The instructions for SM3, which are one feature with those for SM4.
        Sm3Ce ["neon" "sm4"];
    }
    (all(target_arch = "wasm32", target_feature = "simd128")) is_compiled_in {
        /// WebAssembly's 128-bit vectors. A module that has them is refused as a whole where they are unknown, so that
        /// nothing is left to detect: they are there if the module was compiled with them.
        Simd128 ["simd128"] lanes Simd128 = "simd128" more Two<Simd128> = "simd128x2";
    }
}

/// Zeros the upper halves of the vector registers, which should be zero already. Code outside this
/// library may have left them dirty, and the SHA instructions have legacy encodings only: on Golden
/// Cove each of them then waits some 70 cycles, in every call, until something cleans the registers
/// (SHA-256, one message of 8 KiB: 0.012 GB/s instead of 1.5 to 2.1).
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx")]
fn clean_upper_halves() {
    core::arch::x86_64::_mm256_zeroupper();
}

/// Makes the frame of a kernel begin with a line of the cache, so that no vector of 32 or 64 bytes that does not fit into the registers
/// lies across two of them. The compiler aligns frames for what it is told to put there; which vectors it will spill it finds out too late.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn align_frame() {
    #[repr(align(64))]
    struct Line {
        _bytes: [u8; 64],
    }
    std::hint::black_box(&std::mem::MaybeUninit::<Line>::uninit());
}

/// An instruction set that includes the instruction set `I`.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) trait Includes<I>: Token {
    /// Returns the token of the included instruction set.
    fn included(self) -> I;
}

macro_rules! includes { ($arch:literal: $($Isa:ident $Included:ident),+) => { $(
    #[cfg(target_arch = $arch)]
    impl Includes<$Included> for $Isa {
        #[inline(always)]
        fn included(self) -> $Included {
            $Included(()) // its list has every feature of the other's
        }
    }
)+ } }
includes!("aarch64": NeonSha3 Neon, ShaCeNeon Neon, ShaCeNeon ShaCe);
includes!("x86_64":
    Avx Avx, Avx Sse2, Bmi2 Sse2, Bmi2Avx2 Avx2, Bmi2Avx512 Avx512Quarter, Avx512Half Avx2, Avx512Quarter Avx, Avx512Quarter Sse2, ShaNiAvx512Quarter ShaNi, ShaNiAvx512Quarter Avx512Quarter,
    ShaNiAvx512Half ShaNi, ShaNiAvx512Half Avx512Half
);
