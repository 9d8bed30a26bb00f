//! NVRTC: CUDA source to the machine code of a device.
//!
//! Where the library is found, in this order: where the system looks (`LD_LIBRARY_PATH`, or a library that the process already
//! has, as with PyTorch); folders of [`search_in`]; `CUDA_HOME` and `CUDA_PATH`; the packages of the Python that `VIRTUAL_ENV`,
//! `CONDA_PREFIX` or `PATH` lead to (`nvidia/*/lib`, where PyTorch keeps it); `/usr/local/cuda`.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::{Mutex, OnceLock, PoisonError};

use bitstride::{Code, Error, error};
use cudarc::nvrtc::sys::{self, nvrtcProgram, nvrtcResult};
use libloading::Library;

/// Folders of packages in which it is looked for too.
static PACKAGES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Also looks for NVRTC in the packages below a folder, such as an entry of Python's `sys.path`. It counts until NVRTC is first
/// used.
///
/// ```
/// bitstride_gpu::search_in("/usr/lib/python3/dist-packages");
/// ```
pub fn search_in(folder: impl Into<PathBuf>) {
    PACKAGES.lock().unwrap_or_else(PoisonError::into_inner).push(folder.into());
}

/// Loads the library.
fn load() -> Result<(), Error> {
    static LOADED: OnceLock<Result<(), Error>> = OnceLock::new();
    let loaded = || {
        // SAFETY: loading NVRTC runs its initialisers alone, which have no preconditions.
        if unsafe { sys::is_culib_present() } {
            return Ok(());
        }
        for library in candidates() {
            // SAFETY: as above.
            let Ok(found) = (unsafe { Library::new(&library) }) else { continue };
            // From now on, the system finds it by its name.
            std::mem::forget(found);
            // SAFETY: as above.
            if unsafe { sys::is_culib_present() } {
                return Ok(());
            }
        }
        let message = "there is no NVRTC, which compiles kernels: no library libnvrtc.so";
        Err(Error::new(Code::NoDevice, message)
            .with_help("pip install nvidia-cuda-nvrtc-cu12, or its folder in LD_LIBRARY_PATH"))
    };
    LOADED.get_or_init(loaded).clone()
}

/// Files that may be the library, the newest versions of a folder first.
fn candidates() -> Vec<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let mut packages = PACKAGES.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let mut folders = Vec::new();
    for home in ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(variable) {
        folders.extend([home.join("lib64"), home.join("lib")]);
    }
    let mut prefixes: Vec<PathBuf> = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(variable).collect();
    let paths = std::env::var_os("PATH").unwrap_or_default();
    prefixes.extend(std::env::split_paths(&paths).filter_map(|path| path.parent().map(Path::to_owned)));
    for library in prefixes.iter().map(|prefix| prefix.join("lib")) {
        let versions = entries(&library, "python").into_iter();
        packages.extend(versions.flat_map(|version| [version.join("site-packages"), version.join("dist-packages")]));
        folders.push(library);
    }
    for package in packages {
        folders.extend(entries(&package.join("nvidia"), "").into_iter().map(|package| package.join("lib")));
    }
    folders.extend(entries(Path::new("/usr/local"), "cuda").into_iter().map(|cuda| cuda.join("lib64")));
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in folders {
        let mut found = entries(&folder, "libnvrtc.so");
        found.reverse();
        files.extend(found);
    }
    files
}

/// What a folder has whose name begins so, in order.
fn entries(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let begins = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix));
    let read = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = read.map(|entry| entry.path()).filter(begins).collect();
    found.sort();
    found
}

/// A program of NVRTC, which is destroyed with its value.
struct Program(nvrtcProgram);

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: the program was created by NVRTC, and is destroyed once. A drop cannot report a failure.
        let _ = unsafe { sys::nvrtcDestroyProgram(&raw mut self.0) };
    }
}

/// The machine code of some source for an architecture, such as 90.
///
/// # Errors
/// [`Code::NoDevice`] without NVRTC; [`Code::DeviceFailed`] with what it says where it does not compile the source.
pub(crate) fn compiled(source: &str, architecture: i32) -> Result<Vec<u8>, Error> {
    load()?;
    let unlike = |what: &str| error!(Code::DeviceFailed, "the {what} has a byte of {zero}", [what, zero = 0]);
    let source = CString::new(source).map_err(|_| unlike("source"))?;
    let option = CString::new(format!("--gpu-architecture=sm_{architecture}")).map_err(|_| unlike("option"))?;
    let failed = |what: &str, result: nvrtcResult| {
        Error::new(Code::DeviceFailed, format!("NVRTC {} did not {what} for sm_{architecture}: {result:?}", version()))
    };
    let checked = |result, what| if result == nvrtcResult::NVRTC_SUCCESS { Ok(()) } else { Err(failed(what, result)) };
    let mut program = Program(ptr::null_mut());
    // SAFETY: here and below, the library is loaded, and each pointer is to a value that lives through the call.
    let created = unsafe {
        sys::nvrtcCreateProgram(
            &raw mut program.0,
            source.as_ptr(),
            c"relayout.cu".as_ptr(),
            0,
            ptr::null(),
            ptr::null(),
        )
    };
    checked(created, "begin a program")?;
    // SAFETY: as above; one option is given.
    let result = unsafe { sys::nvrtcCompileProgram(program.0, 1, [option.as_ptr()].as_ptr()) };
    if result != nvrtcResult::NVRTC_SUCCESS {
        let error = failed("compile", result);
        return Err(match log(&program) {
            Some(log) => error!(error.code(), "{message}: {log}", [message = error.message(), log]),
            None => error,
        });
    }
    let mut size = 0;
    // SAFETY: as above.
    checked(unsafe { sys::nvrtcGetCUBINSize(program.0, &raw mut size) }, "report the size of the code")?;
    let mut code = vec![0u8; size];
    // SAFETY: as above; the list has as many bytes as NVRTC says that it writes.
    checked(unsafe { sys::nvrtcGetCUBIN(program.0, code.as_mut_ptr().cast()) }, "give the code")?;
    Ok(code)
}

/// The first lines of what it says of a program.
fn log(program: &Program) -> Option<String> {
    const MAX_LINES: usize = 6;
    let mut size = 0;
    // SAFETY: the library is loaded, and the pointer is to a value that lives through the call.
    if unsafe { sys::nvrtcGetProgramLogSize(program.0, &raw mut size) } != nvrtcResult::NVRTC_SUCCESS {
        return None;
    }
    let mut text = vec![0u8; size.max(1)];
    // SAFETY: as above; the list has as many bytes as NVRTC says that it writes.
    if unsafe { sys::nvrtcGetProgramLog(program.0, text.as_mut_ptr().cast()) } != nvrtcResult::NVRTC_SUCCESS {
        return None;
    }
    let text = CStr::from_bytes_until_nul(&text).ok()?.to_string_lossy().into_owned();
    Some(text.lines().take(MAX_LINES).collect::<Vec<_>>().join("\n"))
}

/// Which version it is.
fn version() -> String {
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the library is loaded, and both pointers are to values that live through the call.
    let _ = unsafe { sys::nvrtcVersion(&raw mut major, &raw mut minor) };
    format!("{major}.{minor}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::print_stderr, reason = "that is how a test fails, and says what it skips")]

    use bitstride_emit::Relayout;
    use bitstride_relayout::Element;

    use super::*;

    /// NVRTC needs no GPU: kernels by tiles, element by element, both of whole bytes and below, and that which fills.
    #[test]
    fn what_is_emitted_compiles() {
        let map = |text: &str| bitstride_lang::evaluate(text).unwrap().value.as_map().unwrap();
        let pairs = [
            ("(301,157):(157,1)", "(301,157):(1,301)", 16),
            ("f32[10,300]{0,1}", "f32[10,300]{1,0:T(8,128)}", 32),
            ("(33,40):(40,1)", "Sw<2,3,3> o (33,40):(40,1)", 128),
            ("(30,8):(8,1)", "((5,6),8):((1,40),5)", 24),
            ("(30,9):(9,1)", "(30,9):(1,31)", 4),
            ("(64,256):(256,1)", "(64,256):(1,64)", 4),
            ("(68,132):(132,1)", "(68,132):(1,68)", 2),
            ("(136,72):(72,1)", "(136,72):(1,136)", 1),
            ("(5,300):(300,1)", "(5,300):(1099511627776,1)", 8),
            ("f32[3,5]{1,0}", "f32[3,5]{1,0:T(2,2)}", 1),
        ];
        let mut sources = vec![crate::fill::SOURCE.to_owned()];
        for (from, to, bits) in pairs {
            let relayout = Relayout::of([&map(from), &map(to)], Element::of_bits(bits).unwrap(), [from, to]).unwrap();
            sources.push(relayout.cuda(16).unwrap().source);
        }
        for source in &sources {
            match compiled(source, 90) {
                Ok(code) => assert!(code.starts_with(b"\x7fELF")),
                Err(why) if why.code() == Code::NoDevice => {
                    eprintln!("SKIPPED: {} kernels were not compiled: {why}", sources.len());
                    return;
                }
                Err(why) => assert_eq!(why.to_string(), "", "{source}"),
            }
        }
        let wrong = compiled("what", 90).unwrap_err();
        assert!(wrong.code() == Code::DeviceFailed && wrong.message().contains("error"), "{wrong}");
    }
}
