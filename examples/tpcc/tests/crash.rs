//! Power cuts while a database is made.

use std::sync::Arc;

use leadline_device::{Fault, Faulty, MemoryDevice, Op, Survival, Tearing};
use leadline_pool::ace::{Ace, Cleaner};
use leadline_pool::policy::PolicyKind;
use leadline_tpcc::database::Database;
use leadline_tpcc::pages::{PoolOptions, PoolPages};
use leadline_tpcc::{Scale, check, load};

const PAGE_BYTES: u32 = 4096;

const OPTIONS: PoolOptions =
    PoolOptions { frames: 200, policy: PolicyKind::Lru, ace: Ace::CowX, n: 8, cleaner: Cleaner::Off };

/// What of the unsynced writes is left: nothing, all, the catalogue alone (the device's first pages), or any
/// of them.
fn crashes(device: &MemoryDevice) -> Vec<MemoryDevice> {
    let first =
        |offset: u64| if offset < 4 * u64::from(PAGE_BYTES) { Survival::Whole } else { Survival::Absent };
    let mut left = vec![device.crash_to_durable(), device.crash(|_| Survival::Whole)];
    left.push(device.crash(|write| first(write.offset)));
    left.extend((0..5).map(|seed| device.crash_at_random(Tearing::Sector4096, seed)));
    left
}

#[test]
fn a_database_whose_load_lost_power_is_not_taken_for_a_whole_one() {
    let mut whole = 0;
    for cut in 0.. {
        let memory = MemoryDevice::new(64 << 20, 4096);
        let device = Faulty::new(memory.clone(), [Fault::power_cut().on(Op::Flush).nth(cut)]);
        let pages = PoolPages::create(Arc::new(device), PAGE_BYTES, OPTIONS).unwrap();
        let db = load(&pages, Scale::reduced(1, 0.01).unwrap(), 7, |_| {}).unwrap();
        let saved = db.save(&pages);
        for left in crashes(&memory) {
            let Ok(pages) = PoolPages::open(Arc::new(left), PAGE_BYTES, OPTIONS) else { continue };
            let Ok(db) = Database::open(&pages) else { continue };
            whole += 1;
            assert_eq!(check(&db, &pages).unwrap(), [], "power cut at flush {cut}");
        }
        if saved.is_ok() {
            break;
        }
    }
    assert!(whole >= 8, "what was saved is found whatever a crash leaves: {whole}");
}
