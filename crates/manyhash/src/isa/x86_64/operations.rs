//! The operations that every instruction set has under some name; the other files of this folder
//! give the names.
//!
//! SAFETY, for every block: a vector or a token exists only if detection found the instruction set.

/// The methods splat, read, write, load, read_bytes, add, xor, and, not, pin of
/// [`Words`](crate::isa::Words), from intrinsics, a swap of each word's bytes, and the function
/// `square` of the type.
macro_rules! operations {
    (
        $Isa:ident, $word:ident as $signed:ident, $lanes:literal lanes, $splat:ident, $load:ident, $store:ident, $add:ident, $xor:ident, $and:ident,
        $swap:ident
    ) => {
        type Isa = $Isa;
        type Word = $word;
        const LANES: usize = $lanes;
        const WAVES: usize = 1;
        #[inline]
        fn splat(_: $Isa, word: $word) -> Self {
            // SAFETY: the token proves the instruction set.
            Self(unsafe { $splat(word as $signed) })
        }
        #[inline(always)]
        fn read(_: $Isa, words: &[$word]) -> Self {
            let words = &words[..$lanes];
            // SAFETY: the token proves the instruction set; a whole vector is there.
            Self(unsafe { $load(words.as_ptr().cast()) })
        }
        #[inline(always)]
        fn write(self, words: &mut [$word]) {
            let words = &mut words[..$lanes];
            // SAFETY: the value proves the instruction set; a whole vector is there.
            unsafe { $store(words.as_mut_ptr().cast(), self.0) }
        }
        #[inline(always)]
        fn load<const N: usize>(isa: $Isa, order: ByteOrder, blocks: &Blocks, first_lane: usize, at: usize) -> [Self; N] {
            let starts = blocks.starts::<$lanes>(first_lane, at, N * size_of::<$word>());
            // SAFETY: `N` words are at each start, and no square reaches farther.
            squares!(N, $lanes, |first| unsafe { Self::square(isa, order, starts, first * size_of::<$word>()) })
        }
        #[inline(always)]
        fn read_bytes(_: $Isa, order: ByteOrder, bytes: &[u8]) -> Self {
            let bytes = &bytes[..size_of::<Self>()];
            // SAFETY: the token proves the instruction set; a whole vector is there.
            let words = unsafe { $load(bytes.as_ptr().cast()) };
            match order {
                // SAFETY: the token proves the instruction set.
                ByteOrder::Big => Self(unsafe { $swap(words) }),
                ByteOrder::Little => Self(words),
            }
        }
        #[inline]
        fn add(self, other: Self) -> Self {
            // SAFETY: the value proves the instruction set.
            Self(unsafe { $add(self.0, other.0) })
        }
        #[inline]
        fn xor(self, other: Self) -> Self {
            // SAFETY: the value proves the instruction set.
            Self(unsafe { $xor(self.0, other.0) })
        }
        #[inline]
        fn and(self, other: Self) -> Self {
            // SAFETY: the value proves the instruction set.
            Self(unsafe { $and(self.0, other.0) })
        }
        #[inline]
        fn not(self) -> Self {
            // SAFETY: the value proves the instruction set.
            Self(unsafe { $xor(self.0, $splat(-1)) })
        }
        #[inline]
        fn pin(self) -> Self {
            // SAFETY: the value proves the instruction set.
            Self(unsafe { pin(self.0) })
        }
    };
}

/// Rotation and shift for instruction sets without a rotation: two shifts and an exclusive or, as
/// in the papers.
macro_rules! rotation_by_shifts {
    ($word:ident, $left:ident, $right:ident, $xor:ident) => {
        #[inline]
        fn rotate_right<const R: u32>(self) -> Self {
            // SAFETY: the value proves the instruction set. Counts in a register become immediates;
            // `slli::<{ 32 - R }>` is not stable Rust.
            unsafe {
                let right = $right(self.0, _mm_cvtsi32_si128(R as i32));
                let left = $left(self.0, _mm_cvtsi32_si128(($word::BITS - R) as i32));
                Self($xor(right, left))
            }
        }
        #[inline]
        fn shift_right<const R: u32>(self) -> Self {
            // SAFETY: the value proves the instruction set.
            Self(unsafe { $right(self.0, _mm_cvtsi32_si128(R as i32)) })
        }
    };
}

/// The operations that AVX-512 has as single instructions, in registers of any length.
macro_rules! three_operand_logic {
    ($rotate:ident, $splat:ident as $signed:ident, $shift:ident, $ternary:ident) => {
        #[inline]
        fn rotate_right<const R: u32>(self) -> Self {
            // SAFETY: the value proves the instruction set. The variable rotate becomes an
            // immediate one; `ror::<{ R as i32 }>` is not stable Rust.
            Self(unsafe { $rotate(self.0, $splat(R as $signed)) })
        }
        #[inline]
        fn shift_right<const R: u32>(self) -> Self {
            // SAFETY: the value proves the instruction set. The count becomes an immediate.
            Self(unsafe { $shift(self.0, $splat(R as $signed)) })
        }
        #[inline]
        fn xor3(x: Self, y: Self, z: Self) -> Self {
            // SAFETY: the value proves the instruction set.
            Self(unsafe { $ternary::<0b1001_0110>(x.0, y.0, z.0) })
        }
        #[inline]
        fn choose(x: Self, y: Self, z: Self) -> Self {
            // SAFETY: the value proves the instruction set.
            Self(unsafe { $ternary::<0b1100_1010>(x.0, y.0, z.0) })
        }
        #[inline]
        fn majority(x: Self, y: Self, z: Self) -> Self {
            // SAFETY: the value proves the instruction set.
            Self(unsafe { $ternary::<0b1110_1000>(x.0, y.0, z.0) })
        }
        #[inline]
        fn xor_and_not(x: Self, y: Self, z: Self) -> Self {
            // SAFETY: the value proves the instruction set.
            Self(unsafe { $ternary::<0b1101_0010>(x.0, y.0, z.0) })
        }
        #[inline]
        fn xor_or_not(x: Self, y: Self, z: Self) -> Self {
            // SAFETY: the value proves the instruction set.
            Self(unsafe { $ternary::<0b0011_1001>(x.0, y.0, z.0) })
        }
        #[inline]
        fn add_choice(self, x: Self, choice: Self, other: Self) -> Self {
            self.add(Self::choose(x, choice, other))
        }
    };
}

/// The operations of [`Successive`](crate::isa::Successive) on the two vectors of 128 bits. The
/// compiler makes one instruction of two shifts and an or.
macro_rules! successive {
    ($U32:ident, $U64:ident) => {
        impl Successive for $U32 {
            #[inline]
            fn shift_in(self, next: Self) -> Self {
                // SAFETY: the values prove the instruction set.
                Self(unsafe { _mm_or_si128(_mm_srli_si128::<4>(self.0), _mm_slli_si128::<12>(next.0)) })
            }
            #[inline]
            fn last_two_first(self) -> Self {
                // SAFETY: the value proves the instruction set.
                Self(unsafe { _mm_srli_si128::<8>(self.0) })
            }
            #[inline]
            fn first_two_last(self) -> Self {
                // SAFETY: the value proves the instruction set.
                Self(unsafe { _mm_slli_si128::<8>(self.0) })
            }
            #[inline]
            fn first(self) -> u32 {
                // SAFETY: the value proves the instruction set.
                unsafe { _mm_cvtsi128_si32(self.0) as u32 }
            }
        }

        impl Successive for $U64 {
            #[inline]
            fn shift_in(self, next: Self) -> Self {
                // SAFETY: the values prove the instruction set.
                Self(unsafe { _mm_or_si128(_mm_srli_si128::<8>(self.0), _mm_slli_si128::<8>(next.0)) })
            }
            #[inline]
            fn last_two_first(self) -> Self {
                self
            }
            #[inline]
            fn first_two_last(self) -> Self {
                self
            }
            #[inline]
            fn first(self) -> u64 {
                // SAFETY: the value proves the instruction set.
                unsafe { _mm_cvtsi128_si64(self.0) as u64 }
            }
        }
    };
}

/// The two vectors of an instruction set, over one kind of register, and the identity of such a
/// register, which no addition is moved across. The identity is a function because `asm!` checks
/// its operands against the features of the function it stands in.
macro_rules! vectors {
    (
        $Isa:ident, $(#[$doc32:meta])* $U32:ident, $(#[$doc64:meta])* $U64:ident, $Register:ident in $class:ident of $feature:literal
    ) => {
        $(#[$doc32])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub struct $U32(pub(super) $Register);

        $(#[$doc64])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub struct $U64(pub(super) $Register);

        impl Isa for $Isa {
            type U32 = $U32;
            type U64 = $U64;
        }

        #[inline]
        #[target_feature(enable = $feature)]
        fn pin(mut x: $Register) -> $Register {
            if cfg!(not(miri)) {
                // SAFETY: there is no instruction, only the name of a register.
                unsafe { core::arch::asm!("/* {0} */", inout($class) x, options(pure, nomem, nostack, preserves_flags)) }
            }
            x
        }
    };
}

pub(super) use {operations, rotation_by_shifts, successive, three_operand_logic, vectors};
