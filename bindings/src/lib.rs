//! The Python module `polyrag`: for now it imports and reports its version.

use pyo3::prelude::*;

/// Answers questions about a folder of files, and shows its arithmetic.
#[pymodule]
fn polyrag(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
