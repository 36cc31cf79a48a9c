//! The ways to hash many messages: the automatic one and every backend, none skipped in silence.
//!
//! MANYHASH_REQUIRE_BACKENDS: names of backends, separated by commas, that must run, `all`, or `cpuinfo`: those whose features Linux
//! says that the CPU has. Without one of them a test fails instead of saying SKIPPED.

use std::io::Write;
use std::sync::Once;

use manyhash::Algorithm;
use manyhash::backend::{self, Backend};

/// A way to hash many messages.
#[derive(Clone, Copy)]
pub enum Door {
    /// `manyhash::hash_many`.
    Automatic,
    /// One backend for every block.
    Forced(Backend),
}

impl Door {
    pub fn name(self) -> &'static str {
        match self {
            Self::Automatic => "automatic",
            Self::Forced(backend) => backend.name(),
        }
    }

    /// Messages of `A` it advances together.
    pub fn lanes<A: Algorithm>(self) -> usize {
        let backend = match self {
            Self::Automatic => Backend::best::<A>(),
            Self::Forced(backend) => backend,
        };
        backend.lanes_of::<A>().unwrap_or_else(|| panic!("{backend} has no kernel for {}", A::NAME))
    }

    pub fn hash_many<A: Algorithm>(self, messages: &[impl AsRef<[u8]>]) -> Vec<A::Digest> {
        match self {
            Self::Automatic => manyhash::hash_many::<A>(messages),
            Self::Forced(backend) => backend.hash_many::<A>(messages).unwrap_or_else(|error| panic!("{backend}, {}: {error}", A::NAME)),
        }
    }
}

/// Whether MANYHASH_BACKEND forces one that this CPU can run but that is not made for `A`: there is
/// nothing to test, and it says so.
pub fn forced_backend_lacks<A: Algorithm>() -> bool {
    do_as_the_environment_says();
    let Err(error) = Backend::in_use::<A>() else { return false };
    say(&format!("not tested under MANYHASH_BACKEND: {error}"));
    true
}

/// Forces the backend in MANYHASH_BACKEND, and leaves out what MANYHASH_WITHOUT says. That must come
/// before anything else asks for backends.
pub fn do_as_the_environment_says() {
    static ONCE: Once = Once::new();
    ONCE.call_once_force(|_| {
        backend::from_environment().unwrap_or_else(|error| panic!("{}: {error}", error.variable()));
    });
}

/// The automatic way, then every backend of this CPU that has a kernel for `A`.
pub fn doors<A: Algorithm>() -> Vec<Door> {
    do_as_the_environment_says();
    static REPORT: Once = Once::new();
    REPORT.call_once_force(|_| report_skipped()); // again in every test, if it panics
    let forced = Backend::supported().into_iter().filter(Backend::supports::<A>).map(Door::Forced);
    [Door::Automatic].into_iter().chain(forced).collect()
}

/// As [`doors`], but under a forced backend only the automatic way, which goes to that backend then.
pub fn doors_not_forced<A: Algorithm>() -> Vec<Door> {
    let mut doors = doors::<A>();
    doors.truncate(if is_backend_forced() { 1 } else { doors.len() });
    doors
}

/// Whether MANYHASH_BACKEND names one.
pub fn is_backend_forced() -> bool {
    std::env::var_os("MANYHASH_BACKEND").is_some_and(|name| !name.is_empty())
}

/// The most messages of `A` that any way advances together.
pub fn most_lanes<A: Algorithm>() -> usize {
    doors::<A>().into_iter().map(Door::lanes::<A>).max().expect("the automatic way is always there")
}

/// Past the test harness, which keeps what `println!` says to itself unless the test fails.
pub fn say(line: &str) {
    // A closed standard error is no reason to fail.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Says which backends this CPU lacks; panics if one of them is required.
pub fn report_skipped() {
    let supported: Vec<&str> = Backend::supported().iter().map(Backend::name).collect();
    let lacking: Vec<&str> = Backend::known().iter().filter(|backend| !backend.is_supported()).map(Backend::name).collect();
    for name in &lacking {
        say(&format!("SKIPPED: backend {name}: CPU lacks it"));
    }
    let required = std::env::var("MANYHASH_REQUIRE_BACKENDS").unwrap_or_default();
    let required: Vec<&str> = match &*required {
        "all" => Backend::known().iter().map(Backend::name).collect(),
        "cpuinfo" => allowed_by_linux(),
        names => names.split(',').map(str::trim).filter(|name| !name.is_empty()).collect(),
    };
    let missing: Vec<&str> = required.into_iter().filter(|name| !supported.contains(name)).collect();
    assert!(missing.is_empty(), "MANYHASH_REQUIRE_BACKENDS names {missing:?}; this CPU has {supported:?}");
}

/// The backends whose features are all in /proc/cpuinfo: what the CPU has by another word than the engine's own.
fn allowed_by_linux() -> Vec<&'static str> {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_else(|error| panic!("MANYHASH_REQUIRE_BACKENDS: /proc/cpuinfo: {error}"));
    let list = info.lines().find(|line| line.starts_with("flags") || line.starts_with("Features"));
    let list = list.expect("/proc/cpuinfo has a line of features");
    let has = |feature: &str| list.split_whitespace().any(|name| name == name_in_linux(feature));
    Backend::known().iter().filter(|backend| backend.features().iter().all(|feature| has(feature))).map(Backend::name).collect()
}

/// Linux's name of a feature that the compiler calls `feature`.
fn name_in_linux(feature: &str) -> &str {
    match feature {
        "sha" => "sha_ni",
        "sse4.1" => "sse4_1",
        "neon" => "asimd",
        same => same,
    }
}

/// Says which ways the tests of `A` go.
pub fn report_doors<A: Algorithm>() {
    let doors: Vec<String> = doors::<A>().into_iter().map(|door| format!("{} ({} lanes)", door.name(), door.lanes::<A>())).collect();
    say(&format!("{}: {}", A::NAME, doors.join(", ")));
}
