//! The page of a trace.

use leadline_figures::number::{bytes, count, exact, known, share};
use leadline_figures::{Block, Page, Table};

use super::{Info, charts};
use crate::lenient::BadLines;

impl Info {
    /// A page: the miss-ratio curve of LRU caches, reuse distances, where and when requests go, their sizes,
    /// and how hot pages are.
    pub fn page(&self) -> Page {
        let sub = format!(
            "a trace of {}s, analysed in pages of {} bytes · pages counted {}",
            self.unit,
            self.page_bytes,
            self.counted()
        );
        let mut page = Page {
            brand: "leadline trace info",
            title: self.trace.clone(),
            heading: self.trace.clone(),
            sub: vec![sub],
            ..Page::default()
        };
        page.section("", warning(&self.bad_lines).into_iter().collect());
        let sentences = Block::Sentences { sentences: self.sentences(), small: false };
        page.section("means", vec![Block::heading("What it means"), sentences, self.tiles()]);
        if self.requests.count > 0 {
            page.section("curves", self.curves());
        }
        let mut numbers = vec![Block::heading("Numbers"), Block::facts(self.facts())];
        let caches = self.caches();
        if !caches.is_empty() {
            let table =
                Table::new(["Share of the footprint", "Pages", "Size", "Accesses missed"]).rows(caches);
            numbers.push(Block::table(Table { title: "LRU caches".to_owned(), ..table }));
        }
        numbers.push(Block::quiet("Definitions, sampling and limits: leadline docs traces."));
        page.section("numbers", numbers);
        page
    }

    fn tiles(&self) -> Block {
        let hot = self.hotness.hot_sets.get(2).map(|hot| hot.share_of_pages);
        let sequential = self.requests.sequential_share;
        Block::tiles([
            (count(self.requests.count as f64), "requests"),
            (known(self.requests.read_share.map(share)), "of them reads"),
            (bytes(self.footprint_bytes as u64), "footprint: distinct pages"),
            (known(self.repeat_share.map(share)), "of accesses to pages accessed before"),
            (known(hot.map(share)), "of the pages get 90 % of accesses"),
            (known(sequential.map(share)), "of requests go on where the last ended"),
        ])
    }

    fn curves(&self) -> Vec<Block> {
        let mut requests = vec![Block::chart(
            "Request sizes",
            "Requests by size; where there are many sizes, by powers of two.",
            charts::sizes(self),
        )];
        if let Some(rates) = &self.requests.rates {
            requests.push(Block::chart("Load over time", "Requests as recorded.", charts::rates(rates)));
        }
        vec![
            Block::heading("Caching"),
            Block::Charts { choices: false },
            Block::chart(
                "Miss ratio of an LRU cache over its size",
                "Share of accesses to pages that are not in the cache. Dashed: accesses to pages never accessed \
                 before, which every cache misses.",
                charts::misses(self),
            ),
            Block::pair(vec![
                Block::chart(
                    "Reuse distance",
                    "Distinct pages accessed since the last access to the same page, itself included. Last bar: \
                     first accesses.",
                    charts::distances(&self.reuse),
                ),
                Block::chart(
                    "Hot set",
                    "Share of accesses that go to the hottest pages. Dashed: if all pages were equally hot.",
                    charts::hot(self),
                ),
            ]),
            Block::heading("Requests"),
            Block::chart("Requests over address", "Where requests begin.", charts::heat(self)),
            Block::pair(requests),
            Block::Zoom,
        ]
    }
}

/// What is said of lines that were no requests.
pub(crate) fn warning(bad: &BadLines) -> Option<Block> {
    (bad.count > 0).then(|| {
        Block::warning(format!(
            "{} lines were not requests and were skipped. The first: {}",
            exact(bad.count as f64),
            bad.first.join("; ")
        ))
    })
}
