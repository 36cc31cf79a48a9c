//! The program of the fuzz target `batcher`.
#![cfg_attr(fuzzing, no_main)]

manyhash_fuzz::program!(batcher);
