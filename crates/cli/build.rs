//! Packs the pages of `docs/` for `leadline docs`: `OUT_DIR/pages.gz` is the names and texts of all of them,
//! each followed by a zero byte.
//!
//! `docs` in this directory is a link to the one of the repository; a package of the crate has the pages
//! themselves in its place.

use std::env;
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

fn main() -> Result<(), Box<dyn Error>> {
    let docs = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("docs");
    let docs = docs.canonicalize().map_err(|error| format!("{}: {error}", docs.display()))?;
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", docs.display());
    let mut pages = Vec::new();
    pages_below(&docs, &mut pages)?;
    pages.sort();
    let packed = File::create(Path::new(&env::var("OUT_DIR")?).join("pages.gz"))?;
    let mut packed = GzEncoder::new(BufWriter::new(packed), Compression::best());
    for page in pages {
        let name = page.strip_prefix(&docs)?.to_str().ok_or("a name that is not UTF-8")?.to_owned();
        packed.write_all(format!("{name}\0{}\0", fs::read_to_string(&page)?).as_bytes())?;
    }
    packed.finish()?.flush()?;
    Ok(())
}

fn pages_below(directory: &Path, pages: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            pages_below(&path, pages)?;
        } else if path.extension().is_some_and(|end| end == "md") {
            pages.push(path);
        }
    }
    Ok(())
}
