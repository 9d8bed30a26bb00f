//! Transcripts of the program: `cmd/*.trycmd` are sessions, `cmd/*.toml` runs with an input.
//!
//! `TRYCMD=overwrite cargo test -p bitstride-cli --test snapshots` writes them anew.

#[test]
fn transcripts() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd").case("tests/cmd/*.toml");
}
