#!/usr/bin/env bash
# Test the core, and build the rest, with the oldest Rust that Cargo.toml names. It needs rustup.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
rustup toolchain install --profile minimal "$version"
cargo "+$version" test --locked --package superword-core --target-dir target/msrv
cargo "+$version" check --locked --workspace --target-dir target/msrv
