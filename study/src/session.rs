//! What all figures share: the machine, how much to measure, and a place for files that is gone
//! afterwards, whatever happens.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use manyhash::Algorithm;
use manyhash::backend::{self, Backend};
use manyhash_measure::machine;
use manyhash_measure::timing::Probe;
use serde::Serialize;

use crate::model::Missing;

#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Samples of each contestant, unless time ends them.
    pub samples: usize,
    /// Not fewer than these: five, as in the papers.
    pub fewest_samples: usize,
    /// Calls are repeated until they fill this.
    pub sample: Duration,
    pub race: Duration,
}

impl Effort {
    const FULL: Self = Self { samples: 31, fewest_samples: 5, sample: Duration::from_millis(5), race: Duration::from_secs(8) };
    /// Enough to see that everything works.
    const QUICK: Self = Self { samples: 5, fewest_samples: 1, sample: Duration::from_micros(100), race: Duration::from_millis(100) };

    /// How samples are taken, for the figures' methods.
    pub fn in_words(self) -> String {
        format!("{} to {} samples of at least {:.1} ms each", self.fewest_samples, self.samples, self.sample.as_secs_f64() * 1000.0)
    }
}

/// The machine, as every table of the report names it.
#[derive(Clone, Serialize)]
pub struct Machine {
    /// The day, UTC.
    pub date: String,
    /// The CPU's name, family and model.
    pub cpu: String,
    /// "x86_64 linux".
    pub platform: String,
    pub features: Vec<&'static str>,
    /// How many CPUs this process may use.
    pub cpus: usize,
    /// The CPU this process stays on.
    pub pinned_to: Option<usize>,
    pub huge_pages: Option<String>,
    /// The frequency of the time-stamp counter.
    pub tsc_ghz: Option<f64>,
    /// The frequency of the core, from a chain of multiplications.
    pub clock_ghz: Option<f64>,
    pub frequency: String,
    /// Which backends manyhash has here, which it prefers, and by which table.
    pub backends: Vec<(String, String)>,
    pub versions: Vec<(String, String)>,
}

pub struct Session {
    pub quick: bool,
    /// Whether the machine may be changed while it is measured.
    pub tuned: bool,
    pub effort: Effort,
    /// The probe that tells a quiet core, where there is one.
    pub probe: Option<Probe>,
    /// Cycles of the time-stamp counter in a nanosecond.
    pub tsc_ghz: Option<f64>,
    pub machine: Machine,
    scratch_parent: Option<PathBuf>,
    /// The CPUs that this process may use.
    allowed: Affinity,
}

#[cfg(target_os = "linux")]
type Affinity = Option<rustix::thread::CpuSet>;
#[cfg(not(target_os = "linux"))]
type Affinity = ();

#[cfg(target_os = "linux")]
fn affinity() -> Affinity {
    rustix::thread::sched_getaffinity(None).ok()
}

#[cfg(not(target_os = "linux"))]
fn affinity() -> Affinity {}

impl Session {
    /// Holds this thread to a CPU and looks around. Files will be made below `scratch_parent`, or
    /// where the system has temporary files.
    pub fn begin(quick: bool, cpu: Option<usize>, scratch_parent: Option<PathBuf>) -> Result<Self> {
        let allowed = affinity();
        let cpus = std::thread::available_parallelism().map_or(1, usize::from);
        let pinned_to = machine::pin(cpu)?;
        let probe = if quick { None } else { Probe::calibrate() };
        let mut backends = vec![("cost table".to_string(), backend::cost_table().to_string())];
        let supported: Vec<&str> = Backend::supported().iter().map(Backend::name).collect();
        backends.push(("supported".into(), supported.join(" ")));
        macro_rules! best { ([] $($Algorithm:ident)*) => { $(
            backends.push((format!("widest for {}", manyhash::$Algorithm::NAME), Backend::best::<manyhash::$Algorithm>().to_string()));
        )* } }
        manyhash::for_each_algorithm!(best []);
        let mut versions = machine::versions(crate::COMPARED, include_str!("../../Cargo.lock"), env!("CARGO_PKG_NAME"));
        versions.push(("OpenSSL".into(), openssl::version::version().into()));
        let machine = Machine {
            date: machine::today(),
            cpu: machine::cpu_name().unwrap_or_else(|| "unknown CPU".into()),
            platform: format!("{} {}", std::env::consts::ARCH, std::env::consts::OS),
            features: machine::features(),
            cpus,
            pinned_to,
            huge_pages: machine::huge_pages(),
            tsc_ghz: tsc_ghz(),
            clock_ghz: probe.and_then(Probe::read).map(|reading| reading.clock_ghz),
            frequency: frequency(),
            backends,
            versions,
        };
        let effort = if quick { Effort::QUICK } else { Effort::FULL };
        Ok(Self { quick, tuned: false, effort, probe, tsc_ghz: machine.tsc_ghz, machine, scratch_parent, allowed })
    }

    /// Does something on all CPUs that this process may use, and holds it to one of them again.
    pub fn on_all_cpus<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        #[cfg(target_os = "linux")]
        if let Some(allowed) = &self.allowed {
            rustix::thread::sched_setaffinity(None, allowed).context("using all CPUs")?;
        }
        let done = work();
        machine::pin(self.machine.pinned_to)?;
        done
    }

    /// An empty folder for files, removed when it is dropped, and on an interrupt too.
    ///
    /// # Errors
    /// [`Missing`] if there is no room for `bytes`, which says where and how much there is.
    pub fn scratch(&self, bytes: u64) -> Result<Scratch> {
        let parent = self.scratch_parent.clone().unwrap_or_else(std::env::temp_dir);
        Scratch::new(&parent, bytes)
    }
}

/// Folders of this process that must not outlive it.
static SCRATCH: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// On an interrupt, a hang-up or a request to terminate: removes all folders and ends the process
/// with 130.
pub fn clean_up_on_interrupt() -> Result<()> {
    ctrlc::set_handler(|| {
        // Held to the end: no folder is made any more.
        let folders = SCRATCH.lock().unwrap_or_else(PoisonError::into_inner);
        for folder in folders.iter() {
            // A figure goes on writing meanwhile, and a folder with a new file in it can't be
            // removed.
            for _ in 0..500 {
                if std::fs::remove_dir_all(folder).is_ok() || !folder.exists() {
                    break;
                }
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        crate::frequency::restore();
        eprintln!("manyhash-study: interrupted");
        std::process::exit(130);
    })
    .context("handling interrupts")
}

pub struct Scratch {
    folder: Option<tempfile::TempDir>,
    path: PathBuf,
}

impl Scratch {
    fn new(parent: &Path, bytes: u64) -> Result<Self> {
        let lacking = |why: String| Missing(format!("{}: {why}", parent.display()));
        if let Some(free) = free_bytes(parent).filter(|free| *free < bytes + (bytes >> 3)) {
            let [needed, free] = [bytes, free].map(|bytes| bytes as f64 / 1e9);
            return Err(lacking(format!("{needed:.1} GB are needed and {free:.1} GB are free (--scratch DIR puts files elsewhere)")).into());
        }
        // Known before it is there: an interrupt in between must find it.
        let mut folders = SCRATCH.lock().expect("nobody panics with it");
        let folder = tempfile::Builder::new().prefix("manyhash-study-").tempdir_in(parent);
        let folder = folder.map_err(|error| lacking(format!("making a folder: {error}")))?;
        let path = folder.path().to_path_buf();
        folders.push(path.clone());
        Ok(Self { folder: Some(folder), path })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // First gone, then forgotten: an interrupt in between finds it.
        if let Some(Err(error)) = self.folder.take().map(tempfile::TempDir::close) {
            eprintln!("manyhash-study: {}: {error}", self.path.display());
        }
        SCRATCH.lock().unwrap_or_else(PoisonError::into_inner).retain(|folder| *folder != self.path);
    }
}

#[cfg(target_os = "linux")]
fn free_bytes(folder: &Path) -> Option<u64> {
    let statistics = rustix::fs::statvfs(folder).ok()?;
    Some(statistics.f_bavail * statistics.f_frsize)
}

#[cfg(not(target_os = "linux"))]
fn free_bytes(_: &Path) -> Option<u64> {
    None
}

/// The time-stamp counter, which the papers count by; 0 where there is none.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "an intrinsic")]
pub fn tsc() -> u64 {
    #[allow(unused_unsafe, reason = "safe in later versions")]
    // SAFETY: every x86-64 has a time-stamp counter.
    unsafe {
        core::arch::x86_64::_rdtsc()
    }
}

/// The time-stamp counter, which the papers count by; 0 where there is none.
#[cfg(not(target_arch = "x86_64"))]
pub fn tsc() -> u64 {
    0
}

/// Its frequency, against the system's clock.
fn tsc_ghz() -> Option<f64> {
    let (start, start_cycles) = (Instant::now(), tsc());
    std::thread::sleep(Duration::from_millis(50));
    let (cycles, ns) = (tsc() - start_cycles, start.elapsed().as_nanos());
    (cycles > 0).then(|| cycles as f64 / ns as f64)
}

/// Levels and bytes of a CPU's caches for data, as Linux tells them.
pub fn caches(cpu: usize) -> Vec<(u32, usize)> {
    let mut caches = Vec::new();
    for index in 0.. {
        let read = |name: &str| std::fs::read_to_string(format!("/sys/devices/system/cpu/cpu{cpu}/cache/index{index}/{name}"));
        let (Ok(level), Ok(kind), Ok(size)) = (read("level"), read("type"), read("size")) else { break };
        let kilobytes = size.trim().strip_suffix('K').and_then(|size| size.parse::<usize>().ok());
        if let (false, Ok(level), Some(kilobytes)) = (kind.trim() == "Instruction", level.trim().parse(), kilobytes) {
            caches.push((level, kilobytes << 10));
        }
    }
    caches
}

/// Whether the processor's frequency can be varied, as section 4.3 of Gueron & Krasnov 2012 does.
fn frequency() -> String {
    let settings = Path::new("/sys/devices/system/cpu/cpu0/cpufreq");
    match std::fs::read_to_string(settings.join("scaling_available_frequencies")) {
        Ok(frequencies) => format!("can be set to {} kHz", frequencies.trim()),
        Err(_) if settings.exists() => "can be held at any value the system offers, without steps to choose from".into(),
        Err(_) => "not to be varied here: the system has no frequency control (a virtual machine, or no driver)".into(),
    }
}
