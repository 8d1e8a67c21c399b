//! What there is of a database besides its rows: one entry, whose key begins with a zero, which no table's
//! does.
//!
//! | bytes | content |
//! | --- | --- |
//! | 0..16 | `LEADLINE-TPCC/2` and a zero |
//! | 16 | 1 once it was loaded to its end |
//! | 17..29 | warehouses, customers per district, items, 4 bytes each, little endian |

use leadline_index::Batch;

use super::SortedMap;
use crate::StoreError;
use crate::scale::Scale;

const KEY: [u8; 1] = [0];
const MAGIC: &[u8; 16] = b"LEADLINE-TPCC/2\0";
const BYTES: usize = 29;

/// What a database is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Catalogue {
    pub(super) scale: Scale,
    pub(super) is_loaded: bool,
}

impl Catalogue {
    /// None where the map holds something else.
    pub(super) fn read(map: &dyn SortedMap) -> Result<Option<Catalogue>, StoreError> {
        let Some(bytes) = map.get(&KEY)? else { return Ok(None) };
        if bytes.len() != BYTES || !bytes.starts_with(MAGIC) {
            return Ok(None);
        }
        let number = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| bytes[17 + 4 * at + byte]));
        let scale = Scale { warehouses: number(0), customers: number(1), items: number(2) };
        Ok(scale.is_sound().then_some(Catalogue { scale, is_loaded: bytes[16] == 1 }))
    }

    pub(super) fn write(&self, map: &dyn SortedMap) -> Result<(), StoreError> {
        let Scale { warehouses, customers, items } = self.scale;
        let mut bytes = MAGIC.to_vec();
        bytes.push(u8::from(self.is_loaded));
        bytes.extend([warehouses, customers, items].into_iter().flat_map(u32::to_le_bytes));
        map.commit(&Batch::from_iter([(KEY, bytes)]))
    }
}
