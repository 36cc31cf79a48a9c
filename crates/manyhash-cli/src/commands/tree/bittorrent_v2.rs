//! `tree bittorrent-v2`: what a torrent of BEP 52 says of each file: `pieces root`, and with `--json` also `piece layers`.

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

pub(crate) fn run(call: &Call<'_>, arguments: BittorrentV2Arguments) -> Outcome {
    let BittorrentV2Arguments { piece_length, json, files } = arguments;
    let tree = BitTorrentV2::new(piece_length).expect("the piece length was looked at");
    if json { small_files::run(call, &Json(tree), files) } else { small_files::run(call, &Roots(tree), files) }
}

/// Only `pieces root`; an empty file has none.
struct Roots(BitTorrentV2);

impl Mode for Roots {
    type Found = Option<[u8; 32]>;

    fn of_contents(&self, contents: &[&[u8]]) -> Vec<io::Result<Self::Found>> {
        self.0.merkle().roots(contents).into_iter().map(Ok).collect()
    }

    fn of_input(&self, input: Input<'_>, work: &Alone) -> io::Result<Self::Found> {
        let mut tree = self.0.merkle().builder();
        input.hash_leaves(self.0.merkle(), work, |leaves| tree.add(leaves))?;
        Ok(tree.root())
    }

    fn line(&self, path: &Path, root: Self::Found) -> Vec<u8> {
        line(&root.map_or_else(|| "-".to_string(), const_hex::encode), path)
    }
}

struct Json(BitTorrentV2);

impl Mode for Json {
    type Found = (u64, FileTree);

    fn of_contents(&self, contents: &[&[u8]]) -> Vec<io::Result<Self::Found>> {
        // Files of one piece have no more than a root.
        let is_piece = |content: &&&[u8]| content.len() as u64 <= self.0.piece_bytes();
        let mut roots = self.0.merkle().roots(&contents.iter().filter(is_piece).collect::<Vec<_>>()).into_iter();
        let mut tree = |content: &&[u8]| match is_piece(&content) {
            true => FileTree { pieces_root: roots.next().expect("one for each piece"), piece_layer: Vec::new() },
            false => self.0.file_tree(content),
        };
        contents.iter().map(|content| Ok((content.len() as u64, tree(content)))).collect()
    }

    fn of_input(&self, input: Input<'_>, work: &Alone) -> io::Result<Self::Found> {
        let mut tree = self.0.builder();
        let bytes = input.hash_leaves(self.0.merkle(), work, |leaves| tree.add(leaves))?;
        Ok((bytes, tree.finish(bytes)))
    }

    fn line(&self, path: &Path, (bytes, tree): Self::Found) -> Vec<u8> {
        let object = JsonFile {
            name: JsonName::of(file_name::bytes_of(path)),
            bytes,
            pieces_root: tree.pieces_root.map(const_hex::encode),
            piece_length: self.0.piece_bytes(),
            piece_layers: tree.piece_layer.iter().map(const_hex::encode).collect(),
        };
        let mut line = serde_json::to_vec(&object).expect("strings and numbers are JSON");
        line.push(b'\n');
        line
    }
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
