//! docs/trace-formats.md: every format and generator has its section, with the options that there are.

use leadline_trace::{Format, generators, open};

use crate::{all, in_memory};

const PAGE: &str = include_str!("../../../../docs/trace-formats.md");

#[test]
fn every_format_and_generator_is_described() {
    for format in Format::ALL {
        assert!(PAGE.contains(&format!("\n### {}\n", format.name())), "{}", format.name());
    }
    for info in generators() {
        let heading = match info.name.split_once('-') {
            Some(("ycsb", _)) => "### ycsb-a to ycsb-f",
            Some(("msr", _)) => "### msr-prn-1 to msr-web-2",
            Some(("paper", _)) => "### paper-ms, paper-wis, paper-ris, paper-mu",
            _ => info.name,
        };
        assert!(
            PAGE.contains(heading) && PAGE.contains(info.name.trim_end_matches(char::is_numeric)),
            "{}",
            info.name
        );
        for option in info.options.iter().filter(|_| !info.name.starts_with("paper")) {
            let set = format!("{}={}", option.key, option.default);
            assert!(PAGE.contains(&set), "{}: {set}", info.name);
        }
    }
}

#[test]
fn the_examples_are_of_the_formats_they_stand_under() {
    for format in Format::ALL {
        let section = PAGE.split(&format!("\n### {}\n", format.name())).nth(1).unwrap();
        let section = section.split("\n### ").next().unwrap().split("\n## ").next().unwrap();
        for example in section.split("```\n").skip(1).step_by(2) {
            assert!(
                !all(in_memory(example, Some(format)).unwrap()).is_empty(),
                "{}: {example}",
                format.name()
            );
            let to_be_named = [Format::Mqsim, Format::Lirs, Format::Objects].contains(&format);
            assert_eq!(in_memory(example, None).is_err(), to_be_named, "{}", format.name());
        }
    }
}

#[test]
fn generators_with_the_options_of_the_page_can_be_opened() {
    for line in PAGE.lines().filter(|line| line.starts_with('`') && line.contains("ops=2000000")) {
        let options = line[1..].split('`').next().unwrap().replace(' ', "&");
        let before = PAGE[..PAGE.find(line).unwrap()].rsplit("\n### ").next().unwrap();
        let name = before.split([' ', '\n']).next().unwrap();
        assert!(open(&format!("gen:{name}?{options}")).is_ok(), "{name}: {options}");
    }
}
