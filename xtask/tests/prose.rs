//! `cargo xtask prose` with the real checker, which set-up installs.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// What the check says of a file of this name and text: whether it passes, and its output.
fn checked(name: &str, text: &str) -> (Option<i32>, String) {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join(name);
    fs::write(&file, text).unwrap();
    // The checker is in the target directory of this repository, whatever the file's place.
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .arg("prose")
        .arg(&file)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .output()
        .unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    (output.status.code(), said)
}

#[test]
fn a_sentence_against_the_rules_is_found_in_its_line_and_code_is_not() {
    let page = "# A page\n\nThe rate is that of\nthe device, in a folder.\n\n```\nthe folder of the others\n```\n\n`a folder` recieves data.\n";
    let (code, said) = checked("page.md", page);
    assert_eq!(code, Some(1), "{said}");
    for part in ["page.md:3: \"that of\"", "page.md:4: \"folder\"", "page.md:10: \"recieves\"", "3 findings"]
    {
        assert!(said.contains(part), "no {part}: {said}");
    }
}

#[test]
fn comments_and_messages_are_found_in_their_lines_and_identifiers_are_not() {
    let rust = "/// Opens the folder.\npub fn open(folder: &str) {\n    bail!(\"{folder}: is no folder for \\\n           so many files\");\n}\n";
    let (code, said) = checked("open.rs", rust);
    assert_eq!(code, Some(1), "{said}");
    for part in ["open.rs:1: \"folder\"", "open.rs:3: \"folder\"", "open.rs:4: \"so many\"", "3 findings"] {
        assert!(said.contains(part), "no {part}: {said}");
    }
    let python = "\"\"\"Opens a folder.\n\n>>> folder = 1\n\"\"\"\nraise ValueError(f\"{folder}: is no folder, so close it\")\n";
    let (code, said) = checked("open.py", python);
    assert_eq!(code, Some(1), "{said}");
    for part in ["open.py:1: \"folder\"", "open.py:5: \"folder\"", "2 findings"] {
        assert!(said.contains(part), "no {part}: {said}");
    }
}

#[test]
fn a_page_in_plain_english_passes() {
    let (code, said) = checked("page.md", "# A page\n\nOne write is worth two reads.\n");
    assert_eq!((code, said.as_str()), (Some(0), "prose: no findings in 1 files\n"));
}
