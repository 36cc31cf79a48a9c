//! The program of the fuzz target `readers`.
#![cfg_attr(fuzzing, no_main)]

manyhash_fuzz::program!(readers);
