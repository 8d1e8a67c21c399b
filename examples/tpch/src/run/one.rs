//! One query, from a cold buffer pool.

use std::time::Instant;

use super::counters::Counters;
use super::processor;
use super::result::{Innodb, Measured};
use super::{Mounted, RunOptions};
use crate::answers::Answer;
use crate::queries::Query;
use crate::schema::TABLES;
use crate::server::Session;
use crate::{Interrupt, TpchError};

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
    let before = Counters::read(&mut session)?;
    let (drive_before, server_before) =
        (mounted.emulator().report(), processor::seconds(&server.pid().to_string()));
    let ours_before = processor::seconds("self");
    let began = Instant::now();
    let answered = session.run(&statement);
    let seconds = began.elapsed().as_secs_f64();
    let ours = processor::seconds("self") - ours_before;
    let theirs = processor::seconds(&server.pid().to_string()) - server_before;
    let drive = mounted.emulator().report();

    let (finished, answer) = match answered {
        Ok(rows) => (true, Some(Answer::of(&rows))),
        Err(TpchError::TimeLimit { .. }) => {
            session = server.session()?;
            (false, None)
        }
        Err(error) => return Err(error),
    };
    let counted = Counters::read(&mut session)?.since(&before);
    drop(session);
    let began = Instant::now();
    server.stop()?;
    Ok(Measured {
        query,
        plans: options.plans,
        repeat,
        finished,
        seconds,
        server_cpu_seconds: theirs,
        drive_cpu_seconds: ours,
        processors: (theirs + ours) / seconds.max(1e-9),
        start_seconds,
        stop_seconds: began.elapsed().as_secs_f64(),
        answer,
        innodb: Innodb::of(&counted),
        requests: drive.requests - drive_before.requests,
        late: drive.late - drive_before.late,
        reads: drive.traffic.reads - drive_before.traffic.reads,
        read_bytes: drive.traffic.read_bytes - drive_before.traffic.read_bytes,
        writes: drive.traffic.writes - drive_before.traffic.writes,
        written_bytes: drive.traffic.written_bytes - drive_before.traffic.written_bytes,
        flushes: drive.traffic.flushes - drive_before.traffic.flushes,
        counters: counted,
    })
}

/// Reads definitions and statistics, but no rows.
fn open_tables(session: &mut Session) -> Result<(), TpchError> {
    session.run("use tpch")?;
    for table in &TABLES {
        session.run(&format!("select 1 from {} limit 0", table.name))?;
    }
    Ok(())
}
