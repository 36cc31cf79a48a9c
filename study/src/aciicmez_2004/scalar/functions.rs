//! Figure 4.1: the boolean functions as FIPS 180 defines them, and as the paper does, in fewer instructions.

use super::word::Word;

/// Ch.
#[inline(always)]
pub fn choose<W: Word, const REDEFINED: bool>(x: W, y: W, z: W) -> W {
    if REDEFINED { z.xor(x.and(y.xor(z))) } else { x.and(y).xor(x.not().and(z)) }
}

/// Maj.
#[inline(always)]
pub fn majority<W: Word, const REDEFINED: bool>(x: W, y: W, z: W) -> W {
    if REDEFINED { y.and(x.or(z)).or(x.and(z)) } else { x.and(y).xor(x.and(z)).xor(y.and(z)) }
}

/// Parity: the same in both.
#[inline(always)]
pub fn parity<W: Word>(x: W, y: W, z: W) -> W {
    x.xor(y).xor(z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redefined_functions_are_the_same_functions() {
        // All eight combinations of three bits.
        let (x, y, z) = (0b1111_0000_u32, 0b1100_1100, 0b1010_1010);
        assert_eq!(choose::<_, true>(x, y, z), 0b1100_1010);
        assert_eq!(choose::<_, false>(x, y, z), 0b1100_1010);
        assert_eq!(majority::<_, true>(x, y, z), 0b1110_1000);
        assert_eq!(majority::<_, false>(x, y, z), 0b1110_1000);
        assert_eq!(parity(x, y, z), 0b1001_0110);
    }
}
