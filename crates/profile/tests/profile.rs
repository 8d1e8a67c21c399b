//! The profile's file: what is written is read back, what is unknown is kept, what is impossible is refused.

use std::path::Path;

use leadline_profile::{
    Bin, Capped, Censored, Check, CheckStatus, Cliff, DeviceFacts, DeviceProfile, Latency, Limit, Link,
    Method, OpKind, OrderEffect, Parameters, Pattern, Point, ProfileError, Rounds, SCHEMA, Slice,
    SliceEffect, Temperature, TimelineSample, Validity, Zones,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn positive() -> impl Strategy<Value = f64> {
    prop_oneof![
        1e-3..1e9f64,
        (-300i32..300).prop_map(|e| 1.234_567_890_123_456_7 * 10f64.powi(e)),
        Just(f64::MIN_POSITIVE)
    ]
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), positive(), positive().prop_map(|x| -x)]
}

fn count() -> impl Strategy<Value = u64> {
    prop_oneof![0u64..1000, any::<u64>(), Just(u64::MAX), Just(1 << 63)]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z0-9 ./:-]{0,20}", ".{0,10}", Just("\"\\\u{0}\u{7f}\u{2028}".to_owned())]
}

/// Fields that no version so far has.
fn extra() -> impl Strategy<Value = Map<String, Value>> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        count().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        positive().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    let value = leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..3)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    });
    prop::collection::vec(("x_[a-z]{1,6}", value), 0..3).prop_map(|fields| fields.into_iter().collect())
}

fn latency() -> impl Strategy<Value = Latency> {
    prop::array::uniform8(positive()).prop_map(|[mean, p50, p90, p99, p99_5, p99_9, p99_95, max]| Latency {
        mean,
        p50,
        p90,
        p99,
        p99_5,
        p99_9,
        p99_95,
        p99_99: p99_95,
        max,
    })
}

fn slice() -> impl Strategy<Value = Slice> {
    let share = || prop::option::of(number());
    (any::<u32>(), count(), count(), positive(), positive(), share(), share()).prop_map(
        |(epoch, ops, bytes, seconds, mean_latency_us, cpu_share, cpu_wait)| Slice {
            epoch,
            order: epoch,
            at_seconds: seconds,
            seconds,
            ops,
            bytes,
            mean_latency_us,
            cpu_share,
            cpu_wait,
            merged: cpu_wait,
        },
    )
}

fn op() -> impl Strategy<Value = OpKind> {
    prop_oneof![Just(OpKind::Read), Just(OpKind::Write)]
}

fn pattern() -> impl Strategy<Value = Pattern> {
    prop_oneof![Just(Pattern::Random), Just(Pattern::Sequential)]
}

fn point() -> impl Strategy<Value = Point> {
    (
        (op(), pattern(), 1..u32::MAX, 1..u32::MAX, any::<bool>(), any::<bool>()),
        (
            positive(),
            prop::option::of(prop::array::uniform2(positive())),
            positive(),
            prop::option::of(positive()),
        ),
        latency(),
        prop::collection::vec(slice(), 0..3),
        prop::collection::vec((positive(), count()), 0..3),
        extra(),
    )
        .prop_map(
            |(
                (op, pattern, block_bytes, concurrency, durable, cpu_bound),
                (iops, iops_ci, bandwidth_bytes, cpu),
                latency_us,
                slices,
                bins,
                extra,
            )| Point {
                op,
                pattern,
                block_bytes,
                concurrency,
                durable,
                iops,
                iops_ci,
                bandwidth_bytes,
                latency_us,
                cpu_bound,
                cpu_us_per_op: cpu,
                stretches: slices.iter().take(1).cloned().collect(),
                slices,
                histogram: bins.into_iter().map(|(upper_us, count)| Bin { upper_us, count }).collect(),
                extra,
            },
        )
}

/// A value with its interval, or neither.
fn known() -> impl Strategy<Value = (Option<f64>, Option<[f64; 2]>)> {
    prop_oneof![
        Just((None, None)),
        (1e-3..1e9f64, prop::option::of(0.0..0.5f64))
            .prop_map(|(x, half)| (Some(x), half.map(|half| [x * (1.0 - half), x * (1.0 + half)]))),
    ]
}

fn known_k() -> impl Strategy<Value = (Option<u32>, Option<[u32; 2]>)> {
    prop_oneof![
        Just((None, None)),
        (1..4096u32, 0..100u32, 0..100u32)
            .prop_map(|(k, below, above)| (Some(k), Some([k.saturating_sub(below).max(1), k + above]))),
    ]
}

fn parameters() -> impl Strategy<Value = Parameters> {
    let capped = prop_oneof![Just(Capped::Yes), Just(Capped::No), Just(Capped::Unknown)];
    (
        (pattern(), 1..u32::MAX, capped, any::<bool>(), any::<bool>(), extra()),
        (known(), known(), known(), known()),
        (known_k(), known_k(), known(), known()),
    )
        .prop_map(
            |((pattern, block_bytes, capped, read, write, extra), (a, a1, ad, a1d), (r, w, xr, xw))| {
                Parameters {
                    pattern,
                    block_bytes,
                    alpha: a.0,
                    alpha_ci: a.1,
                    alpha_1: a1.0,
                    alpha_1_ci: a1.1,
                    alpha_durable: ad.0,
                    alpha_durable_ci: ad.1,
                    alpha_1_durable: a1d.0,
                    alpha_1_durable_ci: a1d.1,
                    k_r: r.0,
                    k_r_ci: r.1,
                    k_r_90: r.0,
                    k_r_90_ci: w.1,
                    k_r_little: xr.0,
                    k_r_knee: r.0,
                    k_w: w.0,
                    k_w_ci: w.1,
                    k_w_90: w.0,
                    k_w_90_ci: r.1,
                    k_w_little: xw.0,
                    k_w_knee: None,
                    max_read_iops: xr.0,
                    max_read_iops_ci: xr.1,
                    max_write_iops: xw.0,
                    max_write_iops_ci: xw.1,
                    max_durable_write_iops: xw.0,
                    max_durable_write_iops_ci: xw.1,
                    capped,
                    censored: Censored { read, write },
                    extra,
                }
            },
        )
}

fn validity() -> impl Strategy<Value = Validity> {
    let status = prop_oneof![Just(CheckStatus::Ok), Just(CheckStatus::Violated), Just(CheckStatus::Unknown)];
    (
        (any::<bool>(), prop::option::of(text()), text(), count(), count(), any::<u32>()),
        (
            prop::collection::vec((text(), status, text()), 0..3),
            prop::collection::vec((text(), count(), positive()), 0..2),
        ),
        (prop::option::of(positive()), prop::option::of(number()), prop::option::of(positive())),
        extra(),
    )
        .prop_map(
            |((complete, stopped_by, state, written, read, n), (checks, cliffs), (a, b, c), extra)| {
                Validity {
                    complete,
                    stopped_by,
                    state: state.into(),
                    steady_state: a.map(|x| Rounds {
                        passed: complete,
                        iops: vec![x; 3],
                        range: x,
                        slope: x,
                    }),
                    checks: checks
                        .into_iter()
                        .map(|(name, status, detail)| Check { name: name.into(), status, detail })
                        .collect(),
                    cliffs: cliffs
                        .into_iter()
                        .map(|(phase, at_bytes, x)| Cliff {
                            phase: phase.into(),
                            at_bytes,
                            before_bytes_per_second: x,
                            after_bytes_per_second: x / 2.0,
                        })
                        .collect(),
                    temperature: b.map(|x| Temperature {
                        start_c: x,
                        max_c: x,
                        warning_c: c,
                        throttled: complete,
                    }),
                    durability: "plain".into(),
                    footprint_fraction: a,
                    bytes_written: written,
                    bytes_read: read,
                    cpu_bound_points: n,
                    censored_curves: n,
                    order_effect: c.map(|x| OrderEffect { ratio: x, ratio_ci: [x, x], seen: complete }),
                    held: None,
                    slice_effects: c
                        .map(|x| SliceEffect {
                            op: OpKind::Write,
                            concurrencies: vec![n],
                            ratio: x,
                            ratio_ci: [x, x],
                            seen: complete,
                        })
                        .into_iter()
                        .collect(),
                    limited_by: c.map(|_| Limit::Noise),
                    washout_seconds: c,
                    washout_recovered: c.map(|_| complete),
                    cpu_pressure: a,
                    cpu_steal: b,
                    extra,
                }
            },
        )
}

fn device() -> impl Strategy<Value = DeviceFacts> {
    (
        text(),
        text(),
        prop::option::of(text()),
        prop::option::of(count()),
        prop::option::of(any::<u32>()),
        extra(),
    )
        .prop_map(|(target, name, model, capacity_bytes, n, extra)| DeviceFacts {
            target,
            name,
            kind: "block".into(),
            firmware: model.clone(),
            serial: model.clone(),
            scheduler: model.clone(),
            write_cache: model.clone().map(Into::into),
            filesystem: model.clone(),
            kernel: model.clone(),
            link: model.clone().map(|name| Link { name, bandwidth_bytes: n.map(f64::from) }),
            model,
            capacity_bytes,
            logical_block_bytes: n,
            physical_block_bytes: n,
            rotational: n.map(|n| n > 5),
            queue_requests: n,
            zones: n.map(|n| Zones {
                model: "host-aware".into(),
                zone_bytes: capacity_bytes,
                max_open_zones: Some(n),
            }),
            cpus: n,
            extra,
        })
}

fn method() -> impl Strategy<Value = Method> {
    (
        text(),
        any::<bool>(),
        any::<u32>(),
        count(),
        prop::option::of(positive()),
        prop::collection::vec(any::<u32>(), 0..4),
        extra(),
    )
        .prop_map(|(engine, direct, n, count, budget_seconds, list, extra)| Method {
            engine: engine.into(),
            direct,
            budget_seconds,
            extra,
            seed: count,
            footprint_bytes: count,
            threads: n,
            cpus: list.clone(),
            block_sizes: list,
            patterns: vec![Pattern::Random, Pattern::Sequential],
            epochs: n % 1000,
            max_concurrency: n,
            precondition_passes: n,
            measured_seconds: 1.0 / f64::from(n.max(1)),
            ..Method::default()
        })
}

fn profile() -> impl Strategy<Value = DeviceProfile> {
    let sample = (positive(), text(), count()).prop_map(|(x, phase, written_bytes)| TimelineSample {
        at_seconds: x,
        phase: phase.into(),
        bytes_per_second: x,
        written_bytes,
    });
    (
        (prop_oneof![Just(SCHEMA.to_owned()), Just(format!("{SCHEMA}.7"))], text(), prop::option::of(text())),
        (device(), method(), validity()),
        prop::collection::vec(point(), 0..3),
        prop::collection::vec(parameters(), 0..3),
        prop::collection::vec(sample, 0..3),
        extra(),
    )
        .prop_map(
            |(
                (schema, leadline, created),
                (device, method, validity),
                points,
                parameters,
                timeline,
                extra,
            )| {
                DeviceProfile {
                    schema,
                    leadline,
                    created,
                    device,
                    method,
                    validity,
                    points,
                    parameters,
                    timeline,
                    experiments: Default::default(),
                    extra,
                }
            },
        )
}

fn parse(text: &str) -> Result<DeviceProfile, ProfileError> {
    DeviceProfile::parse(text, Path::new("my.json"))
}

/// A small whole profile as JSON, for mending and breaking.
fn example() -> Value {
    json!({
        "schema": SCHEMA,
        "device": {"target": "/mnt", "name": "vda"},
        "method": {"engine": "io_uring"},
        "validity": {"complete": true},
        "points": [{"op": "read", "pattern": "random", "block_bytes": 4096, "concurrency": 8, "durable": false,
            "iops": 1000.5, "iops_ci": [990.0, 1010.0], "bandwidth_bytes": 4098048.0, "latency_us": {"mean": 8000.0, "p50": 7900.0},
            "cpu_bound": false, "slices": [{"epoch": 0, "ops": 1000, "seconds": 1.0}], "histogram": [[100.0, 3]]}],
        "parameters": [{"pattern": "random", "block_bytes": 4096, "alpha": 2.8, "alpha_ci": [2.7, 2.9], "alpha_1": 1.1,
            "k_r": 80, "k_r_ci": [78, 82], "capped": "unknown", "censored": {"read": false, "write": false}}]
    })
}

/// The example with one value changed, by JSON pointer.
fn with(pointer: &str, value: Value) -> String {
    let mut example = example();
    *example.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}")) = value;
    serde_json::to_string_pretty(&example).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_profile_is_read_back_as_it_was_written_with_what_is_unknown(profile in profile()) {
        let text = profile.to_json();
        let again = parse(&text).unwrap();
        prop_assert_eq!(&again, &profile);
        prop_assert_eq!(again.to_json(), text, "to the byte");
    }

    #[test]
    fn no_mutation_makes_the_parser_panic(
        at in 0usize..5000, cut in 0usize..30, insert in "\\PC{0,3}|[0-9eE.,:+\\-\"\\[\\]{}nul]{0,8}", pretty: bool,
    ) {
        let example = example();
        let text = if pretty { serde_json::to_string_pretty(&example) } else { serde_json::to_string(&example) }.unwrap();
        let at = at % text.len();
        let mutated = format!("{}{insert}{}", &text[..at], &text[(at + cut).min(text.len())..]);
        match parse(&mutated) {
            Ok(profile) => drop(profile.to_json()),
            Err(error) => prop_assert!(error.to_string().starts_with("my.json: "), "{}", error),
        }
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "(?s).{0,60}|[\\[\\]{}:,\"a-z0-9.\\- ]{0,100}") {
        prop_assert!(parse(&text).unwrap_err().to_string().starts_with("my.json: "));
    }
}

#[test]
fn unknown_fields_are_kept_where_they_were() {
    for place in ["", "/device", "/method", "/validity", "/points/0", "/parameters/0"] {
        let mut example = example();
        let unknown = json!({"deep": [1, -2.5, null, {"x": "y"}], "large": u64::MAX});
        example.pointer_mut(place).unwrap()["from_the_future"] = unknown.clone();
        let written: Value = serde_json::from_str(&parse(&example.to_string()).unwrap().to_json()).unwrap();
        assert_eq!(written.pointer(place).unwrap()["from_the_future"], unknown, "at {place:?}");
    }
}

#[test]
fn another_major_version_is_refused_and_a_minor_one_is_not() {
    for other in
        ["leadline.profile/2", "leadline.profile/10", "leadline.profile/", "leadline.profile/1x", "", "fio"]
    {
        // A later version may look like anything.
        for text in [with("/schema", other.into()), json!({"schema": other, "points": "none"}).to_string()] {
            let error = parse(&text).unwrap_err();
            assert!(matches!(error, ProfileError::Schema { .. }), "{error:?}");
            let message = error.to_string();
            assert!(
                message.starts_with("my.json: schema is") && message.contains(&format!("{other:?}")),
                "{message}"
            );
            assert!(message.contains("leadline.profile/1\""), "says what it can read: {message}");
        }
    }
    for same in ["leadline.profile/1", "leadline.profile/1.1", "leadline.profile/1.20"] {
        assert_eq!(parse(&with("/schema", same.into())).unwrap().schema, same);
    }
}

#[test]
fn broken_text_is_told_with_line_and_column() {
    let whole = serde_json::to_string_pretty(&example()).unwrap();
    for share in 0..50 {
        let error = parse(&whole[..whole.len() * share / 50]).unwrap_err();
        assert!(matches!(error, ProfileError::Syntax { .. }), "{error:?}");
    }
    let half = parse(&whole[..whole.len() / 2]).unwrap_err().to_string();
    assert!(half.contains("ends too early, in line "), "{half}");
    let remedy = "name a profile that `leadline profile` wrote";
    for (text, said) in [
        ("", "is empty"),
        ("{}", "is not a profile: it has no `schema`"),
        ("[]", "line 1, column 2: must be a group of keys and values, found a list"),
        ("null", "line 1, column 4: must be a group of keys and values, found nothing"),
        ("<html>", "is HTML or XML, not JSON"),
        ("{\"schema\":1}", "line 1, column 11: schema: must be a text in quotes, found 1"),
    ] {
        assert_eq!(parse(text).unwrap_err().to_string(), format!("my.json: {said}; {remedy}"));
    }
    let wrong = with("/points/0/iops", "fast".into());
    let line = 1 + wrong[..wrong.find("\"fast\"").unwrap()].matches('\n').count();
    let message = parse(&wrong).unwrap_err().to_string();
    let said = "points[0].iops: must be a number, found the text \"fast\"; ";
    assert!(message.contains(&format!("line {line},")) && message.contains(said), "{message}");
}

#[test]
fn wrong_types_and_missing_fields_are_refused() {
    for (pointer, value) in [
        ("/points", json!({})),
        ("/points/0", json!(1)),
        ("/points/0/op", json!("erase")),
        ("/points/0/pattern", json!("zipf")),
        ("/points/0/concurrency", json!(-1)),
        ("/points/0/concurrency", json!(1.5)),
        ("/points/0/concurrency", json!(1u64 << 32)),
        ("/points/0/durable", json!("no")),
        ("/points/0/iops_ci", json!([1.0])),
        ("/points/0/histogram", json!([[1.0, -1]])),
        ("/points/0/histogram", json!([[1.0]])),
        ("/points/0/slices/0/ops", json!(-1)),
        ("/points/0/slices/0/ops", json!(1e30)),
        ("/parameters/0/alpha", json!("2.8")),
        ("/parameters/0/capped", json!("maybe")),
        ("/parameters/0/k_r", json!(0.5)),
        ("/device", json!(null)),
        ("/method", json!("quick")),
        ("/validity", json!(null)),
    ] {
        let error = parse(&with(pointer, value.clone())).unwrap_err();
        assert!(matches!(error, ProfileError::Syntax { .. }), "{pointer} = {value}: {error:?}");
    }
    for pointer in ["/device", "/method", "/validity", "/points", "/parameters"] {
        let mut example = example();
        example.as_object_mut().unwrap().remove(&pointer[1..]);
        let message = parse(&example.to_string()).unwrap_err().to_string();
        assert!(message.contains(&pointer[1..]), "{message}");
    }
    // NaN and infinity are no JSON, and too large a number is not infinity.
    for text in ["NaN", "Infinity", "-Infinity", "1e999", "inf"] {
        let broken = with("/points/0/iops", json!("HERE")).replace("\"HERE\"", text);
        assert!(parse(&broken).is_err(), "{text}");
    }
}

#[test]
fn impossible_numbers_are_refused_with_their_place() {
    for (pointer, value, place) in [
        ("/points/0/iops", json!(0), "points[0].iops"),
        ("/points/0/iops", json!(-5.0), "points[0].iops"),
        ("/points/0/bandwidth_bytes", json!(0.0), "points[0].bandwidth_bytes"),
        ("/points/0/concurrency", json!(0), "points[0]"),
        ("/points/0/block_bytes", json!(0), "points[0]"),
        ("/points/0/latency_us/mean", json!(-1.0), "points[0].latency_us.mean"),
        ("/parameters/0/alpha", json!(0.0), "parameters[0].alpha"),
        ("/parameters/0/alpha", json!(-2.8), "parameters[0].alpha"),
        ("/parameters/0/alpha_1", json!(-1), "parameters[0].alpha_1"),
        ("/parameters/0/k_r", json!(0), "parameters[0].k_r"),
        ("/parameters/0/k_r_ci", json!([82, 78]), "parameters[0].k_r_ci"),
        ("/parameters/0/k_r_ci", json!([0, 78]), "parameters[0].k_r_ci"),
        ("/parameters/0/alpha_ci", json!([2.9, 2.7]), "parameters[0].alpha_ci"),
        ("/parameters/0/alpha_ci", json!([-1.0, 2.7]), "parameters[0].alpha_ci"),
        ("/parameters/0/block_bytes", json!(0), "parameters[0].block_bytes"),
    ] {
        let error =
            parse(&with(pointer, value.clone())).err().unwrap_or_else(|| panic!("{pointer} = {value} taken"));
        assert!(matches!(error, ProfileError::Value { .. }), "{pointer} = {value}: {error:?}");
        let message = error.to_string();
        assert!(message.starts_with(&format!("my.json: {place}: ")), "{message}");
    }
}

#[test]
fn counters_of_64_bits_are_exact() {
    for count in [(1u64 << 53) + 1, 1 << 63, u64::MAX] {
        let text = with("/points/0/slices/0/ops", count.into());
        let profile = parse(&text).unwrap();
        assert_eq!(profile.points[0].slices[0].ops, count);
        assert!(profile.to_json().contains(&count.to_string()));
    }
    assert!(
        parse(&with("/points/0/slices/0/ops", json!("HERE")).replace("\"HERE\"", "18446744073709551616"))
            .is_err()
    );
}
