"""The memory limit is kept, and memory that the system refuses is a `MemoryError`."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import superword
from superword import CorpusError, Tokenizer, _core
from superword.corpus import open_corpus
from superword.corpus.documents import Input
from superword.corpus.parquet import choose_batch_rows

LIMIT = "256MB"
LIMIT_BYTES = 256_000_000
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="the measure is Linux's")


def write_words(path: Path, documents: int, megabytes: int) -> None:
    """Write JSON lines of words that hardly repeat."""
    letters = bytes(b"abcdefghijklmnopqrstuvwxyz      "[byte % 32] for byte in range(256))
    random = Random(1)
    with path.open("wb") as file:
        for _ in range(documents):
            file.write(b'{"text": "')
            for _ in range(megabytes):
                file.write(random.randbytes(1_000_000).translate(letters))
            file.write(b'"}\n')


JOBS = {
    "train": "superword.train(corpus, 500, memory_limit=limit, threads=2)",
    "second stage": "superword.train(corpus, 500, memory_limit=limit, threads=2, pattern='gpt4o', "
    "supermerges=False, deletion=None, transition=400)",
    "count": "superword.count(corpus, folder / 'counts', memory_limit=limit, threads=2)",
    "encode": "superword.encode_corpus(superword.load(folder / 'model.json'), corpus, "
    "folder / 'tokens.npy', memory_limit=limit, threads=2)",
}
PROGRAM = r"""
import json, pathlib, re, sys, warnings, superword
warnings.simplefilter("ignore")
folder, limit = pathlib.Path(sys.argv[1]), sys.argv[2]
corpus = folder / "corpus.jsonl"
try:
    JOB
    outcome = "done"
except MemoryError as error:
    outcome = str(error)
status = pathlib.Path("/proc/self/status").read_text()
print(json.dumps([outcome, int(re.search(r"VmHWM:\s+(\d+)", status)[1]) * 1024]))
"""


@on_linux
@pytest.mark.parametrize(
    ("job", "documents"), [*((job, 16) for job in JOBS), ("train", 1), ("count", 1)]
)
def test_words_that_never_repeat_keep_to_the_memory_limit(
    tmp_path: Path, train_kind: Callable[[str], Tokenizer], job: str, documents: int
) -> None:
    write_words(tmp_path / "corpus.jsonl", documents, 1 if documents > 1 else 15)
    train_kind("BoundlessBPE").save(tmp_path / "model.json")
    program = PROGRAM.replace("JOB", JOBS[job])
    command = [sys.executable, "-c", program, str(tmp_path), LIMIT]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    outcome, peak = json.loads(done.stdout)
    assert outcome == "done" or "but the limit is 0.26 GB" in outcome
    assert peak <= 1.1 * LIMIT_BYTES


@pytest.fixture(scope="module")
def small() -> Tokenizer:
    return superword.train(["to be or not to be"] * 20, 260)


def test_a_large_window_of_zstd_is_refused_by_file_and_limit(
    tmp_path: Path, small: Tokenizer
) -> None:
    import zstandard

    path = tmp_path / "corpus.jsonl.zst"
    parameters = zstandard.ZstdCompressionParameters.from_level(1, window_log=31)
    compressor = zstandard.ZstdCompressor(compression_params=parameters)
    with path.open("wb") as file, compressor.stream_writer(file) as frame:
        frame.write(b'{"text": "to be"}\n' * 2)
    document = LIMIT_BYTES // _core.DOCUMENTS_PER_LIMIT
    for use in (
        lambda limit: superword.train(path, 257, memory_limit=limit),
        lambda limit: superword.encode_corpus(small, path, tmp_path / "a.npy", memory_limit=limit),
        # Standard input and URLs go this way.
        lambda limit: read_stream(path, None if limit is None else LIMIT_BYTES),
    ):
        with pytest.raises(CorpusError, match=f"{path.name}: .* window above") as refused:
            use(LIMIT)
        assert refused.value.file == str(path)
        use(None)
    assert f"above {document} bytes" in str(refused.value)


def read_stream(path: Path, memory_limit: int | None) -> None:
    """Read a file as a stream that can be read only once."""
    with path.open("rb") as file:
        inputs = [Input(name=str(path), file=file)]
        options = superword.CorpusOptions()
        _core.Corpus.inputs(inputs, [], options, once=False, memory_limit=memory_limit)


def test_a_document_that_is_too_large_to_encode_is_refused_by_file_line_and_limit(
    tmp_path: Path, small: Tokenizer
) -> None:
    path, output = tmp_path / "corpus.jsonl", tmp_path / "tokens.npy"
    most = LIMIT_BYTES // _core.ENCODED_DOCUMENTS_PER_LIMIT
    line = json.dumps({"text": "to be\n" * (most // 6)})
    path.write_text('{"text": "to be"}\n' + line + "\n")
    with pytest.raises(CorpusError, match=f"line 2: .* more than {most} bytes") as refused:
        superword.encode_corpus(small, path, output, memory_limit=LIMIT)
    assert (refused.value.file, refused.value.line) == (str(path), 2)
    assert not output.exists()
    superword.encode_corpus(small, path, output)


def test_a_text_that_cannot_be_split_is_refused_with_what_it_needs(
    tmp_path: Path, core_of_kind: Tokenizer
) -> None:
    path, output = tmp_path / "corpus.txt", tmp_path / "tokens.npy"
    path.write_text("a" * 4_000_000)
    with pytest.raises(MemoryError, match=r"place to split it, .* need about 0\.\d+ GB"):
        superword.encode_corpus(core_of_kind, path, output, memory_limit=LIMIT, threads=2)
    assert not output.exists()
    path.write_text("a bc!!\n" * 400_000)
    written = superword.encode_corpus(core_of_kind, path, output, memory_limit=LIMIT, threads=2)
    assert written.bytes == 2_800_000


def test_tables_and_arrays_keep_to_the_memory_limit(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    text = "".join(Random(1).choices("abcdefghijklmnopqrstuvwxyz", k=200_000))
    column = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * 5000, "int32"), [text])
    path = tmp_path / "texts.parquet"
    parquet.write_table(pyarrow.table({"text": column}), path)
    table = parquet.ParquetFile(path)
    chunks = [table.metadata.row_group(0).column(0)]
    # Otherwise 1,024 copies would be made at once.
    assert choose_batch_rows(chunks, LIMIT_BYTES) < 200
    opened = open_corpus(path, memory_limit=LIMIT_BYTES, max_documents=2000)
    assert opened.count()["documents"] == 2000
    with pytest.raises(CorpusError, match="row 1: the row group .* most with this memory_limit"):
        open_corpus(path, memory_limit=400_000)
    with pytest.raises(CorpusError, match="row 1, column 'text': .* more than 150000 characters"):
        open_corpus(path, memory_limit=2_400_000)
    array = tmp_path / "texts.json"
    array.write_text(json.dumps(["to be"] * 1000))
    assert open_corpus(array, memory_limit=LIMIT_BYTES).count()["documents"] == 1000
    with pytest.raises(CorpusError, match=r"texts\.json: the array has more than 2500 bytes"):
        open_corpus(array, memory_limit=100_000)


# The address space of the process, and what must not fit in it.
REFUSED: dict[str, str] = {
    "a long text": "tok.encode('to be ' * 60_000_000)",
    "a long text as an array": "tok.encode_to_numpy('to be' * 100_000_000)",
    "a long text on threads": "tok.encode_batch_to_numpy(['ab\\n' * 100_000_000], threads=2)",
    "a long word": "tok.encode('a' * 50_000_000)",
    "bytes": "tok.encode_bytes(b'\\xff' + b'ab' * 100_000_000)",
    "a long word that is counted": "tok.count_tokens('a' * 50_000_000)",
    "long tokens": "long.decode_bytes([265] * 3_000_000)",
    "a long line": "superword.train(folder / 'line.jsonl', 260)",
    "a long document": "superword.train(folder / 'line.txt', 260, pattern='a+|b')",
}
REFUSAL = """
import pathlib, resource, sys
import numpy as np
import superword
folder = pathlib.Path(sys.argv[1])
tok = superword.train(["to be or not to be"] * 20, 260)
long = superword.train(["a" * 1024] * 2, 266, pattern="gpt2", supermerges=False, deletion=None)
assert len(long.token_bytes(265)) == 1024
resource.setrlimit(resource.RLIMIT_AS, (900_000_000, 900_000_000))
try:
    USE
except MemoryError as error:
    print(error)
assert tok.decode(tok.encode("to be")) == "to be"
"""


@on_linux
@pytest.mark.parametrize("use", REFUSED)
def test_memory_that_the_system_refuses_is_a_memory_error(tmp_path: Path, use: str) -> None:
    with (tmp_path / "line.jsonl").open("wb") as file:
        file.write(b'{"text": "')
        file.truncate(1_500_000_000)
    with (tmp_path / "line.txt").open("wb") as file:
        file.truncate(1_500_000_000)
    program = REFUSAL.replace("USE", REFUSED[use])
    command = [sys.executable, "-c", program, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "memory" in done.stdout.lower()


def test_offsets_of_other_ids_are_refused(core_of_kind: Tokenizer) -> None:
    tok, text = core_of_kind, "naïve people, strange café 日本"
    encoder, ids = tok._encoder, tok.encode_ordinary(text)
    assert [text[start:end] for start, end in encoder.offsets(text, ids)[1]] != []
    others: list[tuple[str, list[int]]] = [
        (text, ids[::-1]),
        (text, ids[:-1]),
        (text, [*ids, ids[0]]),
        (text[1:], ids),
        ("", ids),
        # It starts inside a character.
        (text, tok.encode_bytes(b"\xa9")),
    ]
    for other, of_other in others:
        with pytest.raises(ValueError, match="the ids are not those of the text"):
            encoder.offsets(other, of_other)
    assert encoder.offsets("", []) == [[], []]


def test_sizes_of_memory_make_sense() -> None:
    given: Any = {"memory_limit": _core.MIN_MEMORY_LIMIT}
    assert superword.Resources(**given).memory_bytes == _core.MIN_MEMORY_LIMIT
    with pytest.raises(ValueError, match="must be at least 256 MB"):
        superword.Resources(memory_limit=_core.MIN_MEMORY_LIMIT - 1)


@pytest.mark.parametrize(
    "options", [{}, {"supermerges": False, "deletion": None, "transition": 260}]
)
def test_a_record_that_cannot_be_written_is_an_error_with_folder_and_advice(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, options: dict[str, Any]
) -> None:
    folder = tmp_path / "missing"
    monkeypatch.setenv("TMPDIR", str(folder))
    with pytest.raises(FileNotFoundError, match="record of the corpus; .*TMPDIR") as raised:
        superword.train(["to be or not to be"] * 50, 262, memory_limit="300MB", **options)
    assert raised.value.filename == str(folder)
