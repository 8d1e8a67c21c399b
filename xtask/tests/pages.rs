//! What the program, its pages and the Python package say of the documentation, they say of pages that users
//! have: `leadline docs NAME`. A file of the repository is nothing to somebody who installed the program.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use proc_macro2::{TokenStream, TokenTree};

/// The command itself.
const EXEMPT: &str = "crates/cli/src/docs";

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

fn files(directory: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, endings, found);
        } else if endings.iter().any(|end| path.to_string_lossy().ends_with(end)) {
            found.push(path);
        }
    }
}

/// The text in a source file that users may come to see: all strings of Rust, but no comments; all lines of a
/// template; of Python all but comments.
fn seen(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    match path.extension().and_then(|end| end.to_str()) {
        Some("rs") => {
            let mut strings = String::new();
            let tokens = TokenStream::from_str(&text).unwrap_or_else(|error| panic!("{path:?}: {error}"));
            literals(tokens, &mut strings);
            strings
        }
        Some("py") => {
            text.lines().filter(|line| !line.trim_start().starts_with('#')).collect::<Vec<_>>().join("\n")
        }
        _ => text,
    }
}

/// All literals except comments in the documentation, `#[doc = ".."]`.
fn literals(tokens: TokenStream, out: &mut String) {
    let mut of_doc = false;
    for token in tokens {
        match token {
            TokenTree::Group(group) => literals(group.stream(), out),
            TokenTree::Literal(literal) if !of_doc => {
                // Lines that go on begin with blanks in the source only.
                let text = literal.to_string().replace("\\n", "\n").replace("\\\n", "");
                *out += &text.split_whitespace().collect::<Vec<_>>().join(" ");
                out.push('\n');
            }
            TokenTree::Ident(ident) => of_doc = ident == "doc",
            _ => {}
        }
    }
}

/// The word behind each occurrence of `before`, as far as it may be the name of a page.
fn names_after<'a>(text: &'a str, before: &str) -> Vec<&'a str> {
    let starts = text.match_indices(before).map(|(at, found)| at + found.len());
    let name = |start: usize| {
        let rest = &text[start..];
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "-/_.".contains(c)));
        rest[..end.unwrap_or(rest.len())].trim_end_matches('.')
    };
    starts.map(name).collect()
}

#[test]
fn users_are_sent_to_pages_that_they_have() {
    let top = top();
    let mut sources = Vec::new();
    for krate in fs::read_dir(top.join("crates")).unwrap() {
        let krate = krate.unwrap().path();
        files(&krate.join("src"), &[".rs"], &mut sources);
    }
    files(&top.join("crates/report/templates"), &[".html"], &mut sources);
    files(&top.join("python/src"), &[".py"], &mut sources);
    sources.retain(|path| !path.strip_prefix(&top).unwrap().to_string_lossy().starts_with(EXEMPT));
    let mut pages = Vec::new();
    files(&top.join("docs"), &[".md"], &mut pages);
    let pages: BTreeSet<String> = pages
        .iter()
        .map(|page| page.strip_prefix(top.join("docs")).unwrap().with_extension("").display().to_string())
        .collect();
    let (mut wrong, mut named) = (Vec::new(), 0);
    for source in &sources {
        // Words may be on two lines.
        let text = seen(source).split_whitespace().collect::<Vec<_>>().join(" ");
        let place = source.strip_prefix(&top).unwrap().display();
        let files = names_after(&text, "docs/").into_iter().filter(|name| name.ends_with(".md"));
        wrong.extend(files.map(|name| format!("{place}: docs/{name} is no file of an installed program")));
        for name in names_after(&text, "leadline docs ") {
            named += 1;
            // Words about the command itself.
            if !pages.contains(name) && name.chars().all(|c| !c.is_ascii_uppercase()) && !name.is_empty() {
                wrong.push(format!("{place}: leadline docs {name}: there is no such page"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(named > 40, "only {named} pages are named");
}

#[test]
fn what_is_looked_for_is_found() {
    let mut strings = String::new();
    let source =
        "/// docs/a.md\n#[doc = \"docs/b.md\"] fn f() { g(\"see docs/c.md.\"); h!(\"docs/d.md: \\\n  x\") }";
    literals(TokenStream::from_str(source).unwrap(), &mut strings);
    assert_eq!(names_after(&strings, "docs/"), ["c.md", "d.md"]);
    assert_eq!(
        names_after("`leadline docs advise/linux`, leadline docs burst.", "leadline docs "),
        ["advise/linux", "burst"]
    );
}
