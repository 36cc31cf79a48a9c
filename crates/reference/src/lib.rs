//! Textbook hash functions.
