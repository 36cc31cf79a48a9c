//! `tree s3`: the checksum that S3 has for an object uploaded in parts: the composite checksum,
//! `BASE64-N`, or with `--etag` `HEX-N` of MD5.

use super::Call;
use super::ranges::{self, Fold, Mode, parts};
use crate::exit::Outcome;
use crate::flags::S3Arguments;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use manyhash::AnyAlgorithm;
use manyhash_files::{Algorithms, Hashers};
use std::ops::Range;
use std::sync::Arc;

/// The most parts of an object of S3. Other stores may take more.
const MOST_PARTS: u64 = 10_000;

pub(crate) fn run(call: &Call<'_>, arguments: S3Arguments) -> Outcome {
    let algorithm = if arguments.etag { AnyAlgorithm::Md5 } else { arguments.algorithm };
    let style = if arguments.etag { Style::Hexadecimal } else { Style::Base64 };
    ranges::run(call, Arc::new(S3 { algorithm, part_bytes: arguments.part_size, style }), arguments.files)
}

#[derive(Clone, Copy)]
enum Style {
    Base64,
    Hexadecimal,
}

/// The mode of S3's composite checksums.
struct S3 {
    algorithm: AnyAlgorithm,
    part_bytes: u64,
    style: Style,
}

impl Mode for S3 {
    fn algorithm(&self) -> AnyAlgorithm {
        self.algorithm
    }

    fn ranges(&self, file_bytes: u64) -> Box<dyn Iterator<Item = Range<u64>> + Send> {
        parts(self.part_bytes, file_bytes)
    }

    fn part_bytes(&self) -> Option<u64> {
        Some(self.part_bytes)
    }

    fn fold(&self) -> Box<dyn Fold + '_> {
        Box::new(Composite { hashers: Algorithms::from(self.algorithm).hashers(), parts: 0, style: self.style })
    }
}

/// The digest of the parts' digests, as it grows.
struct Composite {
    hashers: Hashers,
    parts: u64,
    style: Style,
}

impl Fold for Composite {
    fn add(&mut self, digest: &[u8]) {
        self.hashers.update(digest);
        self.parts += 1;
    }

    fn finish(self: Box<Self>) -> String {
        let digest = self.hashers.finalize();
        let digest = match self.style {
            Style::Base64 => STANDARD.encode(digest.bytes()),
            Style::Hexadecimal => const_hex::encode(digest.bytes()),
        };
        format!("{digest}-{}", self.parts)
    }

    fn remark(&self) -> Option<String> {
        (self.parts > MOST_PARTS).then(|| format!("{} parts: Amazon S3 takes {MOST_PARTS} at most", self.parts))
    }
}
