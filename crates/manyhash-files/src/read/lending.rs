//! Lending bytes of a file that is in memory anyway, a window after the other.

#[cfg(target_os = "linux")]
pub use super::mapping::Mapping;
use super::positioned;
use std::fs::File;
use std::ops::Range;
use std::rc::Rc;

/// The fewest bytes worth a mapping: of fewer, copying costs less. Measured on Zen 4, 350 files of
/// the paper's sizes: 64 KiB are as good as 256 KiB, 16 KiB are 3 % slower.
pub const LEAST_BYTES: u64 = 64 << 10;

/// Whether lending a file costs less than copying it, as measured on families of CPUs:
/// docs/files.md has the figures.
pub fn is_faster() -> bool {
    matches!(manyhash::backend::cost_table(), "zen-4" | "golden-cove")
}

/// Lends some bytes of a file, if they are in memory and worth it.
pub fn lend(file: &File, bytes: Range<u64>) -> Option<Mapping> {
    let is_worth_it = bytes.end.saturating_sub(bytes.start) >= LEAST_BYTES;
    let mapping = if is_worth_it { Mapping::new(file, bytes)? } else { return None };
    mapping.is_end_in_memory().then_some(mapping)
}

/// Whether `file` has bytes up to `position`. If it was cut within a page that is mapped, the rest
/// of that page is zeros.
pub fn reaches(file: &File, position: u64) -> bool {
    matches!(positioned::read_at(file, &mut [0], position - 1), Ok(1))
}

/// Whether the byte of `file` at `position` is in memory. Where the system does not tell, it is
/// taken to be.
///
/// A read that may not wait (`RWF_NOWAIT`) would tell everybody, but it makes the system read there:
/// cold files took 17 % longer.
pub fn is_in_memory(file: &File, position: u64) -> bool {
    Mapping::new(file, position..position + 1).is_none_or(|mapping| mapping.is_end_in_memory())
}

/// What is lent of a file.
#[derive(Debug)]
pub struct Lending {
    /// The bytes of a window.
    window_bytes: u64,
    /// Where the file, or the part of it that is wanted, ended when the first window was lent.
    end: Option<u64>,
    last: Option<Rc<Mapping>>,
    is_over: bool,
    /// Whether the file turned out to be another than what was lent of it.
    was_lost: bool,
}

/// The next step with a file.
pub enum Next {
    /// The bytes of this window are lent.
    Window(Rc<Mapping>),
    /// The file is to be read, where it stands.
    Read,
    /// The file is to be read, from the position behind the last window on.
    ReadBehind,
}

impl Lending {
    /// Lends windows of about `window_bytes` bytes; none if there are to be none.
    pub fn new(window_bytes: Option<u64>) -> Self {
        Self { window_bytes: window_bytes.unwrap_or(0), end: None, last: None, is_over: window_bytes.is_none(), was_lost: false }
    }

    /// Whether a file of `size_bytes` bytes may be lent.
    pub fn is_for(&self, size_bytes: u64) -> bool {
        !self.is_over && size_bytes >= 2 * LEAST_BYTES
    }

    /// Lends no more of the file.
    pub fn end(&mut self) {
        self.is_over = true;
    }

    /// Whether bytes that were lent are not those of the file.
    pub fn is_lost(&self) -> bool {
        self.was_lost || self.last.as_ref().is_some_and(|mapping| mapping.is_lost())
    }

    /// Looks whether `file` still has all that was lent of it, which was up to `position`, once all
    /// of that has been used.
    pub fn check(&mut self, file: &File, position: u64) {
        if let Some(last) = self.last.take() {
            self.was_lost = last.is_lost() || !reaches(file, position);
        }
    }

    /// Lends the bytes of `file` from `position` on, and the `again_bytes` bytes before it. `end`
    /// says where the file ends now.
    pub fn next(&mut self, file: &File, position: u64, again_bytes: usize, end: impl FnOnce() -> Option<u64>) -> Next {
        if self.is_over {
            return Next::Read;
        }
        let end = *self.end.get_or_insert_with(|| end().unwrap_or(0));
        let left_bytes = end.saturating_sub(position);
        let window_bytes = if left_bytes < self.window_bytes + LEAST_BYTES { left_bytes } else { self.window_bytes };
        let window = position.saturating_sub(again_bytes as u64)..position + window_bytes;
        match lend(file, window).map(Rc::new) {
            Some(mapping) => {
                self.last = Some(Rc::clone(&mapping));
                Next::Window(mapping)
            }
            None => {
                self.is_over = true;
                if self.last.is_some() { Next::ReadBehind } else { Next::Read }
            }
        }
    }
}

/// A mapping, which other systems do not make.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub struct Mapping(std::convert::Infallible);

#[cfg(not(target_os = "linux"))]
impl Mapping {
    fn new(_: &File, _: Range<u64>) -> Option<Self> {
        None
    }

    fn is_end_in_memory(&self) -> bool {
        match self.0 {}
    }

    pub fn is_lost(&self) -> bool {
        match self.0 {}
    }
}

#[cfg(not(target_os = "linux"))]
impl AsRef<[u8]> for Mapping {
    fn as_ref(&self) -> &[u8] {
        match self.0 {}
    }
}

/// A window that is lent, as the engine takes it.
#[derive(Debug)]
pub struct Lent(pub Rc<Mapping>);

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}
