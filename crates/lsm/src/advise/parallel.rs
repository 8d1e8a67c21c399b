//! The same work for many layouts, on all processors.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;

/// Does `work` for each of `items`, on all processors; the results in the order of the items.
pub(super) fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    work: &(dyn Fn(&T) -> R + Sync),
    progress: &mut dyn FnMut(f64),
) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(items.len());
    let next = AtomicUsize::new(0);
    let (sender, results) = channel();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { break };
                    // The other end outlives all of them.
                    let _ = sender.send((at, work(item)));
                }
            });
        }
        drop(sender);
        let mut all = Vec::with_capacity(items.len());
        for result in results {
            all.push(result);
            progress(all.len() as f64 / items.len() as f64);
        }
        all.sort_unstable_by_key(|(at, _)| *at);
        all.into_iter().map(|(_, result)| result).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items_and_progress_ends_at_1() {
        let items: Vec<u32> = (0..100).collect();
        let mut last = 0.0;
        let squares = in_parallel(&items, &|i| i * i, &mut |done| {
            assert!(done > last);
            last = done;
        });
        assert_eq!(squares, items.iter().map(|i| i * i).collect::<Vec<_>>());
        assert_eq!(last, 1.0);
        assert!(in_parallel(&[0; 0], &|i: &u32| *i, &mut |_| {}).is_empty());
    }
}
