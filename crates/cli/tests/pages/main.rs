//! README.md, the tutorials and the how-tos do what they say: their blocks run as a reader pastes them, in an
//! empty directory and in the order of the page. docs/testing.md says how blocks are marked.
//!
//! `quick` runs each page without the blocks that take long, `complete` runs all of it.

mod block;
mod pasted;
mod shown;
mod stand_ins;

use std::fs;
use std::path::{Path, PathBuf};

use block::{Block, Mark, blocks};

/// A page, from the top of the repository.
struct Page {
    name: &'static str,
    blocks: Vec<Block>,
    /// These are all that it has.
    is_whole: bool,
}

impl Page {
    #[track_caller]
    fn read(name: &'static str) -> Page {
        let text = fs::read_to_string(top().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        match blocks(&text) {
            Ok(blocks) => Page { name, blocks, is_whole: true },
            Err(error) => panic!("{name}:{error}"),
        }
    }

    /// Without the blocks that take long, and what those print.
    fn quick(mut self) -> Page {
        let mut skips = false;
        let all = self.blocks.len();
        self.blocks.retain(|block| {
            if let Mark::Run(_) = block.mark {
                skips = block.is_long();
            }
            !(skips && matches!(block.mark, Mark::Run(_) | Mark::Output(_)))
        });
        self.is_whole = self.blocks.len() == all;
        self
    }

    fn is_long(&self) -> bool {
        self.blocks.iter().any(Block::is_long)
    }

    fn run(&self) {
        if self.blocks.iter().any(|block| matches!(block.mark, Mark::Run(_))) {
            pasted::run(self);
        }
    }
}

/// The top of the repository.
fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The test of each page, and their list.
macro_rules! pages {
    ($($test:ident: $page:literal,)*) => {
        const PAGES: &[&str] = &[$($page),*];

        mod quick {
            $(
                #[test]
                fn $test() {
                    crate::Page::read($page).quick().run();
                }
            )*
        }

        mod complete {
            $(
                #[test]
                fn $test() {
                    let page = crate::Page::read($page);
                    if page.is_long() {
                        page.run();
                    }
                }
            )*
        }
    };
}

pages! {
    readme: "README.md",
    buffer_pool: "docs/how-to-buffer-pool.md",
    cache_policy: "docs/how-to-cache-policy.md",
    check_settings: "docs/how-to-check-settings.md",
    cloud_volume: "docs/how-to-cloud-volume.md",
    crash_test: "docs/how-to-crash-test.md",
    nvme_inside: "docs/how-to-nvme-inside.md",
    predict: "docs/how-to-predict.md",
    python: "docs/how-to-python.md",
    rocksdb_layout: "docs/how-to-rocksdb-layout.md",
    slow_disk_tests: "docs/how-to-slow-disk-tests.md",
    snap_pagerank: "docs/how-to-snap-pagerank.md",
    tune_postgresql: "docs/how-to-tune-postgresql.md",
    first_measurement: "docs/tutorial-first-measurement.md",
    graph: "docs/tutorial-graph.md",
}

#[test]
fn every_tutorial_and_every_how_to_has_its_test() {
    let names = fs::read_dir(top().join("docs")).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.into_string().unwrap());
    let is_ours = |name: &String| name.starts_with("tutorial-") || name.starts_with("how-to-");
    let missing: Vec<String> = names
        .filter(is_ours)
        .map(|name| format!("docs/{name}"))
        .filter(|name| !PAGES.contains(&name.as_str()))
        .collect();
    assert_eq!(missing, [""; 0], "add them to `pages!` in crates/cli/tests/pages/main.rs");
}
