//! `b3sum`: BLAKE3 of files, with its keys and with output of any length.

use super::{Checking, each_piece, print_each, print_sums};
use crate::commands::prepare_backends;
use crate::commands::sum::or_stdin;
use crate::exit::{Failure, Outcome};
use crate::flags::B3sumArguments;
use crate::output::Output;
use crate::text::escapes::{escape, needs_escape};
use crate::text::lines::{Format, Style};
use clap::Parser;
use manyhash::blake3::{KEY_BYTES, Mode, Reader};
use manyhash::{AnyAlgorithm, backend};
use manyhash_files::{MAX_WORKERS, STDIN, all_cores};
use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::path::Path;

pub(super) fn run(program: &OsStr, arguments: impl Iterator<Item = OsString>, verbose: bool) -> Outcome {
    let arguments = B3sumArguments::try_parse_from([program.to_owned()].into_iter().chain(arguments))?;
    backend::from_environment().map_err(|error| Failure::usage(error.to_string()))?;
    prepare_backends(program, AnyAlgorithm::Blake3.into(), verbose).map_err(Failure::usage)?;
    let threads = match arguments.num_threads {
        0 => all_cores(),
        threads => usize::from(threads).min(MAX_WORKERS),
    };
    if arguments.check {
        let algorithm = Some(AnyAlgorithm::Blake3);
        let checking = Checking { algorithm, ignore_missing: false, quiet: arguments.quiet, status: false, strict: true, warn: true };
        return checking.run(program, or_stdin(arguments.files), threads);
    }
    if arguments.raw && arguments.files.len() > 1 {
        return Err(Failure::usage("--raw: the bytes of one file only, because nothing would say where those of the next begin"));
    }
    if arguments.seek.checked_add(arguments.length).is_none() {
        return Err(Failure::usage("--seek and --length: the output of BLAKE3 has less than 2^64 bytes"));
    }
    let B3sumArguments { keyed, derive_key, length, seek, no_names, raw, tag, files, .. } = arguments;
    if !keyed && derive_key.is_none() && (length, seek) == (32, 0) && !no_names && !raw {
        let style = if tag { Style::Tag } else { Style::Text };
        let algorithm = AnyAlgorithm::Blake3;
        return print_sums(program, algorithm.into(), Format::new(&[algorithm], style, false), or_stdin(files), threads);
    }
    let mode = match derive_key {
        Some(context) => Mode::derive_key(&context),
        None if keyed => Mode::keyed(&key()?),
        None => Mode::plain(),
    };
    let form = Form { raw, tag, no_names };
    let read = |file: &OsStr| output_of(&mode, file, keyed);
    print_each(program, or_stdin(files), read, |output, name, reader| form.print(output, name, reader, seek, length))
}

/// Reads a key from standard input.
fn key() -> Result<[u8; KEY_BYTES], Failure> {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(KEY_BYTES as u64 + 1).read_to_end(&mut bytes);
    read.map_err(Failure::of(Path::new(STDIN)))?;
    let more = if bytes.len() > KEY_BYTES { " or more" } else { "" };
    let wrong = format!("--keyed: a key has {KEY_BYTES} bytes, and standard input has {}{more}", bytes.len());
    <[u8; KEY_BYTES]>::try_from(bytes).map_err(|_| Failure::failed(wrong))
}

/// Returns the output for a file.
fn output_of(mode: &Mode, file: &OsStr, is_stdin_spent: bool) -> io::Result<Reader> {
    if is_stdin_spent && file == STDIN {
        return Err(io::Error::other("standard input was the key"));
    }
    let mut hasher = mode.hasher();
    each_piece(file, |piece| hasher.update(piece))?;
    Ok(hasher.finalize_reader())
}

/// How output is printed.
struct Form {
    raw: bool,
    tag: bool,
    no_names: bool,
}

impl Form {
    fn print(&self, output: &mut Output, name: &[u8], mut reader: Reader, seek: u64, length: u64) -> io::Result<()> {
        reader.set_position(seek);
        let is_named = !self.raw && !self.no_names;
        if is_named && needs_escape(name) {
            output.write_all(b"\\")?;
        }
        let mut escaped = Vec::new();
        escape(name, &mut escaped);
        if is_named && self.tag {
            output.write_all(&[b"BLAKE3 (", &escaped[..], b") = "].concat())?;
        }
        let mut bytes = vec![0; 64 << 10];
        let mut left = length;
        while left > 0 {
            let count = left.min(bytes.len() as u64);
            left -= count;
            let part = bytes.get_mut(..count as usize).unwrap_or_default();
            reader.fill(part);
            if self.raw { output.write_all(part)? } else { output.write_all(const_hex::encode(part).as_bytes())? }
        }
        if is_named && !self.tag {
            output.write_all(&[b"  ", &escaped[..]].concat())?;
        }
        if self.raw { Ok(()) } else { output.write_all(b"\n") }
    }
}
