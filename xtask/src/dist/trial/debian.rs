//! The .deb: by dpkg alone where there is nothing else, and by apt in Debian's releases.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use super::checks;
use super::root::{Root, User, remove, unshare};
use crate::dist::{Dist, Target};
use crate::run::{output, run, say};

/// Where Debian's zsh looks for the completions of packages, under /usr.
const ZSH: &str = "share/zsh/vendor-completions/_leadline";

/// By dpkg of this machine, into a root that has nothing else.
pub(super) fn alone(dist: &Dist, target: Target, package: &Path) -> anyhow::Result<(String, Duration)> {
    let root = Root::empty(&format!("deb-{}", target.name()), "an empty root, by dpkg", target)?;
    let database = root.folder.join("var/lib/dpkg");
    fs::create_dir_all(database.join("info"))?;
    fs::create_dir_all(database.join("updates"))?;
    fs::write(database.join("status"), "")?;
    let before = root.names()?;
    let start = Instant::now();
    run(dpkg(&root)?.arg("--install").arg(package))?;
    checks::first_profile(&root)?;
    let time = start.elapsed();
    checks::program(dist, &root)?;
    checks::files(&root, "usr", ZSH)?;
    run(dpkg(&root)?.args(["--purge", "leadline"]))?;
    root.has_only(&before, "the purged package")?;
    Ok((root.name, time))
}

fn dpkg(root: &Root) -> anyhow::Result<Command> {
    let mut dpkg = unshare()?;
    dpkg.args(["dpkg", "--force-not-root", "--force-architecture", "--log=/dev/null"]);
    dpkg.arg(format!("--root={}", root.folder.display())).stdout(std::io::stderr());
    // It asks for programs of the system that it does not start: the package has no scripts.
    dpkg.env("PATH", "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin");
    Ok(dpkg)
}

/// By apt in a release of Debian, as its users do; all that they would do afterwards, and the removal.
pub(super) fn on_release(
    dist: &Dist,
    target: Target,
    package: &Path,
    (number, suite): (u32, &str),
) -> anyhow::Result<(String, Duration)> {
    let root = release(target, number, suite)?;
    fs::copy(package, root.scratch.join("leadline.deb"))?;
    root.output(User::Root, &["apt-get", "-qq", "update"])?;
    let before = root.names()?;
    let start = Instant::now();
    root.output(User::Root, &["apt-get", "-qqy", "install", "/tmp/leadline.deb"])?;
    checks::first_profile(&root)?;
    let time = start.elapsed();
    checks::program(dist, &root)?;
    checks::files(&root, "usr", ZSH)?;
    let page = root.output(User::Plain, &["man", "--pager=cat", "leadline-profile"])?;
    ensure!(page.contains("Measure a device"), "`man leadline-profile` shows {page}");
    let completion = ". /usr/share/bash-completion/bash_completion; _completion_loader leadline; \
                      complete -p leadline";
    root.output(User::Plain, &["bash", "-c", completion])?;
    checks::emulation(&root)?;
    root.output(User::Root, &["apt-get", "-qqy", "reinstall", "/tmp/leadline.deb"])?;
    checks::earlier_files(&root)?;
    root.output(User::Root, &["apt-get", "-qqy", "purge", "--autoremove", "leadline"])?;
    root.has_only(&before, "the purged package")?;
    Ok((root.name, time))
}

/// A fresh root with a release: a copy of one that is kept, since to make one takes a minute.
fn release(target: Target, number: u32, suite: &str) -> anyhow::Result<Root> {
    let name = format!("Debian {number}");
    let kept = Root::at(suite, &name, target)?;
    if !kept.folder.join("complete").exists() {
        remove(&kept.folder)?;
        say(&format!("dist: making a root with {name}"));
        let mut make = Command::new("mmdebstrap");
        // adduser stays when fuse3, which needs it, is removed again.
        make.args(["--quiet", "--variant=minbase", "--include=adduser,bash-completion,man-db", suite]);
        run(make.arg(&kept.folder).args(mirror()?))?;
        fs::copy("/etc/resolv.conf", kept.folder.join("etc/resolv.conf")).context("/etc/resolv.conf")?;
        // What an installer adds, and fusermount3 looks for.
        symlink("/proc/self/mounts", kept.folder.join("etc/mtab"))?;
        kept.output(User::Root, &["useradd", "--uid", "1000", "someone"])?;
        fs::write(kept.folder.join("complete"), "")?;
    }
    let mut root = Root::at(&format!("{suite}-tried"), &name, target)?;
    remove(&root.folder)?;
    run(Command::new("cp").arg("-a").arg(&kept.folder).arg(&root.folder))?;
    root.network = true;
    Ok(root)
}

/// Where this machine gets Debian from; nothing if it gets it nowhere, and the tool's own choice is taken.
fn mirror() -> anyhow::Result<Option<String>> {
    let mut sources = Command::new("apt-get");
    sources.args(["indextargets", "--format", "$(CODENAME) $(REPO_URI)"]);
    sources.args(["Created-By: Packages", "Origin: Debian", "Component: main"]);
    let sources = output(&mut sources)?;
    let main = sources.lines().filter_map(|line| line.split_once(' ')).find(|(name, _)| !name.contains('-'));
    Ok(main.map(|(_, mirror)| mirror.to_owned()))
}
