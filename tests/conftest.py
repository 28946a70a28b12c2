"""Shared fixtures: golden cases, small models, and the settings of Hypothesis."""

from __future__ import annotations

import io
import json
import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import zstandard
from hypothesis import settings

import superword
from superword import Tokenizer, _core
from superword.interop import import_tokenizer

settings.register_profile("superword", deadline=None, print_blob=True)
settings.load_profile("superword")

# A shell starts background jobs with SIGINT ignored; processes that tests start would inherit it.
signal.signal(signal.SIGINT, signal.default_int_handler)

REPOSITORY = Path(__file__).parent.parent
GOLDEN = REPOSITORY / "tests/golden"
SPECIAL = ["<|bos|>", "<|end|>"]
LOOKUP = [b" umbrella", b" umbr", b" strange", b" again", b"\n\n", b" people", "naïve".encode()]
KINDS = [
    *("BPE", "PickyBPE", "BoundlessBPE", "SuperBPE"),
    *("extended", "imported", "looked-up", "pruned"),
]


# The whole set of golden cases. Where tests/golden keeps a sample, the rest of it is tested too.
WHOLE_GOLDEN = Path(os.environ.get("SUPERWORD_SHARED", REPOSITORY.parent / "shared"), "golden")


@pytest.fixture(scope="session")
def golden() -> Path:
    """Return the folder of golden cases."""
    return GOLDEN


@pytest.fixture(
    scope="session",
    params=[
        pytest.param(GOLDEN, id="sample"),
        *([pytest.param(WHOLE_GOLDEN, id="whole")] if WHOLE_GOLDEN.is_dir() else []),
    ],
)
def sampled_golden(request: pytest.FixtureRequest) -> Any:
    """Return the folder with a sample of golden cases and, where it is, that with all of them."""
    return request.param


@pytest.fixture(scope="session")
def read_jsonl() -> Callable[[Path], Iterator[Any]]:
    """Return a function that yields the values of a `.jsonl.zst` file."""

    def read(path: Path) -> Iterator[Any]:
        with path.open("rb") as packed:
            unpacked = zstandard.ZstdDecompressor(max_window_size=2**31).stream_reader(packed)
            yield from map(json.loads, io.TextIOWrapper(unpacked, encoding="utf-8"))

    return read


@pytest.fixture(scope="session")
def real_texts(golden: Path, read_jsonl: Callable[[Path], Iterator[Any]]) -> list[str]:
    """Return prose, code and markup, in many scripts: half a megabyte."""
    names = ["0.9_1000_ultimate2_1_8192", "v2_scripts_gpt4o_0.9_blow1"]
    rows = [row for name in names for row in read_jsonl(golden / f"inference/{name}.jsonl.zst")]
    return [*(piece[:8000] for piece in list(superword.sample())[::4]), *(r["text"] for r in rows)]


@pytest.fixture(scope="session")
def made() -> Callable[[list[str]], Tokenizer]:
    """Return a function that trains a model with special tokens."""
    return lambda special: trained(*special)


@cache
def trained(*special: str) -> Tokenizer:
    """Train a model with superwords, deletions, and tokens that end inside characters."""
    lines = [text.replace(", ", ",\n") for text in superword.sample()]
    documents = [*lines[::12], "“naïve café” … 日本語 日本" * 20]
    return superword.train(documents, 1500, tau=0.7, special_tokens=special)


@pytest.fixture(scope="session")
def tok() -> Tokenizer:
    """Return a model without special tokens."""
    return trained()


@pytest.fixture(scope="session")
def special() -> Tokenizer:
    """Return the same model with special tokens, one a prefix of another."""
    return trained("<|end|>", "<|pad|>", "<|end|>ing")


@cache
def trained_kind(kind: str) -> Tokenizer:
    """Train a model of a kind."""
    documents = list(superword.sample())[::4]
    plain = superword.train(
        documents, 900, pattern="gpt2", supermerges=False, deletion=None, special_tokens=SPECIAL
    )
    match kind:
        case "BPE":
            return plain
        case "PickyBPE":
            return superword.train(
                documents, 900, tau=0.7, supermerges=False, special_tokens=SPECIAL
            )
        case "BoundlessBPE":
            return superword.train(documents, 900, special_tokens=SPECIAL)
        case "SuperBPE":
            return superword.train(
                documents,
                900,
                transition=700,
                supermerges=False,
                deletion=None,
                special_tokens=SPECIAL,
            )
        case "extended":
            return superword.extend(plain, documents, 100)
        case "looked-up":
            return superword.extend(add_lookup_tokens(plain, LOOKUP), documents, 80)
        case "pruned":
            return superword.prune(trained_kind("BoundlessBPE"), documents, to=600).tokenizer
        case _:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "tokenizer.json")
                assert superword.export(plain, path, "tokenizer.json")
                return import_tokenizer(path)


def add_lookup_tokens(tok: Tokenizer, tokens: list[bytes]) -> Tokenizer:
    """Return a model that also looks up some tokens, which get the ids after the largest."""
    model = tok._model
    new = [token for token in dict.fromkeys(tokens) if len(token) > 1]
    new = [token for token in new if model.token_id(token) is None]
    special, added = (
        [(id, text) for text, id in each] for each in (model.special_tokens, model.added_tokens)
    )
    vocabulary = [*model.vocabulary(), *enumerate(new, tok.n_vocab)]
    config = replace(tok.parameters, vocab_size=max(256, len(vocabulary)))
    return Tokenizer._of(_core.Model.with_ids(config, tok.rules, vocabulary, special, added, new))


@pytest.fixture(scope="session")
def look_up() -> Callable[[Tokenizer, list[bytes]], Tokenizer]:
    """Return a function that adds looked-up tokens to a model."""
    return add_lookup_tokens


@pytest.fixture(scope="session")
def train_kind() -> Callable[[str], Tokenizer]:
    """Return a function that trains a model of a kind."""
    return trained_kind


@pytest.fixture(params=KINDS)
def core_of_kind(request: pytest.FixtureRequest) -> Tokenizer:
    """Return a model of each kind, with the special tokens `<|bos|>` and `<|end|>`."""
    return trained_kind(request.param)


@pytest.fixture(scope="session")
def keeping() -> Callable[[int], AbstractContextManager[None]]:
    """Return a context in which so many bytes of input that can be read only once are kept."""

    @contextmanager
    def keep(memory: int) -> Iterator[None]:
        inputs = partial(_core.Corpus.inputs, memory=memory)
        core = SimpleNamespace(Corpus=SimpleNamespace(inputs=inputs, files=_core.Corpus.files))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("superword.corpus.documents._core", core)
            yield

    return keep
