//! Gueron 2013: "A j-lanes tree hashing mode and j-lanes SHA-256". A file for each figure.
