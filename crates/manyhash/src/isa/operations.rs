//! The operations that every instruction set has under some name. The files of each architecture's
//! folder give the names.
//!
//! SAFETY, for every block: a vector or a token exists only if detection found the instruction set.

#![cfg_attr(target_arch = "wasm32", allow(unused_macros, unused_imports, reason = "registers have no names there"))]

// Words move as arrays: intrinsics that load and store would check in debug builds, by pointers that the compiler keeps in vectors, that what
// they copy does not overlap, and proofs of machine code do not follow vectors of pointers.
/// The methods splat, read, write, load, read_bytes, add, xor, and, not, pin of
/// [`Words`](crate::isa::Words), from intrinsics, a swap of each word's bytes, and the function
/// `square` of the type.
macro_rules! operations {
    (
        $Isa:ident, $word:ident as $signed:ident, $lanes:literal lanes, $splat:ident, $add:ident, $xor:ident, $and:ident, $swap:ident
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
            let words: &[$word; $lanes] = words[..$lanes].first_chunk().expect("as many words as lanes");
            // SAFETY: the token proves the instruction set; a vector is its words.
            unsafe { core::mem::transmute::<[$word; $lanes], Self>(*words) }
        }
        #[inline(always)]
        fn write(self, words: &mut [$word]) {
            let words: &mut [$word; $lanes] = words[..$lanes].first_chunk_mut().expect("as many words as lanes");
            // SAFETY: the value proves the instruction set; a vector is its words.
            *words = unsafe { core::mem::transmute::<Self, [$word; $lanes]>(self) };
        }
        #[inline(always)]
        fn load<const N: usize>(isa: $Isa, order: ByteOrder, blocks: &Blocks, first_lane: usize, at: usize) -> [Self; N] {
            let starts = blocks.starts::<$lanes>(first_lane, at, N * size_of::<$word>());
            // SAFETY: `N` words are at each start, and no square reaches farther.
            squares!(N, $lanes, |first| unsafe { Self::square(isa, order, starts, first * size_of::<$word>()) })
        }
        #[inline(always)]
        fn read_bytes(_: $Isa, order: ByteOrder, bytes: &[u8]) -> Self {
            let bytes: &[u8; size_of::<Self>()] = bytes[..size_of::<Self>()].first_chunk().expect("a whole vector");
            // SAFETY: the token proves the instruction set; a vector is its bytes.
            let words = unsafe { core::mem::transmute::<[u8; size_of::<Self>()], Self>(*bytes) }.0;
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
            Self(unsafe { $xor(self.0, $splat($word::MAX as $signed)) })
        }
        #[inline]
        fn pin(self) -> Self {
            // SAFETY: the value proves the instruction set.
            Self(unsafe { Self::pinned(self.0) })
        }
    };
}

/// The two vectors of an instruction set, over one kind of register, and the identity of such a
/// register, which no addition is moved across. The identity is a function because `asm!` checks
/// its operands against the features of the function it stands in.
macro_rules! vectors {
    (
        $Isa:ident, $(#[$doc32:meta])* $U32:ident($Register32:ident), $(#[$doc64:meta])* $U64:ident($Register64:ident),
        in $class:ident $name:literal of $feature:literal
    ) => {
        vectors!($(#[$doc32])* $U32($Register32), in $class $name of $feature);
        vectors!($(#[$doc64])* $U64($Register64), in $class $name of $feature);

        impl Isa for $Isa {
            type U32 = $U32;
            type U64 = $U64;
        }
    };
    ($(#[$doc:meta])* $Vector:ident($Register:ident), in $class:ident $name:literal of $feature:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub struct $Vector(pub(super) $Register);

        impl $Vector {
            #[inline]
            #[target_feature(enable = $feature)]
            fn pinned(mut x: $Register) -> $Register {
                if cfg!(not(miri)) {
                    // SAFETY: there is no instruction, only the name of a register.
                    unsafe { core::arch::asm!($name, inout($class) x, options(pure, nomem, nostack, preserves_flags)) }
                }
                x
            }
        }
    };
}

pub(super) use {operations, vectors};
