//! The program `manyhash-study`, as it is called.

mod command;
mod counts;
mod gueron_2013;
