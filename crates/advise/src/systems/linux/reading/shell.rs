//! Scripts that write into files of the kernel. No command is run: loops are followed with all the names that
//! they go through, and what cannot be followed keeps its `$`.

use super::commands::{self, Written};
use super::scope::LineScope;
use super::words::{Piece, Variables, pieces};
use crate::{Config, Entry, Place};

/// Shells in shells at most.
const DEEPEST: usize = 4;

/// A script as far as it was read.
#[derive(Debug, Default)]
pub(super) struct Shell {
    variables: Variables,
    blocks: Vec<Block>,
    /// What ended the script, or a turn of a loop, under some condition.
    guards: Vec<(usize, String)>,
    depth: usize,
}

/// What goes on over several commands.
#[derive(Debug, Default)]
struct Block {
    kind: Kind,
    /// Under which its commands are run; `None` where they are run in any case.
    condition: Option<String>,
    /// Whether the condition itself is being read.
    is_asking: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Kind {
    #[default]
    Group,
    Loop,
    If,
    Case,
}

impl Shell {
    /// Reads a line, and adds what it writes.
    pub(super) fn line(&mut self, line: &str, place: &Place, config: &mut Config) {
        let mut words: Vec<String> = Vec::new();
        let mut redirects: Vec<(String, String)> = Vec::new();
        let mut chain = Chain::default();
        let mut all = pieces(line).into_iter().peekable();
        while let Some(piece) = all.next() {
            let operator = match piece {
                Piece::Word(word) => {
                    words.push(word);
                    continue;
                }
                Piece::Operator(operator) => operator,
            };
            if operator.ends_with(['>', '<']) || operator.ends_with(">|") {
                if let Some(Piece::Word(file)) = all.next_if(|next| matches!(next, Piece::Word(_))) {
                    redirects.push((operator, file));
                }
            } else if operator == "(" && words.last().is_some_and(|word| word.ends_with('=')) {
                let inner = std::iter::from_fn(|| all.next_if(|next| *next != Piece::Operator(")".into())));
                let list = inner.filter_map(|piece| match piece {
                    Piece::Word(word) => Some(word),
                    Piece::Operator(_) => None,
                });
                let list: Vec<String> = list.collect();
                let name = words.pop().unwrap_or_default();
                self.variables.set(name.trim_end_matches('='), self.variables.list(&list));
                all.next();
            } else if operator == ")" && self.is_in(Kind::Case) {
                // The pattern of a case.
                words.clear();
            } else {
                self.command(&words, &redirects, &mut chain, place, config);
                chain.next(&operator, &words);
                words.clear();
                redirects.clear();
            }
        }
        self.command(&words, &redirects, &mut chain, place, config);
    }

    fn is_in(&self, kind: Kind) -> bool {
        self.blocks.last().is_some_and(|block| block.kind == kind)
    }

    /// One command, with the words of the shell before it.
    fn command(
        &mut self,
        words: &[String],
        redirects: &[(String, String)],
        chain: &mut Chain,
        place: &Place,
        config: &mut Config,
    ) {
        let words = self.reserved(words);
        if let Some(block) = self.blocks.last_mut().filter(|block| block.is_asking) {
            if !words.is_empty() {
                let text = words.join(" ");
                block.condition = match block.condition.take() {
                    Some(before) => Some(format!("{before} {text}")),
                    None => Some(text),
                };
            }
            return;
        }
        let Some(first) = words.first() else { return };
        if ["exit", "return", "continue", "break"].contains(&first.as_str()) {
            self.guard(chain);
            return;
        }
        if commands::assigns(words, &mut self.variables) {
            return;
        }
        let condition = self.condition(chain);
        if let Some(script) = commands::inner_script(words, &self.variables) {
            if self.depth < DEEPEST {
                let variables = self.variables.clone();
                let depth = self.depth + 1;
                let mut inner = Shell { variables, depth, ..Shell::default() };
                if condition.is_some() {
                    inner.blocks.push(Block { condition, ..Block::default() });
                }
                inner.line(&script, place, config);
            }
            return;
        }
        chain.printed = commands::printed(words, &self.variables);
        let input = redirects.iter().find(|(operator, _)| operator == "<<<");
        let input = input.map(|(_, word)| self.variables.text(word)).or(chain.piped.take());
        for Written { drives, key, value } in
            commands::written(words, redirects, input.as_deref(), &self.variables, &mut config.notes, place)
        {
            let section = LineScope { drives, condition: condition.clone() }.section();
            config.entries.push(Entry { section, key, value, place: place.clone() });
        }
    }

    /// Follows the shell's own words at the beginning of a command, and returns the rest.
    fn reserved<'a>(&mut self, mut words: &'a [String]) -> &'a [String] {
        let open = |kind, is_asking| Block { kind, condition: None, is_asking };
        while let Some(first) = words.first() {
            let rest = &words[1..];
            match first.as_str() {
                "if" => self.blocks.push(open(Kind::If, true)),
                "while" | "until" => self.blocks.push(open(Kind::Loop, true)),
                "{" => self.blocks.push(open(Kind::Group, false)),
                "case" => {
                    let condition = Some(words.join(" "));
                    self.blocks.push(Block { kind: Kind::Case, condition, is_asking: false });
                    return &[];
                }
                "for" | "select" => {
                    self.blocks.push(open(Kind::Loop, false));
                    if let [name, word, list @ ..] = rest
                        && word == "in"
                    {
                        self.variables.set(name, self.variables.list(list));
                    } else if let Some(name) = rest.first() {
                        self.variables.forget(name);
                    }
                    return &[];
                }
                "elif" => self.ask(),
                "then" | "do" => self.asked(),
                "else" => self.otherwise(),
                "fi" | "done" | "esac" | "}" => {
                    self.blocks.pop();
                    let depth = self.blocks.len();
                    self.guards.retain(|(at, _)| *at <= depth);
                }
                "!" | "time" => {}
                _ => return words,
            }
            words = rest;
        }
        words
    }

    fn ask(&mut self) {
        if let Some(block) = self.blocks.last_mut() {
            block.is_asking = true;
            block.condition = None;
        }
    }

    /// The condition has been read.
    fn asked(&mut self) {
        if let Some(block) = self.blocks.last_mut().filter(|block| block.is_asking) {
            block.is_asking = false;
            block.condition = block.condition.take().filter(|condition| !is_there(condition));
        }
    }

    fn otherwise(&mut self) {
        if let Some(block) = self.blocks.last_mut() {
            block.condition = Some(match block.condition.take() {
                Some(condition) => not(&condition),
                None => "the file is not there".to_owned(),
            });
        }
    }

    /// The conditions under which a command is run.
    fn condition(&self, chain: &Chain) -> Option<String> {
        let blocks = self.blocks.iter().filter_map(|block| block.condition.clone());
        let guards = self.guards.iter().map(|(_, condition)| not(condition));
        let all: Vec<String> = blocks.chain(guards).chain(chain.condition.clone()).collect();
        (!all.is_empty()).then(|| all.join(", "))
    }

    /// The rest of a loop, or of the script, is left out under a condition.
    fn guard(&mut self, chain: &Chain) {
        let level = self.blocks.iter().rposition(|block| block.kind == Kind::Loop).map_or(0, |at| at + 1);
        let inner = self.blocks[level..].iter().find_map(|block| block.condition.clone());
        if let Some(condition) = chain.condition.clone().or(inner) {
            self.guards.push((level, condition));
        }
    }
}

/// Commands that are tied to each other.
#[derive(Debug, Default)]
struct Chain {
    /// Under which the next is run.
    condition: Option<String>,
    /// What the last one printed, and what comes through a pipe to the next.
    printed: Option<String>,
    piped: Option<String>,
}

impl Chain {
    /// Behind `operator`, which follows on the command `words`.
    fn next(&mut self, operator: &str, words: &[String]) {
        let text = words.join(" ");
        self.piped = self.printed.take().filter(|_| operator == "|");
        match operator {
            "|" => {}
            "&&" if is_test(&text) && !is_there(&text) => self.condition = Some(text),
            "&&" => {}
            "||" if is_there(&text) => self.condition = None,
            "||" => self.condition = Some(not(&text)),
            _ => self.condition = None,
        }
    }
}

fn not(condition: &str) -> String {
    condition.strip_prefix("not ").map_or_else(|| format!("not {condition}"), str::to_owned)
}

fn is_test(condition: &str) -> bool {
    ["[", "[[", "test", "grep"].contains(&condition.split_whitespace().next().unwrap_or_default())
}

/// Whether a condition only asks whether a file is there, without which it could not be written to either.
fn is_there(condition: &str) -> bool {
    let words: Vec<&str> = condition.split_whitespace().collect();
    let flags = ["-e", "-f", "-d", "-w", "-r", "-b", "-s", "-L", "-h"];
    match words.as_slice() {
        ["[", flag, _, "]"] | ["[[", flag, _, "]]"] | ["test", flag, _] => flags.contains(flag),
        ["true" | ":"] => true,
        _ => false,
    }
}
