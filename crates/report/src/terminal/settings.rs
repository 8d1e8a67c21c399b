//! Advice for a system and a judged configuration, in the terminal.

use leadline_advise::{Advice, Finding, Fits, Lint, Setting, Unset, Verdict};

use super::table::{finish, new_table};
use super::wrap;
use crate::format::significant;
use crate::settings::{as_good, as_good_sentence, in_unit, interval, shown, unit};

/// What is advised for one system, in a terminal `width` columns wide: one line per key with the values that
/// do as well, or with `explain` also its interval, its rule, its source, and what happens if it is wrong.
/// Ends with a newline.
pub fn render_advice(advice: &Advice, explain: bool, width: usize) -> String {
    let mut out = vec![wrap(&title(advice), width, "  ")];
    if explain {
        out.extend(advice.settings.iter().map(|setting| explained(setting, width)));
    } else if !advice.settings.is_empty() {
        out.push(table(advice, width));
    }
    out.extend(advice.notes.iter().map(|note| wrap(note, width, "  ")));
    for missing in &advice.missing {
        out.push(wrap(&format!("left out: {}: {}", missing.key, missing.reason), width, "  "));
    }
    out.join("\n") + "\n"
}

fn title(advice: &Advice) -> String {
    let proven = if advice.provable { "" } else { "; not proven here, Leadline does not run it" };
    format!("{} {} on {}{proven}", advice.system.title(), advice.version, advice.device)
}

fn table(advice: &Advice, width: usize) -> String {
    let mut table = new_table(width);
    table.set_header(["key", "value", "does as well", "unit", "default"]);
    for setting in &advice.settings {
        table.add_row([
            setting.key.to_owned(),
            shown(&setting.value),
            as_good(setting).unwrap_or_else(|| "–".to_owned()),
            unit(setting).to_owned(),
            setting.default.as_ref().map_or_else(|| "–".to_owned(), shown),
        ]);
    }
    finish(table, usize::MAX)
}

fn explained(setting: &Setting, width: usize) -> String {
    let interval = interval(setting).map_or(String::new(), |interval| format!(" ({interval})"));
    let mut lines = vec![
        format!("\n{} = {}{interval} {}", setting.key, shown(&setting.value), unit(setting))
            .trim_end()
            .to_owned(),
    ];
    let mut say = |what: &str, text: &str| {
        if !text.is_empty() {
            let text = wrap(&format!("{what}{text}"), width - 2, "  ");
            lines.extend(text.lines().map(|line| format!("  {line}")));
        }
    };
    say("", &as_good_sentence(setting).unwrap_or_default());
    if let Some(exact) =
        setting.exact.map(|exact| in_unit(setting, exact)).filter(|e| *e != shown(&setting.value))
    {
        let text = format!(
            "{exact} by the rule; the nearest step of a ladder, so that profiles of one device agree"
        );
        say("", &text);
    }
    say("rule: ", &setting.rule);
    say("defined in: ", &setting.source.to_string());
    match setting.fits {
        Fits::Range(_) => {
            say("too low: ", setting.if_too_low);
            say("too high: ", setting.if_too_high);
        }
        Fits::Words(_) => say("otherwise: ", setting.if_too_low),
    }
    lines.join("\n")
}

/// A judged configuration, in a terminal `width` columns wide: what is wrong with its reasons, then what
/// fits. Ends with a newline.
pub fn render_lint(lint: &Lint, width: usize) -> String {
    let mut out = vec![wrap(&title(&lint.advice), width, "  ")];
    let (wrong, rest): (Vec<&Finding>, Vec<&Finding>) =
        lint.findings.iter().partition(|finding| finding.verdict.is_wrong());
    for finding in wrong {
        out.push(format!("{}: {} = {}: {}", finding.place, finding.key, finding.found, judged(finding)));
        let reason = wrap(&finding.reason, width - 2, "");
        out.extend(reason.lines().map(|line| format!("  {line}")));
    }
    let mut list = |what: &str, verdict: Verdict| {
        let keys: Vec<&str> = rest
            .iter()
            .filter(|finding| finding.verdict == verdict)
            .map(|finding| finding.key.as_str())
            .collect();
        if !keys.is_empty() {
            out.push(wrap(&format!("{what}: {}", keys.join(", ")), width, "  "));
        }
    };
    list("fit", Verdict::Fits);
    list("not judged, since the profile lacks what they are judged by", Verdict::NotJudged);
    if lint.findings.is_empty() {
        out.push("no key in it depends on the device".to_owned());
    }
    let unset =
        |one: &Unset| format!("{} ({}, where {} fits)", one.key, shown(&one.default), shown(&one.advised));
    if !lint.unset.is_empty() {
        let list: Vec<String> = lint.unset.iter().map(unset).collect();
        let text = format!("not set, and the default does not fit: {}", list.join(", "));
        out.push(wrap(&text, width, "  "));
    }
    out.extend(lint.notes.iter().map(|note| wrap(note, width, "  ")));
    out.join("\n") + "\n"
}

/// `too low by 36 times, 36 fits; a cold bitmap heap scan takes 12 times as long as with the best`.
fn judged(finding: &Finding) -> String {
    let by = match (finding.verdict, finding.times) {
        (Verdict::TooLow | Verdict::TooHigh, Some(times)) => format!(" by {} times", significant(times)),
        _ => String::new(),
    };
    let advised = finding.advised.as_ref().map_or(String::new(), |value| format!(", {} fits", shown(value)));
    // What is within the noise of a measurement is not worth a word.
    let costs = match finding.costs {
        Some((times, of)) if times >= 1.1 => {
            format!("; {of} takes {} times as long as with the best", significant(times))
        }
        _ => String::new(),
    };
    format!("{}{by}{advised}{costs}", finding.verdict.words())
}
