//! The names of the mount, as programs see them: all in memory.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::sync::Arc;
use std::time::SystemTime;

use rustix::io::Errno;

use crate::content::Content;
use crate::durable::is_reserved;
use crate::journal::{Journal, Operation};
use crate::node::{Attributes, FileData, Ino, Kind, Node, ROOT};

/// The set-group-ID bit: what is made in such a directory has its group.
const SET_GROUP: u32 = 0o2000;

/// Nodes, and what is not durable of their names.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) nodes: HashMap<Ino, Node>,
    pub(crate) journal: Journal,
    next: Ino,
}

impl Tree {
    /// Only a root.
    pub(crate) fn new(root: Attributes) -> Tree {
        let node = Node::new(Kind::Directory(BTreeMap::new()), root, ROOT);
        Tree { nodes: HashMap::from([(ROOT, node)]), journal: Journal::default(), next: ROOT + 1 }
    }

    /// Forgets all nodes but the root, whose entries go; numbers go on.
    pub(crate) fn forget_all(&mut self, root: Attributes) {
        let next = self.next;
        *self = Tree { next, ..Tree::new(root) };
    }

    pub(crate) fn node(&self, ino: Ino) -> Result<&Node, Errno> {
        // Where it is from before a power cut, the kernel looks the name up again.
        self.nodes.get(&ino).ok_or(Errno::STALE)
    }

    pub(crate) fn node_mut(&mut self, ino: Ino) -> Result<&mut Node, Errno> {
        self.nodes.get_mut(&ino).ok_or(Errno::STALE)
    }

    pub(crate) fn file(&self, ino: Ino) -> Result<Arc<FileData>, Errno> {
        match &self.node(ino)?.kind {
            Kind::File(file) => Ok(Arc::clone(file)),
            Kind::Directory(_) => Err(Errno::ISDIR),
            _ => Err(Errno::INVAL),
        }
    }

    pub(crate) fn entries(&self, dir: Ino) -> Result<&BTreeMap<OsString, Ino>, Errno> {
        match &self.node(dir)?.kind {
            Kind::Directory(entries) => Ok(entries),
            _ => Err(Errno::NOTDIR),
        }
    }

    fn entries_mut(&mut self, dir: Ino) -> Result<&mut BTreeMap<OsString, Ino>, Errno> {
        match &mut self.node_mut(dir)?.kind {
            Kind::Directory(entries) => Ok(entries),
            _ => Err(Errno::NOTDIR),
        }
    }

    pub(crate) fn lookup(&self, dir: Ino, name: &OsStr) -> Result<Ino, Errno> {
        self.entries(dir)?.get(name).copied().ok_or(Errno::NOENT)
    }

    /// The path of a node from the root, for whoever names it in a schedule; without it where it has no name.
    pub(crate) fn path(&self, ino: Ino, parent: Ino) -> OsString {
        let mut names = Vec::new();
        let (mut ino, mut dir) = (ino, parent);
        while ino != ROOT {
            let Ok(entries) = self.entries(dir) else { break };
            let Some((name, _)) = entries.iter().find(|(_, other)| **other == ino) else { break };
            names.push(name.clone());
            (ino, dir) = (dir, self.nodes.get(&dir).map_or(ROOT, |node| node.parent));
        }
        let mut path = OsString::new();
        for name in names.iter().rev() {
            if !path.is_empty() {
                path.push("/");
            }
            path.push(name);
        }
        path
    }

    /// Takes up a node that was found in the backing directory, or that is new.
    pub(crate) fn insert(&mut self, node: Node) -> Ino {
        let ino = self.next;
        self.next += 1;
        self.nodes.insert(ino, node);
        ino
    }

    /// A name found in the backing directory.
    pub(crate) fn found(&mut self, dir: Ino, name: &OsStr, ino: Ino) -> Result<(), Errno> {
        self.entries_mut(dir)?.insert(name.to_owned(), ino);
        if self.is_directory(ino) {
            self.count_folder(dir, 1);
        }
        Ok(())
    }

    fn is_directory(&self, ino: Ino) -> bool {
        self.nodes.get(&ino).is_some_and(|node| matches!(node.kind, Kind::Directory(_)))
    }

    /// A directory has one directory more or less.
    fn count_folder(&mut self, dir: Ino, change: i32) {
        if let Some(node) = self.nodes.get_mut(&dir) {
            node.folders = node.folders.saturating_add_signed(change);
        }
    }

    /// Makes a node with a name.
    pub(crate) fn create(
        &mut self,
        dir: Ino,
        name: &OsStr,
        kind: Kind,
        (mode, uid, gid): (u32, u32, u32),
    ) -> Result<Ino, Errno> {
        self.check_new(dir, name)?;
        let now = SystemTime::now();
        let above = self.node(dir)?.attributes;
        let directory = matches!(kind, Kind::Directory(_));
        let inherits = above.mode & SET_GROUP != 0;
        let attributes = Attributes {
            mode: mode & 0o7777 | if inherits && directory { SET_GROUP } else { 0 },
            uid,
            gid: if inherits { above.gid } else { gid },
            accessed: now,
            modified: now,
            changed: now,
        };
        let ino = self.insert(Node { parent: dir, ..Node::new(kind, attributes, dir) });
        self.entries_mut(dir)?.insert(name.to_owned(), ino);
        self.journal.push(Operation::Add { dir, name: name.to_owned(), ino, directory });
        self.entries_changed(dir);
        self.count_folder(dir, i32::from(directory));
        Ok(ino)
    }

    /// An empty file.
    pub(crate) fn new_file() -> Kind {
        Kind::File(FileData::new(Content::default()))
    }

    fn check_new(&self, dir: Ino, name: &OsStr) -> Result<(), Errno> {
        if is_reserved(dir, name) {
            return Err(Errno::PERM);
        }
        if name.len() > 255 {
            return Err(Errno::NAMETOOLONG);
        }
        if self.node(dir)?.names == 0 {
            return Err(Errno::NOENT);
        }
        match self.lookup(dir, name) {
            Ok(_) => Err(Errno::EXIST),
            Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Another name for a node.
    pub(crate) fn link(&mut self, ino: Ino, dir: Ino, name: &OsStr) -> Result<(), Errno> {
        self.check_new(dir, name)?;
        let node = self.node_mut(ino)?;
        if matches!(node.kind, Kind::Directory(_)) {
            return Err(Errno::PERM);
        }
        if node.names == 0 {
            return Err(Errno::NOENT);
        }
        node.names += 1;
        node.attributes.changed = SystemTime::now();
        self.entries_mut(dir)?.insert(name.to_owned(), ino);
        self.journal.push(Operation::Add { dir, name: name.to_owned(), ino, directory: false });
        self.entries_changed(dir);
        Ok(())
    }

    /// Takes a name away; the node, which may be gone with it.
    pub(crate) fn remove(&mut self, dir: Ino, name: &OsStr, directory: bool) -> Result<Ino, Errno> {
        let ino = self.lookup(dir, name)?;
        match (&self.node(ino)?.kind, directory) {
            (Kind::Directory(entries), true) if !entries.is_empty() => return Err(Errno::NOTEMPTY),
            (Kind::Directory(_), true) => {}
            (Kind::Directory(_), false) => return Err(Errno::ISDIR),
            (_, true) => return Err(Errno::NOTDIR),
            (_, false) => {}
        }
        self.entries_mut(dir)?.remove(name);
        self.lose_name(ino);
        self.journal.push(Operation::Remove { dir, name: name.to_owned(), ino });
        self.entries_changed(dir);
        self.count_folder(dir, -i32::from(directory));
        Ok(ino)
    }

    fn lose_name(&mut self, ino: Ino) {
        if let Some(node) = self.nodes.get_mut(&ino) {
            node.names = node.names.saturating_sub(1);
            node.attributes.changed = SystemTime::now();
        }
    }

    fn entries_changed(&mut self, dir: Ino) {
        if let Some(node) = self.nodes.get_mut(&dir) {
            let now = SystemTime::now();
            (node.attributes.modified, node.attributes.changed) = (now, now);
        }
    }

    /// Moves a name, over another that may be there unless `only_new`; the node that was there.
    pub(crate) fn rename(
        &mut self,
        from: (Ino, &OsStr),
        to: (Ino, &OsStr),
        only_new: bool,
    ) -> Result<Option<Ino>, Errno> {
        let ino = self.lookup(from.0, from.1)?;
        let replaced = match self.lookup(to.0, to.1) {
            Ok(_) if only_new => return Err(Errno::EXIST),
            // Two names of one file: nothing happens, says POSIX.
            Ok(there) if there == ino => return Ok(None),
            Ok(there) => Some(there),
            Err(Errno::NOENT) => None,
            Err(error) => return Err(error),
        };
        if is_reserved(to.0, to.1) {
            return Err(Errno::PERM);
        }
        if self.node(to.0)?.names == 0 {
            return Err(Errno::NOENT);
        }
        let directory = matches!(self.node(ino)?.kind, Kind::Directory(_));
        if let Some(there) = replaced {
            match (&self.node(there)?.kind, directory) {
                (Kind::Directory(entries), true) if !entries.is_empty() => return Err(Errno::NOTEMPTY),
                (Kind::Directory(_), false) => return Err(Errno::ISDIR),
                (Kind::Directory(_), true) => {}
                (_, true) => return Err(Errno::NOTDIR),
                (_, false) => {}
            }
            self.lose_name(there);
        }
        if directory {
            self.count_folder(from.0, -1);
            self.count_folder(to.0, i32::from(replaced.is_none()));
        }
        self.entries_mut(from.0)?.remove(from.1);
        self.entries_mut(to.0)?.insert(to.1.to_owned(), ino);
        let node = self.node_mut(ino)?;
        node.parent = to.0;
        node.attributes.changed = SystemTime::now();
        if let Kind::File(file) = &node.kind {
            // Its next blocks lie where its new name belongs.
            file.lock().map.zone = None;
        }
        self.journal.push(Operation::Rename {
            from: (from.0, from.1.to_owned()),
            to: (to.0, to.1.to_owned()),
            ino,
            replaced,
        });
        self.entries_changed(from.0);
        self.entries_changed(to.0);
        Ok(replaced)
    }

    /// New attributes of a node.
    pub(crate) fn set_attributes(&mut self, ino: Ino, attributes: Attributes) -> Result<(), Errno> {
        let node = self.node_mut(ino)?;
        if node.attributes != attributes {
            node.attributes = attributes;
            if node.names > 0 {
                self.journal.push(Operation::Attributes { ino, attributes });
            }
        }
        Ok(())
    }

    /// Sets an extended attribute, or takes it away.
    pub(crate) fn set_xattr(&mut self, ino: Ino, name: &OsStr, value: Option<Vec<u8>>) -> Result<(), Errno> {
        let node = self.node_mut(ino)?;
        match &value {
            Some(value) => {
                node.xattrs.insert(name.to_owned(), value.clone());
            }
            None if node.xattrs.remove(name).is_none() => return Err(Errno::NODATA),
            None => {}
        }
        node.attributes.changed = SystemTime::now();
        self.journal.push(Operation::Xattr { ino, name: name.to_owned(), value });
        Ok(())
    }
}
