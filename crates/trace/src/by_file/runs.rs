//! Which accesses were sequential: runs of pages that are as long as an extent and were asked for together.
//! `docs/traces.md` has the rule in words.

/// Runs of a file that are followed at the same time; more than that, and the one that was idle longest ends.
const MOST_RUNS: usize = 16;

/// A request follows the one before it at once if it was issued within that many nanoseconds of its
/// completion. The way through the kernel takes less, looking at a page of rows takes longer.
const AT_ONCE_NS: u64 = 20_000;

/// A request that is this part of an extent was not made for a single row.
const PART_OF_EXTENT: u64 = 16;

/// One in that many requests of a run may have paused longer: a busy machine interrupts programs.
const REQUESTS_A_PAUSE: u64 = 16;

/// Sizes in pages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    /// Of an extent.
    pub(super) pages: u64,
    /// A request of more than one page and at least this many bytes is read-ahead by itself.
    large_bytes: u64,
    /// So far from the end of a run a request may begin, in front of it or behind.
    reach: u64,
}

impl Extent {
    pub(super) fn new(extent_bytes: u64, page_bytes: u32) -> Extent {
        let pages = (extent_bytes / u64::from(page_bytes.max(1))).max(1);
        // 64 bits say which of the last pages were accessed.
        Extent { pages, large_bytes: extent_bytes / PART_OF_EXTENT, reach: (pages / 4).clamp(1, 64) }
    }

    /// Whether that many of `of` pages are nearly all.
    fn nearly_all(accessed: u64, of: u64) -> bool {
        accessed.saturating_mul(4) >= of.saturating_mul(3)
    }
}

/// A read or write of one file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    /// First address and the one behind the last, in the trace's unit.
    pub(super) start: u64,
    pub(super) end: u64,
    /// First page, and how many.
    pub(super) first: u64,
    pub(super) pages: u64,
    pub(super) bytes: u64,
    /// When it was issued and completed, where the trace says both.
    pub(super) times: Option<(u64, u64)>,
}

/// The reads of one file, or its writes.
#[derive(Debug, Default)]
pub(super) struct Runs {
    open: Vec<Run>,
    /// Where the last request went.
    latest: usize,
    requests: u64,
    /// Accesses to pages that were sequential, and that were not, as far as that is decided.
    sequential: u64,
    random: u64,
}

#[derive(Debug)]
struct Run {
    /// Behind its last page, and behind its last byte.
    next: u64,
    end: u64,
    /// Bit i is set if page `next - 1 - i` is part of it.
    recent: u64,
    completed_ns: u64,
    /// The piece of it that is not decided yet: its first page, the accesses, and the distinct pages.
    piece: u64,
    accesses: u64,
    distinct: u64,
    /// What the piece before was, if there was one.
    before: Option<bool>,
    requests: u64,
    /// Requests that were not asked for together with those before them.
    pauses: u64,
    used: u64,
}

impl Runs {
    /// Takes the next request.
    #[inline]
    pub(super) fn add(&mut self, span: &Span, extent: Extent) {
        self.requests += 1;
        let goes_on = |run: &Run| run.is_continued_by(span, extent);
        let found = match self.open.get(self.latest) {
            Some(run) if goes_on(run) => Some(self.latest),
            _ => self.open.iter().position(goes_on),
        };
        self.latest = found.unwrap_or_else(|| self.begin(span, extent));
        let run = &mut self.open[self.latest];
        run.used = self.requests;
        run.take(span, extent, [&mut self.random, &mut self.sequential]);
    }

    /// Pages that were accessed in sequence, and those that were not. All runs end.
    pub(super) fn finish(&mut self, extent: Extent) -> (u64, u64) {
        for run in std::mem::take(&mut self.open) {
            run.finish(extent, [&mut self.random, &mut self.sequential]);
        }
        (self.sequential, self.random)
    }

    /// A new run, perhaps in the place of the one idle longest; the longer a run was, the longer it may idle.
    fn begin(&mut self, span: &Span, extent: Extent) -> usize {
        let run = Run {
            next: span.first,
            end: span.start,
            recent: 0,
            completed_ns: 0,
            piece: span.first,
            accesses: 0,
            distinct: 0,
            before: None,
            requests: 0,
            pauses: 0,
            used: self.requests,
        };
        if self.open.len() < MOST_RUNS {
            self.open.push(run);
            return self.open.len() - 1;
        }
        let idle = self.open.iter().enumerate().min_by_key(|(_, run)| run.used + 4 * run.requests.min(64));
        let place = idle.map_or(0, |(place, _)| place);
        let ended = std::mem::replace(&mut self.open[place], run);
        ended.finish(extent, [&mut self.random, &mut self.sequential]);
        place
    }
}

impl Run {
    /// Whether the request is part of it: close to its end, not accessed yet, and asked for together with it.
    #[inline]
    fn is_continued_by(&self, span: &Span, extent: Extent) -> bool {
        if span.first > self.next.saturating_add(extent.reach)
            || span.first.saturating_add(extent.reach) < self.next
        {
            return false;
        }
        let may_pause = (self.pauses + 1) * REQUESTS_A_PAUSE <= self.requests;
        (may_pause || self.is_together_with(span, extent))
            && (span.start == self.end || !self.has_some_of(span))
    }

    /// Whether the request was made without a look at what the run has brought.
    #[inline]
    fn is_together_with(&self, span: &Span, extent: Extent) -> bool {
        let is_large = span.pages > 1 && span.bytes >= extent.large_bytes;
        span.times.is_none_or(|(issued_ns, _)| {
            is_large || issued_ns <= self.completed_ns.saturating_add(AT_ONCE_NS)
        })
    }

    /// Whether one of the request's pages is part of it already.
    fn has_some_of(&self, span: &Span) -> bool {
        let Some(back) = self.next.checked_sub(span.first).filter(|back| *back > 0) else { return false };
        let behind = span.pages.min(back);
        // Bits `back - behind` to `back - 1`.
        self.recent & (ones(behind) << (back - behind)) != 0
    }

    fn take(&mut self, span: &Span, extent: Extent, counts: [&mut u64; 2]) {
        if self.requests > 0 && !self.is_together_with(span, extent) {
            self.pauses += 1;
        }
        self.requests += 1;
        if let Some((_, completed_ns)) = span.times {
            self.completed_ns = self.completed_ns.max(completed_ns);
        }
        let [random, sequential] = counts;
        let (mut page, behind_last) = (span.first, span.first.saturating_add(span.pages));
        if page < self.piece {
            // Late: what the piece before was, this is too.
            let late = behind_last.min(self.piece) - page;
            match self.before {
                Some(true) => *sequential += late,
                Some(false) => *random += late,
                None => {
                    (self.accesses, self.distinct) = (self.accesses + late, self.distinct + late);
                    self.piece = page;
                }
            }
            page += late;
        }
        while page < behind_last {
            let piece_end = self.piece.saturating_add(extent.pages);
            if page >= piece_end {
                let is_sequential = Extent::nearly_all(self.distinct, extent.pages);
                *if is_sequential { &mut *sequential } else { &mut *random } += self.accesses;
                (self.piece, self.accesses, self.distinct) = (page, 0, 0);
                self.before = Some(is_sequential);
                continue;
            }
            let count = behind_last.min(piece_end) - page;
            // The rest of a page whose beginning was accessed just before.
            let again =
                page == span.first && page < self.next && self.recent >> (self.next - 1 - page) & 1 != 0;
            self.accesses += count;
            self.distinct += count - u64::from(again);
            page += count;
        }
        self.remember(span, behind_last);
    }

    fn remember(&mut self, span: &Span, behind_last: u64) {
        if behind_last >= self.next {
            let ahead = behind_last - self.next;
            self.recent = if ahead < 64 { self.recent << ahead } else { 0 };
            self.recent |= ones(span.pages);
            (self.next, self.end) = (behind_last, span.end);
        } else {
            self.recent |= ones(span.pages) << (self.next - behind_last);
        }
    }

    fn finish(self, extent: Extent, counts: [&mut u64; 2]) {
        let [random, sequential] = counts;
        let rest = self.before == Some(true) && Extent::nearly_all(self.distinct, self.next - self.piece);
        let is_sequential = rest || Extent::nearly_all(self.distinct, extent.pages);
        *if is_sequential { sequential } else { random } += self.accesses;
    }
}

/// As many of the lowest bits.
fn ones(count: u64) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}
