//! The processor's frequency, held for a while where Linux lets it be set: section 4.3 of Gueron & Krasnov 2012 goes from 3.3 to 1.6 GHz.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Settings as they were found, to be written back: on an interrupt too.
static CHANGED: Mutex<Vec<(PathBuf, String)>> = Mutex::new(Vec::new());

const MOST: &str = "scaling_max_freq";
const LEAST: &str = "scaling_min_freq";

/// Frequencies that a CPU can be held at.
pub struct Frequencies {
    folder: PathBuf,
    /// In kHz, the lowest first.
    pub available_khz: Vec<u64>,
}

impl Frequencies {
    /// Those of a CPU; `None` where the system has no steps to choose from.
    pub fn of_cpu(cpu: usize) -> Option<Self> {
        Self::of_folder(PathBuf::from(format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq")))
    }

    fn of_folder(folder: PathBuf) -> Option<Self> {
        let text = std::fs::read_to_string(folder.join("scaling_available_frequencies")).ok()?;
        let mut available_khz: Vec<u64> = text.split_whitespace().filter_map(|khz| khz.parse().ok()).collect();
        available_khz.sort_unstable();
        (available_khz.len() > 1).then_some(Self { folder, available_khz })
    }

    /// Holds the CPU at one of them until the result is dropped.
    ///
    /// # Errors
    /// Says what could not be read or written.
    pub fn hold(&self, khz: u64) -> Result<Held, String> {
        {
            let mut changed = CHANGED.lock().unwrap_or_else(PoisonError::into_inner);
            // The upper limit goes back first: the lower one must never be above it.
            for name in [MOST, LEAST] {
                let path = self.folder.join(name);
                let found = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
                changed.push((path, found.trim().into()));
            }
        }
        let held = Held;
        for (name, khz) in [(LEAST, self.available_khz[0]), (MOST, khz), (LEAST, khz)] {
            write(&self.folder.join(name), &khz.to_string())?;
        }
        Ok(held)
    }
}

/// A CPU held at a frequency.
pub struct Held;

impl Drop for Held {
    fn drop(&mut self) {
        restore();
    }
}

/// Writes all settings back as they were found.
pub fn restore() {
    for (path, found) in CHANGED.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        if let Err(error) = write(&path, &found) {
            eprintln!("manyhash-study: the processor's frequency could not be set back: {error}");
        }
    }
}

fn write(path: &Path, value: &str) -> Result<(), String> {
    std::fs::write(path, value).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frequency_is_held_and_set_back() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        let of_folder = || Frequencies::of_folder(folder.path().into());
        assert!(of_folder().is_none());
        std::fs::write(file("scaling_available_frequencies"), "3300000 2400000 1600000 \n").unwrap();
        std::fs::write(file(MOST), "3300000\n").unwrap();
        let frequencies = of_folder().unwrap();
        assert_eq!(frequencies.available_khz, [1_600_000, 2_400_000, 3_300_000]);
        assert!(frequencies.hold(1_600_000).is_err_and(|error| error.contains(LEAST)));
        std::fs::write(file(LEAST), "2400000\n").unwrap();
        let limits = || [LEAST, MOST].map(|name| std::fs::read_to_string(file(name)).unwrap());
        let held = frequencies.hold(1_600_000).unwrap();
        assert_eq!(limits(), ["1600000", "1600000"]);
        drop(held);
        assert_eq!(limits(), ["2400000", "3300000"]);
    }
}
