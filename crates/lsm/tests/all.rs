//! Every test of this crate.

mod btree_advice;
mod btree_model;
