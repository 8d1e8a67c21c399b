//! An option of an algorithm: what it is called, what it takes, and with which others it goes.

/// An option of an algorithm.
#[derive(Debug)]
pub struct AlgorithmOption {
    /// The flag without its dashes; in Python, with `_` for `-`.
    pub name: &'static str,
    /// What it takes.
    pub kind: OptionKind,
    /// What stands for its value in help.
    pub value_name: &'static str,
    /// Its help.
    pub help: &'static str,
    /// Its value where none is given.
    pub default: Option<&'static str>,
    /// Options that cannot be given together with it.
    pub conflicts: &'static [&'static str],
    /// It must be given where none of these is; always where that is empty, never for `None`.
    pub needed_without: Option<&'static [&'static str]>,
    /// It needs one of these.
    pub needs_one_of: &'static [&'static str],
}

impl AlgorithmOption {
    /// An option that may be left out and has no default.
    pub const fn new(
        name: &'static str,
        value_name: &'static str,
        kind: OptionKind,
        help: &'static str,
    ) -> AlgorithmOption {
        AlgorithmOption {
            name,
            kind,
            value_name,
            help,
            default: None,
            conflicts: &[],
            needed_without: None,
            needs_one_of: &[],
        }
    }

    /// An option without a value.
    pub const fn flag(name: &'static str, help: &'static str) -> AlgorithmOption {
        AlgorithmOption::new(name, "", OptionKind::Flag, help)
    }

    /// With a default.
    pub const fn or(mut self, default: &'static str) -> AlgorithmOption {
        self.default = Some(default);
        self
    }

    /// That cannot be given together with other options.
    pub const fn not_with(mut self, others: &'static [&'static str]) -> AlgorithmOption {
        self.conflicts = others;
        self
    }

    /// That must be given where none of these options is.
    pub const fn needed_without(mut self, others: &'static [&'static str]) -> AlgorithmOption {
        self.needed_without = Some(others);
        self
    }

    /// That only has an effect together with one of these.
    pub const fn with_one_of(mut self, others: &'static [&'static str]) -> AlgorithmOption {
        self.needs_one_of = others;
        self
    }

    /// `--properties`, of the benchmark's six algorithms.
    pub(crate) const PROPERTIES: AlgorithmOption = AlgorithmOption::new(
        "properties",
        "FILE",
        OptionKind::Input,
        "Take parameters that no option gives from this .properties file of LDBC Graphalytics, and refuse a \
         store whose direction differs from the file's",
    );

    /// `--from`, of algorithms that go on from the result of an earlier version.
    pub(crate) const FROM: AlgorithmOption = AlgorithmOption::new(
        "from",
        "PREVIOUS.bin",
        OptionKind::Previous,
        "Update the result (.bin) of an earlier run with the same options, if the changes of the store since \
         then can be followed; otherwise run in full, and say so",
    );
}

/// What an option takes.
#[derive(Debug, Clone, Copy)]
pub enum OptionKind {
    /// Nothing.
    Flag,
    /// The id of a vertex; it may be given several times.
    Ids,
    /// A number, at least and at most so large.
    U32(u32, u32),
    /// A number, at least and at most so large.
    U64(u64, u64),
    /// A number with a point.
    F64(Within),
    /// Words that this accepts, or says what they must be.
    Text(fn(&str) -> Result<(), String>),
    /// Pairs of ids: a file of them; from programs two lists.
    Pairs,
    /// A file that is read.
    Input,
    /// A result to go on from.
    Previous,
    /// A directory that is made or filled.
    Folder,
}

impl OptionKind {
    /// Of whole numbers the least and the most that are taken.
    pub fn range(&self) -> Option<(u64, u64)> {
        match self {
            OptionKind::U32(least, most) => Some(((*least).into(), (*most).into())),
            OptionKind::U64(least, most) => Some((*least, *most)),
            _ => None,
        }
    }
}

/// What a whole number must be.
pub fn must_be(least: u64, most: u64) -> String {
    match most {
        u64::MAX => format!("must be a whole number from {least} to 2^64 - 1"),
        most => format!("must be a whole number from {least} to {most}"),
    }
}

/// What a number with a point must be.
#[derive(Debug, Clone, Copy)]
pub struct Within {
    /// Whether it is.
    pub holds: fn(f64) -> bool,
    /// In words: "must be from 0 to 2, such as 1e-9".
    pub must: &'static str,
}
