//! What a command says to the shell. The standard library's `ExitCode` cannot be turned into a number, which other programs that run
//! the command need.

/// An exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit(u8);

impl Exit {
    /// All went well.
    pub const SUCCESS: Self = Self(0);

    /// Its number.
    pub fn code(self) -> u8 {
        self.0
    }
}

impl From<u8> for Exit {
    fn from(code: u8) -> Self {
        Self(code)
    }
}
