//! What sysbench prints.

/// A run of it: transactions, and how long they took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Outcome {
    pub(super) transactions: f64,
    pub(super) seconds: f64,
    pub(super) mean_ms: f64,
    pub(super) p95_ms: f64,
    pub(super) p99_ms: f64,
    pub(super) max_ms: f64,
}

impl Outcome {
    /// Of a run with `--histogram`, in which there was one transaction at least.
    pub(super) fn of(text: &str) -> Option<Outcome> {
        let histogram = histogram(text);
        let number = |name| after(text, name).filter(|number| *number > 0.0);
        Some(Outcome {
            transactions: number("transactions:")?,
            seconds: number("total time:")?,
            mean_ms: number("avg:")?,
            p95_ms: percentile(&histogram, 0.95)?,
            p99_ms: percentile(&histogram, 0.99)?,
            max_ms: number("max:")?,
        })
    }
}

/// The number behind `name`, the first of a line; a time has an `s` behind it.
fn after(text: &str, name: &str) -> Option<f64> {
    let rest = text.lines().find_map(|line| line.trim_start().strip_prefix(name))?;
    rest.split_whitespace().next()?.trim_end_matches('s').parse().ok()
}

/// Values, rising, and how many transactions took so long: `   1.063 |****      12`.
fn histogram(text: &str) -> Vec<(f64, u64)> {
    let bucket = |line: &str| {
        let (value, bar) = line.split_once('|')?;
        Some((value.trim().parse().ok()?, bar.trim_start_matches('*').trim().parse().ok()?))
    };
    text.lines().filter_map(bucket).collect()
}

/// The value of the bucket in which so large a share has ended.
fn percentile(histogram: &[(f64, u64)], share: f64) -> Option<f64> {
    let all: u64 = histogram.iter().map(|(_, count)| count).sum();
    let wanted = (all as f64 * share).ceil() as u64;
    let mut sum = 0;
    let reached = histogram.iter().find(|(_, count)| {
        sum += count;
        sum >= wanted
    });
    reached.map(|(value, _)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What sysbench 1.0.20 printed, with most of its histogram left out.
    const PRINTED: &str = "\
Latency histogram (values are in milliseconds)
       value  ------------- distribution ------------- count
       0.654 |                                         1
       9.560 |**************************************** 9500
      46.630 |****                                     405
     467.304 |                                         94

SQL statistics:
    queries performed:
        total:                           60000
    transactions:                        10000  (996.21 per sec.)
    ignored errors:                      0      (0.00 per sec.)

General statistics:
    total time:                          10.0381s
    total number of events:              10000

Latency (ms):
         min:                                    0.65
         avg:                                   13.09
         max:                                  469.97
         99th percentile:                       64.47
         sum:                               160141.47
";

    #[test]
    fn a_run_is_read_as_sysbench_prints_it() {
        let expected = Outcome {
            transactions: 10_000.0,
            seconds: 10.0381,
            mean_ms: 13.09,
            p95_ms: 9.560,
            p99_ms: 46.630,
            max_ms: 469.97,
        };
        assert_eq!(Outcome::of(PRINTED), Some(expected));
    }

    #[test]
    fn what_has_no_transactions_or_no_histogram_is_no_run() {
        assert_eq!(Outcome::of(&PRINTED.replace("10000  (996.21", "0 (0.00")), None);
        assert_eq!(Outcome::of(&PRINTED.replace('|', " ")), None);
        assert_eq!(Outcome::of(""), None);
    }
}
