//! What is fuzzed: a reader, and inputs that it takes.

/// A reader of inputs from outside.
pub trait Target {
    /// What it is called on the command line: "profile", "trace-msr".
    fn name(&self) -> String;

    /// Inputs that it takes, at least one.
    fn seeds(&self) -> Vec<Vec<u8>>;

    /// Words that mutations put into inputs; formats of text have some.
    fn words(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether inputs are numbers in binary, which are overwritten whole, rather than text.
    fn binary(&self) -> bool {
        false
    }

    /// Bytes of memory that reading may take, beyond what the program has before: more than this is a
    /// finding.
    fn most_memory(&self) -> u64 {
        1 << 30
    }

    /// Puts the checksums in order after a mutation.
    fn seal(&self, _input: &mut Vec<u8>) {}

    /// Reads an input to its end. True if it got past the header: what comes first in the format and says
    /// what follows.
    ///
    /// # Panics
    /// This is what fuzzing looks for.
    fn read(&mut self, input: &[u8]) -> bool;
}
