//! What is said before anything is installed, written or started; `--json` and `--dry-run` have the same.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use leadline_advise::{Advice, Missing};
use leadline_device::format_size;
use leadline_prove::{Effort, Foreseen, Part, Progress, ProveError};
use serde::Serialize;

use super::{Args, Shown, watched};
use crate::failure::Failure;
use crate::messages;

/// Settings that are to be proven, and what the rules could not say.
#[derive(Default)]
pub(super) struct Advised {
    /// Keys and values.
    pub(super) pairs: Vec<(String, String)>,
    missing: Vec<NotAdvised>,
}

/// A key that is not part of the advice.
#[derive(Serialize)]
struct NotAdvised {
    key: &'static str,
    reason: String,
}

impl Advised {
    /// Those that someone gave.
    pub(super) fn given(pairs: Vec<(String, String)>) -> Advised {
        Advised { pairs, missing: Vec::new() }
    }
}

impl From<Advice> for Advised {
    fn from(advice: Advice) -> Advised {
        let pairs = advice.pairs();
        let missing =
            advice.missing.into_iter().map(|Missing { key, reason, .. }| NotAdvised { key, reason });
        Advised { pairs, missing: missing.collect() }
    }
}

/// All of it.
#[derive(Serialize)]
pub(super) struct Announced {
    system: String,
    #[serde(flatten)]
    foreseen: Foreseen,
    /// Always none: who runs a command does not expect another program from it.
    installs: [&'static str; 0],
    /// Loading and all experiments.
    #[serde(flatten)]
    effort: Effort,
    /// Whether there may be up to twice the rounds.
    may_be_extended: bool,
    /// Experiments to which no key of the advice matters.
    left_out: Vec<&'static str>,
    not_advised: Vec<NotAdvised>,
}

/// A document of `P` with what was said before.
#[derive(Serialize)]
struct Document<'a, P> {
    #[serde(flatten)]
    proof: &'a P,
    announced: &'a Announced,
}

/// The document of `--dry-run`.
#[derive(Serialize)]
struct DryRun<'a> {
    dry_run: bool,
    #[serde(flatten)]
    announced: &'a Announced,
}

/// Names of the parts that try something of the advice, or of all where some were asked for by name; and of
/// those that do not.
///
/// # Errors
/// Where nothing is left to be tried.
pub(super) fn tried(args: &Args, parts: &[Part]) -> Result<[Vec<&'static str>; 2], Failure> {
    let asked = !args.only.is_empty();
    let (tried, idle): (Vec<&Part>, Vec<&Part>) =
        parts.iter().partition(|part| asked || !part.keys.is_empty());
    let tries = |part: &&Part| !part.keys.is_empty();
    if !args.set.is_empty() && !parts.iter().any(|part| tries(&part)) {
        let keys: Vec<&str> = args.set.iter().map(|(key, _)| key.as_str()).collect();
        let names: Vec<&str> = parts.iter().map(|part| part.name).collect();
        return Err(Failure::Input(format!(
            "--set {}: no experiment that would run tries that ({}); `leadline docs prove` has the settings that \
             matter",
            keys.join(", "),
            names.join(", ")
        )));
    }
    if tried.is_empty() {
        let (system, profile, target) = (&args.system, args.profile.display(), args.target.display());
        return Err(Failure::Input(format!(
            "{profile}: the advice from it has nothing to try; give settings with --set KEY=VALUE, run the grid \
             alone with --only NAME, or measure what {system} needs: leadline profile {target} --for {system} -o FILE"
        )));
    }
    Ok([tried, idle].map(|parts| parts.iter().map(|part| part.name).collect()))
}

impl Announced {
    pub(super) fn new(
        args: &Args,
        foreseen: Foreseen,
        advised: Advised,
        left_out: Vec<&'static str>,
    ) -> Announced {
        let may_be_extended =
            args.rounds.is_none() && foreseen.parts.iter().any(|part| !part.keys.is_empty());
        Announced {
            system: args.system.clone(),
            effort: foreseen.effort(),
            foreseen,
            installs: [],
            may_be_extended,
            left_out,
            not_advised: advised.missing,
        }
    }

    /// In lines.
    fn lines(&self, args: &Args) -> Vec<String> {
        let Foreseen { version, target, programs, on_disk_bytes, parts, .. } = &self.foreseen;
        let programs: Vec<String> = programs.iter().map(|path| path.display().to_string()).collect();
        let more = if self.may_be_extended {
            " (up to twice that while the advice cannot be told from the default)"
        } else {
            ""
        };
        let mut lines = vec![
            format!("{} {version}: runs {}; installs nothing", self.system, programs.join(", ")),
            format!(
                "takes about {}{more} and writes about {}, at most {} at a time, in a directory .leadline-prove-* in \
                 {}, which is removed at the end",
                minutes(self.effort.seconds),
                format_size(self.effort.written_bytes),
                format_size(*on_disk_bytes),
                target.display()
            ),
            parts.iter().map(line).collect::<Vec<_>>().join("; "),
        ];
        if let Some(first) = self.left_out.first() {
            lines.push(format!(
                "left out, since the advice has no key that matters there: {} (--only {first} runs its grid all the \
                 same)",
                self.left_out.join(", ")
            ));
        }
        if !self.not_advised.is_empty() {
            let keys: Vec<&str> = self.not_advised.iter().map(|missing| missing.key).collect();
            lines.push(format!(
                "not part of the advice: {} (leadline advise {} {} says why)",
                keys.join(", "),
                self.system,
                args.profile.display()
            ));
        }
        lines
    }
}

fn line(part: &Part) -> String {
    let keys = if part.keys.is_empty() { String::new() } else { format!(" ({})", part.keys.join(", ")) };
    format!("{}: {} runs, about {}{keys}", part.name, part.runs, minutes(part.effort.seconds))
}

/// `40 s`, `12 min`, `2.5 h`.
fn minutes(seconds: f64) -> String {
    match seconds {
        _ if seconds < 90.0 => format!("{:.0} s", seconds.max(1.0)),
        _ if seconds < 5400.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}

/// Says what is about to be done, does it, and has it shown; with `--dry-run` only the first.
pub(super) fn proven<P: Serialize>(
    args: &Args,
    announced: &Announced,
    prove: impl FnOnce(&Arc<AtomicBool>, &mut dyn FnMut(Progress)) -> Result<P, ProveError>,
    text: impl FnOnce(&P) -> String,
) -> Result<Shown, Failure> {
    let lines = announced.lines(args);
    if args.dry_run {
        let json = document(&DryRun { dry_run: true, announced });
        return Ok(Shown { json, text: lines.join("\n") + "\n" });
    }
    lines.iter().for_each(|line| messages::note(line));
    let proof = watched(prove)?;
    Ok(Shown { json: document(&Document { proof: &proof, announced }), text: text(&proof) })
}

/// JSON, indented, with a line feed at its end.
fn document(of: &impl Serialize) -> String {
    serde_json::to_string_pretty(of).expect("numbers and text can be written as JSON") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_the_unit_that_is_read_at_once() {
        assert_eq!([0.2, 40.0, 720.0, 9000.0].map(minutes), ["1 s", "40 s", "12 min", "2.5 h"]);
    }
}
