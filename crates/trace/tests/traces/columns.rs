//! Text whose user says what each column holds.

use leadline_trace::{ReadAs, TextOptions, TimeUnit, Trace, TraceColumns, TraceError, Unit, read};

use crate::{all, short};

fn open(text: &str, columns: &str, options: TextOptions) -> Result<Box<dyn Trace>, TraceError> {
    let columns = TraceColumns::parse(columns, None, options).unwrap();
    read(Box::new(std::io::Cursor::new(text.as_bytes().to_vec())), "t", columns)
}

/// The requests of a text whose dialect is told.
#[track_caller]
fn requests(text: &str, columns: &str) -> Vec<String> {
    all(open(text, columns, TextOptions::default()).unwrap()).iter().map(short).collect()
}

#[track_caller]
fn refused(text: &str, columns: &str, options: TextOptions) -> String {
    match open(text, columns, options) {
        Err(error) => error.to_string(),
        Ok(mut trace) => loop {
            match trace.next() {
                Err(error) => return error.to_string(),
                Ok(Some(_)) => {}
                Ok(None) => panic!("{text:?} was read"),
            }
        },
    }
}

#[test]
fn units_are_what_was_said() {
    let text = "10,R,8,16,sda\n12.5,W,24,8,sdb\n";
    let expected = ["R 0 4096 8192", "W 1 12288 4096 @2500000"];
    assert_eq!(requests(text, "time:ms,op,offset:sectors,size:sectors,volume"), expected);
    let expected = ["R 0 8 16", "W 1 24 8 @2500000000"];
    assert_eq!(requests(text, "time:s,op,offset:bytes,size:bytes,volume"), expected);
    assert_eq!(
        requests("130000000000000000 5\n130000000000000007 6\n", "time:ticks,page"),
        ["R 0 5 1", "R 0 6 1 @700"]
    );
    let columns =
        TraceColumns::parse("time,page", Some(TimeUnit::Microseconds), TextOptions::default()).unwrap();
    let trace = read(Box::new(&b"1 5\n3 6\n"[..]), "t", ReadAs::from(columns)).unwrap();
    assert_eq!((trace.unit(), trace.timed()), (Unit::Page, true));
    assert_eq!(all(trace)[1].at_ns, 2000);
}

#[test]
fn separators_headers_comments_and_line_ends_are_told() {
    let expected = ["R 0 512 4096", "W 0 1024 4096"];
    for between in [",", ";", "\t", "|", " ", " , "] {
        for end in ["\n", "\r\n", "\r"] {
            for before in ["", "# made up", "\u{feff}", "op,address,bytes"] {
                let first = before.replace(',', between);
                let lines = [first.as_str(), "R,512,4096", "W,1024,4096"];
                let lines = lines.iter().map(|line| line.replace(',', between));
                let text: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
                let text = text.join(end).replace(&format!("\u{feff}{end}"), "\u{feff}");
                assert_eq!(requests(&text, "op,offset:bytes,size:bytes"), expected, "{text:?}");
            }
        }
    }
}

#[test]
fn columns_are_taken_by_name_by_number_or_in_their_order() {
    let text = "latency,Size,when,LBA,kind\n9,8,1,64,Read\n7,16,2,128,Write\n";
    let expected = ["R 0 32768 4096", "W 0 65536 8192 @1000"];
    for columns in [
        "time:us=when,op=kind,offset:sectors=LBA,size:sectors=Size",
        "op=5,size:sectors=2,time:us=3,offset:sectors=4",
        "-,size:sectors,time:us,offset:sectors,op",
    ] {
        assert_eq!(requests(text, columns), expected, "{columns}");
    }
    let said = refused(text, "time:us=When,page=LBA", TextOptions::default());
    assert!(said.contains("expected a column \"When\", found latency, Size, when, LBA, kind"), "{said}");
    assert!(refused(text, "page=9", TextOptions::default()).contains("expected a column 9, found 5 columns"));
}

#[test]
fn objects_have_names_and_sizes() {
    let text = "1,\"user, one\",120\n2,user2,64\n3,\"user, one\",130\n";
    let mut trace = open(text, "time:s,object,size", TextOptions::default()).unwrap();
    let mut found = Vec::new();
    while let Some(request) = trace.next().unwrap() {
        assert_eq!((request.length, trace.unit()), (1, Unit::Page));
        found.push((request.address, trace.object_bytes()));
    }
    assert_eq!(found.iter().map(|one| one.1).collect::<Vec<_>>(), [Some(120), Some(64), Some(130)]);
    assert!(found[0].0 == found[2].0 && found[0].0 != found[1].0);
    // Pages have a number of them instead.
    assert_eq!(requests("7 2\n9 1\n", "page,size"), ["R 0 7 2", "R 0 9 1"]);
}

#[test]
fn operations_may_be_numbers_if_it_is_said_which_writes() {
    assert_eq!(requests("1 5\n0 6\n", "op:write1,page"), ["W 0 5 1", "R 0 6 1"]);
    assert_eq!(requests("1 5\n0 6\n", "op:read1,page"), ["R 0 5 1", "W 0 6 1"]);
    let said = refused("1 5\n0 6\n", "op,page", TextOptions::default());
    assert!(said.starts_with("t:1: op: found \"1\"") && said.contains("op:write1 or op:read1"), "{said}");
}

#[test]
fn an_offset_that_is_no_sector_needs_its_unit() {
    let said = refused("R 4096 512\nR 8 512\n", "op,offset,size", TextOptions::default());
    assert!(said.starts_with("t:2: offset: found 8, which is no multiple of 512"), "{said}");
    assert_eq!(requests("R 4096 512\nW 0 7\n", "op,offset,size"), ["R 0 4096 512", "W 0 0 7"]);
}

#[test]
fn what_is_said_of_the_text_is_done() {
    let text = "junk\nmore junk\n!x\n5;6\n";
    let options = TextOptions {
        delimiter: Some(";".parse().unwrap()),
        header: Some(false),
        skip: 2,
        comment: Some("!".parse().unwrap()),
    };
    let mut trace = open(text, "page,-", options).unwrap();
    assert_eq!(trace.next().unwrap().map(|request| request.address), Some(5));
    assert!(trace.next().unwrap().is_none());
    let kinds: Vec<_> = trace.skipped().unwrap().kinds().iter().map(|k| (&*k.what, k.count)).collect();
    assert_eq!(kinds, [("lines skipped as was said", 2), ("comments", 1)]);
    let said = trace.recognition().unwrap();
    assert!(said.evidence.contains("semicolon between them, no header: as was said"), "{said:?}");
    assert!(said.evidence.contains("all requests are reads, because no column says"), "{said:?}");
}

#[test]
fn a_line_that_lacks_a_column_is_named_and_the_next_is_read() {
    let text = format!("{}5\n7,8\n", "1,2\n".repeat(2000));
    let columns = TraceColumns::parse("-,page", None, TextOptions::default()).unwrap();
    // Where it is found among the first lines, nothing is read at all.
    let mut trace = read(Box::new(std::io::Cursor::new(text.into_bytes())), "t", columns).unwrap();
    for _ in 0..2000 {
        trace.next().unwrap().unwrap();
    }
    let error = trace.next().unwrap_err().to_string();
    assert_eq!(error, "t:2001: column 2: found the end of the line, expected 2");
    assert_eq!(trace.next().unwrap().unwrap().address, 8);
}
