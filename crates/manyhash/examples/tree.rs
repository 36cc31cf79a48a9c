//! `cargo run --release --example tree -- FILE`: one message as many. The blocks of a file are hashed side by
//! side, and their digests again, to the digest that `fsverity digest FILE` prints. What is hashed again when a
//! block changes is the way from it to the root.

use manyhash::Sha256;
use manyhash::tree::{FsVerity, JLanes};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let content = match env::args_os().nth(1) {
        Some(path) => fs::read(path)?,
        None => (0..3_000_000u32).map(|i| i as u8).collect(),
    };
    let mode = FsVerity::<Sha256>::new(4096, b"").map_err(io::Error::other)?;
    println!("fs-verity  sha256:{}", hex(&mode.digest(&content)));

    // The same by hand, level by level, for programs that keep the tree beside the file.
    let tree = mode.merkle();
    let mut builder = tree.builder();
    let mut levels = Vec::new();
    let made = &mut |nodes: manyhash::tree::Nodes<'_>| -> io::Result<()> {
        levels.resize(levels.len().max(nodes.level + 1), 0);
        levels[nodes.level] += nodes.bytes.len();
        Ok(())
    };
    for part in content.chunks(64 * tree.leaf_bytes()) {
        builder.push(&tree.hash_leaves(part), &mut *made)?;
    }
    let root = builder.finish(&mut *made)?;
    let descriptor = mode.descriptor(content.len() as u64, root);
    assert_eq!(mode.digest_of(&descriptor), mode.digest(&content));
    println!("levels of the tree, in bytes: {levels:?}");

    // A digest of one long message with many lanes, which is another than SHA-256's.
    println!("j-lanes    {}", hex(&JLanes::<Sha256>::new(16).map_err(io::Error::other)?.hash(&content)));
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
