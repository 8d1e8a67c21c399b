//! GML (Himsolt 1996) in words: keys, values, and lists in brackets.

use crate::input::chunks::Wrong;

/// Longest text in quotes, bytes.
const LONGEST: usize = 1 << 20;

/// A word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// A key or a number.
    Word(&'t [u8]),
    /// A text in quotes, with its entities.
    Text(&'t [u8]),
    Open,
    Close,
}

/// Where the next byte stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum In {
    Blank,
    Word,
    Text,
    Comment,
}

/// Cuts a text into words, piece by piece.
#[derive(Debug)]
pub(super) struct Tokens {
    state: In,
    word: Vec<u8>,
    /// Only blanks stand before it on its line.
    at_start: bool,
    /// Lines that ended.
    pub(super) lines: u64,
    pub(super) comments: u64,
}

impl Tokens {
    pub(super) fn new() -> Tokens {
        Tokens { state: In::Blank, word: Vec::new(), at_start: true, lines: 0, comments: 0 }
    }

    /// Calls `each` with the words of a piece.
    pub(super) fn feed(
        &mut self,
        piece: &[u8],
        mut each: impl FnMut(Token<'_>) -> Result<(), Wrong>,
    ) -> Result<(), Wrong> {
        for &byte in piece {
            match self.state {
                In::Text if byte == b'"' => {
                    self.state = In::Blank;
                    each(Token::Text(&self.word))?;
                    self.word.clear();
                }
                In::Text => {
                    if self.word.len() == LONGEST {
                        return Err(format!("found a text in quotes of more than {LONGEST} bytes").into());
                    }
                    self.word.push(byte);
                }
                In::Comment => {}
                In::Word | In::Blank => self.outside(byte, &mut each)?,
            }
            if byte == b'\n' {
                self.lines += 1;
                self.at_start = true;
                if self.state == In::Comment {
                    self.state = In::Blank;
                }
            }
        }
        Ok(())
    }

    fn outside(
        &mut self,
        byte: u8,
        each: &mut impl FnMut(Token<'_>) -> Result<(), Wrong>,
    ) -> Result<(), Wrong> {
        let begins = byte.is_ascii_whitespace() || matches!(byte, b'[' | b']' | b'"');
        if begins && self.state == In::Word {
            self.state = In::Blank;
            each(Token::Word(&self.word))?;
            self.word.clear();
        }
        match byte {
            b'[' => each(Token::Open)?,
            b']' => each(Token::Close)?,
            b'"' => self.state = In::Text,
            b'#' if self.at_start => {
                self.state = In::Comment;
                self.comments += 1;
            }
            _ if byte.is_ascii_whitespace() => return Ok(()),
            _ => {
                self.state = In::Word;
                self.word.push(byte);
            }
        }
        self.at_start = false;
        Ok(())
    }

    /// Whether the text may end here.
    pub(super) fn is_between(&self) -> bool {
        matches!(self.state, In::Blank | In::Comment)
    }

    pub(super) fn memory_bytes(&self) -> u64 {
        self.word.capacity() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_the_same_however_the_text_is_cut() {
        let text = b"# c [\ngraph[ label \"a ] # \n b\" id -3]\n";
        for cut in 0..text.len() {
            let mut tokens = Tokens::new();
            let mut found = Vec::new();
            let mut each = |token: Token<'_>| {
                found.push(format!("{token:?}"));
                Ok(())
            };
            tokens.feed(&text[..cut], &mut each).unwrap();
            tokens.feed(&text[cut..], &mut each).unwrap();
            assert_eq!((found.len(), tokens.lines, tokens.comments), (7, 3, 1), "{found:?}");
            assert!(tokens.is_between());
        }
    }
}
