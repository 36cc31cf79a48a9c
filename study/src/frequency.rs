//! The processor's frequency, held for a while where Linux lets it be set: section 4.3 of Gueron &
//! Krasnov 2012 goes from 3.3 to 1.6 GHz.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::model::Missing;

/// Settings as they were found, to be written back: on an interrupt too.
static CHANGED: Mutex<Vec<(PathBuf, String)>> = Mutex::new(Vec::new());

const MOST: &str = "scaling_max_freq";
const LEAST: &str = "scaling_min_freq";

pub struct Frequencies {
    folder: PathBuf,
    /// In kHz, the lowest first: the steps there are, or the two limits of a driver without steps.
    available_khz: Vec<u64>,
    /// Whether a driver takes any value between the limits.
    is_stepless: bool,
}

impl Frequencies {
    /// Those of a CPU; `None` where the system has nothing to choose from.
    pub fn of_cpu(cpu: usize) -> Option<Self> {
        Self::of_folder(PathBuf::from(format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq")))
    }

    fn of_folder(folder: PathBuf) -> Option<Self> {
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
        let steps = read("scaling_available_frequencies");
        let is_stepless = steps.is_none();
        // Drivers by Intel and AMD have limits and no steps.
        let text = steps.or_else(|| Some(read("cpuinfo_min_freq")? + " " + &read("cpuinfo_max_freq")?))?;
        let mut available_khz: Vec<u64> = text.split_whitespace().filter_map(|khz| khz.parse().ok()).collect();
        available_khz.sort_unstable();
        available_khz.dedup();
        (available_khz.len() > 1).then_some(Self { folder, available_khz, is_stepless })
    }

    /// Three of them, or two if there are no more.
    pub fn lowest_middle_highest(&self) -> Vec<u64> {
        let all = &self.available_khz;
        let (lowest, highest) = (all[0], all[all.len() - 1]);
        let middle = if self.is_stepless { lowest.midpoint(highest) } else { all[all.len() / 2] };
        let mut chosen = vec![lowest, middle, highest];
        chosen.dedup();
        chosen
    }

    /// Holds the CPU at one of them until the result is dropped.
    ///
    /// # Errors
    /// [`Missing`], which says what could not be read or written.
    pub fn hold(&self, khz: u64) -> Result<Held, Missing> {
        // Kept until all is written: an interrupt meanwhile waits, and then finds everything that
        // has to go back.
        let mut changed = CHANGED.lock().unwrap_or_else(PoisonError::into_inner);
        let setting = |name: &str| {
            let path = self.folder.join(name);
            let found = std::fs::read_to_string(&path).map_err(|error| Missing(format!("{}: {error}", path.display())))?;
            Ok((path, found.trim().to_string()))
        };
        // The upper limit goes back first: the lower one must never be above it.
        changed.extend([MOST, LEAST].into_iter().map(setting).collect::<Result<Vec<_>, Missing>>()?);
        let writes = [(LEAST, self.available_khz[0]), (MOST, khz), (LEAST, khz)];
        let written = writes.into_iter().try_for_each(|(name, khz)| write(&self.folder.join(name), &khz.to_string()));
        if written.is_err() {
            set_back(&mut changed);
        }
        written.map(|()| Held)
    }
}

pub struct Held;

impl Drop for Held {
    fn drop(&mut self) {
        set_back(&mut CHANGED.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Writes all settings back as they were found, for a process that ends: nothing can be held any
/// more.
pub fn restore() {
    let mut changed = CHANGED.lock().unwrap_or_else(PoisonError::into_inner);
    set_back(&mut changed);
    std::mem::forget(changed);
}

fn set_back(changed: &mut Vec<(PathBuf, String)>) {
    for (path, found) in changed.drain(..) {
        if let Err(error) = write(&path, &found) {
            eprintln!("manyhash-study: the processor's frequency could not be set back: {error}");
        }
    }
}

fn write(path: &Path, value: &str) -> Result<(), Missing> {
    std::fs::write(path, value).map_err(|error| Missing(format!("{}: {error}", path.display())))
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
        assert_eq!(frequencies.lowest_middle_highest(), [1_600_000, 2_400_000, 3_300_000]);
        assert!(frequencies.hold(1_600_000).is_err_and(|error| error.0.contains(LEAST)));
        std::fs::write(file(LEAST), "2400000\n").unwrap();
        let limits = || [LEAST, MOST].map(|name| std::fs::read_to_string(file(name)).unwrap());
        let held = frequencies.hold(1_600_000).unwrap();
        assert_eq!(limits(), ["1600000", "1600000"]);
        drop(held);
        assert_eq!(limits(), ["2400000", "3300000"]);
    }

    #[test]
    fn a_driver_without_steps_has_its_limits() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, khz: &str| std::fs::write(folder.path().join(name), khz).unwrap();
        write("cpuinfo_min_freq", "400000\n");
        assert!(Frequencies::of_folder(folder.path().into()).is_none());
        write("cpuinfo_max_freq", "4400000\n");
        let frequencies = Frequencies::of_folder(folder.path().into()).unwrap();
        assert_eq!(frequencies.lowest_middle_highest(), [400_000, 2_400_000, 4_400_000]);
    }
}
