//! One key against what would be advised.

use super::{Finding, Verdict, finding};
use crate::in_force::InForce;
use crate::keys::Kind;
use crate::meaning::Special;
use crate::{Entry, Setting, System, Value};

/// Whether the value of `entry` can be, has an effect, and fits; in this order, since a program that does not
/// take a value does not ask whether it would have had one.
pub(super) fn judge(
    system: System,
    version: &str,
    setting: &Setting,
    entry: &Entry,
    in_force: &InForce,
) -> Finding {
    let special = in_force.special(setting.key, &entry.value);
    let value = system.rules().value(setting, &entry.value);
    let refused = match (&value, special) {
        (None, None) => Some((
            Verdict::Invalid,
            format!("not a value of this key, which is in {}: {}", setting.unit, system.rules().if_refused()),
        )),
        (Some(value), None) => out_of_range(system, version, setting, value, in_force),
        _ => None,
    };
    let needs_restart = in_force.key(setting.key).is_some_and(|key| key.needs_restart);
    let plain =
        Finding { advised: Some(setting.value.clone()), needs_restart, ..finding(entry, Verdict::Fits, "") };
    if let Some((verdict, reason)) = refused {
        return Finding { verdict, reason, ..plain };
    }
    if let Some(reason) = in_force.moot(setting.key) {
        return Finding { verdict: Verdict::Moot, reason, advised: None, ..plain };
    }
    let fits = value.as_ref().is_some_and(|value| setting.fits.has(value));
    match special.filter(|_| !fits) {
        Some(Special::Off(what)) => Finding { verdict: Verdict::Off, reason: what.to_owned(), ..plain },
        Some(Special::Automatic(how)) => {
            let reason = format!("{} leaves it to {}: {how}", entry.value, system.title());
            Finding { verdict: Verdict::NotJudged, reason, ..plain }
        }
        None => match value {
            Some(value) => compared(setting, &value, in_force, plain),
            None => plain,
        },
    }
}

/// What the program refuses although it could be a value.
fn out_of_range(
    system: System,
    version: &str,
    setting: &Setting,
    value: &Value,
    in_force: &InForce,
) -> Option<(Verdict, String)> {
    let key = in_force.key(setting.key)?;
    let then = system.rules().if_refused();
    if let (Kind::Enum, Value::Word(word)) = (key.kind, value) {
        let known = key.words.iter().any(|one| one.eq_ignore_ascii_case(word));
        let reason = || format!("{} {version} takes {}: {then}", system.title(), key.words.join(", "));
        return (!known && !key.words.is_empty()).then(|| (Verdict::Invalid, reason()));
    }
    let number = value.number()?;
    let [least, most] = key.range;
    // Not a number is in no range.
    let is_in = (least..=most).contains(&number);
    let ends = match (least.is_finite(), most.is_finite() && most < 1e18) {
        (true, true) => format!("{} to {}", setting.in_unit(least), setting.in_unit(most)),
        (true, false) => format!("{} or more", setting.in_unit(least)),
        _ => format!("up to {}", setting.in_unit(most)),
    };
    (!is_in).then(|| (Verdict::OutOfRange, format!("{} {version} takes {ends}: {then}", system.title())))
}

/// A value that has an effect, compared with those that fit.
fn compared(setting: &Setting, value: &Value, in_force: &InForce, plain: Finding) -> Finding {
    let base = in_force.relative(setting.key);
    let (value, advised) = match (base, value) {
        (Some((_, base)), Value::Number(number)) => {
            let advised = setting.value.number().map(|advised| Value::Number(advised * base));
            (&Value::Number(number / base), advised)
        }
        _ => (value, Some(setting.value.clone())),
    };
    let numbers = value.number().zip(setting.value.number());
    let verdict = match (setting.fits.has(value), numbers) {
        (true, _) => Verdict::Fits,
        (false, Some((found, advised))) if found < advised => Verdict::TooLow,
        (false, Some(_)) => Verdict::TooHigh,
        (false, None) => Verdict::Wrong,
    };
    let reason = match verdict {
        Verdict::TooLow | Verdict::Wrong => setting.if_too_low,
        Verdict::TooHigh => setting.if_too_high,
        _ => "",
    };
    let reason = match base.filter(|(_, base)| *base != 1.0 && verdict.is_wrong()) {
        Some((other, base)) => {
            format!("{} times {other} ({base}), and only their ratio counts: {reason}", value)
        }
        None => reason.to_owned(),
    };
    let off = |(found, advised): (f64, f64)| (found / advised).max(advised / found);
    let times = numbers.map(off).filter(|times| times.is_finite());
    let costs = setting.costs.as_ref();
    let costs = costs.and_then(|costs| Some((costs.at(value)?, costs.of)));
    Finding { verdict, reason, advised, times, costs, ..plain }
}
