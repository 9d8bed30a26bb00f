//! Transcripts of the program: `cmd/*.trycmd` are sessions, `cmd/*.toml` runs with an input. The blocks of the README that are
//! marked `console` are sessions too.
//!
//! `TRYCMD=overwrite cargo test -p bitstride-cli --test snapshots` writes them anew.

#[test]
fn transcripts() {
    // Whatever the developer's terminal is like.
    trycmd::TestCases::new()
        .env("COLUMNS", "100")
        .env("NO_COLOR", "1")
        .env("CLICOLOR_FORCE", "0")
        .case("tests/cmd/*.trycmd")
        .case("tests/cmd/*.toml")
        .case("../../README.md");
}
