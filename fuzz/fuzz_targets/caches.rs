//! The program of the fuzz target `caches`.
#![cfg_attr(fuzzing, no_main)]

manyhash_fuzz::program!(caches);
