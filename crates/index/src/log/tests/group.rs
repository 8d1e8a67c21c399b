//! Threads that commit at the same time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::memory_folder::MemoryFolder;
use super::{Durability, LogOptions, Lsn, open, options};

#[test]
fn commits_that_arrive_during_a_sync_share_the_next_one() {
    const THREADS: u64 = 8;
    let (appended, wait) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let (seen, waiting) = (Arc::clone(&appended), Arc::clone(&wait));
    let folder = MemoryFolder::new().on_sync(move || {
        while seen.load(Ordering::SeqCst) < waiting.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
    });
    let (log, _) = open(folder.clone(), Lsn(0), options(1 << 20)).unwrap();
    log.commit(log.append(&[b"first"]).unwrap()).unwrap();
    let before = folder.syncs();
    wait.store(THREADS, Ordering::SeqCst);
    std::thread::scope(|scope| {
        for i in 0..THREADS {
            let (log, appended) = (&log, &appended);
            scope.spawn(move || {
                let lsn = log.append(&[&i.to_le_bytes()]).unwrap();
                appended.fetch_add(1, Ordering::SeqCst);
                log.commit(lsn).unwrap();
            });
        }
    });
    assert!(folder.syncs() - before <= 2, "{} syncs for {THREADS} commits", folder.syncs() - before);
    drop(log);
    assert_eq!(open(folder, Lsn(0), options(1 << 20)).unwrap().1.len() as u64, THREADS + 1);
}

#[test]
fn records_of_many_threads_are_in_the_order_of_their_positions() {
    let folder = MemoryFolder::new();
    let (log, _) = open(folder.clone(), Lsn(0), options(16 << 10)).unwrap();
    let all = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for thread in 0..8u8 {
            let (log, all) = (&log, &all);
            scope.spawn(move || {
                for i in 0..200u8 {
                    let payload = vec![thread, i, 0, 0, 0];
                    let lsn = log.append(&[&payload]).unwrap();
                    all.lock().unwrap().push((lsn, payload));
                    if i % 3 == 0 {
                        log.commit(lsn).unwrap();
                    }
                }
            });
        }
    });
    drop(log);
    let mut all = all.into_inner().unwrap();
    all.sort();
    assert_eq!(open(folder, Lsn(0), options(16 << 10)).unwrap().1, all);
}

#[test]
fn at_intervals_somebody_else_syncs() {
    let (sender, receiver) = sync_channel(0);
    let receiver = Mutex::new(receiver);
    let folder = MemoryFolder::new().on_sync(move || {
        let _ = sender.try_send(());
    });
    let durability = Durability::Every(Duration::from_millis(1));
    let (log, _) = open(folder.clone(), Lsn(0), LogOptions { durability, ..options(1 << 20) }).unwrap();
    log.commit(log.append(&[b"record"]).unwrap()).unwrap();
    receiver.lock().unwrap().recv().unwrap();
}

#[test]
fn without_durability_a_commit_syncs_nothing_and_closing_does() {
    let folder = MemoryFolder::new();
    let never = LogOptions { durability: Durability::Never, ..options(1 << 20) };
    let (log, _) = open(folder.clone(), Lsn(0), never.clone()).unwrap();
    for _ in 0..10 {
        log.commit(log.append(&[b"record"]).unwrap()).unwrap();
    }
    assert_eq!(folder.syncs(), 0);
    drop(log);
    assert!(folder.syncs() > 0);
    assert_eq!(open(folder, Lsn(0), never).unwrap().1.len(), 10);
}
