//! Messages of the recorded vectors. They are here because tests are compiled without optimisation, and this crate with it.

/// Returns the message of this length in `vectors/tree-modes.txt`: byte i is
/// (131 i + 17 floor(i / 2^8) + 5 floor(i / 2^16) + 7) mod 256. Below 16 MiB, aligned blocks of 2^n bytes all differ.
pub fn of_tree_modes(bytes: usize) -> Vec<u8> {
    (0..bytes as u64).map(|i| (131 * i + 17 * (i >> 8) + 5 * (i >> 16) + 7) as u8).collect()
}
