//! Graph algorithms under a memory cap, cold, against other engines; time over reads in flight; time in
//! memory; where more reads in flight pay; stores that are changed; questions about many vertices; two
//! builds in all cells; imports next to the disk's bandwidth; simulated devices that limit operations.

mod cgroup;
mod depth;
mod engine;
mod generate;
mod graph;
mod import;
mod limits;
mod measure;
mod memory;
mod needs;
mod queries;
mod regressions;
mod run;
mod study;
mod table;
mod updates;

use std::process::ExitCode;

use clap::Parser;

/// Leadline's graph engine against others.
#[derive(Parser)]
enum Args {
    Generate(generate::Args),
    Run(run::Args),
    Depth(depth::Args),
    MemoryVs(memory::Args),
    Study(study::Args),
    Updates(updates::Args),
    Queries(queries::Args),
    Regressions(regressions::Args),
    Import(import::Args),
    Limits(limits::Args),
    #[command(hide = true)]
    Child(measure::Args),
}

fn main() -> ExitCode {
    let done = match Args::parse() {
        Args::Generate(args) => generate::generate(&args),
        Args::Run(args) => run::run(&args),
        Args::Depth(args) => depth::depth(&args),
        Args::MemoryVs(args) => memory::memory(&args),
        Args::Study(args) => study::study(&args),
        Args::Updates(args) => updates::updates(&args),
        Args::Queries(args) => queries::queries(&args),
        Args::Regressions(args) => regressions::regressions(&args),
        Args::Import(args) => import::import(&args),
        Args::Limits(args) => limits::limits(&args),
        Args::Child(args) => measure::child(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("graph: {error:#}");
            ExitCode::FAILURE
        }
    }
}
