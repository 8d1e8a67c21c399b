//! All queries on an emulated drive, at a scale that takes seconds. No ratio and no class is asserted: the
//! smallest pool holds a quarter of the tables.

use std::fs;

use leadline_tpch::answers::Answer;
use leadline_tpch::compare::{Class, Pattern, lines};
use leadline_tpch::explain::explain;
use leadline_tpch::queries::{Plans, Query};
use leadline_tpch::run::{RunOptions, RunResult, run};
use leadline_tpch::{Interrupt, TpchError};

use crate::shared::{Loaded, can_run};

fn measured(loaded: &Loaded, options: &RunOptions) -> RunResult {
    let mut said = 0;
    let result = run(&loaded.folder, options, &Interrupt::default(), &mut |_| said += 1).unwrap();
    assert_eq!(said, result.queries.len());
    assert!(loaded.is_left_alone());
    result
}

/// The scale at which the answers are known, which a run compares.
#[test]
fn all_queries_answer_as_sqlite_does_with_both_plans() {
    if !can_run() {
        return;
    }
    let loaded = Loaded::new(0.01);
    let traces = loaded.temporary.path().join("traces");
    fs::create_dir(&traces).unwrap();
    let mut results = Vec::new();
    for plans in [Plans::Default, Plans::Paper] {
        let mut options = loaded.options(plans);
        options.traces = Some(traces.clone());
        let result = measured(&loaded, &options);
        assert_eq!(result.queries.len(), 22);
        for measured in &result.queries {
            let query = measured.query;
            assert!(measured.finished && Answer::expected(query, 0.01).is_some(), "{query}");
            assert!(measured.server_cpu_seconds >= 0.0 && measured.seconds > 0.0, "{query}");
            assert!(traces.join(format!("{query}-{}-1.capture", plans.name())).exists(), "{query}");
            // All that is read of pages is read of tables, but for a handful of the system's own.
            let (read, recorded) = (measured.innodb.pages_read, measured.access.as_ref().unwrap().all);
            assert!(recorded.pages <= read && read <= recorded.pages + 20, "{query}: {read} {recorded:?}");
            assert!(recorded.distinct > 0 && recorded.distinct <= recorded.pages, "{query}: {recorded:?}");
        }
        results.push(result);
    }
    // Forced plans ask for other pages.
    let read = |result: &RunResult, name: &str| {
        let query = result.queries.iter().find(|measured| measured.query.to_string() == name);
        query.unwrap().innodb.pages_read
    };
    assert!(read(&results[1], "q14") < read(&results[0], "q14") / 2);

    let path = loaded.temporary.path().join("result.json");
    fs::write(&path, results[0].to_json()).unwrap();
    assert_eq!(RunResult::load(&path).unwrap(), results[0]);
    let compared = lines(&results);
    let row = compared.iter().find(|line| line.starts_with("q10 ")).unwrap();
    assert!(row.contains("93%") && !row.contains("not measured"), "{row}");
    assert!(compared.iter().any(|line| line.starts_with("lineitem ")), "{compared:?}");
}

/// Minutes. Classes that are near a bound are left out: Q11, Q21, Q22.
#[test]
fn at_a_quarter_the_classes_are_the_documented_ones() {
    if !leadline_testing::exhaustive() || !can_run() {
        return;
    }
    let loaded = Loaded::new(0.25);
    let traces = loaded.temporary.path().join("traces");
    fs::create_dir(&traces).unwrap();
    let results = [Plans::Default, Plans::Paper].map(|plans| {
        let mut options = loaded.options(plans);
        options.device = format!("sim:{}/devices/fast.toml", env!("CARGO_MANIFEST_DIR"));
        options.traces = Some(traces.clone());
        measured(&loaded, &options)
    });
    for (plans, sequential, repeated) in [
        (Plans::Default, &[1, 4, 6, 12][..], &[3, 5, 7, 8, 9, 10, 13, 14, 16, 18, 20][..]),
        (Plans::Paper, &[1, 4, 5, 6, 8, 10, 12, 14, 18], &[3, 7, 9, 13, 20]),
    ] {
        for query in Query::all().filter(|query| ![2, 11, 15, 21, 22].contains(&query.number())) {
            let class = Pattern::of(&results, query, plans).unwrap().class();
            let expected = match query.number() {
                number if sequential.contains(&number) => Class::Sequential,
                number if repeated.contains(&number) => Class::RandomRepeated,
                _ => Class::Random,
            };
            assert_eq!(class, expected, "{query} with {} plans", plans.name());
        }
    }
}

/// An answer that changes is an error, even where nobody knows the right one.
#[test]
fn an_answer_that_changes_is_refused() {
    let row = |values: [&str; 3]| values.map(str::to_owned).to_vec();
    let first = Answer::of(&[row(["10", "a", "1.50"]), row(["20", "b", "2.50"])]);
    assert_eq!(first.sums, [50.0, 6.5]);
    let same = Answer::of(&[row(["10", "a", "1.500000"]), row(["20", "b", "2.500001"])]);
    assert_eq!(first.difference(&same), None);
    for other in [
        vec![row(["10", "a", "1.50"])],
        vec![row(["10", "a", "1.50"]), row(["20", "c", "2.50"])],
        vec![row(["10", "a", "1.50"]), row(["20", "b", "2.51"])],
        vec![row(["20", "b", "2.50"]), row(["10", "a", "1.50"])],
        vec![row(["10", "a", "1.50"]), row(["20", "b", "NULL"])],
    ] {
        assert!(first.difference(&Answer::of(&other)).is_some(), "{other:?}");
    }
}

#[test]
fn forced_plans_join_in_the_papers_order() {
    if !can_run() {
        return;
    }
    let loaded = Loaded::new(0.01);
    let forced: Vec<Query> = Query::all().filter(|query| query.is_forced()).collect();
    let plans = explain(&loaded.folder, &forced, Plans::Paper, &Interrupt::default()).unwrap();
    let orders: Vec<(String, String)> = plans
        .iter()
        .map(|(query, steps)| {
            let joined =
                steps.iter().filter(|step| ["SIMPLE", "PRIMARY", "DERIVED"].contains(&step.part.as_str()));
            let tables: Vec<&str> = joined.map(|step| step.table.as_str()).collect();
            (query.to_string(), tables.join(" "))
        })
        .collect();
    let orders: Vec<(&str, &str)> =
        orders.iter().map(|(query, tables)| (query.as_str(), tables.as_str())).collect();
    assert_eq!(
        orders,
        [
            ("q5", "lineitem supplier nation region orders customer"),
            ("q8", "lineitem part orders customer n1 region supplier n2"),
            ("q10", "lineitem orders customer nation"),
            ("q11", "partsupp supplier nation"),
            ("q14", "lineitem part"),
            ("q16", "<derived2> part partsupp"),
            ("q18", "orders customer lineitem"),
        ]
    );
    assert!(loaded.is_left_alone());
}

#[test]
fn a_query_that_takes_too_long_is_ended_and_the_next_one_runs() {
    if !can_run() {
        return;
    }
    let loaded = Loaded::new(0.01);
    let mut options = loaded.options(Plans::Default);
    // A page takes 5 ms: Q9 reads thousands, Q22 a few dozen.
    options.device = loaded.drive(5000);
    options.queries = ["q9", "q22"].map(|name| Query::parse(name).unwrap()).to_vec();
    options.limit_s = 5;
    let result = measured(&loaded, &options);
    let [long, short] = &result.queries[..] else { panic!("two were asked for") };
    assert!(!long.finished && long.answer.is_none() && long.innodb.pages_read > 0, "{long:?}");
    assert!(short.finished && short.answer.is_some(), "{short:?}");
}

#[test]
fn a_folder_in_use_is_not_touched() {
    if !can_run() {
        return;
    }
    let loaded = Loaded::new(0.01);
    let mut options = loaded.options(Plans::Default);
    options.queries.truncate(1);
    let explained = || explain(&loaded.folder, &options.queries, Plans::Default, &Interrupt::default());
    run(&loaded.folder, &options, &Interrupt::default(), &mut |_| {
        let refused = explained().unwrap_err();
        assert!(matches!(&refused, TpchError::Input(text) if text.contains("in use")), "{refused}");
        let mut nothing = |_: &_| {};
        let refused = run(&loaded.folder, &options, &Interrupt::default(), &mut nothing).unwrap_err();
        assert!(matches!(refused, TpchError::Emulate(_)), "{refused}");
    })
    .unwrap();
    explained().unwrap();
}
