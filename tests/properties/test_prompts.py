"""`Tokenizer.encode_prompt`: its ids are certain, and no further id is."""

from __future__ import annotations

import random
from functools import cache
from itertools import islice, product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import superword
from superword import Tokenizer
from superword.interop import import_tokenizer
from superword.tokenizer.prompts import common_length

NAMES = ["boundless", "gpt2", "gpt4", "gpt4o", "punct"]


def continuations(alphabet: str, length: int) -> list[str]:
    return ["".join(some) for n in range(length + 1) for some in product(alphabet, repeat=n)]


def checked(tok: Tokenizer, text: str, short: list[str]) -> None:
    """Check that no continuation changes the ids, and that one changes the next.

    Besides short continuations, it tries those that complete a token, which may be longer.
    """
    made = {rule.token.decode() for rule in tok.rules}
    tried = {*short, *(token[start:] for token in made for start in range(1, len(token)))}
    ids = tok.encode_ordinary(text)
    prompt = tok.encode_prompt(text)
    certain = len(prompt.ids)
    assert prompt.ids == ids[:certain]
    assert tok.decode_bytes(prompt.ids) + prompt.held_back == text.encode()
    shared = [
        common_length(ids, other) for other in tok.encode_ordinary_batch([text + c for c in tried])
    ]
    assert min(shared) == certain


documents = st.lists(st.text("ab '", min_size=1, max_size=20), min_size=1, max_size=6)
options = st.fixed_dictionaries(
    {
        "supermerges": st.booleans(),
        "deletion": st.sampled_from(["bytes", "pair", None]),
        "tau": st.sampled_from([0.5, 0.9]),
        "min_count": st.just(1),
        "pattern": st.sampled_from(NAMES),
    }
)


@pytest.mark.filterwarnings("ignore:the corpus has pairs")
@settings(max_examples=60)
@given(documents, options, st.integers(257, 275), st.text("ab '", max_size=8))
def test_no_continuation_changes_the_ids_and_some_changes_the_next(
    documents: list[str], options: dict[str, Any], vocab_size: int, text: str
) -> None:
    tok = superword.train(documents, vocab_size, **options)
    checked(tok, text, continuations("ab '", 5))


@pytest.mark.filterwarnings("ignore:the corpus has pairs")
@settings(max_examples=40)
@given(
    st.lists(st.text("1 A\na", min_size=1, max_size=16), min_size=1, max_size=5),
    options,
    st.text("1 A\na", max_size=8),
)
def test_digits_blanks_and_capitals_too(
    documents: list[str], options: dict[str, Any], text: str
) -> None:
    tok = superword.train(documents, 268, **options)
    checked(tok, text, continuations("1 A\na", 4))


@cache
def trained(pattern: str, supermerges: bool) -> Tokenizer:
    return superword.train(superword.sample(), 1500, pattern=pattern, supermerges=supermerges)


texts = st.lists(
    st.sampled_from(
        [
            " of",
            " the",
            " day",
            "th",
            "e",
            "'",
            "’",
            "s",
            "l",
            "12",
            "3",
            " ",
            "\n",
            "!",
            "é",
            "猫",
            "_",
            "Ab",
        ]
    ),
    max_size=8,
).map("".join)


@given(
    st.sampled_from(NAMES),
    st.booleans(),
    texts,
    st.lists(
        st.one_of(texts, st.text(st.characters(exclude_categories=["Cs"]), max_size=4)), max_size=50
    ),
)
def test_the_ids_of_every_longer_text_begin_with_them(
    pattern: str, supermerges: bool, text: str, tried: list[str]
) -> None:
    tok = trained(pattern, supermerges)
    prompt = tok.encode_prompt(text)
    for continuation in tried:
        assert tok.encode_ordinary(text + continuation)[: len(prompt.ids)] == prompt.ids


CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
CUSTOM = r"\p{L}+|\p{N}{1,2}|[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
KINDS: dict[str, dict[str, Any]] = {
    "BPE": {"supermerges": False, "deletion": None},
    "PickyBPE": {"supermerges": False, "tau": 0.6},
    "BoundlessBPE": {"tau": 0.6},
    "BoundlessBPE without deletion": {"deletion": None},
    "extended": {"supermerges": False, "deletion": None},
    "imported": {"supermerges": False, "deletion": None},
}
ALPHABET = "ab'\t\n 1k*.e"


@cache
def trained_on_white_space(kind: str, pattern: str) -> Tokenizer:
    """Train a model that merges runs of tabs, blanks, line ends and digits."""
    draw = random.Random(kind + pattern)
    words = [
        "k",
        "\t\t",
        "\t\t*",
        " a",
        "ab",
        "  ",
        "\n\n",
        "\n ",
        "11",
        "111",
        "b's",
        "'",
        ".",
        " k",
    ]
    documents = ["".join(draw.choices(words, k=40)) for _ in range(12)]
    tok = superword.train(documents, 330, pattern=pattern, min_count=1, **KINDS[kind])
    if kind == "extended":
        return superword.extend(tok, documents, 15, min_count=1)
    if kind == "imported":
        with TemporaryDirectory() as folder:
            superword.export(tok, f"{folder}/tokenizer.json", "tokenizer.json")
            return import_tokenizer(folder)
    return tok


@pytest.mark.filterwarnings("ignore:the corpus has pairs")
@pytest.mark.parametrize("pattern", [*NAMES, CL100K, CUSTOM])
@pytest.mark.parametrize("kind", KINDS)
def test_white_space_before_the_end_is_split_as_in_every_longer_text(
    kind: str, pattern: str
) -> None:
    tok = trained_on_white_space(kind, pattern)
    draw = random.Random(kind + pattern + "texts")
    # The head of the first was cut after the tabs, which are one pretoken only at the end.
    texts = ["k\t\t*disk a b k ab", *("".join(draw.choices(ALPHABET, k=30)) for _ in range(25))]
    short = ["".join(some) for some in product(ALPHABET, repeat=2)]
    for text in texts:
        prompt = tok.encode_prompt(text)
        assert tok.decode_bytes(prompt.ids) + prompt.held_back == text.encode()
        longer = ["".join(draw.choices(ALPHABET, k=draw.randint(3, 12))) for _ in range(50)]
        for ids in tok.encode_ordinary_batch([text + tried for tried in [*short, *longer]]):
            assert ids[: len(prompt.ids)] == prompt.ids, text


def test_superbpe_is_refused(tmp_path: Path) -> None:
    tok = superword.train(
        islice(superword.sample(), 20), 600, transition=400, supermerges=False, deletion=None
    )
    superword.export(tok, tmp_path / "tokenizer.json", "tokenizer.json")
    tok.save(tmp_path / "model.json")
    imported = import_tokenizer(tmp_path / "tokenizer.json")
    for other in (tok, superword.load(tmp_path / "model.json"), imported):
        with pytest.raises(ValueError, match="encode_prompt does not support SuperBPE models"):
            other.encode_prompt("at the end of")


def test_a_superword_may_begin_in_the_prompt() -> None:
    tok = trained("boundless", True)
    assert tok.tokens("end of the") == ["end", " of the"]
    assert tok.tokens("end of them") == ["end", " of them"]
    ids, held_back = tok.encode_prompt("end of the")
    assert tok.decode(ids) == "end"
    assert held_back == b" of the"


def test_a_long_prompt_is_split_where_no_token_can_cross() -> None:
    tok = trained("boundless", True)
    for document in islice(superword.sample(), 3):
        for end in (100, 1000, 5000):
            text = document[:end]
            ids, held_back = tok.encode_prompt(text)
            assert tok.encode(text)[: len(ids)] == ids
            assert tok.decode_bytes(ids) + held_back == text.encode()
            assert len(held_back) < 40
            # The rest of the document is one continuation.
            assert tok.encode(document[: end + 100])[: len(ids)] == ids


def test_an_empty_prompt() -> None:
    assert trained("gpt2", False).encode_prompt("") == ([], b"")
