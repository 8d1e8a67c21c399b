//! `leadline docs`: the pages that the program carries.

use std::fs;
use std::path::Path;
use std::process::Command;

use leadline_testing::machine::skipped;

use crate::at_terminal::written_at;
use crate::ran::{Ran, folder, outcome, program, text};

/// `leadline docs` with no site, browser or pager of this machine.
fn docs(dir: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Ran {
    let mut command = Command::new(program());
    command.arg("docs").args(arguments).current_dir(dir);
    for name in ["LEADLINE_DOCS", "BROWSER", "DISPLAY", "WAYLAND_DISPLAY", "PAGER", "COLUMNS"] {
        command.env_remove(name);
    }
    outcome(command.envs(environment.iter().copied()))
}

#[test]
fn pages_are_listed_by_part_and_each_is_shown() {
    let dir = folder();
    let list = docs(dir.path(), &[], &[]).succeeded().stdout;
    let at = |title: &str| list.find(&format!("\n{title}\n")).unwrap_or_else(|| panic!("{title}: {list}"));
    let parts = ["Tutorials", "How-to guides", "Reference", "Explanation", "For contributors"].map(at);
    assert!(parts.is_sorted(), "{list}");
    assert!(list.lines().all(|line| line.chars().count() <= 80), "{list}");
    assert!(!list.contains("HTML"), "{list}");
    for (name, said) in [
        ("burst", "burst credit"),
        ("advise/postgresql", "random_page_cost"),
        ("tutorial-graph", "leadline graph import"),
        ("method", "steady state"),
    ] {
        assert!(list.lines().any(|line| line.starts_with(&format!("  {name} "))), "{name}: {list}");
        let page = docs(dir.path(), &[name], &[]).succeeded().stdout;
        assert!(page.contains(said) && !page.contains("]("), "{page}");
        let source = docs(dir.path(), &[name, "--markdown"], &[]).succeeded().stdout;
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/{name}.md"));
        assert_eq!(source, fs::read_to_string(file).unwrap());
    }
}

#[test]
fn words_are_found_and_a_wrong_name_brings_the_closest() {
    let dir = folder();
    let found = docs(dir.path(), &["--search", "stall"], &[("COLUMNS", "80")]).succeeded().stdout;
    assert!(found.lines().any(|line| line.starts_with("burst: ")), "{found}");
    assert!(found.lines().all(|line| line.chars().count() <= 80), "{found}");
    let none = docs(dir.path(), &["--search", "zebra", "crossing"], &[]);
    assert_eq!((none.code, none.stdout.as_str()), (Some(1), ""));
    assert!(none.stderr.contains("no page has \"zebra crossing\""), "{}", none.stderr);

    docs(dir.path(), &["bursts"], &[]).refused(&["bursts: there is no such page", "did you mean burst"]);
    docs(dir.path(), &["postgressql"], &[]).refused(&[
        "did you mean ",
        "advise/postgresql",
        "prove/postgresql",
    ]);
    docs(dir.path(), &["postgresql"], &[]).refused(&["advise/postgresql or ", "name one of them"]);
    docs(dir.path(), &["--markdown"], &[]).refused(&["PAGE"]);
}

#[test]
fn a_site_beside_the_program_or_named_is_said() {
    let dir = folder();
    let make = |site: &Path| {
        fs::create_dir_all(site).unwrap();
        fs::write(site.join("index.html"), "").unwrap();
    };
    let named = dir.path().join("named");
    let said = [("LEADLINE_DOCS", text(&named))];
    docs(dir.path(), &[], &said).refused(&["LEADLINE_DOCS", "named has no index.html"]);
    make(&named);
    let list = docs(dir.path(), &[], &said).succeeded().stdout;
    assert!(list.ends_with(&format!("search: {}\n", named.join("index.html").display())), "{list}");

    // As a package installs it.
    let program_there = dir.path().join("bin/leadline");
    fs::create_dir(dir.path().join("bin")).unwrap();
    if fs::hard_link(program(), &program_there).is_err() {
        fs::copy(program(), &program_there).unwrap();
    }
    let site = dir.path().join("share/doc/leadline/html");
    make(&site);
    let list = outcome(Command::new(&program_there).arg("docs").env_remove("LEADLINE_DOCS")).succeeded();
    assert!(list.stdout.ends_with(&format!("search: {}\n", site.join("index.html").display())), "{list:?}");
}

#[test]
fn at_a_terminal_the_pager_shows_a_page_and_the_browser_a_site() {
    let dir = folder();
    let pager = [("PAGER", "sed 's/^/| /'")];
    let Some(page) = written_at(70, &["docs", "burst"], &pager) else {
        return skipped("no pseudo-terminals");
    };
    assert!(page.lines().all(|line| line.starts_with("| ")), "{page}");
    let none = written_at(70, &["docs", "burst"], &[("PAGER", "")]).unwrap();
    assert_eq!(page.replace("| ", ""), none.replace("| ", ""));
    // One that does not exist.
    assert_eq!(written_at(70, &["docs", "burst"], &[("PAGER", "no-such-pager 2>/dev/null")]).unwrap(), none);

    fs::write(dir.path().join("index.html"), "").unwrap();
    let shown = dir.path().join("shown");
    let browser = format!("sh -c 'echo \"$0\" > {}'", shown.display());
    let site = [("LEADLINE_DOCS", text(dir.path())), ("BROWSER", &*browser)];
    let list = written_at(90, &["docs"], &site).unwrap();
    assert!(list.contains("opened now: "), "{list}");
    // The program does not wait for the browser.
    let deadline = std::time::Instant::now() + crate::ran::PATIENCE;
    while fs::read_to_string(&shown).unwrap_or_default().is_empty() {
        assert!(std::time::Instant::now() < deadline, "no browser was started");
        std::thread::yield_now();
    }
    let page = dir.path().join("index.html");
    assert_eq!(fs::read_to_string(shown).unwrap().trim_end(), text(&page));
}
