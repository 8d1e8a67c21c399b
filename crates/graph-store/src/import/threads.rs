//! Work on several threads.

use crate::GraphError;

/// Does the work on that many threads, each with its number. The first error is returned, and once one failed
/// the others should end by themselves.
pub(crate) fn threads<T: Send>(
    count: usize,
    work: impl Fn(usize) -> Result<T, GraphError> + Sync,
) -> Result<Vec<T>, GraphError> {
    all(count, &work)
}

/// Threads are started, and their errors sorted, by the same code whatever the work is.
fn all<T: Send>(
    count: usize,
    work: &(dyn Fn(usize) -> Result<T, GraphError> + Sync),
) -> Result<Vec<T>, GraphError> {
    if count == 1 {
        return Ok(vec![work(0)?]);
    }
    let done: Vec<Result<T, GraphError>> = std::thread::scope(|scope| {
        let started: Vec<_> = (0..count).map(|thread| scope.spawn(move || work(thread))).collect();
        let ended = started.into_iter().map(|thread| thread.join());
        ended.map(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    let (mut all, mut failed) = (Vec::new(), None);
    for one in done {
        match one {
            Ok(one) => all.push(one),
            // Others may have ended for what one of them says.
            Err(GraphError::Interrupted) => failed = failed.or(Some(GraphError::Interrupted)),
            Err(error) => failed = Some(error),
        }
    }
    failed.map_or(Ok(all), Err)
}
