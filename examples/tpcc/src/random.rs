//! What TPC-C means by random (clauses 2.1.6, 4.3.2 and 4.3.3): NURand, last names, text.

use fastrand::Rng;

/// C of NURand for C_LAST while loading; the run's lies 100 further, within what clause 2.1.6.1 allows (65 to
/// 119, neither 96 nor 112).
const C_LAST_LOAD: u32 = 123;
const C_LAST_RUN: u32 = C_LAST_LOAD + 100;
const C_CUSTOMER: u32 = 259;
const C_ITEM: u32 = 7911;

const SYLLABLES: [&str; 10] =
    ["BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"];

/// NURand(a, low, high) with constant `c` (clause 2.1.6).
fn nurand(rng: &mut Rng, a: u32, c: u32, low: u32, high: u32) -> u32 {
    ((rng.u32(0..=a) | rng.u32(low..=high)) + c) % (high - low + 1) + low
}

/// A customer, from 1 to `customers`.
pub(crate) fn customer(rng: &mut Rng, customers: u32) -> u32 {
    nurand(rng, 1023, C_CUSTOMER, 1, customers)
}

/// An item, from 1 to `items`.
pub(crate) fn item(rng: &mut Rng, items: u32) -> u32 {
    nurand(rng, 8191, C_ITEM, 1, items)
}

/// A last name that some customer of the district has.
pub(crate) fn name_of_some_customer(rng: &mut Rng, customers: u32) -> [u8; 16] {
    last_name(nurand(rng, 255, C_LAST_RUN, 0, customers.min(1000) - 1))
}

/// The last name of customer `id` as it is loaded (clause 4.3.3.1): the first thousand have one each.
pub(crate) fn name_to_load(rng: &mut Rng, id: u32) -> [u8; 16] {
    last_name(if id <= 1000 { id - 1 } else { nurand(rng, 255, C_LAST_LOAD, 0, 999) })
}

/// Three syllables, one for each digit of `number`, which is below 1000 (clause 4.3.2.3).
pub fn last_name(number: u32) -> [u8; 16] {
    let syllable = |digit: u32| SYLLABLES[(digit % 10) as usize];
    let name = [syllable(number / 100), syllable(number / 10), syllable(number)].concat();
    padded(name.as_bytes())
}

/// Text padded with zeros, cut off after `N` bytes.
pub(crate) fn padded<const N: usize>(text: &[u8]) -> [u8; N] {
    std::array::from_fn(|i| text.get(i).copied().unwrap_or(0))
}

/// Letters and digits, `least` to `N` of them.
pub(crate) fn text<const N: usize>(rng: &mut Rng, least: usize) -> [u8; N] {
    let len = rng.usize(least..=N);
    std::array::from_fn(|i| if i < len { rng.alphanumeric() as u8 } else { 0 })
}

/// Digits.
pub(crate) fn digits<const N: usize>(rng: &mut Rng) -> [u8; N] {
    std::array::from_fn(|_| rng.digit(10) as u8)
}

/// I_DATA and S_DATA: text, of which one in ten holds the word ORIGINAL (clause 4.3.3.1).
pub(crate) fn data(rng: &mut Rng) -> [u8; 50] {
    let mut data: [u8; 50] = text(rng, 26);
    if rng.u8(0..10) == 0 {
        let at = rng.usize(0..=26 - ORIGINAL.len());
        data[at..at + ORIGINAL.len()].copy_from_slice(ORIGINAL);
    }
    data
}

const ORIGINAL: &[u8] = b"ORIGINAL";

#[cfg(test)]
mod tests {
    use super::*;

    fn is_original(data: &[u8; 50]) -> bool {
        data.windows(ORIGINAL.len()).any(|window| window == ORIGINAL)
    }

    #[test]
    fn the_specifications_example_of_a_name() {
        assert_eq!(last_name(371), padded(b"PRICALLYOUGHT"));
        assert_eq!(last_name(40), padded(b"BARPRESBAR"));
    }

    #[test]
    fn nurand_stays_in_range_and_is_not_uniform() {
        let mut rng = Rng::with_seed(1);
        let mut drawn = vec![0_u32; 3001];
        for _ in 0..300_000 {
            drawn[customer(&mut rng, 3000) as usize] += 1;
        }
        assert_eq!(drawn[0], 0);
        drawn.sort_unstable_by(|a, b| b.cmp(a));
        // Uniform, a tenth of the customers would get a tenth of the draws.
        let tenth: u32 = drawn[..300].iter().sum();
        assert!(tenth > 90_000, "{tenth} of 300000");
    }

    #[test]
    fn one_item_in_ten_is_original() {
        let mut rng = Rng::with_seed(2);
        let originals = (0..10_000).filter(|_| is_original(&data(&mut rng))).count();
        assert!((850..1150).contains(&originals), "{originals}");
    }
}
