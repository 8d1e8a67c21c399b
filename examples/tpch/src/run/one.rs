//! One query, from a cold buffer pool.

use std::path::PathBuf;
use std::time::Instant;

use leadline_emulate::Report;

use super::counters::Counters;
use super::processor;
use super::result::{Innodb, Measured};
use super::{Access, Mounted, RunOptions};
use crate::answers::Answer;
use crate::queries::Query;
use crate::schema::TABLES;
use crate::server::{Server, Session};
use crate::{Interrupt, TpchError};

/// What is read before and after a query.
struct Readings {
    drive: Report,
    server_cpu: f64,
    drive_cpu: f64,
    at: Instant,
}

impl Readings {
    fn take(mounted: &Mounted, server: &Server) -> Readings {
        Readings {
            drive: mounted.emulator().report(),
            server_cpu: processor::seconds(&server.pid().to_string()),
            drive_cpu: processor::seconds("self"),
            at: Instant::now(),
        }
    }
}

/// Starts a server, whose pool is cold, lets it open the tables, and measures the query.
pub(super) fn measure(
    mounted: &Mounted,
    query: Query,
    options: &RunOptions,
    repeat: u32,
    scale: f64,
    interrupt: &Interrupt,
) -> Result<Measured, TpchError> {
    let began = Instant::now();
    let server = mounted.start(interrupt)?;
    let mut session = server.session()?;
    open_tables(&mut session)?;
    session.run(&format!("set max_statement_time={}", options.limit_s))?;
    let start_seconds = began.elapsed().as_secs_f64();

    let statement = query.statement(options.plans, scale);
    let capture = begin_capture(mounted, query, options, repeat)?;
    let counted = Counters::read(&mut session)?;
    let before = Readings::take(mounted, &server);
    let answered = session.run(&statement);
    let after = Readings::take(mounted, &server);
    if capture.is_some() {
        mounted.emulator().stop_trace()?;
    }

    let answer = match answered {
        Ok(rows) => Some(Answer::of(&rows)),
        Err(TpchError::TimeLimit { .. }) => {
            session = server.session()?;
            None
        }
        Err(error) => return Err(error),
    };
    let counters = Counters::read(&mut session)?.since(&counted);
    drop(session);
    let began = Instant::now();
    server.stop()?;

    let seconds = (after.at - before.at).as_secs_f64();
    let server_cpu_seconds = after.server_cpu - before.server_cpu;
    let drive_cpu_seconds = after.drive_cpu - before.drive_cpu;
    let (to, from) = (&after.drive, &before.drive);
    Ok(Measured {
        query,
        plans: options.plans,
        repeat,
        finished: answer.is_some(),
        seconds,
        server_cpu_seconds,
        drive_cpu_seconds,
        processors: (server_cpu_seconds + drive_cpu_seconds) / seconds.max(1e-9),
        start_seconds,
        stop_seconds: began.elapsed().as_secs_f64(),
        answer,
        innodb: Innodb::of(&counters),
        requests: to.requests - from.requests,
        late: to.late - from.late,
        reads: to.traffic.reads - from.traffic.reads,
        read_bytes: to.traffic.read_bytes - from.traffic.read_bytes,
        writes: to.traffic.writes - from.traffic.writes,
        written_bytes: to.traffic.written_bytes - from.traffic.written_bytes,
        flushes: to.traffic.flushes - from.traffic.flushes,
        access: capture.as_deref().map(Access::of).transpose()?,
        capture,
        counters,
    })
}

/// The file that the requests are recorded in from now on, where they are.
fn begin_capture(
    mounted: &Mounted,
    query: Query,
    options: &RunOptions,
    repeat: u32,
) -> Result<Option<PathBuf>, TpchError> {
    let Some(folder) = &options.traces else { return Ok(None) };
    let path = folder.join(format!("{query}-{}-{repeat}.capture", options.plans.name()));
    mounted.emulator().start_trace(&path)?;
    Ok(Some(path))
}

/// Reads definitions and statistics, but no rows.
fn open_tables(session: &mut Session) -> Result<(), TpchError> {
    session.run("use tpch")?;
    for table in &TABLES {
        session.run(&format!("select 1 from {} limit 0", table.name))?;
    }
    Ok(())
}
