//! Units of systemd and their drop-ins: ExecStart and Environment.

use super::found::Found;
use super::shell::{Word, words};
use super::source::Source;
use super::workload::Workload;
use crate::AdviseError;

pub(super) fn find(source: &Source) -> Result<Option<Vec<Found>>, AdviseError> {
    let settings = settings(source.text);
    let line = settings.iter().find(|setting| setting.section == "Service").map(|setting| setting.line);
    let Some(line) = line else { return Ok(None) };
    let mut commands: Vec<Vec<Word>> = Vec::new();
    let mut environment = Vec::new();
    let mut files = Vec::new();
    for setting in settings.iter().filter(|setting| setting.section == "Service") {
        match setting.key.as_str() {
            // An empty one takes back those before it.
            "ExecStart" if setting.value.trim().is_empty() => commands.clear(),
            "ExecStart" => commands.push(words(&setting.value, setting.line)),
            "Environment" if setting.value.trim().is_empty() => environment.clear(),
            "Environment" => {
                environment.extend(words(&setting.value, setting.line).into_iter().filter_map(|word| {
                    let (name, value) = word.text.split_once('=')?;
                    Some((name.to_owned(), value.to_owned(), word.line))
                }))
            }
            "EnvironmentFile" => {
                files.push((setting.line, setting.value.trim().trim_start_matches('-').to_owned()))
            }
            _ => {}
        }
    }
    if commands.is_empty() {
        commands.push(Vec::new());
    }
    let mut found = Vec::new();
    for command in commands {
        let name = if source.name().is_empty() { "the unit" } else { source.name() };
        let workload =
            Workload { name: name.to_owned(), image: None, command, environment: environment.clone(), line };
        if let Some(mut one) = workload.read(source.path)? {
            for (line, file) in &files {
                one.unread(*line, &format!("EnvironmentFile {file} was not read; name that file, too"));
            }
            found.push(one);
        }
    }
    Ok(Some(found))
}

struct Setting {
    section: String,
    key: String,
    /// With the backslashes at the ends of its lines.
    value: String,
    line: usize,
}

fn settings(text: &str) -> Vec<Setting> {
    let mut settings: Vec<Setting> = Vec::new();
    let mut section = String::new();
    let mut goes_on = false;
    for (at, line) in text.lines().enumerate() {
        if goes_on && line.trim_start().starts_with(['#', ';']) {
            // Comments between the lines of a value are passed over; the line still counts.
            if let Some(last) = settings.last_mut() {
                last.value.push_str("\\\n");
            }
            continue;
        }
        if goes_on && let Some(last) = settings.last_mut() {
            last.value.push_str(line);
            last.value.push('\n');
        } else if let Some((name, _)) = line.trim().strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            section = name.to_owned();
        } else if let Some((key, value)) =
            line.split_once('=').filter(|_| !line.trim().starts_with(['#', ';']))
        {
            let (key, value) = (key.trim().to_owned(), format!("{value}\n"));
            settings.push(Setting { section: section.clone(), key, value, line: at + 1 });
        }
        goes_on = line.ends_with('\\') && !settings.is_empty();
    }
    settings
}
