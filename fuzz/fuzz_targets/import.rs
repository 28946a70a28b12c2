#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| superword_fuzz::run("import", data));
