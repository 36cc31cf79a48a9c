//! Tests of the binary as users meet it: arguments in, both streams and the exit code out.

mod check;
mod gnu;
mod resources;
mod sum;
mod support;
