//! Slices in which other programs took the processor: no property of the device, and left out.
//!
//! A slice records for which share of it a submitting thread that was ready to run waited for a processor.
//! Some of that is the load's own doing: at many requests in flight the kernel's workers, which complete
//! them, run on the same processors. So slices are held against the quietest ones of their own point, which
//! have that share too.

use leadline_profile::Slice;

/// A slice is disturbed where it waited for longer than the quiet ones of its point, by this share of it.
pub(crate) const DISTURBED: f64 = 0.1;

/// Slices that a point must have before any of them is disturbed.
const FEW: usize = 4;

/// The share that a point's quiet slices wait: the lower quartile. `None` where nothing is known, or too
/// little.
pub(crate) fn quiet_wait(slices: &[Slice]) -> Option<f64> {
    let mut waits: Vec<f64> = slices.iter().filter_map(|slice| slice.cpu_wait).collect();
    waits.sort_unstable_by(f64::total_cmp);
    (waits.len() >= FEW).then(|| waits[waits.len() / 4])
}

/// Whether others took the processor in this slice, which is one of `slices` or is to be.
pub(crate) fn is_disturbed(slice: &Slice, slices: &[Slice]) -> bool {
    let quiet = quiet_wait(slices).unwrap_or(f64::INFINITY);
    slice.cpu_wait.is_some_and(|share| share > quiet + DISTURBED)
}

/// The slices of a point that count: all but the disturbed ones, or all where those left would be from fewer
/// than half of its epochs.
pub(crate) fn counted(slices: &[Slice]) -> impl Iterator<Item = &Slice> {
    let most = quiet_wait(slices).map_or(f64::INFINITY, |quiet| quiet + DISTURBED);
    let quiet = move |slice: &&Slice| slice.cpu_wait.is_none_or(|share| share <= most);
    let epochs = |slices: &mut dyn Iterator<Item = &Slice>| {
        let mut epochs: Vec<u32> = slices.map(|slice| slice.epoch).collect();
        epochs.sort_unstable();
        epochs.dedup();
        epochs.len()
    };
    let enough = 2 * epochs(&mut slices.iter().filter(quiet)) >= epochs(&mut slices.iter());
    slices.iter().filter(move |slice| !enough || quiet(slice))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slices(waits: &[f64]) -> Vec<Slice> {
        let slice = |(epoch, wait): (usize, &f64)| Slice {
            epoch: epoch as u32,
            cpu_wait: Some(*wait),
            merged: None,
            ..Slice::default()
        };
        waits.iter().enumerate().map(slice).collect()
    }

    fn counted_epochs(waits: &[f64]) -> Vec<u32> {
        counted(&slices(waits)).map(|slice| slice.epoch).collect()
    }

    #[test]
    fn slices_that_waited_longer_than_the_quiet_ones_do_not_count() {
        assert_eq!(counted_epochs(&[0.01, 0.5, 0.0, 0.02, 0.4, 0.01]), [0, 2, 3, 5]);
        assert_eq!(counted_epochs(&[0.15, 0.2, 0.18, 0.6, 0.16]), [0, 1, 2, 4], "what the load does itself");
    }

    #[test]
    fn where_few_are_quiet_all_count() {
        assert_eq!(counted_epochs(&[0.0, 0.0, 0.5, 0.5, 0.5, 0.5, 0.5]).len(), 7);
        assert_eq!(counted_epochs(&[0.0, 0.9, 0.9]).len(), 3, "too few to tell");
    }

    #[test]
    fn where_nothing_is_known_all_count() {
        let unknown = vec![Slice::default(); 8];
        assert_eq!(counted(&unknown).count(), 8);
        assert!(!is_disturbed(&unknown[0], &unknown));
    }
}
