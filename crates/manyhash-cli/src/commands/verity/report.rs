//! The report on a hash device, as `veritysetup` prints it.

use super::layout::{Layout, linux_name, salt_text};
use crate::flags::Uuid;
use manyhash_files::file_name;
use std::path::Path;

#[derive(Debug)]
pub(crate) struct Report<'a> {
    pub(crate) path: &'a Path,
    pub(crate) layout: &'a Layout,
    /// The algorithm's name as the user typed it, if it was typed.
    pub(crate) typed_hash: Option<&'a str>,
    /// The UUID as the user typed it, if it was typed.
    pub(crate) typed_uuid: Option<&'a str>,
    pub(crate) root: Option<&'a str>,
}

impl Report<'_> {
    pub(crate) fn lines(&self) -> Vec<u8> {
        let Self { path, layout, typed_hash, typed_uuid, root } = self;
        let superblock = &layout.superblock;
        let mut lines = [&b"VERITY header information for "[..], &file_name::bytes_of(path), b"\n"].concat();
        let mut line = |name: &str, width: usize, value: &str| lines.extend(format!("{name:width$}\t{value}\n").bytes());
        let uuid = match (layout.has_superblock, typed_uuid) {
            (false, _) => String::new(),
            (_, Some(typed)) => (*typed).to_string(),
            _ => Uuid::from(superblock.uuid).typed,
        };
        let linux_name = linux_name(layout.algorithm);
        let hash = typed_hash.filter(|typed| typed.eq_ignore_ascii_case(&linux_name)).unwrap_or(&linux_name);
        line("UUID:", 17, &uuid);
        line("Hash type:", 17, &superblock.format.number().to_string());
        line("Data blocks:", 17, &superblock.data_blocks.to_string());
        line("Data block size:", 17, &superblock.data_block_bytes.to_string());
        line("Hash blocks:", 17, &layout.hash_blocks().to_string());
        line("Hash block size:", 17, &superblock.hash_block_bytes.to_string());
        line("Hash algorithm:", 17, hash);
        line("Salt:", 17, &salt_text(&superblock.salt));
        if let Some(root) = root {
            line("Root hash:", 16, root);
        }
        if layout.hash_offset == 0 {
            line("Hash device size:", 18, &format!("{} [bytes]", layout.end()));
        }
        lines
    }
}
