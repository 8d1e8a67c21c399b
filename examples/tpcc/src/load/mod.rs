//! The initial population (TPC-C clause 4.3.3.1).

mod size;
mod warehouse;

use std::sync::Arc;

use fastrand::Rng;

pub use size::{bytes_needed, row_bytes};

use crate::StoreError;
use crate::database::{Database, ITEMS, SortedMap, Transaction};
use crate::random;
use crate::rows::Item;
use crate::scale::Scale;

/// Rows and keys that are written together.
const TOGETHER: usize = 8192;

/// Makes a database in an empty map. The same scale and seed make the same database. `progress` is told the
/// warehouses loaded so far, from 0 on.
///
/// # Errors
/// The map's reason.
pub fn load(
    map: Arc<dyn SortedMap>,
    scale: Scale,
    seed: u64,
    mut progress: impl FnMut(u32),
) -> Result<Database, StoreError> {
    let db = Database::create(map, scale)?;
    let mut rng = Rng::with_seed(seed);
    progress(0);
    let mut rows = db.begin();
    for id in 1..=scale.items {
        rows.put(&ITEMS, &item(&mut rng, id));
        rows = continued(&db, rows)?;
    }
    rows.commit()?;
    for id in 1..=scale.warehouses {
        warehouse::load(&db, &mut rng, id)?;
        progress(id);
    }
    db.loaded()?;
    db.take_commits();
    Ok(db)
}

/// Commits what has come together, if that is enough.
fn continued<'a>(db: &'a Database, rows: Transaction<'a>) -> Result<Transaction<'a>, StoreError> {
    if rows.changes() < TOGETHER {
        return Ok(rows);
    }
    rows.commit()?;
    Ok(db.begin())
}

fn item(rng: &mut Rng, id: u32) -> Item {
    Item {
        id,
        image: rng.u32(1..=10_000),
        name: random::text(rng, 14),
        price: rng.i64(100..=10_000),
        data: random::data(rng),
    }
}
