//! The finalists of the SHA-3 competition: BLAKE and Keccak, which both papers of 2012 and 2013
//! discuss, and Skein, JH and Grøstl. They are here in linear code, by other people's crates, and in lanes, on
//! the engine's own trait and under its schedule.

/// What an ending has that does not write into registers.
macro_rules! not_in_registers {
    ($C:ident) => {
        const IN_REGISTERS: bool = false;

        fn length(_: u32) -> manyhash::hazmat::WordOf<$C> {
            unreachable!("not in registers")
        }

        fn finish_in_lanes<V: Words<Word = manyhash::hazmat::WordOf<$C>>>(
            _: V::Isa,
            _: &mut manyhash::hazmat::StateOf<$C, V>,
            _: &mut manyhash::hazmat::BlockOf<$C, V>,
            _: V,
            _: V,
        ) {
            unreachable!("not in registers")
        }
    };
}

mod blake;
pub mod function;
mod groestl;
mod jh;
mod skein;
