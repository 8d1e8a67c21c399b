//! How long reading a trace takes: nanoseconds per request, three times each.
//!
//! `cargo run --release -p leadline-trace --example speed -- gen:paper-ms?ops=50000000`

use std::hint::black_box;
use std::time::Instant;

fn main() -> Result<(), leadline_trace::TraceError> {
    for name in std::env::args().skip(1) {
        for _ in 0..3 {
            let mut trace = leadline_trace::open(&name)?;
            let (start, mut requests, mut sum) = (Instant::now(), 0u64, 0u64);
            while let Some(request) = trace.next()? {
                // Field by field, as a simulator looks at it.
                sum = sum.wrapping_add(request.address ^ u64::from(request.write));
                requests += 1;
            }
            black_box(sum);
            let ns = start.elapsed().as_nanos() as f64 / requests.max(1) as f64;
            println!("{name}: {requests} requests, {ns:.2} ns per request");
        }
    }
    Ok(())
}
