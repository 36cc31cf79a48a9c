//! Block devices below a file system: disks, and devices that may show another image tomorrow.

use crate::sysfs::{self, entries_of};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

/// The first letters of the names of disks, before further letters and digits: SCSI, SATA and USB,
/// IDE, virtio, Xen, NVMe, SD cards, mainframes, persistent memory. Missing on purpose are loop,
/// nbd, ram, zram, ublk, floppies and CDs, and disks that others write to over a network.
const DISKS: &[&str] = &["sd", "hd", "vd", "xvd", "nvme", "mmcblk", "dasd", "pmem"];

/// The first letters of the names of stacks: the device mapper (LVM, LUKS, multipath) and RAID.
const STACKS: &[&str] = &["dm-", "md"];

/// The files in a disk's folder that may hold its serial number: for NVMe, SCSI, virtio, SD cards,
/// the device mapper, RAID.
const SERIALS: &[&str] = &["wwid", "device/wwid", "serial", "device/cid", "dm/uuid", "md/uuid"];

/// The greatest depth of stacks of devices. Deeper ones are not trusted.
const MAX_DEPTH: usize = 16;

/// Why a device below a file system is not trusted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NotADisk {
    /// The device has this name, which is not a disk's.
    Name(String),
    /// The device has this name, and its medium can be exchanged.
    Removable(String),
    /// The system does not show the device.
    Hidden,
}

#[derive(Debug)]
pub(crate) struct BlockDevices {
    /// The folder of sysfs.
    system: PathBuf,
    /// The folder of links to devices, named by the UUIDs of the file systems on them.
    links: PathBuf,
}

impl Default for BlockDevices {
    fn default() -> Self {
        Self { system: "/sys".into(), links: "/dev/disk/by-uuid".into() }
    }
}

impl BlockDevices {
    /// Returns the serial number of the disk numbered `device`, if it has one, and which partition
    /// it is. The result lasts, but need not be unique. Fails if anything but lasting disks is
    /// below the device.
    pub(crate) fn name_of(&self, device: u64) -> Result<Vec<u8>, NotADisk> {
        let folder = self.folder(device)?;
        check(&folder, 0)?;
        let partition = fs::read(folder.join("partition")).unwrap_or_default();
        let disk = sysfs::disk_of(&folder).unwrap_or(&folder);
        let serial = SERIALS.iter().find_map(|name| fs::read(disk.join(name)).ok().filter(|serial| !serial.trim_ascii().is_empty()));
        Ok([&serial.unwrap_or_default()[..], b"\0", &partition].concat())
    }

    /// Checks the devices of the btrfs that was mounted from `source`, which is one of them. Fails
    /// if anything but lasting disks is below the file system.
    pub(crate) fn check_members(&self, source: &Path) -> Result<(), NotADisk> {
        // The device mapper's names are links. In a container the file may not exist.
        let source = fs::canonicalize(source).unwrap_or_else(|_| source.into());
        let name = source.file_name().ok_or(NotADisk::Hidden)?;
        let mut all = entries_of(&self.system.join("fs/btrfs")).map(|one| entries_of(&one.join("devices")).collect::<Vec<_>>());
        let members = all.find(|members| members.iter().any(|member| member.file_name() == Some(name)));
        for member in members.ok_or(NotADisk::Hidden)? {
            check(&fs::canonicalize(&member).map_err(|_| NotADisk::Hidden)?, 0)?;
        }
        Ok(())
    }

    /// Returns the UUID of the file system on the device `device`, if exactly one link says it.
    pub(crate) fn uuid_of(&self, device: u64) -> Option<Vec<u8>> {
        let folder = self.folder(device).ok()?;
        let leads_here = |link: &PathBuf| fs::read_link(link).is_ok_and(|target| target.file_name() == folder.file_name());
        let mut links = entries_of(&self.links).filter(leads_here);
        let link = links.next()?;
        // If there are two links, one is out of date.
        links.next().is_none().then(|| file_name(&link).into_encoded_bytes())
    }

    fn folder(&self, device: u64) -> Result<PathBuf, NotADisk> {
        sysfs::folder_of(&self.system, device).ok_or(NotADisk::Hidden)
    }
}

/// Checks the device in `folder`, and fails if anything but lasting disks is below it.
fn check(folder: &Path, depth: usize) -> Result<(), NotADisk> {
    if depth > MAX_DEPTH {
        return Err(NotADisk::Hidden);
    }
    if let Some(disk) = sysfs::disk_of(folder) {
        return check(disk, depth + 1);
    }
    let name = file_name(folder).to_string_lossy().into_owned();
    let is_among = |names: &[&str]| names.iter().any(|start| name.starts_with(start));
    if is_among(STACKS) {
        let below: Vec<_> = sysfs::slaves_of(folder).collect();
        if below.is_empty() {
            return Err(NotADisk::Name(name));
        }
        return below.iter().try_for_each(|below| check(&fs::canonicalize(below).map_err(|_| NotADisk::Hidden)?, depth + 1));
    }
    if !is_among(DISKS) {
        return Err(NotADisk::Name(name));
    }
    match fs::read(folder.join("removable")) {
        Ok(answer) if answer.trim_ascii() == b"0" => Ok(()),
        Ok(_) => Err(NotADisk::Removable(name)),
        Err(_) => Err(NotADisk::Hidden),
    }
}

fn file_name(path: &Path) -> OsString {
    path.file_name().map(OsStr::to_owned).unwrap_or_default()
}

#[cfg(all(test, target_os = "linux"))]
pub(crate) mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use tempfile::TempDir;

    /// A sysfs with made-up block devices.
    pub(crate) struct Machine(TempDir);

    impl Machine {
        pub(crate) fn new() -> Self {
            let machine = Self(TempDir::new().unwrap());
            for folder in ["sys/dev/block", "sys/devices", "sys/fs/btrfs", "links"] {
                fs::create_dir_all(machine.0.path().join(folder)).unwrap();
            }
            machine
        }

        pub(crate) fn block_devices(&self) -> BlockDevices {
            BlockDevices { system: self.0.path().join("sys"), links: self.0.path().join("links") }
        }

        pub(crate) fn number(major: u32, minor: u32) -> u64 {
            rustix::fs::makedev(major, minor)
        }

        fn device(&self, path: &str, major: u32, minor: u32) -> &Self {
            let folder = self.0.path().join("sys/devices").join(path);
            fs::create_dir_all(folder.join("slaves")).unwrap();
            symlink(&folder, self.0.path().join(format!("sys/dev/block/{major}:{minor}"))).unwrap();
            self
        }

        fn say(&self, path: &str, text: &str) -> &Self {
            let path = self.0.path().join("sys/devices").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text.to_owned() + "\n").unwrap();
            self
        }

        /// Adds the disk `sda`, which is 8:0, or `sdb`, which is 8:16.
        pub(crate) fn disk(&self, name: &str, serial: &str) -> &Self {
            self.device(name, 8, if name == "sda" { 0 } else { 16 });
            self.say(&format!("{name}/removable"), "0").say(&format!("{name}/device/wwid"), serial)
        }

        /// Adds a partition to `sda` or `sdb`.
        pub(crate) fn partition(&self, disk: &str, number: u32) -> &Self {
            let minor = number + if disk == "sda" { 0 } else { 16 };
            self.device(&format!("{disk}/{disk}{number}"), 8, minor);
            self.say(&format!("{disk}/{disk}{number}/partition"), &number.to_string())
        }

        pub(crate) fn loop_device(&self, minor: u32) -> &Self {
            self.device(&format!("loop{minor}"), 7, minor).say(&format!("loop{minor}/removable"), "0")
        }

        pub(crate) fn stack(&self, name: &str, minor: u32, below: &[&str]) -> &Self {
            self.device(name, 253, minor);
            for below in below {
                let devices = self.0.path().join("sys/devices");
                let slave = devices.join(name).join("slaves").join(Path::new(below).file_name().unwrap());
                symlink(devices.join(below), slave).unwrap();
            }
            self
        }

        /// Adds a btrfs, or a device to it.
        pub(crate) fn btrfs(&self, uuid: &str, member: &str) {
            let system = self.0.path().join("sys");
            let folder = system.join("fs/btrfs").join(uuid).join("devices");
            fs::create_dir_all(&folder).unwrap();
            let device = if member == "sda1" { "sda/sda1" } else { member };
            symlink(system.join("devices").join(device), folder.join(member)).unwrap();
        }

        /// Adds a link that says the UUID of what is on a device.
        pub(crate) fn link(&self, uuid: &str, device: &str) {
            symlink(format!("../../{device}"), self.0.path().join("links").join(uuid)).unwrap();
        }

        pub(crate) fn unlink(&self, uuid: &str) {
            fs::remove_file(self.0.path().join("links").join(uuid)).unwrap();
        }
    }

    #[test]
    fn stacks_are_as_good_as_what_is_below() {
        let machine = Machine::new();
        machine.disk("sda", "one").partition("sda", 1).loop_device(3);
        machine.stack("dm-0", 0, &["sda/sda1"]).stack("dm-1", 1, &["dm-0", "loop3"]).stack("dm-2", 2, &["dm-1"]).stack("dm-3", 3, &[]);
        machine.say("dm-0/dm/uuid", "LVM-x");
        machine.stack("dm-4", 4, &["dm-4"]);
        let name_of = |major, minor| machine.block_devices().name_of(Machine::number(major, minor));
        assert_eq!(name_of(8, 1), Ok(b"one\n\x001\n".to_vec()));
        assert_eq!(name_of(253, 0), Ok(b"LVM-x\n\0".to_vec()));
        assert_eq!(name_of(253, 1), Err(NotADisk::Name("loop3".into())));
        assert_eq!(name_of(253, 2), Err(NotADisk::Name("loop3".into())));
        assert_eq!(name_of(253, 3), Err(NotADisk::Name("dm-3".into())));
        assert_eq!(name_of(253, 4), Err(NotADisk::Hidden));
        machine.say("sda/removable", "1");
        assert_eq!(name_of(253, 0), Err(NotADisk::Removable("sda".into())));
    }

    #[test]
    fn a_uuid_that_two_links_say_is_none() {
        let machine = Machine::new();
        machine.disk("sda", "one").partition("sda", 1);
        let uuid = || machine.block_devices().uuid_of(Machine::number(8, 1));
        assert_eq!(uuid(), None);
        machine.link("a", "sda1");
        assert_eq!(uuid(), Some(b"a".to_vec()));
        machine.link("b", "sda1");
        assert_eq!(uuid(), None);
    }
}
