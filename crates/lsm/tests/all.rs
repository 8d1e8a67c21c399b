//! Every test of this crate.

mod btree_advice;
mod btree_model;
mod options_loaded;
mod options_read;
mod options_written;
mod paper_tables;
