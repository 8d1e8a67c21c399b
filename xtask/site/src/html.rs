//! Whether every link of a site leads to a place in it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use crate::links::plain;
use crate::{Built, files};

/// What a page has that links lead to, and its own links.
#[derive(Debug, Default)]
struct Page {
    anchors: BTreeSet<String>,
    links: Vec<String>,
}

/// Looks up every relative link and every anchor of a site.
pub(crate) fn check(site: &Path) -> Result<Built> {
    let mut found = Vec::new();
    files(site, &mut found)?;
    let mut bytes = 0;
    let mut pages = BTreeMap::new();
    let mut all = BTreeSet::new();
    for file in found {
        let name = file.strip_prefix(site).expect("a file below it").to_owned();
        let contents = fs::read(&file).with_context(|| file.display().to_string())?;
        bytes += contents.len() as u64;
        if name.extension().is_some_and(|end| end == "html") {
            pages.insert(name.clone(), read(&String::from_utf8_lossy(&contents)));
        }
        all.insert(name);
    }
    let (mut links, mut dead) = (0, Vec::new());
    for (name, page) in &pages {
        for link in page.links.iter().filter(|link| !leads_elsewhere(link)) {
            links += 1;
            if !leads_somewhere(name, link, &pages, &all) {
                dead.push(format!("{}: a link leads to {link}, which is not there", name.display()));
            }
        }
    }
    dead.dedup();
    if dead.is_empty() {
        Ok(Built { pages: pages.len(), links, bytes })
    } else {
        bail!("{}", dead.join("\n"))
    }
}

/// Whether a link has a scheme, and so an address outside the site.
fn leads_elsewhere(link: &str) -> bool {
    link.split_once(':').is_some_and(|(scheme, _)| scheme.chars().all(|c| c.is_ascii_alphanumeric()))
}

fn leads_somewhere(
    from: &Path,
    link: &str,
    pages: &BTreeMap<PathBuf, Page>,
    all: &BTreeSet<PathBuf>,
) -> bool {
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let path = path.split('?').next().unwrap_or_default();
    let directory = from.parent().unwrap_or(Path::new(""));
    let mut to = if path.is_empty() { from.to_owned() } else { plain(&directory.join(path)) };
    if path.ends_with('/') || to.as_os_str().is_empty() {
        to.push("index.html");
    }
    if !all.contains(&to) {
        return false;
    }
    anchor.is_empty() || pages.get(&to).is_some_and(|page| page.anchors.contains(anchor))
}

/// The anchors and links of a page.
fn read(html: &str) -> Page {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(html));
    let tokenizer = Tokenizer::new(Reader::default(), TokenizerOpts::default());
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.page.into_inner()
}

#[derive(Default)]
struct Reader {
    page: RefCell<Page>,
}

impl TokenSink for Reader {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let Token::TagToken(tag @ Tag { kind: TagKind::StartTag, .. }) = token else {
            return TokenSinkResult::Continue;
        };
        let mut page = self.page.borrow_mut();
        for attribute in &tag.attrs {
            let value = attribute.value.to_string();
            match &*attribute.name.local {
                "id" => drop(page.anchors.insert(value)),
                "href" | "src" => page.links.push(value),
                _ => {}
            }
        }
        match &*tag.name {
            "script" => TokenSinkResult::RawData(RawKind::ScriptData),
            "style" => TokenSinkResult::RawData(RawKind::Rawtext),
            _ => TokenSinkResult::Continue,
        }
    }
}
