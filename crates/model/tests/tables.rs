//! Tables of others: both layouts, every refusal with its place, and nothing impossible gets through.

use std::path::Path;

use leadline_files::TextError;
use leadline_model::{CostTable, Model, Observation, Observations, Pdam, Table};
use leadline_profile::{OpKind, Work};
use proptest::prelude::*;

const POINTS: &str = "op,random_fraction,concurrency,block_bytes,bytes,seconds\n";
const COSTS: &str = "k,s_us,beta_us,t_us,alpha_us\n";

/// Table 2 of the MQSSD paper, with columns that are not ours.
const MQSSD: &str = "\
# Ransom, Lim and Mitzenmacher, MQSSD, Table 2: Samsung 990 Pro
k,s_us,beta_us,write_r2,t_us,alpha_us,read_r2
1,310000,2.79,0.996,147000,3.53,0.969
2,254000,3.01,0.989,40700,1.71,0.909
128,9980,0.697,0.977,202,0.0974,0.964
";

fn parse(text: &str) -> Result<Table, TextError> {
    Table::parse(text, Path::new("t.csv"))
}

fn points(text: &str) -> Work {
    match parse(text).unwrap() {
        Table::Points(work) => work,
        Table::Costs(_) => panic!("costs"),
    }
}

fn costs(text: &str) -> CostTable {
    match parse(text).unwrap() {
        Table::Costs(table) => table,
        Table::Points(_) => panic!("points"),
    }
}

fn refused(text: &str) -> String {
    let message = parse(text).unwrap_err().to_string();
    assert!(!message.contains('\n') && message.starts_with("t.csv: "), "{message}");
    message
}

/// The message for one row under the header of points, without the place.
fn row_refused(row: &str, column: &str) -> String {
    let message = refused(&format!("# a comment\n\n{POINTS}read,1,1,4096,4096,1\n{row}\n"));
    let place = format!("t.csv: line 5, column {column}: ");
    message.strip_prefix(&place).unwrap_or_else(|| panic!("{message}")).to_owned()
}

fn close(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 1e-12
}

#[test]
fn random_and_sequential_points_become_requests() {
    let work = points(&format!("{POINTS}read,1,8,4096,40960000,0.5\nwrite,0,2,131072,1310720,0.25\n"));
    let [read, write] = &work.points[..] else { panic!("{work:?}") };
    assert_eq!((read.reads, read.writes, read.block_bytes, read.concurrency), (10_000, 0, 4096, 8));
    assert_eq!((read.random_fraction, read.seconds, read.seconds_ci), (1.0, 0.5, None));
    assert_eq!((write.reads, write.writes, write.block_bytes, write.concurrency), (0, 10, 131_072, 2));
    assert_eq!((write.random_fraction, write.seconds), (0.0, 0.25));
    let procedure = &work.procedure;
    assert_eq!((procedure.engine.as_str(), procedure.created.as_deref()), ("table", None));
    assert_eq!((procedure.bytes_read, procedure.bytes_written), (40_960_000, 1_310_720));
    assert!(close(procedure.measured_seconds, 0.75));
}

#[test]
fn a_share_of_random_blocks_is_a_random_access_for_each() {
    // 1 % of 4 KiB pages are random accesses: each one reads 400 KiB.
    let work = points(&format!("{POINTS}read,0.01,1,4096,409600000,2\n"));
    let point = &work.points[0];
    assert_eq!((point.reads, point.block_bytes, point.random_fraction), (1000, 409_600, 1.0));
    assert!(close(point.seconds, 2.0));
}

#[test]
fn the_cost_of_a_request_is_exact_where_the_count_is_not_whole() {
    // Less than one, between two numbers, and many.
    for bytes in [1024.0, 6144.0, 4096e6 + 1.0] {
        let point = &points(&format!("{POINTS}write,1,1,4096,{bytes},3\n")).points[0];
        assert!(point.writes >= 1);
        assert!(close(point.seconds / point.writes as f64, 3.0 / (bytes / 4096.0)), "{bytes}");
    }
}

#[test]
fn a_table_of_points_fits_a_model_as_a_profile_does() {
    let row = |k: u32| format!("read,1,{k},4096,4096000,{}\n", 0.1 / f64::from(k.min(6)));
    let work = points(&(POINTS.to_owned() + &[1, 2, 4, 8, 16].map(row).concat()));
    let mut profile = leadline_profile::DeviceProfile::default();
    profile.experiments.mixed = Some(work);
    let observations = Observations::from_profile(&profile);
    let pdam = Pdam::fit(&observations).unwrap();
    assert_eq!(pdam.p(), 6);
    let cost = |o: &Observation| o.cost();
    assert!(close(cost(&observations.all[0]), 100e-6));
    assert!(close(pdam.cost(OpKind::Read, 4096, 1.0, 1).unwrap(), 100e-6));
}

#[test]
fn models_are_fitted_to_the_same_points_whether_the_mix_line_was_measured_or_not() {
    let mut profile = leadline_profile::DeviceProfile::default();
    profile.experiments.mixed = Some(points(&format!("{POINTS}read,1,8,4096,40960000,0.5\n")));
    let without = Observations::from_profile(&profile);
    profile.experiments.mix_line = Some(points(&format!("{POINTS}write,1,16,262144,40960000,0.5\n")));
    assert_eq!(Observations::from_profile(&profile), without);
}

#[test]
fn columns_come_in_any_order_and_lines_as_spreadsheets_write_them() {
    let plain = points(&format!("{POINTS}read,1,8,4096,40960000,0.5\nwrite,0,2,4096,4096,2.5e-1\n"));
    let other = "\u{feff}# from a spreadsheet\r\n\r\n Seconds ,bytes,block_bytes,Concurrency,\"random_fraction\",op\r\n\
        # first, \"the reads\r\n0.5,40960000,4096,8.0,1.0,READ\r\n,,,,,\r\n   \r\n  # then the writes\r\n\
        0.25, 4096 ,4096,2,0,\"write\"";
    assert_eq!(points(other), plain);
}

#[test]
fn a_cost_table_is_read_in_seconds_and_its_setups_divided() {
    let table = costs(MQSSD);
    assert_eq!(table.rows.iter().map(|row| row.k).collect::<Vec<_>>(), [1, 2, 128]);
    let first = table.clone().setup_per(2621.44).rows[0];
    assert!(close(first.setup_write.unwrap(), 0.31 / 2621.44));
    assert!(close(first.setup_read.unwrap(), 0.147 / 2621.44));
    assert!(close(first.transfer_write.unwrap(), 2.79e-6) && close(first.transfer_read.unwrap(), 3.53e-6));
    assert!(close(table.rows[0].setup_write.unwrap(), 0.31));
}

#[test]
fn writes_or_reads_alone_make_a_cost_table() {
    let writes = costs("k,s_us,beta_us\n8,80,2\n1,100,3\n");
    assert_eq!(writes.rows.iter().map(|row| row.k).collect::<Vec<_>>(), [1, 8]);
    assert_eq!((writes.rows[0].setup_read, writes.rows[0].transfer_read), (None, None));
    let reads = costs("k,t_us,alpha_us\n1,100,3\n");
    assert_eq!((reads.rows[0].setup_write, reads.rows[0].transfer_write), (None, None));
    // Reads that were measured at fewer concurrencies than writes.
    let fewer = costs(&format!("{COSTS}1,100,3,50,2\n2,90,3,,\n"));
    assert!(fewer.rows[1].setup_write.is_some() && fewer.rows[1].setup_read.is_none());
}

#[test]
fn missing_columns_are_named_with_both_layouts() {
    let message = refused("\n# about\nop,random_fraction,concurrency,block_bytes\nread,1,1,4096\n");
    assert!(message.starts_with("t.csv: line 3: missing columns bytes, seconds; "), "{message}");
    assert!(message.contains("op, random_fraction, concurrency, block_bytes, bytes, seconds"), "{message}");
    assert!(message.contains("k with s_us, beta_us (writes) or t_us, alpha_us (reads) or both"), "{message}");
    assert!(refused("k,s_us\n1,2\n").contains("line 1: missing column beta_us; "));
    assert!(refused("k,s_us,beta_us,alpha_us\n1,2,3,4\n").contains("missing column t_us; "));
    assert!(refused("s_us,beta_us\n1,2\n").contains("missing column k; "));
    assert!(refused("k,write_r2\n1,2\n").contains("missing columns s_us, beta_us, t_us, alpha_us; "));
    assert!(refused("a,b\n1,2\n").contains("no column is known; a table of measured points has "));
}

#[test]
fn a_column_in_another_unit_is_refused_with_the_one_that_is_meant() {
    for (from, to, hint) in [
        ("seconds", "ms", "seconds (in seconds)"),
        ("seconds", "latency_ms", "seconds (in seconds)"),
        ("seconds", "time_us", "seconds (in seconds)"),
        ("seconds", "Total time [s]", "seconds (in seconds)"),
        ("block_bytes", "block_kib", "block_bytes (in bytes)"),
        (",bytes", ",size_mb", "bytes (in bytes)"),
        ("random_fraction", "random_percent", "random_fraction (from 0 to 1)"),
        ("concurrency", "iodepth", "concurrency (requests)"),
        ("op", "rw", "op (read or write)"),
    ] {
        let header = POINTS.replacen(from, to, 1);
        let message = refused(&format!("{header}read,1,1,4096,4096,1\n"));
        let name = to.trim_start_matches(',').to_lowercase();
        assert_eq!(message, format!("t.csv: line 1: unknown column {name:?}, did you mean {hint}?"));
    }
    let extra = refused(&format!("{},latency_us\nread,1,1,4096,4096,1,7\n", POINTS.trim_end()));
    assert!(extra.contains("unknown column \"latency_us\"; leave it out"), "{extra}");
    for (from, to) in [("s_us", "s_ms"), ("alpha_us", "alpha"), ("beta_us", "beta_ns")] {
        let message = refused(&format!("{}1,2,3,4,5\n", COSTS.replacen(from, to, 1)));
        let expected = format!("unknown column {to:?}, did you mean {from} (in microseconds)?");
        assert!(message.ends_with(&expected), "{message}");
    }
    let twice = refused(&format!("{},seconds\nread,1,1,4096,4096,1,1\n", POINTS.trim_end()));
    assert!(twice.contains("line 1: column seconds is there twice"), "{twice}");
}

#[test]
fn impossible_points_are_refused_where_they_stand() {
    let seconds = |value: &str| row_refused(&format!("read,1,1,4096,4096,{value}"), "seconds");
    for value in ["NaN", "nan", "inf", "-inf", "1e400", "-1e400"] {
        assert!(seconds(value).contains("is not a finite number"), "{value}");
    }
    for value in ["0", "-0", "-1", "0.0", "1e-400"] {
        assert!(seconds(value).contains("must be more than 0 seconds"), "{value}: {}", seconds(value));
    }
    assert!(seconds("1e300").contains("must be from 1e-12 to 1e12 seconds; check the unit"));
    assert!(seconds("1e-300").contains("must be from 1e-12 to 1e12 seconds; check the unit"));
    for value in ["fast", "1 s", "1_000", "0x10", "1.2.3"] {
        assert!(seconds(value).contains("which is not a number"), "{value}");
    }
    assert!(seconds("").contains("is empty"));
    for value in ["0", "-4096"] {
        let bytes = row_refused(&format!("read,1,1,4096,{value},1"), "bytes");
        assert!(bytes.contains("must be more than 0 bytes"), "{bytes}");
        let block = row_refused(&format!("read,1,1,{value},4096,1"), "block_bytes");
        assert!(block.contains("must be more than 0 bytes"), "{block}");
    }
    assert!(row_refused("read,1,1,0.5,4096,1", "block_bytes").contains("must be from 1e0 to"));
    assert!(row_refused("read,1,1,4096.5,4096,1", "block_bytes").contains("must be whole bytes"));
    assert!(row_refused("read,1,1,8589934592,4096,1", "block_bytes").contains("check the unit"));
    let percent = row_refused("read,50,1,4096,4096,1", "random_fraction");
    assert_eq!(percent, "is \"50\", and must be from 0 to 1; write a share, not percent: 0.5, not 50");
    assert!(row_refused("read,-0.1,1,4096,4096,1", "random_fraction").contains("must be from 0 to 1"));
    assert!(row_refused("read,1e-7,1,4096,4096,1", "random_fraction").contains("more than 4 GiB; write 0"));
    for value in ["0", "-1", "1.5", "1000001", "1e300"] {
        let k = row_refused(&format!("read,1,{value},4096,4096,1"), "concurrency");
        assert!(k.contains("must be a whole number of requests from 1 to 1000000"), "{k}");
    }
    for op in ["trim", "", "r"] {
        assert!(
            row_refused(&format!("{op},1,1,4096,4096,1"), "op").contains("must be read or write"),
            "{op}"
        );
    }
}

#[test]
fn impossible_costs_are_refused_where_they_stand() {
    for (i, column) in ["s_us", "beta_us", "t_us", "alpha_us"].into_iter().enumerate() {
        for (value, what) in [
            ("-5", "must be more than 0 microseconds"),
            ("0", "must be more than 0 microseconds"),
            ("NaN", "not a finite number"),
            ("1e999", "not a finite number"),
            ("1e-300", "check the unit"),
            ("", "is empty"),
        ] {
            let mut cells = ["2"; 4];
            cells[i] = value;
            let message = refused(&format!("{COSTS}1,2,2,2,2\n2,{}\n", cells.join(",")));
            let place = format!("t.csv: line 3, column {column}: ");
            assert!(message.starts_with(&place) && message.contains(what), "{message}");
        }
    }
    let twice = refused(&format!("{COSTS}1,2,2,2,2\n# again\n\n4,2,2,2,2\n1,2,2,2,2\n"));
    assert_eq!(twice, "t.csv: line 6, column k: is 1, and so it is in line 2; keep one row for each k");
    assert!(refused(&format!("{COSTS}0,2,2,2,2\n")).contains("line 2, column k: is \"0\""));
    assert!(refused(&format!("{COSTS}3,,,,\n")).contains("no costs follow it"));
}

#[test]
fn what_is_no_table_at_all_is_refused() {
    assert!(refused("").starts_with("t.csv: has no header; a table of measured points has "));
    assert!(refused("\n# only\n# comments").contains("has no header"));
    assert!(refused(POINTS).contains("line 1: no rows follow the header"));
    assert!(refused(&format!("# c\n{COSTS}\n# no more\n")).contains("line 2: no rows follow the header"));
    assert!(refused("\u{feff}\n {\"schema\": \"leadline.profile/1\"}").contains("is this a profile?"));
    assert!(refused("[1]").contains("is this a profile?"));
    let semicolons = refused(&POINTS.replace(',', ";"));
    assert!(semicolons.contains("separated by ';'; separate them by commas"), "{semicolons}");
    for row in ["read,1,1,4096,4096", "read,1,1,4096,4096,0,5", "read"] {
        let message = refused(&format!("{POINTS}\n{row}\n"));
        assert!(
            message.starts_with("t.csv: line 3: has ") && message.contains("the header has 6"),
            "{message}"
        );
    }
}

#[test]
fn a_message_stays_one_short_line_whatever_the_file_holds() {
    let long = "x".repeat(100_000);
    for row in [format!("{long},1,1,1,1,1"), format!("read,1,1,1,1,{long}"), "read,1,1,1,1,\"1\n2\"".into()] {
        assert!(refused(&format!("{POINTS}{row}\n")).len() < 300);
    }
    assert!(refused(&format!("{},\"{long}\n\"\n", POINTS.trim_end())).len() < 400);
    // A field over two lines does not put the lines after it out of count.
    let message = refused("k,s_us,beta_us,note\n1,2,3,\"two\nlines\"\n2,0,3,x\n");
    assert!(message.contains("line 4, column s_us"), "{message}");
}

#[test]
fn files_that_cannot_be_text_or_are_too_large_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("table.csv");
    let refused = |bytes: &[u8]| {
        std::fs::write(&file, bytes).unwrap();
        let message = Table::load(&file).unwrap_err().to_string();
        message.strip_prefix(&file.display().to_string()).unwrap().to_owned()
    };
    let latin: Vec<u8> = [POINTS.as_bytes(), b"# M\xfcller\n"].concat();
    assert_eq!(refused(&latin), ": line 2: is not UTF-8 text; save the table as CSV in UTF-8");
    std::fs::File::create(&file).unwrap().set_len((64 << 20) + 1).unwrap();
    let message = Table::load(&file).unwrap_err().to_string();
    assert!(message.contains("is larger than 64 MiB"), "{message}");
    std::fs::write(&file, MQSSD).unwrap();
    assert_eq!(Table::load(&file).unwrap(), Table::Costs(costs(MQSSD)));
    assert!(matches!(Table::load(folder.path().join("none.csv")), Err(TextError::Io { .. })));
    assert!(matches!(Table::load(folder.path()), Err(TextError::Io { .. })));
}

/// Every number of a table positive and finite, and every observation that comes of it.
fn sound(table: &Table) -> bool {
    let fine = |value: f64| value.is_finite() && value > 0.0;
    match table {
        Table::Points(work) => {
            !work.points.is_empty()
                && work.points.iter().all(|p| {
                    let requests = p.reads + p.writes;
                    fine(p.seconds)
                        && fine(p.seconds / requests as f64)
                        && requests >= 1
                        && p.block_bytes >= 1
                        && p.concurrency >= 1
                        && (0.0..=1.0).contains(&p.random_fraction)
                })
        }
        Table::Costs(table) => {
            let cells = |row: &leadline_model::CostRow| {
                [row.setup_write, row.transfer_write, row.setup_read, row.transfer_read]
            };
            !table.rows.is_empty()
                && table.rows.windows(2).all(|pair| pair[0].k < pair[1].k)
                && table.rows.iter().all(|row| {
                    row.k >= 1
                        && cells(row).iter().flatten().all(|&v| fine(v))
                        && cells(row).iter().any(Option::is_some)
                })
        }
    }
}

/// Cells as people and programs write them, good and bad.
fn cell() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec!["1", "4096", "0.5", "read", "write", "0", "8", "128", "1e6", "0.001"])
            .prop_map(str::to_owned),
        1 => prop::sample::select(vec!["", " ", "NaN", "-1", "inf", "1e400", "5e-324", "1e308", "\"", "#", "\"a\nb\""])
            .prop_map(str::to_owned),
        2 => any::<f64>().prop_map(|value| format!("{value:e}")),
        1 => any::<u32>().prop_map(|value| value.to_string()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_or_refused_in_one_line(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        match parse(&String::from_utf8_lossy(&bytes)) {
            Ok(table) => prop_assert!(sound(&table)),
            Err(error) => prop_assert!(!error.to_string().contains('\n')),
        }
    }

    #[test]
    fn any_cells_under_a_good_header_are_sound_or_refused_at_a_line_that_exists(
        costs in any::<bool>(),
        rows in prop::collection::vec(prop::collection::vec(cell(), 6), 0..6),
        newline in prop::sample::select(vec!["\n", "\r\n", "\n\n", "\n# c\n"]),
    ) {
        let (header, columns) = if costs { (COSTS, 5) } else { (POINTS, 6) };
        let lines: Vec<String> = rows.iter().map(|row| row[..columns].join(",")).collect();
        let text = format!("{}{newline}{}", header.trim_end(), lines.join(newline));
        let last = text.lines().count().max(1);
        match parse(&text) {
            Ok(table) => prop_assert!(sound(&table)),
            Err(TextError::Value { line, .. } | TextError::Line { line, .. }) => prop_assert!((1..=last).contains(&line)),
            Err(other) => prop_assert!(false, "{other}"),
        }
    }

    #[test]
    fn a_good_row_is_accepted_and_keeps_its_cost(
        write in any::<bool>(),
        fraction in prop_oneof![Just(0.0), 1e-5..=1.0f64],
        k in 1..=1_000_000u32,
        block in 512..=16384u32,
        bytes in 1..=1_000_000_000_000u64,
        seconds in 1e-9..1e6f64,
    ) {
        let op = if write { "write" } else { "read" };
        let work = points(&format!("{POINTS}{op},{fraction},{k},{block},{bytes},{seconds}\n"));
        let point = &work.points[0];
        let share = if fraction == 0.0 { 1.0 } else { fraction };
        let requests = share * bytes as f64 / f64::from(block);
        let cost = point.seconds / (point.reads + point.writes) as f64;
        prop_assert!((cost / (seconds / requests) - 1.0).abs() < 1e-6);
        prop_assert!((f64::from(point.block_bytes) - f64::from(block) / share).abs() <= 0.5);
        prop_assert_eq!(point.writes > 0, write);
    }
}
