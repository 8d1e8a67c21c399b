//! Keys, values, and the six workloads of YCSB (Cooper et al., "Benchmarking Cloud Serving Systems with
//! YCSB", SoCC 2010, table 2), with a value of one field.

use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;
use leadline_trace::Zipf;

use crate::store::{Key, Store, VALUE_BYTES, Value};

/// YCSB's skew.
const THETA: f64 = 0.99;

/// Most pairs of a scan.
const SCAN: u64 = 100;

/// The key number `id`: neighbours in number are anywhere in order.
pub fn key(id: u64) -> Key {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&scattered(id).to_be_bytes());
    key[8..].copy_from_slice(&id.to_be_bytes());
    key
}

/// The finaliser of SplitMix64, which maps no two numbers to one.
fn scattered(id: u64) -> u64 {
    let x = (id ^ (id >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Bytes that do not compress.
pub fn value(random: &mut fastrand::Rng) -> Value {
    let mut value = [0; VALUE_BYTES];
    random.fill(&mut value);
    value
}

/// One of the workloads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ycsb {
    /// Half updates.
    A,
    /// One update in twenty.
    B,
    /// Only reads.
    C,
    /// One insert in twenty; reads of what is new.
    D,
    /// One insert in twenty; scans.
    E,
    /// Half reads, half changes of what was read.
    F,
}

impl Ycsb {
    pub fn parse(letter: &str) -> Option<Ycsb> {
        Some(match letter {
            "a" => Ycsb::A,
            "b" => Ycsb::B,
            "c" => Ycsb::C,
            "d" => Ycsb::D,
            "e" => Ycsb::E,
            "f" => Ycsb::F,
            _ => return None,
        })
    }
}

/// What all threads of a run share.
pub struct Shared {
    /// Keys that there are.
    pub keys: AtomicU64,
}

/// A thread of a run.
pub struct Client<'a> {
    store: &'a dyn Store,
    shared: &'a Shared,
    zipf: Zipf,
    random: fastrand::Rng,
}

impl<'a> Client<'a> {
    pub fn new(store: &'a dyn Store, shared: &'a Shared, seed: u64) -> Client<'a> {
        let zipf = Zipf::new(shared.keys.load(Ordering::Relaxed), THETA);
        Client { store, shared, zipf, random: fastrand::Rng::with_seed(seed) }
    }

    /// One operation.
    pub fn step(&mut self, workload: Ycsb) -> Result<()> {
        let percent = self.random.u32(..100);
        let popular = self.zipf.sample(&mut self.random);
        match workload {
            Ycsb::A if percent < 50 => self.put(popular),
            Ycsb::B if percent < 5 => self.put(popular),
            Ycsb::A | Ycsb::B | Ycsb::C => self.get(popular),
            Ycsb::D | Ycsb::E if percent < 5 => {
                let id = self.shared.keys.fetch_add(1, Ordering::Relaxed);
                self.put(id)
            }
            Ycsb::D => self.get_or_none(self.shared.keys.load(Ordering::Relaxed) - 1 - popular),
            Ycsb::E => {
                let count = self.random.u64(1..=SCAN) as usize;
                self.store.scan(&key(popular), count).map(drop)
            }
            Ycsb::F => {
                self.get(popular)?;
                if percent < 50 { self.put(popular) } else { Ok(()) }
            }
        }
    }

    fn put(&mut self, id: u64) -> Result<()> {
        self.store.put(&[(key(id), value(&mut self.random))])
    }

    fn get(&self, id: u64) -> Result<()> {
        match self.store.get(&key(id))? {
            Some(value) if value.len() == VALUE_BYTES => Ok(()),
            _ => anyhow::bail!("key number {id} is not there"),
        }
    }

    /// Another thread may not have finished the insert.
    fn get_or_none(&self, id: u64) -> Result<()> {
        self.store.get(&key(id)).map(drop)
    }
}
