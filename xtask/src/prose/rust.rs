//! Documentation and messages of Rust sources, as its own parser finds them.

use anyhow::Context;
use proc_macro2::{Delimiter, Literal, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Field, ImplItem, Item, ItemImpl, Lit, Meta, TraitItem, Variant, Visibility};

use super::text::{Lines, is_sentence, plain};

/// What clap makes help of: private types have readers, too.
const HELP: [&str; 4] = ["Args", "Parser", "Subcommand", "ValueEnum"];

/// In a comment behind a string that programs compare with.
const KEPT: &str = "prose: kept";

/// The documentation of public items and of help, and the messages.
pub(super) fn parts(source: &str) -> anyhow::Result<[Lines; 2]> {
    let file = syn::parse_file(source).context("not Rust")?;
    let mut docs = Docs { lines: Lines::of(source), help: false };
    docs.add(&file.attrs);
    docs.visit_file(&file);
    let mut messages = Messages { source: source.lines().collect(), lines: Lines::of(source) };
    messages.read(source.parse().ok().context("not Rust")?);
    Ok([docs.lines, messages.lines])
}

/// Collects documentation.
struct Docs {
    lines: Lines,
    /// Inside what clap makes help of.
    help: bool,
}

impl Docs {
    fn add(&mut self, attributes: &[Attribute]) {
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("doc")) {
            let Meta::NameValue(value) = &attribute.meta else { continue };
            let Expr::Lit(literal) = &value.value else { continue };
            let Lit::Str(text) = &literal.lit else { continue };
            let prose = text.value();
            self.lines.add(text.span().start().line, prose.strip_prefix(' ').unwrap_or(&prose));
        }
    }

    fn add_if(&mut self, has_readers: bool, attributes: &[Attribute]) {
        if has_readers || self.help {
            self.add(attributes);
        }
    }
}

impl<'a> Visit<'a> for Docs {
    fn visit_item(&mut self, item: &'a Item) {
        let (attributes, visibility) = face(item);
        if is_for_tests(attributes) {
            return;
        }
        let is_public = visibility.is_some_and(is_public);
        let outer = self.help;
        self.help = is_help(attributes);
        self.add_if(is_public, attributes);
        match item {
            // What is in them has no visibility of its own, but theirs.
            Item::Enum(_) | Item::Trait(_) => {
                self.help |= is_public;
                visit::visit_item(self, item);
            }
            Item::Fn(_) => {}
            _ => visit::visit_item(self, item),
        }
        self.help = outer;
    }

    fn visit_item_impl(&mut self, item: &'a ItemImpl) {
        for inner in &item.items {
            match inner {
                ImplItem::Fn(inner) => self.add_if(is_public(&inner.vis), &inner.attrs),
                ImplItem::Const(inner) => self.add_if(is_public(&inner.vis), &inner.attrs),
                _ => {}
            }
        }
    }

    fn visit_field(&mut self, field: &'a Field) {
        self.add_if(is_public(&field.vis), &field.attrs);
    }

    fn visit_variant(&mut self, variant: &'a Variant) {
        self.add_if(false, &variant.attrs);
        visit::visit_variant(self, variant);
    }

    fn visit_trait_item(&mut self, item: &'a TraitItem) {
        match item {
            TraitItem::Fn(item) => self.add_if(false, &item.attrs),
            TraitItem::Const(item) => self.add_if(false, &item.attrs),
            TraitItem::Type(item) => self.add_if(false, &item.attrs),
            _ => {}
        }
    }
}

/// Attributes of an item, and its visibility where it has one.
fn face(item: &Item) -> (&[Attribute], Option<&Visibility>) {
    match item {
        Item::Const(item) => (&item.attrs, Some(&item.vis)),
        Item::Enum(item) => (&item.attrs, Some(&item.vis)),
        Item::Fn(item) => (&item.attrs, Some(&item.vis)),
        Item::Mod(item) => (&item.attrs, Some(&item.vis)),
        Item::Static(item) => (&item.attrs, Some(&item.vis)),
        Item::Struct(item) => (&item.attrs, Some(&item.vis)),
        Item::Trait(item) => (&item.attrs, Some(&item.vis)),
        Item::Type(item) => (&item.attrs, Some(&item.vis)),
        Item::Union(item) => (&item.attrs, Some(&item.vis)),
        Item::Impl(item) => (&item.attrs, None),
        _ => (&[], None),
    }
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Whether clap makes help of the item.
fn is_help(attributes: &[Attribute]) -> bool {
    let derives = attributes.iter().filter(|attribute| attribute.path().is_ident("derive"));
    derives.filter_map(|attribute| attribute.meta.require_list().ok()).any(|list| {
        list.tokens.clone().into_iter().any(|token| HELP.iter().any(|name| token.to_string() == *name))
    })
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    let conditions = attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"));
    conditions
        .filter_map(|attribute| attribute.meta.require_list().ok())
        .any(|list| names(&list.tokens, "test"))
}

fn names(tokens: &TokenStream, name: &str) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == name,
        TokenTree::Group(group) => names(&group.stream(), name),
        _ => false,
    })
}

/// Collects the strings that are meant for people.
struct Messages<'a> {
    source: Vec<&'a str>,
    lines: Lines,
}

impl Messages<'_> {
    fn read(&mut self, tokens: TokenStream) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Punct(mark) if mark.as_char() == '#' => {
                    tokens.next_if(|token| matches!(token, TokenTree::Punct(mark) if mark.as_char() == '!'));
                    let Some(TokenTree::Group(attribute)) = tokens.next() else { continue };
                    let first = attribute.stream().into_iter().next().map(|token| token.to_string());
                    match first.as_deref() {
                        Some("cfg") if names(&attribute.stream(), "test") => skip_item(&mut tokens),
                        // Documentation; reasons for those who read the code.
                        Some("doc" | "cfg" | "allow" | "expect") => {}
                        _ => self.read(attribute.stream()),
                    }
                }
                TokenTree::Group(group) => self.read(group.stream()),
                TokenTree::Literal(literal) => self.add(&literal),
                _ => {}
            }
        }
    }

    /// Adds a string in the lines in which it is written.
    fn add(&mut self, literal: &Literal) {
        let text = literal.to_string();
        if !text.starts_with(['"', 'r']) || !is_sentence(text.trim_matches('"')) {
            return;
        }
        let (start, end) = (literal.span().start(), literal.span().end());
        if self.source[start.line - 1..end.line].iter().any(|line| line.contains(KEPT)) {
            return;
        }
        for number in start.line..=end.line {
            let line: Vec<char> = self.source[number - 1].chars().collect();
            let from = if number == start.line { start.column } else { 0 };
            let to = if number == end.line { end.column } else { line.len() };
            let own: String = line[from.min(to)..to].iter().collect();
            let own = own.trim_start_matches(['r', '#']).trim_matches('"');
            // The end of a string is the end of a sentence, whatever stands in the next line.
            let full_stop = if number == end.line { " ." } else { "" };
            self.lines.add(number, &format!("{}{full_stop}", plain(own)));
        }
    }
}

/// Passes over an item: to its body, or to the end of one that has none.
fn skip_item(tokens: &mut impl Iterator<Item = TokenTree>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => return,
            TokenTree::Punct(mark) if mark.as_char() == ';' => return,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
