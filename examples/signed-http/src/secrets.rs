//! The secrets shared with a sender. They come from a file or from the environment, because every
//! user of the machine can read arguments.

use anyhow::{Context, Result, bail, ensure};
use std::env;
use std::path::Path;
use zeroize::Zeroizing;

/// One or more secrets that hold at the same time, none empty. They are erased on drop.
pub struct Secrets(Vec<Zeroizing<Vec<u8>>>);

impl Secrets {
    /// Reads the secrets from `file`, or else from the environment variable `variable`. Returns
    /// `None` if neither is there.
    ///
    /// # Errors
    /// If both are there, if the file can't be read, or for the reasons of [`Secrets::from_lines`].
    pub fn find(file: Option<&Path>, variable: &str) -> Result<Option<Self>> {
        match (file, env::var_os(variable)) {
            (Some(file), None) => {
                let text = Zeroizing::new(std::fs::read(file).with_context(|| file.display().to_string())?);
                Self::from_lines(&text).with_context(|| file.display().to_string()).map(Some)
            }
            (None, Some(value)) => {
                let text = Zeroizing::new(value.into_encoded_bytes());
                Self::from_lines(&text).with_context(|| format!("environment variable {variable}")).map(Some)
            }
            (Some(file), Some(_)) => {
                bail!("secrets are in {} and in the environment variable {variable}: which ones hold?", file.display())
            }
            (None, None) => Ok(None),
        }
    }

    /// Takes each line as a secret, with its spaces.
    ///
    /// # Errors
    /// If there is no line, or an empty one, because everybody knows an empty secret.
    pub fn from_lines(text: &[u8]) -> Result<Self> {
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        ensure!(!text.trim_ascii().is_empty(), "no secret");
        let lines = text.split(|&byte| byte == b'\n').enumerate().map(|(i, line)| {
            let secret = line.strip_suffix(b"\r").unwrap_or(line);
            ensure!(!secret.trim_ascii().is_empty(), "line {}: an empty secret", i + 1);
            Ok(Zeroizing::new(secret.to_vec()))
        });
        Ok(Self(lines.collect::<Result<_>>()?))
    }

    /// Returns the bytes of each secret.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(|secret| secret.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Result<Vec<String>, String> {
        let secrets = Secrets::from_lines(text.as_bytes()).map_err(|error| error.to_string())?;
        Ok(secrets.iter().map(|secret| String::from_utf8(secret.to_vec()).unwrap()).collect())
    }

    #[test]
    fn a_line_is_a_secret_with_its_spaces() {
        assert_eq!(lines("It's a Secret to Everybody").unwrap(), ["It's a Secret to Everybody"]);
        assert_eq!(lines("new\n old \n").unwrap(), ["new", " old "]);
        assert_eq!(lines("new\r\nold\r\n").unwrap(), ["new", "old"]);
    }

    #[test]
    fn an_empty_secret_is_refused() {
        for text in ["", "\n", "  \n", "\r\n", "\n\n"] {
            assert_eq!(lines(text).unwrap_err(), "no secret", "{text:?}");
        }
        assert_eq!(lines("new\n\nold\n").unwrap_err(), "line 2: an empty secret");
        assert_eq!(lines("new\nold\n\n").unwrap_err(), "line 3: an empty secret");
    }
}
