//! No circle of files inside a crate: a file that uses another is used by it neither itself nor through
//! others, so that each can be read after what it stands on.
//!
//! A module and those below it are one thing here: what a parent keeps for its children is no circle. Neither
//! is what a file only passes on with `pub use`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Item, Lit, Meta, MetaNameValue, UseTree, Visibility};

/// A module by the names that lead to it from the root of its crate.
type Place = Vec<String>;

/// A name that is imported, and what it stands for.
struct Import {
    path: Vec<String>,
    name: String,
    /// Passed on to others.
    is_public: bool,
}

/// What is known of a module.
#[derive(Default)]
struct Module {
    file: PathBuf,
    children: BTreeSet<String>,
    /// Names of what it defines.
    items: BTreeSet<String>,
    imports: Vec<Import>,
    /// Paths of two and more names in its code.
    paths: BTreeSet<Vec<String>>,
}

/// The modules of a library or program.
#[derive(Default)]
struct Tree(BTreeMap<Place, Module>);

impl Tree {
    fn of(root: &Path) -> Tree {
        let mut tree = Tree::default();
        tree.load(Vec::new(), root, root.parent().unwrap().to_owned());
        tree
    }

    /// Reads a file; `folder` has those of its children.
    fn load(&mut self, place: Place, file: &Path, folder: PathBuf) {
        let text = fs::read_to_string(file).unwrap();
        let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        self.add(place, file, &folder, &parsed.items);
    }

    fn add(&mut self, place: Place, file: &Path, folder: &Path, items: &[Item]) {
        let mut module = Module { file: file.to_owned(), ..Module::default() };
        for item in items.iter().filter(|item| !is_for_tests(attributes(item))) {
            module.visit_item(item);
            module.items.extend(name(item));
            let Item::Mod(child) = item else { continue };
            let name = child.ident.to_string();
            let (below, inside) = ([&place[..], std::slice::from_ref(&name)].concat(), folder.join(&name));
            match &child.content {
                Some((_, items)) => self.add(below, file, &inside, items),
                None => {
                    let alone = folder.join(format!("{name}.rs"));
                    let own = if alone.exists() { alone } else { inside.join("mod.rs") };
                    let file = match elsewhere(&child.attrs) {
                        Some(path) => file.parent().unwrap().join(path),
                        None => own,
                    };
                    self.load(below, &file, inside);
                }
            }
            module.children.insert(name);
        }
        self.0.insert(place, module);
    }

    /// The module that defines what `path` in `from` leads to; `None` for what is of another crate, and for a
    /// module as such.
    fn resolve(&self, from: &Place, path: &[String], depth: u32) -> Option<Place> {
        let module = &self.0[from];
        let (mut at, rest) = match path.first()?.as_str() {
            "crate" => (Vec::new(), &path[1..]),
            "self" => (from.clone(), &path[1..]),
            "super" => {
                let up = path.iter().take_while(|name| *name == "super").count();
                (from[..from.len().checked_sub(up)?].to_vec(), &path[up..])
            }
            first if module.children.contains(first) || module.items.contains(first) => (from.clone(), path),
            first => {
                let import = module.imports.iter().find(|import| import.name == *first)?;
                // Circles of names are for the compiler.
                let leads_on = path.len() > 1 && depth < 20 && import.path[0] != *first;
                let path = [&import.path[..], &path[1..]].concat();
                return leads_on.then(|| self.resolve(from, &path, depth + 1))?;
            }
        };
        for (i, name) in rest.iter().enumerate() {
            let module = self.0.get(&at)?;
            if module.children.contains(name) {
                at.push(name.clone());
                continue;
            }
            if name == "*" || module.items.contains(name) {
                return Some(at);
            }
            let passes_on = |import: &&Import| import.name == *name;
            let named = module.imports.iter().find(passes_on).map(|import| import.path.clone());
            let mut globs = module.imports.iter().filter(|import| import.name == "*");
            let onward = |path: &[String]| {
                let path = [path, &rest[i + 1..]].concat();
                (depth < 20).then(|| self.resolve(&at, &path, depth + 1))?
            };
            return match named {
                Some(path) => onward(&path),
                None => globs.find_map(|import| {
                    onward(&[&import.path[..import.path.len() - 1], std::slice::from_ref(name)].concat())
                }),
            };
        }
        None
    }

    /// Which files each file uses, and by which names.
    fn edges(&self) -> BTreeMap<&Path, BTreeMap<&Path, BTreeSet<String>>> {
        let mut edges: BTreeMap<&Path, BTreeMap<&Path, BTreeSet<String>>> = BTreeMap::new();
        for (from, module) in &self.0 {
            let imports = module.imports.iter().filter(|import| !import.is_public).map(|import| &import.path);
            for path in imports.chain(&module.paths) {
                let Some(to) = self.resolve(from, path, 0) else { continue };
                let is_one_thing = from.starts_with(&to) || to.starts_with(from);
                let file = &self.0[&to].file;
                if !is_one_thing && *file != module.file {
                    let names = edges.entry(&module.file).or_default().entry(file).or_default();
                    names.insert(path.join("::"));
                }
            }
        }
        edges
    }
}

impl<'ast> Visit<'ast> for Module {
    fn visit_item_mod(&mut self, _: &'ast syn::ItemMod) {
        // It is a module of its own.
    }

    fn visit_item(&mut self, item: &'ast Item) {
        if !is_for_tests(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.import(&item.tree, &mut Vec::new(), !matches!(item.vis, Visibility::Inherited));
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if path.leading_colon.is_none() && names.len() > 1 {
            self.paths.insert(names);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.tokens(called.tokens.clone());
        visit::visit_macro(self, called);
    }
}

impl Module {
    fn import(&mut self, tree: &UseTree, before: &mut Vec<String>, is_public: bool) {
        let mut add = |path: Vec<String>, name: String| self.imports.push(Import { path, name, is_public });
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.import(&path.tree, before, is_public);
                before.pop();
            }
            UseTree::Name(name) if name.ident == "self" => {
                let last = before.last().cloned().unwrap_or_default();
                add(before.clone(), last);
            }
            UseTree::Name(name) => {
                let name = name.ident.to_string();
                add([&before[..], std::slice::from_ref(&name)].concat(), name);
            }
            UseTree::Rename(renamed) => {
                let path = [&before[..], &[renamed.ident.to_string()]].concat();
                add(path, renamed.rename.to_string());
            }
            UseTree::Glob(_) => add([&before[..], &["*".to_owned()]].concat(), "*".to_owned()),
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.import(tree, before, is_public));
            }
        }
    }

    /// The paths among the tokens of a macro.
    fn tokens(&mut self, tokens: TokenStream) {
        let (mut names, mut colons): (Vec<String>, u32) = (Vec::new(), 0);
        let mut end = |names: &mut Vec<String>| {
            let names = std::mem::take(names);
            if names.len() > 1 {
                self.paths.insert(names);
            }
        };
        let mut groups = Vec::new();
        for token in tokens {
            match token {
                TokenTree::Punct(mark) if mark.as_char() == ':' => {
                    colons += 1;
                    continue;
                }
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        end(&mut names);
                    }
                    names.push(ident.to_string());
                }
                TokenTree::Group(group) => {
                    end(&mut names);
                    groups.push(group.stream());
                }
                _ => end(&mut names),
            }
            colons = 0;
        }
        end(&mut names);
        groups.into_iter().for_each(|group| self.tokens(group));
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Where a module's file is, as its attribute `path` says.
fn elsewhere(attributes: &[Attribute]) -> Option<String> {
    let path = attributes.iter().find(|attribute| attribute.path().is_ident("path"))?;
    let Meta::NameValue(MetaNameValue { value: Expr::Lit(literal), .. }) = &path.meta else { return None };
    match &literal.lit {
        Lit::Str(path) => Some(path.value()),
        _ => None,
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    let is_test = |attribute: &Attribute| {
        let Meta::List(list) = &attribute.meta else { return false };
        list.path.is_ident("cfg") && list.tokens.to_string() == "test"
    };
    attributes.iter().any(is_test)
}

/// The name of what an item defines.
fn name(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        _ => return None,
    };
    Some(name.to_string())
}

/// Files below `folder` that use each other, in one or several steps, with what ties them.
fn circles<'t>(tree: &'t Tree, folder: &Path) -> Vec<(BTreeSet<&'t Path>, String)> {
    let edges = tree.edges();
    let reached = |from: &Path| -> BTreeSet<&Path> {
        let mut reached = BTreeSet::new();
        let mut open: Vec<&Path> = edges.get(from).into_iter().flat_map(|to| to.keys().copied()).collect();
        while let Some(file) = open.pop() {
            if reached.insert(file) {
                open.extend(edges.get(file).into_iter().flat_map(|to| to.keys().copied()));
            }
        }
        reached
    };
    let reach: BTreeMap<&Path, BTreeSet<&Path>> = edges.keys().map(|file| (*file, reached(file))).collect();
    let circle = |file: &&Path| -> BTreeSet<&Path> {
        reach[file]
            .iter()
            .copied()
            .filter(|other| reach.get(other).is_some_and(|r| r.contains(file)))
            .collect()
    };
    let circles: BTreeSet<BTreeSet<&Path>> = reach.keys().map(circle).filter(|c| c.len() > 1).collect();
    let shown = |file: &Path| file.strip_prefix(folder).unwrap_or(file).display().to_string();
    let ties = |circle: &BTreeSet<&Path>| -> String {
        let mut text = String::new();
        for from in circle {
            for (to, names) in edges[from].iter().filter(|(to, _)| circle.contains(*to)) {
                let names = names.iter().cloned().collect::<Vec<_>>().join(", ");
                text += &format!("  {} uses {}: {names}\n", shown(from), shown(to));
            }
        }
        text
    };
    circles.into_iter().map(|circle| (circle.clone(), ties(&circle))).collect()
}

/// The files with which the libraries and programs of the workspace begin.
fn roots(workspace: &Path) -> Vec<PathBuf> {
    let folders = |of: &str| -> Vec<PathBuf> {
        let read = fs::read_dir(workspace.join(of)).unwrap();
        read.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect()
    };
    let mut members = [folders("crates"), folders("examples")].concat();
    members.extend(["benches", "fuzz", "testing", "testing/crash", "xtask"].map(|name| workspace.join(name)));
    let mut roots = Vec::new();
    for member in members {
        roots.extend(["src/lib.rs", "src/main.rs"].map(|root| member.join(root)));
        let programs = fs::read_dir(member.join("src/bin")).into_iter().flatten();
        for path in programs.map(|entry| entry.unwrap().path()) {
            roots.push(if path.is_dir() { path.join("main.rs") } else { path });
        }
    }
    roots.retain(|root| root.is_file());
    roots.sort();
    roots
}

#[test]
fn no_files_of_a_crate_use_each_other_in_a_circle() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let roots = roots(workspace);
    assert!(roots.len() > 20, "the workspace is not where it is looked for");
    let mut found = Vec::new();
    for root in &roots {
        let tree = Tree::of(root);
        found.extend(circles(&tree, workspace).into_iter().map(|(_, ties)| format!("a circle:\n{ties}")));
    }
    assert!(found.is_empty(), "{} circles:\n{}", found.len(), found.concat());
}

#[test]
fn a_circle_of_three_files_is_found_and_a_parent_with_its_child_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("lib.rs", "mod a;\nmod b;\nmod c;\nmod d;\npub use a::A;\npub use d::D;\n");
    write("a.rs", "use crate::b::B;\npub struct A(B);\n");
    write("b.rs", "use super::c;\npub struct B(pub Vec<c::C>);\n");
    write("c.rs", "pub struct C;\nfn text() -> String {\n    format!(\"{}\", crate::A::NAME)\n}\n");
    write("d.rs", "mod e;\nuse e::E;\npub struct D(E);\n#[cfg(test)]\nmod tests { use crate::c::C; }\n");
    write("d/e.rs", "use super::D;\nuse crate::b::B;\npub struct E(Option<Box<D>>, B);\n");
    let tree = Tree::of(&folder.path().join("lib.rs"));
    let found = circles(&tree, folder.path());
    let [(files, ties)] = &found[..] else { panic!("{} circles", found.len()) };
    let names: Vec<&str> = files.iter().map(|file| file.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["a.rs", "b.rs", "c.rs"]);
    assert!(ties.contains("crate::A::NAME"), "{ties}");
}
