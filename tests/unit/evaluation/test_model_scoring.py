"""Bits per byte, of models whose probabilities are known."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tokenizers import Tokenizer as Tokenizers
from tokenizers import models, normalizers

import superword
from superword import Tokenizer
from superword.errors import CorpusError, SpecialTokenError, SuperwordError
from superword.evaluation import (
    AnyTokenizer,
    BitTotals,
    HuggingFace,
    Window,
    bits_per_byte,
    compare_bits_per_byte,
    flatten_ids,
    open_language_model,
)
from superword.patterns import NAMED_PATTERNS

TEXTS = ["to be or not to be", "", "x", "naïve 日本語 🙂\0\n", " of the" * 40, "<|end|> is text"]


@cache
def single_bytes() -> Tokenizer:
    return superword.train(["nothing"], 256, special_tokens=["<|end|>"])


class Markov:
    """A model whose next id depends on the last one only. It keeps the windows it was called with.

    Args:
        size: The number of ids.
        seed: Draws the probabilities.
    """

    def __init__(self, size: int, seed: int = 0) -> None:
        logits = np.random.default_rng(seed).normal(0, 3, (size, size))
        self.table = logits - np.log(np.exp(logits).sum(1, keepdims=True))
        self.called: list[list[Window]] = []

    def __call__(self, windows: Sequence[Window]) -> list[NDArray[np.float64]]:
        self.called.append(list(windows))
        return [self.table[ids[first - 1 : -1], ids[first:]] for ids, first in windows]

    def count_bits(self, ids: list[int]) -> float:
        """Return the bits of a sequence, without those of its first id."""
        nats = [-float(self.table[a, b]) for a, b in zip(ids, ids[1:], strict=False)]
        return sum(nats) / math.log(2)


def certain(windows: Sequence[Window]) -> list[list[float]]:
    """Give each id that comes the probability 1."""
    return [[0.0] * (len(ids) - first) for ids, first in windows]


def make_uniform(size: int) -> Callable[[Sequence[Window]], list[NDArray[np.float64]]]:
    """Return a model that gives all ids the same probability."""
    return lambda windows: [np.full(len(ids) - first, -np.log(size)) for ids, first in windows]


def test_a_case_computed_by_hand() -> None:
    """P(a | end) = 1/2, P(b | a) = 1/4, P(c | b) = 1/8; of é, the bytes have 1/2 and 1/16."""
    known = {(256, 97): 1, (97, 98): 2, (98, 99): 3, (256, 0xC3): 1, (0xC3, 0xA9): 4}

    def score(windows: Sequence[Window]) -> list[list[float]]:
        pairs = [list(zip(ids[first - 1 :], ids[first:], strict=False)) for ids, first in windows]
        return [[-np.log(2) * known[int(a), int(b)] for a, b in each] for each in pairs]

    rows = [{"text": "abc", "source": "one"}, {"text": "é", "source": "two"}]
    found = bits_per_byte(score, rows, tokenizer=single_bytes())
    assert found.document_bits == pytest.approx([6.0, 5.0], rel=1e-15)
    assert found.bits_per_byte == pytest.approx(11 / 5, rel=1e-15)
    assert found.sources["one"].bits_per_byte == pytest.approx(2.0, rel=1e-15)
    assert found.sources["two"][:3] == (1, 2, 2)
    assert found.total.tokens_per_byte == 1.0
    assert found.settings.end_of_text == 256


def test_a_uniform_model_takes_the_logarithm_of_its_size(core_of_kind: Tokenizer) -> None:
    size = core_of_kind.n_vocab
    found = bits_per_byte(
        make_uniform(size), TEXTS, tokenizer=core_of_kind, end_of_text="<|end|>", context=9
    )
    tokens = sum(len(core_of_kind.encode_ordinary(text)) for text in TEXTS)
    size_of_all = sum(len(text.encode()) for text in TEXTS)
    assert found.total[:3] == (len(TEXTS), size_of_all, tokens)
    assert found.bits_per_byte == pytest.approx(np.log2(size) * tokens / size_of_all, rel=1e-12)


def test_a_model_that_knows_the_answer_takes_no_bits(core_of_kind: Tokenizer) -> None:
    found = bits_per_byte(certain, TEXTS, tokenizer=core_of_kind, end_of_text="<|bos|>", context=5)
    assert found.bits_per_byte == 0.0
    assert str(found.bits_per_byte) == "0.0"


def test_every_kind_of_tokenizer_gives_the_bits_of_its_ids(core_of_kind: Tokenizer) -> None:
    chance = random.Random(23)
    novels = list(superword.sample())
    texts = [chance.choice(novels)[: chance.randrange(3000)] for _ in range(6)] + TEXTS
    model = Markov(core_of_kind.n_vocab)
    end = core_of_kind.special_tokens["<|end|>"]
    context = chance.randrange(1, 200)
    options: dict[str, Any] = {
        "context": context,
        "stride": chance.randrange(1, context + 1),
        "batch_size": chance.randrange(1, 9),
    }
    found = bits_per_byte(model, texts, tokenizer=core_of_kind, end_of_text=end, **options)
    for at, text in enumerate(texts):
        ids = core_of_kind.encode_ordinary(text)
        assert found.document_bits[at] == pytest.approx(model.count_bits([end, *ids]), rel=1e-12)
        assert found.document_tokens[at] == len(ids)
        assert found.document_bytes[at] == len(text.encode())
    assert max(map(len, model.called)) <= options["batch_size"]


@given(
    st.lists(st.text(max_size=30), min_size=1, max_size=5), st.integers(1, 40), st.integers(1, 9)
)
def test_windows_change_no_bit_of_a_model_that_needs_no_more(
    texts: list[str], context: int, batch_size: int
) -> None:
    rows = [{"text": text} for text in [*texts, "to be"]]
    tok, model = single_bytes(), Markov(257)
    whole = bits_per_byte(model, rows, tokenizer=tok, context=10_000)
    for stride in {1, max(1, context // 2), context}:
        options: dict[str, Any] = {"context": context, "stride": stride, "batch_size": batch_size}
        cut = bits_per_byte(model, rows, tokenizer=tok, **options)
        assert np.array_equal(cut.document_bits, whole.document_bits)
        assert cut.fingerprint == whole.fingerprint


def test_a_window_has_the_ids_that_the_model_may_see() -> None:
    """The bits of a token are the number of ids before it in its window."""

    def score(windows: Sequence[Window]) -> list[NDArray[np.float64]]:
        return [-np.log(2) * np.arange(first, len(ids)) for ids, first in windows]

    tok = single_bytes()
    found = bits_per_byte(score, ["abcdefgh", "ab", "a", ""], tokenizer=tok, context=4, stride=2)
    # [end]abcd scores a to d, after 1 to 4 ids; cdef e and f, after 3 and 4 ids [cd before them].
    assert found.document_bits.tolist() == pytest.approx([10 + 7 + 7, 3, 1, 0])
    longer = bits_per_byte(score, ["abcdefgh"], tokenizer=tok, context=8, stride=8)
    assert longer.document_bits.tolist() == pytest.approx([36])


def test_sums_are_of_64_bits() -> None:
    """A sum of a million float32 would lose the small ones."""

    def score(windows: Sequence[Window]) -> list[NDArray[np.float32]]:
        return [np.full(len(ids) - first, -1e-4, np.float32) for ids, first in windows]

    found = bits_per_byte(score, ["a" * 1_000_000], tokenizer=single_bytes(), context=1000)
    expected = float(np.float32(1e-4)) * 1_000_000 / np.log(2)
    assert found.total.bits == pytest.approx(expected, rel=1e-13)


def test_tokenizers_of_every_library_give_the_same_bits(
    tmp_path: Path, train_kind: Callable[[str], Tokenizer]
) -> None:
    tok = train_kind("BPE")
    superword.export(tok, tmp_path / "tokenizer.json", "tokenizer.json")
    tok.save(tmp_path / "model.json")
    encoding = tiktoken.Encoding(
        "mine",
        pat_str=NAMED_PATTERNS["gpt2"],
        mergeable_ranks={token: id for id, token in tok._model.vocabulary()},
        special_tokens=tok.special_tokens,
    )
    model, texts = Markov(tok.n_vocab), [*TEXTS[:-1], *list(superword.sample())[:2]]
    expected = bits_per_byte(model, texts, tokenizer=tok, end_of_text="<|end|>")
    forms = [encoding, tmp_path / "tokenizer.json", str(tmp_path / "model.json"), tok.as_tiktoken()]
    for form in forms:
        found = bits_per_byte(model, texts, tokenizer=form, end_of_text="<|end|>")
        assert np.array_equal(found.document_bits, expected.document_bits)


def test_special_tokens_in_a_text_are_text() -> None:
    found = bits_per_byte(make_uniform(257), ["<|end|>"], tokenizer=single_bytes())
    assert found.total.tokens == 7


def make_lossy() -> AnyTokenizer:
    """Return a tokenizer that lowers the case of letters, on characters, with an unknown token."""
    vocabulary = {"?": 0, **{chr(97 + at): at + 1 for at in range(26)}, " ": 27}
    tokenizer = Tokenizers(models.BPE(vocabulary, [], unk_token="?"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.add_special_tokens(["<|end|>"])
    return HuggingFace(tokenizer, "lossy")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("to Be", "at byte 3, the document has b'Be', and its tokens have b'be'"),
        ("to bé", "at byte 4, the document has b'.xc3.xa9', and its tokens have b'.'"),
        ("to<|end|>", "at byte 2, the document has b'<|end|>', and its tokens have nothing"),
    ],
)
def test_a_tokenizer_that_changes_a_document_is_refused(text: str, why: str) -> None:
    why = why.replace("|", r"\|")
    with pytest.raises(
        ValueError, match=f"^document 3: the tokens of lossy do not spell it: {why}"
    ):
        bits_per_byte(certain, ["to be", "", text, "To"], tokenizer=make_lossy(), end_of_text=28)
    assert bits_per_byte(certain, ["to be"], tokenizer=make_lossy()).settings.end_of_text == 28


def test_bytes_of_the_right_number_are_not_enough() -> None:
    class Swapped(AnyTokenizer):
        """Its tokens are as long as the text, and spell another."""

        name = "swapped"
        vocabulary = {code: bytes([code]) for code in range(128)}

        def encode_batch(self, texts: Sequence[str], threads: int = 1) -> Any:
            """Encode each text backwards."""
            return flatten_ids([[ord(letter) for letter in reversed(text)] for text in texts])

    with pytest.raises(ValueError, match="document 2: the tokens of swapped do not spell it"):
        bits_per_byte(certain, ["abba", "ab", "ba"], tokenizer=Swapped(), end_of_text=0)


def test_two_models_are_compared_by_source() -> None:
    rows = [{"text": text, "source": "ab"[at % 2]} for at, text in enumerate(TEXTS)]
    tok = single_bytes()
    first, second = (
        bits_per_byte(Markov(257, seed), rows, tokenizer=tok, name=f"m{seed}") for seed in (0, 1)
    )
    found = compare_bits_per_byte(first, second, samples=50)
    assert (found.first, found.second) == ("m0", "m1")
    assert found.total.difference == pytest.approx(second.bits_per_byte - first.bits_per_byte)
    for name in ("a", "b"):
        one, two = first.sources[name].bits_per_byte, second.sources[name].bits_per_byte
        assert one is not None and two is not None
        assert found.sources[name].difference == pytest.approx(two - one)
        assert found.sources[name].relative == pytest.approx(two / one - 1)
    assert compare_bits_per_byte(first, second, samples=50) == found
    assert compare_bits_per_byte(first, second, samples=50, seed=1) != found
    assert list(found.sources) == list(first.sources)


def test_a_source_without_text_is_not_compared() -> None:
    rows = [{"text": "a", "source": "a"}, {"text": "", "source": "b"}]
    found = bits_per_byte(make_uniform(257), rows, tokenizer=single_bytes())
    assert found.sources["b"] == BitTotals(1, 0, 0, 0.0)
    assert found.sources["b"].as_json()["bits_per_byte"] is None
    assert list(compare_bits_per_byte(found, found).sources) == ["a"]


@pytest.mark.parametrize("texts", [["to be", " or"], ["to be or"], ["or", "to be "]])
def test_different_documents_are_not_compared(texts: list[str]) -> None:
    tok = single_bytes()
    first = bits_per_byte(certain, ["to be ", "or"], tokenizer=tok, name="a")
    second = bits_per_byte(certain, texts, tokenizer=tok, name="b")
    with pytest.raises(ValueError, match="^a and b were scored on different documents"):
        compare_bits_per_byte(first, second)


def test_end_of_text_is_found_or_asked_for() -> None:
    tok = superword.train(["nothing"], 256)
    two = tok.with_special_tokens(["<|a|>", "<|b|>"])
    for token, expected in (("<|a|>", 256), ("<|b|>", 257), (3, 3), ("3", 3)):
        found = bits_per_byte(certain, ["to"], tokenizer=two, end_of_text=token)
        assert found.settings.end_of_text == expected
    with pytest.raises(SpecialTokenError, match="end-of-text is unknown; it has no special tokens"):
        bits_per_byte(certain, ["to"], tokenizer=tok)
    with pytest.raises(SpecialTokenError, match="it has the special tokens '<|a|>', '<|b|>': pass"):
        bits_per_byte(certain, ["to"], tokenizer=two)
    with pytest.raises(SpecialTokenError, match="end_of_text must not be negative, and is -1"):
        bits_per_byte(certain, ["to"], tokenizer=two, end_of_text=-1)
    with pytest.raises(SpecialTokenError, match="there is no special token '<|c|>'"):
        bits_per_byte(certain, ["to"], tokenizer=two, end_of_text="<|c|>")


@pytest.mark.parametrize(
    ("score", "why"),
    [
        (lambda windows: certain(windows)[1:], "called with 2 windows, and returned 1 arrays"),
        (
            lambda windows: [[0.0] * len(ids) for ids, _ in windows],
            "document 1: the model was called with a window of 6 ids, to score them from 1 on, and "
            r"returned the shape \(6,\) instead of \(5,\)",
        ),
        (
            lambda windows: [np.full(len(ids) - first, 2.5) for ids, first in windows],
            "document 1: the model gives a token the log-probability 2.5, and log-prob",
        ),
        (
            lambda windows: [np.full(len(ids) - first, np.nan) for ids, first in windows],
            "document 1: the model gives a token the log-probability nan",
        ),
        (
            lambda windows: [np.full(len(ids) - first, -np.inf) for ids, first in windows],
            "document 1: the model gives a token the log-probability -inf",
        ),
    ],
)
def test_what_is_no_probability_is_refused(score: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        bits_per_byte(score, ["to be", "or"], tokenizer=single_bytes())


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"stride": 5, "context": 4}, "stride must be from 1 to the context, 4, not 5"),
        ({"context": 0}, "context must be at least 1, not 0"),
        ({"batch_size": 0}, "batch_size must be at least 1, not 0"),
        ({"tokenizer": None}, "the model has no folder with a tokenizer; pass the tokenizer"),
        (
            {"corpus_options": superword.CorpusOptions(weights="*=2")},
            "weights do not apply to bits per byte",
        ),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        bits_per_byte(certain, ["to"], **{"tokenizer": single_bytes(), **options})


def test_no_text_and_no_model_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="the corpus holds no text"):
        bits_per_byte(certain, ["", ""], tokenizer=single_bytes())
    model: Any = 5
    with pytest.raises(TypeError, match="a model is a folder of transformers or a function"):
        bits_per_byte(model, ["to"], tokenizer=single_bytes())
    with pytest.raises(SuperwordError, match="not the folder of a model: it has no config.json"):
        bits_per_byte(tmp_path, ["to"])


def test_missing_libraries_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(SuperwordError, match=r"torch; pip install torch 'superword\[transformers"):
        open_language_model(tmp_path)


def test_progress_ends_as_done() -> None:
    told: list[tuple[str, int, int | None]] = []
    bits_per_byte(
        certain,
        TEXTS,
        tokenizer=single_bytes(),
        context=4,
        progress=lambda *report: told.append(report),
    )
    ends = {stage: (done, total) for stage, done, total in told}
    assert list(ends) == ["encode", "score"]
    tokens = sum(len(text.encode()) for text in TEXTS)
    assert ends["score"] == (tokens, tokens)
    assert ends["encode"][0] == ends["encode"][1]
