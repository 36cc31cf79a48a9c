//! The "nothing up my sleeve" numbers: bits of square and cube roots, computed.
//!
//! What: FIPS 180-4 takes its constants from the fractional parts of roots of the first primes
//! (4.2.2, 4.2.3, 5.3.3 to 5.3.5). Why computed: a table copied twice may hold one error twice.

/// The prime numbers in order.
pub(crate) fn primes() -> impl Iterator<Item = u32> {
    (2..).filter(|&number| (2..number).all(|divisor| number % divisor != 0))
}

/// The first 64 bits of the fractional parts of the square roots of eight primes, in order, the
/// first `skipped` primes left out (5.3.3 to 5.3.5).
pub(crate) fn of_eight_primes(skipped: usize) -> [u64; 8] {
    let mut primes = primes().skip(skipped);
    [(); 8].map(|()| square_root(primes.next().expect("primes never end"), 64) as u64)
}

/// The square root of `number` times 2^`fraction_bits`, rounded down.
/// Cut to its low `fraction_bits` bits it is the first bits of the root's fractional part.
pub(crate) fn square_root(number: u32, fraction_bits: u32) -> u128 {
    root(number, 2, fraction_bits)
}

/// The cube root of `number` times 2^`fraction_bits`, rounded down.
pub(crate) fn cube_root(number: u32, fraction_bits: u32) -> u128 {
    root(number, 3, fraction_bits)
}

/// An unsigned integer of 256 bits in 32-bit digits, the least first: room for a cube of 72 bits.
type Wide = [u32; 8];

/// The largest r with r^degree <= number * 2^(degree * fraction_bits), bit by bit from the top.
fn root(number: u32, degree: usize, fraction_bits: u32) -> u128 {
    let mut target: Wide = [0; 8];
    let shift_bits = degree * fraction_bits as usize;
    let shifted = u64::from(number) << (shift_bits % 32);
    target[shift_bits / 32] = shifted as u32;
    target[shift_bits / 32 + 1] = (shifted >> 32) as u32;

    let mut root: u128 = 0;
    for bit in (0..fraction_bits + 8).rev() {
        let candidate = root | 1 << bit;
        let power = (1..degree).fold(wide(candidate), |power, _| multiply(power, wide(candidate)));
        if power.iter().rev().le(target.iter().rev()) {
            root = candidate;
        }
    }
    root
}

fn wide(number: u128) -> Wide {
    std::array::from_fn(|digit| if digit < 4 { (number >> (32 * digit)) as u32 } else { 0 })
}

/// The product, as learnt at school. It must fit: callers stay below 2^256.
fn multiply(x: Wide, y: Wide) -> Wide {
    let mut product: Wide = [0; 8];
    for i in 0..8 {
        let mut carry = 0;
        for j in 0..8 - i {
            let digit = u64::from(x[i]) * u64::from(y[j]) + u64::from(product[i + j]) + carry;
            product[i + j] = digit as u32;
            carry = digit >> 32;
        }
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_primes_fips_180_4_names() {
        let first: Vec<u32> = primes().take(80).collect();
        assert_eq!(first[..8], [2, 3, 5, 7, 11, 13, 17, 19]);
        assert_eq!((first[8], first[15]), (23, 53)); // 5.3.4: the ninth to the sixteenth
        assert_eq!((first[63], first[79]), (311, 409)); // 4.2.2: sixty-four, 4.2.3: eighty
    }

    #[test]
    fn whole_roots_are_exact() {
        for number in 1..=20 {
            assert_eq!(square_root(number * number, 64), u128::from(number) << 64);
            assert_eq!(cube_root(number * number * number, 64), u128::from(number) << 64);
        }
    }

    /// Against another way to a root: f64 holds 53 bits of it.
    #[test]
    fn roots_agree_with_floating_point() {
        for number in primes().take(80) {
            let scale = (1u64 << 40) as f64;
            assert_eq!(square_root(number, 40), (f64::from(number).sqrt() * scale) as u128, "square root of {number}");
            assert_eq!(cube_root(number, 40), (f64::from(number).cbrt() * scale) as u128, "cube root of {number}");
        }
    }

    /// Digits carry into the next: against products that fit in 128 bits.
    #[test]
    fn multiplication_carries() {
        for x in [0, 1, 0xffff_ffff, 0x1_0000_0000, 0x0123_4567_89ab_cdef, u64::MAX] {
            for y in [0, 1, 0xffff_ffff, 0x8000_0000_0000_0001, u64::MAX] {
                let product = u128::from(x) * u128::from(y);
                assert_eq!(multiply(wide(x.into()), wide(y.into())), wide(product), "{x} * {y}");
            }
        }
    }
}
