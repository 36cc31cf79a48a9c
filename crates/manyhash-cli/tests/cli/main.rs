//! Tests of the binary as users meet it, with arguments going in, and both streams and the exit
//! code coming out. They are written for Unix, with its links, fifos and names that are not UTF-8.

#![cfg(unix)]

mod audit;
mod bench;
mod cache;
mod check;
mod dups;
mod faults;
mod files_from;
mod forms;
mod fs_verity;
mod gnu;
mod hash_devices;
mod man;
mod output;
mod pieces;
mod readme;
mod resources;
mod sum;
mod support;
mod terminal;
mod threads;
mod tree;
mod tree_files;
mod verity;
mod walk;
