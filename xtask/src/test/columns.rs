//! The width of comments, pages and Python: rustfmt leaves all of them as they are.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail};

use crate::run::root;

/// Columns of a line, as in rustfmt.toml.
const MOST: usize = 110;

/// Fails on the first comment in Rust, or line of a page or of Python, that is too wide. Tables and what
/// stands between fences (commands and what they print) may be wider.
pub(super) fn check() -> anyhow::Result<()> {
    check_folder(root())
}

fn check_folder(folder: &Path) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            if name != "target" && !name.starts_with('.') {
                check_folder(&path)?;
            }
        } else if [".rs", ".md", ".py", ".pyi"].iter().any(|ending| name.ends_with(ending)) {
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            if let Some((line, columns)) = too_wide(&text, name.ends_with(".rs")) {
                bail!("{}:{line}: has {columns} columns, and a line has at most {MOST}", path.display());
            }
        }
    }
    Ok(())
}

/// Number and columns of the first line that is too wide.
fn too_wide(text: &str, rust: bool) -> Option<(usize, usize)> {
    let mut fenced = false;
    text.lines().zip(1..).find_map(|(line, number)| {
        let words = match line.trim_start() {
            code if rust && !code.starts_with("//") => return None,
            comment if rust => comment.trim_start_matches(['/', '!']).trim_start(),
            words => words,
        };
        fenced ^= words.starts_with("```");
        let columns = line.chars().count();
        (columns > MOST && !fenced && !words.starts_with('|')).then_some((number, columns))
    })
}

#[cfg(test)]
mod tests {
    use super::too_wide;

    #[test]
    fn comments_and_pages_are_held_to_the_width_but_not_code_tables_and_what_is_printed() {
        let wide = "é".repeat(111);
        assert_eq!(too_wide(&format!("fine\n{wide}\n"), false), Some((2, 111)));
        assert_eq!(too_wide(&format!("let a = 1;\n    /// {wide}\n"), true), Some((2, 119)));
        for page in [format!("```\n{wide}\n```\n"), format!("| {wide} |\n"), "é".repeat(110)] {
            assert_eq!(too_wide(&page, false), None);
        }
        assert_eq!(too_wide(&format!("\"{wide}\""), true), None);
    }
}
