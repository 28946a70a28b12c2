//! The fuzz targets. Their bodies are in `crates/superword-core/tests/fuzzing`, where a plain test runs
//! them too.

#[path = "../../crates/superword-core/tests/fuzzing/mod.rs"]
mod fuzzing;
#[allow(unused_imports)]
#[path = "../../crates/superword-core/tests/naive/mod.rs"]
mod naive;
#[allow(unused_imports)]
#[path = "../../crates/superword-core/tests/oracle/mod.rs"]
mod oracle;

/// Runs a target on some bytes.
///
/// # Panics
/// If there is no such target, or it finds something.
pub fn run(name: &str, data: &[u8]) {
    let found = fuzzing::TARGETS.iter().find(|(target, _)| *target == name);
    let (_, run) = found.expect("a target");
    run(data);
}
