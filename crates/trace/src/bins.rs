//! Histograms that need no range beforehand and constant memory, however long the trace.

use std::ops::AddAssign;

/// Most cells of a [`DoublingBins`] histogram.
const MOST_CELLS: u64 = 512;

/// Values below this have a bin each; above, every doubling has [`HALF`] bins.
const EXACT: u64 = 256;

/// Bins of a doubling: each is at most 0.8 % wide.
const HALF: u64 = EXACT / 2;

/// Weights by value, in bins that widen with the value: exact below 256, within 0.8 % above. Multiples of 4K
/// up to 1M and powers of two are the lower end of their bin, so that request sizes come out exact.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LogBins {
    weights: Vec<f64>,
    total: f64,
}

impl LogBins {
    /// Adds `weight` at `value`.
    #[inline]
    pub fn add(&mut self, value: u64, weight: f64) {
        let bin = bin_of(value);
        if bin >= self.weights.len() {
            self.weights.resize(bin + 1, 0.0);
        }
        self.weights[bin] += weight;
        self.total += weight;
    }

    /// All weights together.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// Ascending (first value, last value, weight) of the bins that hold something.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64, f64)> {
        let ends = |(bin, &weight): (usize, &f64)| (lower_end(bin), lower_end(bin + 1) - 1, weight);
        self.weights.iter().enumerate().filter(|(_, weight)| **weight != 0.0).map(ends)
    }

    /// First value of the bin below or in which the share `quantile` (0 to 1) of the weight lies; `None` when
    /// empty.
    pub fn quantile(&self, quantile: f64) -> Option<u64> {
        let goal = quantile * self.total;
        let mut sum = 0.0;
        let mut last = None;
        for (first, _, weight) in self.iter() {
            sum += weight;
            last = Some(first);
            if sum >= goal {
                break;
            }
        }
        last
    }
}

/// The number of a value's bin.
fn bin_of(value: u64) -> usize {
    if value < EXACT {
        return value as usize;
    }
    let shift = u64::from(value.ilog2() - HALF.ilog2());
    (shift * HALF + (value >> shift)) as usize
}

/// First value of a bin, [`u64::MAX`] for the one after the last.
fn lower_end(bin: usize) -> u64 {
    let bin = bin as u64;
    if bin < EXACT {
        return bin;
    }
    let shift = bin / HALF - 1;
    let top = bin - shift * HALF;
    top.checked_shl(shift as u32).filter(|value| value >> shift == top).unwrap_or(u64::MAX)
}

/// Cells of equal width along an axis whose range is not known: whenever a value lies too far from the
/// rest, cells are twice as wide and neighbours become one.
#[derive(Debug, Clone, PartialEq)]
pub struct DoublingBins<T> {
    cells: Vec<T>,
    /// Number of the first cell: it begins at `first << shift`.
    first: u64,
    shift: u32,
}

impl<T: Copy + Default + AddAssign> DoublingBins<T> {
    /// Empty, with cells 2^`shift` wide to begin with.
    pub fn new(shift: u32) -> Self {
        DoublingBins { cells: Vec::new(), first: 0, shift }
    }

    /// Adds `what` at `at`.
    #[inline]
    pub fn add(&mut self, at: u64, what: T) {
        let known = (at >> self.shift).wrapping_sub(self.first);
        let index = if known < self.cells.len() as u64 { known } else { self.make_room(at) };
        self.cells[index as usize] += what;
    }

    /// Widens the cells until one for `at` fits among them, and says which it is.
    #[cold]
    fn make_room(&mut self, at: u64) -> u64 {
        if self.cells.is_empty() {
            self.first = at >> self.shift;
        }
        loop {
            let cell = at >> self.shift;
            let last = self.first + (self.cells.len() as u64).saturating_sub(1);
            let (low, high) = (self.first.min(cell), last.max(cell));
            if high - low < MOST_CELLS {
                let before = (self.first - low) as usize;
                self.cells.splice(0..0, std::iter::repeat_n(T::default(), before));
                self.first = low;
                self.cells.resize((high - low + 1) as usize, T::default());
                return cell - low;
            }
            self.halve();
        }
    }

    fn halve(&mut self) {
        let first = self.first / 2;
        let mut cells = vec![T::default(); self.cells.len() / 2 + 1];
        for (i, cell) in self.cells.iter().enumerate() {
            cells[((self.first + i as u64) / 2 - first) as usize] += *cell;
        }
        (self.cells, self.first, self.shift) = (cells, first, self.shift + 1);
    }

    /// Width of a cell.
    pub fn width(&self) -> u64 {
        1 << self.shift
    }

    /// Ascending (where the cell begins, what is in it), from the first that holds something on.
    pub fn iter(&self) -> impl Iterator<Item = (u64, T)> {
        self.cells.iter().enumerate().map(|(i, cell)| ((self.first + i as u64) << self.shift, *cell))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_in_its_bin_and_bins_are_narrow() {
        let mut values: Vec<u64> = (0..2000).collect();
        values.extend((8..64).flat_map(|shift| [(1 << shift) - 1, 1 << shift, (1 << shift) + 1]));
        values.push(u64::MAX);
        for value in values {
            let mut bins = LogBins::default();
            bins.add(value, 1.0);
            let (first, last, weight) = bins.iter().next().unwrap();
            assert!((first..=last).contains(&value) || last == u64::MAX - 1, "{value} in {first}..={last}");
            assert!((last - first) as f64 <= 0.008 * first as f64, "{first}..={last} is too wide");
            assert_eq!(weight, 1.0);
        }
    }

    #[test]
    fn request_sizes_come_out_exact() {
        for size in (1..=256).map(|n| n * 4096).chain((0..32).map(|shift| 1 << shift)) {
            let mut bins = LogBins::default();
            bins.add(size, 1.0);
            assert_eq!(bins.quantile(0.5), Some(size));
        }
    }

    #[test]
    fn quantiles_are_those_of_the_values() {
        let mut bins = LogBins::default();
        assert_eq!(bins.quantile(0.5), None);
        (1..=200).for_each(|value| bins.add(value, 1.0));
        assert_eq!([0.0, 0.5, 0.99, 1.0].map(|q| bins.quantile(q)), [1, 100, 198, 200].map(Some));
    }

    #[test]
    fn nothing_is_lost_when_cells_widen_in_either_direction() {
        let mut grown = DoublingBins::new(0);
        let values = [1u64 << 40, 3, u64::MAX, 1 << 40, 0, 77, (1 << 40) + 1];
        for (i, at) in values.into_iter().enumerate() {
            grown.add(at, 1u64);
            assert_eq!(grown.iter().map(|cell| cell.1).sum::<u64>(), i as u64 + 1);
            assert!(grown.iter().count() as u64 <= MOST_CELLS);
        }
        for at in values {
            let home = grown.iter().find(|(begin, _)| at - begin.min(&at) < grown.width() && *begin <= at);
            assert!(home.is_some_and(|cell| cell.1 > 0), "{at} is in its cell");
        }
    }

    #[test]
    fn cells_stay_narrow_while_values_are_close() {
        let mut grown = DoublingBins::new(0);
        (0..MOST_CELLS).for_each(|at| grown.add((1 << 50) + at, 1u64));
        assert_eq!(grown.width(), 1);
        grown.add((1 << 50) + MOST_CELLS, 1);
        assert_eq!(grown.width(), 2);
    }
}
