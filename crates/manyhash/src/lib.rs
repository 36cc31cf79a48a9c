//! manyhash
