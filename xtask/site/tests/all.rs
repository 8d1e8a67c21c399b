//! The site of this repository, and sites with mistakes in them.

use std::fs;
use std::path::Path;

use leadline_site::build;

fn top() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn every_page_of_the_repository_is_there_every_link_leads_somewhere_and_search_finds_words() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("html");
    let built = build(&top(), &site).unwrap_or_else(|error| panic!("{error:#}"));
    assert!(built.pages > 90 && built.links > 5_000, "{built:?}");
    for page in ["index.html", "print.html", "burst.html", "advise/linux.html", "ARCHITECTURE.html"] {
        assert!(site.join(page).is_file(), "{page}");
    }
    let names = fs::read_dir(&site).unwrap().map(|entry| entry.unwrap().file_name());
    let index = names.map(|name| name.into_string().unwrap()).find(|name| name.starts_with("searchindex"));
    let index = fs::read_to_string(site.join(index.expect("an index"))).unwrap();
    for word in ["stall", "cloud volumes"] {
        assert!(index.contains(word), "{word}");
    }
    // Built again, in its own place.
    assert_eq!(build(&top(), &site).unwrap(), built);
}

/// A repository with these files and a book.
fn book(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let config = "[book]\nsrc = \"docs\"\n[build]\nuse-default-preprocessors = false\ncreate-missing = false\n\
        [output.html]\ninput-404 = \"\"\n";
    for (name, text) in [("book.toml", config)].iter().chain(files) {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    folder
}

#[track_caller]
fn refused(files: &[(&str, &str)], said: &str) {
    let folder = book(files);
    let error = build(folder.path(), &folder.path().join("html")).expect_err(said);
    assert!(format!("{error:#}").contains(said), "{error:#}");
}

const SUMMARY: (&str, &str) = ("docs/SUMMARY.md", "# Summary\n\n- [A](a.md)\n");

#[test]
fn a_dead_link_or_anchor_and_a_page_that_is_left_out_end_the_build() {
    let page = |text| ("docs/a.md", text);
    let folder = book(&[SUMMARY, page("# A\n\n## B\n\n[here](#b) and [there](a.md#b)\n")]);
    build(folder.path(), &folder.path().join("html")).unwrap();
    refused(&[SUMMARY, page("[x](b.md)\n")], "docs/a.md:1: a link leads to b.md, which does not exist");
    refused(&[SUMMARY, page("# A\n\n[x](#b)\n")], "a.html: a link leads to #b, which is not there");
    refused(&[SUMMARY, page("# A\n\n[x](a.md#b)\n")], "a.html: a link leads to a.html#b, which is not");
    refused(&[SUMMARY, page("# A\n"), ("docs/b.md", "# B\n")], "docs/b.md: is not in docs/SUMMARY.md");
    let twice = ("docs/SUMMARY.md", "# Summary\n\n- [A](a.md)\n- [A](./a.md)\n");
    refused(&[twice, page("# A\n")], "docs/SUMMARY.md: docs/a.md and docs/a.md would be one page");
}

#[test]
fn a_directory_with_something_else_in_it_is_left_alone() {
    let folder = book(&[SUMMARY, ("docs/a.md", "# A\n"), ("mine/precious", "!")]);
    let error = build(folder.path(), &folder.path().join("mine")).unwrap_err();
    assert!(error.to_string().contains("holds something that is not a site"), "{error:#}");
    assert_eq!(fs::read_to_string(folder.path().join("mine/precious")).unwrap(), "!");
}
