"""`encode_stream` and `encode_prompt`: the ids of a text do not depend on how it is cut."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from itertools import islice, product
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import superword
from superword import SpecialTokenError, Tokenizer
from superword.interop import import_tokenizer

pytestmark = pytest.mark.filterwarnings("ignore:the corpus has pairs")

NAMES = ["boundless", "gpt2", "gpt4", "gpt4o", "punct"]
CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
CUSTOM = r"\p{L}+|\p{N}{1,2}|[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
KINDS: dict[str, dict[str, Any]] = {
    "BPE": {"supermerges": False, "deletion": None},
    "PickyBPE": {"supermerges": False, "tau": 0.6},
    "BoundlessBPE": {"tau": 0.6},
    "BoundlessBPE, deletion by pair": {"tau": 0.6, "deletion": "pair"},
    "BoundlessBPE without deletion": {"deletion": None},
    "SuperBPE": {"transition": 290, "supermerges": False, "deletion": None},
    "portable": {"profile": "portable", "transition": 290},
    "extended": {"supermerges": False, "deletion": None},
    "imported": {"supermerges": False, "deletion": None},
}
WORDS = ["k", "\t\t", "\t\t*", " a", "ab", "  ", "\n\n", "\n ", "11", "111", "b's", "'", ".", " k"]
ALPHABET = "ab'\t\n 1k*.eé"
SPECIAL = ["<|end|>", "<|end|>k", " a b"]


@cache
def trained(kind: str, pattern: str) -> Tokenizer:
    """Train a model that merges runs of tabs, blanks, line ends and digits."""
    draw = random.Random(kind + pattern)
    documents = ["".join(draw.choices(WORDS, k=40)) for _ in range(12)]
    tok = superword.train(
        documents, 330, pattern=pattern, min_count=1, special_tokens=SPECIAL, **KINDS[kind]
    )
    if kind == "extended":
        return superword.extend(tok, documents, 15, min_count=1)
    if kind == "imported":
        with TemporaryDirectory() as folder:
            superword.export(tok, f"{folder}/tokenizer.json", "tokenizer.json")
            return import_tokenizer(folder)
    return tok


def draw_texts(draw: random.Random, count: int) -> list[str]:
    characters = ("".join(draw.choices(ALPHABET, k=draw.randint(0, 60))) for _ in range(count))
    words = ("".join(draw.choices(WORDS, k=draw.randint(0, 30))) for _ in range(count))
    return [*characters, *words]


def cut(draw: random.Random, text: Any) -> list[Any]:
    """Cut a text or bytes at random, sometimes everywhere."""
    if draw.random() < 0.2:
        return [text[at : at + 1] for at in range(len(text))]
    cuts = sorted([0, len(text), *(draw.randint(0, len(text)) for _ in range(draw.randint(0, 4)))])
    return [text[start:end] for start, end in zip(cuts, cuts[1:], strict=False)]


def feed(stream: superword.EncodeStream, pieces: list[Any]) -> list[int]:
    ids = [id for piece in pieces for id in stream.feed(piece)]
    rest = stream.peek()
    assert stream.finish() == rest
    return ids + rest


@pytest.mark.parametrize("pattern", [*NAMES, CL100K, CUSTOM])
@pytest.mark.parametrize("kind", KINDS)
def test_a_text_in_pieces_has_the_ids_of_the_whole(kind: str, pattern: str) -> None:
    tok = trained(kind, pattern)
    draw = random.Random(kind + pattern + "cuts")
    for text in draw_texts(draw, 40):
        assert feed(tok.encode_stream(disallowed_special=()), cut(draw, text)) == tok.encode(
            text, disallowed_special=()
        ), text
        data = text.encode()
        if draw.random() < 0.5:
            at = draw.randint(0, len(data))
            data = data[:at] + draw.choice([b"\xff", b"\xc3", b"\xe4\xb8", b"\x80"]) + data[at:]
        stream = tok.encode_stream(disallowed_special=())
        assert feed(stream, cut(draw, data)) == tok.encode_bytes(data), data


@pytest.mark.parametrize("kind", KINDS)
def test_special_tokens_may_be_divided_among_pieces(kind: str) -> None:
    tok = trained(kind, "gpt4o")
    draw = random.Random(kind)
    for text in draw_texts(draw, 20):
        for special in draw.choices(list(tok.special_tokens), k=draw.randint(0, 3)):
            at = draw.randint(0, len(text))
            text = text[:at] + special + text[at:]
        allowed = frozenset(draw.sample(sorted(tok.special_tokens), draw.randint(0, 2)))
        expected = tok.encode(text, allowed_special=allowed, disallowed_special=())
        stream = tok.encode_stream(allowed_special=allowed, disallowed_special=())
        assert feed(stream, cut(draw, text)) == expected, text
        prompt = tok.encode_prompt(text, allowed_special=allowed)
        assert expected[: len(prompt.ids)] == prompt.ids
        assert tok.decode_bytes(prompt.ids) + prompt.held_back == text.encode()


@pytest.mark.parametrize("pattern", [*NAMES, CL100K, CUSTOM])
@pytest.mark.parametrize("kind", KINDS)
def test_no_continuation_changes_the_ids_of_a_prompt(kind: str, pattern: str) -> None:
    tok = trained(kind, pattern)
    draw = random.Random(kind + pattern + "prompts")
    made = {rule.token.decode(errors="ignore") for rule in tok.rules}
    ends = [token[start:] for token in made for start in range(len(token))]
    short = ["".join(some) for some in product(ALPHABET, repeat=2)]
    # The tabs of the first are one pretoken only at the end of a text.
    for text in ["k\t\t*disk a b k ab", *draw_texts(draw, 8)]:
        prompt = tok.encode_prompt(text)
        assert tok.decode_bytes(prompt.ids) + prompt.held_back == text.encode()
        longer = ["".join(draw.choices(ALPHABET, k=draw.randint(3, 12))) for _ in range(50)]
        for tried in tok.encode_ordinary_batch([text + more for more in [*short, *longer, *ends]]):
            assert tried[: len(prompt.ids)] == prompt.ids, text


def test_little_is_held_back(train_kind: Callable[[str], Tokenizer]) -> None:
    """The other tests would pass if everything were held back."""
    for kind in ("BPE", "PickyBPE", "BoundlessBPE", "SuperBPE"):
        tok = train_kind(kind)
        for document in islice(superword.sample(), 5):
            for end in (100, 1000, 5000):
                text = document[:end]
                ids, held_back = tok.encode_prompt(text)
                assert tok.encode_ordinary(document[: end + 100])[: len(ids)] == ids
                assert tok.decode_bytes(ids) + held_back == text.encode()
                assert len(held_back) < 40


def test_a_superword_may_begin_in_the_prompt() -> None:
    tok = superword.train(superword.sample(), 1500, pattern="boundless")
    assert tok.tokens("end of the") == ["end", " of the"]
    assert tok.tokens("end of them") == ["end", " of them"]
    ids, held_back = tok.encode_prompt("end of the")
    assert tok.decode(ids) == "end"
    assert held_back == b" of the"


def test_an_empty_prompt() -> None:
    tok = trained("BPE", "gpt2")
    assert tok.encode_prompt("") == ([], b"")
    assert tok.encode_stream().finish() == []


def test_a_stream_goes_on_after_peek_and_in_copies() -> None:
    tok = superword.train(superword.sample(), 1500)
    texts = ["at the end of", " the day, ", "it was the best of", " times"]
    stream = tok.encode_stream()
    ids: list[int] = []
    for end, piece in enumerate(texts, 1):
        ids += stream.feed(piece)
        assert ids + stream.peek() == tok.encode("".join(texts[:end]))
        other = stream.copy()
        assert ids + other.feed(" and more") + other.finish() == tok.encode(
            "".join(texts[:end]) + " and more"
        )
    ids += stream.finish()
    assert ids == tok.encode("".join(texts))
    assert stream.feed("the next text") + stream.finish() == tok.encode("the next text")


@given(st.lists(st.text("<|end>k a"), max_size=6), st.booleans())
def test_a_disallowed_special_token_is_refused_wherever_it_is_cut(
    pieces: list[str], as_bytes: bool
) -> None:
    tok = trained("BPE", "gpt4o")
    text = "".join(pieces)
    stream = tok.encode_stream()
    given = [piece.encode() for piece in pieces] if as_bytes else pieces
    try:
        expected = tok.encode(text)
    except SpecialTokenError as error:
        # A stream knows less than the whole text: of two tokens, it may meet the other one first.
        with pytest.raises(SpecialTokenError, match="spells the special token") as raised:
            feed(stream, given)
        if str(raised.value) != str(error):
            assert "<|end|>" in text
    else:
        assert feed(stream, given) == expected


def test_pieces_must_be_text_or_bytes() -> None:
    stream = trained("BPE", "gpt4o").encode_stream()
    with pytest.raises(TypeError, match="a piece must be a str or bytes, not int"):
        stream.feed(3)  # type: ignore[arg-type]
    with pytest.raises(UnicodeEncodeError):
        stream.feed("\ud800")


@pytest.mark.parametrize(
    "text", ["a" * 200_000, " " * 200_000, "1" * 200_000, "-" * 200_000, " ha" * 70_000]
)
def test_long_runs_take_linear_time(text: str) -> None:
    """Quadratic time would be hours."""
    for kind in ("BPE", "BoundlessBPE", "SuperBPE"):
        tok = trained(kind, "boundless")
        pieces = [text[at : at + 7] for at in range(0, len(text), 7)]
        assert feed(tok.encode_stream(), pieces) == tok.encode(text)
