"""`superword.train`: errors, warnings and progress."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any

import pytest

import superword
from superword import CorpusError, ModelFormatError, PatternError, Tokenizer
from superword.tokenizer import TrainingConfig

DOCUMENTS = ["to be or not to be", "to be"]
PLAIN: dict[str, Any] = {"supermerges": False, "deletion": None}


def train(*documents: str, vocab_size: int = 256, **options: Any) -> Tokenizer:
    return superword.train(documents or DOCUMENTS, vocab_size, **options)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"vocab_size": 255}, "vocab_size must be at least 256, the single bytes, not 255"),
        ({"vocab_size": -1}, "vocab_size"),
        ({"vocab_size": 2**31}, "vocab_size"),
        ({"deletion": "none"}, "deletion must be 'bytes', 'pair' or None, not 'none'"),
        ({"deletion": ""}, "deletion"),
        ({"tau": 0}, "tau must be above 0 and at most 1, not 0; deletion=None keeps all tokens"),
        ({"tau": 1.1}, "tau"),
        ({"tau": float("nan")}, "tau"),
        ({"min_count": 0}, "min_count must be at least 1, not 0"),
        ({"threads": 0}, "threads must be at least 1, not 0"),
        ({"verify_every": 0}, "verify_every must be at least 1, not 0"),
        ({"max_bytes": 0}, "max_bytes must be at least 1, not 0"),
        ({"max_documents": 0}, "max_documents must be at least 1, not 0"),
        ({"on_error": "ignore"}, "on_error must be 'raise' or 'skip', not 'ignore'"),
        ({"pattern": "a(b"}, "cannot read the regex at position 3"),
        ({"eligible": "a)b"}, "cannot read the regex"),
        ({"special_tokens": ["<s>", "</s>", "<s>"]}, "<s>"),
        (
            {"transition": 256},
            "transition (SuperBPE) needs supermerges=False and deletion",
        ),
        ({"transition": 256, "supermerges": False}, "transition (SuperBPE) needs"),
        ({"transition": 256, "deletion": None}, "transition (SuperBPE) needs"),
        ({**PLAIN, "transition": 255}, "transition must be from 256 to vocab_size, not 255"),
        ({**PLAIN, "transition": 257}, "transition must be from 256 to vocab_size, not 257"),
        ({**PLAIN, "transition": 256.5}, "transition must be an integer"),
        ({**PLAIN, "second_pattern": "a"}, "second_pattern needs transition"),
        ({**PLAIN, "transition": 256, "second_pattern": "a(b"}, "cannot read the regex"),
        ({"special_tokens": ["<s>", ""]}, "empty"),
    ],
)
def test_invalid_options_are_rejected(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError) as refused:
        train(**options)
    assert sentence in str(refused.value)


def test_options_are_given_by_name() -> None:
    with pytest.raises(TypeError, match="positional"):
        superword.train(DOCUMENTS, 256, "gpt2")  # type: ignore[call-arg]


@pytest.mark.parametrize("documents", [[], [""], ["", ""]])
def test_a_corpus_without_text_is_refused(documents: list[str]) -> None:
    with pytest.raises(CorpusError, match="no text; check the paths and the column"):
        superword.train(documents, 300)


def test_a_file_without_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text('{"text": ""}\n')
    with pytest.raises(CorpusError, match="no text"):
        superword.train(path, 300)


def test_a_text_that_is_no_path_is_refused() -> None:
    with pytest.raises(CorpusError, match="pass it in a list"):
        superword.train("to be\nor not to be", 300)
    with pytest.raises(FileNotFoundError):
        superword.train("to be or not to be", 300)


def test_too_few_pairs_give_a_warning_and_a_smaller_vocabulary() -> None:
    with pytest.warns(UserWarning, match="pairs for only 259 tokens, not 1,000") as caught:
        tok = train(vocab_size=1000)
    assert caught[0].filename == __file__
    assert tok.vocab_size == 259
    assert [tok.token_bytes(id) for id in range(256, 259)] == [b" be", b"to", b"to be"]
    # The requested size is saved: the model can be truncated to it, and to no larger one.
    assert tok.parameters.vocab_size == 1000
    assert tok.truncate(1000) == tok


def test_the_smallest_vocabulary_is_the_single_bytes() -> None:
    tok = train(vocab_size=256)
    assert (tok.vocab_size, len(tok.rules)) == (256, 0)
    assert tok.training[:4] == (2, 23, 8, 5)


def test_special_tokens_have_the_ids_after_the_vocabulary() -> None:
    tok = train(vocab_size=258, special_tokens=["<|end|>", "to be", "é"])
    assert tok.vocab_size == 258
    assert tok.special_tokens == {"<|end|>": 258, "to be": 259, "é": 260}
    assert tok.token_bytes(260) == "é".encode()
    # They are not learned.
    assert list(tok.rules) == list(train(vocab_size=258).rules)


def test_a_tokenizer_remembers_how_it_was_trained() -> None:
    tok = train(
        vocab_size=257,
        pattern="gpt2",
        eligible="[a-z ]+",
        supermerges=False,
        deletion="pair",
        tau=0.5,
        min_count=1,
    )
    assert tok.parameters == TrainingConfig(
        pattern="gpt2",
        eligible="[a-z ]+",
        supermerges=False,
        deletion="pair",
        tau=0.5,
        min_count=1,
        vocab_size=257,
    )


def test_a_second_stage_splits_anew_and_learns_on() -> None:
    options = {**PLAIN, "pattern": "gpt2", "transition": 257}
    tok = train(vocab_size=259, second_pattern="(?:or)", **options)
    # First " b", the smallest of the pairs that occur three times; then, in "to be ", " not to be"
    # and "to be", the text after it, the text before that, and so on.
    assert [(rule.left, rule.right, rule.count) for rule in tok.rules] == [
        (b" ", b"b", 3),
        (b" b", b"e", 3),
        (b"o", b" be", 3),
    ]
    assert tok.pattern == "(?:or)"
    assert tok.parameters.pattern == "gpt2"
    assert (tok.parameters.transition, tok.parameters.second_pattern) == (257, "(?:or)")
    told = [tok.token_bytes(id) for id in tok.encode("or to be")]
    assert told == [b"o", b"r", b" ", b"t", b"o be"]


def test_the_second_pattern_has_a_default() -> None:
    tok = train(vocab_size=258, transition=257, **PLAIN)
    assert tok.pattern == superword.patterns.SECOND_PATTERN


def test_a_model_with_a_second_stage_is_saved_and_loaded(tmp_path: Path) -> None:
    tok = train(vocab_size=259, pattern="gpt2", transition=257, **PLAIN)
    tok.save(tmp_path / "model.json")
    loaded = superword.load(tmp_path / "model.json")
    assert loaded == tok
    assert loaded.parameters == tok.parameters
    file = json.loads((tmp_path / "model.json").read_bytes())
    assert file["pattern"]["source"] == superword.patterns.SECOND_PATTERN
    assert file["parameters"]["transition"] == 257
    assert file["parameters"]["first_pattern"] == "gpt2"
    del file["parameters"]["first_pattern"]
    with pytest.raises(ModelFormatError, match="both transition and first_pattern, or neither"):
        Tokenizer._from_json(json.dumps(file).encode())


def test_the_defaults_are_those_of_the_parameters() -> None:
    assert train().parameters == TrainingConfig(vocab_size=256)


def test_unreadable_input_is_skipped_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    path.write_text('{"text": "to be"}\n{"text": 5}\n{"text": "to be"}\nno JSON\n')
    with pytest.raises(CorpusError, match="line 2"):
        superword.train(path, 257)
    with pytest.warns(UserWarning, match="skipped input that cannot be read") as caught:
        tok = superword.train(path, 257, on_error="skip")
    (message,) = [str(warning.message) for warning in caught]
    assert "line 2" in message
    assert caught[0].filename == __file__
    assert (tok.training.documents, tok.training.bytes) == (2, 10)


def test_limits_stop_reading() -> None:
    assert train("to be", "or not", "to be", max_documents=2).training.documents == 2
    assert train("to be", "or not", "to be", max_bytes=6).training.bytes == 5


def test_the_column_of_a_row_is_read() -> None:
    rows = [{"text": "no", "body": "to be"}, {"text": "no", "body": "to be"}]
    tok = superword.train(rows, 257, column="body")
    assert tok.rules[0].token == b" b"


@pytest.mark.parametrize("regex", ["pattern", "eligible"])
def test_a_regex_that_gives_up_in_the_midst_of_the_corpus_stops_training(regex: str) -> None:
    documents = ["to be or not to be"] * 500
    documents[300] = "a" * 60
    give_up: dict[str, Any] = {regex: r"(?:(a|aa)+)+\1c|[a-z ]+"}
    with pytest.raises(PatternError, match="gave up"):
        superword.train(documents, 300, threads=2, **give_up)
    # Without that document, the file is valid.
    del documents[300]
    assert superword.train(documents, 257, **give_up).vocab_size == 257


def test_an_error_of_the_iterable_is_the_caller_s() -> None:
    def broken() -> Iterator[str]:
        yield "to be"
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        superword.train(broken(), 300)


class Told:
    """Records the calls of a progress callback."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int, int | None]] = []
        self.threads: set[int] = set()

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        self.calls.append((stage, done, total))
        self.threads.add(threading.get_ident())


def test_progress_rises_through_the_stages() -> None:
    told = Told()
    # Recounting everything is slow, so there is progress to report.
    superword.train(superword.sample(), 1000, progress=told, verify_every=1, threads=2)
    assert len(told.calls) > 3
    assert told.threads == {threading.get_ident()}
    stages = [stage for stage, _ in groupby(told.calls, lambda call: call[0])]
    order = ["count", "merges", "fragments", "supermerges"]
    assert stages == [stage for stage in order if stage in stages]
    assert "merges" in stages and "supermerges" in stages
    for _, calls in groupby(told.calls, lambda call: call[0]):
        numbers = [(done, total) for _, done, total in calls]
        assert [done for done, _ in numbers] == sorted(done for done, _ in numbers)
        assert all(total is not None and 0 <= done <= total for done, total in numbers)


def test_an_exception_in_the_progress_function_stops_training() -> None:
    class Enough(Exception):
        pass

    calls = []

    def enough(stage: str, done: int, total: int | None) -> None:
        calls.append(stage)
        if len(calls) == 2:
            raise Enough

    with pytest.raises(Enough):
        superword.train(superword.sample(), 8192, progress=enough, verify_every=1)
    assert len(calls) == 2


def test_progress_shows_nothing_where_there_is_no_terminal(
    capfd: pytest.CaptureFixture[str],
) -> None:
    train(vocab_size=258, progress=True)
    assert capfd.readouterr() == ("", "")


def test_other_threads_of_python_run_meanwhile() -> None:
    done = threading.Event()
    ran = []

    def run() -> None:
        while not done.wait(0.01):
            ran.append(True)

    thread = threading.Thread(target=run)
    thread.start()
    superword.train(superword.sample(), 400, verify_every=1)
    done.set()
    thread.join()
    assert len(ran) > 2


def test_a_memory_limit_that_cannot_be_kept_is_refused_with_the_figure() -> None:
    # Words of random letters: nearly all distinct, so learning takes long.
    random = Random(1)
    letters = "".join(random.choices("abcdefghij", k=6_000_000))
    words = [" ".join(letters[i : i + 12] for i in range(0, len(letters), 12))]
    with pytest.raises(MemoryError, match=r"need about 0\.\d+ GB of memory, but the limit is 0.26"):
        superword.train(words * 2, 300, memory_limit=256_000_000)


@pytest.mark.parametrize("limit", ["1XB", "much", "", "1MB", 0, -5])
def test_an_invalid_memory_limit_is_rejected(limit: int | str) -> None:
    with pytest.raises(ValueError, match="256 MB|a size must be"):
        superword.train(["a b"], 256, memory_limit=limit)
