//! The lists on the command line that make a sweep: `lru,clock`, `1,2,4`, `all`.

use leadline_pool::ace::{Ace, Cleaner};
use leadline_pool::policy::PolicyKind;
use leadline_pool::simulate::MAX_CLIENTS;

/// Most pages of a pool: 4 TiB of 4K pages.
const MAX_FRAMES: u32 = 1 << 29;

/// Pages written at once where no device says how many it takes.
pub(super) const DEFAULT_N: u32 = 8;

/// Values of one dimension, each once, in the order given.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct List<T>(pub(super) Vec<T>);

/// Pages written at once, before the device is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Batch {
    /// What the device writes at once.
    Auto,
    /// Found by watching the device, from there on.
    Adaptive,
    Pages(u32),
}

fn list<T: PartialEq>(text: &str, one: impl Fn(&str) -> Result<T, String>) -> Result<List<T>, String> {
    let mut all = Vec::new();
    for part in text.split(',') {
        let value = one(part.trim())?;
        if !all.contains(&value) {
            all.push(value);
        }
    }
    Ok(List(all))
}

pub(super) fn policies(text: &str) -> Result<List<PolicyKind>, String> {
    if text == "all" {
        return Ok(List(PolicyKind::ALL.to_vec()));
    }
    let names: Vec<&str> = PolicyKind::ALL.iter().map(|kind| kind.name()).collect();
    list(text, |name| {
        PolicyKind::parse(name)
            .ok_or_else(|| format!("{name:?} is not a policy; choose from {}, or all", names.join(", ")))
    })
}

pub(super) fn aces(text: &str) -> Result<List<Ace>, String> {
    if text == "all" {
        return Ok(List(Ace::ALL.to_vec()));
    }
    let names = Ace::ALL.map(Ace::name).join(", ");
    list(text, |name| {
        Ace::parse(name)
            .ok_or_else(|| format!("{name:?} is not a way to write back; choose from {names}, or all"))
    })
}

pub(super) fn cleaners(text: &str) -> Result<List<Cleaner>, String> {
    list(text, |part| match part {
        "off" => Ok(Cleaner::Off),
        "auto" => Ok(Cleaner::Auto),
        depth => whole(depth, 1, 32_768)
            .map(Cleaner::Depth)
            .map_err(|_| format!("{depth:?} must be off, auto, or 1 to 32768 writes in flight")),
    })
}

pub(super) fn batches(text: &str) -> Result<List<Batch>, String> {
    list(text, |part| match part {
        "auto" => Ok(Batch::Auto),
        "adaptive" => Ok(Batch::Adaptive),
        pages => whole(pages, 1, 32_768)
            .map(Batch::Pages)
            .map_err(|_| format!("{pages:?} must be auto, adaptive, or 1 to 32768 pages")),
    })
}

pub(super) fn clients(text: &str) -> Result<List<u32>, String> {
    list(text, |part| whole(part, 1, MAX_CLIENTS))
}

pub(super) fn frames(text: &str) -> Result<List<u32>, String> {
    list(text, |part| whole(part, 1, MAX_FRAMES))
}

pub(super) fn cache_bytes(text: &str) -> Result<List<u64>, String> {
    list(text, crate::values::amount)
}

pub(super) fn read_shares(text: &str) -> Result<List<f64>, String> {
    list(text, |part| {
        let share = part.strip_suffix('%').unwrap_or(part).trim_end();
        number(share, 0.0, 100.0).ok_or_else(|| format!("{part:?} must be from 0 to 100 (percent)"))
    })
}

pub(super) fn alphas(text: &str) -> Result<List<f64>, String> {
    list(text, |part| {
        number(part, 0.01, 1000.0)
            .ok_or_else(|| format!("{part:?} must be from 0.01 to 1000 reads per write"))
    })
}

/// Bytes of a page.
pub(super) fn page(text: &str) -> Result<u32, String> {
    let bytes = crate::values::block(text)?;
    if bytes.is_power_of_two() { Ok(bytes) } else { Err("must be a power of two".to_owned()) }
}

fn whole(text: &str, least: u32, most: u32) -> Result<u32, String> {
    let value = text.parse().ok().filter(|value| (least..=most).contains(value));
    value.ok_or_else(|| format!("{text:?} must be from {least} to {most}"))
}

fn number(text: &str, least: f64, most: f64) -> Option<f64> {
    text.parse().ok().filter(|value| (least..=most).contains(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_their_order_and_nothing_twice() {
        assert_eq!(frames("300, 100,300").unwrap().0, [300, 100]);
        assert_eq!(batches("auto,8").unwrap().0, [Batch::Auto, Batch::Pages(8)]);
        assert_eq!(cleaners("off,1,auto").unwrap().0, [Cleaner::Off, Cleaner::Depth(1), Cleaner::Auto]);
        assert_eq!(read_shares("10%,90").unwrap().0, [10.0, 90.0]);
        assert_eq!(policies("all").unwrap().0, PolicyKind::ALL);
        assert_eq!(page("4K"), Ok(4096));
    }

    #[test]
    fn what_is_no_value_is_named() {
        for (said, error) in [
            ("lru2", policies("lru,lru2").unwrap_err()),
            ("clock", policies("").unwrap_err()),
            ("cow-x-e", aces("cow,caw").unwrap_err()),
            ("\"0\"", frames("0").unwrap_err()),
            ("4096", clients("5000").unwrap_err()),
            ("auto", cleaners("0").unwrap_err()),
            ("auto", batches("0").unwrap_err()),
            ("percent", read_shares("101").unwrap_err()),
            ("1000", alphas("nan").unwrap_err()),
            ("power of two", page("5000").unwrap_err()),
        ] {
            assert!(error.contains(said), "{said} in {error}");
        }
    }
}
