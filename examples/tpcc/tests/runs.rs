//! Loading, runs of many transactions, the checks, and the traces they leave.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use leadline_index::{Durability, Index, Options};
use leadline_tpcc::database::{
    CUSTOMERS, CUSTOMERS_BY_NAME, DISTRICTS_TABLE, Database, HISTORY, ITEMS, NEW_ORDERS, ORDER_LINES, ORDERS,
    STOCK, Table, Transaction,
};
use leadline_tpcc::key::Key;
use leadline_tpcc::rows::Keyed;
use leadline_tpcc::transaction::Kind;
use leadline_tpcc::{
    DISTRICTS, Mix, Report, RunConfig, Scale, Stop, TraceFile, bytes_needed, check, load, run,
};
use tempfile::TempDir;

fn options() -> Options {
    Options::default().cache_bytes(32 << 20).durability(Durability::Never).most_bytes(128 << 20)
}

fn loaded(warehouses: u32, factor: f64) -> (TempDir, Database) {
    let (folder, _, db) = loaded_in_index(warehouses, factor);
    (folder, db)
}

fn loaded_in_index(warehouses: u32, factor: f64) -> (TempDir, Arc<Index>, Database) {
    let folder = tempfile::tempdir().unwrap();
    let index = Arc::new(Index::open_with(folder.path().join("index"), &options()).unwrap());
    let db = load(index.clone(), Scale::reduced(warehouses, factor).unwrap(), 7, |_| {}).unwrap();
    (folder, index, db)
}

fn config(terminals: u32, transactions: u64, mix: Mix) -> RunConfig {
    RunConfig { terminals, stop: Stop::Transactions(transactions), mix, seed: 11 }
}

fn go(db: &Database, config: &RunConfig, trace: Option<&Path>) -> Report {
    let file = trace.map(|path| TraceFile::create(path).unwrap());
    let report = run(db, config, file.as_ref(), &AtomicBool::new(false)).unwrap();
    if let Some(file) = file {
        file.finish().unwrap();
    }
    report
}

/// Rows of a table.
fn count<R: Keyed>(db: &Database, table: &Table<R>) -> u64 {
    db.begin().rows(table, &Key::new(), usize::MAX).unwrap().len() as u64
}

#[test]
fn a_loaded_database_is_consistent_and_has_tpccs_cardinalities() {
    let (_folder, db) = loaded(2, 0.02);
    assert_eq!(check(&db).unwrap(), []);
    let customers = 2 * u64::from(DISTRICTS) * 60;
    assert_eq!((count(&db, &ITEMS), count(&db, &STOCK)), (2_000, 4_000));
    assert_eq!((count(&db, &CUSTOMERS), count(&db, &HISTORY)), (customers, customers));
    assert_eq!((count(&db, &ORDERS), count(&db, &NEW_ORDERS)), (customers, customers * 3 / 10));
    let lines = count(&db, &ORDER_LINES) as f64 / customers as f64;
    assert!((9.5..10.5).contains(&lines), "{lines} lines an order");
}

#[test]
fn a_database_takes_the_room_that_was_foretold() {
    for (warehouses, factor) in [(1, 0.1), (3, 0.05)] {
        let (_folder, index, db) = loaded_in_index(warehouses, factor);
        let (told, taken) = (bytes_needed(db.scale), index.stats().pages * 4096);
        assert!(taken <= told * 3 / 2 && told <= taken * 3 / 2, "{told} foretold, {taken} taken");
    }
}

#[test]
fn one_terminal_does_the_same_with_the_same_seed() {
    let dir = tempfile::tempdir().unwrap();
    let trace = |name: &str, seed| {
        let (_folder, db) = loaded(1, 0.01);
        let path = dir.path().join(name);
        go(&db, &RunConfig { seed, ..config(1, 500, Mix::STANDARD) }, Some(&path));
        std::fs::read(path).unwrap()
    };
    let (first, again, other) = (trace("a", 1), trace("b", 1), trace("c", 2));
    assert!(first == again, "the same seed left two traces");
    assert!(first != other, "two seeds left the same trace");
}

#[test]
fn a_run_leaves_a_consistent_database() {
    let (_folder, db) = loaded(2, 0.01);
    let report = go(&db, &config(1, 4_000, Mix::STANDARD), None);
    assert_eq!(report.transactions, 4_000);
    let new_orders = &report.kinds[Kind::NewOrder as usize];
    assert!((1_650..1_950).contains(&new_orders.transactions), "{}", new_orders.transactions);
    assert!((5..45).contains(&new_orders.rolled_back), "{} rolled back", new_orders.rolled_back);
    assert_eq!(check(&db).unwrap(), []);
}

#[test]
fn eight_terminals_leave_a_consistent_database() {
    let (_folder, db) = loaded(2, 0.01);
    let report = go(&db, &config(8, 6_000, Mix::STANDARD), None);
    assert_eq!(report.transactions, 6_000);
    assert_eq!(check(&db).unwrap(), []);
    // Nothing is lost: every payment left its row.
    let payments = report.kinds[Kind::Payment as usize].transactions;
    assert_eq!(count(&db, &HISTORY), 2 * 10 * 30 + payments);
}

#[test]
fn eight_terminals_deliver_each_order_once() {
    let (_folder, db) = loaded(1, 0.1);
    // Ninety orders wait in each district; a second delivery of one would not find it.
    go(&db, &config(8, 120, Mix::only(Kind::Delivery)), None);
    let mut deliveries = 0;
    for district in 1..=DISTRICTS {
        for customer in 1..=db.scale.customers {
            let key = Key::new().u32(1).u8(district).u32(customer);
            deliveries += u32::from(db.begin().get(&CUSTOMERS, &key).unwrap().deliveries);
        }
    }
    assert_eq!((deliveries, count(&db, &NEW_ORDERS)), (900, 0));
    assert_eq!(check(&db).unwrap(), []);
}

/// What a killed process leaves of a database is what its transactions committed, each of them whole.
#[test]
fn a_database_whose_process_was_killed_is_consistent() {
    let (folder, index, db) = loaded_in_index(1, 0.01);
    let copy = |name: &str| {
        let to = folder.path().join(name);
        std::fs::create_dir(&to).unwrap();
        for entry in std::fs::read_dir(folder.path().join("index")).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
        to
    };
    let mut before = 0;
    for round in 0..3 {
        go(&db, &config(4, 300, Mix::STANDARD), None);
        // In the log, but not in the nodes.
        let more = go(&db, &RunConfig { seed: round, ..config(1, 1, Mix::only(Kind::NewOrder)) }, None);
        index.sync().unwrap();
        let killed = Index::open_with(copy(&format!("killed {round}")), &options()).unwrap();
        let again = Database::open(Arc::new(killed)).unwrap();
        assert_eq!(check(&again).unwrap(), []);
        assert_eq!((more.transactions, count(&again, &ORDERS)), (1, count(&db, &ORDERS)));
        assert!(count(&again, &ORDERS) > before);
        before = count(&again, &ORDERS);
        assert!(again.next_date().unwrap() > db.next_date().unwrap(), "no date comes twice");
        go(&again, &config(1, 100, Mix::STANDARD), None);
        assert_eq!(check(&again).unwrap(), []);
    }
}

#[test]
fn what_was_not_loaded_to_its_end_is_no_database() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Arc::new(Index::open_with(folder.path(), &options()).unwrap());
    let refusal = || Database::open(open()).err().unwrap().to_string();
    assert!(refusal().contains("no TPC-C database"));
    drop(Database::create(open(), Scale::reduced(1, 0.01).unwrap()).unwrap());
    assert!(refusal().contains("never loaded to its end"));
}

#[test]
fn each_condition_that_is_broken_is_named() {
    let expect = |place: &str, damage: &dyn Fn(&mut Transaction<'_>)| {
        let (_folder, db) = loaded(1, 0.01);
        let mut rows = db.begin();
        damage(&mut rows);
        rows.commit().unwrap();
        let found = check(&db).unwrap();
        assert!(found.iter().any(|found| found.place.starts_with(place)), "{place}: {found:?}");
    };
    let district = Key::new().u32(1).u8(4);
    expect("condition 1, warehouse 1", &|rows| {
        rows.update(&DISTRICTS_TABLE, &district, |row| row.ytd += 1).unwrap();
    });
    expect("condition 2, warehouse 1, district 4", &|rows| {
        rows.update(&DISTRICTS_TABLE, &district, |row| row.next_order += 1).unwrap();
    });
    expect("condition 3, warehouse 1, district 4", &|rows| rows.remove(&NEW_ORDERS, &district.u32(25)));
    expect("condition 4, warehouse 1, district 4", &|rows| {
        rows.remove(&ORDER_LINES, &district.u32(7).u8(2));
    });
    expect("index customers by name, warehouse 1, district 4", &|rows| {
        let customer = rows.get(&CUSTOMERS, &district.u32(3)).unwrap();
        rows.remove_key(&CUSTOMERS_BY_NAME, &leadline_tpcc::rows::name_key(&customer));
    });
}

/// Reads and writes of a trace.
fn counts(path: &Path) -> (u64, u64) {
    let text = std::fs::read_to_string(path).unwrap();
    let mut counts = (0, 0);
    for line in text.lines() {
        let (kind, page) = line.split_once(' ').unwrap();
        assert!(page.parse::<u64>().is_ok(), "{line}");
        match kind {
            "R" => counts.0 += 1,
            "W" => counts.1 += 1,
            _ => panic!("{line}"),
        }
    }
    counts
}

#[test]
fn traces_hold_every_access_and_a_plausible_share_of_writes() {
    let dir = tempfile::tempdir().unwrap();
    let shares = [
        (Mix::STANDARD, 0.05..0.25),
        (Mix::only(Kind::NewOrder), 0.10..0.30),
        (Mix::only(Kind::Payment), 0.05..0.25),
        (Mix::only(Kind::Delivery), 0.05..0.25),
        (Mix::only(Kind::OrderStatus), 0.0..f64::MIN_POSITIVE),
        (Mix::only(Kind::StockLevel), 0.0..f64::MIN_POSITIVE),
    ];
    for (number, (mix, share)) in shares.into_iter().enumerate() {
        let (_folder, db) = loaded(3, 0.02);
        let path = dir.path().join(number.to_string());
        let report = go(&db, &config(1, 300, mix), Some(&path));
        assert_eq!(counts(&path), (report.accesses.reads, report.accesses.writes));
        let found = report.accesses.write_share();
        assert!(share.contains(&found), "{mix:?}: {found}, expected {share:?}");
    }
}

#[test]
fn a_run_ends_with_the_accesses_asked_for() {
    let (_folder, db) = loaded(1, 0.01);
    let config = RunConfig { stop: Stop::Accesses(20_000), ..config(1, 0, Mix::STANDARD) };
    let total = go(&db, &config, None).accesses.total();
    assert!((20_000..22_000).contains(&total), "{total}");
}

#[test]
fn a_cancelled_run_is_whole() {
    let (_folder, db) = loaded(1, 0.01);
    let report = run(&db, &config(2, 1_000, Mix::STANDARD), None, &AtomicBool::new(true)).unwrap();
    assert_eq!(report.transactions, 0);
    assert_eq!(check(&db).unwrap(), []);
}
