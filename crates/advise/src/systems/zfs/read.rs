//! Parameters of the module zfs: in files of modprobe.d, on the kernel's command line, and where they are
//! written into /sys/module/zfs/parameters. Each line says itself which of these it is.

use std::path::Path;

use crate::{AdviseError, Config, Entry, Place};

/// What a line of modprobe.d begins with (libkmod/libkmod-config.c).
const COMMANDS: [&str; 7] = ["options", "alias", "blacklist", "install", "remove", "softdep", "weakdep"];

/// Where the kernel has them; a file of sysfs.d leaves out what is before `module`.
const SYSFS: &str = "module/zfs/parameters/";

/// Reads all lines that set a parameter.
pub(super) fn read(text: &str, path: &Path) -> Result<Config, AdviseError> {
    let mut config = Config::default();
    let (mut is_modprobes, mut strange) = (false, None);
    for (number, line) in wrapped(text) {
        let place = Place::Line { path: path.into(), line: number };
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut push = |key: &str, value: &str| {
            let (section, key, value) = (String::new(), key.replace('-', "_"), value.to_owned());
            config.entries.push(Entry { section, key, value, place: place.clone() });
        };
        let words: Vec<&str> = line.split([' ', '\t']).filter(|word| !word.is_empty()).collect();
        match words[..] {
            [] => {}
            ["options", "zfs", ..] if words.len() > 2 => {
                is_modprobes = true;
                let options = line.trim_start_matches([' ', '\t']).trim_start_matches("options");
                let options = options.trim_start_matches([' ', '\t']).trim_start_matches("zfs");
                options_of(options).for_each(|(key, value)| push(&key, &value));
                if words.contains(&"#") {
                    config.notes.push(format!(
                        "{place}: # begins no remark here: what follows goes to the module, too, which passes \
                         over what it does not know"
                    ));
                }
            }
            [first, _, ..] if COMMANDS.contains(&first) => is_modprobes = true,
            // In these a # begins a remark anywhere.
            [first, ..] if first.starts_with('#') => strange = strange.or(Some((number, first.to_owned()))),
            _ => match written(&line).or_else(|| on_command_line(&line)) {
                Some(found) => found.into_iter().for_each(|(key, value)| push(&key, &value)),
                None => strange = strange.or(Some((number, words[0].to_owned()))),
            },
        }
    }
    match strange {
        Some((line, word)) if config.entries.is_empty() && !is_modprobes && !word.starts_with('#') => {
            let reason = format!("{word}: is not a command of modprobe.d, such as options zfs NAME=VALUE");
            Err(AdviseError::syntax(path, line, reason))
        }
        Some((line, word)) if is_modprobes && !word.starts_with('#') => {
            let place = Place::Line { path: path.into(), line };
            config
                .notes
                .push(format!("{place}: {word} is not a command of modprobe.d, which passes over the line"));
            Ok(config)
        }
        _ => Ok(config),
    }
}

/// Lines with the numbers of their beginnings; a backslash is left out, with the end of the line behind it
/// (`freadline_wrapped`), in a remark, too.
fn wrapped(text: &str) -> Vec<(usize, String)> {
    let mut lines = Vec::new();
    let (mut number, mut first, mut line) = (1, 1, String::new());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let c = match c {
            '\\' => match chars.next() {
                Some('\n') => {
                    number += 1;
                    continue;
                }
                Some(other) => other,
                None => break,
            },
            '\n' => {
                lines.push((first, std::mem::take(&mut line)));
                number += 1;
                first = number;
                continue;
            }
            c => c,
        };
        line.push(c);
    }
    lines.push((first, line));
    lines
}

/// Parameters as the kernel takes them apart (`next_arg` in lib/cmdline.c): quotes keep spaces together.
fn options_of(text: &str) -> impl Iterator<Item = (String, String)> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for c in text.chars() {
        is_quoted ^= c == '"';
        match c {
            c if c.is_ascii_whitespace() && !is_quoted => words.push(String::new()),
            c => words.last_mut().into_iter().for_each(|word| word.push(c)),
        }
    }
    let plain = |word: &str| {
        word.strip_prefix('"').map_or(word, |rest| rest.strip_suffix('"').unwrap_or(rest)).to_owned()
    };
    words.into_iter().filter_map(move |word| {
        let word = plain(&word);
        // Without a value it is a parameter only if it is called like one.
        match word.split_once('=') {
            Some((key, value)) => Some((key.to_owned(), plain(value))),
            None => word.starts_with("zfs_").then_some((word, String::new())),
        }
    })
}

/// What a line writes into /sys: `echo 1 > /sys/module/zfs/parameters/NAME`, `w /sys/... - - - - 1` of
/// tmpfiles.d, `module/zfs/parameters/NAME = 1` of sysfs.d.
fn written(line: &str) -> Option<Vec<(String, String)>> {
    let (before, after) = line.split_once(SYSFS)?;
    let end =
        after.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))).unwrap_or(after.len());
    let (key, rest) = after.split_at(end);
    let unquoted = |word: &str| word.trim_matches(['"', '\'']).to_owned();
    let mut words = before.split_whitespace();
    let value = match words.next() {
        Some("echo" | "printf") => {
            let value: Vec<&str> = words
                .take_while(|word| !matches!(*word, ">" | ">>" | "|") && !word.starts_with('>'))
                .collect();
            value.into_iter().rfind(|word| !matches!(*word, "-n" | "'%s\\n'" | "'%s'")).map(unquoted)
        }
        Some(kind) if kind.starts_with(['w', 'f', 'F']) && kind.len() <= 2 => {
            rest.split_whitespace().nth(4).map(unquoted)
        }
        _ => rest.trim_start().strip_prefix('=').map(|value| unquoted(value.trim())),
    };
    Some(value.map(|value| vec![(key.to_owned(), value)]).unwrap_or_default())
}

/// `zfs.NAME=VALUE` among the words of the kernel's command line, as a boot loader's file has it.
fn on_command_line(line: &str) -> Option<Vec<(String, String)>> {
    let line = line.split(" #").next().unwrap_or_default();
    let words = line.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\''));
    let of_zfs = |word: &str| {
        let (key, value) = word.strip_prefix("zfs.")?.split_once('=')?;
        Some((key.to_owned(), value.to_owned()))
    };
    let found: Vec<_> = words.filter_map(of_zfs).collect();
    (!found.is_empty()).then_some(found)
}

/// A number as the kernel reads it (`kstrtouint`): hexadecimal after 0x, octal after 0.
pub(super) fn number(text: &str) -> Option<u32> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let digits = text.strip_prefix('+').unwrap_or(text);
    let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let (digits, radix) = match hex {
        Some(hex) => (hex, 16),
        None if digits.len() > 1 && digits.starts_with('0') => (&digits[1..], 8),
        None => (digits, 10),
    };
    let is_number = digits.bytes().all(|b| b.is_ascii_hexdigit());
    is_number.then(|| u32::from_str_radix(digits, radix).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, String)> {
        let config = read(text, Path::new("z.conf")).unwrap();
        config.entries.into_iter().map(|entry| (entry.key, entry.value)).collect()
    }

    fn owned<const N: usize>(pairs: [(&str, &str); N]) -> Vec<(String, String)> {
        pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).into()
    }

    #[test]
    fn only_the_options_of_zfs_are_read() {
        let text = "# c\noptions zfs zfs_arc_max=1 \\\n  zfs-vdev-max-active=2\noptions spl a=3\nblacklist b\n\
                    \toptions\tzfs a=4 b=\"5 6\" \"c=7\"\noptions zfs\n#x \\\noptions zfs d=8\noptions zfs e=\\9";
        let want = owned([
            ("zfs_arc_max", "1"),
            ("zfs_vdev_max_active", "2"),
            ("a", "4"),
            ("b", "5 6"),
            ("c", "7"),
            ("e", "9"),
        ]);
        assert_eq!(found(text), want);
        let config = read(text, Path::new("z.conf")).unwrap();
        assert_eq!(config.entries[1].place.to_string(), "z.conf, line 2");
        assert_eq!(config.entries[2].place.to_string(), "z.conf, line 6");
    }

    #[test]
    fn a_remark_behind_a_value_goes_to_the_module() {
        let text = "options zfs zfs_arc_max=1 # was zfs_arc_max=2\nnonsense x\n";
        assert_eq!(found(text), owned([("zfs_arc_max", "1"), ("zfs_arc_max", "2")]));
        let notes = read(text, Path::new("z.conf")).unwrap().notes;
        assert!(notes[0].starts_with("z.conf, line 1: # begins no remark here"));
        assert_eq!(
            notes[1],
            "z.conf, line 2: nonsense is not a command of modprobe.d, which passes over the line"
        );
    }

    #[test]
    fn command_lines_and_writes_into_sys_are_read() {
        let text = "GRUB_CMDLINE_LINUX=\"quiet zfs.zfs_arc_max=1 spl.x=2\"\n\
                    echo 3 > /sys/module/zfs/parameters/a\n  echo \"4\" | sudo tee /sys/module/zfs/parameters/b\n\
                    w /sys/module/zfs/parameters/c - - - - 5\nmodule/zfs/parameters/d = 6\n# zfs.e=7\n\
                    cat /sys/module/zfs/parameters/f\n";
        assert_eq!(
            found(text),
            owned([("zfs_arc_max", "1"), ("a", "3"), ("b", "4"), ("c", "5"), ("d", "6")])
        );
    }

    #[test]
    fn files_of_another_kind_are_refused_with_their_line() {
        let said = |text| read(text, Path::new("z.conf")).unwrap_err().to_string();
        assert!(said("\nzfs_arc_max=1\n").starts_with("z.conf, line 2: zfs_arc_max=1: is not a command"));
        assert_eq!(found("# nothing\n"), []);
    }

    #[test]
    fn numbers_are_those_of_the_kernel() {
        assert_eq!(["10", "0x10", "010", "+3", "0"].map(number), [10, 16, 8, 3, 0].map(Some));
        assert_eq!(["", "-1", "1k", "08", "4294967296", "0x", "++1"].map(number), [None; 7]);
    }
}
