//! Which instructions compute: what this CPU can do, and how to insist on something else.
//!
//! Left alone, a batch is computed by a mixture of backends: wide lanes while there are many messages, narrower kernels for the last
//! few. [`force`] makes this process use one backend for every block, [`Batch::backend`](crate::Batch::backend) does so for one batch.
//! This library reads no environment variable by itself: a program that wants to be told from outside calls [`from_environment`].
//!
//! | name | what | messages at once (32-bit, 64-bit words) |
//! |---|---|---|
//! | `portable` | scalar code, any CPU | 1, 1 |
//! | `sse2`, `avx2`, `avx512` | lanes of 128, 256, 512 bits | 4, 2; 8, 4; 16, 8 |
//! | `avx512-128`, `avx512-256` | the instructions of AVX-512 on 128 and 256 bits | 4, 2; 8, 4 |
//! | `avx512-lean` | 512 bits, with the fewest operations instead of the shortest waits (SHA-1 has one form) | 16, 8 |
//! | `avx512x2` | two waves of 512 bits, interleaved | 32, 16 |
//! | `portable-x2`, `sse2x2`, `avx2x2`, `avx512x4` | two waves of the shorter ones, four of 512 bits (MD5) | 2; 8; 16; 64 |
//! | `sha-ni`, `sha-ni-x2`, `-x3`, `-x4` | SHA extensions, messages interleaved (SHA-1, SHA-224, SHA-256) | 1 to 4 |
//! | `sha-ni-sms-x2`, `-x4` | SHA extensions beside message schedules in lanes of 128 bits (SHA-224, SHA-256) | 2, 4 |
//! | `sha-ni-sms256-x4` | the same with lanes of 256 bits | 4 |
//! | `bmi2`, `bmi2-avx512` | message schedule in AVX2 or AVX-512 beside scalar rounds (SHA-2) | 1, 1 |
//!
//! ```
//! use manyhash::{Sha256, backend::Backend, hash_many};
//! for backend in Backend::supported() {
//!     if backend.supports::<Sha256>() {
//!         assert_eq!(backend.hash_many::<Sha256>(&["a", "bc"]).unwrap(), hash_many::<Sha256>(&["a", "bc"]));
//!     }
//! }
//! ```

use crate::algorithm::CompressionOf;
use crate::algorithms::Algorithm;
use crate::isa::{ALL_FEATURES, cpu};
use crate::kernel::cost;
use crate::schedule::compiled::Compiled;
use crate::schedule::mix::Mix;
use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An instruction set and a number of waves or messages, as in the table of [this module](self).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Backend {
    name: &'static str,
    lanes: usize,
    is_supported: bool,
}

impl Backend {
    /// Those this CPU can run.
    pub fn supported() -> Vec<Self> {
        Self::known().iter().copied().filter(|backend| backend.is_supported).collect()
    }

    /// All there are on this architecture, also those this CPU lacks.
    pub fn known() -> &'static [Self] {
        static KNOWN: OnceLock<Vec<Backend>> = OnceLock::new();
        KNOWN.get_or_init(|| {
            let mut known: Vec<Self> = Vec::new();
            macro_rules! add { ([] $($Algorithm:ident)*) => { $(
                for kernel in &<CompressionOf<crate::$Algorithm>>::mixes().all {
                    if known.iter().all(|backend| backend.name != kernel.name) {
                        known.push(Self { name: kernel.name, lanes: kernel.lanes, is_supported: kernel.is_supported() });
                    }
                }
            )* } }
            for_each_algorithm!(add []);
            known
        })
    }

    /// The one that does most of a large batch when nobody insists on another.
    pub fn best<A: Algorithm>() -> Self {
        let mix = &<CompressionOf<A>>::mixes().automatic;
        Self::known_by_name(mix.widest_kernel().name).expect("every kernel is known")
    }

    /// The one that [`force`] has chosen, or else the best.
    ///
    /// # Errors
    /// If a backend is forced that has no kernel for `A`: then `A` is computed as if none were.
    pub fn in_use<A: Algorithm>() -> Result<Self, BackendError> {
        match forced() {
            None => Ok(Self::best::<A>()),
            Some(backend) => backend.mix::<A>().map(|_| backend),
        }
    }

    /// The backend of this name.
    ///
    /// # Errors
    /// If there is none, or if this CPU lacks it.
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

    /// Its name, as in the table of [this module](self).
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Messages it advances together, of an algorithm with 32-bit words if it has kernels for any.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// Messages of the algorithm `A` it advances together; `None` if it has no kernel for `A`.
    pub fn lanes_of<A: Algorithm>(&self) -> Option<usize> {
        <CompressionOf<A>>::mixes().all.iter().find(|kernel| kernel.name == self.name).map(|kernel| kernel.lanes)
    }

    /// Whether it has a kernel for the algorithm `A` and this CPU can run it.
    pub fn supports<A: Algorithm>(&self) -> bool {
        self.mix::<A>().is_ok()
    }

    pub(crate) fn mix<A: Algorithm>(&self) -> Result<&'static Mix<CompressionOf<A>>, BackendError> {
        let mixes = <CompressionOf<A>>::mixes();
        let mine = mixes.all.iter().zip(&mixes.forced).find(|(kernel, _)| kernel.name == self.name);
        mine.and_then(|(_, mix)| mix.as_ref()).ok_or_else(|| BackendError {
            name: self.name.into(),
            reason: if self.is_supported { Reason::Algorithm(A::NAME) } else { Reason::Cpu },
            usable: mixes.all.iter().filter(|kernel| kernel.is_supported()).map(|kernel| kernel.name).collect(),
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

/// The family of CPUs whose measured costs decide which backends do what on this CPU: `zen`, `zen-4` or `golden-cove`. It is chosen by
/// the maker's name and family, so that a machine always makes the same choices.
pub fn cost_table() -> &'static str {
    cost::family().name
}

/// Which of [`Backend::known`] is forced, counted from 1; 0 is none.
static FORCED: AtomicUsize = AtomicUsize::new(0);

fn forced() -> Option<Backend> {
    let place = FORCED.load(Ordering::Relaxed).checked_sub(1)?;
    Some(Backend::known()[place])
}

/// Makes this process use one backend for every block from now on, wherever nothing else is said; `None` undoes that. An algorithm that it
/// has no kernel for is computed as if it were not forced: see [`Backend::in_use`].
///
/// # Errors
/// If this CPU lacks it.
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

/// Does what two environment variables say, and returns the backend that is forced. To be called before the first hash.
///
/// - `MANYHASH_BACKEND=<name>` forces a backend.
/// - `MANYHASH_WITHOUT=<instruction sets>`, with commas, leaves out what the CPU has: `avx512`, `avx2`, `sha`, or any feature as the compiler
///   names it; `sha-ni` is `sha`. A name stands for all features that begin with it.
///
/// A variable that is not set, or empty, says nothing.
///
/// # Errors
/// If there is no such backend or instruction set, if the CPU lacks the backend or it is left out, or if something else was to be left out
/// when this was called before.
pub fn from_environment() -> Result<Option<Backend>, BackendError> {
    let read = |variable: &str| std::env::var_os(variable).map(|value| value.to_string_lossy().into_owned()).unwrap_or_default();
    let without = read("MANYHASH_WITHOUT");
    let named = without.split(',').map(str::trim).filter(|name| !name.is_empty());
    let features: Vec<String> = named.map(|name| if name == "sha-ni" { "sha".into() } else { name.to_lowercase() }).collect();
    if let Some(unknown) = features.iter().find(|name| !ALL_FEATURES.iter().any(|feature| feature.starts_with(name.as_str()))) {
        return Err(BackendError { name: unknown.clone(), reason: Reason::Feature, usable: feature_names() });
    }
    if !features.is_empty() && !cpu::leave_out(features) {
        return Err(BackendError { name: without, reason: Reason::TooLate, usable: Vec::new() });
    }
    let name = read("MANYHASH_BACKEND");
    if name.is_empty() {
        return Ok(None);
    }
    let backend = Backend::by_name(&name)?;
    force(backend)?;
    Ok(Some(backend))
}

/// The features that may be left out, each once.
fn feature_names() -> Vec<&'static str> {
    let mut names = ALL_FEATURES.to_vec();
    names.sort_unstable();
    names.dedup();
    names
}

/// The kernels to use for `A`.
#[inline]
pub(crate) fn mix<A: Algorithm>() -> &'static Mix<CompressionOf<A>> {
    let automatic = &<CompressionOf<A>>::mixes().automatic;
    forced().map_or(automatic, |backend| backend.mix::<A>().unwrap_or(automatic))
}

/// The kernels to use for a message of `A` that is dealt out to lanes.
pub(crate) fn mix_for_dealt<A: Algorithm>() -> &'static Mix<CompressionOf<A>> {
    let automatic = &<CompressionOf<A>>::mixes().automatic_dealt;
    forced().map_or(automatic, |backend| backend.mix::<A>().unwrap_or(automatic))
}

/// Why a backend can't be used. Its text lists those that can.
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
    Feature,
    TooLate,
}

impl BackendError {
    /// Names that would do.
    pub fn usable(&self) -> &[&'static str] {
        &self.usable
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
            Reason::Algorithm(algorithm) => write!(f, "backend '{name}' has no {algorithm}; these have it: {usable}"),
        }
    }
}

impl std::error::Error for BackendError {}
