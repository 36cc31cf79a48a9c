//! The program `manyhash-bench`, as it is called.

mod curves;
mod grid;
mod many;
mod quick;
