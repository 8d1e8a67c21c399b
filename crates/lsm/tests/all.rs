//! Every test of this crate.

mod btree_advice;
mod btree_model;
mod lsm_advice;
mod lsm_device;
mod lsm_predict;
mod options_loaded;
mod options_read;
mod options_written;
mod paper_tables;
