//! What users of the graph crate rely on, as one test program: linking many would take longer than running
//! them.

mod against_networkx;
mod algorithms;
mod arrays;
mod communities;
mod dfs;
mod estimate;
mod folder;
mod forged;
mod import;
mod input;
mod kinds;
mod listed;
mod made;
mod output;
mod rows;
mod samples;
mod scc;
mod shapes;
mod similarity;
mod spilled;
mod store;
mod sweep;
mod triangles;
mod validate;
mod walk;
