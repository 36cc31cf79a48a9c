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

/// Below the options of `verity`.
pub const VERITY: &str = "\
Examples:
  The root hash that a kernel is started with, and the hash device:
      manyhash verity format root.squashfs root.verity --root-hash-file root.hash
  Is all as it was:
      manyhash verity verify root.squashfs root.verity --root-hash-file root.hash
  What a hash device says of itself:
      manyhash verity dump root.verity";

/// Below the options of `verity format`.
pub const VERITY_FORMAT: &str = "\
Sizes:
  A number of bytes, or one with K, M, G or T behind it.

Examples:
  Into a file of its own:
      manyhash verity format root.squashfs root.verity
  Behind the data, in the same image of 512 MiB:
      manyhash verity format root.img root.img --hash-offset 512M
  The same device again, from its salt and its UUID:
      manyhash verity format root.squashfs again.verity --salt aabb --uuid 0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";

/// Below the options of `verity verify`.
pub const VERITY_VERIFY: &str = "\
Examples:
  Silent if all is fine:
      manyhash verity verify root.squashfs root.verity $(cat root.hash)
  Without a superblock all must be said that it would say:
      manyhash verity verify --no-superblock --salt aabb root.squashfs root.verity --root-hash-file root.hash";

/// Below the options of `verity dump`.
pub const VERITY_DUMP: &str = "\
Examples:
  manyhash verity dump root.verity
  manyhash verity dump root.img --hash-offset 512M";

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

/// Below the options of `tree`.
pub const TREE: &str = "\
Which mode:
  j-lanes, j-pointers, files   fast digests of our own, where both sides use them
  fs-verity, dm-verity         what Linux checks files and devices by
  bittorrent-v2                what is in a torrent
  s3, glacier                  what Amazon's stores say of an object
  None of them is the digest that `manyhash sum` prints of a file.

Examples:
  manyhash tree fs-verity *.deb
  manyhash man tree fs-verity | man -l -";

/// Below the options of `tree j-lanes`.
pub const TREE_J_LANES: &str = "\
Examples:
  Of a large image, on all cores:
      manyhash tree j-lanes -j 32 disk.img
  Of a stream, so that no message has the same digest in another mode:
      tar c photos | manyhash tree j-lanes --separated -a sha512";

/// Below the options of `tree j-pointers`.
pub const TREE_J_POINTERS: &str = "\
Examples:
  manyhash tree j-pointers -j 16 disk.img";

/// Below the options of `tree files`.
pub const TREE_FILES: &str = "\
Examples:
  One digest of a release, whatever the names are:
      manyhash tree files dist/*.tar.gz
  The same with other tools:
      sha256sum dist/*.tar.gz | cut -c -64 | xxd -r -p | sha256sum";

/// Below the options of `tree fs-verity`.
pub const TREE_FS_VERITY: &str = "\
Examples:
  As `fsverity digest` prints it:
      manyhash tree fs-verity *.apk
  The tree and the descriptor too:
      manyhash tree fs-verity --out-merkle-tree f.tree --out-descriptor f.descriptor f";

/// Below the options of `tree dm-verity`.
pub const TREE_DM_VERITY: &str = "\
Examples:
  The root hash of an image, without its hash device:
      manyhash tree dm-verity --salt - root.squashfs";

/// Below the options of `tree bittorrent-v2`.
pub const TREE_BITTORRENT_V2: &str = "\
Examples:
  Pieces roots:
      manyhash tree bittorrent-v2 *.iso
  Piece layers too, for programs:
      manyhash tree bittorrent-v2 --json --piece-length 4M big.iso | jq .piece_layers";

/// Below the options of `tree s3`.
pub const TREE_S3: &str = "\
Examples:
  The composite SHA-256 of an upload in parts of 8 MiB:
      manyhash tree s3 backup.tar
  The ETag of an upload in parts of 64 MiB:
      manyhash tree s3 --etag --part-size 64M backup.tar";

/// Below the options of `tree glacier`.
pub const TREE_GLACIER: &str = "\
Examples:
  manyhash tree glacier archive.zip";
