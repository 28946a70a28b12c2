#!/usr/bin/env bash
# Build the fuzz targets with the address sanitizer, and run each for some seconds on one core:
# scripts/fuzz.sh SECONDS [TARGET]...
# Works on a stable toolchain and without cargo-fuzz. What is found goes to fuzz/artifacts.
set -euo pipefail
cd "$(dirname "$0")/../fuzz"
seconds="$1"
TIMEFORMAT='%U s of processor time'
shift
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
    for path in fuzz_targets/*.rs; do targets+=("$(basename "$path" .rs)"); done
fi
host=$(rustc -vV | sed -n 's/^host: //p')
export RUSTC_BOOTSTRAP=1
export RUSTFLAGS="--cfg fuzzing -Zsanitizer=address -Cpasses=sancov-module \
-Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
-Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares \
-Ccodegen-units=1"
nice cargo build --quiet --release --target "$host"
for name in "${targets[@]}"; do
    mkdir -p "corpus/$name" "artifacts/$name"
    printf '\n== %s for %s s\n' "$name" "$seconds"
    # What is left are the executions and the coverage, with the time of the processor.
    time nice "target/$host/release/$name" "corpus/$name" "seeds/$name" -dict=superword.dict \
        -artifact_prefix="artifacts/$name/" -max_total_time="$seconds" -max_len=4096 \
        -timeout=60 -rss_limit_mb=3000 -print_final_stats=1 2>&1 |
        grep -E '^(#[0-9]+.(DONE|INITED)|stat::|SUMMARY|==[0-9]+==ERROR|thread |Test unit|  [a-z_]+:)' || true
done
if find artifacts -type f | grep .; then
    echo "found something: put the files into fuzz/regressions/TARGET, and mend it"
    exit 1
fi
