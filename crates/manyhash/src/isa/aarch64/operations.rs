//! The operations that the vectors with and without the SHA-3 instructions have in common.
//!
//! SAFETY, for every block: a vector or a token exists only if detection found the instruction set.

/// Rotation by a shift to the left, and one to the right that is inserted below it. Of the ways that are two instructions, the second
/// waits least (Arm's optimisation guides), but the compiler takes one that adds: SHA-1 in one wave took 640 cycles a block and not
/// 485 (llvm-mca, Neoverse V2). It knows the rotation that swaps halves, which is one instruction.
macro_rules! rotation_by_insertion {
    ($word:ident as $signed:ident, $shift:ident, $splat_count:ident, $or:ident, $insert:literal) => {
        #[inline]
        fn rotate_right<const R: u32>(self) -> Self {
            if R == 0 || 2 * R == $word::BITS || cfg!(miri) {
                return rotated!(self, R, $word as $signed, $shift, $splat_count, $or);
            }
            // SAFETY: the value proves the instruction set. Shifts to the left by a count in a register become shifts by an immediate.
            let mut left = unsafe { $shift(self.0, $splat_count(($word::BITS - R) as $signed)) };
            // SAFETY: every AArch64 with vectors has the instruction, which changes one register.
            unsafe { core::arch::asm!($insert, inout(vreg) left, in(vreg) self.0, const R, options(pure, nomem, nostack, preserves_flags)) }
            Self(left)
        }
    };
}

/// Rotation in a form that the compiler knows.
macro_rules! known_rotation {
    ($word:ident as $signed:ident, $shift:ident, $splat_count:ident, $or:ident) => {
        #[inline]
        fn rotate_right<const R: u32>(self) -> Self {
            rotated!(self, R, $word as $signed, $shift, $splat_count, $or)
        }
    };
}

/// Two shifts, and an or.
macro_rules! rotated {
    ($self:ident, $R:ident, $word:ident as $signed:ident, $shift:ident, $splat_count:ident, $or:ident) => {
        // SAFETY: the value proves the instruction set. Shifts to the left by a count in a register, to the right if it is negative,
        // become shifts by an immediate: `shl::<{ 32 - R }>` is not stable Rust.
        unsafe {
            let right = $shift($self.0, $splat_count(-($R as $signed)));
            Self($or(right, $shift($self.0, $splat_count(($word::BITS - $R) as $signed))))
        }
    };
}

/// Shift and the three-operand logic that one instruction does, from the intrinsics for words of a width.
macro_rules! shifts_and_selection {
    ($signed:ident, $shift:ident, $splat_count:ident, $or_not:ident, $select:ident) => {
        #[inline]
        fn in_order(self) -> Self {
            let mut x = self.0;
            if cfg!(not(miri)) {
                // SAFETY: there is no instruction, only the name of a register. Not `pure`, to stay in order.
                unsafe { core::arch::asm!("/* {0:v} */", inout(vreg) x, options(nomem, nostack, preserves_flags)) }
            }
            Self(x)
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

pub(super) use {known_rotation, rotated, rotation_by_insertion, shifts_and_selection};
