//! A configuration judged although nobody says which version reads it: only what holds for all counts.

use super::{Finding, Lint, Verdict};

/// The lint of the newest version, without what another version would be told otherwise. `lints` has one per
/// version, the newest last.
pub(super) fn in_common(lints: Vec<Lint>) -> Lint {
    let Some((newest, others)) = lints.split_last() else { unreachable!("a system has a version") };
    let mut lint = newest.clone();
    for finding in &mut lint.findings {
        let of = |other: &Lint| other.findings.iter().find(|one| is_of_one_place(one, finding)).cloned();
        // A version without the key says nothing of it, unless it is known to refuse it.
        let differs =
            |other: &&Lint| of(other).filter(|one| one.verdict.is_wrong() != finding.verdict.is_wrong());
        if let Some((other, said)) = others.iter().rev().find_map(|other| Some((other, differs(&other)?))) {
            let said = said.verdict.words();
            let reason = format!(
                "{} in version {}, {said} in {}: say --version",
                finding.verdict.words(),
                newest.advice.version,
                other.advice.version
            );
            *finding = Finding { verdict: Verdict::NotJudged, reason, advised: None, ..finding.clone() };
        }
    }
    lint.unset.retain(|unset| others.iter().all(|other| other.unset.contains(unset)));
    lint
}

fn is_of_one_place(one: &Finding, other: &Finding) -> bool {
    one.key == other.key && one.place == other.place
}
