//! An OPTIONS file.

use std::fmt;
use std::path::Path;

use leadline_files::TextError;

use crate::Layout;

use super::check;
use super::compression::Compression;
use super::layout::layout;
use super::parse;
use super::release::Release;
use super::section::{DEFAULT_FAMILY, Kind, Section};
use super::settings;
use super::values::Values;
use super::version::RocksVersion;
use super::warnings::{cache, warnings};

const COMPRESSION: &str = "compression";

/// An OPTIONS file of RocksDB: the layout of one column family, and all else that the file says.
/// [`Display`](fmt::Display) is its text.
#[derive(Debug, Clone, PartialEq)]
pub struct OptionsFile {
    release: Release,
    family: String,
    layout: Layout,
    warnings: Vec<String>,
    /// Of these, the one that says that the size of the cache is assumed.
    assumed_cache: Option<String>,
    sections: Vec<Section>,
}

impl OptionsFile {
    /// A file for `layout`, with direct I/O. Blocks are compressed with Snappy if
    /// [`Layout::compressed_share`] is not 1.
    pub fn new(layout: &Layout, version: RocksVersion) -> Self {
        let release = version.first_release();
        OptionsFile {
            release,
            family: DEFAULT_FAMILY.to_owned(),
            layout: *layout,
            warnings: Vec::new(),
            assumed_cache: None,
            sections: settings::sections(layout, release),
        }
    }

    /// Reads the text of a file; `path` is only for the messages. `family` is the column family whose layout
    /// is wanted; every database has [`DEFAULT_FAMILY`].
    ///
    /// # Errors
    /// [`TextError`]: RocksDB would refuse the file, or the column family is not a leveled tree.
    pub fn parse(text: &str, path: impl AsRef<Path>, family: &str) -> Result<Self, TextError> {
        let path = path.as_ref();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut sections = parse::sections(text, path)?;
        let release = check::release(&sections, path)?;
        check::family(&sections, family, path)?;
        check::expand_tables(&mut sections);
        let mut notes = check::options(&sections, release, path)?;
        let values = Values { path, release, sections: &sections, family };
        let layout = layout(&values)?;
        notes.extend(warnings(&values, &settings::sections(&layout, release)));
        let assumed_cache = cache(&values);
        let family = family.to_owned();
        Ok(OptionsFile { release, family, layout, warnings: notes, assumed_cache, sections })
    }

    /// The layout. Where RocksDB corrects an option, this is what it makes of it.
    ///
    /// [`Layout::cache_bytes`] is RocksDB's default where the file does not have it, which is so in all that
    /// RocksDB itself writes, and [`Layout::compressed_share`] is 1.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The release that the file is for.
    pub fn release(&self) -> Release {
        self.release
    }

    /// The column family that has the layout.
    pub fn family(&self) -> &str {
        &self.family
    }

    /// What the layout leaves out and makes the tree cost something else, one line each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The same file with another layout. What a layout does not decide stays as it is, the way in which
    /// blocks are compressed too.
    pub fn with_layout(mut self, layout: &Layout) -> Self {
        let keeps_compression = layout.compressed_share != 1.0 && self.is_compressed();
        let old = settings::sections(&self.layout, self.release);
        for (section, old) in settings::sections(layout, self.release).into_iter().zip(old) {
            let pairs = section.settings.iter().zip(old.settings);
            for (setting, _) in pairs.filter(|(new, old)| new.value != old.value) {
                if setting.name != COMPRESSION || !keeps_compression {
                    self.section(section.kind).set(&setting.name, &setting.value);
                }
            }
        }
        self.layout = *layout;
        self
    }

    /// The same with a block cache of that many bytes, which is then not assumed.
    pub fn with_cache(mut self, bytes: u64) -> Self {
        if let Some(assumed) = self.assumed_cache.take() {
            self.warnings.retain(|warning| *warning != assumed);
        }
        let layout = Layout { cache_bytes: bytes, ..self.layout };
        self.with_layout(&layout)
    }

    /// The same with this compression.
    pub fn with_compression(mut self, compression: Compression) -> Self {
        self.section(Kind::Cf).set(COMPRESSION, compression);
        self
    }

    /// The same with direct I/O for reads, flushes and compactions, or through the kernel's page cache.
    pub fn with_direct_io(mut self, direct_io: bool) -> Self {
        let db = self.section(Kind::Db);
        db.set("use_direct_reads", direct_io);
        db.set("use_direct_io_for_flush_and_compaction", direct_io);
        self
    }

    /// The same with those keys of `advice`, for RocksDB, that depend on the device and not on the layout.
    pub fn with_device_keys(mut self, advice: &leadline_advise::Advice) -> Self {
        let settings =
            ["bytes_per_sync", "wal_bytes_per_sync"].into_iter().filter_map(|key| advice.setting(key));
        for setting in settings {
            self.section(Kind::Db).set(setting.key, &setting.value);
        }
        self
    }

    fn is_compressed(&self) -> bool {
        let mut families = self.sections.iter().filter(|s| s.kind == Kind::Cf && s.family == self.family);
        let setting = families.find_map(|section| section.get(COMPRESSION));
        setting.is_some_and(|setting| setting.value != Compression::None.name())
    }

    /// The section of this kind for the column family, made where there is none.
    fn section(&mut self, kind: Kind) -> &mut Section {
        let family = if kind.is_per_family() { self.family.as_str() } else { "" };
        let at = self.sections.iter().position(|section| section.kind == kind && section.family == family);
        let at = at.unwrap_or_else(|| {
            self.sections.push(Section { family: family.to_owned(), ..Section::new(kind) });
            self.sections.len() - 1
        });
        &mut self.sections[at]
    }
}

impl fmt::Display for OptionsFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Layout { cache_bytes, compressed_share, .. } = self.layout;
        writeln!(f, "# An OPTIONS file for RocksDB {}, written by Leadline.", self.release)?;
        writeln!(
            f,
            "# It assumes a block cache of {cache_bytes} bytes. db_bench does not take that from here:"
        )?;
        writeln!(f, "# give it --cache_size={cache_bytes}.")?;
        if compressed_share != 1.0 {
            writeln!(
                f,
                "# It assumes that {compressed_share} bytes are stored per byte of keys and values."
            )?;
        }
        self.sections.iter().try_for_each(|section| write!(f, "\n{section}"))
    }
}
