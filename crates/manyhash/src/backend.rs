//! The instructions that compute: what this CPU can do, and how to force something else.
//!
//! By default, a batch is computed by a mixture of backends: wide lanes while there are many
//! messages, narrower kernels for the last few. [`force`] makes this process use one backend for
//! every block; [`Batch::backend`](crate::Batch::backend) does so for one batch. This library reads
//! no environment variable by itself. A program that wants to be told from outside calls
//! [`from_environment`].
//!
//! These are the backends of x86-64:
//!
//! | name | computes in | bits of vectors | waves | messages at once (32-bit, 64-bit words) |
//! |---|---|---|---|---|
//! | `portable` | scalar code | - | 1 | 1, 1 |
//! | `portable-x2` | scalar code | - | 2 | 2, - |
//! | `avx-scalar` | scalar rounds, schedule in vectors | 128 | 1 | 1, 1 |
//! | `bmi2` | scalar rounds, schedule in vectors | 128 | 1 | 1, 1 |
//! | `bmi2-avx512` | scalar rounds, schedule in vectors | 128 | 1 | 1, 1 |
//! | `bmi2-avx2` | scalar rounds, schedule in vectors | 256 | 1 | -, 1 |
//! | `avx512-rows-128` | vectors within one message | 128 | 1 | 1, - |
//! | `avx512-rows-256` | vectors within one message | 256 | 1 | -, 1 |
//! | `sse2` | lanes | 128 | 1 | 4, 2 |
//! | `sse2x2` | lanes | 128 | 2 | 8, - |
//! | `avx` | lanes | 128 | 1 | 4, 2 |
//! | `avx2` | lanes | 256 | 1 | 8, 4 |
//! | `avx2x2` | lanes | 256 | 2 | 16, - |
//! | `avx512-128` | lanes | 128 | 1 | 4, 2 |
//! | `avx512-256` | lanes | 256 | 1 | 8, 4 |
//! | `avx512` | lanes | 512 | 1 | 16, 8 |
//! | `avx512-lean` | lanes | 512 | 1 | 16, 8 |
//! | `avx512x2` | lanes | 512 | 2 | 32, 16 |
//! | `avx512x4` | lanes | 512 | 4 | 64, - |
//! | `sha-ni` | instructions for rounds | 128 | 1 | 1, - |
//! | `sha-ni-x2` | instructions for rounds | 128 | 2 | 2, - |
//! | `sha-ni-x3` | instructions for rounds | 128 | 3 | 3, - |
//! | `sha-ni-x4` | instructions for rounds | 128 | 4 | 4, - |
//! | `sha-ni-sms-x2` | instructions for rounds, schedules in vectors | 128 | 2 | 2, - |
//! | `sha-ni-sms-x4` | instructions for rounds, schedules in vectors | 128 | 4 | 4, - |
//! | `sha-ni-sms256-x4` | instructions for rounds, schedules in vectors | 256 | 4 | 4, - |
//!
//! These are those of AArch64:
//!
//! | name | computes in | bits of vectors | waves | messages at once (32-bit, 64-bit words) |
//! |---|---|---|---|---|
//! | `portable` | scalar code | - | 1 | 1, 1 |
//! | `portable-x2` | scalar code | - | 2 | 2, - |
//! | `neon` | lanes | 128 | 1 | 4, 2 |
//! | `neonx2` | lanes | 128 | 2 | 8, 4 |
//! | `neonx5` | lanes | 128 | 5 | 20, - |
//! | `neon-sha3` | lanes | 128 | 1 | 4, 2 |
//! | `sha-ce` | instructions for rounds | 128 | 1 | 1, - |
//! | `sha-ce-x2` | instructions for rounds | 128 | 2 | 2, - |
//! | `sha-ce-x3` | instructions for rounds | 128 | 3 | 3, - |
//! | `sha-ce-x4` | instructions for rounds | 128 | 4 | 4, - |
//! | `sha512-ce` | instructions for rounds | 128 | 1 | -, 1 |
//! | `sha512-ce-x2` | instructions for rounds | 128 | 2 | -, 2 |
//! | `sm3-ce` | instructions for rounds | 128 | 1 | 1, - |
//! | `sm3-ce-x2` | instructions for rounds | 128 | 2 | 2, - |
//! | `sm3-ce-x3` | instructions for rounds | 128 | 3 | 3, - |
//! | `sm3-ce-x4` | instructions for rounds | 128 | 4 | 4, - |
//! | `sha-ce-x8-beside-neon` | instructions for rounds, other messages in lanes | 128 | 12 | 12, - |
//!
//! And these are those of WebAssembly, in a module that is compiled with vectors (`-C target-feature=+simd128`). Other architectures
//! have the first two.
//!
//! | name | computes in | bits of vectors | waves | messages at once (32-bit, 64-bit words) |
//! |---|---|---|---|---|
//! | `portable` | scalar code | - | 1 | 1, 1 |
//! | `portable-x2` | scalar code | - | 2 | 2, - |
//! | `simd128` | lanes | 128 | 1 | 4, 2 |
//! | `simd128x2` | lanes | 128 | 2 | 8, - |
//!
//! A wave is a vector of lanes, or a message in registers of its own. Kernels with several waves
//! interleave their instructions, so that one computes while another waits. All algorithms have
//! lanes. Two waves of the widest vectors are only for algorithms that have registers left: MD5,
//! SHA-1 and SHA-2. More waves are for those whose rounds wait most, such as MD5. The SHA extensions
//! are for SHA-1, SHA-224 and SHA-256; those beside schedules in vectors are for the last two.
//! `bmi2` and `avx512-lean` are for SHA-2. [`Backend::lanes_of`] tells. `avx512-lean` has the fewest
//! operations, `avx512` the shortest waits. In `bmi2-avx512`, vectors compute half of each round too.
//! `neon-sha3` has the instructions for SHA-3, of which other algorithms use some; those named `ce` are
//! by the instructions for SHA-1 and SHA-256, for SHA-512, and for SM3.
//!
//! ```
//! use manyhash::{Sha256, backend::Backend, hash_many};
//! for backend in Backend::supported() {
//!     if backend.supports::<Sha256>() {
//!         assert_eq!(backend.hash_many::<Sha256>(&["a", "bc"]).unwrap(), hash_many::<Sha256>(&["a", "bc"]));
//!     }
//! }
//! ```

use crate::algorithm::{Compression, CompressionOf};
use crate::algorithms::Algorithm;
#[cfg(not(feature = "std"))]
pub use crate::isa::cpu::detect_by;
use crate::isa::{ALL_FEATURES, OnceLock, cpu};
use crate::kernel::cost;
use crate::kernel::list::in_lanes_names;
use crate::kernel::self_test::{self, Failure};
pub use crate::kernel::shape::Kind;
use crate::kernel::shape::Shape;
use crate::schedule::compiled::Compiled;
use crate::schedule::mix::Mix;
use alloc::{string::String, vec::Vec};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An instruction set and a number of waves or messages, as in the table of [this module](self).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Backend {
    name: &'static str,
    lanes: usize,
    shape: Shape,
    is_supported: bool,
}

impl Backend {
    /// Returns the backends that this CPU can run.
    pub fn supported() -> Vec<Self> {
        Self::known().iter().copied().filter(|backend| backend.is_supported).collect()
    }

    /// Returns all backends of this architecture, including those that this CPU lacks.
    pub fn known() -> &'static [Self] {
        static KNOWN: OnceLock<Vec<Backend>> = OnceLock::new();
        KNOWN.get_or_init(|| {
            let mut known: Vec<Self> = Vec::new();
            macro_rules! add { ([] $($Algorithm:ident)*) => { $(
                for kernel in &<CompressionOf<crate::$Algorithm>>::mixes().all {
                    if known.iter().all(|backend| backend.name != kernel.name) {
                        let is_supported = kernel.is_supported();
                        known.push(Self { name: kernel.name, lanes: kernel.lanes, shape: kernel.shape, is_supported });
                    }
                }
            )* } }
            for_each_algorithm!(add []);
            // No algorithm has all lanes.
            known.sort_by_key(|backend| in_lanes_names().iter().position(|name| *name == backend.name).unwrap_or(usize::MAX));
            known
        })
    }

    /// Returns the backend that does most of a large batch unless another is forced.
    pub fn best<A: Algorithm>() -> Self {
        let mix = &<CompressionOf<A>>::mixes().automatic;
        Self::known_by_name(mix.widest_kernel().name).expect("every kernel is known")
    }

    /// Returns the backend that [`force`] has chosen, or else the best.
    ///
    /// # Errors
    /// Fails if a backend is forced that has no kernel for `A`. Then `A` is computed as if none
    /// were forced. Fails if no backend of this CPU passes its self-test ([`health`]), so that
    /// digests would be wrong.
    pub fn in_use<A: Algorithm>() -> Result<Self, BackendError> {
        match forced() {
            None if !<CompressionOf<A>>::mixes().is_right => {
                Err(BackendError { name: Self::best::<A>().name.into(), reason: Reason::SelfTest(A::NAME), usable: Vec::new() })
            }
            None => Ok(Self::best::<A>()),
            Some(backend) => backend.mix::<A>().map(|_| backend),
        }
    }

    /// Returns the backend of this name.
    ///
    /// # Errors
    /// Fails if there is none, or if this CPU lacks it.
    pub fn by_name(name: &str) -> Result<Self, BackendError> {
        match Self::known_by_name(name) {
            Some(backend) if backend.is_supported => Ok(backend),
            found => {
                let reason = if found.is_some() { Reason::Cpu } else { Reason::Unknown };
                Err(BackendError { name: name.into(), reason, usable: Self::supported().iter().map(Self::name).collect() })
            }
        }
    }

    fn known_by_name(name: &str) -> Option<Self> {
        Self::known().iter().copied().find(|backend| backend.name == name)
    }

    /// Returns the name, as in the table of [this module](self).
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns how the backend computes.
    pub fn kind(&self) -> Kind {
        self.shape.kind
    }

    /// Returns the width in bits of the widest vectors that it computes in; `None` if it computes
    /// in none.
    pub fn vector_bits(&self) -> Option<usize> {
        self.shape.vector_bits
    }

    /// Returns the number of vectors of lanes, or messages in registers of their own, whose
    /// instructions it interleaves.
    pub fn waves(&self) -> usize {
        self.shape.waves
    }

    /// Returns the features of the CPU that it needs, as the compiler names them.
    pub fn features(&self) -> &'static [&'static str] {
        self.shape.features
    }

    /// Returns whether this CPU can run it and its features are not left out.
    pub fn is_supported(&self) -> bool {
        self.is_supported
    }

    /// Returns how many messages it advances together, of an algorithm with 32-bit words if it has
    /// kernels for any.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// Returns how many messages of the algorithm `A` it advances together; `None` if it has no
    /// kernel for `A`.
    pub fn lanes_of<A: Algorithm>(&self) -> Option<usize> {
        <CompressionOf<A>>::mixes().all.iter().find(|kernel| kernel.name == self.name).map(|kernel| kernel.lanes)
    }

    /// Returns whether it has a kernel for the algorithm `A` and this CPU can run it.
    pub fn supports<A: Algorithm>(&self) -> bool {
        self.mix::<A>().is_ok()
    }

    /// Returns its place among the kernels of a compression function; `None` if that has no such
    /// kernel.
    fn kernel_of<C: Compiled>(&self) -> Option<usize> {
        C::mixes().all.iter().position(|kernel| kernel.name == self.name)
    }

    pub(crate) fn mix<A: Algorithm>(&self) -> Result<&'static Mix<CompressionOf<A>>, BackendError> {
        let mine = self.kernel_of::<CompressionOf<A>>();
        mine.and_then(<CompressionOf<A>>::forced).ok_or_else(|| {
            let reason = match mine {
                Some(_) if self.is_supported => Reason::SelfTest(A::NAME),
                None if self.is_supported => Reason::Algorithm(A::NAME),
                _ => Reason::Cpu,
            };
            BackendError { name: self.name.into(), reason, usable: <CompressionOf<A>>::usable() }
        })
    }
}

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Backend({})", self.name)
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

/// Returns the family of CPUs whose costs decide which backends do what on this CPU. It is chosen by
/// the maker's name and the CPU's family and model, so that a machine always makes the same choices.
///
/// The costs of `zen-1`, `zen-3`, `zen-4`, `zen-5` and `golden-cove` were measured, those of `zen-2`,
/// `skylake`, `ice-lake` and all of AArch64 were modelled. Other CPUs have the nearest of these.
pub fn cost_table() -> &'static str {
    cost::family().name
}

/// A backend that computes an algorithm wrongly on this machine: see [`health`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unhealthy {
    backend: &'static str,
    algorithms: Vec<&'static str>,
}

impl Unhealthy {
    /// Returns the backend's name.
    pub fn backend(&self) -> &'static str {
        self.backend
    }

    /// Returns the names of the algorithms that it is not used for.
    pub fn algorithms(&self) -> &[&'static str] {
        &self.algorithms
    }
}

impl fmt::Display for Unhealthy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "backend '{}' computes {} wrongly on this machine and is left out", self.backend, self.algorithms.join(", "))
    }
}

/// Tests every backend that this CPU can run, and returns those that fail.
///
/// Every backend is tested before its first use: each of its lanes hashes two blocks whose result is
/// known. One that fails, because a compiler or a CPU is wrong, is left out, and digests stay right; a
/// backend that was asked for by name is then an error. That adds 40 to 100 us to the first call with
/// an algorithm (Zen 4). This function tests those, too, that would never be used, for a program that
/// wants to know at its start: 0.8 ms the first time. [`left_out`] tests nothing.
pub fn health() -> Vec<Unhealthy> {
    macro_rules! test { ($($Compression:path)*) => { $(
        for kernel in <$Compression>::mixes().all.iter().filter(|kernel| kernel.is_supported()) {
            self_test::passes(kernel);
            self_test::passes_dealt(kernel);
        }
    )* } }
    for_each_compression!(test);
    left_out()
}

/// Returns the backends that failed a test in this process until now: see [`health`].
pub fn left_out() -> Vec<Unhealthy> {
    let describe = |failure: Failure| {
        let mut algorithms = Vec::new();
        macro_rules! add { ([] $($Algorithm:ident)*) => { $(
            if <CompressionOf<crate::$Algorithm> as Compression>::NAME == failure.compression {
                algorithms.push(<crate::$Algorithm as Algorithm>::NAME);
            }
        )* } }
        for_each_algorithm!(add []);
        Unhealthy { backend: failure.backend, algorithms }
    };
    self_test::failures().into_iter().map(describe).collect()
}

/// The number of the forced backend in [`Backend::known`], counted from 1; 0 is none.
static FORCED: AtomicUsize = AtomicUsize::new(0);

#[inline(always)]
fn forced() -> Option<Backend> {
    #[cold]
    fn known(place: usize) -> Backend {
        Backend::known()[place]
    }
    FORCED.load(Ordering::Relaxed).checked_sub(1).map(known)
}

/// Makes this process use one backend for every block from now on, unless a batch names another;
/// `None` undoes that. An algorithm that the backend has no kernel for is computed as if none were
/// forced: see [`Backend::in_use`].
///
/// # Errors
/// Fails if this CPU lacks the backend.
///
/// ```
/// use manyhash::backend::{self, Backend};
/// backend::force(Backend::by_name("portable")?)?;
/// assert_eq!(Backend::in_use::<manyhash::Sha256>()?.name(), "portable");
/// backend::force(None)?;
/// # Ok::<(), backend::BackendError>(())
/// ```
pub fn force(backend: impl Into<Option<Backend>>) -> Result<(), BackendError> {
    let place = match backend.into() {
        None => 0,
        Some(backend) => {
            Backend::by_name(backend.name)?;
            1 + Backend::known().iter().position(|known| *known == backend).expect("a backend is one of those known")
        }
    };
    FORCED.store(place, Ordering::Relaxed);
    Ok(())
}

/// Leaves out, from now on, instruction sets that this CPU has: every choice is made as if it lacked
/// them. Call it before the first hash.
///
/// A name is a feature as the compiler names it, or `avx512` for all of AVX-512, or `sha-ni` for
/// `sha`. What needs a feature that is left out is left out too: `avx2` also means AVX-512, `avx` and
/// `sse2` mean the SHA extensions as well. So these are the tiers of a CPU that has everything:
///
/// | left out | what is left |
/// |---|---|
/// | `avx512` | AVX2 and the SHA extensions: AMD's Zen 2 and 3, Intel's clients |
/// | `avx512`, `sha` | AVX2 |
/// | `avx2` | AVX and the SHA extensions |
/// | `avx2`, `sha` | AVX: Intel's Sandy Bridge and Ivy Bridge |
/// | `avx` | SSE2 |
/// | `sse2` | scalar code |
///
/// On AArch64, `sha2` is SHA-1 and SHA-256, `sha3` is SHA-3 and SHA-512, `sm4` is SM3, and `neon` means
/// all of them.
///
/// # Errors
/// Fails if there is no such instruction set, or if it is too late: backends were asked for before,
/// or others were left out.
///
/// ```
/// use manyhash::backend::{self, Backend};
/// backend::leave_out(["avx512"])?;
/// assert!(Backend::by_name("avx512").is_err());
/// # Ok::<(), backend::BackendError>(())
/// ```
pub fn leave_out<'a>(instruction_sets: impl IntoIterator<Item = &'a str>) -> Result<(), BackendError> {
    let usable = cpu::names_to_leave_out();
    let named: Vec<&str> = instruction_sets.into_iter().map(|name| if name == "sha-ni" { "sha" } else { name }).collect();
    if let Some(unknown) = named.iter().find(|name| !usable.contains(name) && !ALL_FEATURES.contains(name)) {
        return Err(BackendError { name: (*unknown).into(), reason: Reason::Feature, usable });
    }
    if named.is_empty() || cpu::leave_out(named.iter().map(|&name| name.into()).collect()) {
        return Ok(());
    }
    Err(BackendError { name: named.join(","), reason: Reason::TooLate, usable: Vec::new() })
}

/// Does what two environment variables say, and returns the backend that is forced. Call it before
/// the first hash.
///
/// - `MANYHASH_BACKEND=<name>` forces a backend.
/// - `MANYHASH_WITHOUT=<instruction sets>`, with commas, leaves out what the CPU has, as
///   [`leave_out`] does: `avx512,sha`.
///
/// A variable that is empty or not set has no effect. If both are set, the backend must be one that
/// is not left out.
///
/// # Errors
/// Fails as [`force`] and [`leave_out`] do. [`BackendError::variable`] says which variable is wrong.
#[cfg(feature = "std")]
pub fn from_environment() -> Result<Option<Backend>, BackendError> {
    let read = |variable: &str| std::env::var_os(variable).map(|value| value.to_string_lossy().into_owned()).unwrap_or_default();
    // For tests of what a user sees of a backend that is wrong. A release build does not ask.
    #[cfg(debug_assertions)]
    crate::kernel::broken::break_backends(&read("MANYHASH_TEST_BREAK"));
    let without = read(WITHOUT).to_lowercase();
    leave_out(without.split(',').map(str::trim).filter(|name| !name.is_empty()))?;
    let name = read(BACKEND);
    if name.is_empty() {
        return Ok(None);
    }
    let backend = Backend::by_name(&name)?;
    force(backend)?;
    Ok(Some(backend))
}

/// The environment variables of `from_environment`.
#[cfg_attr(not(feature = "std"), allow(dead_code, reason = "there is no environment"))]
const BACKEND: &str = "MANYHASH_BACKEND";
#[cfg_attr(not(feature = "std"), allow(dead_code, reason = "there is no environment"))]
const WITHOUT: &str = "MANYHASH_WITHOUT";

/// Returns the kernels to use for `A`.
#[inline]
pub(crate) fn mix<A: Algorithm>() -> &'static Mix<CompressionOf<A>> {
    mix_of()
}

/// Returns the kernels to use for the compression function `C`.
#[inline]
pub(crate) fn mix_of<C: Compiled>() -> &'static Mix<C> {
    forced().and_then(|backend| C::forced(backend.kernel_of::<C>()?)).unwrap_or_else(|| &C::mixes().automatic)
}

/// Returns the kernels to use for a message of `A` that is dealt out to lanes.
pub(crate) fn mix_for_dealt<A: Algorithm>() -> &'static Mix<CompressionOf<A>> {
    forced().and_then(|backend| backend.mix::<A>().ok()).unwrap_or_else(<CompressionOf<A>>::automatic_dealt)
}

/// The reason why a backend can't be used. Its text lists those that can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackendError {
    name: String,
    reason: Reason,
    usable: Vec<&'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    Unknown,
    Cpu,
    Algorithm(&'static str),
    SelfTest(&'static str),
    Feature,
    TooLate,
}

impl BackendError {
    /// Returns the names of the backends that can be used, or of the instruction sets that can be left
    /// out.
    pub fn usable(&self) -> &[&'static str] {
        &self.usable
    }

    /// Returns the environment variable that is wrong, if this is an error of [`from_environment`].
    pub fn variable(&self) -> &'static str {
        if matches!(self.reason, Reason::Feature | Reason::TooLate) { WITHOUT } else { BACKEND }
    }
}

impl fmt::Display for BackendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, usable) = (&self.name, self.usable.join(", "));
        match self.reason {
            Reason::Unknown => write!(f, "unknown backend '{name}'; this CPU can run: {usable}"),
            Reason::Cpu => write!(f, "backend '{name}' needs instructions this CPU lacks or that are left out; it can run: {usable}"),
            Reason::Feature => write!(f, "unknown instruction set '{name}'; these can be left out: {usable}"),
            Reason::TooLate => write!(f, "too late to leave out {name}: it was asked before which instruction sets there are"),
            Reason::SelfTest(algorithm) if usable.is_empty() => {
                write!(f, "backend '{name}' computes {algorithm} wrongly on this machine, as all others do")
            }
            Reason::SelfTest(algorithm) => {
                write!(f, "backend '{name}' computes {algorithm} wrongly on this machine; these have it: {usable}")
            }
            Reason::Algorithm(algorithm) => write!(f, "backend '{name}' has no {algorithm}; these have it: {usable}"),
        }
    }
}

impl std::error::Error for BackendError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AnyAlgorithm, ForAlgorithm};

    struct ShapeAndLanes(Backend);
    impl ForAlgorithm for ShapeAndLanes {
        /// The bytes of a word, the shape and the number of lanes.
        type Output = Option<(usize, Shape, usize)>;
        fn run<A: Algorithm>(self) -> Self::Output {
            let kernel = <CompressionOf<A>>::mixes().all.iter().find(|kernel| kernel.name == self.0.name)?;
            Some((size_of::<crate::algorithm::WordOf<CompressionOf<A>>>(), kernel.shape, kernel.lanes))
        }
    }

    fn shapes(backend: Backend) -> impl Iterator<Item = (usize, Shape, usize)> {
        AnyAlgorithm::ALL.iter().filter_map(move |algorithm| algorithm.with(ShapeAndLanes(backend)))
    }

    #[test]
    fn a_backend_is_made_of_the_same_for_all_algorithms() {
        for &backend in Backend::known() {
            for (word_bytes, shape, lanes) in shapes(backend) {
                assert_eq!(shape, backend.shape, "{backend}");
                let of_a_wave = shape.vector_bits.filter(|_| shape.kind == Kind::Lanes).map_or(1, |bits| bits / 8 / word_bytes);
                assert_eq!(lanes, shape.waves * of_a_wave, "{backend}");
            }
        }
    }

    #[test]
    fn the_table_says_what_backends_are_made_of() {
        if !cfg!(any(target_arch = "x86_64", target_arch = "aarch64", all(target_arch = "wasm32", target_feature = "simd128"))) {
            return; // there is no table of others
        }
        let mut backends = Backend::known().to_vec();
        backends.sort_by_key(Backend::kind);
        let mut table = String::new();
        for backend in backends {
            let lanes =
                |bytes| shapes(backend).find(|(word_bytes, ..)| *word_bytes == bytes).map_or("-".into(), |(.., lanes)| lanes.to_string());
            let bits = backend.vector_bits().map_or("-".into(), |bits| bits.to_string());
            let (kind, waves) = (backend.kind(), backend.waves());
            table += &format!("//! | `{backend}` | {kind} | {bits} | {waves} | {}, {} |\n", lanes(4), lanes(8));
        }
        assert!(include_str!("backend.rs").contains(&table), "the table in the documentation of this file should be:\n{table}");
    }
}
