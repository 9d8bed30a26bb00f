//! The module for browsers, by whichever compiler has the library for them.
//!
//! rustup's target comes first. Where it cannot be installed, Debian's packages `rustc-web` and `rust-web-src` have a compiler and the
//! sources of its library, which it builds itself; it links with the linker of the usual toolchain.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use super::{Failure, root};

const TARGET: &str = "wasm32-unknown-unknown";

/// Debian's compiler, and the sources of its library.
const DEBIAN: &str = "/usr/bin";
const DEBIAN_LIBRARY: &str = "/usr/lib/rustlib/src/rust/library";

/// What to do where no compiler is found.
const NO_COMPILER: &str = "no compiler for WebAssembly is here: run `rustup target add wasm32-unknown-unknown`, or on Debian \
                           `apt-get update && apt-get install --no-install-recommends rustc-web cargo-web rust-web-src`";

/// A compiler that can build the module.
enum Compiler {
    /// The usual one, with the library of the target.
    Rustup,
    /// Debian's, with this linker.
    Debian(PathBuf),
}

/// Builds the module into a folder, with the functions of JavaScript that call it.
pub(super) fn module(out: &Path) -> Result<PathBuf, Failure> {
    let folder = root().join("target/wasm");
    let mut cargo = match compiler()? {
        Compiler::Rustup => Command::new("cargo"),
        Compiler::Debian(linker) => {
            let mut cargo = Command::new(Path::new(DEBIAN).join("cargo"));
            // It must not find the compiler of rustup.
            cargo.env("PATH", format!("{DEBIAN}:/bin"));
            for name in ["CARGO", "RUSTC", "RUSTDOC", "RUSTUP_TOOLCHAIN", "RUSTC_WRAPPER"] {
                cargo.env_remove(name);
            }
            cargo.env("RUSTC_BOOTSTRAP", "1").env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
            // A panic is a defect, after which the page starts the module anew: without its words the module is 9 % smaller. Nothing
            // says where it was, then.
            cargo.env("RUSTFLAGS", "-Zunstable-options -Cpanic=immediate-abort -Zlocation-detail=none");
            cargo.arg("-Zbuild-std=std,panic_abort").arg("-Zbuild-std-features=optimize_for_size");
            cargo
        }
    };
    cargo.args(["rustc", "--quiet", "--package", "bitstride-web", "--lib", "--crate-type", "cdylib"]);
    cargo.args(["--profile", "web", "--target", TARGET, "--target-dir"]).arg(&folder);
    // The linker writes every number of a function or an address in five bytes otherwise, most of which need two.
    cargo.args(["--", "-Clink-arg=--compress-relocations"]);
    run(cargo.current_dir(root()))?;
    fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
    let module = out.join("bitstride_bg.wasm");
    copy(&folder.join(TARGET).join("web/bitstride_web.wasm"), &module)?;
    copy(&root().join("crates/web/js/bitstride.js"), &out.join("bitstride.js"))?;
    Ok(module)
}

/// Builds the page into the same folder, where npm and the sources of the page are.
pub(super) fn page(out: &Path) -> Result<(), Failure> {
    let sources = root().join("web");
    if !sources.join("package.json").is_file() {
        return Err(Failure::Missing(
            "there is no web/package.json: the module was built, the page was not".to_owned(),
        ));
    }
    if !is_command("npm") {
        return Err(Failure::Missing("npm is not here: the module was built, the page was not".to_owned()));
    }
    let npm =
        |arguments: &[&str]| run(Command::new("npm").args(arguments).current_dir(&sources).env("BITSTRIDE_WASM", out));
    // npm notes there what it has installed.
    let (wanted, installed) = (sources.join("package-lock.json"), sources.join("node_modules/.package-lock.json"));
    if changed(&installed) < changed(&wanted) {
        npm(&["ci", "--no-audit", "--no-fund"])?;
    }
    Ok(npm(&["run", "--silent", "build"])?)
}

fn compiler() -> Result<Compiler, Failure> {
    let sysroot = output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let sysroot = Path::new(sysroot.trim());
    if sysroot.join("lib/rustlib").join(TARGET).join("lib").is_dir() {
        return Ok(Compiler::Rustup);
    }
    let has_sources = Path::new(DEBIAN_LIBRARY).is_dir() && Path::new(DEBIAN).join("cargo").is_file();
    match linker(sysroot).filter(|_| has_sources) {
        Some(linker) => Ok(Compiler::Debian(linker)),
        None => Err(Failure::Missing(NO_COMPILER.to_owned())),
    }
}

/// The linker of the usual toolchain, in the folder of its host.
fn linker(sysroot: &Path) -> Option<PathBuf> {
    let hosts = fs::read_dir(sysroot.join("lib/rustlib")).ok()?;
    hosts.flatten().map(|host| host.path().join("bin/rust-lld")).find(|linker| linker.is_file())
}

/// Whether a program is on the path.
pub(super) fn is_command(name: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

/// When a file was last written; nothing where there is none.
fn changed(file: &Path) -> Option<SystemTime> {
    fs::metadata(file).and_then(|data| data.modified()).ok()
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::copy(from, to).map(drop).map_err(|error| format!("{} to {}: {error}", from.display(), to.display()))
}

fn name(command: &Command) -> String {
    let words = [command.get_program()].into_iter().chain(command.get_args()).map(OsStr::to_string_lossy);
    words.collect::<Vec<_>>().join(" ")
}

fn run(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("{}: {error}", name(command)))?;
    if status.success() { Ok(()) } else { Err(format!("{} ended with {status}", name(command))) }
}

fn output(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{}: {error}", name(command)))?;
    String::from_utf8(output.stdout).map_err(|error| format!("{}: {error}", name(command)))
}
