//! File systems whose files may change and keep their stamp.

use std::collections::HashMap;
use std::fs;

/// Types, as Linux calls them, whose times do not tell of changes: the kernel's own (content without a size, made when it is read),
/// read-only images (all times as the image says, device numbers reused for the next image), and FAT (no ctime, inode numbers made up).
const UNTRUSTED: &[&str] = &[
    "autofs",
    "binfmt_misc",
    "bpf",
    "cgroup",
    "cgroup2",
    "configfs",
    "cramfs",
    "debugfs",
    "devpts",
    "devtmpfs",
    "efivarfs",
    "erofs",
    "exfat",
    "fusectl",
    "iso9660",
    "mqueue",
    "msdos",
    "nsfs",
    "proc",
    "pstore",
    "romfs",
    "rpc_pipefs",
    "securityfs",
    "selinuxfs",
    "smackfs",
    "squashfs",
    "sysfs",
    "tracefs",
    "udf",
    "vfat",
];

/// Which devices are trusted, asked once each.
#[derive(Debug, Default)]
pub struct FileSystems(HashMap<u64, bool>);

impl FileSystems {
    /// Whether a file of that device cannot change without a new ctime. Where the system does not say what is mounted, all are trusted.
    pub fn trusts(&mut self, device: u64) -> bool {
        *self.0.entry(device).or_insert_with(|| {
            let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
            !mounts.lines().filter_map(parse).any(|(mounted, kind)| mounted == device && UNTRUSTED.contains(&kind))
        })
    }
}

/// Device and type of a mount: `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw`, see proc_pid_mountinfo(5).
fn parse(line: &str) -> Option<(u64, &str)> {
    let (mount, file_system) = line.split_once(" - ")?;
    let (major, minor) = mount.split(' ').nth(2)?.split_once(':')?;
    Some((device(major.parse().ok()?, minor.parse().ok()?), file_system.split(' ').next()?))
}

/// The number that `stat` gives for a device.
fn device(major: u64, minor: u64) -> u64 {
    (major & 0xfffff000) << 32 | (major & 0xfff) << 8 | (minor & 0xffffff00) << 12 | minor & 0xff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_are_understood() {
        let line = "36 35 259:300 / /a\\040b rw,noatime master:1 shared:2 - vfat /dev/x rw";
        assert_eq!(parse(line), Some((device(259, 300), "vfat")));
        // As glibc's makedev.
        assert_eq!(device(259, 300), 0x11_032c);
        assert_eq!(device(8, 1), 0x801);
        assert_eq!(parse("36 35"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn proc_is_not_trusted_and_a_temporary_folder_is() {
        use std::os::unix::fs::MetadataExt;
        let mut file_systems = FileSystems::default();
        assert!(!file_systems.trusts(fs::metadata("/proc/self/stat").unwrap().dev()));
        assert!(file_systems.trusts(fs::metadata(std::env::temp_dir()).unwrap().dev()));
    }
}
