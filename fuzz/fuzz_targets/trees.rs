//! The program of the fuzz target `trees`.
#![cfg_attr(fuzzing, no_main)]

manyhash_fuzz::program!(trees);
