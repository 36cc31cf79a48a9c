//! The operations that the vectors with and without the SHA-3 instructions have in common.
//!
//! SAFETY, for every block: a vector or a token exists only if detection found the instruction set.

/// Rotation, shift and the three-operand logic that one instruction does, from the intrinsics for words
/// of a width. Rotations are two shifts, of which the second adds; the compiler knows those that are a
/// move of bytes.
macro_rules! shifts_and_selection {
    ($word:ident as $signed:ident, $shift:ident, $splat_count:ident, $or:ident, $or_not:ident, $select:ident) => {
        #[inline]
        fn rotate_right<const R: u32>(self) -> Self {
            // SAFETY: the value proves the instruction set. Shifts to the left by a count in a register,
            // to the right if it is negative, become shifts by an immediate: `shl::<{ 32 - R }>` is not
            // stable Rust.
            unsafe {
                let right = $shift(self.0, $splat_count(-(R as $signed)));
                let left = $shift(self.0, $splat_count(($word::BITS - R) as $signed));
                Self($or(right, left))
            }
        }
        #[inline]
        fn shift_right<const R: u32>(self) -> Self {
            // SAFETY: the value proves the instruction set.
            Self(unsafe { $shift(self.0, $splat_count(-(R as $signed))) })
        }
        #[inline]
        fn choose(x: Self, y: Self, z: Self) -> Self {
            // SAFETY: the value proves the instruction set.
            Self(unsafe { $select(x.0, y.0, z.0) })
        }
        #[inline]
        fn majority(x: Self, y: Self, z: Self) -> Self {
            // SAFETY: the value proves the instruction set. `x ^ y` is `y ^ z` of the next round, so that
            // the compiler computes it once.
            Self(unsafe { $select(x.xor(y).0, z.0, y.0) })
        }
        /// The or with a complement is one instruction.
        #[inline]
        fn xor_or_not(x: Self, y: Self, z: Self) -> Self {
            // SAFETY: the value proves the instruction set.
            y.xor(Self(unsafe { $or_not(x.0, z.0) }))
        }
        #[inline]
        fn add_choice(self, x: Self, choice: Self, other: Self) -> Self {
            self.add(Self::choose(x, choice, other))
        }
    };
}

pub(super) use shifts_and_selection;
