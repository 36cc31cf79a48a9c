//! The program of the fuzz target `chains`.
#![cfg_attr(fuzzing, no_main)]

manyhash_fuzz::program!(chains);
