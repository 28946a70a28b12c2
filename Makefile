# `make demo` shows what superword does, `make test` tests it; both set up all they need in .venv.

VENV := .venv
PYTHON ?= python3
SECONDS ?= 600
SOURCES := $(shell git ls-files crates python pyproject.toml Cargo.toml Cargo.lock LICENSE README.md)
# The wheel holds them; they must not end up in it from an earlier `maturin develop`.
STALE := python/superword/_core.*.so

.DEFAULT_GOAL := help
.PHONY: help demo docs test test-all test-aarch64 test-msrv fuzz faults bench wasm wheels format clean

help: ## Show the targets
	@grep -E '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

demo: $(VENV)/installed ## Train on the bundled novels, compare, and write a report
	@$(VENV)/bin/python scripts/demo.py

docs: $(VENV)/installed ## Build the documentation site into target/site, and check it
	@$(VENV)/bin/python -m pip install --quiet --group docs
	@$(VENV)/bin/python scripts/build_site.py

test: $(VENV)/installed ## Check formatting, lints and types, and run the tests
	@scripts/test.sh $(VENV)

test-all: $(VENV)/installed ## The same, with slow tests and more random cases
	@scripts/test.sh $(VENV) all

test-aarch64: ## Test scanners and encoder for aarch64 under qemu; CONTRIBUTING.md says what it needs
	scripts/test_aarch64.sh

test-msrv: ## Test the core with the oldest Rust that it supports
	scripts/test_msrv.sh

fuzz: $(VENV)/installed ## Run each fuzz target for SECONDS, with the address sanitizer
	@$(VENV)/bin/python -m pip install --quiet --group fuzz
	@PYTHON=$(CURDIR)/$(VENV)/bin/python scripts/fuzz.sh $(SECONDS)

faults: $(VENV)/installed ## Kill every writer, and let it fail, at each call that changes a file
	SUPERWORD_FAULTS=all $(VENV)/bin/python -m pytest tests/faults -n auto

bench: $(VENV)/installed ## Run the benchmarks; CONTRIBUTING.md says how to name TEXT
	$(VENV)/bin/python benchmarks/pretokenize.py $(TEXT)
	$(VENV)/bin/python benchmarks/corpus.py $(TEXT)
	$(VENV)/bin/python benchmarks/model.py $(TEXT)
	$(VENV)/bin/python benchmarks/train.py $(TEXT)
	$(VENV)/bin/python benchmarks/cores.py $(TEXT)
	$(VENV)/bin/python benchmarks/growth.py $(TEXT)
	$(VENV)/bin/python benchmarks/scale.py $(TEXT)
	$(VENV)/bin/python benchmarks/thresholds.py $(TEXT)
	$(VENV)/bin/python benchmarks/inputs.py $(TEXT)
	$(VENV)/bin/python benchmarks/hostile.py $(TEXT)
	$(VENV)/bin/python benchmarks/hostile_texts.py $(TEXT)
	$(VENV)/bin/python benchmarks/memory_limit.py $(TEXT)
	$(VENV)/bin/python benchmarks/encode.py $(TEXT)
	$(VENV)/bin/python benchmarks/encode_languages.py $(TEXT)
	$(VENV)/bin/python benchmarks/encode_short.py $(TEXT)
	$(VENV)/bin/python benchmarks/encode_folder.py $(TEXT)
	$(VENV)/bin/python benchmarks/encoder_memory.py $(TEXT)
	$(VENV)/bin/python benchmarks/limits.py $(TEXT)
	$(VENV)/bin/python benchmarks/transformers_tokenizer.py $(TEXT)
	$(VENV)/bin/python benchmarks/prompts.py $(TEXT)
	$(VENV)/bin/python benchmarks/streams.py $(TEXT)
	$(VENV)/bin/python benchmarks/scored_continuations.py $(TEXT)

wasm: ## Build the core for browsers anew; CONTRIBUTING.md says what it needs
	scripts/build_wasm.sh

wheels: $(VENV)/tools ## Build a wheel and a source distribution in dist, and check both in new environments
	@rm -rf dist $(STALE)
	$(VENV)/bin/python -m pip install --quiet --group wheel
	PATH=$(CURDIR)/$(VENV)/bin:$$PATH maturin build --release --locked --zig --compatibility manylinux2014 --out dist
	$(VENV)/bin/maturin sdist --out dist
	$(VENV)/bin/auditwheel show dist/*.whl | grep manylinux_2_17
	$(VENV)/bin/python scripts/check_wheel.py dist/*

format: $(VENV)/installed ## Format the sources
	cargo fmt
	$(VENV)/bin/ruff check --fix --quiet
	$(VENV)/bin/ruff format

clean: ## Remove what the other targets made
	rm -rf $(VENV) target dist $(STALE)

$(VENV)/tools: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "superword needs Python 3.11 or newer; PYTHON=... names one"; exit 1; }
	@cargo --version >/dev/null || { echo "superword needs a Rust toolchain: https://rustup.rs"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --upgrade pip
	$(VENV)/bin/python -m pip install --quiet --group test
	@touch $@

$(VENV)/installed: $(VENV)/tools $(SOURCES)
	@rm -f $(STALE)
	$(VENV)/bin/python -m pip install --quiet --no-build-isolation '.[all]'
	@touch $@
