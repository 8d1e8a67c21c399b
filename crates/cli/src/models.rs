//! `leadline models`: which I/O model describes a device.

use std::ffi::OsStr;
use std::path::Path;

use leadline_catalogue::{PUBLISHED, SIMULATED, behind};
use leadline_model::{CostTable, ModelComparison, Table, table_profile};
use leadline_profile::DeviceProfile;
use leadline_report::{models_json, render_models, render_page};

use crate::failure::Failure;
use crate::output;
use crate::paths::{OutputPath, ProfileName};

/// Fit I/O models to a profile, and show where each is wrong
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  leadline models profile.json
  # The curves on a page
  leadline models profile.json --report models.html
  # A table of measured points, and one of costs
  leadline models measured.csv --json
  leadline models costs.csv --setup-per 2621.44

What a table holds: see `leadline docs model-tables`.")]
pub(crate) struct Args {
    /// A profile, device:NAME, or a table (CSV) of measured points or of costs by concurrency
    #[arg(value_name = "PROFILE|TABLE.csv")]
    subject: ProfileName,
    /// For a table of costs: accesses that each setup cost covers, above 0 [default: 1]
    #[arg(long, value_name = "N", value_parser = positive, default_value = "1", hide_default_value = true)]
    setup_per: f64,
    /// Write the page (HTML), with the curves of every model, to this file, replacing it
    #[arg(long, alias = "output", short_alias = 'o', value_name = "FILE")]
    report: Option<OutputPath>,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

/// What the models are to be fitted to.
enum Subject {
    Profile(Box<DeviceProfile>),
    Costs(CostTable),
}

/// Every model, fitted.
#[derive(Debug)]
pub struct Fitted {
    /// The models side by side.
    pub comparison: ModelComparison,
    /// What they were fitted to; `None` for a table of costs.
    pub profile: Option<Box<DeviceProfile>>,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    if let Some(path) = &args.report {
        output::check_writable(path)?;
    }
    let name = args.subject.to_string();
    let Fitted { comparison, profile } = fit_file(&args.subject, args.setup_per)?;
    if let Some(path) = &args.report {
        write_page(path, &name, profile.as_deref())?;
    }
    if args.json {
        return output::print(&format!("{:#}\n", models_json(&comparison)));
    }
    output::print(&render_models(&name, &comparison, output::width()))
}

/// Fits every model to what `leadline models NAME` takes: a profile, device:NAME, or a table (CSV), whose
/// setup costs, if it is one of costs, cover `setup_per` accesses each.
///
/// # Errors
/// [`Failure::Input`]: it cannot be read, or holds too little.
pub fn fit_file(name: &OsStr, setup_per: f64) -> Result<Fitted, Failure> {
    fit(load(name)?, &name.display().to_string(), setup_per)
}

/// [`fit_file`] of the text of a table, which messages call `name`.
///
/// # Errors
/// As [`fit_file`].
pub fn fit_table(text: &str, name: &str, setup_per: f64) -> Result<Fitted, Failure> {
    let table = Table::parse(text, name).map_err(|error| Failure::Input(error.to_string()))?;
    fit(table_subject(name, table), name, setup_per)
}

fn fit(subject: Subject, name: &str, setup_per: f64) -> Result<Fitted, Failure> {
    if !is_positive(setup_per) {
        return Err(Failure::Input(format!("--setup-per {setup_per}: must be a positive number")));
    }
    match subject {
        Subject::Profile(_) if setup_per != 1.0 => {
            Err(Failure::Input("--setup-per: is for a table of costs".into()))
        }
        Subject::Profile(profile) => {
            let comparison = ModelComparison::of(&profile);
            let comparison = comparison.map_err(|error| Failure::Input(format!("{name}: {error}")))?;
            Ok(Fitted { comparison, profile: Some(profile) })
        }
        Subject::Costs(table) => {
            Ok(Fitted { comparison: compare_costs(name, table.setup_per(setup_per))?, profile: None })
        }
    }
}

fn load(name: &OsStr) -> Result<Subject, Failure> {
    let is_device = behind(name, PUBLISHED).or(behind(name, SIMULATED)).is_some();
    if is_device || looks_like_json(Path::new(name))? {
        return Ok(Subject::Profile(Box::new(DeviceProfile::open(name)?)));
    }
    let table = Table::load(name).map_err(|error| Failure::Input(error.to_string()))?;
    Ok(table_subject(&name.to_string_lossy(), table))
}

fn table_subject(name: &str, table: Table) -> Subject {
    match table {
        Table::Points(work) => Subject::Profile(Box::new(table_profile(name, work))),
        Table::Costs(table) => Subject::Costs(table),
    }
}

/// A profile is one JSON object; a table never begins with a brace.
fn looks_like_json(path: &Path) -> Result<bool, Failure> {
    use std::io::Read as _;
    let cannot = |error: std::io::Error| Failure::Input(format!("{}: {error}", path.display()));
    let mut start = Vec::new();
    std::fs::File::open(path).map_err(cannot)?.take(4096).read_to_end(&mut start).map_err(cannot)?;
    let text = String::from_utf8_lossy(&start);
    Ok(text.trim_start_matches('\u{feff}').trim_start().starts_with('{'))
}

/// The model of a table of costs, and how to divide setup costs that look like those of many accesses.
fn compare_costs(name: &str, table: CostTable) -> Result<ModelComparison, Failure> {
    let mut comparison =
        ModelComparison::from_costs(&table).map_err(|error| Failure::Input(format!("{name}: {error}")))?;
    let fitted = comparison.models.iter_mut().find(|model| model.fitted.is_some());
    if let Some(model) = fitted.filter(|_| table.setups_look_summed()) {
        model.remarks.push("--setup-per N divides the setup costs by N".to_owned());
    }
    Ok(comparison)
}

fn write_page(path: &Path, name: &str, profile: Option<&DeviceProfile>) -> Result<(), Failure> {
    let Some(profile) = profile else {
        let text = format!(
            "--report: {name} is a table of costs, which has no measured points to draw; leave it out"
        );
        return Err(Failure::Input(text));
    };
    let page = render_page(std::slice::from_ref(profile))?;
    output::write(path, &page)?;
    output::written("page", path);
    Ok(())
}

fn positive(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|v: &f64| is_positive(*v));
    value.ok_or_else(|| "must be a positive number".to_owned())
}

fn is_positive(number: f64) -> bool {
    number.is_finite() && number > 0.0
}
