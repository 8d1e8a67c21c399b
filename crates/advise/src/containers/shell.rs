//! Words of a command line, as a shell splits it.

/// A word with its line, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) line: usize,
}

impl Word {
    pub(crate) fn new(text: impl Into<String>, line: usize) -> Self {
        Word { text: text.into(), line }
    }
}

/// The commands of `text`, which begins at `line`, each as its words. A backslash at the end of a line lets
/// it go on; `;`, `&&`, `||`, `|` and the end of a line end a command.
pub(crate) fn commands(text: &str, line: usize) -> Vec<Vec<Word>> {
    let (mut commands, mut words) = (Vec::new(), Vec::new());
    let mut number = line;
    let mut word: Option<Word> = None;
    let mut quote: Option<char> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(mark), c) if c == mark => quote = None,
            (Some('"') | None, '\\') => match chars.next() {
                Some('\n') => number += 1,
                Some(c) => add(&mut word, c, number),
                None => {}
            },
            (Some(_), c) => {
                add(&mut word, c, number);
                number += usize::from(c == '\n');
            }
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_with(|| Word::new("", number));
            }
            (None, '#') if word.is_none() => while chars.next_if(|c| *c != '\n').is_some() {},
            (None, '\n' | ';' | '|' | '&') => {
                words.extend(word.take());
                if !words.is_empty() {
                    commands.push(std::mem::take(&mut words));
                }
                number += usize::from(c == '\n');
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => add(&mut word, c, number),
        }
    }
    words.extend(word);
    if !words.is_empty() {
        commands.push(words);
    }
    commands
}

fn add(word: &mut Option<Word>, c: char, line: usize) {
    word.get_or_insert_with(|| Word::new("", line)).text.push(c);
}

/// All words of a text that is one command, whatever its lines.
pub(crate) fn words(text: &str, line: usize) -> Vec<Word> {
    commands(text, line).into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_their_lines() {
        let text = "a -c \"b c\" \\\n  --d='e'f # g\nh; i\\ j\n";
        let got: Vec<Vec<(String, usize)>> = commands(text, 3)
            .into_iter()
            .map(|words| words.into_iter().map(|word| (word.text, word.line)).collect())
            .collect();
        let word = |text: &str, line| (text.to_owned(), line);
        let want = [
            vec![word("a", 3), word("-c", 3), word("b c", 3), word("--d=ef", 4)],
            vec![word("h", 5)],
            vec![word("i j", 5)],
        ];
        assert_eq!(got, want);
    }
}
