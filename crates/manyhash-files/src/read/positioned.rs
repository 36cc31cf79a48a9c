//! Reading and writing at positions: threads share a file, whose own position nobody moves.

use std::fs::File;
use std::io::{self, ErrorKind, Seek, SeekFrom};

/// The size of a file or a block device in bytes. It is where the end is, because metadata say 0
/// for block devices.
pub fn len(mut file: &File) -> io::Result<u64> {
    file.seek(SeekFrom::End(0))
}

/// Fills `buffer` from `offset` on, as far as the file goes, and gives the number of bytes read.
pub fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let bytes = buffer.len();
    let mut rest = buffer;
    while !rest.is_empty() {
        match read_some_at(file, rest, offset + (bytes - rest.len()) as u64) {
            Ok(0) => break,
            Ok(count) => rest = rest.get_mut(count..).unwrap_or_default(),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(bytes - rest.len())
}

/// Writes `bytes` from `offset` on.
pub fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        match write_some_at(file, rest, offset + (bytes.len() - rest.len()) as u64) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) => rest = rest.get(count..).unwrap_or_default(),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(unix)]
use std::os::unix::fs::FileExt;
#[cfg(windows)]
use std::os::windows::fs::FileExt;

fn read_some_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    #[cfg(unix)]
    return file.read_at(buffer, offset);
    #[cfg(windows)]
    return file.seek_read(buffer, offset);
}

fn write_some_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
    #[cfg(unix)]
    return file.write_at(bytes, offset);
    #[cfg(windows)]
    return file.seek_write(bytes, offset);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_at_a_position_is_read_there_up_to_the_end_of_the_file() {
        let file = tempfile::tempfile().unwrap();
        write_at(&file, b"end", 5).unwrap();
        write_at(&file, b"begin", 0).unwrap();
        let mut buffer = [b'?'; 6];
        assert_eq!((read_at(&file, &mut buffer, 0).unwrap(), &buffer), (6, b"begine"));
        assert_eq!((read_at(&file, &mut buffer, 6).unwrap(), &buffer[..2]), (2, &b"nd"[..]));
        assert_eq!((read_at(&file, &mut buffer, 100).unwrap(), len(&file).unwrap()), (0, 8));
    }
}
