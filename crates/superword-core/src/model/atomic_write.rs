//! Writing a file whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::Model;

impl Model {
    /// Writes the model to a file, whole or not at all.
    ///
    /// # Errors
    /// When the file cannot be written; what stood there before is then still there.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        replace(path, &self.to_json())
    }
}

/// Writes to a new file in the same folder, and puts it in the place of the old one when all of it
/// is on the disk.
fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    // A link stays a link: what it leads to is replaced.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let before = fs::metadata(&path).ok();
    if before.as_ref().is_some_and(|before| !before.is_file() && !before.is_dir()) {
        // A pipe or a device has nothing to keep, and must not be replaced by a file.
        return OpenOptions::new().write(true).open(&path)?.write_all(content);
    }
    let (scratch, mut file) = create_beside(&path)?;
    let written = (|| {
        file.write_all(content)?;
        if let Some(before) = &before {
            file.set_permissions(before.permissions())?;
        }
        file.sync_all()?;
        fs::rename(&scratch, &path)
    })();
    if written.is_err() {
        // The error that matters is the one there is already.
        let _ = fs::remove_file(&scratch);
        return written;
    }
    // The new name is on the disk once the folder is; where folders cannot be synced, it comes late.
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty())
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// A new file in the same folder, under a name that nothing has.
fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let Some(name) = path.file_name() else {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    };
    loop {
        let mut scratch = OsString::from(".");
        scratch.push(name);
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        scratch.push(format!(".{}.{number}.tmp", std::process::id()));
        let scratch = path.with_file_name(scratch);
        match OpenOptions::new().write(true).create_new(true).open(&scratch) {
            Ok(file) => return Ok((scratch, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}
