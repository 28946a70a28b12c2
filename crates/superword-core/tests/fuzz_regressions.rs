//! Runs the fuzz targets on their seeds, and on what they have found so far.

mod fuzzing;
#[allow(unused_imports, reason = "another test needs more of it")]
mod naive;
#[allow(unused_imports, reason = "another test needs more of it")]
mod oracle;

use std::fs;
use std::panic;
use std::path::Path;

use fuzzing::TARGETS;

#[test]
fn fuzz_targets_pass_on_seeds_and_regressions() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    for (name, run) in TARGETS {
        let mut seeds = 0;
        for folder in ["seeds", "regressions"] {
            let Ok(files) = fs::read_dir(fuzz.join(folder).join(name)) else { continue };
            for file in files {
                let path = file.expect("an entry").path();
                let data = fs::read(&path).expect("a file");
                let passed = panic::catch_unwind(|| run(&data)).is_ok();
                assert!(passed, "{name} fails on {}", path.display());
                seeds += 1;
            }
        }
        assert!(seeds > 0, "{name} has no seeds");
    }
}
