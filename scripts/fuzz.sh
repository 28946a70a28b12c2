#!/usr/bin/env bash
# Build the fuzz targets with the address sanitizer, and run each for some seconds on one core:
# scripts/fuzz.sh SECONDS [TARGET]...
# Works on a stable toolchain and without cargo-fuzz. PYTHON names a Python with superword and atheris, for
# the targets of tests/fuzzing. What is found goes to fuzz/artifacts. Each run adds a line to fuzz/runs.csv,
# which scripts/fuzz_report.py adds up.
set -euo pipefail
cd "$(dirname "$0")/../fuzz"
seconds="$1"
shift
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
    for path in fuzz_targets/*.rs; do targets+=("$(basename "$path" .rs)"); done
    targets+=(token_files count_files)
fi
host=$(rustc -vV | sed -n 's/^host: //p')
export RUSTC_BOOTSTRAP=1
export RUSTFLAGS="--cfg fuzzing -Zsanitizer=address -Ccodegen-units=1"
# Only branches of the core steer the fuzzer: with those of the libraries, its own bookkeeping takes most
# of the time.
coverage='["-Cpasses=sancov-module", "-Cllvm-args=-sanitizer-coverage-level=4",
"-Cllvm-args=-sanitizer-coverage-inline-8bit-counters", "-Cllvm-args=-sanitizer-coverage-pc-table",
"-Cllvm-args=-sanitizer-coverage-trace-compares"]'
nice cargo build --quiet --release --target "$host" -Zprofile-rustflags \
    --config "profile.release.package.superword-core.rustflags=${coverage//$'\n'/ }"
export ASAN_OPTIONS=malloc_context_size=8:quarantine_size_mb=64
TIMEFORMAT='%U %S'
for name in "${targets[@]}"; do
    mkdir -p "corpus/$name" "artifacts/$name"
    before=$(find "artifacts/$name" -type f | wc -l)
    log=artifacts/$name.log
    printf '\n== %s for %s s\n' "$name" "$seconds"
    command=("target/$host/release/$name")
    if [ ! -e "fuzz_targets/$name.rs" ]; then
        command=("${PYTHON:-python3}" ../scripts/fuzz_python.py "$name")
    fi
    cpu_seconds=$({ time nice "${command[@]}" "corpus/$name" "seeds/$name" \
        -dict=superword.dict -artifact_prefix="artifacts/$name/" -max_total_time="$seconds" \
        -max_len=4096 -timeout=300 -rss_limit_mb=3000 -entropic=0 -print_final_stats=1 \
        >"$log" 2>&1 || true; } 2>&1 | awk '{ printf "%.3f", $1 + $2 }')
    grep -E '^(==[0-9]+==ERROR|SUMMARY|thread |Test unit)' "$log" || true
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    covered=$(grep -oE 'cov: [0-9]+' "$log" | tail -1 | cut -c6-)
    branches=$(sed -n 's/.*Loaded 1 modules *(\([0-9]*\) inline.*/\1/p' "$log" | tail -1)
    finds=$(($(find "artifacts/$name" -type f | wc -l) - before))
    echo "$executions executions in $cpu_seconds s of processor time, $covered of $branches branches"
    commit=$(git rev-parse --short HEAD)
    echo "$name,$commit,$executions,$cpu_seconds,$covered,$branches,$finds" >>runs.csv
done
if find artifacts -mindepth 2 -type f | grep .; then
    echo "found something: put the files into fuzz/regressions/TARGET, and mend it"
    exit 1
fi
