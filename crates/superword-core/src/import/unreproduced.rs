//! Features of a file that a model does not reproduce.

use crate::Error;

/// Refuses the features of a file that a model does not reproduce, or ignores them with a warning.
pub(super) struct Unreproduced {
    is_approximate: bool,
    pub(super) warnings: Vec<String>,
}

impl Unreproduced {
    pub(super) fn new(is_approximate: bool) -> Unreproduced {
        Unreproduced { is_approximate, warnings: Vec::new() }
    }

    /// Refuses the file for a reason, or adds a warning.
    pub(super) fn reject_or_warn(&mut self, reason: String) -> Result<(), Error> {
        if !self.is_approximate {
            return Err(Error::Unreproducible { reason });
        }
        self.warnings.push(format!("{reason}; ignored"));
        Ok(())
    }
}
