//! Experiments on what writing does to a made-up drive.

use super::*;

/// A drive on which the experiments on writes were made.
pub fn written_profile() -> DeviceProfile {
    let mut profile = sample_profile();
    profile.experiments =
        Experiments { write_amplification: Some(write_amplification()), ..Experiments::default() };
    profile
}

fn procedure() -> Procedure {
    Procedure { engine: "simulated".into(), direct: true, epochs: 6, ..Procedure::default() }
}

fn write_amplification() -> WriteAmplification {
    let run = |pattern: &str, fill: f64, level: f64| {
        let host_bytes = (fill * f64::from(1 << 30)) as u64;
        let windows: Vec<WearWindow> = (0..12)
            .map(|i| {
                let amplification = level - (level - 1.0) * (-f64::from(i) / 2.0).exp();
                let media_bytes = (host_bytes as f64 * amplification) as u64;
                WearWindow { host_bytes, media_bytes, erases: media_bytes >> 20 }
            })
            .collect();
        WriteAmplificationRun {
            pattern: pattern.parse().expect("a pattern"),
            fill,
            part_bytes: 4 * host_bytes,
            block_bytes: 4096,
            concurrency: 32,
            write_amplification: level,
            write_amplification_ci: Some([level * 0.99, level * 1.01]),
            settled: fill > 0.8,
            host_bytes: 12 * host_bytes,
            media_bytes: windows.iter().map(|window| window.media_bytes).sum(),
            used_windows: 6,
            windows,
        }
    };
    WriteAmplification {
        procedure: procedure(),
        latest: run("uniform", 1.0, 3.19),
        others: vec![
            run("zones:10/90", 1.0, 3.9),
            run("zipf:0.99", 1.0, 3.6),
            run("uniform", 0.9, 2.2),
            run("uniform", 0.7, 1.4),
        ],
    }
}
