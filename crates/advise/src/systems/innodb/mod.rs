//! InnoDB, in MySQL 8.0 to 9 and MariaDB 10.11 and 11.
//!
//! Ranges, defaults and removed options of MariaDB are what mariadbd 10.11 says (`--help --verbose`); for
//! of MySQL, its manuals, whose "What Is New in MySQL 8.4" lists the defaults that changed.

mod concurrency;
mod flushing;
mod groups;
mod meanings;
mod option;
mod pages;
mod read;

use std::path::Path;

use super::Rules;
use crate::files::Files;
use crate::keys::Keys;
use crate::lint::finding;
use crate::meaning::Meaning;
use crate::{Advice, AdviseError, Config, Drive, Entry, File, Finding, Inputs, Setting, Value, Verdict};

pub(crate) struct Innodb;

/// Whose InnoDB it is, and since when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flavour {
    /// MySQL; whether 8.4 or later, which has other defaults.
    Mysql { since_8_4: bool },
    /// MariaDB; whether 11 or later, in which `innodb_flush_method` is deprecated.
    Mariadb { since_11: bool },
}

/// What MariaDB has taken out, and accepts without effect.
const REMOVED_IN_MARIADB: [&str; 2] = ["innodb_page_cleaners", "innodb_buffer_pool_instances"];

impl Rules for Innodb {
    fn title(&self) -> &'static str {
        "InnoDB"
    }

    fn versions(&self) -> &'static [&'static str] {
        &["mysql-8.0", "mysql-8.4", "mysql-9", "mariadb-11", "mariadb-10.11"]
    }

    /// MySQL has been 5, 8 and 9, and MariaDB 10 and later.
    fn flavour(&self, said: &str) -> &'static str {
        let said = said.to_ascii_lowercase();
        let first = said.split(|c: char| !c.is_ascii_digit()).find(|digits| !digits.is_empty());
        let is_late = first.and_then(|digits| digits.parse::<u32>().ok()).is_some_and(|number| number >= 10);
        let is_mariadb = said.contains("mariadb") || is_late && !said.contains("mysql");
        if is_mariadb { "mariadb-" } else { "mysql-" }
    }

    fn programs(&self) -> &'static [(&'static str, &'static str)] {
        &[("mariadbd", "--version"), ("mysqld", "--version")]
    }

    fn keys(&self, version: &str) -> Option<&'static Keys> {
        meanings::keys(version)
    }

    fn meanings(&self) -> &'static [Meaning] {
        &meanings::MEANINGS
    }

    fn if_refused(&self) -> &'static str {
        "the server takes the nearest of them, and says so in its log only"
    }

    fn needs(&self) -> &'static [&'static str] {
        &["durable-writes", "sustained", "interleaving"]
    }

    fn is_provable(&self) -> bool {
        true
    }

    fn advise(&self, drive: &Drive, inputs: &Inputs, advice: &mut Advice) {
        let flavour = flavour(advice);
        flushing::add(drive, inputs, flavour, advice);
        concurrency::add(drive, inputs, flavour, advice);
    }

    fn files(&self, advice: &Advice) -> Vec<File> {
        let mut text = String::new();
        for line in advice.heading() {
            text.push_str(&format!("# {line}\n"));
        }
        text.push_str("[mysqld]\n");
        for setting in &advice.settings {
            text.push_str(&format!("{} = {}\n", setting.key, setting.value));
        }
        let place =
            "a file of conf.d or mariadb.conf.d that is read last, or into my.cnf; restart the server";
        vec![File { name: "leadline.cnf", place, text }]
    }

    fn read(&self, text: &str, path: &Path) -> Result<Config, AdviseError> {
        read::read(text, path, &Files::none())
    }

    fn read_from(&self, text: &str, path: &Path, files: &Files) -> Result<Config, AdviseError> {
        read::read(text, path, files)
    }

    /// Whole numbers may have one of the server's suffixes: K, M, G, T, P or E, in either case.
    fn value(&self, setting: &Setting, text: &str) -> Option<Value> {
        match setting.value {
            Value::Word(_) => Some(Value::word(text)),
            _ => option::number(text).filter(|number| *number >= 0.0).map(Value::Number),
        }
    }

    fn patterns(&self, config: &Config, advice: &Advice, _drive: &Drive) -> Vec<Finding> {
        let mut findings = Vec::new();
        let number = |key| Some((config.last(key)?, config.number(key)?));
        let capacities = (number("innodb_io_capacity"), number("innodb_io_capacity_max"));
        if let (Some((_, pace)), Some((entry, most))) = capacities
            && most < pace
        {
            let reason = format!("below innodb_io_capacity, {pace}: the most cannot be less than the usual");
            findings.push(finding(entry, Verdict::Meaningless, reason));
        }
        if let Flavour::Mariadb { .. } = flavour(advice) {
            let removed = REMOVED_IN_MARIADB.iter().filter_map(|key| config.last(key));
            findings.extend(removed.map(without_effect));
        }
        findings
    }
}

fn without_effect(entry: &Entry) -> Finding {
    let reason = "MariaDB has had one buffer pool and one page cleaner since 10.5: the option does nothing";
    finding(entry, Verdict::Meaningless, reason)
}

fn flavour(advice: &Advice) -> Flavour {
    match advice.version {
        "mysql-8.0" => Flavour::Mysql { since_8_4: false },
        "mysql-8.4" | "mysql-9" => Flavour::Mysql { since_8_4: true },
        version => Flavour::Mariadb { since_11: version == "mariadb-11" },
    }
}

impl Flavour {
    fn is_mysql(self) -> bool {
        matches!(self, Flavour::Mysql { .. })
    }
}
