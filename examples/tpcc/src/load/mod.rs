//! The initial population (TPC-C clause 4.3.3.1).

mod size;
mod warehouse;

use fastrand::Rng;

pub use size::pages_needed;

use crate::StoreError;
use crate::database::Database;
use crate::pages::Pages;
use crate::random;
use crate::rows::Item;
use crate::scale::Scale;

/// Makes a database in empty `pages`; the caller may [save](Database::save) it. The same scale and seed make
/// the same database. `progress` is told the warehouses loaded so far, from 0 on.
///
/// # Errors
/// [`StoreError::Full`], or the pool's reason.
pub fn load<P: Pages>(
    pages: &P,
    scale: Scale,
    seed: u64,
    mut progress: impl FnMut(u32),
) -> Result<Database, StoreError> {
    let database = Database::create(pages, scale)?;
    let mut rng = Rng::with_seed(seed);
    progress(0);
    for id in 1..=scale.items {
        database.items.insert(pages, &item(&mut rng, id))?;
    }
    for id in 1..=scale.warehouses {
        warehouse::load(&database, pages, &mut rng, id)?;
        progress(id);
    }
    Ok(database)
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
