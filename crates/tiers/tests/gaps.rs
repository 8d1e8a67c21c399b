//! No drive of the catalogue pauses for longer than its description explains, whatever fio asks of it.

use leadline_catalogue::{BuiltIn, DEVICES};
use leadline_device::{Nanos, Op, Request, Wear, parse_size};
use leadline_sim::DeviceModel;
use leadline_testing::exhaustive;
use leadline_tiers::open;

const MS: f64 = 1e6;
const US: f64 = 1e3;

/// So long each job runs in virtual time, at least; with very many requests it ends sooner.
const RUNS: Nanos = 2_500_000_000;
const MOST_REQUESTS: u64 = 100_000;

/// Of times that are drawn at random, the longest of so many requests over the mean: of exponential ones it
/// is the logarithm of their number, and lognormal ones of the catalogue's spread have less.
const LONGEST_OF_ALL: f64 = 15.0;

/// What fio calls read, write, randread, randwrite and randrw.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Pattern {
    Read,
    Write,
    RandomRead,
    RandomWrite,
    Mixed,
}

#[derive(Debug, Clone, Copy)]
struct Job {
    pattern: Pattern,
    len: u32,
    depth: u32,
}

impl Job {
    fn all() -> Vec<Job> {
        use Pattern::{Mixed, RandomRead, RandomWrite, Read, Write};
        let lens: &[u32] = if exhaustive() { &[4 << 10, 64 << 10, 1 << 20] } else { &[4 << 10, 1 << 20] };
        let depths: &[u32] = if exhaustive() { &[1, 2, 4, 8, 16, 32, 64, 128] } else { &[1, 128] };
        let mut jobs = Vec::new();
        for pattern in [Read, Write, RandomRead, RandomWrite, Mixed] {
            for &len in lens {
                jobs.extend(depths.iter().map(|&depth| Job { pattern, len, depth }));
            }
        }
        jobs
    }

    fn request(self, nth: u64, random: &mut fastrand::Rng, capacity: u64) -> Request {
        let places = capacity / u64::from(self.len);
        let place = match self.pattern {
            Pattern::Read | Pattern::Write => nth % places,
            _ => random.u64(..places),
        };
        let reads = match self.pattern {
            Pattern::Read | Pattern::RandomRead => true,
            Pattern::Write | Pattern::RandomWrite => false,
            Pattern::Mixed => random.bool(),
        };
        let op = if reads { Op::Read } else { Op::Write };
        Request { op, ..Request::read(0, place * u64::from(self.len), self.len) }
    }
}

/// What a job showed.
struct Ran {
    /// Nanoseconds between two completions, or before the first, at most.
    gap: Nanos,
    bytes_per_s: f64,
    wear: Option<Wear>,
}

fn run(model: &mut dyn DeviceModel, job: Job) -> Ran {
    let mut random = fastrand::Rng::with_seed(7);
    let capacity = model.geometry().capacity_bytes;
    let (mut sent, mut done, mut gap, mut last, mut completions) = (0, 0, 0, 0, Vec::new());
    while done < MOST_REQUESTS && last < RUNS {
        while sent - done < u64::from(job.depth) {
            let slot = (sent % u64::from(2 * job.depth)) as u32;
            model.arrive(&Request { slot, ..job.request(sent, &mut random, capacity) }, last);
            sent += 1;
        }
        let now = model.next_completion().expect("requests are under way");
        model.advance(now, &mut completions);
        for completion in completions.drain(..) {
            gap = gap.max(completion.at - last);
            last = completion.at;
            done += 1;
        }
    }
    Ran { gap, bytes_per_s: done as f64 * f64::from(job.len) / (last as f64 / 1e9), wear: model.wear() }
}

/// A description, to be asked for numbers.
struct Text(toml::Table);

impl Text {
    fn value(&self, field: &str) -> Option<&toml::Value> {
        let mut parts = field.split('.');
        let first = self.0.get(parts.next()?)?;
        parts.try_fold(first, |value, part| value.get(part))
    }

    /// A number, the largest of several, or a size; 0 where there is none.
    fn number(&self, field: &str) -> f64 {
        fn of(value: &toml::Value) -> f64 {
            match value {
                toml::Value::Array(all) => all.iter().map(of).fold(0.0, f64::max),
                toml::Value::String(size) => parse_size(size).unwrap() as f64,
                value => value.as_float().or(value.as_integer().map(|n| n as f64)).unwrap(),
            }
        }
        self.value(field).map_or(0.0, of)
    }

    fn sum(&self, fields: &[&str]) -> f64 {
        fields.iter().map(|field| self.number(field)).sum()
    }

    /// Nanoseconds that `bytes` take at so many megabytes per second; none where there is no such limit.
    fn moves(&self, bytes: f64, field: &str) -> f64 {
        let rate = self.number(field);
        if rate > 0.0 { bytes / rate * 1e3 } else { 0.0 }
    }

    /// The longest gap that a job can have, nanoseconds.
    fn explains(&self, job: Job, wear: Option<Wear>) -> f64 {
        // Who comes last waits until the data of all others has passed.
        let link = f64::from(job.depth) * self.moves(f64::from(job.len), "link.mb_per_s")
            + US * self.sum(&["link.request_us", "link.write_us", "link.latency_us"]);
        link + match self.value("kind").and_then(|kind| kind.as_str()) {
            Some("flash") => self.flash_explains(job, wear.unwrap()),
            Some("disk") => self.disk_explains(job),
            Some("xpoint") => self.xpoint_explains(job),
            Some("parametric") => self.parametric_explains(job),
            _ => self.published_explains(),
        }
    }

    /// A die does what it has begun and what is in line: an erase, a few programs of the host, and those of
    /// collection that each of them has to pay for, each of which reads may hold up sixteen times. A long
    /// request then has to be moved, and its programs done by all dies.
    fn flash_explains(&self, job: Job, wear: Wear) -> f64 {
        // Of random writes to all of the drive it is about 1 / (2 OP) + 0.7. Few writes at the start may show
        // more, as collection makes room then that is used later.
        let most = 0.5 / self.number("over_provisioning") + 1.5;
        let shown = wear.media_bytes.max(wear.host_bytes) as f64 / wear.host_bytes.max(1) as f64;
        let amplification = shown.min(most);
        let read = self.number("timing.read_us") * (1.0 + 5.0 * self.number("timing.sigma"));
        let program = self.number("timing.program_us");
        let held_up = program + 16.0 * (read + self.number("timing.suspend_us"));
        let turn = self.number("timing.erase_us") + (3.0 + amplification) * held_up;
        let dies = self.number("geometry.channels") * self.number("geometry.dies_per_channel");
        let planes = self.number("geometry.planes").max(1.0);
        let programs = f64::from(job.len) / (planes * self.number("geometry.page_bytes"));
        let own = programs * amplification * program / dies;
        US * (turn + own) + self.moves(f64::from(job.len), "timing.bus_mb_per_s")
    }

    /// The longest way and a turn, twice, and once more for each track that is begun.
    fn disk_explains(&self, job: Job) -> f64 {
        let turn = 60e6 / self.number("platter.rpm");
        let track_bytes = self.number("platter.inner_mb_per_s") * turn;
        let way = self.sum(&["seek.full_us", "seek.write_us", "timing.controller_us"]) + turn;
        let tracks = (f64::from(job.len) / track_bytes).ceil();
        let next = self.number("seek.track_us") + turn;
        US * (2.0 * way + tracks * next) + self.moves(f64::from(job.len), "platter.inner_mb_per_s")
    }

    fn xpoint_explains(&self, job: Job) -> f64 {
        let fields = ["timing.controller_us", "timing.read_us", "timing.write_us", "settle.us"];
        let others = ["stall.mean_us", "alignment.even_us", "alignment.odd_us", "disturb.penalty_us"];
        // All requests are moved at the same time, so that the first may be done with the last.
        let slowest = f64::from(job.depth) * self.moves(f64::from(job.len), "timing.write_mb_per_s");
        LONGEST_OF_ALL * US * (self.sum(&fields) + self.sum(&others)) + slowest
    }

    /// The slowest of all requests, and what a limit lets through.
    fn parametric_explains(&self, job: Job) -> f64 {
        let kib = f64::from(job.len) / 1024.0;
        let side = |side: &str| {
            self.number(&format!("{side}.service_us")) + kib * self.number(&format!("{side}.per_kib_us"))
        };
        let operations = match self.number("cap.operation_bytes") {
            0.0 => 1.0,
            bytes => (f64::from(job.len) / bytes).ceil(),
        };
        let slowest = ["cap.iops", "cap.refill", "cap_iops"].map(|field| self.number(field));
        let slowest = slowest.into_iter().filter(|iops| *iops > 0.0).fold(f64::INFINITY, f64::min);
        let bytes_per_s = self.number("cap.bytes_per_s");
        let bytes = if bytes_per_s > 0.0 { f64::from(job.len) / bytes_per_s } else { 0.0 };
        US * LONGEST_OF_ALL * side("read").max(side("write")) + 1e9 * (operations / slowest + bytes)
    }

    fn published_explains(&self) -> f64 {
        let published = self.value("published").and_then(|all| all.as_array()).unwrap();
        let entries = published.iter().map(|entry| Text(entry.as_table().unwrap().clone()));
        let latencies = entries.flat_map(|e| ["read_latency_us", "write_latency_us"].map(|f| e.number(f)));
        US * latencies.fold(0.0, f64::max)
    }
}

/// The name of a device of the catalogue, as it is opened.
fn name(device: &BuiltIn) -> String {
    let kind = if device.description().simulated { "sim" } else { "device" };
    format!("{kind}:{}", device.name)
}

#[test]
fn no_drive_pauses_for_longer_than_its_description_explains() {
    let mut flaws = Vec::new();
    for device in &DEVICES {
        let (name, text) = (name(device), Text(device.text.parse().unwrap()));
        let mut worst: Option<(f64, String)> = None;
        for job in Job::all() {
            let ran = run(&mut *open(&name, None).unwrap().model, job);
            let explained = text.explains(job, ran.wear);
            let share = ran.gap as f64 / explained;
            let line = format!(
                "{name}, {:?} of {}K at depth {}: {:.0} MB/s, longest gap {:.3} ms, explained {:.3} ms",
                job.pattern,
                job.len >> 10,
                job.depth,
                ran.bytes_per_s / 1e6,
                ran.gap as f64 / MS,
                explained / MS
            );
            println!("{line}");
            if share > 1.0 {
                flaws.push(line.clone());
            }
            if worst.as_ref().is_none_or(|(most, _)| share > *most) {
                worst = Some((share, line));
            }
        }
        println!("nearest: {}", worst.unwrap().1);
    }
    assert!(flaws.is_empty(), "{}", flaws.join("\n"));
}

/// What is sold is the rate of all dies: of a drive that holds nothing, or that was written in sequence.
#[test]
fn sequential_writes_have_the_rate_of_all_dies_unless_the_drive_was_rewritten_at_random() {
    let folder = tempfile::tempdir().unwrap();
    for device in DEVICES.iter().filter(|device| device.text.contains("kind = \"flash\"")) {
        let text = Text(device.text.parse().unwrap());
        let job = Job { pattern: Pattern::Write, len: 1 << 20, depth: 32 };
        let rates = ["fresh", "filled", "steady"].map(|state| {
            let path = folder.path().join("drive.toml");
            // The SLC cache takes the first writes; here the other blocks are looked at.
            let without_cache: String =
                device.text.split_inclusive("\n\n").filter(|part| !part.starts_with("[slc]")).collect();
            std::fs::write(&path, format!("state = \"{state}\"\n{without_cache}")).unwrap();
            let ran = run(&mut *open(&format!("sim:{}", path.display()), None).unwrap().model, job);
            assert!((ran.gap as f64) < text.explains(job, ran.wear), "{}, {state}: {}", device.name, ran.gap);
            (ran.bytes_per_s, ran.wear.unwrap())
        });
        let [fresh, filled, steady] = rates;
        let geometry = ["channels", "dies_per_channel", "planes", "page_bytes"];
        let at_once: f64 = geometry.iter().map(|field| text.number(&format!("geometry.{field}"))).product();
        let program = text.value("timing.program_us").unwrap();
        assert!(program.as_integer().is_some(), "one time for all pages");
        let dies = at_once / text.number("timing.program_us") * 1e6;
        println!("{}: {:.0} MB/s, dies {:.0} MB/s", device.name, fresh.0 / 1e6, dies / 1e6);
        for (state, (rate, _)) in [("fresh", fresh), ("filled", filled)] {
            let share = rate / dies;
            assert!((0.9..1.01).contains(&share), "{}, {state}: {rate} of {dies}", device.name);
        }
        // Each unit then takes others along. Before a program of those the die reads two or three pages, and
        // they pass the channel twice.
        let amplification = steady.1.media_bytes as f64 / steady.1.host_bytes as f64;
        let share = steady.0 * amplification / dies;
        println!("{}: steady {:.0} MB/s, times {amplification:.2}", device.name, steady.0 / 1e6);
        assert!((0.65..1.05).contains(&share), "{}: {share} with {amplification}", device.name);
    }
}
