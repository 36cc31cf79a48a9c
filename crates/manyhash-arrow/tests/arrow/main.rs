//! Columns and rows of Arrow data, from outside.

mod columns;
mod rows;
mod support;
