//! Loading, runs of many transactions, the checks, and the traces they leave.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use leadline_tpcc::database::Database;
use leadline_tpcc::key::Key;
use leadline_tpcc::pages::{Memory, Pages, TraceFile};
use leadline_tpcc::transaction::Kind;
use leadline_tpcc::{DISTRICTS, Mix, Report, RunConfig, Scale, Stop, check, load, pages_needed, run};

fn loaded(warehouses: u32, factor: f64) -> (Memory, Database) {
    let pages = Memory::new(4096);
    let db = load(&pages, Scale::reduced(warehouses, factor).unwrap(), 7, |_| {}).unwrap();
    (pages, db)
}

fn config(terminals: u32, transactions: u64, mix: Mix) -> RunConfig {
    RunConfig { terminals, stop: Stop::Transactions(transactions), mix, seed: 11 }
}

fn go(db: &Database, pages: &Memory, config: &RunConfig, trace: Option<&Path>) -> Report {
    let file = trace.map(|path| TraceFile::create(path).unwrap());
    let report = run(db, pages, config, file.as_ref(), &AtomicBool::new(false)).unwrap();
    if let Some(file) = file {
        file.finish().unwrap();
    }
    report
}

#[test]
fn a_loaded_database_is_consistent_and_has_tpccs_cardinalities() {
    let (pages, db) = loaded(2, 0.02);
    assert_eq!(check(&db, &pages).unwrap(), []);
    let customers = 2 * u64::from(DISTRICTS) * 60;
    let rows = |heap: &leadline_tpcc::heap::Heap| heap.state().rows;
    assert_eq!(rows(&db.items.rows.heap), 2_000);
    assert_eq!(rows(&db.stock.rows.heap), 4_000);
    assert_eq!(rows(&db.customers.rows.heap), customers);
    assert_eq!(rows(&db.history.heap), customers);
    assert_eq!(rows(&db.orders.rows.heap), customers);
    assert_eq!(rows(&db.new_orders.rows.heap), customers * 3 / 10);
    let lines = rows(&db.order_lines.rows.heap) as f64 / customers as f64;
    assert!((9.5..10.5).contains(&lines), "{lines} lines an order");
}

#[test]
fn a_database_takes_the_pages_that_were_foretold() {
    for (warehouses, factor) in [(1, 0.1), (3, 0.05)] {
        let (pages, db) = loaded(warehouses, factor);
        let (told, taken) = (pages_needed(db.scale, 4096), pages.page_count());
        assert!(taken <= told && told <= taken * 11 / 10, "{told} foretold, {taken} taken");
    }
}

#[test]
fn one_terminal_does_the_same_with_the_same_seed() {
    let dir = tempfile::tempdir().unwrap();
    let trace = |name: &str, seed| {
        let (pages, db) = loaded(1, 0.01);
        let path = dir.path().join(name);
        go(&db, &pages, &RunConfig { seed, ..config(1, 500, Mix::STANDARD) }, Some(&path));
        std::fs::read(path).unwrap()
    };
    let (first, again, other) = (trace("a", 1), trace("b", 1), trace("c", 2));
    assert!(first == again, "the same seed left two traces");
    assert!(first != other, "two seeds left the same trace");
}

#[test]
fn a_run_leaves_a_consistent_database() {
    let (pages, db) = loaded(2, 0.01);
    let report = go(&db, &pages, &config(1, 4_000, Mix::STANDARD), None);
    assert_eq!(report.transactions, 4_000);
    let new_orders = &report.kinds[Kind::NewOrder as usize];
    assert!((1_650..1_950).contains(&new_orders.transactions), "{}", new_orders.transactions);
    assert!((5..45).contains(&new_orders.rolled_back), "{} rolled back", new_orders.rolled_back);
    assert_eq!(check(&db, &pages).unwrap(), []);
}

#[test]
fn eight_terminals_leave_a_consistent_database() {
    let (pages, db) = loaded(2, 0.01);
    let report = go(&db, &pages, &config(8, 6_000, Mix::STANDARD), None);
    assert_eq!(report.transactions, 6_000);
    assert_eq!(check(&db, &pages).unwrap(), []);
    // Nothing is lost: every payment left its row.
    let payments = report.kinds[Kind::Payment as usize].transactions;
    assert_eq!(db.history.heap.state().rows, 2 * 10 * 30 + payments);
}

#[test]
fn eight_terminals_deliver_each_order_once() {
    let (pages, db) = loaded(1, 0.1);
    // Ninety orders wait in each district; a second delivery of one would not find it.
    go(&db, &pages, &config(8, 120, Mix::only(Kind::Delivery)), None);
    let mut deliveries = 0;
    for district in 1..=DISTRICTS {
        for customer in 1..=db.scale.customers {
            let key = Key::new().u32(1).u8(district).u32(customer);
            deliveries += u32::from(db.customers.get(&pages, &key).unwrap().deliveries);
        }
    }
    assert_eq!((deliveries, db.new_orders.rows.heap.state().rows), (900, 0));
    assert_eq!(check(&db, &pages).unwrap(), []);
}

#[test]
fn a_database_is_found_again_by_its_catalogue() {
    let (pages, db) = loaded(1, 0.01);
    go(&db, &pages, &config(1, 300, Mix::STANDARD), None);
    db.catalogue(&pages, false).write(&pages).unwrap();
    let error = Database::open(&pages).unwrap_err().to_string();
    assert!(error.contains("half written"), "{error}");
    db.catalogue(&pages, true).write(&pages).unwrap();
    let again = Database::open(&pages).unwrap();
    assert_eq!(again.catalogue(&pages, true), db.catalogue(&pages, true));
    assert_eq!(check(&again, &pages).unwrap(), []);
    go(&again, &pages, &config(1, 300, Mix::STANDARD), None);
    assert_eq!(check(&again, &pages).unwrap(), []);
}

#[test]
fn each_condition_that_is_broken_is_named() {
    let expect = |place: &str, damage: &dyn Fn(&Database, &Memory)| {
        let (pages, db) = loaded(1, 0.01);
        damage(&db, &pages);
        let found = check(&db, &pages).unwrap();
        assert!(found.iter().any(|found| found.place.starts_with(place)), "{place}: {found:?}");
    };
    let district = Key::new().u32(1).u8(4);
    expect("condition 1, warehouse 1", &|db, pages| {
        let row = db.districts.find(pages, &district).unwrap();
        db.districts.update(pages, row, |row| row.ytd += 1).unwrap();
    });
    expect("condition 2, warehouse 1, district 4", &|db, pages| {
        let row = db.districts.find(pages, &district).unwrap();
        db.districts.update(pages, row, |row| row.next_order += 1).unwrap();
    });
    expect("condition 3, warehouse 1, district 4", &|db, pages| {
        let key = district.u32(25);
        let row = db.new_orders.find(pages, &key).unwrap();
        db.new_orders.delete(pages, row, &key).unwrap();
    });
    expect("condition 4, warehouse 1, district 4", &|db, pages| {
        let key = district.u32(7).u8(2);
        let row = db.order_lines.find(pages, &key).unwrap();
        db.order_lines.delete(pages, row, &key).unwrap();
    });
    expect("index customers by name", &|db, pages| {
        let row = db.customers.find(pages, &district.u32(3)).unwrap();
        let customer = db.customers.read(pages, row).unwrap();
        db.customers_by_name.delete(pages, &leadline_tpcc::rows::name_key(&customer)).unwrap();
    });
    expect("table Stock", &|db, pages| {
        db.stock.primary.delete(pages, &Key::new().u32(1).u32(9)).unwrap();
    });
}

/// Reads and writes of a trace.
fn counts(path: &Path) -> (u64, u64) {
    let text = std::fs::read_to_string(path).unwrap();
    let mut counts = (0, 0);
    for line in text.lines() {
        let (kind, page) = line.split_once(' ').unwrap();
        assert!(page.parse::<u64>().unwrap() > 0, "{line}: page 0 is the file's header");
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
        (Mix::STANDARD, 0.15..0.35),
        (Mix::only(Kind::NewOrder), 0.25..0.40),
        (Mix::only(Kind::Payment), 0.35..0.55),
        (Mix::only(Kind::Delivery), 0.20..0.40),
        (Mix::only(Kind::OrderStatus), 0.0..f64::MIN_POSITIVE),
        (Mix::only(Kind::StockLevel), 0.0..f64::MIN_POSITIVE),
    ];
    for (number, (mix, share)) in shares.into_iter().enumerate() {
        let (pages, db) = loaded(3, 0.02);
        let path = dir.path().join(number.to_string());
        let report = go(&db, &pages, &config(1, 300, mix), Some(&path));
        assert_eq!(counts(&path), (report.accesses.reads, report.accesses.writes));
        let found = report.accesses.write_share();
        assert!(share.contains(&found), "{mix:?}: {found}, expected {share:?}");
    }
}

#[test]
fn a_run_ends_with_the_accesses_asked_for() {
    let (pages, db) = loaded(1, 0.01);
    let config = RunConfig { stop: Stop::Accesses(20_000), ..config(1, 0, Mix::STANDARD) };
    let total = go(&db, &pages, &config, None).accesses.total();
    assert!((20_000..22_000).contains(&total), "{total}");
}

#[test]
fn a_cancelled_run_is_whole() {
    let (pages, db) = loaded(1, 0.01);
    let report = run(&db, &pages, &config(2, 1_000, Mix::STANDARD), None, &AtomicBool::new(true)).unwrap();
    assert_eq!(report.transactions, 0);
    assert_eq!(check(&db, &pages).unwrap(), []);
}
