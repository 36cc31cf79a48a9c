//! An algorithm chosen at run time: by name, by the length of a digest, or by the command's name.
//!
//! The list is the engine's own, [`manyhash::for_each_algorithm!`]: nothing here names an algorithm.

mod several;

use std::fmt;
use std::str::FromStr;

use manyhash::Algorithm;
use manyhash::backend::Backend;

pub use several::{Algorithms, Digests};

/// Something to do for an algorithm known only at run time.
pub trait ForAlgorithm {
    /// What it gives back.
    type Output;
    /// Does it for `A`.
    fn run<A: Algorithm>(self) -> Self::Output;
}

macro_rules! any_algorithm {
    ([] $($name:ident)*) => {
        /// One of the engine's algorithms.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum AnyAlgorithm { $(#[doc = stringify!($name)] $name),* }

        impl AnyAlgorithm {
            /// All of them, in the engine's order.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The name its standard gives it, as `SHA-512/256`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => <manyhash::$name as Algorithm>::NAME),* }
            }

            /// Bytes of its digests.
            pub const fn digest_bytes(self) -> usize {
                match self { $(Self::$name => <manyhash::$name as Algorithm>::DIGEST_BYTES),* }
            }

            /// Does `what` for this algorithm.
            pub fn with<F: ForAlgorithm>(self, what: F) -> F::Output {
                match self { $(Self::$name => what.run::<manyhash::$name>()),* }
            }
        }
    };
}
manyhash::for_each_algorithm!(any_algorithm []);

/// Letters and digits alone, in one case: `SHA-512/256`, `sha512_256` and `Sha512-256` are one name.
fn normalised(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '/' | '_')).map(|c| c.to_ascii_lowercase()).collect()
}

impl AnyAlgorithm {
    /// The algorithm of that name, whatever its case and punctuation. OpenSSL's `SHA2-256` is SHA-256.
    pub fn by_name(name: &str) -> Option<Self> {
        let wanted = normalised(name);
        let find = |wanted: &str| Self::ALL.iter().copied().find(|a| normalised(a.name()) == wanted);
        let of_the_family = || wanted.strip_prefix("sha2").filter(|size| size.len() >= 3);
        find(&wanted).or_else(|| find(&format!("sha{}", of_the_family()?)))
    }

    /// The algorithm that digests of this length are taken for when nothing else is said: not a truncated one such as SHA-512/256.
    pub fn by_digest_bytes(bytes: usize) -> Option<Self> {
        Self::ALL.iter().copied().find(|a| a.digest_bytes() == bytes && !a.name().contains('/'))
    }

    /// The algorithm of a command such as `sha256sum`.
    pub fn by_command(command: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|a| a.command().as_deref() == Some(command))
    }

    /// The name of its drop-in command, if it has one.
    pub fn command(self) -> Option<String> {
        (!self.name().contains('/')).then(|| normalised(self.name()) + "sum")
    }

    /// The name in BSD-style lines: `SHA256`, `SHA512/256`.
    pub fn tag(self) -> String {
        self.name().replace('-', "")
    }

    /// The backend that will hash with it, and its lanes; or why the one asked for in `MANYHASH_BACKEND` cannot.
    pub fn backend(self) -> Result<(Backend, usize), String> {
        struct InUse;
        impl ForAlgorithm for InUse {
            type Output = Result<(Backend, usize), String>;
            fn run<A: Algorithm>(self) -> Self::Output {
                let backend = Backend::in_use::<A>().map_err(|error| error.to_string())?;
                Ok((backend, backend.lanes_of::<A>().unwrap_or(1)))
            }
        }
        self.with(InUse)
    }
}

/// As one would type it.
impl fmt::Display for AnyAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tag().to_ascii_lowercase())
    }
}

impl FromStr for AnyAlgorithm {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::by_name(name).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(ToString::to_string).collect();
            format!("unknown algorithm; these would do: {}", names.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_however_they_are_written() {
        for &algorithm in AnyAlgorithm::ALL {
            for name in [algorithm.name().to_string(), algorithm.tag(), algorithm.to_string(), algorithm.name().replace('/', "_")] {
                assert_eq!(AnyAlgorithm::by_name(&name), Some(algorithm), "{name}");
            }
        }
        assert_eq!(AnyAlgorithm::by_name("SHA2-256"), Some(AnyAlgorithm::Sha256));
        assert_eq!(AnyAlgorithm::by_name("SHA2-512/256"), Some(AnyAlgorithm::Sha512_256));
        for unknown in ["", "sha", "sha2", "sha257", "sha2-1", "sha-1x", "crc32"] {
            assert_eq!(AnyAlgorithm::by_name(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn a_digest_length_means_the_plain_algorithm() {
        for (bytes, expected) in [
            (16, Some(AnyAlgorithm::Md5)),
            (20, Some(AnyAlgorithm::Sha1)),
            (28, Some(AnyAlgorithm::Sha224)),
            (32, Some(AnyAlgorithm::Sha256)),
            (48, Some(AnyAlgorithm::Sha384)),
            (64, Some(AnyAlgorithm::Sha512)),
            (0, None),
            (33, None),
        ] {
            assert_eq!(AnyAlgorithm::by_digest_bytes(bytes), expected, "{bytes}");
        }
    }

    #[test]
    fn commands_are_those_of_the_plain_algorithms() {
        let commands: Vec<_> = AnyAlgorithm::ALL.iter().filter_map(|a| a.command()).collect();
        assert_eq!(commands[..6], ["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum"]);
        assert_eq!(AnyAlgorithm::by_command("sha384sum"), Some(AnyAlgorithm::Sha384));
        assert_eq!(AnyAlgorithm::by_command("sum"), None);
    }
}
