//! The compiled part of the Python package `bitstride`.
//!
//! A Python object holds one value of the expression language, as Rust has it, and never changes. `operand` makes values of
//! Python objects, `answer` makes objects of values, and every operation of the table is one call between. Law: a function
//! of the package gives what the text of the same call evaluates to.
//!
//! | file | what it has |
//! |---|---|
//! | `value` | what all objects share: text, equality, hash, pickling, pictures |
//! | `cute_layout` | the methods that layouts of CuTe and composed layouts share |
//! | `layout`, `functions` | layouts of CuTe, and swizzles, composed layouts and tilers |
//! | `instruction` | instructions of CuTe, and copies of them over a tile |
//! | `operations` | the operations that are used most |
//! | `static_layout` | the operations of layouts whose integers are all known, without the general leaves |
//! | `linear`, `encoding`, `xla`, `maps`, `symbols` | linear layouts, encodings, XLA's shapes, maps and verdicts, integers that are not known |
//! | `table` | many offsets at once, as NumPy arrays where NumPy is there |
//! | `relayout`, `on_device`, `dlpack` | an array moved to another layout, by the processor or a GPU, and how its memory is read |
//! | `stored` | stored layouts of checkpoints: checks, repacks, probes |
//! | `emit` | source text of layouts |
//! | `operand`, `answer`, `error`, `call` | from Python and back |
//! | `sharding` | tensors over devices, and what has to move between two |
//! | `explanation`, `picture` | what `explain` and `show` return |
//!
//! Without the feature `extension-module` the crate is empty, so that the workspace builds without Python.

#![cfg(feature = "extension-module")]

mod answer;
mod call;
mod cute_layout;
mod dlpack;
mod emit;
mod encoding;
mod error;
mod explanation;
mod functions;
mod instruction;
mod layout;
mod linear;
mod maps;
mod on_device;
mod operand;
mod operations;
mod picture;
mod reached;
mod relayout;
mod sharding;
mod static_layout;
mod stored;
mod symbols;
mod table;
mod value;
mod xla;

use pyo3::prelude::*;

/// The compiled part of `bitstride`; import the package instead.
#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::call::{call, evaluate, operations, parse};
    #[pymodule_export]
    use crate::cute_layout::CuteLayout;
    #[pymodule_export]
    use crate::dlpack::dlpack_facts;
    #[pymodule_export]
    use crate::emit::emit;
    #[pymodule_export]
    use crate::encoding::Encoding;
    #[pymodule_export]
    use crate::explanation::{Explanation, Step, explain};
    #[pymodule_export]
    use crate::functions::{ComposedLayout, Swizzle, Tiler};
    #[pymodule_export]
    use crate::instruction::Instruction;
    #[pymodule_export]
    use crate::layout::Layout;
    #[pymodule_export]
    use crate::linear::LinearLayout;
    #[pymodule_export]
    use crate::maps::{AffineMap, Map, Verdict};
    #[pymodule_export]
    use crate::on_device::{DeviceArray, DeviceMove};
    #[pymodule_export]
    use crate::operations::{
        coalesce, complement, composition, flat_divide, left_inverse, logical_divide, logical_product, right_inverse,
        tiled_divide, zipped_divide, zipped_product,
    };
    #[pymodule_export]
    use crate::picture::{Picture, show};
    #[pymodule_export]
    use crate::relayout::relayout;
    #[pymodule_export]
    use crate::sharding::{Sharding, moves, pieces};
    #[pymodule_export]
    use crate::stored::{RepackPlan, check, formats, probe_inputs, probe_read, tensor_of};
    #[pymodule_export]
    use crate::symbols::{Basis, Symbol};
    #[pymodule_export]
    use crate::table::fit_table;
    #[pymodule_export]
    use crate::value::Value;
    #[pymodule_export]
    use crate::xla::{BareLayout, Shape};

    use pyo3::prelude::*;

    /// The command line; returns its exit code.
    #[pyfunction]
    fn main(py: Python<'_>) -> PyResult<u8> {
        let sys = py.import("sys")?;
        let arguments: Vec<std::ffi::OsString> = sys.getattr("argv")?.extract()?;
        // Python catches the interrupt and only notes it; a program ends.
        let signal = py.import("signal")?;
        signal.call_method1("signal", (signal.getattr("SIGINT")?, signal.getattr("SIG_DFL")?))?;
        Ok(py.detach(|| bitstride_cli::run_standard(arguments)))
    }

    /// What the command line answers to arguments: its exit code, and what it writes to standard output and standard error.
    #[pyfunction]
    #[pyo3(signature = (arguments, /))]
    fn command(py: Python<'_>, arguments: Vec<std::ffi::OsString>) -> (u8, String, String) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let all = std::iter::once("bitstride".into()).chain(arguments);
        let code = py.detach(|| bitstride_cli::run(all, &mut std::io::empty(), &mut out, &mut err));
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        (code, text(out), text(err))
    }

    /// Where the entries of a checkpoint of `torch.distributed.checkpoint` lie, from its metadata: the file, the first byte, the bytes.
    #[pyfunction]
    #[pyo3(signature = (metadata, /))]
    fn dcp_entries(py: Python<'_>, metadata: &[u8]) -> PyResult<Vec<(String, u64, u64)>> {
        bitstride_cli::dcp_entries(metadata).map_err(|error| crate::error::raised(py, &error))
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
