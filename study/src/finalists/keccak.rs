//! Keccak with a rate of 1088 bits and digests of 256, as it was in the SHA-3 competition. FIPS 202
//! changed a byte of padding; that version is the engine's own SHA3-256.

use manyhash::hazmat::{ByteOrder, Compression, Count, Sha3_256Compression, Sponge, Words};

/// Keccak\[1088\] as it was submitted. It absorbs blocks as SHA3-256 does, and its padding lacks
/// the two bits that were added later.
#[derive(Clone, Copy, Debug)]
pub struct Keccak256;

impl Compression for Keccak256 {
    type Word = u64;
    type State = Count<25>;
    type Block = Count<17>;
    type Ending = Sponge<0x01>;
    const NAME: &'static str = "keccak-1088";
    const BYTE_ORDER: ByteOrder = ByteOrder::Little;

    #[inline(always)]
    fn compress<V: Words<Word = u64>>(isa: V::Isa, state: &mut [V; 25], block: [V; 17]) {
        Sha3_256Compression::compress(isa, state, block);
    }
}
