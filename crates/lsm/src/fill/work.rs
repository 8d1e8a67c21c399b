//! What flushes and compactions cost, each alone on the machine, and how they slow each other down.

use leadline_profile::OpKind;

use crate::costs::DeviceCosts;
use crate::queue::{Demand, closed};
use crate::{Layout, ProcessorCosts};

/// Bytes that a flush or a compaction writes at a time (`writable_file_max_buffer_size`).
const WRITE_BYTES: f64 = 1048576.0;

/// Bytes that a compaction reads at a time with direct I/O where nothing else is set.
const DEFAULT_READAHEAD: f64 = 2097152.0;

/// Syncs per compaction or flush, besides those of the files that it writes: of the directory and the
/// manifest.
const SYNCS_PER_JOB: f64 = 2.0;

/// Files made and removed per flush: the table, and the log of the memtable.
const FILES_PER_FLUSH: f64 = 2.0;

/// Files of a usual compaction: one, and those of the next level that it overlaps with.
const USUAL_FILES: f64 = 3.0;

/// Costs of the work of compactions and flushes, per pair and per file.
#[derive(Clone)]
pub(super) struct Work<'a> {
    pub(super) device: &'a DeviceCosts,
    pub(super) processor: &'a ProcessorCosts,
    /// Bytes per simulated pair in a file.
    pub(super) pair_bytes: f64,
    pub(super) readahead: f64,
    pub(super) file_bytes: f64,
    /// Files that a simulated file stands for.
    pub(super) files: f64,
    read: PerPair,
    write: PerPair,
}

/// Seconds of the device per pair that is read or written.
#[derive(Debug, Clone, Copy)]
struct PerPair {
    /// One request at a time.
    alone: f64,
    /// As many as serve the device best.
    busy: f64,
}

/// Seconds of one job alone on the machine.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cost {
    pub(super) processor: f64,
    pub(super) device: f64,
    /// Seconds of the device with as many requests at a time as serve it best.
    pub(super) busy: f64,
}

impl<'a> Work<'a> {
    /// For pairs that take `pair_bytes` each in a file, and simulated files that stand for `files` each.
    pub(super) fn new(
        layout: &Layout,
        device: &'a DeviceCosts,
        processor: &'a ProcessorCosts,
        pair_bytes: f64,
        files: f64,
    ) -> Self {
        let readahead = match layout.compaction_readahead_bytes {
            0 => DEFAULT_READAHEAD,
            bytes => bytes as f64,
        };
        let file_bytes = layout.file_bytes as f64;
        let [read, write] = [(OpKind::Read, readahead), (OpKind::Write, WRITE_BYTES)].map(|(op, bytes)| {
            let request = bytes.min(file_bytes);
            let per_pair = |seconds: f64| pair_bytes / request * seconds;
            PerPair {
                alone: per_pair(device.request(op, request, 1.0)),
                busy: per_pair(device.request_at_best(op, request)),
            }
        });
        Work { device, processor, pair_bytes, readahead, file_bytes, files, read, write }
    }

    pub(super) fn read(&self, pairs: f64, in_flight: f64) -> f64 {
        let bytes = pairs * self.pair_bytes;
        let request = self.readahead.min(self.file_bytes);
        bytes / request * self.device.request(OpKind::Read, request, in_flight)
    }

    pub(super) fn write(&self, pairs: f64, in_flight: f64) -> f64 {
        let bytes = pairs * self.pair_bytes;
        let request = WRITE_BYTES.min(self.file_bytes);
        bytes / request * self.device.request(OpKind::Write, request, in_flight)
    }

    pub(super) fn mib(&self, pairs: f64) -> f64 {
        pairs * self.pair_bytes / 1048576.0
    }

    /// Making durable what one real job writes, `files` files, while `in_flight` jobs do.
    fn durable(&self, files: f64, in_flight: f64) -> f64 {
        self.device.files().seconds(files, SYNCS_PER_JOB, in_flight)
    }

    /// What one change of the list of files costs the processor: RocksDB builds it again, of all files of the
    /// tree.
    fn edit(&self, tree_files: usize) -> f64 {
        tree_files as f64 * self.files * self.processor.edit_file_us * 1e-6
    }

    /// A memtable, which is a file of its own however many files a simulated one stands for.
    pub(super) fn flush(&self, pairs: f64, tree_files: usize) -> Cost {
        let p = self.processor;
        Cost {
            processor: (pairs * p.flush_pair_us + self.mib(pairs) * p.compaction_mib_us) * 1e-6
                + self.edit(tree_files),
            device: pairs * self.write.alone + self.durable(FILES_PER_FLUSH, 1.0),
            busy: pairs * self.write.busy,
        }
    }

    /// Of simulated files: as many real compactions as each of them stands for files.
    pub(super) fn compaction(&self, pairs: f64, files: usize, tree_files: usize) -> Cost {
        let p = self.processor;
        let durable = self.files * self.durable(files as f64, 1.0);
        Cost {
            processor: (pairs * p.merge_pair_us + 2.0 * self.mib(pairs) * p.compaction_mib_us) * 1e-6
                + self.files * self.edit(tree_files),
            device: pairs * (self.read.alone + self.write.alone) + durable,
            busy: pairs * (self.read.busy + self.write.busy),
        }
    }

    /// Moving a file to the next level only changes the list.
    pub(super) fn moving(&self, tree_files: usize) -> Cost {
        let device = self.files * self.device.files().seconds(0.0, 1.0, 1.0);
        Cost { processor: self.files * self.edit(tree_files), device, busy: 0.0 }
    }
}

/// Speed of each of n threads, alone = 1, for n from 1 on: each alternates between processor and device as
/// a usual compaction does in a tree of that many files.
pub(super) fn speeds(work: &Work, layout: &Layout, cores: f64, tree_files: usize) -> Vec<f64> {
    let pairs = USUAL_FILES * work.file_bytes * work.files / work.pair_bytes;
    let alone = work.compaction(pairs, USUAL_FILES as usize, tree_files);
    let threads = layout.jobs.max(1) * layout.subcompactions.max(1) + 2;
    let device: Vec<f64> = (1..=threads)
        .map(|n| {
            let n = f64::from(n);
            work.read(pairs, n) + work.write(pairs, n) + work.files * work.durable(USUAL_FILES, n)
        })
        .collect();
    let demand = Demand { processor: alone.processor, reading: 0.0, cores, device: &device };
    let one = closed(&demand, 1).per_second;
    (1..=threads).map(|n| (closed(&demand, n).per_second / one / f64::from(n)).min(1.0)).collect()
}
