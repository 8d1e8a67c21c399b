//! The emulated drive: its file system, its pace, and what goes wrong with it.

use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use fuser::{FileType, INodeNo, Notifier};
use leadline_fuse::Handles;
use rustix::io::Errno;

use crate::capture::{Arrival, Captures, Recorded};
use crate::extent::Extent;
use crate::faults::{Effects, FaultKind, FileOperation, Injector, Subject};
use crate::node::{Ino, ROOT};
use crate::pace::Pacer;
use crate::programs::Programs;
use crate::scan::ScanError;
use crate::survivors::{PowerCut, Survivors, some_sectors};
use crate::volume::Volume;

/// Names in the root that the kernel is to forget.
pub(crate) struct Withdrawn {
    pub(crate) names: Vec<OsString>,
    /// Dropped when it has.
    pub(crate) _done: Sender<()>,
}

/// What a thread of its own does with the kernel: one that answers the kernel must not wait for it.
pub(crate) enum Told {
    /// It is to forget names.
    Withdrawn(Withdrawn),
    /// It is to write what it has of a file, before this is done.
    Written(Ino, Box<dyn FnOnce() + Send>),
}

/// Ends once the kernel has forgotten what a power cut withdrew. A thread that answers the kernel must not
/// wait for it.
pub(crate) struct Forgotten(Receiver<()>);

impl Forgotten {
    pub(crate) fn wait(self) {
        // Nothing is ever sent: the other end is dropped.
        let _ = self.0.recv();
    }
}

/// An entry of an open directory, which programs see as it was when it was opened.
pub(crate) type Listed = (Ino, FileType, OsString);

/// A drive that programs use.
pub(crate) struct Drive {
    pub(crate) volume: Volume,
    pub(crate) pacer: Arc<Pacer>,
    pub(crate) programs: Programs,
    pub(crate) listings: Handles<Vec<Listed>>,
    pub(crate) captures: Captures,
    injector: Mutex<Injector>,
    probing: AtomicBool,
    cuts: Mutex<Vec<(f64, PowerCut)>>,
    told: Sender<Told>,
    notifier: OnceLock<Notifier>,
}

impl Drive {
    pub(crate) fn new(volume: Volume, pacer: Arc<Pacer>, injector: Injector, told: Sender<Told>) -> Drive {
        Drive {
            volume,
            pacer,
            programs: Programs::default(),
            listings: Handles::default(),
            captures: Captures::default(),
            injector: Mutex::new(injector),
            probing: AtomicBool::new(true),
            cuts: Mutex::default(),
            told,
            notifier: OnceLock::new(),
        }
    }

    pub(crate) fn injector(&self) -> MutexGuard<'_, Injector> {
        self.injector.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The way to the kernel.
    pub(crate) fn set_notifier(&self, notifier: Notifier) {
        // There is one mount.
        let _ = self.notifier.set(notifier);
    }

    /// Has a thread of its own tell the kernel something.
    pub(crate) fn tell(&self, told: Told) {
        // The thread ends with the mount: then there is nothing to tell the kernel any more.
        let _ = self.told.send(told);
    }

    /// Has the kernel ask for the attributes of a file again. It waits for nothing to do so.
    pub(crate) fn attributes_changed(&self, ino: Ino) {
        if let Some(notifier) = self.notifier.get() {
            // A file that the kernel does not know has no attributes there.
            let _ = notifier.inval_inode(INodeNo(ino), -1, 0);
        }
    }

    /// Whether the overhead of the kernel and FUSE is being measured.
    pub(crate) fn is_probing(&self) -> bool {
        self.probing.load(Ordering::Relaxed)
    }

    pub(crate) fn end_probing(&self) {
        self.probing.store(false, Ordering::Relaxed);
    }

    /// Power cuts so far, each with the seconds since the mount.
    pub(crate) fn power_cuts(&self) -> Vec<(f64, PowerCut)> {
        self.cuts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether writes have failed because a fault or a power cut was asked for.
    pub(crate) fn has_failed_on_purpose(&self) -> bool {
        const FAILING: [FaultKind; 4] =
            [FaultKind::Eio, FaultKind::Enospc, FaultKind::PowerCut, FaultKind::PowerCutRandom];
        let injector = self.injector();
        injector.counts().iter().any(|(name, times)| *times > 0 && FAILING.iter().any(|k| k.name() == *name))
    }

    /// A file's path from the root of the mount; empty once its name was removed.
    fn path(&self, ino: Ino) -> Result<String, Errno> {
        let tree = self.volume.tree();
        let parent = tree.node(ino)?.parent;
        Ok(tree.path(ino, parent).to_string_lossy().into_owned())
    }

    /// Records a request, if somebody wants it. The tree must not be locked.
    pub(crate) fn record(&self, arrival: Arrival, new_name: Option<String>) -> Option<Recorded> {
        let name = || match self.path(arrival.ino) {
            _ if arrival.ino == ROOT => ".".to_owned(),
            Ok(path) if !path.is_empty() => path,
            _ => format!("(removed, {})", arrival.ino),
        };
        self.captures.record(arrival, name, new_name)
    }

    /// What befalls an operation; stalls, slow periods and power cuts have begun.
    fn strike(&self, ino: Ino, operation: FileOperation, offset: u64, len: u64) -> Result<Effects, Errno> {
        let mut injector = self.injector();
        if injector.is_idle() {
            return Ok(Effects::default());
        }
        let path = self.path(ino)?;
        let subject = Subject { operation, path: &path, offset, len, seconds: self.pacer.seconds() };
        let mut effects = injector.strike(&subject);
        drop(injector);
        for (fault, random) in &mut effects.kinds {
            match fault.kind {
                FaultKind::Stall => self.pacer.stall(fault.seconds),
                FaultKind::Slow => self.pacer.slow(fault.factor, fault.seconds),
                FaultKind::PowerCut => self.cut(Survivors::None)?,
                FaultKind::PowerCutRandom => self.cut(Survivors::Random(random.fork()))?,
                FaultKind::Eio => return Err(Errno::IO),
                FaultKind::Enospc => return Err(Errno::NOSPC),
                _ => {}
            }
        }
        Ok(effects)
    }

    fn cut(&self, survivors: Survivors) -> Result<(), Errno> {
        self.power_cut(survivors).map_err(|_| Errno::IO)?;
        // The operation itself comes too late.
        Err(Errno::IO)
    }

    /// Cuts the power.
    pub(crate) fn power_cut(&self, mut survivors: Survivors) -> Result<(PowerCut, Forgotten), ScanError> {
        self.pacer.fail_all();
        let (cut, names) = self.volume.power_cut(&mut survivors)?;
        self.cuts.lock().unwrap_or_else(PoisonError::into_inner).push((self.pacer.seconds(), cut));
        let (done, forgotten) = channel();
        self.tell(Told::Withdrawn(Withdrawn { names, _done: done }));
        Ok((cut, Forgotten(forgotten)))
    }

    /// Reads part of a file: its bytes, and where they are on the device.
    pub(crate) fn read(&self, ino: Ino, offset: u64, len: u32) -> Result<(Vec<u8>, Vec<Extent>), Errno> {
        let mut effects = self.strike(ino, FileOperation::Read, offset, u64::from(len))?;
        let (mut bytes, extents) = self.volume.read(ino, offset, len)?;
        if bytes.is_empty() {
            return Ok((bytes, extents));
        }
        if let Some(random) = effects.of(FaultKind::BitFlipMedia) {
            let (at, bit) = (random.usize(..bytes.len()), random.u8(..8));
            bytes[at] ^= 1 << bit;
            self.volume.damage(ino, offset + at as u64, 1 << bit)?;
        }
        if let Some(random) = effects.of(FaultKind::BitFlipRead) {
            let at = random.usize(..bytes.len());
            bytes[at] ^= 1 << random.u8(..8);
        }
        self.pacer.counters().read(bytes.len() as u64);
        Ok((bytes, extents))
    }

    /// Writes part of a file; where it is on the device. `durable`: as if a sync followed.
    pub(crate) fn write(
        &self,
        ino: Ino,
        offset: u64,
        data: &[u8],
        durable: bool,
    ) -> Result<Vec<Extent>, Errno> {
        let len = data.len() as u64;
        let mut effects = self.strike(ino, FileOperation::Write, offset, len)?;
        let extents = if effects.of(FaultKind::LostWrite).is_some() {
            self.volume.place(ino, offset, len)?
        } else if let Some(random) = effects.of(FaultKind::MisdirectedWrite) {
            let extents = self.volume.place(ino, offset, len)?;
            if let Some(elsewhere) = self.elsewhere(ino, offset, len, random)? {
                self.volume.write(ino, elsewhere, data)?;
            }
            extents
        } else if let Some(random) = effects.of(FaultKind::TornWrite) {
            let extents = self.volume.place(ino, offset, len)?;
            for part in some_sectors(random, offset, &data.into()) {
                if let crate::content::Change::Write(at, part) = part {
                    self.volume.write(ino, at, &part)?;
                }
            }
            extents
        } else {
            self.volume.write(ino, offset, data)?
        };
        self.pacer.counters().wrote(len);
        if durable {
            self.make_durable(ino)?;
        }
        Ok(extents)
    }

    /// Another multiple of the write's length within the file.
    fn elsewhere(
        &self,
        ino: Ino,
        offset: u64,
        len: u64,
        random: &mut fastrand::Rng,
    ) -> Result<Option<u64>, Errno> {
        let (_, file_len, _) = self.volume.attributes(ino)?;
        let places = file_len / len;
        let own = offset / len;
        if places < 2 {
            return Ok(None);
        }
        let place = (own + random.u64(1..places)) % places;
        Ok(Some(place * len))
    }

    /// fsync of a file or a directory.
    pub(crate) fn sync(&self, ino: Ino) -> Result<(), Errno> {
        self.pacer.counters().flushed();
        self.make_durable(ino)
    }

    fn make_durable(&self, ino: Ino) -> Result<(), Errno> {
        let mut effects = self.strike(ino, FileOperation::Fsync, 0, u64::MAX)?;
        if effects.of(FaultKind::FlushLies).is_some() {
            return Ok(());
        }
        let directory = self.volume.tree().entries(ino).is_ok();
        if effects.of(FaultKind::DropDirty).is_some() {
            if !directory {
                self.volume.drop_dirty(ino)?;
            }
            return Err(Errno::IO);
        }
        if directory { self.volume.sync_directory(ino) } else { self.volume.sync_file(ino) }
    }

    /// The layout of a file on the device.
    pub(crate) fn map(&self, path: &Path) -> Result<Vec<(u64, Extent)>, Errno> {
        self.volume.map(path)
    }
}
