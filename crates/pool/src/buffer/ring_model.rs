//! The ring of the log of hits under every interleaving and every order of memory of a writer and a reader,
//! and of two writers who share one (loom).

use loom::sync::atomic::AtomicU64;
use loom::sync::{Arc, Mutex};
use loom::thread;

use super::ring::Ring;

/// Two words, so that it is full soon, and goes round.
type Small = Ring<AtomicU64, 2>;

fn drained(ring: &Small, shared: bool) -> Vec<u64> {
    let mut words = Vec::new();
    ring.drain(shared, |word| words.push(word));
    words
}

#[test]
fn each_word_that_had_room_is_read_once_and_in_order() {
    loom::model(|| {
        let ring = Arc::new(Small::new(AtomicU64::new));
        let writer = Arc::clone(&ring);
        let writer =
            thread::spawn(move || (1..=4).filter(|word| writer.push(*word).0 < 2).collect::<Vec<u64>>());
        let mut read = drained(&ring, false);
        let written = writer.join().unwrap();
        read.extend(drained(&ring, false));
        assert_eq!(read, written);
        assert!(written.starts_with(&[1, 2]), "there was room for two");
    });
}

#[test]
fn readers_may_take_turns_under_a_lock() {
    loom::model(|| {
        let ring = Arc::new(Small::new(AtomicU64::new));
        let read = Arc::new(Mutex::new(Vec::new()));
        let reader = (Arc::clone(&ring), Arc::clone(&read));
        let reader = thread::spawn(move || {
            let (ring, read) = reader;
            let mut read = read.lock().unwrap();
            ring.drain(false, |word| read.push(word));
        });
        // The writer empties the ring itself when it may.
        let written: Vec<u64> = (1..=3).filter(|word| ring.push(*word).0 < 2).collect();
        if let Ok(mut read) = read.try_lock() {
            ring.drain(false, |word| read.push(word));
        }
        reader.join().unwrap();
        let mut read = read.lock().unwrap();
        ring.drain(false, |word| read.push(word));
        assert_eq!(*read, written);
    });
}

#[test]
fn a_number_that_a_thread_gave_back_brings_its_ring_along() {
    loom::model(|| {
        let ring = Arc::new(Small::new(AtomicU64::new));
        // Numbers of threads change hands under a lock.
        let given_back = Arc::new(Mutex::new(false));
        let first = (Arc::clone(&ring), Arc::clone(&given_back));
        let first = thread::spawn(move || {
            first.0.push(1);
            *first.1.lock().unwrap() = true;
        });
        let second = (Arc::clone(&ring), Arc::clone(&given_back));
        let second = thread::spawn(move || {
            let mine = *second.1.lock().unwrap();
            if mine {
                second.0.push(2);
            }
            mine
        });
        let mut read = drained(&ring, false);
        first.join().unwrap();
        let took_over = second.join().unwrap();
        read.extend(drained(&ring, false));
        assert_eq!(read, if took_over { vec![1, 2] } else { vec![1] });
    });
}

#[test]
fn a_ring_that_two_threads_write_to_tells_only_what_was_written() {
    loom::model(|| {
        let ring = Arc::new(Small::new(AtomicU64::new));
        let other = Arc::clone(&ring);
        let other = thread::spawn(move || [11, 12].map(|word| _ = other.push(word)));
        ring.push(1);
        let mut read = drained(&ring, true);
        ring.push(2);
        other.join().unwrap();
        read.extend(drained(&ring, true));
        // Zero: what the ring held before the first round.
        assert!(read.iter().all(|word| [0, 1, 2, 11, 12].contains(word)), "{read:?}");
        // Nothing that happened keeps it from going on.
        drained(&ring, true);
        ring.push(21);
        assert_eq!(drained(&ring, true), [21]);
    });
}
