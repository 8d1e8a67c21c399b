//! The published counts of COW and COW-X, to the last digit.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use leadline_pool::ace::Ace;
use leadline_pool::policy::PolicyKind;
use leadline_pool::simulate::{Config, Outcome, simulate};

/// What a simulation without a device counts.
fn counted(trace: &str, policy: &str, ace: Ace) -> Outcome {
    let config = Config::new(4096, 20_000).policy(PolicyKind::parse(policy).unwrap()).ace(ace).n(8);
    let mut trace = leadline_trace::open(&format!("gen:paper-{trace}")).unwrap();
    simulate(&mut trace, &config, None, &AtomicBool::new(false)).unwrap()
}

/// Every number of one trace and policy, as the table names them.
fn numbers(trace: &str, policy: &str) -> HashMap<&'static str, i64> {
    let [off, cow, cow_x] = [Ace::Off, Ace::Cow, Ace::CowX].map(|ace| counted(trace, policy, ace));
    let added = |with: u64, without: u64| with as i64 - without as i64;
    HashMap::from([
        ("misses", off.misses as i64),
        ("writes", off.writes as i64),
        ("cow_misses", added(cow.misses, off.misses)),
        ("cow_writes", added(cow.writes, off.writes)),
        ("cow_x_misses", added(cow_x.misses, off.misses)),
        ("cow_x_writes", added(cow_x.writes, off.writes)),
    ])
}

fn every_number_of(trace: &str) {
    let table = include_str!("data/pool_counts.csv");
    let mut found = HashMap::new();
    let mut rows = 0;
    for row in table.lines().filter(|line| line.starts_with(&format!("{trace},"))) {
        let [_, policy, what, _, ours] = row.split(',').collect::<Vec<_>>()[..] else { panic!("{row}") };
        let numbers = found.entry(policy).or_insert_with(|| numbers(trace, policy));
        assert_eq!(numbers[what], ours.parse::<i64>().unwrap(), "{row}");
        rows += 1;
    }
    assert_eq!(rows, 18);
}

#[test]
fn mixed_skewed() {
    every_number_of("ms");
}

#[test]
fn write_intensive_skewed() {
    every_number_of("wis");
}

#[test]
fn read_intensive_skewed() {
    every_number_of("ris");
}

#[test]
fn mixed_uniform() {
    every_number_of("mu");
}

/// Not more cells than these differ from what is printed.
#[test]
fn six_printed_numbers_cannot_come_from_the_published_definitions() {
    let differ = |row: &&str| {
        let cells: Vec<&str> = row.split(',').collect();
        !row.starts_with('#') && cells[3] != cells[4]
    };
    let table = include_str!("data/pool_counts.csv");
    let rows: Vec<&str> = table.lines().filter(differ).skip(1).collect();
    assert_eq!(rows.len(), 6, "{rows:?}");
    assert!(rows.iter().all(|row| row.contains(",lru,")), "only LRU's: {rows:?}");
}
