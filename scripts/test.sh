#!/usr/bin/env bash
# Run every check, stop at the first failure, and print the time of each: scripts/test.sh VENV [all]
# With `all`, slow tests run too, more cases of the encoder, and the code of other processors.
set -euo pipefail
cd "$(dirname "$0")/.."
bin="$1/bin"
[ -d "$bin" ] || bin="$1/Scripts" # Windows
selected='not slow'
if [ "${2:-}" = all ]; then
    selected=''
    export SUPERWORD_ORACLE_CASES=10000
fi
times=()

stage() {
    local name="$1" start=$SECONDS
    shift
    printf '\n== %s: %s\n' "$name" "$*"
    "$@"
    times+=("$(printf '%5d s  %s' $((SECONDS - start)) "$name")")
}

# Test the code of other processors on x86-64.
test_portable() {
    RUSTFLAGS='--cfg superword_portable' cargo test --quiet --locked --package superword-core \
        --target-dir target/portable "$@"
}

stage 'Rust formatting' cargo fmt --check
stage 'Rust lints' cargo clippy --quiet --workspace --all-targets --locked -- -D warnings
stage 'Rust lints without features' cargo clippy --quiet --package superword-core \
    --no-default-features --all-targets --locked -- -D warnings
stage 'Rust docs' env RUSTDOCFLAGS='-D warnings' \
    cargo doc --quiet --locked --workspace --no-deps --document-private-items
stage 'Rust tests' cargo test --quiet --workspace --locked
if [ -z "$selected" ]; then
    stage 'portable scanners' test_portable --lib -- pretokenize::
    stage 'portable encoder' test_portable --test encode
fi
stage 'Python formatting' "$bin/ruff" format --check
stage 'Python lints' "$bin/ruff" check
stage 'types' "$bin/mypy"
stage 'workflows' "$bin/zizmor" --offline --quiet .github
stage 'stub' "$bin/python" -m mypy.stubtest superword._core
# One more worker than processors: some tests wait for Spark or the browser.
stage 'Python tests' "$bin/python" -m pytest -n $(($(getconf _NPROCESSORS_ONLN) + 1)) -m "$selected"
printf '\n'
printf '%s\n' "${times[@]}"
