//! Whether writing to one device writes to the other, as far as Linux tells in sysfs. It knows loop
//! devices over files, partitions of disks, device-mapper and RAID devices over others, and files
//! on a file system's device.

use crate::sysfs;
use manyhash_files::find::{Place, folder_of};
use manyhash_files::read::{FileId, is_same};
use std::collections::BTreeSet;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

/// A device or file that holds bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Storage {
    /// The block device of this number.
    Device(u64),
    /// A file other than a block device.
    File(FileId),
}

/// The relation of a storage to the storage below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Whole,
    /// It is a part of the storage below, or all of it in another order.
    Part,
    /// It is a file, and the storage below is its file system's device.
    Home,
}

/// Whether `one` and `other` are different files, but writing to one of them writes to the other,
/// or to what the other is made of. At least one of them must exist.
pub(crate) fn overlap(one: &Path, other: &Path) -> bool {
    let (Some(first), Some(second)) = (Storage::at(one), Storage::at(other)) else { return false };
    !is_same(one, other) && Sysfs(PathBuf::from("/sys")).overlap(first, second)
}

impl Storage {
    /// Returns the storage at `path`. For a path that does not exist, it is a file unlike any other
    /// on the same file system.
    fn at(path: &Path) -> Option<Self> {
        match fs::metadata(path) {
            Ok(metadata) => Self::of(&metadata),
            Err(_) => {
                let folder = FileId::of(&fs::metadata(folder_of(&Place::path_of(path)?)).ok()?)?;
                Some(Self::File(FileId { inode: 0, ..folder }))
            }
        }
    }

    fn of(metadata: &Metadata) -> Option<Self> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::{FileTypeExt, MetadataExt};
            if metadata.file_type().is_block_device() {
                return Some(Self::Device(metadata.rdev()));
            }
        }
        FileId::of(metadata).map(Self::File)
    }
}

/// The folder of sysfs, which describes devices.
struct Sysfs(PathBuf);

impl Sysfs {
    fn overlap(&self, one: Storage, other: Storage) -> bool {
        let is_over = |upper: Storage, lower: Storage| {
            let whole = self.reached(lower, &[Relation::Whole]);
            let made_of = self.reached(upper, &[Relation::Whole, Relation::Part, Relation::Home]);
            let without_homes = self.reached(upper, &[Relation::Whole, Relation::Part]);
            let mut homes = whole.iter().flat_map(|&part| self.below(part)).filter(|(_, relation)| *relation == Relation::Home);
            // Two partitions of a disk, or two files of a file system, have the same storage below
            // and do not overlap.
            !whole.is_disjoint(&made_of) || homes.any(|(home, _)| without_homes.contains(&home))
        };
        is_over(one, other) || is_over(other, one)
    }

    /// Returns `storage` itself and all that it is made of, over any number of `relations`.
    fn reached(&self, storage: Storage, relations: &[Relation]) -> BTreeSet<Storage> {
        let mut reached = BTreeSet::from([storage]);
        let mut left = vec![storage];
        while let Some(storage) = left.pop() {
            for (below, relation) in self.below(storage) {
                if relations.contains(&relation) && reached.insert(below) {
                    left.push(below);
                }
            }
        }
        reached
    }

    fn below(&self, storage: Storage) -> Vec<(Storage, Relation)> {
        let number = match storage {
            Storage::File(FileId { device, .. }) => return vec![(Storage::Device(device), Relation::Home)],
            Storage::Device(number) => number,
        };
        let Some(folder) = sysfs::folder_of(&self.0, number) else { return Vec::new() };
        let mut below = Vec::new();
        if let Some(file) = backing_file(&folder) {
            let is_zero = |name: &str| fs::read_to_string(folder.join("loop").join(name)).is_ok_and(|text| text.trim() == "0");
            let is_whole = is_zero("offset") && is_zero("sizelimit");
            below.push((file, if is_whole { Relation::Whole } else { Relation::Part }));
        }
        let disk = sysfs::disk_of(&folder).map(Path::to_path_buf);
        let numbers = disk.into_iter().chain(sysfs::slaves_of(&folder)).filter_map(|device| device_number(&device));
        below.extend(numbers.map(|number| (Storage::Device(number), Relation::Part)));
        below
    }
}

/// Returns the file below a loop device.
fn backing_file(folder: &Path) -> Option<Storage> {
    let mut path = fs::read(folder.join("loop/backing_file")).ok()?;
    // The file's name may end in newlines, but the system adds one more.
    path.pop_if(|byte| *byte == b'\n');
    Storage::of(&fs::metadata(manyhash_files::file_name::from_bytes(&path)).ok()?)
}

#[cfg(target_os = "linux")]
fn device_number(folder: &Path) -> Option<u64> {
    let text = fs::read_to_string(folder.join("dev")).ok()?;
    let (major, minor) = text.trim().split_once(':')?;
    Some(rustix::fs::makedev(major.parse().ok()?, minor.parse().ok()?))
}

/// Returns `None`, because other systems have no such folders.
#[cfg(not(target_os = "linux"))]
fn device_number(_: &Path) -> Option<u64> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use rustix::fs::makedev;
    use std::os::unix::fs::symlink;
    use tempfile::TempDir;

    /// A sysfs of made-up devices. 8:0 is a disk, 8:1 and 8:2 are its partitions.
    struct Devices(TempDir);

    impl Devices {
        fn new() -> Self {
            let devices = Self(TempDir::new().unwrap());
            fs::create_dir_all(devices.0.path().join("dev/block")).unwrap();
            devices.add(8, 0, "disk", &[("size", "9")]);
            devices.add(8, 1, "disk/one", &[("partition", "1")]);
            devices.add(8, 2, "disk/two", &[("partition", "2")]);
            devices
        }

        fn add(&self, major: u32, minor: u32, folder: &str, files: &[(&str, &str)]) {
            let number = format!("{major}:{minor}");
            let place = self.0.path().join("devices").join(folder);
            for (name, content) in files.iter().copied().chain([("dev", number.as_str())]) {
                let path = place.join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, format!("{content}\n")).unwrap();
            }
            symlink(format!("../../devices/{folder}"), self.0.path().join("dev/block").join(number)).unwrap();
        }

        fn add_mapped(&self, minor: u32, slaves: &[&str]) -> Storage {
            let folder = format!("dm-{minor}");
            self.add(253, minor, &folder, &[("dm/name", "mapped"), ("slaves/.keep", "")]);
            for slave in slaves {
                let name = slave.replace('/', "-");
                symlink(format!("../../{slave}"), self.0.path().join("devices").join(&folder).join("slaves").join(name)).unwrap();
            }
            Storage::Device(makedev(253, minor))
        }

        fn add_loop(&self, minor: u32, file: &Path, offset: &str) -> Storage {
            let files = [("loop/backing_file", file.to_str().unwrap()), ("loop/offset", offset), ("loop/sizelimit", "0")];
            self.add(7, minor, &format!("loop{minor}"), &files);
            Storage::Device(makedev(7, minor))
        }

        #[track_caller]
        fn assert(&self, expected: bool, one: Storage, other: Storage) {
            let sysfs = Sysfs(self.0.path().to_path_buf());
            assert_eq!(sysfs.overlap(one, other), expected);
            assert_eq!(sysfs.overlap(other, one), expected);
        }
    }

    fn file_on(device: Storage, inode: u64) -> Storage {
        let Storage::Device(device) = device else { panic!("no device") };
        Storage::File(FileId { device, inode })
    }

    #[test]
    fn what_is_over_the_same_storage_overlaps() {
        let devices = Devices::new();
        let [disk, one, two] = [0, 1, 2].map(|minor| Storage::Device(makedev(8, minor)));
        let volume = devices.add_mapped(0, &["disk/one"]);
        let other_volume = devices.add_mapped(1, &["disk/one"]);
        let over_volume = devices.add_mapped(2, &["dm-0"]);
        for (expected, upper, lower) in [
            (true, one, disk),
            (false, one, two),
            (true, volume, one),
            (true, volume, disk),
            (false, volume, two),
            (false, volume, other_volume),
            (true, over_volume, volume),
            (true, over_volume, disk),
            (false, over_volume, other_volume),
            (true, file_on(one, 5), one),
            (true, file_on(one, 5), disk),
            (true, file_on(one, 5), volume),
            (true, file_on(volume, 5), disk),
            (true, file_on(volume, 5), over_volume),
            (false, file_on(one, 5), two),
            (false, file_on(volume, 5), other_volume),
            (false, file_on(one, 5), file_on(one, 6)),
            (false, file_on(one, 5), Storage::Device(makedev(9, 9))),
        ] {
            println!("{upper:?} {lower:?}");
            devices.assert(expected, upper, lower);
        }
    }

    #[test]
    fn a_loop_device_is_its_file() {
        let devices = Devices::new();
        let [data, other] = ["data", "other\n"].map(|name| devices.0.path().join(name));
        fs::write(&data, "").unwrap();
        fs::write(&other, "").unwrap();
        let [file, other_file] = [&data, &other].map(|path| Storage::at(path).unwrap());
        let over_data = devices.add_loop(0, &data, "0");
        let again = devices.add_loop(1, &data, "0");
        let over_other = devices.add_loop(2, &other, "0");
        let [first, second] = [devices.add_loop(3, &data, "1048576"), devices.add_loop(4, &data, "2097152")];
        let mapped = devices.add_mapped(0, &["loop0"]);
        devices.add(259, 0, "loop0/part", &[("partition", "1")]);
        let partition = Storage::Device(makedev(259, 0));
        devices.add_loop(5, &devices.0.path().join("deleted"), "0");
        for (expected, one, other) in [
            (true, over_data, file),
            (true, over_data, again),
            (false, over_data, over_other),
            (true, over_other, other_file),
            (false, over_data, other_file),
            (true, first, file),
            (false, first, second),
            (true, mapped, file),
            (true, partition, file),
            (true, partition, again),
            // Both are over parts of the disk, which may be different parts.
            (false, mapped, partition),
            (true, file_on(over_data, 5), file),
            (true, file_on(over_data, 5), again),
            (false, file_on(over_data, 5), other_file),
            (false, Storage::Device(makedev(7, 5)), file),
        ] {
            println!("{one:?} {other:?}");
            devices.assert(expected, one, other);
        }
    }

    #[test]
    fn what_is_not_there_yet_is_on_its_folders_file_system() {
        let folder = TempDir::new().unwrap();
        let Some(Storage::File(FileId { device, inode: 0 })) = Storage::at(&folder.path().join("new")) else { panic!() };
        assert_eq!(device, FileId::of(&fs::metadata(folder.path()).unwrap()).unwrap().device);
        assert_eq!(Storage::at(&folder.path().join("none/new")), None);
        fs::write(folder.path().join("old"), "").unwrap();
        assert!(!overlap(&folder.path().join("new"), &folder.path().join("old")));
    }
}
