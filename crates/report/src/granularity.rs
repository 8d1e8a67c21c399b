//! What the size of requests does to asymmetry and concurrency, in words: the experiment `granularity`, whose
//! figure is the page's pair of charts by block size.

use leadline_profile::{DeviceProfile, PAGE_BYTES, Parameters, Pattern};

use crate::format::{block, significant, with_interval};

/// Without intervals, this many times as much is more.
const MORE: f64 = 1.5;

/// Of random requests: what writes smaller than 4K cost, and how many larger reads keep the device busy.
/// Empty where sizes that tell were not measured.
pub(crate) fn sentences(profile: &DeviceProfile) -> Vec<String> {
    let entries = random(profile);
    small_writes(&entries).into_iter().chain(large_reads(&entries)).collect()
}

/// Whether to write less than 4K at a time, in one short sentence; none where smaller writes were not
/// measured.
pub(crate) fn size_to_write(profile: &DeviceProfile) -> Option<String> {
    let [small, page] = smallest_and_page(&random(profile))?;
    let size = |entry: &Parameters| block(entry.block_bytes);
    Some(if more(small, page) {
        format!("Write {} or more at a time: smaller writes cost more reads of their size.", size(page))
    } else {
        format!("Small writes cost nothing extra, down to {}.", size(small))
    })
}

/// By rising size.
fn random(profile: &DeviceProfile) -> Vec<&Parameters> {
    let mut entries: Vec<&Parameters> =
        profile.parameters.iter().filter(|entry| entry.pattern == Pattern::Random).collect();
    entries.sort_by_key(|entry| entry.block_bytes);
    entries
}

/// Those of which α is known.
fn smallest_and_page<'a>(entries: &[&'a Parameters]) -> Option<[&'a Parameters; 2]> {
    let measured = || entries.iter().filter(|entry| entry.alpha.is_some_and(f64::is_finite));
    let page = measured().find(|entry| entry.block_bytes == PAGE_BYTES)?;
    let small = measured().find(|entry| entry.block_bytes < PAGE_BYTES)?;
    Some([small, page])
}

/// The smallest write against one of 4K.
fn small_writes(entries: &[&Parameters]) -> Option<String> {
    let [small, page] = smallest_and_page(entries)?;
    let costs = more(small, page);
    let alpha = |entry: &Parameters| with_interval(entry.alpha.unwrap_or(0.0), entry.alpha_ci, significant);
    let [little, whole] = [small, page].map(|entry| block(entry.block_bytes));
    let (small, page) = (alpha(small), alpha(page));
    Some(if costs {
        format!(
            "Write {whole} or more at a time: under full load one random write of {little} is worth {small} reads \
             of {little}, and one of {whole} {page} reads of {whole}, so the device works in larger units than \
             {little}."
        )
    } else {
        format!(
            "Small writes cost nothing extra: under full load one random write of {little} is worth {small} reads \
             of {little}, and one of {whole} {page} reads of {whole}."
        )
    })
}

/// Whether α of the first is more than that of the second, beyond both intervals.
fn more(first: &Parameters, second: &Parameters) -> bool {
    match (first.alpha_ci, second.alpha_ci) {
        (Some([low, _]), Some([_, high])) => low > high,
        _ => first.alpha.unwrap_or(0.0) > MORE * second.alpha.unwrap_or(f64::INFINITY),
    }
}

/// k_r of 4K against that of the largest size.
fn large_reads(entries: &[&Parameters]) -> Option<String> {
    let known = |entry: &&&Parameters| entry.k_r.is_some() && !entry.censored.read;
    let page = entries.iter().filter(known).find(|entry| entry.block_bytes == PAGE_BYTES)?;
    let large = entries.iter().filter(known).rfind(|entry| entry.block_bytes > PAGE_BYTES)?;
    let (few, many) = (large.k_r?, page.k_r?);
    (few < many).then(|| {
        format!(
            "Larger reads need fewer in flight: {few} of {} reach 95 % of their maximum, of {} it takes {many}.",
            block(large.block_bytes),
            block(page.block_bytes)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(block_bytes: u32, alpha: f64, k_r: u32) -> Parameters {
        Parameters {
            alpha: Some(alpha),
            alpha_ci: Some([alpha * 0.95, alpha * 1.05]),
            k_r: Some(k_r),
            ..Parameters::new(Pattern::Random, block_bytes)
        }
    }

    fn said(entries: Vec<Parameters>) -> String {
        sentences(&DeviceProfile { parameters: entries, ..DeviceProfile::default() }).join(" ")
    }

    #[test]
    fn writes_below_the_units_of_the_device_are_warned_of() {
        let words = said(vec![entry(65_536, 1.5, 8), entry(4096, 2.8, 80), entry(1024, 14.4, 90)]);
        for part in ["write of 1K is worth 14.4 (13.7–15.1) reads", "one of 4K 2.80", "Write 4K or more"] {
            assert!(words.contains(part), "no {part:?} in {words:?}");
        }
        assert!(words.contains("8 of 64K reach 95 % of their maximum, of 4K it takes 80"), "{words}");
    }

    #[test]
    fn where_small_writes_cost_no_more_that_is_said_and_what_was_not_measured_is_not() {
        let words = said(vec![entry(512, 1.1, 6), entry(4096, 1.1, 6)]);
        assert!(words.contains("cost nothing extra") && !words.contains("fewer in flight"), "{words}");
        assert_eq!(said(vec![entry(4096, 2.8, 80)]), "");
        let mut bound = entry(65_536, 1.5, 8);
        bound.censored.read = true;
        assert_eq!(said(vec![entry(4096, 2.8, 80), bound]), "");
    }
}
