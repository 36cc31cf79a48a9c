//! The program of the fuzz target `columns`.
#![cfg_attr(fuzzing, no_main)]

manyhash_fuzz::program!(columns);
