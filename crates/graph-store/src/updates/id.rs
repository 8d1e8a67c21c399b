//! The ids of vertices, as users have them and as changes of a store name them.

/// A user's id of a vertex.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Id {
    /// Of a store whose ids are numbers.
    Number(u64),
    /// Of a store whose ids are strings.
    Text(Box<str>),
}

impl From<u64> for Id {
    fn from(number: u64) -> Id {
        Id::Number(number)
    }
}

impl From<&str> for Id {
    fn from(text: &str) -> Id {
        Id::Text(text.into())
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Id::Number(number) => number.fmt(f),
            Id::Text(text) => text.fmt(f),
        }
    }
}

/// Which id a vertex belongs to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Owner {
    /// An id of the base, by its rank there.
    Base(u64),
    /// Another, and how many ids of the base are smaller.
    New(u64, Id),
}

/// An id where it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum IdRef<'a> {
    Number(u64),
    Text(&'a str),
}

impl IdRef<'_> {
    pub(crate) fn to_owned(self) -> Id {
        match self {
            IdRef::Number(number) => Id::Number(number),
            IdRef::Text(text) => Id::Text(text.into()),
        }
    }
}

impl Id {
    pub(crate) fn borrowed(&self) -> IdRef<'_> {
        match self {
            Id::Number(number) => IdRef::Number(*number),
            Id::Text(text) => IdRef::Text(text),
        }
    }
}
