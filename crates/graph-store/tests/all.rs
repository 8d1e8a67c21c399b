//! What users of graph stores rely on, as one test program: linking many would take longer than running them.

mod arrays;
mod corpus;
mod folder;
mod formats;
mod import;
mod input;
mod listed;
mod reading;
mod rules;
mod store;
mod tiles;
mod validate;
