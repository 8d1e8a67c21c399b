//! The examples for containers, as far as they can be tried without a container engine: what they copy is in
//! the archive, and the program takes the arguments that they give it.

use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};

use super::root::Root;
use crate::run::root as repository;

/// `root` has the archive unpacked under `prefix`, with nothing else, as the image has it.
pub(super) fn examples(root: &Root, prefix: &Path) -> anyhow::Result<()> {
    let packaging = repository().join("packaging");
    let containerfile = read(&packaging.join("Containerfile"))?;
    let copied = copied(&containerfile);
    ensure!(copied.contains(&"bin/leadline"), "packaging/Containerfile does not copy bin/leadline");
    for file in copied {
        ensure!(prefix.join(file).is_file(), "packaging/Containerfile copies {file}, which no archive has");
    }
    for example in fs::read_dir(packaging.join("kubernetes"))? {
        let example = example?.path();
        let name = example.display();
        let arguments = arguments(&read(&example)?).with_context(|| name.to_string())?;
        ensure!(!arguments.is_empty(), "{name} gives the program no arguments");
        for mut words in arguments {
            // All options before it are understood first.
            words.push("--help".to_owned());
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            root.leadline(&words).with_context(|| name.to_string())?;
        }
    }
    Ok(())
}

fn read(file: &Path) -> anyhow::Result<String> {
    fs::read_to_string(file).with_context(|| file.display().to_string())
}

/// What is copied into an image.
fn copied(containerfile: &str) -> Vec<&str> {
    let copies = containerfile.lines().filter_map(|line| line.strip_prefix("COPY "));
    let mut files = Vec::new();
    for copy in copies {
        files.extend(copy.split_whitespace());
        // Where to.
        files.pop();
    }
    files
}

/// The arguments of each container, which stand in one line.
fn arguments(example: &str) -> anyhow::Result<Vec<Vec<String>>> {
    let lists = example.lines().filter_map(|line| line.trim().strip_prefix("args: "));
    lists.map(|list| serde_json::from_str(list).with_context(|| format!("args: {list}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copied_files_and_arguments_are_found() {
        assert_eq!(copied("FROM scratch\nCOPY bin/a /usr/bin/a\nCOPY b c /d/\n"), ["bin/a", "b", "c"]);
        let example = "  - name: a\n    args: [\"profile\", \"/data\"]\n";
        assert_eq!(arguments(example).unwrap(), [["profile", "/data"]]);
        assert!(arguments("args: profile\n").is_err());
    }
}
