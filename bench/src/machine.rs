//! Where the figures come from: the machine, the versions of everybody compared, and what they say
//! of themselves.

use manyhash_measure::machine::{cpu_name, features, huge_pages, today, versions};
use serde::Serialize;

use crate::peers;

/// The crates whose versions a report names.
const COMPARED: [&str; 11] =
    ["manyhash", "md-5", "sha1", "sha2", "hmac", "pbkdf2", "openssl", "aws-lc-rs", "tape-sha256", "commonware-cryptography", "blake3"];

/// The header of a report.
#[derive(Serialize)]
pub struct Machine {
    /// The day of the run, UTC, as 2026-01-31.
    pub date: String,
    /// As the system names it.
    pub cpu: String,
    /// The instruction sets that matter here.
    pub features: Vec<&'static str>,
    /// "x86_64 linux".
    pub platform: String,
    /// The CPU this process is held to.
    pub pinned_to: Option<usize>,
    /// Whether huge pages are on, as the system says it.
    pub huge_pages: Option<String>,
    /// Name and version of every library compared, from the lock file.
    pub versions: Vec<(String, String)>,
    /// What manyhash and its peers say of themselves.
    pub notes: Vec<(String, String)>,
}

impl Machine {
    /// Looks around.
    pub fn describe(pinned_to: Option<usize>) -> Self {
        let mut notes: Vec<(String, String)> = Vec::new();
        notes.extend(peers::backends().into_iter().map(|(name, text)| (format!("manyhash {name}"), text)));
        for (variable, meaning) in [
            ("MANYHASH_BACKEND", "`manyhash` is NOT left alone in this run"),
            ("MANYHASH_WITHOUT", "`manyhash` leaves these instruction sets out in this run; other libraries do NOT"),
        ] {
            if let Some(value) = std::env::var(variable).ok().filter(|value| !value.is_empty()) {
                notes.push((variable.into(), format!("{value}: {meaning}")));
            }
        }
        notes.extend(peers::descriptions().into_iter().map(|(name, text)| (name.to_string(), text)));
        Self {
            date: today(),
            cpu: cpu_name().unwrap_or_else(|| "unknown CPU".into()),
            features: features(),
            platform: format!("{} {}", std::env::consts::ARCH, std::env::consts::OS),
            pinned_to,
            huge_pages: huge_pages(),
            versions: versions(&COMPARED, include_str!("../../Cargo.lock"), env!("CARGO_PKG_NAME")),
            notes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_library_compared_is_in_our_lock_file() {
        assert_eq!(versions(&COMPARED, include_str!("../../Cargo.lock"), env!("CARGO_PKG_NAME")).len(), COMPARED.len());
    }
}
