//! The content of a row of the store: the digests of up to sixteen files with neighbouring inode
//! numbers, and a checksum over all of it, so that no damage can pass for a digest.
//!
//! Files made together have neighbouring numbers and are met together. A row for each file would
//! make the store slower than reading a small file.
//!
//! Numbers are little-endian. For each file a row has inode and size (8 bytes each), mtime and
//! ctime (16 each), the number of digests (1), and for each digest the algorithm's name and the
//! digest, with their lengths (1) in front. At the end are 8 bytes of a SHA-256 over the row's key
//! and all of that. Algorithms are named, not numbered, so that a row keeps its meaning when one
//! joins the list.
//!
//! The device in stamps is the file system's identity ([`super::file_systems`]), not `st_dev`.

use manyhash::{AnyAlgorithm, Sha256};
use manyhash_files::read::{FileId, Stamp};
use manyhash_files::{Algorithms, Digests};

const CHECKSUM_BYTES: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct GroupKey {
    /// The file system's lasting identity.
    pub(crate) file_system: u64,
    /// The inode number without its lowest bits.
    pub(crate) block: u64,
}

impl GroupKey {
    const BLOCK_BITS: u32 = 4;

    pub(crate) fn of(file: FileId) -> Self {
        Self { file_system: file.device, block: file.inode >> Self::BLOCK_BITS }
    }

    pub(super) fn checksum(self, body: &[u8]) -> [u8; CHECKSUM_BYTES] {
        let message = [&self.file_system.to_le_bytes()[..], &self.block.to_le_bytes(), body].concat();
        let [a, b, c, d, e, f, g, h, ..] = manyhash::hash::<Sha256>(&message);
        [a, b, c, d, e, f, g, h]
    }
}

/// The stored digests of some neighbouring files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    key: GroupKey,
    entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) stamp: Stamp,
    /// The digests by names of algorithms, some of which this version may not know.
    digests: Vec<(Box<str>, Box<[u8]>)>,
}

/// A digest that differs from the stored one of the same stamp.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) algorithm: String,
    pub(crate) stored: Box<[u8]>,
}

impl Group {
    pub(crate) fn new(key: GroupKey) -> Self {
        Self { key, entries: Vec::new() }
    }

    pub(crate) fn key(&self) -> GroupKey {
        self.key
    }

    /// Decodes the group in a row, or returns `None` if the row is damaged.
    pub(crate) fn decode(key: GroupKey, row: &[u8]) -> Option<Self> {
        let (mut body, checksum) = row.split_last_chunk()?;
        if key.checksum(body) != *checksum {
            return None;
        }
        let mut group = Self::new(key);
        while !body.is_empty() {
            group.entries.push(Entry::decode(key.file_system, &mut body)?);
        }
        Some(group)
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut row = Vec::with_capacity(112 * self.entries.len());
        for entry in &self.entries {
            entry.encode(&mut row);
        }
        row.extend(self.key.checksum(&row));
        row
    }

    pub(crate) fn find(&self, file: FileId) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.stamp.file == file)
    }

    /// Notes digests. Those of other algorithms for the same stamp stay, unless a digest that can
    /// be compared differs. Then none of the old ones is believed.
    pub(crate) fn put(&mut self, stamp: Stamp, digests: &Digests) -> Option<Difference> {
        let mut new = Entry::new(stamp, digests);
        let Some(entry) = self.entries.iter_mut().find(|entry| entry.stamp.file == stamp.file) else {
            self.entries.push(new);
            return None;
        };
        let old = std::mem::replace(entry, Entry { stamp, digests: Vec::new() });
        let mut difference = None;
        if old.stamp == stamp {
            let fresh = |name: &str| digests.algorithms().iter().find(|algorithm| digests.algorithms().name(*algorithm) == name);
            for (name, stored) in &old.digests {
                if fresh(name).is_some_and(|algorithm| digests.of(algorithm) != &**stored) {
                    difference = Some(Difference { algorithm: name.to_string(), stored: stored.clone() });
                }
            }
            if difference.is_none() {
                new.digests.extend(old.digests.into_iter().filter(|(name, _)| fresh(name).is_none()));
            }
        }
        *entry = new;
        difference
    }
}

impl Entry {
    fn new(stamp: Stamp, digests: &Digests) -> Self {
        let pair = |algorithm: AnyAlgorithm| (digests.algorithms().name(algorithm).into(), digests.of(algorithm).into());
        Self { stamp, digests: digests.algorithms().iter().map(pair).collect() }
    }

    /// Returns the digests of `algorithms`, if all of them are known.
    pub(crate) fn digests(&self, algorithms: Algorithms) -> Option<Digests> {
        let mut bytes = Vec::new();
        for algorithm in algorithms.iter() {
            let (_, digest) = self.digests.iter().find(|(name, _)| **name == *algorithms.name(algorithm))?;
            bytes.extend(digest);
        }
        Digests::new(algorithms, bytes)
    }

    /// Appends the entry to a row. Digests too many or too long for the row's numbers are left out,
    /// so those files will be hashed again.
    fn encode(&self, row: &mut Vec<u8>) {
        let Self { stamp: Stamp { file, size_bytes, modified_ns, changed_ns }, digests } = self;
        row.extend(file.inode.to_le_bytes());
        row.extend(size_bytes.to_le_bytes());
        row.extend(modified_ns.to_le_bytes());
        row.extend(changed_ns.to_le_bytes());
        let length = |item: &[u8]| u8::try_from(item.len()).ok();
        let fitting = digests.iter().filter_map(|(name, digest)| Some((length(name.as_bytes())?, name, length(digest)?, digest)));
        let (mut count, mut items) = (0, Vec::new());
        for (number, (name_length, name, digest_length, digest)) in (1..=u8::MAX).zip(fitting) {
            count = number;
            items.push(name_length);
            items.extend(name.as_bytes());
            items.push(digest_length);
            items.extend(digest);
        }
        row.push(count);
        row.extend(items);
    }

    fn decode(file_system: u64, rest: &mut &[u8]) -> Option<Self> {
        let stamp = Stamp {
            file: FileId { device: file_system, inode: u64::from_le_bytes(take(rest)?) },
            size_bytes: u64::from_le_bytes(take(rest)?),
            modified_ns: i128::from_le_bytes(take(rest)?),
            changed_ns: i128::from_le_bytes(take(rest)?),
        };
        let [count] = take(rest)?;
        let digests = (0..count).map(|_| Some((str::from_utf8(take_item(rest)?).ok()?.into(), take_item(rest)?.into())));
        Some(Self { stamp, digests: digests.collect::<Option<_>>()? })
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (first, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(*first)
}

fn take_item<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let [length] = take(rest)?;
    let (item, after) = rest.split_at_checked(usize::from(length))?;
    *rest = after;
    Some(item)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(inode: u64, changed_ns: i128) -> Stamp {
        Stamp { file: FileId { device: 7, inode }, size_bytes: 3, modified_ns: -1, changed_ns }
    }

    fn digests(algorithm: AnyAlgorithm, byte: u8) -> Digests {
        Digests::new(algorithm.into(), vec![byte; algorithm.digest_bytes()]).unwrap()
    }

    fn key() -> GroupKey {
        GroupKey::of(stamp(100, 0).file)
    }

    #[test]
    fn a_row_gives_back_what_was_put_in() {
        let mut group = Group::new(key());
        assert_eq!(group.put(stamp(100, 1), &digests(AnyAlgorithm::Sha256, 1)), None);
        assert_eq!(group.put(stamp(101, 1), &digests(AnyAlgorithm::Sha512_256, 2)), None);
        let read = Group::decode(key(), &group.encode()).unwrap();
        assert_eq!(read, group);
        let entry = read.find(stamp(101, 1).file).unwrap();
        assert_eq!(
            (entry.stamp, entry.digests(AnyAlgorithm::Sha512_256.into())),
            (stamp(101, 1), Some(digests(AnyAlgorithm::Sha512_256, 2)))
        );
        assert_eq!(entry.digests(AnyAlgorithm::Sha256.into()), None);
        assert_eq!(read.find(stamp(102, 1).file), None);
    }

    #[test]
    fn algorithms_join_for_one_stamp_and_not_for_another() {
        let both = Algorithms::of(&[AnyAlgorithm::Sha1, AnyAlgorithm::Sha256]);
        let mut group = Group::new(key());
        group.put(stamp(100, 1), &digests(AnyAlgorithm::Sha1, 1));
        group.put(stamp(100, 1), &digests(AnyAlgorithm::Sha256, 2));
        assert_eq!(group.find(stamp(100, 1).file).unwrap().digests(both).unwrap().of(AnyAlgorithm::Sha1), [1; 20]);
        group.put(stamp(100, 2), &digests(AnyAlgorithm::Sha256, 3));
        assert_eq!(group.find(stamp(100, 1).file).unwrap().digests(AnyAlgorithm::Sha1.into()), None);
    }

    #[test]
    fn a_digest_that_differs_is_told_and_ends_the_trust_in_the_others() {
        let mut group = Group::new(key());
        group.put(stamp(100, 1), &digests(AnyAlgorithm::Sha1, 1));
        group.put(stamp(100, 1), &digests(AnyAlgorithm::Sha256, 2));
        let difference = group.put(stamp(100, 1), &digests(AnyAlgorithm::Sha256, 3)).unwrap();
        assert_eq!(difference, Difference { algorithm: "SHA-256".into(), stored: [2; 32].into() });
        let entry = group.find(stamp(100, 1).file).unwrap();
        assert_eq!(entry.digests(AnyAlgorithm::Sha256.into()), Some(digests(AnyAlgorithm::Sha256, 3)));
        assert_eq!(entry.digests(AnyAlgorithm::Sha1.into()), None);
    }

    #[test]
    fn a_row_with_the_most_digests_takes_another_one() {
        // The checksum is no secret, so a row may hold anything.
        let unknown = (0..u8::MAX).map(|index| (format!("{index}").into(), [index; 255].into())).collect();
        let group = Group { key: key(), entries: vec![Entry { stamp: stamp(100, 1), digests: unknown }] };
        let mut read = Group::decode(key(), &group.encode()).unwrap();
        assert_eq!(read, group);
        assert_eq!(read.put(stamp(100, 1), &digests(AnyAlgorithm::Sha256, 3)), None);
        let read = Group::decode(key(), &read.encode()).unwrap();
        let entry = read.find(stamp(100, 1).file).unwrap();
        assert_eq!(entry.digests(AnyAlgorithm::Sha256.into()), Some(digests(AnyAlgorithm::Sha256, 3)));
        assert_eq!(entry.digests.len(), 255);
    }

    #[test]
    fn no_damage_passes() {
        let mut group = Group::new(key());
        group.put(stamp(100, 1), &digests(AnyAlgorithm::Sha256, 1));
        let row = group.encode();
        for bit in 0..8 * row.len() {
            let mut damaged = row.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Group::decode(key(), &damaged), None, "bit {bit}");
        }
        for length in 0..row.len() {
            assert_eq!(Group::decode(key(), &row[..length]), None, "{length} bytes");
        }
        assert_eq!(Group::decode(GroupKey { block: 0, ..key() }, &row), None);
    }
}
