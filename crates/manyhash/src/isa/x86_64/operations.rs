//! The operations that some of x86-64's instruction sets have in common; the other files of this
//! folder give their names.
//!
//! SAFETY, for every block: a vector or a token exists only if detection found the instruction set.

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

/// The operations of [`Successive`](crate::isa::Successive) on two vectors of 128 bits. The
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
            fn shift_in_two(self, next: Self) -> Self {
                // SAFETY: the values prove the instruction set.
                Self(unsafe { _mm_or_si128(_mm_srli_si128::<8>(self.0), _mm_slli_si128::<8>(next.0)) })
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
            fn shift_in_two(self, next: Self) -> Self {
                next
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

pub(super) use {rotation_by_shifts, successive, three_operand_logic};
