//! `leadline lint auto`: whatever a file has settings of.

use std::collections::BTreeSet;

use leadline_advise::{Inputs, Lint, Recognised, recognise, text};
use leadline_figures::Text;
use leadline_profile::DeviceProfile;
use leadline_report::render_text;
use serde_json::{Value, json};

use super::{Args, Named, ended, judged, reading};
use crate::failure::Failure;
use crate::output;

pub(super) fn run(
    named: &Named,
    args: &Args,
    profile: &DeviceProfile,
    inputs: &Inputs,
) -> Result<(), Failure> {
    let Named::File(path) = named else {
        return Err(Failure::Input("auto finds out what a file is; of a server name the system".into()));
    };
    let text = text(path)?;
    let recognised = recognise(&text, path)?;
    let systems: BTreeSet<_> = recognised.iter().map(|one| one.system).collect();
    if systems.len() > 1 && inputs.version.is_some() {
        let list: Vec<&str> = systems.iter().map(|system| system.name()).collect();
        return Err(Failure::Input(format!(
            "--version: {} has settings of {}, and each has its own; name one system",
            path.display(),
            list.join(" and ")
        )));
    }
    let name = path.display().to_string();
    let mut lints = Vec::new();
    for one in recognised {
        let lint = judged(one.system, &one.config(&text, path, &reading(args))?, profile, inputs.clone())?;
        lints.push((one, lint));
    }
    if args.json {
        output::print_json(&document(&lints))?;
    } else {
        output::print(&shown(&name, &lints)?)?;
    }
    let sum = |of: fn(&Lint) -> usize| lints.iter().map(|(_, lint)| of(lint)).sum();
    let titles: Vec<&str> = systems.iter().map(|system| system.title()).collect();
    let what = format!("no key of {} in it could be compared with this device", titles.join(", "));
    ended(&name, sum(Lint::wrong), sum(Lint::judged), &what)
}

/// Each with what it was known by.
fn shown(name: &str, lints: &[(Recognised, Lint)]) -> Result<String, Failure> {
    let part = |(one, lint): &(Recognised, Lint)| {
        let known = Text::of_lines([format!("{name} is read as {}", one.sentence())]);
        [known, lint.text()].map(|text| render_text(&text, output::width())).concat()
    };
    Ok(lints.iter().map(part).collect::<Vec<_>>().join("\n"))
}

fn document(lints: &[(Recognised, Lint)]) -> Value {
    let one = |(one, lint): &(Recognised, Lint)| {
        let mut document = json!({
            "system": one.system,
            "container": one.container,
            "instance": one.instance,
            "evidence": one.evidence,
        });
        if let (Value::Object(all), Value::Object(lint)) = (&mut document, json!(lint)) {
            all.extend(lint);
        }
        document
    };
    json!({ "systems": lints.iter().map(one).collect::<Vec<_>>() })
}
