//! Texts that are appended, and read again by where they were put.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// Bytes gathered before they are written.
const BUFFER_BYTES: usize = 64 << 10;

/// The texts.
#[derive(Debug, Default)]
pub struct Log {
    file: Option<File>,
    written_bytes: u64,
    buffer: Vec<u8>,
}

impl Log {
    /// Appends `text`; gives where it is.
    pub fn append(&mut self, text: &[u8]) -> io::Result<u64> {
        let offset = self.written_bytes + self.buffer.len() as u64;
        let length = u32::try_from(text.len()).expect("a text is below 4 GiB");
        self.buffer.extend(length.to_be_bytes());
        self.buffer.extend(text);
        if self.buffer.len() >= BUFFER_BYTES {
            self.write_out()?;
        }
        Ok(offset)
    }

    /// The text at `offset`.
    pub fn read(&mut self, offset: u64) -> io::Result<Vec<u8>> {
        self.write_out()?;
        let Some(file) = &mut self.file else { return Err(io::ErrorKind::UnexpectedEof.into()) };
        file.seek(SeekFrom::Start(offset))?;
        let mut length = [0; 4];
        file.read_exact(&mut length)?;
        let mut text = vec![0; u32::from_be_bytes(length) as usize];
        file.read_exact(&mut text)?;
        Ok(text)
    }

    fn write_out(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        file.seek(SeekFrom::Start(self.written_bytes))?;
        file.write_all(&self.buffer)?;
        self.written_bytes += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}
