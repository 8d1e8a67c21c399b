//! The simulated device is the truth that all measuring is held to: so it is held to theory itself.

use leadline_device::{Clock, Completion, Device, NEVER, Nanos, Op, QueuePair, QueueShape, Request};
use leadline_sim::{Parametric, ParametricSpec};

const US: Nanos = 1_000;

fn device(top: &str, read: &str, write: &str) -> Parametric {
    let toml = format!("kind = \"parametric\"\ncapacity = \"1G\"\n{top}\n[read]\n{read}\n[write]\n{write}\n");
    ParametricSpec::parse(&toml, "test.toml").unwrap().device()
}

fn servers(n: u32, service_us: f64) -> String {
    format!("servers = {n}\nservice_us = {service_us}")
}

fn queue(device: &Parametric, depth: u32) -> Box<dyn QueuePair> {
    device.queue_pair(QueueShape::new(depth, 1 << 20)).unwrap()
}

/// Waits for `min` completions.
fn reap(queue: &mut dyn QueuePair, min: u32) -> Vec<Completion> {
    let mut completions = Vec::new();
    queue.reap(min, NEVER, &mut completions).unwrap();
    completions
}

/// Completions per second of `k` requests in flight, each answered by `next`, over `n` completions after a
/// warm-up.
fn closed_loop(device: &Parametric, k: u32, n: u32, mut next: impl FnMut(u32) -> Request) -> f64 {
    let mut queue = queue(device, k);
    (0..k).for_each(|slot| queue.submit(next(slot)).unwrap());
    let (mut done, mut from) = (0, 0);
    while done < n + n / 10 {
        for completion in reap(&mut *queue, 1) {
            done += 1;
            if done == n / 10 {
                from = completion.at;
            }
            queue.submit(next(completion.slot)).unwrap();
        }
    }
    f64::from(done - n / 10) * 1e9 / (queue.now() - from) as f64
}

fn random_reads() -> impl FnMut(u32) -> Request {
    let mut random = fastrand::Rng::with_seed(17);
    move |slot| Request::read(slot, random.u64(..1 << 18) * 4096, 4096)
}

fn near(found: f64, truth: f64, share: f64, what: &str) {
    assert!((found / truth - 1.0).abs() <= share, "{what}: found {found}, truth {truth}");
}

#[test]
fn any_free_serves_as_many_at_once_as_it_has_servers() {
    for (n, k) in [(1, 1), (1, 9), (8, 7), (8, 8), (8, 64), (1 << 20, 32)] {
        let device = device("", &servers(n, 100.0), &servers(1, 1.0));
        let truth = f64::from(k.min(n)) * 1e4;
        near(closed_loop(&device, k, 20_000, random_reads()), truth, 0.003, &format!("{n} servers, k = {k}"));
    }
}

#[test]
fn jitter_leaves_the_capacity_and_has_mean_one() {
    for jitter in
        ["jitter = \"exponential\"", "jitter = \"lognormal\"", "jitter = \"lognormal\"\nsigma = 1.0"]
    {
        // Alone in the device, so that the rate is one over the mean.
        for (n, k) in [(1, 1), (16, 16), (16, 64)] {
            let device = device(jitter, &servers(n, 100.0), &servers(1, 1.0));
            let found = closed_loop(&device, k, 400_000, random_reads());
            near(found, f64::from(k.min(n)) * 1e4, 0.01, &format!("{jitter}, {n} servers, k = {k}"));
        }
    }
}

/// Reads completed in each of `periods` periods of 10 ms, 10 in flight on 10 servers of 100 us.
fn reads_per_period(noise_seed: u32, periods: usize) -> Vec<f64> {
    let noise = format!("noise = 0.1\nnoise_ms = 10\nnoise_seed = {noise_seed}");
    let device = device(&noise, &servers(10, 100.0), &servers(1, 1.0));
    let (mut queue, mut next, mut counts) = (queue(&device, 10), random_reads(), vec![0.0; periods]);
    (0..10).for_each(|slot| queue.submit(next(slot)).unwrap());
    loop {
        for completion in reap(&mut *queue, 1) {
            let period = (completion.at / (10_000 * US)) as usize;
            if period >= periods {
                return counts;
            }
            counts[period] += 1.0;
            queue.submit(next(completion.slot)).unwrap();
        }
    }
}

#[test]
fn noise_changes_the_speed_from_period_to_period_by_what_it_says_and_leaves_the_mean() {
    let counts = reads_per_period(3, 2000);
    let n = counts.len() as f64;
    let mean = counts.iter().sum::<f64>() / n;
    let deviation = (counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / n).sqrt();
    near(mean, 1000.0, 0.01, "reads in 10 ms");
    near(deviation, 100.0, 0.08, "their deviation");
    assert_eq!(counts[..100], reads_per_period(3, 100), "the seed decides");
    assert_ne!(counts[..100], reads_per_period(4, 100));
}

#[test]
fn the_jitter_has_the_spread_it_is_named_for() {
    for (jitter, deviation) in [("exponential", 1.0), ("lognormal", ((0.3f64 * 0.3).exp() - 1.0).sqrt())] {
        let device = device(&format!("jitter = \"{jitter}\""), &servers(1, 100.0), &servers(1, 1.0));
        let mut queue = queue(&device, 1);
        let times: Vec<f64> = (0..200_000)
            .map(|i| {
                let from = queue.now();
                queue.submit(Request::read(0, i * 4096 % (1 << 30), 4096)).unwrap();
                (reap(&mut *queue, 1)[0].at - from) as f64 / 1e5
            })
            .collect();
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        let variance = times.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / times.len() as f64;
        near(mean, 1.0, 0.01, jitter);
        near(variance.sqrt(), deviation, 0.02, jitter);
    }
}

#[test]
fn hashed_placement_follows_appendix_a() {
    // A closed network of n exponential servers, each request to a random one: k / (k + n - 1) of n / s.
    for (n, k) in [(8, 1), (8, 8), (8, 24), (8, 152), (25, 50)] {
        let device =
            device("placement = \"hashed\"\njitter = \"exponential\"", &servers(n, 100.0), &servers(1, 1.0));
        let truth = f64::from(n) * 1e4 * f64::from(k) / f64::from(k + n - 1);
        near(closed_loop(&device, k, 400_000, random_reads()), truth, 0.02, &format!("{n} servers, k = {k}"));
    }
    // Without jitter three requests a server reach about 85 %.
    for n in [8, 32, 100] {
        let device = device("placement = \"hashed\"", &servers(n, 100.0), &servers(1, 1.0));
        let found = closed_loop(&device, 3 * n, 200_000, random_reads()) / (f64::from(n) * 1e4);
        assert!((0.82..0.89).contains(&found), "{n} servers: {found}");
    }
}

#[test]
fn hashed_requests_to_one_address_wait_for_one_another_and_others_do_not() {
    let device = device("placement = \"hashed\"", &servers(1000, 100.0), &servers(1, 1.0));
    near(
        closed_loop(&device, 32, 1000, |slot| Request::read(slot, 1 << 20, 4096)),
        1e4,
        0.001,
        "one address",
    );
    // Neighbours land on unrelated servers.
    let mut block = 0;
    let sequential = closed_loop(&device, 32, 20_000, |slot| {
        block = (block + 1) % (1 << 18);
        Request::read(slot, block * 4096, 4096)
    });
    assert!(sequential > 0.9 * 32.0 * 1e4, "{sequential}");
}

#[test]
fn a_cap_is_shared_by_reads_and_writes() {
    for mix in [0, 1, 2] {
        let device = device("cap_iops = 20000", &servers(64, 100.0), &servers(64, 300.0));
        let (mut reads, mut writes, mut i) = (0u32, 0u32, 0u32);
        let found = closed_loop(&device, 64, 40_000, |slot| {
            i += 1;
            let offset = u64::from(i % 1000) * 4096;
            if mix == 0 || mix == 1 && i % 2 == 0 {
                reads += 1;
                Request::read(slot, offset, 4096)
            } else {
                writes += 1;
                Request::write(slot, offset, 4096)
            }
        });
        near(found, 20_000.0, 0.001, &format!("mix {mix}: {reads} reads, {writes} writes"));
    }
    // It caps requests, not bytes, and does not cap where the servers are slower.
    let device = device("cap_iops = 20000", &servers(1, 100.0), &servers(1, 1.0));
    near(closed_loop(&device, 64, 10_000, random_reads()), 1e4, 0.001, "below the cap");
}

#[test]
fn an_idle_time_saves_up_no_credit_under_a_cap() {
    let device = device("cap_iops = 1000", &servers(64, 1.0), &servers(64, 1.0));
    let mut queue = queue(&device, 64);
    queue.reap(1, 10_000_000_000, &mut Vec::new()).unwrap();
    (0..64).for_each(|slot| queue.submit(Request::read(slot, 0, 4096)).unwrap());
    let completions = reap(&mut *queue, 64);
    assert_eq!(completions[0].at, 10_000_001_000, "it cannot be done before it was sent");
    assert_eq!(completions[63].at - completions[0].at, 63_000 * US);
}

#[test]
fn reads_and_writes_have_servers_of_their_own() {
    let device = device("", &servers(1, 100.0), &servers(1, 1000.0));
    let mut queue = queue(&device, 8);
    (0..2).for_each(|slot| queue.submit(Request::write(slot, 0, 4096)).unwrap());
    (2..6).for_each(|slot| queue.submit(Request::read(slot, 0, 4096)).unwrap());
    let at: Vec<(u32, Nanos)> = reap(&mut *queue, 6).iter().map(|c| (c.slot, c.at / US)).collect();
    assert_eq!(at, [(2, 100), (3, 200), (4, 300), (5, 400), (0, 1000), (1, 2000)]);
}

#[test]
fn time_grows_with_length() {
    let device = device("", "servers = 1\nservice_us = 60\nper_kib_us = 5", &servers(1, 1.0));
    let mut queue = queue(&device, 1);
    for (len, us) in [(512, 62.5), (4096, 80.0), (8192, 100.0), (1 << 20, 5180.0)] {
        let from = queue.now();
        queue.submit(Request::read(0, 0, len)).unwrap();
        let completion = reap(&mut *queue, 1)[0];
        assert_eq!((completion.at - from) as f64 / 1e3, us);
        assert_eq!(completion.result, len as i32, "it says how much it moved");
    }
}

#[test]
fn a_flush_waits_for_the_writes_before_it_and_for_nothing_else() {
    let device = device("", &servers(1, 100_000.0), &servers(4, 500.0));
    let mut queue = queue(&device, 8);
    queue.submit(Request::flush(7)).unwrap();
    assert_eq!(reap(&mut *queue, 1)[0], Completion { slot: 7, result: 0, at: 0 }, "nothing to wait for");
    queue.submit(Request::read(0, 0, 4096)).unwrap();
    (1..4).for_each(|slot| queue.submit(Request::write(slot, 0, 4096)).unwrap());
    queue.submit(Request::flush(7)).unwrap();
    queue.reap(0, 0, &mut Vec::new()).unwrap();
    assert_eq!(queue.now(), 0);
    let slots: Vec<u32> = reap(&mut *queue, 4).iter().map(|c| c.slot).collect();
    assert_eq!((slots, queue.now()), (vec![1, 2, 3, 7], 500 * US));
    queue.submit(Request::flush(7)).unwrap();
    assert_eq!(reap(&mut *queue, 1)[0].at, 500 * US, "all is durable");
}

#[test]
fn the_same_seed_gives_the_same_times_and_another_seed_others() {
    let run = |seed: u32, jitter: &str| -> Vec<(u32, Nanos)> {
        let top = format!("seed = {seed}\njitter = \"{jitter}\"");
        let device = device(&top, &servers(4, 100.0), &servers(2, 50.0));
        let mut queue = queue(&device, 16);
        let mut all = Vec::new();
        (0..16).for_each(|slot| queue.submit(Request::read(slot, 0, 4096)).unwrap());
        while all.len() < 1000 {
            for completion in reap(&mut *queue, 1) {
                all.push((completion.slot, completion.at));
                let op = if all.len() % 3 == 0 { Op::Write } else { Op::Read };
                let request = Request { op, ..Request::read(completion.slot, 4096, 4096) };
                queue.submit(request).unwrap();
            }
        }
        all
    };
    for jitter in ["exponential", "lognormal"] {
        assert_eq!(run(1, jitter), run(1, jitter));
        assert_ne!(run(1, jitter), run(2, jitter));
    }
    assert_eq!(run(1, "none"), run(2, "none"));
}

#[test]
fn requests_that_do_not_fit_are_refused_and_leave_no_trace() {
    let device = device("", &servers(4, 100.0), &servers(4, 100.0));
    let mut queue = device.queue_pair(QueueShape::new(2, 8192).slots(4)).unwrap();
    let mut refused = |request: Request, reason: &str| {
        let error = queue.submit(request).unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
        assert_eq!(error.request, request);
    };
    refused(Request::read(4, 0, 4096), "slot does not exist");
    refused(Request::flush(4), "slot does not exist");
    refused(Request::read(0, 0, 0), "length is zero");
    refused(Request::read(0, 0, 100), "not a multiple");
    refused(Request::read(0, 100, 512), "not a multiple");
    refused(Request::read(0, 0, 16384), "longer than");
    refused(Request::write(0, 1 << 30, 512), "beyond the device");
    refused(Request::write(0, (1 << 30) - 512, 1024), "beyond the device");
    refused(Request::write(0, u64::MAX - 511, 512), "beyond the device");
    queue.submit(Request::write(0, (1 << 30) - 512, 512)).unwrap();
    let mut refused = |request: Request, reason: &str| {
        let error = queue.submit(request).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    };
    refused(Request::read(0, 0, 512), "slot is in flight");
    queue.submit(Request::read(1, 0, 512)).unwrap();
    assert!(queue.submit(Request::read(2, 0, 512)).unwrap_err().to_string().contains("full"));
    assert_eq!(queue.in_flight(), 2);
    assert_eq!(reap(&mut *queue, 2).len(), 2);
    queue.submit(Request::read(2, 0, 512)).unwrap();
    assert_eq!(queue.in_flight(), 1, "what was refused took no slot");
}

#[test]
#[should_panic(expected = "in flight")]
fn the_buffer_of_a_request_in_flight_is_not_to_be_had() {
    let device = device("", &servers(4, 100.0), &servers(4, 100.0));
    let mut queue = queue(&device, 2);
    assert!(queue.buffer(1).is_empty());
    queue.submit(Request::read(1, 0, 512)).unwrap();
    queue.buffer(1);
}

#[test]
fn the_clock_moves_only_while_reaping_and_never_past_the_deadline() {
    let device = device("", &servers(2, 100.0), &servers(2, 100.0));
    assert_eq!(device.clock(), Clock::Virtual);
    let mut queue = queue(&device, 4);
    let mut completions = Vec::new();
    (0..4).for_each(|slot| queue.submit(Request::read(slot, 0, 4096)).unwrap());
    assert_eq!(queue.now(), 0, "submitting takes no time");
    queue.reap(0, 0, &mut completions).unwrap();
    queue.reap(0, NEVER, &mut completions).unwrap();
    assert_eq!((queue.now(), completions.len()), (0, 0), "polling takes no time");
    queue.reap(1, 40 * US, &mut completions).unwrap();
    assert_eq!((queue.now(), completions.len()), (40 * US, 0), "the deadline came first");
    queue.reap(1, 10 * US, &mut completions).unwrap();
    assert_eq!((queue.now(), completions.len()), (40 * US, 0), "time does not run backwards");
    queue.reap(1, 100 * US, &mut completions).unwrap();
    assert_eq!((queue.now(), completions.len()), (100 * US, 2), "both that are done, at the deadline");
    queue.reap(2, 150 * US, &mut completions).unwrap();
    assert_eq!((queue.now(), completions.len()), (150 * US, 2));
    queue.reap(9, NEVER, &mut completions).unwrap();
    assert_eq!((queue.now(), completions.len(), queue.in_flight()), (200 * US, 4, 0), "all there are");
    // With nothing in flight the deadline alone ends the wait, however many were asked for.
    queue.reap(1, 300 * US, &mut completions).unwrap();
    assert_eq!(queue.now(), 300 * US);
    queue.reap(0, 400 * US, &mut completions).unwrap();
    assert_eq!(queue.now(), 400 * US);
    queue.reap(1, NEVER, &mut completions).unwrap();
    queue.reap(0, 0, &mut completions).unwrap();
    assert_eq!((queue.now(), completions.len()), (400 * US, 4));
}

#[test]
fn one_queue_pair_at_a_time_and_the_next_finds_the_device_idle() {
    let device = device("", &servers(2, 100.0), &servers(2, 100.0));
    let mut first = queue(&device, 4);
    let error = device.queue_pair(QueueShape::new(1, 512)).err().unwrap().to_string();
    assert!(error.contains("one queue pair at a time"), "{error}");
    (0..4).for_each(|slot| first.submit(Request::write(slot, 0, 4096)).unwrap());
    drop(first);
    let mut second = queue(&device, 1);
    assert_eq!(second.in_flight(), 0);
    let from = second.now();
    assert!(from >= 200 * US, "what was in flight has run out: {from}");
    second.submit(Request::read(0, 0, 4096)).unwrap();
    let completions = reap(&mut *second, 1);
    assert_eq!((completions.len(), completions[0].at - from), (1, 100 * US));
    assert!(device.queue_pair(QueueShape::new(0, 512)).is_err());
    drop(second);
    assert!(device.queue_pair(QueueShape::new(0, 512)).is_err());
    assert!(device.queue_pair(QueueShape::new(4, 512).slots(3)).is_err());
    assert!(device.queue_pair(QueueShape::new(1, 512)).is_ok(), "a refusal does not use the device up");
}

#[test]
fn the_slowest_and_the_quickest_device_there_is() {
    let slow = device("jitter = \"lognormal\"\nsigma = 3", &servers(1, 1e9), &servers(1, 1e9));
    let mut queue_of_slow = queue(&slow, 64);
    (0..64).for_each(|slot| queue_of_slow.submit(Request::read(slot, 0, 4096)).unwrap());
    let completions = reap(&mut *queue_of_slow, 64);
    assert!(completions.windows(2).all(|w| w[0].at <= w[1].at) && completions.len() == 64);
    let quick = device("jitter = \"exponential\"", &servers(1, 0.001), &servers(1, 0.001));
    let mut queue_of_quick = queue(&quick, 1);
    for _ in 0..10_000 {
        let from = queue_of_quick.now();
        queue_of_quick.submit(Request::read(0, 0, 512)).unwrap();
        assert!(reap(&mut *queue_of_quick, 1)[0].at > from, "no request takes no time");
    }
}
