"""Files behind URLs: whatever a network library raises becomes one sentence."""

from __future__ import annotations

import io
import pickle
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from superword import CorpusError
from superword.cli import app
from superword.corpus import open_corpus

fsspec = pytest.importorskip("fsspec")
# The file systems by protocol that were imported so far.
REGISTRY = sys.modules["fsspec.registry"]._registry

ROOT = Path(__file__).parent.parent.parent.parent


class NetworkError(Exception):
    """An error of a library that superword knows nothing of."""


class BrokenFile(io.BytesIO):
    def read(self, size: int | None = -1) -> bytes:
        if self.tell() == 0:
            return super().read(4)
        raise NetworkError("the line\nwas\x1b[31m cut" + "!" * 1000)


class BrokenSystem(fsspec.AbstractFileSystem):  # type: ignore[misc, name-defined]
    """A file system on which the operation that the path names fails."""

    protocol = "broken"

    def glob(self, path: str, **kwargs: Any) -> list[str]:
        raise NetworkError("503 Service Unavailable")

    def isdir(self, path: str) -> bool:
        if path.startswith("isdir"):
            raise NetworkError
        return False

    def open(self, path: str, mode: str = "rb", **kwargs: Any) -> Any:
        if path.startswith("missing"):
            raise FileNotFoundError(path)
        if path.startswith("gone"):
            raise FileNotFoundError("no such repository")
        if path.startswith("refused"):
            raise FileNotFoundError(path) from NetworkError("connection refused")
        if path.startswith("memory"):
            raise MemoryError
        return BrokenFile(b'{"text": "to be"}\n' * 10_000)


@pytest.fixture(autouse=True)
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(REGISTRY, "broken", BrokenSystem)


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("broken://glob/*.jsonl", "cannot be read (NetworkError: 503 Service Unavailable)"),
        ("broken://isdir/a.jsonl", "cannot be read (NetworkError)"),
        ("broken://refused/a.jsonl", "cannot be read (NetworkError: connection refused)"),
        ("broken://missing/a.jsonl", "not found; check the address"),
        ("broken://gone/a.jsonl", "not found (no such repository)"),
        ("broken://read/a.jsonl", "cannot be read (NetworkError: the line was?[31m cut!!!"),
        ("broken://read/a.txt", "cannot be read (NetworkError: the line was?[31m cut!!!"),
        ("broken://read/a.parquet", "cannot be read (NetworkError: the line was?[31m cut!!!"),
        ("unheard-of://a.jsonl", "fsspec cannot open this kind of URL: Protocol not known"),
    ],
)
def test_every_failure_is_one_line(tmp_path: Path, url: str, sentence: str) -> None:
    if url.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    output = str(tmp_path / "model.json")
    options = ["-o", output, "--vocab-size", "260", "--progress", "none"]
    done = CliRunner().invoke(app, ["train", url, *options])
    assert isinstance(done.exception, SystemExit), "not a traceback"
    (line,) = done.stderr.splitlines()
    assert (done.exit_code, done.stdout) == (1, "")
    assert line.startswith(f"superword: {url}: {sentence}")
    assert len(line) < 500
    error = FileNotFoundError if sentence.startswith("not found") else CorpusError
    with pytest.raises(error) as caught:
        open_corpus(url)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_lack_of_memory_is_not_blamed_on_the_network() -> None:
    with pytest.raises(MemoryError):
        open_corpus("broken://memory/a.jsonl")


@pytest.mark.parametrize(
    ("url", "module"),
    [
        ("http://127.0.0.1:9/a.jsonl", "aiohttp"),
        ("https://127.0.0.1:9/a.jsonl", "aiohttp"),
        ("hf://datasets/a/b/c.jsonl", "huggingface_hub"),
        ("hf://datasets/a/b/c.jsonl", "fsspec"),
    ],
)
def test_a_missing_library_is_in_the_extra_that_is_named(
    url: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [each for each in sys.modules if each.startswith("fsspec.implementations.http")]:
        monkeypatch.delitem(sys.modules, name)
    for protocol in ("http", "https", "hf"):
        monkeypatch.delitem(REGISTRY, protocol, raising=False)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(CorpusError, match=r"; pip install 'superword\[remote\]'$") as caught:
        open_corpus(url)
    assert caught.value.file == url
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    assert any(each.startswith(module) for each in extras["remote"])
    assert "remote" in extras["all"][0]
