//! The program of the fuzz target `hmac`.
#![cfg_attr(fuzzing, no_main)]

manyhash_fuzz::program!(hmac);
