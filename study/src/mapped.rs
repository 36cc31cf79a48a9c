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
