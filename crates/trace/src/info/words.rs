//! What a trace is like, in words: for a terminal, and for a page.

use leadline_figures::number::{bandwidth, bytes, count, exact, known, seconds, share};
use leadline_figures::{Table, Text};

use super::{CACHE_SHARES, Info};
use crate::{Skipped, SkippedKind};

impl Info {
    /// What it is like, for a terminal.
    pub fn text(&self) -> Text {
        let mut text = Text::new();
        text.say(format!("{}, a trace of {}s", self.trace, self.unit));
        text.gap();
        text.table(Table::of_facts(self.facts()));
        let caches = self.caches();
        if !caches.is_empty() {
            let of = |[share, pages, size, misses]: [String; 4]| {
                [format!("{share} of the footprint"), pages, size, misses]
            };
            text.gap();
            text.table(Table::new(["LRU cache", "pages", "size", "misses"]).rows(caches.into_iter().map(of)));
        }
        text
    }

    /// What there is to say, in order.
    pub(super) fn facts(&self) -> Vec<(&'static str, String)> {
        let r = &self.requests;
        let reads = r.read_share.map_or(String::new(), |reads| format!(", {} reads", share(reads)));
        let moved = format!("{} read, {} written", bytes(r.read_bytes), bytes(r.written_bytes));
        let told = self.format.iter().map(|told| ("format", told.words()));
        let mut facts: Vec<(&'static str, String)> = told.collect();
        facts.extend([("requests", format!("{}{reads}", exact(r.count as f64))), ("moved", moved)]);
        if let Some(sizes) = &r.sizes {
            let [min, median, p99, max] =
                [sizes.min, sizes.median, sizes.p99, sizes.max].map(|size| self.length(size));
            facts.push(("request size", format!("min {min}, median {median}, p99 {p99}, max {max}")));
        }
        if let Some(objects) = &self.objects {
            let [min, median, p99, max] =
                [objects.sizes.min, objects.sizes.median, objects.sizes.p99, objects.sizes.max].map(bytes);
            let sum = bytes(objects.requested_bytes);
            facts.push((
                "objects",
                format!("{sum} requested; size min {min}, median {median}, p99 {p99}, max {max}"),
            ));
        }
        facts.push(("time", self.time()));
        facts.push(("volumes", r.volumes.to_string()));
        if let (Some(first), Some(last)) = (r.first_address, r.last_address) {
            facts.push(("addresses", format!("{} {first} to {last}", self.unit)));
        }
        facts.extend(r.sequential_share.map(|sequential| {
            ("sequential", format!("{} of requests start where the one before ended", share(sequential)))
        }));
        let accesses = exact(self.accesses as f64);
        facts.push(("accesses", format!("{accesses} to pages of {}", bytes(self.page_bytes.into()))));
        facts.push(("footprint", self.pages(self.footprint_pages)));
        facts.push(("written pages", self.pages(self.written_pages)));
        facts.extend(self.repeat_share.map(|repeats| ("repeat accesses", share(repeats))));
        if let (Some(median), Some(p90)) = (self.reuse.median_distance, self.reuse.p90_distance) {
            let [median, p90] = [median, p90].map(|distance| exact(distance as f64));
            facts.push(("reuse distance", format!("median {median} pages, p90 {p90} pages")));
        }
        for (i, hot) in self.hotness.hot_sets.iter().enumerate() {
            let name = if i == 0 { "hot set" } else { "" };
            let (of, set) = (share(hot.share_of_accesses), share(hot.share_of_pages));
            facts.push((
                name,
                format!("{of} of accesses go to {set} of the pages ({})", self.pages(hot.pages)),
            ));
        }
        facts.push(("counted", self.counted()));
        if self.bad_lines.count > 0 {
            let kinds = kinds(&self.bad_lines.kinds);
            facts.push(("bad lines", format!("{}, skipped: {kinds}", exact(self.bad_lines.count as f64))));
        }
        if self.skipped.total() > 0 {
            facts.push(("other lines", kinds(&self.skipped)));
        }
        facts
    }

    fn length(&self, size: u64) -> String {
        match (self.unit, size) {
            ("page", 1) => "1 page".to_owned(),
            ("page", _) => format!("{} pages", exact(size as f64)),
            _ => bytes(size),
        }
    }

    fn pages(&self, pages: f64) -> String {
        let about = if self.sampling.exact { "" } else { "about " };
        format!("{about}{} pages, {}", exact(pages), bytes((pages * f64::from(self.page_bytes)) as u64))
    }

    fn time(&self) -> String {
        let Some(rates) = &self.requests.rates else { return "not in the trace".to_owned() };
        format!(
            "{}, {} requests/s, {}",
            seconds(rates.seconds),
            known(rates.requests_per_second.map(count)),
            known(rates.bytes_per_second.map(bandwidth))
        )
    }

    /// Whether numbers of pages are exact, and where they come from otherwise.
    pub(super) fn counted(&self) -> String {
        let s = self.sampling;
        if s.exact {
            return format!("exactly (up to {} distinct pages)", exact(s.most_pages as f64));
        }
        let followed = exact(s.followed_pages as f64);
        format!("pages from a sample of {followed}, {} of them (SHARDS); requests exactly", share(s.rate))
    }

    /// What LRU caches of some shares of the footprint miss: their share, pages, size, and misses.
    pub(super) fn caches(&self) -> Vec<[String; 4]> {
        let curve = &self.reuse.lru_miss_ratios;
        let at = |share: &f64| {
            let most = (share * self.footprint_pages).round() as u64;
            curve.iter().rev().find(|(pages, _)| *pages <= most).copied()
        };
        let mut found: Vec<(u64, f64)> = CACHE_SHARES.iter().filter_map(at).collect();
        found.dedup();
        let row = |(pages, ratio): (u64, f64)| {
            let of_footprint = share(pages as f64 / self.footprint_pages);
            let size = bytes(pages * u64::from(self.page_bytes));
            [of_footprint, exact(pages as f64), size, share(ratio)]
        };
        found.into_iter().map(row).collect()
    }

    /// What it means for the size of a cache.
    pub(super) fn sentences(&self) -> Vec<String> {
        let Some(repeats) = self.repeat_share else {
            return vec!["This trace has no requests.".to_owned()];
        };
        let mut said = vec![format!(
            "The trace touches {}; {} of its accesses are to a page accessed before, so no cache misses less than \
             {}.",
            bytes(self.footprint_bytes as u64),
            share(repeats),
            share(1.0 - repeats)
        )];
        let tenth = (self.footprint_pages / 10.0).round();
        let curve = self.reuse.lru_miss_ratios.iter().rev();
        if let Some((pages, ratio)) = curve.into_iter().find(|(pages, _)| *pages as f64 <= tenth) {
            let cache = bytes(pages * u64::from(self.page_bytes));
            let misses = share(*ratio);
            said.push(format!("An LRU cache of a tenth of that, {cache}, misses {misses} of the accesses."));
        }
        if let Some(hot) = self.hotness.hot_sets.get(2) {
            said.push(format!("90 % of the accesses go to {} of the pages.", share(hot.share_of_pages)));
        }
        said
    }
}

/// Each kind with how many there are, and where the first is.
fn kinds(skipped: &Skipped) -> String {
    let one = |kind: &SkippedKind| {
        format!("{} {} (first: line {})", exact(kind.count as f64), kind.what, kind.first_line)
    };
    skipped.kinds().iter().map(one).collect::<Vec<_>>().join("; ")
}
