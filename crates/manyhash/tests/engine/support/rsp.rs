//! Reader of response files, NIST's and others (`.rsp`): "The Secure Hash Algorithm Validation
//! System (SHAVS)", short and long message tests and the Monte Carlo test.

use std::path::{Path, PathBuf};

/// A message and its digest.
#[derive(Debug)]
pub struct Vector {
    pub message: Vec<u8>,
    pub digest: Vec<u8>,
}

/// A seed, and the digest after every 1000 steps from it.
#[derive(Debug)]
pub struct MonteCarlo {
    pub seed: Vec<u8>,
    pub checkpoints: Vec<Vec<u8>>,
}

/// The folder of the vectors.
pub fn vectors_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../vectors")
}

/// Those with response files: NIST's, and for what NIST has none of, those of
/// `vectors/hashlib_vectors.py`.
pub const FOLDERS: [&str; 2] = ["nist-cavp", "python-hashlib"];

/// The text of a response file: `kind` is `ShortMsg`, `LongMsg` or `Monte`.
pub fn read(algorithm_name: &str, kind: &str) -> (String, String) {
    let stem = algorithm_name.replace("SHA3-", "SHA3_").replace('-', "").replace('/', "_");
    let file = format!("{stem}{kind}.rsp");
    let path = FOLDERS.map(|folder| vectors_folder().join(folder).join(&file)).into_iter().find(|path| path.exists());
    let path = path.unwrap_or_else(|| panic!("{file} is in none of {FOLDERS:?}"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    (file, text)
}

/// The vectors of a `ShortMsg` or `LongMsg` file. An error names the line.
pub fn parse_messages(text: &str, digest_bytes: usize) -> Result<Vec<Vector>, String> {
    let mut fields = Fields::new(text);
    fields.header(digest_bytes)?;
    let mut vectors = Vec::new();
    while fields.more() {
        let length_bits = fields.number("Len")?;
        let mut message = fields.bytes("Msg")?;
        if length_bits == 0 && message == [0] {
            message.clear(); // the empty message is written as a zero byte
        }
        if message.len() * 8 != length_bits {
            return Err(fields.error(&format!("Msg has {} bits, Len says {length_bits}", message.len() * 8)));
        }
        vectors.push(Vector { message, digest: fields.digest(digest_bytes)? });
    }
    Ok(vectors)
}

/// The seed and checkpoints of a `Monte` file. An error names the line.
pub fn parse_monte_carlo(text: &str, digest_bytes: usize) -> Result<MonteCarlo, String> {
    let mut fields = Fields::new(text);
    fields.header(digest_bytes)?;
    let seed = fields.bytes("Seed")?;
    if seed.len() != digest_bytes {
        return Err(fields.error(&format!("Seed has {} bytes, not {digest_bytes}", seed.len())));
    }
    let mut checkpoints = Vec::new();
    while fields.more() {
        let count = fields.number("COUNT")?;
        if count != checkpoints.len() {
            return Err(fields.error(&format!("COUNT is {count}, not {}", checkpoints.len())));
        }
        checkpoints.push(fields.digest(digest_bytes)?);
    }
    Ok(MonteCarlo { seed, checkpoints })
}

/// The lines that say something, in order.
struct Fields<'a> {
    lines: std::iter::Peekable<Box<dyn Iterator<Item = (usize, &'a str)> + 'a>>,
    /// Number of the line taken last, from 1.
    line: usize,
}

impl<'a> Fields<'a> {
    fn new(text: &'a str) -> Self {
        let lines = text.lines().map(str::trim).zip(1..).map(|(text, line)| (line, text));
        let lines = lines.filter(|(_, text)| !text.is_empty() && !text.starts_with('#'));
        let lines: Box<dyn Iterator<Item = _>> = Box::new(lines);
        Self { lines: lines.peekable(), line: 0 }
    }

    fn more(&mut self) -> bool {
        self.lines.peek().is_some()
    }

    fn error(&self, reason: &str) -> String {
        format!("line {}: {reason}", self.line)
    }

    fn next(&mut self, wanted: &str) -> Result<&'a str, String> {
        let (line, text) = self.lines.next().ok_or_else(|| format!("the file ends before {wanted}"))?;
        self.line = line;
        Ok(text)
    }

    /// The line `[L = digest_bytes]`.
    fn header(&mut self, digest_bytes: usize) -> Result<(), String> {
        let wanted = format!("[L = {digest_bytes}]");
        let text = self.next(&wanted)?;
        // NIST's files of SHA-3 have it in bits.
        if text == wanted || text == format!("[L = {}]", 8 * digest_bytes) {
            Ok(())
        } else {
            Err(self.error(&format!("{text:?} is not {wanted:?}")))
        }
    }

    /// The value of the line `key = value`.
    fn value(&mut self, key: &str) -> Result<&'a str, String> {
        let text = self.next(key)?;
        match text.split_once(" = ") {
            Some((found, value)) if found == key => Ok(value),
            _ => Err(self.error(&format!("{text:?} is not {key:?}"))),
        }
    }

    fn number(&mut self, key: &str) -> Result<usize, String> {
        let value = self.value(key)?;
        value.parse().map_err(|error| self.error(&format!("{key} {value:?}: {error}")))
    }

    fn bytes(&mut self, key: &str) -> Result<Vec<u8>, String> {
        let value = self.value(key)?;
        let wrong = || self.error(&format!("{key} {value:?} is not hexadecimal"));
        if !value.len().is_multiple_of(2) || !value.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(wrong());
        }
        (0..value.len()).step_by(2).map(|at| u8::from_str_radix(&value[at..at + 2], 16).map_err(|_| wrong())).collect()
    }

    fn digest(&mut self, digest_bytes: usize) -> Result<Vec<u8>, String> {
        let digest = self.bytes("MD")?;
        if digest.len() == digest_bytes {
            Ok(digest)
        } else {
            Err(self.error(&format!("MD has {} bytes, not {digest_bytes}", digest.len())))
        }
    }
}
