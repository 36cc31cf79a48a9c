//! The program of the fuzz target `jobs`.
#![cfg_attr(fuzzing, no_main)]

manyhash_fuzz::program!(jobs);
