//! Writing a file whole or not at all.

use std::cell::Cell;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use tempfile::Builder;

use super::Model;

impl Model {
    /// Writes the model to a file, whole or not at all.
    ///
    /// # Errors
    /// When the file cannot be written. A file that was there before is then unchanged.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        write_whole(path, &self.to_json())
    }
}

/// Writes a temporary file in the same folder and renames it once all of it is on the disk.
fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    // A symbolic link stays: its target is replaced.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let before = fs::metadata(&path).ok();
    if before.as_ref().is_some_and(|before| !before.is_file() && !before.is_dir()) {
        // A pipe or a device has no content to keep, and a file must not replace it.
        return OpenOptions::new().write(true).open(&path)?.write_all(content);
    }
    let Some(name) = path.file_name() else {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let prefix = format!(".{}.", name.to_string_lossy());
    // `tempfile` wraps errors, which loses the number that Python's `OSError` shows.
    let os_error = Cell::new(None);
    let create = |path: &Path| {
        let file = OpenOptions::new().write(true).create_new(true).open(path);
        file.inspect_err(|error| os_error.set(error.raw_os_error()))
    };
    let file = Builder::new().prefix(&prefix).suffix(".tmp").make_in(folder, create);
    let mut file =
        file.map_err(|error| os_error.get().map_or(error, io::Error::from_raw_os_error))?;
    file.as_file_mut().write_all(content)?;
    if let Some(before) = &before {
        file.as_file().set_permissions(before.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(&path).map_err(|error| error.error)?;
    // The rename is durable once the folder is synced. Some systems cannot sync folders.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}
