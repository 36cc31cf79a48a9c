//! The program of the fuzz target `superblocks`.
#![cfg_attr(fuzzing, no_main)]

manyhash_fuzz::program!(superblocks);
