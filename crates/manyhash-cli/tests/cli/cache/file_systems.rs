//! The file systems that `--cache` trusts, tested on real ones: a file server mounted twice, and
//! images one after the other on a loop device.
//!
//! Under CI the tools must be there, but the machine need not let us mount.

use super::counts;
use crate::support::{Place, peer, skipped};
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::{panicking, sleep};
use std::time::{Duration, Instant, SystemTime};

/// Reports that a test did not run because the machine does not allow it.
pub fn not_allowed(what: &str) {
    println!("SKIPPED: {what}, which this machine does not allow");
}

pub fn succeeds(command: &mut Command) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success()
}

/// Sets the mtime to 2020.
fn make_old(path: &Path) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000);
    fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

/// Returns the digests that `sha256sum` has for the files in `folder`, in the order of their names.
fn right_digests(place: &Place, folder: &str) -> String {
    let output = place.command("sh").args(["-c", &format!("sha256sum {folder}/*")]).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// A file server on the loopback address.
struct Server {
    process: Child,
    port: u16,
}

impl Server {
    /// Starts the server, if socat and the server's program are there.
    fn start() -> Option<Self> {
        let socat = peer("socat")?;
        let folders = ["/usr/lib/openssh", "/usr/lib/ssh", "/usr/libexec", "/usr/libexec/openssh"].map(PathBuf::from);
        let Some(server) = folders.map(|folder| folder.join("sftp-server")).into_iter().find(|path| path.exists()) else {
            skipped("no sftp-server on this machine");
            return None;
        };
        // This port was free a moment ago.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let listen = format!("TCP-LISTEN:{port},bind=127.0.0.1,fork,reuseaddr");
        let process = Command::new(socat).args([listen, format!("EXEC:{}", server.display())]).stderr(Stdio::null()).spawn().unwrap();
        let server = Self { process, port };
        let begin = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begin.elapsed() < Duration::from_secs(20), "socat does not listen");
            sleep(Duration::from_millis(20));
        }
        Some(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A file system that is mounted until this is dropped.
pub struct Mount {
    pub folder: PathBuf,
    pub unmount: &'static [&'static str],
}

impl Drop for Mount {
    fn drop(&mut self) {
        let is_gone = succeeds(Command::new(self.unmount[0]).args(&self.unmount[1..]).arg(&self.folder));
        assert!(is_gone || panicking(), "{self:?} stays mounted");
    }
}

impl std::fmt::Debug for Mount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.folder.fmt(f)
    }
}

/// Mounts the folder `served` at `mnt`.
fn mount_served(place: &Place, server: &Server) -> Option<Mount> {
    let folder = place.join("mnt");
    let served = format!("127.0.0.1:{}", place.join("served").display());
    let mut command = place.command("sshfs");
    command.args(["-o", &format!("directport={}", server.port), &served]).arg(&folder);
    succeeds(&mut command).then(|| Mount { folder, unmount: &["fusermount3", "-u"] })
}

#[test]
fn files_of_a_server_are_hashed_each_time() {
    if peer("sshfs").is_none() {
        return;
    }
    let Some(server) = Server::start() else { return };
    let place = Place::new();
    fs::create_dir(place.join("mnt")).unwrap();
    for index in 1..10 {
        place.file(format!("served/{index}"), format!("content {index}\n"));
        make_old(&place.join(format!("served/{index}")));
    }
    let Some(mount) = mount_served(&place, &server) else { return not_allowed("mounting with FUSE") };
    let right = right_digests(&place, "mnt");
    let first = place.run("sum -v --cache c mnt/1 mnt/2 mnt/3 mnt/4 mnt/5 mnt/6 mnt/7 mnt/8 mnt/9");
    assert_eq!((&first.stdout, first.code), (&right, Some(0)));
    // Mounted again, the server gives the same inode numbers to other files, as they are met.
    drop(mount);
    let mount = mount_served(&place, &server).unwrap();
    for name in ["9", "8", "5"] {
        fs::metadata(place.join("mnt").join(name)).unwrap();
    }
    let second = place.run("sum --cache c -r mnt");
    assert_eq!((second.stdout, second.code), (right.clone(), Some(0)));
    // A change leaves no other trace if size and mtime are as before.
    place.file("m", right.lines().next().unwrap().to_owned() + "\n");
    assert_eq!(place.run("check --cache c m").code, Some(0));
    drop(mount);
    place.file("served/1", "CONTENT 1\n");
    make_old(&place.join("served/1"));
    let mount = mount_served(&place, &server).unwrap();
    let check = place.run("check --cache c m");
    assert_eq!((check.stdout.as_str(), check.code), ("mnt/1: FAILED\n", Some(1)));
    drop(mount);
    assert_eq!(counts(&first), "0 reused, 0 stored");
    assert!(first.stderr.contains("not cached: 9 files on fuse.sshfs, which is not trusted\n"), "{}", first.stderr);
}

/// A loop device that exists until this is dropped.
pub struct Loop(pub PathBuf);

impl Loop {
    /// Attaches `image` to a device, which is `device` if given.
    pub fn attach(image: &Path, device: Option<&Path>) -> Option<Self> {
        let mut command = Command::new("losetup");
        match device {
            Some(device) => {
                let is_attached = succeeds(command.arg(device).arg(image));
                is_attached.then(|| Self(device.into()))
            }
            None => {
                let output = command.args(["--find", "--show"]).arg(image).stderr(Stdio::null()).output().ok()?;
                let name = String::from_utf8(output.stdout).unwrap();
                output.status.success().then(|| Self(name.trim().into()))
            }
        }
    }

    /// Attaches `image` to `device`, waiting if somebody else uses that for a moment.
    fn attach_again(image: &Path, device: &Path) -> Self {
        let begin = Instant::now();
        loop {
            if let Some(attached) = Self::attach(image, Some(device)) {
                return attached;
            }
            assert!(begin.elapsed() < Duration::from_secs(20), "{device:?} is in use");
            sleep(Duration::from_millis(50));
        }
    }

    pub fn mount(&self, folder: PathBuf, options: &str) -> Option<Mount> {
        let is_mounted = succeeds(Command::new("mount").args(["-t", "ext4", "-o", options]).arg(&self.0).arg(&folder));
        is_mounted.then(|| Mount { folder, unmount: &["umount"] })
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("-d").arg(&self.0).status();
    }
}

/// Creates an image of an ext4 with one file, `f`, that differs in the content alone.
fn make_image(place: &Place, name: &str, content: &str) -> Option<PathBuf> {
    let (mke2fs, debugfs) = (peer("mke2fs")?, peer("debugfs")?);
    let (image, folder) = (place.join(name), format!("{name}.d"));
    place.file(format!("{folder}/f"), content);
    fs::File::create(&image).unwrap().set_len(8 << 20).unwrap();
    let uuid = "00000000-1111-2222-3333-444444444444";
    let mut command = Command::new(mke2fs);
    command.args(["-q", "-F", "-t", "ext4", "-U", uuid, "-E", &format!("hash_seed={uuid}"), "-d"]).arg(place.join(folder)).arg(&image);
    assert!(succeeds(&mut command));
    for time in ["atime", "ctime", "mtime", "crtime"] {
        let request = format!("set_inode_field f {time} @1600000000");
        assert!(succeeds(Command::new(&debugfs).args(["-w", "-R", &request]).arg(&image)));
    }
    Some(image)
}

#[test]
fn files_of_the_next_image_are_not_those_of_the_last() {
    let place = Place::new();
    let images = [("one", "version1"), ("two", "version2")].map(|(name, content)| make_image(&place, name, content));
    let [Some(first), Some(second)] = images else { return };
    fs::create_dir(place.join("mnt")).unwrap();
    let Some(device) = Loop::attach(&first, None) else { return not_allowed("a loop device") };
    let name = device.0.clone();
    drop(device);
    let why = format!("on ext4 on {}, which is no disk", name.file_name().unwrap().to_str().unwrap());
    for (options, why) in [("rw", why.as_str()), ("ro", "on ext4 that is mounted read-only")] {
        let (mut stamps, mut told) = (Vec::new(), Vec::new());
        for image in [&first, &second] {
            let device = Loop::attach_again(image, &name);
            let Some(mount) = device.mount(place.join("mnt"), options) else { return not_allowed("mounting an image") };
            let metadata = fs::metadata(place.join("mnt/f")).unwrap();
            stamps.push((metadata.dev(), metadata.ino(), metadata.size(), metadata.mtime_nsec(), metadata.ctime(), metadata.ctime_nsec()));
            let right = place.run("sum mnt/f").stdout;
            let sum = place.run("sum -v --cache c mnt/f");
            drop(mount);
            assert_eq!((&sum.stdout, sum.code), (&right, Some(0)), "{image:?} {options}");
            told.push(sum.stderr);
        }
        let why = format!("not cached: 1 file {why}\n");
        assert!(told.iter().all(|told| told.contains(&why)), "{told:#?}");
        assert_eq!(stamps[0], stamps[1], "the images can be told apart, so the test tests nothing");
    }
}

#[test]
fn what_is_not_trusted_is_counted_by_its_type() {
    let place = Place::new();
    place.file("f", "in a folder that may be trusted");
    let Ok(memory) = tempfile::TempDir::new_in("/dev/shm") else { return not_allowed("a folder in /dev/shm") };
    for name in ["a", "b"] {
        fs::write(memory.path().join(name), name).unwrap();
    }
    let sum = place.run(&format!("sum -v --cache c -r f {}", memory.path().display()));
    assert_eq!(sum.code, Some(0));
    // Where no file system in memory is mounted, this is some other folder.
    let types = fs::read_to_string("/proc/self/mounts").unwrap();
    let is_memory =
        types.lines().rev().find_map(|line| line.split(' ').nth(1).zip(line.split(' ').nth(2)).filter(|(at, _)| *at == "/dev/shm"));
    if is_memory.is_none_or(|(_, kind)| kind != "tmpfs") {
        return not_allowed("tmpfs in /dev/shm");
    }
    assert!(sum.stderr.contains("not cached: 2 files on tmpfs, which is not trusted\n"), "{}", sum.stderr);
}
