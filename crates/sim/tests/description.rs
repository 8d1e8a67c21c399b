//! Descriptions come from people: whatever they write, the answer is a device or a line that says where it is
//! wrong.

use leadline_catalogue::DEVICES;
use leadline_device::Device;
use leadline_sim::{ParametricSpec, SimError, open};
use proptest::prelude::*;

const GOOD: &str = "kind = \"parametric\"\ncapacity = \"64G\"\njitter = \"none\"\nsigma = 0.3\n\
                    placement = \"any-free\"\ncap_iops = 0\nseed = 1\n\
                    [read]\nservice_us = 60.0\nper_kib_us = 5.0\nservers = 80\n\
                    [write]\nservice_us = 16\nper_kib_us = 1.6\nservers = 8\n";

fn error(text: &str) -> String {
    let error = ParametricSpec::parse(text, "my.toml").err().unwrap_or_else(|| panic!("accepted: {text}"));
    let message = error.to_string();
    assert!(message.starts_with("my.toml: "), "names the file: {message}");
    assert!(!message.contains('\n'), "one line: {message:?}");
    message
}

fn with(line: &str, other: &str) -> String {
    assert!(GOOD.contains(line));
    GOOD.replacen(line, other, 1)
}

#[test]
fn the_example_of_the_manual_is_a_device() {
    let spec = ParametricSpec::parse(GOOD, "my.toml").unwrap();
    assert_eq!((spec.capacity, spec.read.servers, spec.write.servers), (64 << 30, 80, 8));
    // What may be left out.
    let short = "kind = \"parametric\"\ncapacity = \"64G\"\n[read]\nservice_us = 60\nservers = 80\n\
                 [write]\nservice_us = 16\nservers = 8\n";
    let short = ParametricSpec::parse(short, "my.toml").unwrap();
    assert_eq!((short.sigma, short.seed, short.cap_iops, short.read.per_kib_us), (0.3, 1, 0.0, 0.0));
}

#[test]
fn a_mistake_of_form_is_told_with_its_line() {
    for (line, other, number, reason) in [
        ("capacity = \"64G\"", "capacity = ", 2, ""),
        ("capacity = \"64G\"", "capacity = \"64X\"", 2, "not a size"),
        ("capacity = \"64G\"", "capacity = -5", 2, ""),
        ("capacity = \"64G\"", "capacitty = \"64G\"", 2, "capacitty"),
        ("jitter = \"none\"", "jitter = \"gaussian\"", 3, "exponential"),
        ("placement = \"any-free\"", "placement = \"anyfree\"", 5, "hashed"),
        ("seed = 1", "seed = -1", 7, ""),
        ("servers = 80", "servers = 80.5", 11, ""),
        ("servers = 80", "servers = -1", 11, ""),
        ("servers = 80", "servers = 4294967296", 11, ""),
        ("servers = 8\n", "servers = 8\nserver = 8\n", 16, "server"),
        ("service_us = 16", "service_us = \"16\"", 13, ""),
    ] {
        let message = error(&with(line, other));
        assert!(message.contains(&format!("line {number}: ")), "{other}: {message}");
        assert!(message.contains(reason), "{other}: {message}");
    }
    assert!(error("").contains("is missing"));
    assert!(error(&GOOD[..GOOD.find("[write]").unwrap()]).contains("write"));
    assert!(error("\u{0}").contains("line 1"));
}

#[test]
fn a_value_out_of_range_is_told_with_its_field() {
    for (line, values, field) in [
        ("kind = \"parametric\"", &["kind = \"ssd\"", "kind = \"\""][..], "kind"),
        (
            "capacity = \"64G\"",
            &[
                "capacity = 0",
                "capacity = 1048575",
                "capacity = \"1023K\"",
                "capacity = 1152921504606846977",
                "capacity = 1048577",
            ],
            "capacity",
        ),
        ("sigma = 0.3", &["noise = -0.1", "noise = 1.1", "noise = nan"], "noise"),
        ("sigma = 0.3", &["noise_ms = 0", "noise_ms = 1.1e9", "noise_ms = nan"], "noise_ms"),
        ("sigma = 0.3", &["sigma = -0.1", "sigma = 3.1", "sigma = nan", "sigma = inf"], "sigma"),
        (
            "cap_iops = 0",
            &["cap_iops = -1", "cap_iops = 1e-4", "cap_iops = 1e10", "cap_iops = nan", "cap_iops = inf"],
            "cap_iops",
        ),
        (
            "service_us = 60.0",
            &["service_us = -1", "service_us = 1.1e9", "service_us = nan", "service_us = inf"],
            "read.service_us",
        ),
        (
            "per_kib_us = 5.0",
            &["per_kib_us = -1", "per_kib_us = 1.1e6", "per_kib_us = nan"],
            "read.per_kib_us",
        ),
        ("servers = 80", &["servers = 0", "servers = 1048577"], "read.servers"),
        ("service_us = 16", &["service_us = -0.5", "service_us = -inf"], "write.service_us"),
        ("per_kib_us = 1.6", &["per_kib_us = 2e6"], "write.per_kib_us"),
        ("servers = 8\n", &["servers = 0\n"], "write.servers"),
    ] {
        for value in values {
            let text = if field == "write.servers" {
                format!("{}{value}", &GOOD[..GOOD.rfind("servers").unwrap()])
            } else {
                with(line, value)
            };
            let message = error(&text);
            assert!(message.contains(&format!(": {field}: must ")) || field == "kind", "{value}: {message}");
        }
    }
    let still = with("service_us = 60.0\nper_kib_us = 5.0", "service_us = 0\nper_kib_us = 0");
    assert!(error(&still).contains("must take time"));
}

/// The example with a part more.
fn with_part(part: &str) -> String {
    format!("{GOOD}{part}\n").replacen("cap_iops = 0\n", "", 1)
}

#[test]
fn a_mistake_in_a_part_that_may_be_left_out_is_told_with_its_field() {
    for (part, said) in [
        ("[flush]\nservice_us = -1", "flush.service_us: must be from 0 to 1e9 microseconds"),
        ("[flush]\ndurable_us = nan", "flush.durable_us: must be from 0 to 1e9 microseconds"),
        (
            "[flush]\nservice = 1",
            "line 16: `service` is not known here; known are `service_us`, `durable_us`",
        ),
        ("[cap]", "cap: limits nothing: give iops or bytes_per_s, or leave [cap] out"),
        ("[cap]\niops = -1", "cap.iops: must be from 0.001 to 1e9 operations per second"),
        ("[cap]\niops = nan", "cap.iops: must be from 0.001 to 1e9 operations per second"),
        (
            "[cap]\niops = 1.0005",
            "cap.iops: must be from 0.001 to 1e9 operations per second, a multiple of 0.001",
        ),
        ("[cap]\niops = 9\ncredit = 5", "cap.refill: must be given with credit"),
        ("[cap]\niops = 9\nrefill = 5", "cap.credit: must be given with refill"),
        ("[cap]\niops = 9\ncredit = 5\nrefill = 9.5", "cap.refill: must be from 0.001 to iops"),
        ("[cap]\niops = 9\ncredit = 5\nrefill = nan", "cap.refill: must be from 0.001 to iops"),
        (
            "[cap]\niops = 9\ncredit = 1000000000001\nrefill = 9",
            "cap.credit: must be given with refill: from 1",
        ),
        (
            "[cap]\niops = 9\ncredit = 10000001\nrefill = 0.01",
            "cap.credit: must be at most 1e9 seconds of refill",
        ),
        ("[cap]\niops = 9\ncredit = 5.5\nrefill = 9", "line 17: must be "),
        ("[cap]\niops = 9\noperation_bytes = 511", "cap.operation_bytes: must be from 512 to 1G"),
        (
            "[cap]\nbytes_per_s = \"1M\"\noperation_bytes = 512",
            "cap.iops: must be given with credit, refill or",
        ),
        ("[cap]\nbytes_per_s = 1023", "cap.bytes_per_s: must be from 1K to 1T per second"),
        ("[cap]\nbytes_per_s = \"1X\"", "line 16: "),
        (
            "[cap]\niops = 9\nbytes_credit = 5",
            "cap.bytes_per_s: must be given with bytes_credit or bytes_refill",
        ),
        (
            "[cap]\nbytes_per_s = \"1M\"\nbytes_credit = 5",
            "cap.bytes_refill: must be given with bytes_credit",
        ),
        (
            "[cap]\nbytes_per_s = \"1M\"\nbytes_refill = \"2M\"",
            "cap.bytes_refill: must be from 1K to bytes_per_s",
        ),
        (
            "[cap]\nbytes_per_s = \"1M\"\nbytes_refill = \"1M\"",
            "cap.bytes_credit: must be given with bytes_refill",
        ),
        ("[cap]\nburst = 9", "line 16: `burst` is not known here; known are `iops`, "),
    ] {
        let message = error(&with_part(part));
        assert!(message.starts_with("my.toml: line ") && message.contains(said), "{part}: {message}");
    }
    let both = error(&format!("{GOOD}[cap]\niops = 9\n").replacen("cap_iops = 0", "cap_iops = 9", 1));
    assert_eq!(
        both,
        "my.toml: line 6: cap_iops: must be left out where there is [cap]: cap_iops is its iops alone"
    );
}

#[test]
fn the_edges_of_the_parts_that_may_be_left_out_are_devices() {
    for part in [
        "[flush]\nservice_us = 1e9\ndurable_us = 1e9",
        "[cap]\niops = 0.001",
        "[cap]\niops = 1e9\ncredit = 1000000000000\nrefill = 1000\noperation_bytes = 512",
        "[cap]\niops = 123456.789\ncredit = 1\nrefill = 0.001\noperation_bytes = \"1G\"",
        "[cap]\nbytes_per_s = \"1K\"\nbytes_credit = 1\nbytes_refill = 1024",
        "[cap]\nbytes_per_s = \"1T\"\nbytes_credit = \"1048576T\"\nbytes_refill = \"1T\"",
    ] {
        parse_anything(&with_part(part));
        ParametricSpec::parse(&with_part(part), "my.toml").unwrap_or_else(|e| panic!("{e}"));
    }
    let spec = ParametricSpec::parse(&with_part("[cap]\nbytes_per_s = \"250M\""), "my.toml").unwrap();
    assert_eq!(spec.cap.unwrap().bytes_per_s, 250 << 20);
}

#[test]
fn the_edges_of_every_range_are_devices() {
    for (line, other) in [
        ("capacity = \"64G\"", "capacity = 1048576"),
        ("capacity = \"64G\"", "capacity = \"1M\""),
        ("capacity = \"64G\"", "capacity = 1152921504606846976"),
        ("capacity = \"64G\"", "capacity = \"1048576T\""),
        ("sigma = 0.3", "sigma = 0"),
        ("sigma = 0.3", "sigma = 3.0"),
        ("cap_iops = 0", "cap_iops = 0.001"),
        ("cap_iops = 0", "cap_iops = 1000000000"),
        ("service_us = 60.0", "service_us = 1e9"),
        ("service_us = 60.0", "service_us = 0"),
        ("per_kib_us = 5.0", "per_kib_us = 0"),
        ("servers = 80", "servers = 1"),
        ("servers = 80", "servers = 1048576"),
    ] {
        let spec = ParametricSpec::parse(&with(line, other), "my.toml").unwrap_or_else(|e| panic!("{e}"));
        let device = spec.device();
        assert!(device.geometry().capacity_bytes.is_multiple_of(device.geometry().block_bytes.into()));
    }
}

#[test]
fn devices_are_found_by_name_and_by_file() {
    let simulated: Vec<_> = DEVICES.iter().filter(|device| device.description().simulated).collect();
    assert!(simulated.len() >= 4);
    for device in simulated.into_iter().filter(|device| device.text.contains("kind = \"parametric\"")) {
        let spec = ParametricSpec::parse(device.text, device.name).unwrap();
        assert_eq!(leadline_sim::spec(device.name).unwrap().parametric(), Some(&spec));
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.toml");
    std::fs::write(&file, GOOD).unwrap();
    assert_eq!(leadline_sim::spec(file.to_str().unwrap()).unwrap().parametric().unwrap().read.servers, 80);
    let unknown = open("flahs").err().unwrap().to_string();
    assert!(unknown.contains("flahs") && unknown.contains("flash, optane, sata, capped"), "{unknown}");
    for missing in ["./nowhere.toml", "/no/such/folder/x", "nowhere.toml"] {
        let message = open(missing).err().unwrap().to_string();
        assert!(message.contains(missing) && message.contains("No such file"), "{message}");
    }
    assert!(matches!(open(&format!("{}/", folder.path().display())), Err(SimError::Io { .. })), "a folder");
    std::fs::write(&file, b"kind = \"\xff\"").unwrap();
    assert!(open(file.to_str().unwrap()).err().unwrap().to_string().contains("mine.toml"));
}

const PUBLISHED: &str = "[[published]]\nblock_bytes = 4096\npattern = \"random\"\nk_r = 6\nk_w = 5\n";

#[test]
fn what_the_catalogue_reads_of_a_file_does_not_change_the_device() {
    let more = format!("description = \"a\"\nsource = \"b\"\nclass = \"c\"\n{GOOD}{PUBLISHED}");
    assert_eq!(
        ParametricSpec::parse(&more, "my.toml").unwrap(),
        ParametricSpec::parse(GOOD, "my.toml").unwrap()
    );
    // What it does not read, it checks.
    assert!(error(&more.replace("k_r = 6", "k_r = 0")).contains("line 19: published.k_r: must be"));
    assert!(error(&more.replace("k_r = 6", "kr = 6")).contains("`kr`"));
    assert!(error(&more.replace("class =", "clas =")).contains("line 3: `clas` is not known here"));
}

#[test]
fn published_numbers_alone_are_nothing_to_simulate() {
    let said = "has published numbers only, nothing to simulate; simulated are flash, optane, sata, capped, ";
    let message = open("p4510").err().unwrap().to_string();
    assert!(message.starts_with(&format!("sim:p4510: {said}")), "{message}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.toml");
    std::fs::write(&file, format!("source = \"b\"\n{PUBLISHED}")).unwrap();
    assert!(open(file.to_str().unwrap()).err().unwrap().to_string().contains(said));
}

/// Whatever it says, it says it in one line with the file's name, or it is a device that works.
fn parse_anything(text: &str) {
    match ParametricSpec::parse(text, "my.toml") {
        Ok(spec) => {
            let device = spec.device();
            assert!(device.geometry().capacity_bytes >= 1 << 20);
            let mut queue = device.queue_pair(leadline_device::QueueShape::new(4, 4096)).unwrap();
            let mut completions = Vec::new();
            for slot in 0..4 {
                queue.submit(leadline_device::Request::write(slot, 4096, 4096)).unwrap();
            }
            queue.reap(4, leadline_device::NEVER, &mut completions).unwrap();
            assert_eq!(completions.len(), 4);
        }
        Err(error) => {
            let message = error.to_string();
            assert!(message.starts_with("my.toml: ") && !message.contains('\n'), "{message:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_it_panic(text in "(?s)\\PC{0,100}|[a-z_=\\[\\]\" .0-9\n\r\t\\\\']{0,200}|.{0,50}") {
        parse_anything(&text);
    }

    #[test]
    fn no_mutation_of_a_good_file_makes_it_panic(
        which in 0..DEVICES.len(), at in 0usize..1000, cut in 0usize..20, insert in "\\PC{0,3}|[0-9eE.+\\-\"\n=\\[\\]]{0,8}",
    ) {
        let text: Vec<char> = DEVICES[which].text.chars().collect();
        let at = at % text.len();
        let end = (at + cut).min(text.len());
        let mutated: String = text[..at].iter().copied().chain(insert.chars()).chain(text[end..].iter().copied()).collect();
        parse_anything(&mutated);
    }

    #[test]
    fn any_number_is_taken_or_refused(value in any::<f64>(), field in 0usize..4) {
        let line = ["sigma = 0.3", "cap_iops = 0", "service_us = 60.0", "per_kib_us = 5.0"][field];
        let name = line.split(' ').next().unwrap();
        parse_anything(&GOOD.replacen(line, &format!("{name} = {value:?}").to_lowercase(), 1));
    }
}
