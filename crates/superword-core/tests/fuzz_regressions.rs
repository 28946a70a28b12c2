//! Runs the fuzz targets on their seeds, and on what they have found so far.

mod fuzzing;
#[allow(unused_imports, reason = "another test needs more of it")]
mod naive;
#[allow(unused_imports, reason = "another test needs more of it")]
mod oracle;

use std::path::Path;
use std::{env, fs, panic};

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

/// The targets that invent models, corpora or files from choices.
const INVENTING: [&str; 6] = ["encode", "streams", "decode", "import", "train", "counts"];

/// The most bytes of choices that a case has.
const MAX_CHOICES: u64 = 512;

/// Many more cases than with a sanitizer, and none that an earlier one has led to.
#[test]
#[ignore = "takes minutes; CONTRIBUTING.md says how to run it"]
fn inventing_targets_pass_on_random_choices() {
    let number = |name: &str, default: u64| {
        env::var(name).map_or(default, |text| text.parse().expect("a number"))
    };
    let (cases, first) = (number("SUPERWORD_CASES", 10_000), number("SUPERWORD_FIRST_CASE", 0));
    let chosen = env::var("SUPERWORD_TARGET").ok();
    for name in INVENTING {
        if chosen.as_ref().is_some_and(|chosen| chosen != name) {
            continue;
        }
        let (_, run) = TARGETS.iter().find(|(target, _)| *target == name).expect("a target");
        for case in first..first + cases {
            let mut state = case;
            let length = draw(&mut state) % MAX_CHOICES;
            let mut data: Vec<u8> = (0..length).map(|_| draw(&mut state) as u8).collect();
            if name == "import" && !data.is_empty() {
                data[0] |= 6; // Invent a file; random bytes are none.
            }
            let passed = panic::catch_unwind(|| run(&data)).is_ok();
            assert!(passed, "{name} fails on case {case}: {data:?}");
        }
    }
}

/// Draws the next number of a random sequence.
fn draw(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (*state ^ *state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ mixed >> 31
}
