//! The first 4096 bytes of a store.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use super::{
    ALIGNMENT, ChangeRules, Decoder, Direction, MAX_BLOCK_BYTES, MAX_VERTICES, MIN_BLOCK_BYTES, MOST_BLOCKS,
    checksum,
};
use crate::GraphError;

const MAGIC: &[u8; 8] = b"LEADGRPH";

/// The version that this code writes, and the only one it reads.
const VERSION: u32 = 1;

/// Bytes of the header, its checksum included.
pub(crate) const HEADER_BYTES: usize = ALIGNMENT as usize;

const DIRECTED: u32 = 1;
const COMPRESSED: u32 = 2;
const WEIGHTS_F32: u32 = 4;
const WEIGHTS_F64: u32 = 8;
const REVERSE: u32 = 16;
const IDS_NUMBERS: u32 = 32;
const IDS_STRINGS: u32 = 64;
const RENUMBERED: u32 = 128;
const GAPS: u32 = 256;
const KNOWN: u32 = 511;

/// Where a section lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Section {
    /// First byte in the file, a multiple of 4096.
    pub offset: u64,
    /// Of blocks: all their bytes; of other sections: the bytes of payload.
    pub bytes: u64,
}

/// How an edge's weight is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// There are none.
    None,
    /// 4 bytes, IEEE single: every weight of the graph, as it was read into 8 bytes, is the same in them.
    F32,
    /// 8 bytes, IEEE double.
    F64,
}

impl Weights {
    /// What they are called: `none`, `f32` or `f64`.
    pub fn name(self) -> &'static str {
        match self {
            Weights::None => "none",
            Weights::F32 => "f32",
            Weights::F64 => "f64",
        }
    }

    /// Bytes per edge.
    #[inline]
    pub fn bytes(self) -> usize {
        match self {
            Weights::None => 0,
            Weights::F32 => 4,
            Weights::F64 => 8,
        }
    }
}

/// How the users' ids are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IdKind {
    /// The id is the vertex's rank: 0 to vertices - 1.
    Dense,
    /// Numbers of 64 bits, ascending.
    Numbers,
    /// Strings, ascending by their bytes.
    Strings,
}

/// What a store says of itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Header {
    /// Bytes of a block: a power of two, 4096 to 65,536.
    pub block_bytes: u32,
    /// Whether an edge leads one way only. An undirected edge is in both its ends' lists (a self-loop
    /// once).
    pub directed: bool,
    /// Whether lists are written in the byte code; plain 32-bit numbers else.
    pub compressed: bool,
    /// How weights are kept.
    pub weights: Weights,
    /// Whether vertices are numbered by falling degree, in powers of two, and not by ascending id.
    pub renumbered: bool,
    /// How ids are kept.
    pub(crate) id_kind: IdKind,
    /// Vertices, 0 to [`MAX_VERTICES`].
    pub vertices: u64,
    /// Entries of all forward lists together: directed edges, or twice the undirected ones (self-loops once).
    pub edges: u64,
    /// Of these, how many lead to where they come from.
    pub self_loops: u64,
    /// The longest forward list.
    pub max_degree: u64,
    /// How long the import took, in nanoseconds, in stores of earlier versions of Leadline; 0 in others.
    pub(crate) import_nanos: u64,
    /// Blocks of forward lists.
    pub(crate) forward: Section,
    pub(crate) forward_directory: Section,
    /// Blocks of reverse lists; empty where there are none.
    pub(crate) reverse: Section,
    pub(crate) reverse_directory: Section,
    pub(crate) has_reverse: bool,
    pub(crate) ids: Section,
    /// By rank of the id: the vertex. Empty unless renumbered.
    pub(crate) order: Section,
    /// Whether blocks leave out long runs of vertices without lists, as only those of a tile do.
    pub(crate) has_gaps: bool,
    /// Which edges an update leaves out.
    pub rules: ChangeRules,
}

impl Header {
    /// What the base of a store that was changed begins with.
    pub(crate) const BASE: &[u8; 8] = b"LEADBASE";

    /// Whether lists of incoming edges can be read: always where the graph is undirected.
    #[inline]
    pub fn has_reverse(&self) -> bool {
        self.has_reverse || !self.directed
    }

    /// Edges of the graph: undirected ones once.
    pub fn graph_edges(&self) -> u64 {
        if self.directed { self.edges } else { (self.edges + self.self_loops) / 2 }
    }

    /// Where the lists of a direction lie. An undirected graph has one set of lists for both.
    #[inline]
    pub fn blocks(&self, direction: Direction) -> Section {
        match direction {
            Direction::Reverse if self.directed => self.reverse,
            _ => self.forward,
        }
    }

    /// Bytes of the table of ids; 0 where each id is its rank.
    pub fn id_bytes(&self) -> u64 {
        self.ids.bytes
    }

    /// How long the import took. Only stores of earlier versions of Leadline hold it: since then the same
    /// edges and options give the same bytes.
    pub fn import_time(&self) -> Option<Duration> {
        (self.import_nanos > 0).then(|| Duration::from_nanos(self.import_nanos))
    }

    /// How lists are decoded on this processor; none where they are plain numbers.
    pub fn decoder(&self) -> Option<Decoder> {
        self.compressed.then(Decoder::detect)
    }

    /// The header as it is in the file.
    pub(crate) fn to_bytes(self) -> Vec<u8> {
        let mut flags = 0;
        let mut flag = |set: bool, bit: u32| flags |= if set { bit } else { 0 };
        flag(self.directed, DIRECTED);
        flag(self.compressed, COMPRESSED);
        flag(self.weights == Weights::F32, WEIGHTS_F32);
        flag(self.weights == Weights::F64, WEIGHTS_F64);
        flag(self.has_reverse, REVERSE);
        flag(self.id_kind == IdKind::Numbers, IDS_NUMBERS);
        flag(self.id_kind == IdKind::Strings, IDS_STRINGS);
        flag(self.renumbered, RENUMBERED);
        flag(self.has_gaps, GAPS);
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        bytes.extend_from_slice(MAGIC);
        for number in [VERSION, self.block_bytes, flags, self.rules.to_bits()] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for number in [self.vertices, self.edges, self.self_loops, self.max_degree, self.import_nanos] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for section in self.sections() {
            bytes.extend_from_slice(&section.offset.to_le_bytes());
            bytes.extend_from_slice(&section.bytes.to_le_bytes());
        }
        bytes.resize(HEADER_BYTES - 8, 0);
        let sum = checksum(&bytes, 0);
        bytes.extend_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Reads and checks the header of an open file.
    ///
    /// # Errors
    /// [`GraphError::NoStore`] where the file is none, [`GraphError::Version`] where it is a newer one's,
    /// [`GraphError::Damaged`] where it fails its checksum or the file is shorter than it says.
    pub fn read(file: &File, name: &str) -> Result<Header, GraphError> {
        let found = file.metadata().map_err(|error| GraphError::read(name, error))?;
        if found.is_dir() {
            return Err(GraphError::NoStore { name: name.into() });
        }
        let length = found.len();
        let mut bytes = vec![0; HEADER_BYTES];
        let there = (length as usize).min(HEADER_BYTES);
        file.read_exact_at(&mut bytes[..there], 0).map_err(|error| GraphError::read(name, error))?;
        if &bytes[..8] == Header::BASE {
            let what =
                "is part of a graph store that was changed: name the directory that it is in, with all of it";
            return Err(GraphError::Path { path: name.into(), what: what.into() });
        }
        let header = Header::parse(bytes, length, name)?;
        if header.has_gaps {
            let what = "is part of a sharded graph store: name the directory that it is in, with all of it";
            return Err(GraphError::Path { path: name.into(), what: what.into() });
        }
        Ok(header)
    }

    /// As [`Header::read`], of a tile of a sharded store.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn read_tile(file: &File, name: &str) -> Result<Header, GraphError> {
        let header = Header::read_base(file, name)?;
        match header.has_gaps {
            true => Ok(header),
            false => Err(GraphError::damaged(name, "it is not a tile of a sharded store".into())),
        }
    }

    /// As [`Header::read`], of the base of a store that was changed.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn read_base(file: &File, name: &str) -> Result<Header, GraphError> {
        let length = file.metadata().map_err(|error| GraphError::read(name, error))?.len();
        let mut bytes = vec![0; HEADER_BYTES];
        let there = (length as usize).min(HEADER_BYTES);
        file.read_exact_at(&mut bytes[..there], 0).map_err(|error| GraphError::read(name, error))?;
        if &bytes[..8] == Header::BASE {
            // Written in place of the other, which the checksum covers.
            bytes[..8].copy_from_slice(MAGIC);
        }
        Header::parse(bytes, length, name)
    }

    /// The header of a file of that many bytes, of which the first are given.
    fn parse(bytes: Vec<u8>, length: u64, name: &str) -> Result<Header, GraphError> {
        let there = (length as usize).min(HEADER_BYTES);
        if &bytes[..8] != MAGIC {
            return Err(GraphError::NoStore { name: name.into() });
        }
        let mut fields = Fields(&bytes[8..]);
        let version = fields.short();
        if version != VERSION {
            return Err(GraphError::Version { name: name.into(), found: version, known: VERSION });
        }
        if there < HEADER_BYTES {
            return Err(GraphError::damaged(
                name,
                format!("it ends after {length} bytes, within its header"),
            ));
        }
        let (sealed, sum) = bytes.split_at(HEADER_BYTES - 8);
        if sum != checksum(sealed, 0).to_le_bytes() {
            return Err(GraphError::damaged(name, "its header fails its checksum".into()));
        }
        let header = Header::from_fields(&mut fields);
        header.check(length).map_err(|what| GraphError::damaged(name, what))?;
        Ok(header)
    }

    fn sections(&self) -> [Section; 6] {
        [self.forward, self.forward_directory, self.reverse, self.reverse_directory, self.ids, self.order]
    }

    fn from_fields(fields: &mut Fields<'_>) -> Header {
        let (block_bytes, flags, rules) = (fields.short(), fields.short(), fields.short());
        let [vertices, edges, self_loops, max_degree, import_nanos] = std::array::from_fn(|_| fields.long());
        let [forward, forward_directory, reverse, reverse_directory, ids, order] =
            std::array::from_fn(|_| Section { offset: fields.long(), bytes: fields.long() });
        let set = |bit| flags & bit != 0;
        Header {
            block_bytes: if flags & !KNOWN == 0 { block_bytes } else { 0 },
            directed: set(DIRECTED),
            compressed: set(COMPRESSED),
            weights: match (set(WEIGHTS_F32), set(WEIGHTS_F64)) {
                (true, _) => Weights::F32,
                (_, true) => Weights::F64,
                _ => Weights::None,
            },
            renumbered: set(RENUMBERED),
            id_kind: match (set(IDS_NUMBERS), set(IDS_STRINGS)) {
                (true, _) => IdKind::Numbers,
                (_, true) => IdKind::Strings,
                _ => IdKind::Dense,
            },
            vertices,
            edges,
            self_loops,
            max_degree,
            import_nanos,
            forward,
            forward_directory,
            reverse,
            reverse_directory,
            has_reverse: set(REVERSE),
            ids,
            order,
            has_gaps: set(GAPS),
            rules: ChangeRules::from_bits(rules),
        }
    }

    /// What a sound header cannot say, checksum or not.
    fn check(&self, length: u64) -> Result<(), String> {
        let size = self.block_bytes;
        if !size.is_power_of_two() || !(MIN_BLOCK_BYTES..=MAX_BLOCK_BYTES).contains(&size) {
            return Err("its header is not one that this version writes".into());
        }
        if self.has_gaps && (!self.directed || self.has_reverse || self.renumbered) {
            return Err("its header is not one that this version writes".into());
        }
        if self.vertices > MAX_VERTICES {
            return Err(format!("it claims {} vertices", self.vertices));
        }
        let mut blocks = 0;
        for lists in [self.forward, self.reverse] {
            if lists.bytes % u64::from(size) != 0 {
                return Err("its size is not a whole number of blocks".into());
            }
            blocks += lists.bytes / u64::from(size);
        }
        if blocks > MOST_BLOCKS {
            return Err(format!("it claims {blocks} blocks"));
        }
        for (i, section) in self.sections().into_iter().enumerate() {
            let bytes = match i {
                0 | 2 => Some(section.bytes),
                _ => section.bytes.div_ceil(super::PAYLOAD as u64).checked_mul(ALIGNMENT),
            };
            let end = bytes.and_then(|bytes| section.offset.checked_add(bytes));
            if section.offset % ALIGNMENT != 0 || end.is_none_or(|end| end > length) {
                return Err(format!("it is cut short: {length} bytes are less than its sections need"));
            }
        }
        Ok(())
    }
}

/// Little-endian fields, one after the other.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn short(&mut self) -> u32 {
        let (raw, rest) = self.0.split_first_chunk().unwrap_or((&[0; 4], &[]));
        self.0 = rest;
        u32::from_le_bytes(*raw)
    }

    fn long(&mut self) -> u64 {
        let (raw, rest) = self.0.split_first_chunk().unwrap_or((&[0; 8], &[]));
        self.0 = rest;
        u64::from_le_bytes(*raw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{Layout, StoreWriter};

    #[test]
    fn a_store_with_more_blocks_than_numbers_for_both_directions_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let weights = Weights::None;
        let layout = Layout { block_bytes: 4096, compressed: false, directed: true, weights, vertices: 0 };
        let empty = StoreWriter::create(&folder.path().join("empty"), layout).unwrap().finish().unwrap();
        let with = |blocks: u64| {
            let half = Section { offset: HEADER_BYTES as u64, bytes: blocks / 2 * 4096 };
            Header { forward: half, reverse: half, ..empty.header }.check(u64::MAX)
        };
        assert_eq!(with(MOST_BLOCKS - 1), Ok(()));
        assert_eq!(with(1 << 32), Err("it claims 4294967296 blocks".to_owned()));
    }
}
