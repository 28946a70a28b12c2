#!/usr/bin/env bash
# Test the code for aarch64 on another processor: build the core for it, and run the tests of the
# scanners and of the encoder under qemu.
#
# The ordinary way needs the target of rustup: rustup target add aarch64-unknown-linux-gnu
# Without rustup, Debian's compiler builds the standard library too:
#   apt-get install rustc-web rust-web-src
# Both need a linker and the emulator: apt-get install gcc-aarch64-linux-gnu qemu-user
set -euo pipefail
cd "$(dirname "$0")/.."
target=aarch64-unknown-linux-gnu

for tool in aarch64-linux-gnu-gcc qemu-aarch64; do
    if ! command -v "$tool" >/dev/null; then
        echo "cannot test $target: $tool is missing; install Debian's gcc-aarch64-linux-gnu and" \
            "qemu-user" >&2
        exit 1
    fi
done
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER='qemu-aarch64 -L /usr/aarch64-linux-gnu'
# Vectors are compiled as in a release, and the emulator has less to do.
export CARGO_PROFILE_TEST_OPT_LEVEL=2

options=(--locked --package superword-core --target "$target" --target-dir target/aarch64)
if [ ! -d "$(rustc --print target-libdir --target "$target" 2>/dev/null)" ]; then
    if [ ! -d "$(/usr/bin/rustc --print sysroot 2>/dev/null)/lib/rustlib/src/rust/library" ]; then
        echo "cannot build for $target: run 'rustup target add $target', or install Debian's" \
            "rustc-web and rust-web-src" >&2
        exit 1
    fi
    export RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1
    options+=(-Z build-std=std,panic_unwind)
fi

cargo test "${options[@]}" --lib -- pretokenize::
SUPERWORD_ORACLE_CASES="${SUPERWORD_ORACLE_CASES:-1000}" cargo test "${options[@]}" --test encode
