//! What users of the graph crate rely on, as one test program: linking many would take longer than running
//! them.

mod against_networkx;
mod algorithms;
mod communities;
mod dfs;
mod estimate;
mod first_commit;
mod forged;
mod kinds;
mod lists;
mod made;
mod options;
mod output;
mod pagerank;
mod queries;
mod rows;
mod samples;
mod scc;
mod shapes;
mod similarity;
mod spilled;
mod sweep;
mod triangles;
mod update_arrays;
mod updates;
mod walk;
