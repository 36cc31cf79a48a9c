//! The names of drop-ins.
//!
//! The list is the engine's own, [`AnyAlgorithm`]: nothing here names an algorithm.

use manyhash::AnyAlgorithm;

/// The algorithm of a command such as `sha256sum`.
pub(crate) fn by_command(command: &str) -> Option<AnyAlgorithm> {
    AnyAlgorithm::ALL.iter().copied().find(|a| command_of(*a).as_deref() == Some(command))
}

/// The name of an algorithm's drop-in command, if it has one.
pub(crate) fn command_of(algorithm: AnyAlgorithm) -> Option<String> {
    (!algorithm.name().contains('/')).then(|| format!("{algorithm}sum"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_those_of_the_plain_algorithms() {
        let commands: Vec<_> = AnyAlgorithm::ALL.iter().copied().filter_map(command_of).collect();
        assert_eq!(commands[..6], ["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum"]);
        assert_eq!(by_command("sha384sum"), Some(AnyAlgorithm::Sha384));
        assert_eq!(by_command("sum"), None);
    }
}
