//! Packs the library that draws the charts: its text is a megabyte, a third of that packed.

use std::env;
use std::error::Error;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

const LIBRARY: &str = "vendor/echarts/echarts.min.js";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={LIBRARY}");
    let packed = File::create(Path::new(&env::var("OUT_DIR")?).join("echarts.min.js.gz"))?;
    let mut packed = GzEncoder::new(packed, Compression::best());
    packed.write_all(&fs::read(LIBRARY).map_err(|error| format!("{LIBRARY}: {error}"))?)?;
    packed.finish()?;
    Ok(())
}
