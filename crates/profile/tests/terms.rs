//! The profile's closed sets of words: each known word has its variant, and any other text survives.

use std::fmt::Display;

use leadline_profile::{
    BudgetKind, CheckName, DeviceKind, DeviceState, EngineKind, RunPhase, WriteCache, WriteStatus,
};
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The text through a term and back, by JSON and by `Display`.
fn assert_kept<T: Serialize + DeserializeOwned + Display>(text: &str) {
    let json = serde_json::to_string(text).unwrap();
    let term: T = serde_json::from_str(&json).unwrap();
    assert_eq!(serde_json::to_string(&term).unwrap(), json);
    assert_eq!(term.to_string(), text);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_written_back_as_it_was(text in "[a-z_ ]{0,12}|(?s).{0,12}") {
        assert_kept::<BudgetKind>(&text);
        assert_kept::<CheckName>(&text);
        assert_kept::<DeviceKind>(&text);
        assert_kept::<DeviceState>(&text);
        assert_kept::<EngineKind>(&text);
        assert_kept::<RunPhase>(&text);
        assert_kept::<WriteCache>(&text);
        assert_kept::<WriteStatus>(&text);
    }
}

/// Asserts that each word has its variant, in both directions, and that another text has none.
macro_rules! assert_words {
    ($term:ident, $other:ident: $($variant:ident $word:literal),+) => {
        $(
            assert_eq!($term::from($word), $term::$variant);
            assert_eq!(serde_json::to_string(&$term::$variant).unwrap(), format!("{:?}", $word));
        )+
        assert_eq!($term::from("what comes later"), $term::$other("what comes later".to_owned()));
        assert_eq!($term::default().as_str(), "", "not stated");
    };
}

#[test]
fn each_word_of_the_format_has_its_variant() {
    assert_words!(BudgetKind, Other: Quick "quick", Default "default", Full "full", Custom "custom");
    assert_words!(CheckName, Other: Speedup "speedup", Little "little", Link "link", Order "order", Cpu "cpu",
        Source "source", Alpha "alpha", Note "note");
    assert_words!(DeviceKind, Other: Directory "directory", File "file", Block "block", Simulated "simulated",
        Published "published", Table "table", Imported "imported");
    assert_words!(DeviceState, Other: Steady "steady", Burst "burst", Simulated "simulated",
        Published "published", Table "table", Imported "imported");
    assert_words!(EngineKind, Other: IoUring "io_uring", Psync "psync", Simulated "simulated",
        Published "published", Table "table", Imported "imported");
    assert_words!(RunPhase, Other: Layout "layout", Precondition "precondition", Read "read", Write "write");
    assert_words!(WriteCache, Other: WriteBack "write back", WriteThrough "write through");
    assert_words!(WriteStatus, Absent: Measured "measured", Published "published");
}
