#!/usr/bin/env bash
# Build the core for browsers: python/superword/playground/site/superword.wasm.
#
# The ordinary way needs the target of rustup: rustup target add wasm32-unknown-unknown
# Without rustup, Debian's compiler builds the standard library too:
#   apt-get install rustc-web rust-web-src lld-22
set -euo pipefail
cd "$(dirname "$0")/.."
target=wasm32-unknown-unknown
site=python/superword/playground/site
options=(--locked --package superword-wasm --profile wasm --target "$target" --target-dir target/wasm)

# Panic messages name source files. These must not depend on the machine.
cargo_home="${CARGO_HOME:-$HOME/.cargo}"
export RUSTFLAGS="--remap-path-prefix=$PWD=. --remap-path-prefix=$cargo_home=cargo \
-C link-arg=-zstack-size=4194304"

if [ -d "$(rustc --print target-libdir --target "$target" 2>/dev/null)" ]; then
    cargo build "${options[@]}"
else
    linker="$(compgen -c wasm-ld | sort --version-sort | tail -1)"
    if [ -z "$linker" ] || [ ! -d "$(/usr/bin/rustc --print sysroot 2>/dev/null)/lib/rustlib/src/rust/library" ]; then
        echo "cannot build for $target: run 'rustup target add $target', or install Debian's" \
            "rustc-web, rust-web-src and lld-22" >&2
        exit 1
    fi
    RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER="$linker" \
        cargo build -Z build-std=std,panic_abort "${options[@]}"
fi

built="target/wasm/$target/wasm/superword_wasm.wasm"
mkdir -p "$site"
cp "$built" "$site/superword.wasm"
printf '%s: %d bytes, %d compressed\n' "$site/superword.wasm" \
    "$(wc -c <"$site/superword.wasm")" "$(gzip -9 <"$site/superword.wasm" | wc -c)"
