//! The program of the fuzz target `manifests`.
#![cfg_attr(fuzzing, no_main)]

manyhash_fuzz::program!(manifests);
