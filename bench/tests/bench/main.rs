//! The program `manyhash-bench`, as it is called.

mod curves;
mod many;
mod quick;
