//! The page: one file that needs nothing else and makes no network requests.

mod chart_data;
mod chart_numbers;
mod device_charts;
mod distribution;
mod experiment_charts;
mod experiments;
mod facts;
mod fleet;
mod head;
mod inside_charts;
mod model_charts;
mod models;
mod page;
mod reference;
mod settings;
mod spaces;
mod speedup_charts;
mod tables;

use std::sync::LazyLock;

use leadline_files::Decompressor;
use leadline_profile::DeviceProfile;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Value, context};
use serde::Serialize;

use crate::compare::{Relation, compare};
use crate::sentences::{is_imported, is_published};
use crate::{ReportError, format, granularity, headline, sentences};
use chart_data::{ChartData, Detail};
use experiments::ExperimentCharts;
pub use fleet::render_fleet_page;
use models::Models;
pub use page::render_figures;

/// The largest that a page may be, bytes.
pub const PAGE_LIMIT_BYTES: usize = 8 << 20;

const TEMPLATES: [(&str, &str); 13] = [
    ("base.html", include_str!("../templates/base.html")),
    ("macros.html", include_str!("../templates/macros.html")),
    ("page.html", include_str!("../templates/page.html")),
    ("experiments.html", include_str!("../templates/experiments.html")),
    ("models.html", include_str!("../templates/models.html")),
    ("devices.html", include_str!("../templates/devices.html")),
    ("channels.html", include_str!("../templates/channels.html")),
    ("for_settings.html", include_str!("../templates/for_settings.html")),
    ("writes.html", include_str!("../templates/writes.html")),
    ("settings.html", include_str!("../templates/settings.html")),
    ("single.html", include_str!("../templates/single.html")),
    ("comparison.html", include_str!("../templates/comparison.html")),
    ("fleet.html", include_str!("../templates/fleet.html")),
];
/// With numbers and units together.
static SOURCES: LazyLock<Vec<(&str, String)>> =
    LazyLock::new(|| TEMPLATES.map(|(name, source)| (name, spaces::in_template(source))).to_vec());
const CSS: &str = include_str!("../assets/report.css");
/// As `build.rs` packed it.
static ECHARTS: LazyLock<String> = LazyLock::new(|| {
    const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/echarts.min.js.gz"));
    let text = Decompressor::new(PACKED).and_then(std::io::read_to_string);
    text.expect("the build packed a text")
});
const BASE: &str = include_str!("../assets/base.js");
const AXES: &str = include_str!("../assets/axes.js");
const TOLD: &str = include_str!("../assets/told.js");
const DRAW: &str = include_str!("../assets/draw.js");
const SERIES: &str = include_str!("../assets/series.js");
const NUMBERS: &str = include_str!("../assets/numbers.js");
const PLOT: &str = include_str!("../assets/plot.js");
/// In this order: each uses the names of those before it.
const SCRIPTS: [&str; 19] = [
    BASE,
    AXES,
    TOLD,
    DRAW,
    SERIES,
    NUMBERS,
    PLOT,
    include_str!("../assets/curves.js"),
    include_str!("../assets/spread.js"),
    include_str!("../assets/described.js"),
    include_str!("../assets/described_models.js"),
    include_str!("../assets/surface.js"),
    include_str!("../assets/described_writes.js"),
    include_str!("../assets/described_settings.js"),
    include_str!("../assets/described_devices.js"),
    include_str!("../assets/latencies.js"),
    include_str!("../assets/fleet.js"),
    include_str!("../assets/report.js"),
    include_str!("../assets/settings.js"),
];

/// One self-contained page: a report for one profile, a comparison for several (the first is the
/// reference).
///
/// The page works from a file without a network: its content security policy lets no request out. Everything
/// from the profiles is escaped. It is at most [`PAGE_LIMIT_BYTES`] long; histograms and the timeline are
/// thinned to that end. A page for one profile fits the I/O models to it, which takes up to a second.
///
/// # Errors
/// [`ReportError::NoProfiles`], [`ReportError::TooLarge`], [`ReportError::Template`].
pub fn render_page(profiles: &[DeviceProfile]) -> Result<String, ReportError> {
    if profiles.is_empty() {
        return Err(ReportError::NoProfiles);
    }
    let environment = environment()?;
    // A comparison is of what was measured, and fitting takes a while.
    let models = if let [one] = profiles { Models::new(one) } else { None };
    let experiments = if let [one] = profiles { Some(ExperimentCharts::new(one)) } else { None };
    let mut detail = Detail::for_profiles(profiles.len());
    loop {
        let page = fill(&environment, profiles, models.as_ref(), experiments.as_ref(), detail)?;
        if page.len() <= PAGE_LIMIT_BYTES {
            return Ok(page);
        }
        detail = match detail.less() {
            Some(less) => less,
            None => return Err(ReportError::TooLarge { bytes: page.len(), limit: PAGE_LIMIT_BYTES }),
        };
    }
}

fn environment() -> Result<Environment<'static>, ReportError> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_formatter(spaces::format);
    for (name, source) in SOURCES.iter() {
        environment.add_template(name, source)?;
    }
    Ok(environment)
}

fn fill(
    environment: &Environment<'_>,
    profiles: &[DeviceProfile],
    models: Option<&Models>,
    experiments: Option<&ExperimentCharts>,
    detail: Detail,
) -> Result<String, ReportError> {
    let labels = format::labels(profiles);
    let data = ChartData::new(profiles, &labels, models.map(|m| &m.charts), experiments, detail);
    let reports: Vec<Value> = profiles.iter().zip(&labels).map(|(p, label)| report(p, label)).collect();
    let leadline = profiles[0].leadline.clone();
    let shared = shared(labels.join(" against "), leadline, profiles, &data, script_json(&data));
    let name = if profiles.len() == 1 { "single.html" } else { "comparison.html" };
    let rest = if profiles.len() == 1 {
        context! {
            report => reports[0].clone(),
            experiments => Value::from(Serde(experiments::shown(&profiles[0]))),
            other_experiments => Value::from(Serde(experiments::others(&profiles[0]))),
            experiment_charts => experiments.map(|e| Value::from(Serde(e.of_each()))),
            models => models.and_then(|m| m.words.as_ref()).map(|words| Value::from(Serde(words))),
            model_charts => models.map(|m| Value::from(Serde(m.charts.has()))),
            device_charts => experiments.and_then(|e| e.devices()).map(|d| Value::from(Serde(d.has()))),
            settings => Value::from(Serde(settings::tabs(&profiles[0]))),
            device_latencies => Value::from(Serde(tables::latencies(&profiles[0]))),
        }
    } else {
        let comparison = compare(profiles);
        context! {
            reports => reports,
            relation => relation_words(comparison.relation, &labels),
            heading => heading(comparison.relation, &labels),
            differences => Value::from(Serde(tables::differences(&comparison))),
            labels => labels,
        }
    };
    Ok(environment.get_template(name)?.render(context! { ..rest, ..shared })?)
}

/// What every page about profiles has: its title, styles, scripts and data, and which curves there are.
fn shared(
    title: String,
    leadline: String,
    profiles: &[DeviceProfile],
    charts: &ChartData<'_>,
    data: String,
) -> Value {
    context! {
        title => title,
        leadline => leadline,
        css => Value::from_safe_string(CSS.to_owned()),
        echarts => Value::from_safe_string(ECHARTS.clone()),
        scripts => Value::from(SCRIPTS.map(|script| Value::from_safe_string(script.to_owned())).to_vec()),
        data => Value::from_safe_string(data),
        has => context! {
            cdfs => charts.has_cdfs(),
            timeline => charts.has_timeline(),
            block_sizes => charts.has_block_sizes(),
            published_sizes => charts.has_published_sizes(),
            curves => profiles.iter().any(|p| !p.points.is_empty() && !is_published(p)),
        },
    }
}

fn report(profile: &DeviceProfile, label: &str) -> Value {
    context! {
        label => label,
        device => Value::from(Serde(&profile.device)),
        published => is_published(profile),
        imported => is_imported(profile),
        created => profile.created.clone(),
        sentences => sentences(profile).to_vec(),
        granularity => granularity::sentences(profile),
        banners => facts::banners(profile),
        title => head::title(&profile.device, label),
        line => head::line(profile),
        cards => Value::from(Serde(head::cards(profile))),
        kind => headline(profile).map(|of| format!("{} {}", format::block(of.block_bytes), format::pattern(of.pattern))),
        validity => Value::from(Serde(facts::validity(profile))),
        checks => Value::from(Serde(facts::checks(profile))),
        facts => Value::from(Serde(facts::device(&profile.device))),
        method => Value::from(Serde(facts::method(profile))),
        parameters => Value::from(Serde(tables::parameters(profile))),
        points => Value::from(Serde(tables::points(profile))),
    }
}

fn heading(relation: Relation, labels: &[String]) -> String {
    match relation {
        Relation::FileSystemAgainstRaw { .. } => "File system against raw device".to_owned(),
        Relation::SameDevice => format!("{}, measured {} times", labels[0], labels.len()),
        Relation::Devices => format!("{} devices compared", labels.len()),
    }
}

fn relation_words(relation: Relation, labels: &[String]) -> String {
    match relation {
        Relation::FileSystemAgainstRaw { file_system, raw } => format!(
            "Both are the same device: {} through its file system, {} as the raw block device. Differences beyond the \
             intervals are the file system's. Papon and Athanassoulis (DaMoN 2021, section 2) make the same \
             comparison with SPDK.",
            labels[file_system], labels[raw]
        ),
        Relation::SameDevice => {
            "Name, model and size are the same: this is one device. Parameters that cannot be told apart are \
             repeatable."
                .to_owned()
        }
        Relation::Devices => format!("Each is compared with the first, {}.", labels[0]),
    }
}

/// JSON that cannot end the script element it stands in, nor begin a comment there.
fn script_json(data: &impl Serialize) -> String {
    let text = serde_json::to_string(data).expect("chart data has only string keys");
    text.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{
        Shape, imported_profile, one_point, published_profile, raw_profile, reads_only, sample_profile,
        slower_profile, studied_profile, troubled_profile,
    };

    #[test]
    fn a_page_of_imported_numbers_says_so_and_what_of_which_file() {
        let page = ours(&render_page(&[imported_profile()]).unwrap());
        for part in [
            "Imported: measured by fio 3.33, not by Leadline",
            "Where the numbers are from",
            "went through the page cache",
            "jobs ran one after the other",
            "&lt;b&gt;sweep",
        ] {
            assert!(page.contains(part), "{part}");
        }
        for part in ["SNIA", "Buffered I/O", "epochs, slices of", "<b>sweep"] {
            assert!(!page.contains(part), "{part}");
        }
        let summary = crate::render_summary(&imported_profile(), &crate::SummaryOptions::new(80));
        assert!(
            summary.contains("in an unknown state") && !summary.contains("Requests went through"),
            "{summary}"
        );
    }

    const EVIL: &str = "</script><img src=x onerror=alert(1)>";

    /// The page without ECharts, whose text is not ours.
    fn ours(page: &str) -> String {
        page.replace(&*ECHARTS, "")
    }

    #[test]
    fn no_profile_is_an_error() {
        assert!(matches!(render_page(&[]), Err(ReportError::NoProfiles)));
    }

    #[test]
    fn nothing_from_a_profile_becomes_markup() {
        let mut profile = sample_profile();
        for field in [
            &mut profile.device.model,
            &mut profile.device.firmware,
            &mut profile.device.filesystem,
            &mut profile.device.kernel,
            &mut profile.device.scheduler,
            &mut profile.validity.stopped_by,
        ] {
            *field = Some(EVIL.into());
        }
        profile.device.target = EVIL.into();
        profile.device.name = EVIL.into();
        profile.created = Some(EVIL.into());
        profile.leadline = EVIL.into();
        profile.method.writes = EVIL.into();
        profile.method.engine = EVIL.into();
        profile.validity.complete = false;
        profile.validity.state = EVIL.into();
        profile.validity.durability = EVIL.into();
        profile.validity.checks[0].detail = EVIL.into();
        profile.validity.checks[0].name = EVIL.into();
        profile.validity.cliffs[0].phase = EVIL.into();
        profile.timeline[0].phase = EVIL.into();
        for page in [render_page(&[profile.clone()]), render_page(&[profile.clone(), slower_profile()])] {
            let page = ours(&page.expect("a page"));
            assert!(!page.contains("<img"), "markup from the profile got through");
            assert!(page.contains("&lt;img"), "the text itself is shown");
        }
    }

    #[test]
    fn the_page_asks_nobody_for_anything() {
        let page = ours(&render_page(&[sample_profile()]).expect("a page"));
        assert!(page.contains(
            "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
        ));
        for word in ["http:", "https:", "src=", "url(", "@import", "fetch(", "XMLHttp"] {
            assert!(!page.contains(word), "{word} in the page");
        }
    }

    #[test]
    fn all_kinds_of_profiles_fit_the_page() {
        for profile in [
            sample_profile(),
            reads_only(),
            one_point(),
            troubled_profile(),
            studied_profile(),
            published_profile(),
            DeviceProfile::default(),
        ] {
            let page = render_page(&[profile]).expect("a page");
            assert!(page.len() < 4 << 20, "{} bytes", page.len());
        }
        render_page(&[sample_profile(), DeviceProfile::default()]).expect("a comparison with nothing");
    }

    #[test]
    fn a_buffered_or_partial_run_is_shown_in_red() {
        let page = ours(&render_page(&[troubled_profile()]).expect("a page"));
        assert_eq!(page.matches("class=\"banner bad\" role=\"alert\"").count(), 2, "red banners");
        assert!(page.contains("page cache") && page.contains("cut short by SIGINT"));
        assert!(!ours(&render_page(&[sample_profile()]).expect("a page")).contains("role=\"alert\""));
    }

    #[test]
    fn file_system_against_raw_is_named_so() {
        let page = ours(&render_page(&[sample_profile(), raw_profile()]).expect("a page"));
        assert!(page.contains("File system against raw device"));
        assert!(page.contains("differs") && page.contains("cannot be told apart"));
    }

    #[test]
    fn a_page_of_many_sizes_stays_within_the_limit() {
        let blocks = (9..=18).map(|shift| 1 << shift).collect();
        let large = Shape { blocks, ..Shape::default() }.profile();
        let page = render_page(&vec![large; 6]).expect("a page");
        assert!(page.len() <= PAGE_LIMIT_BYTES, "{} bytes", page.len());
    }
}
