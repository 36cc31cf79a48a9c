//! Kernels for one message: instructions made for it (the SHA extensions) or a message schedule in SIMD beside scalar rounds
//! (n-SMS, Gueron & Krasnov 2012). Interleaving the instructions of two to four messages hides the latency of each.

use crate::algorithm::sha1::Sha1Compression;
use crate::algorithm::sha256::Sha256Compression;
use crate::algorithm::sha512::Sha512Compression;
use crate::algorithm::{ChainingOf, Compression};
use crate::isa::Token;
#[cfg(target_arch = "x86_64")]
use crate::isa::{Bmi2, Bmi2Avx512, ShaNi, ShaNiAvx512Half, ShaNiAvx512Quarter};
use crate::lanes::{Blocks, Dealt};
use crate::shape::Shape;

#[cfg(all(test, target_arch = "x86_64"))]
mod dirty_halves;
#[cfg(target_arch = "x86_64")]
mod sha1_ni;
#[cfg(target_arch = "x86_64")]
mod sha256_ni;
#[cfg(target_arch = "x86_64")]
mod sha256_ni_sms;
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

/// The same for messages dealt out to lanes, `N` at a time.
pub(crate) trait SoloDealt<C: Compression, const N: usize>: Solo<C> {
    /// Compresses every block of the first `N` lanes into the states, interleaved. Panics if rows have not so many words.
    fn compress_dealt(self, states: &mut [Self::State; N], dealt: &Dealt);
}

/// The shapes of the SHA extensions.
#[cfg(target_arch = "x86_64")]
fn sha_ni_shapes<C: Compression>() -> Vec<Shape<C>>
where
    ShaNi: Solo<C>,
{
    vec![
        Shape::solo::<ShaNi, 1>("sha-ni"),
        Shape::solo::<ShaNi, 2>("sha-ni-x2"),
        Shape::solo::<ShaNi, 3>("sha-ni-x3"),
        Shape::solo::<ShaNi, 4>("sha-ni-x4"),
    ]
}

/// The shapes of the SHA extensions with schedules in lanes.
#[cfg(target_arch = "x86_64")]
fn sha_ni_sms_shapes() -> Vec<Shape<Sha256Compression>> {
    vec![
        Shape::solo::<ShaNiAvx512Quarter, 2>("sha-ni-sms-x2").only_long(),
        Shape::solo::<ShaNiAvx512Quarter, 4>("sha-ni-sms-x4").only_long(),
        Shape::solo_and_dealt::<ShaNiAvx512Half, 4>("sha-ni-sms256-x4").only_long(),
    ]
}

/// The shapes of scalar rounds beside a schedule in lanes.
#[cfg(target_arch = "x86_64")]
fn bmi2_shapes<C: Compression>() -> Vec<Shape<C>>
where
    Bmi2: Solo<C>,
    Bmi2Avx512: Solo<C>,
{
    vec![Shape::solo::<Bmi2, 1>("bmi2"), Shape::solo::<Bmi2Avx512, 1>("bmi2-avx512")]
}

/// Solo kernels of each compression function; none on CPUs that have no file here.
macro_rules! shapes {
    ($($(#[$doc:meta])* $name:ident $Compression:ident = $($shapes:ident)+;)*) => { $(
        $(#[$doc])*
        pub(crate) fn $name() -> Vec<Shape<$Compression>> {
            #[cfg(target_arch = "x86_64")]
            return [$($shapes()),+].concat();
            #[cfg(not(target_arch = "x86_64"))]
            Vec::new()
        }
    )* };
}
shapes! {
    /// Solo kernels of SHA-1.
    sha1_shapes Sha1Compression = sha_ni_shapes;
    /// Solo kernels of SHA-224 and SHA-256.
    sha256_shapes Sha256Compression = bmi2_shapes sha_ni_shapes sha_ni_sms_shapes;
    /// Solo kernels of the SHA-512 family.
    sha512_shapes Sha512Compression = bmi2_shapes;
}
