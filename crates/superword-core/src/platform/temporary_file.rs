//! Temporary files.

use std::fs::File;
use std::io;

/// Creates an unnamed temporary file, which the system removes once it is closed.
///
/// # Errors
/// When the system has no room for it, or when the crate is built without files.
pub(crate) fn create() -> io::Result<File> {
    #[cfg(feature = "files")]
    return tempfile::tempfile();
    #[cfg(not(feature = "files"))]
    Err(io::Error::new(io::ErrorKind::Unsupported, "this build of superword has no files"))
}
