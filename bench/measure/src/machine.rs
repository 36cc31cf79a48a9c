//! Where figures come from: the machine, the versions of what is compared, and the CPU this process
//! is held to.

#[cfg(target_os = "linux")]
use anyhow::Context;
use anyhow::Result;
use std::time::SystemTime;

/// Today, UTC, as 2026-01-31.
pub fn today() -> String {
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    date(since_1970.as_secs() / 86_400)
}

/// Whether huge pages are on, as the system says it.
pub fn huge_pages() -> Option<String> {
    std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").ok().map(|text| text.trim().to_string())
}

/// The date that is `days` days after 1 January 1970.
fn date(mut days: u64) -> String {
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let mut month = 1;
    for days_of_month in [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < days_of_month {
            break;
        }
        days -= days_of_month;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

/// The CPU, as the system names it: from /proc/cpuinfo on Linux, from sysctl on macOS.
pub fn cpu_name() -> Option<String> {
    if let Ok(text) = std::fs::read_to_string("/proc/cpuinfo") {
        let field = |name: &str| {
            let line = text.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name))?;
            Some(line.split_once(':')?.1.trim().to_string())
        };
        let model = field("model name").or_else(|| field("CPU part").map(|part| format!("CPU part {part}")))?;
        let family = field("cpu family").zip(field("model"));
        return Some(family.map_or(model.clone(), |(family, number)| format!("{model}, family {family} model {number}")));
    }
    let output = std::process::Command::new("sysctl").args(["-n", "machdep.cpu.brand_string"]).output().ok()?;
    let name = String::from_utf8(output.stdout).ok()?.trim().to_string();
    Some(name).filter(|name| !name.is_empty())
}

/// The instruction sets that matter here.
#[cfg(target_arch = "x86_64")]
pub fn features() -> Vec<&'static str> {
    macro_rules! present {
        ($($name:tt)*) => { [$(($name, is_x86_feature_detected!($name))),*] };
    }
    let known = present!("ssse3" "sse4.1" "avx" "bmi2" "avx2" "sha" "avx512f" "avx512bw" "avx512vl" "avx512vbmi" "sha512");
    known.into_iter().filter_map(|(name, present)| present.then_some(name)).collect()
}

/// The instruction sets that matter here.
#[cfg(target_arch = "aarch64")]
pub fn features() -> Vec<&'static str> {
    macro_rules! present {
        ($($name:tt)*) => { [$(($name, std::arch::is_aarch64_feature_detected!($name))),*] };
    }
    let known = present!("neon" "sha2" "sha3" "sve" "sve2");
    known.into_iter().filter_map(|(name, present)| present.then_some(name)).collect()
}

/// None is known on this architecture.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub fn features() -> Vec<&'static str> {
    Vec::new()
}

/// The crates `compared`, with the versions `lock` holds for the dependencies of `package`.
pub fn versions(compared: &[&str], lock: &str, package: &str) -> Vec<(String, String)> {
    let blocks: Vec<&str> = lock.split("[[package]]").collect();
    let quoted = |block: &str, key: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "))?;
        Some(line.trim_matches('"').to_string())
    };
    let version_of = |name: &str| {
        let of_name = |block: &&&str| quoted(block, "name").as_deref() == Some(name);
        let mut candidates = blocks.iter().filter(of_name).filter_map(|block| quoted(block, "version"));
        let first = candidates.next()?;
        if candidates.next().is_none() {
            return Some(first);
        }
        // Several versions in the lock: then the dependent's own list says which.
        let ours = blocks.iter().find(|block| quoted(block, "name").as_deref() == Some(package))?;
        let entry = ours.lines().find_map(|line| line.trim().strip_prefix('"')?.strip_prefix(name)?.strip_prefix(' '))?;
        Some(entry.trim_end_matches(',').trim_matches('"').to_string())
    };
    compared.iter().filter_map(|&name| Some((name.to_string(), version_of(name)?))).collect()
}

/// Holds this thread to `cpu`, or to the last CPU it may use; returns which.
#[cfg(target_os = "linux")]
pub fn pin(cpu: Option<usize>) -> Result<Option<usize>> {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let allowed = sched_getaffinity(None).context("asking which CPUs are allowed")?;
    let last = || (0..CpuSet::MAX_CPU).rev().find(|&cpu| allowed.is_set(cpu));
    let cpu = cpu.or_else(last).context("no CPU is allowed")?;
    anyhow::ensure!(cpu < CpuSet::MAX_CPU && allowed.is_set(cpu), "--pin {cpu}: this process may not use that CPU");
    let mut only = CpuSet::new();
    only.set(cpu);
    sched_setaffinity(None, &only).with_context(|| format!("--pin {cpu}"))?;
    Ok(Some(cpu))
}

/// No affinity to set on this system: only asking for it is an error.
#[cfg(not(target_os = "linux"))]
pub fn pin(cpu: Option<usize>) -> Result<Option<usize>> {
    cpu.map_or(Ok(None), |cpu| Err(anyhow::anyhow!("--pin {cpu}: only on Linux")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        for (days, expected) in [(0, "1970-01-01"), (59, "1970-03-01"), (11_016, "2000-02-29"), (20_453, "2025-12-31")] {
            assert_eq!(date(days), expected);
        }
    }

    #[test]
    fn versions_come_from_the_dependents_list_when_there_are_several() {
        let lock = r#"
[[package]]
name = "bench"
version = "0.1.0"
dependencies = [
 "blake3",
 "sha2 0.11.1",
]

[[package]]
name = "blake3"
version = "1.8.7"

[[package]]
name = "sha2"
version = "0.10.9"

[[package]]
name = "sha2"
version = "0.11.1"
"#;
        let expected = [("sha2", "0.11.1"), ("blake3", "1.8.7")];
        assert_eq!(versions(&["sha2", "blake3"], lock, "bench"), expected.map(|(name, version)| (name.into(), version.into())));
    }
}
