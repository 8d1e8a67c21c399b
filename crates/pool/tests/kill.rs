//! kill -9 at any moment: what a checkpoint acknowledged is there, what reached the device is in the log,
//! nothing is torn.
//!
//! The test runs itself as a child that changes pages, logs every change and checkpoints now and then; after
//! a random number of its messages the child is killed, and what it left is compared with its log.
//! `LEADLINE_KILLS` sets how often, 20 unless set.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use leadline_device::{FileDevice, FileOptions, IoEngine, direct_alignment};
use leadline_pool::ace::{Ace, Cleaner};
use leadline_pool::{Pool, PoolConfig, WalHook};

const PAGES: u64 = 200;
const AREA: u64 = 40;
/// The child's orders: the folder and the seed.
const ORDERS: &str = "LEADLINE_KILL_CHILD";

/// Records of 16 bytes: number of the change, from 1, and page. Kept back until the pool asks for them.
struct Log {
    file: Mutex<(File, Vec<u8>)>,
}

impl WalHook for Log {
    fn flush_until(&self, _: u64) -> std::io::Result<()> {
        let mut log = self.file.lock().unwrap();
        let (file, pending) = &mut *log;
        file.write_all(pending)?;
        pending.clear();
        file.sync_data()
    }
}

fn open(folder: &Path, seed: u64, log: Option<Arc<Log>>) -> Pool {
    let file =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(folder.join("pages"));
    let file = file.unwrap();
    let bytes = (PAGES + AREA) * 4096;
    file.set_len(bytes).unwrap();
    let mut options = FileOptions::new(IoEngine::best().0, 4096);
    options.direct = direct_alignment(&file).is_ok_and(|alignment| alignment <= 4096);
    let mut config = PoolConfig::new(4096, 32);
    config.ace = Ace::ALL[seed as usize % 5];
    config.cleaner = [Cleaner::Off, Cleaner::Depth(2), Cleaner::Auto][seed as usize % 3];
    config.n = 8;
    config.double_write = seed.is_multiple_of(2);
    config.wal = log.map(|log| log as Arc<dyn WalHook>);
    Pool::open(Arc::new(FileDevice::new(file, bytes, options).unwrap()), config).unwrap()
}

fn fill(bytes: &mut [u8], change: u64, page: u64) {
    for chunk in bytes.chunks_exact_mut(8) {
        chunk.copy_from_slice(&(change << 16 | page).to_le_bytes());
    }
}

/// The change that a page shows, whole; 0 where it was never changed.
fn change(bytes: &[u8], page: u64) -> u64 {
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    assert!((0..bytes.len() / 8).all(|i| word(8 * i) == word(0)), "page {page} is mixed");
    assert!(word(0) == 0 || word(0) & 0xFFFF == page, "page {page} is another");
    word(0) >> 16
}

/// What the child does, until it is killed: a line for each checkpoint that was acknowledged.
fn child(orders: &str) {
    let (folder, seed) = orders.rsplit_once(' ').unwrap();
    let (folder, seed) = (Path::new(folder), seed.parse().unwrap());
    let file = OpenOptions::new().create(true).append(true).open(folder.join("log")).unwrap();
    let log = Arc::new(Log { file: Mutex::new((file, Vec::new())) });
    let pool = open(folder, seed, Some(Arc::clone(&log)));
    let mut random = fastrand::Rng::with_seed(seed);
    let mut out = std::io::stdout();
    writeln!(out, "\nready").unwrap();
    for number in 1.. {
        let page = random.u64(..PAGES);
        let mut guard = pool.write(page).unwrap();
        fill(&mut guard, number, page);
        let mut record = number.to_le_bytes().to_vec();
        record.extend(page.to_le_bytes());
        log.file.lock().unwrap().1.extend(record);
        guard.set_lsn(number);
        drop(guard);
        if number % 64 == 0 {
            pool.checkpoint().unwrap();
            writeln!(out, "checkpoint {number}").unwrap();
        }
    }
}

/// The pages against the log and the last checkpoint that was acknowledged.
fn verify(folder: &Path, seed: u64, acknowledged: u64) {
    let mut log = Vec::new();
    File::open(folder.join("log")).unwrap().read_to_end(&mut log).unwrap();
    let word = |record: &[u8], at: usize| u64::from_le_bytes(record[at..at + 8].try_into().unwrap());
    let changes: Vec<(u64, u64)> =
        log.chunks_exact(16).map(|record| (word(record, 0), word(record, 8))).collect();
    let pool = open(folder, seed, None);
    for page in 0..PAGES {
        let shown = pool.read(page).map(|guard| change(&guard, page));
        let shown = shown.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let known = shown == 0 || changes.contains(&(shown, page));
        assert!(known, "seed {seed}: page {page} shows change {shown}, which the log does not have");
        let of_page = |(number, of): &&(u64, u64)| *of == page && *number <= acknowledged;
        let last = changes.iter().filter(of_page).map(|(number, _)| *number).max().unwrap_or(0);
        assert!(shown >= last, "seed {seed}: page {page} shows change {shown}, but {last} was acknowledged");
    }
}

#[test]
fn what_was_acknowledged_outlives_kill_9() {
    if let Ok(orders) = std::env::var(ORDERS) {
        return child(&orders);
    }
    let kills = std::env::var("LEADLINE_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(20);
    let mut checkpoints = 0;
    for seed in 0..kills {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "kill::what_was_acknowledged_outlives_kill_9", "--nocapture"])
            .env(ORDERS, format!("{} {seed}", folder.path().display()))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut random = fastrand::Rng::with_seed(seed);
        let lines = random.u32(..4);
        let mut acknowledged = 0;
        let mut seen = 0;
        for line in BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok) {
            if line == "ready" && lines == 0 {
                // Killed somewhere before its first checkpoint is over.
                let _ = child.kill();
            }
            if let Some(number) = line.strip_prefix("checkpoint ") {
                acknowledged = number.parse().unwrap();
                checkpoints += 1;
                seen += 1;
                if seen == lines {
                    // It is in the middle of something: a random number of turns from here.
                    (0..random.u32(..2000)).for_each(|_| std::hint::spin_loop());
                    let _ = child.kill();
                }
            }
        }
        let _ = child.wait();
        verify(folder.path(), seed, acknowledged);
    }
    assert!(checkpoints >= kills, "{checkpoints} checkpoints in {kills} runs");
}
