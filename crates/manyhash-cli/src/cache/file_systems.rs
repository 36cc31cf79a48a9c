//! The file systems whose stamps can be trusted, and lasting names for them.
//!
//! A stamp says that a file is unchanged if the system itself sets the ctime at each change, if the
//! inode number stays the file's own, and if the file system is the same one. `st_dev` does not say
//! the latter. That number is given out again, for the next image on a loop device or the next
//! mount of a file server. So few file systems are trusted, by name, and each gets an identity of
//! its own.

use super::block_devices::{BlockDevices, NotADisk};
use crate::text::quoting::quoted;
use manyhash::Sha256;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The time that an answer about a device number is believed. Between two files a file system may
/// be unmounted, and its number given to another.
const BELIEVED: Duration = Duration::from_secs(1);

/// A type of file system whose stamps are trusted.
struct Trusted {
    /// The type's name in Linux.
    kind: &'static str,
    uuid: Uuid,
    disk: Disk,
}

#[derive(Clone, Copy)]
enum Uuid {
    /// The kernel derives `f_fsid` from it, see statfs(2).
    FileSystemId,
    /// Links in `/dev/disk/by-uuid` are named by it. Here `f_fsid` is only the device's number.
    Links,
}

/// The way to find the disk below a file system.
#[derive(Clone, Copy)]
enum Disk {
    /// `st_dev` is its number.
    Device,
    /// The disk is what was mounted, or one of several.
    Source,
    /// The disks form a pool, and the system does not name them.
    Pool,
}

/// The trusted types. CACHE.md says why the others are not trusted.
const TRUSTED: &[Trusted] = &[
    // The kernel's ext4 driver sets ctimes, also for writes through memory maps as pages get dirty.
    // Inode numbers are places on the disk.
    Trusted { kind: "ext2", uuid: Uuid::FileSystemId, disk: Disk::Device },
    Trusted { kind: "ext3", uuid: Uuid::FileSystemId, disk: Disk::Device },
    Trusted { kind: "ext4", uuid: Uuid::FileSystemId, disk: Disk::Device },
    // The reasons for ext4 hold for XFS too.
    Trusted { kind: "xfs", uuid: Uuid::Links, disk: Disk::Device },
    // Inode numbers are per subvolume, and so is `f_fsid`. A snapshot has the ctimes and the
    // content of its origin.
    Trusted { kind: "btrfs", uuid: Uuid::FileSystemId, disk: Disk::Source },
    // The reasons for btrfs hold for ZFS too, with the GUID of the dataset.
    Trusted { kind: "zfs", uuid: Uuid::FileSystemId, disk: Disk::Pool },
];

/// The options of a mounted file system that make its ctimes worthless, and why they do.
const UNTRUSTED_OPTIONS: &[(&str, Why)] = &[("ro", Why::ReadOnly), ("lazytime", Why::LazyTimes)];

/// Why the files of a file system are hashed in each run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Why {
    /// The type is not in the list.
    Type,
    /// The file system is read-only, so its ctimes are those of an image.
    ReadOnly,
    /// The option `lazytime` is set, so a power failure can take the ctimes of the last day.
    LazyTimes,
    /// The device below the file system may be exchanged.
    Disk(NotADisk),
    /// The file system has no UUID, or the system does not tell it.
    Nameless,
    /// The system does not tell which file system is mounted.
    Unknown,
    /// The ctime has no fraction of a second, as programs write it that make images.
    WholeSecond,
}

/// A reason for hashing files, and the type of the file system that they are on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Distrust {
    /// The type's name in the system, or an empty string if the system does not say it.
    pub(crate) kind: Arc<str>,
    pub(crate) why: Why,
}

impl fmt::Display for Distrust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, why } = self;
        // A type can have any name.
        let kind = quoted(kind.as_bytes());
        let kind = String::from_utf8_lossy(&kind);
        match why {
            Why::Type => write!(f, "on {kind}, which is not trusted"),
            Why::ReadOnly => write!(f, "on {kind} that is mounted read-only"),
            Why::LazyTimes => write!(f, "on {kind} that is mounted with lazytime"),
            Why::Disk(NotADisk::Name(name)) => write!(f, "on {kind} on {name}, which is no disk"),
            Why::Disk(NotADisk::Removable(name)) => write!(f, "on {kind} on {name}, which is removable"),
            Why::Disk(NotADisk::Hidden) => write!(f, "on {kind} on a device that the system does not show"),
            Why::Nameless => write!(f, "on {kind} without a UUID that the system tells"),
            Why::Unknown => f.write_str("on a file system of which nothing is known"),
            Why::WholeSecond => write!(f, "on {kind}, with a ctime in whole seconds as images have"),
        }
    }
}

/// The mounted file system that a file is on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "no other system says it"))]
pub(crate) struct Mounted {
    /// The type's name, or an empty string if the system does not say it.
    pub(crate) kind: Arc<str>,
    /// The file's `st_dev`.
    pub(crate) device: u64,
    /// What was mounted, which is often the name of a block device.
    pub(crate) source: PathBuf,
    /// The file system's options, with commas. Options of the mount alone are not among them.
    pub(crate) options: String,
    pub(crate) file_system_id: u64,
}

/// The type of a file system, and its identity or why it has none.
type Answer = (Arc<str>, Result<u64, Why>);

/// The identities of file systems. The system is asked once a second for each device at most.
#[derive(Debug, Default)]
pub(crate) struct FileSystems {
    block_devices: BlockDevices,
    answers: HashMap<u64, (Instant, Answer)>,
    distrusted: BTreeMap<Distrust, u64>,
}

impl FileSystems {
    /// Returns the identity of the file system that the file at `path` is on. It is unique, and
    /// stays the same after a reboot. `device` is the file's `st_dev` when it was found.
    pub(crate) fn identity(&mut self, path: &Path, device: u64) -> Result<u64, Distrust> {
        let (kind, answer) = match self.answers.get(&device) {
            Some((asked, answer)) if asked.elapsed() < BELIEVED => answer,
            _ => {
                // A file that is gone, or on another file system now, says nothing of other files.
                let Some(mounted) = mounted(path).filter(|mounted| mounted.device == device) else {
                    return Err(Distrust { kind: "".into(), why: Why::Unknown });
                };
                let answer = (Arc::clone(&mounted.kind), identity(&mounted, &self.block_devices));
                &self.answers.entry(device).insert_entry((Instant::now(), answer)).into_mut().1
            }
        };
        answer.clone().map_err(|why| Distrust { kind: Arc::clone(kind), why })
    }

    /// Returns the identity as [`identity`](Self::identity) does, for a file that was hashed and
    /// last changed at `changed_ns`. If it is not trusted, the file is counted.
    pub(crate) fn identity_to_store(&mut self, path: &Path, device: u64, changed_ns: i128) -> Option<u64> {
        let identity = self.identity(path, device).and_then(|identity| {
            if !is_whole_second(changed_ns) {
                return Ok(identity);
            }
            let kind = self.answers.get(&device).map(|(_, (kind, _))| Arc::clone(kind));
            Err(Distrust { kind: kind.unwrap_or_default(), why: Why::WholeSecond })
        });
        match identity {
            Ok(identity) => Some(identity),
            Err(distrust) => {
                *self.distrusted.entry(distrust).or_default() += 1;
                None
            }
        }
    }

    /// Returns the reasons for distrust, each with its number of files.
    pub(crate) fn distrusted(&self) -> impl Iterator<Item = (&Distrust, u64)> {
        self.distrusted.iter().map(|(distrust, &files)| (distrust, files))
    }
}

/// Whether a ctime looks like those that programs write into images. The kernel's ctimes have
/// nanoseconds, so one in a billion is mistaken for such a time, or one in a hundred in the worst
/// case, where the clock's ticks are aligned to seconds.
fn is_whole_second(changed_ns: i128) -> bool {
    changed_ns % 1_000_000_000 == 0
}

fn identity(mounted: &Mounted, block_devices: &BlockDevices) -> Result<u64, Why> {
    if mounted.kind.is_empty() {
        return Err(Why::Unknown);
    }
    let trusted = TRUSTED.iter().find(|trusted| *trusted.kind == *mounted.kind).ok_or(Why::Type)?;
    let has = |option| mounted.options.split(',').any(|other| other == option);
    if let Some((_, why)) = UNTRUSTED_OPTIONS.iter().find(|(option, _)| has(*option)) {
        return Err(why.clone());
    }
    let disk = match trusted.disk {
        Disk::Device => block_devices.name_of(mounted.device).map_err(Why::Disk)?,
        Disk::Source => {
            block_devices.check_members(&mounted.source).map_err(Why::Disk)?;
            Vec::new()
        }
        Disk::Pool => Vec::new(),
    };
    let uuid = match trusted.uuid {
        Uuid::FileSystemId if mounted.file_system_id != 0 => mounted.file_system_id.to_le_bytes().to_vec(),
        Uuid::FileSystemId => return Err(Why::Nameless),
        Uuid::Links => block_devices.uuid_of(mounted.device).ok_or(Why::Nameless)?,
    };
    let mut message = Vec::new();
    for part in [mounted.kind.as_bytes(), &uuid, &disk] {
        message.extend((part.len() as u64).to_le_bytes());
        message.extend(part);
    }
    let [a, b, c, d, e, f, g, h, ..] = manyhash::hash::<Sha256>(&message);
    Ok(u64::from_le_bytes([a, b, c, d, e, f, g, h]))
}

/// Returns the file system mounted where the file at `path` is, or `None` if the file is not there.
#[cfg(target_os = "linux")]
fn mounted(path: &Path) -> Option<Mounted> {
    use rustix::fs::{Mode, OFlags, fstatvfs, open};
    use std::fs::{self, File};
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::MetadataExt;

    // `O_PATH` reads nothing, so a device does not notice. All answers are about this one file.
    let file = File::from(open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).ok()?);
    let device = file.metadata().ok()?.dev();
    let file_system_id = fstatvfs(&file).ok()?.f_fsid;
    let line = || {
        let about = fs::read_to_string(format!("/proc/self/fdinfo/{}", file.as_raw_fd())).ok()?;
        let mount = about.lines().find_map(|line| line.strip_prefix("mnt_id:"))?.trim();
        // The names in this file need not be UTF-8.
        let mounts = fs::read("/proc/self/mountinfo").ok()?;
        mounts.split(|&byte| byte == b'\n').find_map(|line| parse(line, mount.as_bytes()))
    };
    let (kind, source, options) = line().unwrap_or_default();
    Some(Mounted { kind, device, source, options, file_system_id })
}

/// Returns `None`, because how to ask other systems is not known here.
#[cfg(not(target_os = "linux"))]
fn mounted(_: &Path) -> Option<Mounted> {
    None
}

/// Returns type, source and options in `line`, if it is the line of the mount with the number
/// `mount`. Such a line is `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw`, see
/// proc_pid_mountinfo(5).
#[cfg(target_os = "linux")]
fn parse(line: &[u8], mount: &[u8]) -> Option<(Arc<str>, PathBuf, String)> {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    let mut fields = line.split(|&byte| byte == b' ');
    fields.next().filter(|&id| id == mount)?;
    let mut fields = fields.skip_while(|field| *field != b"-").skip(1);
    let text = |field: &[u8]| String::from_utf8_lossy(&unescaped(field)).into_owned();
    let (kind, source, options) = (fields.next()?, fields.next()?, fields.next()?);
    Some((text(kind).into(), OsString::from_vec(unescaped(source)).into(), text(options)))
}

/// Returns `name` with escapes resolved: `\040` stands for a blank, and so on.
#[cfg(target_os = "linux")]
fn unescaped(mut name: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    while let Some((&byte, rest)) = name.split_first() {
        let escaped = rest.split_first_chunk::<3>().filter(|_| byte == b'\\');
        let escaped = escaped.and_then(|(digits, rest)| Some((u8::from_str_radix(str::from_utf8(digits).ok()?, 8).ok()?, rest)));
        let (byte, rest) = escaped.unwrap_or((byte, rest));
        plain.push(byte);
        name = rest;
    }
    plain
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::cache::block_devices::tests::Machine;

    #[test]
    fn mounts_are_understood() {
        let line = br"36 35 259:300 / /a\040b rw,noatime master:1 shared:2 - vfat /dev/x\040\134y rw,iocharset=utf8";
        assert_eq!(parse(line, b"36"), Some(("vfat".into(), r"/dev/x \y".into(), "rw,iocharset=utf8".into())));
        assert_eq!(parse(line, b"3"), None);
        assert_eq!(parse(b"36 35", b"36"), None);
        assert_eq!(parse(b"", b"36"), None);
        assert_eq!(unescaped(br"\04"), br"\04");
    }

    #[test]
    fn what_the_kernel_makes_up_is_not_trusted_and_says_its_type() {
        use std::os::unix::fs::MetadataExt;
        let path = Path::new("/proc/self/stat");
        let device = std::fs::metadata(path).unwrap().dev();
        let mut file_systems = FileSystems::default();
        let distrust = Distrust { kind: "proc".into(), why: Why::Type };
        assert_eq!(file_systems.identity(path, device), Err(distrust.clone()));
        assert_eq!(file_systems.identity_to_store(path, device, 1), None);
        assert_eq!(file_systems.distrusted().collect::<Vec<_>>(), [(&distrust, 1)]);
        assert_eq!(distrust.to_string(), "on proc, which is not trusted");
        // A device number other than at the first look makes the answer unknown.
        assert_eq!(file_systems.identity(path, device + 1).unwrap_err().why, Why::Unknown);
        assert_eq!(file_systems.identity(Path::new("/nowhere"), 1 << 40).unwrap_err().why, Why::Unknown);
    }

    /// Returns an ext4 on partition 1 of the disk `sda`.
    fn ext4() -> Mounted {
        let device = Machine::number(8, 1);
        Mounted { kind: "ext4".into(), device, source: "/dev/sda1".into(), options: "rw,errors=remount-ro".into(), file_system_id: 5 }
    }

    #[test]
    fn identities_last_and_differ_in_all_that_makes_a_file_system() {
        let machine = Machine::new();
        machine.disk("sda", "one").partition("sda", 1).disk("sdb", "two").partition("sdb", 1);
        let of = |mounted: &Mounted, machine: &Machine| identity(mounted, &machine.block_devices()).unwrap();
        let first = of(&ext4(), &machine);
        // After a reboot another disk may be the first.
        let rebooted = Machine::new();
        rebooted.disk("sda", "two").partition("sda", 1).disk("sdb", "one").partition("sdb", 1);
        let elsewhere = Mounted { device: Machine::number(8, 17), source: "/dev/sdb1".into(), ..ext4() };
        assert_eq!(of(&elsewhere, &rebooted), first);
        // Another disk, partition, UUID or type is another file system, even with a copy of it.
        assert_ne!(of(&elsewhere, &machine), first);
        machine.partition("sda", 2);
        assert_ne!(of(&Mounted { device: Machine::number(8, 2), ..ext4() }, &machine), first);
        assert_ne!(of(&Mounted { file_system_id: 6, ..ext4() }, &machine), first);
        assert_ne!(of(&Mounted { kind: "ext3".into(), ..ext4() }, &machine), first);
    }

    #[test]
    fn what_may_be_an_image_is_not_trusted() {
        let machine = Machine::new();
        machine.disk("sda", "one").partition("sda", 1);
        let why = |mounted: &Mounted| identity(mounted, &machine.block_devices()).unwrap_err();
        assert_eq!(why(&Mounted { kind: "".into(), ..ext4() }), Why::Unknown);
        assert_eq!(why(&Mounted { options: "ro".into(), ..ext4() }), Why::ReadOnly);
        assert_eq!(why(&Mounted { options: "rw,lazytime".into(), ..ext4() }), Why::LazyTimes);
        assert_eq!(why(&Mounted { file_system_id: 0, ..ext4() }), Why::Nameless);
        for kind in ["fuse.sshfs", "fuse", "fuseblk", "nfs4", "cifs", "overlay", "tmpfs", "vfat", "ext", "ext44"] {
            assert_eq!(why(&Mounted { kind: kind.into(), ..ext4() }), Why::Type, "{kind}");
        }
        machine.loop_device(0);
        assert_eq!(why(&Mounted { device: Machine::number(7, 0), ..ext4() }), Why::Disk(NotADisk::Name("loop0".into())));
        assert_eq!(why(&Mounted { device: Machine::number(9, 9), ..ext4() }), Why::Disk(NotADisk::Hidden));
        assert!(is_whole_second(1_600_000_000_000_000_000) && !is_whole_second(1_600_000_000_000_000_001));
    }

    #[test]
    fn the_uuid_of_xfs_is_that_of_a_link() {
        let machine = Machine::new();
        machine.disk("sda", "one").partition("sda", 1);
        let xfs = Mounted { kind: "xfs".into(), ..ext4() };
        assert_eq!(identity(&xfs, &machine.block_devices()), Err(Why::Nameless));
        let mut seen = Vec::new();
        for uuid in ["a", "b"] {
            machine.link(uuid, "sda1");
            seen.push(identity(&xfs, &machine.block_devices()).unwrap());
            machine.unlink(uuid);
        }
        assert_ne!(seen[0], seen[1]);
    }

    #[test]
    fn btrfs_is_as_good_as_the_worst_of_its_disks() {
        let machine = Machine::new();
        machine.disk("sda", "one").partition("sda", 1).loop_device(0);
        let of = |id| Mounted { kind: "btrfs".into(), device: 45, source: "/dev/sda1".into(), file_system_id: id, ..ext4() };
        assert_eq!(identity(&of(1), &machine.block_devices()), Err(Why::Disk(NotADisk::Hidden)));
        machine.btrfs("uuid", "sda1");
        // Subvolumes have ids of their own.
        assert_ne!(identity(&of(1), &machine.block_devices()).unwrap(), identity(&of(2), &machine.block_devices()).unwrap());
        machine.btrfs("uuid", "loop0");
        assert_eq!(identity(&of(1), &machine.block_devices()), Err(Why::Disk(NotADisk::Name("loop0".into()))));
    }
}
