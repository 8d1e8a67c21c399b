//! A page's blocks in one session of bash, as somebody pastes them who reads it from top to bottom.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use leadline_testing::processes;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::Page;
use crate::block::{Block, Mark};
use crate::{shown, stand_ins};

/// Many times what a page takes, and less than `cargo xtask test` waits for a word.
const PATIENCE: Duration = Duration::from_mins(8);

/// What a page left in the background is ended with it, on errors too.
const BEGIN: &str = "\
exec </dev/null
end_server() { :; }
trap '{ kill $(jobs -p) || :; } 2>/dev/null; end_server || :; wait' EXIT
";
const POSTGRESQL: &str = include_str!("postgresql.sh");
/// A page ends what it began.
const END: &str = "exec >/dev/null 2>&1\nwait\n";

/// Ends a text in the script; no page has it.
const END_OF_FILE: &str = "END-OF-A-FILE-OF-A-PAGE";

/// Runs it, to the first block for which something is missing on this machine.
#[track_caller]
pub(crate) fn run(page: &Page) {
    let able = page.blocks.iter().position(|block| missing(block).is_some());
    let blocks = &page.blocks[..able.unwrap_or(page.blocks.len())];
    let session = Session::new();
    let mut script = session.script(blocks);
    if page.is_whole && able.is_none() {
        script += END;
    }
    let status = session.bash(&script);
    assert!(status.success(), "{}", session.failure(page, status));
    if let Err(error) = session.check(blocks) {
        panic!("{}:{error}", page.name);
    }
    if let Some(block) = able.map(|able| &page.blocks[able]) {
        // Past the test harness, which keeps what passing tests print.
        let needs = missing(block).unwrap_or_default();
        let _ = writeln!(std::io::stderr(), "SKIPPED {} from line {} on: no {needs}", page.name, block.line);
    }
}

/// What a block needs that is not here.
fn missing(block: &Block) -> Option<String> {
    let Mark::Run(needs) = &block.mark else { return None };
    let python = block.is_python().then(|| "python".to_owned());
    needs.names.iter().cloned().chain(python).find(|name| !stand_ins::has(name))
}

/// The directory in which a page is read, and one for what the test needs.
struct Session {
    reader: TempDir,
    own: TempDir,
}

impl Session {
    fn new() -> Session {
        // On the file system of the build: a disk, where `/tmp` may be memory.
        let directory = || {
            let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
            // Servers that are not root's work in it.
            fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o711)).unwrap();
            directory
        };
        Session { reader: directory(), own: directory() }
    }

    /// Where it is written which block was begun last.
    fn reached(&self) -> PathBuf {
        self.own.path().join("reached")
    }

    /// What a block printed.
    fn printed(&self, block: &Block) -> PathBuf {
        self.own.path().join(format!("{}.printed", block.line))
    }

    /// All blocks; what each of them prints goes to a file of its own.
    fn script(&self, blocks: &[Block]) -> String {
        let mut script = BEGIN.to_owned();
        if blocks.iter().any(|block| block.needs("postgresql-server")) {
            let own = self.own.path().display();
            let _ = writeln!(script, "own='{own}' bin='{own}/bin'\n{POSTGRESQL}");
        }
        for (index, block) in blocks.iter().enumerate() {
            match &block.mark {
                Mark::Run(_) if block.is_python() => {
                    if !blocks[..index].iter().rev().find(|block| block.acts()).is_some_and(Block::is_python)
                    {
                        script += &self.python(blocks[index..].iter());
                    }
                }
                Mark::Run(_) => {
                    let (printed, reached) = (self.printed(block), self.reached());
                    let _ = writeln!(script, "exec >'{}' 2>&1", printed.display());
                    let _ = writeln!(script, "echo {} >'{}'\n{}", block.line, reached.display(), block.text);
                }
                Mark::File(name) => {
                    let _ = writeln!(script, "mkdir -p \"$(dirname '{name}')\"");
                    let _ = writeln!(script, "cat >'{name}' <<'{END_OF_FILE}'\n{}{END_OF_FILE}", block.text);
                }
                Mark::Output(_) | Mark::NotRun => {}
            }
        }
        script
    }

    /// Runs the blocks of Python up to one of something else, in one session of Python.
    fn python<'b>(&self, blocks: impl Iterator<Item = &'b Block>) -> String {
        let mut program = "import os\nspace = {'__name__': '__main__'}\n".to_owned();
        for block in blocks.filter(|block| block.acts()).take_while(|block| block.is_python()) {
            let source = self.own.path().join(format!("{}.py", block.line));
            fs::write(&source, &block.text).unwrap();
            let _ = writeln!(
                program,
                "open({reached:?}, 'w').write('{line}')\n\
                 out = os.open({printed:?}, os.O_WRONLY | os.O_CREAT)\n\
                 import sys; sys.stdout.flush(); os.dup2(out, 1); os.dup2(out, 2)\n\
                 exec(compile(open({source:?}).read(), {source:?}, 'exec'), space)",
                reached = self.reached(),
                line = block.line,
                printed = self.printed(block),
            );
        }
        format!("python - <<'{END_OF_FILE}'\n{program}{END_OF_FILE}\n")
    }

    fn bash(&self, script: &str) -> ExitStatus {
        let bin = self.own.path().join("bin");
        fs::create_dir(&bin).unwrap();
        let file = self.own.path().join("page.sh");
        fs::write(&file, script).unwrap();
        let mut command = Command::new("bash");
        command.arg("-eu").arg(&file).current_dir(self.reader.path()).stdin(Stdio::null());
        command.stdout(fs::File::create(self.own.path().join("before.printed")).unwrap());
        command.stderr(fs::File::create(self.own.path().join("bash.printed")).unwrap());
        command.env("PATH", stand_ins::install(&bin)).env("PYTHONPATH", stand_ins::python_package());
        command.env("HOME", self.own.path()).env("PYTHONDONTWRITEBYTECODE", "1").env_remove("COLUMNS");
        let mut child = command.spawn().unwrap();
        let id = Pid::from_child(&child);
        let (to_us, ended) = channel();
        thread::spawn(move || to_us.send(child.wait()));
        match ended.recv_timeout(PATIENCE) {
            Ok(status) => status.unwrap(),
            Err(RecvTimeoutError::Disconnected) => unreachable!("it is sent"),
            Err(RecvTimeoutError::Timeout) => self.give_up(id),
        }
    }

    /// Ends what a page began and did not end.
    fn give_up(&self, bash: Pid) -> ! {
        let family = processes::family(bash.as_raw_nonzero().get().unsigned_abs());
        let does = processes::describe(&family);
        for id in family.into_iter().filter_map(|id| Pid::from_raw(i32::try_from(id).ok()?)) {
            let _ = kill_process(id, Signal::TERM);
        }
        panic!("{} has not ended after {PATIENCE:?}:\n{does}", self.last());
    }

    /// The block that was begun last.
    fn last(&self) -> String {
        format!("line {}", fs::read_to_string(self.reached()).unwrap_or_default().trim())
    }

    fn failure(&self, page: &Page, status: ExitStatus) -> String {
        let reached = fs::read_to_string(self.reached()).unwrap_or_default();
        let block = page.blocks.iter().find(|block| block.line.to_string() == reached.trim());
        let read = |file: &Path| String::from_utf8_lossy(&fs::read(file).unwrap_or_default()).into_owned();
        format!(
            "{}:{}: ended with {status}\n{}--- it printed\n{}{}",
            page.name,
            reached.trim(),
            block.map_or("", |block| &block.text),
            block.map(|block| read(&self.printed(block))).unwrap_or_default(),
            read(&self.own.path().join("bash.printed")),
        )
    }

    /// Whether all that the page shows is what was printed.
    fn check(&self, blocks: &[Block]) -> Result<(), String> {
        let mut ran = None;
        for block in blocks {
            match block.mark {
                Mark::Run(_) => ran = Some(block),
                Mark::Output(likeness) => {
                    let ran = ran.ok_or_else(|| format!("{}: shown, but nothing was run", block.line))?;
                    let printed = fs::read(self.printed(ran)).unwrap_or_default();
                    let printed = String::from_utf8_lossy(&printed);
                    shown::check(&block.text, &printed, likeness).map_err(|line| {
                        format!(
                            "{}: the block of line {} does not print\n{line}\nbut\n{printed}",
                            block.line, ran.line
                        )
                    })?;
                }
                Mark::File(_) | Mark::NotRun => {}
            }
        }
        Ok(())
    }
}
