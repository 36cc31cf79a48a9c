//! What `cksum` computes that is no digest: its CRC (POSIX, `cksum`), and the sums of BSD's and System
//! V's `sum`. Files are read one after the other.

use super::{each_piece, or_stdin, print_each};
use crate::exit::Outcome;
use crate::flags::gnu::Checksum;
use crc::{CRC_32_CKSUM, Crc, Digest, Table};
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};

static CRC: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_CKSUM);

/// Prints the checksum and the size of each operand, or of standard input if there is none.
pub(super) fn print(program: &OsStr, checksum: Checksum, operands: Vec<OsString>, zero: bool) -> Outcome {
    let names_are_printed = !operands.is_empty();
    print_each(
        program,
        or_stdin(operands),
        |file| line_of(file, checksum),
        |output, name, mut line| {
            if names_are_printed {
                line.push(b' ');
                line.extend(name);
            }
            line.push(if zero { 0 } else { b'\n' });
            output.write_all(&line)
        },
    )
}

/// Returns the checksum and the size of a file, as they are printed.
fn line_of(file: &OsStr, checksum: Checksum) -> io::Result<Vec<u8>> {
    let mut sum = match checksum {
        Checksum::Bsd => Sum::Bsd(0),
        Checksum::SystemV => Sum::SystemV(0),
        Checksum::Crc | Checksum::Digest(_) => Sum::Crc(CRC.digest()),
    };
    let mut bytes = 0;
    each_piece(file, |piece| {
        bytes += piece.len() as u64;
        sum.update(piece);
    })?;
    Ok(sum.line(bytes).into_bytes())
}

enum Sum {
    Bsd(u16),
    SystemV(u32),
    Crc(Digest<'static, u32, Table<16>>),
}

impl Sum {
    fn update(&mut self, piece: &[u8]) {
        match self {
            Self::Bsd(sum) => *sum = piece.iter().fold(*sum, |sum, byte| sum.rotate_right(1).wrapping_add((*byte).into())),
            Self::SystemV(sum) => *sum = piece.iter().fold(*sum, |sum, byte| sum.wrapping_add((*byte).into())),
            Self::Crc(crc) => crc.update(piece),
        }
    }

    /// Returns the checksum of so many bytes, and how many they are: bytes, or blocks of 1,024 or 512.
    fn line(self, bytes: u64) -> String {
        match self {
            Self::Bsd(sum) => format!("{sum:05} {:5}", bytes.div_ceil(1024)),
            Self::SystemV(sum) => {
                let once = (sum & 0xFFFF) + (sum >> 16);
                format!("{} {}", (once & 0xFFFF) + (once >> 16), bytes.div_ceil(512))
            }
            Self::Crc(mut crc) => {
                // The length follows, its lowest byte first, without the upper zeros.
                let length = bytes.to_le_bytes();
                crc.update(length.get(..8 - bytes.leading_zeros() as usize / 8).unwrap_or_default());
                format!("{} {bytes}", crc.finalize())
            }
        }
    }
}
