//! The service end to end: clients over TCP on loopback, every engine.

mod clients;
mod program;
mod requests;
mod support;
