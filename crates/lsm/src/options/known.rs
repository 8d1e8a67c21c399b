//! The options that releases of RocksDB know, and their defaults: `data/rocksdb-options.csv`.

use std::sync::LazyLock;

use super::release::Release;
use super::section::Kind;

const TABLE: &str = include_str!("../../data/rocksdb-options.csv");

/// The cell of a release that does not know the option.
const UNKNOWN: &str = "-";

/// The cell of a release that reads the option and never writes it.
const READ_ONLY: &str = "(read)";

/// An option, and what it is to each of [`Table::releases`].
pub(super) struct KnownOption {
    pub(super) kind: Kind,
    pub(super) name: &'static str,
    cells: Vec<&'static str>,
}

/// Every option of some release.
pub(super) struct Table {
    /// The oldest first.
    pub(super) releases: Vec<Release>,
    options: Vec<KnownOption>,
}

static KNOWN: LazyLock<Table> = LazyLock::new(|| {
    let mut lines = TABLE.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(','));
    let releases = lines.next().into_iter().flatten().skip(2).filter_map(Release::parse).collect();
    let options = lines.filter_map(|mut fields| {
        let kind = Kind::of_title(fields.next()?)?;
        Some(KnownOption { kind, name: fields.next()?, cells: fields.collect() })
    });
    Table { releases, options: options.collect() }
});

/// The table.
pub(super) fn table() -> &'static Table {
    &KNOWN
}

impl Table {
    /// The option `name` of a section. RocksDB also takes parts of it by their full name,
    /// `compression_opts.level`.
    pub(super) fn find(&self, kind: Kind, name: &str) -> Option<&KnownOption> {
        let whole = name.split_once('.').map_or(name, |(whole, _)| whole);
        self.options.iter().find(|option| option.kind == kind && option.name == whole)
    }

    /// The oldest release in the table, if `release` is of an older series.
    pub(super) fn oldest_after(&self, release: Release) -> Option<Release> {
        self.releases.first().copied().filter(|oldest| release.series() < oldest.series())
    }

    /// The newest release in the table, if `release` is of a newer series.
    pub(super) fn newest_before(&self, release: Release) -> Option<Release> {
        self.releases.last().copied().filter(|newest| newest.series() < release.series())
    }

    /// Whether `release` knows an option. Between two releases in the table it does if one of them does.
    pub(super) fn accepts(&self, option: &KnownOption, release: Release) -> bool {
        self.around(release).into_iter().any(|at| option.cells.get(at).is_some_and(|&cell| cell != UNKNOWN))
    }

    /// The first release in the table that knows an option.
    pub(super) fn since(&self, option: &KnownOption) -> Option<Release> {
        let at = option.cells.iter().position(|&cell| cell != UNKNOWN)?;
        self.releases.get(at).copied()
    }

    /// The defaults of an option in the last release in the table up to `release` and in the first one from
    /// it on. One or both are missing where no release writes it.
    pub(super) fn defaults(&self, option: &KnownOption, release: Release) -> [Option<&'static str>; 2] {
        self.around(release)
            .map(|at| option.cells.get(at).copied().filter(|&cell| cell != UNKNOWN && cell != READ_ONLY))
    }

    /// Where the table has the last release up to this one, and the first from it on; releases of one series
    /// have the same options. Beyond an end of the table both are the release at that end.
    fn around(&self, release: Release) -> [usize; 2] {
        let last = self.releases.len().saturating_sub(1);
        let from = self.releases.partition_point(|other| other.series() < release.series());
        let up_to =
            self.releases.partition_point(|other| other.series() <= release.series()).saturating_sub(1);
        [up_to.min(last), from.min(last)]
    }

    /// The sections that do have an option of this name.
    pub(super) fn sections_with(&self, name: &str) -> Vec<Kind> {
        self.options.iter().filter(|option| option.name == name).map(|option| option.kind).collect()
    }

    /// The option of a section whose name differs least from `name`, if it may be meant.
    pub(super) fn nearest(&self, kind: Kind, name: &str) -> Option<&'static str> {
        /// No option has a name this long.
        const MOST: usize = 80;
        if name.len() > MOST {
            return None;
        }
        let options = self.options.iter().filter(|option| option.kind == kind);
        let (distance, nearest) =
            options.map(|option| (edits(name, option.name), option.name)).min_by_key(|&(edits, _)| edits)?;
        (distance <= 1 + name.len() / 4).then_some(nearest)
    }
}

/// Bytes that must be put in, taken out or changed to turn one text into the other: Levenshtein's distance.
fn edits(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.bytes().enumerate() {
            let changed = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        let table = table();
        assert_eq!(table.releases.len(), 6);
        assert!(table.releases.is_sorted());
        let rows = TABLE.lines().filter(|line| !line.starts_with('#')).count() - 1;
        assert_eq!(table.options.len(), rows, "a row has a section that is not known");
        for option in &table.options {
            assert_eq!(option.cells.len(), table.releases.len(), "{}", option.name);
        }
    }

    #[test]
    fn edits_are_counted() {
        assert_eq!(edits("block_size", "block_size"), 0);
        assert_eq!(edits("blok_size", "block_size"), 1);
        assert_eq!(edits("block_sizes", "block_size"), 1);
        assert_eq!(edits("bolck_size", "block_size"), 2);
        assert_eq!(edits("", "abc"), 3);
    }
}
