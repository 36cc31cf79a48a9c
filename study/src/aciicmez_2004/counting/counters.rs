//! Whether there are the performance counters that VTune read in 2004.

use std::path::Path;

/// Says why they were not used.
pub fn availability() -> String {
    let devices = Path::new("/sys/bus/event_source/devices");
    let has_counters = ["cpu", "cpu_core"].iter().any(|device| devices.join(device).exists());
    if has_counters {
        "the study does not read them, though this system has them (perf stat shows them)".into()
    } else if devices.exists() {
        "this system offers none (a virtual machine without them)".into()
    } else {
        "this system has no interface to them (perf_event_open of Linux)".into()
    }
}
