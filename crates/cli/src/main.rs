//! The binary `leadline`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(leadline_cli::main(std::env::args_os()))
}
