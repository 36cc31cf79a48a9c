//! Kernels for one message: instructions made for it (the SHA extensions) or a message schedule in SIMD beside scalar rounds
//! (n-SMS, Gueron & Krasnov 2012). Interleaving the instructions of two to four messages hides the latency of each.

use crate::algorithm::sha1::Sha1Compression;
use crate::algorithm::sha256::Sha256Compression;
use crate::algorithm::sha512::Sha512Compression;
use crate::algorithm::{ChainingOf, Compression};
use crate::isa::Token;
use crate::lanes::Blocks;
use crate::shape::Shape;

#[cfg(target_arch = "x86_64")]
mod sha1_ni;
#[cfg(target_arch = "x86_64")]
mod sha256_ni;
#[cfg(target_arch = "x86_64")]
mod sha2_bmi2;
#[cfg(target_arch = "x86_64")]
mod sha_ni;

/// An instruction set that has kernels for single messages of the compression function `C`.
pub(crate) trait Solo<C: Compression>: Token {
    /// A message's chaining value in registers.
    type State: Copy;
    /// Into registers.
    fn load(self, state: &ChainingOf<C>) -> Self::State;
    /// Out of registers.
    fn store(self, state: &Self::State) -> ChainingOf<C>;
    /// Compresses every block of lanes `0..N` into the states, interleaved.
    fn compress<const N: usize>(self, states: &mut [Self::State; N], blocks: &Blocks);
}

/// Solo kernels of SHA-1.
pub(crate) fn sha1_shapes() -> Vec<Shape<Sha1Compression>> {
    #[cfg(target_arch = "x86_64")]
    {
        use crate::isa::ShaNi;
        vec![
            Shape::solo::<ShaNi, 1>("sha-ni"),
            Shape::solo::<ShaNi, 2>("sha-ni-x2"),
            Shape::solo::<ShaNi, 3>("sha-ni-x3"),
            Shape::solo::<ShaNi, 4>("sha-ni-x4"),
        ]
    }
    #[cfg(not(target_arch = "x86_64"))]
    Vec::new()
}

/// Solo kernels of SHA-224 and SHA-256.
pub(crate) fn sha256_shapes() -> Vec<Shape<Sha256Compression>> {
    #[cfg(target_arch = "x86_64")]
    {
        use crate::isa::{Bmi2, Bmi2Avx512, ShaNi};
        vec![
            Shape::solo::<Bmi2, 1>("bmi2"),
            Shape::solo::<Bmi2Avx512, 1>("bmi2-avx512"),
            Shape::solo::<ShaNi, 1>("sha-ni"),
            Shape::solo::<ShaNi, 2>("sha-ni-x2"),
            Shape::solo::<ShaNi, 3>("sha-ni-x3"),
            Shape::solo::<ShaNi, 4>("sha-ni-x4"),
        ]
    }
    #[cfg(not(target_arch = "x86_64"))]
    Vec::new()
}

/// Solo kernels of the SHA-512 family.
pub(crate) fn sha512_shapes() -> Vec<Shape<Sha512Compression>> {
    #[cfg(target_arch = "x86_64")]
    {
        use crate::isa::{Bmi2, Bmi2Avx512};
        vec![Shape::solo::<Bmi2, 1>("bmi2"), Shape::solo::<Bmi2Avx512, 1>("bmi2-avx512")]
    }
    #[cfg(not(target_arch = "x86_64"))]
    Vec::new()
}
