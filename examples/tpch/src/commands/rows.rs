//! `tpch rows`: the rows as text, for other databases.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;

use leadline_tpch::TpchError;
use leadline_tpch::data::{self, Scale};
use leadline_tpch::schema::TABLES;

use super::shared::{interrupt, scale};

/// Writes the rows of all tables as text, TABLE.tbl each: a line a row, each column ended by |
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where the files are made
    folder: PathBuf,
    /// How large: scale 1 has six million lineitems
    #[arg(long, default_value = "0.25", value_name = "SCALE", value_parser = scale)]
    scale: Scale,
}

pub(crate) fn run(args: &Args) -> Result<(), TpchError> {
    let interrupt = interrupt()?;
    let io = |path: &PathBuf| {
        let path = path.clone();
        move |source| TpchError::Io { path, source }
    };
    fs::create_dir_all(&args.folder).map_err(io(&args.folder))?;
    for table in &TABLES {
        let path = args.folder.join(format!("{}.tbl", table.name));
        let mut file = BufWriter::new(File::create_new(&path).map_err(io(&path))?);
        data::write(table, args.scale, &mut file, &|| interrupt.is_set())?;
        file.flush().map_err(io(&path))?;
    }
    Ok(())
}
