//! Files mapped to memory, as section 4.3 of Gueron & Krasnov 2012 reads them.

use std::fs::File;
use std::path::Path;

use anyhow::{Context, Result};
use memmap2::Mmap;

/// Opens a file, asks its size and maps all of it to memory. Nothing is read yet.
pub fn map(path: &Path) -> Result<Mmap> {
    let file = File::open(path).with_context(|| format!("opening {}", path.display()))?;
    // SAFETY: the study's own files, in a folder made for this run: nobody changes them while they are mapped.
    unsafe { Mmap::map(&file) }.with_context(|| format!("mapping {}", path.display()))
}

/// How many of its pages are in memory, of how many; `None` where the system does not tell.
#[cfg(target_os = "linux")]
pub fn pages_in_memory(file: &Mmap) -> Option<(usize, usize)> {
    let mut pages = vec![0u8; file.len().div_ceil(rustix::param::page_size())];
    // SAFETY: the mapping is there, and has as many pages as there is room for answers.
    let answer = unsafe { libc::mincore(file.as_ptr().cast_mut().cast(), file.len(), pages.as_mut_ptr()) };
    (answer == 0).then(|| (pages.iter().filter(|page| **page & 1 == 1).count(), pages.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapped_file_has_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        for bytes in [0, 1, 100_000] {
            let path = folder.path().join(bytes.to_string());
            std::fs::write(&path, vec![7; bytes]).unwrap();
            assert_eq!(map(&path).unwrap()[..], vec![7; bytes]);
        }
        assert!(format!("{:#}", map(&folder.path().join("none")).unwrap_err()).contains("none"));
    }
}
