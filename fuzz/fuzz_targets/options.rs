//! The program of the fuzz target `options`.
#![cfg_attr(fuzzing, no_main)]

manyhash_fuzz::program!(options);
