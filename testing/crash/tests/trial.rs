//! Power cuts, one after the other, and what they cost.

use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::process::Stdio;
use std::time::Instant;

use leadline_emulate::PowerCut;
use leadline_testing::exhaustive;

use crate::client::{Acknowledged, Client};
use crate::drive::{Drive, Rules, obstacle, open_folder, skipped};
use crate::program::Program;

const SEED: u64 = 20_261_122;

/// What came of a number of cuts.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    cuts: u64,
    /// Cuts that lost a write which had reached the drive, or part of one. What was still in the kernel's
    /// page cache is not counted, though it is lost too.
    dropped: u64,
    /// Commits.
    acknowledged: u64,
    /// Acknowledged commits that were not there after a recovery that succeeded.
    lost: u64,
    /// Cuts that lost such a commit.
    losing: u64,
    /// Cuts after which recovery or a check failed.
    damaged: u64,
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.cuts += other.cuts;
        self.dropped += other.dropped;
        self.acknowledged += other.acknowledged;
        self.lost += other.lost;
        self.losing += other.losing;
        self.damaged += other.damaged;
    }

    /// For benches/RESULTS.md; past the test harness, which keeps the output of tests that pass to itself.
    fn print(&self, name: &str, rules: Rules) {
        let Tally { cuts, dropped, acknowledged, lost, losing, damaged } = self;
        let _ = writeln!(
            std::io::stderr(),
            "| {name} | {rules:?} | {cuts} | {dropped} | {acknowledged} | {lost} | {losing} | {damaged} |"
        );
    }
}

/// Runs clients from what was found, and cuts the power at some moment; `survivors` is the seed of what
/// outlives it. What the cut did, and what was acknowledged to each client before it was ordered.
fn cut(
    program: &mut dyn Program,
    drive: &Drive,
    found: &[u64],
    random: &mut fastrand::Rng,
    survivors: Option<u64>,
) -> (PowerCut, Vec<u64>) {
    let acknowledged = Acknowledged::new(found);
    let mut log = tempfile::tempfile().unwrap();
    let mut load = Vec::new();
    for mut command in program.load() {
        let output = || Stdio::from(log.try_clone().unwrap());
        load.push(command.stdin(Stdio::null()).stdout(output()).stderr(output()).spawn().unwrap());
    }
    let clients = program.clients(&drive.mount()).into_iter().enumerate();
    let clients: Vec<Client> = clients
        .map(|(index, (command, request))| Client::start(index, command, request, &acknowledged, &log))
        .collect();
    let began = Instant::now();
    let commits = random.u64(program.commits());
    if !acknowledged.wait_for(commits) {
        panic!("{}: a client stopped before the cut: {}", program.name(), text(&mut log));
    }
    // Somewhere in the commits that follow, not right after one.
    std::thread::sleep((began.elapsed() / commits as u32).mul_f64(2.0 * random.f64()));
    let last = acknowledged.last();
    // A machine without power runs no programs: they must not go on with what the cut has left.
    clients.iter().for_each(Client::freeze);
    program.freeze();
    let cut = drive.cut_power(survivors);
    for mut process in load {
        let _ = process.kill();
        process.wait().unwrap();
    }
    clients.into_iter().for_each(Client::kill);
    program.kill();
    (cut, last)
}

fn text(log: &mut File) -> String {
    let mut text = String::new();
    let _ = log.rewind().and_then(|()| log.read_to_string(&mut text));
    text
}

/// What a cut has cost.
fn judge(found: &[u64], last: &[u64], after: &Result<Vec<u64>, String>, cut: &PowerCut) -> Tally {
    let acknowledged = last.iter().zip(found).map(|(last, found)| last - found).sum();
    let lost = match after {
        Ok(after) => last.iter().zip(after).map(|(last, after)| last.saturating_sub(*after)).sum(),
        Err(_) => 0,
    };
    Tally {
        cuts: 1,
        dropped: u64::from(cut.writes_lost > 0),
        acknowledged,
        lost,
        losing: u64::from(lost > 0),
        damaged: u64::from(after.is_err()),
    }
}

/// Cuts the power again and again on one drive, each time after recovery: `count` times, and then until
/// `least` of them have dropped a write, but at most twice as often.
fn cuts(
    program: &mut dyn Program,
    contents: &std::path::Path,
    rules: Rules,
    count: u64,
    least: u64,
) -> Tally {
    let drive = Drive::new(contents, rules);
    let mut random = fastrand::Rng::with_seed(SEED);
    let mut tally = Tally::default();
    let mut found = program.recover(&drive.mount()).unwrap();
    for number in 0..2 * count {
        if number >= count && tally.dropped >= least {
            break;
        }
        let survivors = Some(random.u64(..));
        let (cut, last) = cut(program, &drive, &found, &mut random, survivors);
        let after = program.recover(&drive.mount());
        tally.add(&judge(&found, &last, &after, &cut));
        found = after.unwrap_or_else(|damage| {
            panic!("{}, {rules:?} rules, cut {number}: {damage}", program.name());
        });
    }
    program.kill();
    tally
}

/// The same with a drive that lies, a new one for each cut, since little is left of it: in turn nothing,
/// which is sound but old, and some of it, which is most often damaged.
fn lies(program: &mut dyn Program, contents: &std::path::Path, count: u64) -> Tally {
    let mut random = fastrand::Rng::with_seed(SEED);
    let mut tally = Tally::default();
    for number in 0..count {
        let drive = Drive::new(contents, Rules::Lying);
        let found = program.recover(&drive.mount()).unwrap();
        let survivors = (number % 2 == 1).then(|| random.u64(..));
        let (cut, last) = cut(program, &drive, &found, &mut random, survivors);
        tally.add(&judge(&found, &last, &program.recover(&drive.mount()), &cut));
        program.kill();
    }
    tally
}

/// 100 power cuts, and [`Program::strict_cuts`] by the strict rules, lose nothing that was acknowledged. Half
/// of them drop a write, for which there are more cuts where it takes more; on a drive whose syncs do
/// nothing, 200 more do: the proof can fail. A few cuts unless all cases are to be tried.
pub(crate) fn prove(program: &mut dyn Program) {
    if let Some(obstacle) = obstacle() {
        return skipped(obstacle);
    }
    // How many drop a write depends on the machine, and on how soon a program syncs.
    let counts = if exhaustive() { [100, program.strict_cuts()] } else { [1, 1] };
    let contents = open_folder();
    program.set_up(contents.path());
    for (rules, count) in [Rules::Default, Rules::Strict].into_iter().zip(counts) {
        let dropping = count / 2;
        let tally = cuts(program, contents.path(), rules, count, dropping);
        tally.print(program.name(), rules);
        assert!(tally.dropped >= dropping, "{}: too few cuts dropped a write", program.name());
        assert_eq!(tally.lost, 0, "{}, {rules:?} rules: acknowledged commits were lost", program.name());
    }
    let lying = lies(program, contents.path(), if exhaustive() { 200 } else { 2 });
    lying.print(program.name(), Rules::Lying);
    assert!(4 * lying.losing >= lying.cuts, "{}: a drive that lies was not noticed", program.name());
}
