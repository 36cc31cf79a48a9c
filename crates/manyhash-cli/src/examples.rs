//! What stands below the options, under `--help` and in the manual pages: headings, and indented lines that are shown as they are.

/// Below the list of commands; `DROP-INS` are their names.
pub const MANYHASH: &str = "\
Examples:
  manyhash sum -r photos -o photos.sha256
  manyhash check photos.sha256

Drop-ins:
  DROP-INS
  as `manyhash NAME ...`, or by a link of that name; with GNU's options.

Exit codes:
  0 fine, 1 a file could not be read or a check failed, 2 wrong usage.

Environment:
  MANYHASH_BACKEND=NAME  hash with that backend
  MANYHASH_LOG=1         the same as --verbose";

/// Below the options of `sum`.
pub const SUM: &str = "\
Examples:
  Lines as sha256sum prints them:
      manyhash sum *.iso
  A whole folder, into a manifest for `manyhash check` or `sha256sum -c`:
      manyhash sum -r photos -o photos.sha256
  Two algorithms, each file read once:
      manyhash sum -a sha256,sha512 *.tar
  Source files only, and nothing that was built:
      manyhash sum -r --include '*.rs' --include '*.toml' --exclude target/ .
  Names from elsewhere, whatever characters are in them:
      find . -newer last -type f -print0 | manyhash sum -0 --files-from -
  For programs:
      manyhash sum --json -r data | jq -r 'select(.bytes > 1000000) | .path'";

/// Below the options of `dups`.
pub const DUPS: &str = "\
Sizes:
  A number of bytes, or one with K, M, G or T behind it.

Examples:
  Groups of names, an empty line between them:
      manyhash dups photos
  Only large files, for programs:
      manyhash dups --json --min-size 1M /home | jq -r 'select(.files) | .files[1:][].path'
  What a store of content-defined chunks would save, folder by folder:
      manyhash dups --chunks cdc:16K --depth 2 /srv/backup";

/// Below the options of `check`.
pub const CHECK: &str = "\
Examples:
  Say only what is not as it should be:
      manyhash check --quiet photos.sha256
  Names relative to another folder, digests from elsewhere:
      curl -s https://example.org/SHA256SUMS | manyhash check --ignore-missing -C downloads -
  What failed, for programs:
      manyhash check --json SHA256SUMS | jq -r 'select(.status != \"ok\") | .path'";

/// Below the options of `bench`.
pub const BENCH: &str = "\
Examples:
  manyhash bench
  manyhash bench -a sha256 -a sha512";

/// Below the options of `man`.
pub const MAN: &str = "\
Examples:
  Read a page:
      manyhash man sum | man -l -
  Install the pages:
      manyhash man > manyhash.1
      manyhash man sum > manyhash-sum.1";

/// Below the options of `completions`.
pub const COMPLETIONS: &str = "\
Examples:
  manyhash completions bash > ~/.local/share/bash-completion/completions/manyhash
  manyhash completions zsh > ~/.zfunc/_manyhash
  manyhash completions fish > ~/.config/fish/completions/manyhash.fish";
