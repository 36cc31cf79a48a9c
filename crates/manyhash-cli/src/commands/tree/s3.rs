//! `tree s3`: what S3 says of an object that came in parts: the composite checksum, `BASE64-N`, or with `--etag` `HEX-N` of MD5.

use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use manyhash::{Algorithm, AnyAlgorithm, ForAlgorithm, Hasher};

use crate::arguments::S3Arguments;
use crate::exit::Exit;
use crate::hexadecimal;

use super::Call;
use super::ranges::{self, Fold, Mode, parts};

/// As many parts as an object of S3 may have; other stores may take more.
const MOST_PARTS: u64 = 10_000;

/// Runs `manyhash tree s3`.
pub fn run(call: &Call<'_>, arguments: S3Arguments) -> Exit {
    let algorithm = if arguments.etag { AnyAlgorithm::Md5 } else { arguments.algorithm };
    algorithm.with(Print { call, arguments, algorithm })
}

struct Print<'a> {
    call: &'a Call<'a>,
    arguments: S3Arguments,
    algorithm: AnyAlgorithm,
}

impl ForAlgorithm for Print<'_> {
    type Output = Exit;

    fn run<A: Algorithm>(self) -> Exit {
        let Self { call, arguments: S3Arguments { part_size, etag, files, .. }, algorithm } = self;
        let style = if etag { Style::Hexadecimal } else { Style::Base64 };
        let composite = Composite::<A> { hasher: Hasher::new(), parts: 0, part_bytes: part_size, style };
        ranges::run(call, &composite, algorithm.into(), files)
    }
}

#[derive(Clone, Copy)]
enum Style {
    Base64,
    Hexadecimal,
}

/// The digest of the digests of parts.
#[derive(Clone)]
struct Composite<A: Algorithm> {
    hasher: Hasher<A>,
    parts: u64,
    part_bytes: u64,
    style: Style,
}

impl<A: Algorithm> Mode for Composite<A> {
    type Algorithm = A;
    type Fold<'a> = Self;

    fn ranges(&self, file_bytes: u64) -> Box<dyn Iterator<Item = Range<u64>> + Send> {
        parts(self.part_bytes, file_bytes)
    }

    fn part_bytes(&self) -> Option<u64> {
        Some(self.part_bytes)
    }

    fn fold(&self) -> Self {
        self.clone()
    }
}

impl<A: Algorithm> Fold for Composite<A> {
    fn add(&mut self, digest: &[u8]) {
        self.hasher.update(digest);
        self.parts += 1;
    }

    fn finish(self) -> String {
        let digest = self.hasher.finalize();
        let digest = match self.style {
            Style::Base64 => STANDARD.encode(digest),
            Style::Hexadecimal => hexadecimal::encoded(digest.as_ref()),
        };
        format!("{digest}-{}", self.parts)
    }

    fn remark(&self) -> Option<String> {
        (self.parts > MOST_PARTS).then(|| format!("{} parts: Amazon S3 takes {MOST_PARTS} at most", self.parts))
    }
}
