//! `cargo xtask bench files`: how long whole dumps take to read into a report, and in how much memory.
//!
//! The dumps are those of the documentation, repeated until they are large: one HLO module of 100 MB in which every instruction
//! has a name of its own, and a TTGIR file of 320 kB of many kernels. It prints the least time of several readings, and the most memory
//! that the process has had. No peer reads these files.

use std::error::Error;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::process::ExitCode;
use std::time::Instant;

use bitstride_dumps::read;

const MODULE: &str = include_str!("../../../docs/files.in/module.hlo");
const KERNEL: &str = include_str!("../../../docs/files.in/kernel.ttgir");
const TURNS: u32 = 5;

/// What a file holds, for a repetition by number.
type Part = fn(usize) -> String;

const FILES: [(&str, usize, Part); 2] = [("HLO", 100_000_000, module), ("TTGIR", 320_000, kernel)];

pub(super) fn run() -> ExitCode {
    match table() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn table() -> Result<(), Box<dyn Error>> {
    println!("{:<6} {:>12} {:>10} {:>8} {:>8}  {:>12}", "file", "bytes", "lines", "ms", "MB/s", "peak, kB");
    for (name, size, part) in FILES {
        let path = tempfile::NamedTempFile::new()?.into_temp_path();
        let (mut bytes, mut lines) = (0, 0);
        let mut out = BufWriter::new(File::create(&path)?);
        for number in 0.. {
            let text = part(number);
            out.write_all(text.as_bytes())?;
            bytes += text.len();
            lines += text.lines().count();
            if bytes >= size {
                break;
            }
        }
        out.into_inner()?.sync_all()?;
        let mut least = f64::INFINITY;
        for _ in 0..TURNS {
            let start = Instant::now();
            std::hint::black_box(read(BufReader::new(File::open(&path)?), None, None)?);
            least = least.min(start.elapsed().as_secs_f64());
        }
        let speed = f64::from(u32::try_from(bytes)?) / least / 1e6;
        println!(
            "{name:<6} {bytes:>12} {lines:>10} {:>8.1} {speed:>8.0}  {:>12}",
            least * 1e3,
            peak().unwrap_or("?".into())
        );
    }
    Ok(())
}

/// A repetition of the module's computations; the first has the module's head.
fn module(number: usize) -> String {
    let (head, body) = MODULE.split_once('\n').unwrap_or((MODULE, ""));
    let body = body.replace('%', &format!("%c{number}_")).replace("ENTRY ", "");
    if number == 0 { format!("{head}\n{body}\n") } else { format!("{body}\n") }
}

/// The kernel's module, the first with the aliases of all.
fn kernel(number: usize) -> String {
    let module = KERNEL.find("module ").map_or(KERNEL, |at| KERNEL.split_at(at).1);
    if number == 0 { KERNEL.to_owned() } else { module.replace("@square", &format!("@square{number}")) }
}

/// The most memory that this process has had, in kB, as Linux tells it.
fn peak() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").to_owned())
}
