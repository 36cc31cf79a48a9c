//! Parts of files mapped into memory, so that their bytes are hashed where the system has them.
//!
//! This is the one file of the crate with `unsafe` code. Two things about mapped files are not like
//! memory:
//!
//! - **They can vanish.** If a file is cut short, or a page of it cannot be read, the system sends
//!   the signal SIGBUS to the thread that touches the page, which ends the program. A handler for
//!   that signal looks whether the page belongs to a [`Mapping`]. If so, it puts zeros in place of
//!   that page and all behind it, and notes that the mapping is lost: its digest is worth nothing,
//!   and whoever owns it reads the file instead, which gives the system's error or the digest of
//!   what is left. Any other address is left to the handler that was there before.
//! - **They can change.** Bytes that a program writes to the file meanwhile are seen, as they may be
//!   when a file is read. Nothing but a digest depends on their values.

#![allow(unsafe_code)]

use crate::threads::unpoisoned;
use std::fs::File;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

/// A range of a file's bytes in memory.
#[derive(Debug)]
pub struct Mapping {
    /// The first page, and the number of bytes mapped from there on.
    pages: NonNull<libc::c_void>,
    mapped_bytes: usize,
    /// Where the wanted bytes are in it.
    wanted: Range<usize>,
    /// Its entry in [`KNOWN`].
    entry: &'static Known,
}

impl Mapping {
    /// Maps `bytes` of `file`, which should have them. Nothing if that is impossible: what was
    /// wanted has to be read then.
    pub fn new(file: &File, bytes: Range<u64>) -> Option<Self> {
        let page_bytes = guarded_page_bytes().filter(|_| !bytes.is_empty())?;
        let start = bytes.start - bytes.start % page_bytes as u64;
        let mapped_bytes = usize::try_from(bytes.end.checked_sub(start)?).ok().filter(|&bytes| bytes > 0)?;
        let wanted = (bytes.start - start) as usize..mapped_bytes;
        let mapped_bytes = mapped_bytes.checked_next_multiple_of(page_bytes)?;
        let entry = free_entry()?;
        // SAFETY: this maps a range of a file that is open, where the system likes, so that nothing
        // that is there already goes.
        let address = unsafe {
            let offset = libc::off_t::try_from(start).ok();
            offset
                .map(|offset| libc::mmap(std::ptr::null_mut(), mapped_bytes, libc::PROT_READ, libc::MAP_PRIVATE, file.as_raw_fd(), offset))
        };
        let Some(pages) = address.filter(|&address| address != libc::MAP_FAILED).and_then(NonNull::new) else {
            give_back(entry);
            return None;
        };
        // SAFETY: these are the pages just mapped. It is advice, which nothing depends on.
        unsafe { libc::madvise(pages.as_ptr(), mapped_bytes, libc::MADV_SEQUENTIAL) };
        let first = pages.as_ptr() as usize;
        entry.is_lost.store(false, Ordering::Relaxed);
        entry.end.store(first + mapped_bytes, Ordering::Release);
        entry.start.store(first, Ordering::Release);
        Some(Self { pages, mapped_bytes, wanted, entry })
    }

    /// Whether bytes that were touched are not those of the file, because it is shorter by now or
    /// cannot be read.
    pub fn is_lost(&self) -> bool {
        self.entry.is_lost.load(Ordering::Acquire)
    }

    /// Whether the last page is in memory. The system tells only those who may write to the file;
    /// to others it says that all is.
    pub fn is_end_in_memory(&self) -> bool {
        let Some(page_bytes) = guarded_page_bytes() else { return true };
        let mut page = 1;
        // SAFETY: this asks for one page of this mapping, for which there is room to answer.
        let result = unsafe {
            let last = self.pages.as_ptr().cast::<u8>().add(self.mapped_bytes - page_bytes);
            libc::mincore(last.cast(), page_bytes, &mut page)
        };
        result != 0 || page & 1 != 0
    }
}

impl AsRef<[u8]> for Mapping {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: the pages stay mapped until this is dropped, and the handler puts others in their
        // place where they cannot be read. This program never writes to them. Others may write to
        // the file; the module says what that means.
        unsafe { std::slice::from_raw_parts(self.pages.as_ptr().cast::<u8>().add(self.wanted.start), self.wanted.len()) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        self.entry.start.store(0, Ordering::Release);
        // SAFETY: these pages are this mapping's own, and nobody borrows from it any more.
        unsafe { libc::munmap(self.pages.as_ptr(), self.mapped_bytes) };
        give_back(self.entry);
    }
}

/// A mapping, as the handler knows it.
#[derive(Debug)]
struct Known {
    /// The address of the first page; 0 if there is no mapping.
    start: AtomicUsize,
    /// The address behind the last page.
    end: AtomicUsize,
    is_lost: AtomicBool,
}

/// The most mappings at one time: if a file gets no entry, it is read.
const MOST_MAPPINGS: usize = 4096;

/// All mappings. A handler may not lock or allocate, so this is a table of fixed size.
static KNOWN: [Known; MOST_MAPPINGS] =
    [const { Known { start: AtomicUsize::new(0), end: AtomicUsize::new(0), is_lost: AtomicBool::new(false) } }; MOST_MAPPINGS];
/// The number of entries, from the first on, that have ever been used.
static USED: AtomicUsize = AtomicUsize::new(0);
/// Used entries that are free again.
static FREE: Mutex<Vec<&Known>> = Mutex::new(Vec::new());

fn free_entry() -> Option<&'static Known> {
    let next = || USED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| (used < MOST_MAPPINGS).then_some(used + 1)).ok();
    unpoisoned(FREE.lock()).pop().or_else(|| KNOWN.get(next()?))
}

fn give_back(entry: &'static Known) {
    unpoisoned(FREE.lock()).push(entry);
}

/// What the handler found when it was put in its place.
struct Installed {
    page_bytes: usize,
    previous: libc::sigaction,
}

static INSTALLED: OnceLock<Option<Installed>> = OnceLock::new();

/// The size of a page in bytes, if the handler guards mappings. Another part of the program may
/// have put its own handler in our place.
fn guarded_page_bytes() -> Option<usize> {
    let installed = INSTALLED.get_or_init(install).as_ref()?;
    (handler_now()?.sa_sigaction == handler_address()).then_some(installed.page_bytes)
}

fn install() -> Option<Installed> {
    let previous = handler_now()?;
    // SAFETY: this only asks for a number.
    let page_bytes = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok().filter(|bytes| bytes.is_power_of_two())?;
    // SAFETY: a `sigaction` of zeros is one, and its mask is made before it is used.
    let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    action.sa_sigaction = handler_address();
    // On the stack for signals, if the thread has one. Other signals are handled as ever.
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    // SAFETY: both point to what they should, and the handler does only what handlers may.
    let result = unsafe {
        libc::sigemptyset(&mut action.sa_mask);
        libc::sigaction(libc::SIGBUS, &action, std::ptr::null_mut())
    };
    (result == 0).then_some(Installed { page_bytes, previous })
}

fn handler_now() -> Option<libc::sigaction> {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: this asks for the present handler, which is written where there is room for it.
    unsafe { (libc::sigaction(libc::SIGBUS, std::ptr::null(), action.as_mut_ptr()) == 0).then(|| action.assume_init()) }
}

fn handler_address() -> libc::sighandler_t {
    handle as *const () as libc::sighandler_t
}

extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // Before the handler is known to be installed, there is no mapping.
    let Some(Some(installed)) = INSTALLED.get() else { return leave_to_the_system(signal) };
    // SAFETY: with SA_SIGINFO, the system says here where the fault was.
    let address = unsafe { (*info).si_addr() } as usize;
    if !is_replaced(address, installed.page_bytes) {
        hand_on(&installed.previous, signal, info, context);
    }
}

/// Puts zeros in place of the page at `address` and all behind it, if it is of a mapping.
fn is_replaced(address: usize, page_bytes: usize) -> bool {
    for known in KNOWN.iter().take(USED.load(Ordering::Acquire)) {
        let start = known.start.load(Ordering::Acquire);
        let end = known.end.load(Ordering::Acquire);
        // An entry that is being used for another mapping at this moment is not that of the thread
        // that waits here.
        if start == 0 || !(start..end).contains(&address) || known.start.load(Ordering::Acquire) != start {
            continue;
        }
        let page = address - address % page_bytes;
        // SAFETY: these pages are of the mapping that the interrupted thread reads from, so that it
        // cannot be dropped now. What is borrowed from it stays readable. The calls are allowed in
        // a handler: one is the system's, the other is where its error number is, which is kept.
        unsafe {
            let error_number = *libc::__errno_location();
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_NORESERVE;
            let zeros = libc::mmap(page as *mut libc::c_void, end - page, libc::PROT_READ, flags, -1, 0);
            *libc::__errno_location() = error_number;
            if zeros == libc::MAP_FAILED {
                return false;
            }
        }
        known.is_lost.store(true, Ordering::Release);
        return true;
    }
    false
}

/// Does what would have happened without our handler.
fn hand_on(previous: &libc::sigaction, signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    match previous.sa_sigaction {
        libc::SIG_DFL => leave_to_the_system(signal),
        libc::SIG_IGN => {}
        // SAFETY: the system said that this is a handler, and of which kind.
        address => unsafe {
            if previous.sa_flags & libc::SA_SIGINFO != 0 {
                type WithInfo = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
                std::mem::transmute::<libc::sighandler_t, WithInfo>(address)(signal, info, context);
            } else {
                std::mem::transmute::<libc::sighandler_t, extern "C" fn(libc::c_int)>(address)(signal);
            }
        },
    }
}

/// Lets the signal do what it does without any handler, as soon as this one returns.
fn leave_to_the_system(signal: libc::c_int) {
    // SAFETY: these calls are allowed in a handler.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use std::process::Command;
    use std::thread;

    const PAGE: usize = 4096;

    fn file_of(bytes: usize) -> File {
        let file = tempfile::tempfile().unwrap();
        crate::read::positioned::write_at(&file, &content(bytes), 0).unwrap();
        file
    }

    fn content(bytes: usize) -> Vec<u8> {
        (0..bytes).map(|i| (i % 251 + 1) as u8).collect()
    }

    #[test]
    fn any_range_has_the_bytes_of_the_file() {
        let content = content(10 * PAGE + 77);
        let file = file_of(content.len());
        for range in [0..1, 0..content.len(), 5..PAGE, PAGE - 1..PAGE + 1, 3 * PAGE..4 * PAGE, content.len() - 1..content.len()] {
            let mapping = Mapping::new(&file, range.start as u64..range.end as u64).unwrap();
            assert!(mapping.as_ref() == &content[range.clone()] && !mapping.is_lost(), "{range:?}");
        }
    }

    #[test]
    fn what_was_just_written_is_in_memory() {
        let file = file_of(3 * PAGE);
        assert!(Mapping::new(&file, 0..3 * PAGE as u64).unwrap().is_end_in_memory());
        assert!(Mapping::new(&file, 7..8).unwrap().is_end_in_memory());
    }

    #[test]
    fn of_a_file_cut_short_zeros_are_left_and_the_mapping_is_lost() {
        let bytes = 9 * PAGE;
        let other = file_of(bytes);
        let untouched = Mapping::new(&other, 0..bytes as u64).unwrap();
        for left in [0, 1, PAGE, 3 * PAGE + 5] {
            let file = file_of(bytes);
            let mapping = Mapping::new(&file, 10..bytes as u64).unwrap();
            assert_eq!(mapping.as_ref()[..], content(bytes)[10..]);
            file.set_len(left as u64).unwrap();
            let kept = left.saturating_sub(10);
            assert_eq!(mapping.as_ref()[..kept], content(bytes)[10..][..kept]);
            assert!(mapping.as_ref()[kept..].iter().all(|&byte| byte == 0));
            assert!(mapping.is_lost(), "{left}");
        }
        assert!(untouched.as_ref() == content(bytes) && !untouched.is_lost());
    }

    #[test]
    fn many_threads_lose_their_mappings_at_once_and_no_others() {
        thread::scope(|scope| {
            for number in 0..8 {
                scope.spawn(move || {
                    for round in 0..50 {
                        let file = file_of(4 * PAGE);
                        let mapping = Mapping::new(&file, 0..4 * PAGE as u64).unwrap();
                        let is_cut = (number + round) % 3 == 0;
                        if is_cut {
                            file.set_len(PAGE as u64).unwrap();
                        }
                        let sum: u64 = mapping.as_ref().iter().map(|&byte| u64::from(byte)).sum();
                        let expected = &content(4 * PAGE)[..if is_cut { PAGE } else { 4 * PAGE }];
                        assert_eq!((sum, mapping.is_lost()), (expected.iter().map(|&byte| u64::from(byte)).sum(), is_cut));
                    }
                });
            }
        });
    }

    #[test]
    fn what_cannot_be_mapped_is_refused() {
        let (reader, _writer) = io::pipe().unwrap();
        assert!(Mapping::new(&File::from(std::os::fd::OwnedFd::from(reader)), 0..1).is_none());
        assert!(Mapping::new(&file_of(1), 1..1).is_none());
        assert!(Mapping::new(&file_of(1), 0..u64::MAX).is_none());
    }

    /// The environment variable that makes the test below the victim.
    const VICTIM: &str = "MANYHASH_TEST_SIGBUS_VICTIM";

    #[test]
    fn a_fault_elsewhere_still_ends_the_program() {
        use std::os::unix::process::ExitStatusExt;
        if std::env::var_os(VICTIM).is_some() {
            let file = file_of(2 * PAGE);
            let _ours = Mapping::new(&file, 0..2 * PAGE as u64).unwrap();
            // SAFETY: this is a mapping of its own, which ends with the process.
            unsafe {
                let theirs = libc::mmap(std::ptr::null_mut(), PAGE, libc::PROT_READ, libc::MAP_PRIVATE, file.as_raw_fd(), 0);
                file.set_len(0).unwrap();
                std::ptr::read_volatile(theirs.cast::<u8>());
            }
            return;
        }
        let name = "read::mapping::tests::a_fault_elsewhere_still_ends_the_program";
        let mut command = Command::new(std::env::current_exe().unwrap());
        let output = command.args(["--exact", name, "--nocapture"]).env(VICTIM, "1").output().unwrap();
        assert_eq!(output.status.signal(), Some(libc::SIGBUS), "{output:?}");
    }
}
