//! Tests of the binary as users meet it, with arguments going in, and both streams and the exit
//! code coming out. They are written for Unix, with its links, fifos and names that are not UTF-8.

#![cfg(unix)]

mod audit;
mod b3sum;
mod bench;
mod broken;
mod cache;
mod check;
mod diff;
mod disks;
mod dups;
mod errors;
mod faults;
mod files_from;
mod forms;
mod fs_verity;
mod gnu;
mod hash_devices;
mod hub;
mod kills;
mod lists;
mod man;
mod manners;
mod merkle_trees;
mod output;
mod pieces;
mod random;
mod readme;
mod resources;
mod sum;
mod support;
mod systemd;
mod terminal;
mod threads;
mod tree;
mod tree_files;
mod update;
mod verity;
mod walk;
