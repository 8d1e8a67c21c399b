//! DataFusion's options, as `information_schema.df_settings` of its Python package tells them; the least of
//! those that are advised is found out by trying.

use std::path::Path;

use super::Table;
use super::duckdb::told_by;

const ASK: &str = r#"
import datafusion
from datafusion import SessionConfig, SessionContext

def context():
    return SessionContext(SessionConfig({"datafusion.catalog.information_schema": "true"}))

def takes(name, value):
    try:
        context().sql(f"SET {name} = {value}").collect()
        return True
    except Exception:
        return False

print(datafusion.__version__)
own = ("parallelism", "target_partitions", "planning_concurrency", "created_by")
table = context().sql("SELECT name, value FROM information_schema.df_settings").to_pydict()
for name, value in zip(table["name"], table["value"]):
    if value in ("true", "false"):
        kind = "bool"
    elif value is not None and value.isdigit():
        kind = "int"
    else:
        kind = "string"
    least = ""
    # Plans with some of the others at 0 never end.
    if name.endswith(("meta_fetch_concurrency", "target_partitions")):
        least = next((str(n) for n in (0, 1, 2) if takes(name, n)), "")
    is_own = name.endswith(own) or value is None or kind == "string"
    print(name, kind, "", least, "", "" if is_own else value, "", "reload", sep="\t")
"#;

/// Asks the package that this Python has.
pub(super) fn ask(python: &Path) -> anyhow::Result<Table> {
    let (told, rows) = told_by(python, ASK)?;
    let version = told.split('.').next().unwrap_or_default().to_owned();
    Ok(Table { version, told: format!("DataFusion {told}"), rows })
}
