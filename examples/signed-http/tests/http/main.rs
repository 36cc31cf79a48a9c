//! The service end to end: clients over TCP on loopback, every engine.

mod clients;
mod load;
mod program;
mod requests;
mod support;
