//! The pages of `docs/` as a site: mdBook makes it of `docs/SUMMARY.md`.
//!
//! A page links to what is in the repository, by paths that work there. In the site a link to another page
//! leads to that page, and one to any other file to the repository's address, if book.toml names one
//! (`git-repository-url`); else its words stay without a link: `links`. Afterwards every link and anchor of
//! the HTML is looked up: `html`.

mod html;
mod links;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use mdbook_driver::MDBook;
use mdbook_driver::config::Config;

/// What was built.
#[derive(Debug, Clone, PartialEq)]
pub struct Built {
    /// Files of HTML.
    pub pages: usize,
    /// Links that lead to a place in the site, each of which is there.
    pub links: usize,
    /// Of all files.
    pub bytes: u64,
}

/// Builds the site of the repository in `root` into the directory `into`, whose contents it replaces if it
/// holds a site.
///
/// # Errors
/// A page of `docs/` that is not in `docs/SUMMARY.md`, or twice; links to nothing, each with its page; what
/// mdBook cannot do; a directory with something else in it.
pub fn build(root: &Path, into: &Path) -> Result<Built> {
    let root = root.canonicalize().with_context(|| root.display().to_string())?;
    replaceable(into)?;
    fs::create_dir_all(into).with_context(|| into.display().to_string())?;
    let mut config = Config::from_disk(root.join("book.toml"))?;
    config.build.build_dir = into.canonicalize()?;
    let repository = config.html_config().and_then(|html| html.git_repository_url);
    let mut site = MDBook::load_with_config(&root, config)?;
    let places = links::places(&site.book)?;
    complete(&root, &places)?;
    links::follow(&mut site.book, &places, &root, repository.as_deref())?;
    site.build()?;
    html::check(into)
}

/// Fails on a page of `docs/` that the book leaves out.
fn complete(root: &Path, places: &BTreeMap<PathBuf, PathBuf>) -> Result<()> {
    let mut pages = Vec::new();
    files(&root.join("docs"), &mut pages)?;
    for page in pages {
        let page = page.strip_prefix(root).expect("a file below it");
        let is_page = page.extension().is_some_and(|end| end == "md") && !page.ends_with("SUMMARY.md");
        if is_page && !places.contains_key(page) {
            bail!("{}: is not in docs/SUMMARY.md: add it to the part that it belongs to", page.display());
        }
    }
    Ok(())
}

/// Fails on a directory that holds anything but a site: mdBook removes what is there.
fn replaceable(into: &Path) -> Result<()> {
    let Ok(mut entries) = fs::read_dir(into) else { return Ok(()) };
    if entries.next().is_some() && !into.join("toc.html").is_file() {
        bail!("{}: holds something that is not a site: name a new or an empty directory", into.display());
    }
    Ok(())
}

/// All files below a directory.
fn files(directory: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(directory).with_context(|| directory.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() { files(&path, found)? } else { found.push(path) }
    }
    Ok(())
}
