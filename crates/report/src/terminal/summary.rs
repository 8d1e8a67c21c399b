//! The first screen: the device, three numbers, what to do with them, and how far to trust them.

use leadline_figures::Table;
use leadline_profile::{CheckName, CheckStatus, DeviceProfile, OpKind, Parameters};

use super::details::details;
use super::grid::render_table;
use super::lines::{NARROWEST, red, wrap};
use super::subject::{how, listed, title};
use crate::advice::Advice;
use crate::doubts::{Doubt, doubts, state};
use crate::format::{self, block, capital, count, counted};
use crate::origin::is_published;
use crate::sentences::{Says, concurrency, reads, why_no_writes};
use crate::{granularity, headline};

/// Lines of the screen, in a terminal of 80 columns or more.
const MOST_LINES: usize = 20;

/// Doubts have this many lines even where the rest leaves fewer, as in a narrower terminal.
const LEAST_DOUBTS: usize = 2;

/// What [`render_summary`] shows.
#[derive(Debug, Clone)]
pub struct SummaryOptions {
    width: usize,
    color: bool,
    details: bool,
    profile: Option<String>,
    page: Option<String>,
    system: Option<String>,
}

impl SummaryOptions {
    /// The screen alone, without colour, for a terminal `width` columns wide (60 at least).
    pub fn new(width: usize) -> Self {
        SummaryOptions {
            width: width.max(NARROWEST),
            color: false,
            details: false,
            profile: None,
            page: None,
            system: Some("postgresql".to_owned()),
        }
    }

    /// Whether failed checks, and a partial or buffered run, are red (ANSI).
    #[must_use]
    pub fn color(self, color: bool) -> Self {
        SummaryOptions { color, ..self }
    }

    /// Whether the tables, the plot, the other definitions of k, every check and the experiments follow.
    #[must_use]
    pub fn details(self, details: bool) -> Self {
        SummaryOptions { details, ..self }
    }

    /// What a command line calls the profile (in quotes where the shell needs them): the next commands are
    /// shown with it.
    #[must_use]
    pub fn profile(self, name: impl Into<String>) -> Self {
        SummaryOptions { profile: Some(name.into()), ..self }
    }

    /// Names the page that was written.
    #[must_use]
    pub fn page(self, name: Option<String>) -> Self {
        SummaryOptions { page: name, ..self }
    }

    /// The system whose settings the next command chooses, by its name on the command line, or none; it is
    /// PostgreSQL where nothing is said.
    #[must_use]
    pub fn system(self, name: Option<&str>) -> Self {
        SummaryOptions { system: name.map(str::to_owned), ..self }
    }
}

/// The answer in at most 20 lines of 80 columns: what was measured, how many reads and writes in flight use
/// it, how many reads one write is worth, what to do, and how far to trust it. Ends with a newline.
///
/// With [`SummaryOptions::details`] all else that is known follows.
pub fn render_summary(profile: &DeviceProfile, options: &SummaryOptions) -> String {
    let width = options.width;
    let mut screen =
        vec![wrap(&title(profile), width, "  "), wrap(&how(profile), width, "  "), String::new()];
    match headline(profile) {
        Some(entry) => {
            screen.extend([numbers(profile, entry, width), String::new()]);
            screen.push(wrap(&to_do(profile, entry), width, ""));
        }
        None => screen.push("Neither k nor alpha is known: no curve was measured.".to_owned()),
    }
    screen.extend([String::new(), "How far to trust these numbers:".to_owned()]);
    let next = next(options);
    let used = lines(&screen) + lines(&next);
    screen.extend(trust(profile, options, MOST_LINES.saturating_sub(used).max(LEAST_DOUBTS)));
    screen.extend(next);
    if options.details {
        screen.push(String::new());
        screen.extend(details(profile, width, options.color));
    }
    screen.join("\n") + "\n"
}

fn lines(parts: &[String]) -> usize {
    parts.iter().map(|part| 1 + part.matches('\n').count()).sum()
}

/// The three numbers, each with its name.
fn numbers(profile: &DeviceProfile, entry: &Parameters, width: usize) -> String {
    let kind = format!("{} {}", block(entry.block_bytes), format::pattern(entry.pattern));
    let intervals = if is_published(profile) { "" } else { " (95 % intervals)" };
    let mut table = Table::of_facts([] as [(&str, String); 0]);
    table.columns.push(leadline_figures::Column::words(""));
    table.row(in_flight(profile, entry, OpKind::Read));
    table.row(in_flight(profile, entry, OpKind::Write));
    table.row(worth(profile, entry));
    format!("{kind} requests{intervals}:\n{}", render_table(&table, width))
}

fn in_flight(profile: &DeviceProfile, entry: &Parameters, op: OpKind) -> [String; 3] {
    let (name, k, k_90, most) = match op {
        OpKind::Read => ("Reads", entry.k_r, entry.k_r_90, entry.max_read_iops),
        OpKind::Write => ("Writes", entry.k_w, entry.k_w_90, entry.max_write_iops),
    };
    let share = match (k, k_90) {
        _ if is_published(profile) => "that fill the device",
        (Some(_), None) => "for 95 % of the maximum",
        _ => "for 90 % of the maximum",
    };
    let name = format!("{name} in flight {share}");
    let of = most.map(|most| format!("of {}/s", count(most))).unwrap_or_default();
    let Some(advice) = Advice::new(profile, entry, op) else {
        return [name, "not measured".to_owned(), of];
    };
    let k = advice.k;
    match advice.open_range() {
        _ if advice.lower_bound => [name, format!("≥ {k}"), "still rising".to_owned()],
        Some([low, high]) => [name, format!("{low} to {high}"), of],
        None => [name, format!("{k}{}", advice.interval()), of],
    }
}

fn worth(profile: &DeviceProfile, entry: &Parameters) -> [String; 3] {
    let alone = entry.alpha_1.map(|alpha| format!("{} alone", format::significant(alpha)));
    let row =
        |name: &str, value: String, more: Option<String>| [name.to_owned(), value, more.unwrap_or_default()];
    match (entry.alpha, entry.alpha_1, entry.alpha_durable) {
        (Some(alpha), ..) => row("One write is worth", reads(alpha, entry.alpha_ci), alone),
        (None, Some(alpha), _) => {
            row("One write is worth", reads(alpha, entry.alpha_1_ci), Some("alone".to_owned()))
        }
        (None, None, Some(alpha)) => {
            row("One durable write is worth", reads(alpha, entry.alpha_durable_ci), None)
        }
        (None, None, None) => {
            let known = if why_no_writes(profile).is_some() { "not measured" } else { "not known" };
            row("One write is worth", known.to_owned(), None)
        }
    }
}

/// How many to keep in flight, and where sizes below a page were measured, which size to write.
fn to_do(profile: &DeviceProfile, entry: &Parameters) -> String {
    let flight = concurrency(profile, entry, Says { kind: "", intervals: false });
    let size = granularity::size_to_write(profile).map(|size| format!(" {size}"));
    flight + &size.unwrap_or_default()
}

/// The commands that go on from here, which name the profile, and the page that was written.
fn next(options: &SummaryOptions) -> Vec<String> {
    let named = |command: &str, end: &str| {
        options.profile.as_ref().map(|profile| format!("leadline {command} {profile}{end}"))
    };
    let settings = options.system.as_ref().and_then(|system| named(&format!("advise {system}"), ""));
    let rest = (!options.details).then(|| named("report", " --details")).flatten();
    let lines = [("Next:", settings), ("More:", rest), ("Page:", options.page.clone())];
    let lines = lines.into_iter().filter_map(|(name, line)| Some(format!("{name} {}", line?)));
    let mut next: Vec<String> = std::iter::once(String::new()).chain(lines).collect();
    if next.len() == 1 {
        next.clear();
    }
    next
}

/// What may make the numbers wrong, their state, what else speaks against them, and how many checks hold, in
/// at most so many lines.
fn trust(profile: &DeviceProfile, options: &SummaryOptions, most: usize) -> Vec<String> {
    let items = items(profile);
    let shown = |item: &Doubt| {
        let stop = if item.words.ends_with('.') { "" } else { "." };
        let text = wrap(&format!("  {}{stop}", capital(&item.words)), options.width, "    ");
        if item.bad { red(&text, options.color) } else { text }
    };
    let mut out: Vec<String> = Vec::new();
    for (i, item) in items.iter().enumerate() {
        let text = shown(item);
        let rest = usize::from(i + 1 < items.len());
        if i > 0 && lines(&out) + lines(std::slice::from_ref(&text)) + rest > most {
            out.push(wrap(&left_over(&items[i..]), options.width, "    "));
            break;
        }
        out.push(text);
    }
    out
}

/// What may make the numbers wrong, their state, what else speaks against them, notes, and how many checks
/// hold.
fn items(profile: &DeviceProfile) -> Vec<Doubt> {
    let plain = |words: String| Doubt { words, bad: false, check: None };
    let (mut items, other): (Vec<Doubt>, Vec<Doubt>) =
        doubts(profile).into_iter().partition(|doubt| doubt.bad);
    items.push(plain(state(profile)));
    items.extend(why_no_writes(profile).map(|why| plain(format!("writes were not measured: {why}"))));
    items.extend(other);
    let notes = profile.validity.checks.iter().filter(|check| check.name == CheckName::Note);
    items.extend(notes.map(|check| plain(format!("note: {}", check.detail))));
    items.extend(checks(profile).map(plain));
    items
}

/// `Checks slices and merged failed too; 4 more remarks: --details.`
fn left_over(items: &[Doubt]) -> String {
    let names: Vec<String> = items.iter().filter_map(|item| Some(item.check.as_ref()?.to_string())).collect();
    let others = items.len() - names.len();
    let checks = match names.len() {
        0 => None,
        1 => Some(format!("Check {} failed too", names[0])),
        _ => Some(format!("Checks {} failed too", listed(names))),
    };
    let others = (others > 0).then(|| counted(others as u64, "more remark"));
    let parts: Vec<String> = checks.into_iter().chain(others).collect();
    format!("  {}: --details.", parts.join("; "))
}

/// `6 checks hold; link and quiet could not be made`.
fn checks(profile: &DeviceProfile) -> Option<String> {
    let of = |status: CheckStatus| {
        let checks = profile.validity.checks.iter();
        checks.filter(move |check| check.status == status && !check.is_remark())
    };
    let unknown = listed(of(CheckStatus::Unknown).map(|check| check.name.to_string()));
    let hold = match of(CheckStatus::Ok).count() {
        0 => None,
        1 => Some("1 check holds".to_owned()),
        n => Some(format!("{n} checks hold")),
    };
    let unknown = (!unknown.is_empty()).then(|| format!("{unknown} could not be checked"));
    let parts: Vec<String> = hold.into_iter().chain(unknown).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

#[cfg(test)]
mod tests;
