//! The best node sizes of the affine model, in closed form or over whole pages.

/// Pages beyond which the search for the best node ends: 4 GiB.
const MOST_PAGES: u32 = 1 << 20;

/// Whole pages per node at which a lookup costs least in the affine model.
///
/// With nodes of Y pages that take `entries_per_page` entries per page, a lookup among N costs
/// ln N / ln(entries_per_page Y) nodes of setup + Y transfer each. So Y makes (s / a + Y) / ln(e Y) smallest,
/// with s / a = `setup_over_transfer` the setup cost in pages of transfer and e the entries per page: where
/// ln(e Y) = 1 + s / (a Y), which is Theta(s / (a ln(s / a))) (Bender et al., SPAA 2019). `None` unless
/// `setup_over_transfer` is 0 or more and `entries_per_page` is more than 1.
pub fn best_lookup_pages(setup_over_transfer: f64, entries_per_page: f64) -> Option<u32> {
    let valid = setup_over_transfer >= 0.0 && setup_over_transfer.is_finite();
    if !(valid && entries_per_page > 1.0 && entries_per_page.is_finite()) {
        return None;
    }
    let cost = |pages: u32| {
        let pages = f64::from(pages);
        (setup_over_transfer + pages) / (entries_per_page * pages).ln()
    };
    // It falls, then rises: its derivative has the sign of ln(e Y) - 1 - s / (a Y), which grows with Y.
    let (mut low, mut high) = (1, MOST_PAGES);
    while low < high {
        let middle = low + (high - low) / 2;
        if cost(middle + 1) < cost(middle) { low = middle + 1 } else { high = middle }
    }
    Some(low)
}

/// Whole pages per node at which a long range costs at most twice its transfer: s / a, where a node's setup
/// costs as much as its transfer (MQSSD paper, section 2.2). At least 1, at most 2^20; `None` unless it is 0
/// or more.
pub fn half_bandwidth_pages(setup_over_transfer: f64) -> Option<u32> {
    (setup_over_transfer >= 0.0).then(|| setup_over_transfer.round().clamp(1.0, f64::from(MOST_PAGES)) as u32)
}
