//! `bitstride relayout --device cuda`: the bytes that the processor leaves or, without a GPU, a refusal before OUT is there.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "that is how a test fails, and says what it skips"
)]

#[allow(dead_code, reason = "each test file uses its own part")]
mod folder;

use folder::Folder;

#[test]
fn a_gpu_leaves_what_the_processor_leaves() {
    let data: Vec<u8> = (0..=255).cycle().take(30 * 200 * 4).collect();
    let folder = Folder::new().with("in.bin", &data).with("before.bin", b"before");
    let cases: [&[&str]; 9] = [
        &["--element", "32", "--from", "(30,200):(200,1)", "--to", "(30,200):(1,30)"],
        &["--from", "f32[30,200]{1,0}", "--to", "f32[30,200]{1,0:T(8,128)}", "--fill", "1.5"],
        &["--element", "8", "--from", "(30,200):(200,1)", "--to", "(30,200):(1,33)", "--fill", "7"],
        &["--element", "4", "--from", "(30,200):(200,1)", "--to", "(30,200):(1,31)", "--fill", "7"],
        &["--element", "16", "--from", "(33,40):(40,1)", "--to", "Sw<2,3,3> o (33,40):(40,1)"],
        &["--element", "128", "--from", "(30,50):(50,1)", "--to", "((5,6),50):((1,250),5)"],
        // In slabs.
        &["--element", "32", "--from", "(30,20,10):(200,10,1)", "--to", "(30,20,10):(200,1,20)", "--memory", "10KiB"],
        &["--from", "f32[30,200]{1,0}", "--to", "f32[30,200]{1,0:T(8,128)}", "--fill", "1.5", "--memory", "30KiB"],
        &[
            "--element",
            "4",
            "--from",
            "(30,20,9):(180,9,1)",
            "--to",
            "(30,20,9):(200,1,21)",
            "--fill",
            "7",
            "--memory",
            "1KiB",
        ],
    ];
    let mut skipped = 0;
    for case in cases {
        let on_gpu = [case, &["--device", "cuda"]].concat();
        let names = folder.names();
        let printed = folder.run("in.bin", "gpu.bin", &on_gpu);
        if printed.code == 2 && printed.err.starts_with("error[no-device]: there is no ") {
            assert!(printed.err.contains("help: ") && printed.out.is_empty(), "{}", printed.err);
            assert_eq!(folder.names(), names);
            skipped += 1;
            continue;
        }
        assert_eq!(printed.code, 0, "{case:?}: {}", printed.err);
        folder.moves("in.bin", "cpu.bin", case);
        assert!(folder.read("gpu.bin") == folder.read("cpu.bin"), "{case:?}");
    }
    if skipped > 0 {
        eprintln!("SKIPPED: {skipped} moves on a GPU were not run; there is none, which was refused");
    }
}

#[test]
fn what_is_refused_everywhere_is_refused_first() {
    let folder = Folder::new().with("in.bin", &[7; 6]);
    let layouts = ["--element", "8", "--from", "(2,3):(3,1)", "--to"];
    for (to, device, code, message) in [
        ("(2,3):(1,1)", "cuda", 1, "error[overlap]"),
        ("(2,3):(1,2)", "gpu", 2, "cpu, cuda or cuda:N"),
        ("(2,3):(1,2)", "cuda:-1", 2, "cpu, cuda or cuda:N"),
        ("(2,3):(1,2)", "cuda:1000000", 2, "error[no-device]"),
    ] {
        let printed = folder.run("in.bin", "out.bin", &[&layouts[..], &[to, "--device", device]].concat());
        assert_eq!(printed.code, code, "{device}: {}", printed.err);
        assert!(printed.err.contains(message), "{device}: {}", printed.err);
    }
    assert_eq!(folder.names(), ["in.bin"]);
}
