//! A folder that stands for `/`, and programs that are run in it: they see nothing of this machine but its
//! kernel, its devices and one folder for their files.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

use crate::dist::Target;
use crate::run::{Usage, find_program, is_root, succeeds, target as target_folder};

/// Mounts what each root has, and begins the command. `$1` is the root, `$2` stands for its /tmp, `$3` is the
/// user, if it is another.
const ENTER: &str = r#"
root=$1 scratch=$2 user=$3
shift 3
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount --bind "$scratch" "$root/tmp"
exec chroot ${user:+--userspec="$user"} "$root" "$@"
"#;

/// Who runs a command in a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum User {
    Root,
    /// Someone without rights, where we are root; otherwise the same as root.
    Plain,
}

#[derive(Debug)]
pub(super) struct Root {
    /// What the root is, for messages: "an empty root".
    pub(super) name: String,
    pub(super) folder: PathBuf,
    /// Its /tmp.
    pub(super) scratch: PathBuf,
    /// What the program in it is made for.
    pub(super) target: Target,
    /// Whether there is a network in it.
    pub(super) network: bool,
}

/// Where programs are looked for in a root.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

impl Root {
    /// A root with nothing in it but three empty folders.
    pub(super) fn empty(file: &str, name: &str, target: Target) -> anyhow::Result<Root> {
        let root = Root::at(file, name, target)?;
        remove(&root.folder)?;
        root.make_folders()?;
        Ok(root)
    }

    /// The root that is kept under this name, whatever is in it.
    pub(super) fn at(file: &str, name: &str, target: Target) -> anyhow::Result<Root> {
        can_enter()?;
        let folder = target_folder().join("roots").join(file);
        let scratch = target_folder().join("roots").join(format!("{file}.tmp"));
        remove(&scratch)?;
        fs::create_dir_all(&scratch)?;
        fs::set_permissions(&scratch, fs::Permissions::from_mode(0o1777))?;
        let by = if target.is_ours() { "" } else { ", run by QEMU" };
        Ok(Root { name: format!("{name}{by}"), folder, scratch, target, network: false })
    }

    fn make_folders(&self) -> anyhow::Result<()> {
        for name in ["dev", "proc", "tmp"] {
            fs::create_dir_all(self.folder.join(name)).with_context(|| self.folder.display().to_string())?;
        }
        Ok(())
    }

    /// What a command in the root wrote to stdout; anything but success is an error with what it wrote to
    /// stderr.
    pub(super) fn output(&self, user: User, words: &[&str]) -> anyhow::Result<String> {
        let mut command = self.command(user, words)?;
        let output = command.stdin(Stdio::null()).output().context("cannot run unshare")?;
        if !output.status.success() {
            bail!(
                "in {}: `{}` ended with {}: {}{}",
                self.name,
                words.join(" "),
                output.status,
                String::from_utf8_lossy(&output.stderr),
                String::from_utf8_lossy(&output.stdout)
            );
        }
        String::from_utf8(output.stdout).with_context(|| format!("what `{}` wrote", words.join(" ")))
    }

    /// What `leadline` says in the root, run by someone without rights. QEMU runs it if this processor
    /// cannot.
    pub(super) fn leadline(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let place = self.program()?;
        let mut words = vec![place.as_str()];
        words.extend(arguments);
        if self.target.is_ours() {
            words[0] = "leadline";
            return self.output(User::Plain, &words);
        }
        let name = format!("qemu-{}-static", self.target.name());
        let emulator = self.scratch.join(&name);
        if !emulator.exists() {
            let ours = find_program(&name).with_context(|| format!("{name} is not on PATH"))?;
            fs::copy(ours, &emulator)?;
        }
        let emulator = format!("/tmp/{name}");
        words.insert(0, &emulator);
        self.output(User::Plain, &words)
    }

    /// Where the program is, seen from the root.
    fn program(&self) -> anyhow::Result<String> {
        let places = ["/usr/bin/leadline", "/usr/local/bin/leadline"];
        let there = places.into_iter().find(|place| self.folder.join(&place[1..]).is_file());
        Ok(there.with_context(|| format!("{}: no {}", self.name, places.join(" and no ")))?.to_owned())
    }

    fn command(&self, user: User, words: &[&str]) -> anyhow::Result<Command> {
        let mut command = unshare()?;
        if !self.network {
            command.arg("--net");
        }
        let user = if user == User::Plain && is_root()? { "1000:1000" } else { "" };
        command.args(["sh", "-ec", ENTER, "sh"]).arg(&self.folder).arg(&self.scratch).arg(user).args(words);
        command.env_clear().envs([("PATH", PATH), ("HOME", "/tmp"), ("LC_ALL", "C.UTF-8")]);
        for proxy in ["http_proxy", "https_proxy", "no_proxy"].iter().filter(|_| self.network) {
            command.envs(env::var_os(proxy).map(|value| (proxy, value)));
        }
        Ok(command)
    }

    /// The names of all files and folders, but for what package managers write of themselves and what a start
    /// of the system removes.
    pub(super) fn names(&self) -> anyhow::Result<Vec<String>> {
        let mut find = Command::new("find");
        find.arg(&self.folder).args(["-xdev", "-mindepth", "1", "-printf", "%P\\n"]);
        let names = crate::run::output(&mut find)?;
        let own = ["var/lib/dpkg", "var/lib/apt", "var/lib/rpm", "var/log", "var/cache", "run"];
        let mut names: Vec<_> = names
            .lines()
            .filter(|name| !own.iter().any(|own| name.starts_with(own)))
            .map(str::to_owned)
            .collect();
        names.sort();
        Ok(names)
    }

    /// Fails if anything is there that was not there before.
    pub(super) fn has_only(&self, before: &[String], what: &str) -> anyhow::Result<()> {
        let left: Vec<_> =
            self.names()?.into_iter().filter(|name| before.binary_search(name).is_err()).collect();
        if !left.is_empty() {
            bail!("in {}: {what} leaves {}", self.name, left.join(", "));
        }
        Ok(())
    }
}

/// A command of the host in namespaces of its own, as their root. It ends when we do.
pub(super) fn unshare() -> anyhow::Result<Command> {
    let mut command = Command::new("unshare");
    command.args(["--mount", "--pid", "--fork", "--kill-child"]);
    if !is_root()? {
        command.arg("--map-root-user");
    }
    Ok(command)
}

/// Fails where we may not make roots, with what would allow it.
fn can_enter() -> anyhow::Result<()> {
    if succeeds(unshare()?.args(["--net", "true"])) {
        return Ok(());
    }
    let remedy = if is_root()? {
        "this container does not allow it: run it with the capability CAP_SYS_ADMIN"
    } else {
        "run it as root, or allow user namespaces (sysctl user.max_user_namespaces above 0; on Ubuntu \
         kernel.apparmor_restrict_unprivileged_userns=0)"
    };
    Err(Usage::error(format!(
        "packages are tried in namespaces made by unshare (Debian: util-linux); {remedy}"
    )))
}

/// Removes a folder, if it is there.
pub(super) fn remove(folder: &Path) -> anyhow::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    Ok(())
}
