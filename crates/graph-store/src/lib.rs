//! Graphs in one file: lists of edges in aligned, checked blocks, and what makes, changes and checks such a
//! file without running anything on it.
//!
//! [`import`](import::import) makes a store of edges in any order, read by [`input`], in as little memory as
//! one is given. [`updates`] keeps changes next to it, [`export`] writes its edges out again, [`inspect`]
//! says what it holds and checks every byte. The engine and its algorithms are in the crate `leadline-graph`,
//! which has all of this under the same names.
//!
//! ```
//! use leadline_graph_store::import::{ImportOptions, import};
//! use leadline_graph_store::input::InputOptions;
//! use leadline_graph_store::inspect::{summarise, verify};
//!
//! let folder = tempfile::tempdir()?;
//! let (edges, store) = (folder.path().join("roads.el"), folder.path().join("roads.graph"));
//! std::fs::write(&edges, "1 2\n2 3\n7 8\n")?;
//! let options = ImportOptions::default().with_undirected(true);
//! import(&edges, InputOptions::default(), &store, &options, &mut |_| {})?;
//!
//! assert_eq!(summarise(&store)?.header.vertices, 5);
//! verify(&store, &mut |_| {})?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod direct;
mod error;
pub mod export;
mod exported;
pub mod format;
pub mod graphalytics;
pub mod import;
pub mod input;
pub mod inspect;
pub mod leb128;
mod options;
pub mod parquet_file;
mod progress;
pub mod tiles;
pub mod updates;

pub use error::{GraphError, InputOption};
pub use options::{DeviceLimit, Options};
pub use progress::Progress;
