//! An HTTP service that verifies signed requests, as GitHub and Stripe send them. See README.md.

#![forbid(unsafe_code)]

pub mod body;
pub mod engine;
pub mod metrics;
pub mod secrets;
pub mod server;
pub mod service;
pub mod signature;
