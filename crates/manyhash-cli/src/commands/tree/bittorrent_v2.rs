//! `tree bittorrent-v2`: what a torrent of BEP 52 says of each file: `pieces root`, and with
//! `--json` also `piece layers`.

use super::Call;
use super::small_files::{self, Alone, Input, Mode};
use crate::exit::Outcome;
use crate::flags::BittorrentV2Arguments;
use crate::text::json_name::JsonName;
use crate::text::lines::line;
use manyhash::tree::BitTorrentV2;
use manyhash::tree::bittorrent_v2::FileTree;
use manyhash_files::file_name;
use serde::Serialize;
use std::io;
use std::path::Path;
use std::sync::Arc;

pub(crate) fn run(call: &Call<'_>, arguments: BittorrentV2Arguments) -> Outcome {
    let BittorrentV2Arguments { piece_length, json, files } = arguments;
    let tree = BitTorrentV2::new(piece_length)?;
    small_files::run(call, if json { Arc::new(Json(tree)) } else { Arc::new(Roots(tree)) }, files)
}

/// The mode that prints `pieces root` alone. An empty file has none.
struct Roots(BitTorrentV2);

impl Mode for Roots {
    fn of_contents(&self, contents: &[&[u8]]) -> Vec<Vec<u8>> {
        self.0.merkle().roots(contents).into_iter().map(|root| root.into_iter().flatten().collect()).collect()
    }

    fn of_input(&self, input: Input<'_>, work: &Alone) -> io::Result<(Vec<u8>, u64)> {
        let mut tree = self.0.merkle().builder();
        let bytes = input.hash_leaves(self.0.merkle(), work, |leaves| tree.add(leaves))?;
        Ok((tree.root().into_iter().flatten().collect(), bytes))
    }

    fn line(&self, path: &Path, _: u64, root: &[u8]) -> io::Result<Vec<u8>> {
        let root = if root.is_empty() { "-".to_string() } else { const_hex::encode(root) };
        Ok(line(&root, path))
    }
}

struct Json(BitTorrentV2);

impl Mode for Json {
    fn of_contents(&self, contents: &[&[u8]]) -> Vec<Vec<u8>> {
        // A file of one piece has only a root.
        let is_piece = |content: &&&[u8]| content.len() as u64 <= self.0.piece_bytes();
        let mut roots = self.0.merkle().roots(&contents.iter().filter(is_piece).collect::<Vec<_>>()).into_iter();
        let mut tree = |content: &&[u8]| match is_piece(&content) {
            #[expect(clippy::expect_used, reason = "there are as many roots as files of one piece")]
            true => FileTree { pieces_root: roots.next().expect("one for each piece"), piece_layer: Vec::new() },
            false => self.0.file_tree(content),
        };
        contents.iter().map(|content| digests(tree(content))).collect()
    }

    fn of_input(&self, input: Input<'_>, work: &Alone) -> io::Result<(Vec<u8>, u64)> {
        let mut tree = self.0.builder();
        let bytes = input.hash_leaves(self.0.merkle(), work, |leaves| tree.add(leaves))?;
        Ok((digests(tree.finish(bytes)), bytes))
    }

    fn line(&self, path: &Path, bytes: u64, digests: &[u8]) -> io::Result<Vec<u8>> {
        let mut digests = digests.chunks_exact(32).map(const_hex::encode);
        let name = file_name::bytes_of(path);
        let object = JsonFile {
            name: JsonName::of(&name),
            bytes,
            pieces_root: digests.next(),
            piece_length: self.0.piece_bytes(),
            piece_layers: digests.collect(),
        };
        let mut line = serde_json::to_vec(&object)?;
        line.push(b'\n');
        Ok(line)
    }
}

/// Returns the root, if there is one, followed by the piece layer.
fn digests(tree: FileTree) -> Vec<u8> {
    tree.pieces_root.into_iter().chain(tree.piece_layer).flatten().collect()
}

#[derive(Serialize)]
struct JsonFile<'a> {
    #[serde(flatten)]
    name: JsonName<'a>,
    bytes: u64,
    pieces_root: Option<String>,
    piece_length: u64,
    piece_layers: Vec<String>,
}
