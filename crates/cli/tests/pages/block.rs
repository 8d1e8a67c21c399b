//! The blocks of a page, and the comments before them that say what becomes of each.

use saphyr_parser::Parser;

/// A block between fences.
pub(crate) struct Block {
    /// Of its first fence, from 1.
    pub(crate) line: usize,
    /// As the fence names it: "python"; none is the shell.
    pub(crate) language: String,
    pub(crate) mark: Mark,
    /// Without the indentation of its fences.
    pub(crate) text: String,
}

/// What the comment before a block says.
#[derive(Debug, PartialEq)]
pub(crate) enum Mark {
    /// `run`: a reader pastes it.
    Run(Needs),
    /// `file: NAME`: a reader saves it under this name.
    File(String),
    /// `output`: what the block that ran last prints.
    Output(Likeness),
    /// `not run: REASON`
    NotRun,
}

/// Behind `run:`, separated by commas.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Needs {
    /// `long`: the complete tests run it.
    pub(crate) is_long: bool,
    /// `needs NAME`, such as `root`, `fuse`, `python` with the package leadline, or a program.
    pub(crate) names: Vec<String>,
}

/// How what a page shows is like what is printed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Likeness {
    /// `output`: to the letter.
    Exact,
    /// `output: numbers vary`
    NumbersVary,
    /// `output: of one machine`: other machines print most of the same words.
    OfOneMachine,
}

impl Block {
    /// Whether only the complete tests run it; Python needs an environment that only they have.
    pub(crate) fn is_long(&self) -> bool {
        match &self.mark {
            Mark::Run(needs) => needs.is_long || self.is_python() || self.needs("python"),
            _ => false,
        }
    }

    /// Whether its mark says so.
    pub(crate) fn needs(&self, name: &str) -> bool {
        matches!(&self.mark, Mark::Run(needs) if needs.names.iter().any(|needed| needed == name))
    }

    /// Run in the session of Python.
    pub(crate) fn is_python(&self) -> bool {
        self.language == "python" && matches!(self.mark, Mark::Run(_))
    }

    /// Whether a reader does something with it.
    pub(crate) fn acts(&self) -> bool {
        matches!(self.mark, Mark::Run(_) | Mark::File(_))
    }

    /// What is wrong with it, whatever it does.
    fn check(&self) -> Result<(), String> {
        if let Mark::Run(_) = self.mark {
            if !["", "sh", "bash", "python"].contains(&self.language.as_str()) {
                return Err(format!("a block of {} cannot be run", self.language));
            }
            let prompt = self.text.lines().find(|line| line.starts_with("$ ") || line.starts_with(">>> "));
            if let Some(prompt) = prompt {
                return Err(format!("`{prompt}` cannot be pasted: leave the prompt out"));
            }
        }
        if let Mark::File(name) = &self.mark
            && (name.ends_with(".yml") || name.ends_with(".yaml"))
            && let Some(error) = Parser::new_from_str(&self.text).find_map(Result::err)
        {
            return Err(format!("{name} is not YAML: {error}"));
        }
        Ok(())
    }
}

/// All blocks of a page. An error begins with the number of its line.
pub(crate) fn blocks(page: &str) -> Result<Vec<Block>, String> {
    let mut found = Vec::new();
    let mut lines = page.lines().enumerate();
    let mut before = "";
    while let Some((index, line)) = lines.next() {
        let at = |error: String| format!("{}: {error}", index + 1);
        let Some(fence) = line.trim_start().strip_prefix("```") else {
            if mark(before).is_some() {
                return Err(format!("{index}: `{}` is not before a block", before.trim()));
            }
            before = line;
            continue;
        };
        let indent = line.len() - line.trim_start().len();
        let inside = lines.by_ref().map(|(_, line)| line).take_while(|line| line.trim() != "```");
        let text = inside.map(|line| format!("{}\n", line.get(indent..).unwrap_or_default())).collect();
        let mark = mark(before).ok_or_else(|| {
            at("the block is not marked: say above it what a test does with it, as docs/testing.md has it".into())
        })?;
        let block =
            Block { line: index + 1, language: fence.trim().to_owned(), mark: mark.map_err(at)?, text };
        block.check().map_err(at)?;
        found.push(block);
        before = "";
    }
    Ok(found)
}

/// What a line says of the block below it; `None` if it is no such comment.
fn mark(line: &str) -> Option<Result<Mark, String>> {
    let words = line.trim().strip_prefix("<!--")?.strip_suffix("-->")?.trim();
    let (kind, rest) = words.split_once(':').unwrap_or((words, ""));
    let rest = rest.trim();
    Some(match (kind.trim(), rest) {
        ("run", needs) => self::needs(needs).map(Mark::Run),
        ("output", "") => Ok(Mark::Output(Likeness::Exact)),
        ("output", "numbers vary") => Ok(Mark::Output(Likeness::NumbersVary)),
        ("output", "of one machine") => Ok(Mark::Output(Likeness::OfOneMachine)),
        ("file", name) if !name.is_empty() => Ok(Mark::File(name.to_owned())),
        ("not run", reason) if !reason.is_empty() => Ok(Mark::NotRun),
        ("not run", _) => Err("`not run` has no reason: <!-- not run: needs a server -->".to_owned()),
        ("output" | "file", _) => Err(format!("`{words}` is not what docs/testing.md has")),
        _ => return None,
    })
}

fn needs(text: &str) -> Result<Needs, String> {
    let mut needs = Needs::default();
    for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        match word.strip_prefix("needs ") {
            Some(name) => needs.names.push(name.trim().to_owned()),
            None if word == "long" => needs.is_long = true,
            None => return Err(format!("`run: {word}` is neither `long` nor `needs NAME`")),
        }
    }
    Ok(needs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn error(page: &str) -> String {
        blocks(page).err().expect("an error")
    }

    #[test]
    fn a_page_is_its_blocks_with_their_marks() {
        let page = "\
# Title

<!-- run -->
```
leadline devices
```

<!-- output: numbers vary -->
```
12 devices
```

- In a list:
  <!-- run: long, needs fuse, needs db_bench -->
  ```bash
  if true
    then :
  ```

<!-- file: a/test.py -->
```python
pass
```
<!-- not run: a server that is not ours -->
```rust,ignore
```
";
        let found = blocks(page).unwrap();
        let lines: Vec<usize> = found.iter().map(|block| block.line).collect();
        assert_eq!(lines, [4, 9, 15, 21, 25]);
        let needs = Needs { is_long: true, names: vec!["fuse".to_owned(), "db_bench".to_owned()] };
        let marks: Vec<&Mark> = found.iter().map(|block| &block.mark).collect();
        let expected = [
            Mark::Run(Needs::default()),
            Mark::Output(Likeness::NumbersVary),
            Mark::Run(needs),
            Mark::File("a/test.py".to_owned()),
            Mark::NotRun,
        ];
        assert_eq!(marks, expected.iter().collect::<Vec<_>>());
        assert_eq!(found[2].text, "if true\n  then :\n");
        assert_eq!(found.iter().map(Block::is_long).collect::<Vec<_>>(), [false, false, true, false, false]);
    }

    #[test]
    fn a_block_without_a_mark_is_an_error_with_its_line() {
        assert!(error("# Title\n\n```\nleadline devices\n```\n").starts_with("3: the block is not marked"));
        assert!(
            error("<!-- run -->\n\n```\nls\n```\n").starts_with("1: `<!-- run -->` is not before a block")
        );
    }

    #[test]
    fn marks_that_say_nothing_are_errors() {
        let with = |mark: &str, text: &str| error(&format!("<!-- {mark} -->\n```\n{text}\n```\n"));
        assert!(with("not run", "ls").contains("has no reason"));
        assert!(with("run: slow", "ls").contains("`run: slow` is neither"));
        assert!(with("output: roughly", "ls").contains("`output: roughly`"));
        assert!(with("run", "$ ls").contains("`$ ls` cannot be pasted"));
        assert!(error("<!-- file: a.yml -->\n```\na: [\n```\n").contains("a.yml is not YAML"));
        assert!(error("<!-- run -->\n```rust\n```\n").contains("a block of rust cannot be run"));
    }
}
