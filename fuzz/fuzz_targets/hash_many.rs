//! The program of the fuzz target `hash_many`.
#![cfg_attr(fuzzing, no_main)]

manyhash_fuzz::program!(hash_many);
