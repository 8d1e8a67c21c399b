//! Descriptions of devices made of two: their fields, and what each may be.

use glob::Pattern;
use leadline_pool::policy::PolicyKind;
use leadline_sim::{Flaw, SimError, size};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::Admission;

/// Most frames of a replacement policy.
const MOST_BLOCKS: u64 = 1 << 29;

/// What files on a placed device are laid out in: the fast part has whole blocks of it.
pub(crate) const PLACED_BLOCK_BYTES: u64 = 4096;

/// What a file says of a device made of two. docs/tiers.md has the fields.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TiersSpec {
    /// `kind = "cached"`: the fast device as a block cache.
    Cached(CachedSpec),
    /// `kind = "placed"`: some files on the fast device.
    Placed(PlacedSpec),
}

/// `kind = "cached"`.
#[derive(Debug, Clone, PartialEq)]
pub struct CachedSpec {
    /// The device that caches, as the file names it.
    pub fast: String,
    /// The device that is cached.
    pub slow: String,
    /// Bytes of the fast device that are used.
    pub fast_bytes: u64,
    /// Bytes of a cached block.
    pub block_bytes: u32,
    /// Which block makes room for another.
    pub policy: PolicyKind,
    /// Which blocks are taken in.
    pub admission: Admission,
}

/// `kind = "placed"`.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedSpec {
    /// The device of the files named, as the file names it.
    pub fast: String,
    /// The device of all others.
    pub slow: String,
    /// Bytes of the fast device that are used.
    pub fast_bytes: u64,
    /// Globs of the paths of files that are to be on the fast device.
    pub fast_files: Vec<Pattern>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CachedFile {
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    #[serde(default, rename = "description")]
    _description: IgnoredAny,
    fast: String,
    slow: String,
    #[serde(deserialize_with = "size")]
    fast_size: u64,
    #[serde(deserialize_with = "size", default = "default_block")]
    block: u64,
    #[serde(default = "default_policy")]
    policy: String,
    #[serde(default = "default_admission")]
    admission: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlacedFile {
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    #[serde(default, rename = "description")]
    _description: IgnoredAny,
    fast: String,
    slow: String,
    #[serde(deserialize_with = "size")]
    fast_size: u64,
    fast_files: Vec<String>,
}

fn default_block() -> u64 {
    16 << 10
}

fn default_policy() -> String {
    PolicyKind::Lru.name().to_owned()
}

fn default_admission() -> String {
    Admission::EveryMiss.name().to_owned()
}

impl TiersSpec {
    /// Whether a description of this [`kind`](leadline_sim::kind_of) is of a device made of two.
    pub fn is_kind(kind: &str) -> bool {
        matches!(kind, "cached" | "placed")
    }

    /// Reads a description; `path` is for the messages.
    ///
    /// # Errors
    /// [`SimError::Catalogue`] with the line and the field.
    pub fn parse(text: &str, path: &str) -> Result<TiersSpec, SimError> {
        let syntax = |error| SimError::syntax(&error, text, path);
        let spec = match leadline_sim::kind_of(text).as_deref() {
            Some("cached") => toml::from_str::<CachedFile>(text).map_err(syntax)?.check(),
            Some("placed") => toml::from_str::<PlacedFile>(text).map_err(syntax)?.check(),
            _ => Err(("kind", "must be \"cached\" or \"placed\" for a device made of two".to_owned())),
        };
        spec.map_err(|flaw| SimError::value(flaw, text, path))
    }

    /// The fast device, as the file names it.
    pub fn fast(&self) -> &str {
        match self {
            TiersSpec::Cached(spec) => &spec.fast,
            TiersSpec::Placed(spec) => &spec.fast,
        }
    }

    /// The slow device, likewise.
    pub fn slow(&self) -> &str {
        match self {
            TiersSpec::Cached(spec) => &spec.slow,
            TiersSpec::Placed(spec) => &spec.slow,
        }
    }

    /// Bytes of the fast device that are used.
    pub fn fast_bytes(&self) -> u64 {
        match self {
            TiersSpec::Cached(spec) => spec.fast_bytes,
            TiersSpec::Placed(spec) => spec.fast_bytes,
        }
    }
}

impl CachedFile {
    fn check(self) -> Result<TiersSpec, Flaw> {
        if !(512..=16 << 20).contains(&self.block) || !self.block.is_power_of_two() {
            return Err(("block", "must be a power of two from 512 to 16M".to_owned()));
        }
        if self.fast_size < self.block {
            let reason = format!("must be a block of the cache or more, {} bytes", self.block);
            return Err(("fast_size", reason));
        }
        if self.fast_size / self.block > MOST_BLOCKS {
            let reason = format!("must be at most {MOST_BLOCKS} blocks of {} bytes", self.block);
            return Err(("fast_size", reason));
        }
        let Some(policy) = PolicyKind::parse(&self.policy) else {
            let names: Vec<&str> = PolicyKind::ALL.iter().map(|kind| kind.name()).collect();
            return Err(("policy", format!("must be one of {}, not {:?}", names.join(", "), self.policy)));
        };
        let Some(admission) = Admission::parse(&self.admission) else {
            let names = "\"every-miss\" or \"second-miss\"";
            return Err(("admission", format!("must be {names}, not {:?}", self.admission)));
        };
        Ok(TiersSpec::Cached(CachedSpec {
            fast: self.fast,
            slow: self.slow,
            fast_bytes: self.fast_size,
            block_bytes: self.block as u32,
            policy,
            admission,
        }))
    }
}

impl PlacedFile {
    fn check(self) -> Result<TiersSpec, Flaw> {
        if self.fast_size < PLACED_BLOCK_BYTES || !self.fast_size.is_multiple_of(PLACED_BLOCK_BYTES) {
            return Err(("fast_size", "must be a multiple of 4096 bytes, and not 0".to_owned()));
        }
        if self.fast_files.is_empty() {
            return Err(("fast_files", "must name at least one file, such as [\"*lineitem*\"]".to_owned()));
        }
        let patterns = self.fast_files.iter().map(|text| {
            Pattern::new(text).map_err(|error| {
                let reason = format!("{text:?}, character {}: {}", error.pos + 1, error.msg);
                ("fast_files", reason)
            })
        });
        Ok(TiersSpec::Placed(PlacedSpec {
            fast_files: patterns.collect::<Result<_, _>>()?,
            fast: self.fast,
            slow: self.slow,
            fast_bytes: self.fast_size,
        }))
    }
}
