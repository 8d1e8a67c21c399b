//! `cargo xtask site`: builds the site into the directory that is named.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use leadline_site::{Built, build};

fn main() -> ExitCode {
    let Some(into) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("leadline-site: no directory given: name the one that the site is to be in");
        return ExitCode::from(2);
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    match build(&root, &into) {
        Ok(Built { pages, links, bytes }) => {
            let megabytes = bytes as f64 / 1e6;
            println!("{}: {pages} pages, {megabytes:.1} MB, {links} links checked", into.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("leadline-site: {error:#}");
            ExitCode::FAILURE
        }
    }
}
